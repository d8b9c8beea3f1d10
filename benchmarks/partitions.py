"""How fast are memberships scaled? Against sorting the same values, column by column; and a table against the formula."""

from __future__ import annotations

from functools import partial

import numpy as np

from adjudge.partitions.matching import direct, moved
from adjudge.partitions.space import partition
from rows import Row, at_least, at_most
from timing import best

CLASSES = 4
LAWS = (10.0, 5.0, 3.0, 2.0)


def rows(n: int = 1_000_000) -> list[Row]:
    """Return the whole job against sorting, and moving the values of one region against doing so one by one; `n` cases."""
    rng = np.random.default_rng(20241001)
    truth = rng.integers(0, CLASSES, n)
    z = 1.5 * rng.standard_normal((n, CLASSES))
    z[np.arange(n), truth] += 1.5
    p = np.exp(z)
    p /= p.sum(axis=1, keepdims=True)
    v = rng.beta(10, 5, n // 10)
    jobs = {
        "ours": partial(partition, truth, p),
        "sort": partial(np.sort, p, axis=0),
        "table": partial(moved, LAWS, v, 1 - v),
        "formula": partial(direct, LAWS, v, 1 - v),
    }
    took = best(jobs)
    name = f"partition space, {n:.0e} cases, {CLASSES} classes: checks, scaling, measures"
    return [
        at_most(3, name, took["ours"], "np.sort of the same values by column", took["sort"]),
        at_least(5, f"Beta quantiles of {n // 10:.0e} memberships", took["table"], "betainc and betaincinv", took["formula"]),
    ]
