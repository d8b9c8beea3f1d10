"""How often each score occurred, counted in an engine: exact while there are few rows, in bins beyond.

Bins are those of :func:`adjudge.stats.ranking.coarsen`, or cut finer: scores whose float64 agree in their first bits. No engine
gives out the bits of a number, but multiplying by a power of two is exact everywhere, so a score is brought between 1 and 16
by one such factor and its whole sixteen-thousandths tell the bin. The least and the greatest score of each bin come along: a
bin that holds one score only is exact.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from adjudge._base.arrays import AnyArray
from adjudge.counts.scores import BITS, DISTINCT
from adjudge.predictions.engines import arrays, collect
from adjudge.stats.ranking import EXACT_BITS, ScoreTable, coarsen

_OCTAVES = (128, 16, 4)  # by so many powers of two a score is brought closer to 1, step by step
_FINE = 2.0**14


def score_table(frame: nw.LazyFrame[Any], score: str, size: int, *, weighted: bool) -> ScoreTable:
    """Return the table of column `score` by the truth values in `hit`; `size` is how many scores there are over all columns."""
    frame = frame.select((nw.col(score) + 0.0).alias("score"), "hit", "weight")
    if size <= DISTINCT:
        frame, keys = frame.with_columns(nw.col("score").alias("cell")), ["cell"]
    else:
        frame, keys = _celled(frame)
    query = frame.group_by("hit", *keys).agg(
        nw.len().alias("n"), nw.col("weight").sum(), nw.col("score").min().alias("low"), nw.col("score").max().alias("high")
    )
    found = arrays(collect(query))
    return _table(found, [found[key] for key in keys], found["weight"] if weighted else found["n"].astype(np.int64))


def _celled(frame: nw.LazyFrame[Any]) -> tuple[nw.LazyFrame[Any], list[str]]:
    """Add the columns that tell bins apart."""
    frame = frame.with_columns(nw.col("score").abs().alias("size"), (nw.col("score") < 0).alias("below"))
    low, high = _exponents(frame)
    for step, octaves in enumerate(_OCTAVES):
        first, last = low // octaves, high // octaves
        frame = frame.with_columns(_level(octaves, first, last).alias(f"level{step}"))
        frame = _brought_closer(frame, octaves, first, last, f"level{step}")
        low, high = (low - first * octaves, high - first * octaves) if first == last else (0, octaves - 1)
    return frame.with_columns((nw.col("size") * _FINE).floor().alias("cell")), ["below", "level0", "level1", "level2", "cell"]


def _exponents(frame: nw.LazyFrame[Any]) -> tuple[int, int]:
    """Return the least and the greatest power of two among finite scores that are not zero."""
    finite = frame.filter((nw.col("size") > 0) & nw.col("size").is_finite())
    found = arrays(collect(finite.select(nw.col("size").min().alias("low"), nw.col("size").max().alias("high"))))
    ends = np.array([found["low"][0], found["high"][0]])
    if np.isnan(ends).any():
        return 0, 0
    low, high = (np.frexp(ends)[1] - 1).tolist()
    return low, high


def _level(octaves: int, first: int, last: int) -> nw.Expr:
    """Return how many times `octaves` powers of two a size is from 1, downwards."""
    steps = range(first + 1, last + 1)
    return reduce(
        lambda other, i: nw.when(nw.col("size") >= 2.0 ** (i * octaves)).then(nw.lit(i)).otherwise(other), steps, nw.lit(first)
    )


def _brought_closer(frame: nw.LazyFrame[Any], octaves: int, first: int, last: int, level: str) -> nw.LazyFrame[Any]:
    """Divide each size by the power of two of its level, in two halves: the whole may be beyond a float."""
    steps = range(first + 1, last + 1)
    half = reduce(
        lambda other, i: nw.when(nw.col(level) == i).then(nw.lit(2.0 ** (-i * octaves // 2))).otherwise(other),
        steps,
        nw.lit(2.0 ** (-first * octaves // 2)),
    )
    frame = frame.with_columns(half.alias("half"))
    return frame.with_columns((nw.col("size") * nw.col("half") * nw.col("half")).alias("size"))


def _table(found: dict[str, AnyArray], keys: list[AnyArray], count: AnyArray) -> ScoreTable:
    """Put the two kinds of cases of each bin side by side, bins in the order of their scores."""
    _, place = np.unique(np.column_stack(keys), axis=0, return_inverse=True)
    size = int(place.max()) + 1
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, place, found["low"])
    np.maximum.at(high, place, found["high"])
    positives, negatives = (_added(place, count, found["hit"] == own, size) for own in (True, False))
    order, mixed = np.argsort(high), low != high
    table = ScoreTable(high[order] + 0.0, positives[order], negatives[order], EXACT_BITS, mixed[order] if mixed.any() else None)
    return coarsen(table, BITS) if mixed.any() or size > DISTINCT else table


def _added(place: AnyArray, count: AnyArray, rows: AnyArray, size: int) -> AnyArray:
    total = np.zeros(size, dtype=count.dtype)
    np.add.at(total, place[rows], count[rows])
    return total
