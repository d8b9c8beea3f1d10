"""What measures are called in a picture, and how their values are written."""

from __future__ import annotations

import math

import pytest

import adjudge
from adjudge import ConfusionCounts, InputError, Posterior, posterior
from adjudge.plots.quantities import METHODS, bounds, in_digits, is_share, measure_name, name_of, writer, written

TABLE = ConfusionCounts([[40, 5], [8, 12]])


@pytest.mark.parametrize(
    ("quantity", "of", "told"),
    [
        ("f1", 0, "F1 of 0"),
        ("balanced_accuracy", None, "Balanced accuracy"),
        ("mcc - mcc", None, "Difference in MCC"),
        ("accuracy - balanced_accuracy", None, "Accuracy - balanced accuracy"),
    ],
)
def test_what_a_posterior_speaks_of(quantity, of, told):
    assert name_of(Posterior(quantity, posterior(TABLE, "accuracy").distribution, "draws", of=of)) == told


def test_the_name_of_a_class_has_room_and_does_nothing():
    told = name_of(posterior(ConfusionCounts(TABLE.cells, ("no", "\x1b[2J" + "y" * 99)), "f1", positive="\x1b[2J" + "y" * 99))
    assert len(told) <= 70
    assert told.startswith("F1 of ")
    assert "\x1b" not in told


def test_measures_by_name_on_an_axis():
    given = ("mae", "auc", "balanced_accuracy", "what_else")
    assert [measure_name(name) for name in given] == ["Mean absolute error", "AUC", "Balanced accuracy", "What else"]


def test_shares_lie_between_none_and_all_and_say_so():
    shares = {measure.name for measure in adjudge.measures() if is_share(measure.name)}
    assert shares >= {"accuracy", "error", "balanced_accuracy", "sensitivity", "precision", "rejection_rate"}
    assert shares.isdisjoint({"mcc", "kappa", "f1", "auc", "brier", "log_loss", "mae"})
    assert all(bounds(name) == (0, 1) for name in shares)
    assert not is_share("accuracy - mcc")


def test_the_ends_of_measures():
    assert [bounds(name) for name in ("mcc", "brier", "mae")] == [(-1, 1), (0, 2), (0, math.inf)]
    assert bounds("what_else") == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("name", "width", "value", "told"),
    [
        ("accuracy", 0.04, 0.87654, ("87.7%", "87.7%")),
        ("accuracy", 0.0004, 0.87654, ("87.654%", "87.654%")),
        ("accuracy", 1e-12, 0.87654, ("87.6540%", "87.6540%")),  # no more decimals than there is room for
        ("mcc", 0.0004, 0.87654, ("0.877", "0.877")),
        ("mae", 30.0, 1234.56, ("1,235", "1,235")),
        ("mae", 0.05, 1.23456, ("1.235", "1.235")),
        ("mae", 0.5, 1.23456, ("1.235", "1.23")),
    ],
)
def test_values_have_the_digits_that_their_interval_allows(name, width, value, told):
    assert (writer(name, width)(value), written(name, width)(value)) == told


def test_plain_numbers_have_two_decimals_more_than_percentages():
    assert in_digits(0.004, percent=True)(0.5) == "50.00%"
    assert in_digits(0.004, percent=False)(0.5) == "0.5000"


def test_what_is_no_measure_is_not_written():
    with pytest.raises(InputError, match="what_else"):
        writer("what_else", 0.1)


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "mcc", "f1", "g_mean", "kappa", "precision"])
def test_the_method_of_every_usual_interval_has_a_name_for_readers(name):
    assert adjudge.interval(TABLE, name, positive=1 if name in ("f1", "precision") else None).method in METHODS
