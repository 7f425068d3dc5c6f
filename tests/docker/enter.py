"""Becomes the first process of a container: mounts, root, user, privileges; then the program.

    unshare --mount --pid --fork … python enter.py SPECIFICATION

The specification is JSON: `root`, `binds` (source, target, whether read-only), `tmpfs` (target, options),
`read_only`, `uid` (absent for the superuser), `environment`, `directory`, `arguments`, `own_network`.
"""

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys

UP_AND_RUNNING = 0x41
SET_FLAGS = 0x8914


def mount(*arguments: str) -> None:
    """Run mount(8)."""
    subprocess.run(["mount", *arguments], check=True)


def confined(uid: int, arguments: list[str]) -> list[str]:
    """A command line that runs another without any privilege."""
    return [
        "setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--no-new-privs",
        "--bounding-set=-all", "--inh-caps=-all", *arguments,
    ]  # fmt: skip


def main() -> None:
    """Enter and run."""
    specification = json.loads(sys.argv[1])
    root = specification["root"]
    mount("--make-rprivate", "/")
    mount("--bind", root, root)
    for source, target, read_only in specification["binds"]:
        mount("--rbind" if target == "/dev" else "--bind", source, root + target)
        if read_only:
            mount("-o", "remount,bind,ro", root + target)
    mount("-t", "proc", "proc", f"{root}/proc")
    for target, options in specification["tmpfs"]:
        mount("-t", "tmpfs", "-o", options, "tmpfs", root + target)
    if specification["read_only"]:
        mount("-o", "remount,bind,ro", root)
    if specification["own_network"]:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh", b"lo", UP_AND_RUNNING))
    os.chroot(root)
    os.chdir(specification["directory"])
    arguments, uid = specification["arguments"], specification["uid"]
    if uid is not None:
        arguments = confined(uid, arguments)
    os.environ["PATH"] = specification["environment"]["PATH"]  # execvpe looks the program up in ours
    os.execvpe(arguments[0], arguments, specification["environment"])


if __name__ == "__main__":
    main()
