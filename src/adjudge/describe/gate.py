"""What a gate and a sample size say."""

from __future__ import annotations

import math
from collections import Counter

from adjudge._base import counted, probable, safe, share
from adjudge.describe.compared_clusters import of_clusters
from adjudge.describe.comparison import rule as terms
from adjudge.describe.description import document, methods_section, noted, opening
from adjudge.describe.document import TEXTS, Card, Document, Section, Table, base_name
from adjudge.describe.values import percent, spoken
from adjudge.judgements.gate import Gate, JudgedRule, State
from adjudge.judgements.sample_size import SampleSize
from adjudge.metrics.catalogue import find
from adjudge.plots.differences import difference_picture
from adjudge.plots.intervals import drawn_rules, gate_forest
from adjudge.plots.labels import NOTHING, count, loss, number, probability
from adjudge.plots.quantities import METHODS
from adjudge.plots.textbook import sample_size_picture

_MOST_DECIMALS = 6
_SAID = {"passes": "The gate passes", "fails": "The gate fails", "inconclusive": "The gate is inconclusive"}
_METHODS = TEXTS["gate"]
_COUNTED: dict[State, str] = {"passes": "passed", "fails": "failed", "inconclusive": "inconclusive"}


@document.register
def _(result: Gate, *, whole: bool) -> Document:
    """Tell rule by rule; the verdict comes last, where a log ends."""
    states, of = Counter(rule.state for rule in result.rules), counted(len(result.rules), "rule")
    counts = ", ".join(f"{states[state]} {word}" for state, word in _COUNTED.items() if states[state])
    verdict, every = f"{_SAID[result.state]}: of {of} {counts}.", rules(result)
    closing = [verdict]
    if any(rule.more_cases is not None for rule in result.rules):
        margin = "" if result.comparison is None else f"equivalence margin (ROPE) {result.comparison.margin:.4g}, "
        often = "Assurance is how often that many cases in all decide, if the value is what it looks like"
        closing.insert(0, f"{often}; {margin}level {percent(result.level)}.")
    closing[:0] = [] if result.comparison is None else of_clusters(result.comparison)
    page: list[Section] = []
    if whole:
        lead = f"{base_name(result.name)} · {counted(result.cases, 'case')} · sure at {percent(result.level)}"
        cards = tuple(Card(word.capitalize(), str(states[state]), f"of {of}") for state, word in _COUNTED.items())
        page += opening("Does it pass?", lead, (verdict,), cards, result.findings)
        if drawn_rules(result):
            about = "How far each measure is beyond its bound: a rule passes where its whole line lies to the right of it. "
            about += "Discs pass, diamonds fail, rings are inconclusive."
            page.append(Section("figure", "gate", "How near to the bounds?", about, figure=gate_forest(result), theme="sure"))
        page.append(Section("table", "rules", "Rule by rule", tables=(every,), theme="sure"))
        if result.comparison is not None:
            drawing = difference_picture(result.comparison)
            page.append(Section("figure", "difference", "Against the earlier predictions", figure=drawing, theme="sure"))
        told = {"level": percent(result.level), "rest": percent(1 - result.level), "assurance": percent(result.assurance)}
        holds = {"comparison": result.comparison is not None, "chance": any(r.method.endswith("mid-P") for r in result.rules)}
        told["how"] = "" if result.comparison is None else result.comparison.method
        page.append(methods_section(*(text.format(**told) for name, text in _METHODS.items() if holds.get(name, True))))
    lines = tuple(line(rule) for rule in result.rules)
    return Document((), findings=result.findings, lines=lines, closing=tuple(closing), key=every, sections=tuple(page))


@document.register
def _(result: JudgedRule, **_: bool) -> Document:
    return noted(f"{result.state.capitalize()}: {line(result).removeprefix(result.state).lstrip()}")


def line(rule: JudgedRule) -> str:
    """Return a rule on one line: what is said of it, what was seen, and the limit that decides, or both where none does."""
    if rule.reason is not None:
        return f"{rule.state:<12}  {rule.rule}: {safe(rule.reason, 300)}"
    likely = "" if rule.probability is None else f"; P(holds) {probable(rule.probability)}"
    value = _written(rule, rule.value)
    seen = f"{value} seen" if rule.against is None else f"difference {value}"
    low, high = f"at least {_written(rule, rule.low)}", f"at most {_written(rule, rule.high)}"
    level, more = percent(rule.level), ""
    limits = f"{low if rule.operator.startswith('>') == (rule.state == 'passes') else high} ({level})"
    if rule.state == "inconclusive":
        limits = f"{low} and {high} ({level} each)"
        more = f"; more cases like these would not decide{', as it is at the bound' if rule.value == rule.bound else ''}"
        if rule.more_cases is not None:
            more = f"; about {rule.more_cases:,} more cases would decide with {percent(rule.assurance)} assurance"
    return f"{rule.state:<12}  {rule.rule}: {seen}, {limits}{likely}{more}"


def _written(rule: JudgedRule, value: float) -> str:
    """Return a value with so many digits that it is not taken for the bound it is compared with."""
    if math.isinf(find(rule.measure).high):
        return loss(value)
    enough = (d for d in range(3, _MOST_DECIMALS) if value == rule.bound or round(value, d) != round(rule.bound, d))
    return number(value, next(enough, _MOST_DECIMALS))


def rules(result: Gate) -> Table:
    """Return one row per rule."""
    rows, level, methods = [], percent(result.level), METHODS | {"none": NOTHING}
    for rule in result.rules:
        limits = (NOTHING, NOTHING) if rule.reason else (_written(rule, rule.low), _written(rule, rule.high))
        likely = NOTHING if rule.probability is None else probability(rule.probability)
        more = NOTHING if rule.more_cases is None else count(rule.more_cases)
        by = safe(rule.reason, 200) if rule.reason else methods.get(rule.method, rule.method)
        rows.append((safe(rule.rule), rule.state, _written(rule, rule.value), *limits, likely, more, by))
    header = ("Rule", "Verdict", "Seen", f"At least ({level})", f"At most ({level})", "P(holds)", "More cases", "By")
    return Table("Rules", header, tuple(rows), "nnrrrrrn").without_empty_columns()


# -- sample sizes --------------------------------------------------------------------------------------------


@document.register
def _(result: SampleSize, *, whole: bool) -> Document:
    level, goal, in_all = percent(result.level), _goal(result), count(result.total)
    side = "of the class" if result.goal in ("half-width", "above") else "on either side"
    cases, clusters = counted(result.cases, "case"), result.clusters
    if clusters is not None:
        in_all += f" ({counted(clusters.clusters, 'cluster')})"
        cases += "" if result.cases != result.total else f" ({counted(clusters.clusters, 'cluster')})"
    told = [f"{cases if result.cases == result.total else f'{cases} {side}, {in_all} in all,'} {goal}."]
    told.append(f"Assumed: {'; '.join(result.assumes)}.")
    if clusters is not None:
        few = f"{counted(clusters.fewest, 'cluster')}{' of the class' if result.share is not None else ''}"
        never = f"; with fewer than {few} no number of cases of each is enough" if clusters.intra_cluster else ""
        told.append(f"Of independent cases {count(clusters.independent_cases)} would be enough{never}.")
    often = result.assurance is not None
    if often:
        told.append("Assurance is how often a test set of that size brings the verdict, if what is assumed is so.")
    if result.plausible is not None:
        low, high = result.plausible
        room = "no number would do" if low is None else f"{count(low)} in all might do, or no number at all"
        room = room if low is None or high is None else f"{count(low)} to {count(high)} in all"
        told.append(f"The pilot itself is uncertain: {room}, if the true value lies at the ends of its {level} interval.")
    told.append(f"By {result.method}.")
    rows = tuple((count(n), share(v) if often else f"± {number(v, 4)}") for n, v in result.table)
    table = Table("Cases and what they give", ("Cases", "Assurance" if often else "Half width"), rows, "rr")
    page: list[Section] = []
    if whole:
        cards = [Card("Cases", count(result.total), "in all")]
        cards += [] if clusters is None else [Card("Clusters", count(clusters.clusters), "in all")]
        cards += [] if result.cases == result.total else [Card("Of these", count(result.cases), side)]
        drawn = sample_size_picture(result)
        page += opening("How many cases?", goal, told, cards, result.findings)
        page.append(Section("figure", "needed", "What more cases would give", figure=drawn, tables=(table,), theme="sure"))
        page.append(methods_section(f"By {result.method}."))
    return Document(tuple(told), (table,), result.findings, key=table, sections=tuple(page))


def _goal(result: SampleSize) -> str:
    name, target, level = spoken(result.measure), f"{result.target:.4g}", percent(result.level)
    often = "" if result.assurance is None else f" with {percent(result.assurance)} assurance"
    if result.goal == "half-width":
        return f"for a {level} interval of the {name} of half width {target}, on average"
    if result.goal == "above":
        return f"for a gate to pass, sure at {level}, that the {name} is above {target}{often}"
    if result.goal == "difference":
        return f"for compare to find the better of two{often}, if they differ by {target} in {name}; {terms(result)}"
    apart = "equal" if result.target == 0 else f"apart by {target}"
    return f"for compare to find two practically the same{often}, if they are {apart} in {name}; {terms(result)}"
