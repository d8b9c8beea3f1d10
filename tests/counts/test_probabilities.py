import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.counts.probabilities import BINS, ProbabilityCounts

EDGES = [i / (2 * BINS) for i in range(2 * BINS + 1)]
NEAR = [e + d for e in EDGES for d in (-1e-8, -1e-10, -1e-12, 0.0, 1e-12, 1e-10, 1e-8) if 0 <= e + d <= 1]
CASES = st.lists(
    st.tuples(st.sampled_from(NEAR) | st.floats(0, 1), st.booleans(), st.sampled_from([0.0, 0.5, 1.0, 3.0])),
    min_size=1, max_size=60,
)  # fmt: skip

VALUES = (
    "weight",
    "weight_squares",
    "squared",
    "log",
    "squares",
    "losses",
    "class_squares",
    "top",
    "by_class",
    "impossible",
    "rescaled",
)


def bin_of(p):
    return min(max(math.ceil(p * BINS) - 1, 0), BINS - 1)


def one_by_one(cases):
    """Sum up case by case, in plain Python."""
    top, by_class, losses, squares = np.zeros((3, BINS)), np.zeros((2, 3, BINS)), np.zeros((2, 3)), np.zeros((2, 2))
    for p, own, w in cases:
        said = p if own else 1 - p
        log = -math.log(said) if said > 0 else 0.0
        for at, (q, hit) in enumerate(((p, own), (1 - p, not own))):
            by_class[at, :, bin_of(q)] += (w, w * q, w * hit)
            losses[at] += (w * (1 - said) ** 2, w * log, said == 0 and w > 0)
            squares[at] += (w * (1 - said) ** 4, w * log**2)
        q, hit = (p, own) if p >= 1 - p else (1 - p, not own)
        top[:, bin_of(q)] += (w, w * q, w * hit)
    return top, by_class, losses, squares


@pytest.mark.slow
@given(CASES, st.booleans())
def test_sums_of_one_probability_are_those_of_the_cases(cases, weighted):
    p, own, w = (np.array(part) for part in zip(*cases, strict=True))
    w = w if weighted else np.ones(p.size)
    counts = ProbabilityCounts()
    for rows in (slice(None, 7), slice(7, None)):
        if p[rows].size:
            counts.add(p[rows, None], np.where(own, 0, 1)[rows], w[rows] if weighted else None)
    top, by_class, losses, squares = one_by_one(zip(p.tolist(), own.tolist(), w.tolist(), strict=True))
    for found, wanted in (
        (counts.top, top), (counts.by_class, by_class), (counts.losses, losses), (counts.class_squares, squares),
        (counts.squared, 2 * losses[0, 0]), (counts.log, losses[0, 1]), (counts.impossible, losses[0, 2]),
        (counts.squares, squares[0] * (4, 1)), (counts.weight, w.sum()), (counts.weight_squares, (w * w).sum()),
    ):  # fmt: skip
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
@given(CASES)
def test_one_probability_counts_as_two_columns_do(cases):
    """But for probabilities so small that 1 - (1 - p) is another number."""
    cases = [(p if p in {0, 1} or 1e-3 < p < 1 - 1e-3 else 0.25, own, w) for p, own, w in cases]
    p, own, w = (np.array(part) for part in zip(*cases, strict=True))
    truth = np.where(own, 0, 1)
    single, both = ProbabilityCounts(), ProbabilityCounts()
    single.add(p[:, None], truth, w)
    both.add(np.column_stack((p, 1 - p)), truth, w)
    for name in VALUES:
        np.testing.assert_allclose(getattr(single, name), getattr(both, name), rtol=1e-9, atol=1e-12, err_msg=name)
