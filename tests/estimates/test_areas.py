"""Intervals of the AUC: against SciPy, pROC, brute force over cases, and simulated coverage."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap, mannwhitneyu

from adjudge import InputError, Predictions, evaluate, interval, measure
from adjudge.counts import counting
from adjudge.counts.counting import tally
from adjudge.counts.scores import ScoreCounter, ScoredRows
from adjudge.estimates import scored
from adjudge.estimates.scored import area_interval, macro_area_interval
from adjudge.stats import auc_intervals, ranking
from adjudge.stats.ranking import tabulate

PROC = json.loads((Path(__file__).parents[1] / "oracles" / "proc_delong.json").read_text())["sets"]
METHODS = ("default", "hull", "newcombe", "delong", "logit-delong", "bootstrap", "bca")
cases = st.lists(st.tuples(st.integers(0, 12), st.booleans(), st.sampled_from([0.25, 1.0, 3.0])), min_size=2, max_size=40).filter(
    lambda rows: len({flag for _, flag, _ in rows}) == 2
)


def columns(rows):
    scores, positive, weight = zip(*rows, strict=True)
    return np.array(scores, dtype=float) / 12, np.array(positive), np.array(weight)


def two(m, n, shift, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(m + n) < m
    return truth, rng.normal(truth * shift)


def several(n, k, shift, seed, shares=None):
    """Return labels and scores of k classes, each class seen."""
    rng = np.random.default_rng(seed)
    truth = np.append(np.arange(k), rng.choice(k, n - k, p=shares))
    scores = rng.normal(size=(n, k))
    scores[np.arange(n), truth] += shift
    return truth, scores


def ranked(truth, scores, **how):
    return Predictions(truth, scores=scores, classes=range(scores.shape[1]), scores_are="scores", **how)


def ends(found):
    return found.low, found.high


# -- one class ---------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(cases)
def test_a_table_of_scores_has_the_variance_of_the_cases(rows):
    scores, positive, _ = columns(rows)
    table, m = tabulate(scores, positive), int(positive.sum())
    found = ranking.delong_of(table.positives, table.negatives, m, positive.size - m)
    assert found == pytest.approx(auc_intervals.delong(scores, positive), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(("name", "column"), [(name, column) for name in PROC for column in PROC[name]["scores"]])
def test_a_table_agrees_with_proc(name, column):
    known = PROC[name]
    table = tabulate(np.array(known["scores"][column], dtype=float), np.array(known["y"]) == 1)
    area, variance = ranking.delong_of(table.positives, table.negatives, known["n1"], known["n0"])
    assert area == pytest.approx(known["single"][column]["auc"], rel=1e-12)
    assert variance == pytest.approx(known["single"][column]["var_delong"], rel=1e-11, abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@given(cases)
def test_limits_have_a_width_within_the_range(method, rows):
    scores, positive, weight = columns(rows)
    for found in (Predictions(positive, scores=scores), Predictions(positive, scores=scores, weight=weight)):
        limits = interval(found, "auc", method=method, positive=True)
        assert 0 <= limits.low < limits.high <= 1
        if method not in ("bootstrap", "bca"):
            assert limits.low - 1e-12 <= measure(found, "auc", positive=True) <= limits.high + 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_equal_weights_change_nothing(method):
    truth, scores = two(15, 25, 1.0)
    plain, doubled = (
        interval(Predictions(truth, truth, scores, weight=w), "auc", method=method) for w in (None, np.full(40, 2.0))
    )
    assert ends(doubled) == pytest.approx(ends(plain), rel=1e-10)


def test_weights_widen_by_what_the_cases_are_worth():
    truth, scores = two(40, 60, 1.0)
    weight = np.random.default_rng(1).exponential(size=100)
    found = interval(Predictions(truth, truth, scores, weight=weight), "auc", method="delong")
    w, v = {}, {}
    for side, others in ((True, False), (False, True)):
        mine, theirs, their_weight = scores[truth == side], scores[truth == others], weight[truth == others]
        sign = 1 if side else -1
        wins = (sign * mine[:, None] > sign * theirs) + 0.5 * (mine[:, None] == theirs)
        w[side], v[side] = weight[truth == side], wins @ their_weight / their_weight.sum()
    area = float(np.average(v[True], weights=w[True]))
    variance = sum(np.cov(v[s], aweights=w[s]) * (w[s] ** 2).sum() / w[s].sum() ** 2 for s in (True, False))
    half = 1.959963984540054 * math.sqrt(variance)
    assert ends(found) == pytest.approx((area - half, area + half), rel=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_a_file_too_large_to_keep_its_scores_has_the_same_limits(monkeypatch, write_csv, method):
    truth, scores = two(80, 120, 1.0)
    path = write_csv({"truth": truth.astype(int), "predicted": (scores > 0.5).astype(int), "score": scores})
    kept = interval(path, "auc", method=method)
    monkeypatch.setattr(counting, "EXACT", 16)
    tables = interval(path, "auc", method=method)
    assert tally_of(path).scores.tables
    assert ends(tables) == pytest.approx(ends(kept), rel=1e-12)


def tally_of(path):
    from adjudge import read

    return tally(read(path))


def test_binning_widens_the_limits_by_its_bound(monkeypatch):
    truth, scores = two(80, 120, 1.0)
    counted = tally(Predictions(truth, truth, scores))
    counter = ScoreCounter(limit=1)
    monkeypatch.setattr("adjudge.counts.scores.DISTINCT", 1)
    monkeypatch.setattr("adjudge.counts.scores.BITS", 13)
    counter.add(ScoredRows(scores[:, None], np.where(truth, 0, 1)))
    binned = counter.counts([1, 0])
    bound = binned.bound(1)
    assert bound > 1e-3
    wide = area_interval(type(counted)(counted.confusion, counted.rows, scores=binned), 1)
    exact = area_interval(counted, 1)
    assert wide.low <= exact.low < exact.high <= wide.high
    assert wide.high - wide.low == pytest.approx(exact.high - exact.low + 2 * bound, rel=0.05)


@pytest.mark.parametrize(("method", "theirs"), [("bootstrap", "percentile"), ("bca", "BCa")])
def test_resampling_agrees_with_scipy(monkeypatch, method, theirs):
    truth, scores = two(14, 22, 1.0, seed=6)
    monkeypatch.setattr(scored, "RESAMPLES", 20_000)

    def area(ours, others, axis=-1):
        wins = ours[..., :, None] > others[..., None, :]
        return wins.mean(axis=(-2, -1))

    expected = bootstrap(
        (scores[truth], scores[~truth]), area, method=theirs, n_resamples=20_000, batch=1000, rng=np.random.default_rng(1)
    ).confidence_interval
    found = interval(Predictions(truth, truth, scores), "auc", method=method)
    assert ends(found) == pytest.approx((expected.low, expected.high), abs=0.006)
    assert found.method == method


def test_the_acceleration_is_that_of_leaving_each_case_out():
    truth, scores = two(6, 9, 0.7)
    table = tabulate(scores, truth)
    jackknife, times = ranking.area_jackknife(table.positives, table.negatives, 6, 9)
    full = mannwhitneyu(scores[truth], scores[~truth]).statistic / 54
    assert (jackknife * times).sum() == pytest.approx(0, abs=1e-14)
    ordered = np.concatenate((np.sort(scores[truth]), np.sort(scores[~truth])))
    for place in range(15):
        kept = np.delete(ordered, place)
        m = 6 - (place < 6)
        left_out = mannwhitneyu(kept[:m], kept[m:]).statistic / (m * (14 - m))
        factor = (m if place < 6 else 14 - m) / (6 if place < 6 else 9)  # influence over n, the jackknife over n - 1
        assert jackknife[place] == pytest.approx((left_out - full) * factor, abs=1e-14)


@pytest.mark.slow
def test_many_scores_are_binned_and_centred_on_the_exact_area():
    truth, scores = two(3000, 7000, 1.0)
    found = interval(Predictions(truth, truth, scores), "auc", method="bca")
    delong = interval(Predictions(truth, truth, scores), "auc", method="delong")
    assert ends(found) == pytest.approx(ends(delong), abs=0.0015)


@pytest.mark.slow
@given(cases, st.integers(3, 9))
def test_putting_scores_together_keeps_the_cases(rows, most):
    table = tabulate(*columns(rows)[:2])
    for limit in (most, 1 << 20):
        ours, theirs = ranking.grouped(table.positives, table.negatives, limit)
        assert (ours.sum(), theirs.sum()) == (table.positives.sum(), table.negatives.sum())
        assert ours.size <= max(limit, table.values.size if limit > 100 else limit)
    whole = ranking.delong_of(ours, theirs, 20, 20)
    assert whole == pytest.approx(ranking.delong_of(table.positives, table.negatives, 20, 20), abs=1e-14)


@pytest.mark.parametrize("method", ["bootstrap", "bca"])
def test_resamples_that_agree_fall_back_and_say_so(method):
    found = interval(Predictions([0, 0, 0, 1, 1], scores=[0.1, 0.2, 0.3, 0.8, 0.9]), "auc", method=method)
    assert ends(found) == auc_intervals.hull(1.0, 0.0, 2, 3)
    assert [finding.code for finding in found.findings] == ["A507"]


def test_methods_that_do_not_exist_are_refused():
    truth, scores = two(5, 5, 1.0)
    with pytest.raises(InputError, match="Methods are: default, hull"):
        interval(Predictions(truth, truth, scores), "auc", method="wilson")
    labels, block = several(30, 3, 1.0, 0)
    with pytest.raises(InputError, match="macro auc"):
        interval(ranked(labels, block), "auc", method="bca")
    with pytest.raises(InputError, match='average="weighted"'):
        interval(ranked(labels, block), "auc", average="weighted")
    with pytest.raises(InputError, match=r"of the class and"):
        interval(Predictions([1, 1], [1, 1], scores=[0.2, 0.4], classes=[0, 1]), "auc")


# -- the mean over classes -----------------------------------------------------------------------------------------------------


def brute_influences(scores, truth, k):
    """Return the influence of every case on every AUC by comparing all pairs."""
    n, found = truth.size, np.zeros((k, truth.size))
    for c in range(k):
        ours, theirs = np.flatnonzero(truth == c), np.flatnonzero(truth != c)
        wins = (scores[ours, c][:, None] > scores[theirs, c]) + 0.5 * (scores[ours, c][:, None] == scores[theirs, c])
        area = wins.mean()
        found[c, ours] = (wins.mean(axis=1) - area) * n / ours.size
        found[c, theirs] = (wins.mean(axis=0) - area) * n / theirs.size
    return found


def test_influences_agree_with_all_pairs():
    truth, scores = several(60, 4, 1.0, 3)
    scores = scores.round(1)
    expected = brute_influences(scores, truth, 4)
    ones = np.ones(60)
    found = np.stack([ranking.case_influences(scores[:, c], truth == c, ones) for c in range(4)])
    assert found == pytest.approx(expected, abs=1e-12)
    sizes = np.bincount(truth).astype(float)
    covariance = ranking.influence_covariance(found, truth, ones, sizes)
    by_hand = np.zeros((4, 4))
    for y in range(4):
        mine = expected[:, truth == y]
        by_hand += sizes[y] / 60**2 * np.cov(mine) + sizes[y] / 60**2 * np.outer(mine.mean(axis=1), mine.mean(axis=1))
    assert covariance == pytest.approx(by_hand, abs=1e-14)


def test_two_complementary_columns_have_delongs_variance():
    truth, scores = two(12, 20, 1.0)
    labels, ones = truth.astype(int), np.ones(32)
    each = np.stack([ranking.case_influences(s, labels == c, ones) for c, s in ((0, -scores), (1, scores))])
    covariance = ranking.influence_covariance(each, labels, ones, np.array([20.0, 12.0]))
    assert covariance == pytest.approx(np.full((2, 2), auc_intervals.delong(scores, truth)[1]), rel=1e-12)
    mean = interval(Predictions(labels, labels, {0: -scores, 1: scores}, scores_are="scores"), "auc", average="macro")
    assert ends(mean) == pytest.approx(ends(interval(Predictions(truth, truth, scores), "auc")), abs=1e-12)


def test_repeated_weights_are_repeated_cases_in_the_covariance():
    truth, scores = several(40, 3, 1.0, 8)
    weight = np.full(40, 3.0)
    plain, weighted = (interval(ranked(truth, scores, weight=w), "auc") for w in (None, weight))
    assert ends(weighted) == pytest.approx(ends(plain), rel=1e-10)


@pytest.mark.slow
@given(st.integers(0, 10**6), st.integers(3, 5), st.permutations(range(5)), st.sampled_from([0.0, 1.0, 30.0]))
def test_the_order_of_the_classes_does_not_matter(seed, k, order, shift):
    truth, scores = several(30, k, shift, seed)
    new = [label for label in order if label < k]
    a = macro_area_interval(tally(ranked(truth, scores)))
    b = macro_area_interval(tally(Predictions(truth, scores=scores[:, new], classes=new, scores_are="scores")))
    assert ends(a) == pytest.approx(ends(b), abs=1e-12)
    assert 0 <= a.low < a.high <= 1
    value = measure(ranked(truth, scores), "auc")
    assert a.low <= value + 1e-12
    assert value <= a.high + 1e-12


@pytest.mark.parametrize("method", ["mover", "logit-delong"])
def test_a_mean_of_perfect_rankings_is_not_certain(method):
    truth = np.repeat([0, 1, 2], 12)
    limits = interval(Predictions(truth, scores=np.eye(3)[truth], classes=range(3)), "auc", method=method)
    assert limits.low < limits.high == 1.0


def test_without_the_scores_the_means_of_the_limits_are_taken(monkeypatch, write_csv):
    truth, scores = several(90, 3, 1.0, 4)
    probability = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    path = write_csv({"truth": truth, "predicted": probability.argmax(axis=1)} | {f"p_{c}": probability[:, c] for c in range(3)})
    monkeypatch.setattr(counting, "EXACT", 16)
    counted = tally_of(path)
    each = np.array([ends(area_interval(counted, at)) for at in range(3)])
    assert counted.scores.tables
    assert ends(macro_area_interval(counted)) == pytest.approx(each.mean(axis=0), rel=1e-12)


@pytest.mark.slow
def test_few_cases_of_a_class_are_a_finding():
    truth, scores = several(60, 3, 1.0, 1, [0.5, 0.48, 0.02])
    rare = int((truth == 2).sum())
    assert rare < 10
    predictions = ranked(truth, scores)
    found = interval(predictions, "auc")
    assert found.method == "mover"
    assert [(finding.code, finding.value) for finding in found.findings] == [("A503", rare)]
    narrow = interval(predictions, "auc", method="logit-delong")
    assert "known to be too narrow" in narrow.findings[0].message
    assert "A503" in [finding.code for finding in evaluate(predictions).findings]
    common = interval(ranked(np.tile(truth, 10), np.tile(scores, (10, 1))), "auc")
    assert not common.findings


def test_a_class_without_a_column_leaves_the_mean_without_limits():
    truth, scores = several(30, 3, 1.0, 2)
    with pytest.raises(InputError, match="auc has no interval"):
        interval(Predictions(truth, truth, {0: scores[:, 0], 1: scores[:, 1]}, scores_are="scores"), "auc", average="macro")


def macro_coverage(shares, shift, n, rounds=500):
    """Return how often the default limits hold the macro AUC of the population."""
    k = len(shares)
    truth, scores = several(400_000, k, shift, 99, shares)
    true = measure(ranked(truth, scores), "auc")
    held = 0
    for seed in range(rounds):
        truth, scores = several(n, k, shift, [7, n, seed], shares)
        limits = macro_area_interval(tally(ranked(truth, scores)))
        held += limits.low <= true <= limits.high
    return held / rounds


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shares", "shift", "n"),
    [
        ([1 / 3] * 3, 1.0, 60),
        ([1 / 3] * 3, 2.5, 60),
        ([0.6, 0.3, 0.1], 1.0, 60),
        ([0.6, 0.3, 0.1], 2.0, 120),
        ([0.2] * 5, 1.5, 60),
        ([0.475, 0.475, 0.05], 1.0, 60),
    ],
)
def test_simulated_coverage_of_the_mean_over_classes(shares, shift, n):
    assert 0.91 <= macro_coverage(shares, shift, n) <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("few", [2, 4, 8])
@pytest.mark.parametrize(("shift", "spread"), [(1.0, 1.0), (1.0, 2.0)])
def test_simulated_coverage_with_few_cases_of_a_class(few, shift, spread):
    truth = np.repeat([0, 1, 2], [few, 40, 60])
    true = 0.5 * math.erfc(-shift / math.sqrt(2 * (1 + spread**2)))
    rng, held, own = np.random.default_rng([few, int(spread)]), 0, (np.arange(truth.size), truth)
    for _ in range(400):
        scores = rng.normal(size=(truth.size, 3))
        scores[own] = scores[own] * spread + shift
        limits = macro_area_interval(tally(ranked(truth, scores)))
        held += limits.low <= true <= limits.high
    assert 0.91 <= held / 400 <= 0.995


@pytest.mark.slow
@pytest.mark.parametrize(("m", "n", "shift"), [(20, 40, 0.7), (40, 100, 1.5)])
@pytest.mark.parametrize("method", ["bootstrap", "bca"])
def test_simulated_coverage_of_resampling(monkeypatch, method, m, n, shift):
    monkeypatch.setattr(scored, "RESAMPLES", 500)
    true = 0.5 * math.erfc(-shift / 2)
    held = 0
    for seed in range(400):
        truth, scores = two(m, n, shift, [5, seed])
        limits = area_interval(tally(Predictions(truth, truth, scores)), 1, method=method, rng=seed)
        held += limits.low <= true <= limits.high
    assert 0.91 <= held / 400 <= 0.99
