"""A run: every unit asked, failures kept, answers put together in the order of the units, and how far it is."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from tests.resampling.learners import Deeds, digest, folds

from adjudge import InputError, evaluate, measure, read
from adjudge.resampling.answers import Answer, joined
from adjudge.resampling.run import job_of, pays_for_processes, run, watched
from adjudge.resampling.units import serial

X, CODES = load_iris(return_X_y=True)

Y = np.array(["setosa", "versicolor", "virginica"])[CODES]


class FailsOn(ClassifierMixin, BaseEstimator):
    """A learner that fails whenever a row is among those it learns from, or is not."""

    def __init__(self, row=0.0, seen=False):
        self.row, self.seen = row, seen

    def fit(self, X, y):
        if (self.row in X[:, 0]) == self.seen:
            msg = "cannot learn this"
            raise RuntimeError(msg)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), "setosa")


def job(learner, by="stratified-10-fold", y=Y):
    return job_of(learner, X, y, by, random_state=0)


def test_a_failed_fold_costs_its_cases_only():
    named = X.copy()
    named[:, 0] = np.arange(len(X))
    ran = run(job_of(FailsOn(7.0), named, Y, "stratified-10-fold", random_state=0))
    unit = next(unit for unit, rows in enumerate(ran.plan.judge) if 7 in rows)
    assert ran.failures == {unit: "RuntimeError: cannot learn this"}
    assert ran.answered == 9
    assert repr(ran).startswith("9 of 10 units")
    assert ran.cases == 150 - ran.plan.judge[unit].size
    assert set(np.flatnonzero(ran.times == 0)) == set(ran.plan.judge[unit])
    assert ran.seen is not None


def test_when_all_fail_the_reason_is_told():
    with pytest.raises(InputError, match=r"All 10 units failed; nothing can be judged\. Fold 1: RuntimeError: cannot learn this"):
        run(job(FailsOn(-1.0)))


def test_a_failed_fit_on_all_rows_costs_the_resubstitution_only():
    ran = run(job(FailsOn(X[0, 0], seen=True), by=[(np.flatnonzero(X[:, 0] != X[0, 0]), np.flatnonzero(X[:, 0] == X[0, 0]))]))
    assert list(ran.failures) == [1]
    assert ran.seen is None


def test_answers_are_put_in_the_order_of_the_units_however_they_come():
    def backwards(job, units):
        return iter(list(serial(job, units))[::-1])

    one, other = (run(job(GaussianNB()), runner).predictions.source.columns for runner in (serial, backwards))
    assert all(one[name].equals(other[name]) for name in one)


def test_an_answer_unlike_the_others_is_a_failure():
    def strange(job, units):
        for answer in serial(job, units):
            yield answer if answer.unit else Answer(0, answer.table.drop_columns(["p_setosa"]), None, 0.0)

    ran = run(job(GaussianNB()), strange)
    assert ran.failures == {0: "answered with or without 'p_setosa', unlike the others"}


def test_tables_can_be_read_as_predictions():
    table = joined(*(answer.table for answer in serial(job(GaussianNB()), range(10))))
    found = read(table)
    assert (found.roles.truth, found.roles.predicted, found.roles.row, found.roles.fold) == ("truth", "predicted", "row", "fold")
    assert [name for _, name in found.roles.scores] == ["p_setosa", "p_versicolor", "p_virginica"]
    assert measure(found, "accuracy") == measure(run(job(GaussianNB())).predictions, "accuracy")


@pytest.mark.parametrize("by", ["3x5-fold", "subsampling-4", "bootstrap-6"])
def test_cases_judged_again_are_told_apart_by_fold(by):
    ran = run(job(GaussianNB(), by))
    found = evaluate(ran.predictions)
    assert found.origin.rows == ran.times.sum() > ran.cases
    assert found.counts.n == pytest.approx(ran.cases)
    assert evaluate(ran.by_case).counts.n == pytest.approx(ran.cases)


def test_rounds_of_a_bootstrap_are_asked_about_all_rows_too():
    ran = run(job(GaussianNB(), "bootstrap-3"))
    columns = ran.everything.source.columns
    for unit in range(3):
        fitted = GaussianNB().fit(X[ran.plan.learn[unit]], Y[ran.plan.learn[unit]])
        own = np.asarray(columns["fold"]) == unit + 1
        assert np.array_equal(np.asarray(columns["predicted"])[own], fitted.predict(X))
        unseen = ran.predictions.source.columns
        own = np.asarray(unseen["fold"]) == unit + 1
        assert np.array_equal(np.asarray(unseen["row"])[own], ran.plan.judge[unit])
        assert np.array_equal(np.asarray(unseen["predicted"])[own], fitted.predict(X[ran.plan.judge[unit]]))
        expected = fitted.predict_proba(X[ran.plan.judge[unit]])[:, 1]
        assert np.array_equal(np.asarray(unseen["p_versicolor"])[own], expected)


def test_classes_that_a_fold_could_not_learn_are_named():
    ran = run(job(GaussianNB(), [(np.flatnonzero(CODES < 2), np.flatnonzero(CODES == 2)), (np.arange(149), [149])]))
    assert ran.untaught == {0: ("virginica",)}
    rest = run(job(GaussianNB(), [(np.flatnonzero(k != CODES), np.flatnonzero(k == CODES)) for k in range(3)]))
    assert rest.untaught == {0: ("setosa",), 1: ("versicolor",), 2: ("virginica",)}


def test_numbers_have_no_classes():
    ran = run(job(Ridge(), "5-fold", y=X[:, 0] * 1.1))
    assert ran.numeric
    assert ran.classes == ()
    assert ran.scale is None
    assert evaluate(ran.predictions).estimates["mae"].value > 0


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
    with pytest.raises(InputError, match="X must be a table with one row per case; got int"):
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
    assert "0:00:00" in shown


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
    lines = []

    def display(data, *, raw, display_id):
        lines.append(data["text/plain"])
        return SimpleNamespace(update=lambda data, **_: lines.append(data["text/plain"]))

    shell = type("ZMQInteractiveShell", (), {})()
    fake = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setitem(sys.modules, "IPython.display", fake.display)
    list(watched(serial)(unsteady, unsteady.units))
    assert lines[0] == "fitting: 0 of 4"
    assert lines[1] == "fitting: 1 of 4, about 0:00 left"
    assert lines[2] == "fitting: 2 of 4, 1 failed, about 0:00 left"
    assert lines[-1] == "fitting: 4 of 4, 1 failed"
