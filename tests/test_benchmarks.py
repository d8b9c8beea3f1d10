"""The benchmarks: peers answer what we answer, tables are sound, and the command runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, roc_auc_score

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(autouse=True)
def _beside(monkeypatch):
    """Benchmarks import each other by their bare names."""
    monkeypatch.syspath_prepend(str(FOLDER))
    before = set(sys.modules)
    yield
    for name in {path.stem for path in FOLDER.glob("*.py")} & set(sys.modules) - before:
        del sys.modules[name]


def ran(*arguments):
    return subprocess.run([sys.executable, str(FOLDER / "run"), *arguments], capture_output=True, text=True, check=False)


def cells(table):
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.strip().splitlines()]


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_every_module_can_be_imported(name):
    assert import_module(name).__doc__


def test_every_module_that_measures_is_in_the_plan():
    plan = import_module("plan")
    measuring = {path.stem for path in FOLDER.glob("*.py") if re.search(r"^def (rows|growth)\(", path.read_text(), re.MULTILINE)}
    assert measuring == set(plan.known())


def test_every_size_of_the_plan_is_one_its_function_takes():
    plan = import_module("plan")
    for name in plan.known():
        for function, sizes in (("rows", plan.JOBS[name].rows), ("growth", plan.JOBS[name].growth)):
            known = getattr(import_module(name), function).__annotations__ if sizes else {}
            assert all(set(each) <= set(known) for each in sizes or ())


def test_peers_count_the_same_table():
    rng = np.random.default_rng(1)
    truth, predicted = rng.integers(0, 5, (2, 4_000))
    wanted = confusion_matrix(truth, predicted)
    jobs = import_module("peers").table_jobs(truth, predicted, 5)
    assert len(jobs) >= 2
    for name, job in jobs.items():
        assert np.array_equal(as_table(job(), 5), wanted), name


def as_table(found, k):
    """Return the table of a list of cells, or of anything square."""
    rows = found.rows() if hasattr(found, "rows") else found
    if not isinstance(rows, list):
        return np.asarray(rows)
    table = np.zeros((k, k), dtype=np.int64)
    for i, j, n in rows:
        table[i, j] = n
    return table


@pytest.mark.parametrize("digits", [1, 9], ids=["with ties", "without"])
def test_peers_find_the_same_area(digits):
    rng = np.random.default_rng(2)
    positive = rng.random(3_000) < 0.3
    scores = np.round(rng.standard_normal(3_000) + positive, digits)
    jobs = import_module("peers").area_jobs(scores, positive)
    assert len(jobs) >= 2
    for name, job in jobs.items():
        assert float(job()) == pytest.approx(roc_auc_score(positive, scores), abs=1e-12 if "torch" not in name else 1e-6), name


def test_a_table_has_as_many_cells_in_every_line():
    rows = import_module("rows")
    found = [
        rows.at_most(2, "half a|b", 1.0, "peer", 1.0),
        rows.at_least(3, "slow", 1.0, "peer", 2.0),
        rows.beside("late", 2.0, "peer", 1.0),
        rows.beside("early", 1.0, "peer", 2.0, unit="MB"),
        rows.within(100, "large", 120.0),
    ]
    head, rule, *body = cells(rows.as_markdown(found))
    assert {len(line) for line in (head, rule, *body)} == {7}
    assert set(rule) == {"---"}
    assert [line[-1] for line in body] == ["yes", "**no**", "**behind**", "ahead", "**no**"]
    assert [line[1] for line in body] == ["1,000.0 ms", "1,000.0 ms", "2,000.0 ms", "1 MB", "120 MB"]


@pytest.mark.parametrize("power", [0, 0.5, 1, 2])
def test_the_slope_of_a_power_is_the_power(power):
    rows = import_module("rows")
    found = rows.grows(1.1, "job", {n: 3e-9 * n**power for n in (10, 1_000, 50_000)})
    assert (found.slope, found.last) == pytest.approx((power, power), abs=1e-12)
    assert found.met == ("yes" if power <= 1.1 else "no")
    head, rule, line = cells(rows.growth_as_markdown([found]))
    assert len(head) == len(rule) == len(line) == 6


def test_a_cost_that_bends_at_the_end_is_not_met():
    """Fixed costs must not hide what large sizes do."""
    rows = import_module("rows")
    found = rows.grows(1, "job", {2: 1.0, 10: 1.0, 100: 1.0, 1000: 100.0})
    assert found.slope < 1 < found.last == pytest.approx(2)
    assert found.met == "no"


PAGE = (FOLDER.parent / "docs" / "benchmarks.md").read_text(encoding="utf-8")


def test_the_page_marks_what_meets_its_target():
    """Each row of the page follows from its own ratio, or its slopes, and its target."""
    rows = [line for line in cells("\n".join(re.findall(r"^\|.*\|$", PAGE, re.MULTILINE))) if line[-1] not in {"met", "---"}]
    assert len(rows) > 80
    for *_, value, end, target, met in rows:
        kind, bound = re.fullmatch(r"(faster >=|cost <=|held <=|<=|none) ?([\d.,-]*).*", target).groups()
        number = float(bound.replace(",", "") or 1)
        if kind == "<=":
            holds = max(float(value), float(end)) <= number
        elif kind == "held <=":
            holds = float(end.rstrip("x")) <= 1
        else:
            ratio = float(end.rstrip("x"))
            holds = ratio <= number if kind == "cost <=" else ratio >= number
        wanted = ("**behind**", "ahead") if kind == "none" else ("**no**", "yes")
        assert met == wanted[holds], (value, end, target)


@pytest.mark.slow
def test_an_unknown_job_is_named_and_the_known_ones_are_listed():
    found = ran("--only", "nonsense")
    assert found.returncode == 2
    assert "nonsense" in found.stderr
    assert all(name in found.stderr for name in ("startup", "confusion", "growth"))


@pytest.mark.slow
def test_a_quick_run_prints_a_table_and_writes_only_where_asked(tmp_path):
    before = (FOLDER / "results.json").read_bytes() if (FOLDER / "results.json").exists() else None
    found = ran("--only", "startup", "--quick", "--save", str(tmp_path / "x.json"))
    assert found.returncode == 0, found.stderr
    head, _, *body = cells(found.stdout.split("\n\n")[1])
    saved = json.loads((tmp_path / "x.json").read_text())
    names = ["import adjudge", "adjudge --help", "adjudge evaluate, 1,000 rows", "adjudge report, 1,000 rows"]
    assert [line[0] for line in body] == [row["name"] for row in saved["rows"]] == names
    assert len(head) == len(body[0])
    assert saved["growth"] == []
    assert ((FOLDER / "results.json").read_bytes() if before is not None else None) == before


@pytest.mark.slow
def test_files_hold_what_was_asked_for(tmp_path):
    adjudge, files = import_module("adjudge"), import_module("files")
    for suffix in ("parquet", "csv"):
        path = files.write(tmp_path / f"a.{suffix}", 2_000, score=True, row=True)
        found = adjudge.evaluate(path)
        assert found.counts.n == 2_000
        assert found.estimates["accuracy"].value == pytest.approx(0.9, abs=0.03)
        assert "auc" in found.estimates


@pytest.mark.engines
@pytest.mark.slow
def test_clusters_are_measured_and_workers_hold_little():
    """What processors take is for `benchmarks/run` to say: at a tenth of the rows it hangs on the machine and starting up."""
    found = import_module("clusters").rows(2_000_000)
    assert [row.met for row in found if row.unit == "MB"] == ["yes"] * 2
    assert [row.ours > 0 < row.theirs for row in found if row.unit == "s"] == [True] * 2
