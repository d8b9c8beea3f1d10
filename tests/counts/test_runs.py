"""Answers by case and run: blocks and parts in any split, a random sample of many cases, large files."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import Predictions
from adjudge.counts import runs as module
from adjudge.counts.counting import tally
from adjudge.counts.runs import runs_together


def counted(case, run, said, classes=(0, 1)):
    return tally(Predictions(np.asarray(case) % 2, said, row=case, run=run, classes=list(classes))).runs


def test_entries_are_the_answers():
    found = counted([7, 7, 7, 8], ["a", "b", "c", "a"], [1, 1, 0, 0])
    cases = found.cases
    each = (cases.key, cases.truth, cases.predicted, cases.n)
    by_name = {found.names[key]: rest for key, *rest in zip(*(column.tolist() for column in each), strict=True)}
    assert by_name[8] == [0, 0, 1]
    assert sorted(cases.n.tolist()) == [1, 1, 2]
    assert cases.first.size == 2
    runs = found.runs
    many = zip(runs.key[runs.first].tolist(), runs.sums(np.ones(runs.n.size)), strict=True)
    assert {found.names[key]: n for key, n in many} == {"a": 2, "b": 1, "c": 1}


def test_any_split_and_order_gives_the_same():
    rng = np.random.default_rng(1)
    case, run = np.repeat(np.arange(50), 3), np.tile(np.arange(3), 50)
    said = rng.integers(0, 2, 150)
    whole = counted(case, run, said)
    order = rng.permutation(150)
    parts = [counted(case[at], run[at], said[at]) for at in np.array_split(order, 4)]
    for each in (runs_together(parts), runs_together(parts[::-1])):
        for name in ("key", "truth", "predicted", "n"):
            assert np.array_equal(getattr(each.cases, name), getattr(whole.cases, name))
            assert np.array_equal(getattr(each.runs, name), getattr(whole.runs, name))
        assert dict(each.names) == dict(whole.names)


def test_of_too_many_cases_a_random_sample_is_kept_with_all_answers(monkeypatch):
    monkeypatch.setattr(module, "MOST", 500)
    rng = np.random.default_rng(2)
    case, run = np.repeat(np.arange(4000), 3), np.tile(np.arange(3), 4000)
    right = rng.random(12000) < np.where(case % 4, 0.9, 0.3)
    said = np.where(right, case % 2, 1 - case % 2)
    parts = [counted(case[at], run[at], said[at]) for at in np.array_split(rng.permutation(12000), 5)]
    found = runs_together(parts)
    assert found.sampled
    assert found.cases.first.size == 500
    assert (found.cases.sums(np.ones(found.cases.n.size)) == 3).all()
    assert found.how_many == pytest.approx(4000, rel=0.15)
    correct = found.cases.sums((found.cases.truth == found.cases.predicted).astype(float))
    assert correct.mean() / 3 == pytest.approx(0.75, abs=0.05)
    assert found.runs.n.sum() == 12000


def test_a_large_file_in_parts_has_the_runs_of_one_pass(tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    path, n = tmp_path / "runs.csv", 300
    rows = [f"q{i},{run},{i % 2},{(i + (rng.random() < 0.2)) % 2}" for run in range(3) for i in range(n)]
    path.write_text("\n".join(["id,run,truth,predicted", *rows]) + "\n", encoding="utf-8")
    from adjudge import read
    from adjudge.predictions.file_sources import CsvSource

    whole = tally(read(path))
    monkeypatch.setattr(CsvSource, "is_large", lambda *_: True)
    parts = tally(read(path, n_jobs=1))
    for name in ("key", "truth", "predicted", "n"):
        assert np.array_equal(getattr(parts.runs.cases, name), getattr(whole.runs.cases, name))
    assert whole.runs.runs.first.size == 3
