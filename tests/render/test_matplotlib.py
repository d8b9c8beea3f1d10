from itertools import pairwise

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tests.sparing import some

import adjudge
from adjudge import InputError
from adjudge.plots.curves import curve_set


def two_classes(n=200):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    return truth, np.clip(rng.normal(0.3 + 0.4 * truth, 0.2), 0, 1)


def drawn(ax):
    """Draw it for good, so that what fails late fails here."""
    assert isinstance(ax, Axes)
    ax.figure.canvas.draw()
    return ax


@pytest.mark.slow
@pytest.mark.parametrize("make", [adjudge.roc, adjudge.precision_recall, adjudge.reliability, adjudge.risk_coverage])
def test_curves(make):
    curve = make(*two_classes(), positive=1)
    ax = drawn(adjudge.plot(curve))
    assert ax.get_xlabel() == curve.x_name
    assert f"{curve.area:.3f}" in ax.texts[0].get_text()


@pytest.mark.slow
def test_an_evaluation_is_drawn_as_its_map():
    truth, scores = two_classes()
    evaluation = adjudge.evaluate(adjudge.Predictions(truth, (scores > 0.5).astype(int), scores, positive=1))
    ax = drawn(evaluation.plot())
    assert [t.get_text() for t in ax.get_yticklabels()] == ["0", "1"]
    assert len(ax.texts) == 8  # a share and a count in each


@pytest.mark.parametrize("k", some([1, 60, 12, 3], 3))
def test_tables_of_any_size(k):
    cells = np.random.default_rng(k).integers(0, 9, (k, k + 1))
    drawn(adjudge.ConfusionCounts(cells, [f"class {i}" for i in range(k)]).plot())


def test_the_axes_and_the_style_are_the_users():
    ax = Figure().subplots()
    assert adjudge.roc(*two_classes(), positive=1).plot(ax, color="red", linewidth=5) is ax
    (line,) = (line for line in ax.get_lines() if str(line.get_label()).startswith("AUC"))
    assert (line.get_color(), line.get_linewidth()) == ("red", 5)


@pytest.mark.slow
def test_labels_are_never_formulas_nor_hidden():
    labels = ("$x^2$", "_hidden", "${7*7}", "a\x1b[2J")
    ax = drawn(adjudge.ConfusionCounts(np.eye(4, dtype=int), labels).plot())
    assert [t.get_text() for t in ax.get_yticklabels()] == ["$x^2$", "_hidden", "${7*7}", "a\\x1b[2J"]
    curve = drawn(adjudge.roc(["_h$", "b", "_h$"], [1, 0, 2], positive="_h$").plot())
    assert curve.texts[0].get_text() == "_h$: AUC 1.000"


@pytest.mark.parametrize("result", [3, None, "roc", {"a": 1}])
def test_what_has_no_picture_is_refused(result):
    with pytest.raises(InputError, match="no picture of"):
        adjudge.plot(result)


def test_numbers_have_no_map():
    evaluation = adjudge.evaluate(adjudge.Predictions([1.5, 2.5, 4.25], [1.25, 2.5, 4.0]))
    with pytest.raises(InputError, match="numeric predictor"):
        evaluation.plot(kind="confusion")


@pytest.mark.slow
def test_of_many_curves_five_are_named():
    many = 30
    rng = np.random.default_rng(1)
    truth = np.repeat(np.arange(many), 10)
    p = rng.dirichlet(np.ones(many), truth.size)
    p[np.arange(truth.size), truth] += 0.2
    evaluation = adjudge.evaluate(adjudge.Predictions(truth, scores=p / p.sum(axis=1, keepdims=True), classes=list(range(many))))
    for kind in ("roc", "precision-recall"):
        ax = drawn(evaluation.plot(kind=kind))
        words = [text.get_text() for text in ax.texts]
        areas = {label: curve.area for label, curve in evaluation.curves[kind].items()}
        least = sorted(sorted(areas, key=areas.__getitem__)[:5])
        assert [text.split(": ")[0] for text in words[:-1]] == [str(label) for label in least]
        assert words[-1] == f"{many - 5} others"
        assert len(ax.get_lines()) >= many
        for text in ax.texts:
            inside = text.get_window_extent()
            assert ax.bbox.containsx(inside.x0)
            assert ax.bbox.containsx(inside.x1)
            assert ax.bbox.containsy(inside.y0)


@pytest.mark.parametrize("powers", [(1,), (0.2,), (5,), (0.3, 3)])
def test_a_legend_of_dots_hides_none_of_them(powers):
    p = np.tile(np.linspace(0.04, 0.96, 12), 60)
    draws = np.random.default_rng(2).random(p.size)
    curves = curve_set([adjudge.reliability((draws < p**power).astype(int), p, positive=1) for power in powers])
    ax = drawn(adjudge.plot(curves, ax=Figure(figsize=(3.6, 3)).subplots()))
    boxes = [text.get_window_extent() for text in ax.texts]
    for line in ax.get_lines():
        if line.get_transform() == ax.transData and not str(line.get_linestyle()).startswith("--"):
            ends = ax.transData.transform(np.column_stack([line.get_xdata(), line.get_ydata()]))
            at = np.concatenate([np.linspace(*two, 50) for two in pairwise(ends)]) if len(ends) > 1 else ends
            assert not [xy for xy in at for box in boxes if np.isfinite(xy).all() and box.contains(*xy)]
