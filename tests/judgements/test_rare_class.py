"""A rare class: what is found of it now and at another threshold, and what its probabilities are worth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binom
from sklearn.metrics import precision_score, recall_score, roc_curve
from tests.described import facts, verdict

import adjudge
from adjudge import ConfusionCounts, Predictions
from adjudge.describe.evaluation import found_of, weaknesses
from adjudge.judgements.curves import is_rare, subject
from adjudge.judgements.weaknesses import NOTABLE, confidence_of


def frauds(n=20_000, share=0.006, apart=2.6, sure=0.6, shift=0.0, seed=1):
    """Return labels and probabilities of fraud; `sure` of 1 and no `shift` mean what they say."""
    rng = np.random.default_rng(seed)
    fraud = rng.random(n) < share
    z = rng.normal(apart * fraud, 1.0)
    logit = np.log(share / (1 - share)) + sure * (apart * z - apart**2 / 2) + shift
    return np.where(fraud, "fraud", "fine"), 1 / (1 + np.exp(-logit))


def judged(truth, p, **how):
    return adjudge.evaluate(Predictions(truth, scores=np.column_stack([p, 1 - p]), classes=["fraud", "fine"], **how))


@pytest.mark.slow
def test_what_is_found_now_and_at_the_threshold_of_youden():
    """Against scikit-learn: the rates of decisions, and the largest difference of the ROC curve."""
    truth, p = frauds()
    result = judged(truth, p)
    found, own = result.rare, truth == "fraud"
    assert (found.of, found.cases, found.threshold) == ("fraud", own.sum(), 0.5)
    assert found.found == np.sum(own & (p >= 0.5))
    assert found.sensitivity.value == pytest.approx(recall_score(own, p >= 0.5))
    assert found.precision.value == pytest.approx(precision_score(own, p >= 0.5))
    false, true, cuts = roc_curve(own, p, drop_intermediate=False)
    at = int(np.argmax(true - false))
    other = found.instead
    assert other.threshold == pytest.approx(cuts[at], rel=1e-12)
    assert other.found == np.sum(own & (p >= other.threshold))
    assert other.ppv.value == pytest.approx(precision_score(own, p >= other.threshold))
    again = result.thresholds.at(other.threshold, of="fraud")
    assert (again.found, again.alarms) == (other.found, other.alarms)
    equal = result.thresholds.least_cost(miss_cost=(~own).sum() / own.sum(), of="fraud")  # a miss costs by rarity
    assert (equal.found, equal.alarms) == (other.found, other.alarms)


def midp(found, cases):
    """Return both bounds of a share, where a tail with half of what was found comes to 2.5%; in words."""

    def tail(p, k, n):
        return binom.cdf(k - 1, n, p) + binom.pmf(k, n, p) / 2 - 0.025

    high = 1.0 if found == cases else brentq(tail, found / cases, 1, args=(found, cases))
    low = 0.0 if found == 0 else 1 - brentq(tail, 1 - found / cases, 1, args=(cases - found, cases))
    return f"{low:.1%}", f"{high:.1%}"


@pytest.mark.slow
def test_the_sentence_comes_first_and_its_threshold_decides_as_told():
    truth, p = frauds()
    result = judged(truth, p)
    first, second = verdict(result)[:2]
    assert first == found_of(result.rare)
    assert facts(first)[:3] == [str(result.rare.found), str(result.rare.cases), "'fraud'"]
    assert second.startswith("Accuracy ")
    assert facts(second)[-1] == "'fine'"
    step = next(each for each in result.next_steps if each.kind == "threshold")
    found = np.sum((truth == "fraud") & (p >= step.value))
    assert found == result.thresholds.at(step.value, of="fraud").found
    assert step.changes["sensitivity"] == (result.rare.found / result.rare.cases, pytest.approx(found / result.rare.cases))


@pytest.mark.slow
def test_a_threshold_in_use_is_told_and_decisions_of_another_kind_have_none():
    truth, p = frauds()
    cut = adjudge.evaluate({"truth": truth, "score": p}, threshold=0.02, positive="fraud")
    assert cut.rare.threshold == 0.02
    assert " at threshold 0.02, precision " in found_of(cut.rare)
    own = np.where(np.arange(truth.size) % 3 == 0, truth, "fine")
    given_ = adjudge.evaluate(Predictions(truth, own, np.column_stack([p, 1 - p]), classes=["fraud", "fine"]))
    assert given_.rare.threshold is None
    assert "threshold" not in found_of(given_.rare).split(";")[0]
    bare = adjudge.evaluate(ConfusionCounts([[3, 97], [5, 4895]], ("ill", "well")))
    assert facts(found_of(bare.rare)) == ["3", "100", "'ill'", "3.0%", "95%", *midp(3, 100), "37.5%"]
    never = adjudge.evaluate(ConfusionCounts([[0, 97], [0, 4895]], ("ill", "well")))
    assert facts(found_of(never.rare)) == ["0", "97", "'ill'", "0.0%", "95%", *midp(0, 97)]


@pytest.mark.slow
def test_it_is_said_only_where_it_matters():
    assert adjudge.evaluate(ConfusionCounts([[90, 10], [11, 89]])).rare is None
    assert adjudge.evaluate(ConfusionCounts([[20, 80], [11, 189]], ("ill", "well"))).rare.of == "ill"  # a third, mostly missed
    assert adjudge.evaluate(ConfusionCounts([[5, 5], [5, 15]])).rare is None  # too few to be sure of
    assert adjudge.evaluate(ConfusionCounts(np.diag([900, 5, 900]))).rare is None  # of many, nobody looks for it
    assert adjudge.evaluate(ConfusionCounts([[50]])).rare is None
    rng = np.random.default_rng(0)
    truth = np.where(np.arange(2000) < 100, "ill", "well")
    p = np.where(truth == "ill", rng.uniform(0.6, 1, 2000), rng.uniform(0, 0.4, 2000))
    perfect = adjudge.evaluate(Predictions(truth, scores=np.column_stack([p, 1 - p]), classes=["ill", "well"]))
    assert perfect.rare.instead is None
    assert facts(found_of(perfect.rare)) == ["100", "100", "'ill'", "100.0%", "95%", *midp(100, 100), "0.5", "100.0%"]


def test_few_cases_choose_no_threshold():
    truth, p = frauds(2000, 0.004)
    assert 0 < np.sum(truth == "fraud") < 10
    assert judged(truth, p).rare.instead is None


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(0, 200), st.floats(0.005, 0.09), st.floats(0.2, 2.0))
def test_another_threshold_always_adds_to_both_rates(seed, share, sure):
    truth, p = frauds(1500, share, sure=sure, seed=seed)
    if not 0 < np.sum(truth == "fraud") < 150:
        return
    found = judged(truth, np.round(p, 2)).rare
    if found.instead is not None:
        now = found.sensitivity.value + np.mean(np.round(p, 2)[truth == "fine"] < 0.5)
        other = found.instead.sensitivity.value + found.instead.specificity.value
        assert other - now >= NOTABLE - 1e-12


def test_weighted_cases_are_told_by_shares():
    truth, p = frauds(4000, 0.03)
    weighted = judged(truth, p, weight=np.full(4000, 0.5))
    assert found_of(weighted.rare).startswith("Finds ")
    assert " cases of " not in found_of(weighted.rare)


@pytest.mark.parametrize(
    ("support", "positive", "wanted"),
    [((20, 980), None, "a"), ((200, 800), None, None), ((200, 800), "b", "b"), ((0, 900), None, None)],
)
def test_the_class_to_speak_of(support, positive, wanted):
    assert subject(ConfusionCounts(np.diag(support), ("a", "b")), positive) == wanted


def test_rare_is_a_fifth_of_an_equal_share():
    counts = ConfusionCounts(np.diag([9, 11, 80]))
    assert not is_rare(counts, 0)  # a fifth of a third is 6.7 of 100
    assert is_rare(ConfusionCounts(np.diag([6, 14, 80])), 0)
    assert not is_rare(ConfusionCounts(np.diag([0, 50])), 0)


# -- probabilities -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("shift", "verdict_"), [(0.0, ""), (1.0, "too high"), (-1.0, "too low")])
def test_probabilities_of_the_class_are_judged_by_their_mean(shift, verdict_):
    truth, p = frauds(sure=1.0, shift=shift)
    result = judged(truth, p)
    found = result.class_confidence
    assert found.mean_probability == pytest.approx(p.mean(), rel=1e-12)
    assert found.observed.value == pytest.approx(np.mean(truth == "fraud"), rel=1e-12)
    assert found.verdict == verdict_
    lines = " ".join(sentence for _, sentence in weaknesses(result, result.counts, result.weaknesses))
    assert "confident" not in lines  # what the highest probability says is the same turned round
    assert (f"of class 'fraud' are {verdict_}" in lines) == bool(verdict_)
    assert [f.code for f in result.findings if f.code in ("A209", "A306")] == ["A209", *(["A306"] if verdict_ else [])]


def test_the_highest_probability_is_still_judged_where_it_says_something_else():
    rng = np.random.default_rng(0)
    q = rng.random(3000)
    truth = np.where(rng.random(3000) < q, "ill", "well")
    p = q**4 / (q**4 + (1 - q) ** 4)
    result = adjudge.evaluate({"truth": truth, "p_ill": p, "p_well": 1 - p}, positive="ill")
    assert result.class_confidence.verdict == ""
    lines = " ".join(sentence for _, sentence in weaknesses(result, result.counts, result.weaknesses))
    assert "are overconfident" in lines
    assert confidence_of(result.curves, result.counts).verdict == "overconfident"


@pytest.mark.slow
def test_a_rare_class_has_a_diagram_of_its_own_with_axes_that_suit_it():
    truth, p = frauds(sure=0.3)
    result = judged(truth, p)
    curve = result.curves["quantile-reliability"]["fraud"]
    assert curve.x.size > 8 > np.count_nonzero(result.curves["class-reliability"]["fraud"].size > 100)
    panel = adjudge.plots.curves.curve_set((curve,)).panel
    assert panel.x.stop < 0.5
    assert panel.y.stop >= panel.x.stop
    even = adjudge.evaluate(ConfusionCounts([[90, 10], [11, 89]]))
    assert "quantile-reliability" not in even.curves


@pytest.mark.slow
def test_everything_is_plain_python():
    truth, p = frauds(3000, 0.02)
    told = judged(truth, p).to_dict()
    assert told["rare"]["of"] == "fraud"
    assert told["rare"]["instead"]["found"] == judged(truth, p).rare.instead.found
    assert told["class_confidence"]["of"] == "fraud"
    assert told["weak_classes"][0]["of"] == "fraud"
    assert told["large_confusions"] == []
