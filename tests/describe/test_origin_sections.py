"""Where the cases came from: folds, or one test set."""

import numpy as np
import pytest
from scipy.stats import t

import adjudge
from adjudge import Predictions
from adjudge.describe.origin_sections import ONE_TEST_SET, data, origin, over_algorithm


def folded(n=400, k=10, seed=0, **more):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    decided = np.where(rng.random(n) < 0.8, truth, 1 - truth)
    fold = np.arange(n) % k
    return adjudge.evaluate(Predictions(truth, decided, fold=fold, **more)), [
        np.mean((truth == decided)[fold == f]) for f in range(k)
    ]


def test_one_test_set_says_what_it_does_not_tell(dna, kinds):
    (only,) = origin(dna)
    assert (only.lead, only.theme, only.figure) == (ONE_TEST_SET, "origin", None)
    assert list(origin(kinds["numbers"])) == []


def test_the_folds_and_what_they_come_to():
    result, each = folded()
    (only,) = origin(result)
    rows = {row.name: row for row in only.figure.rows}
    assert [rows[str(f)].value for f in range(10)] == pytest.approx(each)
    assert rows["This test set, pooled"].value == pytest.approx(np.mean(each))
    bar = rows["Mean of 10 folds ± 2 SE"]
    assert bar.low == pytest.approx(np.mean(each) - 2 * np.std(each, ddof=1) / np.sqrt(10))
    half = t.ppf(0.975, 9) * np.std(each, ddof=1) * np.sqrt(1 / 10 + 1 / 9)
    anew = rows["This algorithm, trained anew"]
    assert (anew.low, anew.high) == (pytest.approx(np.mean(each) - half), pytest.approx(np.mean(each) + half))
    assert len(only.tables[0].rows) == 10
    assert any("trained anew" in line for line in only.reading)


def test_small_folds_are_named():
    result, _ = folded(n=100)
    (only,) = origin(result)
    assert any("the smallest has 10 cases" in line for line in only.reading)
    assert "A601" in [finding.code for finding in result.findings]
    large, _ = folded(n=400)
    assert "A601" not in [finding.code for finding in large.findings]


def test_an_algorithm_is_not_judged_where_folds_do_not_tell():
    weighted, _ = folded(weight=np.linspace(1, 2, 400))
    assert over_algorithm(weighted.by_fold, weighted) is None
    again, _ = folded(row=np.arange(400) // 10)
    assert again.repeats > 1
    assert over_algorithm(again.by_fold, again) is None
    perfect = adjudge.evaluate(Predictions([0, 1] * 50, [0, 1] * 50, fold=np.arange(100) % 5))
    assert over_algorithm(perfect.by_fold, perfect) is None
    (only,) = origin(perfect)
    assert "This algorithm, trained anew" not in [row.name for row in only.figure.rows]


def test_the_data_are_told_with_the_cases_of_each_class(kinds):
    facts, sizes = data(kinds["hundred"], "x.csv")
    told = dict(facts.tables[0].rows)
    assert told["Rows"] == "3,000"
    assert told["Scores hold"] == "probabilities"
    assert told["Level of intervals"] == "95%"
    support = kinds["hundred"].counts.support
    assert sizes.tables[0].rows[0][1] == str(support.max())
    rows = (*sizes.tables[0].rows, *sizes.tables[0].folded)
    assert sum(int(row[1]) for row in rows) == 3000
    assert [s.name for s in data(kinds["numbers"], "x.csv")] == ["data"]
    weights = dict(next(data(kinds["weighted"], "w")).tables[0].rows)
    assert f"worth {kinds['weighted'].counts.effective_n:.1f} equally weighted cases" in weights["Weights"]
    assert dict(next(data(kinds["folds"], "f")).tables[0].rows)["Folds"].startswith("5, with ")
