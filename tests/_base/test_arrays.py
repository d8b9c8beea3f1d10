"""Arrays that are safe to share, seeds that are refused, and items made ahead of time."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import InputError
from adjudge._base.arrays import ahead, frozen, generator


def test_a_frozen_array_is_a_copy_that_cannot_be_written():
    values = np.arange(3.0)
    kept = frozen(values)
    values[0] = 9
    assert kept.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 1


@pytest.mark.parametrize("seed", [-1, "x", 0.5])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(InputError, match="rng must be a seed"):
        generator(seed)


def test_a_generator_is_taken_as_it_is():
    rng = np.random.default_rng(1)
    assert generator(rng) is rng


def test_items_come_in_order_and_errors_where_they_happen():
    def items():
        yield from (1, 2)
        msg = "third"
        raise RuntimeError(msg)

    coming = ahead(items())
    assert [next(coming), next(coming)] == [1, 2]
    with pytest.raises(RuntimeError, match="third"):
        next(coming)
