"""Curves over each other: a colour and dashes for each set, the reference that belongs to the kind."""

import numpy as np
import pytest
from tests.compared_sets import classifier, three_classes, truth_of, two_classes

import adjudge
from adjudge.plots.drawing import Line, Marks
from adjudge.plots.overlaid import KINDS, overlaid_picture
from adjudge.plots.pictures import picture
from adjudge.plots.style import LOOKS, MOST_LINES


def drawn(kind):
    return picture(adjudge.compare(*two_classes(), names=["old", "new"]), kind=kind)


@pytest.mark.parametrize("kind", KINDS)
def test_each_set_has_a_colour_dashes_and_its_area(kind):
    drawing = drawn(kind)
    lines = [item.style.split() for item in drawing.items if isinstance(item, Line)]
    assert any("line1" in styles for styles in lines)
    assert all(("dash1" in styles) == ("line1" in styles) for styles in lines)
    assert "old: " in drawing.words
    assert "new: " in drawing.words
    assert drawing.heading == "Class 1 against the rest"


def test_marks_of_reliability_differ_in_shape():
    assert {item.shape for item in drawn("reliability").items if isinstance(item, Marks)} == {"disc", "class-square"}


def test_precision_is_compared_with_the_share_of_the_class():
    line = next(item for item in drawn("precision-recall").items if isinstance(item, Line) and item.style == "ref")
    assert np.allclose(line.points[:, 1], truth_of(300, 2).mean())


def test_the_best_are_drawn_where_there_are_more_than_colours():
    truth = truth_of(200, 2)
    ranking = adjudge.rank({f"m{i}": classifier(truth, 0.3 * i, i, 2) for i in range(1, 8)})
    drawing = overlaid_picture(ranking.overlaid, "roc")
    best = sorted(ranking.overlaid.curves["roc"].items(), key=lambda each: -each[1].area)
    assert [name for name, _ in best if f"{name}: " in drawing.words] == [name for name, _ in best[:MOST_LINES]]
    assert "2 more not drawn" in drawing.words
    assert all(f"dash{i}" in LOOKS for i in range(1, MOST_LINES))


def test_of_several_classes_reliability_is_of_the_highest_probability():
    comparison = adjudge.compare(*three_classes())
    assert overlaid_picture(comparison.overlaid, "reliability").heading == "The highest probability of each case"


def test_kinds_that_are_not_there_are_refused():
    comparison = adjudge.compare(*two_classes())
    with pytest.raises(adjudge.AdjudgeError, match="kind must be one of"):
        overlaid_picture(comparison.overlaid, "lift")
    with pytest.raises(adjudge.AdjudgeError, match="kind must be correct"):
        comparison.plot(kind="lift")
    a, b = ({"truth": [0, 1, 1], "predicted": said} for said in ([0, 1, 0], [0, 1, 1]))
    with pytest.raises(adjudge.AdjudgeError, match="takes scores of two sets"):
        adjudge.compare(a, b, by_position=True).plot(kind="roc")
