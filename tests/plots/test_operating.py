"""The picture of a threshold: its marks lie where they should, in SVG and on axes."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.drawn import svg

import adjudge
from adjudge import InputError
from adjudge._base.levels import share
from adjudge.plots.curves import curve_set
from adjudge.plots.drawing import Line
from adjudge.plots.labels import rare, threshold_words
from adjudge.plots.operating import FRAME, equal_cost, threshold_picture
from adjudge.plots.pictures import picture
from adjudge.stats.bands import Band


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
    places = marks(svg(threshold_picture(found, threshold=threshold), "thresholds"))
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
    drawn = threshold_picture(found, threshold=best.threshold, prevalence=0.1, miss_cost=8)
    (x0, y0), (x1, y1) = next(item.points for item in drawn.items if isinstance(item, Line) and item.style == "equal").tolist()
    table = found.table()
    above = y0 + (table.alarms / table.others - x0) * (y1 - y0) / (x1 - x0)
    assert (table.found / table.cases <= above + 1e-9).all()


def test_words_and_keys_tell_the_marks(found):
    drawn = threshold_picture(found, threshold=0.5)
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
    for kind, note in (("roc", "95% band of the whole curve"), ("class-reliability", "95% limits of each dot")):
        curve = evaluation.curves[kind][1]
        assert isinstance(curve.band, Band)
        one, two = curve_set((curve,)), curve_set((curve, curve))
        assert one.note == note
        assert two.note == ""
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
    one, other = (svg(drawn, "thresholds") for drawn in (picture(point), threshold_picture(found, threshold=0.3, **point.use)))
    assert one == other
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
    assert svg(picture(begun, threshold=0.6), "thresholds") == svg(picture(found.at(0.6, **point.use)), "thresholds")


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
