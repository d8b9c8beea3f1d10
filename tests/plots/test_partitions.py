"""The pictures of partition spaces."""

import csv
import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation
from tests.described import facts, mentions
from tests.drawn import svg
from tests.hostile import VECTORS
from tests.partitions.made import confusing

from adjudge import plot
from adjudge._base.errors import InputError
from adjudge.partitions.space import partition
from adjudge.plots.drawing import SHAPES, Group, Line, Text
from adjudge.plots.labels import ems, number
from adjudge.plots.partitions import MOST_LINES, NARROW, SHAPE_OF, partition_picture
from adjudge.plots.simplex import CORNERLESS, View, corners
from adjudge.plots.spaces import MOST_MARKS, Cells
from adjudge.plots.style import css
from adjudge.render.sheets import template

ORACLES = Path(__file__).parent.parent / "oracles"
NAMES = {"iris_lda_sepal_split": ("setosa", "versicolor", "virginica"), "vehicle4_lda": ("bus", "opel", "saab", "van")}
NAMES |= {"pima2_lda": ("No", "Yes"), "chisq_qda_s1": ("a", "b", "c"), "chisq_nnet_s1": ("a", "b", "c")}
ONE_OF_EACH = pytest.mark.parametrize("name", ["pima2_lda", "iris_lda_sepal_split", "vehicle4_lda"])
OF_MARKS = pytest.mark.parametrize("name", ["iris_lda_sepal_split", "vehicle4_lda"])


@cache
def real(name, names=None):
    names = names or NAMES[name]
    with (ORACLES / "klar" / f"{name}.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    values = [[float(row[f"m{i + 1}"]) for i in range(len(names))] for row in rows]
    return partition([names[int(row["true"]) - 1] for row in rows], values, classes=list(names))


@cache
def simulated(n, classes, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    values = rng.normal(0, 1.6, (n, classes))
    values[np.arange(n), truth] += 2
    values = np.exp(values)
    return partition(truth, values / values.sum(axis=1, keepdims=True))


def tree(picture):
    return ET.fromstring(picture)  # noqa: S314 - our own words


def of_class(root, kind):
    return [element for element in root.iter() if kind in (element.get("class") or "").split()]


def keys(root):
    return [text.text for text in of_class(root, "key")]


@OF_MARKS
def test_marks_are_the_cases_with_their_true_and_assigned_classes(name):
    space = real(name)
    found = partition_picture(space)
    (panel,) = found.panels
    pairs = Counter(zip(space.truth.tolist(), space.predicted.tolist(), strict=True))
    assert Counter(zip(panel.found.truth.tolist(), panel.found.predicted.tolist(), strict=True)) == pairs
    marks = [mark.get("href").removeprefix("#x-") for mark in tree(svg(found, "x")).iter("use")]
    assert set(marks) == {f"{truth}{assigned}" for truth, assigned in pairs}
    (frame,) = found.laid_out().frames
    places = np.rint(10 * frame.at(panel.found.at)[0])
    seen = np.unique(np.column_stack([places, panel.found.truth, panel.found.predicted]), axis=0)
    assert len(marks) == len(seen)


@OF_MARKS
def test_a_symbol_has_the_colours_of_both_classes(name):
    root = tree(svg(partition_picture(real(name)), "x"))
    symbols = {group.get("id").removeprefix("x-"): list(group) for group in root.iter("g") if group.get("id")}
    assert {len(layers) for layers in symbols.values()} == {1, 2}
    for (truth, assigned), layers in symbols.items():
        assert [layer.get("class") for layer in layers] == (
            [f"outer of{assigned}"] if truth == assigned else [f"outer of{assigned}", f"inner of{truth}"]
        )


def test_shapes_differ_and_are_equally_large():
    def area(around):
        x, y = around.T
        return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2

    shapes = [3.0 * SHAPES[SHAPE_OF[kind]] for kind in range(CORNERLESS + 1)]
    assert [area(around) for around in shapes] == pytest.approx([9 * np.pi] * len(shapes))
    for one, around in enumerate(shapes):
        assert all(around.shape != other.shape or not np.allclose(around, other) for other in shapes[one + 1 :])


@OF_MARKS
def test_cases_in_corners_are_drawn_there(name):
    found = partition_picture(real(name))
    root = tree(svg(found, "x"))
    (frame,) = found.laid_out().frames
    at, _ = frame.at(corners(found.classes))
    _, _, width, height = (float(v) for v in root.get("viewBox").split())
    assert np.all((at > 10) & (at < (width - 10, height - 10)))
    for mark in root.iter("use"):
        x, y = float(mark.get("x")), float(mark.get("y"))
        assert at[:, 0].min() - 0.1 <= x <= at[:, 0].max() + 0.1
        assert at[:, 1].min() - 0.1 <= y <= at[:, 1].max() + 0.1


def test_a_triangle_is_drawn_where_memberships_say():
    found = partition_picture(real("iris_lda_sepal_split"), space="original")
    (panel,), (frame,) = found.panels, found.laid_out().frames
    corner, _ = frame.at(corners(3))
    rows = real("iris_lda_sepal_split").memberships @ corner  # the mean of the drawn corners, weighted
    drawn = {(float(m.get("x")), float(m.get("y"))) for m in tree(svg(found, "x")).iter("use")}
    assert drawn == {(float(f"{x:.1f}"), float(f"{y:.1f}")) for x, y in rows}
    assert panel.cases == len(rows)
    left, top, right = corner
    assert left[0] < top[0] < right[0]
    assert top[1] < left[1] == right[1]


@ONE_OF_EACH
@pytest.mark.parametrize("values", ["scaled", "original"])
def test_the_words_say_the_figures(name, values):
    space = real(name)
    goodness = space.goodness if values == "scaled" else space.unscaled
    root = tree(svg(partition_picture(space, space=values), "x"))
    told = root.find("desc").text
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "x-t x-d"
    told_of = [number(goodness.scaled_accuracy), number(goodness.ability_to_separate), str(space.truth.size)]
    assert mentions(told, *told_of)
    assert told_of in [facts(key) for key in keys(root)]
    written = [text.text for text in of_class(root, "aside")]
    for i, label in enumerate(space.classes):
        right = np.mean(space.truth[space.predicted == i] == i)
        rate = [f"{100 * right:.1f}%", str(np.count_nonzero(space.predicted == i))]
        assert rate in [facts(text) for text in written]
        assert mentions(told, f"{label}: {rate[0]}", rate[1])
    assert values in root.find("title").text


def test_borders_are_solid_and_second_borders_dashed():
    root = tree(svg(partition_picture(real("iris_lda_sepal_split")), "x"))
    for kind, number_ in (("border", 3), ("second", 3), ("rim", 3)):
        path, sign = of_class(root, kind)[0], of_class(root, kind)[-1]
        assert path.get("d").count("M") == number_
        assert (sign.tag == "line") == (kind != "rim")
    assert re.search(r"\.second\{[^}]*stroke-dasharray", css())
    assert not re.search(r"\.border\{[^}]*stroke-dasharray", css())
    assert [len(of_class(tree(svg(partition_picture(real("pima2_lda")), "x")), k)) for k in ("border", "second")] == [2, 0]


@OF_MARKS
@pytest.mark.parametrize(("lines", "codes"), [("scaled_accuracy", "truth"), ("ability_to_separate", "predicted")])
def test_lines_lead_to_the_corner_of_the_class(name, lines, codes):
    space = real(name)
    found = partition_picture(space, lines=lines)
    (frame,) = found.laid_out().frames
    at, _ = frame.at(corners(found.classes))
    paths = [path for path in of_class(tree(svg(found, "x")), "toward") if path.tag == "path"]
    told = np.bincount(getattr(space, codes), minlength=found.classes)
    assert len(paths) == np.count_nonzero(told)
    for path in paths:
        kind = int(path.get("class")[-1])
        ends = np.array(re.findall(r"L([\d.]+) ([\d.]+)", path.get("d")), dtype=float)
        assert len(ends) == told[kind]
        assert {tuple(end) for end in ends} == {tuple(np.round(at[kind], 2))}


def test_lines_are_as_long_as_the_accuracy_says():
    space = real("iris_lda_sepal_split")
    found = partition_picture(space, lines="scaled_accuracy")
    (frame,) = found.laid_out().frames
    (panel,) = found.panels
    starts, ends = frame.at(panel.found.at)[0], frame.at(corners(3))[0][panel.found.truth]
    mean = np.linalg.norm(starts - ends, axis=1).mean() / frame.scale
    assert 1 - mean * 3**0.5 == pytest.approx(space.scaled_accuracy, abs=1e-12)  # from a corner to the middle it is 1 / sqrt(3)


@pytest.mark.parametrize("lines", ["scaled_accuracy", "ability_to_separate"])
def test_lines_between_two_corners_are_as_long_as_the_measure_says(lines):
    space = real("pima2_lda")
    found = partition_picture(space, lines=lines)
    (frame,), (group,) = found.laid_out().frames, (item for item in found.drawing.items if isinstance(item, Group))
    drawn = [item for item in group.items if isinstance(item, Line) and len(item.points) == 2]
    whole, cases = 0.0, np.bincount(space.truth if lines == "scaled_accuracy" else space.predicted)
    for kind, line in enumerate(drawn):
        (x, y), (end, level) = line.points.tolist()
        assert y == level
        assert end == pytest.approx(frame.at(corners(2))[0][kind, 0], abs=0.01)
        whole += cases[kind] * abs(x - end) / frame.scale
    assert 1 - 2 * whole / cases.sum() == pytest.approx(getattr(space, lines), abs=1e-4)


def corner_labels(drawing):
    """Return the words at the corners of the only space of a drawing, two lines or more for each."""
    (space,) = (item for item in drawing.items if isinstance(item, Group))
    labels = [label for item in space.items if isinstance(item, Group) and item.style == "corner" for label in item.items]
    assert len(labels) >= 2 * sum(isinstance(item, Group) and item.style == "corner" for item in space.items) >= 4
    return labels


def test_spaces_side_by_side_share_scale_and_keys():
    spaces = {"QDA": real("chisq_qda_s1"), "Neural net": real("chisq_nnet_s1")}
    found = partition_picture(spaces)
    sheet = found.laid_out()
    assert len({(frame.scale, frame.y) for frame in sheet.frames}) == 1
    assert sheet.frames[0].right <= sheet.frames[1].left
    root = tree(svg(found, "x"))
    assert [text.text for text in of_class(root, "head")].count("QDA") == 1
    assert [words for words in keys(root) if words in ("a", "b", "c")] == ["a", "b", "c"]
    for name, space in spaces.items():
        assert any(f"{name}: Ac {number(space.scaled_accuracy)}" in told.text for told in root.iter("desc"))
    many = partition_picture([real("vehicle4_lda")] * 5).laid_out()
    assert len({(frame.x, frame.y) for frame in many.frames}) == 5
    assert len({frame.y for frame in many.frames}) == 2
    four = partition_picture([real("vehicle4_lda")] * 4).laid_out()
    assert (len({frame.x for frame in four.frames}), len({frame.y for frame in four.frames})) == (2, 2)


@pytest.mark.parametrize(("number_", "across"), [(2, 2), (3, 3), (4, 2), (5, 3)])
def test_on_a_page_every_space_is_a_drawing_of_its_own_so_that_it_can_stand_below_the_others(number_, across):
    found = partition_picture([real("vehicle4_lda")] * number_)
    root = tree(svg(found, "x"))
    assert root.get("class").split() == ["spaces", f"by{across}"]
    *drawings, last = list(root)
    assert [len(of_class(drawing, "solid")) for drawing in (*drawings, last)] == [1] * number_ + [0]
    assert len({drawing.get("viewBox") for drawing in drawings}) == 1
    assert root.get("aria-labelledby") == last.find("title").get("id") == "x-t"
    names = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(names) == len(set(names))
    assert {mark.get("href").removeprefix("#") for mark in root.iter("use")} <= set(names)
    for drawing, frame in zip(drawings, [found.laid_out().frames[0]] * number_, strict=True):
        assert [text.text for text in drawing.iter("text")].count(found.panels[0].goodness) == 1
        assert float(drawing.get("viewBox").split()[2]) == pytest.approx(frame.right - frame.left, abs=0.01)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.floats(0, 360), st.floats(-90, 90), st.floats(1.1, 50))
def test_however_a_tetrahedron_is_turned_words_stay_in_their_space_and_above_the_goodness(azimuth, elevation, distance):
    names = tuple(f"a very long name of a class, number {i}" for i in range(4))
    spaces = {"one": real("vehicle4_lda", names), "other": real("vehicle4_lda", names)}
    drawing = partition_picture(spaces, view=View(azimuth, elevation, distance)).drawing
    for piece in drawing.apart[:2]:
        (foot,) = (item.y for item in piece.items if isinstance(item, Text) and item.words.startswith("Ac 0"))
        for label in corner_labels(piece):
            half = 4 * len(label.words)
            assert -1e-9 <= label.x - half <= label.x + half <= piece.width + 1e-9
            assert 14 + 16 < label.y < foot - 14  # below the name of the space, above its goodness


def test_a_solid_never_reaches_farther_than_said():
    turned = Rotation.random(4_000, random_state=0).apply(corners(4)[0])
    for distance in (1.2, 5.0, np.inf):
        view = View(0.0, 0.0, distance)
        seen = np.linalg.norm(view.seen(turned)[0], axis=1)
        assert view.reach * 0.99 < seen.max() <= view.reach + 1e-12


def test_segments_side_by_side_share_the_height_of_a_share():
    tall = partition([0] * 60 + [1] * 4, [[0.9, 0.1]] * 60 + [[0.2, 0.8]] * 4)
    flat = partition([0] * 60 + [1] * 4, np.linspace([0.99, 0.01], [0.01, 0.99], 64))
    found = partition_picture([tall, flat], space="original")
    (one, *_), (other, *_) = (
        [item.points[:, 1] for item in group.items if isinstance(item, Line) and item.style == "curve line0"]
        for group in found.drawing.items
        if isinstance(group, Group)
    )
    every, few = (np.ptp(heights) for heights in (one, other))
    assert few / every == pytest.approx(np.histogram(np.linspace(0.01, 0.99, 64)[:60], 40, (0, 1))[0].max() / 60)


def test_different_cases_are_not_set_side_by_side():
    a, b = simulated(60, 3), simulated(60, 3, seed=1)
    with pytest.raises(InputError, match=r"same cases .*60 and 60"):
        partition_picture([a, b])
    with pytest.raises(InputError, match=r"same classes.*0, 1, 2.*'a', 'b', 'c'"):
        partition_picture([a, real("chisq_qda_s1")])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"space": "raw"}, "space must be 'scaled' or 'original', got 'raw'"),
        ({"lines": "all"}, "lines must be 'scaled_accuracy' or 'ability_to_separate', got 'all'"),
        ({"classes": ["x", "a"]}, "different classes of the space, got 'x', 'a'"),
        ({"classes": ["a", "a"]}, "different classes of the space"),
        ({"classes": []}, "two to four corners, got 0"),
        ({"classes": 5}, "classes must be a sequence of labels, got 5"),
        ({"rest": True}, "All 3 classes are drawn, so there is no rest"),
        ({"classes": ["a", "c", "b"], "rest": True}, "All 3 classes are drawn, so there is no rest"),
        ({"view": (1, 2)}, r"view must be a View\(azimuth, elevation, distance\).*got \(1, 2\)"),
        ({"view": View(1, 2, 0.5)}, "from farther than 1 edge"),
        ({"view": View()}, "Only a tetrahedron is seen from a view, got one for 3 corners"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, words):
    with pytest.raises(InputError, match=words):
        partition_picture(real("chisq_qda_s1"), **options)


@pytest.mark.parametrize("spaces", [[], {}, [3], {"a": "b"}])
def test_only_spaces_are_drawn(spaces):
    with pytest.raises(InputError, match="Give a PartitionSpace"):
        partition_picture(spaces)
    with pytest.raises(InputError, match="Give a PartitionSpace"):
        plot(spaces)


@pytest.mark.parametrize("classes", [3, 4])
def test_very_many_cases_are_drawn_as_cells(classes):
    space = simulated(MOST_MARKS + 1, classes)
    found = partition_picture(space)
    (panel,) = found.panels
    drawing = svg(found, "x")
    assert isinstance(panel.found, Cells)
    assert panel.found.cases.sum() == MOST_MARKS + 1
    assert len(drawing) < 150_000
    assert drawing.count("<use") == panel.found.cases.size
    kinds = len(set(zip(panel.found.truth, panel.found.level, panel.found.cases, strict=True)))
    assert len(of_class(tree(drawing), "cell")) == kinds + 4  # and the keys to the shades
    with pytest.raises(InputError, match=f"{MOST_LINES:,} .*20,001"):
        partition_picture(space, lines="ability_to_separate")


@pytest.mark.slow
def test_marks_at_the_limit_stay_small_enough():
    assert len(svg(partition_picture(simulated(MOST_MARKS, 4)), "x")) < 1_300_000


def test_marks_that_look_the_same_are_drawn_once():
    space = partition([0] * 50 + [1, 2], [[0.8, 0.1, 0.1]] * 50 + [[0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    found = partition_picture(space, space="original")
    assert len(list(tree(svg(found, "x")).iter("use"))) == 3
    marks = found.panels[0].found
    at = found.laid_out().frames[0].at(marks.at)
    assert marks.distinct(*at).size == 3


@pytest.mark.parametrize("name", ["iris_lda_sepal_split", "vehicle4_lda", "pima2_lda", "chisq_nnet_s1"])
def test_cases_that_scaling_moved_across_borders_are_counted(name):
    space = real(name)
    moved = sum(finding.value for finding in space.findings if finding.code == "A908")
    for values in ("scaled", "original"):
        found = partition_picture(space, space=values)
        assert found.panels[0].beyond == (moved if values == "scaled" else 0)
        told = [facts(note) for note in found.notes if note.startswith("Beyond")]
        assert told == ([[str(moved)]] if found.panels[0].beyond else [])


def test_where_not_all_classes_are_drawn_borders_are_said_to_be_of_those_drawn():
    rows = [[0.3, 0.3, 0.4, 0.0, 0.0], [0.1, 0.8, 0.1, 0.0, 0.0], [0.0, 0.0, 0.2, 0.8, 0.0], [0.35, 0.1, 0.2, 0.2, 0.15]]
    space = partition([2, 1, 3, 0], rows)
    found = partition_picture(space, classes=[2, 0], rest=True, space="original")
    # the last case is assigned to 0 among five classes, but the rest together have more
    assert found.panels[0].beyond == 1
    among, beyond = found.notes[-2:]
    assert mentions(among, "Borders", "5 classes")
    assert mentions(beyond, "Beyond", "1 case.")
    assert "border of the best drawn" in keys(tree(svg(found, "x")))
    side = partition_picture({"a": space, "b": space}, classes=[2, 0], rest=True, space="original")
    assert side.notes[-1].endswith("1 case in a, 1 case in b.")


def test_of_chosen_classes_the_others_are_left_out():
    space = confusing()
    found = partition_picture(space, classes=[0, 2, 3], space="original")
    (panel,) = found.panels
    assert panel.cases == 60
    assert np.count_nonzero(panel.found.predicted == CORNERLESS) == 3
    assert [facts(note) for note in found.notes[-3:-1]] == [["60", "3"], ["1"]]
    assert found.notes[0].endswith("over 6 classes.")
    root = tree(svg(found, "x"))
    assert any("without corner" in key for key in keys(root))
    assert of_class(root, f"of{CORNERLESS}")
    kept = space.memberships[np.isin(space.truth, [0, 2, 3])][:, [0, 2, 3]]
    told = np.sort(kept / kept.sum(axis=1, keepdims=True) @ corners(3), axis=0)
    np.testing.assert_allclose(np.sort(panel.found.at, axis=0), told, atol=1e-12)


def test_new_cases_without_truth_are_drawn_by_what_was_assigned():
    space = real("vehicle4_lda")
    new = space.apply(space.memberships[:50])
    found = partition_picture(new)
    root = tree(svg(found, "x"))
    assert not of_class(root, "inner")
    assert not any("Ac" in words for words in keys(root))
    assert any("True classes not known" in note for note in found.notes)
    counts = np.bincount(new.predicted, minlength=4)
    assert [corner.rate() for corner in found.panels[0].corners] == [f"{n} predicted" if n else "never predicted" for n in counts]
    with pytest.raises(InputError, match=r"true classes .*not known"):
        partition_picture(new, lines="scaled_accuracy")
    with pytest.raises(InputError, match="same cases"):
        partition_picture([space, new])


@ONE_OF_EACH
def test_the_same_space_is_the_same_bytes(name):
    one, other = (svg(partition_picture(space), "x") for space in (real(name), real.__wrapped__(name)))
    assert one == other


@pytest.mark.slow
def test_hostile_names_are_only_text():
    rows, truth = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7], [0.1, 0.5, 0.4]], [0, 1, 2, 2]

    def picture(name):
        space = replace(partition(truth, rows), classes=("x1", "x2", name))
        return svg(partition_picture({name: space, "other": space}), "x")

    def shapes(root):
        return [element.tag for element in root.iter() if element.tag != "text"]  # a long name has several lines

    plain = shapes(tree(picture("plain")))
    for vector in VECTORS:
        root = tree(picture(vector))
        assert shapes(root) == plain
        assert not any(len(element) for element in root.iter("text"))
        assert {name for element in root.iter() for name in element.attrib} <= {
            "viewBox", "role", "aria-labelledby", "id", "class", "d", "href", "x", "y", "cx", "cy", "r",
            "text-anchor", "x1", "x2", "y1", "y2",
        }  # fmt: skip


def test_long_names_are_short_and_told_apart_and_inside_the_picture():
    names = tuple(f"a very long name of a class, number {i}" for i in range(3))
    found = partition_picture(real("iris_lda_sepal_split", names))
    shown = [corner.name for corner in found.panels[0].corners]
    assert shown == list(names)
    assert len(corner_labels(found.drawing)) == 9
    for label in corner_labels(found.drawing):
        assert label.anchor == "middle"
        assert label.x - 4 * len(label.words) >= 0
        assert label.x + 4 * len(label.words) <= found.drawing.width


def test_only_tetrahedra_turn():
    pictures = {name: partition_picture(real(name)) for name in ("pima2_lda", "iris_lda_sepal_split", "vehicle4_lda")}
    assert [found.turns for found in pictures.values()] == [False, False, True]
    assert ["data-p" in svg(found, "x") for found in pictures.values()] == [False, False, True]
    assert ["hint" in svg(found, "x") for found in pictures.values()] == [False, False, True]


@pytest.mark.parametrize("view", [None, View(30, -10, 8)])
def test_a_tetrahedron_tells_the_script_where_everything_lies(view):
    """The script turns what `data-p` holds as this test does; the fixed view must be what it would draw itself."""
    found = partition_picture(real("vehicle4_lda"), view=view, lines="scaled_accuracy")
    root = tree(svg(found, "x"))
    (solid,) = of_class(root, "solid")
    azimuth, elevation, distance, x, y, scale, left, right = (float(v) for v in solid.get("data-view").split())

    def seen(element):
        at = np.array(element.get("data-p").split(), dtype=float).reshape(-1, 3) / float(solid.get("data-fine"))
        turned = Rotation.from_euler("zx", [azimuth, elevation], degrees=True).apply(at)
        nearer = scale / (1 + turned[:, 1:2] / distance)
        return turned[:, [0, 2]] * nearer * (1, -1) + (x, y), turned[:, 1]

    (marks,) = of_class(solid, "marks")
    at, away = seen(marks)
    drawn = [(float(mark.get("x")), float(mark.get("y"))) for mark in marks]
    np.testing.assert_allclose(drawn, at, atol=0.12)
    assert np.all(np.diff(away) <= 2e-4)  # the farthest first
    for path in (element for element in solid.iter("path") if element.get("data-p")):
        numbers = np.array(re.findall(r"-?[\d.]+", path.get("d")), dtype=float).reshape(-1, 2)
        np.testing.assert_allclose(numbers, seen(path)[0], atol=0.05)
    assert len(of_class(solid, "corner")) == 4
    above, below, line, outward = (float(v) for v in solid.get("data-words").split())
    for corner in of_class(solid, "corner"):
        ((at, down),), _ = seen(corner)
        wide = float(corner.get("data-wide"))
        assert wide >= max(14 * ems(text.text) for text in corner)
        across = np.clip(at + wide * outward * (at - x), left + wide / 2, right - wide / 2)
        first = down + (below if down > y else above)
        told = [(float(text.get("x")), float(text.get("y"))) for text in corner]
        first -= line * (len(told) - 2) * (down <= y)
        np.testing.assert_allclose(told, [(across, first + i * line) for i in range(len(told))], atol=0.1)


def test_the_script_stands_alone():
    for word in ("</", "http", "import", "fetch", "eval", "innerHTML", "XMLHttpRequest", "Function(", "document.write", "style"):
        assert word not in template("turning.js")


@OF_MARKS
def test_matplotlib_draws_the_same(name):
    space = real(name)
    ax = Figure().subplots()
    assert space.plot(ax, lines="ability_to_separate") is ax
    ax.figure.canvas.draw()
    found = partition_picture(space, lines="ability_to_separate")
    root = tree(svg(found, "x"))
    marks = max((c for c in ax.collections if isinstance(c, PolyCollection)), key=lambda c: len(c.get_paths()))
    wrong = sum(mark.get("href")[-2] != mark.get("href")[-1] for mark in root.iter("use"))
    assert len(marks.get_paths()) == len(list(root.iter("use"))) + wrong
    lines = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert sum(len(c.get_segments()) for c in lines) > len(space.truth)
    written = {text.get_text() for text in ax.texts}
    assert set(keys(root)) <= written
    assert all(corner.name in written for corner in found.panels[0].corners)
    assert ax.get_xlim() == (0, found.laid_out().width)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [3, 4])
def test_matplotlib_draws_cells(classes):
    found = partition_picture(simulated(MOST_MARKS + 1, classes))
    ax = plot(found)
    ax.figure.canvas.draw()
    assert max(len(c.get_paths()) for c in ax.collections) == np.count_nonzero(found.panels[0].found.cases)


def test_on_small_axes_lines_are_thinner_unless_asked_for():
    def widths(**style):
        ax = Figure(figsize=(2, 2)).subplots()
        real("iris_lda_sepal_split").plot(ax, **style)
        return max(float(np.max(c.get_linewidth())) for c in ax.collections)

    assert widths() < 0.6
    assert widths(linewidths=3) == 3


@pytest.mark.slow
def test_matplotlib_draws_spaces_side_by_side():
    ax = plot({"before": real("chisq_qda_s1"), "$x_{": real("chisq_nnet_s1")}, alpha=0.3)
    ax.figure.canvas.draw()
    assert {"before", "$x_{"} <= {text.get_text() for text in ax.texts}
    assert 0.3 in {c.get_alpha() for c in ax.collections}
    assert plot([real("chisq_qda_s1")]).get_xlim() == (0, NARROW)
