"""Clusters in a file of counts: numbers in place of names, unless these are asked for, and sums; checked when read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.counts.clusters import BINS, LOSSES, MOST, ClusterCounts, of_part
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.scores import ScoreCounts
from adjudge.counts.stored_values import (
    SLACK,
    Arrays,
    PackedArrays,
    must,
    read_amounts,
    read_typed,
    read_whole,
)
from adjudge.predictions.labels import text_of
from adjudge.stats.window_sums import WIDTH, WindowSums

_WITHIN = ("key", "part", "truth", "predicted", "n")
_SUMS = ("n", "losses", "scored_n")
_MOST_WINDOWS = 80  # more than floats have places, and sums of them
_HALF = 1 << 63  # of the numbers of clusters
_OUTSIDE = 40  # the farthest of these places from 1


def put_clusters(arrays: Arrays, clusters: ClusterCounts | None, *, names: bool) -> dict[str, Any] | None:
    """Put clusters by their numbers; their names only where that is asked for."""
    if clusters is None:
        return None
    columns = {name: getattr(clusters, name) for name in ("keys", "at", "truth", "predicted", "rows")}
    columns |= {f"scored{i}": column for i, column in enumerate(clusters.scored)}
    if clusters.known is not None:
        columns |= dict(zip(("known", "known_rows"), clusters.known, strict=True))
    lows = {}
    for name in _SUMS:
        sums, floats = clusters.exact.get(name), getattr(clusters, name)
        if sums is not None:
            columns[name], lows[name] = sums.parts, sums.low
        elif floats is not None and floats.size:
            columns[name] = floats.ravel().astype(np.int64)
    arrays |= {f"clusters.{name}": _small(values) for name, values in columns.items()}
    told = [[key, text_of(name)] for key, name in sorted(clusters.names.items())] if names else []
    return {"together": clusters.together, "lows": lows, "names": told}


def put_within(arrays: Arrays, what: str, tables: Sequence[ConfusionCounts]) -> bool:
    """Put the clusters of each fold or group by their numbers; return whether each has some."""
    each = [table.clusters for table in tables if table.clusters is not None]
    if not each or len(each) < len(tables):
        return False
    n = np.concatenate([part.n for part in each])
    columns = {name: np.concatenate([getattr(part, name) for part in each]) for name in ("truth", "predicted")}
    columns["key"] = np.concatenate([part.keys[part.at] for part in each])
    columns["part"] = np.repeat(np.arange(len(each)), [part.at.size for part in each])
    columns["n"] = n.astype(np.int64) if np.array_equal(n, np.rint(n)) else n
    arrays |= {
        f"{what}.clusters.{name}": values if values.dtype.kind == "f" else _small(values) for name, values in columns.items()
    }
    return True


def read_within(arrays: PackedArrays, what: str, tables: Sequence[ConfusionCounts], rows: int) -> list[ClusterCounts]:
    """Return the clusters of each fold or group, which add up to its table."""
    columns = {name: arrays.at_most(f"{what}.clusters.{name}", rows) for name in _WITHIN}
    size, k = columns["key"].size, tables[0].k
    shaped = all(values.shape == (size,) and (values.dtype.kind == "i" or name == "n") for name, values in columns.items())
    must(shaped, "the clusters of its folds or groups have the wrong shape")
    key, part, truth, predicted = (columns[name].astype(np.int64) for name in _WITHIN[:-1])
    sound = bool(np.all((truth >= 0) & (truth < k) & (predicted >= -1) & (predicted < k)) and np.all(np.diff(part) >= 0))
    must(sound, "the clusters of its folds or groups are of no such class")
    n = read_amounts(columns["n"], (size,), "a sum of its clusters").astype(np.float64)
    ends, each = np.searchsorted(part, np.arange(len(tables) + 1)), []
    must(size > 0 and ends[0] == 0 and ends[-1] == size, "its clusters are of other folds or groups")
    for table, start, stop in zip(tables, ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        own = slice(start, stop)
        _fits(table, truth[own], predicted[own], n[own])
        each.append(of_part(key[own].view(np.uint64), truth[own], predicted[own], n[own]))
    return each


def _small(values: AnyArray) -> AnyArray:
    """Return whole numbers in as few bytes as hold them."""
    for kind in (np.int8, np.int16, np.int32):
        if values.size == 0 or (values.min() >= np.iinfo(kind).min and values.max() <= np.iinfo(kind).max):
            return values.astype(kind)
    return values


def read_clusters(arrays: PackedArrays, header: Any, table: ConfusionCounts, scores: ScoreCounts | None, rows: int) -> Any:
    """Return the clusters of a file, which add up to the table of its cases."""
    if header is None:
        return None
    together = read_typed(bool, header["together"], "whether clusters are put together")
    keys = _column(arrays, "keys", None)
    many = keys.size
    must(0 < many <= MOST and bool(np.all(np.diff(keys.astype(object)) > 0)), "its clusters do not ascend")
    must(not together or bool(keys[0] >= 0 and keys[-1] < MOST), "its clusters have no such numbers")
    at = _column(arrays, "at", None, most=many)
    truth, predicted = (_column(arrays, name, at.size, least=-1, most=table.k) for name in ("truth", "predicted"))
    must(bool(np.all(truth >= 0)) and (table.has_rejected or bool(np.all(predicted >= 0))), "a cluster is of no such class")
    must(_ascend(at, truth, predicted), "the cases of its clusters do not ascend")
    own_rows = _column(arrays, "rows", many, least=1)
    must(sum(own_rows.tolist()) == rows, "its clusters have not as many rows as there are")
    n, exact = _read_sums(arrays, header["lows"], "n", at.size)
    sums = {} if exact is None else {"n": exact}
    _fits(table, truth, predicted, n)
    losses: FloatArray | None = None
    if "clusters.losses" in arrays:
        flat, exact = _read_sums(arrays, header["lows"], "losses", many * LOSSES)
        losses, sums = flat.reshape(-1, LOSSES), sums | ({} if exact is None else {"losses": exact})
    scored: tuple[AnyArray, ...] = ()
    scored_n = np.zeros(0)
    if "clusters.scored_n" in arrays:
        must(scores is not None, "its clusters have scores, its cases none")
        place = _column(arrays, "scored0", None, most=many)
        tops = (table.k, 2, BINS)
        scored = (place, *(_column(arrays, f"scored{i}", place.size, most=top) for i, top in enumerate(tops, 1)))
        must(_ascend(*scored), "the scores of its clusters do not ascend")
        scored_n, exact = _read_sums(arrays, header["lows"], "scored_n", place.size)
        sums |= {} if exact is None else {"scored_n": exact}
        _fit_scores(table, scores, scored, scored_n)
    names = _names(header["names"], keys)
    known = _known(arrays, rows) if together else None
    return ClusterCounts(keys, at, truth, predicted, n, own_rows, losses, scored, scored_n, names, together, known, sums)


def _column(arrays: PackedArrays, name: str, size: int | None, *, least: int | None = None, most: int | None = None) -> IntArray:
    """Return whole numbers from `least`, by itself 0 where there is a `most`, up to below that."""
    values = arrays.at_most(f"clusters.{name}", size)
    must(values.ndim == 1 and values.dtype.kind == "i" and size in (None, values.size), "its clusters have the wrong shape")
    low = 0 if least is None and most is not None else least
    sound = values.size == 0 or ((low is None or values.min() >= low) and (most is None or values.max() < most))
    must(bool(sound), f"the {name} of its clusters is out of range")
    return values.astype(np.int64)


def _ascend(*columns: AnyArray) -> bool:
    """Return whether rows ascend, each occurring once."""
    order = np.lexsort(columns[::-1])
    differ = np.any([np.diff(column) != 0 for column in columns], axis=0)
    return bool(np.all(np.diff(order) > 0) and np.all(differ))


def _read_sums(arrays: PackedArrays, lows: Any, name: str, size: int) -> tuple[FloatArray, WindowSums | None]:
    """Return sums of at least 0 as floats, and to their last bit where the file has these."""
    values = arrays[f"clusters.{name}"]
    if name not in lows:
        must(values.dtype.kind == "i", "sums of its clusters are no whole numbers")
        return read_amounts(values, (size,), "a sum of its clusters").astype(np.float64), None
    low = read_whole(lows[name], "the place of a sum", least=-_OUTSIDE)
    sound = values.dtype.kind == "i" and values.ndim == 2 and len(values) == size and values.shape[1] <= _MOST_WINDOWS  # noqa: PLR2004
    must(sound and low <= _OUTSIDE and values.shape[1] > 0, "sums of its clusters have the wrong shape")
    must(bool(np.all((values >= 0) & (values < 1 << WIDTH))), "a sum of its clusters is out of range")
    sums = WindowSums(values.astype(np.int64), low)
    return read_amounts(sums.floats, (size,), "a sum of its clusters"), sums


def _fits(table: ConfusionCounts, truth: IntArray, predicted: IntArray, n: FloatArray) -> None:
    """Refuse clusters that do not add up to the table."""
    said = np.where(predicted < 0, table.k, predicted)
    cells, where = np.unique(truth * (table.k + 1) + said, return_inverse=True)
    sums = np.bincount(where, n, cells.size)
    rows, columns = table.cells.nonzero()
    own = table.cells[rows, columns] if isinstance(table.cells, np.ndarray) else table.cells.tocsr()[rows, columns]
    codes, order = rows.astype(np.int64) * (table.k + 1) + columns, np.argsort(rows.astype(np.int64) * (table.k + 1) + columns)
    some = sums > 0  # cases may have no weight
    same = np.array_equal(cells[some], codes[order]) and np.allclose(sums[some], np.ravel(own)[order], rtol=SLACK, atol=0)
    must(same, "its clusters do not add up to its cases")


def _fit_scores(table: ConfusionCounts, scores: ScoreCounts | None, scored: tuple[AnyArray, ...], n: FloatArray) -> None:
    """Refuse scores of clusters that are not those of the cases."""
    _, column, own, _ = scored
    known = () if scores is None else scores.columns
    must(set(np.unique(column).tolist()) == set(known), "the scores of its clusters are of other classes")
    total = np.bincount(column, n, table.k)
    mine = np.bincount(column, n * own, table.k)
    for at in known:
        same = np.allclose([total[at], mine[at]], [float(table.n), float(table.support[at])], rtol=SLACK, atol=0)
        must(same, "the scores of its clusters are not those of its cases")


def _names(told: Any, keys: IntArray) -> dict[int, Any]:
    """Return the names of clusters by their numbers."""
    names = {
        read_whole(key, "the number of a cluster", least=-_HALF, most=_HALF): read_typed(str, name, "a name")
        for key, name in told
    }
    must(names.keys() <= set(keys.tolist()) and len(names) == len(told), "it names clusters that it does not have")
    return names


def _known(arrays: PackedArrays, rows: int) -> tuple[IntArray, IntArray]:
    """Return the least numbers of clusters that are put together, and the rows of these."""
    known = _column(arrays, "known", None)
    must(known.size == MOST and bool(np.all(np.diff(known.view(np.uint64).astype(object)) > 0)), "its clusters do not ascend")
    of_each = _column(arrays, "known_rows", known.size, least=1)
    must(sum(of_each.tolist()) <= rows, "its clusters have more rows than there are")
    return known, of_each
