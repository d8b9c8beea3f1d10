"""Several models in one source: named or found, paired by row, the same from every kind of source."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.compared_sets import probabilities, truth_of

import adjudge
from adjudge.predictions.several import ROW, Numbered, models_in, numbered
from adjudge.predictions.sources import ColumnsSource

BOTH = ["predicted_old", "predicted_new"]


def frame(n=120, row=True):
    truth = truth_of(n, 2)
    p, q = (probabilities(truth, 2, skill, seed)[:, 1].round(6) for skill, seed in ((1.5, 1), (1.0, 2)))
    own = {"id": np.arange(n)} if row else {}
    more = {"predicted_old": (p > 0.5) * 1, "predicted_new": (q > 0.5) * 1, "p_old": p, "p_new": q}
    return pd.DataFrame({**own, "truth": truth, **more})


def single(table, name):
    own = {"predicted": table[f"predicted_{name}"], "score": table[f"p_{name}"]}
    return {"id": np.arange(len(table)), "truth": table["truth"], **own}


def test_columns_are_compared_as_two_files_would_be():
    table = frame()
    one = adjudge.compare(table, predicted=BOTH)
    assert one.names == tuple(BOTH)
    assert one.to_dict() == adjudge.compare(single(table, "old"), single(table, "new"), names=BOTH).to_dict()


@pytest.mark.parametrize("row", [True, False], ids=["identified", "by place"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "arrays", "arrow", "flags"])
def test_every_source_gives_the_same(kind, row, tmp_path):
    table = frame(row=row)
    expected = adjudge.compare(table, predicted=BOTH).to_dict()
    source = {"arrays": dict(table), "arrow": pa.table(table)}.get(kind)
    if kind in ("csv", "flags"):
        source = tmp_path / "two.csv"
        table.to_csv(source, index=False)
    if kind == "parquet":
        source = tmp_path / "two.parquet"
        pq.write_table(pa.table(table), source)
    asked = ",".join(BOTH) if kind == "flags" else BOTH
    assert adjudge.compare(source, predicted=asked).to_dict() == expected
    assert expected["where_correct"]["column"] == ("id" if row else ROW)


@pytest.mark.engines
def test_a_lazy_frame_gives_the_same():
    polars, table = pytest.importorskip("polars"), frame()
    assert (
        adjudge.compare(polars.from_pandas(table).lazy(), predicted=BOTH).to_dict()
        == adjudge.compare(table, predicted=BOTH).to_dict()
    )


@pytest.mark.engines
def test_rows_without_an_order_need_an_identity():
    duckdb, table = pytest.importorskip("duckdb"), frame(row=False)
    relation = duckdb.from_df(table)
    with pytest.raises(adjudge.AdjudgeError, match="rows of this engine have no order"):
        adjudge.compare(relation, predicted=BOTH)
    assert (
        adjudge.compare(duckdb.from_df(frame()), predicted=BOTH).to_dict() == adjudge.compare(frame(), predicted=BOTH).to_dict()
    )


def test_models_are_found_where_names_and_values_leave_no_doubt():
    table = frame()
    found = adjudge.compare(table)
    assert sorted(found.names) == sorted(BOTH)
    assert found.to_dict() == adjudge.compare(table, predicted=list(found.names)).to_dict()
    assert sorted(adjudge.compare(table[["truth", "p_old", "p_new"]]).names) == ["p_new", "p_old"]


@pytest.mark.parametrize("asked", [{}, {"predicted": "predicted_old"}])
def test_one_model_is_not_two(asked):
    source = single(frame(), "old") if not asked else frame()
    with pytest.raises(adjudge.AdjudgeError, match="compare takes two sets"):
        adjudge.compare(source, **asked)


def test_three_models_are_ranked():
    ranking = adjudge.compare(frame().assign(predicted_third=1 - frame()["truth"]))
    assert [row.name for row in ranking.rows] == [*BOTH, "predicted_third"]


def test_scores_belong_to_the_model_they_are_named_after():
    table = frame()
    assert [each.roles.scores[0][1] for each in models_in(table, {"predicted": BOTH}).values()] == ["p_old", "p_new"]
    shared = table.rename(columns={"p_old": "score"}).drop(columns="p_new")  # of which model is it?
    assert [each.roles.scores for each in models_in(shared, {"predicted": BOTH}).values()] == [(), ()]
    turned = adjudge.compare(table, predicted=BOTH, scores=["p_new", "p_old"], measure="auc")
    plain = adjudge.compare(table, predicted=BOTH, measure="auc")
    assert turned.difference == -plain.difference


def test_blocks_of_scores_of_several_models():
    truth, labels = truth_of(150, 3), np.array(["x", "y", "z"])
    table = {"label": labels[truth]}
    for name, skill, seed in (("old", 1.0, 1), ("new", 2.0, 2)):
        p = probabilities(truth, 3, skill, seed)
        table |= {f"pred_{name}": labels[p.argmax(axis=1)]} | {f"prob_{name}_{c}": p[:, i] for i, c in enumerate("xyz")}
    found = adjudge.compare(table)
    assert found.names == ("pred_new", "pred_old")
    by_score = adjudge.compare(table, predicted="", scores=["prob_new_*", "prob_old_*"], measure="auc")
    assert by_score.difference == found.measures["auc"].differences[0].value


def test_numbers_of_several_models():
    rng = np.random.default_rng(0)
    truth = rng.lognormal(3, 1, 80)
    table = {"y_true": truth, "pred_a": truth + rng.normal(0, 1, 80), "pred_b": truth + rng.normal(0, 3, 80)}
    assert adjudge.compare(table).verdict == "better"


def test_rows_that_one_model_left_empty_are_left_out_of_both():
    table = frame(row=False).astype({"predicted_old": "float"})
    table.loc[3, "predicted_old"] = np.nan
    with pytest.raises(adjudge.AdjudgeError, match="1 missing value"):
        adjudge.compare(table)
    comparison = adjudge.compare(table, missing="drop", predicted=BOTH)
    assert comparison.cases == 119
    assert [finding.code for finding in comparison.findings] == ["A701"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"predicted": ["predicted_old", "predicted_other"]}, "no column 'predicted_other' for predicted"),
        ({"predicted": ["predicted_old", "predicted_old"]}, "names a column twice"),
        ({"predicted": ["predicted_old"]}, "names one model"),
        ({"predicted": BOTH, "scores": ["p_old", "p_new", "id"]}, "2 columns of decisions and 3"),
    ],
)
def test_columns_that_cannot_be_are_refused(asked, message):
    with pytest.raises(adjudge.AdjudgeError, match=message):
        adjudge.compare(frame(), **asked)


def test_evaluating_takes_one_model():
    with pytest.raises(adjudge.AdjudgeError, match=r"compared by adjudge\.compare"):
        adjudge.evaluate(frame(), predicted=BOTH)


def test_a_report_of_columns_compares_first():
    report = adjudge.report(frame(row=False), predicted=BOTH)
    assert report.names == tuple(BOTH)
    assert report.comparison.to_dict() == adjudge.compare(frame(row=False), predicted=BOTH).to_dict()
    alone = adjudge.evaluate(single(frame(), "new"))
    assert report.evaluations[1].estimates["auc"].value == alone.estimates["auc"].value


def test_rows_are_numbered_from_one_where_asked_for():
    source = Numbered(ColumnsSource("arrays", {"truth": np.arange(3)}))
    (batch,) = source.batches(["truth", ROW], [])
    assert batch[ROW].to_pylist() == [1, 2, 3]
    assert [list(batch) for batch in source.batches(["truth"], [])] == [["truth"]]
    assert source.head(2)[ROW].to_pylist() == [1, 2]


def test_rows_that_are_identified_stay_so():
    assert numbered(adjudge.Predictions([0, 1], [0, 1])).roles.row == ROW
    identified = adjudge.Predictions([0, 1], [0, 1], row=["a", "b"])
    assert numbered(identified) is identified
