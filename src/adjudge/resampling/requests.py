"""What may be asked of a run, checked before anything is fitted."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, TypeGuard

import numpy as np

from adjudge._base.arguments import parameter
from adjudge._base.errors import InputError
from adjudge._base.text import safe

_TWO = 2


def check_workers(
    *,
    n_jobs: Any = None,
    executor: Any = None,
    checkpoint: Any = None,
    timeout: Any = None,
    isolate: Any = False,
    progress: Any = True,
) -> None:
    """Refuse what says neither who does the fits nor how."""
    if n_jobs is not None and (not _is_whole(n_jobs) or n_jobs == 0):
        told = "must be a whole number of workers or -1 for as many as there are cores"
        _refuse("n_jobs", told, n_jobs, "Leave it out to fit in this process")
    if executor is not None and not (callable(getattr(executor, "submit", None)) and not isinstance(executor, type)):
        _refuse("executor", "must have submit(), as a ProcessPoolExecutor() has", executor, "Pass one, or n_jobs")
    if checkpoint is not None and (not isinstance(checkpoint, (str, os.PathLike)) or not os.fspath(checkpoint)):
        _refuse("checkpoint", "must be the path of a folder", checkpoint, "Name one, such as 'run.adj'")
    if timeout is not None and not (_is_number(timeout) and timeout > 0 and math.isfinite(timeout)):
        _refuse("timeout", "must be a number of seconds above 0", timeout, "Leave it out to wait for every fit")
    for name, flag in (("isolate", isolate), ("progress", progress)):
        if not isinstance(flag, (bool, np.bool)):
            _refuse(name, "must be True or False", flag, "Leave it out if in doubt")


def checked_repeats(repeats: Any) -> int:
    """Return how many random splits to make for each share."""
    if not _is_whole(repeats) or repeats < _TWO:
        _refuse("repeats", "must be at least 2, a whole number, since one split has no spread", repeats, "20 is usual")
    return int(repeats)


def checked_shares(shares: Any) -> tuple[float, ...]:
    """Return the shares of cases to test on, finite numbers at least; whether rows are left is seen when they are known."""
    if not isinstance(shares, Iterable) or isinstance(shares, (str, bytes, Mapping)):
        _refuse("shares", "must list the shares of cases to test on", shares, "Pass for example (0.1, 0.2, 0.5)")
    found = tuple(shares)
    odd = [share for share in found if not _is_number(share) or not math.isfinite(share)]
    if odd or not found:
        came = odd[0] if odd else shares
        _refuse("shares", "must list numbers between 0 and 1, at least one", came, "Pass for example (0.1, 0.2, 0.5)")
    return tuple(float(share) for share in found)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _refuse(name: str, told: str, came: Any, advice: str) -> NoReturn:
    raise InputError(parameter(name), f" {told}; got {safe(repr(came))}. {advice}.")
