"""Write files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from adjudge._base.errors import InputError
from adjudge._base.text import safe


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write `content` beside `path` under a temporary name, then rename it into place."""
    target = Path(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        _check_target(target)
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".part")
        try:
            _fill(handle, data)
            os.chmod(temporary, 0o666 & ~_umask())  # noqa: PTH101 - mkstemp makes files private
            os.replace(temporary, target)  # noqa: PTH105 - one atomic call, named as such
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        msg = f"Cannot write {safe(target)}: {error.strerror}. Choose another place with -o."
        raise InputError(msg) from error
    return target


def _check_target(target: Path) -> None:
    """Refuse to replace what is not a plain file."""
    if target.is_symlink():
        msg = f"{safe(target)} is a symbolic link; adjudge does not write through links. Name the file itself."
        raise InputError(msg)
    if target.is_dir():
        msg = f"{safe(target)} is a folder. Name a file in it to write to, e.g. {safe(target / 'report.html')}."
        raise InputError(msg)
    if target.exists() and not target.is_file():
        msg = f"{safe(target)} is no plain file and would be replaced by one. Choose another place with -o."
        raise InputError(msg)


def _fill(handle: int, data: bytes) -> None:
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
