"""What a comparison of two learners over several data sets says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from adjudge._base.text import counted
from adjudge.describe.comparisons import sure
from adjudge.describe.document import Card, Row, Section, Table, without_empty_columns
from adjudge.describe.sections import sections
from adjudge.describe.tables import MOST_FOLDED, MOST_ROWS
from adjudge.describe.values import percent, probability
from adjudge.describe.verdicts import verdict
from adjudge.judgements.over_sets import Hierarchy, OverSets, ThreeNumbers
from adjudge.plots.labels import NOTHING, named, number


@verdict.register
def _(result: OverSets) -> tuple[str, ...]:
    return tuple(_sentences(result))


@sections.register
def _(result: OverSets) -> tuple[Section, ...]:
    lead = f"{counted(result.n_sets, 'data set')} · differences up to {result.margin:g} count as none"
    told = result.signed_rank if result.hierarchical is None else result.hierarchical
    where = "typical data set" if result.hierarchical is None else "next data set"
    each = zip(("a worse", "Practically the same", "a better"), _three(told, result.level), strict=True)
    cards = tuple(Card(name, shown, f"probability on the {where}") for name, shown in each)
    found = [Section("verdict", "verdict", "Over several data sets", lead, verdict(result), cards)]
    if result.findings:
        found.append(Section("findings", "findings", "Caveats", findings=result.findings))
    found.append(Section("table", "answers", "Three numbers, by each method", tables=(answers(result),), theme="better"))
    found.append(Section("table", "sets", "Set by set", "Differences a minus b.", tables=(sets(result),), theme="better"))
    found.append(Section("methods", "methods", "Methods", sentences=tuple(_methods(result)), theme="methods"))
    return tuple(found)


def _sentences(result: OverSets) -> Iterator[str]:
    yield result.summary
    known = result.hierarchical.mu if result.hierarchical is not None else None
    mean = float(np.mean(result.means))
    limits = known.interval if known is not None else None
    told = "" if limits is None else f", {percent(limits.level)} interval {number(limits.low)} to {number(limits.high)}"
    value = mean if known is None else known.value
    yield f"Mean difference over {counted(result.n_sets, 'data set')}, a minus b: {number(value)}{told}."
    yield f"Wilcoxon's signed-rank test of no difference: p {probability(result.wilcoxon_p, digits=3)}."


def answers(result: OverSets) -> Table:
    """Return the three numbers by each method."""
    each: list[ThreeNumbers | Hierarchy] = [result.sign, result.signed_rank]
    each += [] if result.hierarchical is None else [result.hierarchical]
    rows = tuple((one.method, *_three(one, result.level)) for one in each)
    return Table("Answers", ("By", "a worse", "the same", "a better"), rows, "lrrr")


def _three(one: ThreeNumbers | Hierarchy, level: float) -> Row:
    return tuple(sure(p, level).removeprefix("= ") for p in (one.worse, one.same, one.better))


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
    cut = tuple(rows[:MOST_ROWS]), tuple(rows[MOST_ROWS : MOST_ROWS + MOST_FOLDED])
    untold = max(0, len(rows) - MOST_ROWS - MOST_FOLDED)
    return without_empty_columns(Table("Data sets", header, cut[0], "lrrr", cut[1], untold, ("data set", "data sets")))


def _methods(result: OverSets) -> Iterator[str]:
    yield "Data sets, not cases or folds, are the draws: what is said holds for data sets like these."
    yield (
        "Signs count each data set alike; signed ranks weigh it by the size of its difference. Their probabilities are those of "
        "a Dirichlet process on the data sets (Benavoli et al. 2017, J. Mach. Learn. Res. 18(77):1-36); Wilcoxon's p value asks "
        "only whether there is any difference."
    )
    if result.hierarchical is not None:
        yield (
            "The hierarchical model knows how well each difference is known, from the folds with the variance of Nadeau and "
            "Bengio (2003), and draws it towards the others accordingly (Corani et al. 2017, Mach. Learn. 106:1817-1837)."
        )
