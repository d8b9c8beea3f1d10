import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import Undefined
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.metrics.catalogue import measures
from adjudge.reports.values import apart, formula, limits, percent, percentage_points, title, value, with_limits


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
    assert [percentage_points(v) for v in (0.1216, -0.02, 0.0, 1e-5)] == ["12.2", "-2.0", "0.0", "0.001"]
