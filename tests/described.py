"""What tests read of a document: its sections, and its verdict as a terminal shows it."""

from __future__ import annotations

from typing import Any

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


def state(found: Thresholds, threshold: float, *, name: str, of: Any = None, **use: Any) -> dict[str, str]:
    """Return every number of the sliders at a threshold, as words."""
    return thresholds.state(found.at(threshold, of=of, **use), found.least_cost(of=of, **use), name)
