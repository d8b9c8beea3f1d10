"""Scores and sums of probabilities in a file of counts: arrays of all columns one after the other, and checked when read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.counts.fixed_point import CASES
from adjudge.counts.packing import pack_ascending, unpack_ascending, unpack_whole
from adjudge.counts.probabilities import BINS, MOST_PLACES, SUMS, TERMS, ProbabilityCounts
from adjudge.counts.scores import ScoreCounts, ranks_pairs
from adjudge.counts.stored_values import ROUNDING, SLACK, Arrays, PackedArrays, must, read_amounts, read_typed, read_whole
from adjudge.stats import exact_sums
from adjudge.stats.class_counts import CLASS_BITS, ClassCounts
from adjudge.stats.ranking import EXACT_BITS, ScoreTable, coarsen

_SMALL = 1 << 15  # counts below are written in two bytes


def put_scores(arrays: Arrays, scores: ScoreCounts) -> dict[str, Any]:
    """Put the tables of all columns one after the other: a thousand small arrays would be larger than what they hold."""
    digits, packed = pack_ascending([table.values for table in scores.tables])
    arrays |= {f"scores.{name}": values for name, values in packed.items()}
    for name in ("positives", "negatives"):
        arrays[f"scores.{name}"] = _small(np.concatenate([getattr(table, name) for table in scores.tables]))
    whole = [np.zeros(table.values.size, dtype=np.bool_) if table.mixed is None else table.mixed for table in scores.tables]
    arrays["scores.mixed"] = np.concatenate(whole)
    rests = [(i, *parts) for i, table in enumerate(scores.tables) for parts in table.rests]
    for at, (_, ours, theirs) in enumerate(rests):
        arrays |= {f"scores.rest{at}.p": ours, f"scores.rest{at}.n": theirs}
    told = {"columns": list(scores.columns), "k": scores.k, "bits": [table.bits for table in scores.tables]}
    by_class = [table.by_class for table in scores.tables if table.by_class is not None]
    return told | {"digits": digits, "rests": [i for i, *_ in rests], "by_class": _put_by_class(arrays, by_class)}


def _small(counts: AnyArray) -> AnyArray:
    return counts.astype(np.int16) if counts.dtype.kind == "i" and counts.max(initial=0) < _SMALL else counts


def _put_by_class(arrays: Arrays, each: Sequence[ClassCounts]) -> list[list[int]]:
    """Put counts by class of all columns: how many classes each row has, these and their counts; tell how each is cut."""
    if each:
        arrays["classes.times"] = np.concatenate([np.bincount(counts.rows) for counts in each]).astype(np.int8)
        arrays["classes.numbers"] = np.concatenate([counts.classes for counts in each]).astype(np.int8)
        arrays["classes.counts"] = _small(np.concatenate([counts.counts for counts in each]))
    rests = [rest for counts in each for rest in counts.rests]
    arrays |= {f"classes.rest{at}": rest for at, rest in enumerate(rests)}
    return [[counts.bits, counts.keys.size, len(counts.rests)] for counts in each]


def read_scores(arrays: PackedArrays, header: Any, table: ConfusionCounts) -> ScoreCounts | None:
    """Return the tables of scores of a file."""
    if header is None:
        return None
    columns = tuple(read_whole(at, "a column of scores") for at in header["columns"])
    must(bool(columns) and header["k"] == table.k and columns == tuple(sorted({*columns})), "its scores are not of its classes")
    must(max(columns) < max(table.k, 2) and len(columns) == len(header["bits"]), "its scores are not of its classes")
    digits = read_whole(header["digits"], "how scores are written", least=-2)
    values = unpack_ascending(digits, *(arrays[f"scores.{name}"] for name in ("first", "steps", "sizes")))
    must(len(values) == len(columns), "its scores are not of its classes")
    size = sum(each.size for each in values)
    parts = [arrays.at_most(f"scores.{name}", size) for name in ("positives", "negatives", "mixed")]
    must(all(part.shape == (size,) for part in parts) and parts[2].dtype.kind == "b", "its bins are not those of its scores")
    ends = np.cumsum([each.size for each in values])[:-1]
    each_part = (np.split(part, ends) for part in parts)
    tables = [_read_scored(*each) for each in zip(values, *each_part, header["bits"], strict=True)]
    for at, i in enumerate(read_typed(list, header["rests"], "what rounding left")):
        own = tables[read_whole(i, "what rounding left")]
        both = tuple(arrays[f"scores.rest{at}.{name}"] for name in "pn")
        for each, of in zip(both, (own.positives, own.negatives), strict=True):
            sound = each.shape == of.shape and each.dtype == of.dtype == np.float64
            must(sound and bool(np.all(np.abs(each) <= of * ROUNDING)), "what rounding left is more than that")
        tables[i] = replace(own, rests=(*own.rests, (both[0], both[1])))
    weighted = isinstance(table, WeightedCounts)
    must(all((each.positives.dtype.kind == "f") == weighted for each in tables), "its scores are not weighted as its cases are")
    totals = [float(each.positives.sum() + each.negatives.sum()) for each in tables]
    must(all(math.isclose(total, table.n, rel_tol=SLACK) for total in totals), "its scores are not those of its cases")
    return ScoreCounts(columns, table.k, tables=tuple(_read_by_class(arrays, header["by_class"], tables)))


def _read_scored(values: AnyArray, positives: AnyArray, negatives: AnyArray, mixed: AnyArray, bits: int) -> ScoreTable:
    must(not np.isnan(values).any(), "its scores are no numbers")
    must(bool(np.all(values[1:] > values[:-1])), "its scores do not ascend")
    must(positives.dtype.kind == negatives.dtype.kind, "its scores are counted in two ways")
    positives, negatives = (read_amounts(each, values.shape, "a table of scores") for each in (positives, negatives))
    must(read_whole(bits, "the fineness of scores", least=1) <= EXACT_BITS, "scores have no such bits")
    return ScoreTable(values, positives, negatives, bits, mixed if mixed.any() else None)


def _read_by_class(arrays: PackedArrays, told: Any, tables: list[ScoreTable]) -> list[ScoreTable]:
    """Return the tables with their counts by class, which add up to those of the own class and of all others."""
    must(len(told) == (len(tables) if ranks_pairs(len(tables)) else 0), "its scores are not counted by class as others are")
    if not told:
        return tables
    times, numbers, counts = (arrays[f"classes.{name}"] for name in ("times", "numbers", "counts"))
    counts, rest, row, at = read_amounts(counts, numbers.shape, "a table of classes"), 0, 0, 0
    must(numbers.dtype == times.dtype == np.int8 and times.ndim == numbers.ndim == 1, "its classes are not written as they are")
    must(bool(np.all(times > 0) and np.all(numbers >= 0) and np.all(numbers <= len(tables))), "it has no such classes")
    for own, (bits, size, rests) in enumerate(told):
        must(read_whole(bits, "the fineness of classes", least=1) <= tables[own].bits, "classes have no such bits")
        coarse = coarsen(tables[own], bits)
        here, rows = slice(at, at + read_whole(size, "how many counts there are")), times[row : row + coarse.values.size]
        must(
            rows.size == coarse.values.size and int(rows.sum()) == numbers[here].size == size,
            "its classes are not those of its scores",
        )
        keys = np.repeat(np.arange(rows.size), rows) << CLASS_BITS | numbers[here]
        must(bool(np.all(np.diff(keys) > 0)), "its classes do not ascend")
        left = tuple(arrays[f"classes.rest{i}"] for i in range(rest, rest + read_whole(rests, "how often sums are rounded")))
        for each in left:
            sound = each.shape == (size,) and each.dtype == counts.dtype == np.float64
            must(sound and bool(np.all(np.abs(each) <= counts[here] * ROUNDING)), "what rounding left is more than that")
        known = ClassCounts(bits, keys, counts[here], left)
        total = np.bincount(known.rows, known.counts, rows.size)
        sums = (known.of_class(own, rows.size), coarse.positives), (total, coarse.positives + coarse.negatives)
        must(all(np.allclose(one, other, rtol=SLACK, atol=0) for one, other in sums), "its classes are not those of its scores")
        tables[own] = replace(tables[own], by_class=known)
        row, at, rest = row + rows.size, at + size, rest + rests
    must((row, at) == (times.size, numbers.size), "it has counts of more classes than it should")
    return tables


def read_sums(arrays: PackedArrays, told: Any, scores: ScoreCounts | None, *, weighted: bool) -> ProbabilityCounts | None:
    """Return the sums of probabilities of a file."""
    if told is None:
        return None
    must(scores is not None, "it has sums of probabilities and no scores")
    of = len(arrays["sums.bin_sums"])
    must(scores is None or of in (0, max(len(scores.columns), 2)), "its sums are not of its classes")
    columns = 0 if scores is None else len(scores.columns)
    shapes = {
        "place_sums": (min(columns, MOST_PLACES) if columns > 1 else 0,),
        "weight_sums": (2,),
        "case_sums": (TERMS,),
        "class_sums": (of, TERMS),
        "top_sums": (3, BINS),
        "bin_sums": (of, 3, BINS),
    }
    values: dict[str, Any] = {name: unpack_whole(arrays[f"sums.{name}"], shapes.get(name, (of,))) for name in SUMS[:-2]}
    lost = values.pop("class_impossible")
    must(all(each < 1 << 53 for each in lost), "its infinite losses are too many")
    numbers: dict[str, Any] = {name: read_whole(told[name], "the number of cases") for name in ("impossible", "rescaled")}
    bits = exact_sums.BITS if weighted else CASES
    sums = ProbabilityCounts(bits, **values, class_impossible=lost.astype(np.int64), **numbers)
    finite = all(np.isfinite(exact_sums.to_floats(each, bits)).all() for each in values.values())
    must(finite and sums.weight_squares > 0, "its probabilities are of no case, or of too many")
    return sums
