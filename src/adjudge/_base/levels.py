"""The level of an interval, checked; and shares in words that say 0 or 100% only where it is exactly that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from numbers import Integral
from typing import Any

from adjudge._base.arguments import parameter
from adjudge._base.errors import InputError


def checked_level(level: Any) -> float:
    """Return a level as a float, refusing what is no share strictly between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise InputError(parameter("level"), f" must be a number strictly between 0 and 1, got {level!r}. 95% is 0.95.")
    return float(level)


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is no whole number, or less than `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(parameter(name), f" must be a whole number of at least {least}, got {value!r}.")


def share(value: float, decimals: int = 1, most: int = 4) -> str:
    """Return a share as a percentage with as many digits as it takes, up to `most`, not to say 0 or 100; then '<0.0001%'."""
    return "undefined" if math.isnan(value) else f"{honest(Decimal(value) * 100, decimals, max(decimals, most), (0, 100))}%"


def honest(value: Decimal, decimals: int, most: int, edges: Sequence[int]) -> str:
    """Return a number that is said to be at one of the `edges` only where it is exactly there; else with more digits."""
    if value == 0:
        value = Decimal(0)  # never "-0.0"
    for digits in range(decimals, most + 1):
        shown = f"{value:.{digits}f}"
        edge = next((e for e in edges if Decimal(shown) == e), None)
        if edge is None or value == edge:
            return shown
    edge = next(e for e in edges if Decimal(f"{value:.{most}f}") == e)
    step = Decimal(1).scaleb(-most)
    return f"<{edge + step}" if value > edge else f">{edge - step}"
