"""Errors over the rounds of an ensemble: the best round of a fold is chosen without it, and the rise is the corrected t."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import adjudge
from adjudge.judgements.ensembles import Staged, best_elsewhere, judge_rounds
from adjudge.metrics.catalogue import find


def rounds_of(learnt, judged, *, repeats=1, margin=0.01):
    k = len(judged) // repeats
    y = np.tile([0, 1], 50)
    plan = adjudge.plan(f"{repeats}x{k}-fold" if repeats > 1 else f"{k}-fold", y[:, None], y, random_state=0)
    folds = [
        Staged(unit, np.asarray(a, float), np.asarray(b, float)) for unit, (a, b) in enumerate(zip(learnt, judged, strict=True))
    ]
    return judge_rounds("some", folds, plan, find("error"), rounds=len(judged[0]), margin=margin, level=0.95)


def curves(rng, ends, folds=10, rounds=12):
    """Return noisy lines that go down to a valley at a third of the rounds and from there to `ends` above it."""
    valley = rounds // 3
    line = np.concatenate([np.linspace(0.3, 0.2, valley), np.linspace(0.2, 0.2 + ends, rounds - valley)])
    return line + rng.normal(scale=0.01, size=(folds, rounds))


def test_a_rise_while_training_falls_is_overfitting():
    rng = np.random.default_rng(0)
    falling = np.linspace(0.3, 0.05, 12) + rng.normal(scale=0.005, size=(10, 12))
    assert rounds_of(falling, curves(rng, 0.15)).course == "overfits"


def test_a_rise_after_training_has_ended_is_told_apart():
    rng = np.random.default_rng(1)
    ended = np.tile([0.2, 0.1, *[0.0] * 10], (10, 1))
    assert rounds_of(ended, curves(rng, 0.15)).course == "rises"


def test_a_line_that_stays_low_does_not_overfit():
    rng = np.random.default_rng(2)
    falling = np.linspace(0.3, 0.05, 12) + rng.normal(scale=0.005, size=(10, 12))
    assert rounds_of(falling, curves(rng, 0.0)).course == "stays"
    assert rounds_of(falling, curves(rng, -0.1)).course == "stays"


def test_the_rise_is_the_corrected_t_of_scipy_over_folds():
    rng = np.random.default_rng(3)
    judged = curves(rng, 0.03)
    found = rounds_of(judged, judged, margin=0.005)
    best = [int(np.argmin(np.delete(judged, i, axis=0).mean(axis=0))) for i in range(10)]
    assert found.best.tolist() == [at + 1 for at in best]
    d = judged[:, -1] - judged[np.arange(10), best]
    distribution = stats.t(df=9, loc=d.mean(), scale=np.sqrt((1 / 10 + 1 / 9) * d.var(ddof=1)))
    assert found.rise.worse == pytest.approx(distribution.sf(0.005), rel=1e-9)
    assert found.rise.better == pytest.approx(distribution.cdf(-0.005), rel=1e-9)


def test_the_band_is_the_corrected_t_interval_of_scipy():
    judged = curves(np.random.default_rng(4), 0.05)
    found = rounds_of(judged, judged)
    scale = np.sqrt((1 / 10 + 1 / 9) * judged.var(axis=0, ddof=1))
    low, high = stats.t.interval(0.95, df=9, loc=judged.mean(axis=0), scale=scale)
    np.testing.assert_allclose(found.test_interval, [low, high], rtol=1e-9)


@pytest.mark.slow
@given(st.integers(2, 6), st.integers(1, 3), st.integers(1, 8), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_the_best_round_of_a_fold_never_looks_at_it(folds, repeats, rounds, seed):
    rng = np.random.default_rng(seed)
    errors = rng.integers(0, 20, (folds * repeats, rounds)) / 20
    repeat = tuple(np.repeat(range(repeats), folds).tolist())
    before = best_elsewhere(errors, repeat)
    changed = errors.copy()
    changed[0] = rng.random(rounds)
    assert best_elsewhere(changed, repeat)[0] == before[0]
    others = [i for i in range(folds) if i != 0]
    assert before[0] == np.argmin(errors[others].sum(axis=0).round(9))


def made(*folds, by="2-fold", rounds=4, **how):
    """Rounds of a few folds, each an errors learnt and judged, by their number."""
    y = np.tile([0, 1], 50)
    staged = [Staged(unit, np.asarray(a, float), np.asarray(b, float)) for unit, a, b in folds]
    plan = adjudge.plan(by, y[:, None], y, random_state=0)
    return judge_rounds("some", staged, plan, find("error"), rounds=rounds, margin=0.01, level=0.95, **how)


def test_an_ensemble_that_ended_early_stays_as_it_was():
    found = made((0, [0.4, 0.2], [0.5, 0.3]), (1, [0.1], [0.2]))
    assert found.training.tolist() == [[0.4, 0.2, 0.2, 0.2], [0.1] * 4]
    assert found.test.tolist() == [[0.5, 0.3, 0.3, 0.3], [0.2] * 4]
    assert found.kept.tolist() == [2, 1]
    assert not found.ended_at_once
    assert made((0, [0.4], [0.5]), (1, [0.1], [0.2])).ended_at_once
    assert not made((0, [0.4], [0.5]), (1, [0.1], [0.2]), rounds=1).ended_at_once  # no more were wanted


@pytest.mark.parametrize(
    ("folds", "how"),
    [
        ([(0, [0.4, 0.1], [0.2, 0.5])], {}),
        ([(0, [0.4, 0.1], [0.2, 0.5])], {"by": "holdout"}),
        ([(0, [0.4], [0.2]), (1, [0.4], [0.2])], {"followed": False, "rounds": 1}),
    ],
)
def test_nothing_is_known_of_one_fold_of_one_split_and_of_what_was_not_followed(folds, how):
    found = made(*folds, **how)
    assert found.course == "unknown"
    assert (found.rise, found.fall, found.test_interval, found.best.size) == (None, None, None, 0)


def test_no_fold_at_all_has_no_rounds_and_folds_without_an_answer_are_told():
    assert made() is None
    rows = [(unit, [0.3, 0.2, 0.1, 0.1], [0.3, 0.2, 0.2, 0.25]) for unit in (0, 2, 3)]
    (told,) = (f for f in made(*rows, by="5-fold").rise.findings if f.code == "A708")
    assert told.value == 2


def test_the_band_of_errors_does_not_leave_what_errors_can_be():
    found = made((0, [0.0] * 4, [0.0] * 4), (1, [0.9] * 4, [1.0] * 4))
    assert found.test_interval.tolist() == [[0.0] * 4, [1.0] * 4]  # half a width of far more than 1


def test_of_equal_rounds_the_first_is_the_best_and_a_fold_alone_in_its_repeat_looks_at_all_others():
    errors = np.array([[0.1, 0.3, 0.3], [0.3, 0.1, 0.1], [0.2, 0.4, 0.1]])
    assert best_elsewhere(errors, (0, 0, 0)).tolist() == [2, 0, 0]  # sums of the others: 5 5 2, 3 7 4, 4 4 4
    assert best_elsewhere(errors, (0, 0, 1)).tolist() == [2, 0, 0]
    assert best_elsewhere(errors[:2], (0, 0)).tolist() == [1, 0]
    assert best_elsewhere(np.vstack([errors[:2], errors[:2][::-1]]), (0, 0, 1, 1)).tolist() == [1, 0, 0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("walking", [False, True])
def test_flat_errors_are_seldom_called_a_rise(walking):
    """Of the rounds of lines that are flat but for noise the least is low by luck; at most 5% may be called a rise."""
    rng = np.random.default_rng(6)
    called = 0
    for _ in range(400):
        noise = rng.normal(scale=0.01, size=(10, 30))
        errors = 0.3 + (noise.cumsum(axis=1) if walking else noise)
        called += rounds_of(np.linspace(0.3, 0.1, 30) + 0 * errors, errors, margin=0.0).rise.verdict == "worse"
    assert called <= stats.binom.ppf(0.999, 400, 0.05)
