"""Rows that belong together: what an evaluation says of them, and what its page shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from adjudge._base import counted, quoted, share
from adjudge.describe.document import TEXTS, Section, Table, folding
from adjudge.describe.values import percent, short_title
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.clusters import ClustersJudged
from adjudge.judgements.evaluation import Evaluation
from adjudge.plots.clusters import clusters_picture
from adjudge.plots.labels import count, named

_SHOWN = 10  # clusters that are named at once, those least often correct first


def clusters_of(judged: ClustersJudged) -> str:
    """Return how many clusters there are, about how many where they could not all be counted."""
    about = "about " if judged.clusters != round(judged.clusters) else ""
    return f"{about}{counted(round(judged.clusters), 'cluster')}"


def _name(result: Evaluation, measure: str) -> str:
    return short_title(result.estimates[measure])


def worth_of(result: Evaluation) -> Iterator[str]:
    """Yield what the rows of clusters are worth, in a sentence."""
    judged = result.clusters
    main = None if judged is None else next(iter(judged.effects.items()), None)
    if judged is None or main is None:
        return
    name, effect = main
    column = "" if judged.column is None else f" (column {quoted(judged.column)})"
    alike = "" if math.isnan(judged.intra_cluster) else f", intra-cluster correlation {judged.intra_cluster:.2f}"
    known = f"design effect {effect.design_effect:.2f}{alike}"
    yield (
        f"Rows of a cluster{column} belong together: for the {_name(result, name).lower()} {counted(judged.rows, 'case')} are "
        f"worth {effect.effective_cases:,.0f} independent ones ({known})."
    )


def _drawn(one: Estimate) -> str:
    """Return the accuracy of a cluster with its limits, in tenths of a point: of few rows no more is known."""
    ends = "" if one.interval is None else f" ({100 * one.interval.low:.1f}-{100 * one.interval.high:.1f})"
    return f"{100 * one.value:.1f}%{ends}"


def clusters_section(result: Evaluation) -> Iterator[Section]:
    """Yield each cluster against all, and what clusters do to each measure."""
    judged = result.clusters
    if judged is None:
        return
    column = "" if judged.column is None else f" by {quoted(judged.column)}"
    each = "each has one row" if judged.largest == 1 else f"up to {count(judged.largest)} in each"
    lead = f"{counted(judged.rows, 'row')} of {clusters_of(judged)}{column}, {each}."
    rows = tuple(
        (_name(result, name), f"{effect.design_effect:.2f}", f"{effect.effective_cases:,.1f}", f"{effect.degrees:,.1f}")
        for name, effect in judged.effects.items()
    )
    header = ("Measure", "Design effect", "Effective cases", "Degrees of freedom")
    effects = Table("What clusters do to intervals", header, rows, "lrrr")
    alike = judged.intra_cluster
    more = [] if math.isnan(alike) else [f"Intra-cluster correlation of being correct: {alike:.3g}."]
    told = (*more, TEXTS["page"]["design effect"])
    if judged.each:
        seen = zip(judged.each, judged.seen, named([one.of for one in judged.each], 60), strict=True)
        table = folding(
            "Clusters, the least often correct first",
            ("Cluster", "Cases", "Correct", f"Drawn towards all ({percent(judged.level)})"),
            [(name, count(one.cases or 0.0), share(raw), _drawn(one)) for one, raw, name in seen],
            ("cluster", "clusters"),
            shown=_SHOWN,
        )
        picture = clusters_picture(judged)
        reading = (TEXTS["page"]["drawn towards all"],)
        drawn: dict[str, Any] = {"figure": picture, "tables": (table,), "reading": reading, "theme": "clusters"}
        yield Section("figure", "clusters", "Cluster by cluster", lead, **drawn)
        lead = ""
    shown: dict[str, Any] = {"tables": (effects,), "sentences": told, "theme": "clusters"}
    yield Section("table", "design-effect", effects.caption, lead, narrow=True, **shown)
