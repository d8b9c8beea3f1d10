"""Two learners fold by fold: the tests against scipy, and what is no pair of folds."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from tests.described import refused

import adjudge
from adjudge import InputError
from adjudge.judgements.paired_folds import SameFolds, compare_folds, refuse_infinite, same_folds
from adjudge.metrics.catalogue import find

ACCURACY = find("accuracy")
Y = np.tile([0, 1], 20)


def folds(values, *, kind="folds", share=0.1, repeat=None, lost=0):
    return SameFolds(("a", "b"), np.asarray(values), tuple(repeat or [0] * len(values)), share, kind, 400, lost)


def drawn(n, seed=0):
    return np.random.default_rng(seed).normal([0.83, 0.8], 0.02, (n, 2))


def judged(of, method="correlated-t", *, margin=0.01, level=0.9):
    return compare_folds(of, ACCURACY, method=method, margin=margin, level=level)


def codes(found):
    return [finding.code for finding in found.findings]


@pytest.mark.parametrize(("n", "share", "kind"), [(10, 0.1, "folds"), (30, 0.25, "subsampling")])
def test_the_corrected_t_is_that_of_nadeau_and_bengio_by_scipy(n, share, kind):
    values = drawn(n)
    d = values[:, 0] - values[:, 1]
    expected = stats.t(n - 1, d.mean(), np.sqrt((1 / n + share / (1 - share)) * d.var(ddof=1)))
    for method in ("correlated-t", "nadeau-bengio"):
        found = judged(folds(values, kind=kind, share=share), method)
        assert (found.worse, found.same, found.better) == pytest.approx(
            (expected.cdf(-0.01), expected.cdf(0.01) - expected.cdf(-0.01), expected.sf(0.01)), abs=1e-12
        )
        assert found.p_value == pytest.approx(2 * min(expected.cdf(0), expected.sf(0)), abs=1e-12)
        assert (found.interval.low, found.interval.high) == pytest.approx(expected.interval(0.9), abs=1e-12)
        assert found.values == pytest.approx(tuple(values.mean(axis=0)))


def test_the_plain_t_is_scipys_over_folds_and_refused_where_splits_share_cases():
    values = drawn(10)
    theirs = stats.ttest_rel(*values.T)
    found = judged(folds(values), "paired-t")
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(theirs.confidence_interval(0.9)), rel=1e-12)
    for kind in ("repeated folds", "subsampling"):
        with refused("method", "5%", "splits share cases"):
            judged(folds(values, kind=kind), "paired-t")


def test_five_by_two_are_the_tests_of_dietterich_and_alpaydin_by_hand():
    values = drawn(10)
    pairs = (values[:, 0] - values[:, 1]).reshape(5, 2)
    spread = ((pairs - pairs.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    of = folds(values, kind="repeated folds", share=0.5, repeat=[0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    t = pairs[0, 0] / np.sqrt(spread.mean())
    assert judged(of, "5x2cv-t").p_value == pytest.approx(2 * stats.t.sf(abs(t), 5), rel=1e-12)
    assert judged(of, "5x2cv-f").p_value == pytest.approx(stats.f.sf((pairs**2).sum() / (2 * spread.sum()), 10, 5), rel=1e-12)
    for short in (folds(values), folds(values[:8], repeat=[0, 0, 1, 1, 2, 2, 3, 3])):
        with pytest.raises(InputError, match=rf"five repetitions of two.* {len(short.values)} folds"):
            judged(short, "5x2cv-t")


@pytest.mark.parametrize("method", ["correlated-t", "nadeau-bengio", "paired-t"])
def test_the_other_way_round_worse_is_better(method):
    values = drawn(10, seed=3)
    one, other = judged(folds(values), method), judged(folds(values[:, ::-1]), method)
    assert (one.worse, one.same, one.better) == pytest.approx((other.better, other.same, other.worse), abs=1e-12)
    assert one.p_value == pytest.approx(other.p_value)
    assert one.difference == -other.difference


def test_folds_that_agree_are_judged_as_if_one_more_had_found_nothing():
    found = judged(folds(np.tile([0.75, 0.5], (9, 1))), "paired-t", margin=0.0)
    theirs = stats.ttest_1samp([0.25] * 9 + [0.0], 0)
    assert found.p_value == pytest.approx(theirs.pvalue)
    assert found.difference == 0.25
    assert "A712" in codes(found)
    equal = judged(folds(np.full((9, 2), 0.75)))
    assert (equal.same, equal.difference) == (1.0, 0.0)
    assert "A712" not in codes(equal)


def test_errors_are_told_of_as_many_folds_as_they_were_measured_over_alone():
    known, unknown = (judged(folds(drawn(n))) for n in (10, 9))
    assert known.type_i_error.over == "over 10 folds"
    assert (codes(known), codes(unknown)) == ([], ["A709"])
    assert unknown.type_i_error is None
    lost = judged(folds(drawn(10), lost=3))
    assert [(f.code, f.value) for f in lost.findings] == [("A708", 3)]


def run(values, plan, *, truth=Y, failures=()):
    """What a learner found by a plan, as far as its folds are asked for."""
    ran = SimpleNamespace(columns={"truth": truth}, failures=dict.fromkeys(failures, "no luck"))
    estimates = {"accuracy": SimpleNamespace(folds=np.array(values))}
    return SimpleNamespace(plan=plan, run_result=ran, estimates=estimates, learner="L", counted=None)


def by(name, seed=0):
    return adjudge.plan(name, Y[:, None], Y, random_state=seed)


def test_folds_are_laid_side_by_side_by_their_number_where_all_answered():
    plan = by("2x3-fold")
    one, other = run([0, 2, 3, 4, 5], plan, failures=[1]), run([10, 11, 12, 13, 14], plan, failures=[5])
    found = same_folds([one, other], ("a", "b"), ACCURACY)
    assert found.values.tolist() == [[0, 10], [2, 12], [3, 13], [4, 14]]
    assert (found.repeat, found.lost, found.cases) == ((0, 0, 1, 1), 2, 40)
    assert found.test_share == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        (lambda: [run([1, 1], by("2-fold")), run([1, 1], by("2-fold", 1))], "a was tried by the plan .* and b by .* differ"),
        (
            lambda: [run([1, 1], by("2-fold")), run([1, 1], by("2-fold"), truth=Y[::-1])],
            "a and b were tried on different targets",
        ),
        (lambda: [run([1, 1], by("bootstrap-2"))] * 2, "Rounds of the bootstrap test overlapping cases"),
        (lambda: [run([1, np.nan], by("2-fold")), run([1, 1], by("2-fold"))], "accuracy has no value in 1 fold of 2"),
        (lambda: [run([1, 1], by("2-fold")), run([np.inf, 1], by("2-fold"))], "accuracy of b is infinite in 1 of 2 folds"),
    ],
)
def test_what_cannot_be_laid_side_by_side_is_refused(runs, told):
    with pytest.raises(InputError, match=told):
        same_folds(runs(), ("a", "b"), ACCURACY)


def test_one_fold_has_no_spread_and_an_infinite_loss_names_a_finite_one():
    with refused("by", "1 fold of both", "two"):
        judged(folds(drawn(1)))
    with pytest.raises(InputError, match=r"log_loss of tree .*2 of 3.*measure=.brier."):
        refuse_infinite("tree", np.array([np.inf, 0.2, np.inf]), find("log_loss"))
    refuse_infinite("tree", np.array([np.nan, 0.2]), find("log_loss"))  # no value is told elsewhere


@pytest.mark.parametrize("method", ["5x2cv-t", "5x2cv-f"])
def test_five_times_two_folds_that_differ_alike_leave_doubt_and_an_answer(method):
    alike = folds([[0.9, 0.7]] * 10, kind="repeated folds", share=0.5, repeat=np.repeat(range(5), 2).tolist())
    found = judged(alike, method)
    assert found.difference == pytest.approx(0.2)
    assert "A712" in codes(found)
    assert 0 <= found.p_value < 0.05
