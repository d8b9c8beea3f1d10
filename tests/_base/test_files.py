"""Files are written whole or not at all."""

from __future__ import annotations

import pytest

from adjudge._base.errors import InputError
from adjudge._base.files import check_place, write_together, write_whole


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
