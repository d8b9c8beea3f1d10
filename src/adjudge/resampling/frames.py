"""Frames as Arrow files, wherever they come back exactly as they were."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

_KEY = b"adjudge"


def write_frame(path: Path, values: Any) -> bool:
    """Write a pandas or polars frame, or an array of texts; False where reading it back would give something else."""
    with suppress(Exception):  # whatever Arrow cannot hold, in its many ways of saying so, goes another way
        kind, table = _as_arrow(values)
        _save(path, table.replace_schema_metadata({**(table.schema.metadata or {}), _KEY: json.dumps(kind)}))
        if _same(values, read_frame(path)):
            return True
    path.unlink(missing_ok=True)
    return False


def read_frame(path: Path) -> Any:
    """Return what :func:`write_frame` wrote."""
    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
    kind = json.loads(table.schema.metadata[_KEY])
    metadata = {key: value for key, value in table.schema.metadata.items() if key != _KEY}
    table = table.replace_schema_metadata(metadata or None)
    if kind == "texts":
        return np.array(table.column("").to_pylist(), dtype=object)
    if kind == "pandas":
        return table.to_pandas(use_threads=False)  # the frame is read in processes that are about to be copied
    import narwhals.stable.v2 as nw

    return nw.from_arrow(table, backend=kind).to_native()


def _as_arrow(values: Any) -> tuple[str, pa.Table]:
    """Return what a frame is and its columns; raises where it is none."""
    if type(values) is np.ndarray:
        return "texts", pa.table({"": pa.array(_texts(values), pa.string())})
    import narwhals.stable.v2 as nw

    frame = nw.from_native(values, eager_only=True)
    if frame.implementation.is_pandas():
        return "pandas", pa.Table.from_pandas(values)
    return frame.implementation.name.lower(), frame.to_arrow()


def _texts(values: Any) -> list[str]:
    if values.ndim != 1 or any(type(value) is not str for value in values):
        msg = "not a list of texts"
        raise TypeError(msg)
    return list(values)


def _save(path: Path, table: pa.Table) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def _same(a: Any, b: Any) -> bool:
    """Say whether two frames agree in values, types, names and, as fits add up in its order, memory."""
    if type(a) is np.ndarray:
        return bool(np.array_equal(a, b))
    if type(a) is not type(b) or list(a.columns) != list(b.columns) or list(a.dtypes) != list(b.dtypes):
        return False
    return bool(a.equals(b)) and _order(a) == _order(b)


def _order(frame: Any) -> tuple[bool, bool]:
    flags = np.asarray(frame).flags
    return bool(flags.c_contiguous), bool(flags.f_contiguous)
