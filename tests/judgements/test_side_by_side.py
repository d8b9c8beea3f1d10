"""The table of measures: rows by name, and as a frame."""

import pytest
from tests.compared_sets import three_classes, two_classes

import adjudge


def test_rows_are_found_by_name_or_alias():
    table = adjudge.compare(*two_classes()).measures
    assert table["recall"] is table["sensitivity"]
    assert table.auc is table["auc"]
    assert "auc" in table
    with pytest.raises(adjudge.AdjudgeError, match="was not computed"):
        table["rmse"]


def test_the_mean_over_pairs_of_classes_has_a_name_of_its_own():
    table = adjudge.compare(*three_classes()).measures
    assert (table["auc"].average, table["auc_hand_till"].average) == ("macro", "hand-till")


def test_a_frame_has_a_row_per_measure_and_set():
    table = adjudge.compare(*two_classes(), names=["a", "b"]).measures
    frame = table.to_frame("pandas")
    assert len(frame) == 2 * len(table.rows)
    one, own = frame[(frame["measure"] == "auc") & (frame["set"] == "a")].iloc[0], table["auc"].differences[0]
    assert (one["value"], one["difference"], one["better"], one["against"]) == (
        table["auc"].values[0],
        own.value,
        own.better,
        "b",
    )


def test_json_has_the_table_once():
    told = adjudge.rank(dict(zip("abc", three_classes(sets=3), strict=True))).to_dict()
    assert [row["measure"] for row in told["measures"]["rows"]][:2] == ["accuracy", "balanced_accuracy"]
    assert not any({"measures", "where_correct"} & pair.keys() for pair in told["comparisons"])
