"""Every measure by name."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from adjudge._base import InputError, Shown, command, plain, quoted
from adjudge.metrics.measure import Measure
from adjudge.metrics.on_counts import ON_COUNTS
from adjudge.metrics.on_scores import ON_NUMBERS, ON_SCORES

ALL: tuple[Measure, ...] = (*ON_COUNTS, *ON_SCORES, *ON_NUMBERS)
_COLUMNS = ("name", "formula", "range", "direction", "needs", "aliases", "note")
_BY_NAME = {name: measure for measure in ALL for name in (measure.name, *measure.aliases)}


def find(name: str, parameter: str = "measure") -> Measure:
    """Return the measure of that name or alias; spaces, dashes and capitals do not matter."""
    key = str(name).strip().lower().replace(" ", "_").replace("-", "_")
    if key in _BY_NAME:
        return _BY_NAME[key]
    begun = [known for known in _BY_NAME if len(key) > 1 and known.startswith(key)]
    near = list(dict.fromkeys([*begun, *get_close_matches(key, _BY_NAME, n=3)]))[:3]
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    msg = f"There is no measure {quoted(name)}.{hint} See "
    raise InputError(msg, command("adjudge measures", python="adjudge.measures()"), ".", parameter=parameter)


class MeasureTable(Shown, tuple[Measure, ...]):
    """Every measure, readable at the prompt."""

    __slots__ = ()

    def to_dict(self) -> list[dict[str, Any]]:  # type: ignore[override]
        """Return one row per measure, ready for JSON or any dataframe."""
        return [{name: plain(getattr(measure, name)) for name in _COLUMNS} for measure in self]

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, width: int | None = None) -> Iterator[str]:
        """Yield a line for each measure; where that is wider than `width`, the formula stands below, indented."""
        rows = [("name", "range", "direction", "needs", "formula")]
        rows += [(m.name, f"{m.low:g} .. {m.high:g}", m.direction, m.needs, m.formula) for m in self]
        for name, span, way, needs, formula in rows:
            first = f"{name:<18} {span:<11} {way:<17} {needs:<14}"
            if width is None or len(first) + 1 + len(formula) <= width:
                yield f"{first} {formula}"
            else:
                yield first.rstrip()
                yield from textwrap.wrap(formula, width, initial_indent="    ", subsequent_indent="    ", break_long_words=False)


def measures() -> MeasureTable:
    """Return the table of every measure: name, formula, range, direction and what it needs."""
    return MeasureTable(ALL)
