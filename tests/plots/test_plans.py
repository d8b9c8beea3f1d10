"""The picture of a resampling plan."""

import numpy as np
import pytest
from tests.drawn import svg

import adjudge
from adjudge.plots.drawing import SIDE, WIDTH, Area, Text
from adjudge.plots.plans import MOST_COLUMNS, STEP, STYLES, TOP, plan_picture


def covered(drawing, plan, kind):
    """Return for each unit which columns boxes of a kind cover."""
    names = [item for item in drawing.items if isinstance(item, Text) and item.anchor == "end" and item.words.isdigit()]
    columns, units = min(plan.rows, MOST_COLUMNS), len(names)
    left = names[0].x + 6
    wide = (SIDE + WIDTH - left) / columns
    cells = np.zeros((units, columns), dtype=bool)
    areas = [item for item in drawing.items if isinstance(item, Area) and item.style == STYLES[kind]]
    for corners in (corners for item in areas for corners in item.parts):
        (start, top), (stop, foot) = corners.min(axis=0), corners.max(axis=0)
        if top > TOP:  # below the keys
            cells[round(((top + foot) / 2 - TOP) / STEP - 0.5), round((start - left) / wide) : round((stop - left) / wide)] = True
    return cells


@pytest.mark.parametrize("by", ["5-fold", "leave-one-out", "holdout", "bootstrap"])
def test_a_plan_of_few_rows_shows_every_row(by):
    plan = adjudge.plan(by, np.zeros((24, 1)), np.arange(24) % 2, random_state=1)
    judged, learnt = (covered(plan_picture(plan), plan, kind) for kind in ("judged", "learnt"))
    assert len(judged) == min(len(plan), 30)
    for unit in range(len(judged)):
        assert np.flatnonzero(judged[unit]).tolist() == sorted(plan.judge[unit].tolist())
        assert np.flatnonzero(learnt[unit]).tolist() == sorted(set(plan.learn[unit].tolist()))


def test_folds_of_many_rows_lie_on_the_diagonal():
    plan = adjudge.plan("4-fold", np.zeros((1200, 1)), np.arange(1200) % 3, random_state=2)
    judged = covered(plan_picture(plan), plan, "judged")
    assert (judged.sum(axis=0) == 1).all()
    assert judged.argmax(axis=0).tolist() == sorted(judged.argmax(axis=0).tolist())


def test_a_long_plan_shows_its_first_units():
    plan = adjudge.plan("leave-one-out", np.zeros((200, 1)), np.arange(200) % 2)
    found = plan_picture(plan)
    assert len(covered(found, plan, "judged")) == 30
    assert found.words.endswith("; 170 units more not drawn")
    assert len(svg(found, "one")) < 10_000
