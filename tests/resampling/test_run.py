"""A run: what cannot be run is refused, who does the fits, and how far it is."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from tests.described import mentions
from tests.resampling.learners import Deeds, digest, folds
from tests.terminals import notebook

from adjudge import InputError
from adjudge.resampling.learner import serial
from adjudge.resampling.run import job_of, pays_for_processes, run, watched

X, CODES = load_iris(return_X_y=True)

Y = np.array(["setosa", "versicolor", "virginica"])[CODES]


def job(learner, by="stratified-10-fold", y=Y):
    return job_of(learner, X, y, by, random_state=0)


def test_classes_that_a_fold_could_not_learn_are_named():
    ran = run(job(GaussianNB(), [(np.flatnonzero(CODES < 2), np.flatnonzero(CODES == 2)), (np.arange(149), [149])]))
    assert ran.untaught == {0: ("virginica",)}
    rest = run(job(GaussianNB(), [(np.flatnonzero(k != CODES), np.flatnonzero(k == CODES)) for k in range(3)]))
    assert rest.untaught == {0: ("setosa",), 1: ("versicolor",), 2: ("virginica",)}


@pytest.mark.parametrize(
    ("learner", "y", "told"),
    [
        (LogisticRegression, Y, "got the class LogisticRegression itself"),
        (object(), Y, r"got object without fit\(\)"),
        (Ridge(), Y, "predicts numbers, but y holds type"),
        (Ridge(), np.full(150, np.nan), "missing or infinite numbers"),
        (GaussianNB(), X[:, 0], "predicts classes, but y holds fractions"),
        (GaussianNB(), Y[49:52], "X has 150 rows and y 3"),
    ],
)
def test_what_cannot_be_run_is_refused(learner, y, told):
    with pytest.raises(InputError, match=told):
        job(learner, y=y)


def test_a_table_of_no_rows_is_refused():
    with pytest.raises(InputError, match=r"^X must be a table.*int"):
        job_of(GaussianNB(), 5, Y, "5-fold")


def test_processes_pay_only_for_fits_that_take_long_enough():
    assert not pays_for_processes(0.001, 1000, 1)
    assert not pays_for_processes(0.01, 10, 8)
    assert pays_for_processes(1.0, 10, 2)
    assert not pays_for_processes(100.0, 1, 8)  # one task cannot be shared


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def unsteady():
    return folds(Deeds(("good", "raises", "good")), 3)


def test_nothing_is_written_into_a_pipe(unsteady, monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    assert digest(watched(serial)(unsteady, unsteady.units)) == digest(serial(unsteady, unsteady.units))
    assert pipe.getvalue() == ""


def test_a_terminal_sees_a_bar_with_failures_and_the_time_left(unsteady, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    assert digest(watched(serial)(unsteady, unsteady.units)) == digest(serial(unsteady, unsteady.units))
    shown = terminal.getvalue()
    assert "fitting" in shown
    assert "4/4" in shown
    assert "1 failed" in shown


def test_a_resumed_run_begins_where_it_was(unsteady, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    answers = watched(serial, total=4)(unsteady, [3])
    next(answers)
    answers.close()
    assert "3/4" in terminal.getvalue()


def test_a_notebook_sees_one_line_written_over(unsteady, monkeypatch):
    lines = notebook(monkeypatch)
    list(watched(serial)(unsteady, unsteady.units))
    assert lines[0] == "fitting: 0/4, 0:00 gone"
    assert mentions(lines[1], "1/4", "about 0:00 left")
    assert mentions(lines[2], "2/4 1 failed", "about 0:00 left")
    assert lines[-1].endswith(": 4/4 1 failed")
