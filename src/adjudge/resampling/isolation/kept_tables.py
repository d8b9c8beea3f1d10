"""Tables of answers read from a checkpoint: of the size, rows and classes that the run has, whoever wrote them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from adjudge._base import InputError
from adjudge.resampling.learner import Job
from adjudge.resampling.run_result import COLUMNS, as_table, joined, score_names

_ROOM = 1 << 20  # bytes of a file beside its numbers
_EACH = 64  # bytes of a number at most
_SLACK, _SUM = 1e-6, 1e-3  # of one probability, and of their sum
_KNOWN = COLUMNS[:-1]  # what the run knows without an answer


def read_tables(files: dict[str, bytes], job: Job, unit: int) -> pa.Table:
    """Return what a unit answered; refuse what it cannot have answered, before there is room for it."""
    expected = _expected(job, unit)
    room = _ROOM + 4 * int(expected.nbytes) + _EACH * expected.num_rows * (len(COLUMNS) + len(job.classes))
    opened = [opened_table(data) for data in files.values()]
    _need(sum(file.metadata.num_rows for file in opened) == expected.num_rows)
    for file in opened:
        groups = [file.metadata.row_group(at) for at in range(file.metadata.num_row_groups)]
        _need(sum(group.total_byte_size for group in groups) <= room and len(groups) <= expected.num_rows)
    table = pa.concat_tables([file.read(use_threads=False) for file in opened])
    table.validate(full=True)
    _need(table.column_names[: len(COLUMNS)] == list(COLUMNS) and len(set(table.column_names)) == table.num_columns)
    _need(table.select(_KNOWN).equals(expected.select(_KNOWN)))
    _check_answers(table, job)
    return table


def opened_table(data: bytes) -> pq.ParquetFile:
    """Return a file of answers, opened; read it without threads.

    One file of one unit needs none, and threads that read from Python's own files may abort the process as it ends
    (apache/arrow#34314, apache/arrow#50482).
    """
    return pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True, pre_buffer=False)


def _need(holds: bool) -> None:  # noqa: FBT001 - reads as a sentence
    if not holds:
        msg = "a table is of another run"
        raise InputError(msg)


def _expected(job: Job, unit: int) -> pa.Table:
    """Return the columns of an answer that are known before it, those of rows learnt from first."""
    last, judged = unit == len(job.plan), job.rows(unit)[1]
    repeat, part = (0, "seen") if last else (job.plan.repeat[unit], "unseen")
    told = as_table(unit, repeat, part, judged, job.y, job.y[judged], None)  # type: ignore[arg-type]
    if last or job.plan.kind != "bootstrap":
        return told
    everything = np.arange(job.plan.rows)
    return joined(as_table(unit, repeat, "all", everything, job.y, job.y, None), told)


def _check_answers(table: pa.Table, job: Job) -> None:
    """Refuse predictions that are no classes or no numbers, and scores that are none."""
    predicted = table.column("predicted")
    if job.numeric:
        _need(pa.types.is_floating(predicted.type) and bool(np.isfinite(predicted.to_numpy()).all()))
    else:
        _need(bool(pc.all(pc.is_in(predicted, value_set=pa.array(np.array(job.classes)))).as_py()))
    names = tuple(table.column_names[len(COLUMNS) :])
    ways = {scale: score_names(scale, job.classes) for scale in ("probabilities", "scores")}
    _need(names in ((), *ways.values(), ways["scores"][1:]))
    if not names:
        return
    _need(all(pa.types.is_float64(column.type) for column in table.columns[len(COLUMNS) :]))
    scored = table.filter(pc.not_equal(table.column("part"), "all")).select(names)
    _need(not any(column.null_count for column in scored.columns))
    values = np.column_stack([column.to_numpy() for column in scored.columns])
    _need(not np.isnan(values).any() and not (values == np.inf).any())
    if names == ways["probabilities"]:
        _need(bool(values.min() >= -_SLACK and values.max() <= 1 + _SLACK and np.abs(values.sum(axis=1) - 1).max() <= _SUM))
