"""The grid: every cell of the atlas, fixed beforehand, with its own seed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator

Setting = dict[str, Any]

SKILLS = {"blind": (0.1, 0.95), "none": (0.3, 0.7), "fair": (0.7, 0.9), "excellent": (0.95, 0.99)}
"""Sensitivity and specificity. *blind* hardly finds a positive case, *none* decides without looking."""
RECALLS = {"fair": (0.5, 0.8), "excellent": (0.93, 0.99)}
"""The recall of the rarest and of the commonest of many classes; the others lie between."""
ICC = (0.0, 0.1, 0.3)
CORRELATION = 0.6
"""Of the scores of two classifiers for the same case, given its class."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One population and number of cases."""

    family: str
    n: int
    setting: Setting = field(hash=False)
    share: float = 1.0
    """Of the repetitions asked for: slow questions are asked less often."""
    common: bool = False
    """Whether every peer is asked, also the slow ones."""

    @property
    def key(self) -> str:
        """What names the cell, and its seed."""
        told = " ".join(f"{name}={value}" for name, value in self.setting.items())
        return f"{self.family} n={self.n} {told}"

    def repetitions(self, asked: int) -> int:
        """Return how many samples are drawn."""
        return max(2, round(self.share * asked))


def generator(key: str, seed: int, use: str) -> Generator:
    """Return the random numbers of one cell for one use; neither order nor company of the cells matters."""
    digest = hashlib.sha256(f"{seed}|{key}|{use}".encode()).digest()
    return np.random.default_rng(np.frombuffer(digest, dtype=np.uint32).tolist())


@dataclass(frozen=True, slots=True)
class Run:
    """One cell with what is asked there: how many samples, from which seed, and of which measures."""

    cell: Cell
    repetitions: int
    seed: int
    names: tuple[str, ...]
    alone: bool = False
    """Whether adjudge alone is asked, as where a cell is run again on a fresh seed."""

    def rng(self, use: str) -> Generator:
        """Return random numbers that no other use or cell shares."""
        return generator(self.cell.key, self.seed, use)

    def first(self, share: float) -> int:
        """Return the number of samples that a slow method is asked about."""
        return max(1, round(share * self.repetitions))


def grid(*, quick: bool) -> list[Cell]:
    """Return the cells, in the order in which they are run and kept."""
    families = (_decisions, _classes, _scores, _losses, _class_scores, _numbers, _clusters, _chance, _compare, _gate, _rank)
    every = [cell for family in families for cell in family()]
    return (
        [replace(cell, share=_QUICKER.get(cell.family, cell.share)) for cell in every if cell.key in _QUICK] if quick else every
    )


def families() -> list[str]:
    """Return the names of the families."""
    return list(dict.fromkeys(cell.family for cell in grid(quick=False)))


def _decisions() -> Iterator[Cell]:
    for skill, prevalence, n in product(SKILLS, (0.5, 0.2, 0.1, 0.03), (20, 50, 100, 300, 1000)):
        common = n in (50, 300) and prevalence in (0.5, 0.1)
        yield Cell("decisions", n, {"prevalence": prevalence, "skill": skill}, common=common)


def _classes() -> Iterator[Cell]:
    for k, shares, skill, each in product((3, 10, 30), ("equal", "unequal"), RECALLS, (5, 20, 100)):
        setting = {"classes": k, "shares": shares, "skill": skill}
        yield Cell("classes", k * each, setting, share=0.4, common=k < 30 and each == 20)


def _scores() -> Iterator[Cell]:
    for auc, prevalence, n in product((0.6, 0.8, 0.97), (0.5, 0.2, 0.05), (40, 100, 300, 1000)):
        common = n in (100, 300) and prevalence in (0.5, 0.05)
        yield Cell("scores", n, {"positives": round(prevalence * n), "prevalence": prevalence, "auc": auc}, 0.5, common)


def _losses() -> Iterator[Cell]:
    for kind, prevalence, n in product(("calibrated", "overconfident"), (0.5, 0.2, 0.05), (20, 50, 200, 1000)):
        yield Cell("losses", n, {"prevalence": prevalence, "probabilities": kind}, share=0.5)


def _class_scores() -> Iterator[Cell]:
    for shares, auc, n in product(("equal", "unequal"), (0.75, 0.95), (30, 100, 300)):
        yield Cell("class scores", n, {"classes": 3, "shares": shares, "auc": auc}, share=0.3)


def _numbers() -> Iterator[Cell]:
    for errors, n in product(("normal", "t5", "exponential"), (20, 100, 500)):
        yield Cell("numbers", n, {"errors": errors}, share=0.5)


def _clusters() -> Iterator[Cell]:
    for (clusters, size), icc in product(((50, 10), (20, 25)), ICC):
        yield Cell("clusters", clusters * size, {"clusters": clusters, "size": size, "icc": icc}, share=0.2, common=True)


def _chance() -> Iterator[Cell]:
    kinds = ("as common", "evenly", "constant")
    for kind, prevalence, n in product(kinds, (0.5, 0.2, 0.05), (30, 100, 300)):
        yield Cell("chance", n, {"classes": 2, "prevalence": prevalence, "decisions": kind}, share=0.25)
    for kind, k, shares, each in product(kinds, (3, 10), ("equal", "unequal"), (10, 50)):
        share = 0.25 if k == 3 else 0.1  # a gate on ten classes takes seconds
        yield Cell("chance", k * each, {"classes": k, "shares": shares, "decisions": kind}, share=share)


def _compare() -> Iterator[Cell]:
    for n, positives in ((30, 2), (30, 15), (100, 6), (100, 50), (300, 15), (300, 150), (1000, 50), (1000, 500)):
        yield Cell("compare", n, {"positives": positives, "auc": 0.85}, share=0.25)


def _gate() -> Iterator[Cell]:
    for auc, prevalence, n in product((0.8, 0.97), (0.5, 0.1), (50, 200, 1000)):
        yield Cell("gate", n, {"prevalence": prevalence, "auc": auc}, share=0.3)


def _rank() -> Iterator[Cell]:
    for n in (100, 400):
        yield Cell("rank", n, {"candidates": 5, "positives": n // 2, "auc": 0.85}, share=0.06)


_QUICKER = {"clusters": 0.1, "compare": 0.12, "rank": 0.04}
_QUICK = (
    "decisions n=50 prevalence=0.5 skill=fair",
    "decisions n=300 prevalence=0.1 skill=excellent",
    "classes n=60 classes=3 shares=equal skill=fair",
    "scores n=100 positives=50 prevalence=0.5 auc=0.8",
    "losses n=200 prevalence=0.2 probabilities=calibrated",
    "class scores n=100 classes=3 shares=equal auc=0.75",
    "numbers n=100 errors=normal",
    "clusters n=500 clusters=50 size=10 icc=0.3",
    "chance n=100 classes=2 prevalence=0.5 decisions=evenly",
    "compare n=100 positives=50 auc=0.85",
    "gate n=200 prevalence=0.5 auc=0.8",
    "rank n=100 candidates=5 positives=50 auc=0.85",
)
