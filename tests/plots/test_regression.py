"""Pictures of numeric predictions: every case is drawn where it is."""

import numpy as np
import pytest

from adjudge import InputError, evaluate
from adjudge.plots.drawing import Line, Marks
from adjudge.plots.pictures import picture


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(5)
    predicted = rng.uniform(100, 900, 300)
    return evaluate({"truth": predicted + rng.normal(0, 20, 300), "predicted": predicted})


def dots(drawing):
    (marks,) = [item for item in drawing.items if isinstance(item, Marks)]
    return marks.points


def test_predictions_lie_against_the_truth_with_equal_axes(result):
    drawing = picture(result, kind="agreement")
    truth, predicted = result.residuals.points.T
    assert np.array_equal(dots(drawing), np.column_stack((predicted, truth)))
    assert (drawing.panel.x.start, drawing.panel.x.stop) == (drawing.panel.y.start, drawing.panel.y.stop)


def test_residuals_lie_above_predictions_with_the_means_of_regions(result):
    drawing = picture(result, kind="residuals")
    truth, predicted = result.residuals.points.T
    assert np.array_equal(dots(drawing), np.column_stack((predicted, truth - predicted)))
    (line,) = [item for item in drawing.items if isinstance(item, Line) and item.label]
    assert line.points[:, 1].tolist() == [part.mean_error for part in result.residuals.regions]


def test_ordered_residuals_lie_against_normal_quantiles(result):
    points = dots(picture(result, kind="quantiles"))
    assert np.all(np.diff(points, axis=0) >= 0)
    assert len(points) == 200


def test_what_numbers_do_not_have_is_refused(result):
    with pytest.raises(InputError, match="has no roc to draw"):
        picture(result, kind="roc")
    exact = evaluate({"truth": np.linspace(0.5, 9.5, 40), "predicted": np.linspace(0.5, 9.5, 40)})
    with pytest.raises(InputError, match="has no quantiles to draw"):
        picture(exact, kind="quantiles")
    assert len(dots(picture(exact, kind="agreement"))) == 40
