"""How fast is the posterior of the balanced accuracy? Against a convolution on a grid, and against simulation."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import stats

from adjudge import posterior
from adjudge.stats.betasum import beta_sum
from rows import Row, at_least
from timing import best

GRID, DRAWS = 2001, 100_000
LEVELS = (0.025, 0.5, 0.975)


def rows(matrices: int = 1000) -> list[Row]:
    """Return one row per number of classes and peer, for a build, the median and the central interval."""
    rng = np.random.default_rng(20240802)
    return [row for classes in (2, 5) for row in _many(rng, matrices, classes)] + _one()


def _many(rng: np.random.Generator, matrices: int, classes: int) -> list[Row]:
    n = rng.integers(5, 200, (matrices, classes))
    hits = rng.binomial(n, rng.uniform(0.5, 1, n.shape))
    a, b = hits + 1, n - hits + 1
    few = slice(0, max(1, matrices // 20))
    times = best(
        {
            "ours": partial(_ours, _tables(hits, n)),
            "grid": partial(_each, _grid, a[few], b[few]),
            "draws": partial(_each, _draws, a[few], b[few]),
        },
        3,
    )
    share = matrices / len(a[few])
    name = f"median and interval of {matrices} balanced accuracies, {classes} classes"
    return [
        at_least(1, name, times["ours"], f"grid of {GRID}, 3 digits", share * times["grid"]),
        at_least(5, name, times["ours"], f"{DRAWS:.0e} draws, 2 digits", share * times["draws"]),
    ]


def _one() -> list[Row]:
    a, b = np.array([41, 3]), np.array([6, 9])
    times = best({"ours": partial(_single, a, b), "grid": partial(_grid, a, b), "draws": partial(_draws, a, b)}, 20)
    name = "one balanced accuracy and its interval, 2 classes"
    return [
        at_least(0.2, name, times["ours"], f"grid of {GRID}, 3 digits", times["grid"]),
        at_least(2, name, times["ours"], f"{DRAWS:.0e} draws, 2 digits", times["draws"]),
    ]


def _tables(hits: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return confusion tables with these hits on the diagonal, every miss in the column beside it."""
    k = hits.shape[1]
    tables, at = np.zeros((*hits.shape, k), dtype=np.int64), np.arange(k)
    tables[:, at, at], tables[:, at, (at + 1) % k] = hits, n - hits
    return tables


def _ours(tables: np.ndarray) -> object:
    distributions = posterior(tables, prior="flat")
    return distributions.median, distributions.interval()


def _single(a: np.ndarray, b: np.ndarray) -> object:
    return beta_sum(a, b, [0.5, 0.5]).interval()


def _each(method: object, a: np.ndarray, b: np.ndarray) -> object:
    return [method(*row) for row in zip(a, b, strict=True)]  # type: ignore[operator]


def _grid(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Convolve masses on a grid, as published code does."""
    edges = np.linspace(0, 1, GRID)
    mass = np.ones(1)
    for k in range(a.size):
        mass = np.convolve(mass, np.diff(stats.beta.cdf(edges, a[k], b[k])))
    at = (np.arange(mass.size) + a.size / 2) / ((GRID - 1) * a.size)
    return np.interp(LEVELS, np.cumsum(mass), at)


def _draws(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.quantile(rng.beta(a, b, (DRAWS, a.size)).mean(axis=1), LEVELS)


if __name__ == "__main__":
    from rows import as_markdown

    print(as_markdown(rows()))
