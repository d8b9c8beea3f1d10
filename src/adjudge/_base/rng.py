"""The one door through which chance comes in."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge._base.arguments import parameter, wording
from adjudge._base.errors import InputError


def generator(rng: Any) -> np.random.Generator:
    """Return a source of chance for a seed or a generator, refusing what is neither."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        msg = wording(parameter("rng"), f" must be a seed, a whole number of at least 0, or a numpy Generator; got {rng!r}.")
        raise InputError(msg) from error
