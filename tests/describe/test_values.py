import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import Undefined
from adjudge.describe.values import (
    about,
    amount,
    apart,
    formula,
    limits,
    margin_of,
    p_value,
    percent,
    points,
    spoken,
    sure,
    sureness,
    title,
    value,
    with_interval,
    with_limits,
)
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.metrics.catalogue import measures


@given(st.floats(0, 1), st.floats(0, 1))
def test_shares_that_differ_by_a_millionth_look_different(one, other):
    a, b = apart(one, other, 1)
    assert one == other or abs(one - other) < 1e-6 or a != b


def test_the_digits_follow_the_interval():
    narrow = Estimate("accuracy", 0.773456, Interval(0.7726, 0.7743, 0.95, "mid-P"))
    assert (value(narrow), limits(narrow)) == ("77.35%", "77.26% to 77.43%")
    assert with_limits(narrow) == "77.35% (77.26-77.43)"


def test_what_estimates_are_called():
    assert title(Estimate("sensitivity", 0.5, of="a\x1b")) == "Sensitivity (recall), class 'a\\x1b'"
    assert title(Estimate("auc", 0.5, average="hand-till")) == "AUC, Hand-Till, all pairs"
    assert formula(Estimate("precision", 0.5, average="macro")) == "mean over classes of TP / (TP + FP)"


@pytest.mark.parametrize("measure", measures(), ids=lambda m: m.name)
def test_every_measure_can_be_shown(measure):
    assert value(Estimate(measure.name, 0.25)) in ("25.0%", "0.250", "0.25")
    assert value(Estimate(measure.name, Undefined("no case"))) == "undefined"
    assert title(Estimate(measure.name, 0.25))
    assert limits(Estimate("accuracy", 0.5)) == "–"


def test_levels_and_points():
    assert [percent(v) for v in (0.95, 0.9, 0.999)] == ["95%", "90%", "99.9%"]
    assert [points(v) for v in (0.1216, -0.02, 0.0, 1e-5)] == ["12.2", "-2.0", "0.0", "0.001"]


def test_both_limits_have_the_same_decimals_by_their_distance():
    wide = Estimate("log_loss", 0.488, Interval(0.46, 0.5177, 0.95, "t"))
    assert (value(wide), limits(wide), with_limits(wide)) == ("0.488", "0.460 to 0.518", "0.488 (0.460-0.518)")
    area = Estimate("auc", 0.987654, Interval(0.987012, 0.988123, 0.95, "hull"))
    assert (value(area), limits(area)) == ("0.9877", "0.9870 to 0.9881")
    assert limits(Estimate("mae", 1234.5, Interval(1200.0, 1300.4, 0.95, "t"))) == "1,200 to 1,300"


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6), st.sampled_from(["log_loss", "mae", "auc", "mcc"]))
def test_limits_look_as_different_as_they_are(one, other, measure):
    low, high = sorted((one, other))
    scale = 1.0 if measure in ("log_loss", "mae") else 1e-6
    estimate = Estimate(measure, scale * (low + high) / 2, Interval(scale * low, scale * high, 0.95, "t"))
    left, right = limits(estimate).split(" to ")
    assert low == high or high - low < 1e-6 * high or left != right


def test_a_value_keeps_three_digits_however_wide_its_interval():
    assert value(Estimate("rae", 0.375, Interval(0.01, 3.5, 0.95, "t"))) == "0.375"
    assert limits(Estimate("rae", 0.375, Interval(0.0001, 3.5, 0.95, "t"))) == "0.0001 to 3.5"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (sureness(Estimate("accuracy", 0.5)), ""),
        (with_interval(0.460171, Interval(0.353082, 0.56726, 0.95, "DeLong"), sign=True), "+0.46, 0.35 to 0.57 (95%, DeLong)"),
        ([p_value(0.0380712), p_value(3e-17)], ["p = 0.03807", "p < 0.001"]),
        ([points(0.1216), points(-1e-5)], ["12.2", "-0.001"]),
        ([spoken(name) for name in ("balanced_accuracy", "mae")], ["balanced accuracy", "mean absolute error"]),
        (spoken("mcc"), "MCC (Matthews correlation)"),
        ([spoken(name) for name in ("fpr", "fnr")], ["false positive rate", "false negative rate"]),
        ([value(Estimate(name, 0.125)) for name in ("fpr", "specificity")], ["12.5%", "12.5%"]),
        ([about("accuracy", None), about("f1", "sick")], ["accuracy", "F1 of class 'sick'"]),
        (
            [amount("accuracy", 0.0234, 0.034), amount("mcc", 0.0234, 0.034), amount("mae", 1234.5, 10.0)],
            ["2.3", "0.023", "1,234"],
        ),
        (
            [margin_of("accuracy", 0.01), margin_of("mcc", 0.01), margin_of("accuracy", 0.00025)],
            ["1 point", "0.01", "0.025 points"],
        ),
        ([sure(0.826, 0.95), sure(0.9497, 0.95), sure(0.9999, 0.95)], ["= 0.83", "= 0.9497", "> 0.99"]),
    ],
)
def test_numbers_in_words(told, words):
    assert told == words
