"""How often intervals hold the truth: one cell of the atlas at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import expon, norm, t

from atlas import ours, samples, truth
from atlas.cells import RECALLS, SKILLS, Cell, Run
from atlas.ours import Limits
from atlas.peers import LOOP, Answers, Method, methods, quietly
from atlas.samples import Counts, Sample
from atlas.truth import Array

Tallies = dict[str, dict[str, Any]]
AUC = 0.8
"""Of the scores that the losses speak of."""
SHARPENING = {"calibrated": 1.0, "overconfident": 2.0}
_ALL_CLASSES = ("balanced_accuracy", "g_mean", "macro_f1", "macro_precision")
"""Averages over classes: only samples in which every class has a case speak of all of them, and others are left out."""


def tally(limits: Array, true: float) -> list[float]:
    """Return how many intervals were asked for and given, lie below and above the truth, and how wide they are on average."""
    given = limits[np.isfinite(limits).all(axis=1)]
    below, above = given[:, 1] < true - 1e-12, given[:, 0] > true + 1e-12
    width = float(np.round((given[:, 1] - given[:, 0]).mean(), 5)) if len(given) else 0.0
    return [len(limits), len(given), int(below.sum()), int(above.sum()), width]


def asked_of(run: Run, method: Method) -> list[str]:
    """Return what a method is asked in a cell."""
    fits = not (method.two_classes and run.cell.setting.get("classes", 2) > 2)
    asked = fits and (method.everywhere or run.cell.common)
    return [name for name in run.names if name in method.measures] if asked else []


def answers(method: Method, sample: Sample, names: Sequence[str], rng: Generator) -> Answers:
    """Return a method's intervals; only peers may fail in silence."""
    return method.ask(sample, names, rng) if method.name == ours.NAME else quietly(method.ask, sample, names, rng)


def decisions(run: Run) -> Tallies:
    """Return the tallies of measures of a confusion matrix of two classes."""
    setting = run.cell.setting
    return _of_tables(run, truth.two_classes(setting["prevalence"], *SKILLS[setting["skill"]]))


def classes(run: Run) -> Tallies:
    """Return the tallies of measures of a confusion matrix of many classes."""
    return _of_tables(run, class_population(run.cell))


def class_population(cell: Cell) -> Array:
    """Return the table of probabilities of many classes; the rarest has the lowest recall."""
    k = cell.setting["classes"]
    shares = samples.prevalences(k, balanced=cell.setting["shares"] == "equal")
    low, high = RECALLS[cell.setting["skill"]]
    return truth.many_classes(shares, np.linspace(high, low, k))


def _of_tables(run: Run, population: Array) -> Tallies:
    every = samples.tables(population, run.cell.n, run.repetitions, run.rng("data"))
    whole = (every.sum(2) > 0).all(1)
    true = {name: truth.value(name, population) for name in run.names}
    found: Tallies = {name: {"truth": round(value, 6), "methods": {}} for name, value in true.items()}
    for method in methods(alone=run.alone):
        asked = asked_of(run, method)
        limits = _table_limits(method, every[: run.first(method.share)], asked, run.rng(method.name)) if asked else {}
        for name, each in limits.items():
            if name in _ALL_CLASSES:
                each[~whole[: len(each)]] = np.nan
            found[name]["methods"][method.name] = tally(each, true[name])
    return found


def _table_limits(method: Method, every: Counts, names: Sequence[str], rng: Generator) -> dict[str, Array]:
    limits = {name: np.full((len(every), 2), np.nan) for name in names}
    for table, at in samples.distinct(every):
        for name, each in answers(method, samples.of_table(table), names, rng).items():
            limits[name][at] = each
    return limits


def _of_samples(run: Run, draw: Callable[[Generator], Sample], known: dict[str, float]) -> Tallies:
    true, data = {name: known[name] for name in run.names}, run.rng("data")
    asked = {method: asked_of(run, method) for method in methods(alone=run.alone)}
    randoms = {method: run.rng(method.name) for method in asked}
    limits: dict[tuple[str, str], list[Limits]] = {}
    for i in range(run.repetitions):
        sample = draw(data)
        for method, names in asked.items():
            if names and i < run.first(method.share):
                keep(limits, method.name, answers(method, sample, names, randoms[method]))
    return tallied(true, limits)


def keep(limits: dict[tuple[str, str], list[Limits]], method: str, found: Answers) -> None:
    """Add a method's intervals to those kept."""
    for name, each in found.items():
        limits.setdefault((name, method), []).append(each)


def tallied(true: dict[str, float], limits: dict[tuple[str, str], list[Limits]]) -> Tallies:
    """Return tallies by measure and method."""
    found: Tallies = {name: {"truth": round(value, 6), "methods": {}} for name, value in true.items()}
    for (name, method), each in limits.items():
        found[name]["methods"][method] = tally(np.array(each), true[name])
    return found


def scores(run: Run) -> Tallies:
    """Return the tallies of AUC and average precision; the number of positive cases is fixed."""
    n, auc, positives = run.cell.n, run.cell.setting["auc"], run.cell.setting["positives"]
    true = {"auc": auc, "average_precision": truth.average_precision(positives / n, truth.shift(auc))}
    return _of_samples(run, lambda rng: samples.ranked(n, positives, auc, rng), true)


def losses(run: Run) -> Tallies:
    """Return the tallies of the Brier score and the log loss of two classes."""
    prevalence, sharpening = run.cell.setting["prevalence"], SHARPENING[run.cell.setting["probabilities"]]

    def draw(rng: Generator) -> Sample:
        return samples.scored(run.cell.n, prevalence, AUC, rng, sharpening=sharpening)

    return _of_samples(run, draw, truth.losses(prevalence, truth.shift(AUC), sharpening))


def class_scores(run: Run) -> Tallies:
    """Return the tallies of the mean AUC, the Brier score and the log loss of three classes."""
    shares, auc = samples.prevalences(3, balanced=run.cell.setting["shares"] == "equal"), run.cell.setting["auc"]
    true = {"auc": auc} | truth.many_losses(shares, truth.shift(auc))
    return _of_samples(run, lambda rng: samples.three_classes(run.cell.n, shares, auc, rng), true)


_ERRORS = {"normal": norm(0, 0.5), "t5": t(5, 0, 0.5), "exponential": expon(-0.5, 0.5)}


def number_truth(errors: str) -> dict[str, float]:
    """Return the expected errors where the truth is a standard normal prediction plus an error."""
    distribution = _ERRORS[errors]
    bounds = (-0.5, np.inf) if errors == "exponential" else (-np.inf, np.inf)

    def mean(of: Callable[[float], float]) -> float:
        return float(quad(lambda e: of(e) * distribution.pdf(e), *bounds, limit=200)[0])

    mae = mean(abs)
    spread = mean(lambda e: 2 * norm.pdf(e) + e * (1 - 2 * ndtr(-e)))  # E|prediction + e| of a normal prediction
    mse, bias = mean(lambda e: e * e), mean(lambda e: e)
    half = brentq(lambda size: distribution.cdf(size) - distribution.cdf(-size) - 0.5, 0, 10, xtol=1e-14)
    return {
        "mae": mae, "mse": mse, "rae": mae / spread, "rmse": mse**0.5, "median_absolute_error": half, "mean_error": bias,
        "r2": 1 - mse / (1 + mse - bias**2),
    }  # fmt: skip


def numbers(run: Run) -> Tallies:
    """Return the tallies of the errors of numeric predictions."""
    true, distribution = number_truth(run.cell.setting["errors"]), _ERRORS[run.cell.setting["errors"]]
    rng, resampling = run.rng("data"), run.rng(LOOP)
    limits: dict[tuple[str, str], list[Limits]] = {}
    for _ in range(run.repetitions):
        predicted = rng.normal(size=run.cell.n)
        y = predicted + distribution.rvs(run.cell.n, random_state=rng)
        keep(limits, ours.NAME, ours.errors_of_numbers(y, predicted, run.names))
        if not run.alone:
            keep(limits, LOOP, _resampled_errors(y, predicted, run.names, resampling))
    return tallied({name: true[name] for name in run.names}, limits)


def _resampled_errors(y: Array, predicted: Array, names: Iterable[str], rng: Generator) -> Answers:
    rows = rng.integers(y.size, size=(500, y.size))
    signed = (y - predicted)[rows]
    error, square, away = np.abs(signed), (signed**2).mean(1), y[rows] - y[rows].mean(1, keepdims=True)
    values = {
        "mae": error.mean(1),
        "mse": square,
        "rae": error.mean(1) / np.abs(away).mean(1),
        "rmse": np.sqrt(square),
        "median_absolute_error": np.median(error, axis=1),
        "mean_error": signed.mean(1),
        "r2": 1 - square / (away**2).mean(1),
    }
    return {name: tuple(np.percentile(values[name], [2.5, 97.5]).tolist()) for name in names}


FAMILIES: dict[str, tuple[Callable[..., Tallies], tuple[str, ...]]] = {
    "decisions": (decisions, truth.OF_TWO),
    "classes": (classes, truth.OF_MANY),
    "scores": (scores, ("auc", "average_precision")),
    "losses": (losses, ("brier", "log_loss")),
    "class scores": (class_scores, ("auc", "brier", "log_loss")),
    "numbers": (numbers, ("mae", "mse", "rae", "rmse", "median_absolute_error", "mean_error", "r2")),
}
