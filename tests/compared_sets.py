"""Sets of predictions to compare side by side, small and made anew from a seed."""

from __future__ import annotations

from typing import Any

import numpy as np

import adjudge


def truth_of(n: int, k: int, seed: int = 0) -> Any:
    """Return true classes."""
    return np.random.default_rng(seed).integers(0, k, n)


def probabilities(truth: Any, k: int, skill: float, seed: int) -> Any:
    """Return cases x classes: soft maxima of noise, the true class lifted by `skill`."""
    noise = np.random.default_rng(seed).normal(0, 1, (truth.size, k))
    noise[np.arange(truth.size), truth] += skill
    p = np.exp(noise)
    return p / p.sum(axis=1, keepdims=True)


def classifier(truth: Any, skill: float, seed: int, k: int = 3, **more: Any) -> adjudge.Predictions:
    """Return predictions with probabilities."""
    p = probabilities(truth, k, skill, seed)
    how: dict[str, Any] = {"positive": 1} if k == 2 else {"classes": list(range(k))}
    return adjudge.Predictions(truth, p.argmax(axis=1), p[:, 1] if k == 2 else p, row=np.arange(truth.size), **how | more)


def two_classes(n: int = 300) -> list[adjudge.Predictions]:
    """Return a better and a worse set of two classes."""
    return [classifier(truth_of(n, 2), 1.5, 1, 2), classifier(truth_of(n, 2), 1.0, 2, 2)]


def three_classes(n: int = 300, sets: int = 2) -> list[adjudge.Predictions]:
    """Return sets of three classes, the best first."""
    return [classifier(truth_of(n, 3), 1.5 - 0.4 * i, i + 1) for i in range(sets)]


def numbers(n: int = 200, sets: int = 2) -> list[dict[str, Any]]:
    """Return sets of numbers, the best first."""
    rng = np.random.default_rng(0)
    truth = rng.lognormal(3, 1, n)
    return [{"id": np.arange(n), "y_true": truth, "y_pred": truth + rng.normal(0, 2.0 + i, n)} for i in range(sets)]
