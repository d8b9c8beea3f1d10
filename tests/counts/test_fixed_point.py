"""Sums over cases: the same to the last bit for any order, split and tree of additions, and those of exact fractions."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge
from adjudge import Predictions
from adjudge.counts.confusion import WeightedCounts
from adjudge.counts.counting import tally
from adjudge.counts.fixed_point import CASES
from adjudge.counts.probabilities import MOST_CLASSES, SUMS, ProbabilityCounts
from adjudge.counts.scores import as_tables
from adjudge.counts.tally import merged

SCORES = st.sampled_from([0.0, 1.0, 0.5, 1e-300, 1e-9, 1 - 1e-9, 0.1, 1 / 3, 7 / 30, float(np.float32(0.1))]) | st.floats(0, 1)
WEIGHTS = st.sampled_from([1e-120, 1e-12, 0.1, 1.0, 1e12, 3.0]) | st.floats(1e-3, 1e3)
COUNTS = st.sampled_from([0, 1, 2, 10**6, 2**27, 10**12]) | st.integers(0, 50)


@st.composite
def blocks(draw, columns=(1, 3, 10), rows=24):
    """Return probabilities, true classes, and weights of one of three kinds or none."""
    k, n = draw(st.sampled_from(columns)), draw(st.integers(1, rows))
    p = np.array(draw(st.lists(SCORES, min_size=n * k, max_size=n * k))).reshape(n, k)
    kind_of_score = draw(st.sampled_from([np.float64, np.float32]))
    if k > 1:
        p[:, 0] += p.astype(kind_of_score).sum(axis=1) == 0  # some class has to be possible: 1e-300 is nothing as a float32
        total = p.sum(axis=1, keepdims=True)
        p = np.where(draw(st.booleans()), p / total, np.minimum(p, 1))
    truth = np.array(draw(st.lists(st.integers(0, max(k, 2) - 1), min_size=n, max_size=n)))
    kind = draw(st.sampled_from(["none", "weights", "counts"]))
    weight = None
    if kind != "none":
        weight = np.array(draw(st.lists(WEIGHTS if kind == "weights" else COUNTS, min_size=n, max_size=n)))
        weight = weight.astype(np.float64 if kind == "weights" else np.int64)
    return p.astype(kind_of_score), truth, weight


def summed(p, truth, weight, decided=None):
    counts = ProbabilityCounts()
    counts.add(p, truth, weight, decided)
    return counts


def same_sums(a, b):
    assert a.bits == b.bits
    for name in SUMS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def together(parts, chance):
    """Add up parts in a tree of any shape."""
    parts = list(parts)
    while len(parts) > 1:
        i = chance.randrange(len(parts) - 1)
        a, b = parts[i : i + 2]
        parts[i : i + 2] = [ProbabilityCounts(a.bits, **{name: getattr(a, name) + getattr(b, name) for name in SUMS})]
    return parts[0]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(blocks(), st.randoms(use_true_random=False), st.data())
def test_any_order_split_and_tree_give_the_same_integers(block, chance, data):
    p, truth, weight = block
    order = np.array(data.draw(st.permutations(range(len(p)))))
    cuts = sorted(data.draw(st.lists(st.integers(1, max(len(p) - 1, 1)), max_size=5)))
    parts = [rows for rows in np.split(order, cuts) if rows.size]
    for layout in (np.ascontiguousarray, np.asfortranarray):
        each = [summed(layout(p[rows]), truth[rows], None if weight is None else weight[rows]) for rows in parts]
        same_sums(together(each, chance), summed(p, truth, weight))
    grown = ProbabilityCounts()
    for rows in parts:
        grown.add(p[rows], truth[rows], None if weight is None else weight[rows])
    same_sums(grown, summed(p, truth, weight))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(blocks(columns=(1, 3)))
def test_counted_rows_give_the_integers_of_rows_written_out(block):
    p, truth, _ = block
    n = np.arange(len(p)) % 4
    rows = np.repeat(np.arange(len(p)), n)
    if rows.size:
        same_sums(summed(p, truth, n), summed(p[rows], truth[rows], None))


def test_large_counts_are_exact():
    """Of a thousand million million cases: n times the rounded term, as fractions."""
    p, n = np.array([0.1, 1e-9, 0.7, 1 / 3]), np.array([10**12, 2**50 + 1, 3, 2**27 - 1])
    found = summed(p[:, None], np.array([0, 1, 1, 0]), n)
    own = np.array([0.1, 1 - 1e-9, 1 - 0.7, 1 / 3])
    terms = ((1 - own) ** 2, -np.log(own), ((1 - own) ** 2) ** 2, np.log(own) ** 2)
    for at, (term, bits) in enumerate(zip(terms, (115, 105, 115, 95), strict=True)):
        grid = [Fraction(round(Fraction(x) * 2**bits), 2**bits) for x in term.tolist()]
        assert Fraction(int(found.class_sums[0, at]), 2**CASES) == sum(int(w) * x for w, x in zip(n, grid, strict=True))
    assert found.weight == float(n.sum())


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(blocks(columns=(1,), rows=40))
def test_sums_are_those_of_fractions(block):
    """Unweighted to the stated grid; weighted, exactly the sum of the products, each rounded once, and rounded once itself."""
    given_p, truth, weight = block
    p = given_p[:, 0].astype(np.float64)
    found = summed(given_p, truth, weight)
    own = np.where(truth == 0, p, 1 - p)
    log = -np.log(np.where(own > 0, own, 1.0))
    terms = ((1 - own) ** 2, log, ((1 - own) ** 2) ** 2, log**2)
    w = np.ones(p.size, dtype=np.int64) if weight is None else weight
    for at, (term, bits) in enumerate(zip(terms, (115, 105, 115, 95), strict=True)):
        value = found._floats("class_sums")[0, at]
        if w.dtype.kind == "f":
            assert value == math.fsum((w * term).tolist())
        else:
            exact = sum(int(n) * Fraction(x) for n, x in zip(w, term.tolist(), strict=True))
            assert abs(Fraction(int(found.class_sums[0, at]), 2**CASES) - exact) <= Fraction(int(w.sum()), 2 ** (bits + 1))
    called = found.by_class[0, 1].sum()
    assert called == pytest.approx(math.fsum((w * p).tolist()), rel=1e-14, abs=1e-18)
    assert found.impossible == (np.count_nonzero(own[w > 0] == 0) if w.dtype.kind == "f" else w[own == 0].sum())


@pytest.mark.slow
def test_slices_and_batches_are_joined_without_a_seam(monkeypatch):
    rng = np.random.default_rng(3)
    for k in (1, 3, 10, MOST_CLASSES + 1):
        n = 20_000 if k < 20 else 300
        p = rng.dirichlet(np.ones(max(k, 2)), n)[:, :k]
        truth, w = rng.integers(0, max(k, 2), n), rng.random(n)
        for weight in (None, w, rng.integers(0, 9, n)):
            whole, order = summed(p, truth, weight), rng.permutation(n)
            monkeypatch.setattr("adjudge.counts.probabilities.BATCH", 7_001)
            again = summed(p[order], truth[order], None if weight is None else weight[order])
            monkeypatch.undo()
            same_sums(whole, again)


def test_a_single_case_is_added_up_as_one_of_many():
    """numpy adds eight numbers and more of one row in pairs, and those of many rows one after the other."""
    rng = np.random.default_rng(4)
    p = rng.random((200, 13))
    truth = rng.integers(0, 13, 200)
    parts = [summed(p[i : i + 1], truth[i : i + 1], None) for i in range(200)]
    same_sums(together(parts, random.Random(1)), summed(p, truth, None))  # noqa: S311 - no secret


@pytest.mark.slow
def test_logarithms_do_not_depend_on_the_place_of_a_number():
    """The whole rests on it: a vector's tail may be worked out by other instructions than its body."""
    rng = np.random.default_rng(5)
    values = np.concatenate((rng.random(500), 10.0 ** rng.uniform(-300, 0, 500), 1 - 10.0 ** rng.uniform(-16, 0, 500)))
    alone = np.array([np.log(values[i : i + 1])[0] for i in range(values.size)])
    room = np.empty(values.size + 9)
    for first in range(9):
        for size in (1, 2, 3, 7, 8, 9, 31, 100):
            for start in range(0, values.size - size, 97):
                part = room[first : first + size]
                part[:] = values[start : start + size]
                np.testing.assert_array_equal(np.log(part, out=part), alone[start : start + size])


# -- tallies and answers -----------------------------------------------------------------------------------------


def table_of(k, n, seed, weight):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(max(k, 2)), n).round(3)
    p[:, -1] = 1 - p[:, :-1].sum(axis=1)
    p = np.clip(p, 0, 1)
    columns = {"truth": rng.integers(0, max(k, 2), n), "predicted": p.argmax(axis=1), "fold": rng.integers(0, 3, n)}
    columns |= {"score": p[:, 1]} if k == 1 else {f"p_{i}": p[:, i] for i in range(k)}
    return columns | ({"weight": 10.0 ** rng.uniform(-3, 3, n)} if weight else {})


def shuffled(columns, seed):
    order = np.random.default_rng(seed).permutation(len(columns["truth"]))
    return {name: values[order] for name, values in columns.items()}


@pytest.mark.slow
@pytest.mark.parametrize("weight", [False, True])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_an_evaluation_is_the_same_bytes_for_any_order(k, weight):
    columns = table_of(k, 400, k, weight)
    how = {"weight": "weight"} if weight else {}

    def told(given):
        answer = adjudge.evaluate(adjudge.count(given, fold="fold", **how)).to_dict()
        answer |= {
            "origin": {},
            "partition": None,
        }  # the one names the source, the other goes over a sample of cases in their order
        return json.dumps(answer)

    assert told(shuffled(columns, 1)) == told(columns)


@pytest.mark.slow
@pytest.mark.parametrize("weight", [False, True])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_parts_add_up_to_the_tally_of_all(k, weight, tmp_path):
    columns = table_of(k, 500, 10 + k, weight)
    how = {"fold": "fold"} | ({"weight": "weight"} if weight else {})
    whole = tally(adjudge.read(columns, **how))
    rng = np.random.default_rng(6)
    part = rng.integers(0, 4, 500)
    paths = []
    for i in rng.permutation(4):
        counts = adjudge.count({name: values[part == i] for name, values in columns.items()}, **how)
        paths.append(counts.save(tmp_path / f"{i}.counts"))
    for files in (paths, paths[::-1]):
        found = adjudge.load_counts(*files).tally
        nested = reduce(lambda a, b: merged([a, b]), [adjudge.load_counts(path).tally for path in files])
        for each in (found, nested):
            same_sums(each.probabilities, whole.probabilities)
            for one, other in (
                (each.confusion, whole.confusion),
                *zip(each.by_fold.values(), whole.by_fold.values(), strict=True),
            ):
                np.testing.assert_array_equal(one.cells, other.cells)
                if isinstance(other, WeightedCounts):
                    np.testing.assert_array_equal(one.squares, other.squares)
                    np.testing.assert_array_equal(np.array(one.rests), np.array(other.rests))
            for mine, theirs in zip(each.scores.tables, as_tables(whole.scores).tables, strict=True):
                for a, b in zip(mine.columns, theirs.columns, strict=True):
                    np.testing.assert_array_equal(a, b)


@pytest.mark.slow
def test_engines_and_files_give_the_same_bytes(tmp_path):
    import duckdb
    import polars as pl
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    columns = table_of(10, 3000, 7, weight=False) | {"id": np.arange(3000)}
    answers = set()
    for at, rows in enumerate((columns, shuffled(columns, 8))):
        table = pa.table(rows)
        pyarrow.parquet.write_table(table, tmp_path / f"{at}.parquet", row_group_size=700)
        pyarrow.csv.write_csv(table, tmp_path / f"{at}.csv")
        sources = [rows, table, pl.DataFrame(rows), pl.LazyFrame(rows), duckdb.from_arrow(table)]
        for source in (*sources, tmp_path / f"{at}.parquet", tmp_path / f"{at}.csv"):
            found = tally(adjudge.read(source, fold="fold", row="id"))
            told = [getattr(found.probabilities, name) for name in SUMS]
            answers.add(json.dumps([np.asarray(each).tolist() for each in told]))
    assert len(answers) == 1


def test_arrays_and_predictions_agree():
    columns = table_of(3, 200, 9, weight=True)
    p = np.column_stack([columns[f"p_{i}"] for i in range(3)])
    found = tally(Predictions(columns["truth"], columns["predicted"], scores=p, classes=[0, 1, 2], weight=columns["weight"]))
    how = {"fold": "fold", "weight": "weight"}
    same_sums(found.probabilities, tally(adjudge.read(columns, **how)).probabilities)
