"""Lines with what they are read against."""

from __future__ import annotations

import numpy as np
import pytest
from tests.drawn import svg

import adjudge
from adjudge import ConfusionCounts
from adjudge.plots.lines import sample_size_picture

TABLE = ConfusionCounts(np.array([[45, 5], [3, 47]]), ("well", "ill"))


@pytest.mark.slow
@pytest.mark.parametrize("how", [{"half_width": 0.1, "expected": 0.8}, {"above": 0.7, "expected": 0.8}])
def test_a_plan_is_drawn_as_what_it_asks_for(how):
    found = adjudge.sample_size(**how)
    drawn = sample_size_picture(found)
    dot, level = (next(key for key in drawn.keys if key.sign == sign) for sign in ("dot", "level"))
    assert (dot.x, dot.y) == (found.cases, dict(found.table)[found.cases])
    assert level.y == (found.assurance or found.target)
    assert all(drawn.ends[0] <= tick <= drawn.ends[1] for tick, _ in drawn.x_ticks)
    assert f"{found.cases:,} cases" in svg(drawn, "needed")


def test_both_are_drawn_on_axes():
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    for found in (adjudge.gate(TABLE, "accuracy > 0.8"), adjudge.sample_size(above=0.7, expected=0.8)):
        assert found.plot().get_xlabel()
        plt.close("all")
