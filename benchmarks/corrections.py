"""How fast is the correction of probabilities? Against one BLAS product of the same matrix with itself."""

from __future__ import annotations

from functools import partial

import numpy as np

from adjudge.corrections.kappa import fit_kappa
from adjudge.stats.kappa import least_squares, normal_equations
from rows import Row, at_most
from timing import best

CLASSES = (3, 10, 30)


def rows(n: int = 1_000_000) -> list[Row]:
    """Return one row per number of classes and extent of the job; `n` cases."""
    rng = np.random.default_rng(20241001)
    return [row for k in CLASSES for row in _against_gram(rng, n, k)]


def _against_gram(rng: np.random.Generator, n: int, k: int) -> list[Row]:
    weights = rng.standard_exponential((n, k))
    p = weights / weights.sum(axis=1, keepdims=True)
    y = rng.integers(0, k, n)
    jobs = {"system": partial(_solved, p, y), "whole": partial(fit_kappa, p, y), "gram": partial(_gram, p)}
    took = best(jobs)
    name, peer = f"kappa by least squares, {n:.0e} cases, {k} classes", "one p.T @ p"
    return [
        at_most(4, f"{name}: sums and solution", took["system"], peer, took["gram"]),
        at_most(40, f"{name}: checks, fit, loss and errors", took["whole"], peer, took["gram"]),
    ]


def _solved(p: np.ndarray, y: np.ndarray) -> np.ndarray:
    return least_squares(normal_equations(p, y, majority=p.shape[1] - 1), (0.0, 1.0))


def _gram(p: np.ndarray) -> np.ndarray:
    return p.T @ p
