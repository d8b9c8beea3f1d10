"""A few of many cases: the same however they arrive, every one as likely as any other."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import adjudge
from adjudge.counts import scores
from adjudge.counts.counting import tally
from adjudge.counts.sampling import MOST_CASES, Drawing, SampledCases, drawn_for, fewer
from adjudge.judgements.drawn import drawn_cases


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


def cases(start, stop):
    rows = np.arange(start, stop)
    return SampledCases(rows, rows[:, None] / 7, rows % 3, None, rows % 2)


@given(st.lists(st.integers(1, 400), min_size=1, max_size=12), st.integers(1, 60))
def test_blocks_of_any_size_give_the_same_cases(sizes, most):
    edges = np.concatenate(([0], np.cumsum(sizes)))
    kept = None
    for start, stop in pairwise(edges):
        some = fewer(cases(start, stop), most)
        kept = some if kept is None else fewer(kept.joined(some), most)
    whole = fewer(cases(0, edges[-1]), most)
    assert kept.rows.tolist() == whole.rows.tolist() == sorted(whole.rows.tolist())
    np.testing.assert_array_equal(kept.scores[:, 0], kept.rows / 7)
    np.testing.assert_array_equal(kept.decided, kept.rows % 2)


@pytest.mark.parametrize("step", [1, 700, 5_000, 30_000])
def test_cases_that_stream_by_leave_those_that_would_be_kept_of_all(step):
    whole, drawing = cases(0, 30_000), Drawing()
    for start in range(0, 30_000, step) if step > 1 else (0, 1, 2, 29_999):
        part = slice(start, start + step if step > 1 else {0: 1, 1: 2, 2: 29_999}.get(start))
        drawing.add(whole.scores[part], whole.truth[part], None, whole.decided[part])
    wanted = fewer(whole)
    np.testing.assert_array_equal(drawing.kept.rows, wanted.rows)
    np.testing.assert_array_equal(drawing.kept.scores, wanted.scores)
    np.testing.assert_array_equal(drawing.kept.decided, wanted.decided)


def test_every_row_is_as_likely():
    picked = np.concatenate([fewer(cases(i * 1000, (i + 1) * 1000), 100).rows % 1000 for i in range(400)])
    found = np.bincount(picked // 50, minlength=20)
    assert stats.chisquare(found).pvalue > 1e-3


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(3)
    p = rng.dirichlet((1, 1, 1), 3 * MOST_CASES)
    y = np.array([rng.choice(3, p=row) for row in p])
    lines = [f"{t},{','.join(f'{v:.6f}' for v in row)},{i % 5}" for i, (t, row) in enumerate(zip(y, p, strict=True))]
    path = tmp_path / "many.csv"
    path.write_text("\n".join(["truth,p_0,p_1,p_2,site", *lines]), encoding="utf-8")
    return path


def test_rows_that_stream_by_leave_the_same_cases(file, monkeypatch):
    """A page of rows too many to keep holds what one of fewer rows does."""
    whole = drawn_cases(tally(adjudge.read(file, group="site")))
    monkeypatch.setattr(scores, "EXACT", 10_000)
    monkeypatch.setattr("adjudge.counts.counting.EXACT", 10_000)
    counted = tally(adjudge.read(file, group="site"))
    assert counted.scores.scores is None
    streamed = drawn_cases(counted)
    assert whole.of == streamed.of == 3 * MOST_CASES
    for name in ("p", "y", "group"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(streamed, name))
