"""CSV files: cells have the type that all of them suggest; Parquet files and folders: one table, or a refusal that names the file."""

from __future__ import annotations

import gzip

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import InputError, evaluate, read
from adjudge.predictions.file_sources import typed
from adjudge.predictions.sources import open_path

LABELS = {"truth": ["a", "b"] * 20, "predicted": ["a", "b"] * 20}


def accuracy(path, **options):
    return evaluate(path, **options).estimates["accuracy"].value


def text_of(columns):
    rows = zip(*columns.values(), strict=True)
    return "\n".join([",".join(columns), *(",".join(str(cell) for cell in row) for row in rows), ""])


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["1", "-2", "+3", "0"], "int64", [1, -2, 3, 0]),
        (["1", "NA", ""], "int64", [1, None, None]),
        (["001", "002"], "string", ["001", "002"]),
        (["0.5", "007"], "string", ["0.5", "007"]),
        (["1", "x", "NA"], "string", ["1", "x", None]),
        (["0.5", "1e3", "inf", "-Infinity", "7", " 2"], "double", [0.5, 1000.0, float("inf"), -float("inf"), 7.0, 2.0]),
        ([".5", "5."], "double", [0.5, 5.0]),
        (["9223372036854775808"], "double", [9223372036854775808.0]),
        (["1" * 101], "string", ["1" * 101]),
        (["true", "FALSE", "tRuE", ""], "bool", [True, False, True, None]),
        (["true", "1"], "string", ["true", "1"]),
        (["0x10", "1_0"], "string", ["0x10", "1_0"]),
        (["0,5", "1"], "string", ["0,5", "1"]),
        (["", "NA"], "null", [None, None]),
    ],
)
def test_cells_have_the_type_that_all_of_them_suggest(cells, kind, values):
    found = typed(pa.array(cells))
    assert str(found.type) == kind
    assert found.to_pylist() == values


def test_a_decimal_comma_is_respected():
    assert typed(pa.array(["0,5", "-1,25e2"]), ",").to_pylist() == [0.5, -125.0]
    assert str(typed(pa.array(["0.5"]), ",").type) == "string"


@pytest.mark.slow
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_whole_numbers_come_back_exactly(numbers):
    assert typed(pa.array([str(n) for n in numbers])).to_pylist() == numbers


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_numbers_come_back_exactly(numbers):
    assert typed(pa.array([repr(x) for x in numbers])).to_pylist() == numbers


@pytest.mark.slow
def test_a_column_empty_at_first_and_text_later_is_read(write_csv):
    long = "x" * 2000  # 5,000 such rows are more than one block of 4 MB
    path = write_csv(
        {"truth": ["a", "b"] * 2500, "predicted": ["a", "b"] * 2500, "note": [""] * 4900 + ["late"] * 100, "pad": [long] * 5000}
    )
    assert open_path(path).head(5000)["note"].to_pylist()[-1] == "late"
    assert accuracy(path) == 1


def test_labels_with_leading_zeros_meet_columns_named_after_them(write_csv):
    path = write_csv({"truth": ["001", "002"] * 20, "p_001": [0.9, 0.2] * 20, "p_002": [0.1, 0.8] * 20})
    assert read(path).roles.scores == (("001", "p_001"), ("002", "p_002"))
    assert accuracy(path) == 1


def test_missing_labels_are_no_class_of_the_first_rows(write_csv):
    path = write_csv({"truth": ["NA", "b", "a", "b"] * 10, "y_score": [0.9, 0.7, 0.2, 0.8] * 10})
    assert evaluate(path, missing="drop", positive="b").counts.classes == ("a", "b")


@pytest.mark.parametrize("before", ["\n", "\r\n\r\n", "  \n\t\n", "\ufeff", "\ufeff\n \n"])
def test_blank_lines_before_the_header_are_passed_over(before, tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes((before + text_of(LABELS)).encode())
    assert open_path(path).names == ("truth", "predicted")
    assert accuracy(path) == 1


def test_blank_lines_do_not_hide_the_separator(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("\n \ntruth;y_score\n" + "a;0,25\nb;0,75\n" * 20)
    assert open_path(path).head(10)["y_score"].to_pylist()[:2] == [0.25, 0.75]
    assert accuracy(path, positive="b") == 1


@pytest.mark.parametrize("name", ["x.csv.gz", "X.CSV.GZ", "x.Tsv.Gz"])
def test_gzip_is_known_in_capitals_too(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text_of(LABELS).encode()))
    assert accuracy(path) == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le"])
def test_utf_16_is_named(encoding, tmp_path):
    path = tmp_path / "x.csv"
    bom = b"" if encoding == "utf-16" else {"utf-16-be": b"\xfe\xff", "utf-16-le": b"\xff\xfe"}[encoding]
    path.write_bytes(bom + text_of(LABELS).encode(encoding))
    with pytest.raises(InputError, match=r"UTF-16; .*UTF-8"):
        evaluate(path)


def test_a_column_that_is_not_utf_8_is_named(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"truth,predicted\n\xe4,b\n")
    with pytest.raises(InputError, match=r"'truth' is not UTF-8"):
        evaluate(path)


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
        ([0, 1], [False, True], "column 'truth' is bool, but in a.parquet it is int64"),
        ([0.5, 1], [0, 2**53 + 1], "column 'truth' is int64, and not all of its numbers can be double"),
    ],
)
def test_files_whose_types_do_not_go_together_are_named(first, second, types, tmp_path):
    folder = folder_of(tmp_path, a={"truth": first, "predicted": first}, b={"truth": second, "predicted": second})
    with pytest.raises(InputError, match=f"b.parquet: {types}"):
        list(open_path(folder).batches(["truth", "predicted"], []))


def test_a_file_without_a_column_is_named(tmp_path):
    folder = folder_of(tmp_path, a=LABELS, b={"truth": ["a"]})
    with pytest.raises(InputError, match=r"b\.parquet: no column 'predicted'.*a\.parquet"):
        evaluate(folder)


def test_columns_of_one_name_are_refused(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["truth", "truth"]), path)
    with pytest.raises(InputError, match=r"'truth' names more than"):
        evaluate(path)


def test_declared_categories_keep_their_order(tmp_path):
    frame = pd.DataFrame({"truth": pd.Categorical(["lo", "hi"], ["lo", "mid", "hi"], ordered=True)})
    frame.to_parquet(tmp_path / "x.parquet")
    assert open_path(tmp_path / "x.parquet").declared("truth") == ("lo", "mid", "hi")
