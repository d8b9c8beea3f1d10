"""Sums of losses in a file of counts do not contradict each other, whoever wrote them."""

from __future__ import annotations

import math

import numpy as np

from adjudge.counts.numbers import NumberCounts
from adjudge.counts.stored_values import SLACK, TINY, must

_ROUNDED = 1e-9  # of the largest number, for the rounding of their mean


def must_agree(counts: NumberCounts) -> None:
    """Refuse sums that no cases have: a sum of products is at most what its squares allow, and no case beyond the largest."""
    down, up, largest = counts.sums.extremes.tolist()
    slack = _ROUNDED * (abs(down) + abs(up))
    must(-down - slack <= counts.mean <= up + slack and largest >= 0, "its mean is not among its numbers")
    far = max(up - counts.mean, counts.mean + down, 0.0) + slack
    sums = {
        counts.absolute: largest * counts.weight,
        counts.squared: largest * counts.absolute,
        counts.absolute_of_mean: far * counts.weight,
        counts.squared_of_mean: far * counts.absolute_of_mean,
        counts.weight**2: counts.weight_squares * counts.n,
        counts.weight_squares: counts.weight**2,
    }
    must(not any(each > most * (1 + SLACK) + TINY for each, most in sums.items()), "its losses are more than its numbers allow")
    products, (fourth, both) = counts.products, counts.spreads.tolist()
    with np.errstate(all="ignore"):  # of parts about different means some sums are NaN, and fourth powers may have no end
        roots = np.sqrt(np.diag(products))
        beyond = np.abs(products) > np.outer(roots, roots) * (1 + SLACK) + TINY
    must(not beyond.any(), "its products are more than its squares allow")
    bound = math.sqrt(max(fourth, 0.0)) * math.sqrt(max(products[1, 1], 0.0)) * (1 + SLACK) + TINY
    must(not both > bound, "its products are more than its squares allow")
