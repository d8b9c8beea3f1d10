"""Evaluations of every kind, small enough to judge by hand or made with a fixed seed."""

import csv
from importlib.resources import files

import numpy as np
import pytest
from tests.describe.compared import kept, ranked, said

import adjudge


def three_classes(labels=("a", "b", "c"), n=300, **more):
    rng = np.random.default_rng(0)
    truth, wrong = rng.integers(0, 3, n), rng.integers(0, 3, n)
    decided = np.where(rng.random(n) < 0.7, truth, wrong)
    p = rng.dirichlet(np.ones(3), n)
    p[np.arange(n), decided] += 1
    named = np.array(labels, dtype=object)
    scores = p / p.sum(axis=1, keepdims=True)
    return adjudge.evaluate(
        adjudge.Predictions(named[truth], named[decided], scores, classes=list(labels), positive=labels[-1], **more)
    )


def many_classes(k, n=3000):
    rng = np.random.default_rng(k)
    truth = rng.integers(0, k, n)
    p = rng.dirichlet(np.full(k, 0.1), n)
    p[np.arange(n), truth] += rng.random(n)
    p /= p.sum(axis=1, keepdims=True)
    return adjudge.evaluate(adjudge.Predictions(truth, p.argmax(axis=1), p, classes=list(range(k))))


@pytest.fixture(scope="session")
def dna():
    text = files("adjudge").joinpath("data", "dna_knn11.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    scores = {label: [float(row[f"p_{label}"]) for row in rows] for label in ("ei", "ie", "n")}
    return adjudge.evaluate(adjudge.Predictions([r["truth"] for r in rows], [r["predicted"] for r in rows], scores))


@pytest.fixture
def make_three():
    return three_classes


@pytest.fixture
def make_many():
    return many_classes


@pytest.fixture(scope="session")
def kinds():
    """One evaluation of every kind."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 120)
    decided = np.where(rng.random(120) < 0.8, truth, 1 - truth)
    weight = rng.exponential(1, 120)
    score = np.clip(rng.normal(0.3 + 0.4 * truth, 0.2), 0, 1)
    numbers = rng.normal(0, 1, 50)
    many = rng.integers(0, 2000, 5000)
    sparse = np.where(rng.random(5000) < 0.9, many, rng.integers(0, 2000, 5000))
    of = adjudge.Predictions
    return {
        "three": three_classes(),
        "decisions": adjudge.evaluate(of(truth, decided)),
        "table": adjudge.evaluate(adjudge.ConfusionCounts([[40, 5], [8, 2]], ("no", "yes"))),
        "score": adjudge.evaluate(of(truth, (score > 0.5).astype(int), score, positive=1)),
        "ranks": adjudge.evaluate(of(truth, decided, rng.normal(truth), positive=1)),
        "weighted": adjudge.evaluate(of(truth, decided, weight=weight)),
        "rejected": adjudge.evaluate(of(truth, np.where(weight < 0.2, -1, decided), rejected=-1)),
        "folds": adjudge.evaluate(of(truth, decided, fold=rng.integers(0, 5, 120), group=rng.integers(0, 40, 120))),
        "one row": adjudge.evaluate(of(["a"], ["a"], {"a": [0.9], "b": [0.1]})),
        "one class": adjudge.evaluate(of(["a", "a", "a"], ["a", "b", "a"])),
        "numbers": adjudge.evaluate(of(numbers, numbers + rng.normal(0, 0.1, 50))),
        "constant": adjudge.evaluate(of([1.5, 1.5, 1.5], [1.25, 1.5, 2.0])),
        "hundred": many_classes(100),
        "sparse": adjudge.evaluate(of(many, sparse)),
    }


@pytest.fixture(scope="session")
def many():
    sets = {f"m{i}.csv": kept(said(share, 10 + i)) for i, share in enumerate((0.95, 0.9, 0.89, 0.7))}
    return adjudge.rank(sets, row="case")


@pytest.fixture(scope="session")
def thirty():
    return ranked((tuple(f"m{i}.csv" for i in range(20)), tuple(f"m{i}.csv" for i in range(15, 30))))
