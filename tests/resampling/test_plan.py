"""Plans as values: what they say of themselves, what they refuse, and that they come back as they were."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.described import facts, mentions

from adjudge import InputError, Plan
from adjudge.resampling.plan import TheRest


@st.composite
def partitions(draw):
    rows = draw(st.integers(2, 30))
    order = draw(st.permutations(range(rows)))
    cuts = draw(st.lists(st.integers(1, rows - 1), unique=True, min_size=1))
    return rows, [np.array(part) for part in np.split(np.array(order), sorted(cuts))]


def folds(rows, judge, **options):
    return Plan("by hand", rows, [np.setdiff1d(np.arange(rows), part) for part in judge], tuple(judge), **options)


@pytest.mark.slow
@given(partitions())
def test_a_plan_comes_back_from_its_own_words(given_):
    plan = folds(*given_, seed=7)
    back = Plan.from_dict(json.loads(json.dumps(plan.to_dict())))
    assert back.fingerprint == plan.fingerprint
    assert back.repeat == plan.repeat
    for unit in range(len(plan)):
        assert np.array_equal(back.train[unit], plan.train[unit])
        assert np.array_equal(back.test[unit], plan.test[unit])


@pytest.mark.slow
@given(partitions())
def test_what_is_learnt_from_is_the_rest_and_is_not_stored(given_):
    rows, judge = given_
    plan = folds(rows, judge)
    assert isinstance(plan.train, TheRest)
    assert plan.to_dict()["train"] is None
    ratio = np.mean([len(part) / (rows - len(part)) for part in judge])
    assert plan.test_share == pytest.approx(ratio / (1 + ratio))
    assert plan.kind == ("leave-one-out" if len(judge) == rows else "folds")
    for learn, part in zip(plan.train, plan.test, strict=True):
        assert sorted([*learn, *part]) == list(range(rows))


@pytest.mark.slow
@given(partitions(), st.data())
def test_the_fingerprint_changes_with_anything(given_, data):
    rows, judge = given_
    plan = folds(rows, judge, seed=1)
    moved = [part.copy() for part in judge]
    moved[0] = moved[0][::-1] if moved[0].size > 1 else np.array([(moved[0][0] + 1) % rows])
    others = [
        replace(plan, name="another"),
        replace(plan, seed=2),
        replace(plan, repeat=tuple(unit + 1 for unit in range(len(judge)))),
        Plan("by hand", rows + 1, TheRest(rows + 1, plan.test), plan.test, seed=1),
        folds(rows, moved, seed=1),
        folds(rows, judge[1:], seed=1) if len(judge) > 1 else replace(plan, seed=3),
        Plan("by hand", rows, [part[:1] for part in plan.train], plan.test, seed=1) if rows - judge[0].size > 1 else None,
    ]
    prints = [plan.fingerprint, *(other.fingerprint for other in others if other is not None)]
    assert len(set(prints)) == len(prints)


def test_the_fingerprint_does_not_depend_on_how_the_rows_were_given():
    judge = [[0, 1], [2, 3]]
    written = Plan("p", 4, [[2, 3], [0, 1]], judge)
    marked = Plan("p", 4, [np.array([False, False, True, True]), np.array([True, True, False, False])], judge)
    assert written.fingerprint == marked.fingerprint == Plan("p", 4, TheRest(4, written.test), judge).fingerprint


def test_a_plan_cannot_be_changed():
    plan = Plan("p", 4, [[2, 3]], [[0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        plan.test[0][0] = 3
    with pytest.raises(ValueError, match="read-only"):
        plan.train[0][0] = 0
    with pytest.raises(AttributeError):
        plan.rows = 5


def test_kinds_are_read_off_the_rows():
    assert Plan("p", 4, [[2, 3]], [[0, 1]]).kind == "holdout"
    assert Plan("p", 4, [[2, 3], [2, 3]], [[0, 1], [0, 1]]).kind == "subsampling"
    assert Plan("p", 4, [[2, 2, 3, 3]], [[0, 1]]).kind == "bootstrap"
    assert Plan("p", 4, [[2, 3], [0, 1]] * 2, [[0, 1], [2, 3]] * 2, (0, 0, 1, 1)).kind == "repeated folds"


def test_the_share_tested_is_that_of_the_mean_ratio_of_judged_to_learnt():
    plan = Plan("p", 12, [[0, 1], [0, 1, 2, 3, 4, 4]], [[2, 3, 4, 5], [5]])
    ratio = (4 / 2 + 1 / 5) / 2
    assert plan.test_share / (1 - plan.test_share) == pytest.approx(ratio, rel=1e-14)
    growing = Plan("time", 12, [range(3), range(6), range(9)], [range(3, 6), range(6, 9), range(9, 12)])
    assert growing.test_share / (1 - growing.test_share) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3, rel=1e-14)


def test_the_share_tested_counts_rows_drawn_twice_once():
    assert Plan("p", 4, [[2, 2, 3, 3]], [[0, 1]]).test_share == 0.5
    assert Plan("p", 10, [[0, 1, 2]], [[3]]).test_share == 0.25  # rows left aside are in neither part
    assert Plan("p", 4, [[2, 2, 3, 3]], [[0, 1]]).training_cases == (4,)


@pytest.mark.parametrize(
    ("train", "test", "told"),
    [
        ([[0, 1]], [[1, 2]], "Unit 1 trains on row 1 and is tested on it"),
        ([[0]], [[1, 1]], "Unit 1 tests row 1 more than once"),
        ([[0]], [[4]], "names row 4; rows count from 0"),
        ([[-1]], [[0]], "names row -1"),
        ([[0]], [[]], "at least one for training and one for testing"),
        ([[]], [[0]], "at least one for training and one for testing"),
        ([[0.5]], [[1]], "type float64"),
        ([[0]], [[1], [2]], "got 1, 2 and 2"),
        ([], [], "got 0, 0 and 0"),
    ],
)
def test_what_is_no_plan_is_refused(train, test, told):
    with pytest.raises(InputError, match=told):
        Plan("p", 4, train, test)


def test_plans_are_saved_and_read_back(tmp_path):
    plan = Plan("stratified-2-fold", 4, [[2, 3], [0, 1]], [[0, 1], [2, 3]], seed=3)
    path = plan.save(tmp_path / "plan.json")
    assert Plan.load(path).fingerprint == plan.fingerprint
    assert path.stat().st_size < 400  # only the judged rows are written


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"rows": 4}', "null"])
def test_files_that_hold_no_plan_are_refused(tmp_path, text):
    (tmp_path / "plan.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"no plan|not JSON"):
        Plan.load(tmp_path / "plan.json")


def test_a_plan_that_was_tampered_with_is_refused(tmp_path):
    told = Plan("p", 4, [[2, 3]], [[0, 1]]).to_dict()
    with pytest.raises(InputError, match="its fingerprint does not fit"):
        Plan.from_dict(told | {"test": [[0]]})
    with pytest.raises(InputError, match=r"Cannot read the plan 'none\.json'"):
        Plan.load(tmp_path / "none.json")


def test_a_plan_reads_as_a_sentence():
    told = repr(Plan("2-fold", 5, [[2, 3, 4], [0, 1]], [[0, 1], [2, 3, 4]], seed=3))
    assert facts(told)[:8] == ["2", "2", "5", "2", "3", "2", "3", "3"]
    assert mentions(told, "training", "testing", "seed 3", "fingerprint ")
