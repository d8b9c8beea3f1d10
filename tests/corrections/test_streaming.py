"""Corrections applied to files: the same numbers as in memory, whatever the format, and a whole file or none."""

from __future__ import annotations

import csv
import gzip

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from tests.memory import peak_of
from tests.sparing import some

import adjudge
from adjudge._base.arrays import STREAMED
from adjudge.corrections.fitting import fit_cases, known, labels_in
from adjudge.corrections.streaming import apply_to_file

CLASSES = ["a", "b", "c"]


def cases(n: int, seed: int = 3):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1.0, 2.0, 1.5], n)
    y = (rng.random(n)[:, None] > p.cumsum(axis=1)).sum(axis=1)
    return p, np.minimum(y, 2)


def table(p, **more):
    return pa.table({**more, **{f"p_{name}": p[:, i] for i, name in enumerate(CLASSES)}})


@pytest.fixture
def small(tmp_path):
    p, y = cases(300)
    path = tmp_path / "new.parquet"
    pq.write_table(table(p, id=np.arange(300), truth=np.array(CLASSES)[y], predicted=np.array(CLASSES)[p.argmax(axis=1)]), path)
    return path, p, y


def multipliers(p, y, **how):
    return adjudge.fit_multipliers(p, np.array(CLASSES)[y], classes=CLASSES, **how)


def columns(path):
    """Read a written file without any code of ours."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pydict()
    with (
        gzip.open(path, "rt", encoding="utf-8", newline="")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8", newline="") as file
    ):
        rows = list(csv.reader(file))
    return dict(zip(rows[0], map(list, zip(*rows[1:], strict=True)), strict=True))


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


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_rejected_cases_are_understood_by_those_who_read(ending, small, tmp_path):
    path, p, y = small
    made = adjudge.fit_rejection(p, np.array(CLASSES)[y], classes=CLASSES, gamma=1.2)
    out = tmp_path / f"out{ending}"
    done = apply_to_file(made, path, out)
    least = made.thresholds[0]
    assert columns(out)["predicted"] == ["REJECTED" if row.max() < least else CLASSES[row.argmax()] for row in p]
    assert done.rejected_as == "REJECTED"
    assert 0 < done.rejected == int((p.max(axis=1) < least).sum())
    read = adjudge.evaluate(out, rejected="REJECTED").counts
    assert np.array_equal(read.cells, made.counts.cells)


def test_numbers_as_classes_keep_their_type_and_rejected_ones_are_null(tmp_path):
    p, y = cases(200)
    pq.write_table(pa.table({"truth": y, **{f"p_{i}": p[:, i] for i in range(3)}}), tmp_path / "new.parquet")
    made = adjudge.fit_rejection(p, y, gamma=1.2)
    done = apply_to_file(made, tmp_path / "new.parquet", tmp_path / "out.parquet")
    assert done.rejected_as == "REJECTED"
    assert pq.read_schema(tmp_path / "out.parquet").field("predicted").type == pa.int64()
    assert columns(tmp_path / "out.parquet")["predicted"].count(None) == done.rejected > 0
    for label in ("REJECTED", "NA"):
        read = adjudge.evaluate(tmp_path / "out.parquet", rejected=label).counts
        assert np.array_equal(read.cells, made.counts.cells)
    apply_to_file(made, tmp_path / "new.parquet", tmp_path / "out.csv")
    assert np.array_equal(adjudge.evaluate(tmp_path / "out.csv", rejected="REJECTED").counts.cells, made.counts.cells)


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
    assert done.assigned.tolist() == [got["predicted"].count(name) for name in CLASSES]


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
    with pytest.raises(adjudge.InputError, match="'list' holds several values a row"):
        apply_to_file(multipliers(p, y), tmp_path / "new.parquet", tmp_path / "out.csv")


def test_cells_get_types_in_parquet_so_that_truth_and_decision_compare(tmp_path):
    p, y = cases(300)
    whole = {"id": np.arange(300), "truth": y, "name": ["007", "NA"] * 150, **{f"p_{i}": p[:, i] for i in range(3)}}
    pa.csv.write_csv(pa.table(whole), tmp_path / "new.csv")
    made = adjudge.fit_multipliers(p, y)
    apply_to_file(made, tmp_path / "new.csv", tmp_path / "out.parquet")
    kinds = {field.name: field.type for field in pq.read_schema(tmp_path / "out.parquet")}
    assert (kinds["truth"], kinds["predicted"], kinds["name"]) == (pa.int64(), pa.int64(), pa.string())
    assert adjudge.evaluate(tmp_path / "out.parquet").estimates["error"].value * 300 == pytest.approx(made.errors)


def test_a_cell_far_down_that_breaks_the_type_is_refused(tmp_path):
    n = STREAMED + 10
    p, y = cases(n)
    x = [str(i) for i in range(n)]
    x[-1] = "oops"
    pa.csv.write_csv(table(p, x=x), tmp_path / "new.csv")
    with pytest.raises(adjudge.InputError, match=r"column 'x' begins as int64 and holds string .* write a \.csv file"):
        apply_to_file(multipliers(p, y), tmp_path / "new.csv", tmp_path / "out.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]


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
    with pytest.raises(adjudge.InputError, match=r"row 42: .* sum to 1\.25"):
        apply_to_file(multipliers(p, y), tmp_path / "new.parquet", tmp_path / "out.parquet")


@pytest.mark.parametrize(
    ("scale", "turn"), [("percentages", lambda p: 100 * p), ("logits", np.log), ("votes", lambda p: np.round(p * 1000))]
)
def test_other_scales(scale, turn, tmp_path):
    p, y = cases(100)
    raw = turn(p)
    pq.write_table(pa.table({f"s_{name}": raw[:, i] for i, name in enumerate(CLASSES)}), tmp_path / "new.parquet")
    made = multipliers(p, y)
    apply_to_file(made, tmp_path / "new.parquet", tmp_path / "out.parquet", scores_are=scale)
    got = columns(tmp_path / "out.parquet")
    given = raw / raw.sum(axis=1, keepdims=True) if scale != "logits" else p
    assert np.column_stack([got[f"p_{name}"] for name in CLASSES]) == pytest.approx(made.apply(given), abs=1e-12)


def test_rounded_cells_are_brought_to_one(write_csv, tmp_path):
    path = write_csv({"p_a": [0.33, 0.5], "p_b": [0.33, 0.25], "p_c": [0.33, 0.25]})
    apply_to_file(adjudge.PriorShift([0.2, 0.3, 0.5], [0.2, 0.3, 0.5], CLASSES), path, tmp_path / "out.csv")
    got = columns(tmp_path / "out.csv")
    assert [float(got[f"p_{name}"][0]) for name in CLASSES] == pytest.approx([1 / 3] * 3, abs=1e-15)


def test_one_score_of_two_classes(tmp_path):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 200)
    score = rng.normal(size=200) + y
    rule = adjudge.fit_rejection(score, y, gamma=2)
    pq.write_table(pa.table({"s": score, "truth": y}), tmp_path / "new.parquet")
    apply_to_file(rule, tmp_path / "new.parquet", tmp_path / "out.parquet", scores="s", scores_are="scores")
    got = columns(tmp_path / "out.parquet")
    low, high = rule.thresholds
    assert got["predicted"] == [1 if s >= high else 0 if s < low else None for s in score]
    assert got["s"] == score.tolist()
    p = 1 / (1 + np.exp(-score))
    pq.write_table(pa.table({"p": p}), tmp_path / "p.parquet")
    shift = adjudge.PriorShift([0.5, 0.5], [0.9, 0.1], (0, 1))
    apply_to_file(shift, tmp_path / "p.parquet", tmp_path / "q.parquet", scores="p")
    wanted = 0.1 * p / (0.1 * p + 0.9 * (1 - p))
    assert columns(tmp_path / "q.parquet")["p_1"] == pytest.approx(wanted.tolist(), abs=1e-14)


def test_unknown_classes_are_refused(tmp_path):
    rng = np.random.default_rng(4)
    p = rng.dirichlet([1, 1, 1, 1], 100)
    pq.write_table(table(p, p_d=p[:, 3]), tmp_path / "four.parquet")
    made = adjudge.PriorShift([0.2, 0.3, 0.5], [0.3, 0.3, 0.4], CLASSES)
    with pytest.raises(adjudge.InputError, match="knows the classes 'a', 'b', 'c', but there are scores in 'p_d' as well"):
        apply_to_file(made, tmp_path / "four.parquet", tmp_path / "out.parquet")
    other = adjudge.PriorShift([0.5, 0.5], [0.3, 0.7], ("a", "z"))
    with pytest.raises(adjudge.InputError, match="no columns of numbers are named after all the classes 'a', 'z'"):
        apply_to_file(other, tmp_path / "four.parquet", tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_a_column_that_only_looks_like_a_score_does_no_harm(small, tmp_path):
    _, p, y = small
    pq.write_table(table(p, p_value=np.linspace(0, 1, 300)), tmp_path / "extra.parquet")
    done = apply_to_file(multipliers(p, y), tmp_path / "extra.parquet", tmp_path / "out.parquet")
    assert list(done.columns) == ["p_value", "p_a", "p_b", "p_c", "predicted"]


def test_doubt_is_refused_with_the_flags_that_settle_it(small, tmp_path):
    _, p, y = small
    both = (
        table(p)
        .append_column("q_a", pa.array(p[:, 0]))
        .append_column("q_b", pa.array(p[:, 1]))
        .append_column("q_c", pa.array(p[:, 2]))
    )
    pq.write_table(both, tmp_path / "two.parquet")
    with pytest.raises(adjudge.DoubtfulRolesError, match=r"scores=.p_\*. or scores=.q_\*."):
        apply_to_file(multipliers(p, y), tmp_path / "two.parquet", tmp_path / "out.parquet")
    with pytest.raises(adjudge.InputError, match="would have 'p_a', 'p_b', 'p_c' twice"):
        apply_to_file(multipliers(p, y), tmp_path / "two.parquet", tmp_path / "out.parquet", scores="q_*")
    done = apply_to_file(multipliers(p, y), tmp_path / "two.parquet", tmp_path / "out.parquet", scores="a=p_a,b=p_b,c=p_c")
    assert done.cases == 300


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
    rule = adjudge.fit_rejection(p, np.array(names)[y], classes=names, gamma=1)
    with pytest.raises(adjudge.InputError, match="A class is called REJECTED"):
        apply_to_file(rule, path, tmp_path / "out.csv")


# -- fitting to files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["multipliers", "softmax", "errors"])
def test_a_file_gives_the_correction_of_its_arrays(kind, small):
    path, p, y = small
    how = {"multipliers": {}, "softmax": {"form": "softmax"}, "errors": {"goal": "errors"}}[kind]
    found, wanted = fit_cases(known(adjudge.read(path)), kind), multipliers(p, y, **how)
    assert found.correction.to_dict() == wanted.to_dict()
    assert found.after["error"] * 300 == pytest.approx(wanted.errors)
    assert found.before["error"] * 300 == pytest.approx(wanted.errors_before)


def test_weights_and_rows_without_truth_are_heeded(tmp_path):
    p, y = cases(120)
    weight = np.arange(1.0, 121.0)
    truth = np.array(CLASSES, dtype=object)[y]
    truth[:20] = None
    pq.write_table(table(p, truth=pa.array(truth), weight=weight), tmp_path / "some.parquet")
    found = fit_cases(known(adjudge.read(tmp_path / "some.parquet", missing="drop")), "multipliers")
    wanted = multipliers(p[20:], y[20:], weight=weight[20:])
    assert found.correction.to_dict() == wanted.to_dict()


def test_priors_from_each_place(small, tmp_path):
    path, p, y = small
    data = known(adjudge.read(path))
    given = fit_cases(data, "priors", priors={"c": 0.5, "a": 0.2, "b": 0.3}).correction
    assert given.new.tolist() == [0.2, 0.3, 0.5]
    assert given.old == pytest.approx(np.bincount(y) / 300)
    pq.write_table(table(p[:150]), tmp_path / "unlabelled.parquet")
    estimated = fit_cases(data, "priors", unlabelled=tmp_path / "unlabelled.parquet", old=[0.3, 0.3, 0.4])
    assert estimated.correction.new == pytest.approx(adjudge.estimate_priors(p[:150], old=[0.3, 0.3, 0.4]).priors, rel=1e-12)
    pq.write_table(pa.table({"truth": ["a", "b", "b", "c"] * 5}), tmp_path / "counted.parquet")
    counted = fit_cases(data, "priors", counted=tmp_path / "counted.parquet")
    assert counted.correction.new.tolist() == [0.25, 0.5, 0.25]
    assert counted.priors.cases == 20
    pq.write_table(pa.table({"truth": ["a", "d"]}), tmp_path / "strange.parquet")
    with pytest.raises(adjudge.InputError, match="'d', which is not among the classes"):
        labels_in(tmp_path / "strange.parquet", "truth", ("a", "b", "c"))
    with pytest.raises(adjudge.InputError, match="no column 'class'"):
        labels_in(tmp_path / "strange.parquet", "class", ("a", "b", "c"))


def test_the_columns_of_scores_may_stand_in_any_order(tmp_path):
    p, y = cases(100)
    order = [2, 0, 1]
    names = {f"p_{CLASSES[i]}": p[:, i] for i in order}
    pq.write_table(pa.table({"truth": np.array(CLASSES)[y], **names}), tmp_path / "turned.parquet")
    found = fit_cases(known(adjudge.read(tmp_path / "turned.parquet", classes=CLASSES)), "multipliers").correction
    assert found.to_dict() == multipliers(p, y).to_dict()
    apply_to_file(found, tmp_path / "turned.parquet", tmp_path / "out.parquet")
    assert columns(tmp_path / "out.parquet")["predicted"] == found.predict(p).tolist()


def test_a_case_named_twice_is_refused(tmp_path):
    p, y = cases(40)
    pq.write_table(table(p, id=[1, *range(1, 40)], truth=np.array(CLASSES)[y]), tmp_path / "twice.parquet")
    with pytest.raises(adjudge.InputError, match="names cases more than once"):
        known(adjudge.read(tmp_path / "twice.parquet"))


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
