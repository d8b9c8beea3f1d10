"""What a run found: answers put together in the order of the units, failures with their reasons, predictions to be read."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from tests.described import facts
from tests.resampling.failing import FailsOn, X, Y, job

from adjudge import InputError, evaluate, measure, read
from adjudge.resampling.learner import serial
from adjudge.resampling.run import job_of, run
from adjudge.resampling.run_result import Answer, joined


def test_a_failed_fold_costs_its_cases_only():
    named = X.copy()
    named[:, 0] = np.arange(len(X))
    ran = run(job_of(FailsOn(7.0), named, Y, "stratified-10-fold", random_state=0))
    unit = next(unit for unit, rows in enumerate(ran.plan.test) if 7 in rows)
    assert ran.failures == {unit: "RuntimeError: cannot learn this"}
    assert ran.answered == 9
    assert repr(ran).startswith("9 of 10 units")
    assert ran.cases == 150 - ran.plan.test[unit].size
    assert set(np.flatnonzero(ran.times == 0)) == set(ran.plan.test[unit])
    assert ran.seen is not None


def test_when_all_fail_the_reason_is_told():
    with pytest.raises(InputError, match=r"All 10 units failed.*1: RuntimeError: "):
        run(job(FailsOn(-1.0)))


@pytest.mark.slow
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
    assert list(ran.failures) == [0]
    assert facts(ran.failures[0]) == ["'p_setosa'"]


@pytest.mark.slow
def test_tables_can_be_read_as_predictions():
    table = joined(*(answer.table for answer in serial(job(GaussianNB()), range(10))))
    found = read(table)
    assert (found.roles.truth, found.roles.predicted, found.roles.row, found.roles.fold) == ("truth", "predicted", "row", "fold")
    assert [name for _, name in found.roles.scores] == ["p_setosa", "p_versicolor", "p_virginica"]
    assert measure(found, "accuracy") == measure(run(job(GaussianNB())).predictions, "accuracy")


@pytest.mark.slow
@pytest.mark.parametrize("by", ["3x5-fold", "subsampling-4", "bootstrap-6"])
def test_cases_judged_again_are_told_apart_by_fold(by):
    ran = run(job(GaussianNB(), by))
    found = evaluate(ran.predictions)
    assert found.origin.rows == ran.times.sum() > ran.cases
    assert found.counts.n == pytest.approx(ran.cases)
    assert evaluate(ran.by_case).counts.n == pytest.approx(ran.cases)


def test_numbers_have_no_classes():
    ran = run(job(Ridge(), "5-fold", y=X[:, 0] * 1.1))
    assert ran.numeric
    assert ran.classes == ()
    assert ran.scale is None
    assert evaluate(ran.predictions).estimates["mae"].value > 0
