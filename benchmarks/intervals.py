"""How fast are intervals by resampling, and DeLong's variance? Against row resampling, SciPy and scikit-learn."""

from __future__ import annotations

from functools import partial
from time import perf_counter

import numpy as np
from scipy.stats import bootstrap, rankdata
from sklearn.metrics import roc_auc_score

from adjudge.counts.counting import tally
from adjudge.estimates.scored import macro_area_interval
from adjudge.predictions.model import Predictions
from adjudge.stats.auc_intervals import delong
from adjudge.stats.bands import binned_areas, cell_replicates
from rows import Row, at_least
from timing import best

RESAMPLES = 2_000
CASES = 100_000
BINS = 256
ROUNDS = 20
"""Rounds of a slow loop that are timed; the others would cost the same."""


def rows(n: int = 1_000_000) -> list[Row]:
    """Return one row per job and peer; `n` scores for DeLong."""
    rng = np.random.default_rng(20240901)
    return [*_count_measures(rng), _binned_area(rng), _macro_area(rng), _delong(rng, n)]


def four_measures(tables: np.ndarray) -> np.ndarray:
    """Return accuracy, balanced accuracy, F1 and MCC of two-class tables, one row a table."""
    tn, fp, fn, tp = (tables[:, i, j].astype(np.float64) for i in (0, 1) for j in (0, 1))
    spread = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    columns = (
        (tp + tn) / (tp + tn + fp + fn),
        (tp / (tp + fn) + tn / (tn + fp)) / 2,
        2 * tp / (2 * tp + fp + fn),
        (tp * tn - fp * fn) / spread,
    )
    return np.stack(columns, axis=1)


def _count_measures(rng: np.random.Generator) -> list[Row]:
    truth = (rng.random(CASES) < 0.3).astype(np.int64)
    predicted = np.where(rng.random(CASES) < 0.85, truth, 1 - truth)
    codes = (2 * truth + predicted).astype(np.uint8)
    table = np.bincount(codes, minlength=4).reshape(2, 2)
    times = best({"ours": partial(cell_replicates, table, four_measures, RESAMPLES, rng)}, 20)
    times |= {
        name: _scaled(peer) for name, peer in (("rows", partial(_by_rows, codes, rng)), ("scipy", partial(_by_scipy, codes, rng)))
    }
    name = f"bootstrap of 4 count measures, {RESAMPLES:,} resamples of {CASES:.0e} cases"
    return [
        at_least(300, name, times["ours"], "numpy, rows drawn and counted", times["rows"]),
        at_least(300, name, times["ours"], "scipy.stats.bootstrap, vectorised", times["scipy"]),
    ]


def _by_rows(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw rows and count them, ROUNDS times: the measures are then taken of all tables at once."""
    drawn = (codes[rng.integers(0, codes.size, codes.size, dtype=np.uint32)] for _ in range(ROUNDS))
    tables = np.stack([np.bincount(each, minlength=4) for each in drawn])
    return four_measures(tables.reshape(-1, 2, 2))


def _by_scipy(codes: np.ndarray, rng: np.random.Generator) -> object:
    def statistic(drawn: np.ndarray, axis: int = -1) -> np.ndarray:
        tables = np.stack([(drawn == code).sum(axis=axis) for code in range(4)], axis=-1)
        return four_measures(tables.reshape(-1, 2, 2)).T.reshape(4, *tables.shape[:-1])

    return bootstrap((codes,), statistic, n_resamples=ROUNDS, batch=10, method="percentile", vectorized=True, rng=rng)


def _binned_area(rng: np.random.Generator) -> Row:
    positive = rng.random(CASES) < 0.3
    scores = 1 / (1 + np.exp(-rng.standard_normal(CASES) - positive))
    bins = np.minimum((scores * BINS).astype(np.int64), BINS - 1)
    histograms = [np.bincount(bins[which], minlength=BINS) for which in (positive, ~positive)]
    mine = best({"ours": partial(cell_replicates, np.stack(histograms), binned_areas, RESAMPLES, rng)}, 5)["ours"]
    theirs = _scaled(partial(_sklearn_loop, positive, scores, rng))
    name = f"bootstrap of the AUC in {BINS} bins, {RESAMPLES:,} resamples of {CASES:.0e} cases"
    return at_least(50, name, mine, "sklearn roc_auc_score in a loop", theirs)


def _sklearn_loop(positive: np.ndarray, scores: np.ndarray, rng: np.random.Generator) -> list[float]:
    draws = (rng.integers(0, scores.size, scores.size) for _ in range(ROUNDS))
    return [roc_auc_score(positive[at], scores[at]) for at in draws]


def _macro_area(rng: np.random.Generator) -> Row:
    truth = rng.integers(0, 3, CASES)
    logits = rng.standard_normal((CASES, 3)) + np.eye(3)[truth]
    scores = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    counted = tally(Predictions(truth, scores=scores, classes=range(3)))
    mine = best({"ours": partial(macro_area_interval, counted)}, 5)["ours"]
    theirs = _scaled(partial(_sklearn_macro_loop, truth, scores, rng))
    name = f"interval of the macro AUC, 3 classes, {CASES:.0e} cases"
    return at_least(50, name, mine, f"sklearn roc_auc_score on {RESAMPLES:,} resamples", theirs)


def _sklearn_macro_loop(truth: np.ndarray, scores: np.ndarray, rng: np.random.Generator) -> list[float]:
    draws = (rng.integers(0, truth.size, truth.size) for _ in range(ROUNDS))
    return [roc_auc_score(truth[at], scores[at], multi_class="ovr") for at in draws]


def _delong(rng: np.random.Generator, n: int) -> Row:
    positive = rng.random(n) < 0.3
    scores = rng.standard_normal(n) + positive
    times = best({"ours": partial(delong, scores, positive), "ranks": partial(_delong_by_ranks, scores, positive)}, 5)
    return at_least(5, f"DeLong variance, {n:.0e} scores", times["ours"], "three scipy.stats.rankdata", times["ranks"])


def _delong_by_ranks(scores: np.ndarray, positive: np.ndarray) -> tuple[float, float]:
    """Return the AUC and its variance by the midranks of Sun and Xu (2014)."""
    ours, theirs = scores[positive], scores[~positive]
    m, n = ours.size, theirs.size
    ranks = rankdata(np.concatenate((ours, theirs)))
    of_ours, of_theirs = (ranks[:m] - rankdata(ours)) / n, 1 - (ranks[m:] - rankdata(theirs)) / m
    return float(of_ours.mean()), float(of_ours.var(ddof=1) / m + of_theirs.var(ddof=1) / n)


def _scaled(rounds: partial[object]) -> float:
    """Return what all resamples would take, from the better of two timings of ROUNDS."""
    shortest = float("inf")
    for _ in range(2):
        start = perf_counter()
        rounds()
        shortest = min(shortest, perf_counter() - start)
    return shortest * RESAMPLES / ROUNDS
