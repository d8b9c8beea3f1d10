from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.described import refused

from adjudge import InputError, Predictions, evaluate, read
from adjudge.predictions.duplicates import Identities, without_duplicates

BLOCK = {"y_true": ["a", "b", "b", "a"], "y_pred": ["a", "b", "a", "a"], "p_a": [0.9, 0.2, 0.7, 0.6], "p_b": [0.1, 0.8, 0.3, 0.4]}


def seen(*batches, folds=None, numbers=None):
    identities = Identities("id")
    for i, rows in enumerate(batches):
        identities.add(rows, None if folds is None else np.asarray(folds[i]), None if numbers is None else np.asarray(numbers[i]))
    identities.check()


def made_one(source, **options):
    return without_duplicates(read(source, **options))


@pytest.mark.parametrize(
    "rows",
    [
        pa.array([1, None, None, 2]),
        pa.array([0, None, None, 2]),
        pa.array([1.5, None, float("nan"), float("nan")]),
        pa.array(["a", None, None, "b"]),
        pa.array(["a", "", "", "NA", "NA"]),
        pa.array(["a", None, None, "b"]).dictionary_encode(),
        pa.array([datetime(2020, 1, 1, tzinfo=UTC), None, None]),
        pa.array([2**64 - 1, 2**63, 0], pa.uint64()),
    ],
)
def test_rows_without_identity_are_never_repetitions(rows):
    seen(rows)


@pytest.mark.parametrize(
    "rows",
    [
        pa.array([7, 8, 7]),
        pa.array([0.25, 1.0, 0.25]),
        pa.array([0.0, 1.0, -0.0]),
        pa.array(["a", "b", "a"]),
        pa.array(["a", "b", "a"]).dictionary_encode(),
        pa.array([2**64 - 1, 0, 2**64 - 1], pa.uint64()),
        pa.array([datetime(2020, 1, 1, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)]),
        pa.array([1, 2, 1], pa.date32()),
    ],
)
def test_equal_values_are_repetitions(rows):
    with pytest.raises(InputError, match=r"1 row .*before \(rows 3\)"):
        seen(rows)


def test_rows_are_named_by_their_own_numbers():
    with pytest.raises(InputError, match=r"\(rows 5, 11\)"):
        seen(pa.array(["a", None, "a"]), pa.array(["c", "c"]), numbers=[[1, 3, 5], [10, 11]])
    with pytest.raises(InputError, match=r"\(rows 3, 5\)"):
        seen(pa.array(["a", None, "a"]), pa.array(["c", "c"]))


def test_a_case_may_come_back_in_another_fold_only():
    seen(pa.array([1, 2]), pa.array([1, 2]), folds=[[0, 0], [1, 1]])
    with pytest.raises(InputError, match="rows 4"):
        seen(pa.array([1, 2]), pa.array([1, 2]), folds=[[0, 0], [1, 0]])


def test_identities_of_several_values_are_refused():
    with refused("row", "holds several values a row"):
        seen(pa.array([[1], [2]]))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), unique=True), st.data())
def test_different_pairs_of_row_and_fold_are_different(ids, data):
    folds = data.draw(st.lists(st.integers(0, 10**6), min_size=len(ids), max_size=len(ids)))
    seen(pa.array(ids, pa.int64()), folds=[np.array(folds, dtype=np.int64)])


@pytest.mark.slow
def test_rows_without_identity_stay_apart_when_others_are_made_one():
    for how in ("first", "mean"):
        found = evaluate({"id": [None, None, "x", "x"], **BLOCK, "y_true": ["a", "b", "b", "b"]}, row="id", duplicates=how)
        assert found.counts.n == 3


def test_the_first_row_of_each_case_is_kept_in_order():
    merged = made_one({"id": [9, 3, 9, 3], **BLOCK, "y_true": list("abab")}, row="id", duplicates="first")
    (batch,) = merged.source.batches(["id", "y_pred"], ["p_a"])
    assert batch["id"].to_pylist() == [9, 3]
    assert batch["y_pred"].to_pylist() == ["a", "b"]
    assert batch["p_a"].to_pylist() == [0.9, 0.2]


def test_the_truth_of_one_case_must_agree():
    columns = {"id": [1, 2, 1, 3], **BLOCK}
    with pytest.raises(InputError, match=r"'id': rows 1 and 3.*'y_true'.*'a' and 'b'"):
        made_one(columns, duplicates="mean")
    assert evaluate(columns, duplicates="first").counts.n == 3


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_a_missing_score_makes_the_mean_missing(gap):
    columns = {"id": [1, 2, 2, 3], **BLOCK, "p_a": [0.9, gap, 0.7, 0.6]}
    with refused("missing_scores", "'p_a' has 1 missing value"):
        evaluate(columns, duplicates="mean")
    assert evaluate(columns, duplicates="mean", missing_scores="drop").counts.n == 2


def test_means_of_probabilities_decide_anew():
    merged = made_one({"id": [1, 2, 2, 3], **BLOCK}, duplicates="mean")
    assert merged.roles.predicted is None
    assert "mean score" in merged.roles.evidence["predicted"]
    (batch,) = merged.source.batches([], ["p_a"])
    np.testing.assert_allclose(batch["p_a"].to_pylist(), [0.9, 0.45, 0.6])


def test_the_mean_of_one_probability_decides_anew():
    made = Predictions(["n", "y", "y"], ["n", "y", "n"], [0.1, 0.9, 0.2], row=[1, 2, 2], positive="y", duplicates="mean")
    merged = without_duplicates(made)
    assert merged.roles.predicted is None
    assert evaluate(merged).counts.correct.sum() == 2


def test_means_of_plain_scores_leave_the_first_decision():
    made = Predictions(["n", "y", "y"], ["n", "y", "n"], [-5, 3, 2.0], row=[1, 2, 2], positive="y", duplicates="mean")
    merged = without_duplicates(made)
    assert merged.roles.predicted == "predicted"
    assert evaluate(merged).counts.correct.sum() == 2


def test_confidences_have_no_mean():
    made = Predictions(["n", "y"], ["n", "y"], [0.9, 0.8], row=[1, 1], positive="y", scores_are="confidence", duplicates="mean")
    with refused("duplicates", "confidences", 'duplicates="first"'):
        without_duplicates(made)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_vectors_are_not_averaged_but_the_first_is_kept(kind, tmp_path, write_csv):
    columns = {"id": [1, 2, 2], "y_true": [0, 1, 1], "probability": [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]]}
    if kind == "csv":
        path = write_csv(columns | {"probability": [str(v) for v in columns["probability"]]})
    else:
        path = tmp_path / "x.parquet"
        pq.write_table(pa.table(columns), path)
    with pytest.raises(InputError, match=r"'probability' holds vectors.*duplicates=.first"):
        made_one(path, duplicates="mean")
    found = evaluate(path, duplicates="first")
    assert found.counts.n == found.counts.correct.sum() == 2


@pytest.mark.slow
@pytest.mark.parametrize("how", ["first", "mean"])
@pytest.mark.parametrize("kind", ["pandas", "polars", "parquet"])
def test_declared_levels_are_kept(how, kind, tmp_path):
    frame = pd.DataFrame({"id": [1, 2, 2], "y_true": ["lo", "hi", "hi"], "y_pred": ["lo", "hi", "hi"]})
    labels = ["y_true", "y_pred"]
    frame[labels] = frame[labels].astype(pd.CategoricalDtype(["lo", "mid", "hi"], ordered=True))
    source = frame
    if kind == "polars":
        source = pl.DataFrame(frame.astype(dict.fromkeys(labels, str)).to_dict("list")).with_columns(
            pl.col(labels).cast(pl.Enum(["lo", "mid", "hi"]))
        )
    elif kind == "parquet":
        source = tmp_path / "x.parquet"
        frame.to_parquet(source)
    assert evaluate(source, duplicates=how).counts.classes == ("lo", "mid", "hi")


def test_an_identity_is_needed():
    with pytest.raises(InputError, match="name the column with row="):
        made_one(BLOCK, duplicates="mean")


@pytest.mark.parametrize("seed", range(6))
def test_identities_that_follow_a_pattern_of_their_own_do_not_collide_with_folds(seed):
    ids = (np.arange(1, 13, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)).view(np.int64)  # Fibonacci hashing
    rows = {"id": np.random.default_rng(seed).permutation(ids), "fold": list("ABC" * 4), "truth": ["a", "b"] * 6}
    assert evaluate(rows | {"predicted": rows["truth"]}, row="id", fold="fold").counts.n == 12
