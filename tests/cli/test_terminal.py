"""What only a person at a terminal sees: colour, lines of the window's width, a bar, an opened page. A pipe gets plain bytes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests.terminals import MARKS, UNSAID, Terminal

import adjudge
from adjudge._base.findings import Finding
from adjudge.cli import answers, main
from adjudge.cli.wording import in_shell
from adjudge.describe import describe
from adjudge.describe.document import Document, Table
from adjudge.predictions.model import rows_about, watched
from adjudge.render.text import WIDTH, text

ADJUDGE = [sys.executable, "-m", "adjudge"]


@pytest.fixture
def predictions(write_csv) -> Path:
    return write_csv({"truth": ["sick", "well", "well", "sick"] * 5, "predicted": ["sick", "well", "sick", "well"] * 5})


def as_a_shell_reads_it(found):
    with click.Context(main.commands["evaluate"]):
        return in_shell(found)


def piped(*arguments, **setting):
    """Return the bytes that a command writes into a pipe."""
    env = {name: value for name, value in os.environ.items() if name not in UNSAID} | setting
    return subprocess.run([*ADJUDGE, *map(str, arguments)], capture_output=True, check=True, env=env)


def at_a_terminal(*arguments, columns=80, **setting):
    """Return what a command writes to a pseudo-terminal of that width; no one sees its standard error."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    env = {name: value for name, value in os.environ.items() if name not in UNSAID} | {"TERM": "xterm"} | setting
    process = subprocess.Popen([*ADJUDGE, *map(str, arguments)], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, env=env)
    os.close(theirs)
    told = b""
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # the other end was closed
            break
        if not piece:
            break
        told += piece
    os.close(ours)
    assert process.wait() == 0, told
    return told.decode().replace("\r\n", "\n")


@pytest.mark.slow
def test_a_pipe_gets_the_plain_words(predictions):
    told = piped("evaluate", predictions, TERM="xterm-256color", COLUMNS="50")
    assert (
        told.stdout.decode().replace(f"{predictions.parent}/", "")
        == as_a_shell_reads_it(adjudge.evaluate(predictions)).in_words() + "\n"
    )
    assert told.stderr == b""


@pytest.mark.slow
def test_a_terminal_gets_colour_and_lines_of_its_width(predictions):
    told = at_a_terminal("evaluate", predictions, columns=72)
    assert "\x1b[1mAccuracy 50.0%" in told
    assert re.search(r"\x1b\[33mA\d{3}\x1b\[0m ", told)
    plain = MARKS.sub("", told).replace(f"{predictions.parent}/", "")
    assert plain == text(describe(as_a_shell_reads_it(adjudge.evaluate(predictions))), width=72) + "\n"
    tables = [line for line in plain.splitlines() if len(line) > 72]
    assert not [line for line in tables if not re.search(r"\S  +\S", line)]  # nothing is wider but what stands in columns


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
)
def test_a_terminal_is_coloured_as_its_user_says(setting, expected, predictions, bare):
    bare.setattr(sys, "stdout", Terminal())
    bare.setenv("TERM", "xterm")
    for name, value in setting.items():
        bare.setenv(name, value)
    answers.say(adjudge.evaluate(predictions))
    assert ("\x1b[" in sys.stdout.getvalue()) is expected


@pytest.mark.slow
def test_colour_may_be_forced_into_a_pipe_but_not_against_no_color(predictions, bare):
    def told(**setting):
        return CliRunner(env=setting).invoke(main, ["evaluate", str(predictions)]).stdout

    plain, forced = told(), told(FORCE_COLOR="1")
    assert forced != plain
    assert MARKS.sub("", forced) == plain
    assert told(FORCE_COLOR="1", NO_COLOR="1") == plain


def test_colour_marks_verdicts_but_no_names():
    rows = (("better", "recommended", "0.2"), ("kappa", "leave it", "0.1"))
    tones = {"better": "good", "recommended": "good", "leave it": "bad"}
    table = Table("", ("Name", "Advice", "Gain"), rows, "llr", tones=tones)
    document = Document(
        ("A sentence that is much too long.", "Another."), (table,), (Finding("A301", "better so.", "Do it.", 1),)
    )
    marked, plain = text(document, colour=True, width=27), text(document, width=27)
    assert MARKS.sub("", marked) == plain
    assert "\x1b[1mA sentence that is much too\x1b[0m\n\x1b[1mlong.\x1b[0m\nAnother." in marked
    assert "\x1b[1mName    Advice       Gain\x1b[0m" in marked
    assert "\nbetter  \x1b[32mrecommended\x1b[0m   0.2\n" in marked
    assert "\nkappa   \x1b[31mleave it\x1b[0m      0.1" in marked
    assert "  \x1b[33mA301\x1b[0m better so." in marked


@pytest.mark.slow
def test_a_label_brings_no_marks_of_its_own(write_csv):
    path = write_csv({"truth": ["\x1b[31mred", "b"] * 10, "predicted": ["\x1b[31mred", "b"] * 10})
    assert "\x1b[31mred" not in text(describe(adjudge.evaluate(path)), colour=True)


@pytest.mark.slow
def test_words_are_laid_out_anew_for_each_width(predictions):
    evaluation = adjudge.evaluate(predictions)
    document = describe(evaluation)
    assert text(document) == text(document, width=WIDTH) == evaluation.in_words()
    assert len(text(document, width=60).splitlines()) > len(text(document, width=120).splitlines())


@pytest.mark.slow
def test_reading_is_followed_block_by_block(write_csv, tmp_path):
    n = 150_000
    path = write_csv({"truth": ["a", "b", "b"] * (n // 3), "predicted": ["a", "b", "a"] * (n // 3)})
    predictions = adjudge.read(path)
    heard = []
    found = adjudge.evaluate(watched(predictions, heard.append))
    assert found.to_dict() == adjudge.evaluate(path).to_dict()
    assert (heard[0], heard[-1]) == (0, n)
    assert len(set(heard)) > 2
    assert rows_about(predictions.source) == pytest.approx(n, rel=0.01)


def test_rows_of_parquet_are_known_and_those_of_zipped_and_small_files_are_not(write_csv, tmp_path):
    import gzip

    import pyarrow as pa
    import pyarrow.parquet as pq

    small = write_csv({"truth": ["a", "b"], "predicted": ["a", "b"]})
    zipped = tmp_path / "p.csv.gz"
    zipped.write_bytes(gzip.compress(b"truth,predicted\n" + b"a,b\nb,b\n" * 50_000))
    table = tmp_path / "p.parquet"
    pq.write_table(pa.table({"truth": ["a", "b"] * 50, "predicted": ["a", "b"] * 50}), table)
    assert [rows_about(adjudge.read(path).source) for path in (small, zipped, table)] == [None, None, 100]


def demo(bare, tmp_path, *more, tty=True, opens=True):
    """Run the demo as if someone sat there; return what was opened and what was printed."""
    asked = []
    # what is judged and what is on the page do not matter here
    bare.setattr(
        import_module("adjudge.verbs.report"), "report", lambda _: adjudge.evaluate(adjudge.ConfusionCounts([[40, 5], [8, 2]]))
    )
    bare.setattr(adjudge.Evaluation, "to_html", lambda *_, **__: "<!doctype html>")
    bare.setattr("webbrowser.open", lambda address: asked.append(address) or opens)
    bare.setattr(answers, "_is_terminal", lambda: tty)
    result = CliRunner().invoke(main, ["demo", "-o", str(tmp_path / "a page.html"), *more], catch_exceptions=False)
    assert result.exit_code == 0
    return asked, result.stdout


def test_the_demo_opens_its_page_where_someone_sits(bare, tmp_path):
    bare.setenv("DISPLAY", ":0")
    asked, told = demo(bare, tmp_path)
    assert asked == [(tmp_path / "a page.html").as_uri()]
    assert told.endswith("a page.html\nOpened it in your browser.\n")


@pytest.mark.parametrize(
    ("more", "tty", "setting"),
    [([], False, {"DISPLAY": ":0"}), (["--no-open"], True, {"DISPLAY": ":0"}), ([], True, {"DISPLAY": ":0", "CI": "true"})],
    ids=["a pipe", "as asked", "a build"],
)
def test_the_demo_opens_nothing_elsewhere(more, tty, setting, bare, tmp_path):
    for name, value in setting.items():
        bare.setenv(name, value)
    asked, told = demo(bare, tmp_path, *more, tty=tty)
    assert not asked
    assert told.endswith("a page.html\n")


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="there windows need no variable")
def test_without_a_display_nothing_is_opened(bare, tmp_path):
    assert not demo(bare, tmp_path)[0]
    bare.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert demo(bare, tmp_path)[0]


def test_a_browser_that_fails_to_open_is_not_told_as_opened(bare, tmp_path):
    bare.setenv("DISPLAY", ":0")
    asked, told = demo(bare, tmp_path, opens=False)
    assert asked
    assert "Opened" not in told


def test_comma_separated_values_do_nothing_to_a_terminal_and_are_as_they_are_in_a_pipe(write_csv, monkeypatch):
    label = "a\x1b[2J\u202eb"
    file = write_csv({"truth": [label, "b"] * 9, "predicted": ["b", label] * 9})
    asked = ["evaluate", str(file), "--format", "csv"]
    assert label in CliRunner().invoke(main, asked).stdout
    monkeypatch.setattr(answers, "_is_terminal", lambda: True)
    told = CliRunner().invoke(main, asked).stdout
    assert "a\\x1b[2J\\u202eb" in told
    assert "\x1b" not in told
    assert told.endswith("\n")
