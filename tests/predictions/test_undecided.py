"""Scores without decisions rank cases: AUC, average precision, curves and thresholds; what needs decisions says what to pass."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from sklearn.metrics import average_precision_score, roc_auc_score
from tests.described import facts, mentions
from tests.engines import HERE, frame_of
from tests.sparing import some

import adjudge
from adjudge import InputError, Predictions, evaluate, interval, measure, thresholds
from adjudge.cli import main

N = 200
RNG = np.random.default_rng(5)
TRUTH = (RNG.random(N) < 0.3).astype(int)
SCORE = (TRUTH * 1.5 + RNG.normal(0, 1.2, N)).round(2)
TABLE = {"truth": TRUTH, "score": SCORE}
AUC, PRECISION = roc_auc_score(TRUTH, SCORE), average_precision_score(TRUTH, SCORE)
NEED = r"rank cases .* and decide none\. Pass predicted=, or with threshold="


def run(*arguments):
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("source", [TABLE, Predictions(TRUTH, scores=SCORE)], ids=["columns", "arrays"])
def test_measures_of_ranks_are_answered_and_those_of_decisions_say_what_to_pass(source):
    assert measure(source, "auc") == pytest.approx(AUC, abs=1e-14)
    assert measure(source, "average_precision") == pytest.approx(PRECISION, abs=1e-14)
    decided = evaluate(Predictions(TRUTH, (SCORE > 0).astype(int), SCORE))
    for name in ("auc", "average_precision"):
        limits, expected = interval(source, name), decided.estimates[name].interval
        assert (limits.low, limits.high) == (expected.low, expected.high)
    for name in ("accuracy", "f1"):
        with pytest.raises(InputError, match=NEED):
            measure(source, name)
        with pytest.raises(InputError, match=NEED):
            interval(source, name)


@pytest.mark.slow
def test_an_evaluation_holds_what_needs_no_decisions():
    found, decided = evaluate(TABLE), evaluate(Predictions(TRUTH, (SCORE > 0).astype(int), SCORE))
    assert list(found.estimates) == ["auc", "average_precision"]
    assert found.estimates["auc"].value == decided.estimates["auc"].value
    assert np.array_equal(found.curves["roc"][1].y, decided.curves["roc"][1].y)
    assert found.counts is None
    assert found.undecided.support.tolist() == np.bincount(TRUTH).tolist()
    assert {f.code for f in found.findings} == {"A112"}
    assert found.facts.decisions.startswith("none")
    words = " ".join(found.in_words().split())
    assert f"AUC {AUC:.3f} (class 1" in words
    assert "Pass threshold=" in words
    assert "ccuracy 0" not in words
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["counts"] is None
    page = found.to_html()
    assert "no decisions" in page
    assert "ROC" in page
    assert "numeric predictions" not in page
    assert found._repr_html_()


@pytest.mark.slow
def test_thresholds_are_those_of_the_same_scores_with_decisions():
    asked = {"miss_cost": 5.0, "prevalence": 0.1}
    one = thresholds(TABLE).least_cost(**asked)
    other = thresholds(Predictions(TRUTH, (SCORE > 0).astype(int), SCORE)).least_cost(**asked)
    assert (one.threshold, one.found, one.alarms) == (other.threshold, other.found, other.alarms)
    assert thresholds(TABLE).to_html()
    assert evaluate(TABLE, threshold=0.5).estimates["accuracy"].value == np.mean((SCORE >= 0.5) == TRUTH)


@pytest.mark.slow
def test_every_command_answers_or_says_what_to_pass(write_csv, tmp_path):
    path = write_csv(TABLE)
    code, out, _ = run("evaluate", path)
    assert code == 0
    assert out.startswith(f"AUC {AUC:.3f} (class 1")
    assert run("evaluate", path, "--measure", "auc")[1].startswith(f"auc {AUC:.6g}")
    code, _, err = run("evaluate", path, "--measure", "accuracy")
    assert (code, mentions(err, "without decisions", "--threshold or --predicted")) == (2, True)
    assert run("report", path, "-o", tmp_path / "x.html")[0] == 0
    assert run("threshold", path, "--threshold", "0.5")[0] == 0
    assert run("gate", path, "--require", "auc >= 0.6")[0] == 0
    assert "pass --threshold or --predicted" in run("gate", path, "--require", "accuracy >= 0.6")[2]
    for command in (("compare", path), ("partition",), ("correct", "recommend")):
        code, _, err = run(*command, path)
        assert (code, "--threshold" in err) == (2, True), command
    assert run("count", path, "-o", tmp_path / "x.counts")[0] == 0
    assert run("evaluate", tmp_path / "x.counts")[1].startswith(f"AUC {AUC:.3f} (class 1")


def test_counts_of_undecided_parts_add_up_among_themselves():
    halves = [{name: column[part] for name, column in TABLE.items()} for part in (slice(0, 100), slice(100, N))]
    whole = adjudge.count(halves[0]) + adjudge.count(halves[1])
    assert evaluate(whole).estimates["auc"].value == pytest.approx(AUC, abs=1e-14)
    with pytest.raises(InputError, match=r"One part .*decisions, another none"):
        adjudge.count(halves[0]) + adjudge.count(halves[1], threshold=0.0)


@pytest.mark.parametrize("engine", some(HERE, 2))
def test_engines_rank_alike(engine, monkeypatch):
    monkeypatch.setattr("adjudge.predictions.engines.MOST_FETCHED", 10)
    monkeypatch.setattr("adjudge.counts.distributed.EXACT", 0)
    found = evaluate(frame_of(engine, pa.table(TABLE)))
    assert found.estimates["auc"].value == pytest.approx(AUC, abs=1e-12)
    assert found.undecided.support.tolist() == np.bincount(TRUTH).tolist()


def test_one_class_and_weights_and_wrong_order():
    assert "both classes" in evaluate({"truth": np.ones(N, int), "score": SCORE}).estimates["auc"].reason
    weight = RNG.integers(1, 4, N)
    weighted = evaluate(TABLE | {"weight": weight})
    assert weighted.estimates["auc"].value == pytest.approx(roc_auc_score(TRUTH, SCORE, sample_weight=weight), abs=1e-12)
    assert "wrong way round" in " ".join(evaluate({"truth": 1 - TRUTH, "score": SCORE}).in_words().split())


# -- no positive class ---------------------------------------------------------------------------------------

NAMES = np.array(["well", "ill"])
P = 1 / (1 + np.exp(-SCORE + 0.7))
BLOCK = {"truth": NAMES[TRUTH], "p_ill": P, "p_well": 1 - P}


@pytest.mark.slow
def test_without_a_positive_class_one_sentence_says_so_and_all_ranks_speak_of_the_rarer_class(write_csv):
    for found in (evaluate(BLOCK), evaluate(write_csv(BLOCK))):
        (finding,) = [f for f in found.findings if f.code == "A111"]
        assert facts(finding.message) == ["'ill'", "'well'", "'ill'"]
        assert mentions(finding.message, "sensitivity", "precision", "F1", "AUC", "thresholds", "rarer")
        assert finding.advice.startswith('Name it with positive="ill"')
        assert finding.message in " ".join(found.in_words().split())
        assert found.estimates["auc"].of == found.estimates["average_precision"].of == found.thresholds.of == "ill"
        assert found.estimates["average_precision"].value == pytest.approx(average_precision_score(TRUTH, P), abs=1e-12)
        assert found.estimates["sensitivity"].average == "macro"
    assert measure(BLOCK, "auc") == found.estimates["auc"].value
    assert interval(BLOCK, "auc").low == found.estimates["auc"].interval.low


@pytest.mark.slow
def test_a_named_positive_class_settles_it(write_csv):
    code, out, _ = run("evaluate", write_csv(BLOCK), "--positive", "ill")
    assert code == 0
    assert "A111" not in out
    assert "Sensitivity (recall), class 'ill'" in out
    assert "A111" not in {f.code for f in evaluate({"truth": TRUTH, "p_0": 1 - P, "p_1": P}).findings}


@pytest.mark.slow
def test_equal_classes_and_decisions_alone():
    even = {"truth": ["a", "b"] * 20, "predicted": ["a", "b", "b", "b"] * 10}
    (finding,) = [f for f in evaluate(even).findings if f.code == "A111"]
    assert facts(finding.message) == ["'a'", "'b'"]
    assert "AUC" not in finding.message
    ranked = evaluate(even | {"p_a": [0.6, 0.2] * 20, "p_b": [0.4, 0.8] * 20})
    assert ranked.estimates["auc"].of == ranked.thresholds.of == "b"
    assert not [f for f in evaluate({"truth": list("abc") * 9, "predicted": list("abb") * 9}).findings if f.code == "A111"]


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["auc", "average_precision"])
@pytest.mark.parametrize("paired", [True, False])
def test_scores_that_decide_nothing_are_compared_by_their_ranking(measure, paired):
    """As with decisions, which the ranking does not hang on."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 120)
    each = [{"y": truth, "score": rng.normal(d * truth, 1.0), "id": np.arange(120) + (0 if paired else 500 * d)} for d in (2, 1)]
    how = {"measure": measure, "row": "id", "positive": 1, "paired": paired}
    bare, decided = adjudge.compare(*each, **how), adjudge.compare(*each, threshold=0.5, **how)
    assert bare.difference == pytest.approx(decided.difference, abs=1e-12)
    assert (bare.interval.low, bare.interval.high) == pytest.approx((decided.interval.low, decided.interval.high), abs=1e-12)
    assert bare.verdict == decided.verdict
    for refused in ("accuracy", "brier"):
        with pytest.raises(adjudge.InputError, match="decide none"):
            adjudge.compare(*each, **how | {"measure": refused})


@pytest.mark.slow
def test_scores_that_decide_nothing_are_ranked_and_reported():
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 2, 120)
    each = {
        name: {"y": truth, "score": rng.normal(d * truth, 1.0), "id": np.arange(120)}
        for name, d in (("a", 3), ("b", 1), ("c", 0))
    }
    assert [row.name for row in adjudge.rank(each, measure="auc", row="id", positive=1).rows] == ["a", "b", "c"]
    told = adjudge.report(*each.values(), names=tuple(each), measure="auc", row="id", positive=1)
    assert "a: AUC" in told.in_words()
    assert told.to_html()
