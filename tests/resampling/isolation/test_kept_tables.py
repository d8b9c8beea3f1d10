"""Tables of a checkpoint are those of the run, whoever wrote them: of its rows, classes and probabilities."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.resampling.learners import Nearest, folds

from adjudge import InputError
from adjudge.resampling.isolation.kept_tables import opened_table, read_tables


def written(table):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue())


@pytest.fixture(scope="module")
def job():
    return folds(Nearest(), 3)


def other(name, value):
    return lambda table: table.set_column(table.column_names.index(name), name, pa.array(value(table.column(name).to_numpy())))


CHANGES = {
    "rows of another unit": other("row", lambda rows: rows + 1),
    "another truth": other("truth", lambda truth: np.roll(truth, 1)),
    "no class": other("predicted", lambda predicted: np.full(predicted.size, "z")),
    "no probability": other("p_a", lambda p: p + 2),
    "probabilities that miss 1": other("p_a", lambda p: p / 2),
    "NaN": other("p_a", lambda p: p * np.nan),
    "text for scores": other("p_a", lambda p: p.astype(str)),
    "a column twice": lambda table: table.append_column("truth", table.column("truth")),
    "no column": lambda table: table.drop_columns(["fold"]),
    "an unknown column": lambda table: table.append_column("x", table.column("p_a")),
    "too few rows": lambda table: table.slice(1),
    "too many rows": lambda table: pa.concat_tables([table] * 1000),
}


def test_an_answer_comes_back(job):
    for unit in job.units:
        table = job.answer(unit).table
        assert read_tables({"unseen": written(table)}, job, unit).equals(table)
        assert opened_table(written(table)).read().equals(table)


@pytest.mark.parametrize("name", CHANGES)
def test_what_the_run_cannot_have_answered_is_refused(job, name):
    table = CHANGES[name](job.answer(1).table)
    with pytest.raises((InputError, pa.ArrowInvalid, pa.ArrowTypeError)):
        read_tables({"unseen": written(table)}, job, 1)


def test_texts_longer_than_any_class_are_refused_before_there_is_room_for_them(job):
    table = job.answer(1).table
    long = table.set_column(6, "predicted", pa.array(["x" * 1_000_000] * table.num_rows))
    sink = pa.BufferOutputStream()
    pq.write_table(long, sink, use_dictionary=False, compression="zstd")
    with pytest.raises(InputError, match="of another run"):
        read_tables({"unseen": bytes(sink.getvalue())}, job, 1)
