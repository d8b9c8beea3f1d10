"""Write files whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from adjudge._base.errors import InputError
from adjudge._base.text import safe


def write_whole(path: str | os.PathLike[str], content: str | bytes, *, such_as: str = "report.html") -> Path:
    """Write `content` beside `path` under a temporary name, then rename it into place; see `filling`."""
    with filling(path, such_as=such_as) as place:
        place.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return Path(path)


def write_together(writers: Mapping[Path, Callable[[Path], Any]]) -> None:
    """Write several files, all of them or none: each writer writes to a place beside its file, and at the end all are renamed."""
    import tempfile  # large, and needed only where something is written

    with ExitStack() as stack:
        places = {}
        for target in writers:
            check_place(target)
            with _told(target):
                beside = stack.enter_context(tempfile.TemporaryDirectory(dir=target.parent, prefix="."))
            places[target] = Path(beside) / target.name
        for target, write in writers.items():
            write(places[target])
        for target, place in places.items():
            with _told(target):
                os.replace(place, target)  # noqa: PTH105 - one atomic call, named as such


@contextmanager
def filling(path: str | os.PathLike[str], *, such_as: str = "report.html") -> Iterator[Path]:
    """Give out a temporary name beside `path`, renamed into place once all went well; `such_as` is a name for such a file."""
    import tempfile

    target = Path(path)
    check_place(target, such_as=such_as)
    with _told(target):
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".part")
        os.close(handle)
        try:
            yield Path(name)
            with Path(name).open("rb+") as file:
                os.fsync(file.fileno())
            os.umask(mask := os.umask(0))
            Path(name).chmod(0o666 & ~mask)  # temporary files are private; others may read this one as any
            os.replace(name, target)  # noqa: PTH105 - one atomic call, named as such
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


@contextmanager
def _told(target: Path) -> Iterator[None]:
    """Say what cannot be written, and why."""
    try:
        yield
    except OSError as error:
        msg = f"Cannot write {safe(target)}: {error.strerror or safe(str(error), 200)}. Choose another place to write to."
        raise InputError(msg) from error


def check_place(path: str | os.PathLike[str], *, such_as: str = "report.html") -> None:
    """Refuse a place that cannot be written to, or holds what is not a plain file, before there is anything to write."""
    target = Path(path)
    name, folder, msg = safe(target), safe(target.parent, 1000), ""
    with _told(target):
        if target.is_symlink():
            msg = f"{name} is a symbolic link; adjudge does not write through links. Name the file itself."
        elif target.is_dir():
            msg = f"{name} is a folder. Name a file in it to write to, e.g. {safe(target / such_as, 1000)}."
        elif target.exists() and not target.is_file():
            msg = f"{name} is no plain file and would be replaced by one. Choose another place to write to."
        elif not target.parent.is_dir():
            msg = f"Cannot write {name}: there is no folder {folder}. Choose another place to write to."
        elif not os.access(target.parent, os.W_OK | os.X_OK):
            msg = f"Cannot write {name}: nothing may be written to {folder}. Choose another place to write to."
    if msg:
        raise InputError(msg)
