"""Cases that surely do not fit in memory are refused before they are read, with the numbers and what to do instead."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.described import mentions

import adjudge
from adjudge import InputError, Predictions
from adjudge.predictions.parquet_source import ParquetSource

N = 400
LABELS = 2 * 1 + 8  # bytes of truth, decision and identity, as sets side by side hold them at least
PROBABILITIES = 2 * 8
DRAWN = "Draw some of the rows at random"
MOST = 2 << 30


@pytest.fixture
def there(monkeypatch):
    """Return a function that says how much memory there is to be."""
    return lambda most: monkeypatch.setattr("adjudge.predictions.model.most_memory", lambda: most)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    rng = np.random.default_rng(1)
    p = rng.uniform(0.1, 0.9, N)
    truth = (rng.random(N) < p).astype(int)
    columns = {"row": np.arange(N), "truth": truth, "predicted": (p > 0.4).astype(int), "p_0": 1 - p, "p_1": p}
    path = tmp_path_factory.mktemp("much") / "much.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def auc(one):
    return adjudge.compare(one, one, measure="auc")


@pytest.mark.parametrize(
    ("verb", "least", "said"),
    [
        (lambda one: adjudge.count_pairs(one, one), 3 * N * LABELS, "count_pairs(a, b"),
        (auc, 3 * N * (LABELS + PROBABILITIES), "Take the same part of the cases"),
        (lambda one: adjudge.rank([one] * 4, measure="auc"), 5 * N * (LABELS + PROBABILITIES), "Name fewer sets, or take"),
        (lambda one: adjudge.partition(adjudge.read(one)), 2 * N * (16 + 8 + PROBABILITIES), DRAWN),
        (adjudge.recommend, 2 * N * (16 + PROBABILITIES), DRAWN),
    ],
    ids=["count_pairs", "compare", "rank", "partition", "recommend"],
)
def test_a_byte_too_little_is_refused_before_a_row_is_read(path, there, monkeypatch, verb, least, said):
    there(least)
    verb(path)
    there(least - 1)
    read = []
    monkeypatch.setattr(ParquetSource, "batches", lambda *_: read.append(1))
    with pytest.raises(InputError) as refused:
        verb(path)
    assert said in str(refused.value)
    assert refused.value.exit_code == 2
    assert not read


def test_the_sentence_has_the_numbers_of_all_sets(path, there):
    there(int(2e9))
    made = [adjudge.read(path)] * 30
    many = [Predictions.of(replace_rows(each.source, 10**8), each.roles, each.reading) for each in made]
    with pytest.raises(InputError) as refused:
        adjudge.rank(many)
    told = "These 30 sets: all cases are needed at once, and 3,000,000,000 rows take at least 31,000 MB of memory; there are at most "
    assert str(refused.value) == told + (
        "2,000 MB. Name fewer sets, or take the cases part by part: count each part with "
        'count_pairs(a, b, names=("a", "b")), and compare all these counts.'
    )
    assert "adjudge count A B --paired --names A,B -o FILE.counts" in refused.value.wording.in_shell({})


def replace_rows(source, rows):
    """Return a source that says it has so many rows."""

    class Longer(ParquetSource):
        def about(self):
            return rows

    return Longer(source.files)


@pytest.mark.parametrize("how", [{"missing": "drop"}, {"missing_scores": "drop"}, {"duplicates": "first"}])
def test_rows_that_may_be_left_out_are_not_counted(path, there, how):
    there(1)
    made = adjudge.read(path)
    given = Predictions.of(made.source, made.roles, replace(made.reading, **how))
    assert adjudge.partition(given)


def test_text_is_not_refused_by_an_estimate(write_csv, there):
    rng = np.random.default_rng(1)
    p = rng.random(N).round(3)
    there(1)
    path = write_csv({"truth": (rng.random(N) < p).astype(int).tolist(), "p_0": (1 - p).tolist(), "p_1": p.tolist()})
    assert adjudge.partition(adjudge.read(path))


def test_arrays_of_single_precision(there):
    truth = np.arange(N) % 2
    p = np.random.default_rng(1).random(N).astype(np.float32)
    made = Predictions(truth, scores={0: 1 - p, 1: p})
    least = N * (16 + 2 * 4)  # once: blocks of arrays may be views of them
    there(least)
    assert adjudge.partition(made)
    there(least - 1)
    with pytest.raises(InputError, match="arrays: all cases"):
        adjudge.partition(made)


def test_a_system_that_does_not_say_refuses_nothing(path, there):
    there(None)
    assert auc(path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS bounds memory on Linux only")
@pytest.mark.parametrize(("sets", "code"), [(2, 0), (24, 2)])
def test_under_a_real_limit(tmp_path, sets, code):
    """Twenty-four sets of ten million rows, whose identities would be refused as soon as they were read."""
    rows = 10_000_000 if code else 300_000
    right = pa.array(np.arange(rows, dtype=np.int8) % 2)
    row = pa.array(np.zeros(rows, dtype=np.int8) if code else np.arange(rows))
    pq.write_table(pa.table({"row": row, "truth": right, "predicted": right}), tmp_path / "much.parquet")
    found = subprocess.run(
        [sys.executable, "-m", "adjudge", "compare", *["much.parquet"] * sets, "--row", "row"],
        cwd=tmp_path,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST, MOST)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == code, found.stderr
    if code:
        assert mentions(
            found.stderr, "adjudge: These 24 sets: all cases", "240,000,000 rows take at least 2,500 MB", "at most 2,147 MB"
        )
        assert mentions(found.stderr, "adjudge count A B --paired --names A,B -o FILE.counts")
