"""The examples run, their data are what they are said to be, and the page says what they print."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import math
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.linear_model import LogisticRegression

import adjudge
from adjudge.corrections.priors import adjust_priors, estimate_priors

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PAGE = (ROOT / "docs" / "replications.md").read_text(encoding="utf-8")
LINES = {line.strip() for line in PAGE.splitlines()}
OF_THE_PAPER = {"85.8%", "85.7%", "86.4%", "86.9%"}


def loaded(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def dna():
    return loaded("dna_multipliers")


SHIFT = loaded("prior_shift")


def rows_of(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_the_page_says_what_the_splice_junctions_print(dna, capsys):
    dna.main()
    printed = [line for line in capsys.readouterr().out.splitlines() if line]
    assert len(printed) == 4 * 2 + 6 + 2 + 3 + 4
    assert [line for line in printed if line not in LINES] == []
    told = re.sub(r"^ *\|.*$", "", PAGE, flags=re.MULTILINE)  # what is said outside the tables
    shares = set(re.findall(r"\d+\.\d+%", told.split("## Other priors")[0]))
    assert {"86.51%", "87.44%"} < shares
    assert shares - OF_THE_PAPER <= set(re.findall(r"\d+\.\d+%", "\n".join(printed)))
    assert "| least squares, anywhere | 1.0216 | 0.8775 |" in PAGE
    assert "(1.0216, 0.8775)" in told


def test_the_votes_are_those_behind_the_bundled_predictions(dna):
    votes = dna.read(11, "test")
    ours = Counter()
    for p, truth, cases in zip(votes.p, votes.truth, votes.cases, strict=True):
        ours[(*(float(v) for v in p), str(truth))] += int(cases)
    bundled = Path(adjudge.__file__).parent / "data" / "dna_knn11.csv"
    assert ours == Counter((*(float(row[f"p_{name}"]) for name in dna.CLASSES), row["truth"]) for row in rows_of(bundled))


def test_the_training_votes_are_those_the_correction_is_tested_with():
    kept = ("ei", "ie", "n", "truth", "cases")
    ours = [row for row in rows_of(EXAMPLES / "data" / "dna_knn_votes.csv.gz") if (row["k"], row["part"]) == ("11", "training")]
    tested = rows_of(ROOT / "tests" / "corrections" / "dna_training_votes.csv")
    assert sorted(tuple(row[name] for name in kept) for row in ours) == sorted(
        tuple(row[name] for name in kept) for row in tested
    )


@pytest.mark.parametrize("k", [5, 11, 21, 41])
def test_every_number_of_neighbours_has_all_cases_and_enough_votes(k):
    rows = [row for row in rows_of(EXAMPLES / "data" / "dna_knn_votes.csv.gz") if row["k"] == str(k)]
    assert all(sum(int(row[name]) for name in ("ei", "ie", "n")) >= k for row in rows)
    cases = Counter()
    for row in rows:
        cases[row["part"], row["truth"]] += int(row["cases"])
    training, test = ({name: cases[part, name] for name in ("ei", "ie", "n")} for part in ("training", "test"))
    assert training == {"ei": 464, "ie": 485, "n": 1051}  # Statlog
    assert test == {"ei": 303, "ie": 280, "n": 603}


def test_every_file_of_data_has_its_origin_said():
    told = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    files = sorted((EXAMPLES / "data").iterdir())
    assert len(files) == 11
    for path in files:
        assert re.search(rf"^\| `{path.name.removesuffix('.csv.gz')}` \| [\d,]+ ?", told, re.MULTILINE), path.name


@pytest.mark.parametrize("name", SHIFT.SETS)
def test_learnt_one_to_one_and_tested_five_to_one(name):
    X, ill = SHIFT.read(name)
    assert np.isfinite(X).all()
    learnt, tested = SHIFT.parts(ill, np.random.default_rng(0))
    assert not set(learnt.tolist()) & set(tested.tolist())
    assert len(set(tested.tolist())) == tested.size
    assert ill[learnt].mean() == 0.5
    assert np.count_nonzero(~ill[tested]) == 5 * np.count_nonzero(ill[tested]) > 0


def test_known_priors_do_to_logistic_regression_what_another_intercept_does():
    X, ill = SHIFT.read("heart_statlog")
    learnt, tested = SHIFT.parts(ill, np.random.default_rng(3))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LogisticRegression().fit(X[learnt], ill[learnt])
    moved = adjust_priors(model.predict_proba(X[tested]), old=SHIFT.EVEN, new=SHIFT.NEW)
    model.intercept_ = model.intercept_ - math.log(SHIFT.RATIO)
    assert moved == pytest.approx(model.predict_proba(X[tested]), rel=1e-9)


@pytest.mark.slow
@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_estimated_priors_are_the_most_likely_ones(seed):
    X, ill = SHIFT.read("heart_statlog")
    learnt, tested = SHIFT.parts(ill, np.random.default_rng(seed))
    p = SHIFT.LEARNERS["logistic regression"]().fit(X[learnt], ill[learnt]).predict_proba(X[tested])
    top = minimize_scalar(lambda s: -np.log(2 * ((1 - s) * p[:, 0] + s * p[:, 1])).sum(), bounds=(0, 1), method="bounded")
    assert estimate_priors(p, old=SHIFT.EVEN).priors[1] == pytest.approx(top.x, abs=1e-4)


@pytest.mark.slow
def test_the_page_says_what_a_row_comes_to():
    found = SHIFT.measured("heart_statlog", "logistic regression")
    assert SHIFT.row("heart_statlog", "logistic regression", found) in LINES


@pytest.mark.slow
def test_the_page_says_what_the_medical_sets_print():
    ran = subprocess.run([sys.executable, EXAMPLES / "prior_shift.py"], capture_output=True, text=True, check=True)
    printed = [line for line in ran.stdout.splitlines() if line]
    assert len(printed) == 2 + 12 + 3
    assert [line for line in printed if line not in LINES] == []


PARTITIONS = {line.strip() for line in (ROOT / "docs" / "partitions.md").read_text(encoding="utf-8").splitlines()}


def test_the_page_says_what_the_first_chi_square_set_prints():
    example = loaded("partition_space")
    assert set(example.one_set(example.tried(example.FIRST))) <= PARTITIONS


def test_true_conditional_probabilities_are_bayes_rule():
    example = loaded("partition_space")
    x = np.array([0.5, 4.0, 20.0])
    densities = [[v ** (df / 2 - 1) * math.exp(-v / 2) / (2 ** (df / 2) * math.gamma(df / 2)) for df in (2, 8, 16)] for v in x]
    expected = np.array(densities) / np.sum(densities, axis=1, keepdims=True)
    np.testing.assert_allclose(example.conditional(x), expected, rtol=1e-12)
    rules = example.tried(1)
    assert rules.spaces["true Bayes"].precision(rules.true) == pytest.approx(1)


@pytest.mark.slow
def test_the_page_says_what_many_chi_square_sets_print():
    """Those of the net to two in the last digit: where its training ends depends on how a processor rounds."""
    example = loaded("partition_space")
    *exact, net, above = example.many_sets(example.SETS)
    assert set(exact) <= PARTITIONS
    for line, step in ((net, 0.001), (above, 1.0)):
        name, *found = (cell.strip(" %") for cell in line.strip("|").split("|"))
        told = {
            tuple(cell.strip(" %") for cell in row.strip("|").split("|")) for row in PARTITIONS if row.startswith(f"| {name} |")
        }
        assert any(
            len(row) == len(found) + 1
            and np.allclose(np.array(row[1:], float), np.array(found, float), rtol=0, atol=2 * step + 1e-9)
            for row in told
        ), line


def test_the_bundled_predictions_come_out_the_same(tmp_path):
    """Classes to the letter, probabilities to two in the last of four digits: sums round as a processor does."""
    loaded("make_predictions").main(tmp_path)
    kept = EXAMPLES / "predictions"
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in kept.glob("*.csv")}
    for path in tmp_path.iterdir():
        for made, bundled in zip(rows_of(path), rows_of(kept / path.name), strict=True):
            numbers = [name for name in made if name.startswith("p_") or name == "pred"]
            assert {name: made[name] for name in made.keys() - set(numbers)} == {
                name: bundled[name] for name in bundled.keys() - set(numbers)
            }
            assert [float(made[name]) for name in numbers] == pytest.approx(
                [float(bundled[name]) for name in numbers], abs=2e-4, rel=1e-3
            )
