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
from tests.described import facts, mentions
from tests.drawn import curve, draw, labels, references, shapes, svg

import adjudge
from adjudge import posterior
from adjudge.estimates.estimate import Conventional
from adjudge.estimates.posterior import difference
from adjudge.plots.drawing import WIDTH, Area, Line, Marks
from adjudge.plots.posteriors import TALL, accuracy_posteriors_set, density_set, posterior_set
from adjudge.plots.scales import equally_long, ticks
from adjudge.plots.style import LETTER
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


def ends(found):
    """Return the values between which a picture lies."""
    return found.panel.x.start, found.panel.x.stop


def limits(found):
    """Return the interval of each row."""
    return [tuple(line.points[:, 0].tolist()) for line in shapes(found, Line, "span")]


def reported(found):
    """Return the bar of the first row, from end to end."""
    return tuple(shapes(found, Line, "bar")[0].points[:, 0].tolist())


def words(found):
    return [label.words for label in labels(found)]


def area(x, y):
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))


@pytest.mark.parametrize("make", LAWS.values(), ids=LAWS)
def test_the_shaded_part_of_a_posterior_holds_the_level(make):
    law = make()
    found = posterior_set(law)
    (shaded,), (low, high) = shapes(found, Area, "area"), limits(found)[0]
    x, down = shaded.parts[0][1:-1].T
    assert low <= x.min() <= x.max() <= high
    y, tall = np.asarray(law.distribution.pdf(x)), shaded.parts[0][0, 1] - down
    inside = tall < TALL * (1 - 1e-9)
    ratio = tall[inside] / y[inside]
    np.testing.assert_allclose(ratio, ratio[:1].repeat(ratio.size))
    assert area(x, y) == pytest.approx(0.95, abs=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_accuracy_and_balanced_accuracy_have_the_interval_they_have_everywhere(name):
    counts = adjudge.ConfusionCounts(TABLES[name][0])
    found = accuracy_posteriors_set(believed(name))
    told = adjudge.evaluate(counts).estimates
    for (low, high), measure in zip(limits(found), ("accuracy", "balanced_accuracy"), strict=True):
        interval = adjudge.interval(counts, measure)
        assert (low, high) == (interval.low, interval.high)
        assert told[measure].interval == interval
        assert ends(found)[0] <= low <= high <= ends(found)[1]


@PICTURES
def test_everything_lies_within_the_picture(make):
    found = make()
    (start, stop), height = ends(found), found.panel.bottom - found.panel.top
    for line, axis in zip(shapes(found, Line, "curve"), shapes(found, Line, "axis"), strict=True):
        x, down = line.points.T
        assert np.all(np.diff(x) >= 0)
        assert axis.points[0, 1] - TALL <= down.min() <= down.max() <= axis.points[0, 1]
    for item in (*shapes(found, Line), *shapes(found, Marks)):
        x, down = item.points.T
        assert start <= x.min() <= x.max() <= stop
        assert 0 < down.min() <= down.max() <= height
    assert all(start <= value <= stop for value, _ in found.panel.x.ticks)


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
    assert ax.get_xlim() == ends(found)
    assert [text.get_text() for text in ax.texts] == [label.words for label in labels(found)]
    rows = shapes(found, Line, "curve")
    curves = [line for line in ax.get_lines() if line.get_label() in {row.label for row in rows}]
    for row, line in zip(rows, curves, strict=True):
        assert np.array_equal(line.get_xydata(), row.points)


def test_the_bar_of_two_standard_errors_passes_everything():
    found = accuracy_posteriors_set(believed("nearly all right"))
    _, high = reported(found)
    share, n = 138 / 140, 140
    assert high == pytest.approx(share + 2 * (share * (1 - share) / n) ** 0.5)
    assert ends(found)[1] > high > 1
    assert {tuple(part[:2, 0]) for item in shapes(found, Area, "beyond") for part in item.parts} == {(1.0, ends(found)[1])}
    assert "impossible" in words(found)
    assert max(value for value, _ in found.panel.x.ticks) <= 1
    assert limits(found)[0][1] < 1  # the posterior knows better


def test_the_bar_passes_nothing_too():
    found = accuracy_posteriors_set(believed("mostly wrong"))
    assert reported(found)[0] < 0
    assert {tuple(part[:2, 0]) for item in shapes(found, Area, "beyond") for part in item.parts} == {(ends(found)[0], 0.0)}


def test_a_possible_bar_leaves_no_impossible_part():
    found = accuracy_posteriors_set(believed("owed to one class"))
    assert not shapes(found, Area, "beyond")
    assert 0 <= ends(found)[0] < ends(found)[1] <= 1


def test_a_near_chance_level_is_in_the_picture():
    found = accuracy_posteriors_set(believed("owed to one class"))
    (accuracy, _), (low, high) = limits(found)
    assert {x for line in references(found) for x, _ in line} == {0.5}
    assert "chance 50.0%" in words(found)
    assert low < 0.5 < high
    assert accuracy > 0.5


def test_a_far_chance_level_is_pointed_at():
    found = accuracy_posteriors_set(believed("nearly all right"))
    assert not references(found)
    assert "◂ chance 50.0%" in words(found)


def test_mean_median_and_mode_against_scipy():
    found = accuracy_posteriors_set(believed("nearly all right"))
    distribution = stats.beta(139, 3)
    mean, median, mode = (item.points[0, 0] for item in shapes(found, Marks, "mark0"))
    assert mean == pytest.approx(distribution.mean())
    assert median == pytest.approx(distribution.median())
    assert mode == pytest.approx(138 / 140)
    assert mean < median < mode  # the order of a distribution that leans left
    assert [label.words.split()[0] for label in labels(found) if label.words.startswith("m")][:3] == ["mean", "median", "mode"]
    assert len({item.shape for item in shapes(found, Marks, "mark0")}) == 3
    x, down = curve(found)
    tall, y = shapes(found, Line, "axis")[0].points[0, 1] - down[1:-1], distribution.pdf(x[1:-1])
    assert np.allclose(tall, TALL * y / y.max())


def test_what_is_reported_is_told():
    found = accuracy_posteriors_set(believed("owed to one class"))
    told = [facts(each) for each in words(found)]
    assert ["76.4%", "± 2", "55", "64.9%", "87.8%"] in told
    assert ["54.4%"] in told
    assert shapes(found, Marks, "bar")[1].points[0, 0] == pytest.approx((40 / 45 + 2 / 10) / 2)


def test_a_density_without_bound_leaves_through_the_top():
    law = LAWS["no bound at the end"]()
    found = posterior_set(law)
    base, (x, down) = shapes(found, Line, "axis")[0].points[0, 1], curve(found)
    assert (down[0], down[-1]) == (base, base - TALL)
    (shaded,) = (area.parts[0] for area in shapes(found, Area, "area"))
    assert law.distribution.pdf(shaded[:, 0].max()) > law.distribution.pdf(x[-2])  # it is higher than is drawn
    median = shapes(found, Line, "stem")[1].points
    assert median[0, 1] > base - 0.9 * TALL  # well below the top
    _, both = curve(posterior_set(LAWS["no bound at both ends"]()))
    assert both[0] == both[-1] < both.max()


def test_a_distribution_without_a_mode_says_so():
    found = posterior_set(LAWS["level"]())
    assert "mode undefined" in words(found)
    assert svg(found, "x").count("<circle") == 1


def test_a_difference_is_read_against_zero():
    found = posterior_set(LAWS["a difference"]())
    assert words(found)[0] == "Difference in balanced accuracy"
    assert {x for line in references(found) for x, _ in line} == {0.0}
    assert words(found)[-1] == "no difference"


def test_measures_that_are_no_shares_are_written_as_numbers():
    found = posterior_set(LAWS["drawn"]())
    assert words(found)[0] == "MCC"
    assert not any("%" in tick for _, tick in found.panel.x.ticks)
    assert words(found)[-1].strip("◂ ") == "chance"


def test_draws_that_are_all_the_same_still_have_a_picture():
    same = adjudge.Posterior("mcc", Drawn(np.full(100, 0.25)), "draws")
    found = posterior_set(same)
    assert ends(found)[0] < 0.25 < ends(found)[1]
    assert "nan" not in svg(found, "x")


def test_a_bar_that_is_not_known_is_not_drawn():
    found = accuracy_posteriors_set(replace(believed("all right"), conventional=Conventional(1.0, float("nan"), "1 fold")))
    assert len(shapes(found, Marks, "bar")) == 1
    assert not any("± 2 SE" in each for each in words(found))
    assert any("as seen" in each for each in words(found))


@pytest.mark.slow
@given(st.integers(0, 400), st.integers(0, 400), st.sampled_from(["flat", "jeffreys"]))
def test_any_rate_has_a_picture(right, wrong, prior):
    counts = adjudge.ConfusionCounts([[right, wrong], [0, 1]])
    found = accuracy_posteriors_set(adjudge.accuracy_posteriors(counts, prior=prior))
    assert all(np.ptp(line.points[:, 1]) > 0 for line in shapes(found, Line, "curve"))
    assert all(len(each) * LETTER < WIDTH for each in words(found))
    assert ends(found)[0] < ends(found)[1]
    assert 2 <= len(found.panel.x.ticks) <= 8


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
    assert mentions(made.get_title(loc="left"), "one classifier, 55 cases")
    assert mentions(made.get_title(loc="left"), "No sign of skill", "0.24")


def test_class_names_are_never_formulas():
    counts = adjudge.ConfusionCounts([[3, 1], [1, 2]], ("$x^2$", "b"))
    ax = posterior(counts, "sensitivity", positive="$x^2$").plot()
    ax.figure.canvas.draw()
    assert ax.texts[0].get_text() == "Sensitivity of $x^2$"
    assert not ax.texts[0].get_parse_math()


def test_folds_are_named():
    summed = adjudge.ConfusionCounts(sum(np.asarray(fold.cells) for fold in FOLDS.values()))
    found = accuracy_posteriors_set(adjudge.accuracy_posteriors(summed, by_fold=FOLDS))
    assert mentions(found.heading, "an algorithm, 10 folds")
    assert mentions(found.heading, "Above chance", "Fisher mid-P < 0.001")
    assert facts(found.heading) == ["10", "140", "< 0.001"]
    assert any("over 10 folds" in each for each in words(found))
    assert escape(found.heading) in svg(found, "x")


def test_marks_further_than_the_picture_bears_do_not_widen_it():
    distribution = posterior(adjudge.ConfusionCounts([[690, 10], [10, 690]]), "accuracy")
    near, far = (density_set((distribution,), 0.95, [("mark", value)]) for value in (0.97, 0.2))
    assert ends(near)[0] <= 0.97
    assert ends(far)[0] > 0.9


@pytest.mark.parametrize(("name", "values"), [("owed to one class", [0.55, 0.5]), ("mostly wrong", [0.5, 0.55])])
def test_no_line_of_a_mark_passes_through_words_of_another(name, values):
    found = accuracy_posteriors_set(believed(name), [("always a", 0.55)])
    assert list(dict.fromkeys(x for line in references(found) for x, _ in line)) == values
    start, stop = ends(found)
    asides = [label for label in labels(found) if label.style == "aside"]
    for i, label in enumerate(asides):
        wide = LETTER * len(label.words)
        left = label.x if label.anchor == "start" else label.x - wide
        below = [WIDTH * (value - start) / (stop - start) for value in values[i + 1 :]]
        assert not any(left < x < left + wide for x in below)


def test_points_that_look_alike_are_said_once():
    many = posterior_set(posterior(adjudge.ConfusionCounts([[5000, 500], [400, 5100]]), "accuracy"))
    assert len(shapes(many, Marks, "mark0")) == 1
    assert words(many)[-1].startswith("mean, median, mode 91.8")
    few = posterior_set(posterior(adjudge.ConfusionCounts([[9, 1], [0, 2]]), "accuracy"))
    assert [each.split()[0] for each in words(few)[-3:]] == ["mean", "median", "mode"]
    assert few.height > many.height
