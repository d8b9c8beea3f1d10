"""Partition spaces of two classes: distributions between two corners."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from tests.drawn import svg
from tests.plots.test_partitions import real, simulated, tree

from adjudge import plot
from adjudge.partitions.space import partition
from adjudge.plots.partitions import MOST_LINES, partition_picture
from adjudge.plots.segments import BINS, steps_of
from adjudge.plots.simplex import CORNERLESS


def both(second):
    return np.column_stack([1 - second, second])


@pytest.mark.parametrize("n", [200, 30_000])
def test_steps_are_a_histogram_of_each_true_class(n):
    space = simulated(n, 2)
    (panel,) = partition_picture(space).panels
    for kind in (0, 1):
        told, _ = np.histogram(space.scaled[space.truth == kind, 1], bins=BINS, range=(0, 1))
        assert np.abs(panel.found.cases[:, kind] - told).sum() <= 2  # rounding at the edge of a part
    assert panel.found.shares.sum(axis=0) == pytest.approx([1, 1])
    assert "<use" not in svg(partition_picture(space), "x")


@given(arrays.arrays(float, st.integers(1, 60), elements=st.floats(0, 1)), st.data())
def test_no_case_is_lost_and_the_strip_is_of_predictions(second, data):
    truth, predicted = (
        np.array(data.draw(st.lists(st.integers(0, 1), min_size=second.size, max_size=second.size))) for _ in "tp"
    )
    steps = steps_of(both(second), truth, predicted)
    assert steps.cases.sum() == steps.predicted.sum() == second.size
    for kind, start, stop in steps.strip:
        inside = (np.minimum(np.floor(second * BINS), BINS - 1) >= round(start * BINS)) & (
            second * BINS < round(stop * BINS) + (stop == 1)
        )
        assert np.count_nonzero(predicted[inside] == kind) >= np.count_nonzero(predicted[inside] != kind)
    for kind in (0, 1):
        mean = steps.means["scaled_accuracy"][kind]
        assert np.isnan(mean) if not (truth == kind).any() else mean == pytest.approx(second[truth == kind].mean())


def test_classes_exchanged_are_the_mirror_image():
    second, truth = np.array([0.01, 0.29, 0.31, 0.99, 0.62]), np.array([0, 0, 1, 1, 1])
    one, other = steps_of(both(second), truth, truth), steps_of(both(1 - second), 1 - truth, 1 - truth)
    np.testing.assert_array_equal(one.cases, other.cases[::-1, ::-1])
    np.testing.assert_allclose(one.means["scaled_accuracy"], 1 - other.means["scaled_accuracy"][::-1])


def test_constant_memberships_a_single_case_and_who_has_no_corner():
    steps = steps_of(both(np.full(3, 0.5)), np.array([0, 0, 1]), np.array([CORNERLESS] * 3))
    assert steps.cases[20].tolist() == [2, 1]
    assert list(steps.strip) == []
    assert np.isnan(steps.means["ability_to_separate"]).all()
    space = partition([0, 0], [[0.7, 0.3], [0.6, 0.4]], classes=[0, 1])
    root = tree(svg(partition_picture(space, lines="scaled_accuracy"), "x"))
    assert "never predicted" in root.find("desc").text


def test_lines_of_means_are_drawn_for_any_number_of_cases():
    space = simulated(MOST_LINES + 1, 2)
    assert partition_picture(space, lines="scaled_accuracy").lines == "scaled_accuracy"


def test_matplotlib_draws_steps():
    ax = plot(real("pima2_lda"), lines="scaled_accuracy")
    ax.figure.canvas.draw()
    assert {"No", "Yes", "0.5"} <= {text.get_text() for text in ax.texts}
