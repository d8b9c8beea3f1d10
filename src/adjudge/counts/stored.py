"""Tallies as files: small, the same bytes for the same counts, and safe to read whoever wrote them.

A file is a zip of plain NumPy arrays (never pickled) and one JSON text that says what they are.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from adjudge._base.arrays import AnyArray
from adjudge._base.errors import InputError
from adjudge._base.files import write_whole
from adjudge._base.text import quoted, safe
from adjudge._base.version import VERSION
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.counts.scores import ScoreCounts, as_tables
from adjudge.counts.tally import Tally
from adjudge.stats.ranking import ScoreTable

SUFFIX = ".counts"
FORMAT = 1
_KIND = "adjudge counts"
_HEADER = "header.json"
_LARGEST = 1 << 30
"""Bytes of a file once unpacked: a zip may promise far more than its own size."""
_TYPES: dict[str, type] = {"text": str, "whole": int, "number": float, "truth": bool}
_TALLY = ("rows", "scale", "positive", "families", "gaps", "dropped", "weight_spread", "unchecked_rows", "left_out")
"""Fields of a tally that JSON holds as they are."""

Arrays = dict[str, AnyArray]


def save_tally(path: str | os.PathLike[str], tally: Tally, about: Mapping[str, Any]) -> Path:
    """Write a tally, and what JSON can say about where it came from; whole or not at all."""
    arrays: Arrays = {}
    header = {
        "kind": _KIND,
        "format": FORMAT,
        "version": VERSION,
        "about": dict(about),
        "classes": _labels(tally.confusion.classes),
        "tally": {name: getattr(tally, name) for name in _TALLY},
        "confusion": _put_table(arrays, "confusion", tally.confusion),
        "by_fold": _put_tables(arrays, "fold", tally.by_fold),
        "by_group": _put_tables(arrays, "group", tally.by_group),
        "scores": _put_scores(arrays, tally.scores),
        "probabilities": _put_sums(arrays, tally.probabilities),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {_HEADER: json.dumps(header).encode(), **{f"{k}.npy": _npy(v) for k, v in arrays.items()}}.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)  # a fixed date: the same bytes every time
    return write_whole(path, packed.getvalue(), such_as=f"cases{SUFFIX}")


def load_tally(path: str | os.PathLike[str]) -> tuple[Tally, dict[str, Any]]:
    """Return the tally of a file and what it says about itself; refuse what no such file can be."""
    try:
        header, arrays = _unpacked(path)
        return _tally(header, arrays), dict(header["about"])
    except (OSError, EOFError, zipfile.BadZipFile, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        why = safe(str(error) or type(error).__name__, 200)
        msg = (
            f"{quoted(Path(path).name)} is no file of counts, or it is damaged ({why}). "
            "Make it again with: adjudge counts PREDICTIONS -o FILE."
        )
        raise InputError(msg) from error


def _unpacked(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    with zipfile.ZipFile(path) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
        if size > _LARGEST:
            msg = f"{quoted(Path(path).name)} would unpack to {size:,} bytes; counts take at most {_LARGEST:,}."
            raise InputError(msg)
        header = json.loads(archive.read(_HEADER))
        if header["kind"] != _KIND or header["format"] != FORMAT:
            msg = (
                f"{quoted(Path(path).name)} has format {safe(str(header['format']), 20)} of counts; this version reads {FORMAT}. "
                "Count the predictions again."
            )
            raise InputError(msg)
        names = [name for name in archive.namelist() if name.endswith(".npy")]
        return header, {name.removesuffix(".npy"): _array(archive.read(name)) for name in names}


def _npy(values: AnyArray) -> bytes:
    held = io.BytesIO()
    np.lib.format.write_array(held, np.asarray(values), allow_pickle=False)
    return held.getvalue()


def _array(data: bytes) -> AnyArray:
    return np.asarray(np.lib.format.read_array(io.BytesIO(data), allow_pickle=False))


# -- labels and tables ---------------------------------------------------------------------------------------


def _labels(labels: Any) -> list[list[Any]]:
    return [_label(label) for label in labels]


def _label(label: Any) -> list[Any]:
    own = label.item() if isinstance(label, np.generic) else label
    for name, kind in _TYPES.items():
        if type(own) is kind:
            return [name, own]
    msg = f"Labels of type {type(own).__name__} cannot be kept in a file of counts; use text, numbers or truth values."
    raise InputError(msg)


def _read_labels(found: Any) -> list[Any]:
    return [_TYPES[kind](value) for kind, value in found]


def _put_table(arrays: Arrays, name: str, counts: ConfusionCounts) -> dict[str, Any]:
    cells = {"cells": counts.cells} | ({"squares": counts.squares} if isinstance(counts, WeightedCounts) else {})
    for part, values in cells.items():
        if isinstance(values, np.ndarray):
            arrays[f"{name}.{part}"] = values
        else:
            arrays |= {f"{name}.{part}.at": np.stack(values.coords), f"{name}.{part}.n": values.data}
            arrays[f"{name}.{part}.shape"] = np.array(values.shape)
    return {"weighted": isinstance(counts, WeightedCounts)}


def _read_table(arrays: Arrays, name: str, classes: list[Any], *, weighted: bool) -> ConfusionCounts:
    cells = _read_cells(arrays, f"{name}.cells")
    if not weighted:
        return ConfusionCounts(cells, classes)
    return WeightedCounts(cells, classes, squares=_read_cells(arrays, f"{name}.squares"))


def _read_cells(arrays: Arrays, name: str) -> Any:
    if name in arrays:
        return arrays[name]
    from scipy.sparse import coo_array

    return coo_array((arrays[f"{name}.n"], tuple(arrays[f"{name}.at"])), shape=tuple(arrays[f"{name}.shape"].tolist()))


def _put_tables(arrays: Arrays, what: str, tables: Mapping[Any, ConfusionCounts]) -> list[Any]:
    return [[_label(label), _put_table(arrays, f"{what}{i}", table)] for i, (label, table) in enumerate(tables.items())]


def _read_tables(arrays: Arrays, what: str, found: Any, classes: list[Any]) -> dict[Any, ConfusionCounts]:
    labels = _read_labels([label for label, _ in found])
    return {labels[i]: _read_table(arrays, f"{what}{i}", classes, **how) for i, (_, how) in enumerate(found)}


# -- scores and probabilities --------------------------------------------------------------------------------


def _put_scores(arrays: Arrays, scores: ScoreCounts | None) -> dict[str, Any] | None:
    if scores is None:
        return None
    found = as_tables(scores)
    for i, table in enumerate(found.tables):
        arrays |= {f"scores{i}.{name}": getattr(table, name) for name in ("values", "positives", "negatives")}
        if table.mixed is not None:
            arrays[f"scores{i}.mixed"] = table.mixed
    return {"columns": list(found.columns), "k": found.k, "bits": [table.bits for table in found.tables]}


def _read_scores(arrays: Arrays, found: Any) -> ScoreCounts | None:
    if found is None:
        return None
    tables = (_read_scored(arrays, f"scores{i}", bits) for i, bits in enumerate(found["bits"]))
    return ScoreCounts(tuple(int(at) for at in found["columns"]), int(found["k"]), tables=tuple(tables))


def _read_scored(arrays: Arrays, name: str, bits: int) -> ScoreTable:
    values, positives, negatives = (arrays[f"{name}.{part}"] for part in ("values", "positives", "negatives"))
    if not values.shape == positives.shape == negatives.shape or np.any(np.diff(values) <= 0):
        msg = "its scores do not ascend"
        raise ValueError(msg)
    return ScoreTable(values, positives, negatives, int(bits), arrays.get(f"{name}.mixed"))


def _put_sums(arrays: Arrays, sums: ProbabilityCounts | None) -> list[str] | None:
    if sums is None:
        return None
    names = [each.name for each in fields(sums)]
    arrays |= {f"sums.{name}": np.asarray(getattr(sums, name)) for name in names}
    return names


def _read_sums(arrays: Arrays, names: Any) -> ProbabilityCounts | None:
    if names is None:
        return None
    values = {each.name: arrays[f"sums.{each.name}"] for each in fields(ProbabilityCounts)}
    numbers: dict[str, Any] = {name: value if value.ndim else value.item() for name, value in values.items()}
    return ProbabilityCounts(**numbers)


def _tally(header: Mapping[str, Any], arrays: Arrays) -> Tally:
    classes = _read_labels(header["classes"])
    own = {name: header["tally"][name] for name in _TALLY}
    own["families"] = tuple(own["families"])
    return Tally(
        confusion=_read_table(arrays, "confusion", classes, **header["confusion"]),
        scores=_read_scores(arrays, header["scores"]),
        probabilities=_read_sums(arrays, header["probabilities"]),
        by_fold=_read_tables(arrays, "fold", header["by_fold"], classes),
        by_group=_read_tables(arrays, "group", header["by_group"], classes),
        **own,
    )
