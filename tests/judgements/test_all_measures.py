"""All measures side by side: values by scikit-learn, differences by comparing with each measure alone, and laws of both."""

import math

import numpy as np
import pytest
from sklearn import metrics as sk
from tests.compared_sets import classifier, numbers, probabilities, three_classes, truth_of, two_classes

import adjudge

KINDS = pytest.mark.parametrize(
    "sets", [two_classes(), pytest.param(three_classes(), marks=pytest.mark.slow), numbers()], ids=["two", "three", "numbers"]
)
ABOUT_B = ("rmse", "mae", "mse", "median_absolute_error", "rae", "rse")  # whose margin is 1% of b's value


def named(table):
    return {row.measure: row for row in table.rows if row.average != "hand-till"}


def test_values_of_two_classes_are_those_of_scikit_learn():
    truth, table = truth_of(300, 2), adjudge.compare(*two_classes()).measures
    for at, (skill, seed) in enumerate(((1.5, 1), (1.0, 2))):
        p = probabilities(truth, 2, skill, seed)
        said, score = p.argmax(axis=1), p[:, 1]
        known = {
            "accuracy": sk.accuracy_score(truth, said),
            "balanced_accuracy": sk.balanced_accuracy_score(truth, said),
            "mcc": sk.matthews_corrcoef(truth, said),
            "kappa": sk.cohen_kappa_score(truth, said),
            "sensitivity": sk.recall_score(truth, said),
            "specificity": sk.recall_score(truth, said, pos_label=0),
            "precision": sk.precision_score(truth, said),
            "npv": sk.precision_score(truth, said, pos_label=0),
            "f1": sk.f1_score(truth, said),
            "jaccard": sk.jaccard_score(truth, said),
            "auc": sk.roc_auc_score(truth, score),
            "average_precision": sk.average_precision_score(truth, score),
            "brier": sk.brier_score_loss(truth, score),
            "log_loss": sk.log_loss(truth, score),
        }
        for name, value in known.items():
            assert table[name].values[at] == pytest.approx(value, rel=1e-12), name


def test_values_of_three_classes_are_those_of_scikit_learn():
    truth, table = truth_of(300, 3), adjudge.compare(*three_classes()).measures
    p = probabilities(truth, 3, 1.1, 2)
    said = p.argmax(axis=1)
    known = {
        "balanced_accuracy": sk.balanced_accuracy_score(truth, said),
        "mcc": sk.matthews_corrcoef(truth, said),
        "f1": sk.f1_score(truth, said, average="macro"),
        "precision": sk.precision_score(truth, said, average="macro"),
        "auc": sk.roc_auc_score(truth, p, multi_class="ovr"),
        "auc_hand_till": sk.roc_auc_score(truth, p, multi_class="ovo"),
        "average_precision": sk.average_precision_score(np.eye(3)[truth], p, average="macro"),
        "log_loss": sk.log_loss(truth, p),
    }
    for name, value in known.items():
        assert table[name].values[1] == pytest.approx(value, rel=1e-12), name


def test_values_of_numbers_are_those_of_scikit_learn():
    sets = numbers()
    table = adjudge.compare(*sets).measures
    for at, each in enumerate(sets):
        truth, said = each["y_true"], each["y_pred"]
        assert table["rmse"].values[at] == pytest.approx(sk.root_mean_squared_error(truth, said), rel=1e-12)
        assert table["mae"].values[at] == pytest.approx(sk.mean_absolute_error(truth, said), rel=1e-12)
        assert table["median_absolute_error"].values[at] == pytest.approx(sk.median_absolute_error(truth, said), rel=1e-12)
        assert table["r2"].values[at] == pytest.approx(sk.r2_score(truth, said), rel=1e-12)
    assert table["mean_error"].differences == (None, None)  # is best at 0: neither more nor less is better


@KINDS
def test_every_row_is_the_comparison_by_that_measure(sets):
    """To the last digit: one machinery makes both."""
    table = named(adjudge.compare(*sets).measures)
    assert [name for name, row in table.items() if row.differences[0] is None] == ["mean_error"] * ("mean_error" in table)
    for name, row in table.items():
        if (own := row.differences[0]) is not None:
            alone = adjudge.compare(*sets, measure=name)
            again = alone.measures[name]
            assert (row.values, row.of, row.average) == (alone.values, alone.of, again.average), name
            assert (own.value, own.interval, own.method) == (alone.difference, alone.interval, alone.method), name
            assert (own.worse, own.same, own.better, own.margin) == (alone.worse, alone.same, alone.better, alone.margin), name


@pytest.mark.parametrize("measure", ["auc", "brier", "mcc"])
def test_the_table_is_the_same_whatever_the_verdict_is_by(measure):
    one, other = (named(adjudge.compare(*two_classes(), measure=by).measures) for by in (None, measure))
    assert {name: row.to_dict() for name, row in one.items()} == {name: row.to_dict() for name, row in other.items()}


@KINDS
def test_swapping_the_sets_turns_every_difference(sets):
    forth, back = named(adjudge.compare(*sets).measures), named(adjudge.compare(*sets[::-1]).measures)
    for name, row in forth.items():
        own, other = row.differences[0], back[name].differences[0]
        assert row.values == back[name].values[::-1]
        if own is not None:
            assert own.value == -other.value
            ends = (-other.interval.high, -other.interval.low)
            assert (own.interval.low, own.interval.high) == pytest.approx(ends, rel=1e-9, abs=1e-12), name
            if name not in ABOUT_B:
                assert (own.better, own.same, own.worse) == pytest.approx((other.worse, other.same, other.better), abs=1e-9), name


def test_names_of_classes_do_not_matter():
    truth = truth_of(300, 3)
    said = [probabilities(truth, 3, skill, seed).argmax(axis=1) for skill, seed in ((1.5, 1), (1.1, 2))]

    def compared(to):
        return named(adjudge.compare(*(adjudge.Predictions(to[truth], to[each], row=np.arange(300)) for each in said)).measures)

    one, other = compared(np.arange(3)), compared(np.array([2, 0, 1]))
    for name, row in one.items():
        assert row.values == pytest.approx(other[name].values, rel=1e-12)
        assert row.differences[0].better == pytest.approx(other[name].differences[0].better, abs=1e-9), name


SLOW = pytest.mark.slow


@pytest.mark.parametrize("measure", ["accuracy", *(pytest.param(name, marks=SLOW) for name in ("mcc", "auc", "brier", "ece"))])
def test_many_sets_differ_from_the_best_as_the_ranking_by_that_measure_says(measure):
    sets = dict(zip("abc", three_classes(sets=3), strict=True))
    ranking, table = adjudge.rank(sets, measure=measure), adjudge.rank(sets).measures
    assert table.reference == "a"
    shares, row = {each.name: each.p_best for each in ranking.rows}, table[measure]
    assert dict(zip(table.names, row.p_best, strict=True)) == shares
    assert row.differences[0] is None
    for at, name in enumerate("bc", 1):
        own, pair = row.differences[at], ranking.comparisons.get(("a", name))
        sign, pair = (1, ranking.comparisons[name, "a"]) if pair is None else (-1, pair)
        ends = sorted((sign * pair.interval.low, sign * pair.interval.high))
        assert own.value == sign * pair.difference
        assert [own.interval.low, own.interval.high] == pytest.approx(ends, rel=1e-9, abs=1e-12)
        assert own.better == pytest.approx(pair.better if sign > 0 else pair.worse, abs=1e-9)


def test_margins_are_those_asked_for_except_of_other_units():
    assert {row.differences[0].margin for row in adjudge.compare(*two_classes(), margin=0.05).measures.rows} == {0.05}
    table = adjudge.compare(*numbers(), margin=3.0).measures  # of absolute errors: squares and shares keep their own
    assert (table["mae"].differences[0].margin, table["r2"].differences[0].margin) == (3.0, 0.01)
    assert table["mse"].differences[0].margin == pytest.approx(0.01 * table["mse"].values[1])


def test_one_tiny_perfect_class_beside_huge_ones():
    truth = np.r_[np.zeros(900, int), np.ones(98, int), 2, 2]
    a, b = truth.copy(), truth.copy()
    a[:50], b[:70] = 1, 1
    table = adjudge.compare(*(adjudge.Predictions(truth, each, row=np.arange(1000)) for each in (a, b))).measures
    assert table["balanced_accuracy"].values == pytest.approx((1 - 50 / 2700, 1 - 70 / 2700))
    for row in table.rows:
        assert all(math.isfinite(value) for value in row.values)
        assert row.differences[0].interval.low <= row.differences[0].value <= row.differences[0].interval.high, row.measure


def test_infinite_and_constant_scores_have_values_and_differences_where_there_are_some():
    truth = truth_of(200, 2)
    sure = np.clip(probabilities(truth, 2, 1.5, 1)[:, 1], 0.01, 0.99)
    sure[0] = 1 - truth[0]
    sets = [adjudge.Predictions(truth, scores=p, positive=1, row=np.arange(200)) for p in (sure, np.full(200, 0.5))]
    table = adjudge.compare(*sets).measures
    assert table["log_loss"].values == (math.inf, pytest.approx(math.log(2)))
    assert table["log_loss"].differences == (None, None)
    assert table["auc"].values[1] == 0.5
    assert table["auc"].differences[0].better > 0.99
    assert next(row for row in table.to_dict()["rows"] if row["measure"] == "log_loss")["values"][0] == "inf"


def test_a_set_without_scores_has_none_of_their_measures():
    a, _ = two_classes()
    bare = adjudge.Predictions(truth_of(300, 2), 1 - truth_of(300, 2), positive=1, row=np.arange(300))
    table = adjudge.compare(a, bare).measures
    assert table["auc"].values[0] == adjudge.evaluate(a).estimates["auc"].value
    assert math.isnan(table["auc"].values[1])
    assert "has no scores" in table["auc"].values[1].reason
    assert all(table[name].differences == (None, None) for name in ("auc", "average_precision", "brier", "log_loss", "ece"))
    assert table["mcc"].differences[0] is not None


def test_a_class_of_one_case_says_why_its_area_has_no_difference():
    truth, rng = np.r_[np.zeros(99, int), 1], np.random.default_rng(0)
    table = adjudge.compare(
        *(adjudge.Predictions(truth, scores=rng.random(100), positive=1, row=np.arange(100)) for _ in "ab")
    ).measures
    assert table["auc"].differences == (None, None)
    assert any("auc: A class has one case only" in note for note in table.notes)


@pytest.mark.slow
def test_a_hundred_classes_leave_out_what_takes_long_and_say_so():
    truth = truth_of(900, 100)
    sets = [classifier(truth, 3.0 - i, i, 100) for i in range(2)]
    table = adjudge.compare(*sets).measures
    assert table["accuracy"].differences[0] is not None
    assert table["mcc"].differences == table["average_precision"].differences == (None, None)
    assert all(math.isfinite(value) for row in table.rows for value in row.values if row.average is None)
    assert len(table.rows) == 17
    assert len(table.notes) == 2
    alone = adjudge.compare(*sets, measure="average_precision")  # what was asked for is there, whatever it takes
    assert alone.measures["average_precision"].differences[0].value == alone.difference


def test_counts_of_pairs_have_the_measures_of_decisions():
    sets = two_classes()
    whole, counted = (named(adjudge.compare(*each).measures) for each in (sets, [adjudge.count_pairs(*sets, names=["a", "b"])]))
    assert set(whole) - set(counted) == {"auc", "average_precision", "brier", "log_loss", "ece"}
    for name, row in counted.items():
        assert row.values == whole[name].values
        assert row.differences[0].better == whole[name].differences[0].better
