"""Blocks of rows: of one length, with no texts but their own."""

from __future__ import annotations

import copy
import gzip
from contextlib import suppress
from hashlib import sha256

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge import InputError
from adjudge._base.arrays import BLOCK, STREAMED
from adjudge.predictions.sources import hash_while_read, open_path
from adjudge.predictions.streams import Fingerprint, own_texts


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


class TestFingerprint:
    """The SHA-256 is that of the bytes on disk, however and whenever it is made."""

    TEXT = b"truth,predicted\n" + b"a,a\nb,a\n" * 500

    @pytest.fixture(params=["x.csv", "x.csv.gz", "x.parquet", "several"])
    def files(self, request, tmp_path):
        if request.param == "several":
            for i in range(3):
                (tmp_path / f"{i}.csv").write_bytes(self.TEXT)
            return sorted(tmp_path.glob("*.csv"))
        path = tmp_path / request.param
        if path.suffix == ".parquet":
            pq.write_table(pa.table({"truth": ["a", "b"] * 500, "predicted": ["a"] * 1000, "unused": list(range(1000))}), path)
        else:
            path.write_bytes(gzip.compress(self.TEXT) if path.suffix == ".gz" else self.TEXT)
        return [path]

    @pytest.fixture
    def readings(self, monkeypatch):
        made, own = [], Fingerprint._read
        monkeypatch.setattr(Fingerprint, "_read", lambda self, stopped: made.append(1) or own(self, stopped))
        return made

    def test_rows_and_bytes_are_read_once(self, files, readings):
        expected = sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
        source = open_path(files[0] if len(files) == 1 else files[0].parent)
        hash_while_read(source)
        list(source.batches(["truth"], []))
        assert [source.fingerprint() for _ in range(2)] == [expected] * 2
        assert len(readings) == (1 if files[0].suffix == ".parquet" else 0)
        list(source.batches(["truth"], []))
        assert copy.deepcopy(source).fingerprint() == expected

    def test_nothing_is_hashed_unless_asked_for(self, files, readings):
        source = open_path(files[0])
        list(source.batches(["truth"], []))
        assert source.hashed._beside is None
        assert source.hashed._value is None
        assert source.fingerprint() == sha256(files[0].read_bytes()).hexdigest()
        assert len(readings) == 1

    def test_a_reading_that_stops_early_makes_none(self, files):
        source = open_path(files[0])
        hash_while_read(source)
        blocks = source.batches(["truth"], ["unused"] if files[0].suffix == ".parquet" else [])
        next(blocks)
        blocks.close()
        assert source.hashed._beside is None
        assert source.fingerprint() == sha256(files[0].read_bytes()).hexdigest()

    def test_bytes_after_the_end_of_a_zipped_file_count(self, tmp_path):
        path = tmp_path / "x.csv.gz"
        path.write_bytes(gzip.compress(self.TEXT) + gzip.compress(b"b,b\n") + b"\0" * 100)
        source = open_path(path)
        hash_while_read(source)
        with suppress(InputError):
            list(source.batches(["truth"], []))
        assert source.fingerprint() == sha256(path.read_bytes()).hexdigest()

    @pytest.mark.parametrize(
        "verb", [adjudge.evaluate, adjudge.count, lambda path: adjudge.count_pairs(path, path, by_position=True)]
    )
    def test_verbs_ask_before_they_read(self, verb, tmp_path, readings):
        path = tmp_path / "x.csv"
        path.write_bytes(self.TEXT)
        found = verb(path).to_dict()
        assert sha256(self.TEXT).hexdigest() in str(found)
        assert not readings


def test_a_gzipped_file_with_any_wrong_byte_is_refused_in_a_sentence_or_read(tmp_path):
    whole = gzip.compress(b"truth,predicted,p_b\n" + b"a,a,0.1\nb,b,0.8\na,b,0.6\n" * 40, mtime=0)
    refused = 0
    for at in range(10, len(whole), 2):
        path = tmp_path / "wrong.csv.gz"
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            adjudge.evaluate(path)
        except InputError as error:
            refused += 1
            assert "\n" not in str(error)  # noqa: PT017 - some files can be read
    assert refused > 0.8 * len(range(10, len(whole), 2))
