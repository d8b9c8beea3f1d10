"""The thresholds of predictions, counts and evaluations, and where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from tests.described import refused

import adjudge
from adjudge import InputError, Predictions, thresholds

SCORES = [0.1, 0.2, 0.3, 0.6, 0.7, 0.8]
TRUTH = [0, 0, 1, 0, 1, 1]
CASES = Predictions(TRUTH, scores=SCORES, positive=1)


def test_decisions_and_numbers_alone_have_no_thresholds():
    with refused("scores", "Thresholds need the scores", "none"):
        adjudge.thresholds(Predictions([0, 1], [0, 1]))
    with refused(None, "these predictions are numbers"):
        adjudge.thresholds(Predictions([0.5, 1.25, 2.5], [0.25, 1.5, 2.0]))
    assert adjudge.evaluate(Predictions([0, 1], [0, 1])).thresholds is None


@pytest.mark.slow
@pytest.mark.parametrize("roles", [{}, {"positive": "b"}])
def test_counts_have_the_thresholds_of_what_was_counted(tmp_path, roles):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 3, 200)
    p = rng.dirichlet(np.ones(3), 200)
    rows = Predictions(np.array(list("abc"))[y], scores=p, classes=list("abc"))
    counted = adjudge.count(rows)
    expected = adjudge.thresholds(rows, **roles)
    for source in (counted, counted.save(tmp_path / "n.counts")):
        found = adjudge.thresholds(source, truth=None, **roles)
        assert found.of == expected.of
        assert found.least_cost().to_dict() == expected.least_cost().to_dict()


def test_an_evaluation_has_the_thresholds_of_its_predictions_and_its_own_level():
    judged = adjudge.evaluate(CASES, level=0.9)
    one, other = thresholds(judged).at(0.5), thresholds(CASES, level=0.9).at(0.5)
    assert one.to_dict() == other.to_dict()
    called = np.array(SCORES) >= 0.5
    assert (one.found, one.alarms) == ((called & (np.array(TRUTH) == 1)).sum(), (called & (np.array(TRUTH) == 0)).sum())
    assert one.ppv.interval.level == 0.9
    assert thresholds(judged, level=0.5).at(0.5).ppv.interval.level == 0.9


def test_where_the_rows_are_from_is_told(write_csv):
    path = write_csv({"truth": TRUTH, "score": SCORES}, "patients.csv")
    found = thresholds(path, positive=1, scores="score", truth=None)
    name, rows, fingerprint = found.origin
    assert (name, rows) == ("patients.csv", 6)
    assert fingerprint == adjudge.evaluate(path, positive=1, scores="score").origin.fingerprint
    assert {finding.code for finding in found.findings} <= {"A108", "A109", "A111"}


def test_another_class_may_be_asked_for_and_must_be_there():
    p = np.random.default_rng(0).dirichlet(np.ones(3), 60)
    three = Predictions(np.array(list("abc"))[np.arange(60) % 3], scores=p, classes=list("abc"), positive="a")
    assert [thresholds(three, positive=label).of for label in (None, "c")] == ["a", "c"]
    called = p[:, 2] >= 0.5
    point = thresholds(three, positive="c").at(0.5)
    assert point.found + point.alarms == called.sum()
    with pytest.raises(InputError, match=r"no thresholds of 'd'; .*'a', 'b', 'c'"):
        thresholds(three, positive="d")


def test_an_evaluation_has_its_roles_already():
    with pytest.raises(InputError, match=r"an Evaluation already: .*truth="):
        thresholds(adjudge.evaluate(CASES), truth="x")
