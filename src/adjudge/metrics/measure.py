"""A measure: a name, a formula, a range and a direction."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from adjudge._base import Shown, dataclass
from adjudge._base.arrays import AnyArray
from adjudge.counts.confusion import ConfusionCounts

Needs: TypeAlias = Literal["decisions", "scores", "probabilities", "numbers"]


@dataclass(frozen=True, slots=True)
class Measure(Shown):
    """What a measure is; how to compute it is the business of its subclass."""

    name: str
    formula: str
    needs: Needs = "decisions"
    low: float = 0.0
    high: float = 1.0
    higher_is_better: bool = True
    aliases: tuple[str, ...] = ()
    note: str = ""

    @property
    def direction(self) -> str:
        """Whether more is better, or neither: numbers of either sign are best at 0."""
        if math.isinf(self.low) and math.isinf(self.high):
            return "0 is best"
        return "higher is better" if self.higher_is_better else "lower is better"

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest value it can take."""
        return (self.low, self.high)

    def __repr__(self) -> str:
        return f"{self.name} = {self.formula} ({self.low:g} to {self.high:g}, {self.direction}, needs {self.needs})"


@dataclass(frozen=True, slots=True)
class OneAgainstRest:
    """The four counts of every class against the rest, as arrays; rejected cases count in `support` and `others` only."""

    hit: AnyArray
    miss: AnyArray
    alarm: AnyArray
    quiet: AnyArray
    support: AnyArray
    others: AnyArray


def against_rest(counts: ConfusionCounts) -> OneAgainstRest:
    """Return the counts of every class against the rest."""

    def of_others(values: AnyArray) -> AnyArray:
        """Return the sum over the other classes; for weights, too, exactly 0 where all of them are 0."""
        alone = np.count_nonzero(values) == (values > 0)
        return np.where(alone, 0, np.maximum(values.sum() - values, 0))

    hit, support, assigned = counts.correct, counts.support, counts.predicted
    others, elsewhere = of_others(support), of_others(assigned)
    miss = np.clip(support - counts.rejected - hit, 0, elsewhere)  # differences of sums of weights may round below 0
    alarm = np.clip(assigned - hit, 0, others)
    return OneAgainstRest(hit, miss, alarm, np.minimum(elsewhere - miss, others), support, others)


@dataclass(frozen=True, slots=True)
class ClassMeasure(Measure):
    """A share that speaks of one class: so many of so many."""

    parts: Callable[..., tuple[AnyArray, AnyArray]] = lambda c: (c.hit, c.support)
    reason: str = ""  # why the share has no value when its denominator is 0; {} stands for the class
    plain: bool = True  # whether the share is of whole cases, so that the intervals of a proportion hold


@dataclass(frozen=True, slots=True)
class TableMeasure(Measure):
    """A number that speaks of the whole table."""

    of: Callable[[ConfusionCounts], float] = lambda _: float("nan")


@dataclass(frozen=True, slots=True)
class OtherMeasure(Measure):
    """A number from scores, probabilities or numeric predictions."""

    of: Callable[..., Any] = lambda _: float("nan")
