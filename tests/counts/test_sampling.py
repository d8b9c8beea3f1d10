"""Some of many cases: the same however they arrive, every class among them, weighted back to all of them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import adjudge
from adjudge.counts import scores
from adjudge.counts.counting import tally
from adjudge.counts.sampling import (
    MOST_CASES,
    MOST_COLUMNS,
    Drawing,
    SampledCases,
    alike,
    by_appearance,
    cluster_numbers,
    drawn_for,
    fewer,
    quotas,
    regrouped,
    small,
)
from adjudge.judgements.eligibility import drawn_cases


def mixed(row):
    """Mix a row's number by the published steps, in whole numbers of any size."""
    most = (1 << 64) - 1
    z = (row + 1) * 0x9E3779B97F4A7C15 & most
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & most
    z = (z ^ z >> 27) * 0x94D049BB133111EB & most
    return z ^ z >> 31


@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=50))
def test_numbers_are_those_of_the_paper(rows):
    assert drawn_for(np.array(rows, dtype=np.int64)).tolist() == [mixed(row) for row in rows]


def cases(start, stop, truth=None):
    rows = np.arange(start, stop)
    truth = rows % 3 if truth is None else truth
    return SampledCases(rows, rows[:, None] / 7, truth, np.bincount(truth, minlength=3), None, rows % 2)


@pytest.mark.slow
@given(st.lists(st.integers(0, 300), min_size=1, max_size=30).filter(any), st.integers(1, 500))
def test_quotas_are_the_largest_equal_number_that_fits(sizes, most):
    """By trying every number in turn."""
    sizes = np.array(sizes)
    level = max((q for q in range(1, 301) if np.minimum(sizes, q).sum() <= most), default=1)
    assert quotas(sizes, most).tolist() == np.minimum(sizes, level).tolist()


def test_rare_classes_are_kept_whole():
    assert quotas(np.array([40_000, 239, 0])).tolist() == [3761, 239, 0]


@given(st.lists(st.integers(0, 300), min_size=1, max_size=8).filter(any), st.integers(1, 100), st.integers(0, 99))
def test_every_class_is_there_and_its_weights_sum_to_its_size(sizes, most, seed):
    truth = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    some = fewer(cases(0, truth.size, truth), most)
    assert (some.sizes.tolist() + [0] * len(sizes))[: len(sizes)] == sizes
    assert set(some.truth.tolist()) == {i for i, n in enumerate(sizes) if n}
    np.testing.assert_allclose(np.bincount(some.truth, some.weight, len(some.sizes)), some.sizes, rtol=1e-14)
    assert some.rows.size <= max(most, np.count_nonzero(sizes))


@pytest.mark.slow
@given(st.lists(st.integers(1, 400), min_size=1, max_size=12), st.integers(1, 60), st.floats(0, 1), st.integers(0, 99))
def test_blocks_of_any_size_give_the_same_cases(sizes, most, rare, seed):
    edges = np.concatenate(([0], np.cumsum(sizes)))
    truth = (np.random.default_rng(seed).random(edges[-1]) < rare).astype(int)
    kept = None
    for start, stop in pairwise(edges):
        some = fewer(cases(start, stop, truth[start:stop]), most)
        kept = some if kept is None else fewer(kept.joined(some), most)
    whole = fewer(cases(0, edges[-1], truth), most)
    assert kept.rows.tolist() == whole.rows.tolist() == sorted(whole.rows.tolist())
    assert kept.sizes.tolist() == whole.sizes.tolist()
    np.testing.assert_array_equal(kept.scores[:, 0], kept.rows / 7)
    np.testing.assert_array_equal(kept.decided, kept.rows % 2)


@pytest.mark.parametrize("step", [1, 700, 5_000, 40_000])
@pytest.mark.parametrize("late", [False, True])
def test_cases_that_stream_by_leave_those_that_would_be_kept_of_all(step, late):
    """Classes may come late, and rare ones now and then."""
    n = 40_000
    truth = np.where(np.arange(n) % 160 == 7, 1, 0) + (np.arange(n) > n - 900) * 2 * late
    whole, drawing = cases(0, n, truth.astype(np.int8)), Drawing()
    for start in range(0, n, step) if step > 1 else (0, 1, 2, n - 1):
        part = slice(start, start + step if step > 1 else {0: 1, 1: 2, 2: n - 1}.get(start))
        drawing.add(whole.scores[part], whole.truth[part], None, whole.decided[part])
    wanted = fewer(whole)
    for name in ("rows", "scores", "truth", "decided"):
        np.testing.assert_array_equal(getattr(drawing.kept, name), getattr(wanted, name))
    assert drawing.kept.sizes.tolist()[:2] == wanted.sizes.tolist()[:2]
    assert drawing.kept.kept[1] == np.count_nonzero(truth == 1)  # all of the rare one


@pytest.mark.parametrize("late", ["nothing", "classes", "most of a class"])
def test_parts_drawn_by_one_worker_one_after_the_other_leave_what_one_drawing_does(late):
    """A part begins with what those before it know; parts of any length, some of which keep no case at all."""
    n = 520_000
    rng = np.random.default_rng(8)
    truth = np.where(rng.random(n) < 0.002, 1, 2 * (rng.random(n) < 0.4)).astype(np.int8)
    if late == "classes":
        truth[: n // 2] = 0
    if late == "most of a class":  # of which few are met in a part before another class fills the room
        truth[:] = np.repeat([0, 2, 0], [70_004, 140_000, n - 210_004])
    scores, decided = rng.random((n, 1)), truth[::-1].copy()
    whole, total, worker = Drawing(), Drawing(), None
    whole.add(scores, truth, None, decided)
    cuts, empty = [0, 3, 70_000, 70_001, 500_000, 500_040, n - 1, n], 0
    for start, stop in pairwise(cuts):
        worker = Drawing(start, worker)
        worker.add(scores[start:stop], truth[start:stop], None, decided[start:stop])
        assert worker.kept.sizes.sum() == stop - start
        empty += worker.kept.rows.size == 0
        total.include(worker.kept)
    assert empty
    one, several = whole.kept, total.kept
    assert several.sizes.tolist() == one.sizes.tolist()
    for name in ("rows", "scores", "truth", "decided"):
        np.testing.assert_array_equal(getattr(several, name), getattr(one, name))


@pytest.mark.slow
def test_every_row_is_as_likely():
    chosen = np.concatenate([fewer(cases(i * 1000, (i + 1) * 1000), 100).rows % 1000 for i in range(400)])
    found = np.bincount(chosen // 50, minlength=20)
    assert stats.chisquare(found).pvalue > 1e-3


@pytest.mark.slow
def test_weighted_means_are_those_of_all_cases():
    """Over many files: no bias, and the spread of a stratified sample. Cochran (1977), Sampling Techniques, eq. 5.6."""
    off, spread = [], 0.0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        truth = (rng.random(3000) < 0.03).astype(int)
        value = rng.gamma(1.0, 1.0 + 4 * truth)
        some = fewer(cases(seed * 3000, (seed + 1) * 3000, truth), 400)
        at = some.rows - seed * 3000
        off.append(np.average(value[at], weights=some.weight) - value.mean())
        shares, kept, all_of = some.sizes / some.sizes.sum(), some.kept, some.sizes
        within = [value[truth == c].var(ddof=1) if all_of[c] > 1 else 0.0 for c in range(3)]
        spread += sum(w**2 * s / max(m, 1) * (1 - m / max(n, 1)) for w, s, m, n in zip(shares, within, kept, all_of, strict=True))
    assert abs(np.mean(off)) < 4 * np.sqrt(spread) / 300
    assert np.var(off) * 300 / spread == pytest.approx(1, abs=5 * np.sqrt(2 / 300))


@given(st.lists(st.integers(1, 2000), min_size=2, max_size=5))
def test_cases_that_count_alike_are_as_frequent_as_all(sizes):
    truth = np.repeat(np.arange(len(sizes)), sizes)
    some = fewer(cases(0, truth.size, truth), 300)
    thin = some[alike(some)]
    shares = np.array(sizes) / sum(sizes)
    assert np.all(np.abs(thin.kept[: len(sizes)] - shares * (sum(sizes) / some.weight.max())) <= 1)
    assert thin.kept[: len(sizes)].min() >= 1


def test_nothing_is_kept_of_more_classes_than_anything_is_drawn_of():
    drawing = Drawing()
    drawing.add(np.zeros((3, MOST_COLUMNS + 1)), np.array([0, 1, 2]), None, None)
    assert drawing.kept is None


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(3)
    p = rng.dirichlet((1, 1, 1), 3 * MOST_CASES)
    y = np.array([rng.choice(3, p=row) for row in p])
    lines = [f"{t},{','.join(f'{v:.6f}' for v in row)},{i % 5}" for i, (t, row) in enumerate(zip(y, p, strict=True))]
    path = tmp_path / "many.csv"
    path.write_text("\n".join(["truth,p_0,p_1,p_2,site", *lines]), encoding="utf-8")
    return path


@pytest.mark.slow
def test_rows_that_stream_by_leave_the_same_cases(file, monkeypatch):
    """A page of rows too many to keep holds what one of fewer rows does."""
    whole = drawn_cases(tally(adjudge.read(file, group="site")))
    monkeypatch.setattr(scores, "EXACT", 10_000)
    monkeypatch.setattr("adjudge.counts.counting.EXACT", 10_000)
    counted = tally(adjudge.read(file, group="site"))
    assert counted.scores.scores is None
    streamed = drawn_cases(counted)
    assert whole.of == streamed.of == 3 * MOST_CASES
    for name in ("p", "y", "group", "weight"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(streamed, name))


def test_numbers_of_classes_take_few_bytes():
    assert small(np.array([0, 127])).dtype == np.int8
    assert small(np.array([0, 128])).dtype == np.int32


def test_cases_move_to_the_places_of_their_classes():
    cases = SampledCases(np.arange(3), np.zeros((3, 1)), np.array([0, 2, 0]), np.array([5, 0, 3]), decided=np.array([2, -1, 0]))
    moved = cases.moved(np.array([2, -1, 0]), 3)
    np.testing.assert_array_equal(moved.sizes, [3, 0, 5])
    np.testing.assert_array_equal(moved.truth, [2, 0, 2])
    np.testing.assert_array_equal(moved.decided, [0, -1, 2])


def test_numbers_of_clusters_are_no_groups_and_stay_what_they_are():
    keys = np.array([0, -(2**62), 2**62, 7, 7, np.iinfo(np.int64).min])
    numbers = cluster_numbers(keys)
    assert numbers.max() < -1
    assert numbers[3] == numbers[4] != numbers[0]
    assert small(numbers).dtype == np.int32
    assert regrouped(np.array([1, 0]), numbers) is numbers
    assert regrouped(np.array([1, 0]), np.array([0, 1, 1])).tolist() == [1, 0, 0]
    assert regrouped(np.array([1, 0]), None) is None
    assert by_appearance(np.array([5, -3, 5, 9, -3])).tolist() == [0, 1, 0, 2, 1]
