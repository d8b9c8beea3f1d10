"""The level of an interval, checked."""

from __future__ import annotations

from typing import Any

from adjudge._base.arguments import parameter, wording
from adjudge._base.errors import InputError


def checked_level(level: Any) -> float:
    """Return a level as a float, refusing what is no share strictly between 0 and 1.

    >>> checked_level(0.95)
    0.95
    """
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        msg = wording(parameter("level"), f" must be a number strictly between 0 and 1, got {level!r}. 95% is 0.95.")
        raise InputError(msg)
    return float(level)
