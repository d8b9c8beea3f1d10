"""Sums of losses that contradict each other are refused; those of any cases are not."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.counts.numbers import add_numbers, sum_numbers
from adjudge.counts.stored_numbers import must_agree

rng = np.random.default_rng(5)
TRUTH = rng.normal(3, 2, 40)
NEAR = TRUTH + rng.normal(0, 1, 40)


@pytest.mark.parametrize("scale", [1e-150, 1e-80, 1.0, 1e75, 1e149])
@pytest.mark.parametrize("weight", [None, np.full(40, 3.0), rng.random(40)])
def test_sums_of_cases_agree(scale, weight):
    must_agree(sum_numbers(TRUTH * scale, NEAR * scale, weight))
    must_agree(sum_numbers(TRUTH * scale, TRUTH * scale, weight))
    must_agree(sum_numbers(np.full(40, 0.1) * scale, NEAR * scale, weight))


def test_sums_of_parts_agree():
    must_agree(add_numbers([sum_numbers(TRUTH, NEAR, None), sum_numbers(TRUTH + 5, NEAR, None)]))


@pytest.mark.parametrize(
    "name", ["absolute", "squared", "absolute_of_mean", "squared_of_mean", "mean", "weight_squares", "products", "spreads"]
)
def test_sums_that_no_cases_have_are_refused(name):
    sound = sum_numbers(TRUTH, NEAR, None)
    value = getattr(sound, name)
    with pytest.raises(ValueError, match=r"are more than|is not among"):
        must_agree(
            replace(
                sound, **{name: value + 1e9 * (np.arange(np.size(value)).reshape(np.shape(value)) == min(1, np.size(value) - 1))}
            )
        )
