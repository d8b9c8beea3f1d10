"""How often the default limits of each measure hold the truth: 12 settings or more, 400 to 2,000 samples each.

The settings were fixed before the first run. 800 samples know a coverage of 95% to 0.8 points: limits 15% too narrow cover 90.4%
and, planted, fail half of the settings; limits 20% too narrow fail nearly all. Class sizes are random; limits speak of the classes
that have a case, so the truth they are held against is that of those classes, and samples of rates without a case to divide by are
dropped.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from adjudge import ConfusionCounts, Predictions, interval
from adjudge.stats.auc_intervals import hull

pytestmark = pytest.mark.slow

SAMPLES = 800
MANY = 2_000
"""Samples where many are limited at once, or have few tables."""
SEED = 20240901


def drawn(chances, n, seed, samples=SAMPLES):
    """Return tables of `n` cases whose cells have the given chances."""
    rng = np.random.default_rng([SEED, n, seed])
    return rng.multinomial(n, np.ravel(chances), samples).reshape(-1, *np.shape(chances))


def coverage(tables, truths, name, method="", **options):
    """Return the share of tables whose limits hold their truth; equal tables are asked once."""
    known, held = {}, 0
    for table, truth in zip(tables, np.broadcast_to(truths, len(tables)), strict=True):
        key = table.tobytes()
        if key not in known:
            known[key] = interval(ConfusionCounts(table), name, **options)
            assert method in known[key].method
        held += known[key].low <= truth <= known[key].high
    return held / len(tables)


def confusion(shares, recalls):
    """Return the chances of the cells, errors spread evenly over the other classes."""
    k = len(shares)
    table = np.repeat((1 - np.array(recalls))[:, None] / (k - 1), k, axis=1)
    np.fill_diagonal(table, recalls)
    return np.array(shares)[:, None] * table


@pytest.mark.parametrize(("n", "rate"), list(product((30, 100, 300, 1000), (0.6, 0.8, 0.9))))
def test_accuracy(n, rate):
    tables = drawn([[rate, 1 - rate], [0, 0]], n, round(100 * rate))
    assert 0.91 <= coverage(tables, rate, "accuracy", "midp") <= 0.99


@pytest.mark.parametrize("name", ["sensitivity", "specificity", "precision", "npv"])
@pytest.mark.parametrize(("share", "recalls", "n"), [(0.5, (0.7, 0.9), 100), (0.3, (0.8, 0.75), 300), (0.2, (0.9, 0.95), 1000)])
def test_rates_of_a_class(name, share, recalls, n):
    chances = confusion((share, 1 - share), recalls)
    (tp, fn), (fp, tn) = chances
    truth = {"sensitivity": tp / (tp + fn), "specificity": tn / (tn + fp), "precision": tp / (tp + fp), "npv": tn / (tn + fn)}
    assert 0.91 <= coverage(drawn(chances, n, 1), truth[name], name, "midp", positive=0) <= 0.99


THIRDS, SKEWED = (1 / 3, 1 / 3, 1 / 3), (0.8, 0.15, 0.05)
BALANCED = [
    ((0.7, 0.9), (0.5, 0.5), 40),
    ((0.7, 0.9), (0.1, 0.9), 100),
    ((0.9, 0.9), (0.2, 0.8), 50),
    ((0.9, 0.9), (0.1, 0.9), 300),
    ((0.5, 0.99), (0.1, 0.9), 300),
    ((0.9, 0.7), (0.02, 0.98), 1000),
    ((0.6, 0.8, 0.9), THIRDS, 60),
    ((0.9, 0.9, 0.9), THIRDS, 60),
    ((0.6, 0.8, 0.9), SKEWED, 100),
    ((0.9, 0.9, 0.9), SKEWED, 300),
    ((0.95, 0.9, 0.85), (0.5, 0.3, 0.2), 200),
    ((0.97, 0.9, 0.95), (0.4, 0.4, 0.2), 1000),
]


@pytest.mark.parametrize("cell", range(len(BALANCED)))
def test_balanced_accuracy_of_few_classes(cell):
    recalls, shares, n = BALANCED[cell]
    tables = drawn(confusion(shares, recalls), n, cell)
    tables = tables[(tables.sum(axis=2) > 0).all(axis=1)]
    assert 0.91 <= coverage(tables, np.mean(recalls), "balanced_accuracy", "mover-jeffreys") <= 0.99


@pytest.mark.parametrize(("k", "per_class", "imbalance", "mean"), list(product((10, 100), (5, 20, 100), (1, 25), (0.8, 0.9))))
def test_balanced_accuracy_of_many_classes(k, per_class, imbalance, mean):
    rng = np.random.default_rng([SEED, k, per_class, imbalance, round(100 * mean)])
    recalls, sizes = np.clip(rng.normal(mean, 0.05, k), 0.5, 0.99), np.geomspace(1, imbalance, k)
    support = rng.multinomial(k * per_class, sizes / sizes.sum(), 10 * SAMPLES)
    support = support[(support > 0).sum(axis=1) >= 10][:SAMPLES]  # fewer classes have another default
    correct = rng.binomial(support, recalls)
    tables = (np.diag(right) + np.roll(np.diag(all_ - right), 1, axis=1) for right, all_ in zip(correct, support, strict=True))
    truths = (recalls * (support > 0)).sum(axis=1) / (support > 0).sum(axis=1)
    assert len(support) == SAMPLES
    assert 0.91 <= coverage(Sized(tables, len(support)), truths, "balanced_accuracy", "unbiased-centre") <= 0.99


class Sized:
    """Tables made one at a time, of a known number: 800 of 100 x 100 cells at once would be many."""

    def __init__(self, tables, size):
        self.tables, self.size = tables, size

    def __iter__(self):
        return iter(self.tables)

    def __len__(self):
        return self.size


@pytest.mark.parametrize("n", [50, 100, 300, 1000])
@pytest.mark.parametrize(("share", "recalls"), [(0.5, (0.7, 0.9)), (0.2, (0.9, 0.9)), (0.1, (0.5, 0.99))])
def test_f1_of_a_class(n, share, recalls):
    chances = confusion((share, 1 - share), recalls)
    tables, truth = drawn(chances, n, round(100 * share)), 2 * chances[0, 0] / (chances[0].sum() + chances[:, 0].sum())
    tables = tables[tables[:, 0].sum(axis=1) + tables[:, 1, 0] > 0]
    assert 0.91 <= coverage(tables, truth, "f1", "f1-jeffreys", positive=0) <= 0.99


@pytest.mark.parametrize("beta", [0.5, 2.0])
@pytest.mark.parametrize(("n", "share"), [(20, 0.03), (20, 0.1), (50, 0.1), (200, 0.03)])
@pytest.mark.parametrize("recalls", [(0.1, 0.95), (0.7, 0.9), (0.95, 0.99)])
def test_fbeta_of_a_rare_class(n, share, recalls, beta):
    chances = confusion((share, 1 - share), recalls)
    hit, miss, alarm = chances[0, 0], chances[0, 1], chances[1, 0]
    tables = drawn(chances, n, round(100 * share))
    tables = tables[tables[:, 0].sum(axis=1) + tables[:, 1, 0] > 0]
    truth = (1 + beta**2) * hit / ((1 + beta**2) * hit + beta**2 * miss + alarm)
    assert coverage(tables, truth, "fbeta", "fbeta-midp", positive=0, beta=beta) >= 0.92


@pytest.mark.parametrize("skill", [(0.5, 0.8), (0.93, 0.99)])
@pytest.mark.parametrize("shares", [THIRDS, SKEWED])
@pytest.mark.parametrize("n", [15, 60])
def test_g_mean_of_three_classes(n, shares, skill):
    recalls = np.linspace(*skill, 3)[::-1]
    tables = drawn(confusion(shares, recalls), n, n, MANY)  # of few tables, each asked once
    tables = tables[(tables.sum(axis=2) > 0).all(axis=1)]
    assert coverage(tables, np.exp(np.log(recalls).mean()), "g_mean", "mover-log-hull") >= 0.92


MACRO = [(THIRDS, recalls, n) for recalls in ((0.6, 0.7, 0.8), (0.9, 0.9, 0.9), (0.99, 0.95, 0.9)) for n in (30, 100, 1000)]
MACRO += [(SKEWED, (0.95, 0.7, 0.5), n) for n in (30, 100, 300)]
MACRO += [(SKEWED, recalls, n) for recalls in ((0.9, 0.9, 0.9), (0.99, 0.9, 0.8)) for n in (100, 300)]
MACRO += [(np.geomspace(1, 5, 12) / np.geomspace(1, 5, 12).sum(), np.linspace(0.5, 0.95, 12), n) for n in (120, 600)]


@pytest.mark.parametrize("cell", range(len(MACRO)))
def test_macro_f1(cell):
    shares, recalls, n = MACRO[cell]
    chances = confusion(shares, recalls)
    tables = drawn(chances, n, cell)
    tables = tables[(tables.sum(axis=2) > 0).all(axis=1)]
    truth = np.mean(2 * chances.diagonal() / (chances.sum(axis=0) + chances.sum(axis=1)))
    assert 0.91 <= coverage(tables, truth, "f1", average="macro") <= 0.99


WHOLE = [
    ((0.5, 0.5), (0.7, 0.9), 40),
    ((0.5, 0.5), (0.99, 0.99), 60),
    ((0.9, 0.1), (0.9, 0.9), 100),
    ((0.9, 0.1), (0.99, 0.99), 200),
    ((0.2, 0.8), (0.85, 0.95), 80),
    ((0.03, 0.97), (0.8, 0.95), 600),
    (THIRDS, (0.6, 0.8, 0.9), 60),
    (THIRDS, (0.99, 0.98, 0.97), 100),
    (SKEWED, (0.95, 0.95, 0.95), 100),
    ((0.5, 0.3, 0.2), (0.9, 0.8, 0.95), 70),
    ((0.1,) * 10, (0.99,) * 10, 100),
    ((1 / 12,) * 12, tuple(np.linspace(0.6, 0.95, 12)), 300),
]


def of_chances(name, tables):
    """Return a measure of tables of chances or counts from its definition; NaN where it has no value."""
    hits, rows, columns = np.diagonal(tables, axis1=-2, axis2=-1), tables.sum(axis=-1), tables.sum(axis=-2)
    n, chance = rows.sum(axis=-1), (rows * columns).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = (n**2 - (rows**2).sum(axis=-1)) * (n**2 - (columns**2).sum(axis=-1))
        if name == "mcc":
            return (n * hits.sum(axis=-1) - chance) / np.sqrt(spread)
        if name == "kappa":
            return (n * hits.sum(axis=-1) - chance) / (n**2 - chance)
        if name == "g_mean":
            return np.prod(hits / rows, axis=-1) ** (1 / rows.shape[-1])
        return (hits / {"sensitivity": rows, "precision": columns, "jaccard": rows + columns - hits}[name]).mean(axis=-1)


@pytest.mark.parametrize("name", ["mcc", "kappa", "g_mean", "sensitivity", "precision", "jaccard"])
@pytest.mark.parametrize("cell", range(len(WHOLE)))
def test_measures_of_the_whole_table(name, cell):
    shares, recalls, n = WHOLE[cell]
    chances = confusion(shares, recalls)
    samples = MANY if min(recalls) >= 0.97 else SAMPLES  # few errors cover nearly 99%, and make few tables, each asked once
    tables = drawn(chances, n, 100 + cell, samples)
    tables = tables[(tables.sum(axis=2) > 0).all(axis=1)]
    tables = tables[np.isfinite(of_chances(name, tables.astype(float)))][: samples // 2]
    average = "macro" if name in ("sensitivity", "precision", "jaccard") else None
    assert 0.91 <= coverage(tables, of_chances(name, chances), name, average=average) <= 0.99


RARE = [
    ((0.97, 0.02, 0.01), (0.9, 0.9, 0.02), 100),
    ((0.9, 0.07, 0.03), None, 1000),
    ((0.9, 0.04, 0.03, 0.02, 0.01), (0.9, 0.8, 0.7, 0.1, 0.02), 100),
    ((0.5, 0.3, 0.15, 0.04, 0.01), None, 400),
]


@pytest.mark.parametrize("name", ["mcc", "kappa"])
@pytest.mark.parametrize("cell", range(len(RARE)))
def test_a_rare_class_of_several_hardly_hit(name, cell):
    """Without recalls, predictions do not depend on the class: the first in 98%."""
    shares, recalls, n = RARE[cell]
    others = len(shares) - 1
    free = np.outer(shares, (0.98, *(0.02 / others,) * others))
    chances = free if recalls is None else confusion(shares, recalls)
    tables = drawn(chances, n, 200 + cell)
    tables = tables[np.isfinite(of_chances("mcc", tables.astype(float)))][: SAMPLES // 2]
    assert coverage(tables, of_chances(name, chances), name, "effective-wilson") >= 0.91


def placements(ours, theirs):
    """Return the AUC and DeLong's variance of many samples from the definition, 250 at a time."""
    found = []
    for x, y in zip(np.array_split(ours, 8), np.array_split(theirs, 8), strict=True):
        wins = (x[:, :, None] > y[:, None, :]) + 0.5 * (x[:, :, None] == y[:, None, :])
        of_each, of_other = wins.mean(axis=2), wins.mean(axis=1)
        spread = of_each.var(axis=1, ddof=1) / x.shape[1] + of_other.var(axis=1, ddof=1) / y.shape[1]
        found.append((of_each.mean(axis=1), spread))
    return tuple(np.concatenate(part) for part in zip(*found, strict=True))


@pytest.mark.parametrize("levels", [0, 5])
@pytest.mark.parametrize(("m", "whole"), [(3, 50), (3, 1000), (5, 200), (10, 50)])
def test_area_with_few_positive_cases(m, whole, levels):
    """Two normal classes of variance ratios 1/2, 1 and 2, so few negative cases are in it as well; `levels` are ties."""
    for area, ratio in product((0.5, 0.7, 0.9, 0.99), (0.5, 1.0, 2.0)):
        rng = np.random.default_rng([SEED, m, whole, levels, round(100 * area), round(10 * ratio)])
        shift, deviation = float(ndtri(area)) * math.sqrt(1 + ratio), math.sqrt(ratio)
        ours, theirs = rng.normal(shift, deviation, (MANY, m)), rng.normal(0, 1, (MANY, whole - m))
        truth = area
        if levels:
            cuts = np.linspace(-1, shift + 1, levels - 1)
            ours, theirs = np.searchsorted(cuts, ours), np.searchsorted(cuts, theirs)
            mine, other = (np.diff([0, *ndtr((cuts - at) / by), 1]) for at, by in ((shift, deviation), (0, 1)))
            truth = float(mine @ (np.cumsum(other) - other / 2))
        areas, variances = placements(ours, theirs)
        kinds, times = np.unique(np.stack((areas, variances), axis=1), axis=0, return_counts=True)
        limits = np.array([hull(*kind, m, whole - m) for kind in kinds])
        held = (limits[:, 0] <= truth + 1e-12) & (truth <= limits[:, 1] + 1e-12)
        assert times[held].sum() / MANY >= 0.91, (area, ratio)
    flags = np.arange(whole) < m
    found = interval(Predictions(flags, flags, np.concatenate((ours[0], theirs[0])).astype(float)), "auc")
    assert (found.low, found.high) == pytest.approx(hull(areas[0], variances[0], m, whole - m), abs=1e-9)


@pytest.mark.parametrize(
    ("m", "n", "area", "ratio"),
    [
        (5, 50, 0.8, 1.0),
        (5, 200, 0.9, 2.0),
        (8, 200, 0.6, 2.0),
        (10, 100, 0.9, 1.0),
        (10, 100, 0.97, 2.0),
        (20, 20, 0.8, 1.0),
        (20, 200, 0.7, 2.0),
        (30, 60, 0.9, 0.5),
        (40, 200, 0.8, 2.0),
        (50, 100, 0.97, 1.0),
        (100, 60, 0.8, 0.5),
        (100, 200, 0.99, 2.0),
    ],
)
def test_area_under_the_curve(m, n, area, ratio):
    """Two normal classes; `ratio` is that of their variances. The public verb says the same of the first samples."""
    rng = np.random.default_rng([SEED, m, n, round(1000 * area), round(10 * ratio)])
    shift, truth = float(ndtri(area)) * math.sqrt(1 + ratio), np.arange(m + n) < m
    ours, theirs = rng.normal(shift, math.sqrt(ratio), (MANY, m)), rng.normal(0, 1, (MANY, n))
    limits = np.array([hull(*each, m, n) for each in zip(*placements(ours, theirs), strict=True)])
    assert 0.91 <= np.mean((limits[:, 0] <= area) & (area <= limits[:, 1])) <= 0.99
    for at in range(20):
        found = interval(Predictions(truth, scores=1 / (1 + np.exp(-np.concatenate((ours[at], theirs[at]))))), "auc")
        assert (found.low, found.high) == pytest.approx(tuple(limits[at]), abs=1e-9)
