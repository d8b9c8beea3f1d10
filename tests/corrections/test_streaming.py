"""Corrections applied to files: the same numbers as in memory, whatever the format, and a whole file or none."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from tests.corrections.made import CLASSES, cases, columns, multipliers, table
from tests.described import refused
from tests.memory import peak_of
from tests.sparing import some

import adjudge
from adjudge._base.arrays import STREAMED
from adjudge.corrections.streaming import apply_to_file


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".csv.gz"])
def test_kappa_by_its_formula(ending, small, tmp_path):
    path, p, y = small
    made = multipliers(p, y)
    done = apply_to_file(made, path, tmp_path / f"out{ending}")
    got = columns(tmp_path / f"out{ending}")
    factors = np.insert(made.multipliers, made.majority, 0.0)
    wanted = p * factors  # Duch and Itert (2003), eq. 1: the majority class has what the others leave
    wanted[:, made.majority] = 1 - wanted.sum(axis=1)
    found = np.column_stack([np.array(got[f"p_{name}"], dtype=float) for name in CLASSES])
    assert found == pytest.approx(wanted, abs=1e-14)
    assert got["predicted"] == [CLASSES[i] for i in wanted.argmax(axis=1)]
    assert done.cases == 300
    assert done.changed == int((wanted.argmax(axis=1) != p.argmax(axis=1)).sum()) > 0
    assert list(done.columns) == list(got) == ["id", "truth", "predicted", "p_a", "p_b", "p_c"]
    assert [str(i) for i in got["id"]] == [str(i) for i in range(300)]


def test_priors_by_bayes_rule(small, tmp_path):
    path, p, _ = small
    old, new = np.array([0.2, 0.5, 0.3]), np.array([0.6, 0.1, 0.3])
    apply_to_file(adjudge.PriorShift(old, new, CLASSES), path, tmp_path / "out.parquet")
    got = columns(tmp_path / "out.parquet")
    wanted = p * new / old
    wanted /= wanted.sum(axis=1, keepdims=True)
    assert np.column_stack([got[f"p_{name}"] for name in CLASSES]) == pytest.approx(wanted, abs=1e-14)
    assert got["predicted"] == [CLASSES[i] for i in wanted.argmax(axis=1)]


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_rejected_cases_are_understood_by_those_who_read(ending, small, tmp_path):
    path, p, y = small
    made = adjudge.fit_rejection(np.array(CLASSES)[y], p, classes=CLASSES, gamma=1.2)
    out = tmp_path / f"out{ending}"
    done = apply_to_file(made, path, out)
    least = made.thresholds[0]
    assert columns(out)["predicted"] == ["REJECTED" if row.max() < least else CLASSES[row.argmax()] for row in p]
    assert done.rejected_as == "REJECTED"
    assert 0 < done.rejected == int((p.max(axis=1) < least).sum())
    read = adjudge.evaluate(out, rejected="REJECTED").counts
    assert np.array_equal(read.cells, made.counts.cells)


@pytest.mark.slow
def test_numbers_as_classes_keep_their_type_and_rejected_ones_are_null(tmp_path):
    p, y = cases(200)
    pq.write_table(pa.table({"truth": y, **{f"p_{i}": p[:, i] for i in range(3)}}), tmp_path / "new.parquet")
    made = adjudge.fit_rejection(y, p, gamma=1.2)
    done = apply_to_file(made, tmp_path / "new.parquet", tmp_path / "out.parquet")
    assert done.rejected_as == "REJECTED"
    assert pq.read_schema(tmp_path / "out.parquet").field("predicted").type == pa.int64()
    assert columns(tmp_path / "out.parquet")["predicted"].count(None) == done.rejected > 0
    for label in ("REJECTED", "NA"):
        read = adjudge.evaluate(tmp_path / "out.parquet", rejected=label).counts
        assert np.array_equal(read.cells, made.counts.cells)
    apply_to_file(made, tmp_path / "new.parquet", tmp_path / "out.csv")
    assert np.array_equal(adjudge.evaluate(tmp_path / "out.csv", rejected="REJECTED").counts.cells, made.counts.cells)


@pytest.mark.slow
@pytest.mark.parametrize(("come", "go"), some([(".csv", ".parquet"), (".parquet", ".parquet"), (".csv", ".csv")], 3))
def test_blocks_give_the_numbers_of_the_whole(come, go, tmp_path):
    n = STREAMED + 4000
    p, y = cases(n)
    path = tmp_path / f"new{come}"
    if come == ".csv":
        pa.csv.write_csv(table(p, id=np.arange(n)), path)
    else:
        pq.write_table(table(p, id=np.arange(n)), path, row_group_size=10_000)
    made = multipliers(p, y, goal="errors")
    done = apply_to_file(made, path, tmp_path / f"out{go}")
    got = columns(tmp_path / f"out{go}")
    assert done.cases == n
    assert [int(i) for i in got["id"]] == list(range(n))
    found = np.column_stack([np.array(got[f"p_{name}"], dtype=float) for name in CLASSES])
    assert np.array_equal(found, made.apply(p))
    assert got["predicted"] == made.predict(p).tolist()
    assert done.predicted.tolist() == [got["predicted"].count(name) for name in CLASSES]


def test_other_cells_stay_the_text_they_are(write_csv, tmp_path):
    odd = ["007", "NA", "", 'say "no"', "a,b", "two\nlines", "1e3", "=1+1", "ü", " x "]
    p, y = cases(len(odd))
    path = write_csv({"note": odd, **{f"p_{name}": p[:, i] for i, name in enumerate(CLASSES)}, "x": range(len(odd))})
    apply_to_file(multipliers(p, y), path, tmp_path / "out.csv")
    got = columns(tmp_path / "out.csv")
    assert got["note"] == odd
    assert list(got) == ["note", "p_a", "p_b", "p_c", "x", "predicted"]


def test_types_of_other_columns_stay(tmp_path):
    p, y = cases(50)
    more = {
        "when": pa.array(np.arange(50), pa.timestamp("s")),
        "small": pa.array(np.arange(50), pa.int16()),
        "word": pa.array(["x", None] * 25),
        "level": pa.array(["lo", "hi"] * 25).dictionary_encode(),
        "list": pa.array([[1, 2]] * 50),
    }
    pq.write_table(table(p, **more), tmp_path / "new.parquet")
    apply_to_file(multipliers(p, y), tmp_path / "new.parquet", tmp_path / "out.parquet")
    before, after = pq.read_table(tmp_path / "new.parquet"), pq.read_table(tmp_path / "out.parquet")
    for name in more:
        assert after.column(name).to_pylist() == before.column(name).to_pylist()
        assert after.schema.field(name).type == before.schema.field(name).type
    with pytest.raises(adjudge.InputError, match=r"'list' .*several values a row"):
        apply_to_file(multipliers(p, y), tmp_path / "new.parquet", tmp_path / "out.csv")


@pytest.mark.slow
def test_cells_get_types_in_parquet_so_that_truth_and_decision_compare(tmp_path):
    p, y = cases(300)
    whole = {"id": np.arange(300), "truth": y, "name": ["007", "NA"] * 150, **{f"p_{i}": p[:, i] for i in range(3)}}
    pa.csv.write_csv(pa.table(whole), tmp_path / "new.csv")
    made = adjudge.fit_multipliers(y, p)
    apply_to_file(made, tmp_path / "new.csv", tmp_path / "out.parquet")
    kinds = {field.name: field.type for field in pq.read_schema(tmp_path / "out.parquet")}
    assert (kinds["truth"], kinds["predicted"], kinds["name"]) == (pa.int64(), pa.int64(), pa.string())
    assert adjudge.evaluate(tmp_path / "out.parquet").estimates["error"].value * 300 == pytest.approx(made.errors)


@pytest.mark.slow
def test_a_cell_far_down_that_breaks_the_type_is_refused(tmp_path):
    n = STREAMED + 10
    p, y = cases(n)
    x = [str(i) for i in range(n)]
    x[-1] = "oops"
    pa.csv.write_csv(table(p, x=x), tmp_path / "new.csv")
    with pytest.raises(adjudge.InputError, match=r"'x' .*int64 .*string .*\.csv"):
        apply_to_file(multipliers(p, y), tmp_path / "new.csv", tmp_path / "out.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_nothing_is_half_written(ending, tmp_path):
    n = STREAMED + 100
    p, y = cases(n)
    bad = p.copy()
    bad[-1] = np.nan
    pq.write_table(table(bad), tmp_path / "new.parquet")
    out = tmp_path / f"out{ending}"
    out.write_text("what was there before", encoding="utf-8")
    with pytest.raises(adjudge.InputError, match=f"{n:,}"):
        apply_to_file(multipliers(p, y), tmp_path / "new.parquet", out)
    assert out.read_text(encoding="utf-8") == "what was there before"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["new.parquet", out.name])


def test_a_row_of_no_probabilities_is_named(tmp_path):
    p, y = cases(100)
    wrong = p.copy()
    wrong[41, 0] += 0.25
    pq.write_table(table(wrong), tmp_path / "new.parquet")
    with refused("scores_are", "row 42:", "sum to 1.25"):
        apply_to_file(multipliers(p, y), tmp_path / "new.parquet", tmp_path / "out.parquet")


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({"scores": "p_x,p_y"}, "no column 'p_x,p_y'"),
        ({"scores": "z_*"}, "No column fits"),
        ({"scores": "a=p_a,b=p_b"}, "give each of them one column"),
        ({"scores": "a=p_a,b=p_a,c=p_c"}, "give each of them one column"),
        ({"scores": "a=p_a,b=p_b,d=p_c"}, "'d' is not among the classes"),
        ({"scores": "p_a"}, "is one column, and the correction is for 3 classes"),
        ({"scores": 3}, "scores names columns"),
        ({"scores_are": "confidence"}, "speaks of the decision"),
        ({"scores_are": "scores"}, "only rank cannot be corrected"),
        ({"scores_are": "hunches"}, "scores_are must be one of"),
        ({"predicted": "nowhere"}, "no column 'nowhere'"),
    ],
)
def test_what_cannot_be_done_is_refused(how, text, small, tmp_path):
    path, p, y = small
    with pytest.raises(adjudge.InputError, match=text):
        apply_to_file(multipliers(p, y), path, tmp_path / "out.parquet", **how)
    assert not (tmp_path / "out.parquet").exists()


def test_the_file_itself_and_other_endings_are_refused(small, tmp_path):
    path, p, y = small
    before = path.read_bytes()
    with pytest.raises(adjudge.InputError, match="would replace those in"):
        apply_to_file(multipliers(p, y), path, path)
    with pytest.raises(adjudge.InputError, match=r"\.csv, \.csv\.gz, \.parquet"):
        apply_to_file(multipliers(p, y), path, tmp_path / "out.xlsx")
    with pytest.raises(adjudge.InputError, match="Cannot write"):
        apply_to_file(multipliers(p, y), path, tmp_path / "no folder" / "out.csv")
    (tmp_path / "link.csv").symlink_to(tmp_path / "elsewhere.csv")
    with pytest.raises(adjudge.InputError, match="does not write through links"):
        apply_to_file(multipliers(p, y), path, tmp_path / "link.csv")
    assert path.read_bytes() == before


def test_a_class_called_rejected_is_refused(small, tmp_path):
    path, p, y = small
    names = ["a", "b", "REJECTED"]
    rule = adjudge.fit_rejection(np.array(names)[y], p, classes=names, gamma=1)
    with pytest.raises(adjudge.InputError, match="A class is named REJECTED"):
        apply_to_file(rule, path, tmp_path / "out.csv")


APPLY = """
import sys
from adjudge.corrections.file import load_correction
from adjudge.corrections.streaming import apply_to_file
done = apply_to_file(load_correction(sys.argv[1]), sys.argv[2], sys.argv[3])
print(done.cases)
"""


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_four_times_the_rows_cost_no_more_memory(ending, tmp_path):
    p, y = cases(1 << 18)
    fix = adjudge.save_correction(multipliers(p[:1000], y[:1000]), tmp_path / "fix.json")
    peaks = []
    for times in (4, 16):
        path = tmp_path / f"new{times}.parquet"
        with pq.ParquetWriter(path, table(p).schema) as writer:
            for _ in range(times):
                writer.write_table(table(p))
        (rows,), peak = peak_of(APPLY, fix, path, tmp_path / f"out{ending}")
        assert int(rows) == times << 18
        peaks.append(peak)
    assert peaks[1] < peaks[0] + 40
