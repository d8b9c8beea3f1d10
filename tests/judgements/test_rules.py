"""Rules as one writes them."""

from __future__ import annotations

import pytest

from adjudge import InputError
from adjudge.judgements.rules import read_rules

CLASSES = ("ill", "well", 3)


def read(text, classes=CLASSES, seen=3):
    return list(read_rules(text, classes, seen))


@pytest.mark.parametrize(
    ("text", "measure", "operator", "bound", "of"),
    [
        ("accuracy >= 0.9", "accuracy", ">=", 0.9, None),
        ("  Recall[ill]>90% ", "sensitivity", ">", 0.9, "ill"),
        ("f1 [ 3 ] ≥ .5", "f1", ">=", 0.5, 3),
        ("log loss < 0.4", "log_loss", "<", 0.4, None),
        ("error =< 5e-2", "error", "<=", 0.05, None),
        ("mcc > -0.5", "mcc", ">", -0.5, None),
        ("above chance", "balanced_accuracy", ">", 1 / 3, None),
    ],
)
def test_what_a_rule_says(text, measure, operator, bound, of):
    (rule,) = read(text)
    assert (rule.measure, rule.operator, rule.bound, rule.of) == (measure, operator, pytest.approx(bound), of)


def test_a_star_is_every_class():
    assert [rule.of for rule in read("sensitivity[*] >= 0.7")] == list(CLASSES)
    assert [rule.of for rule in read("sensitivity[*] >= 0.7", ("*", "b"))] == ["*"]  # a class of that name is itself


def test_a_class_may_hold_any_sign():
    (rule,) = read("f1[a]>=[b] >= 0.5", ("a]>=[b", "c"))
    assert (rule.of, rule.bound) == ("a]>=[b", 0.5)


def test_rules_that_ask_for_the_bad_end_know_it():
    assert [rule.contrary for text in ("error >= 0.1", "accuracy <= 1", "brier < 0.2") for rule in read(text)] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("accuracy", "is no rule"),
        ("accuracy == 0.9", "is no rule|not a number"),
        ("acuracy >= 0.9", "Did you mean accuracy"),
        ("accuracy >= 90", r"between 0 and 1.*90% is 0\.9"),
        ("accuracy >= high", "is not a number"),
        ("accuracy >= nan", "between 0 and 1"),
        ("f1[sick] >= 0.5", "'sick' is not among the classes"),
        ("mae[ill] < 1", "no classes"),
        ("", "is no rule"),
        (0.9, "A rule is text"),
    ],
)
def test_refusals_say_what_to_do(text, told):
    with pytest.raises(InputError, match=told):
        read(text)


def test_chance_is_between_classes():
    with pytest.raises(InputError, match="at least two classes"):
        read("above chance", ("a",), 1)
