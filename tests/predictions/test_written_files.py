"""Files of every writer, read by every reader: the same bytes of counts, or the same sentence."""

from __future__ import annotations

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import adjudge
from adjudge import InputError

N = 40
TRUTH = np.arange(N) % 2
SCORE = np.where(TRUTH == 1, 0.75, 0.25) + np.arange(N) % 5 / 100


def scores(*strange):
    return [*strange, *SCORE.tolist()[len(strange) :]]


RANKED = {"scores": "score", "scores_are": "scores", "positive": 1, "missing_scores": "drop"}
COLUMNS = {
    "integers": ({"truth": pa.array(TRUTH, pa.int8()), "score": SCORE}, {}),
    "floats": ({"truth": TRUTH.astype(float), "score": SCORE}, {}),
    "booleans": ({"truth": TRUTH == 1, "score": SCORE}, {}),
    "texts": ({"truth": np.array(["no", "yes"])[TRUTH], "score": SCORE}, {}),
    "dictionaries": ({"truth": pa.array(np.array(["no", "yes"])[TRUTH]).dictionary_encode(), "score": SCORE}, {}),
    "missing labels": ({"truth": pa.array([None, *TRUTH.tolist()[1:]]), "score": SCORE}, {"missing": "drop"}),
    "missing labels refused": ({"truth": pa.array([None, *TRUTH.tolist()[1:]]), "score": SCORE}, {}),
    "NaN": ({"truth": TRUTH, "score": scores(np.nan)}, RANKED),
    "null": ({"truth": TRUTH, "score": pa.array(scores(None))}, RANKED),
    "null and NaN": ({"truth": TRUTH, "score": pa.array(scores(None, np.nan))}, RANKED),
    "NaN refused": ({"truth": TRUTH, "score": scores(np.nan)}, RANKED | {"missing_scores": "error"}),
    "negative zero": ({"truth": TRUTH, "score": scores(-0.0, 0.0, -0.0, 0.0)}, RANKED),
    "infinite": ({"truth": TRUTH, "score": scores(np.inf, -np.inf, 1e300, 1e-300)}, RANKED),
    "lists": ({"truth": TRUTH, "score": np.column_stack([1 - SCORE, SCORE]).tolist()}, {"scores": "score"}),
    "lists as labels": ({"truth": [[each] for each in TRUTH.tolist()], "score": SCORE}, {"truth": "truth"}),
}
WRITERS = {
    "pyarrow": pq.write_table,
    "polars": lambda table, path: pl.DataFrame(table).write_parquet(path),
    "duckdb": lambda table, path: duckdb.connect().from_arrow(table).write_parquet(str(path)),
}
READERS = {
    "own": lambda path: path,
    "polars": pl.scan_parquet,
    "duckdb": lambda path: duckdb.connect().read_parquet(str(path)),
    "pyarrow": ds.dataset,
}


def told(source, roles):
    try:
        found = adjudge.count(
            source, truth="truth", **{name: value for name, value in roles.items() if name != "truth"}
        ).to_dict()
    except InputError as error:
        return str(error)
    return {name: value for name, value in found.items() if name not in ("name", "fingerprints")}


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_every_reader_of_every_writer(kind, writer, tmp_path):
    columns, roles = COLUMNS[kind]
    path = tmp_path / "x.parquet"
    WRITERS[writer](pa.table(columns), path)
    expected = told(path, roles)
    assert isinstance(expected, str) == (kind.endswith("refused") or kind == "lists as labels"), expected
    for name, reader in READERS.items():
        assert repr(told(reader(path), roles)) == repr(expected), name
