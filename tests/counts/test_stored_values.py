"""Values of a file of counts are returned as they are, or refused in one sentence."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import InputError
from adjudge.counts import stored_values as values

SOUND = {
    "read_typed": [((str, "x", "it"), "x"), ((bool, False, "it"), False), ((list, [1], "it"), [1])],
    "read_texts": [((["a", "b"], "it"), ("a", "b")), (([], "it"), ())],
    "read_whole": [((0, "it"), 0), ((2**53, "it"), 2**53)],
    "read_finite": [((-0.5, "it"), -0.5), ((3, "it"), 3.0)],
    "read_one_of": [((None, (None, "a"), "it"), None), (("a", (None, "a"), "it"), "a")],
    "read_place": [((2, 3, "it"), 2), ((None, 3, "it"), None)],
    "read_labels": [(([["text", "a"], ["whole", 1], ["truth", False], ["number", 0.5]],), ["a", 1, False, 0.5])],
}
WRONG = {
    "read_typed": [(str, 1, "it"), (list, "ab", "it"), (bool, 1, "it")],
    "read_texts": [("ab", "it"), (["a", 1], "it"), (None, "it")],
    "read_whole": [(-1, "it"), (2**53 + 1, "it"), (10**30, "it"), (1.0, "it"), (True, "it"), ("1", "it"), (None, "it")],
    "read_finite": [(np.inf, "it"), (float("nan"), "it"), ("1", "it"), (True, "it")],
    "read_one_of": [("b", (None, "a"), "it"), (1, (True,), "it")],
    "read_place": [(3, 3, "it"), (-1, 3, "it"), (True, 3, "it")],
    "read_labels": [([["text", 1]],), ([["whole", True]],), ([["text", "a"], ["text", "a"]],)],
}


@pytest.mark.parametrize(("name", "given", "wanted"), [(name, *each) for name in SOUND for each in SOUND[name]])
def test_what_is_sound_is_returned(name, given, wanted):
    found = getattr(values, name)(*given)
    assert (found, type(found)) == (wanted, type(wanted))


@pytest.mark.parametrize(("name", "given"), [(name, each) for name in WRONG for each in WRONG[name]])
def test_what_is_not_is_refused(name, given):
    with pytest.raises(ValueError, match=r"^(it|a label) "):
        getattr(values, name)(*given)


def test_numbers_have_a_least_value_and_may_be_infinite():
    assert values.read_number(np.inf, "it", least=1) == np.inf
    with pytest.raises(ValueError, match="it is no number of at least 1"):
        values.read_number(0.5, "it", least=1)
    with pytest.raises(ValueError, match="it is no whole number of at least 2"):
        values.read_whole(1, "it", least=2)


def test_amounts_have_a_shape_and_are_not_below_nothing():
    found = values.read_amounts(np.array([1, 2], dtype=np.int16), (2,), "it")
    assert (found.tolist(), found.dtype) == ([1, 2], np.int64)
    for wrong in ([[1, 2]], [-1, 2], [np.inf, 1.0], [np.nan, 1.0], [1e308, 1.7e308], [1 << 53, 1]):
        with pytest.raises(ValueError, match=r"^it "):
            values.read_amounts(np.array(wrong), (2,), "it")


def test_labels_come_back_with_their_types():
    labels = ["a", 2, 0.5, True, np.int64(7), np.str_("b")]
    assert values.read_labels(values.put_labels(labels)) == labels
    with pytest.raises(InputError, match="Labels of type bytes cannot be kept"):
        values.put_label(b"a")


def test_squared_weights_are_those_of_weights():
    sums = np.array([3.0, 0.0, 5.0])
    values.must_be_weights(sums, np.array([5.0, 0.0, 25.0]), 2)
    for squares in ([10.0, 0.0, 25.0], [5.0, 1.0, 25.0], [1.0, 0.0, 25.0], [np.nan, 0.0, 25.0]):
        with pytest.raises(ValueError, match="squared weights are not those"):
            values.must_be_weights(sums, np.array(squares), 2)
