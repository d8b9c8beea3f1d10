"""Files of predictions, and of cases to learn from, of any size, written block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

_BLOCK = 1 << 20
_Part = tuple[int, int, np.random.Generator]  # the first row, how many, and where chance comes from


def write(path: Path, n: int, *, classes: int = 2, score: bool = False, row: bool = False, right: float = 0.8) -> Path:
    """Write `n` predictions as .parquet or .csv: texts for the truth, always the same, and the decision.

    With `score` the two classes have probabilities, with `row` each case has a number.
    """
    return _written(path, (_predictions(part, classes, score=score, row=row, right=right) for part in _parts(n)))


def write_folder(folder: Path, n: int, files: int = 20) -> Path:
    """Write `n` predictions of three classes, with probabilities, as so many files of one folder."""
    folder.mkdir()
    names, rng, each = pa.array(["ant", "bee", "cow"]), np.random.default_rng(20241201), -(-n // files)
    for i, start in enumerate(range(0, n, each)):
        weights = rng.standard_exponential((min(each, n - start), 3))
        p = weights / weights.sum(axis=1, keepdims=True)
        truth, predicted = (p.cumsum(axis=1) > rng.random((len(p), 1))).argmax(axis=1), p.argmax(axis=1)
        labels = {"truth": names.take(pa.array(truth)), "predicted": names.take(pa.array(predicted))}
        scores = {f"p_{name}": p[:, at] for at, name in enumerate(names.to_pylist())}
        pyarrow.parquet.write_table(pa.table(labels | scores), folder / f"{i:03}.parquet")
    return folder


def write_models(folder: Path, models: int, n: int, classes: int, *, score: bool = True) -> list[Path]:
    """Write what so many models predict of the same `n` cases, with probabilities of all classes unless `score` is off."""
    folder.mkdir(exist_ok=True)
    rng, names, paths = np.random.default_rng(20241205), pa.array([f"c{i}" for i in range(classes)]), []
    truth = rng.integers(0, classes, n)
    for model in range(models):
        columns: dict[str, pa.Array] = {}
        predicted = np.where(rng.random(n) < 0.7 + 0.002 * model, truth, rng.integers(0, classes, n))
        if score:
            weights = rng.standard_exponential((n, classes))
            weights[np.arange(n), predicted] = weights.max(axis=1) + 0.5
            p = weights / weights.sum(axis=1, keepdims=True)
            columns = {f"p_c{i}": pa.array(p[:, i]) for i in range(classes)}
        labels = {"truth": names.take(pa.array(truth)), "predicted": names.take(pa.array(predicted))}
        paths.append(folder / f"{model:03}.parquet")
        pyarrow.parquet.write_table(pa.table({"id": pa.array(np.arange(n))} | labels | columns), paths[-1])
    return paths


def write_cases(path: Path, n: int, features: int) -> Path:
    """Write `n` cases of two classes with normal features to learn from."""
    return _written(path, (_cases(part, features) for part in _parts(n)))


def _parts(n: int) -> Iterator[_Part]:
    rng = np.random.default_rng(20241201)
    return ((start, min(_BLOCK, n - start), rng) for start in range(0, n, _BLOCK))


def _written(path: Path, tables: Iterable[pa.Table]) -> Path:
    tables = iter(tables)
    first = next(tables)
    kind = pyarrow.parquet.ParquetWriter if path.suffix == ".parquet" else pyarrow.csv.CSVWriter
    with kind(path, first.schema) as writer:
        for table in chain([first], tables):
            writer.write_table(table)
    return path


def _predictions(part: _Part, classes: int, *, score: bool, row: bool, right: float) -> pa.Table:
    start, n, rng = part
    names = pa.array(["no", "yes"] if classes == 2 else [f"c{i}" for i in range(classes)])
    truth = rng.integers(0, classes, n)
    predicted = np.where(rng.random(n) < right, truth, rng.integers(0, classes, n))
    columns = {"id": pa.array(np.arange(start, start + n))} if row else {}
    columns |= {"truth": names.take(pa.array(truth)), "predicted": names.take(pa.array(predicted))}
    if score:
        # Nine digits, as files have them: nearly every case has a score of its own.
        given = np.round(0.5 + rng.beta(2, 1.5, n) / 2 * np.where(predicted == 1, 1, -1), 9)
        columns |= {"p_no": pa.array(1 - given), "p_yes": pa.array(given)}
    return pa.table(columns)


def _cases(part: _Part, features: int) -> pa.Table:
    _, n, rng = part
    truth = rng.integers(0, 2, n)
    columns = {f"x{i}": pa.array(rng.standard_normal(n) + 0.3 * truth) for i in range(features)}
    return pa.table(columns | {"class": pa.array(["no", "yes"]).take(pa.array(truth))})
