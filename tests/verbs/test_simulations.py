"""Does the default cry wolf, and is its probability what it says? Learners that are equally good by construction tell."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from tests.verbs.equal_pairs import joint_of

import adjudge.estimates.differences
from adjudge import Predictions, compare, compare_learners, rank
from adjudge.estimates.differences import paired_difference
from adjudge.judgements.comparison import three_numbers
from adjudge.metrics.catalogue import find

BLOCK = 4


class OnBlock(ClassifierMixin, BaseEstimator):
    """A learner that sees one block of features only."""

    def __init__(self, learner=None, start=0):
        self.learner = learner
        self.start = start

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.learner.fit(X[:, self.start : self.start + BLOCK], y)
        return self

    def predict(self, X):
        return self.learner.predict(X[:, self.start : self.start + BLOCK])


def drawn(n, shifts, rng):
    """Return cases of two classes: block i of the features is shifted by shifts[i] in the second class."""
    y = np.arange(n) % 2
    X = rng.normal(size=(n, BLOCK * len(shifts)))
    for i, shift in enumerate(shifts):
        X[:, BLOCK * i : BLOCK * (i + 1)] += shift * y[:, None]
    return X, y


def two(learner):
    return OnBlock(learner(), 0), OnBlock(learner(), BLOCK)


@pytest.fixture
def _fewer_draws(monkeypatch):
    """Draw a tenth as often: a probability near .95 is then known to .005."""
    for module in (adjudge.estimates.differences, adjudge.estimates.differences):
        monkeypatch.setattr(module, "DRAWS", 2_000)


def distribution_of(truth, a, b, measure):
    """Return the distribution of the difference that `compare` asks, without the rest of what it says."""
    return paired_difference(
        joint_of(np.bincount(4 * truth + 2 * a + b, minlength=8)), find(measure), 0, 1, positive=1
    ).distribution


@pytest.mark.parametrize("measure", ["accuracy", "balanced_accuracy", "mcc", "f1"])
def test_the_distribution_that_is_simulated_is_that_of_compare(measure):
    rng, rows = np.random.default_rng(25), np.arange(150)
    truth = rng.integers(0, 2, 150)
    a, b = (np.where(rng.random(150) < share, truth, 1 - truth) for share in (0.8, 0.7))
    found = compare(Predictions(truth, a, row=rows), Predictions(truth, b, row=rows), measure=measure, margin=0.0)
    distribution = distribution_of(truth, a, b, measure)
    assert (found.worse, found.same, found.better) == pytest.approx(
        three_numbers(distribution, 0.0, higher_is_better=True), abs=1e-12
    )
    assert (found.interval.low, found.interval.high) == pytest.approx(distribution.interval(0.95), abs=1e-12)


LEARNERS = {"lda": LinearDiscriminantAnalysis, "bayes": GaussianNB, "3nn": lambda: KNeighborsClassifier(3)}


@pytest.mark.slow
def test_the_default_rejects_a_true_null_as_rarely_as_it_says():
    """The blocks are exchangeable, so that neither learner is better: 5% may be rejected."""
    rng, rejected = np.random.default_rng(20), []
    for learner, n, times in (("lda", 60, 60), ("lda", 120, 60), ("bayes", 80, 80)):
        for _ in range(times):
            X, y = drawn(n, (0.5, 0.5), rng)
            found = compare_learners(*two(LEARNERS[learner]), X, y, random_state=int(rng.integers(2**31)), progress=False)
            rejected.append(found.p_value < 0.05)
    assert np.mean(rejected) <= 0.06


@pytest.mark.slow
def test_the_default_probability_is_what_it_says():
    """Of the claims of 95% and more that a learner is better, 93% and more are right."""
    rng, right = np.random.default_rng(21), []
    for _ in range(140):
        shifts = rng.normal(0.5, 0.25, 2)
        X, y = drawn(90, shifts, rng)
        fresh = drawn(4000, shifts, rng)
        learners = two(GaussianNB)
        found = compare_learners(*learners, X, y, random_state=int(rng.integers(2**31)), progress=False)
        truth = np.subtract(*(learner.fit(X, y).score(*fresh) for learner in learners))
        if max(found.better, found.worse) >= 0.95:
            right.append((found.better > found.worse) == (truth > 0))
    assert len(right) > 30
    assert np.mean(right) >= 0.93


@pytest.mark.slow
@pytest.mark.usefixtures("_fewer_draws")
@pytest.mark.parametrize("measure", ["accuracy", "balanced_accuracy", "mcc", "f1"])
def test_paired_probabilities_are_what_they_say(measure):
    """Outcomes drawn anew each time: claims of 90% to 99% are right about as often."""
    rng, claims = np.random.default_rng(22), []
    for _ in range(400):
        rates = rng.dirichlet([1, 1, 1, 1], 2)
        truth = rng.integers(0, 2, 150)
        outcome = np.array([rng.choice(4, p=rates[c]) for c in truth])
        a, b = np.where(outcome <= 1, truth, 1 - truth), np.where(outcome % 2 == 0, truth, 1 - truth)
        worse, _, better = three_numbers(distribution_of(truth, a, b, measure), 0.0, higher_is_better=True)
        claim = max(better, worse)
        if claim >= 0.8:
            claims.append((claim, (better > worse) == (_true(rates, 1, measure) > _true(rates, 2, measure))))
    claim, right = np.array(claims).T
    error = np.sqrt((claim * (1 - claim)).sum()) / claim.size
    assert right.mean() >= claim.mean() - 3.5 * error


def _true(rates, which, measure):
    """Return the measure of a classifier with these recalls on as many cases of either class."""
    specificity, sensitivity = rates[:, 0] + rates[:, which]
    if measure == "f1":
        return 2 * sensitivity / (2 * sensitivity + 1 - sensitivity + 1 - specificity)
    if measure == "mcc":
        wrong = 1 - specificity, 1 - sensitivity
        return (sensitivity * specificity - wrong[0] * wrong[1]) / np.sqrt(
            (sensitivity + wrong[0]) * (sensitivity + wrong[1]) * (specificity + wrong[0]) * (specificity + wrong[1])
        )
    return (specificity + sensitivity) / 2


@pytest.mark.slow
@pytest.mark.usefixtures("_fewer_draws")
@pytest.mark.parametrize("measure", ["accuracy", "mcc", "f1", "balanced_accuracy"])
@pytest.mark.parametrize(("n", "share"), [(60, 0.5), (200, 0.2)])
def test_intervals_of_differences_cover(measure, n, share):
    rng, inside = np.random.default_rng(23), []
    rates = np.array([[0.75, 0.12, 0.05, 0.08], [0.6, 0.15, 0.1, 0.15]])
    for _ in range(300):
        truth = (rng.random(n) < share).astype(int)
        outcome = np.where(truth, rng.choice(4, n, p=rates[1]), rng.choice(4, n, p=rates[0]))
        a, b = np.where(outcome <= 1, truth, 1 - truth), np.where(outcome % 2 == 0, truth, 1 - truth)
        low, high = distribution_of(truth, a, b, measure).interval(0.95)
        target = _of_shares(rates, share, 1, measure) - _of_shares(rates, share, 2, measure)
        inside.append(low <= target <= high)
    assert 0.92 <= np.mean(inside) <= 0.985


def _of_shares(rates, share, which, measure):
    (tn, tp), n = rates[:, 0] + rates[:, which], np.array([1 - share, share])
    tn, tp, fp, fn = tn * n[0], tp * n[1], (1 - tn) * n[0], (1 - tp) * n[1]
    if measure == "accuracy":
        return tn + tp
    if measure == "balanced_accuracy":
        return (tn / n[0] + tp / n[1]) / 2
    if measure == "f1":
        return 2 * tp / (2 * tp + fp + fn)
    return (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


@pytest.mark.slow
def test_equals_are_seldom_told_apart_among_many():
    """Five equally good candidates, ten pairs: Holm keeps any wrong p-value to about 5%, any wrong verdict to 10%."""
    rng, wrong, called = np.random.default_rng(24), 0, 0
    for _ in range(100):
        truth = rng.integers(0, 2, 120)
        said = [np.where(rng.random(120) < 0.8, truth, 1 - truth) for _ in range(5)]
        found = rank([Predictions(truth, each, row=np.arange(120)) for each in said])
        wrong += min(found.p_values.values()) <= 0.05
        called += any(compared.verdict in ("better", "worse") for compared in found.comparisons.values())
    assert wrong / 100 <= 0.1
    assert called / 100 <= 0.1
