"""Parquet files: one table of one or many, in types that hold the values of all, in parts that join to the whole, or a refusal."""

from __future__ import annotations

import datetime as dt
import decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from adjudge import InputError, evaluate
from adjudge.cli import main
from adjudge.predictions.parquet_source import LARGE, ParquetSource
from adjudge.predictions.sources import open_path

ROWS = {"truth": ["a", "b", None, "a"], "p": [0.5, None, 0.25, 1.0], "n": [1, 2, 3, 4]}


def write(folder, name="a.parquet", rows=ROWS, **how):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows if isinstance(rows, pa.Table) else pa.table(rows), path, **how)
    return path


def whole(source, labels=("truth",), numbers=("p", "n")):
    """Return all rows of a source as plain lists."""
    blocks = list(source.batches(list(labels), list(numbers)))
    names = [*labels, *numbers]
    return {name: [value for block in blocks for value in block[name].to_pylist()] for name in names}


def test_a_file_is_read_as_it_was_written(tmp_path):
    source = open_path(write(tmp_path))
    assert isinstance(source, ParquetSource)
    assert source.names == tuple(ROWS)
    assert source.about() == 4
    assert whole(source) == ROWS
    assert {name: column.to_pylist() for name, column in source.head(2).items()} == {
        name: values[:2] for name, values in ROWS.items()
    }


@pytest.mark.parametrize("rows", [1, 3, 4, 5, 100])
def test_the_first_rows_go_on_over_files(rows, tmp_path):
    for at in range(3):
        write(tmp_path, f"{at}.parquet", {"truth": [f"class {at}"] * 2, "p": [at / 4] * 2})
    head = open_path(tmp_path).head(rows)
    assert head["truth"].to_pylist() == [f"class {at // 2}" for at in range(min(rows, 6))]


def test_files_are_one_table_in_the_order_of_their_names(tmp_path):
    for name in ("b", "a", "c"):
        write(tmp_path, f"{name}.parquet", {"truth": [name], "p": [0.5], "n": [1]})
    assert whole(open_path(tmp_path))["truth"] == ["a", "b", "c"]


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(1, 4), st.integers(1, 8))
def test_parts_join_to_the_whole_and_know_where_they_begin(tmp_path_factory, sizes, group, part):
    folder, n = tmp_path_factory.mktemp("parts"), 0
    for at, size in enumerate(sizes):
        write(folder, f"{at}.parquet", {"truth": ["a"] * size, "n": list(range(n, n + size))}, row_group_size=group)
        n += size
    source = open_path(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("adjudge.predictions.parquet_source.PART", part)
        parts = source.sliced()
    rows = [whole(each, numbers=["n"])["n"] for each in parts]
    assert [row for each in rows for row in each] == list(range(n))
    assert [each.first for each in parts] == [each[0] for each in rows]


def test_a_part_has_the_types_of_all_files(tmp_path, monkeypatch):
    write(tmp_path, "0.parquet", {"truth": ["a"], "n": pa.array([0.5])})
    write(tmp_path, "1.parquet", {"truth": ["a"], "n": pa.array([1], pa.int32())})
    monkeypatch.setattr("adjudge.predictions.parquet_source.PART", 1)
    *_, last = open_path(tmp_path).sliced()
    (block,) = last.batches(["truth"], ["n"])
    assert (block["n"].type, block["n"].to_pylist()) == (pa.float64(), [1.0])


def test_declared_categories_are_those_of_the_writer_also_where_none_occurs(tmp_path):
    declared = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int8()), ["low", "mid", "high"])
    source = open_path(write(tmp_path, rows=pa.table({"truth": declared, "plain": ["a", "b"]})))
    assert source.declared("truth") == ("low", "mid", "high")
    assert source.declared("plain") is None


def test_categories_of_files_may_differ(tmp_path):
    for at, labels in enumerate((["a", "b"], ["c", "a"])):
        write(tmp_path, f"{at}.parquet", pa.table({"truth": pa.array(labels).dictionary_encode(), "p": [0.1, 0.2]}))
    source = open_path(tmp_path)
    assert whole(source, numbers=["p"])["truth"] == ["a", "b", "c", "a"]
    assert source.head(4)["truth"].to_pylist() == ["a", "b", "c", "a"]


def test_there_is_room_for_more_categories_than_the_first_file_has(tmp_path):
    few = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), ["a"])
    many = pa.array([f"label {at}" for at in range(300)]).dictionary_encode()
    for at, labels in enumerate((few, many)):
        write(tmp_path, f"{at}.parquet", pa.table({"truth": labels}))
    assert whole(open_path(tmp_path), numbers=())["truth"] == ["a", *many.to_pylist()]


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ({"truth": ["a"], "p": ["high"], "n": [1]}, "'p' is string"),
        ({"truth": ["a"], "p": [0.5]}, "no column"),
        (
            pa.Table.from_arrays([pa.array(["a"]), pa.array([0.5]), pa.array([1]), pa.array([2])], ["truth", "p", "n", "n"]),
            "more than one",
        ),
    ],
)
def test_a_file_unlike_the_first_is_refused_by_name(second, told, tmp_path):
    write(tmp_path, "0.parquet", pa.table({"truth": ["a"], "p": [0.5], "n": pa.array([1], pa.int32())}))
    write(tmp_path, "1.parquet", second)
    with pytest.raises(InputError, match=r"1\.parquet") as refused:
        whole(open_path(tmp_path))
    assert told in str(refused.value)


def test_a_column_that_no_one_asks_for_may_differ(tmp_path):
    write(tmp_path, "0.parquet")
    write(tmp_path, "1.parquet", {"truth": ["b"], "n": [7], "p": ["not a number"]})
    assert whole(open_path(tmp_path), numbers=["n"])["n"] == [1, 2, 3, 4, 7]


def test_twin_columns_and_files_without_rows_are_refused(tmp_path):
    twins = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["n", "n"])
    with pytest.raises(InputError, match=r"twins\.parquet"):
        _ = open_path(write(tmp_path, "twins.parquet", twins)).names
    with pytest.raises(InputError, match="no rows"):
        open_path(write(tmp_path, "empty.parquet", pa.table({"truth": pa.array([], pa.string())}))).head(3)


@pytest.mark.parametrize(
    "spoil",
    [lambda _: b"", lambda _: b"truth,p\na,1\n", lambda raw: raw[: len(raw) // 2], lambda raw: raw[:-8] + b"\xff" * 8],
)
def test_what_is_no_parquet_file_is_refused_by_name(spoil, tmp_path):
    path = write(tmp_path, "broken.parquet")
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(InputError, match=r"broken\.parquet"):
        _ = open_path(path).names


def test_a_damaged_page_is_refused_not_read(tmp_path):
    labels = [f"label {at}" for at in range(500)]
    path = write(
        tmp_path, "damaged.parquet", {"truth": labels}, write_page_checksum=True, compression="none", use_dictionary=False
    )
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b"label 250", b"label 251"))
    with pytest.raises(InputError, match=r"damaged\.parquet"):
        whole(open_path(path), numbers=())


def test_folders_name_columns_and_must_not_contradict_their_files(tmp_path):
    for fold in (1, 2):
        write(tmp_path / "good", f"fold={fold}/a.parquet", {"truth": ["a", "b"], "predicted": ["a", "a"]})
    source = open_path(tmp_path / "good")
    assert source.names == ("truth", "predicted", "fold")
    assert whole(source, ["truth", "predicted"], ["fold"])["fold"] == [1, 1, 2, 2]
    assert sorted(evaluate(tmp_path / "good", fold="fold").by_fold) == [1, 2]
    write(tmp_path / "bad", "fold=1/a.parquet", {"truth": ["a"], "fold": [3]})
    with pytest.raises(InputError, match=r"a\.parquet"):
        whole(open_path(tmp_path / "bad"), numbers=["fold"])


def test_how_many_scores_are_worth_processes_of_their_own(tmp_path, monkeypatch):
    source = open_path(write(tmp_path))
    assert not source.is_large(1000)
    monkeypatch.setattr(ParquetSource, "about", lambda _: LARGE // 10)
    assert [source.is_large(columns) for columns in (0, 9, 10, 11)] == [False, False, False, True]
    monkeypatch.setattr(ParquetSource, "about", lambda _: 4 * LARGE)
    assert source.is_large(0)  # labels take a quarter of a score
    monkeypatch.setattr(ParquetSource, "about", lambda _: 3 * LARGE)
    assert not source.is_large(0)


def labelled(folder, of, kind=None, **more):
    """Return a file of forty rows whose two labels are what `of` makes of 0 and 1."""
    table = pa.table({name: pa.array([of(n % 2) for n in range(40)], kind) for name in ("truth", "predicted")} | more)
    pq.write_table(table, folder / "x.parquet")
    return folder / "x.parquet"


DAY = dt.datetime(2026, 1, 1)  # noqa: DTZ001 - as files hold them
LABELS = {
    "date": (lambda n: (DAY + dt.timedelta(n)).date(), None),
    "timestamp": (lambda n: DAY + dt.timedelta(n), None),
    "timestamp in UTC": (lambda n: (DAY + dt.timedelta(n)).replace(tzinfo=dt.UTC), None),
    "nanoseconds": (lambda n: 1_600_000_000_123_456_789 + n, pa.timestamp("ns")),
    "time": (dt.time, None),
    "duration": (dt.timedelta, None),
    "whole decimal": (lambda n: decimal.Decimal(f"{n}.00"), None),
    "binary": (lambda n: b"ab"[n : n + 1], None),
    "bytes that are no text": (lambda n: bytes([255, n]), None),
    "bytes of one length": (lambda n: b"ab"[n : n + 1], pa.binary(1)),
    "large text": (lambda n: "ab"[n], pa.large_string()),
    "large numbers": (lambda n: 2**64 - 1 - n, pa.uint64()),
}


@pytest.mark.parametrize(("of", "kind"), LABELS.values(), ids=LABELS)
def test_labels_of_any_plain_type_are_classes(tmp_path, of, kind):
    result = CliRunner().invoke(main, ["evaluate", str(labelled(tmp_path, of, kind))])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Accuracy 100.0% (correct in 40 of 40 cases")


NESTED = {
    "lists": (lambda n: ["ab"[n]], None),
    "lists of list": (lambda n: [[float(n)]], None),
    "structs": (lambda n: {"label": "ab"[n]}, None),
    "maps": (lambda n: [("label", "ab"[n])], pa.map_(pa.string(), pa.string())),
}


@pytest.mark.parametrize(("what", "of", "kind"), [(what, *own) for what, own in NESTED.items()], ids=NESTED)
def test_nested_labels_are_refused_with_what_they_are(tmp_path, what, of, kind):
    result = CliRunner().invoke(main, ["evaluate", str(labelled(tmp_path, of, kind))])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"adjudge: Column 'truth' is named like the truth but holds {what}")
    assert result.stderr.endswith("Store one label a row, or name another column with --truth.\n")
    for roles in ({"truth": "truth"}, {"truth": "truth", "predicted": "predicted"}):
        with pytest.raises(InputError, match="holds"):
            evaluate(tmp_path / "x.parquet", **roles)
    plain = pa.array(["a", "b"] * 20)
    with pytest.raises(InputError, match=f"Column 'predicted' is named like the decision but holds {what}"):
        evaluate(pa.table({"truth": plain, "predicted": pa.array([of(n % 2) for n in range(40)], kind)}))
    table = {"truth": plain, "predicted": plain, "case": pa.array([of(n % 2) for n in range(40)], kind)}
    for role in ("row", "group", "fold", "weight", "cluster"):
        with pytest.raises(InputError, match="column 'case' holds"):
            evaluate(pa.table(table), **{role: "case"})


def test_a_nested_column_beside_a_truth_is_passed_over(tmp_path):
    tags = pa.array([["x", "y"]] * 40)
    assert evaluate(labelled(tmp_path, lambda n: "ab"[n], labels=tags, tags=tags)).counts.n == 40


def test_a_truth_without_a_label_is_said_to_have_none(tmp_path):
    with pytest.raises(InputError, match="'truth' is named like the truth but holds no label in the first rows"):
        evaluate(labelled(tmp_path, lambda _: None))


def test_dates_are_compared_with_text_only_as_text(tmp_path):
    path = labelled(tmp_path, LABELS["date"][0])
    table = pq.read_table(path)
    table = table.set_column(1, "predicted", table.column("predicted").cast(pa.string()))
    with pytest.raises(InputError, match=r"'truth' holds values of type date32\[day\] and column 'predicted' holds text"):
        evaluate(table)
    assert evaluate(table, labels_as="str").estimates["accuracy"].value == 1
