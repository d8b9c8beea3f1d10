"""The picture of what to believe: its geometry, and that both drawings of it are whole."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from html import escape
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats
from tests.drawn import draw, labels, svg

import adjudge
from adjudge.estimates.estimate import Conventional
from adjudge.estimates.posterior import difference, posterior
from adjudge.plots.drawing import LETTER, WIDTH, Area
from adjudge.plots.posteriors import TALL, Density, accuracy_posteriors_set, density_set, posterior_set
from adjudge.plots.scales import equally_long, ticks
from adjudge.stats.transforms import Drawn

FOLDS = {i: adjudge.ConfusionCounts([[6, 1], [i % 3 == 0, 7 - (i % 3 == 0)]]) for i in range(10)}
TABLES = {
    "nearly all right": ([[69, 1], [1, 69]], "flat"),
    "owed to one class": ([[40, 5], [8, 2]], "flat"),
    "all right": ([[10, 0], [0, 10]], "jeffreys"),
    "one case": ([[1, 0], [0, 0]], "jeffreys"),
    "mostly wrong": ([[1, 9], [8, 2]], "jeffreys"),
    "ten classes": (np.diag(np.arange(3, 33, 3)) + 1, "dirichlet"),
    "a million": ([[700_000, 11_000], [30_000, 259_000]], "jeffreys"),
}
LAWS = {
    "a rate": lambda: posterior(adjudge.ConfusionCounts([[40, 5], [8, 2]]), "accuracy", prior="flat"),
    "no bound at the end": lambda: posterior(adjudge.ConfusionCounts([[10, 0], [0, 10]]), "accuracy", prior="jeffreys"),
    "no bound at both ends": lambda: posterior(
        adjudge.ConfusionCounts([[0, 0], [0, 1]]), "sensitivity", positive=0, prior="jeffreys"
    ),
    "very narrow": lambda: posterior(adjudge.ConfusionCounts([[7 * 10**8, 10**7], [3 * 10**7, 3 * 10**8]])),
    "drawn": lambda: posterior(adjudge.ConfusionCounts([[40, 5], [8, 12]]), "mcc", prior="flat"),
    "an image": lambda: posterior(adjudge.ConfusionCounts([[40, 5], [8, 12]]), "f1", positive=0),
    "a difference": lambda: difference(
        posterior(adjudge.ConfusionCounts([[40, 5], [8, 12]])), posterior(adjudge.ConfusionCounts([[30, 15], [8, 12]]))
    ),
    "level": lambda: posterior(adjudge.ConfusionCounts([[0, 0], [0, 1]]), "sensitivity", positive=0, prior="flat"),
}


def believed(name):
    cells, prior = TABLES[name]
    return adjudge.accuracy_posteriors(adjudge.ConfusionCounts(cells), prior=prior)


def pictures():
    yield from (pytest.param(lambda n=name: accuracy_posteriors_set(believed(n)), id=name) for name in TABLES)
    yield from (pytest.param(lambda m=make: posterior_set(m()), id=name) for name, make in LAWS.items())
    summed = adjudge.ConfusionCounts(sum(np.asarray(fold.cells) for fold in FOLDS.values()))
    yield pytest.param(
        lambda: accuracy_posteriors_set(adjudge.accuracy_posteriors(summed, by_fold=FOLDS), [("always a", 0.6)]), id="folds"
    )


PICTURES = pytest.mark.parametrize("make", list(pictures()))


def area(x, y):
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))


@pytest.mark.parametrize("make", LAWS.values(), ids=LAWS)
def test_the_shaded_part_of_a_posterior_holds_the_level(make):
    found = posterior_set(make())
    (row,), (shaded,) = found.densities, (item for item in found.drawing.items if isinstance(item, Area))
    x, down = shaded.parts[0][1:-1].T
    inside = (row.x >= row.low) & (row.x <= row.high)
    assert np.array_equal(x, row.x[inside])
    np.testing.assert_allclose(row.base - down, TALL * np.minimum(row.y[inside], row.ceiling) / row.ceiling)
    assert area(x, row.y[inside]) == pytest.approx(found.level, abs=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_accuracy_and_balanced_accuracy_have_the_interval_they_have_everywhere(name):
    counts = adjudge.ConfusionCounts(TABLES[name][0])
    found = accuracy_posteriors_set(believed(name))
    told = adjudge.evaluate(counts).estimates
    for row, measure in zip(found.densities, ("accuracy", "balanced_accuracy"), strict=True):
        limits = adjudge.interval(counts, measure)
        assert (row.low, row.high) == (limits.low, limits.high)
        assert told[measure].interval == limits
        assert found.scale.start <= row.low <= row.high <= found.scale.stop


@PICTURES
def test_everything_lies_within_the_picture(make):
    found = make()
    for row in found.densities:
        x, y = row.outline
        assert found.scale.start <= x.min() <= x.max() <= found.scale.stop
        assert 0 <= y.min() <= y.max() <= row.ceiling
        assert np.all(np.diff(x) >= 0)
        assert all(found.scale.start <= p.value <= found.scale.stop for p in row.points if not np.isnan(p.value))
        told = row.reported
        assert told is None or found.scale.start <= told.low <= told.value <= told.high <= found.scale.stop
        assert row.span[0] < row.base <= found.drawing.panel.bottom - found.drawing.panel.top
    assert all(found.scale.start <= value <= found.scale.stop for value, _ in found.drawing.panel.x.ticks)
    assert all(found.scale.start <= mark.at <= found.scale.stop for mark in found.marks)


@PICTURES
def test_words_keep_apart_and_on_the_paper(make):
    boxes = []
    for label in labels(make()):
        if label.style == "turned":
            continue
        wide = 0.56 * 12.5 * len(label.words)
        left = label.x - {"start": 0, "middle": wide / 2, "end": wide}[label.anchor]
        assert left >= -1
        assert left + wide <= WIDTH + 1
        boxes.append((left, left + wide, label.y))
    for (low, high, y), (other_low, other_high, other_y) in combinations(boxes, 2):
        assert high <= other_low or other_high <= low or abs(y - other_y) >= 13


@PICTURES
def test_svg_is_whole_and_the_same_each_time(make):
    picture = svg(make(), "densities")
    assert picture == svg(make(), "densities")
    assert "nan" not in picture
    assert "inf" not in picture
    root = ET.fromstring(picture)  # noqa: S314 - our own words
    assert root.find("title").text.startswith("Posterior densities")
    assert "median" in root.find("desc").text
    _, _, width, height = (float(v) for v in root.get("viewBox").split())
    for text in root.iter("text"):
        if text.get("transform") is None:
            assert 0 <= float(text.get("x")) <= width
            assert 0 <= float(text.get("y")) <= height


@PICTURES
def test_matplotlib_draws_the_same_geometry(make):
    found, ax = make(), Figure(figsize=(4, 3)).subplots()
    assert draw(found, ax) is ax
    ax.figure.canvas.draw()
    assert ax.get_xlim() == (found.scale.start, found.scale.stop)
    assert [text.get_text() for text in ax.texts] == [label.words for label in labels(found)]
    curves = [line for line in ax.get_lines() if line.get_label() in {row.name for row in found.densities}]
    for row, line in zip(found.densities, curves, strict=True):
        assert np.array_equal(line.get_xdata(), row.outline[0])


def test_the_bar_of_two_standard_errors_passes_everything():
    found = accuracy_posteriors_set(believed("nearly all right"))
    bar = found.densities[0].reported
    share, n = 138 / 140, 140
    assert bar.high == pytest.approx(share + 2 * (share * (1 - share) / n) ** 0.5)
    assert bar.high > 1
    assert found.scale.stop > bar.high
    assert found.scale.impossible == ((1.0, found.scale.stop),)
    assert "impossible" in [label.words for label in labels(found)]
    assert max(value for value, _ in found.drawing.panel.x.ticks) <= 1
    assert found.densities[0].high < 1  # the posterior knows better


def test_the_bar_passes_nothing_too():
    found = accuracy_posteriors_set(believed("mostly wrong"))
    assert found.densities[0].reported.low < 0
    assert found.scale.impossible == ((found.scale.start, 0.0),)


def test_a_possible_bar_leaves_no_impossible_part():
    found = accuracy_posteriors_set(believed("owed to one class"))
    assert found.scale.impossible == ()
    assert 0 <= found.scale.start < found.scale.stop <= 1


def test_a_near_chance_level_is_in_the_picture():
    found = accuracy_posteriors_set(believed("owed to one class"))
    (chance,) = found.marks
    assert (chance.words, chance.far) == ("chance 50.0%", 0)
    assert found.densities[1].low < chance.at < found.densities[1].high
    assert found.densities[0].low > chance.at


def test_a_far_chance_level_is_pointed_at():
    found = accuracy_posteriors_set(believed("nearly all right"))
    (chance,) = found.marks
    assert (chance.far, chance.at) == (-1, found.scale.start)
    assert "◂ chance 50.0%" in [label.words for label in labels(found)]


def test_mean_median_and_mode_against_scipy():
    row = accuracy_posteriors_set(believed("nearly all right")).densities[0]
    distribution = stats.beta(139, 3)
    each = {point.name: point.value for point in row.points}
    assert list(each) == ["mean", "median", "mode"]
    assert each["mean"] == pytest.approx(distribution.mean())
    assert each["median"] == pytest.approx(distribution.median())
    assert each["mode"] == pytest.approx(138 / 140)
    assert each["mean"] < each["median"] < each["mode"]  # the order of a distribution that leans left
    assert len({point.shape for point in row.points}) == 3
    assert np.allclose(row.y, distribution.pdf(row.x))


def test_what_is_reported_is_told():
    accuracy, balanced = accuracy_posteriors_set(believed("owed to one class")).densities
    assert accuracy.reported.words == "76.4% ± 2 SE over 55 cases: 64.9% to 87.8%"
    assert balanced.reported.words == "average balanced accuracy, as seen: 54.4%"
    assert balanced.reported.value == pytest.approx((40 / 45 + 2 / 10) / 2)


def test_a_density_without_bound_leaves_through_the_top():
    row = posterior_set(LAWS["no bound at the end"]()).densities[0]
    _, y = row.outline
    assert y[-1] == row.ceiling
    assert y[0] == 0
    assert row.y.max() > 3 * row.ceiling
    assert (
        float(row.down(np.interp(row.points[1].value, row.x, row.y))) > row.base - 0.9 * TALL
    )  # the median is well below the top
    both = posterior_set(LAWS["no bound at both ends"]()).densities[0].outline[1]
    assert both[0] == both[-1] > both.min()


def test_a_distribution_without_a_mode_says_so():
    found = posterior_set(LAWS["level"]())
    assert "mode undefined" in [label.words for label in labels(found)]
    assert svg(found, "x").count("<circle") == 1


def test_a_difference_is_read_against_zero():
    found = posterior_set(LAWS["a difference"]())
    assert found.densities[0].name == "Difference in balanced accuracy"
    assert [(mark.words, mark.value) for mark in found.marks] == [("no difference", 0.0)]
    assert found.scale.start < 0 < found.scale.stop


def test_measures_that_are_no_shares_are_written_as_numbers():
    found = posterior_set(LAWS["drawn"]())
    assert found.densities[0].name == "MCC"
    assert not any("%" in words for _, words in found.drawing.panel.x.ticks)
    assert [mark.words for mark in found.marks] == ["chance"]


def test_draws_that_are_all_the_same_still_have_a_picture():
    same = adjudge.Posterior("mcc", Drawn(np.full(100, 0.25)), "draws")
    found = posterior_set(same)
    assert found.scale.start < 0.25 < found.scale.stop
    assert "nan" not in svg(found, "x")


def test_a_bar_that_is_not_known_is_not_drawn():
    found = accuracy_posteriors_set(replace(believed("all right"), conventional=Conventional(1.0, float("nan"), "1 fold")))
    assert found.densities[0].reported is None
    assert found.densities[1].reported is not None


@pytest.mark.slow
@given(st.integers(0, 400), st.integers(0, 400), st.sampled_from(["flat", "jeffreys"]))
def test_any_rate_has_a_picture(right, wrong, prior):
    counts = adjudge.ConfusionCounts([[right, wrong], [0, 1]])
    found = accuracy_posteriors_set(adjudge.accuracy_posteriors(counts, prior=prior))
    assert all(isinstance(row, Density) and row.y.max() > 0 for row in found.densities)
    assert all(len(words) * LETTER < WIDTH for words in (label.words for label in labels(found)))
    assert found.scale.start < found.scale.stop
    assert 2 <= len(found.drawing.panel.x.ticks) <= 8


@given(st.floats(-1, 1), st.floats(1e-9, 1), st.booleans())
def test_ticks_are_told_apart(start, span, percent):
    words = equally_long(ticks(start, start + span), percent=percent)
    assert len(set(words)) == len(words)


@pytest.mark.slow
def test_plot_returns_the_axes_given():
    ax = Figure().subplots()
    assert believed("nearly all right").plot(ax, color="red") is ax
    red = [line for line in ax.get_lines() if line.get_label() == "Accuracy"]
    assert [line.get_color() for line in red] == ["red"]
    made = adjudge.plot(believed("owed to one class"))
    assert isinstance(made, Axes)
    made.figure.canvas.draw()
    assert made.get_title(loc="left").replace("\n", " ") == "one classifier, 55 cases. No sign of skill (Fisher mid-P = 0.24)"


def test_class_names_are_never_formulas():
    counts = adjudge.ConfusionCounts([[3, 1], [1, 2]], ("$x^2$", "b"))
    ax = posterior(counts, "sensitivity", positive="$x^2$").plot()
    ax.figure.canvas.draw()
    assert ax.texts[0].get_text() == "Sensitivity of $x^2$"
    assert not ax.texts[0].get_parse_math()


def test_folds_are_named():
    summed = adjudge.ConfusionCounts(sum(np.asarray(fold.cells) for fold in FOLDS.values()))
    found = accuracy_posteriors_set(adjudge.accuracy_posteriors(summed, by_fold=FOLDS))
    assert found.title == "an algorithm, 10 folds summed, 140 cases. Above chance (Fisher mid-P < 0.001)"
    assert "over 10 folds" in found.densities[0].reported.words
    assert escape(found.title) in svg(found, "x")


def test_marks_further_than_the_picture_bears_do_not_widen_it():
    distribution = posterior(adjudge.ConfusionCounts([[690, 10], [10, 690]]), "accuracy")
    near, far = (density_set((distribution,), 0.95, [("mark", value)]) for value in (0.97, 0.2))
    assert near.scale.start <= 0.97
    assert far.scale.start > 0.9


@pytest.mark.parametrize(("name", "values"), [("owed to one class", [0.55, 0.5]), ("mostly wrong", [0.5, 0.55])])
def test_no_line_of_a_mark_passes_through_words_of_another(name, values):
    found = accuracy_posteriors_set(believed(name), [("always a", 0.55)])
    assert [mark.value for mark in found.marks] == values
    asides = [label for label in labels(found) if label.style == "aside"]
    for i, label in enumerate(asides):
        wide = LETTER * len(label.words)
        left = label.x if label.anchor == "start" else label.x - wide
        below = [WIDTH * found.scale.part(mark.at) for mark in found.marks[i + 1 :]]
        assert not any(left < x < left + wide for x in below)


def test_points_that_look_alike_are_said_once():
    many = posterior_set(posterior(adjudge.ConfusionCounts([[5000, 500], [400, 5100]]), "accuracy")).densities[0]
    assert [point.name for point in many.points] == ["mean, median, mode"]
    assert many.points[0].words.startswith("mean, median, mode 91.8")
    few = posterior_set(posterior(adjudge.ConfusionCounts([[9, 1], [0, 2]]), "accuracy")).densities[0]
    assert [point.name for point in few.points] == ["mean", "median", "mode"]
    assert few.span[1] > few.step(2) > many.span[1] - many.base + few.base
