"""Chance that learners and splitters take from elsewhere, made to come from the run's own seed.

Some draw from the generators that all of a process share, ``numpy.random`` and ``random``; these are seeded for each
task and given back to the caller as they were. Some hold a splitter that shuffles and was given no seed.
"""

from __future__ import annotations

import copy
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

_lock = threading.Lock()
_kept: list[Callable[[], None]] = []  # how to put the shared generators back, while somebody uses them
_users = 0


@contextmanager
def borrowed() -> Iterator[None]:
    """Leave the shared generators in the end as they were; within another use of this, that one sees to it."""
    global _users  # noqa: PLW0603 - the generators are the process's own, and so is who uses them
    with _lock:
        if not _users:
            numpys, pythons = np.random.get_state(legacy=False), random.getstate()  # noqa: NPY002 - what others draw from
            _kept[:] = [lambda: np.random.set_state(numpys), lambda: random.setstate(pythons)]  # noqa: NPY002
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            for put_back in _kept if not _users else ():
                put_back()


def seed_shared(source: np.random.SeedSequence) -> None:
    """Seed what all of the process draws from, by a child of `source` that leaves its own draws as they are."""
    word = int(source.spawn(1)[0].generate_state(1)[0])
    np.random.seed(word)  # noqa: NPY002
    random.seed(word)


def draws_anew(value: Any) -> bool:
    """Say whether `value` is a splitter that shuffles and has no seed."""
    splits = callable(getattr(value, "split", None)) and not isinstance(value, (str, bytes, type))
    return splits and getattr(value, "random_state", 0) is None and bool(getattr(value, "shuffle", True))


def seeded(splitter: Any, seed: int) -> Any:
    """Return a copy of a splitter that draws by `seed`."""
    made = copy.copy(splitter)
    made.random_state = seed
    return made
