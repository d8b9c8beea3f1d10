"""How often false claims are made: skill by chance, comparisons and ranks of equals, gates at their bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator

from atlas import loop, ours, samples, truth
from atlas.cells import CORRELATION, Run
from atlas.peers import LOOP, installed, mcnemar_decides, stambo_decides
from atlas.samples import Counts, Sample
from atlas.truth import Array

Hits = dict[str, dict[str, list[int]]]
"""By claim and method: how many were asked, how many answered, how many made the claim."""
TWO_SIDED = 0.9
"""Verdicts err on either side in 5%; so do intervals of 90%, and tests at 10%."""
MEASURES = ("accuracy", "balanced_accuracy", "f1", "mcc", "auc", "brier")
RULES = ("accuracy", "balanced_accuracy", "sensitivity", "f1", "mcc", "auc", "brier")
_STAMBO = 0.3
"""The share of the samples that stambo is asked about."""
_GATED = 0.5
"""The share that the gate is asked about."""


def add(hits: Hits, claim: str, method: str, made: bool | None, times: int = 1) -> None:  # noqa: FBT001 - an answer
    """Count an answer."""
    at = hits.setdefault(claim, {}).setdefault(method, [0, 0, 0])
    at[0] += times
    at[1] += times * (made is not None)
    at[2] += times * bool(made)


def chance(run: Run) -> Hits:
    """Return how often decisions without skill are said to have some."""
    setting, k = run.cell.setting, run.cell.setting["classes"]
    equal, rare = setting.get("shares") == "equal", setting.get("prevalence")
    shares = samples.prevalences(k, balanced=equal) if rare is None else np.array([1 - rare, rare])
    rng, resampling, hits = run.rng("data"), run.rng(LOOP), {}
    every = np.stack([samples.no_skill(k, run.cell.n, shares, setting["decisions"], rng) for _ in range(run.repetitions)])
    for table, at in samples.distinct(every):
        claims = {claim: (ours.NAME, made, len(at)) for claim, made in ours.chance_claims(table).items()}
        gated = int((at < run.first(_GATED)).sum())
        if gated:
            claims[ours.PASSES] = (ours.NAME, ours.passes_above_chance(table), gated)
        low, _ = loop.intervals(samples.of_table(table), ["balanced_accuracy"], resampling, TWO_SIDED)["balanced_accuracy"]
        claims["90% interval of balanced accuracy above chance"] = (LOOP, low > 1 / k + 1e-12, len(at))
        for claim, (method, made, times) in claims.items():
            add(hits, claim, method, made, times)
    return hits


def compare(run: Run) -> Hits:
    """Return how often one of two exchangeable classifiers is called better, by each measure."""
    rng, resampling, of_stambo, hits = run.rng("data"), run.rng(LOOP), run.rng("stambo"), {}
    for i in range(run.repetitions):
        a, b = samples.equals(run.cell.n, run.cell.setting["positives"], run.cell.setting["auc"], 2, CORRELATION, rng)
        both = ours.predictions(a), ours.predictions(b)
        for name in run.names:
            add(hits, name, ours.NAME, ours.decides(*both, name))
        if not run.alone:
            _peers_compare(hits, a, b, run.names, resampling)
        for name in run.names if i < run.first(_STAMBO) and "stambo" in installed() and not run.alone else ():
            add(hits, name, "stambo", stambo_decides(name, a, b, of_stambo))
    return hits


def _peers_compare(hits: Hits, a: Sample, b: Sample, names: Sequence[str], resampling: Generator) -> None:
    drawn = resampling.integers(a.y.size, size=(loop.ROWS, a.y.size))
    for name in names:
        low, high = loop.percentiles(_resampled_difference(name, a, b, drawn), TWO_SIDED)
        add(hits, name, LOOP, None if np.isnan(low) else bool(low > 0 or high < 0))
    if "accuracy" in names and "statsmodels" in installed():
        add(hits, "accuracy", "statsmodels McNemar", mcnemar_decides(a, b))


def _resampled_difference(name: str, a: Sample, b: Sample, rows: Counts) -> Array:
    if name in ("auc", "brier"):
        return loop.of_rows(name, a, rows) - loop.of_rows(name, b, rows)
    return truth.values(name, _tables_of(a, rows)) - truth.values(name, _tables_of(b, rows))


def _tables_of(sample: Sample, rows: Counts) -> Counts:
    assert sample.decisions is not None
    outcome = (2 * sample.y + sample.decisions)[rows]
    return np.stack([(outcome == cell).sum(1) for cell in range(4)], axis=1).reshape(-1, 2, 2)


def gate(run: Run) -> Hits:
    """Return how often rules pass, and fail, whose bound is the true value."""
    prevalence, auc, n = run.cell.setting["prevalence"], run.cell.setting["auc"], run.cell.n
    at = truth.shift(auc) / 2
    bounds = gate_bounds(prevalence, auc, at)
    rules = [f"{name} {'<=' if name == 'brier' else '>='} {bounds[name]!r}" for name in run.names]
    rng, resampling, hits = run.rng("data"), run.rng(LOOP), {}
    for _ in range(run.repetitions):
        sample = samples.scored(n, prevalence, auc, rng, threshold=at)
        states = ours.gate_states(ours.predictions(sample), rules)
        rows = resampling.integers(n, size=(loop.ROWS, n))
        for name, state in zip(run.names, states, strict=True):
            for claim in ("passes", "fails"):
                add(hits, f"{name} {claim}", ours.NAME, None if state is None else state == claim)
            if not run.alone:
                _loop_gates(hits, name, sample, rows, bounds[name])
    return hits


def gate_bounds(prevalence: float, auc: float, threshold: float) -> dict[str, float]:
    """Return the true value of every measure that a rule is about."""
    population = truth.two_classes(prevalence, *samples.decided(auc, threshold))
    of_scores = {"auc": auc, "brier": truth.losses(prevalence, truth.shift(auc))["brier"]}
    return of_scores | {name: truth.value(name, population) for name in RULES if name not in of_scores}


def _loop_gates(hits: Hits, name: str, sample: Sample, rows: Counts, bound: float) -> None:
    values = loop.of_rows(name, sample, rows) if name in ("auc", "brier") else truth.values(name, _tables_of(sample, rows))
    low, high = loop.percentiles(values, TWO_SIDED)
    above, below = (low > bound, high < bound) if name != "brier" else (high < bound, low > bound)
    for claim, made in (("passes", above), ("fails", below)):
        add(hits, f"{name} {claim}", LOOP, None if np.isnan(low) else bool(made))


def rank(run: Run) -> Hits:
    """Return how often a ranking tells exchangeable candidates apart."""
    rng, setting, hits = run.rng("data"), run.cell.setting, {}
    how = setting["positives"], setting["auc"], setting["candidates"]
    for _ in range(run.repetitions):
        groups, verdicts = ours.tells_apart(samples.equals(run.cell.n, *how, CORRELATION, rng))
        add(hits, "more than one group", ours.NAME, groups)
        add(hits, "a verdict for some pair", ours.NAME, verdicts)
    return hits


FAMILIES: dict[str, tuple[Callable[..., Hits], tuple[str, ...]]] = {
    "chance": (chance, ("chance",)),
    "compare": (compare, MEASURES),
    "gate": (gate, RULES),
    "rank": (rank, ("rank",)),
}
