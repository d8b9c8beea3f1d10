"""Samples drawn from the stated populations, and what every method is shown of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import expit, ndtr
from scipy.stats import beta

from atlas import truth
from atlas.truth import Array

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Sample:
    """One test set: the true classes and whatever a classifier says of them."""

    y: Counts
    decisions: Counts | None = None
    scores: Array | None = None
    """Of the positive class, or one column a class; ranked, not read as probabilities."""
    probabilities: Array | None = None
    """Of the positive class, or one column a class."""
    clusters: Counts | None = None
    classes: int = 2

    @cached_property
    def table(self) -> Counts:
        """The confusion matrix; rows are true classes."""
        assert self.decisions is not None
        pairs = self.classes * self.y + self.decisions
        return np.bincount(pairs, minlength=self.classes**2).reshape(self.classes, self.classes)


def of_table(table: Counts) -> Sample:
    """Return the rows that a confusion matrix counts."""
    k = len(table)
    y, decisions = (np.repeat(each.ravel(), table.ravel()) for each in np.indices((k, k)))
    return Sample(y, decisions, classes=k)


def tables(population: Array, n: int, repetitions: int, rng: Generator) -> Counts:
    """Return confusion matrices of `n` independent cases each."""
    drawn = rng.multinomial(n, population.ravel(), size=repetitions)
    return drawn.reshape(repetitions, *population.shape)


def prevalences(k: int, *, balanced: bool) -> Array:
    """Return equal shares, or shares that fall geometrically to a tenth of the largest."""
    shares = np.ones(k) if balanced else 0.1 ** (np.arange(k) / (k - 1))
    return shares / shares.sum()


def with_positives(n: int, positives: int) -> Counts:
    """Return the true classes of a test set with a fixed number of positive cases."""
    return (np.arange(n) < positives).astype(np.int64)


def scored(
    n: int, prevalence: float, auc: float, rng: Generator, *, sharpening: float = 1.0, threshold: float | None = None
) -> Sample:
    """Return binormal scores of random cases with their probabilities, and decisions if there is a threshold on the score."""
    d = truth.shift(auc)
    y = (rng.random(n) < prevalence).astype(np.int64)
    scores = rng.normal(size=n) + d * y
    decisions = None if threshold is None else (scores > threshold).astype(np.int64)
    return Sample(y, decisions, scores, expit(truth.logits(scores, prevalence, d, sharpening)))


def ranked(n: int, positives: int, auc: float, rng: Generator) -> Sample:
    """Return binormal scores of a fixed number of positive cases; their logistic function ranks alike."""
    y = with_positives(n, positives)
    scores = rng.normal(size=n) + truth.shift(auc) * y
    return Sample(y, None, scores, expit(scores))


def three_classes(n: int, shares: Array, auc: float, rng: Generator) -> Sample:
    """Return scores of three classes: the score of the true class is shifted, so that each AUC against the rest is `auc`."""
    d = truth.shift(auc)
    y = rng.choice(3, size=n, p=shares)
    scores = rng.normal(size=(n, 3)) + d * np.eye(3)[y]
    return Sample(y, None, scores, truth.softmax(truth.many_logits(scores, shares, d)), classes=3)


def equals(n: int, positives: int, auc: float, m: int, correlation: float, rng: Generator) -> list[Sample]:
    """Return what `m` exchangeable classifiers say of the same cases; their errors are correlated, none is better."""
    y, d = with_positives(n, positives), truth.shift(auc)
    common = np.sqrt(correlation) * rng.normal(size=n) + d * y
    every = common + np.sqrt(1 - correlation) * rng.normal(size=(m, n))
    probabilities = expit(truth.logits(every, positives / n, d))
    return [Sample(y, (s > d / 2).astype(np.int64), s, p) for s, p in zip(every, probabilities, strict=True)]


def no_skill(k: int, n: int, shares: Array, kind: str, rng: Generator) -> Counts:
    """Return the confusion matrix of decisions that know nothing of the truth."""
    guessed = {"as common": shares, "evenly": np.full(k, 1 / k), "constant": np.eye(k)[0]}[kind]
    return rng.multinomial(n, np.outer(shares, guessed).ravel()).reshape(k, k)


def clustered_decisions(
    clusters: int, size: int, population: Array, correlation: float, rng: Generator, *, classifiers: int = 1
) -> list[Sample]:
    """Return decisions whose correctness is correlated within clusters, by a Beta effect on both recalls.

    The intra-cluster correlation of being right is `correlation` in either class; hard clusters are hard for both.
    """
    at = np.repeat(np.arange(clusters), size)
    y = (rng.random(at.size) < population[1].sum()).astype(np.int64)
    recalls = population.diagonal() / population.sum(1)
    found = []
    for _ in range(classifiers):
        ease = rng.random(clusters)
        rates = np.stack([_beta_quantile(ease, recall, correlation) for recall in recalls])
        right = rng.random(at.size) < rates[y, at]
        found.append(Sample(y, np.where(right, y, 1 - y), clusters=at))
    return found


def _beta_quantile(at: Array, mean: float, correlation: float) -> Array:
    if correlation == 0:
        return np.full(at.shape, mean)
    total = (1 - correlation) / correlation
    return np.asarray(beta.ppf(at, mean * total, (1 - mean) * total))


def clustered_scores(clusters: int, size: int, prevalence: float, auc: float, correlation: float, rng: Generator) -> Sample:
    """Return binormal scores with a normal effect of the cluster that separates the classes more, or less."""
    at = np.repeat(np.arange(clusters), size)
    y, d = (rng.random(at.size) < prevalence).astype(np.int64), truth.shift(auc)
    ease = np.where(y == 1, 1, -1) * rng.normal(size=clusters)[at]
    scores = d * y + np.sqrt(correlation) * ease + np.sqrt(1 - correlation) * rng.normal(size=at.size)
    return Sample(y, None, scores, expit(truth.logits(scores, prevalence, d)), clusters=at)


def distinct(every: Counts) -> Iterator[tuple[Counts, Counts]]:
    """Yield each table that occurs, with the numbers of its samples: what depends on the table alone is answered once."""
    found, inverse = np.unique(every.reshape(len(every), -1), axis=0, return_inverse=True)
    order = np.argsort(inverse.ravel(), kind="stable")
    bounds = np.searchsorted(inverse.ravel()[order], np.arange(len(found) + 1))
    for i, table in enumerate(found):
        yield table.reshape(every.shape[1:]), order[bounds[i] : bounds[i + 1]]


def decided(auc: float, threshold: float) -> tuple[float, float]:
    """Return sensitivity and specificity of a threshold on binormal scores."""
    return float(ndtr(truth.shift(auc) - threshold)), float(ndtr(threshold))
