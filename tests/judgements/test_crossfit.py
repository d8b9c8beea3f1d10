"""What a correction does to cases it had not seen, beside the gain that was found another way; and why none is tried."""

import numpy as np
import pytest

import adjudge
from adjudge import Predictions, recommend


def two(n=300, seed=1):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    q = 1 / (1 + np.exp(-rng.normal(2 * y - 0.3, 1.2)))
    return np.column_stack([1 - q, q]), y


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["accuracy", "balanced_accuracy", "brier"])
def test_the_difference_is_the_gain(measure):
    p, y = two()
    found = recommend(y, p, measure=measure)
    shown = found.best or found.rows[0]
    before, after = found.unseen.measures[measure]
    assert found.unseen.name == shown.name
    assert before == pytest.approx(found.before, rel=1e-12)
    assert abs(after - before) == pytest.approx(abs(shown.gain), rel=1e-9, abs=1e-12)


@pytest.mark.slow
def test_the_table_before_is_that_of_the_highest_probability():
    p, y = two()
    unseen = recommend(y, p).unseen
    table = np.zeros((2, 2), dtype=int)
    np.add.at(table, (y, p.argmax(axis=1)), 1)
    assert np.array_equal(unseen.before.cells, table)
    assert unseen.after.n == y.size
    assert unseen.brier[0] == pytest.approx(np.mean((p[:, 1] - y) ** 2), rel=1e-12)
    assert unseen.measures["errors_per_1000"][0] == pytest.approx(1000 * np.mean(p.argmax(axis=1) != y))


@pytest.mark.slow
def test_decisions_given_are_those_before():
    p, y = two()
    decided = np.zeros(y.size, dtype=int)
    unseen = recommend(y, p, y_pred=decided).unseen
    assert unseen.before.predicted.tolist() == [y.size, 0]
    assert unseen.to_dict()["before"]["cells"] == unseen.before.cells.tolist()


def test_rejected_cases_have_a_column():
    p, y = two()
    unseen = recommend(y, p, measure="cost", gamma=3.0).unseen
    assert unseen.before.has_rejected
    assert unseen.after.rejected.sum() > 0


@pytest.mark.slow
def test_why_no_correction_is_tried():
    p, y = two(120)
    decided = p.argmax(axis=1)

    def why(**more):
        return adjudge.evaluate(
            Predictions(y, more.pop("decided", decided), more.pop("p", p), classes=[0, 1], **more)
        ).uncorrected

    assert why() == ""
    assert "weights" in why(weight=np.linspace(1, 2, 120))
    assert "without a decision" in why(decided=np.where(p.max(axis=1) < 0.6, -1, decided), rejected=-1)
    assert "not independent" in why(row=np.arange(120) // 2, fold=np.arange(120) % 2)
    assert adjudge.evaluate(Predictions(y, decided)).uncorrected == ""
    few = adjudge.evaluate(Predictions(y[:20], decided[:20], p[:20], classes=[0, 1]))
    assert few.uncorrected == "there are fewer than 50 cases to try them on"
    k = 13
    rng = np.random.default_rng(0)
    many, q = rng.integers(0, k, 200), rng.dirichlet(np.ones(k), 200)
    assert "13 classes" in adjudge.evaluate(Predictions(many, q.argmax(axis=1), q, classes=list(range(k)))).uncorrected
