"""Small disks that can be filled: a file system in memory, where the one who tests may mount one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

PAGE = 4096


@contextmanager
def small_disk(place: Path, *, size: int) -> Iterator[Path]:
    """Give out a disk of so many kilobytes; skip the test where none can be mounted."""
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", place], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("mounting a disk needs root")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


@contextmanager
def room(disk: Path, *, pages: int) -> Iterator[None]:
    """Leave room for so many pages on a disk meanwhile."""
    filler = disk / ".filler"
    try:
        with filler.open("wb", buffering=0) as file:
            with suppress(OSError):
                while file.write(bytes(PAGE)):
                    pass
            file.truncate(max(0, file.tell() // PAGE - pages) * PAGE)
        yield
    finally:
        filler.unlink()
