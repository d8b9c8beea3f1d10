"""The pictures of rankings, with lines beside candidates that cannot be told apart, and of gates."""

import xml.etree.ElementTree as ET
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from tests.described import mentions
from tests.drawn import draw, labels, svg

import adjudge
from adjudge import ConfusionCounts, InputError
from adjudge.estimates.differences import Difference
from adjudge.estimates.estimate import Interval
from adjudge.judgements.comparison import judge_difference
from adjudge.judgements.ranking import Candidates, rank_candidates
from adjudge.metrics.catalogue import find
from adjudge.plots.drawing import SIDE, WIDTH, Line, Marks
from adjudge.plots.forest import Forest, Row
from adjudge.plots.intervals import MOST_RULES, gate_forest, ranking_forest
from adjudge.plots.labels import distinct_names, ems
from adjudge.plots.scales import LANE
from adjudge.plots.style import LETTER
from adjudge.stats.student import StudentDistribution

LONG = [f"gradient_boosting_number_{i}_of_a_long_search_for_the_best_model.csv" for i in range(6)]


def ranked(values, *, spread=0.01, names=None, measure="accuracy", limits=True, corrected=None):
    values = np.asarray(values, dtype=float)
    names = tuple(names or (f"model {i}" for i in range(values.size)))
    of = find(measure)

    def compared(i, j):
        found = Difference(values[i], values[j], StudentDistribution(values[i] - values[j], spread), "made up")
        return judge_difference(found, of, names=(names[i], names[j]), cases=900, margin=0.01)

    each = [Interval(max(v - 2 * spread, of.low), min(v + 2 * spread, of.high), 0.99, "x") if limits else None for v in values]
    draws = np.random.default_rng(0).normal(values, spread, (2000, values.size))
    best = values.max() if of.higher_is_better else values.min()
    found = Candidates(names, values, each, draws, compared, best - 0.002 if corrected is None else corrected, 900, "made up")
    return rank_candidates(found, of, level=0.95, margin=0.01)


RESULTS = {
    "two": lambda: ranked([0.8, 0.79]),
    "two that are told apart": lambda: ranked([0.8, 0.4]),
    "five": lambda: ranked([0.7, 0.9, 0.88, 0.86, 0.895]),
    "twelve": lambda: ranked(np.linspace(0.6, 0.9, 12)),
    "forty": lambda: ranked(np.linspace(0.5, 0.98, 40), spread=0.02),
    "forty alike": lambda: ranked(np.full(40, 0.9)),
    "many groups": lambda: ranked(np.linspace(0.6, 0.9, 40), spread=0.05),
    "long names": lambda: ranked(np.linspace(0.6, 0.62, 6), names=LONG),
    "less is better": lambda: ranked([0.3, 0.5, 0.35], measure="log_loss"),
    "no limits": lambda: ranked([0.1, 0.2], measure="ece", limits=False),
    "large numbers": lambda: ranked([1234.0, 1300.0], measure="mae", spread=40.0),
    "perfect": lambda: ranked([1.0, 1.0, 0.9]),
}
RESULTS = {name: cache(make) for name, make in RESULTS.items()}  # some take long to make, and nothing changes them
EACH = pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in RESULTS.items()])


def downs(found):
    """Return units down to the mark of each row."""
    return [item.points[0, 1] for item in found.drawing.items if isinstance(item, Marks) and item.label]


def joins(found):
    """Return units across to lines that join rows, and down to their ends."""
    lines = [item.points for item in found.drawing.items if isinstance(item, Line) and item.style == "heavy line4" and item.page]
    return [(ends[0, 0] - SIDE, ends[0, 1] - 4, ends[1, 1] - 4) for ends in lines]


@EACH
def test_everything_lies_within_the_picture(make):
    found = ranking_forest(make())
    for row in found.rows:
        for value in (row.value, *((row.low, row.high) if row.limited else ())):
            assert found.left <= found.across(value) <= found.right
    down = [y for y, row in zip(downs(found), found.rows, strict=True) if not row.headed]
    for x, top, foot in joins(found):
        words = max(LETTER * len(row.words) for row in found.parts)
        assert found.right < x < WIDTH - words
        assert LANE <= top < foot <= down[-1] + 8
    assert found.right - found.left > 120
    assert down[0] > LANE


@EACH
def test_words_keep_apart_and_on_the_paper(make):
    boxes = []
    for label in labels(ranking_forest(make())):
        wide = 14.5 * ems(label.words)  # where letters are largest
        left = label.x - {"start": 0, "end": wide}[label.anchor]
        assert left >= -1
        assert left + wide <= WIDTH + 1
        boxes.append((left, left + wide, label.y))
    for (low, high, y), (other_low, other_high, other_y) in combinations(boxes, 2):
        assert high <= other_low or other_high <= low or abs(y - other_y) >= 13


@EACH
def test_svg_is_whole_and_the_same_each_time(make):
    picture = svg(ranking_forest(make()), "ranking")
    assert picture == svg(ranking_forest(make()), "ranking")
    assert '"nan' not in picture
    root = ET.fromstring(picture)  # noqa: S314 - our own words
    _, _, width, height = (float(v) for v in root.get("viewBox").split())
    for text in root.iter("text"):
        assert 0 <= float(text.get("x")) <= width
        assert 0 <= float(text.get("y")) <= height
    words = root.find("desc").text
    assert "indistinguishable" in words or "declared better" in words


@EACH
def test_matplotlib_draws_the_same_geometry(make):
    found = ranking_forest(make())
    ax = Figure(figsize=(6.4, 6)).subplots()
    assert draw(found, ax) is ax
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.texts] == [label.words for label in labels(found)]
    at = [(SIDE + x, 4 + top) for x, top, _ in joins(found)]
    assert [x - SIDE for x, _ in at] == list(found.joins)
    drawn = {(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.get_lines()}
    assert set(at) <= drawn


def test_rows_go_from_best_to_worst():
    found = ranking_forest(RESULTS["five"]())
    assert [row.value for row in found.parts] == [0.9, 0.895, 0.88, 0.86, 0.7]
    assert [row.name for row in found.parts] == ["model 1", "model 4", "model 2", "model 3", "model 0"]
    less = ranking_forest(RESULTS["less is better"]())
    assert [row.value for row in less.parts] == [0.3, 0.35, 0.5]
    assert less.heads == ("best first", "P(best)")


def test_the_words_are_how_probably_each_is_the_best():
    values, spread = np.array([0.7, 0.9, 0.895]), 0.01
    found = ranking_forest(ranked(values, spread=spread))
    drawn = np.random.default_rng(1).normal(values, spread, (100_000, 3)).argmax(axis=1)
    wanted = [np.mean(drawn == i) for i in (1, 2)]
    assert [float(row.words) for row in found.parts[:2]] == pytest.approx(wanted, abs=0.03)
    assert found.parts[2].words == "< 0.01"


def test_lines_join_those_that_cannot_be_told_apart():
    result = RESULTS["twelve"]()
    found = ranking_forest(result)
    down = {row.name: y for row, y in zip(found.rows, downs(found), strict=True) if not row.headed}
    groups = [group for group in result.groups if len(group) > 1]
    assert len(groups) > 1
    for group, (_, top, foot) in zip(groups, joins(found), strict=True):
        assert {name for name, at in down.items() if top < at < foot} == set(group)
        assert f"{group[0]} to {group[-1]}" in found.words


def test_lines_beside_each_other_never_touch():
    lines = joins(ranking_forest(RESULTS["many groups"]()))
    assert len(lines) > 10
    for (x, top, foot), (other_x, other_top, other_foot) in combinations(lines, 2):
        assert abs(x - other_x) > 4 or foot < other_top or other_foot < top


@pytest.mark.slow
def test_one_line_where_nothing_can_be_told_apart_and_none_where_all_can():
    alike = ranking_forest(RESULTS["forty alike"]())
    assert len(alike.joins) == 1
    assert {row.colour for row in alike.parts} == {0}
    apart = ranking_forest(RESULTS["two that are told apart"]())
    assert apart.joins == ()
    assert apart.note.startswith("of every two one")
    assert [row.colour for row in apart.parts] == [0, 4]


def test_the_winner_is_set_apart_on_cases_that_had_no_say():
    found = ranking_forest(ranked([0.8, 0.79], corrected=0.785))
    (winner,) = [row for row in found.rows if row.headed]
    assert (winner.value, winner.shape, winner.limited) == (0.785, "ring", False)
    assert "held-out" in winner.name
    assert winner.words == "78.5%, not 80.0%"
    (lucky,) = [row for row in ranking_forest(ranked([0.8, 0.79], corrected=0.8)).rows if row.headed]
    assert lucky.words == "80.0%"
    (number,) = [row for row in ranking_forest(RESULTS["large numbers"]()).rows if row.headed]
    assert number.words == "1,234"


def test_limits_hold_for_all_together():
    found = ranking_forest(RESULTS["five"]())
    assert mentions(found.axis, "Accuracy", "simultaneous", "95%")
    assert (found.parts[0].low, found.parts[0].high) == pytest.approx((0.88, 0.92))
    assert not any(row.limited for row in ranking_forest(RESULTS["no limits"]()).parts)


def test_names_are_cut_where_they_are_alike():
    found = ranking_forest(RESULTS["long names"]())
    shown = [row.name.replace("\n", "") for row in found.parts]
    assert sorted(name[len("gradient_boosting_number_")] for name in shown) == list("012345")
    assert all("…" in name and 34 < len(name) <= 60 for name in shown)  # as long as there is room
    assert all(row.whole in {one.name for one in RESULTS["long names"]().rows} for row in found.parts)


@pytest.mark.slow
@given(st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=12, unique=True), st.integers(10, 30))
def test_names_told_apart_stay_different(names, longest):
    shown = distinct_names(names, longest)
    assert len(set(shown)) == len(names)
    assert all(shown)


@given(st.lists(st.integers(0, 999), min_size=2, max_size=12, unique=True))
def test_numbered_names_keep_their_numbers(numbers):
    shown = distinct_names([f"a_long_experiment_{i:03d}_with_everything.csv" for i in numbers], 18)
    assert all(len(name) <= 18 for name in shown)
    assert len(set(shown)) == len(numbers)
    assert not any("#" in name for name in shown)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), max_size=25))
def test_joined_rows_of_any_kind_have_lines_that_keep_apart(found):
    joined = sorted({(first, min(first + more, 30)) for first, more in found if first < 30})
    lines = joins(Forest([Row(f"row {i}", 0.5, 0.4, 0.6, "0.5") for i in range(31)], axis="x", joined=joined))
    assert [round((top + 4) / 15 - 0.5) for _, top, _ in lines] == [first for first, _ in joined]
    by_place = {}
    for x, *ends in lines:
        by_place.setdefault(x, []).append(ends)
    assert all(one[1] < other[0] for ends in by_place.values() for one, other in pairwise(sorted(ends)))


@pytest.mark.slow
def test_plot_draws_on_the_axes_given():
    ax = Figure().subplots()
    result = RESULTS["five"]()
    assert result.plot(ax, color="red") is ax
    assert {line.get_color() for line in ax.get_lines() if str(line.get_label()).startswith("model")} == {"red"}
    made = adjudge.plot(RESULTS["twelve"]())
    made.figure.canvas.draw()
    assert made.get_title(loc="left") == "12 candidates, 900 cases"


TABLE = ConfusionCounts(np.array([[45, 5], [3, 47]]), ("well", "ill"))


def test_what_lies_right_of_the_bound_passes():
    found = adjudge.gate(TABLE, "accuracy >= 0.8", "error <= 0.2", "accuracy >= 0.9", "mcc > 0.97")
    rows = gate_forest(found).rows
    assert [row.words for row in rows] == [rule.state for rule in found.rules]
    for row, rule in zip(rows, found.rules, strict=True):
        assert (row.low > 0) == (rule.state == "passes")
        assert (row.high < 0) == (rule.state == "fails")
    assert (rows[0].value, rows[0].low) == pytest.approx((rows[1].value, rows[1].low))
    assert len({row.shape for row in rows}) == 3  # colour is not the only sign


def test_of_many_rules_those_nearest_to_failing():
    found = adjudge.gate(TABLE, *(f"accuracy >= {b:.2f}" for b in np.linspace(0.1, 0.9, MOST_RULES + 5)))
    drawn = gate_forest(found)
    assert len(drawn.rows) == MOST_RULES
    assert "5 more rules" in drawn.note


def test_one_rule_more_is_one_rule():
    found = adjudge.gate(TABLE, *(f"accuracy >= {b:.2f}" for b in np.linspace(0.1, 0.9, MOST_RULES + 1)))
    assert gate_forest(found).note == "1 more rule not drawn"


def test_measures_without_an_end_are_drawn_in_their_own_units():
    y = np.linspace(0, 10, 50)
    found = adjudge.gate({"truth": y, "predicted": y + np.tile([1.0, -2.0], 25)}, "mae < 3", "mse < 4", "mae > 1")
    drawn = gate_forest(found)
    assert [row.value for row in drawn.rows] == pytest.approx([1.5, 0.5])  # |error| is 1.5 on average
    assert [row.low > 0 for row in drawn.rows] == [found.rules[i].state == "passes" for i in (0, 2)]
    assert drawn.note == "1 more rule not drawn"  # the squared error has other units
    assert "gate" in found.to_html()


def test_a_gate_without_values_is_refused():
    with pytest.raises(InputError, match="nothing to draw"):
        gate_forest(adjudge.gate(ConfusionCounts([[5, 0], [0, 0]], ("well", "ill")), "sensitivity[ill] > 0.5"))
