"""The picture of a threshold: its marks lie where they should, in SVG and on axes."""

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.drawn import svg

import adjudge
from adjudge import InputError
from adjudge._base.levels import share
from adjudge.plots.curves import FRAME, MOST_POINTS, curve_set, equal_cost, off_line, stepped, thinned, threshold_picture
from adjudge.plots.drawing import Line
from adjudge.plots.labels import rare, threshold_words
from adjudge.plots.pictures import picture
from adjudge.plots.scales import ticks
from adjudge.stats.bands import Band


def deviation(x, y, kept):
    """How far the whole curve leaves what is drawn, piece by piece."""
    pieces = pairwise(kept)
    return max((off_line(x[i : j + 1], y[i : j + 1], (x[i], y[i]), (x[j], y[j])).max() for i, j in pieces), default=0.0)


def roc_of(n, seed=0, digits=None):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    scores = rng.normal(truth * 1.2)
    return adjudge.roc(truth, scores if digits is None else scores.round(digits), positive=1)


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 1000, 20_000, 1_000_000])
def test_a_thinned_roc_curve_looks_the_same(n):
    curve = roc_of(n)
    kept = thinned(curve.x, curve.y)
    assert len(kept) <= MOST_POINTS
    assert kept[0] == 0
    assert kept[-1] == curve.x.size - 1
    assert deviation(curve.x, curve.y, kept) < 0.002  # under one pixel of the page's pictures


@pytest.mark.slow
def test_a_thinned_precision_recall_curve_looks_the_same():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 200_000)
    curve = adjudge.precision_recall(truth, rng.normal(truth), positive=1)
    x, y = stepped(curve.x, curve.y)
    kept = thinned(x, y)
    assert len(kept) <= MOST_POINTS
    assert deviation(x, y, kept) < 0.005


@pytest.mark.slow
@given(st.integers(1, 60).flatmap(lambda n: arrays(np.float64, (2, n), elements=st.floats(0, 1))), st.integers(2, 30))
def test_thinning_keeps_ends_and_order_of_any_curve(points, most):
    x, y = points
    kept = thinned(x, y, most=most)
    assert kept[0] == 0
    assert kept[-1] == x.size - 1
    assert np.all(np.diff(kept) > 0)
    assert len(kept) <= max(most, 2)
    assert len(kept) == most or deviation(x, y, kept) <= 0.0005 + 1e-12


def needed(x, y, i, j, tolerance=0.0005):
    """Yield the points that Douglas and Peucker's recursion keeps between two, in the words of their paper."""
    far = [math.dist((x[k], y[k]), nearest(x[k], y[k], x[i], y[i], x[j], y[j])) for k in range(i + 1, j)]
    if far and max(far) > tolerance:
        k = i + 1 + far.index(max(far))
        yield from (*needed(x, y, i, k), k, *needed(x, y, k, j))


def nearest(x, y, x1, y1, x2, y2):
    length = (x2 - x1) ** 2 + (y2 - y1) ** 2
    part = min(max(((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length, 0.0), 1.0) if length else 0.0
    return x1 + part * (x2 - x1), y1 + part * (y2 - y1)


@given(st.integers(2, 25).flatmap(lambda n: arrays(np.float64, (2, n), elements=st.floats(0, 1, width=16))))
@settings(max_examples=40)
def test_thinning_keeps_what_the_recursion_keeps(points):
    x, y = points
    assert thinned(x, y).tolist() == [0, *needed(x, y, 0, x.size - 1), x.size - 1]


def test_the_steps_have_the_area_of_the_average_precision():
    curve = adjudge.precision_recall([0, 1, 1, 0, 1], [0.1, 0.9, 0.4, 0.5, 0.3], positive=1)
    x, y = stepped(curve.x, curve.y)
    assert np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2) == pytest.approx(curve.area)


def test_of_many_curves_the_least_areas_are_in_colour():
    curves = [roc_of(200, seed=i) for i in range(8)]
    found = curve_set(curves)
    lines = [item for item in found.items if isinstance(item, Line) and not item.page and item.style != "ref"]
    assert [line.style for line in lines] == ["context"] * 3 + [f"curve line{i}" for i in range(5)]
    assert sorted(line.label for line in lines[3:]) == [f"AUC {area:.3f}" for area in sorted(curve.area for curve in curves)[:5]]


def test_few_risks_get_the_whole_height():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    found = curve_set([adjudge.risk_coverage(truth, np.clip(rng.normal(0.2 + 0.6 * truth, 0.1), 0, 1), positive=1)])
    assert found.panel.y.stop < 0.5


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_and_hold_the_span(low, span):
    found = ticks(low, low + span)
    assert 2 <= len(found) <= 8
    assert found[0] <= low + 1e-6 * span + 1e-9
    assert found[-1] >= low + span * (1 - 1e-6) - 1e-6


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    y = (rng.random(500) < 0.3).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(np.where(y, 1, -1), 1.2)))
    return adjudge.thresholds(adjudge.Predictions(np.array(["well", "ill"])[y], scores={"ill": p}, positive="ill"))


def marks(drawing):
    """Where the marks are in the unit square, by their class."""
    places = {}
    for element in ET.fromstring(drawing).iter():  # noqa: S314 - our own drawing
        kind = element.get("class", "")
        if element.tag.endswith("circle") and "key" not in kind:
            x, y = (float(element.get(name)) for name in ("cx", "cy"))
            places[kind] = (
                (x - FRAME["left"]) / (FRAME["right"] - FRAME["left"]),
                (FRAME["bottom"] - y) / (FRAME["bottom"] - FRAME["top"]),
            )
    return places


@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.93])
def test_marks_lie_at_the_rates(found, threshold):
    here, best = found.at(threshold), found.least_cost()
    places = marks(svg(threshold_picture(found.at(threshold)), "thresholds"))
    for name, point in (("here", here), ("best", best)):
        assert places[name] == pytest.approx((1 - point.specificity.value, point.sensitivity.value), abs=1e-4)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 100))
def test_points_of_equal_cost_lie_on_a_line_across_the_square(x, y, rise):
    ends = equal_cost((x, y), rise)
    for a, b in ends:
        assert -1e-9 <= a <= 1 + 1e-9
        assert -1e-9 <= b <= 1 + 1e-9
        assert (b - y) == pytest.approx(rise * (a - x), abs=1e-9)  # the cost rises by the slope to the right, falls up
    assert ends[0][0] <= x + 1e-9
    assert ends[1][0] >= x - 1e-9


def test_the_line_of_equal_cost_touches_the_curve_at_the_cheapest_threshold(found):
    best = found.least_cost(prevalence=0.1, miss_cost=8)
    drawn = threshold_picture(found.at(best.threshold, prevalence=0.1, miss_cost=8))
    (x0, y0), (x1, y1) = next(item.points for item in drawn.items if isinstance(item, Line) and item.style == "equal").tolist()
    table = found.table()
    above = y0 + (table.alarms / table.others - x0) * (y1 - y0) / (x1 - x0)
    assert (table.found / table.cases <= above + 1e-9).all()


def test_words_and_keys_tell_the_marks(found):
    drawn = threshold_picture(found.at(0.5))
    signs = [item.style for item in drawn.items if item.style.endswith(("key-mark", "band-key"))]
    assert signs == ["here key-mark", "best key-mark", "decided key-mark", "equal key-mark", "band-key"]
    assert drawn.words.startswith("ill against the rest. This threshold: ")
    text = svg(drawn, "thresholds")
    for words in ("this threshold", "least expected cost", "as decided", "the same cost", "95% band of the whole curve"):
        assert words in text
    assert "style=" not in text


def test_a_label_cannot_leave_its_picture():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    names = np.array(["well", "<script>alert(1)</script>"], dtype=object)
    found = adjudge.thresholds(
        adjudge.Predictions(names[y], scores={names[1]: np.clip(rng.normal(y, 1), 0, 1)}, positive=names[1])
    )
    assert "<script" not in svg(threshold_picture(found), "thresholds")


@pytest.mark.slow
def test_it_is_drawn_on_axes(found):
    ax = found.plot(threshold=0.3, prevalence=0.02, miss_cost=10)
    labels = [text.get_text() for text in ax.texts]
    assert "this threshold" in labels
    assert "95% band of the whole curve" in labels
    here = found.at(0.3)
    dot = next(line for line in ax.lines if line.get_label() == "this threshold")
    assert (dot.get_xdata()[0], dot.get_ydata()[0]) == pytest.approx((1 - here.specificity.value, here.sensitivity.value))
    with pytest.raises(InputError, match="threshold must be a number"):
        found.plot(threshold="high")


@pytest.mark.parametrize(
    ("value", "probable", "words"),
    [
        (0.5, True, "50.0%"),
        (0.000123456, True, "0.0123%"),
        (0.0, True, "0.0%"),
        (-2.5, False, "-2.5"),
        (np.inf, True, "none positive"),
        (1.5, True, "1.5"),
    ],
)
def test_a_threshold_is_written_as_its_scale_is(value, probable, words):
    assert threshold_words(value, probable=probable) == words


@pytest.mark.slow
def test_bands_of_curves_are_drawn_where_there_is_one_curve():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    p = np.clip(rng.normal(0.3 + 0.4 * y, 0.2), 0, 1)
    evaluation = adjudge.evaluate(adjudge.Predictions(y, scores=p, positive=1))
    for kind, note in (("roc", "95% band of the whole curve"), ("class-reliability", "95% interval of each bin")):
        curve = evaluation.curves[kind][1]
        assert isinstance(curve.band, Band)
        one, two = curve_set((curve,)), curve_set((curve, curve))
        assert one.words.endswith(note)
        assert note not in two.words
        assert note in svg(one, kind)
        assert note not in svg(two, kind)
        texts = [text.get_text() for text in curve.plot().texts]
        assert note in texts


@pytest.mark.slow
def test_dots_of_a_reliability_curve_stand_before_a_faint_line_and_the_legend_hides_none():
    p = np.repeat([0.05, 0.15, 0.35, 0.55, 0.75, 0.95], 40)
    for true in (0.95, 0.05):  # dots high to the left, and low to the right
        y = (np.random.default_rng(3).random(p.size) < true).astype(int)
        curve = adjudge.evaluate(adjudge.Predictions(y, scores=p, positive=1)).curves["class-reliability"][1]
        drawing = svg(curve_set((curve,)), "reliability")
        assert "joined" in drawing
        plate = re.search(r'class="plate" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', drawing)
        x, y0, w, h = map(float, plate.groups())
        dots = [(float(a), float(b)) for a, b in re.findall(r'class="dot[^"]*" cx="([\d.]+)" cy="([\d.]+)"', drawing)]
        assert len(dots) == 6
        assert not [dot for dot in dots if x <= dot[0] <= x + w and y0 <= dot[1] <= y0 + h]


@pytest.mark.slow
def test_a_point_is_drawn_on_its_curve(found):
    point = found.at(0.3, prevalence=0.02, miss_cost=10)
    lines = (
        [(line.get_label(), *line.get_xydata().ravel()) for line in ax.lines]
        for ax in (point.plot(), found.plot(threshold=0.3, **point.use))
    )
    assert next(lines) == next(lines)
    best = found.least_cost(prevalence=0.02)
    here, cheapest = (item.points.tolist() for item in picture(best).items[-1:-3:-1])
    assert here == cheapest
    dot = next(line for line in best.plot().lines if line.get_label() == "this threshold")
    assert (dot.get_xdata()[0], dot.get_ydata()[0]) == pytest.approx((1 - best.specificity.value, best.sensitivity.value))
    with pytest.raises(InputError, match="knows no curve"):
        picture(replace(point, every=None))


def test_a_picture_begins_with_what_was_asked(found):
    point = found.at(0.3, prevalence=0.02, miss_cost=10)
    begun = found.beginning(point)
    assert svg(picture(begun), "thresholds") == svg(picture(point), "thresholds")
    here, wanted = (ax.lines[-1].get_xydata() for ax in (begun.plot(threshold=0.6), found.at(0.6, **point.use).plot()))
    assert here.tolist() == wanted.tolist()


@given(st.floats(0, 1), st.floats(0, 1), st.booleans())
def test_digits_are_added_until_the_number_shown_calls_the_same(one, other, probable):
    low, high = sorted((one, other))
    if low < high:
        words = threshold_words(high, probable=probable, alike=(low, high))
        shown = Fraction(words.rstrip("%")) / (100 if words.endswith("%") else 1)
        assert low < float(shown) <= high


@given(st.floats(0, 1))
def test_a_rare_share_has_two_digits(value):
    words = rare(value)
    if 1e-6 < value < 0.01:
        assert len(words.rstrip("%").replace(".", "").lstrip("0")) >= 2
        assert float(words.rstrip("%")) / 100 == pytest.approx(value, rel=0.06)
    if value >= 0.01:
        assert words == share(value, 1, 6)
