"""Pictures of textbook tests and of the number of cases needed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.drawn import dot, references, svg

import adjudge
from adjudge import ConfusionCounts
from adjudge.plots.textbook import sample_size_picture

TABLE = ConfusionCounts(np.array([[45, 5], [3, 47]]), ("well", "ill"))


@pytest.mark.slow
@pytest.mark.parametrize("how", [{"half_width": 0.1, "expected": 0.8}, {"above": 0.7, "expected": 0.8}])
def test_a_plan_is_drawn_as_what_it_asks_for(how):
    found = adjudge.sample_size(**how)
    drawn = sample_size_picture(found)
    assert dot(drawn) == (found.cases, dict(found.table)[found.cases])
    (((_, level), _),) = references(drawn)
    assert level == (found.assurance or found.target)
    assert all(drawn.panel.x.start <= tick <= drawn.panel.x.stop for tick, _ in drawn.panel.x.ticks)
    assert f"{found.cases:,} cases" in svg(drawn, "needed")


def test_both_are_drawn_on_axes():
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    for found in (adjudge.gate(TABLE, "accuracy > 0.8"), adjudge.sample_size(above=0.7, expected=0.8)):
        assert found.plot().get_xlabel()
        plt.close("all")
