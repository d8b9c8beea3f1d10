"""Results as frames, against the results themselves."""

import math

import pytest
from tests.results import made

import adjudge
from adjudge.render.frame import BACKENDS, frame


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_evaluation_is_a_row_a_measure(backend):
    found = made("Evaluation")
    table = found.to_frame(backend)
    columns = {
        name: list(table[name].to_pylist() if backend == "pyarrow" else table[name]) for name in ("measure", "value", "low")
    }
    at = columns["measure"].index("accuracy")
    assert columns["value"][at] == found.estimates["accuracy"].value
    assert columns["low"][at] == found.estimates["accuracy"].interval.low
    assert len(columns["measure"]) > len(found.estimates)


def test_cells_are_rows():
    table = adjudge.ConfusionCounts([[40, 5], [8, 20]], ("no", "yes")).to_frame("polars")
    assert table.rows() == [("no", "no", 40), ("no", "yes", 5), ("yes", "no", 8), ("yes", "yes", 20)]


def test_points_of_a_curve_are_rows():
    curve = adjudge.roc([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.35])
    table = curve.to_frame("pandas")
    assert list(table.iloc[:, 0]) == curve.x.tolist()
    assert len(table) == curve.x.size


def test_labels_of_several_kinds_are_words_and_gaps_stay():
    table = frame([{"a": 1, "b": None}, {"a": "x", "b": 2.5}, {"a": None, "b": 3}], "polars")
    assert table["a"].to_list() == ["1", "x", None]
    assert table["b"].to_list() == [None, 2.5, 3.0]
    assert math.isclose(table["b"].sum(), 5.5)


def test_another_library_is_refused():
    with pytest.raises(adjudge.InputError, match="pandas, polars, pyarrow; got 'spark'"):
        made("Evaluation").to_frame("spark")
