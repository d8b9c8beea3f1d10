"""Blocks of rows: of one length, with no texts but their own."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge._base.arrays import BLOCK, STREAMED
from adjudge.predictions.sources import open_path
from adjudge.predictions.streams import own_texts


@given(st.lists(st.one_of(st.none(), st.sampled_from("abcdefgh")), min_size=1), st.integers(0, 7), st.integers(1, 5))
def test_rows_keep_no_texts_but_their_own(values, start, block):
    column = pa.array([*"hgfedcba", *values], pa.string()).dictionary_encode().slice(start, len(values))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("adjudge.predictions.streams.BLOCK", block)
        own = own_texts(column)
    assert own.to_pylist() == column.to_pylist()
    assert len(own.dictionary) <= max(len(column), block)


@pytest.mark.parametrize(
    ("columns", "rows"), [(1, STREAMED), (3, STREAMED), (7, BLOCK), pytest.param(200, 1 << 12, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_narrow_rows_come_in_longer_blocks(tmp_path, columns, rows, form):
    n = STREAMED + 10
    table = pa.table({"y": np.arange(n) % 2, **{f"p_{i}": np.full(n, 0.5) for i in range(columns)}})
    path = tmp_path / f"x.{form}"
    (pq.write_table if form == "parquet" else pacsv.write_csv)(table, path)
    source, scores = open_path(path), [f"p_{i}" for i in range(columns)]
    sizes = [len(batch["y"]) for batch in source.batches(["y"], scores)]
    assert (sum(sizes), max(sizes)) == (n, rows)
    assert max(len(batch["y"]) for batch in source.batches(["y"], [])) == BLOCK


def test_vectors_come_in_short_blocks(tmp_path):
    n = STREAMED + 10
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(np.full(2 * n, 0.5)), 2)
    pq.write_table(pa.table({"y": np.arange(n) % 2, "p": vectors, "w": np.ones(n)}), tmp_path / "x.parquet")
    batches = open_path(tmp_path / "x.parquet").batches(["y", "p"], ["w"])
    assert max(len(batch["y"]) for batch in batches) == BLOCK
