"""What units answered, as tables of predictions, and what a run of all of them found: predictions, and what went wrong."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from adjudge._base import Finding, InputError, Shown, counted, dataclass, field, listed, quoted, replace
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.files import write_whole
from adjudge.predictions.labels import text_of
from adjudge.predictions.model import Predictions, Reading
from adjudge.predictions.roles import Roles, Scale
from adjudge.predictions.sources import ColumnsSource
from adjudge.resampling.plan import Plan

Part: TypeAlias = Literal["unseen", "all", "seen"]
"""Rows the unit did not learn from; all rows, whether it did or not; or the rows of a unit that learnt from all."""
COLUMNS = ("unit", "fold", "repeat", "part", "row", "truth", "predicted")


class Scored(NamedTuple):
    """Scores by class: what they are, the classes that have a column, and rows x columns."""

    scale: Literal["probabilities", "scores"]
    classes: tuple[Any, ...]
    values: FloatArray


def score_names(scale: str, classes: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the columns of scores, named so that the class can be read off."""
    return tuple(f"{'p' if scale == 'probabilities' else 'score'}_{text_of(label)}" for label in classes)


@dataclass(frozen=True, slots=True)
class Course:
    """The errors of one fit after each of its rounds, or after the last alone; or why there are none."""

    training: tuple[float, ...] = ()  # on the cases it learnt from
    test: tuple[float, ...] = ()  # on the cases it is tested on
    stopped: str = ""  # what ended it
    failure: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The answer to one task: what was said, or the reason why nothing was."""

    unit: int
    table: pa.Table | None  # columns unit, fold, repeat, part, row, truth, predicted and one per class with scores
    failure: str | None
    seconds: float
    course: Course | None = None  # where errors round by round were asked for


def as_table(
    unit: IntArray | int,
    repeat: IntArray | int,
    part: Part,
    rows: IntArray,
    y: AnyArray,
    predicted: AnyArray,
    scored: Scored | None,
) -> pa.Table:
    """Return what a unit said of some rows of `y`; folds count from 1, so that no two units share one."""
    n = rows.size
    number, again = (np.array(np.broadcast_to(np.asarray(each, dtype=np.int32), n)) for each in (unit, repeat))
    columns: list[Any] = [number, number + np.int32(1), again + np.int32(1), pa.repeat(part, n), rows, y[rows], predicted]
    names = list(COLUMNS)
    if scored is not None:
        columns += [np.ascontiguousarray(column) for column in scored.values.T]
        names += score_names(scored.scale, scored.classes)
    return pa.Table.from_arrays([v if isinstance(v, pa.Array) else pa.array(v) for v in columns], names=names)


def joined(*tables: pa.Table) -> pa.Table:
    """Return tables one below the other; a column that one of them lacks is null there."""
    return pa.concat_tables(tables, promote_options="default")


class AllFailedError(InputError):
    """No unit of a plan has an answer; `failures` says why, by unit."""

    def __init__(self, message: str, failures: Mapping[int, str] | None = None) -> None:
        super().__init__(message)
        self.failures = dict(failures or {})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RunResult(Shown):
    """A plan carried out: what was said of every case, never how good it was."""

    plan: Plan
    predictions: Predictions  # of cases the units did not learn from, with row and fold
    of_seen: pa.Table | None  # what a learner that learnt from all cases said of them; None where that failed
    everything: Predictions | None  # of all cases by every round of a bootstrap
    failures: dict[int, str]  # why a unit has no answer; unit len(plan) is the one that sees all rows
    seconds: FloatArray  # what each unit took
    classes: tuple[Any, ...]  # the classes sorted; none where numbers are predicted
    untaught: dict[int, tuple[Any, ...]]  # the classes of which a unit had no case to learn from
    scale: Scale | None  # what the learner gave beside decisions
    times: AnyArray  # how often each row was judged
    remarks: tuple[Finding, ...] = ()  # what the run itself has to say, such as of a checkpoint that was damaged
    courses: Mapping[int, Course] = field(default_factory=dict)  # errors round by round, by unit, where they were asked for
    _untold = ("courses",)

    @property
    def numeric(self) -> bool:
        """Whether numbers are predicted."""
        return not self.classes

    @property
    def seen(self) -> Predictions | None:
        """Of all cases by a learner that learnt from all of them; None where that failed."""
        if self.of_seen is None:
            return None
        return _predictions(self.of_seen, self.plan, self.classes, self.scale, name="the training cases")

    @property
    def answered(self) -> int:
        """How many of the plan's units have an answer."""
        return len(self.plan) - sum(unit < len(self.plan) for unit in self.failures)

    @property
    def cases(self) -> int:
        """How many different cases were judged."""
        return int(np.count_nonzero(self.times))

    @property
    def columns(self) -> Mapping[str, Any]:
        """The columns of the predictions, by name: row, fold, truth, predicted and scores."""
        source = self.predictions.source
        assert isinstance(source, ColumnsSource)
        return source.columns

    def in_clusters(self, clusters: AnyArray, name: str | None = None) -> RunResult:
        """Return the same, its predictions naming the cluster of each case."""
        given, column = self.predictions, "cluster" if name is None or name in self.columns else name
        of_rows = pa.array(clusters[np.asarray(self.columns["row"])].tolist())
        source = ColumnsSource(given.source.name, {**self.columns, column: of_rows})
        roles = replace(given.roles, cluster=column)
        return replace(self, predictions=Predictions.of(source, roles, given.reading, given.found, given.training))

    @property
    def by_case(self) -> Predictions:
        """The predictions with weights by which every case counts once, however often it was judged."""
        weight = 1 / self.times[np.asarray(self.columns["row"])]
        roles, reading = self.predictions.roles, self.predictions.reading
        weighted = Roles(roles.truth, roles.predicted, row="row", fold="fold", weight="weight", numeric=roles.numeric)
        source = ColumnsSource(self.predictions.source.name, {**self.columns, "weight": weight})
        return Predictions.of(source, weighted, reading)

    def save(self, path: str | os.PathLike[str]) -> Path:  # type: ignore[override]  # data, which have no title
        """Write the predictions as a .csv or a .parquet file, to be read by :func:`adjudge.read`."""
        from pyarrow.csv import write_csv
        from pyarrow.parquet import write_table

        kind = Path(path).suffix.lower()
        if kind not in (".csv", ".parquet"):
            msg = f"Predictions are saved as .csv or .parquet; got {quoted(Path(path).name)}."
            raise InputError(msg)
        sink = pa.BufferOutputStream()
        table = pa.table(dict(self.columns))
        write_csv(table, sink) if kind == ".csv" else write_table(table, sink, write_page_checksum=True)
        return write_whole(path, sink.getvalue().to_pybytes())

    def __repr__(self) -> str:
        return f"{self.answered} of {counted(len(self.plan), 'unit')} of {self.plan!r}"


def gather(
    answers: Mapping[int, Answer],
    plan: Plan,
    classes: tuple[Any, ...],
    untaught: dict[int, tuple[Any, ...]],
    ready: pa.Table | None = None,
) -> RunResult:
    """Put the answers of all units together, in the order of the units; `ready` are answers got all at once."""
    units = [answers[unit] for unit in sorted(answers)]
    named = Counter(tuple(answer.table.column_names) for answer in units if answer.table is not None)
    usual = max(named, key=named.__getitem__, default=())  # an answer unlike most others is a failure
    told: dict[int, pa.Table] = {}
    failures: dict[int, str] = {}
    seconds = np.zeros(len(plan) + 1)
    for answer in units:
        seconds[answer.unit] = answer.seconds
        names = () if answer.table is None else tuple(answer.table.column_names)
        if answer.table is None:
            failures[answer.unit] = answer.failure or "no answer"
        elif names == usual:
            told[answer.unit] = answer.table
        else:
            odd = listed(name for name in (*names, *usual) if (name in names) != (name in usual))
            failures[answer.unit] = f"answered with or without {odd}, unlike the others"
    answered = set(told)
    of_seen, everything = told.pop(len(plan), None), None
    if not told and ready is None:
        unit, why = next(iter(failures.items()))
        msg = f"All {counted(len(plan), 'unit')} failed; nothing can be evaluated. Fold {unit + 1}: {why}."
        raise AllFailedError(msg, failures)
    table = joined(*([] if ready is None else [ready]), *told.values())
    table = table if ready is None or not told else table.sort_by("unit")
    if plan.kind == "bootstrap":
        every = table.filter(pc.equal(table.column("part"), "all")).select(["fold", "row", "truth", "predicted"])
        everything = _predictions(every, plan, classes, None)
        table = table.filter(pc.equal(table.column("part"), "unseen"))
    scale: Scale | None = None
    if classes and set(score_names("probabilities", classes)) <= set(table.column_names):
        scale = "probabilities"
    elif classes and set(score_names("scores", classes[-1:])) <= set(table.column_names):
        scale = "scores"
    times = np.bincount(np.asarray(table.column("row")), minlength=plan.rows)
    unseen = _predictions(table, plan, classes, scale)
    courses = {answer.unit: answer.course for answer in units if answer.course is not None and answer.unit in answered}
    return RunResult(plan, unseen, of_seen, everything, failures, seconds, classes, untaught, scale, times, courses=courses)


def _predictions(
    table: pa.Table, plan: Plan, classes: tuple[Any, ...], scale: Scale | None, *, name: str | None = None
) -> Predictions:
    """Return a table as predictions; folds of one case each are no folds."""
    two, single = 2, plan.kind == "leave-one-out"
    scored = classes if scale == "probabilities" or len(classes) > two else classes[1:]
    scores = tuple(zip(scored, score_names(scale, scored), strict=True)) if scale else ()
    fold = None if single or name else "fold"
    roles = Roles("truth", "predicted", scores, scale or "probabilities", "row", fold, numeric=not classes)
    columns = {column: table.column(column).combine_chunks() for column in table.column_names}
    return Predictions.of(ColumnsSource(name or plan.name, columns), roles, Reading(classes or None))
