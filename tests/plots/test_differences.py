"""The picture of a difference: its three parts, what it says, and that both drawings of it are whole."""

import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats
from tests.described import facts
from tests.drawn import draw, labels, shapes, svg

import adjudge
from adjudge.estimates.differences import Difference
from adjudge.judgements.comparison import judge_difference
from adjudge.metrics.catalogue import find
from adjudge.plots.differences import BASE, ROOM, STRIP, TALL, THICK, difference_picture, outcome_bars
from adjudge.plots.drawing import SIDE, WIDTH, Area, Line, Marks, Text
from adjudge.plots.labels import ems, probability, rounded
from adjudge.plots.style import DARK, LETTER, LIGHT, LOOKS, contrast
from adjudge.stats.distribution import BetaDistribution
from adjudge.stats.student import PointDistribution, StudentDistribution
from adjudge.stats.transforms import Drawn

LONG = ("random_forest_on_all_the_features.csv", "gradient_boosting_tuned_for_a_week.csv")


def compared(
    distribution, *, seen=None, margin=0.01, measure="accuracy", names=("a.csv", "b.csv"), level=0.95, outcomes=None, of=None
):
    difference = distribution.median if seen is None else seen
    found = Difference(0.5 + difference, 0.5, distribution, "made up", outcomes)
    return judge_difference(found, find(measure), names=names, cases=500, margin=margin, level=level, of=of)


RESULTS = {
    "better": lambda: compared(StudentDistribution(0.024, 0.009)),
    "worse": lambda: compared(StudentDistribution(-0.03, 0.012)),
    "undecided": lambda: compared(StudentDistribution(0.004, 0.012, 9), names=LONG),
    "equivalent": lambda: compared(StudentDistribution(0.001, 0.003)),
    "no doubt": lambda: compared(PointDistribution(0.0)),
    "no doubt, far away": lambda: compared(PointDistribution(-0.2)),
    "no doubt, every difference matters": lambda: compared(PointDistribution(0.25), margin=0),
    "draws all the same": lambda: compared(Drawn(np.full(50, 0.125))),
    "very narrow": lambda: compared(StudentDistribution(0.0, 1e-6)),
    "very narrow, far away": lambda: compared(StudentDistribution(0.2, 1e-6)),
    "very wide": lambda: compared(StudentDistribution(0.1, 0.3)),
    "heavy tails": lambda: compared(StudentDistribution(0.1, 0.05, 1)),
    "every difference matters": lambda: compared(StudentDistribution(0.01, 0.01), margin=0),
    "hardly any does": lambda: compared(StudentDistribution(0.01, 0.01), margin=0.08),
    "none does": lambda: compared(StudentDistribution(0.01, 0.01), margin=0.9),
    "less is better": lambda: compared(StudentDistribution(-0.02, 0.012), measure="error"),
    "log loss": lambda: compared(StudentDistribution(0.03, 0.012), measure="log_loss"),
    "large numbers": lambda: compared(StudentDistribution(1234.0, 800.0), measure="mae", margin=120),
    "tiny numbers": lambda: compared(StudentDistribution(3e-9, 2e-9), measure="mae", margin=1e-10),
    "drawn": lambda: compared(Drawn(np.random.default_rng(0).normal(0.05, 0.03, 5000)), measure="mcc"),
    "one class": lambda: compared(StudentDistribution(0.015, 0.02), measure="sensitivity", of="versicolor or another long name"),
    "no bound": lambda: compared(BetaDistribution(0.5, 8)),
    "steep end": lambda: compared(BetaDistribution(1, 40)),
    "another level": lambda: compared(StudentDistribution(0.02, 0.01, 3), level=0.999),
    "distribution unknown": lambda: replace(compared(StudentDistribution(0.024, 0.009)), distribution=None),
}
EACH = pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in RESULTS.items()])


def kinds(found):
    """Return what may be, from left to right."""
    return [label.words.partition(")")[0].removeprefix("P(") for label in labels(found) if label.style == "head"]


def said(found, kind):
    """Return how probable a part is said to be."""
    return next(label.words.partition(") ")[2] for label in labels(found) if label.words.startswith(f"P({kind})"))


def under(found, kind, peak):
    """Return the area drawn of a part, as a probability, where the highest density drawn is `peak`."""
    areas = [item.parts[0][1:-1].T for item in found.items if isinstance(item, Area) and item.style == kind]
    (x, down) = areas[0] if areas else np.zeros((2, 0))
    y = (BASE - down) * peak / (TALL - ROOM)
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))


def within(found, kind):
    """Return between which values the strip of a part lies; NaN where there is none."""
    strips = shapes(found, Area, f"{kind} whole")
    return (strips[0].parts[0][0, 0], strips[0].parts[0][1, 0]) if strips else (math.nan, math.nan)


def ends(found):
    return found.panel.x.start, found.panel.x.stop


def across(found, value):
    """Return units across to a value."""
    start, stop = ends(found)
    return WIDTH * (value - start) / (stop - start)


def spike(found):
    """Return where the difference lies that is beyond doubt, if one is."""
    return [line.points[0, 0] for line in shapes(found, Line, "heavy")]


def sides(found):
    left, right = labels(found)[:2]
    return left.words.removeprefix("◂ "), right.words.removesuffix(" ▸")


def observed(found):
    return next(label.words for label in labels(found) if label.style == "key" and label.y > BASE)


def zero(found):
    return next(label.words for label in labels(found) if label.style == "aside")


def curve(found):
    """Return the points of the density that are drawn."""
    lines = shapes(found, Line, "curve edge")
    return lines[0].points if lines else np.empty((0, 2))


def heights(found):
    """Return the density that is drawn, as a part of the highest."""
    return (BASE - curve(found)[:, 1]) / (TALL - ROOM)


def squares(found):
    """Return units across and down to the squares before probabilities."""
    marks = [item for item in found.items if isinstance(item, Marks) and item.shape == "square"]
    return [(x - SIDE, y - 4) for item in marks for x, y in item.points.tolist()]


def ticks(found):
    return found.panel.x.ticks


@pytest.mark.parametrize(
    ("distribution", "oracle"),
    [
        (StudentDistribution(0.024, 0.009), stats.norm(0.024, 0.009)),
        (StudentDistribution(-0.3, 0.2), stats.norm(-0.3, 0.2)),
        (StudentDistribution(0.004, 0.012, 9), stats.t(9, 0.004, 0.012)),
        (BetaDistribution(2, 60), stats.beta(2, 60)),
        (StudentDistribution(0.01, 1e-4), stats.norm(0.01, 1e-4)),
    ],
)
@pytest.mark.parametrize("margin", [0.0, 0.01, 0.05])
def test_areas_are_the_probabilities(distribution, oracle, margin):
    result = compared(distribution, margin=margin)
    found = difference_picture(result)
    wanted = {"worse": oracle.cdf(-margin), "same": oracle.cdf(margin) - oracle.cdf(-margin), "better": oracle.sf(margin)}
    known = np.where((x := curve(found)[:, 0]) < distribution.support[0], 0, oracle.pdf(x))
    assert kinds(found) == [kind for kind in wanted if margin or kind != "same"]
    for kind in kinds(found):
        assert under(found, kind, known.max()) == pytest.approx(wanted[kind], abs=4e-3)
        assert getattr(result, kind) == pytest.approx(wanted[kind], rel=1e-11, abs=1e-15)
        assert said(found, kind).removeprefix("= ") == probability(wanted[kind])
    assert heights(found) == pytest.approx(known / known.max(), rel=1e-9, abs=1e-12)


@EACH
def test_everything_lies_within_the_picture(make):
    found = difference_picture(make())
    start, stop = ends(found)
    assert start < stop
    (diamond,), interval = shapes(found, Marks, "mark4"), shapes(found, Line, "bar")
    for value in (diamond.points[0, 0], *(line.points[i, 0] for line in interval for i in (0, 1)), *spike(found)):
        assert start <= value <= stop
    if len(curve(found)):
        x, down = curve(found).T
        assert start <= x.min() <= x.max() <= stop
        assert STRIP + THICK < down.min() <= down.max() <= BASE
        assert down.max() - down.min() > 80  # it fills the picture
    shown = ticks(found)
    assert 2 <= len(shown) <= 8
    assert len({words for _, words in shown}) == len(shown)
    assert all(start <= value <= stop for value, _ in shown)
    assert all(-1 <= x <= WIDTH for x, _ in squares(found))


@EACH
def test_words_keep_apart_and_on_the_paper(make):
    boxes = []
    found = difference_picture(make())
    for label in labels(found):
        wide = 0.56 * 13 * len(label.words)
        left = label.x - {"start": 0, "middle": wide / 2, "end": wide}[label.anchor]
        assert left >= -1
        assert left + wide <= WIDTH + 1
        boxes.append((left, left + wide, label.y))
    boxes += [(x - 4, x + 4, y + 4) for x, y in squares(found)]
    for (low, high, y), (other_low, other_high, other_y) in combinations(boxes, 2):
        assert high <= other_low or other_high <= low or abs(y - other_y) >= 13


@EACH
def test_svg_is_whole_and_the_same_each_time(make):
    picture = svg(difference_picture(make()), "difference")
    assert picture == svg(difference_picture(make()), "difference")
    assert not {"nan", "inf"} & {token for tag in picture.split("<") for token in tag.replace('"', " ").split()}
    root = ET.fromstring(picture)  # noqa: S314 - our own words
    _, _, width, height = (float(v) for v in root.get("viewBox").split())
    for text in root.iter("text"):
        assert 0 <= float(text.get("x")) <= width
        assert 0 <= float(text.get("y")) <= height
    for path in root.iter("path"):
        xy = np.array([point.split() for point in path.get("d").strip("MZ").split("L")], dtype=float)
        assert np.all((xy >= 0) & (xy <= (width, height)))
    told = root.find("desc").text
    assert all(each in told for each in ("observed", "P(worse)", "P(better)", "on the left"))


@EACH
def test_matplotlib_draws_the_same_geometry(make):
    found, ax = difference_picture(make()), Figure(figsize=(5, 3)).subplots()
    assert draw(found, ax) is ax
    ax.figure.canvas.draw()
    assert ax.get_xlim() == ends(found)
    assert [text.get_text() for text in ax.texts] == [label.words for label in labels(found)]
    assert not any(text.get_parse_math() for text in ax.texts)
    curves = [line for line in ax.get_lines() if line.get_label() == found.heading]
    if not spike(found) and len(curve(found)):
        assert np.array_equal(curves[0].get_xdata(), curve(found)[:, 0])
    else:
        assert [list(line.get_xdata()) for line in curves] == [[at] * 2 for at in spike(found)]


def test_the_axis_is_a_minus_b_and_the_better_side_depends_on_the_measure():
    distribution = StudentDistribution(0.02, 0.012)
    more, less = (difference_picture(compared(distribution, measure=name)) for name in ("accuracy", "error"))
    assert sides(more) == ("b.csv better", "a.csv better")
    assert sides(less) == ("a.csv better", "b.csv better")
    assert kinds(more) == ["worse", "same", "better"]
    assert kinds(less) == ["better", "same", "worse"]
    above = stats.norm(0.02, 0.012).sf(0.01)
    for found, kind in ((more, "better"), (less, "worse")):
        assert within(found, kind)[0] == 0.01
        assert said(found, kind) == f"= {above:.2f}"
        assert np.array_equal(curve(found), curve(more))
        assert ends(found) == ends(more)


def test_parts_stand_from_left_to_right_above_what_they_are():
    found = difference_picture(RESULTS["undecided"]())
    odds = [label for label in labels(found) if label.style == "head"]
    assert [label.words.partition(")")[0] for label in odds] == ["P(worse", "P(same", "P(better"]
    assert [label.x for label in odds] == sorted(label.x for label in odds)
    worse, _, better = odds
    assert worse.x < across(found, -0.01)
    assert better.x > across(found, 0.01)


def test_probabilities_are_never_0_or_1():
    found = difference_picture(RESULTS["very narrow, far away"]())
    assert {kind: said(found, kind) for kind in kinds(found)} == {"worse": "< 0.01", "same": "< 0.01", "better": "> 0.99"}
    odds = stats.norm(0.024, 0.009)
    assert said(difference_picture(RESULTS["better"]()), "better") == f"= {odds.sf(0.01):.2f}"


@given(st.floats(0, 1), st.integers(1, 6))
def test_a_probability_is_rounded_but_never_to_certainty(p, digits):
    words = probability(p, digits)
    value = float(words.lstrip("<> "))
    assert 0 < value < 1
    assert abs(value - p) <= 10.0**-digits * 1.0000001
    assert (words[0] == "<") <= (p < value)
    assert (words[0] == ">") <= (p > value)


def test_shares_are_told_in_percentage_points():
    found = difference_picture(RESULTS["better"]())
    low, high = (100 * end for end in stats.norm(0.024, 0.009).interval(0.95))
    assert found.panel.x.name == "Difference in accuracy, percentage points"
    assert facts(observed(found)) == ["+2.4", "95%", f"{low:+.1f}", f"{high:+.1f}"]
    assert zero(found) == "practically the same: ±1 point"
    assert not any("%" in words for _, words in ticks(found))
    for value, words in ticks(found):
        assert float(words) == pytest.approx(100 * value)
        assert words.startswith("+") == (value > 0)


def test_other_measures_are_told_as_they_are():
    found = difference_picture(RESULTS["large numbers"]())
    low, high = stats.norm(1234, 800).interval(0.95)
    assert found.panel.x.name == "Difference in mean absolute error"
    assert facts(observed(found)) == ["+1,234", "95%", f"{low:,.0f}", f"+{high:,.0f}"]
    assert zero(found) == "practically the same: ±120"
    assert difference_picture(RESULTS["drawn"]()).panel.x.name == "Difference in MCC"
    axis = difference_picture(RESULTS["one class"]()).panel.x.name
    assert axis.startswith("Difference in sensitivity of ver")
    assert "\n" in axis
    assert all(14.5 * ems(line) < WIDTH + 44 for line in axis.split("\n"))  # the margins too


def test_without_a_middle_there_are_two_parts():
    found = difference_picture(RESULTS["every difference matters"]())
    assert kinds(found) == ["worse", "better"]
    assert zero(found) == "no difference"
    assert 'class="margin"' not in svg(found, "x")


def test_a_middle_that_holds_everything_fills_the_picture():
    found = difference_picture(RESULTS["none does"]())
    assert within(found, "same") == ends(found)
    assert ends(found)[1] < 0.1  # the distribution decides how much is shown, not what surrounds it
    for kind in ("worse", "better"):
        assert not shapes(found, Area, f"{kind} whole")
        assert under(found, kind, 1.0) == 0


@pytest.mark.parametrize(("mean", "arrow"), [(0.2, "◂ "), (-0.2, " ▸")])
def test_no_difference_is_pointed_at_where_it_is_far(mean, arrow):
    found = difference_picture(compared(StudentDistribution(mean, 1e-6)))
    (label,) = [label for label in labels(found) if label.style == "aside"]
    assert arrow in label.words
    assert label.x == (0 if mean > 0 else WIDTH)
    assert svg(found, "x").count('class="ref"') == 0
    assert svg(difference_picture(RESULTS["better"]()), "x").count('class="ref"') == 1


@pytest.mark.parametrize("name", ["no doubt", "no doubt, far away", "no doubt, every difference matters", "draws all the same"])
def test_a_difference_without_doubt_is_a_spike(name):
    result = RESULTS[name]()
    found = difference_picture(result)
    assert spike(found) == [result.difference]
    assert len(curve(found)) == 0
    assert observed(found).endswith("without spread")
    assert getattr(result, spiked(found)) == pytest.approx(1)
    assert said(found, spiked(found)) == "> 0.99"


def spiked(found):
    """Return the kind of the part whose colour the dot of a spike has."""
    (dot,) = (item for item in found.items if isinstance(item, Marks) and item.shape == "disc")
    return dot.style.removesuffix(" whole")


def test_a_value_at_the_edge_of_the_middle_is_in_the_middle():
    found = [difference_picture(compared(PointDistribution(v))) for v in (-0.02, -0.01, 0.0, 0.01, 0.02)]
    assert [spiked(each) for each in found] == ["worse", "same", "same", "same", "better"]


def test_impossible_differences_are_marked():
    found = difference_picture(RESULTS["heavy tails"]())
    assert ends(found)[0] < -0.5  # though no more of the tails than shows their shape
    wide = difference_picture(RESULTS["very wide"]())
    marked = [box.parts[0][:2, 0].tolist() for box in shapes(wide, Area, "beyond")]
    assert marked == [[ends(wide)[0], -1], [1, ends(wide)[1]]]
    assert all(-1 <= value <= 1 for value, _ in ticks(wide))
    assert svg(wide, "x").count('class="beyond"') == 2


def test_heavy_tails_leave_the_peak_its_room():
    found = difference_picture(RESULTS["heavy tails"]())
    low, high = stats.t(1, 0.1, 0.05).interval(0.95)
    start, stop = ends(found)
    assert start < low
    assert high < stop
    assert stop - start < 2 * (high - low)  # 99.98% of the distribution would be hundreds of times that
    peak = curve(found)[heights(found) > 0.5, 0]
    assert across(found, peak.max()) - across(found, peak.min()) > 10


def test_a_density_without_bound_leaves_through_the_top():
    found = difference_picture(RESULTS["no bound"]())
    x, cut = curve(found)[:, 0], np.isclose(heights(found), 1)
    highest = stats.beta(0.5, 8).pdf(x[~cut & (x > 0)]).max()
    assert stats.beta(0.5, 8).pdf(x[cut]).max() > 3 * highest
    assert curve(found)[:, 1].min() > STRIP
    assert heights(found)[x < 0].max() == 0


def test_a_density_that_ends_at_once_falls_upright():
    found = difference_picture(RESULTS["steep end"]())
    x, (rise,) = curve(found)[:, 0], np.flatnonzero(np.diff(heights(found)) > 0.5)
    assert across(found, x[rise + 1]) - across(found, x[rise]) < 0.01
    assert heights(found)[x >= 0] == pytest.approx(stats.beta(1, 40).pdf(x[x >= 0]) / stats.beta(1, 40).pdf(0))


def test_a_distribution_that_is_not_known_leaves_the_interval():
    found = difference_picture(RESULTS["distribution unknown"]())
    assert len(curve(found)) == 0
    assert not spike(found)
    assert "edge" not in svg(found, "x")
    assert float(said(found, "better")[2:]) > 0.5


def test_long_names_are_cut_and_stay_different():
    found = difference_picture(RESULTS["undecided"]())
    assert all(14.5 * ems(f"◂ {side}") <= WIDTH for side in sides(found))
    assert sides(found)[0] != sides(found)[1]
    names = tuple(f"a_long_name_{i}_of_several{'_and_more' * 9}.csv" for i in (1, 2))
    alike = difference_picture(compared(StudentDistribution(0.0, 0.1), names=names))
    assert [side[len("a_long_name_")] for side in sides(alike)] == ["2", "1"]
    assert all("…" in side for side in sides(alike))
    assert all(14.5 * ems(f"◂ {side}") <= WIDTH for side in sides(alike))


def test_names_of_thirty_letters_stand_whole_on_lines_of_their_own():
    found = difference_picture(
        compared(StudentDistribution(0.0, 0.1), names=("a" * 15 + " " + "b" * 14, "c" * 15 + " " + "d" * 14))
    )
    assert sides(found) == ("c" * 15 + " " + "d" * 14 + " better", "a" * 15 + " " + "b" * 14 + " better")
    first, second = labels(found)[:2]
    assert second.y - first.y >= 14.5


def test_a_hostile_name_is_only_text():
    bad, good = (
        svg(difference_picture(compared(StudentDistribution(0, 1), names=(name, "b"))), "x") for name in ("</text><script>", "a")
    )
    assert "<script" not in bad
    assert [e.tag for e in ET.fromstring(bad).iter()] == [e.tag for e in ET.fromstring(good).iter()]  # noqa: S314


@pytest.mark.slow
@given(
    st.floats(-1, 1),
    st.floats(-7, 0).map(lambda power: 10**power),
    st.one_of(st.just(0.0), st.floats(-5, 0).map(lambda power: 10**power)),
    st.sampled_from(["accuracy", "error", "mcc", "log_loss"]),
)
def test_any_difference_has_a_picture(mean, spread, margin, measure):
    result = compared(StudentDistribution(mean, spread), margin=margin, measure=measure)
    found = difference_picture(result)
    widths = [np.diff(within(found, kind))[0] for kind in kinds(found)]
    assert np.nansum(widths) == pytest.approx(ends(found)[1] - ends(found)[0])
    odds = [label for label in labels(found) if label.style == "head"]
    for left, right in pairwise(odds):
        assert left.x + LETTER * len(left.words) < right.x
    assert odds[-1].x + LETTER * len(odds[-1].words) <= WIDTH + 1e-6
    assert sum(getattr(result, kind) for kind in kinds(found)) == pytest.approx(1)
    assert all(said(found, kind).removeprefix("= ") == probability(getattr(result, kind)) for kind in kinds(found))
    ET.fromstring(svg(found, "x"))  # noqa: S314 - our own words


@given(st.floats(-1e6, 1e6), st.floats(-8, 6).map(lambda power: 10**power))
def test_numbers_show_two_digits_of_their_interval(value, width):
    assert float(rounded(value, width).replace(",", "")) == pytest.approx(
        value, abs=max(0.5, 0.05 * width) if width >= 1 else 0.05 * width
    )


def test_numbers_without_an_interval_show_four_digits():
    assert rounded(0.123456, 0.0) == "0.1235"
    assert rounded(math.inf, 1.0) == "infinite"
    assert float(rounded(1.23456e-12, 1e-12)) == pytest.approx(1.23456e-12, rel=1e-3)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_the_colours_of_the_parts_can_be_seen_and_told_apart(palette):
    colours = [getattr(palette, LOOKS[kind]["fill"]) for kind in ("worse", "same", "better")]
    assert len(set(colours)) == 3
    assert all(contrast(colour, palette.paper) >= 3 for colour in colours)


@pytest.mark.slow
def test_plot_draws_on_the_axes_given():
    ax = Figure().subplots()
    result = RESULTS["better"]()
    assert result.plot(ax, color="red") is ax
    assert [line.get_color() for line in ax.get_lines() if line.get_label() == "a.csv - b.csv"] == ["red"]
    made = adjudge.plot(RESULTS["no doubt"]())
    assert isinstance(made, Axes)
    made.figure.canvas.draw()
    assert made.get_title(loc="left") == "a.csv - b.csv"


def behind(found):
    return [item for item in found.items if isinstance(item, Text) and item.style == "key"]


def test_outcomes_are_bars_as_long_as_their_cases():
    result = compared(StudentDistribution(0.024, 0.009), outcomes=np.array([850.0, 42.0, 18.0, 90.0]), names=LONG)
    found = outcome_bars(result)
    bars = [item for item in found.items if isinstance(item, Area)]
    long = [np.ptp(item.parts[0][:, 0]) for item in bars]
    assert [each / long[0] for each in long] == pytest.approx([1, 42 / 850, 18 / 850, 90 / 850])
    assert [item.style.split()[0] for item in bars] == ["same", "better", "worse", "same"]
    words = behind(found)
    assert [text.words for text in words] == ["850 (85.0%)", "42 (4.2%)", "18 (1.8%)", "90 (9.0%)"]
    assert all(text.x + LETTER * len(text.words) <= SIDE + WIDTH + 1e-6 for text in words)
    root = ET.fromstring(svg(found, "outcomes"))  # noqa: S314 - our own words
    assert len(list(root.iter("rect"))) == 4
    assert "only random_forest_on_all_the_features.csv: 42" in root.find("desc").text


def test_outcomes_without_cases_have_no_bar():
    found = outcome_bars(compared(StudentDistribution(0.0, 0.01), outcomes=np.array([0.0, 3.0, 0.0, 0.5])))
    assert svg(found, "x").count("<rect") == 2
    assert [text.words for text in behind(found)][2:] == ["0 (0.0%)", "0.5 (14.3%)"]


@pytest.mark.parametrize("outcomes", [None, np.zeros(4)])
def test_outcomes_that_are_not_known_have_no_picture(outcomes):
    with pytest.raises(adjudge.InputError, match=r"not know which cases"):
        outcome_bars(compared(StudentDistribution(0.0, 0.01), measure="mcc", outcomes=outcomes))
