"""Counts of parts, added up, are the counts of the whole; files keep them to the last digit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.counts.made import cases, close, numbers, rows

from adjudge import InputError, count, evaluate
from adjudge.counts.sampling import MOST_CASES, quotas


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.booleans())
def test_parts_add_up_to_the_whole(seed, parts, weights):
    """Single cases alone tell how the AUCs of classes go together."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120))
    columns = cases(n, rng, weights=weights)
    which = rng.integers(0, parts, n)
    which[:parts] = np.arange(parts)
    how = {"group": "site", "classes": ["a", "b", "c"]}
    whole = count(columns, **how)
    total = sum(count(rows(columns, which == i), **how) for i in range(parts))
    np.testing.assert_allclose(total.tally.confusion.cells, whole.tally.confusion.cells, rtol=1e-12)
    added, at_once = (numbers(evaluate(each, **more)) for each, more in ((total, {}), (columns, how)))
    for found in (added, at_once):
        found["estimates"]["auc"].pop("interval")
    close(added, at_once)


def test_classes_that_only_one_part_has():
    one = count({"truth": ["b", "a"], "predicted": ["a", "a"], "p_a": [0.6, 0.7], "p_b": [0.4, 0.3]})
    other = count({"truth": ["c", "a"], "predicted": ["c", "c"]})
    with pytest.raises(InputError, match="no scores"):
        one + other
    bare = count({"truth": ["b", "a"], "predicted": ["a", "a"]}) + other
    assert bare.classes == ("a", "b", "c")
    np.testing.assert_array_equal(bare.tally.confusion.cells, [[1, 0, 1], [1, 0, 0], [0, 0, 1]])


@pytest.mark.slow
def test_columns_of_scores_are_matched_by_their_classes():
    rng = np.random.default_rng(5)
    columns = cases(200, rng)
    p = np.column_stack([columns[f"p_{label}"] for label in "abc"])
    tied = (p == p.max(axis=1, keepdims=True)).sum(axis=1) > 1  # else such cases go to the class that a file lists first
    columns["predicted"] = np.where(tied, np.array(["a", "b", "c"])[p.argmax(axis=1)], columns["predicted"])
    turned = {name: columns[name] for name in ("truth", "predicted", "p_c", "p_a", "p_b")}
    first, second = np.arange(200) < 90, np.arange(200) >= 90
    total = count(rows(columns, first), classes=["a", "b", "c"]) + count(rows(turned, second), classes=["c", "b", "a"])
    whole = evaluate(columns, classes=["a", "b", "c"])
    for name in ("accuracy", "auc", "brier", "log_loss", "ece"):
        assert evaluate(total).estimates[name].value == pytest.approx(whole.estimates[name].value, rel=1e-12)
    assert evaluate(total).estimates["auc_hand_till"].value == whole.estimates["auc_hand_till"].value


def test_weighted_and_unweighted_do_not_add_up():
    rng = np.random.default_rng(1)
    with pytest.raises(InputError, match="weight all parts or none"):
        count(cases(20, rng)) + count(cases(20, rng, weights=True), weight="weight")


def test_cases_are_drawn_from_all_parts_as_from_one():
    rng = np.random.default_rng(2)
    columns = {name: values for name, values in cases(5 * MOST_CASES, rng).items() if name not in ("fold", "site")}
    half = np.arange(5 * MOST_CASES) < 4 * MOST_CASES
    total = count(rows(columns, half)) + count(rows(columns, ~half))
    drawn = total.tally.scores.drawn
    assert drawn.kept.tolist() == quotas(total.tally.confusion.support).tolist()  # as many of each class as of one file
    assert drawn.sizes.tolist() == total.tally.confusion.support.tolist()
    of_first = int(np.flatnonzero(np.diff(drawn.rows) < 0)[0]) + 1
    assert abs(of_first / drawn.rows.size - 0.8) < 5 * np.sqrt(0.8 * 0.2 / MOST_CASES)


def test_parts_together_keep_every_case_of_a_rare_class():
    rng = np.random.default_rng(4)
    truth = np.where(np.arange(3 * MOST_CASES) % 1000 == 5, "rare", "common")
    score = np.round(rng.random(truth.size), 6)
    parts = [
        {"truth": truth[at], "p_rare": score[at], "p_common": 1 - score[at]} for at in np.array_split(np.arange(truth.size), 3)
    ]
    one, two, three = (count(part) for part in parts)
    for total in (one + two + three, one + (two + three), three + one + two):
        drawn = total.tally.scores.drawn
        assert sorted(drawn.kept.tolist()) == [12, MOST_CASES - 12]
        assert np.bincount(drawn.truth, drawn.weight).tolist() == pytest.approx(drawn.sizes.tolist(), rel=1e-12)


def test_labels_of_parts_do_not_name_the_class_looked_for():
    """In a part without the third class yes and no seem to be all there is."""
    one = count({"truth": ["yes", "no"], "predicted": ["yes", "yes"]})
    other = count({"truth": ["perhaps", "no"], "predicted": ["no", "no"]})
    assert one.tally.positive is not None
    assert (one + other).tally.positive is None
    halves = [count({"truth": [label] * 2, "predicted": [label] * 2}) for label in (0, 1)]
    assert sum(halves).tally.positive == 1
    named = [count({"truth": ["a", "b", label], "predicted": ["a"] * 3}, positive="b") for label in ("a", "c")]
    assert sum(named).classes[sum(named).tally.positive] == "b"


def test_parts_that_look_for_different_classes_are_refused():
    """Also where one of them is what the labels mean."""
    answers = {"truth": ["yes", "no", "no"], "predicted": ["yes", "yes", "no"]}
    yes, no, unsaid = (count(answers, **how) for how in ({"positive": "yes"}, {"positive": "no"}, {}))
    for one, other in ((yes, no), (no, yes)):
        with pytest.raises(InputError, match=r"different classes: 'no', 'yes'"):
            one + other
    for named, label in ((yes, "yes"), (no, "no")):
        assert (named + named).classes[(named + named).tally.positive] == label
    assert (yes + unsaid).tally.positive == yes.tally.positive
    lacking = count({"truth": [1, 1], "predicted": [1, 1]})
    whole = count({"truth": [0, 1], "predicted": [1, 1]}, positive=0)
    assert lacking.tally.positive == 0
    assert (lacking + whole).classes[(lacking + whole).tally.positive] == 0
