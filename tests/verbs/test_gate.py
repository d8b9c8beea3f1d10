"""Gates: a rule passes only where the evidence says so."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import adjudge
from adjudge import ConfusionCounts, InputError, Predictions
from adjudge.judgements.gate import EXIT_CODES

TABLE = ConfusionCounts(np.array([[45, 5], [3, 47]]), ("well", "ill"))


def scored(n=200, seed=0, shift=1.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return {"truth": y, "score": 1 / (1 + np.exp(-(rng.normal(size=n) + shift * (2 * y - 1))))}


@pytest.mark.slow
def test_one_failure_fails_and_all_must_pass():
    for rules, state in (
        (["accuracy >= 0.8", "mcc > 0.5"], "passes"),
        (["accuracy >= 0.8", "accuracy >= 0.9"], "inconclusive"),
        (["accuracy >= 0.8", "accuracy >= 0.9", "accuracy >= 0.99"], "fails"),
    ):
        found = adjudge.gate(TABLE, *rules)
        assert (found.state, found.exit_code) == (state, EXIT_CODES[state])
        assert (found.passed, found.failed, found.inconclusive) == tuple(
            state == each for each in ("passes", "fails", "inconclusive")
        )


def test_errors_turn_around():
    a, b = adjudge.gate(TABLE, "accuracy >= 0.9", "error <= 0.1").rules
    assert (a.state, a.probability) == (b.state, pytest.approx(b.probability))
    assert (a.low, a.high) == pytest.approx((1 - b.high, 1 - b.low))


def test_a_class_by_its_name_every_class_and_the_positive_one():
    found = adjudge.gate(TABLE, "sensitivity[ill] >= 0.8", "sensitivity[*] >= 0.8", positive="ill").rules
    assert [rule.of for rule in found] == ["ill", "well", "ill"]
    assert found[0].value == found[2].value == 0.94
    (alone,) = adjudge.gate(TABLE, "sensitivity >= 0.8", positive="ill").rules
    assert (alone.of, alone.value, alone.average) == ("ill", 0.94, None)
    (mean,) = adjudge.gate(TABLE, "sensitivity >= 0.8").rules
    assert (mean.of, mean.average) == (None, "macro")


@pytest.mark.slow
def test_scores_and_losses():
    rules = ("auc > 0.8", "brier < 0.3", "log_loss < 0.6", "auc[1] > 0.8")
    found = adjudge.gate(scored(), *rules, positive=1)
    assert [rule.state for rule in found.rules] == ["passes"] * 4
    whole = adjudge.evaluate(scored(), positive=1, level=0.9).estimates
    assert found.rules[0].low == whole["auc"].interval.low
    assert found.rules[1].high == whole["brier"].interval.high


def test_a_loss_seen_to_be_infinite_fails():
    sure = {"truth": [0, 1] * 30, "score": [0.01, 0.98] * 29 + [0.03, 0.0]}
    assert adjudge.gate(sure, "log_loss < 5", positive=1).rules[0].state == "fails"


def test_numbers():
    y = np.linspace(0, 10, 80)
    found = adjudge.gate({"truth": y, "predicted": y + np.tile([0.5, -0.4], 40)}, "mae <= 0.6", "mae <= 0.4")
    assert [rule.state for rule in found.rules] == ["passes", "fails"]


def test_an_evaluation_serves_where_its_intervals_are_wide_enough():
    evaluation = adjudge.evaluate(scored(), positive=1)
    assert adjudge.gate(evaluation, "auc > 0.8", "accuracy > 0.7").rules[0].level == pytest.approx(0.975)
    with pytest.raises(InputError, match="Pass the predictions"):
        adjudge.gate(evaluation, "auc > 0.8", level=0.99)


def test_what_has_no_value_is_inconclusive_with_the_reason():
    found = adjudge.gate(ConfusionCounts(np.array([[9, 0], [5, 0]])), "precision[1] >= 0.1").rules[0]
    assert (found.state, found.probability) == ("inconclusive", None)
    assert "class" in found.reason or "decided" in found.reason


@pytest.mark.slow
def test_not_worse_than_what_came_before():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 800)
    old, new = ({"id": np.arange(800), "truth": y, "predicted": np.where(rng.random(800) < p, y, 1 - y)} for p in (0.85, 0.9))
    better = adjudge.gate(new, against=old, margin=0, row="id")
    known = adjudge.compare(new, old, row="id")
    assert better.rules[0].probability == pytest.approx(float(known.distribution.sf(0)))
    assert better.passed
    usual = adjudge.gate(new, against=old, row="id")  # the margin of compare
    assert usual.rules[0].probability == pytest.approx(1 - known.worse)
    assert usual.rules[0].bound == -known.margin
    assert adjudge.gate(old, against=new, row="id").failed
    assert adjudge.gate(new, against=new, margin=0.02, row="id").passed
    assert adjudge.gate(new, against=new, margin=0, row="id").inconclusive
    assert adjudge.gate(new, against=new, margin=0, row="id").rules[0].more_cases is None
    errors = adjudge.gate(new, against=old, measure="error", row="id").rules[0]
    assert (errors.operator, errors.state) == ("<=", "passes")


@pytest.mark.slow
def test_more_cases_of_a_rate_pass_as_often_as_assured():
    """By scipy's binomial; numbers are rounded up to two digits."""
    for assurance in (0.5, 0.8, 0.95):
        rule = adjudge.gate(TABLE, "accuracy >= 0.9", assurance=assurance).rules[0]
        assert rule.assurance == assurance
        n = 100 + rule.more_cases
        passing = [x for x in range(int(0.9 * n), n + 1) if stats.binom.sf(x - 1, n, 0.9) <= 0.05]
        assert assurance <= stats.binom.sf(passing[0] - 1, n, 0.92) <= assurance + 0.06


def test_more_cases_are_counted_in_all_where_a_rule_is_about_one_class():
    counts = ConfusionCounts(np.array([[900, 20], [6, 74]]), ("well", "ill"))
    rule = adjudge.gate(counts, "sensitivity[ill] >= 0.9").rules[0]
    of_class = round((1000 + rule.more_cases) * 0.08)
    assert rule.more_cases == pytest.approx(
        adjudge.sample_size(above=0.9, expected=0.925, measure="sensitivity", share=0.08).total - 1000, rel=0.1
    )
    assert of_class > adjudge.sample_size(above=0.9, expected=0.925).cases


def test_a_value_at_its_bound_is_never_decided():
    found = adjudge.gate(ConfusionCounts([[45, 5], [5, 45]]), "accuracy >= 0.9", "balanced_accuracy >= 0.9")
    assert [rule.more_cases for rule in found.rules] == [None, None]
    assert "would not decide" in found.in_words()


def test_findings_speak_of_rules():
    codes = {found.code: found for found in adjudge.gate(TABLE, "error >= 0.2", "accuracy >= 0.99").findings}
    assert set(codes) >= {"A731", "A732"}
    needed = codes["A732"].value
    assert stats.beta.ppf(0.05, needed, 1) >= 0.99 > stats.beta.ppf(0.05, needed - 1, 1)


@pytest.mark.parametrize(
    ("rules", "how", "told"),
    [
        ((), {}, "Nothing is required"),
        (("auc > 0.9",), {}, "needs scores"),
        (("mae < 1",), {}, "needs numbers"),
        (("accuracy > 0.9",), {"level": 0.5}, "above 0.5"),
        (("accuracy > 0.9",), {"margin": 0.1}, "against="),
        (("accuracy > 0.9",), {"margin": -0.1}, "margin is the largest"),
        ((), {"against": TABLE}, "case by case"),
    ],
)
def test_refusals(rules, how, told):
    with pytest.raises(InputError, match=told):
        adjudge.gate(TABLE, *rules, **how)


def test_a_measure_without_limits_is_refused():
    with pytest.raises(InputError, match="no interval"):
        adjudge.gate(scored(), "ece < 0.1", positive=1)


def test_json_is_strict():
    told = json.loads(json.dumps(adjudge.gate(scored(), "auc > 0.8", "above chance", positive=1).to_dict(), allow_nan=False))
    assert (told["state"], told["exit_code"]) == ("passes", 0)


@pytest.mark.slow
def test_at_the_margin_the_new_one_passes_in_few_samples():
    """Truly worse by exactly the margin: P(not worse) reaches 95% in about 5% of samples."""
    rng, passed, samples, n = np.random.default_rng(4), 0, 300, 400
    for _ in range(samples):
        kind = rng.choice(4, n, p=[0.84, 0.04, 0.06, 0.06])  # both right, only the new one, only the old one, neither
        y = np.arange(n) % 2
        new, old = np.where(np.isin(kind, (0, 1)), y, 1 - y), np.where(np.isin(kind, (0, 2)), y, 1 - y)
        both = Predictions(y, new), Predictions(y, old)
        passed += adjudge.gate(both[0], against=both[1], margin=0.02, by_position=True).passed
    assert passed / samples <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / samples)


@pytest.mark.slow
def test_at_the_bound_the_auc_passes_in_few_samples():
    rng, passed, samples = np.random.default_rng(5), 0, 300
    bound = float(stats.norm.cdf(1.5 / 2**0.5))
    for _ in range(samples):
        score = np.concatenate([rng.normal(1.5, 1, 20), rng.normal(0, 1, 100)])
        source = {"truth": np.repeat([1, 0], [20, 100]), "score": score}
        passed += adjudge.gate(source, f"auc >= {bound!r}", positive=1, scores_are="scores", threshold=0.5).passed
    assert passed / samples <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / samples)


def test_rules_may_stand_in_a_file(tmp_path):
    (tmp_path / "rules.toml").write_text("require = ['accuracy >= 0.5', 'mcc > 0.1']\n", encoding="utf-8")
    table = adjudge.ConfusionCounts([[45, 5], [3, 47]])
    found = adjudge.gate(table, tmp_path / "rules.toml")
    assert [rule.state for rule in found.rules] == [
        rule.state for rule in adjudge.gate(table, "accuracy >= 0.5", "mcc > 0.1").rules
    ]
    with pytest.raises(adjudge.InputError, match="cannot be read as TOML"):
        adjudge.gate(table, tmp_path / "nowhere.toml")


@pytest.mark.parametrize("rule", ["balanced_accuracy >= 0.7", "sensitivity > 0.8", "f1 < 0.99", "precision >= 0.5"])
def test_one_case_a_class_all_of_them_right_is_inconclusive_or_fails(rule):
    found = adjudge.gate({"truth": ["a", "b", "c"], "predicted": ["a", "b", "c"]}, rule)
    assert found.state in ("inconclusive", "fails")
