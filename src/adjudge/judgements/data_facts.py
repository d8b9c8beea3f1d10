"""What was read beside what was counted: what a reader needs to know of the data, whatever the number of rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from adjudge._base.show import Shown
from adjudge._base.version import VERSION
from adjudge.counts.confusion import WeightedCounts
from adjudge.counts.tally import Tally
from adjudge.predictions.roles import Roles


@dataclass(frozen=True, slots=True)
class DataFacts(Shown):
    """How the rows were read."""

    dropped: int = 0
    """Rows left out because something was missing."""
    missing: dict[str, int] = field(default_factory=dict)
    """Missing values by column."""
    scores: str | None = None
    """What the score columns hold; None where there are none."""
    decisions: str = "given"
    """Where the decisions came from: given, or taken from the scores; or that there are none."""
    threshold: float | None = None
    """The score from which on a case was called positive, where one was given."""
    duplicates: str = "none"
    """What is known of rows that name the same case."""
    weight_spread: float | None = None
    """The largest weight divided by the smallest above 0; None without weights."""
    effective_cases: float | None = None
    """How many equally weighted cases the weighted ones are worth."""
    interval: str = "default"
    """The method of intervals that was asked for."""
    version: str = VERSION


def data_facts(
    tally: Tally, roles: Roles | None, *, threshold: float | None = None, duplicates: str = "error", method: str
) -> DataFacts:
    """Return how the rows of a tally were read."""
    counts = tally.confusion
    weighted = isinstance(counts, WeightedCounts) and (roles is None or roles.weight is not None)
    taken = roles is not None and roles.predicted is None and tally.scale is not None
    return DataFacts(
        dropped=tally.dropped,
        missing=dict(tally.gaps),
        scores=tally.scale,
        decisions="none: scores that only rank" if tally.undecided else "taken from the scores" if taken else "given",
        threshold=threshold,
        duplicates=_duplicates(tally, roles, duplicates),
        weight_spread=tally.weight_spread if weighted else None,
        effective_cases=counts.effective_n if weighted and isinstance(counts, WeightedCounts) else None,
        interval=method,
    )


def _duplicates(tally: Tally, roles: Roles | None, asked: str) -> str:
    if roles is None or roles.row is None:
        return "not checked: no column names the cases"
    if asked != "error":
        return f"made one, by {asked}"
    return "not checked: too many rows" if tally.unchecked_rows else "none"
