"""Files that are whole and on the disk or not there, and one run at a time in a folder."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from adjudge._base.errors import InputError
from adjudge._base.text import counted, quoted, safe

_PART = ".part"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_CUT = "requested and"  # numpy's words when fewer bytes were written than it asked for; it drops the system's number
_held: set[int] = set()  # handles that copies of this process must not keep: a lock lives as long as any copy of its handle
_guarded: list[bool] = []


class FullDiskError(InputError):
    """There is no room for what is to be kept."""

    exit_code = 4


def durably(path: Path, data: bytes) -> None:
    """Write `data` so that after a crash, of the machine too, the file is there whole or not at all."""
    part = path.with_name(f".{path.name}{_PART}")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    handle = os.open(path.parent, os.O_RDONLY)  # the name in the folder has to be on the disk as well
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sweep(folder: Path, prefix: str) -> None:
    """Remove what a killed run left half done: unfinished files and folders whose names begin with `prefix`."""
    for path in folder.rglob(f".*{_PART}"):
        path.unlink()
    for path in folder.glob(f"{prefix}*"):
        shutil.rmtree(path)


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Turn the system's refusals into what a reader can act on."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno in _FULL or _CUT in why:
            free = counted(shutil.disk_usage(folder).free, "byte")
            msg = f"No room in {quoted(str(folder))} ({why}; {free} free). What is done is kept: make room, run again."
            raise FullDiskError(msg) from error
        msg = f"Cannot use the folder {quoted(str(folder))}: {safe(why)}. Give one that can be written to."
        raise InputError(msg) from error


def checked_place(path: str | os.PathLike[str]) -> Path:
    """Return where a folder is or can be made, found out before hours are spent on what is to go there."""
    folder = Path(path).absolute()
    if folder.exists() and not folder.is_dir():
        msg = f"{quoted(str(folder))} is a file. Give a folder, new or of an earlier run."
        raise InputError(msg)
    if not folder.parent.is_dir():
        msg = f"There is no folder {quoted(str(folder.parent))} to make {quoted(folder.name)} in. Make it first."
        raise InputError(msg)
    place = folder if folder.exists() else folder.parent
    with told(place), tempfile.TemporaryFile(dir=place):
        return folder


class BusyError(InputError):
    """Another process is at work in the folder."""

    exit_code = 75


class Lock:
    """A lock that the system gives back when its holder ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def take(self) -> None:
        """Lock, or say who has."""
        import fcntl  # not on Windows, where check_timeout has refused checkpoints before this

        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(handle, 32).decode("ascii", "replace").strip()
            os.close(handle)
            who = f"process {holder}" if holder.isdigit() else "another process"
            msg = f"The checkpoint {quoted(self.path.parent.name)} is in use by {who}. Wait for it, or give another folder."
            raise BusyError(msg) from error
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode("ascii"))
        self._handle = handle
        _held.add(handle)
        if not _guarded:
            os.register_at_fork(after_in_child=_let_go)
            _guarded.append(True)

    def release(self) -> None:
        """Unlock."""
        if self._handle is not None:
            import fcntl

            _held.discard(self._handle)
            fcntl.flock(self._handle, fcntl.LOCK_UN)
            os.close(self._handle)
            self._handle = None


def _let_go() -> None:
    """Keep workers that are copied from this process from keeping its lock after it was killed."""
    for handle in _held:
        with suppress(OSError):
            os.close(handle)
    _held.clear()
