"""Files that are whole or not there, locks that end with their holder, and places that cannot be used."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.resampling.learners import Nearest, digest, folds

from adjudge import InputError
from adjudge.resampling.isolation.durable import FullDiskError, Lock, checked_place, durably
from adjudge.resampling.isolation.job_files import spooled
from adjudge.resampling.isolation.store import Kept
from adjudge.resampling.units import serial


def nothing_to_do(job, units):
    assert list(units) == []
    return iter(())


@pytest.fixture
def job():
    return folds(Nearest(), 4)


def test_a_copy_of_the_process_does_not_keep_the_lock(tmp_path):
    lock = Lock(tmp_path / ".lock")
    lock.take()
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        os.write(write, b"!")
        signal.pause()
    try:
        assert os.read(read, 1) == b"!"
        os.close(lock._handle)  # as when the holder is killed: nothing is unlocked on purpose
        again = Lock(tmp_path / ".lock")
        again.take()
        again.release()
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(read)
        os.close(write)


@contextmanager
def files_no_longer_than(size):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_without_room_the_half_file_is_removed_and_the_run_goes_on_later(tmp_path, job):
    with (
        files_no_longer_than(1500),
        pytest.raises(FullDiskError, match=r"No room in '.*run' \(File too large; [\d,]+ bytes free\)"),
    ):
        list(Kept(tmp_path / "run", serial)(job, job.units))
    assert not list((tmp_path / "run").rglob("*.part"))
    assert not list((tmp_path / "run").glob("*.parquet"))
    assert digest(Kept(tmp_path / "run", serial)(job, job.units)) == digest(serial(job, job.units))


def test_no_room_for_the_data_of_the_workers_is_told_too(tmp_path, job):
    with (
        files_no_longer_than(200),
        pytest.raises(FullDiskError, match=r"No room in '.*' \(.*[\d,]+ bytes? free\)"),
        spooled(job, within=tmp_path),
    ):
        pytest.fail("written all the same")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_really_full_keeps_what_was_there(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("mounting a disk needs root")
    try:
        durably(disk / "kept", b"old")
        with pytest.raises(OSError, match="No space left"):
            durably(disk / "kept", b"x" * 100_000)
        assert [(path.name, path.read_bytes()) for path in disk.iterdir()] == [("kept", b"old")]
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_place_that_cannot_be_used_is_refused_before_anything_is_fitted(tmp_path, job):
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full/thesis.tex").touch()
    with pytest.raises(InputError, match=r"file' is a file\. Give a folder"):
        Kept(tmp_path / "file", serial)
    with pytest.raises(InputError, match=r"There is no folder '.*missing' to make 'run' in"):
        Kept(tmp_path / "missing/run", serial)
    with pytest.raises(InputError, match=r"full' holds other files \('thesis\.tex'\)"):
        list(Kept(tmp_path / "full", nothing_to_do)(job, []))


@pytest.mark.parametrize("name", ["run", "."])
def test_a_place_that_may_only_be_read_is_refused(name):
    """As root may write everywhere, the test becomes somebody else for a moment."""
    place = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
    place.chmod(0o555)
    user = os.geteuid()
    try:
        os.seteuid(user or 65534)
        with pytest.raises(InputError, match=r"Cannot use the folder '.*': Permission denied\. Give one that can be written to"):
            checked_place(place / name)
    finally:
        os.seteuid(user)
        shutil.rmtree(place)
