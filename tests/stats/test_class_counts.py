"""Counts by class against Python's own counters and fractions, and pairs ranked from them one by one."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judgements.curves import MOST_CURVES
from adjudge.stats.binning import Bins
from adjudge.stats.class_counts import MOST_RANKED, added, by_class, starts_of, within_rows
from adjudge.stats.ranking import ScoreTable, against_each, auc_of, coarsen, coarsen_classes, merge, tabulate

SCORES = st.sampled_from([0.0, -0.0, 0.5, 0.5000001, 0.50001, 1.0, -1.0, -1.00001, 3e-310, np.inf, -np.inf])
ANY = st.floats(allow_nan=False) | SCORES
CASES = st.lists(st.tuples(ANY, st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=50)


def columns(cases, *, weighted=False):
    scores, classes, n = (np.array(column) for column in zip(*cases, strict=True))
    return scores.astype(float), classes, n / 3 if weighted else None


def test_as_many_classes_have_numbers_as_have_pairs_in_a_report():
    assert MOST_RANKED >= MOST_CURVES


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(1, 9))))
def test_counts_add_up_by_row_and_class(triples):
    wanted = Counter()
    for row, of, n in triples:
        wanted[row, of] += n
    rows, classes, n = np.array(triples, dtype=np.int64).reshape(-1, 3).T
    counts = by_class(64, rows, classes, n)
    assert dict(zip(zip(counts.rows, counts.classes, strict=True), counts.counts, strict=True)) == wanted
    assert list(zip(counts.rows, counts.classes, strict=True)) == sorted(wanted)
    assert counts.of_class(7, 6).tolist() == [wanted[row, 7] for row in range(6)]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.floats(1e-9, 1e9)), min_size=1))
def test_weights_add_up_without_rounding(triples):
    wanted = defaultdict(Fraction)
    for row, of, weight in triples:
        wanted[row, of] += Fraction(weight)
    rows, classes, weights = (np.array(column) for column in zip(*triples, strict=True))
    counts = by_class(64, rows, classes, weights)
    exact = [sum(map(Fraction, parts)) for parts in zip(counts.counts, *counts.rests, strict=True)]
    assert dict(zip(zip(counts.rows, counts.classes, strict=True), exact, strict=True)) == wanted


def test_sums_between_starts():
    starts = starts_of(np.array([2, 2, 5, 7, 7]))
    assert starts.tolist() == [0, 2, 3]
    assert within_rows(starts, 5).tolist() == [0, 0, 1, 2, 2]
    ((sums,),) = added((np.array([1, 2, 3, 4, 5]),), starts)
    assert sums.tolist() == [3, 3, 9]


def won(cases, own, other, bits=64):
    """Return the AUC of one class against another: pairs counted one by one, those that agree in their leading bits half."""
    top = {score: int(np.float64(score + 0.0).view(np.uint64)) >> (64 - bits) for score, _, _ in cases}
    ours, theirs = ([(score, n) for score, of, n in cases if of == number] for number in (own, other))
    wins = sum(m * n * (Fraction(1, 2) if top[a] == top[b] else a > b) for a, m in ours for b, n in theirs)
    pairs = sum(m for _, m in ours) * sum(n for _, n in theirs)
    return float(Fraction(wins) / pairs) if pairs else None


@given(CASES, st.integers(2, 64), st.integers(0, 3), st.randoms())
def test_pairs_are_ranked_from_any_parts_added_in_any_order(cases, bits, own, chance):
    wanted = {other: won([(s, of, 1) for s, of, _ in cases], own, other, bits) for other in range(4) if other != own}
    cut = chance.randrange(len(cases) + 1)
    parts = [tabulate(*columns(part)[:2], own=own) for part in (cases[:cut], cases[cut:]) if part]
    parts = [coarsen(part, bits) if chance.random() < 0.5 else part for part in parts]
    chance.shuffle(parts)
    table = parts[0] if len(parts) == 1 else merge(*parts)
    if chance.random() < 0.5:
        table = coarsen_classes(table, bits)
    table = coarsen(table, bits)
    for (other, area), pair in zip(wanted.items(), against_each(table, own, wanted), strict=True):
        assert auc_of(pair) == area or area is None, other
        exact = won([(s, of, 1) for s, of, _ in cases], own, other)
        assert exact is None or abs(area - exact) <= pair.bound * (1 + 1e-12)


@given(CASES, st.integers(0, 3))
def test_a_table_by_class_is_that_of_the_class_against_the_rest(cases, own):
    scores, classes, weight = columns(cases, weighted=True)
    for weights in (None, weight, (3 * weight).round().astype(np.int64)):
        plain, found = tabulate(scores, classes == own, weights), tabulate(scores, classes, weights, own)
        for left, right in zip(plain.columns, found.columns, strict=True):
            np.testing.assert_array_equal(left, right)


@given(CASES, st.integers(0, 3), st.sampled_from([1, 1 << 10]), st.sampled_from([None, 1, 3]))
def test_bins_by_class_are_those_of_a_coarsened_table(cases, own, most, parts):
    scores, classes, weight = columns(cases, weighted=parts is not None)
    weight = (3 * weight).round().astype(np.int64) if parts == 1 else weight  # so many cases each
    bins = Bins(16, most, own, 4)
    for start in range(0, len(cases), 7):
        rows = slice(start, start + 7)
        bins.add(scores[rows], classes[rows], None if weight is None else weight[rows])
    found, wanted = bins.table(), coarsen(tabulate(scores, classes, weight, own), 16)
    same(found, wanted)


@given(CASES, st.permutations(range(4)))
def test_classes_are_numbered_anew(cases, place):
    scores, classes, weight = columns(cases, weighted=True)
    place = np.array(place)
    for weights in (None, weight):
        found = coarsen_classes(tabulate(scores, classes, weights, own=1), 64, place)
        same(found, tabulate(scores, place[classes], weights, own=int(place[1])))


def test_few_values_by_class_are_counted_as_many_are():
    rng = np.random.default_rng(3)
    scores, classes = rng.integers(0, 50, 40_000) / 64, rng.integers(0, 5, 40_000).astype(np.int8)
    found = tabulate(scores, classes, own=2)
    wanted = Counter(zip(scores.tolist(), classes.tolist(), strict=True))
    named = zip(found.values[found.by_class.rows].tolist(), found.by_class.classes.tolist(), strict=True)
    assert dict(zip(named, found.by_class.counts.tolist(), strict=True)) == wanted


def test_tables_without_classes_have_none_when_added():
    scores, classes = np.array([0.1, 0.2]), np.array([0, 1])
    known, plain = tabulate(scores, classes, own=0), tabulate(scores, classes == 0)
    assert merge(known, plain).by_class is None
    assert isinstance(merge(known, known), ScoreTable)
    assert merge(known, known).by_class.counts.tolist() == [2, 2]


def same(found, wanted):
    for left, right in zip(found.columns, wanted.columns, strict=True):
        np.testing.assert_array_equal(left, right)
    for name in ("bits", "keys", "counts"):
        np.testing.assert_array_equal(getattr(found.by_class, name), getattr(wanted.by_class, name))
    assert len(found.by_class.rests) == len(wanted.by_class.rests)
    for left, right in zip(found.by_class.rests, wanted.by_class.rests, strict=True):
        np.testing.assert_array_equal(left, right)


def test_pairs_of_weighted_cases_are_those_of_the_cases_repeated():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(4)
    scores, classes, weight = rng.random(80).round(1), rng.integers(0, 3, 80), rng.integers(1, 5, 80)
    for weights in (weight, weight / 4):
        (pair,) = against_each(tabulate(scores, classes, weights, own=0), 0, [2])
        rows = np.repeat(np.flatnonzero(classes != 1), weight[classes != 1])
        assert auc_of(pair) == pytest.approx(roc_auc_score(classes[rows] == 0, scores[rows]), rel=1e-13)
