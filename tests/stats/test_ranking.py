"""Ranking against scikit-learn, pROC, exact fractions and the distributions of the AUC."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import metrics

from adjudge._base.arrays import BLOCK
from adjudge._base.errors import InputError
from adjudge._base.undefined import Undefined
from adjudge.stats.ranking import (
    ScoreTable,
    auc,
    auc_of,
    average_precision_of,
    coarsen,
    merge,
    precision_recall_points,
    roc_points,
    tabulate,
)

ORACLES = Path(__file__).parents[1] / "oracles"
PROC = json.loads((ORACLES / "proc_delong.json").read_text())
CASES = json.loads((ORACLES / "cases.json").read_text())
DTYPES = (
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint32",
    "uint64",
    "bool",
)

few = st.sampled_from([-math.inf, -2.5, -1.0, -0.0, 0.0, 1e-300, 0.1, 0.1 + 1e-9, 0.5, 1.0, math.inf])
any_float = st.floats(allow_nan=False)


def cases(elements=few | any_float, *, least=0):
    return st.lists(st.tuples(elements, st.booleans()), min_size=least, max_size=40)


def weighted_cases():
    return st.lists(st.tuples(few, st.booleans(), st.integers(0, 4)), min_size=1, max_size=30)


def split(pairs, dtype=np.float64):
    return np.array([s for s, _ in pairs], dtype=dtype), np.array([y for _, y in pairs], dtype=bool)


def both_classes(positive):
    return 0 < positive.sum() < positive.size


def exact_auc(scores, positive):
    """Count every pair, in fractions."""
    ours = [s for s, y in zip(scores.tolist(), positive, strict=True) if y]
    theirs = [s for s, y in zip(scores.tolist(), positive, strict=True) if not y]
    doubled = sum(2 * (a > b) + (a == b) for a in ours for b in theirs)
    return Fraction(doubled, 2 * len(ours) * len(theirs))


def tied_scores(seed, *, n=400, distinct=12):
    rng = np.random.default_rng(seed)
    return rng.integers(-distinct, distinct, n) / 8.0, rng.random(n) < 0.3, rng.random(n) * 3


def same(a, b):
    for left, right in ((a.values, b.values), (a.positives, b.positives), (a.negatives, b.negatives)):
        np.testing.assert_array_equal(left, right)
    assert a.bits == b.bits
    assert a.bound == b.bound


# The number itself ---------------------------------------------------------------------------


@pytest.mark.slow
@given(cases())
def test_auc_counts_every_pair(pairs):
    scores, positive = split(pairs)
    assume(both_classes(positive))
    exact = float(exact_auc(scores, positive))
    assert auc(scores, positive) == exact
    assert auc_of(tabulate(scores, positive)) == exact


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=20)
@given(data=st.data())
def test_auc_counts_every_pair_in_every_dtype(dtype, data):
    size = data.draw(st.integers(2, 40))
    elements = {"allow_nan": False} if np.dtype(dtype).kind == "f" else None
    scores = data.draw(hnp.arrays(dtype, size, elements=elements))
    positive = data.draw(hnp.arrays(np.bool_, size))
    positive[:2] = True, False  # both classes are there
    assert auc(scores, positive) == float(exact_auc(scores, positive))
    assert auc(scores, positive, np.ones(size)) == pytest.approx(float(exact_auc(scores, positive)), abs=1e-14)
    swapped = scores.astype(scores.dtype.newbyteorder())
    assert auc(swapped, positive) == auc(scores, positive)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_auc_agrees_with_sklearn(seed, dtype):
    scores, positive, weight = tied_scores(seed)
    scores = scores.astype(dtype)
    for options in ({}, {"sample_weight": weight}):
        theirs = metrics.roc_auc_score(positive, scores, **options)
        assert auc(scores, positive, *options.values()) == pytest.approx(theirs, abs=1e-12)
        assert auc_of(tabulate(scores, positive, *options.values())) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("step", [None, 1, 1 / 64, 1 / 100_000])
@pytest.mark.parametrize("shift", [0.0, -0.4])
def test_blocks_and_ties_that_cross_them(step, shift):
    rng = np.random.default_rng(7)
    raw = rng.random(3 * BLOCK + 17)
    scores = ((raw if step is None else np.round(raw / step) * step) + shift).astype(np.float32)
    positive = rng.random(scores.size) < raw
    theirs = metrics.roc_auc_score(positive, scores)
    assert auc(scores, positive) == pytest.approx(theirs, abs=1e-12)
    assert auc(scores, positive) == auc_of(tabulate(scores, positive))


@pytest.mark.parametrize(("name", "score"), [(name, score) for name, group in PROC["sets"].items() for score in group["scores"]])
def test_auc_agrees_with_proc(name, score):
    group = PROC["sets"][name]
    scores, positive = np.array(group["scores"][score]), np.array(group["y"]) == 1
    theirs = pytest.approx(group["single"][score]["auc"], abs=1e-14)
    assert auc(scores, positive) == theirs
    assert auc_of(tabulate(scores, positive)) == theirs


@pytest.mark.parametrize("case", [c for c in CASES if c["quantity"] == "auc_delong"], ids=lambda c: c["id"])
def test_auc_agrees_with_the_reference_cases(case):
    scores, positive = np.array(case["inputs"]["scores"]), np.array(case["inputs"]["y"]) == 1
    assert auc(scores, positive) == pytest.approx(float(case["expected"]["auc"]), **_tolerance(case))


def _tolerance(case):
    return {"abs": case["tolerance"]["atol"], "rel": case["tolerance"]["rtol"]}


# Distributions ----------------------------------------------------------------------------------------


@pytest.mark.slow
@given(cases())
def test_turning_the_scores_round_turns_the_area_round(pairs):
    scores, positive = split(pairs)
    assume(both_classes(positive))
    assert auc(-scores, positive) == pytest.approx(1 - auc(scores, positive), abs=1e-15)
    assert auc(scores, ~positive) == pytest.approx(1 - auc(scores, positive), abs=1e-15)


@pytest.mark.slow
@given(cases(st.integers(-50, 50)))
def test_strictly_monotone_maps_change_nothing(pairs):
    scores, positive = split(pairs)
    assume(both_classes(positive))
    before = auc(scores, positive)
    for change in (np.exp, np.cbrt, lambda s: 3 * s - 1e6, lambda s: s.astype(np.float32), np.int8):
        assert auc(change(scores), positive) == before


@pytest.mark.slow
@given(cases(), st.randoms(use_true_random=False))
def test_order_of_the_cases_changes_nothing(pairs, random):
    shuffled = random.sample(pairs, len(pairs))
    assume(both_classes(split(pairs)[1]))
    assert auc(*split(pairs)) == auc(*split(shuffled))
    same(tabulate(*split(pairs)), tabulate(*split(shuffled)))


@pytest.mark.slow
@given(weighted_cases())
def test_a_weight_is_a_number_of_copies(triples):
    scores, positive, weight = (np.array(column) for column in zip(*triples, strict=True))
    copies = np.repeat(scores, weight), np.repeat(positive, weight)
    ours, theirs = tabulate(scores, positive, weight), tabulate(*copies)
    same(ours, theirs)
    assume(both_classes(copies[1]))
    assert auc_of(ours) == pytest.approx(auc(*copies), abs=1e-14)
    assert auc(scores, positive, weight) == pytest.approx(auc(*copies), abs=1e-14)
    assert average_precision_of(ours) == pytest.approx(average_precision_of(theirs), abs=1e-14)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_the_unit_of_weights_does_not_matter(scale):
    scores, positive, weight = tied_scores(3)
    expected = auc(scores, positive, weight)
    assert auc(scores, positive, weight * scale) == pytest.approx(expected, abs=1e-14)
    coarse = coarsen(tabulate(scores, positive, weight * scale), 12)
    assert coarse.bound == pytest.approx(coarsen(tabulate(scores, positive, weight), 12).bound, abs=1e-14)


# Traps ---------------------------------------------------------------------------------------


def test_near_ties_are_ties_only_where_the_dtype_says_so():
    scores, positive = np.array([0.1, 0.1 + 1e-9]), np.array([False, True])
    assert auc(scores, positive) == 1.0
    assert auc(scores.astype(np.float32), positive) == 0.5
    assert tabulate(scores, positive).values.size == 2
    # Neighbouring floats differ by one unit in the last place and must not pass for a tie.
    for dtype in (np.float32, np.float64):
        for one in np.array([0.5, -0.5, 0.0], dtype):
            near = np.array([one, np.nextafter(one, dtype(2))])
            assert auc(near, positive) == 1.0
            assert auc(near, ~positive) == 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_infinities_and_negative_zeros_are_ordinary_ranks(dtype):
    scores = np.array([-np.inf, -0.0, 0.0, np.inf, np.inf], dtype)
    positive = np.array([False, False, True, True, False])
    assert auc(scores, positive) == 4 / 6  # 0.0 beats -inf, ties -0.0; inf beats both, ties inf: 1.5 + 2.5 of 6
    table = tabulate(scores, positive)
    np.testing.assert_array_equal(table.values, [-np.inf, 0.0, np.inf])
    assert not np.signbit(table.values[1])
    assert auc_of(table) == 4 / 6
    zeros = np.array([-0.0, 0.0], dtype)
    for flags in ([True, False], [False, True]):
        assert auc(zeros, np.array(flags)) == 0.5
        assert not np.signbit(tabulate(zeros, np.array(flags)).values[0])
        assert not np.signbit(tabulate(zeros[:1], np.array(flags[:1])).values[0])


def test_wide_integers_are_compared_as_integers():
    positive = np.array([False, True])
    assert auc(np.array([2**53, 2**53 + 1]), positive) == 1.0
    assert auc(np.array([-1, 0]), positive) == 1.0
    assert auc(np.array([2**53, 2**53 + 1]), positive, np.ones(2)) == 1.0
    assert auc(np.array([-(2**63), 2**63 - 1]), positive) == 1.0
    assert auc(np.array([2**64 - 2, 2**64 - 1], np.uint64), positive) == 1.0
    assert tabulate(np.array([3, 2**53], np.uint64), positive).values.tolist() == [3.0, 2.0**53]
    for wide in (np.array([0, 2**53 + 1]), np.array([2**63, 2**63 + 1], np.uint64), np.array([-(2**63), 0])):
        with pytest.raises(InputError, match=r"beyond 2\^53.*Use auc"):
            tabulate(wide, positive)


def test_products_of_large_counts_do_not_wrap():
    p, n = np.array([1, 10**10, 3 * 10**10]), np.array([2 * 10**10, 10**10 + 1, 7])
    table = ScoreTable(np.array([0.0, 0.5, 1.0]), p, n)
    doubled = sum(a * (2 * sum(n.tolist()[:i]) + n.tolist()[i]) for i, a in enumerate(p.tolist()))
    assert auc_of(table) == doubled / (2 * sum(p.tolist()) * sum(n.tolist()))
    assert coarsen(table, 1).bound == 0.5
    rates = np.concatenate(roc_points(table)[:2])
    assert (rates >= 0).all()


def test_all_scores_tied_gives_one_half():
    positive = np.arange(3 * BLOCK) % 3 == 0
    assert auc(np.full(positive.size, 0.25, np.float32), positive) == 0.5


@pytest.mark.parametrize(
    ("positive", "reason"),
    [([True, True], "no negative case"), ([False, False], "no positive case"), ([], "no case at all")],
)
def test_one_class_has_no_area_and_says_why(positive, reason):
    positive = np.array(positive, dtype=bool)
    scores = np.zeros(positive.size)
    table = tabulate(scores, positive)
    for value in (auc(scores, positive), auc_of(table), auc(scores, positive, scores + 1)):
        assert isinstance(value, Undefined)
        assert value.reason == f"AUC needs both classes: {reason}"
    assert coarsen(merge(table, table), 3).bound == 0.0
    fpr, tpr, _ = roc_points(table)
    assert np.isnan(tpr).all() == (not positive.any())
    assert np.isnan(fpr).all() == positive.all()
    assert isinstance(average_precision_of(table), Undefined) == (not positive.any())


@pytest.mark.parametrize(
    ("scores", "positive", "weight", "message"),
    [
        (
            [0.1, np.nan, np.nan],
            [True, False, True],
            None,
            r"2 of 3 scores are NaN, the first in row 1\..*drop",
        ),
        ([0.1, 0.2], [1, 0], None, r"booleans, got int64\. Compare first"),
        ([0.1, 0.2], [True], None, r"got shapes \(2,\) and \(1,\)"),
        (["a", "b"], [True, False], None, r"got <U1\. Convert"),
        ([0.1, 0.2], [True, False], [1.0], r"got shape \(1,\) for 2 cases"),
        ([0.1, 0.2], [True, False], [1.0, -1.0], r"got -1\.0 in row 1"),
        ([0.1, 0.2], [True, False], [np.nan, 1.0], r"got nan in row 0"),
    ],
)
@pytest.mark.parametrize("function", [auc, tabulate])
def test_what_cannot_be_ranked_is_refused_with_advice(function, scores, positive, weight, message):
    with pytest.raises(InputError, match=message):
        function(np.array(scores), np.array(positive), weight)


def test_inputs_are_left_alone():
    scores, positive, weight = tied_scores(1)
    for array in (scores, positive, weight):
        array.setflags(write=False)
    before = scores.copy()
    auc(scores, positive)
    coarsen(tabulate(scores, positive, weight), 5)
    np.testing.assert_array_equal(scores, before)


# Curves --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
def test_curves_agree_with_sklearn(seed, weighted):
    scores, positive, weight = tied_scores(seed)
    weight = weight if weighted else None
    table = tabulate(scores, positive, weight)
    theirs = metrics.roc_curve(positive, scores, sample_weight=weight, drop_intermediate=False)
    for left, right in zip(roc_points(table), theirs, strict=True):
        np.testing.assert_allclose(left, right, rtol=0, atol=1e-12)
    precision, recall, thresholds = metrics.precision_recall_curve(positive, scores, sample_weight=weight)
    ours = precision_recall_points(table)
    # scikit-learn rises with the threshold and ends with an invented point (recall 0, precision 1).
    for left, right in zip(ours, (recall[:-1], precision[:-1], thresholds), strict=True):
        np.testing.assert_allclose(left[::-1], right, rtol=0, atol=1e-12)
    average = metrics.average_precision_score(positive, scores, sample_weight=weight)
    assert average_precision_of(table) == pytest.approx(average, abs=1e-12)


@pytest.mark.slow
@given(cases(least=1))
def test_curves_are_what_their_thresholds_decide(pairs):
    scores, positive = split(pairs)
    assume(both_classes(positive))
    table = tabulate(scores, positive)
    fpr, tpr, thresholds = roc_points(table)
    assert (fpr[0], tpr[0], thresholds[0]) == (0, 0, np.inf)
    assert (fpr[-1], tpr[-1]) == (1, 1)
    assert np.trapezoid(tpr, fpr) == pytest.approx(auc(scores, positive), abs=1e-14)
    for row, threshold in enumerate(thresholds[1:], start=1):
        decided = scores >= threshold
        assert tpr[row] == np.mean(decided[positive])
        assert fpr[row] == np.mean(decided[~positive])
    recall, precision, at = precision_recall_points(table)
    np.testing.assert_array_equal(recall, tpr[1:])
    np.testing.assert_array_equal(at, thresholds[1:])
    assert precision.tolist() == [np.mean(positive[scores >= t]) for t in at]
    steps = np.diff(recall, prepend=0)
    assert average_precision_of(table) == pytest.approx((steps * precision).sum(), abs=1e-14)


def test_an_empty_top_score_does_not_spoil_average_precision():
    table = ScoreTable(np.array([0.1, 0.2, 0.3]), np.array([1, 2, 0]), np.array([1, 0, 0]))
    assert average_precision_of(table) == pytest.approx(2 / 3 + 1 / 3 * 3 / 4)
    assert np.isnan(precision_recall_points(table)[1][0])


# Tables --------------------------------------------------------------------------------------


@pytest.mark.slow
@given(cases(), st.integers(0, 40), st.integers(0, 40))
def test_tables_add_up_in_any_grouping(pairs, one, two):
    one, two = sorted((one, two))
    a, b, c = (tabulate(*split(part)) for part in (pairs[:one], pairs[one:two], pairs[two:]))
    whole = tabulate(*split(pairs))
    same(merge(merge(a, b), c), whole)
    same(merge(a, merge(b, c)), whole)
    same(merge(merge(c, a), b), whole)
    assert whole.bound == 0.0
    assert (np.diff(whole.values) > 0).all() or whole.values.size < 2


@pytest.mark.slow
@given(cases(), st.integers(1, 64), st.integers(1, 64), st.integers(0, 40))
def test_coarse_tables_bound_their_error_and_add_up(pairs, bits, other, cut):
    scores, positive = split(pairs)
    coarse = coarsen(tabulate(scores, positive), bits)
    parts = [coarsen(tabulate(*split(part)), bits) for part in (pairs[:cut], pairs[cut:])]
    same(merge(*parts), coarse)
    same(merge(*reversed(parts)), coarse)
    same(coarsen(coarse, other), coarsen(tabulate(scores, positive), min(bits, other)))
    assume(both_classes(positive))
    assert abs(Fraction(auc_of(coarse)) - exact_auc(scores, positive)) <= Fraction(coarse.bound) + Fraction(1, 10**15)


@pytest.mark.slow
@given(cases(), st.lists(st.integers(1, 64), min_size=3, max_size=3), st.randoms(use_true_random=False))
def test_tables_cut_differently_still_bound_their_error(pairs, bits, random):
    scores, positive = split(pairs)
    assume(both_classes(positive))
    tables = [coarsen(tabulate(*split(pairs[i::3])), b) for i, b in enumerate(bits)]
    merged = reduce(merge, tables)
    same(merged, reduce(merge, random.sample(tables, 3)))
    same(merged, coarsen(tabulate(scores, positive), min(bits)))
    error = abs(Fraction(auc_of(merged)) - exact_auc(scores, positive))
    assert error <= Fraction(merged.bound) + Fraction(1, 10**15)


def test_the_bound_is_reached_and_only_mixed_bins_count():
    scores, positive = np.array([0.25, 0.50, 0.51, 0.75]), np.array([True, False, True, False])
    coarse = coarsen(tabulate(scores, positive), 14)
    np.testing.assert_array_equal(coarse.values, [0.25, 0.51, 0.75])
    assert coarse.bound == 1 / 8
    assert auc(scores, positive) - auc_of(coarse) == 1 / 8
    assert coarsen(tabulate(np.array([0.5, 0.5]), np.array([True, False])), 1).bound == 0.0


def test_twenty_bits_keep_rare_event_scores_apart():
    rng = np.random.default_rng(5)
    scores = rng.beta(0.3, 300, 200_000)
    positive = rng.random(scores.size) < scores
    coarse = coarsen(tabulate(scores, positive), 20)
    assert coarse.values.size < 20_000
    assert abs(auc_of(coarse) - auc(scores, positive)) <= coarse.bound < 1e-3


@pytest.mark.parametrize("bits", [0, 65, -1])
def test_impossible_bits_are_refused(bits):
    with pytest.raises(InputError, match=f"1 and 64, got {bits}"):
        coarsen(tabulate(np.array([0.1]), np.array([True])), bits)
