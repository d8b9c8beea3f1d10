"""Parquet files and folders of them: one table, or a refusal that names the file."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from adjudge import InputError, evaluate
from adjudge.predictions.sources import ParquetSource

LABELS = {"truth": ["a", "b"] * 20, "predicted": ["a", "b"] * 20}


def folder_of(tmp_path, **files):
    folder = tmp_path / "folder"
    for name, columns in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), f"{path}.parquet")
    return folder


def test_hidden_folders_and_files_are_passed_over(tmp_path):
    junk = {"nothing": [1]}
    folder = folder_of(tmp_path, part=LABELS)
    for hidden in ("_temporary/0/part", ".cache/part", "_part", "sub/_old/part"):
        path = folder / f"{hidden}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(junk), path)
    assert evaluate(folder).counts.n == 40


def test_hidden_means_below_the_folder(tmp_path):
    folder = folder_of(tmp_path / "_results" / ".hidden", part=LABELS)
    assert evaluate(folder).counts.n == 40


def test_columns_kept_in_folder_names_are_refused(tmp_path):
    folder = folder_of(tmp_path, **{"truth=a__part": {"predicted": ["a"]}, "truth=b__part": {"predicted": ["b"]}})
    with pytest.raises(InputError, match=r"folder 'truth=a' keeps column 'truth' in its name\. Write that column into the files"):
        evaluate(folder)


NUMBERS = {"truth": [0, 1] * 20, "predicted": [0, 1] * 20}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (pa.int64(), pa.int8()),
        (pa.int8(), pa.int64()),
        (pa.float64(), pa.int32()),
        (pa.float64(), pa.float32()),
    ],
)
def test_files_of_other_types_are_cast_where_nothing_is_lost(first, second, tmp_path):
    one, two = (pa.table({name: pa.array(values).cast(kind) for name, values in NUMBERS.items()}) for kind in (first, second))
    found = evaluate(folder_of(tmp_path, a=one, b=two))
    assert found.counts.n == 80
    assert found.counts.classes == (0, 1)


@pytest.mark.parametrize(("first", "second"), [(True, False), (False, True)])
def test_text_and_categories_go_together(first, second, tmp_path):
    def table(categorical):
        frame = pd.DataFrame(LABELS, dtype="category" if categorical else None)
        return pa.Table.from_pandas(frame)

    assert evaluate(folder_of(tmp_path, a=table(first), b=table(second))).counts.n == 80


@pytest.mark.slow
def test_categories_may_be_more_in_all_files_than_in_one(tmp_path):
    files = {}
    for start in (0, 100, 200):
        labels = [f"c{i:03d}" for i in range(start, start + 100)]
        files[f"part{start:03d}"] = pa.Table.from_pandas(pd.DataFrame({"truth": labels, "predicted": labels}, dtype="category"))
    assert len(evaluate(folder_of(tmp_path, **files)).counts.classes) == 300


@pytest.mark.parametrize(
    ("first", "second", "types"),
    [
        (["a", "b"], [0, 1], "column 'truth' is int64, but in a.parquet it is string"),
        ([0, 1], ["a", "b"], "column 'truth' is string, but in a.parquet it is int64"),
        (pa.array([0, 1], pa.int8()), [0, 1000], "column 'truth' is int64, but in a.parquet it is int8"),
        (pa.array([0, 1], pa.float32()), [0.1, 0.2], "column 'truth' is double, but in a.parquet it is float"),
        ([0, 1], [0.0, 1.5], "column 'truth' is double, but in a.parquet it is int64"),
    ],
)
def test_files_whose_types_do_not_go_together_are_named(first, second, types, tmp_path):
    folder = folder_of(tmp_path, a={"truth": first, "predicted": first}, b={"truth": second, "predicted": second})
    with pytest.raises(InputError, match=f"b.parquet: {types}"):
        list(ParquetSource(folder).batches(["truth", "predicted"], []))


def test_a_file_without_a_column_is_named(tmp_path):
    folder = folder_of(tmp_path, a=LABELS, b={"truth": ["a"]})
    with pytest.raises(InputError, match=r"b.parquet: no column 'predicted', which a.parquet has"):
        evaluate(folder)


def test_columns_of_one_name_are_refused(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["truth", "truth"]), path)
    with pytest.raises(InputError, match="'truth' names more than one column"):
        evaluate(path)


def test_declared_categories_keep_their_order(tmp_path):
    frame = pd.DataFrame({"truth": pd.Categorical(["lo", "hi"], ["lo", "mid", "hi"], ordered=True)})
    frame.to_parquet(tmp_path / "x.parquet")
    assert ParquetSource(tmp_path / "x.parquet").declared("truth") == ("lo", "mid", "hi")
