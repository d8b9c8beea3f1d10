"""Rows that belong together where classifiers are compared: what they are worth for the differences, and how many more decide."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge._base import counted, quoted, safe
from adjudge.describe.values import rounded_up
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.ranking import Ranking


def of_effective(result: Comparison | Ranking) -> bool:
    """Say whether cases count as many as clusters of more than one row are worth."""
    return result.clusters is not None and result.clusters.clusters < result.clusters.rows


def of_clusters(result: Comparison | Ranking) -> Iterator[str]:
    """Yield what the clusters of the rows are worth for the difference."""
    clusters = result.clusters
    if clusters is None:
        return
    column = "" if clusters.column is None else f" (column {quoted(clusters.column)})"
    worth = clusters.effective_cases
    shown = f"{worth:,.0f}" if worth >= 100 else f"{worth:,.3g}"  # noqa: PLR2004 - three digits
    told = f"{counted(clusters.rows, 'row')} of {counted(clusters.clusters, 'cluster')}{safe(column)} are worth {shown} "
    what = "the difference" if isinstance(result, Comparison) else "differences"
    yield f"{told}independent cases for {what}: design effect {clusters.design_effect:.3g}."


def more_clusters(result: Comparison) -> str:
    """Return in about how many more clusters cases are to come, where they come in such."""
    clusters = result.clusters
    if clusters is None or result.more_cases is None or not of_effective(result):
        return ""
    return f" in about {rounded_up(result.more_cases * clusters.clusters / clusters.rows)} more clusters"
