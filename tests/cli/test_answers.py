"""How a command ends: what is printed where, and nothing written over, through or by half."""

from __future__ import annotations

import json
import os
import stat

import click
import pytest
from tests.cli.running import run
from tests.described import mentions

from adjudge import ConfusionCounts, InputError
from adjudge.cli.answers import Printed, answer, check_ending, check_places, print_json


@pytest.mark.parametrize("command", ["report", "evaluate"])
def test_json_is_strict_and_alone_on_stdout(command, predictions, tmp_path):
    extra = ["-o", tmp_path / "r.html"] if command == "report" else []
    result = run(command, predictions, "--json", *extra)
    told = json.loads(result.stdout, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert told["estimates"]["accuracy"]["value"] == 0.5
    assert told["counts"]["cells"] == [[20, 20], [20, 20]]


def test_a_link_is_not_written_through(predictions, tmp_path):
    target = tmp_path / "precious"
    target.write_text("kept", encoding="utf-8")
    (tmp_path / "report.html").symlink_to(target)
    assert run("report", predictions, "-o", tmp_path / "report.html").exit_code == 2
    assert target.read_text(encoding="utf-8") == "kept"


@pytest.mark.slow
def test_a_page_is_readable_by_those_the_umask_allows(predictions, tmp_path):
    run("report", predictions, "-o", tmp_path / "r.html")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "r.html").stat().st_mode) == 0o666 & ~mask


def test_what_is_no_plain_file_is_not_replaced(predictions, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert run("report", predictions, "-o", tmp_path / "pipe").exit_code == 2
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


TABLE = ConfusionCounts([[40, 5], [8, 2]], ("no", "yes"))


@pytest.mark.parametrize(
    ("name", "begins"),
    [("a.html", b"<!doctype html>"), ("a.md", b"# "), ("a.json", b"{"), ("A.SVG", b"<?xml"), ("a.png", b"\x89PNG")],
)
def test_the_ending_of_a_name_says_what_is_written(name, begins, tmp_path, capsys):
    answer(TABLE, printed=Printed(), output=tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert capsys.readouterr().out.endswith(f"\nWrote {tmp_path / name}\n")


def test_one_file_that_fails_leaves_none(tmp_path, capsys):
    def fails(_):
        raise OSError(28, "No space left on device")

    with pytest.raises((OSError, InputError), match="No space left"):
        answer(TABLE, printed=Printed(), output=tmp_path / "a.md", files={tmp_path / "b.txt": fails})
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().out == ""


def test_more_goes_beside_the_numbers_and_lines_below_the_words(tmp_path, capsys):
    answer(TABLE, printed=Printed("json"), more={"page": "caf\xe9"}, lines=["below"])
    told = capsys.readouterr().out
    assert told.isascii()
    assert json.loads(told) == TABLE.to_dict() | {"page": "caf\xe9"}
    answer(TABLE, printed=Printed(), more={"page": "unsaid"}, lines=["below"], written=tmp_path / "c")
    told = capsys.readouterr().out
    assert told.endswith(f"\nbelow\n\nWrote {tmp_path / 'c'}\n")
    assert "unsaid" not in told


def test_what_is_no_json_is_not_printed():
    with pytest.raises(ValueError, match="JSON"):
        print_json({"value": float("nan")})


def test_what_is_read_is_not_written_over_by_any_of_its_names(tmp_path):
    read, link, other = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "c.csv"
    read.touch()
    other.touch()
    link.hardlink_to(read)
    check_places(read, None, tmp_path / "missing", output=other, save=None, save_plan=tmp_path / "new")
    with pytest.raises(InputError) as refused:
        check_places(other, read, what="the answers", written="table", output=None, save=link)
    assert str(refused.value).startswith(f"The table would replace the answers in {link}.")


def test_a_name_that_promises_something_else_is_refused(tmp_path):
    check_ending(None, (".html",), "a page")
    check_ending(tmp_path / "A.HTM", (".html", ".htm"), "a page")
    for endings, told in (((".html", ".htm"), ".html"), ((".svg", ".png", ".pdf"), ".svg, .png or .pdf")):
        with pytest.raises(click.UsageError) as refused:
            check_ending(tmp_path / "a.txt", endings, "a page")
        assert mentions(refused.value.message, "-o", "a page", f" {told}; ", "a.txt")


def test_places_are_files_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_places(output=tmp_path / "a", save_plan=tmp_path / "b", data=None)
    with pytest.raises(InputError, match=r"--output and --save-plan .*the same"):
        check_places(output=tmp_path / "a", save_plan=type(tmp_path)("a"))
    with pytest.raises(InputError, match="is a folder"):
        check_places(output=tmp_path)
