"""What clusters do to differences: against the jackknife that leaves clusters out, formulas written out, and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score
from tests.clustered_pairs import aligned, answers, deleted, scored

from adjudge import InputError
from adjudge.counts.joint import JointCounts, count_joint
from adjudge.counts.joint_clusters import cluster_patterns
from adjudge.estimates.clustered_pairs import effect_among, effective_joint, obuchowski
from adjudge.estimates.differences import independent_difference, paired_difference
from adjudge.estimates.score_differences import score_difference
from adjudge.judgements.comparison import three_numbers
from adjudge.metrics import on_counts, on_scores
from adjudge.metrics.catalogue import find

SIZES = [12, 8, 10, 20] * 20
CLUSTER, TRUTH, A, B = answers(np.random.default_rng(8), SIZES, icc=0.5)
JOINT = count_joint(aligned(TRUTH, A, B, cluster=CLUSTER))
P_A, P_B = (scored(np.random.default_rng(seed), CLUSTER, TRUTH) for seed in (1, 2))


def accuracy(truth, said):
    return float((truth == said).mean())


def table(truth, said):
    """Return true and false negatives and positives."""
    return np.bincount(2 * truth + said, minlength=4).reshape(2, 2)


def f1(truth, said, at=1):
    cells = table(truth, said)
    return 2 * cells[at, at] / (cells[at].sum() + cells[:, at].sum())


def recall(truth, said, at=1):
    return table(truth, said)[at, at] / (truth == at).sum()


def mcc(truth, said):
    return np.corrcoef(truth, said)[0, 1]


@pytest.mark.parametrize(
    ("name", "value", "positive"),
    [
        ("accuracy", accuracy, None),
        ("error", lambda truth, said: -accuracy(truth, said), None),
        ("balanced_accuracy", lambda *of: (recall(*of) + recall(*of, at=0)) / 2, None),
        ("mcc", mcc, None),
        ("f1", f1, 1),
        ("f1", lambda *of: (f1(*of) + f1(*of, at=0)) / 2, None),
        ("sensitivity", recall, 1),
    ],
)
def test_the_spread_of_a_measure_of_the_table_is_that_of_clusters_left_out(name, value, positive):
    expected = deleted(lambda rows: value(TRUTH[rows], A[rows]) - value(TRUTH[rows], B[rows]), CLUSTER)
    alone = deleted(lambda rows: value(TRUTH[rows], A[rows]) - value(TRUTH[rows], B[rows]), np.arange(TRUTH.size))
    at = None if positive is None else JOINT.classes.index(positive)
    effect = effect_among(JOINT, find(name), [0, 1], positive=at)
    assert effect.design_effect == pytest.approx(expected / alone, rel=0.06)
    assert effect.clusters == len(SIZES)


@pytest.mark.parametrize("name", ["auc", "brier", "log_loss"])
def test_the_spread_of_a_measure_of_scores_is_that_of_clusters_left_out(name):
    of = {"auc": roc_auc_score, "brier": brier_score_loss, "log_loss": log_loss}[name]
    expected = deleted(lambda rows: of(TRUTH[rows], P_A[rows]) - of(TRUTH[rows], P_B[rows]), CLUSTER)
    cases = aligned(TRUTH, A, B, cluster=CLUSTER, scores=[P_A, P_B], positive=1)
    found = score_difference(cases, find(name), 0, 1)
    assert found.value == pytest.approx(of(TRUTH, P_A) - of(TRUTH, P_B))
    low, high = found.distribution.interval(0.95)
    scale = (high - low) / 2 / stats.t(found.effect.degrees).ppf(0.975)
    assert scale**2 == pytest.approx(expected, rel=0.08)


@pytest.mark.slow
def test_a_measure_that_is_drawn_draws_clusters():
    cases = aligned(TRUTH, A, B, cluster=CLUSTER, scores=[P_A, P_B], positive=1)
    found = score_difference(cases, on_scores.AVERAGE_PRECISION, 0, 1)
    assert "clusters" in found.method
    of = average_precision_score
    expected, alone = (
        deleted(lambda rows: of(TRUTH[rows], P_A[rows]) - of(TRUTH[rows], P_B[rows]), part)
        for part in (CLUSTER, np.arange(TRUTH.size) // 2)  # the latter of rows, nearly
    )
    assert found.effect.design_effect == pytest.approx(expected / alone, rel=0.25)
    wider = stats.t(len(SIZES) - 1).ppf(0.975) / stats.norm.ppf(0.975)
    assert found.distribution.draws.std() == pytest.approx(np.sqrt(expected) * wider, rel=0.1)
    one = aligned(TRUTH, A, B, cluster=np.zeros(TRUTH.size, dtype=int), scores=[P_A, P_B], positive=1)
    with pytest.raises(InputError, match="at least two"):
        score_difference(one, on_scores.AVERAGE_PRECISION, 0, 1)


def test_differences_of_several_are_those_of_their_pairs():
    """The sum over all pairs of the variances of their differences, over that of independent rows."""
    c = answers(np.random.default_rng(9), SIZES, icc=0.5)[2]
    joint = count_joint(aligned(TRUTH, A, B, c, cluster=CLUSTER))
    right = np.stack([each == TRUTH for each in (A, B, c)]).astype(float)
    each = right - right.mean(axis=1, keepdims=True)
    sums = np.stack([np.bincount(CLUSTER, row) for row in each])
    pairs = [(0, 1), (0, 2), (1, 2)]
    ratio = sum(((sums[i] - sums[j]) ** 2).sum() for i, j in pairs) / sum(((each[i] - each[j]) ** 2).sum() for i, j in pairs)
    assert effect_among(joint, on_counts.ACCURACY, positive=None).design_effect == pytest.approx(ratio, rel=0.03)


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "f1"])
def test_names_of_clusters_and_of_classes_are_nothing_but_names(name):
    measure, names = find(name), np.random.default_rng(4).permutation(len(SIZES))
    found = paired_difference(JOINT, measure, 0, 1, positive=None)
    renamed = count_joint(aligned(TRUTH, A, B, cluster=[f"patient {i}" for i in names[CLUSTER]]))
    turned = count_joint(aligned(1 - TRUTH, 1 - A, 1 - B, cluster=CLUSTER))
    for joint in (renamed, turned):
        other = paired_difference(joint, measure, 0, 1, positive=None)
        assert other.distribution.interval(0.95) == pytest.approx(found.distribution.interval(0.95), abs=1e-9)
    back = paired_difference(JOINT, measure, 1, 0, positive=None).distribution.interval(0.95)
    assert (-back[1], -back[0]) == pytest.approx(found.distribution.interval(0.95), abs=1e-9)


@pytest.mark.parametrize("name", ["accuracy", "mcc"])
def test_a_row_a_cluster_is_as_independent_rows_are(name):
    single = count_joint(aligned(TRUTH, A, B, cluster=np.arange(TRUTH.size)))
    plain = count_joint(aligned(TRUTH, A, B))
    found, expected = (paired_difference(joint, find(name), 0, 1, positive=None) for joint in (single, plain))
    assert found.distribution.interval(0.95) == expected.distribution.interval(0.95)
    assert (found.method, found.effect.design_effect) == (expected.method, 1.0)
    # and one row less is not a leap
    nearly = np.arange(TRUTH.size)
    nearly[1] = 0
    almost = paired_difference(count_joint(aligned(TRUTH, A, B, cluster=nearly)), find(name), 0, 1, positive=None)
    width, other = (np.ptp(each.distribution.interval(0.95)) for each in (almost, expected))
    assert width == pytest.approx(other, rel=0.02)


def test_scores_of_a_row_a_cluster_are_as_independent_rows_are():
    for name in ("auc", "brier", "average_precision"):
        both = [
            score_difference(aligned(TRUTH, A, B, cluster=c, scores=[P_A, P_B], positive=1), find(name), 0, 1)
            for c in (None, np.arange(TRUTH.size))
        ]
        plain, single = (each.distribution.interval(0.95) for each in both)
        assert single == pytest.approx(plain, rel=1e-12)  # cases of clusters are summed in another order


def test_answers_that_never_differ_are_worth_a_case_a_cluster_and_few_that_do_what_the_answers_are():
    joint = count_joint(aligned(TRUTH, A, A, cluster=CLUSTER))
    effect = effect_among(joint, on_counts.ACCURACY, [0, 1], positive=None)
    sizes = np.bincount(CLUSTER)
    assert effect.design_effect == pytest.approx((sizes**2).sum() / TRUTH.size)  # as where no error was seen
    one = A.copy()
    one[0] = 1 - one[0]
    few = effect_among(count_joint(aligned(TRUTH, A, one, cluster=CLUSTER)), on_counts.ACCURACY, [0, 1], positive=None)
    sums = np.bincount(CLUSTER, (A == TRUTH) - accuracy(TRUTH, A))
    share = accuracy(TRUTH, A)
    assert few.design_effect >= (sums**2).sum() / (TRUTH.size * share * (1 - share)) * 0.94
    assert obuchowski(joint, 0, 1, effect.degrees) == 1.0
    found = score_difference(aligned(TRUTH, A, A, cluster=CLUSTER, scores=[P_A, P_A], positive=1), on_scores.AUC, 0, 1)
    assert found.distribution.interval(0.95)[0] < 0 < found.distribution.interval(0.95)[1]


def test_one_cluster_is_one_case():
    joint = count_joint(aligned(TRUTH, TRUTH, 1 - TRUTH, cluster=np.zeros(TRUTH.size, dtype=int)))
    found = paired_difference(joint, on_counts.ACCURACY, 0, 1, positive=None)
    assert found.effect.design_effect == pytest.approx(TRUTH.size)
    assert max(three_numbers(found.distribution, 0.01, higher_is_better=True)) < 0.95


def test_a_giant_cluster_beside_small_ones_has_the_say_it_has():
    sizes = [600, *[3] * 30]
    cluster, truth, a, b = answers(np.random.default_rng(2), sizes, icc=0.5)
    joint = count_joint(aligned(truth, a, b, cluster=cluster))
    found = paired_difference(joint, on_counts.ACCURACY, 0, 1, positive=None)
    alone = paired_difference(count_joint(aligned(truth, a, b)), on_counts.ACCURACY, 0, 1, positive=None)
    assert np.ptp(found.distribution.interval(0.95)) > np.ptp(alone.distribution.interval(0.95))


def test_mcnemar_by_clusters_is_obuchowskis():
    each = np.bincount(CLUSTER, (A == TRUTH).astype(float) - (B == TRUTH))
    many = each.size
    squared = each.sum() ** 2 / (many / (many - 1) * (each**2).sum())  # Obuchowski (1998), under no difference
    assert obuchowski(JOINT, 0, 1, many - 1) == pytest.approx(stats.f(1, many - 1).sf(squared), rel=1e-9)


def test_effective_patterns_are_worth_their_share():
    effect = effect_among(JOINT, on_counts.ACCURACY, [0, 1], positive=None)
    worthy = effective_joint(JOINT, effect, 0.95)
    assert worthy.worth.sum() == pytest.approx(TRUTH.size * effect.share(0.95))
    assert np.array_equal(worthy.confusion(0).cells, JOINT.confusion(0).cells)
    assert effective_joint(count_joint(aligned(TRUTH, A, B)), None, 0.95).squares is None


def test_different_cases_are_worth_what_the_clusters_of_each_side_are():
    """The variances of both shares of correct answers by their own clusters, added up."""
    other = answers(np.random.default_rng(11), [30] * 25, icc=0.6)
    sides = [(CLUSTER, TRUTH, A), (other[0], other[1], other[2])]
    tables = [count_joint(aligned(truth, said, said, cluster=cluster)).confusion(0) for cluster, truth, said in sides]
    found = independent_difference(*tables, on_counts.ACCURACY, positive=None)
    clustered = sum(deleted(lambda rows, y=y, a=a: accuracy(y[rows], a[rows]), cluster) for cluster, y, a in sides)
    low, high = found.distribution.interval(0.95)
    assert (high - low) / 2 / stats.t(24).ppf(0.975) == pytest.approx(np.sqrt(clustered), rel=0.06)
    assert found.effect.clusters == len(SIZES) + 25
    assert "effective cases" in found.method
    singles = [count_joint(aligned(y, a, a, cluster=np.arange(y.size))).confusion(0) for _, y, a in sides]
    alone = independent_difference(*singles, on_counts.ACCURACY, positive=None)
    assert high - low > 1.3 * np.ptp(alone.distribution.interval(0.95))


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "correct"), [([25] * 40, 0.8), ([5, 20, 80] * 5, 0.9)])
def test_equally_good_classifiers_get_a_verdict_as_seldom_as_the_level_says(sizes, correct):
    rng, verdicts, held, plain = np.random.default_rng(17), 0, 0, 0
    for _ in range(200):
        cluster, truth, a, b = answers(rng, sizes, correct=(correct, correct))
        codes = truth * 4 + a * 2 + b
        joint = _joint(codes, cluster)
        for each in (joint, _joint(codes, np.arange(codes.size))):
            found = paired_difference(each, on_counts.ACCURACY, 0, 1, positive=None).distribution
            worse, _, better = three_numbers(found, 0.01, higher_is_better=True)
            if each is joint:
                low, high = found.interval(0.95)
                held, verdicts = held + (low <= 0 <= high), verdicts + (max(worse, better) >= 0.95)
            else:
                plain += max(worse, better) >= 0.95
    assert verdicts / 200 <= 0.10 < plain / 200
    assert 0.915 <= held / 200 <= 1


def _joint(codes, cluster):
    """Return the counted patterns of codes of truth and two answers."""
    distinct, where, n = np.unique(codes, return_inverse=True, return_counts=True)
    keys, place = np.unique(cluster, return_inverse=True)
    said = np.stack([distinct // 2 % 2, distinct % 2], axis=1)
    return JointCounts((0, 1), ("a", "b"), distinct // 4, said, n, clusters=cluster_patterns(keys, place, where, None, None))
