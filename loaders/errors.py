"""What a loader says when a source cannot be used."""

from pathlib import Path


class SourceError(Exception):
    """A source file or folder cannot be used; the message names it and, where known, the line."""

    def __init__(self, path: Path, problem: str, line: int | None = None) -> None:
        where = f"{path}, line {line}" if line else f"{path}"
        super().__init__(f"{where}: {problem}")
        self.path, self.problem, self.line = path, problem, line

    def __reduce__(self) -> tuple[type["SourceError"], tuple[Path, str, int | None]]:
        """Come whole from the process of another reader."""
        return type(self), (self.path, self.problem, self.line)
