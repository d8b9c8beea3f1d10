"""What tests read of a document: its sections, its verdict as a terminal shows it, the facts in a sentence; and of an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from adjudge import InputError
from adjudge.describe import describe, thresholds
from adjudge.describe.document import Section
from adjudge.judgements.thresholds import Thresholds


def sections(result: Any) -> tuple[Section, ...]:
    """Return the parts of a result's page."""
    return describe(result, figure=False).sections


def section(result: Any, name: str) -> Section:
    """Return one of them."""
    return next(part for part in sections(result) if part.name == name)


def verdict(result: Any) -> tuple[str, ...]:
    """Return the sentences before and after the tables."""
    found = describe(result, figure=False, whole=False)
    return (*found.sentences, *found.closing)


_FACT = re.compile(
    r"(?:[<>±] ?)?(?:(?<=[\s(\[])[-−+])?(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![A-Za-z_\d])%?|(?<!\w)'[^']*'(?!\w)"
)


def facts(sentence: str) -> list[str]:
    """Return the numbers of a sentence and the names that it quotes, as they are written and in their order.

    >>> facts("Accuracy 76.4% (42 of 1,055 cases), p < 0.001, difference +1.5, against always predicting 'no'.")
    ['76.4%', '42', '1,055', '< 0.001', '+1.5', "'no'"]
    """
    return [found.rstrip(",") for found in _FACT.findall(sentence)]


def mentions(text: str, *parts: object) -> bool:
    """Return whether one sentence of a text has all these parts, in this order and however it is wrapped.

    >>> mentions("No sign of skill. Found in\\n3 of 10 cases.", "3", "10"), mentions("No 3. In 10 cases.", "3", "10")
    (True, False)
    """
    return any(_in_order(sentence, parts) for sentence in re.split(r"(?<=[.!?])\s+|\n\s*\n", text))


def _in_order(text: str, parts: tuple[object, ...]) -> bool:
    at, text = 0, " ".join(text.split())
    for part in map(str, parts):
        at = text.find(part, at) + len(part)
        if at < len(part):
            return False
    return True


@contextmanager
def refused(parameter: str | None, *parts: object, by: type[Exception] = InputError) -> Iterator[None]:
    """Expect an error that speaks of a parameter and has these parts in its sentence, in this order."""
    with pytest.raises(by) as error:
        yield
    assert getattr(error.value, "parameter", None) == parameter
    assert _in_order(str(error.value), parts), str(error.value)


def state(found: Thresholds, threshold: float, *, name: str, of: Any = None, **use: Any) -> dict[str, str]:
    """Return every number of the sliders at a threshold, as words."""
    return thresholds.state(found.at(threshold, of=of, **use), found.least_cost(of=of, **use), name)
