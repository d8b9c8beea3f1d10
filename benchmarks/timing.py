"""Fair timing: contenders take turns, so that a busy minute hurts all of them alike."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import perf_counter


def best(functions: Mapping[str, Callable[[], object]], repeats: int = 5) -> dict[str, float]:
    """Return the shortest wall time of each function, in seconds, over alternating repeats."""
    shortest = dict.fromkeys(functions, float("inf"))
    gc.collect()
    gc.freeze()  # what was there before is not looked through at every turn
    try:
        for _ in range(repeats):
            for name, function in functions.items():
                shortest[name] = min(shortest[name], _once(function))
    finally:
        gc.unfreeze()
    return shortest


def _once(function: Callable[[], object]) -> float:
    gc.collect()
    start = perf_counter()
    function()
    return perf_counter() - start
