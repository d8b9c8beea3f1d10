"""The sections on intervals, each from the records alone: no figure is typed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from atlas import clusters as in_clusters
from atlas import ours
from atlas.cells import RECALLS, SKILLS, grid
from atlas.jobs import Record
from atlas.level_sections import level_of
from atlas.loop import ROWS, TABLES
from atlas.peers import LOOP, PACKAGES, PCM_DRAWS, STAMBO_RESAMPLES, WILSON
from atlas.results import Confirmed, common, confirmed, coverage, coverages, named, of_family
from atlas.tables import NONE, Drawn, cell_of, first_and_fresh, images, mean_and_worst, percent, table

LOW, ENOUGH, TOLERATED = 0.9, 0.93, 1.3
"""Cells below the first are counted; confirmed cells below the second, or above that multiple of the level, are called weak."""
_COMMAND = "benchmarks/coverage --jobs 2"


def made(settings: Record, records: Sequence[Record]) -> str:
    """Return how the page was made, and how to read it."""
    ours_made, packages = settings.get("adjudge", {}), settings.get("packages", {}) | settings.get("peers", {})
    versions = ", ".join(f"{name} {version}" for name, version in packages.items())
    absent = [name for name in PACKAGES if name not in settings.get("peers", {})]
    missing = f" Not installed, and left out: {', '.join(absent)}." if absent else ""
    cells = sum("fresh" not in record for record in records)
    error = percent(float(np.sqrt(0.95 * 0.05 / max(1, settings.get("repetitions", 1)))))
    return f"""# Coverage: how often intervals hold the truth, and how often tests err

A 95% interval should hold the truth in 95% of samples, and a test at 5% should err in 5%. This page shows how often they do:
adjudge with its defaults, and on the same samples the percentile bootstrap that people write around scikit-learn and the
packages {", ".join(f"`{name}`" for name in PACKAGES)}.

## How it was made

`make atlas` draws samples from populations whose true values are known by formula or quadrature ({cells} of the
{len(grid(quick=False))} cells of the grid), asks every method, and writes this page.
Without the peers, or in parts: `{_COMMAND}`.
Seed {settings.get("seed")}, {settings.get("repetitions")} samples a cell for measures of decisions, a share of that for slower
questions; each cell has its own seed, so that neither order nor company matters. The grid was fixed before the run.
adjudge {ours_made.get("version")} (sources {ours_made.get("sources")}); {versions}.{missing}
Counts of every cell are in [cells.jsonl](coverage/cells.jsonl).

- **Mean (worst)** are over cells. The worst of many cells is partly bad luck: so the worst cell of every measure was run
  **again on a fresh seed** with more samples, and both values are shown.
- A cell's coverage has a standard error of about {error} points where all samples are used.
- Samples without an answer (an undefined measure, a refusal, a failure of a package) are left out of the coverage. Averages
  over classes count only where every class has a case. Cells where fewer than a quarter of the samples have an answer show
  a dash.
- *Width / loop's* is the median over cells of the width of adjudge's intervals, divided by that of the bootstrap loop's.
- In heat maps orange is too little coverage or too many false claims, purple the reverse.

The bootstrap loop uses {TABLES:,} resamples of decisions and {ROWS} of scores. `stambo` ran with {STAMBO_RESAMPLES} resamples
and measures passed as its `Metric`, `prob_conf_mat` with {PCM_DRAWS:,} draws and its default priors, `confidenceinterval` with
its default methods, statsmodels with `proportion_confint(method="wilson")`. Error, false positive rate, false negative rate
and informedness mirror the measures shown."""


def weak(records: Sequence[Record]) -> str:
    """Return the worst confirmed cells of adjudge."""
    lines = [_weakness(each) for each in confirmed(records) if _is_weak(each)]
    clustered = _cluster_weakness(records)
    if not lines and not clustered:
        return ""
    head = ["question", "cell", "first", "fresh seed", "samples"]
    text = f"""## Where adjudge is weak

Cells that stay below {percent(ENOUGH)}% coverage, or above {TOLERATED:g} times the level, on a fresh seed (a dash:
not run again). All numbers are
percent of samples."""
    return "\n\n".join(part for part in (text, table(head, lines) if lines else "", clustered) if part)


def nominal(family: str) -> float:
    """Return the level that a claim promises."""
    return 0.1 if family == "compare" else 0.05


def _is_weak(each: Confirmed) -> bool:
    figure = each.fresh or each.first
    if "intervals" in figure.record:
        return figure.share < ENOUGH
    return figure.share > TOLERATED * nominal(each.family)


def _weakness(each: Confirmed) -> list[str]:
    kind = {"compare": "compare equals by ", "gate": "gate at its bound: ", "chance": ""}.get(each.family, "coverage of ")
    fresh = (percent(each.fresh.share), f"{each.fresh.answered:,}") if each.fresh else (NONE, f"{each.first.answered:,}")
    return [kind + named(each.name), cell_of(each.key), percent(each.first.share), *fresh]


def _cluster_weakness(records: Sequence[Record]) -> str:
    found = [record for record in of_family(records, "clusters") if record["icc"] > 0]
    shares = [each.share for name in in_clusters.population_values() for each in coverages(found, name, ours.NAME)]
    if not shares or min(shares) >= ENOUGH:
        return ""
    told = (
        "takes clusters into account"
        if ours.knows_clusters()
        else "takes every row for independent and does not know of clusters"
    )
    return f"Rows in clusters: coverage falls to {percent(min(shares))}%. adjudge {told}; see [below](#rows-in-clusters)."


def _summary(records: Sequence[Record], every: Sequence[Record], names: Iterable[str], methods: Sequence[str]) -> str:
    again = {each.name: each for each in confirmed(every) if each.family == records[0]["family"]}
    rows = []
    for name in names:
        figures, each = coverages(records, name, ours.NAME), again.get(name)
        low = " / ".join(str(sum(f.share < LOW for f in coverages(records, name, method))) for method in (ours.NAME, LOOP))
        others = [mean_and_worst(coverages(records, name, method)) for method in methods]
        ends = [low, _relative_width(records, name), cell_of(each.key) if each else ""]
        rows.append([named(name), mean_and_worst(figures), first_and_fresh(each), *_sides(records, name), *others, *ends])
    head = ["measure", "adjudge: mean (worst)", "worst → fresh seed", "below / above the truth", "no answer"]
    others = [f"{each}: mean (worst)" for each in methods]
    return table(
        [*head, *others, f"cells below {100 * LOW:.0f}, adjudge / loop", "width / loop's", "worst cell of adjudge"], rows
    )


def _sides(records: Sequence[Record], name: str) -> tuple[str, str]:
    """Return how many of adjudge's intervals lie below and above the truth on average, and how many samples have none."""
    every = [found for found in (coverage(record, name, ours.NAME) for record in records) if found is not None]
    given = [found for found in every if found.counts]
    missed = " / ".join(percent(float(np.mean(side))) for side in zip(*((f.below, f.above) for f in given), strict=True))
    return missed or NONE, percent(float(np.mean([1 - found.answered / found.asked for found in every])))


def two_classes(records: Sequence[Record], drawn: Drawn) -> str:
    """Return the section of measures of decisions of two classes."""
    found = of_family(records, "decisions")
    if not found:
        return ""
    skills = ", ".join(f"*{name}* ({sensitivity:g}, {specificity:g})" for name, (sensitivity, specificity) in SKILLS.items())
    methods = [LOOP, *([WILSON] if coverages(found, "accuracy", WILSON) else [])]
    return f"""## Two classes

{len(found)} cells: number of cases, share of positives, and skill, given as (sensitivity, specificity): {skills}.

{_summary(found, records, found[0]["intervals"], methods)}

{images(drawn, "decisions", "coverage by number of cases, share of positives and skill, adjudge beside the bootstrap loop")}"""


def _relative_width(records: Sequence[Record], name: str) -> str:
    """Return the median of the widths of adjudge's intervals over those of the bootstrap loop."""
    pairs = [(coverage(record, name, ours.NAME), coverage(record, name, LOOP)) for record in records]
    ratios = [a.width / b.width for a, b in pairs if a and b and a.counts and b.counts and b.width > 0]
    return f"{np.median(ratios):.2f}" if ratios else NONE


def peers_beside(records: Sequence[Record]) -> str:
    """Return the section where every peer answers in the same cells."""
    parts = []
    for family, title in (("decisions", "two classes"), ("classes", "3 and 10 classes"), ("scores", "scores")):
        found = common(of_family(records, family))
        names = list(found[0]["intervals"]) if found else []
        methods = list(dict.fromkeys(m for record in found for each in record["intervals"].values() for m in each["methods"]))
        rows = [[named(name), *(mean_and_worst(coverages(found, name, method)) for method in methods)] for name in names]
        if rows:
            samples = ", ".join(f"{method} {_samples(found, method)}" for method in methods)
            told = f"Samples a cell: {samples}."
            parts.append(
                f"**{title.capitalize()}**, {len(found)} cells, mean (worst).\n\n{table(['measure', *methods], rows)}\n\n{told}"
            )
    if not parts:
        return ""
    text = """## Every peer in the same cells

The slower packages answer in a part of the grid, fixed beforehand; so do adjudge and the loop in these tables. A dash: the
package has no such measure, or
too few answers."""
    return "\n\n".join((text, *parts))


def _samples(records: Sequence[Record], method: str) -> int:
    return max(
        each["methods"][method][0] for record in records for each in record["intervals"].values() if method in each["methods"]
    )


def many_classes(records: Sequence[Record], drawn: Drawn) -> str:
    """Return the section of many classes."""
    found = of_family(records, "classes")
    if not found:
        return ""
    recalls = ", ".join(f"*{name}* recalls from {low:g} to {high:g}" for name, (low, high) in RECALLS.items())
    return f"""## Many classes

{len(found)} cells: 3, 10 and 30 classes, 5, 20 and 100 cases a class on average, equal shares or shares that fall to a
tenth, the rarest class having the
lowest recall; {recalls}.

{_summary(found, records, found[0]["intervals"], [LOOP])}

{images(drawn, "classes", "coverage by number of classes and cases a class, adjudge beside the bootstrap loop")}"""


def scores_and_losses(records: Sequence[Record], drawn: Drawn) -> str:
    """Return the section of measures of scores, probabilities and numbers."""
    families = {
        "scores": ("Scores of two classes", "Binormal scores; the number of positives is fixed."),
        "losses": ("Probabilities of two classes", "Random cases; *overconfident* probabilities have doubled log odds."),
        "class scores": ("Three classes", "The mean AUC of one class against the rest, and both losses."),
        "numbers": ("Numeric predictions", "Errors that are normal, t with 5 degrees of freedom, or exponential."),
    }
    parts = ["## Scores, probabilities and numbers"]
    for family, (title, text) in families.items():
        found = of_family(records, family)
        if found:
            summary = _summary(found, records, found[0]["intervals"], [LOOP])
            shown = images(drawn, family, "coverage by number of cases, adjudge beside the bootstrap loop")
            parts += [f"**{title}**, {len(found)} cells. {text}", summary, *([shown] if shown else [])]
    return "\n\n".join(parts) if len(parts) > 1 else ""


def clusters(records: Sequence[Record], drawn: Drawn) -> str:
    """Return the section of rows in clusters."""
    found = of_family(records, "clusters")
    if not found:
        return ""
    told = (
        "adjudge knows the column of clusters." if ours.knows_clusters() else "adjudge takes every row for an independent case."
    )
    rows = [
        [
            f"{r['clusters']} x {r['size']}, {r['icc']:g}",
            *(level_of(r, claim) for claim in (in_clusters.VERDICT, in_clusters.PASS)),
        ]
        for r in found
    ]
    head = [
        "clusters x rows, intra-cluster correlation",
        "verdict on equals (10 allowed)",
        "gate at its bound passes (5 allowed)",
    ]
    return f"""## Rows in clusters

Rows of one patient, site or document are alike. {told} `stambo` with `groups=` resamples whole clusters.
{found[0]["repetitions"]} samples a cell; `stambo` is asked a third of them.

{images(drawn, "clusters", "coverage by intra-cluster correlation")}

{table(head, rows)}"""
