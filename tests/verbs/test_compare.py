"""Two sets of predictions, or two learners over one plan: worse, the same, or better."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from tests.described import refused

import adjudge
from adjudge import ConfusionCounts, InputError, Predictions, compare, compare_learners

CASES = json.loads((Path(__file__).parents[1] / "oracles" / "cases.json").read_text(encoding="utf-8"))
COUNTED = ("accuracy", "balanced_accuracy", "error", "mcc", "kappa", "f1", "precision", "g_mean", "informedness", "specificity")
CANCER = load_breast_cancer(return_X_y=True)
SCORED = ("auc", "average_precision", "brier", "log_loss", "ece")


@pytest.fixture(autouse=True)
def _fewer_draws(monkeypatch):
    """Measures of scores without a formula are drawn a fifth as often."""
    monkeypatch.setattr("adjudge.estimates.redrawn.DRAWS", 200)


def of(quantity):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["quantity"] == quantity]


def from_outcomes(*classes):
    """Return two sets whose outcomes in each class are (both, only a, only b, neither)."""
    truth, a, b = [], [], []
    for c, counts in enumerate(classes):
        for n, right_a, right_b in zip(counts, (1, 1, 0, 0), (1, 0, 1, 0), strict=True):
            truth += [c] * n
            a += [c if right_a else 1 - c] * n
            b += [c if right_b else 1 - c] * n
    rows = np.arange(len(truth))
    return Predictions(truth, a, row=rows), Predictions(truth, b, row=rows)


def sets(k=3, n=120, strengths=(1.6, 1.2), seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    found = []
    for strength in strengths:
        z = rng.normal(size=(n, k))
        z[np.arange(n), truth] += strength
        p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        found.append(Predictions(truth, p.argmax(axis=1), p, classes=list(range(k)), row=np.arange(n)))
    return found


# -- against references --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("case", of("prob_better_accuracy_paired"))
def test_paired_accuracy_against_the_reference(case):
    given, expected, near = case["inputs"], case["expected"], {"abs": 1e-12, "rel": 1e-11}
    counts = [given[name] for name in ("both_right", "only_a_right", "only_b_right", "both_wrong")]
    a, b = from_outcomes(counts)
    found = compare(a, b, margin=0.0)
    assert found.better == pytest.approx(float(expected["prob_a_better"]), **near)
    assert found.distribution.mean == pytest.approx(float(expected["mean_difference"]), **near)
    assert compare(a, b, margin=0.05).same == pytest.approx(float(expected["prob_abs_diff_below_005"]), **near)
    assert found.outcomes == tuple(counts)


@pytest.mark.parametrize("case", of("prob_better_balanced_paired"))
def test_paired_balanced_accuracy_against_the_reference(case):
    given, expected = case["inputs"], case["expected"]
    a, b = from_outcomes(given["negative_class"], given["positive_class"])
    found = compare(a, b, measure="balanced_accuracy", margin=0.0)
    assert found.better == pytest.approx(float(expected["prob_a_better"]), abs=1e-10)
    assert found.distribution.mean == pytest.approx(float(expected["mean_difference"]), abs=1e-10)


@pytest.mark.parametrize("case", of("prob_better_accuracy_independent"))
def test_independent_accuracy_against_the_reference(case):
    given, expected = case["inputs"], case["expected"]
    a, b = (ConfusionCounts([[given[f"C_{x}"], given[f"I_{x}"]], [0, 0]]) for x in "ab")
    found = compare(a, b, paired=False, margin=0.0)
    assert found.better == pytest.approx(float(expected["prob_a_better"]), abs=1e-12, rel=1e-9)
    assert (found.interval.low, found.interval.high) == pytest.approx([float(v) for v in expected["diff_ci95"]], abs=1e-9)


@pytest.mark.parametrize("case", of("prob_better_balanced_independent"))
def test_independent_balanced_accuracy_against_the_reference(case):
    given, expected = case["inputs"], case["expected"]
    (tp, fn, fp, tn), (tp2, fn2, fp2, tn2) = given["a"], given["b"]
    a, b = ConfusionCounts([[tp, fn], [fp, tn]]), ConfusionCounts([[tp2, fn2], [fp2, tn2]])
    found = compare(a, b, measure="balanced_accuracy", paired=False, margin=0.05)
    assert found.better == pytest.approx(float(expected["prob_a_better_by_005"]), abs=1e-11, rel=1e-9)
    assert found.difference == pytest.approx((tp / (tp + fn) + tn / (tn + fp) - tp2 / (tp2 + fn2) - tn2 / (tn2 + fp2)) / 2)


def test_auc_has_delongs_variance_and_welchs_freedom():
    """Student's t of DeLong's variance, with the degrees of freedom of the two classes; the limits of a t, here by SciPy."""
    a, b = sets(k=2)
    truth = np.asarray(a.source.columns["truth"])
    scores = [np.asarray(each.source.columns["scores"])[:, 1] for each in (a, b)]
    theirs = adjudge.delong(truth, *scores, positive=1)
    found = compare(a, b, measure="auc", margin=0.0)
    placed = [[np.mean((x > y) + (x == y) / 2) for x, y in placements(truth == 1, each)] for each in scores]
    each = np.subtract(*placed)
    pieces = [each[rows].var(ddof=1) / rows.sum() for rows in (truth == 1, truth != 1)]
    df = sum(pieces) ** 2 / sum(v**2 / (rows.sum() - 1) for v, rows in zip(pieces, (truth == 1, truth != 1), strict=True))
    assert found.difference == pytest.approx(theirs.difference)
    assert sum(pieces) == pytest.approx(theirs.variance, rel=1e-9)
    distribution = stats.t(df, found.difference, theirs.variance**0.5)
    assert (found.interval.low, found.interval.high) == pytest.approx(distribution.interval(0.95), abs=1e-9)
    assert found.better == pytest.approx(distribution.sf(0), rel=1e-9)


def placements(positive, scores):
    """Yield each case's score and those of the other class, so that a placement is a share of ones above."""
    for own, score in zip(positive, scores, strict=True):
        yield (score, scores[~positive]) if own else (scores[positive], score)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["auc", "f1", "mcc", "kappa", "precision", "brier"])
def test_few_positives_mirror_and_say_so(measure):
    """Six positives of which a finds all and b none, nearly: no verdict that swaps do not support; either way round."""
    rng = np.random.default_rng(6)
    truth = (np.arange(60) < 6).astype(int)
    p = [np.clip(0.5 * truth + rng.random(60) * 0.6, 0, 1), rng.random(60)]
    a, b = (Predictions(truth, (each > 0.5).astype(int), each, row=np.arange(60), positive=1) for each in p)
    one, other = compare(a, b, measure=measure), compare(b, a, measure=measure)
    assert (one.worse, one.same, one.better) == pytest.approx((other.better, other.same, other.worse), abs=1e-12)
    assert (one.interval.low, one.interval.high) == pytest.approx((-other.interval.high, -other.interval.low), abs=1e-9)
    assert one.worse + one.same + one.better == pytest.approx(1)
    assert one.distribution.interval(0.95) == (one.interval.low, one.interval.high)
    assert ("A713" in {finding.code for finding in one.findings}) == (measure != "brier")
    assert one.type_i_error is not None
    assert one.type_i_error.mean <= 0.10
    assert str(one.type_i_error) in " ".join(str(one).split())
    assert compare(a, b, measure=measure, margin=0.02).type_i_error is None


@pytest.mark.slow
def test_an_area_of_two_positives_has_an_interval_between_its_ends():
    """One degree of freedom: the interval is wide, but no difference of areas lies beyond 1."""
    truth = np.array([1, 1] + [0] * 28)
    a, b = np.r_[0.9, 0.2, np.linspace(0, 0.8, 28)], np.r_[0.5, 0.6, np.linspace(1, 0.3, 28)]
    each = [Predictions(truth, scores=p, row=np.arange(30), positive=1, scores_are="scores", threshold=0.5) for p in (a, b)]
    found = compare(*each, measure="auc")
    assert found.verdict == "undecided"
    assert (found.interval.low, found.interval.high) == (-1.0, 1.0)
    assert found.worse + found.same + found.better == pytest.approx(1)


@pytest.mark.parametrize("measure", ["brier", "log_loss"])
def test_mean_losses_are_a_paired_t(measure):
    a, b = sets()
    truth = np.asarray(a.source.columns["truth"])
    loss = {
        "brier": lambda p: ((p - np.eye(3)[truth]) ** 2).sum(axis=1),
        "log_loss": lambda p: -np.log(p[np.arange(len(p)), truth]),
    }[measure]
    one, other = (loss(np.asarray(each.source.columns["scores"])) for each in (a, b))
    theirs = stats.ttest_rel(one, other)
    found = compare(a, b, measure=measure, margin=0.0)
    assert found.difference == pytest.approx((one - other).mean())
    limits = theirs.confidence_interval(0.95)
    assert (found.interval.low, found.interval.high) == pytest.approx((limits.low, limits.high), rel=1e-9)
    assert 2 * min(found.better, found.worse) == pytest.approx(theirs.pvalue, rel=1e-9)


@pytest.mark.slow
def test_numbers_are_compared_by_their_losses():
    rng = np.random.default_rng(0)
    truth = rng.normal(100, 20, 90) + 0.5
    said = truth + rng.normal(0, 5, 90), truth + rng.normal(0, 8, 90)
    a, b = (Predictions(truth, each, row=np.arange(90)) for each in said)
    found = compare(a, b)
    assert found.measure == "mae"
    theirs = stats.ttest_rel(np.abs(truth - said[0]), np.abs(truth - said[1])).confidence_interval(0.95)
    assert (found.interval.low, found.interval.high) == pytest.approx((theirs.low, theirs.high))
    assert found.margin == pytest.approx(0.01 * np.abs(truth - said[1]).mean())
    assert found.verdict == "better"
    for measure in ("mse", "rae", "rse"):
        assert compare(a, b, measure=measure).better > 0.9


@pytest.mark.slow
def test_macro_auc_variance_against_resampling():
    a, b = sets(n=300)
    truth = np.asarray(a.source.columns["truth"])
    p, q = (np.asarray(each.source.columns["scores"]) for each in (a, b))
    found = compare(a, b, measure="auc")
    rng, draws = np.random.default_rng(1), []
    for _ in range(300):
        rows = rng.integers(0, 300, 300)
        one, other = (Predictions(truth[rows], s[rows].argmax(axis=1), s[rows], classes=[0, 1, 2]) for s in (p, q))
        draws.append(adjudge.measure(one, "auc", average="macro") - adjudge.measure(other, "auc", average="macro"))
    assert found.distribution.var**0.5 == pytest.approx(np.std(draws), rel=0.15)


# -- distributions ----------------------------------------------------------------------------------------------------

outcomes = st.lists(st.integers(0, 30), min_size=4, max_size=4)


@pytest.mark.slow
@given(outcomes.filter(any), outcomes.filter(any), st.sampled_from(["accuracy", "balanced_accuracy", "sensitivity", "error"]))
@settings(max_examples=20)
def test_swapping_mirrors(first, second, measure):
    a, b = from_outcomes(first, second)
    one, other = compare(a, b, measure=measure), compare(b, a, measure=measure)
    assert one.difference == pytest.approx(-other.difference)
    assert (one.worse, one.same, one.better) == pytest.approx((other.better, other.same, other.worse), abs=1e-9)
    assert one.interval.low == pytest.approx(-other.interval.high, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("measure", [*COUNTED, *SCORED])
def test_every_measure_is_compared_and_says_how(measure):
    a, b = sets()
    found = compare(a, b, measure=measure)
    values = [adjudge.evaluate(each).estimates[measure].value for each in (a, b)]
    assert found.values == pytest.approx(tuple(values))
    assert found.difference == pytest.approx(values[0] - values[1])
    assert found.interval.low < found.difference < found.interval.high or measure == "ece"
    assert found.worse + found.same + found.better == pytest.approx(1)
    assert found.method
    assert found.cases == 120


@pytest.mark.parametrize("measure", ["accuracy", "balanced_accuracy", "mcc", "f1", "auc", "log_loss"])
def test_names_of_classes_do_not_matter(measure):
    a, b = sets(k=2)
    turned = [
        Predictions(
            np.array(["q", "p"])[np.asarray(each.source.columns["truth"])],
            np.array(["q", "p"])[np.asarray(each.source.columns["predicted"])],
            np.asarray(each.source.columns["scores"]),
            classes=["q", "p"],
            positive="p",
            row=np.arange(120),
        )
        for each in (a, b)
    ]
    one, other = compare(a, b, measure=measure), compare(*turned, measure=measure)
    assert one.difference == pytest.approx(other.difference)
    assert (one.worse, one.same, one.better) == pytest.approx((other.worse, other.same, other.better), abs=1e-9)


@pytest.mark.slow
def test_lower_is_better_where_it_is():
    a, b = sets(strengths=(3.0, 0.5))
    for measure in ("error", "brier", "log_loss", "ece"):
        found = compare(a, b, measure=measure)
        assert found.difference < 0 or measure == "ece"
        assert not found.higher_is_better
    assert compare(a, b, measure="error").better == pytest.approx(compare(a, b).better, abs=1e-9)


@pytest.mark.slow
def test_more_cases_decide():
    few, many = (from_outcomes([18 * s, 6 * s, 2 * s, 10 * s], [20 * s, 5 * s, 3 * s, 9 * s]) for s in (1, 12))
    undecided = compare(*few)
    assert undecided.verdict == "undecided"
    assert compare(*many).verdict == "better"
    assert compare(*many).more_cases is None
    grown = -(-(undecided.cases + undecided.more_cases) // undecided.cases)
    more = from_outcomes([18 * grown, 6 * grown, 2 * grown, 10 * grown], [20 * grown, 5 * grown, 3 * grown, 9 * grown])
    assert compare(*more).better > 0.98  # where the difference is just what it looks like, well beyond the level
    assert compare(*few, assurance=0.5).more_cases < undecided.more_cases < compare(*few, assurance=0.95).more_cases


@pytest.mark.slow
def test_equal_classifiers_become_equivalent():
    a, b = from_outcomes([800, 30, 30, 100], [700, 40, 40, 100])
    found = compare(a, b, margin=0.02)
    assert found.verdict == "equivalent"
    assert found.same > 0.95


@pytest.mark.slow
def test_a_difference_as_large_as_the_margin_is_never_decided():
    a, b = from_outcomes([900, 20, 10, 70])
    found = compare(a, b, margin=0.01)
    assert found.difference == pytest.approx(0.01)
    assert found.verdict == "undecided"
    assert found.more_cases is None or found.more_cases > 1e9


@pytest.mark.slow
def test_cases_in_several_folds_count_once():
    a, b = from_outcomes([30, 9, 2, 14])
    truth, one, other = (np.asarray(p.source.columns[c]) for p, c in ((a, "truth"), (a, "predicted"), (b, "predicted")))
    again = [
        Predictions(np.tile(truth, 10), np.tile(said, 10), row=np.tile(np.arange(55), 10), fold=np.repeat(range(10), 55))
        for said in (one, other)
    ]
    found = compare(*again)
    assert found.cases == 55
    assert found.better == pytest.approx(compare(a, b).better, abs=1e-9)
    assert "A703" in [f.code for f in found.findings]


@pytest.mark.slow
def test_weights_of_one_change_nothing():
    a, b = from_outcomes([30, 9, 2, 14], [25, 3, 6, 5])
    weighted = [
        Predictions(
            *(np.asarray(p.source.columns[c]) for c in ("truth", "predicted")), row=np.arange(94), weight=np.full(94, 2.5)
        )
        for p in (a, b)
    ]
    for measure in ("accuracy", "balanced_accuracy", "mcc"):
        assert compare(*weighted, measure=measure).better == pytest.approx(compare(a, b, measure=measure).better, abs=1e-9)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_digits():
    a, b = sets()
    assert compare(a, b, measure="mcc", rng=3).better == compare(a, b, measure="mcc", rng=3).better
    assert compare(a, b, measure="mcc", rng=3).interval != compare(a, b, measure="mcc", rng=4).interval


def test_files_and_results_that_are_json(write_csv):
    a = write_csv({"id": [1, 2, 3, 4], "truth": list("xyxy"), "predicted": list("xyxx")}, "a.csv")
    b = write_csv({"id": [4, 3, 2, 9], "truth": list("yxyx"), "predicted": list("yyyx")}, "b.csv")
    found = compare(a, b)
    assert found.names == ("a.csv", "b.csv")
    assert found.cases == 3
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["verdict"] == found.verdict
    assert {"A701", "A706"} <= {f.code for f in found.findings}


# -- what is refused -----------------------------------------------------------------------------------------


def test_unpaired_answers_to_paired_data_are_refused():
    a, b = from_outcomes([30, 9, 2, 14], [25, 3, 6, 5])
    with refused("paired", "94 cases"):
        compare(a, b, paired=False)
    rng = np.random.default_rng(0)
    nameless = [Predictions(truth, truth) for truth in [rng.integers(0, 2, 50)] * 2]
    with refused("paired", "50 cases"):
        compare(*nameless, paired=False)
    with pytest.raises(InputError, match="by_position"):
        compare(*nameless)


@pytest.mark.slow
def test_independent_sets_are_compared_on_request():
    rng = np.random.default_rng(0)
    one, other = (
        Predictions(t, np.where(rng.random(200) < p, t, 1 - t))
        for t, p in zip(rng.integers(0, 2, (2, 200)), (0.9, 0.7), strict=True)
    )
    found = compare(one, other, paired=False)
    assert not found.paired
    assert found.verdict == "better"
    assert [f.code for f in found.findings] == ["A707"]
    assert compare(one, other, paired=False, measure="mcc").verdict == "better"
    a, b = sets()
    moved = Predictions(
        *(np.asarray(b.source.columns[c]) for c in ("truth", "predicted", "scores")), classes=[0, 1, 2], row=np.arange(900, 1020)
    )
    for measure in ("auc", "brier", "log_loss", "f1", "precision"):
        assert compare(a, moved, measure=measure, paired=False).difference == pytest.approx(
            compare(a, b, measure=measure).difference
        )


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ({"margin": -0.1}, "margin is the largest difference"),
        ({"margin": "x"}, "margin is the largest difference"),
        ({"margin": math.nan}, "margin is the largest difference"),
        ({"level": 1.5}, "level"),
        ({"measure": "nonsense"}, "nonsense"),
        ({"measure": "mae"}, "does not fit predictions of classes"),
        ({"measure": "auc"}, "needs scores"),
        ({"names": ["x", "x"]}, "different names"),
        ({"names": ["x"]}, "different names"),
        ({"method": "paired-t"}, "compares learners"),
    ],
)
def test_odd_choices_are_refused(how, match):
    a, b = from_outcomes([30, 9, 2, 14], [25, 3, 6, 5])
    with pytest.raises(InputError, match=match):
        compare(a, b, **how)


def test_tables_and_learners_are_sent_where_they_belong():
    table = ConfusionCounts([[5, 1], [2, 6]])
    with pytest.raises(InputError, match="paired=False"):
        compare(table, table)
    with pytest.raises(InputError, match="pass the predictions"):
        compare(table, table, paired=False, measure="auc")
    with pytest.raises(InputError, match="compare_learners"):
        compare(GaussianNB(), GaussianNB())


def test_a_measure_without_a_value_says_why():
    a, b = from_outcomes([5, 0, 0, 3])
    with refused("measure", "has no value to compare"):
        compare(a, b, measure="mcc")


# -- faults that were found by trying ------------------------------------------------------------------------


def test_one_case_is_no_evidence_and_two_are_little():
    one = [{"id": [1], "truth": [1.5], "predicted": [said]} for said in (1.4, 2.4)]
    with pytest.raises(InputError, match="at least two"):
        compare(*one, row="id")
    two = [{"id": [1, 2], "truth": ["a", "b"], "p_a": [p, 1 - p], "p_b": [1 - p, p]} for p in (0.9, 0.8)]
    assert compare(*two, row="id", scores="p_*", measure="brier").verdict == "undecided"


@pytest.mark.slow
def test_errors_with_rejected_answers_are_not_tested_by_who_is_right():
    rng = np.random.default_rng(1)
    truth, hard = np.where(rng.integers(0, 2, 400) == 1, "y", "n"), rng.random(400) < 0.3
    said = np.where(hard, "none", truth), np.where(hard, np.where(truth == "y", "n", "y"), truth)
    found = compare(
        *({"id": np.arange(400), "truth": truth, "predicted": each} for each in said), row="id", rejected="none", measure="error"
    )
    assert found.verdict == "better"
    assert found.p_value is None
    assert "A705" not in [f.code for f in found.findings]


def test_measures_of_scores_say_nothing_of_equal_decisions():
    a, b = sets(k=2)
    same = Predictions(
        *(np.asarray(a.source.columns[c]) for c in ("truth", "predicted")),
        np.asarray(b.source.columns["scores"]),
        classes=[0, 1],
        row=np.arange(120),
    )
    assert not {"A705", "A706"} & {f.code for f in compare(a, same, measure="auc").findings}


def test_rows_left_out_are_not_paired_by_position():
    truth = np.array(["a"] * 100 + ["b"] * 100)
    one, other = truth.astype(object), truth.astype(object)
    one[5], other[95] = None, None
    with refused("row", "position no longer pairs"):
        compare(*({"truth": truth, "predicted": each} for each in (one, other)), by_position=True, missing="drop")


def test_what_does_not_apply_is_refused_and_not_ignored():
    a, b = sets()
    with pytest.raises(InputError, match="Predictions already"):
        compare(a, b, positive=1)
    runs = [adjudge.estimate(GaussianNB(), *CANCER, by="3-fold", random_state=0, progress=False)] * 2
    with pytest.raises(InputError, match="none are read"):
        compare(*runs, positive=1)
    table = ConfusionCounts([[5, 1], [2, 6]])
    with pytest.raises(InputError, match="none are read"):
        compare(table, table, paired=False, row="id")
    with pytest.raises(InputError, match="no class in common"):
        compare(table, ConfusionCounts([[5, 1], [2, 6]], ("u", "v")), paired=False)
    for rng in ("abc", -1):
        with refused("rng", "rng must be"):
            compare(a, b, rng=rng)
    with refused("names", "different names"):
        compare(a, b, names=5)


def test_one_case_of_a_class_has_no_auc_to_compare():
    rng, ids = np.random.default_rng(0), np.arange(50)
    rare = [{"id": ids, "truth": (ids == 0).astype(int), "s": rng.random(50)} for _ in range(2)]
    with pytest.raises(InputError, match="one case only"):
        compare(*rare, row="id", scores="s", measure="auc", positive=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "ids", [np.uint64(2**63) + np.arange(60, dtype="uint64"), 1e17 + np.arange(60) * 16, 1e300 * (1 + np.arange(60))]
)
def test_identities_beyond_whole_numbers(ids):
    truth = np.arange(60) % 2
    found = compare(*({"id": ids, "truth": truth, "predicted": each} for each in (truth, 1 - truth)), row="id")
    assert found.cases == 60


@pytest.mark.slow
def test_answers_from_folds_are_told_whatever_the_folds():
    truth, rows = np.arange(40) % 2, np.arange(40)
    folds = [np.repeat(range(4), 10), np.tile(range(4), 10)]
    for one, other in ((folds[0], folds[1]), (folds[0], None)):
        found = compare(Predictions(truth, truth, row=rows, fold=one), Predictions(truth, 1 - truth, row=rows, fold=other))
        assert "A704" in [f.code for f in found.findings]


@pytest.mark.slow
@pytest.mark.parametrize("sets", [2, 3])
def test_any_number_of_classes_is_compared_without_whole_tables(sets):
    """Draws hold what measures need of a table, and no table of 1,500 x 1,500 cells."""
    rng, k, n = np.random.default_rng(0), 1_500, 300
    truth = rng.integers(0, k, n)
    said = [np.where(rng.random(n) < right, truth, rng.integers(0, k, n)) for right in (0.9, 0.5, 0.4)[:sets]]
    every = [*range(k)]
    found = compare(*(Predictions(truth, each, row=np.arange(n), classes=every) for each in said), measure="mcc")
    best = found.best.name if sets > 2 else "a"
    pair = found.comparisons[best, "b"] if sets > 2 else found
    assert (pair.verdict, pair.cases) == ("better", n)
    assert found.measures.names[0] == best


def test_classes_of_the_other_set_are_named():
    a, b = ({"id": [1, 2, 3], "truth": ["a", "b", last], "predicted": ["a", "b", "a"]} for last in ("a", "zz"))
    with pytest.raises(InputError, match=r"'a' in one .*'zz' in"):
        compare(a, b, row="id")


@pytest.mark.slow
def test_numbers_of_numpy_are_numbers():
    a, b = from_outcomes([30, 9, 2, 14])
    assert compare(a, b, margin=np.float32(0.5)).margin == 0.5
    assert compare(a, b, margin=np.int64(0)).margin == 0
    assert adjudge.error_difference(np.int64(3), 10, 2, 10).d == pytest.approx(0.1)


@pytest.mark.slow
def test_three_are_ranked_and_counts_of_them_too():
    truth = [0, 1, 1, 0, 1] * 12
    many = [{"truth": truth, "predicted": np.roll(truth, shift).tolist(), "row": list(range(60))} for shift in range(3)]
    wanted = adjudge.rank(many).to_dict()
    assert compare(*many).to_dict() == wanted
    counted = compare(adjudge.count_pairs(*many)).to_dict()
    for each in (counted, wanted):  # counts do not keep the names of cases
        each["where_correct"] |= {"column": None, "disagreed": []}
    assert counted == wanted
    with pytest.raises(InputError, match=r"paired=False compares two .*3"):
        compare(*many, paired=False)


# -- learners


def quickly(*args, **how):
    return compare_learners(*args, *CANCER, progress=False, **how)


@pytest.mark.slow
def test_learners_are_compared_by_the_correlated_t_over_one_plan():
    found = quickly(LinearDiscriminantAnalysis(), GaussianNB(), by="3x5-fold", random_state=1)
    plan = adjudge.plan("3x5-fold", *CANCER, random_state=1)
    each = [
        adjudge.estimate(learner, *CANCER, by=plan, random_state=1, progress=False).estimates["accuracy"].folds
        for learner in (LinearDiscriminantAnalysis(), GaussianNB())
    ]
    d = each[0] - each[1]
    theirs = adjudge.correlated_t(d, test_share=plan.test_share, margin=0.01)
    assert found.difference == pytest.approx(d.mean())
    assert (found.worse, found.same, found.better) == pytest.approx((theirs.worse, theirs.same, theirs.better), abs=1e-12)
    tested = adjudge.nadeau_bengio(d, test_share=plan.test_share)
    assert found.p_value == pytest.approx(tested.p_value)
    assert (found.interval.low, found.interval.high) == pytest.approx((tested.interval.low, tested.interval.high))


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["balanced_accuracy", "mcc", "auc", "log_loss", "f1"])
def test_learners_by_other_measures(measure):
    found = quickly(LinearDiscriminantAnalysis(), GaussianNB(), by="10-fold", measure=measure)
    assert found.measure == measure
    assert found.better + found.same > 0.9


@pytest.mark.slow
def test_the_other_tests_and_their_plans():
    a, b = LinearDiscriminantAnalysis(), GaussianNB()
    for method in ("5x2cv-t", "5x2cv-f"):
        found = quickly(a, b, by="5x2-fold", method=method)
        assert 0 < found.p_value < 1
        assert found.type_i_error.mean > 0.06
    with pytest.raises(InputError, match="5x2-fold"):
        quickly(a, b, by="10-fold", method="5x2cv-t")
    held = quickly(a, b, by="holdout")
    assert held.p_value == pytest.approx(adjudge.mcnemar(*(round(v) for v in held.outcomes[1:3])).p_mid)
    assert held.type_i_error.mean == pytest.approx(0.038)
    exact = quickly(a, b, by="holdout", method="mcnemar")
    assert exact.p_value == pytest.approx(adjudge.mcnemar(*(round(v) for v in exact.outcomes[1:3])).p_exact)
    assert quickly(a, b, by="10-fold", method="paired-t").type_i_error.max == pytest.approx(0.153)
    assert quickly(a, b, by="holdout", measure="mcc").p_value is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "match"),
    [
        ({"by": "10x10-fold", "method": "paired-t"}, "in 57% of all comparisons and up to 66%"),
        ({"by": "subsampling-30", "method": "paired-t"}, "in 34% of all comparisons and up to 43%"),
        ({"by": "bootstrap-5"}, "overlapping cases"),
        ({"by": "holdout", "method": "correlated-t"}, "has none to compare"),
        ({"by": "2x2-fold", "method": "mcnemar"}, "tested once"),
        ({"method": "voodoo"}, "method must be one of"),
        ({"by": "3-fold", "measure": "mae"}, "mae"),
        ({"by": "3-fold", "checkpoint": "somewhere"}, "own checkpoint"),
    ],
)
def test_ways_that_mislead_are_refused(how, match):
    X, y = (part[::4] for part in CANCER)
    with pytest.raises(InputError, match=match):
        compare_learners(GaussianNB(), DummyClassifier(), X, y, progress=False, **how)


def test_estimates_by_other_plans_do_not_compare():
    one, other = (adjudge.estimate(GaussianNB(), *CANCER, by="3-fold", random_state=s, progress=False) for s in (0, 1))
    with pytest.raises(InputError, match="by one plan"):
        compare(one, other)
    again = adjudge.estimate(DummyClassifier(), *CANCER, by=one.plan, random_state=0, progress=False)
    found = compare(one, again, names=["bayes", "dummy"])
    assert found.verdict == "better"
    assert found.names == ("bayes", "dummy")
    with pytest.raises(InputError, match="two estimates"):
        compare(one, Predictions([0, 1, 1], [0, 1, 0]))


def test_learners_of_numbers():
    X, y = load_diabetes(return_X_y=True)
    found = compare_learners(LinearRegression(), Ridge(50), X, y, by="5-fold", progress=False)
    assert found.measure == "mae"
    assert found.verdict == "better"
    assert not found.higher_is_better


class Unlucky(GaussianNB):
    """Fails on about half of all folds, always the same ones."""

    def fit(self, X, y):
        if int(X[:, 0].sum() * 1000) % 2:
            msg = "no luck"
            raise RuntimeError(msg)
        return super().fit(X, y)


@pytest.mark.slow
def test_folds_without_an_answer_are_left_out_and_counted():
    found = quickly(Unlucky(), GaussianNB(), by="3x10-fold")
    lost = [f for f in found.findings if f.code == "A708"]
    assert lost
    assert found.difference == 0
    assert found.same == 1


def test_folds_that_all_agree_do_not_make_a_difference_certain():
    X, y = np.zeros((20, 1)), np.array([0] * 12 + [1] * 8)
    learners = (DummyClassifier(strategy="constant", constant=c) for c in (0, 1))
    found = compare_learners(*learners, X, y, by="stratified-2-fold", progress=False)
    assert found.verdict == "undecided"
    assert "A712" in [f.code for f in found.findings]


def test_estimates_of_other_targets_do_not_compare():
    X, y = (part[::4] for part in CANCER)
    plan = adjudge.plan("5-fold", X, y, random_state=0)
    other = np.random.default_rng(0).permutation(y)
    runs = [adjudge.estimate(GaussianNB(), X, target, by=plan, random_state=0, progress=False) for target in (y, other)]
    with pytest.raises(InputError, match="different targets"):
        compare(*runs)


@pytest.mark.slow
def test_plans_nobody_measured_are_told():
    assert "A709" in [f.code for f in quickly(LinearDiscriminantAnalysis(), GaussianNB(), by="3-fold").findings]
    assert "A709" not in [f.code for f in quickly(LinearDiscriminantAnalysis(), GaussianNB(), by="10-fold").findings]
