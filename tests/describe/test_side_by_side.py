"""Tables of measures in words: they fit a terminal of 80 columns, and say what their numbers speak of."""

import re

import numpy as np
import pytest
from tests.compared_sets import classifier, numbers, three_classes, truth_of, two_classes

import adjudge
from adjudge.describe import describe
from adjudge.describe.side_by_side import MOST_SETS, measure_tables, where_correct_table
from adjudge.plots.labels import NOTHING
from adjudge.render.text import text

COMPARED = {
    "two": lambda: adjudge.compare(*two_classes(), names=["a_rather_long_name_of_a_model.csv", "another_model.parquet"]),
    "three classes": lambda: adjudge.compare(*three_classes()),
    "three sets": lambda: adjudge.rank(dict(zip(("first.csv", "second.csv", "third.csv"), three_classes(sets=3), strict=True))),
    "six sets": lambda: adjudge.rank({f"model_{i}.csv": each for i, each in enumerate(three_classes(sets=6))}),
    "numbers": lambda: adjudge.compare(*numbers()),
}


@pytest.mark.parametrize("name", [pytest.param(each, marks=pytest.mark.slow if each == "six sets" else ()) for each in COMPARED])
def test_every_answer_shows_the_table(name):
    result = COMPARED[name]()
    lines = text(describe(result, figure=False, whole=False), width=80).splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith(("Accuracy  ", "RMSE  ")) for line in lines)  # a row, not stacked
    assert "Every measure side by side" in result.to_html()
    assert "Every measure" in result.to_markdown()


def test_a_row_says_value_difference_interval_and_probability():
    comparison = adjudge.compare(*two_classes(), names=["a", "b"])
    (table,) = measure_tables(comparison.measures)
    assert table.header == ("Measure", "a", "b", "Difference", "95% interval", "P(a better)")
    row, own = next(row for row in table.rows if row[0] == "AUC"), comparison.measures["auc"]
    assert [float(cell) for cell in row[1:4]] == pytest.approx([*own.values, own.differences[0].value], abs=5e-4)
    assert any(note.startswith("Of class 1 against the rest: Sensitivity, specificity") for note in table.notes)
    assert "Less is better: Brier score, log loss, calibration error." in table.notes


def test_what_is_left_out_has_a_dash_and_a_reason():
    truth = truth_of(900, 100)
    (table,) = measure_tables(adjudge.compare(*(classifier(truth, 3.0 - i, i, 100) for i in range(2))).measures)
    assert next(row for row in table.rows if row[0] == "MCC")[3:] == (NOTHING,) * 3
    assert any("take long" in note for note in table.notes)


@pytest.mark.slow
def test_sets_beyond_a_few_are_counted_where_a_terminal_has_no_room():
    ranking = COMPARED["six sets"]()
    values, differences = measure_tables(ranking.measures)
    assert len(values.header) == MOST_SETS + 2
    assert any("2 more sets" in note for note in values.notes)
    assert differences.header[0] == "Difference from model_0"
    assert len(next(measure_tables(ranking.measures, wide=True)).header) == 6 + 2


def test_classes_beyond_a_few_are_counted():
    truth = np.arange(600) % 30
    said = np.where(np.arange(600) % 7 == 0, (truth + 1) % 30, truth)
    comparison = adjudge.compare(*(adjudge.Predictions(truth, each, row=np.arange(600)) for each in (truth, said)))
    table = where_correct_table(comparison.where_correct)
    assert table.rows[0][:2] == ("All classes", "600")
    assert len(table.rows) + len(table.folded) + table.untold == 31


def test_a_page_has_every_curve_once():
    page = adjudge.compare(*two_classes()).to_html()
    for title in ("ROC curves", "Precision-recall curves", "Reliability of the probabilities", "Where each is correct"):
        assert len(re.findall(rf"<h\d[^>]*>{title}</h", page)) == 1
    assert "Where they differ" not in page  # the same numbers


def test_the_parts_speak_for_themselves():
    comparison = adjudge.compare(*two_classes(), names=["a", "b"])
    assert str(comparison.measures).startswith("17 measures of a and b, with the difference from b.")
    assert str(comparison.where_correct).startswith("Both correct in ")
    assert "ROC curves, Precision-recall curves, Reliability of the probabilities of 2 sets" in comparison.overlaid.in_words()
