"""What a ranking of many says, and a comparison of two learners over several data sets: sentences, tables and the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from adjudge._base.text import counted, probable
from adjudge.describe.comparison import FOLDS, LONGEST, difference, difference_limits, rule
from adjudge.describe.description import document, findings_of, methods_section, opening
from adjudge.describe.document import Card, Document, Row, Section, Table, folding
from adjudge.describe.values import about, amount, one_name, percent, short_title, sure, taken, three, unit
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.over_sets import Hierarchy, OverSets, ThreeNumbers
from adjudge.judgements.ranking import Ranking
from adjudge.plots.intervals import ranking_forest
from adjudge.plots.labels import NOTHING, named, number, probability
from adjudge.plots.quantities import writer

MOST_RANKED = 100
"""Candidates shown."""
_MOST_NAMES, _MOST_GROUPS = 5, 3  # within a sentence
_SHORT = 30  # letters of a name at a terminal
_MOST_CARDS = 5
_VERDICTS = {"better": "first better", "worse": "second better", "equivalent": "practically the same", "undecided": "undecided"}


@document.register
def _(result: Ranking, *, whole: bool) -> Document:
    told, table = tuple(sentences(result)), ranks(result, _SHORT)
    if not whole:
        return Document(told, (table,), result.findings, key=table)
    m, words = len(result.rows), words_for(result)
    lead = f"{counted(result.cases, 'case')} · {m:,} candidates · {counted(len(result.comparisons), 'pair')}"
    best = zip(result.rows[:_MOST_CARDS], named([row.name for row in result.rows], 24), strict=False)
    cards = (Card(f"{row.rank}. {name}", words(row.value), f"P(best) {probable(row.p_best)}") for row, name in best)
    drawn = "Limits hold for all together; lines join indistinguishable candidates."
    grouped = "Within a group no candidate is called better than another. P(best) is the probability of being the best of all."
    paired = (
        f"{taken(result.measure, result.margin).capitalize()}. Verdicts are adjusted for the number of pairs; P(...) are not."
    )
    page = (
        *opening(f"Which of {m:,} is the best?", lead, told, cards, result.findings),
        Section("figure", "ranking", "From best to worst", drawn, figure=ranking_forest(result), theme="better"),
        Section("table", "ranks", "The ranks", grouped, tables=(ranks(result),), theme="better"),
        Section("table", "pairs", "Pair by pair", paired, tables=(pairs(result),), theme="better"),
        methods_section(
            f"Every two candidates are compared: {result.method}. The probabilities that verdicts are wrong are adjusted for "
            "their number (Holm 1979, Scand. J. Stat. 6:65-70). Adjusted p-values ask for any difference at all; no verdict "
            "rests on them.",
            *_wrong_anywhere(result),
            "P(best) comes from draws of all values jointly, so that candidates that err on the same cases are compared as such.",
            "The best of many owes part of its value to luck. Here a winner is chosen on one half of the cases and judged on "
            "the other, again and again (Tsamardinos et al. 2018, Mach. Learn. 107:1895-1922).",
        ),
    )
    return Document(told, (table,), result.findings, key=table, sections=page)


def sentences(result: Ranking) -> Iterator[str]:
    """Yield the best, between whom there is a verdict, how often such verdicts are wrong, and by which rule they came."""
    best, m, n = result.best, len(result.rows), len(result.comparisons)
    value, p = words_for(result)(best.value), sure(best.p_best, result.level)
    by, name = about(result.measure, result.of), one_name(best.name, LONGEST)
    if best.p_best >= result.level:
        yield f"{name} is the best of {m:,} by {by}: {value}, P(best) {p}."
    else:
        yield f"Undecided which of {m:,} is the best by {by}: {name} leads with {value}, P(best) {p}."
    by = "Verdicts" + (f", adjusted for {counted(n, 'pair')}" if n > 1 else "")
    alike = [group for group in result.groups if len(group) > 1]
    if not alike:
        yield f"{by}: of every two one is better."
    elif len(alike[0]) == m:
        yield f"{by}: no candidate is called better than another."
    else:
        more = f"; and {counted(len(alike) - _MOST_GROUPS, 'more group')}" if len(alike) > _MOST_GROUPS else ""
        yield f"{by}: none is called better among {'; '.join(_joined(group) for group in alike[:_MOST_GROUPS])}{more}."
    alone = [group[0] for group in result.groups if len(group) == 1]
    if alike and alone:
        yield f"Better or worse than all others: {_joined(alone)}."
    yield from _wrong_anywhere(result)
    yield optimism(result)
    yield f"Compared on {counted(result.cases, 'case')}: {result.method}; {taken(result.measure, result.margin)}."


def words_for(result: Ranking) -> Callable[[float], str]:
    """Return how values of the measure are written."""
    return writer(result.measure, _width(result))


def _width(result: Ranking) -> float:
    return min((row.interval.high - row.interval.low for row in result.rows if row.interval is not None), default=0.0)


def _wrong_anywhere(result: Ranking) -> Iterator[str]:
    """Yield how often some verdict is wrong among equals; not over folds, where methods err more often than they say."""
    if len(result.comparisons) > 1 and not any(words in result.method for words in FOLDS):
        wrong = percent(result.false_verdicts)
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


def ranks(result: Ranking, longest: int = 80) -> Table:
    """Return the candidates from best to worst."""
    names, words = named([row.name for row in result.rows], longest), words_for(result)
    rows = []
    for row, name in zip(result.rows, names, strict=True):
        limits = NOTHING if row.interval is None else f"{words(row.interval.low)} to {words(row.interval.high)}"
        groups = ", ".join(f"{g}" for g in row.groups)
        rows.append((f"{row.rank:,}. {name}", words(row.value), limits, probability(row.p_best), groups))
    title = short_title(Estimate(result.measure, math.nan))
    header = ("Candidate", title, f"{percent(result.level)} limits, together", "P(best)", "Group")
    table = folding("Ranking", header, rows, ("one", "ones"), shown=MOST_RANKED, folded=0, align="lrrrl")
    return table.without_empty_columns()


def pairs(result: Ranking) -> Table:
    """Return every pair, the better one first."""
    shown = dict(zip((row.name for row in result.rows), named([row.name for row in result.rows], 60), strict=True))
    rows = []
    for (a, b), found in result.comparisons.items():
        verdict = shown[a], shown[b], _VERDICTS[found.verdict], difference(found), difference_limits(found)
        rows.append((*verdict, *three(found, found.level), probability(result.p_values[a, b], 3)))
    header: Row = ("First", "Second", "Verdict", "Difference", f"{percent(result.level)} interval", "P(first better)", "P(same)")
    header = (*header, "P(second better)", "p, adjusted")
    return folding("Pairs", header, rows, ("pair", "pairs"), align="lllrrrrrr")


# -- over data sets --------------------------------------------------------------------------------------------


@document.register
def _(result: OverSets, *, whole: bool) -> Document:
    first, second, level, model = answers(result), sets(result), result.level, result.hierarchical
    value = Estimate("", float(np.mean(result.means))) if model is None else model.mu
    limits = value.interval
    known = "" if limits is None else f", {percent(limits.level)} interval {number(limits.low)} to {number(limits.high)}"
    told = (
        result.summary,
        f"Mean difference over {counted(result.n_sets, 'data set')}, a minus b: {number(value.value)}{known}.",
        f"Wilcoxon's signed-rank test of no difference: p {probable(result.wilcoxon_p, digits=3)}.",
    )
    tables, page = (first, *((second,) if second.rows else ())), list[Section]()
    if whole:
        lead = f"{counted(result.n_sets, 'data set')} · differences up to {result.margin:g} count as none"
        where = "typical data set" if model is None else "next data set"
        chances = three(model or result.signed_rank, level)[::-1]
        each = zip(("a worse", "Practically the same", "a better"), chances, strict=True)
        cards = (Card(name, shown, f"probability on the {where}") for name, shown in each)
        page += opening("Over several data sets", lead, told, cards, result.findings)
        page.append(Section("table", "answers", "Three numbers, by each method", tables=(first,), theme="better"))
        page.append(Section("table", "sets", "Set by set", "Differences a minus b.", tables=(second,), theme="better"))
        page.append(
            methods_section(_OVER_SETS["sets"], _OVER_SETS["signs"], *(() if model is None else (_OVER_SETS["hierarchy"],)))
        )
    return Document(told, tables, findings_of(result), key=first, sections=tuple(page))


def answers(result: OverSets) -> Table:
    """Return the three numbers by each method."""
    each: list[ThreeNumbers | Hierarchy] = [result.sign, result.signed_rank]
    each += [] if result.hierarchical is None else [result.hierarchical]
    rows = tuple((one.method, *three(one, result.level)[::-1]) for one in each)
    return Table("Answers", ("By", "a worse", "the same", "a better"), rows)


def sets(result: OverSets) -> Table:
    """Return one row per data set; drawn towards the others where folds tell how well each is known."""
    shrunken = {} if result.hierarchical is None else result.hierarchical.shrunken
    rows = []
    for name, shown, mean in zip(result.names, named(result.names, 40), result.means.tolist(), strict=True):
        found = shrunken.get(name)
        limits = None if found is None else found.interval
        span = NOTHING if limits is None else f"{number(limits.low)} to {number(limits.high)}"
        rows.append((shown, number(mean), NOTHING if found is None else number(found.value), span))
    header = ("Data set", "Difference", "Drawn to the others", f"{percent(result.level)} interval")
    return folding("Data sets", header, rows, ("data set", "data sets")).without_empty_columns()


_OVER_SETS = {
    "sets": "Data sets, not cases or folds, are the draws: what is said holds for data sets like these.",
    "signs": "Signs count each data set alike; signed ranks weigh it by the size of its difference. Their probabilities are "
    "those of a Dirichlet process on the data sets (Benavoli et al. 2017, J. Mach. Learn. Res. 18(77):1-36); Wilcoxon's p value "
    "asks only whether there is any difference.",
    "hierarchy": "The hierarchical model knows how well each difference is known, from the folds with the variance of Nadeau "
    "and Bengio (2003), and draws it towards the others accordingly (Corani et al. 2017, Mach. Learn. 106:1817-1837).",
}
