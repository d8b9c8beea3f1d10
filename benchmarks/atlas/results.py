"""Records read as figures: coverage and level by cell, their mean, and the worst of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from atlas import ours
from atlas.jobs import Record, worst

LEAST = 0.25
"""The share of the samples that must have an answer for a cell to count in means and worst values."""

_NAMES = {
    "mcc": "MCC",
    "kappa": "Cohen's kappa",
    "f1": "F1",
    "fbeta": "F2",
    "npv": "negative predictive value",
    "g_mean": "G-mean",
    "auc": "AUC",
    "brier": "Brier score",
    "jaccard": "Jaccard index",
    "mae": "mean absolute error",
    "mse": "mean squared error",
    "rae": "relative absolute error",
    "rmse": "root mean squared error",
    "r2": "R²",
    "macro_f1": "macro F1",
}


def named(name: str) -> str:
    """Return a measure as readers call it."""
    return _NAMES.get(name, name.replace("_", " "))


def capital(text: str) -> str:
    """Return a heading, with its first letter large and the others as they are."""
    return text[0].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class Figure:
    """How one method did on one question in one cell: coverage of an interval, or how often a claim was made."""

    record: Record
    asked: int
    answered: int
    share: float
    """Coverage, or how often the claim was made; NaN without an answer."""
    below: float = 0.0
    above: float = 0.0
    width: float = float("nan")

    @property
    def counts(self) -> bool:
        """Whether enough samples had an answer."""
        return self.answered >= LEAST * self.asked > 0

    @property
    def error(self) -> float:
        """The standard error of the share."""
        return float(np.sqrt(self.share * (1 - self.share) / self.answered)) if self.answered else float("nan")


def coverage(record: Record, name: str, method: str) -> Figure | None:
    """Return the coverage of a method's intervals of a measure; None where it was not asked."""
    found = record.get("intervals", {}).get(name, {}).get("methods", {}).get(method)
    if found is None:
        return None
    asked, answered, below, above, width = found
    shares = [each / answered if answered else float("nan") for each in (answered - below - above, below, above)]
    return Figure(record, asked, answered, *shares, width)


def level(record: Record, claim: str, method: str) -> Figure | None:
    """Return how often a method made a claim; None where it was not asked."""
    found = record.get("levels", {}).get(claim, {}).get(method)
    if found is None:
        return None
    asked, answered, made = found
    return Figure(record, asked, answered, made / answered if answered else float("nan"))


def coverages(records: Iterable[Record], name: str, method: str) -> list[Figure]:
    """Return the coverage in every cell where enough samples had an answer."""
    found = (coverage(record, name, method) for record in records)
    return [each for each in found if each is not None and each.counts]


def levels(records: Iterable[Record], claim: str, method: str) -> list[Figure]:
    """Return how often a claim was made in every cell where it could be."""
    found = (level(record, claim, method) for record in records)
    return [each for each in found if each is not None and each.counts]


def of_family(records: Iterable[Record], family: str) -> list[Record]:
    """Return the records of one family from the first round."""
    return [record for record in records if record["family"] == family and "fresh" not in record]


def common(records: Iterable[Record], method: str = "confidenceinterval") -> list[Record]:
    """Return the records of the cells where the slow peers were asked."""
    return [record for record in records if any(method in each["methods"] for each in record.get("intervals", {}).values())]


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The worst cell of a question: what came first, and what a fresh seed with more samples gave."""

    family: str
    name: str
    key: str
    first: Figure
    fresh: Figure | None


def confirmed(records: Sequence[Record]) -> list[Confirmed]:
    """Return the worst cell of every question with its value on a fresh seed."""
    by_key = {record["key"]: record for record in records if "fresh" not in record}
    again = {(record["key"].split(" | ")[0], name): record for record in records for name in record.get("fresh", ())}
    found = []
    for (family, name), (_, key) in worst(records).items():
        read = coverage if "intervals" in by_key[key] else level
        first, fresh = read(by_key[key], name, ours.NAME), again.get((key, name))
        assert first is not None
        found.append(Confirmed(family, name, key, first, read(fresh, name, ours.NAME) if fresh else None))
    return found
