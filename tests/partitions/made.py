"""Memberships and true classes to try partitions on."""

import numpy as np
from hypothesis import strategies as st

from adjudge.partitions.space import partition


@st.composite
def cases(draw, most_classes=4):
    """Shares of whole numbers, so that ties and corners come up, and true classes."""
    g = draw(st.integers(2, most_classes))
    n = draw(st.integers(1, 25))
    rows = draw(st.lists(st.lists(st.integers(0, 9), min_size=g, max_size=g).filter(any), min_size=n, max_size=n))
    m = np.array(rows, dtype=float)
    truth = np.array(draw(st.lists(st.integers(0, g - 1), min_size=n, max_size=n)))
    return m / m.sum(axis=1, keepdims=True), truth, draw(st.integers(1, g - 1))


def simulated(n, g=3, seed=0, *, sharp=1.7, shift=1.5, noise=0.0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, g, n)
    z = rng.normal(size=(n, g))
    z[np.arange(n), truth] += shift
    p = np.exp(sharp * z + noise * np.random.default_rng(seed + 1).normal(size=(n, g)))
    return p / p.sum(axis=1, keepdims=True), truth


def confusing():
    """Return six classes, of which 2 and 4 are often taken for each other."""
    truth = np.repeat(np.arange(6), 20)
    values = np.full((120, 6), 0.02)
    values[np.arange(120), truth] = 0.9
    for i, (row, other) in enumerate([(40, 4), (41, 4), (80, 2), (0, 1)]):
        values[row, other] = 0.95 + i / 1000
    return partition(truth, values / values.sum(axis=1, keepdims=True))
