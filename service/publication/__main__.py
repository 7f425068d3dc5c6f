"""Makes what is published of a version, in a process of its own, so that the service keeps its pace.

    python -m service.publication VERSION_FOLDER

Where nothing can be written beside the graph it only counts, and prints the statistics. It
ends when its standard input does, that is with its parent.
"""

import os
import sys
import threading
from pathlib import Path

from service.publication import making, statistics

PRIORITY = 10


def main() -> None:
    """Make a publication, or print statistics."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.nice(PRIORITY)
    version = Path(sys.argv[1])
    try:
        making.make(version)
    except OSError:
        sys.stdout.buffer.write(statistics.dump(statistics.statistics(version)))


def _end_with_parent() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    main()
