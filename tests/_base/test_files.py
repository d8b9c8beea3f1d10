"""Files are written whole or not at all, and those that change while they are read are refused."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from adjudge._base import files
from adjudge._base.errors import InputError
from adjudge._base.files import Stamp, check_place, filling, temporary_folder, unchanged, write_together, write_whole


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    target = tmp_path / "page.html"
    write_whole(target, "old")

    def fail(_source, _target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(InputError, match="No space"):
        write_whole(target, "new")
    assert target.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def test_a_folder_is_not_written_to(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        write_whole(tmp_path, "x")


def _writes(text):
    return lambda place: write_whole(place, text)


def test_several_files_are_all_written(tmp_path):
    one, other = tmp_path / "one.csv", tmp_path / "other.html"
    one.write_text("old", encoding="utf-8")
    write_together({one: _writes("1"), other: _writes("2")})
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {"one.csv": "1", "other.html": "2"}


def test_where_one_of_several_files_fails_none_is_written(tmp_path):
    def fails(_):
        msg = "no"
        raise InputError(msg)

    one, other = tmp_path / "one.csv", tmp_path / "other.html"
    one.write_text("old", encoding="utf-8")
    with pytest.raises(InputError, match="no"):
        write_together({one: _writes("new"), other: fails})
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {"one.csv": "old"}


def test_a_place_that_cannot_be_written_to_is_refused_beforehand(tmp_path, monkeypatch):
    check_place(tmp_path / "new.html")
    with pytest.raises(InputError, match="there is no folder"):
        check_place(tmp_path / "none" / "new.html")
    with pytest.raises(InputError, match="is a folder"):
        check_place(tmp_path)
    (tmp_path / "link.html").symlink_to(tmp_path / "new.html")
    with pytest.raises(InputError, match="symbolic link"):
        check_place(tmp_path / "link.html")
    monkeypatch.setattr("os.access", lambda *_: False)  # as of folders of other people
    with pytest.raises(InputError, match="nothing may be written"):
        check_place(tmp_path / "new.html")


def test_temporary_names_stand_in_the_folder_of_the_file_and_nobody_can_guess_them(tmp_path):
    names = set()
    for _ in range(3):
        with filling(tmp_path / "page.html") as place:
            assert [path for path in tmp_path.iterdir() if path.name != "page.html"] == [place]
            names.add(place.name)
        with temporary_folder(tmp_path) as folder:
            assert folder.parent == tmp_path
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            names.add(folder.name)
    assert len(names) == 6
    assert all(re.fullmatch(r"\.(page\.html\.)?[0-9a-f]{16}(\.part)?", name) for name in names)
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_file_that_stands_there_under_a_temporary_name_is_not_written_through(tmp_path, monkeypatch):
    monkeypatch.setattr("os.urandom", lambda n: b"0" * n)
    precious = tmp_path / "precious"
    precious.write_text("kept", encoding="utf-8")
    (tmp_path / f".page.html.{(b'0' * 8).hex()}.part").symlink_to(precious)
    with pytest.raises(InputError, match="File exists"):
        write_whole(tmp_path / "page.html", "new")
    assert precious.read_text(encoding="utf-8") == "kept"


@pytest.mark.parametrize("mask", [0o077, 0o022, 0o002])
def test_who_may_read_a_file_follows_the_umask_also_where_one_is_replaced(mask, tmp_path):
    (tmp_path / "old").touch(mode=0o600)
    before = os.umask(mask)
    try:
        write_whole(tmp_path / "old", "x")
        write_together({tmp_path / "one": _writes("1"), tmp_path / "other": _writes("2")})
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o666 & ~mask}


def test_two_writers_of_one_file_leave_the_whole_of_the_last(tmp_path):
    target = tmp_path / "page.html"
    with filling(target) as first:
        first.write_text("first", encoding="utf-8")
        write_whole(target, "second")
        assert target.read_text(encoding="utf-8") == "second"
    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [("page.html", "first")]


def test_an_interrupt_while_a_temporary_file_is_removed_leaves_it_to_the_end_of_the_process(tmp_path, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("pathlib.Path.unlink", interrupted)
        with pytest.raises(KeyboardInterrupt), filling(tmp_path / "other.html"):
            raise ValueError
    assert len(list(tmp_path.glob(".*"))) == 1
    files._remove_all()
    assert not list(tmp_path.glob(".*"))


def test_a_copy_of_the_process_leaves_the_temporary_files_of_its_maker(tmp_path):
    with filling(tmp_path / "page.html") as place:
        pid = os.fork()
        if not pid:
            files._remove_all()
            os._exit(0)
        os.waitpid(pid, 0)
        assert place.exists()


def test_a_signal_between_two_of_several_files_comes_when_all_are_there(tmp_path, monkeypatch):
    replace = os.replace

    def interrupted(source, target):
        replace(source, target)
        if Path(target).parent == tmp_path:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("os.replace", interrupted)
    before, own = signal.getsignal(signal.SIGTERM), signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            write_together({tmp_path / "one": lambda place: place.touch(), tmp_path / "other": lambda place: place.touch()})
    finally:
        signal.signal(signal.SIGINT, own)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "other"]
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_folder_that_vanishes_before_all_is_written_is_told(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(InputError, match=r"Cannot write .*page\.html: No such file"), filling(folder / "page.html"):
        shutil.rmtree(folder)
    folder.mkdir()
    with pytest.raises(InputError, match=r"Cannot write .*other: there is no folder"):
        write_together({tmp_path / "one": _writes("1"), folder / "other": lambda _: shutil.rmtree(folder)})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_may_only_be_read_is_refused_and_stays_as_it_is():
    """As root may write everywhere, the test becomes somebody else for a moment."""
    place = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
    place.chmod(0o555)
    user = os.geteuid()
    try:
        os.seteuid(user or 65534)
        for write in (lambda: write_whole(place / "a", "x"), lambda: write_together({place / "a": _writes("x")})):
            with pytest.raises(InputError, match=r"Cannot write .*: (Permission denied|nothing may be written)"):
                write()
        assert list(place.iterdir()) == []
    finally:
        os.seteuid(user)
        shutil.rmtree(place)


def _rewritten(path):
    path.write_bytes(path.read_bytes()[::-1])
    os.utime(path, ns=(0, Stamp.of(path).changed + 1))


def _replaced(path):
    before = Stamp.of(path)
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(0, before.changed))
    other.replace(path)


CHANGES = {
    "it had 4 bytes and has 6": lambda path: path.write_bytes(b"abcdef"),
    "it had 4 bytes and has 1": lambda path: path.write_bytes(b"a"),
    "it was replaced or written to": _rewritten,
    "it was replaced or written t?o": _replaced,
    "it is gone": lambda path: path.unlink(),
}


def changed(path, change, error):
    with unchanged([path], [Stamp.of(path)]):
        change(path)
        if error is not None:
            raise error


@pytest.mark.parametrize("how", CHANGES)
def test_what_changes_while_it_is_read_is_refused_whatever_else_is_wrong(how, tmp_path):
    path = tmp_path / "a.csv"
    for error in (None, ValueError("torn row")):
        path.write_bytes(b"abcd")
        with pytest.raises(InputError, match=rf"a\.csv has changed while it was read: {how}\. Wait ") as refused:
            changed(path, CHANGES[how], error)
        assert refused.value.__cause__ is error


def test_what_does_not_change_is_read_and_its_own_errors_stay(tmp_path):
    path = tmp_path / "a.csv"
    path.touch()
    with unchanged([path, tmp_path / "absent"], [Stamp.of(path), None]):
        pass
    with pytest.raises(ValueError, match="torn"), unchanged([path], [Stamp.of(path)]):
        raise ValueError("torn")  # noqa: EM101
