"""The sections on tests, comparisons, gates and ranks, each from the records alone: no figure is typed."""

from __future__ import annotations

from collections.abc import Sequence

from atlas import ours
from atlas.jobs import Record
from atlas.levels import MEASURES, RULES
from atlas.peers import LOOP
from atlas.results import confirmed, level, levels, named, of_family
from atlas.tables import NONE, Drawn, cell_of, first_and_fresh, images, mean_and_worst, percent, table


def level_of(record: Record, claim: str, method: str = ours.NAME) -> str:
    """Return how often a claim was made, in percent."""
    found = level(record, claim, method)
    return percent(found.share) if found else NONE


def chance(records: Sequence[Record], drawn: Drawn) -> str:
    """Return the section of decisions without skill."""
    found = of_family(records, "chance")
    if not found:
        return ""
    again = {each.name: each for each in confirmed(records) if each.family == "chance"}
    claims = list(
        dict.fromkeys((claim, method) for record in found for claim, methods in record["levels"].items() for method in methods)
    )
    rows = []
    for claim, method in claims:
        parts = [
            mean_and_worst(levels([r for r in found if (r["classes"] == 2) is two], claim, method), high=True)
            for two in (True, False)
        ]
        each = again.get(claim)
        rows.append([claim, method, *parts, first_and_fresh(each), cell_of(each.key) if each else ""])
    head = ["claim", "method", "two classes: mean (worst)", "3 and 10 classes: mean (worst)", "worst → fresh seed", "worst cell"]
    return f"""## Better than chance?

Decisions that know nothing of the truth: guessed as the classes are common, guessed evenly, or always the same. At most 5%
may be declared better than chance.

{table(head, rows)}

{images(drawn, "chance", "decisions without skill that are declared better than chance, two classes")}"""


def comparisons(records: Sequence[Record], drawn: Drawn) -> str:
    """Return the section of comparisons of equals."""
    found = of_family(records, "compare")
    if not found:
        return ""
    again = {each.name: each for each in confirmed(records) if each.family == "compare"}
    methods = list(dict.fromkeys(m for record in found for each in record["levels"].values() for m in each))
    rows = []
    for name in MEASURES:
        each = again.get(name)
        others = [mean_and_worst(levels(found, name, method), high=True) for method in methods]
        rows.append([named(name), *others, first_and_fresh(each), cell_of(each.key) if each else ""])
    return f"""## Comparing equals

Two classifiers of the same cases, exchangeable, so that neither is better. adjudge gives a verdict with its default margin;
the bootstrap loop where the 90%
interval of the difference excludes 0, `stambo` and McNemar's exact test at p < 0.1. At most 10% may be declared different.

{table(["by", *(f"{each}: mean (worst)" for each in methods), "worst → fresh seed", "worst cell of adjudge"], rows)}

{images(drawn, "compare", "equal pairs, one declared better, by positives and cases")}"""


def gates(records: Sequence[Record], drawn: Drawn) -> str:
    """Return the section of gates at their bound."""
    found = of_family(records, "gate")
    if not found:
        return ""
    again = {each.name: each for each in confirmed(records) if each.family == "gate"}
    rows = []
    for name in RULES:
        row = [named(name)]
        for claim in (f"{name} passes", f"{name} fails"):
            row.append(mean_and_worst(levels(found, claim, ours.NAME), high=True))
            row.append(first_and_fresh(again.get(claim)))
            row.append(mean_and_worst(levels(found, claim, LOOP), high=True))
        rows.append(row)
    sides = [
        f"{claim}: {each}" for claim in ("passes", "fails") for each in ("adjudge", "worst → fresh seed", "loop's 90% interval")
    ]
    return f"""## Gates at their bound

The rule's bound is the true value: it may pass in 5% of samples, and fail in 5%. Mean (worst) over {len(found)} cells.

{table(["rule on", *sides], rows)}

{images(drawn, "gate", "rules at the true value that pass, and that fail")}"""


def ranks(records: Sequence[Record]) -> str:
    """Return the section of rankings of equals."""
    found = of_family(records, "rank")
    if not found:
        return ""
    claims = list(found[0]["levels"])
    rows = [
        [f"{r['candidates']} candidates, {r['n']} cases", *(level_of(r, claim) for claim in claims), f"{r['repetitions']}"]
        for r in found
    ]
    return f"""## Ranking equals

Exchangeable candidates: groups may separate some in 5% of samples.

{table(["cell", *claims, "samples"], rows)}"""
