"""How far a run is: a bar on a terminal, a line in a notebook, nothing anywhere else."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest
from tests.resampling.learners import Deeds, digest, folds

from adjudge.resampling.run import watched
from adjudge.resampling.units import serial


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def job():
    return folds(Deeds(("good", "raises", "good")), 3)


def test_nothing_is_written_into_a_pipe(job, monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    assert digest(watched(serial)(job, job.units)) == digest(serial(job, job.units))
    assert pipe.getvalue() == ""


def test_a_terminal_sees_a_bar_with_failures_and_the_time_left(job, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    assert digest(watched(serial)(job, job.units)) == digest(serial(job, job.units))
    shown = terminal.getvalue()
    assert "fitting" in shown
    assert "4/4" in shown
    assert "1 failed" in shown
    assert "0:00:00" in shown


def test_a_resumed_run_begins_where_it_was(job, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    answers = watched(serial, total=4)(job, [3])
    next(answers)
    answers.close()
    assert "3/4" in terminal.getvalue()


def test_a_notebook_sees_one_line_written_over(job, monkeypatch):
    lines = []

    def display(data, *, raw, display_id):
        lines.append(data["text/plain"])
        return SimpleNamespace(update=lambda data, **_: lines.append(data["text/plain"]))

    shell = type("ZMQInteractiveShell", (), {})()
    fake = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setitem(sys.modules, "IPython.display", fake.display)
    list(watched(serial)(job, job.units))
    assert lines[0] == "fitting: 0 of 4"
    assert lines[1] == "fitting: 1 of 4, about 0:00 left"
    assert lines[2] == "fitting: 2 of 4, 1 failed, about 0:00 left"
    assert lines[-1] == "fitting: 4 of 4, 1 failed"
