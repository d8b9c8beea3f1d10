"""Write files whole or not at all, and notice those that change while they are read."""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from adjudge._base.errors import InputError
from adjudge._base.text import safe

_unfinished: set[Path] = set()  # temporary files and folders, noted before they are made and until they are gone
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unfinished.clear)  # they are its maker's


def write_whole(path: str | os.PathLike[str], content: str | bytes, *, such_as: str = "report.html") -> Path:
    """Write `content` beside `path` under a temporary name, then rename it into place; see `filling`."""
    with filling(path, such_as=such_as) as place:
        place.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return Path(path)


def write_together(writers: Mapping[Path, Callable[[Path], Any]]) -> None:
    """Write several files, all of them or none: each writer writes to a place beside its file, and at the end all are renamed."""
    with ExitStack() as stack:
        places = {}
        for target in writers:
            check_place(target)
            with _told(target):
                places[target] = stack.enter_context(temporary_folder(target.parent)) / target.name
        for target, write in writers.items():
            write(places[target])
        with _undisturbed():
            for target, place in places.items():  # of all before the first is renamed
                check_place(target)
                with _told(target):
                    place.stat()
            for target, place in places.items():
                with _told(target):
                    os.replace(place, target)  # noqa: PTH105 - one atomic call, named as such


@contextmanager
def filling(path: str | os.PathLike[str], *, such_as: str = "report.html") -> Iterator[Path]:
    """Give out a temporary name beside `path`, renamed into place once all went well; `such_as` is a name for such a file."""
    target = Path(path)
    check_place(target, such_as=such_as)
    with _told(target), temporary_file(target) as place:
        yield place
        with place.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(place, target)  # noqa: PTH105 - one atomic call, named as such


@contextmanager
def temporary_file(target: Path) -> Iterator[Path]:
    """Give out a new, empty file beside `target` under a name that nobody can guess; it is gone in the end unless renamed."""
    with _removed(target.parent, f".{target.name[:40]}.", ".part") as place:
        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))  # readable by whom the umask allows
        yield place


@contextmanager
def temporary_folder(parent: Path, prefix: str = ".") -> Iterator[Path]:
    """Give out a new folder for nobody else, under a name that nobody can guess; it is removed in the end with all it holds."""
    with _removed(parent, prefix) as place:
        place.mkdir(mode=0o700)
        yield place


@contextmanager
def _removed(parent: Path, prefix: str, suffix: str = "") -> Iterator[Path]:
    """Give out a name, noted before anything is made under it, so that whatever interrupts, in the end nothing is there."""
    place = parent / f"{prefix}{os.urandom(8).hex()}{suffix}"
    _unfinished.add(place)
    try:
        yield place
    finally:
        _remove(place)


def _remove(place: Path) -> None:
    if place.is_dir():
        import shutil  # large, and seldom needed

        shutil.rmtree(place, ignore_errors=True)
    else:
        with suppress(OSError):  # of a folder that has vanished or may no longer be written to
            place.unlink()
    _unfinished.discard(place)


@atexit.register
def _remove_all() -> None:
    """Remove what an interrupt kept from being removed."""
    for place in list(_unfinished):
        _remove(place)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Put off signals that would end the work in the middle of a few quick calls; they come afterwards."""
    came: list[int] = []
    held = {}
    try:
        if threading.current_thread() is threading.main_thread():  # signals come to no other
            for number in (signal.SIGINT, signal.SIGTERM):
                if (handler := signal.getsignal(number)) is not None:  # else it is none of Python's
                    held[number] = handler
                    signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        for late in came:
            signal.raise_signal(late)


class Stamp(NamedTuple):
    """What tells that a file was written to or replaced, without reading it again."""

    bytes: int
    changed: int  # in nanoseconds
    inode: int
    device: int

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Stamp | None:
        """Return that of a file, None where there is none."""
        try:
            found = os.stat(path)  # noqa: PTH116 - of whatever names a file
        except OSError:
            return None
        return cls(found.st_size, found.st_mtime_ns, found.st_ino, found.st_dev)


@contextmanager
def unchanged(paths: Iterable[Path], stamps: Iterable[Stamp | None]) -> Iterator[None]:
    """Refuse what is read meanwhile of files that are no longer those of these stamps, whatever else was wrong with them."""
    try:
        yield
    except Exception as error:
        _refuse_changed(paths, stamps, error)
        raise
    _refuse_changed(paths, stamps)


def _refuse_changed(paths: Iterable[Path], stamps: Iterable[Stamp | None], error: Exception | None = None) -> None:
    for path, before in zip(paths, stamps, strict=True):
        now = Stamp.of(path)
        if now != before:
            size, replaced = None if now is None or before is None else (before.bytes, now.bytes), "it was replaced or written to"
            how = (
                "it is gone"
                if size is None
                else replaced
                if size[0] == size[1]
                else f"it had {size[0]:,} bytes and has {size[1]:,}"
            )
            msg = f"{safe(path.name)} has changed while it was read: {how}. Wait until nothing writes to it, then read it again."
            raise InputError(msg) from error


@contextmanager
def _told(target: Path) -> Iterator[None]:
    """Say what cannot be written, and why."""
    try:
        yield
    except OSError as error:
        msg = f"Cannot write {safe(target, 1000)}: {error.strerror or safe(str(error), 200)}. Choose another place to write to."
        raise InputError(msg) from error


def check_place(path: str | os.PathLike[str], *, such_as: str = "report.html") -> None:
    """Refuse a place that cannot be written to, or holds what is not a plain file, before there is anything to write."""
    target = Path(path)
    name, folder, msg = safe(target, 1000), safe(target.parent, 1000), ""
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
