"""Pictures of plans and gates."""

from __future__ import annotations

import numpy as np
import pytest
from tests.drawn import svg

import adjudge
from adjudge import ConfusionCounts, InputError
from adjudge.plots.sample_size import MOST_RULES, gate_forest, sample_size_picture

TABLE = ConfusionCounts(np.array([[45, 5], [3, 47]]), ("well", "ill"))


@pytest.mark.parametrize("how", [{"half_width": 0.1, "expected": 0.8}, {"above": 0.7, "expected": 0.8}])
def test_a_plan_is_drawn_as_what_it_asks_for(how):
    found = adjudge.sample_size(**how)
    drawn = sample_size_picture(found)
    dot, level = (next(key for key in drawn.keys if key.sign == sign) for sign in ("dot", "level"))
    assert (dot.x, dot.y) == (found.cases, dict(found.table)[found.cases])
    assert level.y == (found.assurance or found.target)
    assert all(drawn.ends[0] <= tick <= drawn.ends[1] for tick, _ in drawn.x_ticks)
    assert f"{found.cases:,} cases" in svg(drawn, "needed")


def test_what_lies_right_of_the_bound_passes():
    found = adjudge.gate(TABLE, "accuracy >= 0.8", "error <= 0.2", "accuracy >= 0.9", "mcc > 0.97")
    rows = gate_forest(found).rows
    assert [row.words for row in rows] == [rule.state for rule in found.rules]
    for row, rule in zip(rows, found.rules, strict=True):
        assert (row.low > 0) == (rule.state == "passes")
        assert (row.high < 0) == (rule.state == "fails")
    assert (rows[0].value, rows[0].low) == pytest.approx((rows[1].value, rows[1].low))
    assert len({row.shape for row in rows}) == 3  # colour is not the only sign


def test_of_many_rules_those_nearest_to_failing():
    found = adjudge.gate(TABLE, *(f"accuracy >= {b:.2f}" for b in np.linspace(0.1, 0.9, MOST_RULES + 5)))
    drawn = gate_forest(found)
    assert len(drawn.rows) == MOST_RULES
    assert "5 more rules" in drawn.note


def test_one_rule_more_is_one_rule():
    found = adjudge.gate(TABLE, *(f"accuracy >= {b:.2f}" for b in np.linspace(0.1, 0.9, MOST_RULES + 1)))
    assert gate_forest(found).note == "1 more rule not drawn"


def test_measures_without_an_end_are_drawn_in_their_own_units():
    y = np.linspace(0, 10, 50)
    found = adjudge.gate({"truth": y, "predicted": y + np.tile([1.0, -2.0], 25)}, "mae < 3", "mse < 4", "mae > 1")
    drawn = gate_forest(found)
    assert [row.value for row in drawn.rows] == pytest.approx([1.5, 0.5])  # |error| is 1.5 on average
    assert [row.low > 0 for row in drawn.rows] == [found.rules[i].state == "passes" for i in (0, 2)]
    assert drawn.note == "1 more rule not drawn"  # the squared error has other units
    assert "gate" in found.to_html()


def test_a_gate_without_values_is_refused():
    with pytest.raises(InputError, match="nothing to draw"):
        gate_forest(adjudge.gate(ConfusionCounts([[5, 0], [0, 0]], ("well", "ill")), "sensitivity[ill] > 0.5"))


def test_both_are_drawn_on_axes():
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    for found in (adjudge.gate(TABLE, "accuracy > 0.8"), adjudge.sample_size(above=0.7, expected=0.8)):
        assert found.plot().get_xlabel()
        plt.close("all")
