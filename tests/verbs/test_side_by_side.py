"""What a comparison reads beside what it needs: scores, or decisions, once more, and no more of them than is cheap."""

import numpy as np
import pytest
from tests.compared_sets import probabilities, truth_of, two_classes

import adjudge
from adjudge.verbs import side_by_side


def with_a_gap(**how):
    truth = truth_of(100, 2)
    p, gaps = (probabilities(truth, 2, 1.0, seed)[:, 1] for seed in (1, 2))
    said = [(each > 0.5) * 1 for each in (p, gaps)]
    gaps[5] = np.nan
    each = zip(said, (p, gaps), strict=True)
    return [adjudge.Predictions(truth, own, scores, positive=1, row=np.arange(100), **how) for own, scores in each]


def test_scores_that_are_too_many_are_not_read(monkeypatch):
    monkeypatch.setattr(side_by_side, "MOST_SCORES", 100)
    table = adjudge.compare(*two_classes()).measures
    assert "auc" not in table
    assert table.notes == ('So many scores were not read; compare by one of their measures: measure="auc".',)
    assert "auc" in adjudge.compare(*two_classes(), measure="auc").measures


def test_scores_that_cannot_be_read_do_not_stop_a_comparison_of_decisions():
    comparison = adjudge.compare(*with_a_gap())
    assert "auc" not in comparison.measures
    assert comparison.measures.notes[0].startswith("Scores were left out: ")
    assert comparison.overlaid is None
    with pytest.raises(adjudge.AdjudgeError):
        adjudge.compare(*with_a_gap(), measure="auc")


def test_rows_without_a_score_count_as_comparing_by_each_measure_counts_them():
    sets = with_a_gap(missing_scores="drop")
    table = adjudge.compare(*sets).measures
    for name in ("accuracy", "mcc", "auc", "brier"):
        alone = adjudge.compare(*sets, measure=name)
        assert (table[name].values, table[name].differences[0].value) == (alone.values, alone.difference), name


def test_scores_that_only_rank_have_no_decisions():
    truth = truth_of(100, 2)
    each = (5 * probabilities(truth, 2, 1.0, seed)[:, 1] for seed in (1, 2))
    sets = [adjudge.Predictions(truth, scores=scores, positive=1, row=np.arange(100)) for scores in each]
    comparison = adjudge.compare(*sets, measure="auc")
    assert comparison.where_correct is None
    assert [row.measure for row in comparison.measures.rows][:2] == ["auc", "average_precision"]


def test_different_cases_have_no_table():
    truth = truth_of(60, 2)
    a, b = (adjudge.Predictions(truth[part], 1 - truth[part], row=part) for part in (np.arange(30), np.arange(30, 60)))
    assert adjudge.compare(a, b, paired=False).measures is None


def test_classes_that_only_scores_speak_of_do_not_change_what_decisions_say():
    truth = truth_of(100, 2)
    p = [probabilities(truth, 3, 1.0, seed) for seed in (1, 2)]
    said = [each[:, :2].argmax(axis=1) for each in p]
    scored = [adjudge.Predictions(truth, s, q, classes=[0, 1, 2], row=np.arange(100)) for s, q in zip(said, p, strict=True)]
    bare = [adjudge.Predictions(truth, s, classes=[0, 1, 2], row=np.arange(100)) for s in said]
    one, two = (adjudge.compare(*sets).measures for sets in (scored, bare))
    for name in ("accuracy", "mcc", "f1"):
        assert one[name].to_dict() == two[name].to_dict()
