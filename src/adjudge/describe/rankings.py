"""What a ranking of many says: sentences and tables, for the prompt and for the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from adjudge._base.text import counted
from adjudge.describe.comparisons import FOLDS, LONGEST, about, amount, difference, difference_limits, rule, sure, taken, unit
from adjudge.describe.document import Row, Table, without_empty_columns
from adjudge.describe.tables import MOST_FOLDED, MOST_ROWS
from adjudge.describe.values import percent, probability, short_title
from adjudge.describe.verdicts import verdict
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.decision import false_verdicts
from adjudge.judgements.ranking import Ranked, Ranking
from adjudge.plots.labels import NOTHING, named
from adjudge.plots.learners import writer

MOST_RANKED = 100
"""Candidates shown."""
_MOST_NAMES, _MOST_GROUPS = 5, 3  # within a sentence
_VERDICTS = {"better": "first better", "worse": "second better", "equivalent": "practically the same", "undecided": "undecided"}


@verdict.register
def _(result: Ranking) -> tuple[str, ...]:
    return tuple(_sentences(result))


def _sentences(result: Ranking) -> Iterator[str]:
    yield _best(result)
    yield from _groups(result)
    yield optimism(result)
    yield f"Compared on {counted(result.cases, 'case')}: {result.method}; {taken(result.measure, result.margin)}."


def _best(result: Ranking) -> str:
    best, m = result.best, len(result.rows)
    value, p = words_for(result)(best.value), sure(best.p_best, result.level)
    by, name = about(result.measure, result.of), named([best.name], LONGEST)[0]
    if best.p_best >= result.level:
        return f"{name} is the best of {m:,} by {by}: {value}, P(best) {p}."
    return f"Undecided which of {m:,} is the best by {by}: {name} leads with {value}, P(best) {p}."


def words_for(result: Ranking) -> Callable[[float], str]:
    """Return how values of the measure are written."""
    return writer(result.measure, _width(result))


def _width(result: Ranking) -> float:
    return min((row.interval.high - row.interval.low for row in result.rows if row.interval is not None), default=0.0)


def _groups(result: Ranking) -> Iterator[str]:
    """Yield between whom there is a verdict, how often such verdicts are wrong, and by which rule they came."""
    pairs = len(result.comparisons)
    by = "Verdicts" + (f", adjusted for {counted(pairs, 'pair')}" if pairs > 1 else "")
    alike = [group for group in result.groups if len(group) > 1]
    if not alike:
        yield f"{by}: of every two one is better."
    elif len(alike[0]) == len(result.rows):
        yield f"{by}: no candidate is called better than another."
    else:
        more = f"; and {counted(len(alike) - _MOST_GROUPS, 'more group')}" if len(alike) > _MOST_GROUPS else ""
        yield f"{by}: none is called better among {'; '.join(_joined(group) for group in alike[:_MOST_GROUPS])}{more}."
    alone = [group[0] for group in result.groups if len(group) == 1]
    if alike and alone:
        yield f"Better or worse than all others: {_joined(alone)}."
    yield from wrong_anywhere(result)


def wrong_anywhere(result: Ranking) -> Iterator[str]:
    """Yield how often some verdict is wrong among equals; not over folds, where methods err more often than they say."""
    if len(result.comparisons) > 1 and not any(words in result.method for words in FOLDS):
        wrong = percent(false_verdicts(result.level))
        yield f"Among equally good candidates some pair is called better or worse in up to {wrong} of rankings; {rule(result)}."


def _joined(names: Sequence[str]) -> str:
    shown = named(names[:_MOST_NAMES], LONGEST)
    if len(names) > _MOST_NAMES:
        return f"{', '.join(shown)} and {len(names) - _MOST_NAMES:,} more"
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)


def optimism(result: Ranking) -> str:
    """Return how much the winner was lucky."""
    found, words = result.optimism, words_for(result)
    of = f"the best of {found.candidates:,}"
    seen = f"{words(found.observed)} observed, {words(found.corrected)} on held-out cases"
    if found.size <= 0:
        return f"Choosing {of} did not flatter it: {seen}."
    if words(found.observed) == words(found.corrected):
        return f"Choosing {of} hardly flatters it: {seen}."
    return f"Choosing {of} flatters it by {amount(result.measure, found.size, _width(result))}{unit(result.measure)}: {seen}."


# -- tables ----------------------------------------------------------------------------------------------------


def ranks(result: Ranking, longest: int = 80) -> Table:
    """Return the candidates from best to worst."""
    names, words = named([row.name for row in result.rows], longest), words_for(result)
    rows = tuple(_rank(row, name, words) for row, name in zip(result.rows, names, strict=True))
    title = short_title(Estimate(result.measure, math.nan))
    header = ("Candidate", title, f"{percent(result.level)} limits, together", "P(best)", "Group")
    table = Table("Ranking", header, rows[:MOST_RANKED], "lrrrl", untold=max(0, len(rows) - MOST_RANKED), things=("one", "ones"))
    return without_empty_columns(table)


def _rank(row: Ranked, name: str, words: Callable[[float], str]) -> Row:
    limits = NOTHING if row.interval is None else f"{words(row.interval.low)} to {words(row.interval.high)}"
    groups = ", ".join(f"{g}" for g in row.groups)
    return f"{row.rank:,}. {name}", words(row.value), limits, probability(row.p_best).removeprefix("= "), groups


def pairs(result: Ranking) -> Table:
    """Return every pair, the better one first."""
    shown = dict(zip((row.name for row in result.rows), named([row.name for row in result.rows], 60), strict=True))
    rows = []
    for (a, b), found in result.comparisons.items():
        three = (sure(p, found.level).removeprefix("= ") for p in (found.better, found.same, found.worse))
        p = probability(result.p_values[a, b], 3).removeprefix("= ")
        rows.append((shown[a], shown[b], _VERDICTS[found.verdict], difference(found), difference_limits(found), *three, p))
    header = ("First", "Second", "Verdict", "Difference", f"{percent(result.level)} interval", "P(first better)", "P(same)")
    return Table(
        "Pairs",
        (*header, "P(second better)", "p, adjusted"),
        tuple(rows[:MOST_ROWS]),
        "lllrrrrrr",
        tuple(rows[MOST_ROWS : MOST_ROWS + MOST_FOLDED]),
        max(0, len(rows) - MOST_ROWS - MOST_FOLDED),
        ("pair", "pairs"),
    )
