"""Which classes are taken for which, the largest confusions first."""

from __future__ import annotations

from adjudge._base.levels import share
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.describe.document import Row, Table
from adjudge.describe.tables import MOST_FOLDED
from adjudge.describe.values import percent
from adjudge.judgements.weaknesses import Confusion, confusions_in_all, largest_confusions
from adjudge.plots.labels import NOTHING, count, decimals_for, named

MOST_SHOWN = 10
"""Confusions shown at once; the rest is folded."""
_LONGEST = 40


def confusions(counts: ConfusionCounts, level: float = 0.95) -> Table:
    """Return the largest confusions: truly this, said to be that, how often, and of how many."""
    found = largest_confusions(counts, MOST_SHOWN + MOST_FOLDED, level=level)
    names = dict(zip(counts.classes, named(list(counts.classes), _LONGEST), strict=True)) if counts.k <= _FEW else {}
    rows = tuple(_row(each, names) for each in found)
    cases = "Weight" if isinstance(counts, WeightedCounts) else "Cases"
    header = ("True class", "Predicted", cases, f"Of the class ({percent(level)})", "Of errors")
    untold = max(0, confusions_in_all(counts) - len(rows))
    things = ("confusion", "confusions")
    return Table("The largest confusions", header, rows[:MOST_SHOWN], "llrrr", rows[MOST_SHOWN:], untold, things)


_FEW = 5000  # classes whose names are told apart with the help of all others


def _row(found: Confusion, names: dict[object, str]) -> Row:
    who = (names.get(label) or named([label], _LONGEST)[0] for label in (found.truth, found.decided))
    return (*who, count(found.cases), _of_class(found), share(found.of_errors))


def _of_class(found: Confusion) -> str:
    if found.interval is None:
        return NOTHING
    decimals = decimals_for(found.interval.high - found.interval.low)
    low, high = (share(limit, decimals).rstrip("%") for limit in (found.interval.low, found.interval.high))
    return f"{share(found.share, decimals)} ({low}-{high})"


def about_confusions(counts: ConfusionCounts) -> str:
    """Return what the errors are, in one sentence."""
    wrong = float(counts.support.sum() - counts.rejected.sum() - counts.correct.sum())
    if wrong <= 0:
        return "No decision is wrong."
    cells = confusions_in_all(counts)
    unit = "of weight" if isinstance(counts, WeightedCounts) else "wrong decisions"
    possible = counts.k * (counts.k - 1)
    return f"{count(wrong)} {unit} in {cells:,} of {possible:,} possible confusions, the largest first."
