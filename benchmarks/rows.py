"""The tables: ours, a peer in the same run, their ratio, and what it should be; and how a cost grows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log
from typing import Literal

Unit = Literal["s", "MB"]
_SECONDS: Unit = "s"


@dataclass(frozen=True)
class Row:
    """A measured ratio: of times, or of the most memory held."""

    name: str
    ours: float
    peer: str
    theirs: float
    ratio: float
    target: str
    met: str
    """Yes or no where there is a target; ahead or behind where there is none."""
    unit: Unit = _SECONDS


@dataclass(frozen=True)
class Growth:
    """How a cost grows: the slope of its logarithm over the logarithm of the size."""

    name: str
    costs: dict[str, float]
    """What each size cost."""
    slope: float
    last: float
    """The slope between the two largest sizes, where fixed costs weigh least."""
    target: str
    met: str
    unit: Unit = _SECONDS


def at_most(limit: float, name: str, ours: float, peer: str, theirs: float, *, unit: Unit = _SECONDS) -> Row:
    """Return a row for something that may cost at most so many times the peer."""
    ratio = ours / theirs
    return Row(name, ours, peer, theirs, ratio, f"cost <= {limit:g}x", _met(ratio <= limit), unit)


def at_least(limit: float, name: str, ours: float, peer: str, theirs: float) -> Row:
    """Return a row for something that should be at least so many times faster than the peer."""
    ratio = theirs / ours
    return Row(name, ours, peer, theirs, ratio, f"faster >= {limit:g}x", _met(ratio >= limit))


def beside(name: str, ours: float, peer: str, theirs: float, *, unit: Unit = _SECONDS) -> Row:
    """Return a row without a target: who is ahead, and how far."""
    ratio = theirs / ours
    return Row(name, ours, peer, theirs, ratio, "none", "ahead" if ratio >= 1 else "behind", unit)


def within(limit: float, name: str, megabytes: float) -> Row:
    """Return a row for something that may hold at most so many megabytes."""
    ratio = megabytes / limit
    return Row(name, megabytes, "the limit", limit, ratio, f"held <= {limit:,.0f} MB", _met(ratio <= 1), "MB")


def grows(limit: float, name: str, costs: Mapping[float, float], *, unit: Unit = _SECONDS) -> Growth:
    """Return how a cost grows with the size, which should be no faster than the size to the power of `limit`.

    The slope is that of least squares through the logarithms; it and the slope at the end must both keep to the limit.
    """
    x, y = [log(size) for size in costs], [log(cost) for cost in costs.values()]
    slope, last = _slope(x, y), _slope(x[-2:], y[-2:])
    told = {f"{size:g}": cost for size, cost in costs.items()}
    return Growth(name, told, slope, last, f"<= {limit:g}", _met(max(slope, last) <= limit), unit)


def as_markdown(rows: Iterable[Row]) -> str:
    """Return the table for a reader."""
    return _table(("job", "ours", "peer", "theirs", "ratio", "target", "met"), (_cells(row) for row in rows))


def growth_as_markdown(rows: Iterable[Growth]) -> str:
    """Return the table of growth for a reader."""
    return _table(("job", "costs", "slope", "at the end", "wished", "met"), (_growth_cells(row) for row in rows))


def _cells(row: Row) -> tuple[str, ...]:
    ours, theirs = (_told(cost, row.unit) for cost in (row.ours, row.theirs))
    return row.name, ours, row.peer, theirs, f"{row.ratio:.2f}x", row.target, _loud(row.met)


def _growth_cells(row: Growth) -> tuple[str, ...]:
    costs = ", ".join(f"{size}: {_told(cost, row.unit)}" for size, cost in row.costs.items())
    return row.name, costs, f"{row.slope:.2f}", f"{row.last:.2f}", row.target, _loud(row.met)


def _table(head: tuple[str, ...], body: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *body]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)


def _told(cost: float, unit: Unit) -> str:
    return f"{cost * 1e3:,.1f} ms" if unit == _SECONDS else f"{cost:,.0f} MB"


def _met(met: bool) -> str:  # noqa: FBT001 - a fact, not a mode
    return "yes" if met else "no"


def _loud(met: str) -> str:
    return f"**{met}**" if met in ("no", "behind") else met


def _slope(x: list[float], y: list[float]) -> float:
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((each - mean_x) ** 2 for each in x)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
