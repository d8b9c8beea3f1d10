"""Are posteriors calibrated? Draw parameters from the prior, data given these, and ask the posterior for the truth's rank.

Over many runs the posterior's cdf at the truth is uniform if, and in general only if, prior, likelihood and computation fit
together (Talts et al. 2018, arXiv:1804.06788). The empirical cdf of 1,000 ranks must stay within the exact simultaneous
99% band of Kolmogorov. A posterior that saw two right decisions too many in each class must leave it, so the test can fail.
Few cases a class make few tables, whose posteriors are computed once, and leave the prior its say.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from adjudge import ConfusionCounts, difference, posterior

pytestmark = pytest.mark.slow

RUNS = 1_000
CASES_OF_CLASS = (3, 6, 2, 5, 1)
FEWER = (2, 3, 1, 2, 1)
"""For three classes and more and for two tables, which would be hundreds of posteriors otherwise; the prior weighs the more."""


def of_recalls(rng, k, a, b, cases=CASES_OF_CLASS):
    """Return recalls from Beta(a, b) and a table of few cases whose errors go to the next class."""
    recalls, support = rng.beta(a, b, k), np.array(cases[:k])
    correct = rng.binomial(support, recalls)
    return recalls, np.diag(correct) + np.roll(np.diag(support - correct), 1, axis=1)


def of_cells(rng, k, a):
    """Return chances of the cells from a Dirichlet(a, .., a), and a table of few cases."""
    chances = rng.dirichlet(np.full(k * k, a))
    return chances.reshape(k, k), rng.multinomial(24 // k, chances).reshape(k, k)


def accuracy(a, b, prior):
    def run(rng):
        rate, n = rng.beta(a, b), rng.integers(1, 20)
        right = rng.binomial(n, rate)
        return rate, [np.array([[right, n - right], [0, 0]])]

    return run, lambda table: posterior(table, "accuracy", prior=prior)


def sensitivity():
    def run(rng):
        recalls, table = of_recalls(rng, 2, 1, 1)
        return recalls[1], [table]

    return run, lambda table: posterior(table, "sensitivity", positive=1, prior="flat")


def precision():
    def run(rng):
        shares, table = of_recalls(rng, 2, 0.5, 0.5)  # of the predicted classes, not of the true ones
        return shares[0], [table.T]

    return run, lambda table: posterior(table, "precision", positive=0, prior="jeffreys")


def balanced(k, a, b, prior, weights=None, name="balanced_accuracy"):
    def run(rng):
        recalls, table = of_recalls(rng, k, a, b, CASES_OF_CLASS if k == 2 else FEWER)
        mean = float(np.average(recalls, weights=weights))
        return mean if name == "balanced_accuracy" else (k * mean - 1) / (k - 1), [table]

    return run, lambda table: posterior(table, name, prior=prior, weights=weights)


def dirichlet_rows(k):
    def run(rng):
        rows = rng.dirichlet(np.ones(k), k)
        table = rng.multinomial(FEWER[:k], rows)
        correct = table.diagonal()  # where the errors went says nothing of the recalls
        return float(rows.diagonal().mean()), [np.diag(correct) + np.roll(np.diag(table.sum(axis=1) - correct), 1, axis=1)]

    return run, lambda table: posterior(table, prior="dirichlet")


def overlap(name, a, prior):
    def run(rng):
        chances, table = of_cells(rng, 2, a)
        jaccard = chances[0, 0] / (1 - chances[1, 1])
        return jaccard if name == "jaccard" else 2 * jaccard / (1 + jaccard), [table]

    return run, lambda table: posterior(table, name, positive=0, prior=prior)


def agreement(name, k):
    def run(rng):
        chances, table = of_cells(rng, k, 1)
        true, predicted, right = chances.sum(axis=1), chances.sum(axis=0), np.trace(chances)
        apart = {"kappa": 1 - true @ predicted, "mcc": np.sqrt((1 - true @ true) * (1 - predicted @ predicted))}
        return (right - true @ predicted) / apart[name], [table]

    return run, lambda table: posterior(table, name, prior="flat")


def over_two_levels():
    def run(rng):
        (here, a), (there, b) = (of_recalls(rng, 2, 1, 1, FEWER) for _ in range(2))
        return float((here + there).mean() / 2), [a, b]

    def distribution(a, b):
        return posterior(ConfusionCounts(a.cells + b.cells), by={"here": a, "there": b}, prior="flat")

    return run, distribution


def of_difference(name):
    def run(rng):
        (ours, a), (theirs, b) = (of_recalls(rng, 2, 1, 1, FEWER) for _ in range(2))
        if name == "accuracy":  # one class only, so that its recall is the accuracy
            return ours[0] - theirs[0], [np.vstack((a[:1], [[0, 0]])), np.vstack((b[:1], [[0, 0]]))]
        return float(ours.mean() - theirs.mean()), [a, b]

    return run, lambda a, b: difference(*(posterior(each, name, prior="flat") for each in (a, b)))


CASES = {
    "accuracy, flat": accuracy(1, 1, "flat"),
    "accuracy, Jeffreys": accuracy(0.5, 0.5, "jeffreys"),
    "accuracy, Beta(2, 5)": accuracy(2, 5, (2, 5)),
    "sensitivity, flat": sensitivity(),
    "precision, Jeffreys": precision(),
    "balanced accuracy, two classes": balanced(2, 1, 1, "flat"),
    "balanced accuracy, costs": balanced(2, 1, 1, "flat", (0.3, 0.7)),
    "balanced accuracy, three classes": balanced(3, 0.5, 0.5, "jeffreys"),
    "balanced accuracy, five classes": balanced(5, 2, 1, (2, 1)),
    "balanced accuracy, flat rows": dirichlet_rows(3),
    "informedness": balanced(2, 1, 1, "flat", name="informedness"),
    "informedness, four classes": balanced(4, 1, 1, "flat", name="informedness"),
    "jaccard": overlap("jaccard", 1, "flat"),
    "f1": overlap("f1", 1, "flat"),
    "f1, Jeffreys": overlap("f1", 0.5, "jeffreys"),
    "mcc": agreement("mcc", 2),
    "kappa": agreement("kappa", 2),
    "kappa, three classes": agreement("kappa", 3),
    "balanced accuracy over two levels": over_two_levels(),
    "difference of accuracies": of_difference("accuracy"),
    "difference of balanced accuracies": of_difference("balanced_accuracy"),
}


def ranks(case, runs=RUNS, extra=0):
    """Return the posterior's cdf at the truth; `extra` right decisions are added to each class of the first table."""
    run, distribution = CASES[case]
    rng, made, truths = np.random.default_rng([20240901, *case.encode()]), {}, {}
    for _ in range(runs):
        truth, (first, *others) = run(rng)
        tables = [first + extra * np.eye(len(first), dtype=np.int64), *others]
        key = b"".join(table.tobytes() for table in tables)
        made[key] = tables
        truths.setdefault(key, []).append(truth)
    return np.concatenate([distribution(*map(ConfusionCounts, made[key])).cdf(np.array(truths[key])) for key in made])


@pytest.mark.parametrize("case", CASES)
def test_ranks_of_the_truth_are_uniform(case):
    assert stats.kstest(ranks(case), "uniform", method="exact").pvalue > 0.01


@pytest.mark.parametrize("case", CASES)
def test_right_decisions_that_were_not_there_are_found_out(case):
    assert stats.kstest(ranks(case, runs=100, extra=2), "uniform", method="exact").pvalue < 0.01


def test_a_prior_counted_twice_is_found_out():
    run, _ = CASES["accuracy, flat"]
    rng, found = np.random.default_rng(3), []
    for _ in range(RUNS):
        truth, (table,) = run(rng)
        found.append(float(posterior(ConfusionCounts(table), "accuracy", prior=(2, 2)).cdf(truth)))
    assert stats.kstest(found, "uniform", method="exact").pvalue < 0.01
