"""Rows of results for dataframes, against the results themselves and against counting by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.results import HOSTILE, N, cases, counts, data, made, predictions, resampled, space

import adjudge
from adjudge.describe.frames import rows


def column(result, name):
    """Return a column of a result."""
    return [row[name] for row in rows(result)]


def test_counts_are_the_cells_of_the_confusion_table():
    truth, decided, _ = cases()
    each = [(row["true"], row["predicted"], row["cases"]) for row in rows(made("Counts"))]
    assert each == [(a, b, int(((truth == a) & (decided == b)).sum())) for a in HOSTILE for b in HOSTILE]


def test_counts_of_pairs_are_patterns_of_truth_and_predictions():
    truth, decided, _ = cases()
    each = rows(made("PairCounts"))
    assert sum(row["cases"] for row in each) == N
    for label in HOSTILE:
        own = sum(row["cases"] for row in each if row["true"] == label and row["predicted by a"] == label)
        assert own == int(((truth == label) & (decided == label)).sum())


def test_no_decision_is_rejected_in_a_pattern():
    truth = ["a", "b", "a", "b"]
    one, two = ({"truth": truth, "predicted": given, "row": range(4)} for given in (["a", "b", "?", "b"], ["a", "a", "a", "b"]))
    pairs = adjudge.count_pairs(one, two, names=("x", "y"), rejected="?")
    told = {(row["true"], row["predicted by x"], row["predicted by y"]): row["cases"] for row in rows(pairs)}
    assert told == {("a", "a", "a"): 1, ("b", "b", "a"): 1, ("a", "REJECTED", "a"): 1, ("b", "b", "b"): 1}


def test_counts_of_numbers_are_their_losses():
    found = made("Counts of numbers")
    assert dict(zip(column(found, "measure"), column(found, "value"), strict=True)) == {
        name: loss.value for name, loss in found.losses.items()
    }


def test_a_posterior_is_its_moments_and_its_interval():
    (row,) = rows(adjudge.posterior(counts(), "accuracy"))
    beta = stats.beta(60.5, 13.5)
    assert [row[name] for name in ("mean", "median", "sd", "low", "high")] == pytest.approx(
        [beta.mean(), beta.median(), beta.std(), *beta.interval(0.95)], rel=1e-9
    )


def test_posteriors_are_a_row_a_table_and_both_accuracies_a_row_each():
    many = made("Posteriors")
    assert column(many, "mean") == pytest.approx([each.mean for each in many])
    assert column(many, "high") == pytest.approx([each.interval().high for each in many])
    both = made("AccuracyPosteriors")
    assert column(both, "median") == [each.median for each in both.posteriors.values()]


def test_points_of_curves():
    truth, score = np.array([0, 1, 0, 1]), np.array([0.1, 0.9, 0.4, 0.35])
    rejected = adjudge.accuracy_rejection(truth, np.c_[1 - score, score], classes=[0, 1])
    first = rows(rejected)[0]
    assert (first["rejected"], first["accuracy"], first["kept"]) == (0, 0.75, 4)
    assert len(rows(rejected)) == rejected.kept.size
    errors = made("ErrorCurve")
    at = [row for row in rows(errors) if row["multiplier"] > 0]
    assert all(errors.at(row["multiplier"] * (1 + 1e-12)) == row["errors"] for row in at)
    table = rows(adjudge.thresholds(adjudge.Predictions(truth, scores=score, positive=1)))
    for row in table:
        called = score >= row["threshold"]
        assert (row["true_positives"], row["false_positives"]) == (called[truth == 1].sum(), called[truth == 0].sum())


def test_corrections_are_a_row_a_class():
    fitted = made("Multipliers")
    assert column(fitted, "class") == list(HOSTILE)
    values = column(fitted, "multiplier")
    assert values.pop(fitted.majority) == 1
    assert values == fitted.multipliers.tolist()
    assert any(value != 1 for value in values)
    rounds = replace(fitted, multipliers=np.array([[0.5, 2.0], [0.8, 1.5]]), form="iterated")
    assert column(rounds, "round") == [1, 1, 1, 2, 2, 2]
    assert sorted(column(rounds, "multiplier")) == [0.5, 0.8, 1, 1, 1.5, 2]
    free = adjudge.fit_multipliers(cases()[0], cases()[2], classes=list(HOSTILE), form="softmax", last_free=True)
    assert column(free, "multiplier") == free.multipliers.tolist()
    priors = made("Priors")
    shares = [float((cases()[0] == label).mean()) for label in HOSTILE]
    assert column(priors, "prior") == pytest.approx(shares)
    assert [(row["low"], row["high"]) for row in rows(priors)] == [tuple(ends) for ends in priors.interval.tolist()]
    assert column(priors, "old") == [0.4, 0.3, 0.3]
    assert [tuple(row.values()) for row in rows(adjudge.PriorShift([0.4, 0.6], [0.2, 0.8]))] == [(0, 0.4, 0.2), (1, 0.6, 0.8)]


def test_a_plan_is_a_row_a_fold():
    plan = adjudge.plan("2x5-fold", *data(), random_state=0)
    assert column(plan, "fold") == list(range(1, 11))
    assert column(plan, "repeat") == [1] * 5 + [2] * 5
    assert [row["training_cases"] + row["test_cases"] for row in rows(plan)] == [80] * 10
    assert sum(column(plan, "test_cases")) == 160
    ran = made("RunResult")
    assert column(ran, "seconds") == ran.seconds[: len(ran.plan)].tolist()
    assert column(resampled().by_fold[0], "accuracy") == [resampled().estimates["accuracy"].folds[0]]


def test_a_trade_off_is_a_row_a_share():
    found = made("TradeOff")
    assert column(found, "mean") == [np.mean(share.values) for share in found.shares]
    assert column(found, "sd") == pytest.approx([np.std(share.values, ddof=1) for share in found.shares])
    assert column(found, "lower_quartile") == [np.quantile(share.values, 0.25) for share in found.shares]
    assert column(found, "test_share") == [share.share for share in found.shares]


def test_data_sets_are_a_row_each():
    found = made("OverSets")
    assert column(found, "difference") == found.means.tolist()
    assert column(found, "shrunken") == [found.hierarchical.shrunken[name].value for name in found.names]
    assert list(rows(made("OverSets without folds"))[0]) == ["data_set", "difference"]


def test_partitions():
    truth, _, p = cases()
    assigned = np.array(HOSTILE, dtype=object)[p.argmax(axis=1)]
    right = [float((truth[assigned == label] == label).mean()) for label in HOSTILE]
    assert column(space(), "correct") == pytest.approx(right)
    assert column(space(), "predicted") == [int((assigned == label).sum()) for label in HOSTILE]
    both = made("PartitionComparison")
    own = [each for by_measure in both.intervals.values() for each in by_measure.values()]
    between = [each for by_measure in both.differences.values() for each in by_measure.values()]
    assert column(both, "value") == [each.value for each in (*own, *between)]
    assert column(both, "low") == [each.low for each in (*own, *between)]
    assert column(both, "rule")[-1] == "<b>one - two"
    unknown = adjudge.compare_partitions({"a": space().apply(p), "b": space().apply(p)})
    assert column(unknown, "rule") == ["a", "b"]
    assert column(unknown, "confidence") == [each.confidence for each in unknown.spaces.values()]


def test_measures_asked_for_by_name_and_the_table_of_measures():
    asked = adjudge.evaluate(predictions(), measures=["accuracy", "mcc"])
    assert column(asked, "measure") == ["accuracy", "mcc"]
    assert column(asked, "low") == [each.interval.low for each in asked.estimates]
    table = adjudge.measures()
    assert column(table, "name") == [measure.name for measure in table]
    assert [(row["low"], row["high"]) for row in rows(table)] == [measure.range for measure in table]
    assert next(row for row in rows(table) if row["name"] == "accuracy")["aliases"] == "recognition_rate"


def test_parts_of_results():
    groups = made("GroupsJudged")
    assert column(groups, "group") == list(groups.accuracy)
    assert column(groups, "balanced_accuracy") == [each.value for each in groups.balanced.values()]
    change = made("BeforeAfter")
    told = {row["measure"]: (row["before"], row["after"]) for row in rows(change)}
    assert told["accuracy"] == (60 / 73, 60 / 73)
    assert told["brier"] == change.brier
    band = made("Band")
    assert [(row["x"], row["y"]) for row in rows(band) if row["line"] == "high"] == [tuple(point) for point in band.high.tolist()]
    turns = made("Rounds")
    assert column(turns, "round") == list(range(1, turns.test.shape[1] + 1))
    assert column(turns, "test") == turns.test.mean(axis=0).tolist()


def test_what_holds_no_number_is_its_first_table():
    assert [(row["Role"], row["Column"]) for row in rows(made("Roles"))][:2] == [
        ("truth", "'truth'"),
        ("predicted", "'predicted'"),
    ]
