"""What a run found: predictions, and what went wrong."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.csv import write_csv
from pyarrow.parquet import write_table as write_parquet

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.files import write_whole
from adjudge._base.findings import Finding
from adjudge._base.show import Shown
from adjudge._base.text import counted, listed, quoted
from adjudge.predictions.model import Predictions, Reading
from adjudge.predictions.roles import Roles, Scale
from adjudge.predictions.sources import ColumnsSource
from adjudge.resampling.answers import Answer, Part, Said, joined, score_names, together
from adjudge.resampling.plan import Plan


class AllFailedError(InputError):
    """No unit of a plan has an answer; `failures` says why, by unit."""

    def __init__(self, message: str, failures: Mapping[int, str] | None = None) -> None:
        super().__init__(message)
        self.failures = dict(failures or {})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ran(Shown):
    """A plan carried out: what was said of every case, never how good it was."""

    plan: Plan
    predictions: Predictions
    """Of cases the units did not learn from, with row and fold."""
    of_seen: pa.Table | Said | None
    """What a learner that learnt from all cases said of them; None where that failed."""
    everything: Predictions | None
    """Of all cases by every round of a bootstrap."""
    failures: dict[int, str]
    """Why a unit has no answer; unit len(plan) is the one that sees all rows."""
    seconds: FloatArray
    """What each unit took."""
    classes: tuple[Any, ...]
    """The classes sorted; none where numbers are predicted."""
    untaught: dict[int, tuple[Any, ...]]
    """The classes of which a unit had no case to learn from."""
    scale: Scale | None
    """What the learner gave beside decisions."""
    times: AnyArray
    """How often each row was judged."""
    remarks: tuple[Finding, ...] = ()
    """What the run itself has to say, such as of a checkpoint that was damaged."""

    @property
    def numeric(self) -> bool:
        """Whether numbers are predicted."""
        return not self.classes

    @property
    def seen(self) -> Predictions | None:
        """Of all cases by a learner that learnt from all of them; None where that failed."""
        if self.of_seen is None:
            return None
        return _predictions(together([self.of_seen]), self.plan, self.classes, self.scale, name="the training cases")

    @property
    def answered(self) -> int:
        """How many of the plan's units have an answer."""
        return len(self.plan) - sum(unit < len(self.plan) for unit in self.failures)

    @property
    def cases(self) -> int:
        """How many different cases were judged."""
        return int(np.count_nonzero(self.times))

    @property
    def _columns(self) -> Mapping[str, Any]:
        source = self.predictions.source
        assert isinstance(source, ColumnsSource)
        return source.columns

    @property
    def by_case(self) -> Predictions:
        """The predictions with weights by which every case counts once, however often it was judged."""
        weight = 1 / self.times[np.asarray(self._columns["row"])]
        roles, reading = self.predictions.roles, self.predictions.reading
        weighted = Roles(roles.truth, roles.predicted, row="row", fold="fold", weight="weight", numeric=roles.numeric)
        source = ColumnsSource(self.predictions.source.name, {**self._columns, "weight": weight})
        return Predictions.of(source, weighted, reading)

    @property
    def folds(self) -> IntArray:
        """The fold of every answer."""
        return np.asarray(self._columns["fold"])

    def numbers(self) -> tuple[AnyArray, AnyArray, AnyArray]:
        """Return the fold, the truth and the prediction of every answer of a numeric learner."""
        fold, truth, predicted = (np.asarray(self._columns[name]) for name in ("fold", "truth", "predicted"))
        return fold, truth, predicted

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the predictions as a .csv or a .parquet file, to be read by :func:`adjudge.read`."""
        kind = Path(path).suffix.lower()
        if kind not in (".csv", ".parquet"):
            msg = f"Predictions are saved as .csv or .parquet; got {quoted(Path(path).name)}."
            raise InputError(msg)
        sink = pa.BufferOutputStream()
        (write_csv if kind == ".csv" else write_parquet)(pa.table(dict(self._columns)), sink)
        return write_whole(path, sink.getvalue().to_pybytes())

    def __repr__(self) -> str:
        return f"{self.answered} of {counted(len(self.plan), 'unit')} of {self.plan!r}"


def gather(
    answers: Mapping[int, Answer],
    plan: Plan,
    classes: tuple[Any, ...],
    untaught: dict[int, tuple[Any, ...]],
    ready: pa.Table | None,
) -> Ran:
    """Put the answers of all units together, in the order of the units; `ready` are answers got all at once."""
    units = [answers[unit] for unit in sorted(answers)]
    told, failures = _sound(units)
    unseen = [*([] if ready is None else [ready]), *(said for unit, said in told.items() if unit < len(plan))]
    if not unseen:
        unit, why = next(iter(failures.items()))
        msg = f"All {counted(len(plan), 'unit')} failed; nothing can be judged. Fold {unit + 1}: {why}."
        raise AllFailedError(msg, failures)
    table = together([_part(each, "unseen", plan) for each in unseen])
    scale: Scale | None = None
    if classes and set(score_names("probabilities", classes)) <= set(table.column_names):
        scale = "probabilities"
    elif classes and set(score_names("scores", classes[-1:])) <= set(table.column_names):
        scale = "scores"
    seconds = np.zeros(len(plan) + 1)
    for answer in units:
        seconds[answer.unit] = answer.seconds
    said = [_part(each, "all", plan) for each in unseen] if plan.kind == "bootstrap" else []
    everything = joined(*said).select(["fold", "row", "truth", "predicted"]) if said else None
    every = None if everything is None else _predictions(everything, plan, classes, None)
    times = np.bincount(np.asarray(table.column("row")), minlength=plan.rows)
    unseen_said = _predictions(table, plan, classes, scale)
    return Ran(plan, unseen_said, told.get(len(plan)), every, failures, seconds, classes, untaught, scale, times)


def _sound(answers: Sequence[Answer]) -> tuple[dict[int, pa.Table | Said], dict[int, str]]:
    """Return what was said under the same columns by unit, and the failures; an answer unlike most others is one."""
    found = [answer.names for answer in answers if answer.said is not None]
    usual = max(dict.fromkeys(found), key=found.count, default=())
    told: dict[int, pa.Table | Said] = {}
    failures: dict[int, str] = {}
    for answer in answers:
        names = answer.names
        if answer.said is None:
            failures[answer.unit] = answer.failure or "no answer"
        elif names == usual:
            told[answer.unit] = answer.said
        else:
            odd = listed(name for name in (*names, *usual) if (name in names) != (name in usual))
            failures[answer.unit] = f"answered with or without {odd}, unlike the others"
    return told, failures


def _part(said: pa.Table | Said, part: Part, plan: Plan) -> pa.Table | Said:
    return said if plan.kind != "bootstrap" or isinstance(said, Said) else said.filter(pc.equal(said.column("part"), part))


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
