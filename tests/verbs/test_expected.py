"""What is said of the cases to come: checked, or refused with what to say instead."""

from __future__ import annotations

import math

import pytest

from adjudge import InputError
from adjudge.verbs import expected


def test_what_is_said_is_kept():
    assert expected.class_shares({"a": 0.25, "b": 0.75}) == {"a": 0.25, "b": 0.75}
    assert expected.by_class("expected", 0.8, {"a": 0.25, "b": 0.75}, float) == {"a": 0.8, "b": 0.8}
    assert expected.by_class("expected", {"b": 1, "a": 0}, {"a": 0.25, "b": 0.75}, float) == {"b": 1.0, "a": 0.0}
    assert expected.more_than(0.1, 0.2) == 0.2
    assert expected.between("share", 0.5) == 0.5
    assert (expected.share_of("expected", 0), expected.share_of("expected", 1)) == (0.0, 1.0)
    assert expected.of_clusters(None, None, None) == {}
    assert expected.of_clusters(0, 1, 0) == {"intra_cluster": 0.0, "cluster_size": 1.0, "variation": 0.0}


@pytest.mark.parametrize("value", [True, "0.5", None, 0, 1, -0.1, math.nan, math.inf])
def test_what_is_no_number_between_0_and_1_is_refused(value):
    with pytest.raises(InputError, match="share must be a number strictly between 0 and 1"):
        expected.between("share", value)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda: expected.class_shares({"a": 1.0}), "a mapping of class -> number"),
        (lambda: expected.class_shares({"a": 0.5, "b": 0.4}), "must sum to 1, got 0.9"),
        (lambda: expected.by_class("expected", {"a": 1}, {"b": 1}, float), "must name the same classes"),
        (lambda: expected.more_than(0.2, 0.1), "more than 0.2 of the cases; got 0.1"),
        (lambda: expected.share_of("expected", None), "Say what to expect with expected="),
        (lambda: expected.share_of("expected", 1.1, more=" plus one"), "expected plus one must be a share"),
        (lambda: expected.of_clusters(math.nan, None, None), "intra_cluster must be a share"),
        (lambda: expected.of_clusters(None, "5", None), "how many cases each cluster has"),
        (lambda: expected.of_clusters(None, True, None), "how many cases each cluster has"),
        (lambda: expected.of_clusters(None, None, math.nan), "a coefficient of variation"),
    ],
)
def test_refusals_say_what_to_do(ask, told):
    with pytest.raises(InputError, match=told):
        ask()
