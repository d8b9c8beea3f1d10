"""A file of cases to learn from: features, target and groups, as arrays; texts become numbers, and which is kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from adjudge._base import InputError, argument, dataclass, listed, quoted, safe, wording
from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.predictions.cells import column_of, numbers_of
from adjudge.predictions.labels import is_nothing
from adjudge.predictions.sources import Source, open_path, partial_columns, refuse_partial

_HEAD = 5_000
_MOST_VALUES = 1_000  # different texts in a column beyond which it is no feature but an identity or a sentence


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What a learner needs."""

    X: FloatArray
    y: AnyArray
    groups: AnyArray | None
    coded: tuple[int, ...]  # columns of X that stand for text


def read_features(
    path: str | os.PathLike[str], *, target: str, groups: str | None = None, leave_out: Sequence[str] = ()
) -> Features:
    """Read a .csv[.gz] or .parquet file whose every column is a feature, but for the target, groups and what is left out."""
    source, grouping = open_path(Path(path)), [] if groups is None else [groups]
    refuse_partial(source, {*partial_columns(source)} - {*leave_out})
    for what in (target, *grouping, *(name for name in leave_out if name not in partial_columns(source))):
        if what not in source.names:
            msg = f"There is no column {quoted(what)}; there are {listed(source.names)}."
            raise InputError(msg, parameter={target: "y", groups: "groups"}.get(what, "leave_out"))
    names = tuple(name for name in source.names if name not in (target, groups, *leave_out))
    if not names:
        msg = "No column is left as a feature; there must be at least one besides the target."
        raise InputError(msg)
    kinds = {name: column_of(name, array).kind for name, array in source.head(_HEAD).items()}
    vectors = [name for name, kind in kinds.items() if kind == "vector"]
    if vectors:
        msg = f"Column {listed(vectors)} holds a list in each cell; give one column per number."
        raise InputError(msg)
    texts = {name for name, kind in kinds.items() if kind in ("text", "category")}
    wanted = [*names, target, *grouping]
    numbers = [name for name in wanted if name not in texts]
    try:
        blocks = list(source.batches([name for name in wanted if name in texts], numbers))
    except InputError as error:
        if (told := next(_late_texts(source, numbers), None)) is not None:
            raise InputError(told) from error
        raise
    columns = {name: _array([block[name] for block in blocks], text=name in texts) for name in wanted}
    features = [_coded(columns[name], name) if name in texts else columns[name] for name in names]
    coded = tuple(i for i, name in enumerate(names) if name in texts)
    y = columns[target]
    missing = [v is None or v == "" for v in y] if y.dtype == object else np.isnan(y)
    if np.any(missing):
        msg = f"Column {quoted(target)} is empty in {int(np.sum(missing)):,} of {y.size:,} rows; learners need a target in each."
        raise InputError(msg)
    if y.dtype == object:
        y = y.astype(str)
    elif np.array_equal(y, np.rint(y)):
        y = y.astype(np.int64)
    return Features(np.column_stack(features), y, None if groups is None else columns[groups], coded)


def _late_texts(source: Source, numbers: Sequence[str]) -> Iterator[str]:
    """Say where text stands in columns that began with numbers, which only the head of the file was asked about."""
    before = 0
    for block in source.batches(numbers, []) if source.cells else ():
        columns = {name: _array([block[name]], text=True) for name in numbers}
        for name, cells in columns.items():
            for at, cell in enumerate(cells):
                try:
                    float("nan" if cell is None or is_nothing(cell.strip()) else cell.replace(",", "."))
                except ValueError:
                    where = f"{safe(source.name)}: column {quoted(name)} begins with numbers but holds {quoted(cell)} in row"
                    told = f"{where} {before + at + 1:,}. Correct or empty that cell, or leave the column out with "
                    yield wording(told, argument("leave_out"), ".")
        before += len(next(iter(columns.values()), ()))


def _array(parts: Sequence[pa.Array], *, text: bool) -> AnyArray:
    if text:
        values = [value for part in parts for value in part.to_pylist()]
        return np.array([value.decode() if isinstance(value, bytes) else value for value in values], dtype=object)
    return np.concatenate([numbers_of(part, "").astype(np.float64) for part in parts])


def _coded(values: AnyArray, name: str) -> FloatArray:
    """Return a number for each text; nothing is a value like another."""
    texts = np.array(["" if value is None else str(value) for value in values])
    levels, codes = np.unique(texts, return_inverse=True)
    if levels.size > _MOST_VALUES:
        msg = f"Column {quoted(name)} holds {levels.size:,} different texts: it is no feature. Leave it out with "
        raise InputError(msg, argument("leave_out"), ".")
    return codes.astype(np.float64)


def understanding_text(learner: Any, features: Features) -> Any:
    """Return a learner that sees a column of its own for each value of a text, found anew in each fold."""
    if not features.coded:
        return learner
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    apart = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_pipeline(make_column_transformer((apart, list(features.coded)), remainder="passthrough"), learner)
