"""One task of a run: fit a fresh learner on some rows, ask it about others; what it answered, as tables of predictions.

A job holds everything a task needs; its number says which task. The answer depends on the job and the number alone, so that
tasks may be done anywhere, in any order, by any number of workers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from adjudge._base.arrays import AnyArray, IntArray
from adjudge.resampling.learner import ask, borrowed, decide, fit, reason
from adjudge.resampling.plan import Plan
from adjudge.resampling.run_result import Answer, Said, joined

Scores: TypeAlias = Literal["auto", "none"]


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A learner, its data and the plan to try it by; unit len(plan) learns from all rows and is asked about all of them."""

    learner: Any
    X: Any
    y: AnyArray
    plan: Plan
    seed: int
    numeric: bool
    classes: tuple[Any, ...]
    scores: Scores = "auto"
    """Whether to ask for probabilities or scores as well as decisions."""

    @property
    def units(self) -> range:
        """The numbers of all tasks, the last of which sees all rows."""
        return range(len(self.plan) + 1)

    def rows(self, unit: int) -> tuple[IntArray, IntArray]:
        """Return the rows that a unit learns from and those it is judged on."""
        if unit == len(self.plan):
            everything = np.arange(self.plan.rows)
            return everything, everything
        return self.plan.learn[unit], self.plan.judge[unit]

    def seed_of(self, unit: int) -> np.random.SeedSequence:
        """Return the source of chance for one unit, the same wherever it is done."""
        return np.random.SeedSequence([self.seed, unit])

    def answer(self, unit: int) -> Answer:
        """Fit a clone of the learner and ask it; what the learner does wrong is told in the answer, never raised."""
        start = time.perf_counter()
        try:
            with borrowed():
                said = self._asked(unit)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a learner does, the other units go on
            return Answer(unit, None, reason(error), time.perf_counter() - start)
        return Answer(unit, said, None, time.perf_counter() - start)

    def _asked(self, unit: int) -> pa.Table | Said:
        learn, judge = self.rows(unit)
        fitted = fit(self.learner, self.X, self.y, learn, seed=self.seed_of(unit))
        last = unit == len(self.plan)
        repeat = 0 if last else self.plan.repeat[unit]
        if last or self.plan.kind != "bootstrap":
            answers = ask(fitted, self, learn, judge)
            said = Said(unit, repeat, "seen" if last else "unseen", judge, self.y[judge], *answers)
            return said if said.plain else said.table  # which may fail: here it is the unit's failure and no one else's
        everything = np.arange(self.plan.rows)
        decisions = decide(fitted, self, learn, everything)
        unseen = ask(fitted, self, learn, judge, decided=decisions[judge])
        told = Said(unit, repeat, "unseen", judge, self.y[judge], *unseen)
        return joined(told.table, Said(unit, repeat, "all", everything, self.y, decisions, None).table)


Runner: TypeAlias = Callable[[Job, Sequence[int]], Iterator[Answer]]
"""What does the tasks: gives out the answers of the units asked for, in any order."""


def serial(job: Job, units: Sequence[int]) -> Iterator[Answer]:
    """Do one task after another, here."""
    for unit in units:
        yield job.answer(unit)
