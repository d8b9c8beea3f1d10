"""Folders, patterns and columns in the names of folders are read as one table, or refused in a sentence that names the file."""

from __future__ import annotations

import gzip
import json
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import InputError, count, evaluate, read
from adjudge.predictions.folders import FolderColumn, find_files
from adjudge.predictions.sources import open_path

KEYS = ["truth", "site", "fold"]
ROLES = {"truth": "truth", "predicted": "predicted", "scores": "score", "row": "id", "fold": "fold", "group": "site"}


def table(n=120):
    rng = np.random.default_rng(0)
    places = rng.choice(np.array(["a b", "c/d", "é"]), n)
    columns = {"id": np.arange(n), "predicted": rng.integers(0, 2, n), "score": np.round(rng.random(n), 6)}
    rows = pa.table({**columns, "truth": rng.integers(0, 2, n), "site": places, "fold": rng.integers(0, 3, n)})
    return rows.sort_by([(key, "ascending") for key in KEYS])


def write(rows, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    (pq.write_table if path.suffix == ".parquet" else pacsv.write_csv)(rows, path)


def parted(rows, root, ending):
    """Write rows into folders that name the columns of KEYS, as Hive does."""
    for group in rows.group_by(KEYS).aggregate([]).to_pylist():
        mask = np.all([np.array(rows[key].to_pylist()) == value for key, value in group.items()], axis=0)
        folder = root.joinpath(*(f"{key}={quote(str(value), safe='')}" for key, value in group.items()))
        write(rows.filter(pa.array(mask)).drop_columns(KEYS), folder / f"part-0{ending}")
    return root


def judged(source, **roles):
    found = count(source, **(ROLES | roles)).to_dict()
    return json.dumps({name: value for name, value in found.items() if name not in ("name", "fingerprints")})


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
@pytest.mark.parametrize("place", ["", "truth=*", "*/*/fold=*/part-?.*", "**"])
def test_columns_in_the_names_of_folders_have_any_role(ending, place, tmp_path):
    root = parted(table(), tmp_path / "rows", ending)
    assert judged(root / place) == judged(table())


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_they_weigh_and_split_rows(ending, tmp_path):
    root = parted(table(), tmp_path / "rows", ending)
    others = {"row": "", "fold": ""}
    assert judged(root, weight="fold", **others) == judged(table(), weight="fold", **others)
    assert judged(root, split="site=a b", **others) == judged(table(), split="site=a b", **others)


def test_the_same_as_a_dataset_of_arrow(tmp_path):
    pq.write_to_dataset(table(), tmp_path, partition_cols=KEYS)
    kind = ds.partitioning(pa.schema([("truth", pa.int64()), ("site", pa.string()), ("fold", pa.int64())]), flavor="hive")
    assert judged(tmp_path) == judged(ds.dataset(tmp_path, partitioning=kind))


@pytest.mark.slow
def test_roles_are_found_though_each_file_holds_one_class(tmp_path):
    rows = table(12_000).sort_by("truth")
    root = parted(rows, tmp_path / "rows", ".parquet")
    assert read(root).roles.truth == "truth"
    assert evaluate(root, row="").counts.n == 12_000


@pytest.mark.parametrize(
    ("values", "kind", "read_as"),
    [
        (("1", "-2", "007"), "int64", [1, -2, 7]),
        (("1", None), "int64", [1, None]),
        (("1", "x"), "string", ["1", "x"]),
        (("1.5",), "string", ["1.5"]),
        (("9" * 19,), "string", ["9" * 19]),
        ((None,), "string", [None]),
        (("+1",), "string", ["+1"]),
    ],
)
def test_whole_numbers_where_all_are(values, kind, read_as):
    column = FolderColumn(values)
    assert str(column.type) == kind
    assert [column.rows(i, 2).to_pylist()[1] for i in range(len(values))] == read_as


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=4, unique=True))
def test_any_text_comes_back(texts):
    column = FolderColumn(tuple(texts))
    numbers = column.numbers is not None
    for i, text in enumerate(texts):
        assert column.rows(i, 1).to_pylist() == [int(text) if numbers else text]


def test_missing_values_have_a_folder(tmp_path):
    for site in ("a", "__HIVE_DEFAULT_PARTITION__"):
        write(pa.table({"truth": [0, 1], "predicted": [0, 1]}), tmp_path / f"site={site}" / "x.parquet")
    blocks = list(open_path(tmp_path).batches(["site"], []))
    assert [value for block in blocks for value in block["site"].to_pylist()] == [None, None, "a", "a"]


@pytest.mark.parametrize(("ending", "own"), [(".parquet", [2026]), (".parquet", ["2026"]), (".csv", [2026])])
def test_a_column_in_files_and_folders_must_agree(ending, own, tmp_path):
    rows = {"truth": ["a", "b"], "predicted": ["a", "b"], "year": own * 2}
    write(pa.table(rows), tmp_path / "year=2026" / f"x{ending}")
    assert evaluate(tmp_path).counts.n == 2
    write(pa.table(rows), tmp_path / "year=2027" / f"x{ending}")
    with pytest.raises(InputError, match=rf"year=2027/x{ending}: column 'year' .*2026.*'2027'"):
        evaluate(tmp_path, truth="truth", predicted="predicted")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            ["year=1/x", "x"],
            "x.parquet lies in folders that name no column, but year=1/x.parquet lies in folders that name 'year'",
        ),
        (["year=1/site=a/x", "year=1/x"], "lies in folders that name 'year', 'site', but year=1/x.parquet"),
        (["year=1/x", "site=1/x"], "name 'site', but year=1/x.parquet lies in folders that name 'year'"),
        (["year=1/year=2/x"], "name a column more than once"),
    ],
)
def test_folders_that_name_other_columns_are_refused(files, said, tmp_path):
    for file in files:
        write(pa.table({"truth": ["a"], "predicted": ["a"]}), tmp_path / f"{file}.parquet")
    with pytest.raises(InputError, match=said):
        evaluate(tmp_path)


# -- patterns and folders of text ------------------------------------------------------------------------------


def texts(tmp_path, **files):
    for name, text in files.items():
        path = tmp_path / name.replace("__", "/").replace("_gz", ".gz").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return tmp_path


def test_files_of_text_are_one_table_whatever_their_separators(tmp_path):
    folder = texts(
        tmp_path,
        a_csv="truth,score\nno,0.25\nyes,0.75\n",
        b_csv="score;truth\n0,5;no\n0,625;yes\n",
        c_tsv="truth\tscore\nno\t0.125\n",
        d_csv_gz="truth,score\nyes,1\n",
        notes_txt="not of this table",
    )
    source = open_path(folder)
    assert source.names == ("truth", "score")
    assert source.head(9)["score"].to_pylist() == [0.25, 0.75, 0.5, 0.625, 0.125, 1]
    (block,) = source.batches(["truth"], ["score"])
    assert block["truth"].to_pylist() == ["no", "yes", "no", "yes", "no", "yes"]
    assert block["score"].to_pylist() == [0.25, 0.75, 0.5, 0.625, 0.125, 1]


@pytest.mark.parametrize("pattern", ["part-*.csv", "part-[12].csv", "part-?.csv", "**/part-*.csv", "p*"])
def test_patterns(pattern, tmp_path):
    for i in (1, 2):
        (tmp_path / f"part-{i}.csv").write_text("truth,predicted\n" + "a,a\nb,a\n" * i)
    assert evaluate(tmp_path / pattern).counts.n == 6
    assert open_path(tmp_path / pattern).name == pattern


def test_a_name_that_looks_like_a_pattern_is_a_name_first(tmp_path):
    folder = tmp_path / "runs [old]"
    folder.mkdir()
    for name in ("x[1].csv", "x*.csv", "x1.csv"):
        (folder / name).write_text("truth,predicted\na,a\nb,b\n")
    assert [path.name for path in find_files(folder / "x[1].csv").paths] == ["x[1].csv"]
    assert [path.name for path in find_files(folder / "x*.csv").paths] == ["x*.csv"]
    assert [path.name for path in find_files(folder / "x?.csv").paths] == ["x*.csv", "x1.csv"]


@pytest.mark.parametrize(
    ("files", "place", "said"),
    [
        ({"a_csv": "t,p\na,a\n", "b_csv": "t\na\n"}, "", r"b.csv: no column 'p', which a.csv has\."),
        ({"a_csv": "t\na\n", "b_csv": "t,p\na,a\n"}, "*.csv", r"a.csv: no column 'p', which b.csv has\."),
        ({"a_csv": "t,p\na,a\n", "b_parquet": ""}, "", "a.csv is text and b.parquet is Parquet; give files of one kind"),
        ({"a_csv": "t,p\na,a\n", "b_csv": ""}, "", "b.csv: the file is empty"),
        ({"a_csv": "t,p\n"}, "", "no rows after the header"),
        ({"a_csv": ""}, "*.parquet", "No .csv, .csv.gz, .tsv or .parquet file matches"),
        ({"a_json": ""}, "*", "No .csv, .csv.gz, .tsv or .parquet file matches"),
        ({"a_json": ""}, "", "the folder holds no .csv, .csv.gz, .tsv or .parquet file"),
    ],
)
def test_what_cannot_be_one_table(files, place, said, tmp_path):
    with pytest.raises(InputError, match=said):
        evaluate(texts(tmp_path / "rows", **files) / place, truth="t", predicted="p")


def test_hidden_files_need_to_be_named(tmp_path):
    for name in ("_old/a.csv", ".b.csv", "c.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("truth,predicted\na,a\nb,b\n")
    assert [path.name for path in find_files(tmp_path / "**").paths] == ["c.csv"]
    assert [path.name for path in find_files(tmp_path / "_o*" / "*.csv").paths] == ["a.csv"]


def test_a_pattern_is_corrected_into_another_file(tmp_path):
    from adjudge import fit_multipliers
    from adjudge.corrections.streaming import apply_to_file as apply

    for i in (1, 2):
        (tmp_path / f"x{i}.csv").write_text("truth,p_a,p_b\na,0.75,0.25\nb,0.5,0.5\n")
    rule = fit_multipliers(read(tmp_path / "x*.csv"))
    with pytest.raises(InputError, match="would replace those in"):
        apply(rule, tmp_path / "x*.csv", tmp_path / "x2.csv")
    assert apply(rule, tmp_path / "x*.csv", tmp_path / "y.csv").cases == 4


@pytest.mark.parametrize(("column", "told"), [("weight", True), ("p_a", True), ("fold", True), ("remark", False)])
def test_a_column_named_like_a_role_that_some_files_lack_is_a_finding(tmp_path, column, told):
    (tmp_path / "0.csv").write_text(f"truth,predicted,{column}\n" + 10 * "a,a,1\nb,a,1\n", encoding="utf-8")
    (tmp_path / "1.csv").write_text("truth,predicted\n" + 10 * "a,a\nb,a\n", encoding="utf-8")
    found = [finding for finding in evaluate(tmp_path).findings if finding.code == "A115"]
    assert [finding.value for finding in found] == ([column] if told else [])
    assert all("1.csv" in finding.message and "0.csv" in finding.message for finding in found)
