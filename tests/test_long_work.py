"""Every function that may take long moves a bar in a notebook, to its end, and answers the same without one."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from tests.terminals import notebook

import adjudge
from adjudge._base.progress import waiting


@pytest.fixture(scope="module")
def sets():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 240)
    made = []
    for sharp in (0.6, 1.0, 1.5):
        p = np.exp(sharp * np.eye(3)[truth] + rng.normal(size=(240, 3)))
        p /= p.sum(axis=1, keepdims=True)
        said = np.array(["a", "b", "c"])[p.argmax(axis=1)]
        made.append({"id": np.arange(240), "truth": np.array(["a", "b", "c"])[truth], "predicted": said})
        made[-1] |= {f"p_{label}": p[:, at] for at, label in enumerate("abc")}
    return made


X = np.random.default_rng(1).normal(size=(60, 2))
Y = np.tile(["a", "b"], 30)
LONG = {
    "recommend": lambda sets, **how: adjudge.correct.recommend(sets[0], **how),
    "fit": lambda sets, **how: adjudge.correct.fit(sets[0], "multipliers", **how),
    "report": lambda sets, **how: adjudge.report(sets[0], **how),
    "report of several": lambda sets, **how: adjudge.report(*sets[:2], row="id", **how),
    "rank": lambda sets, **how: adjudge.rank(sets, row="id", **how),
    "rank by scores": lambda sets, **how: adjudge.rank(sets, row="id", measure="brier", **how),
    "compare_partitions": lambda sets, **how: adjudge.compare_partitions(sets[:2], row="id", resamples=200, **how),
    "estimate": lambda _, **how: adjudge.estimate(GaussianNB(), X, Y, by="5-fold", random_state=0, complete=True, **how),
    "compare_learners": lambda _, **how: adjudge.compare_learners(
        GaussianNB(), DecisionTreeClassifier(), X, Y, by="5-fold", **how
    ),
    "rank of learners": lambda _, **how: adjudge.rank([GaussianNB(), DecisionTreeClassifier()], X, Y, by="5-fold", **how),
    "trade_off": lambda _, **how: adjudge.trade_off(GaussianNB(), X, Y, repeats=3, random_state=0, **how),
}


@pytest.mark.parametrize("name", LONG)
def test_long_work_is_shown_to_its_end(name, sets, monkeypatch):
    lines = notebook(monkeypatch)
    monkeypatch.setitem(waiting.__kwdefaults__, "after", 0.0)
    monkeypatch.setattr("adjudge.predictions.model.PATIENCE", 0.0)
    monkeypatch.setattr("adjudge.partitions.replicates._AT_ONCE", 10_000)  # weights of few cases in several pieces
    shown = LONG[name](sets)
    told = [int(part) for line in lines for part in re.findall(r": (\d+)%", line)]
    assert len(set(told)) > 3
    assert told[-1] == 100
    assert any(re.search(r"%, about \d+:\d\d left$", line) for line in lines)
    count = len(lines)
    quiet = LONG[name](sets, progress=False)
    assert len(lines) == count
    assert quiet.to_dict() == shown.to_dict()


def test_functions_show_nothing_where_nobody_watches(sets, capsys):
    for name in ("recommend", "trade_off"):
        LONG[name](sets)
    assert capsys.readouterr() == ("", "")
