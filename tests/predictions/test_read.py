"""Reading: the same verdict whatever the rows come in."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from tests.described import refused

import adjudge
from adjudge import DoubtfulRolesError, InputError, evaluate, read

N = 150_000  # more than two blocks


def made(n: int = 600, seed: int = 7) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    names = np.array(["ant", "bee", "cat"])
    truth = rng.integers(0, 3, n)
    p = rng.dirichlet([1, 1, 1], n)
    p[np.arange(n), truth] += 0.5
    p /= p.sum(axis=1, keepdims=True)
    columns = {"case": np.arange(n), "truth": names[truth], "predicted": names[p.argmax(axis=1)]}
    columns |= {f"p_{name}": p[:, i] for i, name in enumerate(names)}
    return columns | {"fold": np.arange(n) % 5, "weight": rng.integers(1, 4, n).astype(float)}


def table(n: int = 600) -> pa.Table:
    return pa.table(made(n))


def as_csv(folder: Path) -> Path:
    pacsv.write_csv(table(), folder / "x.csv")
    return folder / "x.csv"


def as_csv_gz(folder: Path) -> Path:
    with as_csv(folder).open("rb") as plain, gzip.open(folder / "x.csv.gz", "wb") as packed:
        shutil.copyfileobj(plain, packed)
    return folder / "x.csv.gz"


def as_tsv(folder: Path) -> Path:
    pacsv.write_csv(table(), folder / "x.tsv", pacsv.WriteOptions(delimiter="\t"))
    return folder / "x.tsv"


def as_decimal_comma(folder: Path) -> Path:
    pd.DataFrame(made()).to_csv(folder / "x.csv", sep=";", decimal=",", index=False)
    return folder / "x.csv"


def as_parquet(folder: Path) -> Path:
    pq.write_table(table(), folder / "x.parquet", row_group_size=100)
    return folder / "x.parquet"


def as_parquet_folder(folder: Path) -> Path:
    (folder / "parts").mkdir()
    for i in range(3):
        pq.write_table(table().slice(200 * i, 200), folder / "parts" / f"part-{i}.parquet")
    return folder / "parts"


SOURCES = {
    "csv": as_csv,
    "csv.gz": as_csv_gz,
    "tsv": as_tsv,
    "decimal comma": as_decimal_comma,
    "parquet": as_parquet,
    "parquet folder": as_parquet_folder,
    "dict": lambda _: made(),
    "dict of lists": lambda _: {name: values.tolist() for name, values in made().items()},
    "pandas": lambda _: pd.DataFrame(made()),
    "pandas with an index": lambda _: pd.DataFrame(made()).set_index(np.arange(600) * 3 + 1),
    "polars": lambda _: pl.DataFrame(made()),
    "polars lazy": lambda _: pl.LazyFrame(made()),
    "pyarrow": lambda _: table(),
    "duckdb": lambda _: duckdb.from_arrow(table()),
}


@pytest.fixture(scope="module")
def expected():
    c = made()
    own = adjudge.Predictions(
        c["truth"],
        c["predicted"],
        {name: c[f"p_{name}"] for name in ("ant", "bee", "cat")},
        row=c["case"],
        fold=c["fold"],
        weight=c["weight"],
    )
    return evaluate(own)


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_the_same_verdict(kind, tmp_path, expected):
    found = evaluate(SOURCES[kind](tmp_path), row="case")
    assert found.counts == expected.counts
    assert found.by_fold == expected.by_fold
    assert {k: e.value for k, e in found.estimates.items()} == {k: e.value for k, e in expected.estimates.items()}


def test_every_role_is_printed_with_its_evidence_and_its_argument(tmp_path):
    told = repr(read(as_csv(tmp_path)))
    for flag in ("truth=", "predicted=", "scores=", "fold=", "weight="):
        assert flag in told


@pytest.mark.slow
@pytest.mark.parametrize(
    "scores",
    ["p_*", "ant=p_ant,bee=p_bee,cat=p_cat", {"cat": "p_cat", "ant": "p_ant", "bee": "p_bee"}, ["p_bee", "p_ant", "p_cat"]],
)
def test_scores_can_be_named_in_four_ways(scores, tmp_path, expected):
    found = evaluate(as_csv(tmp_path), scores=scores)
    assert found.estimates["log_loss"].value == pytest.approx(expected.estimates["log_loss"].value, abs=1e-12)


def test_a_column_name_with_an_equals_sign_is_a_column_first(write_csv):
    path = write_csv({"Label": [0, 1] * 30, "Probability=1": [0.2, 0.9] * 30})
    assert evaluate(path, truth="Label", scores="Probability=1").estimates["accuracy"].value == 1


@pytest.mark.slow
def test_blocks_do_not_show(tmp_path):
    c = made(N)
    pq.write_table(pa.table(c), tmp_path / "x.parquet")
    found = evaluate(tmp_path / "x.parquet", row="case", weight=None)
    weights, agree = c["weight"], c["truth"] == c["predicted"]
    assert found.estimates["accuracy"].value == pytest.approx(weights[agree].sum() / weights.sum(), abs=1e-14)


@pytest.mark.slow
def test_a_class_first_seen_in_the_last_row_is_counted(write_csv):
    truth = ["a"] * 70_000 + ["z"]
    assert evaluate(write_csv({"truth": truth, "predicted": truth})).counts.classes == ("a", "z")


@pytest.mark.slow
def test_whole_numbers_that_turn_into_text_later_are_text_all_through(write_csv):
    truth = ["1", "2"] * 35_000 + ["unknown"]
    assert evaluate(write_csv({"truth": truth, "predicted": truth})).counts.classes == ("1", "2", "unknown")


@pytest.mark.parametrize("label", ["001", "1e5", "-0", "NaN?", "nul", "Tru", "é", "𝔘"])
def test_labels_of_a_file_are_the_text_of_their_cells(label, write_csv):
    truth = [label, "other"] * 20
    assert label in evaluate(write_csv({"truth": truth, "predicted": truth})).counts.classes


def test_labels_written_as_fractions_meet_whole_ones(write_csv):
    path = write_csv({"truth": ["1.0", "0.0"] * 20, "predicted": ["1", "0"] * 20})
    found = evaluate(path)
    assert found.counts.classes == (0, 1)
    assert found.counts.correct.sum() == 40


def test_truth_values_meet_scores_named_after_them(write_csv):
    path = write_csv({"truth": ["TRUE", "FALSE"] * 20, "p_True": [0.9, 0.2] * 20, "p_False": [0.1, 0.8] * 20})
    assert evaluate(path).estimates["accuracy"].value == 1


def test_classes_on_the_command_line_meet_numbers_by_name(write_csv):
    path = write_csv({"truth": [2, 0, 1] * 20, "predicted": [2, 0, 1] * 20})
    assert evaluate(path, classes=["2", "1", "0"]).counts.classes == (2, 1, 0)


def test_a_label_outside_the_listed_classes_is_named(write_csv):
    with refused("classes", "'truth' holds 'c'", "classes 'a', 'b'"):
        evaluate(write_csv({"truth": ["a", "b", "c"], "predicted": ["a", "b", "b"]}), classes=["a", "b"])


def test_spark_vectors_are_read_from_their_text(write_csv):
    vectors = ["[0.9,0.1]", "[0.2,0.8]", "(2,[1],[1.0])"] * 20
    path = write_csv({"label": [0.0, 1.0, 1.0] * 20, "prediction": [0.0, 1.0, 1.0] * 20, "probability": vectors})
    found = evaluate(path)
    assert found.estimates["accuracy"].value == 1
    assert found.estimates["log_loss"].value == pytest.approx(-np.log([0.9, 0.8, 1.0]).mean(), abs=1e-12)


def test_spark_vectors_are_read_from_their_struct(tmp_path):
    kind = pa.struct(
        [("type", pa.int8()), ("size", pa.int32()), ("indices", pa.list_(pa.int32())), ("values", pa.list_(pa.float64()))]
    )
    dense = [
        {"type": 1, "size": None, "indices": None, "values": [0.9, 0.1]},
        {"type": 0, "size": 2, "indices": [1], "values": [1.0]},
    ]
    rows = {"label": [0.0, 1.0] * 30, "prediction": [0.0, 1.0] * 30, "probability": pa.array(dense * 30, kind)}
    pq.write_table(pa.table(rows), tmp_path / "x.parquet")
    assert evaluate(tmp_path / "x.parquet").estimates["auc"].value == 1


def test_two_models_side_by_side_are_refused_with_the_flags_for_each(write_csv):
    path = write_csv(
        {"truth": ["a", "b", "a", "b"] * 20, "pred_lr": ["a", "b", "b", "b"] * 20, "pred_rf": ["a", "a", "a", "b"] * 20}
    )
    with pytest.raises(DoubtfulRolesError, match=r"predicted=.pred_lr.(.|\n)*predicted=.pred_rf."):
        read(path)


def test_rejected_decisions_have_a_column_of_their_own(write_csv):
    path = write_csv({"truth": ["a", "b", "a", "b"] * 20, "predicted": ["a", "?", "b", "b"] * 20})
    found = evaluate(path, rejected="?")
    assert found.counts.classes == ("a", "b")
    assert found.counts.rejected.tolist() == [0, 20]
    assert found.estimates["rejection_rate"].value == 0.25


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("x.csv", b"", "is empty"),
        ("x.csv", b"truth,predicted\n", "no rows after the header"),
        ("x.csv", b"truth,truth\na,b\n", "more than once"),
        ("x.csv", b"truth,predicted\na,b\na\n", "cannot be read"),
        ("x.csv", b"truth,predicted\n\xff\xfe,b\n", "UTF-8"),
        ("x.csv.gz", b"not gzip", "cannot be read"),
        ("x.parquet", b"PAR1 nonsense", "cannot be read"),
        ("x.pkl", b"\x80\x04.", "adjudge reads .csv"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(name, content, text, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=text) as caught:
        evaluate(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.slow
def test_a_number_that_is_none_deep_in_a_file_is_named(write_csv):
    scores = ["0.250000000000000", "0.750000000000000"] * 150_000
    path = write_csv({"truth": [0, 1] * 150_000, "y_score": [*scores[:-1], "oops"]})
    with pytest.raises(InputError, match="oops"):
        evaluate(path)


def test_numbers_are_judged_by_their_losses(write_csv):
    found = evaluate(write_csv({"y_true": [1.5, 2.0, 3.25], "y_pred": [1.0, 2.0, 3.0]}))
    assert found.estimates["mae"].value == pytest.approx(0.25)
    assert found.counts is None


def test_a_frame_with_a_column_nobody_can_read_is_still_read():
    frame = pd.DataFrame({"truth": ["a", "b"] * 20, "predicted": ["a", "b"] * 20, "junk": [object(), {1}] * 20})
    assert evaluate(frame).estimates["accuracy"].value == 1


def test_what_is_not_predictions_is_refused():
    with pytest.raises(InputError, match="cannot read a int"):
        read(3)
