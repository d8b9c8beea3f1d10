"""The geometry of which cases two classifiers get right: a bar each for both, only one, only the other, and neither."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge._base.errors import InputError
from adjudge._base.levels import share
from adjudge.judgements.comparison import Comparison
from adjudge.plots.densities import LETTER, WIDTH
from adjudge.plots.labels import count, told_apart

STEP = 24.0
"""Units down from bar to bar."""
_KINDS = ("same", "better", "worse", "same")
_LONGEST, _BESIDE = 13, 8.0


@dataclass(frozen=True, slots=True)
class Bar:
    """Cases that came out alike: how many, as how long a bar, and what they come to."""

    name: str
    words: str
    kind: str
    """same, where both are right or wrong; else better or worse, of the one named first."""
    long: float
    """Units across, from the common start."""


@dataclass(frozen=True, slots=True)
class OutcomeBars:
    """Four bars with a common start, `left` units across."""

    bars: tuple[Bar, ...]
    left: float
    title: str

    @property
    def height(self) -> float:
        """Units down to the end of the last bar."""
        return STEP * len(self.bars)

    @property
    def words(self) -> str:
        """What the picture says."""
        return "; ".join(f"{bar.name}: {bar.words}" for bar in self.bars)


def outcome_bars(result: Comparison) -> OutcomeBars:
    """Return the picture of which cases both, only one, or neither got right."""
    if result.outcomes is None or not sum(result.outcomes) > 0:
        msg = f"This comparison of {result.measure} does not know which cases were right; compare decisions on the same cases."
        raise InputError(msg)
    a, b = told_apart(result.names, _LONGEST)
    names = ("both right", f"only {a}", f"only {b}", "neither")
    total, most = sum(result.outcomes), max(result.outcomes)
    words = [f"{count(cases)} ({share(cases / total)})" for cases in result.outcomes]
    left = LETTER * max(map(len, names)) + _BESIDE
    room = WIDTH - left - LETTER * max(map(len, words)) - _BESIDE
    each = zip(names, words, _KINDS, result.outcomes, strict=True)
    bars = tuple(Bar(name, told, kind, room * cases / most) for name, told, kind, cases in each)
    return OutcomeBars(bars, left, f"{a} and {b}")
