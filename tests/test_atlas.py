"""The coverage atlas: its truths hold against scikit-learn and simulation, its seeds and its file against interruption."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

import adjudge

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks"


@pytest.fixture(autouse=True)
def _beside(monkeypatch):
    """The atlas is found beside the benchmarks, and by nobody else."""
    monkeypatch.syspath_prepend(str(FOLDER))
    yield
    for name in [each for each in sys.modules if each.split(".")[0] == "atlas"]:
        del sys.modules[name]


def part(name):
    return import_module(f"atlas.{name}")


ORACLES = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "sensitivity": metrics.recall_score,
    "specificity": lambda y, d, **w: metrics.recall_score(y, d, pos_label=0, **w),
    "precision": metrics.precision_score,
    "npv": lambda y, d, **w: metrics.precision_score(y, d, pos_label=0, **w),
    "f1": metrics.f1_score,
    "fbeta": lambda y, d, **w: metrics.fbeta_score(y, d, beta=2, **w),
    "jaccard": metrics.jaccard_score,
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "macro_f1": lambda y, d, **w: metrics.f1_score(y, d, average="macro", **w),
    "macro_precision": lambda y, d, **w: metrics.precision_score(y, d, average="macro", **w),
}


def by_scikit_learn(name, table):
    """Return scikit-learn's value of a table, given as weights of its cells."""
    y, d = (each.ravel() for each in np.indices(table.shape))
    seen = table.ravel() > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ORACLES[name](y[seen], d[seen], sample_weight=table.ravel()[seen])


@pytest.mark.parametrize("name", ORACLES)
def test_population_values_are_scikit_learns(name):
    truth = part("truth")
    tables = [truth.two_classes(0.1, 0.7, 0.9), truth.two_classes(0.5, 0.1, 0.95)]
    if name in truth.OF_MANY:
        tables.append(truth.many_classes(np.array([0.6, 0.3, 0.1]), np.array([0.8, 0.7, 0.5])))
    for table in tables:
        assert truth.value(name, table) == pytest.approx(by_scikit_learn(name, table), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ORACLES if name != "kappa"])
def test_small_tables_follow_scikit_learns_conventions(name):
    """Resamples without a class, without a decision for it, or all alike."""
    tables = np.random.default_rng(1).multinomial(4, [0.6, 0.2, 0.1, 0.1], size=40).reshape(-1, 2, 2)
    tables = tables[tables[:, 1].sum(1) > 0]  # scikit-learn takes a single class of the truth for the positive one
    found = part("truth").values(name, tables)
    assert found == pytest.approx([by_scikit_learn(name, table) for table in tables], abs=1e-12)


def test_the_g_mean_is_the_geometric_mean_of_recalls():
    truth = part("truth")
    assert truth.value("g_mean", truth.two_classes(0.2, 0.5, 0.9)) == pytest.approx(np.sqrt(0.45))


@pytest.mark.slow
def test_scores_have_the_stated_truth():
    """A large sample through scikit-learn; tolerances are five standard errors."""
    truth, samples = part("truth"), part("samples")
    sample = samples.scored(200_000, 0.2, 0.8, np.random.default_rng(2), sharpening=2.0, threshold=0.7)
    d = truth.shift(0.8)
    loss = truth.losses(0.2, d, 2.0)
    assert metrics.roc_auc_score(sample.y, sample.scores) == pytest.approx(0.8, abs=0.006)
    assert metrics.average_precision_score(sample.y, sample.scores) == pytest.approx(truth.average_precision(0.2, d), abs=0.012)
    assert metrics.brier_score_loss(sample.y, sample.probabilities) == pytest.approx(loss["brier"], abs=0.003)
    assert metrics.log_loss(sample.y, sample.probabilities) == pytest.approx(loss["log_loss"], abs=0.01)
    population = truth.two_classes(0.2, *samples.decided(0.8, 0.7))
    assert metrics.matthews_corrcoef(sample.y, sample.decisions) == pytest.approx(truth.value("mcc", population), abs=0.012)
    assert metrics.f1_score(sample.y, sample.decisions) == pytest.approx(truth.value("f1", population), abs=0.01)


@pytest.mark.slow
def test_three_classes_have_the_stated_truth():
    truth, samples = part("truth"), part("samples")
    shares = samples.prevalences(3, balanced=False)
    sample = samples.three_classes(100_000, shares, 0.75, np.random.default_rng(3))
    loss = truth.many_losses(shares, truth.shift(0.75))
    areas = [metrics.roc_auc_score(sample.y == k, sample.scores[:, k]) for k in range(3)]
    assert areas == pytest.approx([0.75] * 3, abs=0.015)
    assert metrics.log_loss(sample.y, sample.probabilities) == pytest.approx(loss["log_loss"], abs=0.015)
    assert ((sample.probabilities - np.eye(3)[sample.y]) ** 2).sum(1).mean() == pytest.approx(loss["brier"], abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("errors", ["normal", "t5", "exponential"])
def test_errors_of_numbers_have_the_stated_truth(errors):
    coverage, rng = part("coverage"), np.random.default_rng(4)
    predicted = rng.normal(size=400_000)
    y = predicted + coverage._ERRORS[errors].rvs(predicted.size, random_state=rng)
    true = coverage.number_truth(errors)
    assert np.abs(y - predicted).mean() == pytest.approx(true["mae"], rel=0.01)
    assert ((y - predicted) ** 2).mean() == pytest.approx(true["mse"], rel=0.04)
    assert np.abs(y - predicted).mean() / np.abs(y - y.mean()).mean() == pytest.approx(true["rae"], rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("icc", [0.0, 0.1, 0.3])
def test_clusters_have_the_stated_correlation_and_leave_one_row_as_it_is(icc):
    """The correlation of being right of two rows of a cluster and class, from 20,000 clusters."""
    samples, clusters = part("samples"), part("clusters")
    (found,) = samples.clustered_decisions(20_000, 8, clusters.POPULATION, icc, np.random.default_rng(5))
    assert found.table / found.y.size == pytest.approx(clusters.POPULATION, abs=0.008)
    right = np.where(found.y == 0, found.decisions == found.y, np.nan).reshape(-1, 8)
    n, total = (~np.isnan(right)).sum(1), np.nansum(right, axis=1)
    p = total.sum() / n.sum()
    pairs = ((total - n * p) ** 2 - np.nansum((right - p) ** 2, axis=1)).sum() / (n * (n - 1)).sum()
    assert pairs / (p * (1 - p)) == pytest.approx(icc, abs=0.02)


def test_clustered_scores_leave_one_row_as_it_is():
    truth, samples = part("truth"), part("samples")
    found = samples.clustered_scores(20_000, 5, 0.3, 0.85, 0.3, np.random.default_rng(6))
    assert metrics.roc_auc_score(found.y, found.scores) == pytest.approx(0.85, abs=0.01)
    wanted = truth.losses(0.3, truth.shift(0.85))["brier"]
    assert metrics.brier_score_loss(found.y, found.probabilities) == pytest.approx(wanted, abs=0.005)


@pytest.mark.slow
def test_the_loop_ranks_resamples_as_scikit_learn_does():
    loop, samples, rng = part("loop"), part("samples"), np.random.default_rng(7)
    sample = samples.ranked(30, 8, 0.8, rng)
    rows = rng.integers(30, size=(20, 30))
    for name, oracle in (("auc", metrics.roc_auc_score), ("average_precision", metrics.average_precision_score)):
        wanted = [oracle(sample.y[each], sample.scores[each]) for each in rows]
        assert loop.of_rows(name, sample, rows) == pytest.approx(wanted, abs=1e-12)


def test_measures_passed_to_stambo_are_those_of_tables():
    peers, truth, samples = part("peers"), part("truth"), part("samples")
    for table in np.random.default_rng(8).multinomial(9, [0.5, 0.2, 0.2, 0.1], size=30).reshape(-1, 2, 2):
        rows = samples.of_table(table)
        assert np.array_equal(rows.table, table)
        for name in peers._OF_TABLE:
            assert peers._on_arrays(name)(rows.y, rows.decisions) == pytest.approx(truth.value(name, table))
    scored = samples.ranked(40, 9, 0.7, np.random.default_rng(9))
    assert peers._auc(scored.y, scored.scores) == pytest.approx(metrics.roc_auc_score(scored.y, scored.scores))


def test_a_peer_that_fails_has_no_answer():
    peers, samples = part("peers"), part("samples")

    def ask(_, names, rng):
        if "bad" in names:
            raise ZeroDivisionError
        return dict.fromkeys(names, (0.0, 1.0))

    found = peers.quietly(ask, samples.of_table(np.eye(2, dtype=int)), ("good", "bad"), np.random.default_rng(0))
    assert found["good"] == (0.0, 1.0)
    assert np.isnan(found["bad"]).all()


@pytest.mark.parametrize(("name", "mirror"), [("accuracy", "error"), ("sensitivity", "fnr"), ("specificity", "fpr")])
def test_mirrored_measures_need_no_cells_of_their_own(name, mirror):
    for cells in ([[40, 5], [8, 2]], [[5, 0], [3, 2]], [[90, 0], [0, 10]]):
        counts = adjudge.ConfusionCounts(cells)
        of = {} if name == "accuracy" else {"positive": 1}
        a, b = adjudge.interval(counts, name, **of), adjudge.interval(counts, mirror, **of)
        assert (a.low, a.high) == pytest.approx((1 - b.high, 1 - b.low), abs=1e-9)


def test_informedness_mirrors_balanced_accuracy():
    counts = adjudge.ConfusionCounts([[40, 5], [8, 2]])
    a, b = adjudge.interval(counts, "balanced_accuracy"), adjudge.interval(counts, "informedness")
    assert (2 * a.low - 1, 2 * a.high - 1) == pytest.approx((b.low, b.high), abs=1e-9)


def test_every_default_interval_is_in_the_atlas():
    coverage = part("coverage")
    asked = {name.removeprefix("macro_") for _, names in coverage.FAMILIES.values() for name in names}
    elsewhere = {"error", "fnr", "fpr", "informedness"} | {"rejection_rate"}  # mirrors, and a plain share like the accuracy
    without = {"ece", "rse"}
    assert asked | elsewhere | without == {measure.name for measure in adjudge.measures()}


def test_cells_have_keys_of_their_own_and_quick_ones_are_among_them():
    cells = part("cells")
    every = [cell.key for cell in cells.grid(quick=False)]
    quick = [cell.key for cell in cells.grid(quick=True)]
    assert len(set(every)) == len(every)
    assert len(quick) == len(cells._QUICK)
    assert {cell.family for cell in cells.grid(quick=True)} == set(cells.families())


def test_seeds_depend_on_the_cell_the_use_and_the_master_seed_alone():
    generator = part("cells").generator
    first = generator("a", 1, "data").random()
    assert generator("a", 1, "data").random() == first
    others = [generator(*each).random() for each in (("b", 1, "data"), ("a", 2, "data"), ("a", 1, "loop"))]
    assert len({first, *others}) == 4


@pytest.mark.slow
def test_a_record_is_the_same_whatever_ran_before():
    cells, jobs = part("cells"), part("jobs")
    wanted = [cell for cell in cells.grid(quick=True) if cell.family in ("decisions", "scores")]
    alone = jobs.run(jobs.Job(wanted[-1], 6), 1)
    for cell in wanted[:-1]:
        jobs.run(jobs.Job(cell, 4), 1)
    assert jobs.run(jobs.Job(wanted[-1], 6), 1) == alone
    assert jobs.run(jobs.Job(wanted[-1], 6), 2) != alone


def test_a_line_cut_off_in_writing_is_dropped_and_other_settings_start_anew(tmp_path):
    store = part("store")
    path = tmp_path / "cells.jsonl"
    kept = store.Store(path, {"seed": 1})
    kept.append({"key": "a", "n": 1, "repetitions": 5})
    kept.append({"key": "b", "n": 2, "repetitions": 5})
    whole = path.read_bytes()
    path.write_bytes(whole[:-4])
    again = store.Store(path, {"seed": 1})
    assert list(again.records) == ["a"]
    assert not again.has("b", 5)
    again.append({"key": "b", "n": 2, "repetitions": 5})
    assert again.has("b", 5)
    assert not again.has("b", 6)
    assert path.read_bytes() == whole
    assert store.Store(path, {"seed": 2}).dropped == 2
    assert store.load(path) == ({"seed": 2}, [])


def test_the_worst_cells_are_run_again_on_another_seed_and_shown_with_what_came_first():
    cells, jobs, results = part("cells"), part("jobs"), part("results")
    grid = [cell for cell in cells.grid(quick=True) if cell.family == "decisions"]

    def record(cell, wrong):
        found = {"accuracy": {"truth": 0.9, "methods": {"adjudge": [100, 100, wrong, 0, 0.1]}}}
        return {"key": cell.key, "family": cell.family, "n": cell.n, "repetitions": 100, "intervals": found}

    records = [record(grid[0], 4), record(grid[1], 9)]
    (job,) = jobs.confirming(grid, records)
    assert (job.cell, job.repetitions, job.again) == (grid[1], 400, ("accuracy",))
    fresh = record(grid[1], 6) | {"key": job.key, "fresh": ["accuracy"]}
    (found,) = results.confirmed([*records, fresh])
    assert (found.first.share, found.fresh.share) == pytest.approx((0.91, 0.94))
    asked = jobs._asked(job, 7, ("accuracy", "f1"))
    assert (asked.seed, asked.names, asked.alone) == (8, ("accuracy",), True)


def test_the_page_lists_what_stays_weak_and_nothing_else():
    sections = part("sections")

    def record(family, name, wrong, **more):
        found = {name: {"truth": 0.9, "methods": {"adjudge": [400, 400, wrong, 0, 0.1]}}}
        return {"key": f"{family} n=50 {name}", "family": family, "n": 50, "repetitions": 400, "intervals": found} | more

    first = [record("decisions", "mcc", 80), record("decisions", "accuracy", 60)]
    fresh = [record("decisions", "mcc", 60), record("decisions", "accuracy", 20)]
    fresh = [
        each | {"key": f"{each['key']} | fresh: {name}", "fresh": [name]}
        for each, name in zip(fresh, ("mcc", "accuracy"), strict=True)
    ]
    found = sections.weak([*first, *fresh])
    assert "| coverage of MCC | n=50 mcc | 80.0 | 85.0 | 400 |" in found
    assert "accuracy" not in found


def ran(*arguments):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, str(FOLDER / "coverage"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.slow
def test_an_unknown_family_is_named_and_the_known_ones_are_listed():
    found = ran("--only", "nonsense")
    assert found.returncode == 2
    assert all(name in found.stderr for name in ("nonsense", "decisions", "clusters", "gate"))


SOUND = {
    "decisions": set(ORACLES) - {"macro_f1", "macro_precision"} | {"g_mean"},
    "classes": {"accuracy", "balanced_accuracy", "macro_f1", "macro_precision", "g_mean", "mcc", "kappa"},
    "scores": {"auc", "average_precision"},
    "losses": {"brier", "log_loss"},
    "class scores": {"auc", "brier", "log_loss"},
    "numbers": {"mae", "mse", "rae"},
}


@pytest.mark.slow
def test_a_quick_run_covers_goes_on_where_it_was_stopped_and_writes_the_page(tmp_path):
    quick, whole, stopped = ("--quick", "--repetitions", "80", "--out"), tmp_path / "whole", tmp_path / "stopped"
    found = ran(*quick, str(whole))
    assert found.returncode == 0, found.stderr
    path, cut = (folder / "coverage" / "cells.jsonl" for folder in (whole, stopped))
    for (family, name), (answered, wrong) in answers_of(path).items():
        assert wrong / answered <= 0.1 or name not in SOUND.get(family, ()), (family, name, wrong, answered)
    lines = path.read_bytes().splitlines(keepends=True)
    cut.parent.mkdir(parents=True)
    cut.write_bytes(b"".join(lines[:5] + lines[6:-2]) + lines[-2][:50])  # a cell in the middle and the last two are not done
    assert ran(*quick, str(stopped), "--no-page").returncode == 0
    assert cut.read_bytes() == path.read_bytes()
    page = (whole / "coverage.md").read_text(encoding="utf-8")
    pictures = re.findall(r"!\[[^]]+\]\((coverage/[^)]+\.svg)\)", page)
    assert len(pictures) >= 25
    assert all((whole / each).read_text(encoding="utf-8").startswith("<?xml") for each in pictures)


def answers_of(path):
    """Return how many intervals adjudge gave and how many missed the truth, by family and measure, over cells and seeds."""
    found = {}
    for record in [json.loads(line) for line in path.read_text().splitlines()][1:]:
        for name, each in record.get("intervals", {}).items():
            _, answered, below, above, _ = each["methods"]["adjudge"]
            so_far = found.get((record["family"], name), (0, 0))
            found[record["family"], name] = (so_far[0] + answered, so_far[1] + below + above)
    return found
