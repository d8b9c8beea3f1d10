"""Counts as files: small, the same bytes for the same counts, and checked when read, whoever wrote them."""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np

from adjudge._base import VERSION
from adjudge._base.arguments import Wording
from adjudge._base.arrays import AnyArray
from adjudge._base.errors import InputError
from adjudge._base.files import write_whole
from adjudge._base.findings import Finding
from adjudge._base.text import quoted, safe
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts, table_of
from adjudge.counts.fixed_point import CASES
from adjudge.counts.joint import JointCounts
from adjudge.counts.numbers import SUMS as SUMS_OF_NUMBERS
from adjudge.counts.numbers import NumberCounts, NumberSums, counts_of
from adjudge.counts.packing import pack_ascending, pack_whole, unpack_ascending, unpack_whole
from adjudge.counts.probabilities import BINS, SUMS, TERMS, ProbabilityCounts
from adjudge.counts.scores import ScoreCounts, as_tables, in_few_bytes
from adjudge.counts.tally import Tally
from adjudge.predictions.model import Duplicates
from adjudge.predictions.roles import Roles, Scale
from adjudge.stats import exact_sums
from adjudge.stats.ranking import EXACT_BITS, ScoreTable

SUFFIX = ".counts"
FORMAT = 2  # 1 kept sums as floats
_KIND = "adjudge counts"
_HEADER = "header.json"
_LARGEST = 1 << 30  # bytes of a file once unpacked: a zip may promise far more than its own size
_TYPES: dict[str, type] = {"text": str, "whole": int, "number": float, "truth": bool}
_NOT = {str: "no text", list: "no list", bool: "neither true nor false"}
# fields of a tally that JSON holds as they are
_TALLY = ("rows", "scale", "positive", "families", "gaps", "dropped", "weight_spread", "unchecked_rows", "left_out", "undecided")
_NUMBERS = ("sums", "below", "beyond")  # the sums of a regression: how large, which are below 0, what is no finite number
_SLACK = 1e-6  # how far sums of the same weights may differ for the order in which they were added
_MOST = 2.0**500  # more than sums of weights come to; their squares are finite
_MOST_WHOLE = 2.0**53
_SMALL = 1 << 15  # counts below are written in two bytes
_ROUNDING = 2.0**-52  # of the largest sum
Arrays = dict[str, AnyArray]
T = TypeVar("T")

# -- values of a header, checked -------------------------------------------------------------------------------


def _must(sound: bool, why: str) -> None:  # noqa: FBT001 - reads as a sentence
    """Refuse what is not sound; the reader of the file tells it as a fault of the file."""
    if not sound:
        raise ValueError(why)


def _typed(kind: type[T], value: Any, what: str) -> T:
    """Return a text, a list, or what is true or false."""
    _must(isinstance(value, kind), f"{what} is {_NOT.get(kind)}")
    return value  # type: ignore[no-any-return]


def _texts(value: Any, what: str) -> tuple[str, ...]:
    return tuple(_typed(str, each, what) for each in _typed(list, value, what))


def _whole(value: Any, what: str, *, least: int = 0) -> int:
    _must(type(value) is int and value >= least, f"{what} is no whole number of at least {least}")
    return int(value)


def _number(value: Any, what: str, *, least: float) -> float:
    """Return a number of at least so much, which may be infinite."""
    _must(type(value) in (int, float) and value >= least, f"{what} is no number of at least {least:g}")
    return float(value)


def _finite(value: Any, what: str) -> float:
    _must(type(value) in (int, float) and math.isfinite(value), f"{what} is no finite number")
    return float(value)


def _one_of(value: Any, known: Sequence[Any], what: str) -> Any:
    _must(any(value == each and type(value) is type(each) for each in known), f"{what} is unknown")
    return value


def _place(value: Any, k: int, what: str) -> int | None:
    """Return a place among `k` classes, or nothing."""
    _must(value is None or _whole(value, what) < k, f"{what} is none of its classes")
    return None if value is None else int(value)


def _amounts(values: AnyArray, shape: tuple[int, ...], what: str) -> AnyArray:
    """Return an array of finite numbers of at least 0, of that shape, whole ones as int64 and others as float64."""
    _must(values.shape == shape and values.dtype.kind in "if", f"{what} has the wrong shape")
    _must(bool(np.all((values >= 0) & (values < np.inf))), f"{what} counts less than nothing")
    with np.errstate(over="ignore"):
        _must(values.sum(dtype=np.float64) < (_MOST_WHOLE if values.dtype.kind == "i" else np.inf), f"{what} counts too much")
    return values.astype(np.int64 if values.dtype.kind == "i" else np.float64)


def write_counts(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Arrays, about: Mapping[str, Any]) -> Path:
    """Write counts, and what JSON can say about them and about where they came from; whole or not at all."""
    whole = {"kind": _KIND, "format": FORMAT, "version": VERSION, "about": dict(about)} | dict(header)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        files = {_HEADER: json.dumps(whole).encode()}
        for name, values in arrays.items():
            held = io.BytesIO()
            np.lib.format.write_array(held, np.asarray(values), allow_pickle=False)
            files[f"{name}.npy"] = held.getvalue()
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)  # a fixed date: the same bytes every time
    return write_whole(path, packed.getvalue(), such_as=f"cases{SUFFIX}")


@contextmanager
def unpacked(path: str | os.PathLike[str]) -> Iterator[tuple[dict[str, Any], Arrays]]:
    """Open a file of counts as its header and arrays; whatever goes wrong with them within is told as a fault of the file."""
    contents = None
    try:
        contents = _unpacked(path)
        yield contents
    except Exception as error:  # readers of zip, JSON and arrays stumble over foreign bytes in many ways, as whatever trusts them
        if contents is None and isinstance(error, InputError):
            raise
        why = safe(str(error) or type(error).__name__, 200)
        msg = f"{quoted(Path(path).name)} is no file of counts, or it is damaged ({why})."
        raise InputError(msg, " Make it again with: adjudge count PREDICTIONS -o FILE.") from error


def save_tally(path: str | os.PathLike[str], tally: Tally, about: Mapping[str, Any]) -> Path:
    """Write a tally."""
    arrays: Arrays = {}
    header: dict[str, Any] = {
        "of": "classes",
        "classes": put_labels(tally.confusion.classes),
        "tally": {name: getattr(tally, name) for name in _TALLY},
        "confusion": _put_table(arrays, "confusion", tally.confusion),
        "by_fold": _put_tables(arrays, "fold", tally.by_fold),
        "by_group": _put_tables(arrays, "group", tally.by_group),
    }
    scores, sums = None if tally.scores is None else in_few_bytes(as_tables(tally.scores)), tally.probabilities
    header["scores"] = None if scores is None else _put_scores(arrays, scores)
    header["probabilities"] = None if sums is None else {"impossible": sums.impossible, "rescaled": sums.rescaled}
    arrays |= {} if sums is None else {f"sums.{name}": pack_whole(getattr(sums, name)) for name in SUMS[:-2]}
    return write_counts(path, header, arrays, about)


def _unpacked(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    with zipfile.ZipFile(path) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
        if size > _LARGEST:
            msg = f"{quoted(Path(path).name)} would unpack to {size:,} bytes; counts take at most {_LARGEST:,}."
            raise InputError(msg)
        header = json.loads(archive.read(_HEADER))
        _must(header["kind"] == _KIND, "its header is of something else")
        if _whole(header["format"], "its format") != FORMAT:
            msg = f"{quoted(Path(path).name)} has format {header['format']} of counts; this version reads {FORMAT}."
            raise InputError(msg, " Count the predictions again.")
        names = [name for name in archive.namelist() if name.endswith(".npy")]
        return header, {name.removesuffix(".npy"): _array(archive.read(name)) for name in names}


def _array(data: bytes) -> AnyArray:
    """Return an array; one that promises more than its bytes would take memory before it is found out."""
    held = io.BytesIO(data)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    shape, _, kind = readers[np.lib.format.read_magic(held)](held)
    _must(math.prod(shape) * kind.itemsize == len(data) - held.tell(), "an array promises other bytes than it has")
    return np.asarray(np.lib.format.read_array(io.BytesIO(data), allow_pickle=False))


# -- labels and tables ---------------------------------------------------------------------------------------


def put_labels(labels: Any) -> list[list[Any]]:
    """Return labels as JSON holds them, each with its type."""
    return [_label(label) for label in labels]


def _label(label: Any) -> list[Any]:
    own = label.item() if isinstance(label, np.generic) else label
    for name, kind in _TYPES.items():
        if type(own) is kind:
            return [name, own]
    msg = f"Labels of type {type(own).__name__} cannot be kept in a file of counts; use text, numbers or truth values."
    raise InputError(msg)


def _read_labels(pairs: Any) -> list[Any]:
    """Return labels that were put."""
    _must(all(type(value) is _TYPES[kind] for kind, value in pairs), "a label is not of its declared type")
    labels = [value for _, value in pairs]
    _must(len(set(labels)) == len(labels), "a label comes twice")
    return labels


def _put_table(arrays: Arrays, name: str, counts: ConfusionCounts) -> dict[str, Any]:
    rests = counts.rests if isinstance(counts, WeightedCounts) else ()
    cells = {"cells": counts.cells} | ({"squares": counts.squares} if isinstance(counts, WeightedCounts) else {})
    for i, (n, squares) in enumerate(rests):
        cells |= {f"rest{i}.cells": n, f"rest{i}.squares": squares}
    for part, values in cells.items():
        if isinstance(values, np.ndarray):
            arrays[f"{name}.{part}"] = values
        else:
            arrays |= {f"{name}.{part}.at": np.stack(values.coords), f"{name}.{part}.n": values.data}
            arrays[f"{name}.{part}.shape"] = np.array(values.shape)
    return {"weighted": isinstance(counts, WeightedCounts), "rests": len(rests)}


def _read_table(arrays: Arrays, name: str, classes: list[Any], *, weighted: Any, rests: Any) -> ConfusionCounts:
    cells, weighted = _read_cells(arrays, f"{name}.cells"), _typed(bool, weighted, "weighted")
    _must(len(classes) == cells.shape[0], "its table is not of its classes")
    squares = _read_cells(arrays, f"{name}.squares") if weighted else None
    if squares is not None:
        held = squares if isinstance(squares, np.ndarray) else squares.data
        _must(_amounts(held, held.shape, "a table of squared weights").sum() > 0, "its squared weights are none")
    table = table_of(cells, squares, classes)
    if not isinstance(table, WeightedCounts):
        return table
    left = []
    for i in range(_whole(rests, "how often sums are rounded")):
        both = tuple(_read_cells(arrays, f"{name}.rest{i}.{part}") for part in ("cells", "squares"))
        for each, of in zip(both, (table.cells, table.squares), strict=True):
            _must(each.shape == of.shape and each.dtype == np.float64, "what rounding left has the wrong shape")
            _must(bool(abs(each).max() <= of.max() * _ROUNDING), "what rounding left is more than that")  # refuses NaN, too
        left.append(both)
    return replace(table, rests=tuple(left))


def _read_cells(arrays: Arrays, name: str) -> Any:
    if name in arrays:
        return arrays[name]
    from scipy.sparse import coo_array

    return coo_array((arrays[f"{name}.n"], tuple(arrays[f"{name}.at"])), shape=tuple(arrays[f"{name}.shape"].tolist()))


def _put_tables(arrays: Arrays, what: str, tables: Mapping[Any, ConfusionCounts]) -> list[Any]:
    return [[_label(label), _put_table(arrays, f"{what}{i}", table)] for i, (label, table) in enumerate(tables.items())]


def _read_tables(arrays: Arrays, what: str, parts: Any, classes: list[Any]) -> dict[Any, ConfusionCounts]:
    _must(isinstance(parts, list), "its parts are no list")
    labels = _read_labels([label for label, _ in parts])
    return {labels[i]: _read_table(arrays, f"{what}{i}", classes, **how) for i, (_, how) in enumerate(parts)}


# -- scores and probabilities --------------------------------------------------------------------------------


def _put_scores(arrays: Arrays, scores: ScoreCounts) -> dict[str, Any]:
    """Put the tables of all columns one after the other: a thousand small arrays would be larger than what they hold."""
    digits, packed = pack_ascending([table.values for table in scores.tables])
    arrays |= {f"scores.{name}": values for name, values in packed.items()}
    for name in ("positives", "negatives"):
        counts = np.concatenate([getattr(table, name) for table in scores.tables])
        small = counts.dtype.kind == "i" and counts.max(initial=0) < _SMALL
        arrays[f"scores.{name}"] = counts.astype(np.int16) if small else counts
    whole = [np.zeros(table.values.size, dtype=np.bool_) if table.mixed is None else table.mixed for table in scores.tables]
    arrays["scores.mixed"] = np.concatenate(whole)
    rests = [(i, *parts) for i, table in enumerate(scores.tables) for parts in table.rests]
    for at, (_, ours, theirs) in enumerate(rests):
        arrays |= {f"scores.rest{at}.p": ours, f"scores.rest{at}.n": theirs}
    told = {"columns": list(scores.columns), "k": scores.k, "bits": [table.bits for table in scores.tables]}
    return told | {"digits": digits, "rests": [i for i, *_ in rests]}


def _read_scores(arrays: Arrays, header: Any, table: ConfusionCounts) -> ScoreCounts | None:
    if header is None:
        return None
    columns = tuple(_whole(at, "a column of scores") for at in header["columns"])
    _must(bool(columns) and header["k"] == table.k and columns == tuple(sorted({*columns})), "its scores are not of its classes")
    _must(max(columns) < max(table.k, 2) and len(columns) == len(header["bits"]), "its scores are not of its classes")
    digits = _whole(header["digits"], "how scores are written", least=-2)
    values = unpack_ascending(digits, *(arrays[f"scores.{name}"] for name in ("first", "steps", "sizes")))
    _must(len(values) == len(columns), "its scores are not of its classes")
    size = sum(each.size for each in values)
    parts = [arrays[f"scores.{name}"] for name in ("positives", "negatives", "mixed")]
    _must(all(part.shape == (size,) for part in parts) and parts[2].dtype.kind == "b", "its bins are not those of its scores")
    ends = np.cumsum([each.size for each in values])[:-1]
    each_part = (np.split(part, ends) for part in parts)
    tables = [_read_scored(*each) for each in zip(values, *each_part, header["bits"], strict=True)]
    for at, i in enumerate(_typed(list, header["rests"], "what rounding left")):
        own = tables[_whole(i, "what rounding left")]
        both = tuple(arrays[f"scores.rest{at}.{name}"] for name in "pn")
        for each, of in zip(both, (own.positives, own.negatives), strict=True):
            sound = each.shape == of.shape and each.dtype == of.dtype == np.float64
            _must(sound and bool(np.all(np.abs(each) <= of * _ROUNDING)), "what rounding left is more than that")
        tables[i] = replace(own, rests=(*own.rests, (both[0], both[1])))
    weighted = isinstance(table, WeightedCounts)
    _must(all((each.positives.dtype.kind == "f") == weighted for each in tables), "its scores are not weighted as its cases are")
    totals = [float(each.positives.sum() + each.negatives.sum()) for each in tables]
    _must(all(math.isclose(total, table.n, rel_tol=_SLACK) for total in totals), "its scores are not those of its cases")
    return ScoreCounts(columns, table.k, tables=tuple(tables))


def _read_scored(values: AnyArray, positives: AnyArray, negatives: AnyArray, mixed: AnyArray, bits: int) -> ScoreTable:
    _must(not np.isnan(values).any(), "its scores are no numbers")
    _must(bool(np.all(values[1:] > values[:-1])), "its scores do not ascend")
    _must(positives.dtype.kind == negatives.dtype.kind, "its scores are counted in two ways")
    positives, negatives = (_amounts(each, values.shape, "a table of scores") for each in (positives, negatives))
    _must(_whole(bits, "the fineness of scores", least=1) <= EXACT_BITS, "scores have no such bits")
    return ScoreTable(values, positives, negatives, bits, mixed if mixed.any() else None)


def _read_sums(arrays: Arrays, told: Any, scores: ScoreCounts | None, *, weighted: bool) -> ProbabilityCounts | None:
    if told is None:
        return None
    _must(scores is not None, "it has sums of probabilities and no scores")
    of = len(arrays["sums.bin_sums"])
    _must(scores is None or of in (0, max(len(scores.columns), 2)), "its sums are not of its classes")
    shapes = {
        "weight_sums": (2,),
        "case_sums": (TERMS,),
        "class_sums": (of, TERMS),
        "top_sums": (3, BINS),
        "bin_sums": (of, 3, BINS),
    }
    values: dict[str, Any] = {name: unpack_whole(arrays[f"sums.{name}"], shapes.get(name, (of,))) for name in SUMS[:-2]}
    lost = values.pop("class_impossible")
    _must(all(each < 1 << 53 for each in lost), "its infinite losses are too many")
    numbers: dict[str, Any] = {name: _whole(told[name], "the number of cases") for name in ("impossible", "rescaled")}
    bits = exact_sums.BITS if weighted else CASES
    sums = ProbabilityCounts(bits, **values, class_impossible=lost.astype(np.int64), **numbers)
    finite = all(np.isfinite(exact_sums.to_floats(each, bits)).all() for each in values.values())
    _must(finite and sums.weight_squares > 0, "its probabilities are of no case, or of too many")
    return sums


def read_tally(header: Mapping[str, Any], arrays: Arrays) -> Tally:
    """Return the tally of a file."""
    classes = _read_labels(header["classes"])
    confusion = _read_table(arrays, "confusion", classes, **header["confusion"])
    scores = _read_scores(arrays, header["scores"], confusion)
    told, of = header["tally"], len(classes)
    _must(isinstance(told["gaps"], dict), "its gaps are none")
    read = Tally(
        confusion=confusion,
        scores=scores,
        probabilities=_read_sums(arrays, header["probabilities"], scores, weighted=isinstance(confusion, WeightedCounts)),
        by_fold=_read_tables(arrays, "fold", header["by_fold"], classes),
        by_group=_read_tables(arrays, "group", header["by_group"], classes),
        rows=_whole(told["rows"], "the number of rows", least=1),
        scale=_one_of(told["scale"], (None, *get_args(Scale)), "the scale of its scores"),
        positive=_place(told["positive"], of, "the class looked for"),
        families=_texts(told["families"], "a type of labels"),
        gaps={name: _whole(n, "the number of gaps") for name, n in told["gaps"].items()},
        dropped=_whole(told["dropped"], "the number of rows left out"),
        weight_spread=_number(told["weight_spread"], "the spread of weights", least=1),
        unchecked_rows=_typed(bool, told["unchecked_rows"], "whether rows went unchecked"),
        left_out=None if told["left_out"] is None else _typed(str, told["left_out"], "the column left out"),
        undecided=_typed(bool, told.get("undecided", False), "whether nothing was decided"),
    )
    all_there = confusion.n > 0 and (isinstance(confusion, WeightedCounts) or confusion.n == read.rows)
    _must(all_there, "its cases are not so many as its rows")
    sums = read.probabilities
    _must(sums is None or math.isclose(sums.weight, confusion.n, rel_tol=_SLACK), "its probabilities are not those of its cases")
    _must((read.scale is None) == (read.scores is None), "its scores have no scale, or its scale no scores")
    for each in (*read.by_fold.values(), *read.by_group.values()):
        same = type(each) is type(confusion) and each.cells.shape == confusion.cells.shape
        _must(same and not np.any(each.support > confusion.support * (1 + _SLACK)), "a fold or group is no part of its cases")
    return read


def read_about(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return where counts came from: what :class:`Counts` holds beside its tally."""
    roles, threshold, findings = about["roles"], about["threshold"], []
    for told in about["found"]:
        value = told["value"]
        _must(value is None or isinstance(value, (str, int, float)), "a finding has no such value")
        code, message, advice = (_typed(str, told[name], "a finding") for name in ("code", "message", "advice"))
        if "message_parts" in told:  # which name arguments
            message = Wording.of_list(_typed(list, told["message_parts"], "a finding"))
        if "advice_parts" in told:
            advice = Wording.of_list(_typed(list, told["advice_parts"], "a finding"))
        findings.append(Finding(code, message, advice, value))
    return {
        "name": _typed(str, about["name"], "its name"),
        "fingerprints": _texts(about["fingerprints"], "a fingerprint"),
        "roles": None if roles is None else _read_roles(roles),
        "found": tuple(findings),
        "repeats": _finite(_number(about["repeats"], "rows a case", least=1), "rows a case"),
        "threshold": None if threshold is None else _finite(threshold, "the threshold"),
        "duplicates": _one_of(about["duplicates"], get_args(Duplicates), "what became of duplicates"),
    }


def _read_roles(told: Mapping[str, Any]) -> Roles:
    columns = {name: told[name] for name in ("predicted", "row", "fold", "group", "weight")} | {"count": told.get("count")}
    return Roles(
        truth=_typed(str, told["truth"], "a column"),
        scores=tuple((_typed(str, label, "a class"), _typed(str, column, "a column")) for label, column in told["scores"]),
        scale=_one_of(told["scale"], get_args(Scale), "the scale of its scores"),
        numeric=None if told["numeric"] is None else _typed(bool, told["numeric"], "whether it predicts numbers"),
        **{name: None if column is None else _typed(str, column, "a column") for name, column in columns.items()},  # type: ignore[arg-type]
    )


def save_numbers(path: str | os.PathLike[str], counts: NumberCounts, about: Mapping[str, Any]) -> Path:
    """Write the sums of a regression."""
    whole = counts.sums.whole
    arrays = {"sums": pack_whole(abs(whole)), "below": np.array([each < 0 for each in whole]), "beyond": counts.sums.beyond}
    return write_counts(path, {"of": "numbers", "n": counts.n}, arrays, about)


def read_numbers(header: Mapping[str, Any], arrays: Arrays) -> NumberCounts:
    """Return the sums of a regression from a file."""
    n, packed, below, beyond = _whole(header["n"], "the number of cases", least=1), *(arrays[name] for name in _NUMBERS)
    shaped = packed.shape[:-1] == below.shape == beyond.shape == (SUMS_OF_NUMBERS,)
    _must(shaped and below.dtype.kind == "b" and beyond.dtype == np.float64, "its sums are not those of numbers")
    whole = unpack_whole(packed, below.shape)
    whole[below] *= -1
    _must(whole[0] > 0 and whole[1] > 0, "its cases have no weight")
    counts = counts_of(NumberSums(n, whole, beyond))
    sound = not beyond[:3].any() and not beyond[np.isfinite(beyond)].any() and math.isfinite(counts.mean)
    _must(sound and counts.weight < _MOST and math.isfinite(counts.weight_squares), "its sums are not finite")
    losses = (counts.absolute, counts.squared, counts.squared_of_mean)
    _must(all(each >= 0 for each in losses), "its losses are less than nothing")
    outweighed = counts.absolute_of_mean < 0 or abs(counts.side) > counts.weight
    _must(not outweighed, "its sides outweigh its cases")
    return counts


def read_pairs(header: Mapping[str, Any], arrays: Arrays) -> tuple[JointCounts, dict[str, Any]]:
    """Return the patterns of a file and what :class:`PairCounts` holds beside them; refuse what cannot be."""
    classes, names = tuple(_read_labels(header["classes"])), _texts(header["names"], "a name")
    _must(len(set(names)) == len(names) > 1, "its sets have no names of their own")
    rejects, truth, said, squares = header["rejects"], arrays["truth"], arrays["predicted"], arrays.get("squares")
    _typed(bool, rejects, "whether cases are rejected")
    _must(truth.ndim == 1 and truth.size > 0 and truth.dtype.kind == said.dtype.kind == "i", "its patterns have the wrong shape")
    truth, said = _amounts(truth, truth.shape, "its patterns"), _amounts(said, (truth.size, len(names)), "its patterns")
    n = _amounts(arrays["n"], truth.shape, "how often patterns occur")
    _must(bool(np.all(n > 0)) and float(n.sum()) < _MOST, "its patterns do not occur, or too often")
    _must(n.dtype.kind == ("i" if squares is None else "f"), "its patterns are weighted without weights")
    if squares is not None:
        squares = _amounts(squares, n.shape, "a table of squared weights").astype(np.float64)
        _must(squares.sum() > 0, "its squared weights are none")
    _must(max(truth.max(), said.max() - rejects) < len(classes), "its patterns name classes that it does not have")
    told = header["facts"]
    rows, unshared = _whole(told["rows"], "the number of rows", least=1), told["unshared"]
    cases = _whole(told["cases"], "the number of cases", least=1)
    _must(isinstance(unshared, list) and len(unshared) == len(names) and cases <= rows, "its header contradicts itself")
    facts: dict[str, Any] = {
        "rows": rows,
        "cases": cases,
        "unshared": tuple(_whole(each, "the number of rows without a partner") for each in unshared),
        "positive": _place(told["positive"], len(classes), "the class looked for"),
        "by_position": _typed(bool, told["by_position"], "whether cases are paired by position"),
        "folded": _typed(bool, told["folded"], "whether there are folds"),
        "fingerprints": _texts(told["fingerprints"], "a fingerprint"),
    }
    _must(squares is not None or int(n.sum()) == rows, "its patterns are not as many as its rows")
    return JointCounts(classes, names, truth, said, n, squares, rejects), facts
