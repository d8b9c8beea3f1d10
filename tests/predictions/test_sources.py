from __future__ import annotations

import os
from pathlib import Path

import narwhals.stable.v2 as nw
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from adjudge import InputError, evaluate
from adjudge.predictions.engines import LazySource
from adjudge.predictions.sources import ColumnsSource, open_path

LABELS = {"truth": ["a", "b"] * 20, "predicted": ["a", "b"] * 20}


def accuracy(path, **options):
    return evaluate(path, **options).estimates["accuracy"].value


def text_of(columns):
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(str(cell) for cell in row) for row in rows), ""])


@pytest.mark.parametrize("suffix", [b".csv", b".parquet"])
def test_a_file_name_of_any_bytes_is_read_and_printable(suffix, tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9" + suffix))
    try:
        path.touch()
    except OSError:
        pytest.skip("this file system allows UTF-8 names only")
    if suffix == b".csv":
        path.write_text(text_of(LABELS))
    else:
        with path.open("wb") as file:
            pq.write_table(pa.table(LABELS), file)
    source = open_path(path)
    assert source.name == "caf\\udce9" + suffix.decode()
    source.name.encode("utf-8")
    assert accuracy(path) == 1


def test_levels_are_declared_where_arrays_no_longer_carry_them():
    source = ColumnsSource("arrays", {"truth": ["b", "a"], "other": ["b", "a"]}, levels={"truth": ("b", "c", "a")})
    assert source.declared("truth") == ("b", "c", "a")
    assert source.declared("other") is None


def test_a_lazy_source_declares_the_levels_it_was_given():
    frame = pl.LazyFrame({"truth": ["a"], "other": ["a"]}, schema={"truth": pl.Enum(["b", "a"]), "other": pl.Categorical})
    source = LazySource("frame", nw.from_native(frame))
    assert source.declared("truth") == ("b", "a")
    assert source.declared("other") is None


def test_blocks_that_cannot_be_joined_are_an_input_error(monkeypatch):
    batches = [pa.record_batch({"x": values}) for values in ([1], [2], ["a"])]
    monkeypatch.setattr("adjudge.predictions.frames.streamed", lambda *_: batches)
    with pytest.raises(InputError, match="The frame cannot be read"):
        list(LazySource("frame", nw.from_native(pl.LazyFrame({"x": [1]}))).batches([], ["x"]))


@pytest.mark.parametrize("path", ["x" * 5000 + ".csv", "a\0b.csv", "nowhere.csv"])
def test_a_path_nobody_can_open_is_an_input_error(path):
    with pytest.raises(InputError, match=r"path of a CSV .*Parquet"):
        open_path(Path(path))
