"""What a comparison of two says, a ranking of many, and a comparison over several data sets: sentences, tables and the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from adjudge._base import Undefined, counted, probable, safe
from adjudge.describe.compared_clusters import more_clusters, of_clusters, of_effective
from adjudge.describe.description import LONGEST_TEXT, document, findings_of, methods_section, opening
from adjudge.describe.document import TEXTS, Card, Document, Row, Section, Table, fact_table, folding
from adjudge.describe.side_by_side import measure_tables, where_correct_table
from adjudge.describe.side_by_side import sections as side_by_side
from adjudge.describe.values import about, amount, margin_of, one_name, percent, sure, taken, three, title, told_method, unit
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.over_sets import OverSets
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.sample_size import SampleSize
from adjudge.metrics.catalogue import find
from adjudge.plots.differences import difference_picture, outcome_bars
from adjudge.plots.intervals import ranking_forest
from adjudge.plots.labels import NOTHING, count, named, number, probability, signed
from adjudge.plots.quantities import MOST_DECIMALS, is_share, writer

LONGEST = 60
"""Characters of a name within a sentence."""
MOST_RANKED = 100
"""Candidates shown."""
_MOST_NAMES, _MOST_GROUPS = 5, 3  # within a sentence
_SHORT = 60  # letters of a name at a terminal
_MOST_CARDS = 5
_SAME = "practically the same"
_VERDICTS = {"better": "first better", "worse": "second better", "equivalent": _SAME, "undecided": "undecided"}
FOLDS = ("correlated t", "resampled t", "paired t test", "5 x 2")
"""Words in the methods that compare learners over folds."""
_METHODS, _WAYS, _SAID, _OVER_SETS = (TEXTS[family] for family in ("comparison", "ways", "ranking", "over_sets"))
"""How comparisons are made, beside the way itself; and rankings."""


@document.register
def _(result: Comparison, *, whole: bool) -> Document:
    told, key = tuple(sentences(result)), numbers(result)
    return Document(told, beside(result), result.findings, key=key, sections=tuple(_page(result, told, key)) if whole else ())


def beside(result: Comparison | Ranking) -> tuple[Table, ...]:
    """Return the tables that a terminal shows beside the verdict: every measure, and where each is correct."""
    every = () if result.measures is None else tuple(measure_tables(result.measures))
    return (*every, *(() if result.where_correct is None else (where_correct_table(result.where_correct),)))


def sentences(result: Comparison) -> Iterator[str]:
    """Yield the verdict."""
    a, b = named(result.names, LONGEST)
    one, other = two_values(result)
    less = "" if result.higher_is_better else " (less is better)"
    limits = f"{percent(result.interval.level)} interval {difference_limits(result)}"
    measured = f"{about(result.measure, result.of)} {one} against {other}{less}, difference {difference(result)}, {limits}"
    yield f"{who_is_better(result, a, b)}: {measured}."
    if result.verdict == "undecided" and result.more_cases is None:
        why = "the difference is about as large as what counts as none"
        yield f"More cases like these would not decide: {why} ({rule(result)})."
    elif result.verdict == "undecided":
        often = f"would decide with {percent(result.assurance)} assurance, if the difference is what it looks like"
        yield f"About {counted(result.more_cases or 0, 'more labelled case')}{more_clusters(result)} {often}; {rule(result)}."
    better, same, worse = three(result, result.level, bare=False)
    yield f"P({a} better) {better}, P({_SAME}) {same}, P({b} better) {worse}; {taken(result.measure, result.margin)}."
    if result.outcomes is not None:
        both, only_a, only_b, neither = (count(v) for v in result.outcomes)
        yield f"Both correct in {both} cases, only {a} in {only_a}, only {b} in {only_b}, neither in {neither}."
    yield f"Compared on {_on_cases(result)}: {told_method(result.method)}."
    yield from of_clusters(result)
    p = result.p_value
    if p is not None and math.isnan(p):
        yield f"Test of no difference at all: p undefined{f', as {p.reason}' if isinstance(p, Undefined) else ''}."
    elif p is not None:  # and whose it is, where the method is not the test itself
        over = " (corrected resampled t test)" if "correlated t test" in result.method.partition(";")[0] else ""
        by = " (McNemar's test, mid-P)" if result.method.startswith("paired Dirichlet") else over
        by = " (McNemar's test by clusters, Obuchowski 1998)" if by and of_effective(result) else by
        yield f"Test of no difference at all: p {probable(p, digits=3)}{by}."
    wrong = percent(result.false_verdicts)
    if result.type_i_error is not None:
        yield f"{result.type_i_error.told}."
    elif result.pairs > 1 and not _over_folds(result):
        equals = "among equally good candidates some pair is declared better or worse"
        yield f"The verdict is adjusted for {counted(result.pairs, 'pair')} (Holm): {equals} in up to {wrong} of rankings."
    elif not _over_folds(result):
        level, side = percent(result.level), percent(1 - result.level)
        yield f"At a level of {level} up to {wrong} of equally good pairs are declared better or worse, {side} on each side."


def who_is_better(result: Comparison, a: str, b: str) -> str:
    """Return the verdict on two, by their names."""
    if result.verdict == "undecided":
        return f"Undecided between {a} and {b}"
    return f"{a} and {b} are {_SAME}" if result.verdict == "equivalent" else f"{a} is {result.verdict} than {b}"


def two_values(result: Comparison) -> tuple[str, str]:
    """Return both values, with digits enough to tell them apart if they differ."""
    width = result.interval.high - result.interval.low
    one, other = result.values
    while True:
        words = writer(result.measure, width)
        shown = words(one), words(other)
        if shown[0] != shown[1] or one == other or not is_share(result.measure) or width < 10.0 ** -(MOST_DECIMALS + 2):
            return shown
        width = (width if width > 0 else 0.1) / 10


def difference(result: Comparison) -> str:
    """Return the observed difference with its sign and unit."""
    shown = amount(result.measure, result.difference, result.interval.high - result.interval.low)
    return f"{signed(shown, result.difference)}{unit(result.measure)}"


def difference_limits(result: Comparison) -> str:
    """Return the interval of the difference."""
    ends = result.interval.low, result.interval.high
    low, high = (amount(result.measure, v, ends[1] - ends[0]) for v in ends)
    return f"{low} to {high}{unit(result.measure)}"


def rule(result: Comparison | Ranking | SampleSize) -> str:
    """Return margin and level, by which it is decided."""
    return f"equivalence margin (ROPE) {result.margin:.4g}, level {percent(result.level)}"


def _over_folds(result: Comparison) -> bool:
    """Say whether two learners were compared over folds."""
    return result.outcomes is None and any(words in result.method for words in FOLDS)


def _on_cases(result: Comparison) -> str:
    """Return what the comparison rests on."""
    cases = counted(result.cases, "case")
    if _over_folds(result):
        return f"the same folds of {cases}"
    return f"{cases}, the same for both" if result.paired else f"{cases}, different ones for each"


def numbers(result: Comparison) -> Table:
    """Return both values, their difference with its interval, and the three numbers."""
    a, b = named(result.names, 80)
    one, other = two_values(result)
    name = about(result.measure, result.of)
    name = name[0].upper() + name[1:]
    rows: list[Row] = [(f"{name}, {a}", one), (f"{name}, {b}", other), (f"Difference, {a} minus {b}", difference(result))]
    rows.append((f"{percent(result.interval.level)} interval of the difference", difference_limits(result)))
    rows += zip((f"P({a} better)", f"P({_SAME})", f"P({b} better)"), three(result, result.level), strict=True)
    if result.clusters is not None:
        rows.append(("Design effect of the difference", f"{result.clusters.design_effect:.3g}"))
        rows.append(("Effective cases", f"{result.clusters.effective_cases:,.3g}"))
    if result.p_value is not None:
        rows.append(("p of no difference", "undefined" if math.isnan(result.p_value) else probability(result.p_value, 3)))
    return Table("Numbers", ("Number", "Value"), tuple(rows), "ll")


def outcomes(result: Comparison) -> Table:
    """Return how many cases both got right, one of them, or neither."""
    a, b = named(result.names, 80)
    both, only_a, only_b, neither = values = result.outcomes or (0.0,) * 4
    rows = (
        (f"{a} correct", *(count(v) for v in (both, only_a, both + only_a))),
        (f"{a} wrong", *(count(v) for v in (only_b, neither, only_b + neither))),
        ("All", *(count(v) for v in (both + only_b, only_a + neither, sum(values)))),
    )
    return Table("Cases that both, one or neither got correct", ("", f"{b} correct", f"{b} wrong", "All"), rows)


def _page(result: Comparison, told: tuple[str, ...], key: Table) -> Iterator[Section]:
    which, of = "the same for both" if result.paired else "different ones for each", about(result.measure, result.of)
    (first, second), (one, other), level = named(result.names, 60), two_values(result), percent(result.level)
    chances = (f"{first} better", "Practically the same", f"{second} better")
    likely = max(range(3), key=(result.better, result.same, result.worse).__getitem__)
    cards = (
        Card(first, one, of),
        Card(second, other, of),
        Card("Difference", difference(result), f"{level}: {difference_limits(result)}"),
        Card(chances[likely], three(result, result.level)[likely], "most probable of the three"),
    )
    lead = f"{counted(result.cases, 'case')} · {which} · {of}"
    yield from opening(f"{first} against {second}", lead, told, cards, result.findings)
    lead = f"Posterior distribution of {first} minus {second}; {taken(result.measure, result.margin)}."
    asked, drawn = "Which is better, and how sure are we?", difference_picture(result)
    yield Section("figure", "difference", asked, lead, figure=drawn, theme="better")
    yield from side_by_side(result.measures, result.where_correct, result.overlaid)
    if result.where_correct is None and result.outcomes is not None and sum(result.outcomes) > 0:
        lead, bars = "How many cases both got correct, only one of them, or neither.", outcome_bars(result)
        yield Section("figure", "outcomes", "Where they differ", lead, tables=(outcomes(result),), figure=bars, theme="better")
    yield Section("facts", "numbers", "The numbers", tables=(key,), theme="better", narrow=True)
    measure = find(result.measure)
    terms = {
        "Measure": f"{of}: {measure.formula} ({measure.direction})",
        "Equivalence margin (ROPE)": f"{margin_of(result.measure, result.margin)}: differences up to it count as none",
        "Level": f"probability of {level} or more for a verdict",
        "Assurance": f"{percent(result.assurance)} of test sets, where more cases are counted",
        "Compared on": _on_cases(result),
        "Method": told_method(result.method),
    } | ({} if result.type_i_error is None else {"Known error": result.type_i_error.told})
    terms |= {} if result.clusters is None else {"Clusters": "; ".join(of_clusters(result))}
    table = fact_table("Terms", {name: safe(text, LONGEST_TEXT) for name, text in terms.items()})
    yield Section("facts", "terms", "What was asked", tables=(table,), theme="better", narrow=True)
    folded, used = _over_folds(result), result.method
    how = [_METHODS["asked"], *([_METHODS["folds"]] if folded else [])]
    how += [words for name, words in _WAYS.items() if used.startswith(name) or f"by the {name}" in used]
    how += [_METHODS["clusters"]] if of_effective(result) else []
    how += [_METHODS["mcnemar"]] if result.p_value is not None and result.outcomes is not None else []
    how += [] if result.type_i_error is None else [_METHODS["learners"] if folded or "McNemar" in used else _METHODS["equals"]]
    how += [] if result.more_cases is None else [_METHODS["assured"].format(percent(result.assurance))]
    yield methods_section(*how)


# -- many, from best to worst -----------------------------------------------------------------------------------


@document.register
def _(result: Ranking, *, whole: bool) -> Document:
    told, table = tuple(ranking_sentences(result)), ranks(result, _SHORT)
    if not whole:
        return Document(told, (table, *beside(result)), result.findings, key=table)
    m, words = len(result.rows), words_for(result)
    lead = f"{counted(result.cases, 'case')} · {m:,} candidates · {counted(len(result.comparisons), 'pair')}"
    best = zip(result.rows[:_MOST_CARDS], named([row.name for row in result.rows], 60), strict=False)
    cards = (Card(f"{row.rank}. {name}", words(row.value), f"P(best) {probable(row.p_best)}") for row, name in best)
    clustered = [_METHODS["clusters"]] if of_effective(result) else []
    paired = f"{taken(result.measure, result.margin).capitalize()}. {_SAID['adjusted']}"
    page = (
        *opening(f"Which of {m:,} is the best?", lead, told, cards, result.findings),
        Section("figure", "ranking", "From best to worst", _SAID["drawn"], figure=ranking_forest(result), theme="better"),
        Section("table", "ranks", "The ranks", _SAID["grouped"], tables=(ranks(result),), theme="better"),
        Section("table", "pairs", "Pair by pair", paired, tables=(pairs(result),), theme="better"),
        *side_by_side(result.measures, result.where_correct, result.overlaid),
        methods_section(_SAID["pairs"].format(result.method), *clustered, *_wrong_anywhere(result), _SAID["best"], _SAID["luck"]),
    )
    return Document(told, (table, *beside(result)), result.findings, key=table, sections=page)


def ranking_sentences(result: Ranking) -> Iterator[str]:
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
        yield f"{by}: no candidate is declared better than another."
    else:
        more = f"; and {counted(len(alike) - _MOST_GROUPS, 'more group')}" if len(alike) > _MOST_GROUPS else ""
        yield f"{by}: none is declared better among {'; '.join(_joined(group) for group in alike[:_MOST_GROUPS])}{more}."
    alone = [group[0] for group in result.groups if len(group) == 1]
    if alike and alone:
        yield f"Better or worse than all others: {_joined(alone)}."
    yield from _wrong_anywhere(result)
    yield optimism(result)
    yield f"Compared on {counted(result.cases, 'case')}: {result.method}; {taken(result.measure, result.margin)}."
    yield from of_clusters(result)


def words_for(result: Ranking) -> Callable[[float], str]:
    """Return how values of the measure are written."""
    return writer(result.measure, _width(result))


def _width(result: Ranking) -> float:
    return min((row.interval.high - row.interval.low for row in result.rows if row.interval is not None), default=0.0)


def _wrong_anywhere(result: Ranking) -> Iterator[str]:
    """Yield how often some verdict is wrong among equals; not over folds, where methods err more often than they say."""
    if len(result.comparisons) > 1 and not any(words in result.method for words in FOLDS):
        wrong = percent(result.false_verdicts)
        yield f"Among equally good candidates some pair is declared better or worse in up to {wrong} of rankings; {rule(result)}."


def _joined(names: Sequence[str]) -> str:
    shown = named(names[:_MOST_NAMES], LONGEST)
    if len(names) > _MOST_NAMES:
        return f"{', '.join(shown)} and {len(names) - _MOST_NAMES:,} more"
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)


def optimism(result: Ranking) -> str:
    """Return how much the winner was lucky."""
    luck, words = result.optimism, words_for(result)
    of = f"the best of {luck.candidates:,}"
    seen = f"{words(luck.observed)} observed, {words(luck.corrected)} on held-out cases"
    if luck.size <= 0:
        return f"Choosing {of} did not flatter it: {seen}."
    if words(luck.observed) == words(luck.corrected):
        return f"Choosing {of} hardly flatters it: {seen}."
    return f"Choosing {of} flatters it by {amount(result.measure, luck.size, _width(result))}{unit(result.measure)}: {seen}."


def ranks(result: Ranking, longest: int = 80) -> Table:
    """Return the candidates from best to worst."""
    names, words = named([row.name for row in result.rows], longest), words_for(result)
    rows = []
    for row, name in zip(result.rows, names, strict=True):
        limits = NOTHING if row.interval is None else f"{words(row.interval.low)} to {words(row.interval.high)}"
        groups = ", ".join(f"{g}" for g in row.groups)
        rows.append((f"{row.rank:,}. {name}", words(row.value), limits, probability(row.p_best), groups))
    name = title(Estimate(result.measure, math.nan))
    header = ("Candidate", name, f"{percent(result.level)} simultaneous interval", "P(best)", "Group")
    return folding("Ranking", header, rows, ("one", "ones"), shown=MOST_RANKED, folded=0, align="lrrrl").without_empty_columns()


def pairs(result: Ranking) -> Table:
    """Return every pair, the better one first."""
    shown = dict(zip((row.name for row in result.rows), named([row.name for row in result.rows], 60), strict=True))
    rows = []
    for (a, b), comparison in result.comparisons.items():
        verdict = shown[a], shown[b], _VERDICTS[comparison.verdict], difference(comparison), difference_limits(comparison)
        rows.append((*verdict, *three(comparison, comparison.level), probability(result.p_values[a, b], 3)))
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
    told: tuple[str, ...] = (
        result.summary,
        f"Mean difference over {counted(result.n_sets, 'data set')}, a minus b: {number(value.value)}{known}.",
        f"Wilcoxon's signed-rank test of no difference: p {probable(result.wilcoxon_p, digits=3)}.",
    )
    if model is not None:
        named_after = (
            (model.typical, "On the typical data set, by the mean difference over data sets, a is"),
            (model.likeliest, "The most probable outcome on the next data set is that a is"),
        )
        for each, begins in named_after:
            better, same, worse = three(each, level)
            told += (f"{begins} better with probability {better}, the same {same}, worse {worse}.",)
    tables, page = (first, *((second,) if second.rows else ())), list[Section]()
    if whole:
        lead = f"{counted(result.n_sets, 'data set')} · differences up to {result.margin:g} count as none"
        where = "typical data set" if model is None else "next data set"
        numbers = zip(
            ("a worse", "Practically the same", "a better"), three(model or result.signed_rank, level)[::-1], strict=True
        )
        cards = (Card(name, shown, f"probability on the {where}") for name, shown in numbers)
        page += opening("Over several data sets", lead, told, cards, result.findings)
        page.append(Section("table", "answers", "Three numbers for each question", tables=(first,), theme="better"))
        page.append(Section("table", "sets", "Set by set", "Differences a minus b.", tables=(second,), theme="better"))
        page.append(
            methods_section(*(text for name, text in _OVER_SETS.items() if model is not None or not name.startswith("hierarchy")))
        )
    return Document(told, tables, findings_of(result), key=first, sections=tuple(page))


def answers(result: OverSets) -> Table:
    """Return the three numbers by each method."""
    rows = tuple((one.question, *three(one, result.level)[::-1], one.method) for one in result.answers)
    return Table("Answers", ("Question: which is better", "a worse", "the same", "a better", "By"), rows, "lrrrl")


def sets(result: OverSets) -> Table:
    """Return one row per data set; drawn towards the others where folds tell how well each is known."""
    shrunken = {} if result.hierarchical is None else result.hierarchical.shrunken
    rows = []
    for name, shown, mean in zip(result.names, named(result.names, 60), result.means.tolist(), strict=True):
        estimate = shrunken.get(name)
        limits = None if estimate is None else estimate.interval
        span = NOTHING if limits is None else f"{number(limits.low)} to {number(limits.high)}"
        rows.append((shown, number(mean), NOTHING if estimate is None else number(estimate.value), span))
    header = ("Data set", "Difference", "Drawn to the others", f"{percent(result.level)} interval")
    return folding("Data sets", header, rows, ("data set", "data sets")).without_empty_columns()
