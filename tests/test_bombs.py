"""Small files that unpack to far more than there is memory for end in an answer or in one sentence, never in a crash."""

from __future__ import annotations

import gzip
import os
import resource
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.described import mentions

ROWS = 25_000
WORD = "x" * 100_000  # so that a column of it is 2.5 GB of text
MOST = 2 << 30
FEW_THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS bounds memory on Linux only")]


def evaluated(path, *words):
    """Return the exit code and the words of a command that may take two gigabytes of address space."""
    found = subprocess.run(
        [sys.executable, "-m", "adjudge", "evaluate", str(path), *words],
        env=os.environ | FEW_THREADS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST, MOST)),
        capture_output=True,
        text=True,
        check=False,
    )
    return found.returncode, found.stdout, found.stderr


def columns_with(name, column):
    right = pa.array(np.arange(ROWS) % 2)
    return {"truth": right, "predicted": right} | dict.fromkeys(name, column)


def bomb(path, *names, dictionary):
    """Write a file of some hundred kilobytes, or of one, whose columns hold a long text in every row."""
    text = pa.chunked_array([pa.array([WORD] * 500)] * (ROWS // 500))
    table = pa.table(columns_with(names, text))
    pq.write_table(table, path, compression="zstd", use_dictionary=dictionary, store_schema=False, row_group_size=ROWS)
    assert path.stat().st_size < 800_000
    return path


@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("column", ["note", "row", "fold"])
def test_a_long_text_in_every_row_is_held_once(tmp_path, column, dictionary):
    code, out, _ = evaluated(bomb(tmp_path / "bomb.parquet", column, dictionary=dictionary))
    assert code == 0
    assert f"{ROWS // 2:,}" in out


@pytest.mark.parametrize("dictionary", [True, False])
def test_a_long_text_as_the_truth(tmp_path, dictionary):
    code, _, err = evaluated(bomb(tmp_path / "bomb.parquet", "truth", dictionary=dictionary))
    assert code == 2
    assert mentions(err, "share no label", "column 'truth' holds 'xxx")
    assert len(err) < 1000
    code, out, _ = evaluated(bomb(tmp_path / "both.parquet", "truth", "predicted", dictionary=dictionary))
    assert code == 0
    assert len(out) < 10_000


@pytest.mark.parametrize("names", [("id",), ("truth", "predicted")])
def test_long_texts_that_all_differ_are_too_many(tmp_path, names):
    texts = pa.chunked_array([pa.array([WORD + str(i) for i in range(at, at + 500)]) for at in range(0, ROWS, 500)])
    table = pa.table(columns_with(names, texts))
    pq.write_table(table, tmp_path / "bomb.parquet", compression="zstd", use_dictionary=False, row_group_size=2000)
    del table, texts
    code, out, err = evaluated(tmp_path / "bomb.parquet")
    assert (code, out) == (2, "")
    assert err.startswith("adjudge: ")
    assert "not enough memory" in err
    assert err.count("\n") == 1


def test_a_zipped_csv_is_read_in_blocks(tmp_path):
    block = b"".join(b"%d,%d,%s\n" % (i % 2, i % 2, b"x" * 10_000) for i in range(1000))
    with gzip.open(tmp_path / "bomb.csv.gz", "wb", compresslevel=1) as file:
        file.write(b"truth,predicted,note\n")
        for _ in range(ROWS // 100):
            file.write(block)
    assert (tmp_path / "bomb.csv.gz").stat().st_size < 30_000_000
    code, out, _ = evaluated(tmp_path / "bomb.csv.gz")
    assert code == 0
    assert f"{10 * ROWS // 2:,}" in out


def test_a_zipped_csv_of_long_labels(tmp_path):
    line = b",".join([WORD.encode()] * 2) + b"\n"
    with gzip.open(tmp_path / "bomb.csv.gz", "wb", compresslevel=1) as file:
        file.write(b"truth,predicted\n")
        for _ in range(ROWS // 2):
            file.write(line)
    code, out, err = evaluated(tmp_path / "bomb.csv.gz")
    assert (code, err) == (0, "")
    assert len(out) < 10_000


def test_a_zipped_csv_of_one_line(tmp_path):
    with gzip.open(tmp_path / "bomb.csv.gz", "wb", compresslevel=1) as file:
        file.write(b"truth,predicted,note\n0,0,")
        for _ in range(2500):
            file.write(b"x" * 1_000_000)
    code, _, err = evaluated(tmp_path / "bomb.csv.gz")
    assert code == 2
    assert err.startswith("adjudge: bomb.csv.gz: cannot be read")
    assert err.count("\n") == 1
