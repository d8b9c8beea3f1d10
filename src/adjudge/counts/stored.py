"""Counts as files: small, the same bytes for the same counts, and checked when read, whoever wrote them."""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from adjudge._base import VERSION, Finding, InputError, Wording, quoted, safe
from adjudge._base.files import Stamp, unchanged, write_whole
from adjudge._base.strict_json import parsed_json
from adjudge.counts.confusion import DENSE, ConfusionCounts, WeightedCounts, table_of
from adjudge.counts.joint import JointCounts
from adjudge.counts.numbers import SUMS as SUMS_OF_NUMBERS
from adjudge.counts.numbers import NumberCounts, NumberSums, counts_of
from adjudge.counts.packing import pack_whole, unpack_whole
from adjudge.counts.probabilities import SUMS
from adjudge.counts.scores import as_tables, in_few_bytes
from adjudge.counts.stored_clusters import put_clusters, put_within, read_clusters, read_within
from adjudge.counts.stored_numbers import must_agree
from adjudge.counts.stored_scores import put_scores, read_scores, read_sums
from adjudge.counts.stored_values import (
    ROUNDING,
    SLACK,
    Arrays,
    PackedArrays,
    must,
    must_be_weights,
    put_label,
    put_labels,
    read_amounts,
    read_finite,
    read_labels,
    read_number,
    read_one_of,
    read_place,
    read_texts,
    read_typed,
    read_whole,
)
from adjudge.counts.tally import Tally
from adjudge.predictions.model import Duplicates
from adjudge.predictions.roles import Roles, Scale

SUFFIX = ".counts"
FORMAT = 6  # 1 kept sums as floats, 2 no counts of scores by class, 3 no places of the true class, 4 no clusters, 5 none of parts
_KIND = "adjudge counts"
_HEADER = "header.json"
_LARGEST = 1 << 30  # bytes of a file once unpacked: a zip may promise far more than its own size
_LARGEST_HEADER = 1 << 26
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others inflate to any size, whatever they promise
# fields of a tally that JSON holds as they are
_TALLY = (
    *("rows", "scale", "positive", "families", "gaps", "dropped", "weight_spread", "unchecked_rows", "left_out", "undecided"),
    "replaced",
)
_NUMBERS = ("sums", "below", "beyond")  # the sums of a regression: how large, which are below 0, what is no finite number
_MOST = 2.0**500  # more than sums of weights come to; their squares are finite


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
def unpacked(path: str | os.PathLike[str]) -> Iterator[tuple[dict[str, Any], PackedArrays]]:
    """Open a file of counts as its header and arrays; whatever goes wrong with them within is told as a fault of the file."""
    contents = None
    with unchanged([Path(path)], [Stamp.of(path)]):
        try:
            with zipfile.ZipFile(path) as archive:
                contents = _checked(archive, Path(path).name), PackedArrays(archive)
                yield contents
                contents[1].must_be_read()
        except Exception as error:  # readers of zip, JSON and arrays stumble over foreign bytes in many ways
            if contents is None and isinstance(error, InputError):
                raise
            why = safe(str(error) or type(error).__name__, 200)
            msg = f"{quoted(Path(path).name)} is no file of counts, or it is damaged ({why})."
            raise InputError(msg, " Make it again with: adjudge count PREDICTIONS -o FILE.") from error


def save_tally(path: str | os.PathLike[str], tally: Tally, about: Mapping[str, Any], *, cluster_names: bool) -> Path:
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
    header["scores"] = None if scores is None else put_scores(arrays, scores)
    header["clusters"] = put_clusters(arrays, tally.confusion.clusters, names=cluster_names)
    header["within"] = [what for what, parts in _parts(tally) if put_within(arrays, what, list(parts.values()))]
    header["probabilities"] = None if sums is None else {"impossible": sums.impossible, "rescaled": sums.rescaled}
    arrays |= {} if sums is None else {f"sums.{name}": pack_whole(getattr(sums, name)) for name in SUMS[:-2]}
    return write_counts(path, header, arrays, about)


def _parts(tally: Tally) -> tuple[tuple[str, Mapping[Any, ConfusionCounts]], ...]:
    return ("fold", tally.by_fold), ("group", tally.by_group)


def _checked(archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    """Return the header of a file, whose entries are as many bytes as they say; no array is unpacked yet."""
    entries = archive.infolist()
    known = {entry.filename: entry for entry in entries}
    must(len(known) == len(entries), "it holds two entries of one name")
    must(all(entry.compress_type in _PACKED for entry in entries), "its entries are packed in an unknown way")
    size = sum(entry.file_size for entry in entries)
    if size > _LARGEST:
        msg = f"{quoted(name)} would unpack to {size:,} bytes; counts take at most {_LARGEST:,}."
        raise InputError(msg)
    must(known[_HEADER].file_size <= _LARGEST_HEADER, "its header is too long")
    header = _header(archive.read(_HEADER))
    must(header["kind"] == _KIND, "its header is of something else")
    if read_whole(header["format"], "its format") != FORMAT:
        msg = f"{quoted(name)} has format {header['format']} of counts; this version reads {FORMAT}."
        raise InputError(msg, " Count the predictions again.")
    return header


def _header(data: bytes) -> dict[str, Any]:
    try:
        return dict(parsed_json(data, endless=True))
    except InputError as error:
        raise ValueError(str(error).removesuffix(".")) from error


# -- tables ---------------------------------------------------------------------------------------------------


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


def _read_table(arrays: PackedArrays, name: str, classes: list[Any], most: int, *, weighted: Any, rests: Any) -> ConfusionCounts:
    k = len(classes)
    cells, weighted = _read_cells(arrays, f"{name}.cells", k), read_typed(bool, weighted, "weighted")
    must(k == cells.shape[0], "its table is not of its classes")
    squares = _read_cells(arrays, f"{name}.squares", k) if weighted else None
    if squares is not None:
        held = squares if isinstance(squares, np.ndarray) else squares.data
        must(read_amounts(held, held.shape, "a table of squared weights").sum() > 0, "its squared weights are none")
    table = table_of(cells, squares, classes)
    if not isinstance(table, WeightedCounts):
        return table
    _must_be_weighted(table, most)
    left = []
    for i in range(read_whole(rests, "how often sums are rounded")):
        both = tuple(_read_cells(arrays, f"{name}.rest{i}.{part}", k) for part in ("cells", "squares"))
        for each, of in zip(both, (table.cells, table.squares), strict=True):
            must(each.shape == of.shape and each.dtype == np.float64, "what rounding left has the wrong shape")
            must(bool(abs(each).max() <= of.max() * ROUNDING), "what rounding left is more than that")  # refuses NaN, too
        left.append(both)
    return replace(table, rests=tuple(left))


def _must_be_weighted(table: WeightedCounts, rows: int) -> None:
    """Refuse a table whose squared weights are not those of at most so many weights, in each cell and in all."""
    cells, squares = table.cells, table.squares
    if not isinstance(cells, np.ndarray):
        at = cells.nonzero()
        cells, squares = (np.ravel(each.tocsr()[at]) for each in (cells, squares))
    must_be_weights(np.append(cells, table.n), np.append(squares, table.squares.sum()), rows)


def _read_cells(arrays: PackedArrays, name: str, k: int) -> Any:
    if name in arrays:
        return arrays.at_most(name, k * (k + 1) if k <= DENSE else 0)
    from scipy.sparse import coo_array

    return coo_array((arrays[f"{name}.n"], tuple(arrays[f"{name}.at"])), shape=tuple(arrays[f"{name}.shape"].tolist()))


def _put_tables(arrays: Arrays, what: str, tables: Mapping[Any, ConfusionCounts]) -> list[Any]:
    return [[put_label(label), _put_table(arrays, f"{what}{i}", table)] for i, (label, table) in enumerate(tables.items())]


def _read_tables(arrays: PackedArrays, what: str, parts: Any, classes: list[Any], most: int) -> dict[Any, ConfusionCounts]:
    must(isinstance(parts, list), "its parts are no list")
    labels = read_labels([label for label, _ in parts])
    return {labels[i]: _read_table(arrays, f"{what}{i}", classes, most, **how) for i, (_, how) in enumerate(parts)}


def read_tally(header: Mapping[str, Any], arrays: PackedArrays) -> Tally:
    """Return the tally of a file."""
    classes, told = read_labels(header["classes"]), header["tally"]
    rows, of = read_whole(told["rows"], "the number of rows", least=1), len(classes)
    confusion = _read_table(arrays, "confusion", classes, rows, **header["confusion"])
    scores = read_scores(arrays, header["scores"], confusion)
    must(isinstance(told["gaps"], dict), "its gaps are none")
    read = Tally(
        confusion=replace(confusion, clusters=read_clusters(arrays, header["clusters"], confusion, scores, rows)),
        scores=scores,
        probabilities=read_sums(arrays, header["probabilities"], scores, weighted=isinstance(confusion, WeightedCounts)),
        by_fold=_read_tables(arrays, "fold", header["by_fold"], classes, rows),
        by_group=_read_tables(arrays, "group", header["by_group"], classes, rows),
        rows=rows,
        scale=read_one_of(told["scale"], (None, *get_args(Scale)), "the scale of its scores"),
        positive=read_place(told["positive"], of, "the class looked for"),
        families=read_texts(told["families"], "a type of labels"),
        gaps={name: read_whole(n, "the number of gaps") for name, n in told["gaps"].items()},
        dropped=read_whole(told["dropped"], "the number of rows left out"),
        weight_spread=read_number(told["weight_spread"], "the spread of weights", least=1),
        unchecked_rows=read_typed(bool, told["unchecked_rows"], "whether rows went unchecked"),
        left_out=None if told["left_out"] is None else read_typed(str, told["left_out"], "the column left out"),
        undecided=read_typed(bool, told.get("undecided", False), "whether nothing was decided"),
        replaced=None if told.get("replaced") is None else read_whole(told["replaced"], "the number of decisions replaced"),
    )
    all_there = confusion.n > 0 and (isinstance(confusion, WeightedCounts) or confusion.n == read.rows)
    must(all_there, "its cases are not so many as its rows")
    must(float(confusion.n) < _MOST, "its weights are too many")
    sums = read.probabilities
    must(sums is None or math.isclose(sums.weight, confusion.n, rel_tol=SLACK), "its probabilities are not those of its cases")
    must((read.scale is None) == (read.scores is None), "its scores have no scale, or its scale no scores")
    for each in (*read.by_fold.values(), *read.by_group.values()):
        same = type(each) is type(confusion) and each.cells.shape == confusion.cells.shape
        must(same and not np.any(each.support > confusion.support * (1 + SLACK)), "a fold or group is no part of its cases")
    within = {}
    for what, parts in _parts(read):
        if what in read_texts(header["within"], "a part with clusters"):
            own = read_within(arrays, what, list(parts.values()), rows)
            within[f"by_{what}"] = {
                label: replace(table, clusters=each) for (label, table), each in zip(parts.items(), own, strict=True)
            }
    return replace(read, **within)  # type: ignore[arg-type]


def read_about(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return where counts came from: what :class:`Counts` holds beside its tally."""
    roles, threshold, findings = about["roles"], about["threshold"], []
    for told in about["found"]:
        value = told["value"]
        must(value is None or isinstance(value, (str, int, float)), "a finding has no such value")
        code, message, advice = (read_typed(str, told[name], "a finding") for name in ("code", "message", "advice"))
        if "message_parts" in told:  # which name arguments
            message = Wording.of_list(read_typed(list, told["message_parts"], "a finding"))
        if "advice_parts" in told:
            advice = Wording.of_list(read_typed(list, told["advice_parts"], "a finding"))
        findings.append(Finding(code, message, advice, value))
    return {
        "name": read_typed(str, about["name"], "its name"),
        "fingerprints": read_texts(about["fingerprints"], "a fingerprint"),
        "roles": None if roles is None else _read_roles(roles),
        "found": tuple(findings),
        "repeats": read_finite(read_number(about["repeats"], "rows a case", least=1), "rows a case"),
        "threshold": None if threshold is None else read_finite(threshold, "the threshold"),
        "duplicates": read_one_of(about["duplicates"], get_args(Duplicates), "what became of duplicates"),
    }


def _read_roles(told: Mapping[str, Any]) -> Roles:
    columns = {name: told.get(name) for name in ("predicted", "row", "fold", "group", "weight", "count", "cluster")}
    return Roles(
        truth=read_typed(str, told["truth"], "a column"),
        scores=tuple(
            (read_typed(str, label, "a class"), read_typed(str, column, "a column")) for label, column in told["scores"]
        ),
        scale=read_one_of(told["scale"], get_args(Scale), "the scale of its scores"),
        numeric=None if told["numeric"] is None else read_typed(bool, told["numeric"], "whether it predicts numbers"),
        **{name: None if column is None else read_typed(str, column, "a column") for name, column in columns.items()},  # type: ignore[arg-type]
    )


def save_numbers(path: str | os.PathLike[str], counts: NumberCounts, about: Mapping[str, Any]) -> Path:
    """Write the sums of a regression."""
    whole = counts.sums.whole
    arrays = {"sums": pack_whole(abs(whole)), "below": np.array([each < 0 for each in whole]), "beyond": counts.sums.beyond}
    arrays["extremes"] = counts.sums.extremes
    return write_counts(path, {"of": "numbers", "n": counts.n}, arrays, about)


def read_numbers(header: Mapping[str, Any], arrays: PackedArrays) -> NumberCounts:
    """Return the sums of a regression from a file."""
    n, packed, below, beyond = read_whole(header["n"], "the number of cases", least=1), *(arrays[name] for name in _NUMBERS)
    shaped = packed.shape[:-1] == below.shape == beyond.shape == (SUMS_OF_NUMBERS,)
    must(shaped and below.dtype.kind == "b" and beyond.dtype == np.float64, "its sums are not those of numbers")
    whole = unpack_whole(packed, below.shape)
    whole[below] *= -1
    must(whole[0] > 0 and whole[1] > 0, "its cases have no weight")
    extremes = arrays["extremes"]
    must(extremes.shape == (3,) and extremes.dtype == np.float64, "its extremes are none")
    must(bool(np.all(np.abs(extremes) < _MOST)), "its extremes are none")  # refuses NaN, too
    counts = counts_of(NumberSums(n, whole, beyond, extremes=extremes))
    sound = not beyond[:3].any() and not beyond[np.isfinite(beyond)].any() and math.isfinite(counts.mean)
    must(sound and counts.weight < _MOST and math.isfinite(counts.weight_squares), "its sums are not finite")
    losses = (counts.absolute, counts.squared, counts.squared_of_mean)
    must(all(each >= 0 for each in losses), "its losses are less than nothing")
    outweighed = counts.absolute_of_mean < 0 or abs(counts.side) > counts.weight
    must(not outweighed, "its sides outweigh its cases")
    must_agree(counts)
    return counts


def read_pairs(header: Mapping[str, Any], arrays: PackedArrays) -> tuple[JointCounts, dict[str, Any]]:
    """Return the patterns of a file and what :class:`PairCounts` holds beside them; refuse what cannot be."""
    classes, names = tuple(read_labels(header["classes"])), read_texts(header["names"], "a name")
    must(len(set(names)) == len(names) > 1, "its sets have no names of their own")
    rejects, truth, said, squares = header["rejects"], arrays["truth"], arrays["predicted"], arrays.get("squares")
    read_typed(bool, rejects, "whether cases are rejected")
    must(truth.ndim == 1 and truth.size > 0 and truth.dtype.kind == said.dtype.kind == "i", "its patterns have the wrong shape")
    truth, said = read_amounts(truth, truth.shape, "its patterns"), read_amounts(said, (truth.size, len(names)), "its patterns")
    n = read_amounts(arrays["n"], truth.shape, "how often patterns occur")
    must(bool(np.all(n > 0)) and float(n.sum()) < _MOST, "its patterns do not occur, or too often")
    must(n.dtype.kind == ("i" if squares is None else "f"), "its patterns are weighted without weights")
    if squares is not None:
        squares = read_amounts(squares, n.shape, "a table of squared weights").astype(np.float64)
        must(squares.sum() > 0, "its squared weights are none")
        must_be_weights(n, squares, read_whole(header["facts"]["rows"], "the number of rows", least=1))
    must(max(truth.max(), said.max() - rejects) < len(classes), "its patterns name classes that it does not have")
    told = header["facts"]
    rows, unshared = read_whole(told["rows"], "the number of rows", least=1), told["unshared"]
    cases = read_whole(told["cases"], "the number of cases", least=1)
    must(isinstance(unshared, list) and len(unshared) == len(names) and cases <= rows, "its header contradicts itself")
    facts: dict[str, Any] = {
        "rows": rows,
        "cases": cases,
        "unshared": tuple(read_whole(each, "the number of rows without a partner") for each in unshared),
        "positive": read_place(told["positive"], len(classes), "the class looked for"),
        "by_position": read_typed(bool, told["by_position"], "whether cases are paired by position"),
        "folded": read_typed(bool, told["folded"], "whether there are folds"),
        "fingerprints": read_texts(told["fingerprints"], "a fingerprint"),
    }
    must(squares is not None or int(n.sum()) == rows, "its patterns are not as many as its rows")
    return JointCounts(classes, names, truth, said, n, squares, rejects), facts
