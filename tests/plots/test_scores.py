"""Score distributions and gains as they are drawn."""

from __future__ import annotations

import numpy as np
import pytest

import adjudge
from adjudge import Predictions, evaluate
from adjudge.plots.drawing import Area, Line
from adjudge.plots.pictures import picture
from adjudge.plots.scores import BINS, FEW_BINS, binned


def made(n, prevalence, seed=0, **how):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < prevalence).astype(int)
    logit = np.log(prevalence / (1 - prevalence)) + 2 * rng.normal(2 * truth - 1, 1)
    score = 1 / (1 + np.exp(-logit))
    return truth, score, evaluate(Predictions(truth, scores=score, positive=1, **how))


def steps(drawing, i):
    """Return the edges and the heights of the steps of part `i`."""
    (line,) = [each for each in drawing.items if isinstance(each, Line) and each.styled and f"line{i}" in each.style]
    return line.points[::2, 0], line.points[1:-1:2, 1]


@pytest.mark.parametrize(("n", "bins"), [(400, FEW_BINS), (4000, BINS)])
def test_each_part_is_the_histogram_of_its_scores(n, bins):
    truth, score, evaluation = made(n, 0.4)
    drawing = picture(evaluation, kind="scores")
    for i, side in enumerate((truth == 0, truth == 1)):
        edges, heights = steps(drawing, i)
        assert heights.size == bins
        expected, _ = np.histogram(score[side], np.linspace(0, 1, bins + 1))
        np.testing.assert_allclose(heights, expected / side.sum(), atol=1e-12)
        np.testing.assert_allclose(edges, np.linspace(0, 1, bins + 1))
    assert "threshold 50.0%" in drawing.words


def test_a_rare_class_is_as_visible_as_the_others_on_an_axis_of_equal_ratios():
    truth, score, evaluation = made(20_000, 0.005)
    drawing = picture(evaluation, kind="scores")
    assert drawing.panel.x.log
    for i, side in enumerate((truth == 0, truth == 1)):
        edges, heights = steps(drawing, i)
        assert heights.sum() == pytest.approx(1)
        inside = np.clip(score[side], edges[0], None)
        expected, _ = np.histogram(inside, edges)
        np.testing.assert_allclose(heights, expected / side.sum(), atol=1e-12)
    assert f"class 1: {truth.sum():,}" in drawing.words


def test_the_threshold_in_use_is_marked_and_no_other():
    truth, score, evaluation = made(300, 0.4, threshold=0.3)
    assert "threshold 30.0%" in picture(evaluation, kind="scores").words
    other = evaluate(Predictions(truth, np.roll(truth, 7), score, positive=1))  # decided by something else
    assert "threshold" not in picture(other, kind="scores").words


def test_scores_that_only_rank_are_drawn_between_their_ends():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 200)
    score = 100 * truth + rng.normal(0, 50, 200)
    evaluation = evaluate(Predictions(truth, scores=score, positive=1, scores_are="scores"))
    drawing = picture(evaluation, kind="scores")
    assert (drawing.panel.x.start, drawing.panel.x.stop) == pytest.approx((score.min(), score.max()))
    assert picture(evaluation, kind="lift").title == "Cumulative gain of class 1"


def test_what_lies_beyond_the_edges_is_in_the_outer_bins():
    values, cases = np.array([-np.inf, 0.1, 0.5, np.inf]), np.array([1.0, 1, 1, 1])
    assert binned(values, np.array([0.0, 0.5, 1.0]), cases).tolist() == [0.5, 0.5]


def test_equal_scores_are_one_bin():
    evaluation = evaluate(Predictions([0, 1, 0, 1], [0, 1, 0, 0], [7.0, 7, 7, 7], positive=1, scores_are="scores"))
    heights = steps(picture(evaluation, kind="scores"), 1)[1]
    assert heights.max() == 1


def test_the_gains_lie_within_their_band_between_random_and_ideal():
    _, _, evaluation = made(3000, 0.1)
    drawing = picture(evaluation, kind="lift")
    (band,) = [each for each in drawing.items if isinstance(each, Area) and not each.page]
    assert band.parts[0].min() >= 0
    assert band.parts[0].max() <= 1
    lines = {each.label: each.points for each in drawing.items if isinstance(each, Line) and each.label}
    assert lines["ideal order"][1].tolist() == [evaluation.gains.prevalence, 1]
    assert "found in 10% of the cases" in drawing.words


def test_without_scores_the_refusal_says_what_is_needed():
    evaluation = evaluate(Predictions([0, 1, 1], [0, 1, 0]))
    for kind in ("scores", "lift"):
        with pytest.raises(adjudge.InputError, match=f"has no {kind} to draw: that takes scores"):
            evaluation.plot(kind=kind)


def test_both_are_drawn_with_matplotlib():
    _, _, evaluation = made(300, 0.4)
    for kind in ("scores", "lift"):
        assert evaluation.plot(kind=kind).get_lines()
