"""What is said of clusters where classifiers are compared."""

from __future__ import annotations

import numpy as np
import pytest
from tests.clustered_pairs import aligned, answers, scored

import adjudge
from adjudge import InputError, Predictions
from adjudge.counts.joint import count_joint
from adjudge.judgements.compared_clusters import clusters_of_pairs, compared_clusters, of_few_clusters
from adjudge.metrics import on_counts
from adjudge.predictions.alignment import side_by_side
from adjudge.stats.clustered import ClusterEffect
from adjudge.verbs.compared_sets import judge_pair

CLUSTER, TRUTH, A, B = answers(np.random.default_rng(8), [25] * 40)
P_A, P_B = (scored(np.random.default_rng(seed), CLUSTER, TRUTH) for seed in (1, 2))


def test_worth_and_few_clusters():
    effect = ClusterEffect(4.0, 7, 8)
    found = compared_clusters(np.array([5, 3, 2, 2, 2, 2, 2, 2]), "patient", effect, 20.0, 0.95)
    assert (found.clusters, found.rows, found.largest, found.effective_cases) == (8, 20, 5, 20 * effect.share(0.95))
    assert found.effective_cases < 5
    (finding,) = of_few_clusters(found)
    assert (finding.code, finding.value) == ("A621", 8)
    assert "column 'patient'" in str(finding.message)
    assert compared_clusters(np.array([1]), None, None, 1.0, 0.95) is None
    assert list(of_few_clusters(None)) == []
    assert clusters_of_pairs([None]) is None
    two = compared_clusters(np.array([10, 10]), None, ClusterEffect(2.0, 1, 2), 20.0, 0.95)
    assert clusters_of_pairs([found, two]).design_effect == 3.0


def test_a_comparison_names_its_clusters():
    found = adjudge.compare(TRUTH, A, B, cluster=CLUSTER)
    plain = adjudge.compare(TRUTH, A, B)
    assert found.to_dict()["clusters"]["clusters"] == 40
    assert "clusters" not in plain.to_dict()
    assert "1,000 rows of 40 clusters (column 'cluster') are worth" in found.in_words().replace("\n", " ")
    assert "design effect" in found.in_words().replace("\n", " ")
    assert "Obuchowski 1998" in found.in_words()
    assert np.ptp([found.interval.low, found.interval.high]) > 1.3 * np.ptp([plain.interval.low, plain.interval.high])
    assert found.values == plain.values
    assert found.outcomes == plain.outcomes
    assert found.type_i_error is None  # which was measured on independent rows
    assert "Obuchowski 1997" in found.to_html()


def test_a_row_a_cluster_says_what_independent_rows_do():
    told, plain = (adjudge.compare(TRUTH, A, B, **more).to_dict() for more in ({"cluster": np.arange(TRUTH.size)}, {}))
    assert told.pop("clusters")["design_effect"] == 1
    assert told == plain


def test_few_clusters_raise_a_finding_and_decide_little():
    cluster, truth, a, b = answers(np.random.default_rng(3), [100] * 5)
    for said, clusters in (((a, b), cluster), ((truth, 1 - truth), np.zeros(truth.size, dtype=int))):
        cases = aligned(truth, *said, cluster=clusters)
        found = judge_pair(cases, on_counts.ACCURACY, 0, 1, joint=count_joint(cases))
        assert "A621" in [finding.code for finding in found.findings]
        assert found.verdict == "undecided"


@pytest.mark.slow
def test_scores_and_losses_have_clusters_too():
    for measure in ("auc", "brier", "ece"):
        found = adjudge.compare(TRUTH, P_A, P_B, cluster=CLUSTER, measure=measure)
        assert found.clusters.clusters == 40
        assert found.clusters.effective_cases < 1_000 / found.clusters.design_effect  # which 40 clusters hardly know
        low, high = found.interval.low, found.interval.high
        plain = adjudge.compare(TRUTH, P_A, P_B, measure=measure).interval
        wider = ((high - low) / (plain.high - plain.low)) ** 2
        # ends of 1,000 draws are known to 8.5% of a standard deviation each, squared ratios of two such widths to 8.6%
        assert 1_000 / found.clusters.effective_cases == pytest.approx(wider, rel=3 * 0.086 if measure == "ece" else 0.1), measure
        assert "cluster" in found.method


@pytest.mark.slow
def test_a_ranking_has_the_clusters_of_its_pairs():
    c = answers(np.random.default_rng(8), [25] * 40, correct=(0.8, 0.6))[3]
    found, plain = (adjudge.rank(TRUTH, A, B, c, **more) for more in ({"cluster": CLUSTER}, {}))
    assert found.to_dict()["clusters"]["clusters"] == 40
    assert "clusters" not in plain.to_dict()
    assert found.clusters.design_effect > 1
    assert "40 clusters" in found.in_words()
    for one, other in zip(found.rows, plain.rows, strict=True):
        assert one.interval.high - one.interval.low > other.interval.high - other.interval.low
    scores = adjudge.rank({"a": P_A, "b": P_B, "c": P_A / 2 + P_B / 2}, TRUTH, cluster=CLUSTER, measure="auc")
    assert scores.clusters.clusters == 40


def test_either_set_may_name_the_clusters_but_both_must_agree():
    rows = np.arange(TRUTH.size)
    named = Predictions(TRUTH, A, row=rows, cluster=[f"p{c}" for c in CLUSTER])
    order = np.random.default_rng(0).permutation(TRUTH.size)
    alone = Predictions(TRUTH[order], B[order], row=rows[order])
    both = [side_by_side(pair, ["a", "b"]) for pair in ((named, alone), (alone, named))]
    found = [judge_pair(cases, on_counts.ACCURACY, 0, 1, joint=count_joint(cases)) for cases in both]
    assert found[0].clusters == found[1].clusters
    assert found[0].interval.high == pytest.approx(-found[1].interval.low)
    moved = Predictions(TRUTH, B, row=rows, cluster=[f"p{c}" for c in np.roll(CLUSTER, 1)])
    with pytest.raises(
        InputError, match=r"put 40 cases of 1,000 in different clusters.*the first is of 'p0' in one and of 'p39'"
    ):
        side_by_side([named, moved], ["a", "b"])


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["accuracy", "mcc", "auc", "brier"])
def test_each_of_two_sets_of_different_cases_has_its_own_clusters(measure):
    cluster, truth, _, b = answers(np.random.default_rng(9), [20] * 30)
    sides = [(TRUTH, A, P_A, CLUSTER), (truth, b, scored(np.random.default_rng(4), cluster, truth), cluster)]

    def compared(*named):
        sets = [
            Predictions(y, said, p, positive=1, cluster=own if each else None)
            for (y, said, p, own), each in zip(sides, named, strict=True)
        ]
        return adjudge.compare(*sets, paired=False, measure=measure)

    both, one, none = compared(True, True), compared(True, False), compared(False, False)
    widths = [each.interval.high - each.interval.low for each in (both, one, none)]
    assert widths[0] > widths[1] > widths[2]
    assert none.clusters is None
    assert (both.clusters.clusters, both.clusters.rows, one.clusters.clusters) == (70, 1_600, 640)


def test_a_gate_against_a_baseline_heeds_clusters():
    rows = np.arange(TRUTH.size)
    new, old = Predictions(TRUTH, A, row=rows, cluster=CLUSTER), Predictions(TRUTH, B, row=rows)
    found = adjudge.gate(new, against=old, margin=0.05)
    plain = adjudge.gate(Predictions(TRUTH, A, row=rows), against=old, margin=0.05)
    assert found.rules[0].low < plain.rules[0].low - 0.01
    assert found.comparison.clusters.clusters == 40
    assert "are worth" in found.in_words()
    assert "are worth" not in plain.in_words()


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["mae", "rmse"])
def test_numbers_have_clusters_too(measure):
    rng, rows = np.random.default_rng(6), np.arange(TRUTH.size)
    truth = rng.normal(size=TRUTH.size)
    said = [truth + 0.6 * rng.normal(size=40)[CLUSTER] + 0.8 * rng.normal(size=TRUTH.size) for _ in range(2)]
    found, plain = (
        adjudge.compare(*(Predictions(truth, each, row=rows, **more) for each in said), measure=measure)
        for more in ({"cluster": CLUSTER}, {})
    )
    assert found.clusters.clusters == 40
    assert found.interval.high - found.interval.low > 1.2 * (plain.interval.high - plain.interval.low)
    gap = Predictions(truth, said[0], row=rows, cluster=[None, *CLUSTER[1:]])
    with pytest.raises(InputError, match="column 'cluster' has 1 missing"):
        adjudge.compare(gap, Predictions(truth, said[1], row=rows))
