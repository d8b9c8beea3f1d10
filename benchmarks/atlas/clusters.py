"""Rows in clusters: coverage, false verdicts and wrong passes where rows of one patient, site or document are alike."""

from __future__ import annotations

from atlas import loop, ours, samples, truth
from atlas.cells import Run
from atlas.coverage import Tallies, keep, tallied
from atlas.levels import Hits, add
from atlas.ours import Limits
from atlas.peers import LOOP, installed, quietly, stambo_intervals

POPULATION = truth.two_classes(0.3, 0.8, 0.9)
AUC = 0.85
OF_DECISIONS = ("accuracy", "balanced_accuracy", "f1", "mcc")
OF_SCORES = ("auc", "brier")
VERDICT, PASS = "a verdict on equals by accuracy", "a gate at its bound passes by accuracy"
STAMBO = "stambo, groups="
_SHARE = 0.3
"""Of the samples that stambo is asked about."""


def clusters(run: Run) -> tuple[Tallies, Hits]:
    """Return the tallies of intervals, and how often a verdict and a pass are wrong."""
    rng, true, setting = run.rng("data"), population_values(), run.cell.setting
    resampling, of_stambo = run.rng(LOOP), run.rng("stambo")
    shape, icc = (setting["clusters"], setting["size"]), setting["icc"]
    limits: dict[tuple[str, str], list[Limits]] = {}
    hits: Hits = {}
    for i in range(run.repetitions):
        a, b = samples.clustered_decisions(*shape, POPULATION, icc, rng, classifiers=2)
        scored = samples.clustered_scores(*shape, float(POPULATION[1].sum()), AUC, icc, rng)
        for sample, names in ((a, OF_DECISIONS), (scored, OF_SCORES)):
            keep(limits, ours.NAME, ours.clustered_intervals(sample, names))
            keep(limits, LOOP, loop.intervals(sample, names, resampling))
            if i < run.first(_SHARE) and "stambo" in installed():
                keep(limits, STAMBO, quietly(stambo_intervals, sample, names, of_stambo))
        first, second = ours.clustered(a), ours.clustered(b)
        add(hits, VERDICT, ours.NAME, ours.decides(first, second, "accuracy"))
        (state,) = ours.gate_states(first, [f"accuracy >= {true['accuracy']!r}"])
        add(hits, PASS, ours.NAME, None if state is None else state == "passes")
    return tallied(true, limits), hits


def population_values() -> dict[str, float]:
    """Return the true values; a cluster's effect leaves the distribution of one row as it is."""
    of_scores = {"auc": AUC, "brier": truth.losses(float(POPULATION[1].sum()), truth.shift(AUC))["brier"]}
    return {name: truth.value(name, POPULATION) for name in OF_DECISIONS} | of_scores
