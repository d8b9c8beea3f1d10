"""What to know before believing a comparison of predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import FloatArray
from adjudge._base.findings import Finding
from adjudge._base.text import counted, quoted
from adjudge.counts.paired import PairCounts
from adjudge.predictions.alignment import Together

FEW_APART = 10
"""Cases that only one of two got right, below which little can be said."""


def of_pair(cases: Together | PairCounts, i: int, j: int, outcomes: FloatArray | None) -> Iterator[Finding]:
    """Yield what to know of two sets compared on the same cases."""
    yield from of_set(cases, (i, j))
    yield from _of_outcomes(outcomes)


def of_set(cases: Together | PairCounts, which: Sequence[int] | None = None) -> Iterator[Finding]:
    """Yield what to know of sets side by side."""
    yield from cases.found if isinstance(cases, Together) else ()
    every = range(len(cases.names)) if which is None else which
    lost = [(cases.names[at], cases.unshared[at]) for at in every if cases.unshared[at]]
    if lost:
        told = " and ".join(f"{counted(n, 'row')} of {name}" for name, n in lost)
        yield Finding("A701", f"{told} had no partner and are left out.", "Judge all cases by all, or say why not.", dict(lost))
    if cases.by_position:
        yield Finding(
            "A702",
            "Rows were paired by their position, as asked; only the truths vouch for it.",
            wording("Keep an identity with each case and name it with ", argument("row"), "."),
        )
    if cases.cases < cases.rows:
        yield Finding(
            "A703",
            f"{counted(cases.cases, 'case')} came back in {counted(cases.rows, 'row')}: each counts once.",
            "This speaks of these models on these cases; compare_learners speaks of the algorithms.",
            cases.cases,
        )
    elif cases.folded:
        yield Finding(
            "A704",
            "The answers come from folds, each of a model of its own.",
            "This speaks of these models on these cases; compare_learners speaks of the algorithms, less surely.",
        )


def _of_outcomes(outcomes: FloatArray | None) -> Iterator[Finding]:
    apart = np.inf if outcomes is None else float(outcomes[1] + outcomes[2])
    if apart == 0:
        yield Finding(
            "A705",
            "Both are right on the same cases and wrong on the same cases.",
            "Nothing but the prior speaks for a difference.",
        )
    elif apart < FEW_APART:
        yield Finding(
            "A706",
            f"Only {counted(round(apart), 'case tells', 'cases tell')} them apart.",
            "The verdict hangs on very few cases; collect more.",
            apart,
        )


def of_rare(support: FloatArray, classes: Sequence[Any]) -> Iterator[Finding]:
    """Yield the class with the fewest cases, where a measure hangs on it and it has few."""
    seen = np.flatnonzero(support > 0)
    least = int(seen[np.argmin(support[seen])])
    if support[least] < FEW_APART:
        yield Finding(
            "A713",
            f"Class {quoted(classes[least])} has only {counted(round(float(support[least])), 'case')}.",
            "The difference hangs on them; collect more cases of that class.",
            float(support[least]),
        )


def of_independent(names: Sequence[str], sizes: Sequence[float]) -> Iterator[Finding]:
    """Yield what to know of two sets compared on different cases."""
    small = [name for name, size in zip(names, sizes, strict=True) if size <= 30]  # noqa: PLR2004 - as everywhere
    told = " and ".join(f"{counted(round(n), 'case')} of {name}" for name, n in zip(names, sizes, strict=True))
    yield Finding(
        "A707",
        f"{told} are taken as independent samples{'; ' + ' and '.join(small) + ' had few' if small else ''}.",
        "On the same cases a paired comparison would need far fewer of them.",
    )
