"""Findings about how an answer was made: priors that pull, formulas outside their range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import FloatArray
from adjudge._base.findings import Finding
from adjudge._base.text import listed
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.stats.betasum import SumLaw, SumLaws
from adjudge.stats.binomial import clopper_pearson
from adjudge.stats.engines import allowed
from adjudge.stats.law import Law
from adjudge.stats.paired import PairedLaw

FEW_OF_A_CLASS = 10
FEW_FOR_NORMAL = 30
_LEAST_SPREAD = 5
_OF_PAIRS = 1e-10  # how far probabilities of a paired difference over several classes may be out
_TWO = 2
_ADVICE = wording("Its interval may lie too low; take ", argument("prior", "jeffreys"), ", or the interval")


def is_flat(prior: Any) -> bool:
    """Tell whether a prior weighs as much as one right and one wrong case of each class, or more."""
    return prior in ("dirichlet", "flat") if isinstance(prior, str) else min(prior) >= 1


def of_prior(counts: ConfusionCounts, name: str, prior: Any) -> Iterator[Finding]:
    """Say when a flat prior on every class pulls an average over classes away from what was seen."""
    if not is_flat(prior):
        return
    cases = counts.effective_support if isinstance(counts, WeightedCounts) else counts.support
    few = cases < FEW_OF_A_CLASS
    told = []
    if few.any():
        told.append(
            f"class {listed([counts.classes[int(i)] for i in np.flatnonzero(few)])} has fewer than {FEW_OF_A_CLASS} cases"
        )
    if counts.k > _TWO:
        told.append(f"there are {counts.k:,} classes, whose pulls add up")
    if told:
        message = f"The flat prior pulls the recall of every class towards chance: {', and '.join(told)}."
        yield Finding("A501", message, wording(_ADVICE, f" of the {name.replace('_', ' ')} itself."), float(cases.min()))


def of_one_in_k(counts: ConfusionCounts) -> Iterator[Finding]:
    """Say when the priors of the recalls decide whether the balanced accuracy is found to be above 1/K."""
    cases = counts.effective_support if isinstance(counts, WeightedCounts) else counts.support
    never, few = (counts.assigned == 0) & (counts.support > 0), cases < FEW_OF_A_CLASS
    told = [
        f"class {listed([counts.classes[int(i)] for i in np.flatnonzero(which)])} {why}"
        for which, why in ((never, "is never predicted"), (few & ~never, f"has fewer than {FEW_OF_A_CLASS} cases"))
        if which.any()
    ]
    if told and counts.k > 1:
        message = f"Posterior P(balanced accuracy > 1/{counts.k}) (Brodersen et al. 2010) rests on the prior here: "
        advice = "It may be near 1 without skill; chance() tests that."
        yield Finding("A511", f"{message}{'; '.join(told)}.", advice, float(cases.min()))


def of_cells(cases: FloatArray) -> Iterator[Finding]:
    """Say when a prior on the recall of every class in every group weighs beside the few cases they have."""
    few = int(np.count_nonzero(cases < FEW_OF_A_CLASS))
    if few:
        message = f"The prior pulls every recall towards 1/2: {few:,} of {cases.size:,} classes within groups have fewer than "
        yield Finding(
            "A501",
            f"{message}{FEW_OF_A_CLASS} cases.",
            wording(_ADVICE, " that evaluate() gives for groups."),
            float(cases.min()),
        )


def of_cell_prior(weight: float, cases: float) -> Iterator[Finding]:
    """Say when a prior on every cell of a table weighs as much as a tenth of the cases."""
    if weight > cases / 10:
        message = f"The prior of the cells weighs as much as {weight:,.4g} cases spread over the table, beside {cases:,.4g} seen."
        yield Finding("A501", message, wording(_ADVICE, " of the measure itself, or a smaller prior."), weight)


def of_law(law: Law | SumLaws) -> Iterator[Finding]:
    """Say when the mass of a distribution is not 1, so that its probabilities are good to fewer digits than all others."""
    if not isinstance(law, SumLaw | SumLaws | PairedLaw):
        return
    flaw = float(np.max(law.flaw))
    if flaw > (_OF_PAIRS if isinstance(law, PairedLaw) else allowed(law.weights.size)):
        message = (
            f"Probabilities and intervals of this distribution are good to {flaw:.1g} only: its total mass is that far from 1."
        )
        advice = wording("Take ", argument("prior", "jeffreys"), " or 'flat', or fewer classes without cases.")
        yield Finding("A510", message, "Read no more digits." if isinstance(law, PairedLaw) else advice, flaw)


def of_normal(hits: float, n: float, level: float) -> Iterator[Finding]:
    """Say when a normal approximation of a share is out of its range (Mitchell 1997, section 5.2.2)."""
    share = hits / n if n else 0.0
    if n >= FEW_FOR_NORMAL and n * share * (1 - share) >= _LEAST_SPREAD:
        return
    low, high = clopper_pearson(hits, n, level)
    told = f"The normal approximation wants n >= {FEW_FOR_NORMAL} and n e (1 - e) >= {_LEAST_SPREAD}; here n is {n:g} and "
    told += f"n e (1 - e) {n * share * (1 - share):.3g}."
    none = " It has no width, which is no certainty." if share in (0, 1) else ""
    yield Finding(
        "A504", told + none, f"The exact (Clopper-Pearson) limits are {low:.4g} to {high:.4g}.", n * share * (1 - share)
    )
