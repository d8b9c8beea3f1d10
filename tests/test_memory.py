"""Memory follows the classes and the blocks, not the rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.memory import peak_of

pytestmark = pytest.mark.slow

EVALUATE = """
import sys, adjudge
found = adjudge.evaluate(sys.argv[1], **dict(word.split("=") for word in sys.argv[2:]))
print(found.counts.n, *(f.code for f in found.findings))
"""
REPORT = """
import sys, adjudge
found = adjudge.evaluate(sys.argv[1])
print(found.counts.n, len(found.to_html()))
"""


def peak(path: Path, *roles: str) -> tuple[int, int, list[str]]:
    (n, *codes), megabytes = peak_of(EVALUATE, path, *roles)
    return int(n), megabytes, codes


def write(path: Path, rows: int, *, scores: bool) -> Path:
    rng = np.random.default_rng(5)
    kind = pa.schema(
        [
            ("truth", pa.string()),
            ("predicted", pa.string()),
            *([("p_yes", pa.float64()), ("p_no", pa.float64())] if scores else []),
        ]
    )
    names = pa.array(["no", "yes"])
    with pq.ParquetWriter(path, kind, use_dictionary=["truth", "predicted"]) as writer:
        for start in range(0, rows, 1 << 20):
            n = min(1 << 20, rows - start)
            truth = rng.random(n) < 0.3
            p = np.round(1 / (1 + np.exp(-(rng.standard_normal(n) + truth))), 12)
            columns = [*(names.take(pa.array(each.astype(int))) for each in (truth, p > 0.5)), *([p, 1 - p] if scores else [])]
            writer.write_table(pa.table(dict(zip(kind.names, columns, strict=True)), schema=kind))
    return path


def test_three_times_the_rows_cost_no_more_memory(tmp_path):
    """From a few row groups on, what Arrow reads ahead is what there is."""
    small = peak(write(tmp_path / "small.parquet", 4_000_000, scores=False))
    large = peak(write(tmp_path / "large.parquet", 12_000_000, scores=False))
    assert (small[0], large[0]) == (4_000_000, 12_000_000)
    assert large[1] < small[1] + 30


def test_more_scores_than_are_kept_are_binned_and_the_bound_is_said(tmp_path):
    middle = peak(write(tmp_path / "middle.parquet", 12_000_000, scores=True))
    large = peak(write(tmp_path / "large.parquet", 24_000_000, scores=True))
    assert "A305" in large[2]
    assert large[1] < middle[1] + 200


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Files of 1, 8 and 16 million decisions with an identity, a fold and a group of each case, by their millions."""
    folder = tmp_path_factory.mktemp("parts")
    return {millions: write_parts(folder / f"{millions}.parquet", millions * 1_000_000) for millions in (1, 8, 16)}


def write_parts(path: Path, rows: int) -> Path:
    """Write decisions with an identity, a fold and a group of each case."""
    rng, block = np.random.default_rng(7), 1 << 20
    kind = pa.schema([(name, pa.int64()) for name in ("case", "truth", "predicted", "fold", "group")])
    with pq.ParquetWriter(path, kind, use_dictionary=kind.names[1:]) as writer:
        for start in range(0, rows, block):
            row = np.arange(start, min(start + block, rows))
            truth, said = rng.integers(0, 2, (2, row.size))
            writer.write_table(pa.table([row, truth, said, row % 10, row % 3], schema=kind))
    return path


def test_folds_and_groups_cost_no_memory_by_the_row(parts):
    roles = ("fold=fold", "group=group")
    small, large = (peak(parts[millions], *roles) for millions in (1, 8))
    assert (small[0], large[0]) == (1_000_000, 8_000_000)
    assert large[1] < small[1] + 50


def test_identities_are_remembered_up_to_a_bound(parts):
    """Two numbers of 8 bytes for each of the first 2^23 rows, sorted in a copy: what more rows do not add to."""
    roles = ("row=case", "fold=fold", "group=group")
    small, large, larger = (peak(parts[millions], *roles) for millions in (1, 8, 16))
    assert large[1] < small[1] + 350
    assert larger[1] < large[1] + 50
    assert "A106" in larger[2]
    assert "A106" not in large[2]


@pytest.mark.parametrize("text", [False, True])
def test_a_hundred_thousand_classes_and_a_million_rows_fit_into_a_gigabyte(tmp_path, text):
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 100_000, 1_000_000)
    predicted = np.where(rng.random(truth.size) < 0.7, truth, rng.integers(0, 100_000, truth.size))
    columns = {"truth": pa.array(truth), "predicted": pa.array(predicted)}
    if text:
        names = pa.array([f"class number {i}" for i in range(100_000)])
        columns = {name: names.take(places) for name, places in columns.items()}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    (n, size), megabytes = peak_of(REPORT, tmp_path / "x.parquet")
    assert int(n) == 1_000_000
    assert megabytes < 1024
    assert int(size) < 5_000_000
