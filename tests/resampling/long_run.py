"""A run to be broken off: python long_run.py FOLDER HOW [DEED PLACE], printing a hash of what was answered."""

from __future__ import annotations

import signal
import sys
from functools import partial

from tests.resampling.learners import Deeds, Nearest, digest, folds

from adjudge.resampling.executors import spread
from adjudge.resampling.isolation.fork_server import isolated
from adjudge.resampling.isolation.store import Kept
from adjudge.resampling.learner import serial

RUNNERS = {"here": serial, "apart": partial(isolated, workers=2), "loky": partial(spread, n_jobs=2)}
UNITS = 12


def job(deed=None, place=None):
    """Return the job, whose fits take long enough to be interrupted; with a deed every fit does that."""
    return folds(Nearest(pause=0.05) if deed is None else Deeds((deed,) * UNITS, place), UNITS)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the tests themselves may run where it is ignored
    folder, how, *rest = sys.argv[1:]
    task = job(*rest)
    print(digest(Kept(folder, RUNNERS[how])(task, task.units)))  # noqa: T201
