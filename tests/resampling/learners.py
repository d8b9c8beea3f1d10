"""Learners that misbehave on purpose, jobs to try them in, and how to tell whether two runs said the same."""

from __future__ import annotations

import ctypes
import hashlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from adjudge.resampling.isolation.job_files import to_bytes
from adjudge.resampling.learner import Job
from adjudge.resampling.plan import Plan, TheRest
from adjudge.resampling.run_result import Answer

CLASSES = ("a", "b", "c")
EACH = 6  # rows per fold


def folds(learner, k: int, *, seed: int = 0) -> Job:
    """Return a job of k folds whose first feature is the number of the fold, so that a learner can tell what it is kept from."""
    rng = np.random.default_rng(seed)
    n = k * EACH
    fold = np.arange(n) % k
    y = np.array(CLASSES)[rng.integers(3, size=n)]
    y[:3] = CLASSES
    X = np.column_stack([fold, rng.normal(size=(n, 2)) + (y[:, None] == np.array(CLASSES[:2]))])
    judge = tuple(np.flatnonzero(fold == i) for i in range(k))
    return Job(learner, X, y, Plan(f"{k}-fold", n, TheRest(n, judge), judge, seed=seed), seed, numeric=False, classes=CLASSES)


def digest(answers: Iterable[Answer]) -> str:
    """Return a hash of everything answered but the time it took."""
    ordered = sorted(answers, key=lambda answer: answer.unit)
    return hashlib.sha256(b"".join(to_bytes(replace(answer, seconds=0.0)) for answer in ordered)).hexdigest()


class Nearest(ClassifierMixin, BaseEstimator):
    """The class of the nearest mean, with some chance in its probabilities, so that seeds show."""

    def __init__(self, random_state=None, pause=0.0):
        self.random_state = random_state
        self.pause = pause

    def fit(self, X, y):
        time.sleep(self.pause)
        self.classes_ = np.unique(y)
        noise = np.random.default_rng(self.random_state).normal(size=2) / 100
        self.means_ = np.array([X[y == label, 1:].mean(axis=0) + noise for label in self.classes_])
        return self

    def predict_proba(self, X):
        near = np.exp(-((X[:, None, 1:] - self.means_) ** 2).sum(axis=2))
        return near / near.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Deeds(Nearest):
    """Does in each fold what it was told to."""

    def __init__(self, deeds=(), place=None, random_state=None):
        super().__init__(random_state)
        self.deeds = deeds
        self.place = place

    def fit(self, X, y):
        absent = sorted(set(range(len(self.deeds))) - set(X[:, 0].astype(int)))
        self.deed_ = self.deeds[absent[0]] if absent else "good"
        super().fit(X, y)
        getattr(self, f"_{self.deed_}", bool)()
        return self

    def predict(self, X):
        said = np.sort(self.classes_)[super().predict_proba(X).argmax(axis=1)]
        if self.deed_ == "wrong_length":
            return said[:-1]
        if self.deed_ == "unknown_class":
            return np.where(np.arange(len(said)) == 0, "z", said)
        if self.deed_ == "unpicklable":
            return np.array([lambda: 0 for _ in said], dtype=object)
        return said

    def predict_proba(self, X):
        p = super().predict_proba(X)
        if self.deed_ == "wrong_shape":
            return p[:, :-1]
        if self.deed_ == "other_order":
            return p[:, [2, 0, 1]]
        if self.deed_ == "texts":
            return p.astype(str)
        return np.full_like(p, np.nan) if self.deed_ == "nan" else p

    def _raises(self):
        msg = "no convergence\nafter all"
        raise RuntimeError(msg)

    def _exits(self):
        sys.exit(7)

    def _interrupts(self):
        raise KeyboardInterrupt

    def _hangs(self):
        time.sleep(600)

    def _hangs_on(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)

    def _segfaults(self):
        ctypes.string_at(0)

    def _aborts(self):
        os.abort()

    def _ends_itself(self):
        os._exit(3)

    def _is_killed(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def _eats_memory(self):
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        bytearray(8 << 30)

    def _closes_everything(self):
        os.closerange(3, 256)

    def _leaves_a_process(self):
        process = subprocess.Popen(["sleep", "600"])
        Path(self.place, "left").write_text(str(process.pid), encoding="ascii")

    def _other_order(self):
        self.classes_ = self.classes_[[2, 0, 1]]

    def _doubled_class(self):
        self.classes_ = np.array(["a", "a", "b"])

    def _forgets_a_class(self):
        self.classes_, self.means_ = self.classes_[:2], self.means_[:2]

    def _kills_its_maker(self):
        os.kill(os.getppid(), signal.SIGKILL)

    def _is_killed_once(self):
        mark = Path(self.place, "killed")
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    def _tells_its_number(self):
        Path(self.place, f"pid-{os.getpid()}").touch()
        time.sleep(600)


def gone(pid: int) -> bool:
    """Say whether a process has ended; one that nobody has waited for yet has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):  # before the look, or in the middle of it
        return True


def until(happened, patience: float = 60.0) -> bool:
    """Wait for something to happen; the patience is for machines that are busy, not a measurement."""
    end = time.monotonic() + patience
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True
