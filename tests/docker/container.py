"""Builds the image and runs containers of it without an engine, with the kernel's own namespaces.

A stage is a folder that becomes the root of the file system. What a base image brings (`/usr`
with its libraries, `/usr/local` with Python) is this machine's, read-only. Everything else is
as the Dockerfile and the Compose file say.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.conftest import wait_until
from tests.docker.enter import confined
from tests.docker.reading import REPOSITORY, Ignored, Instruction, Stage, expand, read_dockerfile

ENTER = Path(__file__).with_name("enter.py")
PATH = "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin"
INSTALLED = "/installed"
"""Where a build without a network finds the packages of this environment …"""
OFFLINE = {"PYTHONPATH": INSTALLED, "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0"}
"""… and what makes pip take them; the last one is how pip spells "no isolation" in the environment."""
FOLDERS = ("usr", "etc", "proc", "dev", "tmp", "root", "opt", "run", "var", INSTALLED.strip("/"))
FILES_OF_MACHINE = ("hosts", "resolv.conf", "nsswitch.conf", "login.defs", "ld.so.cache", "pip.conf", "npmrc")
OF_NETWORK = re.compile(r"(https?|no)_proxy|pip_.*|npm_config_.*|node_extra_ca_certs|ssl_cert_file", re.IGNORECASE)
SECONDS = 600


def unavailable() -> str | None:
    """Why no container can be run here; None if one can."""
    if os.geteuid() != 0:
        return "only the superuser can make the root of a container"
    if missing := [program for program in ("unshare", "nsenter", "setpriv", "mount") if not shutil.which(program)]:
        return f"{', '.join(missing)} of util-linux: not installed"
    tried = subprocess.run(["unshare", "--mount", "--pid", "--net", "--fork", "true"], capture_output=True, text=True)
    return tried.stderr.strip() or None


@dataclass(frozen=True, slots=True)
class Machine:
    """What a process starts with."""

    root: Path
    environment: Mapping[str, str] = field(default_factory=lambda: {"PATH": PATH, "HOME": "/root"})
    directory: str = "/"
    uid: int | None = None
    binds: tuple[tuple[str, str, bool], ...] = ()
    tmpfs: tuple[tuple[str, str], ...] = ()
    read_only: bool = False
    own_network: bool = True

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The command line that runs another in here."""
        specification = {
            "root": str(self.root),
            "binds": self.binds,
            "tmpfs": self.tmpfs,
            "read_only": self.read_only,
            "uid": self.uid,
            "environment": self.environment,
            "directory": self.directory,
            "arguments": arguments,
            "own_network": self.own_network,
        }
        network = ["--net"] if self.own_network else []
        namespaces = ["unshare", "--mount", "--pid", "--ipc", *network, "--fork", "--kill-child"]
        return [*namespaces, sys.executable, str(ENTER), json.dumps(specification)]


@dataclass(frozen=True, slots=True)
class Image:
    """A built image: a machine as it leaves the last step, and what the last stage says."""

    machine: Machine
    stage: Stage

    @property
    def entrypoint(self) -> list[str]:
        return self.stage.last("ENTRYPOINT").words

    @property
    def health(self) -> list[str]:
        found: list[str] = json.loads(self.stage.last("HEALTHCHECK").value.removeprefix("CMD").strip())
        return found


class Builder:
    """Runs the steps of a Dockerfile over the files of the checkout."""

    def __init__(self, work: Path, *, online: bool) -> None:
        """Without a network, npm's files and Python's packages are those that `make setup` installed here."""
        self._work = work
        self._online = online
        self._roots: dict[str, Path] = {}

    def build(self) -> Image:
        """Build every stage. Raises `RuntimeError` with the output of the step that fails."""
        *stages, final = read_dockerfile()
        for stage in stages:
            if stage.name == "console" and not self._online:
                self._roots[stage.name] = self._console_of_checkout()
            else:
                self._stage(stage)
        machine = self._stage(final)
        if not self._online:
            for folder in machine.root.glob("opt/*/lib/python3*/site-packages"):
                (folder / "installed.pth").write_text(f"{INSTALLED}\n")
        return Image(machine, final)

    def _stage(self, stage: Stage) -> Machine:
        root = self._roots[stage.name] = self._work / (stage.name or "image")
        machine = Machine(root, binds=self._base(root, python=stage.base.startswith("python:")))
        for instruction in stage.instructions:
            machine = self._step(machine, instruction)
        return machine

    def _base(self, root: Path, *, python: bool) -> tuple[tuple[str, str, bool], ...]:
        """Lay out what every image has; return what is mounted into it."""
        for name in FOLDERS:
            (root / name).mkdir(parents=True)
        (root / "tmp").chmod(0o1777)
        binds = [("/usr", "/usr", True), ("/dev", "/dev", False)]
        for name in ("bin", "sbin", "lib", "lib64"):
            if (found := Path("/", name)).is_symlink():
                (root / name).symlink_to(found.readlink())
            elif found.exists():
                (root / name).mkdir()
                binds.append((str(found), str(found), True))
        (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
        (root / "etc/group").write_text("root:x:0:\n")
        for name in FILES_OF_MACHINE:
            if (found := Path("/etc", name)).is_file():
                shutil.copyfile(found, root / "etc" / name)
        shutil.copytree("/etc/ssl/certs", root / "etc/ssl/certs")
        if python:
            binds.append((self._python(), "/usr/local", True))
            if sys.base_prefix != "/usr":  # where the interpreter looks for its shared library
                (root / sys.base_prefix.lstrip("/")).mkdir(parents=True)
                binds.append((sys.base_prefix, sys.base_prefix, True))
        if not self._online:
            binds.append((sysconfig.get_path("purelib"), INSTALLED, True))
        return tuple(binds)

    def _python(self) -> str:
        """The folder that stands for `/usr/local` of Python's image."""
        if sys.base_prefix != "/usr":
            return sys.base_prefix
        programs = self._work / "python" / "bin"
        programs.mkdir(parents=True, exist_ok=True)
        if not (programs / "python").exists():
            (programs / "python").symlink_to(Path(sys.executable).resolve())
        return str(programs.parent)

    def _console_of_checkout(self) -> Path:
        root = self._work / "console"
        vendor = root / "console" / "static" / "vendor"
        found = REPOSITORY / "service" / "web" / "static" / "vendor"
        if found.is_dir():
            shutil.copytree(found, vendor)
        else:
            vendor.mkdir(parents=True)
        return root

    def _step(self, machine: Machine, step: Instruction) -> Machine:
        if step.keyword == "RUN":
            self._run(machine, step.value)
        elif step.keyword == "COPY":
            self._copy(machine, step)
        elif step.keyword == "WORKDIR":
            (machine.root / step.value.strip("/")).mkdir(parents=True, exist_ok=True)
            return replace(machine, directory=step.value)
        elif step.keyword == "ENV":
            environment = dict(machine.environment)
            for word in step.words:
                name, _, value = word.partition("=")
                environment[name] = expand(value, machine.environment)
            return replace(machine, environment=environment)
        elif step.keyword == "USER":
            return replace(machine, uid=int(step.value.partition(":")[0]))
        elif step.keyword not in ("VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"):
            raise RuntimeError(f"{step.keyword} is not understood here")
        return machine

    def _run(self, machine: Machine, script: str) -> None:
        if script.startswith("apt-get"):
            return  # Debian's packages are those of this machine
        more = {name: value for name, value in os.environ.items() if OF_NETWORK.fullmatch(name)}
        inside = replace(
            machine,
            environment=dict(machine.environment) | (more if self._online else OFFLINE),
            own_network=not self._online,
        )
        done = subprocess.run(
            inside.command(["/bin/sh", "-c", script]), capture_output=True, text=True, timeout=SECONDS
        )
        if done.returncode:
            raise RuntimeError(f"RUN {script}\n{done.stdout}\n{done.stderr}")

    def _copy(self, machine: Machine, step: Instruction) -> None:
        *sources, target = step.words
        stage = step.flags.get("from")
        context = self._roots[stage] if stage else REPOSITORY
        ignored: Callable[[str], bool] = _nothing if stage else Ignored()
        destination = machine.root / os.path.join(machine.directory, target).lstrip("/")
        for source in sources:
            found = context / source.strip("/")
            if ignored(source.strip("/")) or not found.exists():
                raise RuntimeError(f"COPY {source}: there is no such file in the context of the build")
            if found.is_dir():
                _copy_folder(found, destination, lambda path: ignored(path.relative_to(context).as_posix()))
            else:
                place = destination / found.name if target.endswith("/") else destination
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(found, place)


def _nothing(path: str) -> bool:
    return False


def _copy_folder(source: Path, target: Path, ignored: Callable[[Path], bool]) -> None:
    """Copy what is in a folder, as COPY does: the folder's content, into the target."""

    def left_out(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if ignored(Path(folder, name))]

    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, ignore=left_out)


class Container:
    """A service of the Compose file that runs."""

    def __init__(self, machine: Machine, process: "subprocess.Popen[bytes]") -> None:
        self.machine = machine
        self.process = process
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        wait_until(lambda: bool(children.read_text()), "the first process of a container")
        self._first = int(children.read_text().split()[0])
        """As seen from here; in there it is number 1."""

    def execute(self, arguments: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        """Run a command in the container, beside what runs there."""
        assert self.machine.uid is not None
        entered = ["nsenter", f"--target={self._first}", "--mount", "--pid", "--ipc", "--net", "--root", "--wd"]
        return subprocess.run(
            [*entered, *confined(self.machine.uid, list(arguments))],
            env=dict(self.machine.environment),
            capture_output=True,
            text=True,
            timeout=60,
        )

    def kill(self) -> None:
        """End the first process, with which the kernel ends all others in there.

        That of a process whose user has changed does not end with `unshare`.
        """
        if self.process.poll() is None:
            os.kill(self._first, signal.SIGKILL)
        self.process.wait()

    def stop(self, seconds: float) -> int:
        """Ask the first process to end, as an engine does; return its exit code."""
        os.kill(self._first, signal.SIGTERM)
        return self.process.wait(seconds)


@contextmanager
def running(
    image: Image,
    service: Mapping[str, Any],
    volumes: Mapping[str, Path],
    *,
    log: Path,
    own_network: bool = True,
) -> Iterator[Container]:
    """Start a service of the Compose file; it is killed at the end if it still runs.

    `volumes` are the folders that stand for named volumes and for folders of the host.
    """
    machine = _configured(image.machine, service, volumes, own_network=own_network)
    program = [*(service.get("entrypoint") or image.entrypoint), *_command(image, service)]
    with log.open("wb") as output:
        process = subprocess.Popen(machine.command(program), stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        container = Container(machine, process)
        try:
            yield container
        finally:
            container.kill()


def _command(image: Image, service: Mapping[str, Any]) -> list[str]:
    if "command" in service:
        return [str(word) for word in service["command"]]
    return [] if "entrypoint" in service else image.stage.last("CMD").words


def _configured(
    machine: Machine, service: Mapping[str, Any], volumes: Mapping[str, Path], *, own_network: bool
) -> Machine:
    binds = list(machine.binds)
    for mounted in service["volumes"]:
        source, target, *options = mounted.rsplit(":", 2) if mounted.endswith(":ro") else mounted.rsplit(":", 1)
        place = machine.root / target.strip("/")
        place.mkdir(parents=True, exist_ok=True)
        binds.append((str(volumes[source]), target, options == ["ro"]))
    given = {name: str(value) for name, value in service["environment"].items() if value is not None}
    return replace(
        machine,
        binds=tuple(binds),
        tmpfs=tuple(tuple(mounted.split(":", 1)) for mounted in service["tmpfs"]),
        read_only=service["read_only"],
        environment=dict(machine.environment) | given,
        own_network=own_network,
    )


def new_volume(image: Image, folder: Path, target: str) -> Path:
    """A new volume: like an engine's, it has what the folder has over which it is mounted, and belongs to its owner."""
    source = image.machine.root / target.strip("/")
    folder.mkdir()
    for place in (source, *(path for path in source.rglob("*") if path.is_dir())):
        copy = folder / place.relative_to(source)
        copy.mkdir(exist_ok=True)
        os.chown(copy, place.stat().st_uid, place.stat().st_gid)
    return folder
