"""Which heat maps there are, from the records of each family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from atlas import clusters, ours
from atlas.cells import SKILLS
from atlas.jobs import Record
from atlas.levels import MEASURES, RULES
from atlas.maps import COVERAGE, Axis, Panel, draw, level_scale
from atlas.peers import LOOP
from atlas.results import Figure, capital, coverage, level, named, of_family
from atlas.truth import Array

Read = Callable[[Record, str, str], Figure | None]
_BOTH = ((ours.NAME, ours.NAME), (LOOP, LOOP))


def pictures(folder: Path, records: Sequence[Record]) -> dict[str, list[tuple[str, str]]]:
    """Draw every heat map that has cells; return file and measure by family."""
    drawn: dict[str, list[tuple[str, str]]] = {}
    for family, (groups, rows, columns, label, across) in _LAYOUT.items():
        found = of_family(records, family)
        for name in found[0]["intervals"] if found else ():
            path = folder / f"{family}-{name}.svg".replace(" ", "-").replace("_", "-")
            _of_grid(path, found, name, groups, rows, columns, label, across)
            drawn.setdefault(family, []).append((path.name, name))
    for family, make in (("clusters", _clusters), ("chance", _chance), ("compare", _compare), ("gate", _gate)):
        found = of_family(records, family)
        if found:
            path = folder / f"{family}.svg"
            make(path, found)
            drawn[family] = [(path.name, family)]
    return drawn


_LAYOUT = {
    "decisions": ("skill", "prevalence", "n", "share of positives", "cases"),
    "scores": ("auc", "prevalence", "n", "share of positives", "cases"),
    "losses": ("probabilities", "prevalence", "n", "share of positives", "cases"),
    "classes": ("classes", "shares skill", "n", "classes, skill", "cases a class"),
    "class scores": ("auc", "shares", "n", "classes", "cases"),
}
"""By family: what groups the rows, what the rows are, what the columns are, and how rows and columns are headed."""


def _of_grid(
    path: Path, records: Sequence[Record], name: str, groups: str, rows: str, columns: str, label: str, across: str
) -> None:
    def row(record: Record) -> tuple[object, ...]:
        return tuple(record[each] for each in (groups, *rows.split(" ")))

    def column(record: Record) -> int:
        return record[columns] // (record["classes"] if across == "cases a class" else 1)

    at = list(dict.fromkeys(row(record) for record in records))
    over = sorted({column(record) for record in records})
    placed = {(row(record), column(record)): record for record in records}
    panels = [
        Panel(title, np.array([[_share(coverage, placed.get((i, j)), name, method) for j in over] for i in at]))
        for title, method in _BOTH
    ]
    headed = list(dict.fromkeys(each[0] for each in at))
    sizes = [(_heading(groups, each), sum(row[0] == each for row in at)) for each in headed]
    names = [", ".join(str(part) for part in each[1:]) for each in at]
    title = capital(named(name)) + (" of three classes" if records[0]["family"] == "class scores" else "")
    draw(path, title, panels, Axis(names, label, sizes), Axis([f"{each:,}" for each in over], across), COVERAGE)


def _heading(kind: str, value: object) -> str:
    if kind == "skill":
        sensitivity, specificity = SKILLS[str(value)]
        return f"{value}\nsens. {sensitivity:g}\nspec. {specificity:g}"
    return {"auc": f"AUC {value}", "classes": f"{value} classes"}.get(kind, str(value))


def _share(read: Read, record: Record | None, name: str, method: str) -> float:
    found = read(record, name, method) if record is not None else None
    return found.share if found is not None and found.counts else float("nan")


_SHORT = {"accuracy": "acc.", "balanced_accuracy": "bal.\nacc.", "sensitivity": "sens.", "brier": "Brier"}
"""Measures as heads of narrow columns."""


def _columns(names: Sequence[str]) -> Axis:
    return Axis([_SHORT.get(name, named(name)) for name in names], "measure")


def _clusters(path: Path, records: Sequence[Record]) -> None:
    names = (*clusters.OF_DECISIONS, *clusters.OF_SCORES)
    methods = [each for each in (ours.NAME, LOOP, clusters.STAMBO) if each in records[0]["intervals"]["accuracy"]["methods"]]
    panels = [Panel(method, _matrix(coverage, records, [(name, method) for name in names])) for method in methods]
    rows = Axis(
        [f"{r['icc']}" for r in records], "intra-cluster corr.", _runs([f"{r['clusters']} x {r['size']}" for r in records])
    )
    draw(path, "Rows in clusters", panels, rows, _columns(names), COVERAGE)


def _matrix(read: Read, records: Sequence[Record], asked: Sequence[tuple[str, str]]) -> Array:
    """Return a row for each record and a column for each question and method."""
    return np.array([[_share(read, record, name, method) for name, method in asked] for record in records])


def _runs(names: Sequence[str]) -> list[tuple[str, int]]:
    """Return each name with how many rows in a row have it."""
    return [(name, len(list(each))) for name, each in groupby(names)]


def _chance(path: Path, records: Sequence[Record]) -> None:
    two = [record for record in records if record["classes"] == 2]
    at = list(dict.fromkeys((record["decisions"], record["prevalence"]) for record in two))
    over = sorted({record["n"] for record in two})
    placed = {(record["decisions"], record["prevalence"], record["n"]): record for record in two}
    claims = [(claim, method) for claim, methods in two[0]["levels"].items() for method in methods]
    panels = [
        Panel(_titles(claim, method), np.array([[_share(level, placed.get((*i, j)), claim, method) for j in over] for i in at]))
        for claim, method in claims
    ]
    groups = [(f"{each}", sum(row[0] == each for row in at)) for each in dict.fromkeys(row[0] for row in at)]
    scale = level_scale(0.05, "decisions without skill that are declared better than chance, in percent; 5 are intended")
    draw(
        path,
        "Decisions without skill, two classes",
        panels,
        Axis([str(share) for _, share in at], "share of positives", groups),
        Axis([str(n) for n in over], "cases"),
        scale,
    )


def _titles(claim: str, method: str) -> str:
    return {
        ours.CHANCE: "chance():\nabove chance",
        ours.COMMONEST: "beats commonest\nclass, p < 0.05",
        ours.PASSES: "gate:\nabove chance",
    }.get(claim, f"{method}:\n90% interval")


def _compare(path: Path, records: Sequence[Record]) -> None:
    names = [name for name in MEASURES if name in records[0]["levels"]]
    methods = [each for each in (ours.NAME, LOOP, "stambo") if each in records[0]["levels"][names[0]]]
    panels = [Panel(method, _matrix(level, records, [(name, method) for name in names])) for method in methods]
    rows = Axis([f"{record['n']:,}, {record['positives']}" for record in records], "cases, positives")
    scale = level_scale(0.1, "equal pairs, one declared better, in percent; 10 are allowed")
    draw(path, "Comparing equals", panels, rows, _columns(names), scale)


def _gate(path: Path, records: Sequence[Record]) -> None:
    panels = [
        Panel(f"adjudge: {claim}", _matrix(level, records, [(f"{name} {claim}", ours.NAME) for name in RULES]))
        for claim in ("passes", "fails")
    ]
    groups = _runs([f"AUC {record['auc']}" for record in records])
    rows = Axis([f"{record['n']:,}, {record['prevalence']}" for record in records], "cases, share of positives", groups)
    scale = level_scale(0.05, "rules at the true value that pass, and that fail, in percent; 5 are allowed of each")
    draw(path, "Gates at their bound", panels, rows, _columns(RULES), scale)
