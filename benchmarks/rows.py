"""One row of the table: ours, a peer in the same run, their ratio, and what it should be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A measured ratio."""

    name: str
    ours: float
    peer: str
    theirs: float
    ratio: float
    target: str
    met: bool


def at_most(limit: float, name: str, ours: float, peer: str, theirs: float) -> Row:
    """Return a row for something that may cost at most so many times the peer."""
    ratio = ours / theirs
    return Row(name, ours, peer, theirs, ratio, f"cost <= {limit:g}x", ratio <= limit)


def at_least(limit: float, name: str, ours: float, peer: str, theirs: float) -> Row:
    """Return a row for something that should be at least so many times faster than the peer."""
    ratio = theirs / ours
    return Row(name, ours, peer, theirs, ratio, f"faster >= {limit:g}x", ratio >= limit)


def as_markdown(rows: Iterable[Row]) -> str:
    """Return the table for a reader."""
    head = ["| job | ours | peer | theirs | ratio | target | met |", "|---|---|---|---|---|---|---|"]
    return "\n".join(head + [_line(row) for row in rows])


def _line(row: Row) -> str:
    cells = (row.name, _ms(row.ours), row.peer, _ms(row.theirs), f"{row.ratio:.2f}x", row.target, "yes" if row.met else "**no**")
    return f"| {' | '.join(cells)} |"


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f} ms"
