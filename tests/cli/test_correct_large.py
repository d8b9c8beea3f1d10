"""`correct fit` of files that are too large to hold: what it writes and prints is what it does with small ones."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from tests.memory import peak_of

import adjudge
from adjudge.cli import main
from adjudge.counts import scores
from adjudge.counts.sampling import drawn_for

N = 3000


def run(*arguments: object):
    told = CliRunner().invoke(main, ["correct", *map(str, arguments)])
    assert told.exit_code == 0, told.output
    return told.stdout


def cases(n: int = N, seed: int = 8):
    rng = np.random.default_rng(seed)
    ill = rng.random(n) < 0.3
    return 1 / (1 + np.exp(-rng.normal(np.where(ill, 1.5, -0.5), 1.2))), ill, rng


@pytest.fixture
def preds(tmp_path):
    p, ill, rng = cases()
    columns = {
        "truth": np.where(ill, "ill", "well"),
        "p_ill": p,
        "p_well": 1 - p,
        "predicted": np.where(p > 0.4, "ill", "well"),
        "patient": rng.integers(0, 40, N),
        "weight": rng.integers(1, 4, N).astype(float),
    }
    pq.write_table(pa.table(columns), tmp_path / "preds.parquet")
    return tmp_path / "preds.parquet"


def both_ways(monkeypatch, tmp_path, *arguments):
    """Return what is told of a fit to held cases and of one to cases gone through, with the corrections written."""
    found = []
    for limit in (scores.EXACT, 500):
        monkeypatch.setattr(scores, "EXACT", limit)
        told = json.loads(run("fit", *arguments, "-o", tmp_path / "fix.json", "--json"))
        found.append((told, adjudge.load_correction(tmp_path / "fix.json")))
    return found


def leaves(told, path=""):
    """Yield every number and text of nested results by its path."""
    if isinstance(told, dict):
        for key, value in told.items():
            yield from leaves(value, f"{path}/{key}")
    elif isinstance(told, list):
        for at, value in enumerate(told):
            yield from leaves(value, f"{path}/{at}")
    else:
        yield path, told


@pytest.mark.parametrize(
    "extra",
    [
        ["--kind", "multipliers"],
        ["--kind", "multipliers", "--bounds", "free", "--weight", "", "--group", ""],
        ["--kind", "multipliers", "--weights", "balanced"],
        ["--kind", "multipliers", "--bounds", "free", "--weights", "balanced", "--weight", ""],
        ["--kind", "priors", "--priors", "ill=0.1,well=0.9"],
        ["--kind", "priors", "--priors", "counted", "--old", "ill=0.5,well=0.5"],
        ["--kind", "priors", "--unlabelled", "PREDS", "--old", "ill=0.5,well=0.5", "--weight", ""],
        ["--kind", "priors", "--counted", "PREDS", "--old", "ill=0.4,well=0.6"],
    ],
)
def test_all_but_the_deal_of_folds_is_the_same(extra, preds, tmp_path, monkeypatch):
    extra = [preds if part == "PREDS" else part for part in extra]
    (held, rule), (gone, other) = both_ways(monkeypatch, tmp_path, preds, *extra)
    wanted, found = dict(leaves(held)), dict(leaves(gone))
    assert wanted.keys() == found.keys()
    for path, value in wanted.items():
        if "left_out" in path:
            assert found[path] == pytest.approx(value, abs=0.01)
        else:
            assert found[path] == (pytest.approx(value, rel=1e-12) if isinstance(value, float) else value), path
    p = np.column_stack([np.linspace(0, 1, 9), np.linspace(1, 0, 9)])
    assert other.apply(p) == pytest.approx(rule.apply(p), rel=1e-12)


def test_what_is_left_out_is_judged_by_fits_without_it(preds, tmp_path, monkeypatch):
    monkeypatch.setattr(scores, "EXACT", 500)
    arguments = ["--kind", "multipliers", "--weight", "", "--group", "", "--cluster", "", "--bounds", "free"]
    told = json.loads(run("fit", preds, *arguments, "-o", tmp_path / "fix.json", "--json"))
    p, ill, _ = cases()
    both, y, fold = np.column_stack([p, 1 - p]), np.where(ill, 0, 1), drawn_for(np.arange(N)) % np.uint64(5)
    after = np.empty_like(both)
    for part in range(5):
        out = fold == part
        after[out] = adjudge.fit_multipliers(y[~out], both[~out], bounds=None).apply(both[out])
    assert told["left_out"]["squared loss"] == pytest.approx(((after - np.eye(2)[y]) ** 2).sum(axis=1).mean(), rel=1e-12)
    assert told["left_out"]["accuracy"] == pytest.approx((after.argmax(axis=1) == y).mean(), rel=1e-12)
    assert told["before"]["accuracy"] == pytest.approx(((p > 0.4) == ill).mean(), rel=1e-12)


def test_groups_stay_together(tmp_path, monkeypatch):
    """Where every group is of one class, leaving it out leaves out what its cases have in common."""
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(10), 300)
    ill = group < 4
    p = 1 / (1 + np.exp(-rng.normal(np.where(ill, 0.5, -0.5), 1.0) - np.repeat(rng.normal(0, 2, 10), 300)))
    table = {"truth": np.where(ill, "ill", "well"), "p_ill": p, "p_well": 1 - p, "patient": group}
    pq.write_table(pa.table(table), tmp_path / "g.parquet")
    monkeypatch.setattr(scores, "EXACT", 500)
    by_group = ["--group", "patient", "--cluster", ""]
    told = json.loads(
        run("fit", tmp_path / "g.parquet", "--kind", "multipliers", *by_group, "-o", tmp_path / "fix.json", "--json")
    )
    both, y, after = np.column_stack([p, 1 - p]), np.where(ill, 0, 1), np.empty((3000, 2))
    for part in range(5):
        out = group % 5 == part
        after[out] = adjudge.fit_multipliers(y[~out], both[~out], majority=1).apply(both[out])
    assert told["left_out"]["squared loss"] == pytest.approx(((after - np.eye(2)[y]) ** 2).sum(axis=1).mean(), rel=1e-12)


def test_too_few_clusters_leave_the_gain_unknown(tmp_path, monkeypatch):
    p, ill, _ = cases()
    table = {"truth": np.where(ill, "ill", "well"), "p_ill": p, "p_well": 1 - p, "patient": np.arange(N) % 3}
    pq.write_table(pa.table(table), tmp_path / "g.parquet")
    monkeypatch.setattr(scores, "EXACT", 500)
    told = json.loads(run("fit", tmp_path / "g.parquet", "--kind", "multipliers", "-o", tmp_path / "fix.json", "--json"))
    assert [finding["code"] for finding in told["findings"]] == ["A844"]
    assert not told["left_out"]


@pytest.mark.parametrize("named", [True, False])
def test_too_few_groups_count_only_where_they_are_named(named, tmp_path, monkeypatch):
    p, ill, _ = cases()
    table = {"truth": np.where(ill, "ill", "well"), "p_ill": p, "p_well": 1 - p, "patient": np.arange(N) % 3}
    pq.write_table(pa.table(table), tmp_path / "g.parquet")
    arguments = [tmp_path / "g.parquet", "--kind", "multipliers", "--cluster", "", *(["--group", "patient"] if named else [])]
    (held, _), (gone, _) = both_ways(monkeypatch, tmp_path, *arguments)
    assert ("A844" in [finding["code"] for finding in gone["findings"]]) == named
    assert gone["findings"] == held["findings"]
    assert bool(gone["left_out"]) == bool(held["left_out"]) == (not named)


@pytest.mark.slow
def test_equal_weights_are_none(tmp_path, monkeypatch):
    p, ill, _ = cases()
    table = {"truth": np.where(ill, "ill", "well"), "p_ill": p, "p_well": 1 - p, "weight": np.full(N, 2.5)}
    pq.write_table(pa.table(table), tmp_path / "w.parquet")
    (held, _), (gone, _) = both_ways(monkeypatch, tmp_path, tmp_path / "w.parquet", "--kind", "multipliers")
    assert gone["correction"]["errors"] == held["correction"]["errors"] == round(gone["after"]["error"] * N)


@pytest.mark.slow
def test_kinds_that_need_all_cases_still_hold_them(preds, tmp_path, monkeypatch):
    (held, _), (gone, _) = both_ways(monkeypatch, tmp_path, preds, "--kind", "errors", "--weight", "", "--group", "")
    assert gone == held


def test_the_words_are_the_same(preds, tmp_path, monkeypatch):
    arguments = ["fit", preds, "--kind", "multipliers", "-o", tmp_path / "fix.json"]
    held = run(*arguments).splitlines()
    monkeypatch.setattr(scores, "EXACT", 500)
    gone = run(*arguments).splitlines()
    told = ("accuracy", "error", "squared loss")
    assert [line for line in gone if not line.startswith(told)] == [line for line in held if not line.startswith(told)]


_APPLY = """
import sys
from adjudge.corrections.file import load_correction
from adjudge.corrections.streaming import apply_to_file
print(apply_to_file(load_correction(sys.argv[1]), sys.argv[2], sys.argv[3]).cases)
"""


@pytest.mark.slow
def test_applying_holds_no_more_of_many_rows_than_of_some(preds, tmp_path):
    run("fit", preds, "--kind", "multipliers", "-o", tmp_path / "fix.json")
    peaks = []
    for n in (300_000, 3_000_000):
        p, _, _ = cases(n)
        pq.write_table(pa.table({"p_ill": p, "p_well": 1 - p}), tmp_path / "new.parquet", row_group_size=1 << 17)
        words, peak = peak_of(_APPLY, tmp_path / "fix.json", tmp_path / "new.parquet", tmp_path / "out.parquet")
        assert words == [str(n)]
        peaks.append(peak)
    assert peaks[1] < 1.3 * peaks[0]
