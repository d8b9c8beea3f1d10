"""What a classifier is required to be, as one writes it: "balanced_accuracy >= 0.8", "sensitivity[malignant] > 90%"."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from adjudge._base.errors import InputError
from adjudge._base.show import Shown
from adjudge._base.text import quoted, safe
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import Measure
from adjudge.predictions.spellings import position

Operator: TypeAlias = Literal[">", ">=", "<", "<="]
EVERY = "*"
"""What stands for every class by itself."""
CHANCE = "above chance"
_WRITTEN = {"≥": ">=", "≤": "<=", "=>": ">=", "=<": "<="}
_RULE = re.compile(r"\s*([^\[\]<>=≤≥]+?)\s*(?:\[(.*)\])?\s*(<=|>=|=<|=>|<|>|≤|≥)\s*(\S+)\s*", re.DOTALL)
_EXAMPLES = "'accuracy >= 0.9', 'sensitivity[malignant] >= 0.8', 'f1[*] > 0.7', 'log_loss < 0.4' or 'above chance'"


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
        yield _above_chance(seen)
        return
    found = _RULE.fullmatch(text)
    if found is None:
        msg = f"{quoted(text)} is no rule. A rule has a measure, a sign and a number: {_EXAMPLES}."
        raise InputError(msg)
    name, of, sign, bound = found.groups()
    measure, operator = find(name), _WRITTEN.get(sign, sign)
    for label in _spoken_of(of, measure, classes):
        told = measure.name if label is None else f"{measure.name}[{safe(label)}]"
        limit = _bound(bound, measure, text)
        yield Rule(f"{told} {operator} {limit:g}", measure.name, operator, limit, label)  # type: ignore[arg-type]


def _above_chance(seen: int) -> Rule:
    if seen < 2:  # noqa: PLR2004 - chance is between classes
        msg = "'above chance' needs cases of at least two classes."
        raise InputError(msg)
    return Rule(f"{CHANCE} (balanced_accuracy > 1/{seen})", "balanced_accuracy", ">", 1 / seen)


def _spoken_of(of: str | None, measure: Measure, classes: Sequence[Any]) -> Sequence[Any]:
    """Return the classes that a rule is about; one that is no class stands for all of them together."""
    if of is None:
        return (None,)
    if measure.needs == "numbers":
        msg = f"{measure.name} is about numbers, which have no classes; leave [{safe(of)}] out."
        raise InputError(msg)
    if of.strip() == EVERY and EVERY not in classes:
        return classes
    return (classes[position(classes, of.strip())],)


def _bound(text: str, measure: Measure, rule: str) -> float:
    try:
        bound = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        msg = f"{quoted(text)} in the rule {quoted(rule)} is not a number; write 0.9 or 90%."
        raise InputError(msg) from None
    if math.isnan(bound) or not measure.low <= bound <= measure.high:
        hint = f" {bound:g}% is {bound / 100:g}." if 1 < bound <= 100 and measure.high == 1 else ""  # noqa: PLR2004
        msg = f"{measure.name} lies between {measure.low:g} and {measure.high:g}; the rule {quoted(rule)} asks for {text}.{hint}"
        raise InputError(msg)
    return bound
