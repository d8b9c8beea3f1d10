"""How commands end: one sentence and an exit code for whatever goes wrong."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner
from tests.cli.running import ADJUDGE, run

from adjudge import InputError
from adjudge._base import VERSION
from adjudge._base.errors import AdjudgeError
from adjudge.cli.group import main


@pytest.fixture
def faulty(monkeypatch):
    def fail(*_, **__):
        msg = "two\nlines"
        raise ZeroDivisionError(msg)

    monkeypatch.setattr("adjudge.verbs.evaluate.evaluate", fail)


def test_a_fault_of_our_own_is_one_line_and_exit_code_70(faulty, predictions):
    result = run("evaluate", predictions)
    assert result.exit_code == 70
    assert result.stderr.splitlines() == [
        "adjudge: a fault of its own (ZeroDivisionError: two lines). Please report it; adjudge --debug COMMAND shows where."
    ]
    assert result.stdout == ""


@pytest.mark.parametrize("first", [True, False])
def test_debug_shows_where_a_fault_comes_from(first, faulty, predictions):
    command = ["evaluate", predictions]
    result = run(*(["--debug", *command] if first else [*command, "--debug"]))
    assert result.exit_code == 70
    assert "Traceback" in result.stderr
    assert "in fail" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("adjudge: a fault of its own")


def test_debug_changes_nothing_else(predictions):
    assert run("--debug", "evaluate", predictions).stdout == run("evaluate", predictions).stdout
    assert run("--debug", "evaluate", "absent.csv").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["report", "no_such_file.csv"], "No file 'no_such_file.csv'"),
        (["evaluate", "{predictions}", "--truth", "y_tru"], "y_true"),
        (["evaluate", "{predictions}", "--measure", "accurracy"], "Did you mean accuracy"),
        (["evaluate", "{predictions}", "--measure", "auc"], "cannot be had"),
        (["evaluate", "{predictions}", "--level", "95"], "95% is 0.95"),
        (["evaluate", "{predictions}", "--positive", "ill"], "'ill' is not among the classes"),
        (["report", "{predictions}", "-o", "{folder}"], "is a folder"),
        (["report", "{predictions}", "-o", "{folder}/no/such/place.html"], "Cannot write"),
    ],
)
def test_bad_input_is_one_sentence_on_stderr_and_exit_2(arguments, text, predictions, tmp_path):
    filled = [a.format(predictions=predictions, folder=tmp_path) for a in arguments]
    before = sorted(tmp_path.rglob("*"))
    result = run(*filled)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert text in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert "Traceback" not in result.stderr
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.slow
def test_the_module_runs_as_a_program(predictions):
    done = subprocess.run([*ADJUDGE, "evaluate", str(predictions)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([*ADJUDGE, "evaluate", "nothing.csv"], capture_output=True, check=False).returncode == 2


@pytest.mark.slow
def test_a_closed_pipe_is_no_error_message(predictions):
    command = f"{sys.executable} -m adjudge evaluate {predictions} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602 - our own words
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


@pytest.mark.parametrize(
    "arguments", [["report"], ["report", "a.csv", "b\x1b[2Jc"], ["evaluate", "x.csv", "--missing", "maybe"], ["nonsense"]]
)
def test_wrong_usage_is_one_line_too(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1
    assert "\x1b" not in result.stderr


@pytest.mark.slow
def test_a_terminal_that_cannot_show_a_label_shows_its_escape(write_csv):
    path = write_csv({"y_true": ["\u65e5\u672c", "b"] * 20, "y_pred": ["\u65e5\u672c", "b"] * 20})
    done = subprocess.run(
        [*ADJUDGE, "evaluate", str(path)], capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "latin-1"}
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u65e5" in done.stdout


@pytest.mark.parametrize(
    ("raised", "code", "told"),
    [
        (MemoryError(), 2, "adjudge: There is not enough memory for this."),
        (click.Abort(), 130, ""),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "adjudge: Cannot write: No space left on device."),
        (BrokenPipeError(), 1, ""),
        (InputError("Two\x1b[2J lines"), 2, "adjudge: Two"),
    ],
)
def test_every_end_has_its_exit_code(raised, code, told, predictions, monkeypatch):
    def fails(*_, **__):
        raise raised

    monkeypatch.setattr("adjudge.verbs.evaluate.evaluate", fails)
    result = run("evaluate", predictions)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith(told)
    assert len(result.stderr.splitlines()) == bool(told)


def test_an_interrupt_says_what_is_kept(predictions, monkeypatch):
    def fails(*_, **__):
        stop = KeyboardInterrupt()
        stop.add_note("3 of 11 units are kept in run; run again to go on.")
        raise stop

    monkeypatch.setattr("adjudge.verbs.evaluate.evaluate", fails)
    result = run("evaluate", predictions)
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "\nadjudge: Interrupted. 3 of 11 units are kept in run; run again to go on.\n"


def test_called_from_python_it_raises_and_returns():
    assert main(["--version"], standalone_mode=False) == 0
    with pytest.raises(AdjudgeError, match=r"No file 'no_such_file\.csv'"):
        main(["evaluate", "no_such_file.csv"], standalone_mode=False)
    with pytest.raises(click.UsageError, match="nonsense"):
        main(["nonsense"], standalone_mode=False)


def test_files_in_the_place_of_a_command_are_reported(predictions, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    for name in ("a.csv", "parts/b.csv", "plain"):
        (tmp_path / name).write_bytes(predictions.read_bytes())
    for given in (
        ["predictions.csv"],
        ["parts"],
        ["parts/*.csv"],
        ["-o", "x.html", "a.csv"],
        ["--truth=y_true", "a.csv", "-ox.html"],
    ):
        short, long = run(*given), run("report", *given)
        assert short.exit_code == 0, short.stderr
        assert short.stdout == long.stdout
    several = ["predictions.csv", "a.csv", "--by-position", "--format", "json"]
    assert run(*several).stdout == run("report", *several).stdout
    assert (
        "cannot be read" in run("./plain").stderr or run("./plain").exit_code == 2
    )  # it is asked for, and refused as a report is
    assert run("./plain").stderr == run("report", "./plain").stderr


def test_a_command_comes_before_a_file_of_its_name(predictions, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "measures").write_bytes(predictions.read_bytes())
    assert run("measures").stdout.startswith("name ")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["reporrt", "a.csv"], "There is no command and no file 'reporrt'. Did you mean report? Try --help."),
        (["nonsense"], "There is no command and no file 'nonsense'. Try --help."),
        ([""], "There is no command and no file ''. Try --help."),
        (["no_such.csv"], "No file 'no_such.csv'. Give the path of a CSV or Parquet file of predictions."),
        (["none/*.csv"], "No .csv, .csv.gz, .tsv or .parquet file matches 'none/*.csv'."),
        (["--nonsense", "a.csv"], "No such option '--nonsense'. Try --help."),
        (["-z"], "No such option '-z'. Try --help."),
        (["correct", "fitt"], "No such command 'fitt'."),
    ],
)
def test_what_is_neither_command_nor_file_is_one_sentence(arguments, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"adjudge: {told}")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("names", [(), ("correct",)])
def test_nothing_asked_shows_the_help(names):
    nothing, asked = run(*names), run(*names, "--help")
    assert (nothing.exit_code, nothing.stdout) == (0, asked.stdout)


def test_version_and_help_are_told():
    assert run("--version").stdout == f"adjudge, version {VERSION}\n"
    short, long = (CliRunner().invoke(main, [flag]) for flag in ("-h", "--help"))
    assert short.stdout == long.stdout
    assert all(f"  {name} " in short.stdout for name in main.commands)
