"""Exit with 0 if the service in this container is ready, else with 1; print what it says of itself."""

import http.client
import sys

SECONDS = 8


def main() -> int:
    """Ask `/health`."""
    connection = http.client.HTTPConnection("127.0.0.1", 8000, timeout=SECONDS)
    try:
        connection.request("GET", "/health")
        answer = connection.getresponse()
        print(answer.read(2000).decode("utf-8", "replace").strip())
        return 0 if answer.status == http.client.OK else 1
    except (OSError, http.client.HTTPException) as error:
        print(f"no answer: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
