"""The pictures of corrections."""

import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.special import expit
from tests.described import facts
from tests.drawn import band, curve, dot, keys, references, shapes, svg

from adjudge.corrections.multipliers import error_curve
from adjudge.corrections.operating import accuracy_rejection
from adjudge.corrections.priors import PriorShift, count_priors
from adjudge.plots.corrections import MOST_CLASSES, error_picture, priors_forest, rejection_picture
from adjudge.plots.drawing import Area


def drawn(seed, n=60, sure=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    p = expit(sure * (2 * y - 1 + rng.normal(0, 1.5, n)))
    return np.column_stack([1 - p, p]), y


P, Y = drawn(7)
CURVE, REJECTION = error_curve(Y, P), accuracy_rejection(Y, P)
PRIORS = count_priors(["ill"] * 12 + ["well"] * 60, old=[0.5, 0.5])
PICTURES = {
    "errors": (CURVE, error_picture(CURVE)),
    "rejection": (REJECTION, rejection_picture(REJECTION)),
    "priors": (PRIORS, priors_forest(PRIORS)),
    "shift": (PRIORS.shift(), priors_forest(PRIORS.shift())),
}


def ends(picture):
    return picture.panel.x.start, picture.panel.x.stop


def height(picture, x):
    """Return the height of the drawn line at a value, between its corners."""
    return float(np.interp(math.log10(x), np.log10(curve(picture)[0]), curve(picture)[1]))


@pytest.mark.slow
@settings(max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from([1.0, 5.0, 300.0]))
def test_the_line_is_the_number_of_errors(seed, sure):
    p, y = drawn(seed, sure=sure)
    errors = error_curve(y, p)
    picture = error_picture(errors)
    at, (left, right) = errors.positive, ends(picture)
    with np.errstate(over="ignore"):
        breaks = p[:, 1 - at] / np.maximum(p[:, at], 1e-100)
    for multipliers in np.geomspace(left * 1.001, right / 1.001, 40):
        if np.min(np.abs(np.log(breaks / 2 + 1e-300) - np.log(multipliers / 2))) < 0.01:  # beside a step the line stands upright
            continue
        wrong = np.count_nonzero(np.where(multipliers * p[:, at] > p[:, 1 - at], at, 1 - at) != y)
        assert height(picture, multipliers) == pytest.approx(wrong, abs=0.001 * y.size)
    assert left < 1 < right
    assert dot(picture)[1] == errors.fewest
    assert picture.panel.y.start <= errors.fewest <= picture.panel.y.stop
    assert left <= dot(picture)[0] <= right


def test_the_keys_say_the_numbers():
    picture = error_picture(CURVE)
    other = 1 - CURVE.positive
    wrong_before = np.count_nonzero(np.where(P[:, CURVE.positive] > P[:, other], CURVE.positive, other) != Y)
    _, fewest, before, always = keys(picture)
    upright, level = references(picture)
    assert facts(before) == ["1", str(wrong_before)]
    assert [x for x, _ in upright] == [1, 1]
    assert facts(always) == ["0", str(np.count_nonzero(other != Y))]
    assert [y for _, y in level] == [np.count_nonzero(other != Y)] * 2
    assert fewest.startswith("fewest")
    assert facts(fewest)[0] == str(min(CURVE.errors))


def test_where_nothing_is_best_the_dot_stands_at_the_left_edge():
    errors = error_curve([1, 1, 1], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    picture = error_picture(errors)
    assert errors.best == 0
    assert dot(picture)[0] == pytest.approx(ends(picture)[0])
    assert min(picture.panel.at(np.array([(ends(picture)[0], 0.0)]))[0]) == picture.panel.left


def test_round_values_lie_on_the_axis_and_are_few():
    for sure in (0.1, 1, 3, 20, 500):
        picture = error_picture(error_curve(*drawn(3, sure=sure)[::-1]))
        values = [value for value, _ in picture.panel.x.ticks]
        assert 3 <= len(values) <= 7
        assert 1.0 in values
        assert ends(picture)[0] <= min(values) <= max(values) <= ends(picture)[1]
        assert all(float(words) == value for value, words in picture.panel.x.ticks)


def test_the_accuracy_among_the_surest():
    picture = rejection_picture(REJECTION)
    sure = P.max(axis=1)
    right = P.argmax(axis=1) == Y
    x, y = curve(picture)
    for rejected, accuracy in zip(x, y, strict=True):
        kept = sure >= np.sort(sure)[round(rejected * Y.size)]
        assert accuracy == pytest.approx(right[kept].mean(), abs=1e-12)
    assert dot(picture) == (x[0], y[0]) == (0, right.mean())
    _, low, high = band(picture)
    assert np.all((low <= y) & (y <= high))
    assert f"nothing rejected: {100 * right.mean():.1f}% (" in keys(picture)[-1]


def test_the_line_ends_where_few_cases_are_left():
    kept = np.rint((1 - curve(rejection_picture(REJECTION))[0]) * Y.size)
    assert kept.min() == 10
    few = rejection_picture(accuracy_rejection(Y[:6], P[:6]))
    assert curve(few).size >= 2


def test_the_band_goes_all_around():
    picture = rejection_picture(REJECTION)
    (around,) = shapes(picture, Area)
    assert len(around.parts[0]) == curve(picture).size
    assert not [item for item in error_picture(CURVE).items if isinstance(item, Area)]


@pytest.mark.slow
def test_long_lines_are_thinned_and_keep_their_shape():
    p, y = drawn(11, n=20_000)
    errors = error_curve(y, p)
    picture = error_picture(errors)
    assert curve(picture)[0].size <= 400
    for multipliers in np.geomspace(0.2, 5, 25):
        assert height(picture, multipliers) == pytest.approx(errors.at(multipliers), abs=0.01 * y.size)
    assert curve(rejection_picture(accuracy_rejection(y, p)))[0].size <= 3 * 400


def test_priors_before_and_now_with_their_limits():
    picture = priors_forest(PRIORS)
    rows = {row.name: row for row in picture.rows}
    assert list(rows) == ["ill was", "ill is", "well was", "well is"]
    assert rows["ill was"].value == 0.5
    assert not rows["ill was"].limited
    assert (rows["ill is"].value, rows["ill is"].words) == (12 / 72, "16.7%")
    assert (rows["ill is"].low, rows["ill is"].high) == tuple(PRIORS.interval[0])
    assert facts(picture.title) == ["72", "< 0.001"]
    assert priors_forest(count_priors(["a", "b"])).title == "Priors from 2 cases"


def test_a_shift_has_no_limits():
    rows = priors_forest(PriorShift([0.5, 0.5], [0.9, 0.1], ("yes", "no"))).rows
    assert [row.name for row in rows] == ["yes was", "yes new", "no was", "no new"]
    assert not any(row.limited for row in rows)


def test_of_many_classes_those_that_changed_most():
    old = np.full(30, 1 / 30)
    new = old.copy()
    new[[4, 20]] += (0.03, -0.03)
    picture = priors_forest(PriorShift(old, new))
    names = [row.name for row in picture.rows]
    assert len(names) == 2 * MOST_CLASSES
    assert {"4 new", "20 new"} < set(names)
    assert facts(picture.note) == ["18"]
    labels = [str(i) * 40 for i in range(3)]
    assert len({row.name for row in priors_forest(PriorShift([0.2, 0.3, 0.5], [0.3, 0.3, 0.4], labels)).rows}) == 6


@pytest.mark.parametrize("name", PICTURES)
def test_svg_is_whole_and_the_same_each_time(name):
    _, picture = PICTURES[name]
    drawing = svg(picture, name)
    assert drawing == svg(picture, name)
    root = ET.fromstring(drawing)  # noqa: S314 - our own words
    _, _, width, height_ = (float(v) for v in root.get("viewBox").split())
    for circle in root.iter("circle"):
        assert 0 < float(circle.get("cx")) < width
        assert 0 < float(circle.get("cy")) < height_
    assert root.find("desc").text == picture.drawing.words


@pytest.mark.parametrize("name", ["errors", "rejection"])
def test_every_key_is_written_beside_its_sign(name):
    _, picture = PICTURES[name]
    root = ET.fromstring(svg(picture, name))  # noqa: S314 - our own words
    written = [text.text for text in root.iter("text") if text.get("class") == "key"]
    assert written == keys(picture) == picture.words.split("; ")
    dashed = [line for line in root.iter("line") if line.get("class") == "ref"]
    assert len(dashed) == 2 * len(references(picture)) == (4 if name == "errors" else 0)


@pytest.mark.parametrize("name", PICTURES)
def test_matplotlib_draws_the_same(name):
    result, picture = PICTURES[name]
    ax = Figure().subplots()
    assert result.plot(ax) is ax
    ax.figure.canvas.draw()
    if name in ("errors", "rejection"):
        line = next(line for line in ax.get_lines() if line.get_label() == keys(picture)[0])
        assert line.get_xydata().T.tolist() == curve(picture).tolist()
        assert [text.get_text() for text in ax.texts] == keys(picture)
        assert ax.get_xscale() == ("log" if name == "errors" else "linear")
        assert ax.get_xlim() == pytest.approx(ends(picture))
    else:
        values = {line.get_label(): line.get_xdata()[0] for line in ax.get_lines() if not line.get_label().startswith("_")}
        assert values == {row.name: row.value for row in picture.rows}


def test_style_reaches_the_line():
    ax = Figure().subplots()
    CURVE.plot(ax, linewidth=5)
    assert [line.get_linewidth() for line in ax.get_lines() if line.get_label() == "errors"] == [5]


def test_a_hostile_name_is_only_text():
    bad, good = (
        svg(error_picture(error_curve([names[i] for i in Y], P, classes=names, positive=names[1])), "x")
        for names in (("plain", "</title><script>"), ("plain", "other"))
    )
    assert "<script" not in bad
    assert [e.tag for e in ET.fromstring(bad).iter()] == [e.tag for e in ET.fromstring(good).iter()]  # noqa: S314
    ax = Figure().subplots()
    error_curve([("a", "$x_{")[i] for i in Y], P, classes=("a", "$x_{"), positive="$x_{").plot(ax)
    ax.figure.canvas.draw()
