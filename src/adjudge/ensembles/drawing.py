"""Samples with replacement, as how often each case was drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from adjudge._base.arrays import FloatArray, IntArray

_LARGEST = 2**31 - 1


def drawn(weights: FloatArray, rng: np.random.Generator, times: int) -> IntArray:
    """Return how often each case is drawn in so many draws with replacement, by chances that go with `weights`.

    The uniform numbers are made in rising order, from exponential spacings (Devroye 1986, Non-Uniform Random Variate
    Generation, section V.3.2), so that one walk along the summed weights counts them all: four times as fast as a search for
    each of them.
    """
    ends = np.cumsum(weights)
    rising = np.cumsum(rng.standard_exponential(times + 1))
    up_to = np.searchsorted(rising[:-1] / rising[-1] * ends[-1], ends, side="right")
    up_to[ends == ends[-1]] = times  # to the last case with a weight, and so to none after it
    return np.diff(up_to, prepend=0)


def word_of(random_state: Any) -> int:
    """Return one whole number that stands for a seed, a RandomState or a Generator."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_LARGEST))
    return int(check_random_state(random_state).randint(_LARGEST))


def source(word: int, number: int) -> np.random.Generator:
    """Return the source of chance of one member: it depends on nothing that the others did, so any worker may fit any member."""
    return np.random.default_rng(np.random.SeedSequence([word, number]))


def seed(learner: Any, rng: np.random.Generator) -> Any:
    """Give every random_state of a learner, nested ones too, a seed of its own, in the order of their names."""
    names = sorted(name for name in learner.get_params(deep=True) if name.split("__")[-1] == "random_state")
    return learner.set_params(**{name: int(rng.integers(_LARGEST)) for name in names}) if names else learner
