"""Rules of a gate: read from text, and how many more cases would decide one."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from adjudge._base.errors import InputError
from adjudge._base.show import Shown
from adjudge._base.text import quoted, safe
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates.estimate import Interval, share_of_class, worth
from adjudge.judgements.decision import cleared, more_until, two_digits
from adjudge.metrics.averages import the_class
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.predictions.spellings import position
from adjudge.stats.power import MOST, cases_in_all, cases_to_show

Operator: TypeAlias = Literal[">", ">=", "<", "<="]
EVERY = "*"  # what stands for every class by itself
CHANCE = "above chance"
_WRITTEN = {"≥": ">=", "≤": "<=", "=>": ">=", "=<": "<="}
_RULE = re.compile(r"\s*([^\[\]<>=≤≥]+?)\s*(?:\[(.*)\])?\s*(<=|>=|=<|=>|<|>|≤|≥)\s*(\S+)\s*", re.DOTALL)
_EXAMPLES = "'accuracy >= 0.9', 'sensitivity[malignant] >= 0.8', 'f1[*] > 0.7', 'log_loss < 0.4' or 'above chance'"
_FEW_CLASSES = 20  # up to which limits are computed anew


@dataclass(frozen=True, slots=True)
class Rule(Shown):
    """A measure, perhaps of one class, and the bound it must keep to."""

    text: str
    measure: str
    operator: Operator
    bound: float
    of: Any = None

    @property
    def upward(self) -> bool:
        """Whether the measure must be large."""
        return self.operator.startswith(">")

    @property
    def strict(self) -> bool:
        """Whether the bound itself is not enough."""
        return not self.operator.endswith("=")

    @property
    def above_chance(self) -> bool:
        """Whether it asks for skill, which a permutation test tells."""
        return self.text.startswith(CHANCE)

    @property
    def contrary(self) -> bool:
        """Whether it asks for what the measure calls bad."""
        return self.upward != find(self.measure).higher_is_better


def read_rules(text: Any, classes: Sequence[Any], seen: int) -> Iterator[Rule]:
    """Yield what a line requires: one rule, or one for every class; `seen` classes have a case."""
    if not isinstance(text, str):
        msg = f"A rule is text such as {_EXAMPLES}; got {quoted(text)}."
        raise InputError(msg)
    if re.sub(r"[\s_]+", " ", text).strip().lower() == CHANCE:
        if seen < 2:  # noqa: PLR2004 - chance is between classes
            msg = "'above chance' needs cases of at least two classes."
            raise InputError(msg)
        yield Rule(f"{CHANCE} (balanced_accuracy > 1/{seen})", "balanced_accuracy", ">", 1 / seen)
        return
    found = _RULE.fullmatch(text)
    if found is None:
        msg = f"{quoted(text)} is no rule. A rule has a measure, a sign and a number: {_EXAMPLES}."
        raise InputError(msg)
    name, of, sign, bound = found.groups()
    measure, operator = find(name), _WRITTEN.get(sign, sign)
    asked: list[Any] = [None]
    if of is not None:
        if measure.needs == "numbers":
            msg = f"{measure.name} is about numbers, which have no classes; leave [{safe(of)}] out."
            raise InputError(msg)
        of = of.strip()
        asked = list(classes) if of == EVERY and EVERY not in classes else [classes[position(classes, of)]]
    try:
        limit = float(bound[:-1]) / 100 if bound.endswith("%") else float(bound)
    except ValueError:
        msg = f"{quoted(bound)} in the rule {quoted(text)} is not a number; write 0.9 or 90%."
        raise InputError(msg) from None
    if math.isnan(limit) or not measure.low <= limit <= measure.high:
        hint = f" {limit:g}% is {limit / 100:g}." if 1 < limit <= 100 and measure.high == 1 else ""  # noqa: PLR2004
        msg = f"{measure.name} lies between {measure.low:g} and {measure.high:g}; the rule {quoted(text)} asks for {bound}.{hint}"
        raise InputError(msg)
    for label in asked:
        told = measure.name if label is None else f"{measure.name}[{safe(label)}]"
        yield Rule(f"{told} {operator} {limit:g}", measure.name, operator, limit, label)  # type: ignore[arg-type]


def more_of_rate(
    rule: Rule, value: float, measure: Measure, counts: ConfusionCounts, of: Any, *, level: float, assurance: float
) -> int | None:
    """Return about how many more cases let exact tests say on which side of its bound a rate is, so many in all."""
    bound, cases = rule.bound, worth(counts)
    if value == bound or not 0 < bound < 1:
        return None
    rate, limit = (value, bound) if value > bound else (1 - value, 1 - bound)
    needed = cases_to_show(limit, rate, power=assurance, alpha=1 - level)
    share = 1.0
    if isinstance(measure, ClassMeasure):
        share = share_of_class(measure, counts, the_class(measure, counts, of))[1] / cases
    return max(1, two_digits(cases_in_all(needed, share) - cases)) if needed <= MOST else None


def more_of_counts(
    rule: Rule,
    value: float,
    counts: ConfusionCounts,
    bounds: Callable[[ConfusionCounts], Interval],
    holds: Callable[[ConfusionCounts], float | None],
    *,
    level: float,
    assurance: float,
) -> int | None:
    """Return about how many more cases decide a rule about decisions; `bounds` and `holds` are those of any counts."""
    if counts.k > _FEW_CLASSES:
        return more_by_scaling(rule, value, bounds(counts), worth(counts), level=level, assurance=assurance)

    cells = counts.cells if isinstance(counts.cells, np.ndarray) else counts.cells.toarray()
    squares = counts.squares if isinstance(counts, WeightedCounts) else cells

    def grown(times: float) -> tuple[Interval, float | None]:
        more = WeightedCounts(cells * times, counts.classes, squares=squares * times)
        return bounds(more), holds(more)

    return _more(rule, value, grown, worth(counts), level=level, assurance=assurance)


def more_by_scaling(rule: Rule, value: float, limits: Interval, cases: float, *, level: float, assurance: float) -> int | None:
    """Return about how many more cases decide a rule about anything with limits."""

    def grown(times: float) -> tuple[Interval, None]:
        low, high = (value + (end - value) / math.sqrt(times) for end in (limits.low, limits.high))
        return replace(limits, low=low, high=high), None

    return _more(rule, value, grown, cases, level=level, assurance=assurance)


def _more(
    rule: Rule, value: float, grown: Callable[[float], tuple[Interval, Any]], cases: float, *, level: float, assurance: float
) -> int | None:
    """Return about how many more cases bring a limit beyond the bound and, where it is known, the probability to the level."""
    from scipy.special import ndtri

    bound, above = rule.bound, value > rule.bound
    if value == bound or not math.isfinite(value):
        return None

    def reached(n: float) -> float:
        limits, probability = grown(n / cases)
        wide = max(value - limits.low if above else limits.high - value, (limits.high - limits.low) / 2)
        often = cleared(abs(value - bound), wide / float(ndtri(level)), level) if wide > 0 else 1.0
        if probability is None:
            return often
        sure = probability if above == rule.upward else 1 - probability
        return min(often, cleared(float(ndtri(sure)), 1.0, level))

    return more_until(reached, assurance, cases)
