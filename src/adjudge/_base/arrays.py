"""Array aliases, and the one way to make an array safe to share."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
AnyArray: TypeAlias = npt.NDArray[Any]

BLOCK = 1 << 16
"""Rows worked on at a time: the temporaries of one block stay in the processor's cache."""
STREAMED = 1 << 17
"""Rows of a file worked on at a time: enough that two threads seldom wait for the interpreter."""


def frozen(values: npt.ArrayLike, dtype: npt.DTypeLike = np.float64) -> AnyArray:
    """Return a read-only copy of `values`."""
    copy = np.array(values, dtype=dtype)
    copy.setflags(write=False)
    return copy
