"""How fast is the correction of probabilities? Against one BLAS product of the same matrix with itself, or one sort of it."""

from __future__ import annotations

from functools import partial

import numpy as np

from adjudge.corrections.multipliers import fit_multipliers
from adjudge.stats.softmax_multipliers import case_sums, least_squares
from rows import Row, at_most
from timing import best

CLASSES = (3, 10, 30)
SEARCHED = 3


def rows(n: int = 1_000_000) -> list[Row]:
    """Return one row per number of classes and extent of the job; `n` cases."""
    rng = np.random.default_rng(20241001)
    return [row for k in CLASSES for row in _against_gram(rng, n, k)] + _against_sorting(rng, n)


def _drawn(rng: np.random.Generator, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    weights = rng.standard_exponential((n, k))
    return weights / weights.sum(axis=1, keepdims=True), rng.integers(0, k, n)


def _against_sorting(rng: np.random.Generator, n: int) -> list[Row]:
    """Return the rows of the forms that are searched for, not solved."""
    p, y = _drawn(rng, n, SEARCHED)
    jobs = {"softmax": partial(fit_multipliers, p, y, form="softmax"), "errors": partial(fit_multipliers, p, y, goal="errors")}
    took = best(jobs | {"sort": partial(np.sort, p, axis=None)}, repeats=2)
    name, peer = f"{n:.0e} cases, {SEARCHED} classes", "one sort of p"
    return [
        at_most(10, f"multipliers of the softmax form, {name}", took["softmax"], peer, took["sort"]),
        at_most(20, f"multipliers of the fewest errors, {name}", took["errors"], peer, took["sort"]),
    ]


def _against_gram(rng: np.random.Generator, n: int, k: int) -> list[Row]:
    p, y = _drawn(rng, n, k)
    jobs = {"system": partial(_solved, p, y), "whole": partial(fit_multipliers, p, y), "gram": partial(_gram, p)}
    took = best(jobs)
    name, peer = f"multipliers by least squares, {n:.0e} cases, {k} classes", "one p.T @ p"
    return [
        at_most(4, f"{name}: sums and solution", took["system"], peer, took["gram"]),
        at_most(8, f"{name}: checks, fit, loss and errors", took["whole"], peer, took["gram"]),
    ]


def _solved(p: np.ndarray, y: np.ndarray) -> np.ndarray:
    return least_squares(case_sums(p, y, majority=p.shape[1] - 1).equations(), (0.0, 1.0))


def _gram(p: np.ndarray) -> np.ndarray:
    return p.T @ p
