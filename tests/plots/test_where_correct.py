"""Bars of which set is correct where: as long as there are cases, and every number written."""

import numpy as np
import pytest
from tests.compared_sets import numbers, three_classes

import adjudge
from adjudge.plots.drawing import Area, Text
from adjudge.plots.pictures import picture


def bars(drawing, style):
    return np.array([np.ptp(item.parts[0][:, 0]) for item in drawing.items if isinstance(item, Area) and item.style == style])


def of_two(truth, said):
    sets = (adjudge.Predictions(truth, each, row=np.arange(truth.size)) for each in (truth, said))
    return picture(adjudge.compare(*sets), kind="correct")


def test_bars_of_two_sets_are_as_long_as_there_are_cases():
    comparison = adjudge.compare(*three_classes(), names=["old", "new"])
    drawing, rows = picture(comparison, kind="correct"), comparison.where_correct.by_class
    for at, style in enumerate(("better whole", "worse whole")):
        long, cases = bars(drawing, style), np.array([row.only_correct[at] for row in rows])
        assert long / long.sum() == pytest.approx(cases / cases.sum())
    words = {item.words for item in drawing.items if isinstance(item, Text)}
    assert {"◂ only old", "only new ▸", "class 0", "class 1", "class 2"} <= words


def test_a_class_on_which_they_agree_has_no_bar():
    truth = np.repeat(["a", "b"], 20)
    said = truth.copy()
    said[:5] = "b"
    drawing = of_two(truth, said)
    assert (bars(drawing, "better whole").size, bars(drawing, "worse whole").size) == (1, 0)
    assert bars(of_two(truth, truth), "better whole").size == 0


def test_several_sets_have_a_bar_for_each_kind_of_case():
    ranking = adjudge.rank(dict(zip("abc", three_classes(sets=3), strict=True)))
    drawing, cases = picture(ranking, kind="correct"), np.array(ranking.where_correct.only_correct)
    long = bars(drawing, "better whole")
    assert long / long.sum() == pytest.approx(cases / cases.sum())
    assert "none correct" in drawing.words


def test_hundreds_of_classes_stay_a_small_picture():
    truth = np.arange(600) % 300
    drawing = of_two(truth, np.where(np.arange(600) % 7 == 0, (truth + 1) % 300, truth))
    assert drawing.height < 400
    assert "288 more classes" in drawing.words


def test_numbers_have_no_such_picture():
    with pytest.raises(adjudge.AdjudgeError, match="takes decisions of classes"):
        adjudge.compare(*numbers()).plot(kind="correct")
