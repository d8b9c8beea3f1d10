"""One run at a time in a folder."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from adjudge._base.errors import InputError
from adjudge._base.text import quoted

_held: set[int] = set()  # handles that copies of this process must not keep: a lock lives as long as any copy of its handle
_guarded: list[bool] = []


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
        _hold(handle)

    def release(self) -> None:
        """Unlock."""
        if self._handle is not None:
            import fcntl

            _held.discard(self._handle)
            fcntl.flock(self._handle, fcntl.LOCK_UN)
            os.close(self._handle)
            self._handle = None


def _hold(handle: int) -> None:
    """Keep workers that are copied from this process from keeping its lock after it was killed."""
    _held.add(handle)
    if not _guarded:
        os.register_at_fork(after_in_child=_let_go)
        _guarded.append(True)


def _let_go() -> None:
    for handle in _held:
        with suppress(OSError):
            os.close(handle)
    _held.clear()
