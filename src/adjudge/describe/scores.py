"""Scores on the page of an evaluation: by true class, cumulative gain with lift, and the place of the true class among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjudge._base import share
from adjudge.describe.document import TEXTS, Section, Table
from adjudge.describe.values import one_name, percent
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.top_k import TopK
from adjudge.plots.labels import decimals_for, number, threshold_words
from adjudge.plots.scores import gains_picture, score_bins, score_picture, top_k_picture

AMONG, MANY = 5, 10  # the k whose accuracy is told first, where there are more classes than so many
_LONGEST_NAME = 60
_SAID = TEXTS["reading"]


def scores(result: Evaluation) -> Iterator[Section]:
    """Yield the scores of the class of interest by true class."""
    if result.thresholds is None:
        return
    name = one_name(result.thresholds.of, _LONGEST_NAME)
    lead = f"Scores of {name} among its own cases and among all others; each adds up to 100%."
    table = result.thresholds.table()
    edges, (others, own), _ = score_bins(table)
    words = [threshold_words(value, probable=table.probable) for value in edges.tolist()]
    rows = zip(words, words[1:], map(share, own.tolist()), map(share, others.tolist()), strict=False)
    told = Table("Share of the cases by score", ("Score from", "to", name, "Others"), tuple(rows))
    more: dict[str, Any] = {"tables": (told,), "figure": score_picture(result.thresholds), "reading": (_SAID["scores"],)}
    yield Section("figure", "scores", "How well do the scores separate?", lead, theme="ranking", **more)


def gain(result: Evaluation) -> Iterator[Section]:
    """Yield how much of the class of interest is found in the cases with the highest scores, and the lift."""
    gains = result.gains
    if gains is None:
        return
    name, level = one_name(gains.of, _LONGEST_NAME), percent(gains.level)
    rows = []
    for each in gains.lifts:
        low, high = each.interval
        sure = f"{share(each.low)} to {share(each.high)}", f"{number(low, 2)} to {number(high, 2)}"
        rows.append((share(each.taken, 0), share(each.found), sure[0], number(each.lift, 2), sure[1]))
    header = ("Cases taken", f"Share of {name} found", f"{level} interval", "Lift", f"{level} interval")
    table = Table("Lift", header, tuple(rows))
    lead = f"Share of {name} found when the cases with the highest scores are taken first."
    more: dict[str, Any] = {"tables": (table,), "figure": gains_picture(gains), "reading": (_SAID["lift"],)}
    yield Section("figure", "lift", "How much is found in the highest scores?", lead, theme="ranking", **more)


def places(result: Evaluation) -> Iterator[Section]:
    """Yield how often the true class is among the k most probable ones."""
    if not result.top_k:
        return
    header = ("k", "True class among the k most probable", f"{percent(result.level)} interval", "Among the k commonest")
    rows = tuple((f"{each.k}", *top_k_words(each), share(each.commonest)) for each in result.top_k)
    lead = "Share of the cases whose true class is among the k classes of highest probability."
    more: dict[str, Any] = {"figure": top_k_picture(result.top_k), "reading": (_SAID["top k"],)}
    table = Table("Top-k accuracy", header, rows)
    yield Section("figure", "top-k", "Is the true class among the highest?", lead, tables=(table,), theme="ranking", **more)


def top_k_words(each: TopK) -> tuple[str, str]:
    """Return a top-k accuracy and its limits, with as many digits as these allow."""
    low, high = each.interval.low, each.interval.high
    shown = [share(value, decimals_for(high - low)) for value in (each.share, low, high)]
    return shown[0], f"{shown[1]} to {shown[2]}"
