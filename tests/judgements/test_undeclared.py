"""Rows that look as if they belonged together: design effects in closed form, false alarms by simulation, words, and steps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import evaluate
from adjudge.cli import main
from adjudge.counts.suspected import ByValue, by_value
from adjudge.judgements.undeclared import WIDER, Undeclared, _effect, undeclared_between


def values(cases, correct, squares=None) -> ByValue:
    cases, correct = np.asarray(cases, dtype=float), np.asarray(correct, dtype=float)
    return ByValue("user", np.arange(cases.size), cases, correct, float(cases.sum() if squares is None else squares))


def test_rows_that_are_wholly_alike_have_as_large_an_effect_as_there_are_rows():
    seen = _effect(values([8] * 20, [8] * 14 + [0] * 6))
    assert seen is not None
    assert seen.design_effect == pytest.approx(8 * 20 / 19)
    assert seen.wider == pytest.approx(math.sqrt(160 / 19))


def test_a_known_correlation_is_the_effect_on_average():
    rng, m, rho = np.random.default_rng(3), 10, 0.2  # beta-binomial: design effect 1 + (m - 1) rho
    size = (1 - rho) / rho
    p = rng.beta(0.7 * size, 0.3 * size, (400, 60))
    effects = [_effect(values([m] * 60, row)) for row in rng.binomial(m, p)]
    assert np.mean([each.design_effect for each in effects if each is not None]) == pytest.approx(1 + 9 * rho, rel=0.03)


@pytest.mark.parametrize("share", [0.5, 0.8, 0.97])
@pytest.mark.parametrize("sizes", [[25] * 40, [2] * 500, [1] * 500, [1, 2, 3, 50, 400] * 6])
def test_independent_rows_raise_few_alarms(share, sizes):
    rng = np.random.default_rng(4)
    raised = sum(_effect(values(sizes, row)) is not None for row in rng.binomial(sizes, share, (600, len(sizes))))
    assert raised / 600 <= 0.02  # of unequal sizes the distribution is not quite that of a chi-square


@pytest.mark.parametrize("rate", [0.05, 0.3])
def test_differences_of_independent_cases_raise_few_alarms(rate):
    rng, at, raised = np.random.default_rng(6), np.repeat(np.arange(40), 25), 0
    for _ in range(400):
        d = rng.choice([-1.0, 0.0, 1.0], 1000, p=[rate / 2, 1 - rate, rate / 2])
        raised += undeclared_between([by_value("user", at, d)], d) is not None
    assert raised / 400 <= 0.025


def test_what_hardly_matters_or_cannot_be_known_is_not_reported():
    assert _effect(values([8] * 9, [8] * 5 + [0] * 4)) is None  # fewer than ten values
    assert _effect(values([8] * 20, [8] * 20)) is None  # all correct
    assert _effect(values([8] * 20, [0] * 20)) is None
    assert _effect(values([8] * 20, [6] * 20)) is None  # all alike
    assert _effect(values([], [])) is None
    assert _effect(values([1] * 500, [1] * 300 + [0] * 200)) is None  # a row each
    assert _effect(values([1e6] * 5000, [7e5 + 2e2, 7e5 - 2e2] * 2500)) is None  # sure, and no matter


@given(st.permutations(range(20)), st.integers(1, 1000))
def test_neither_order_nor_a_common_weight_matters(order, weight):
    cases, correct = np.arange(1, 21), np.arange(1, 21) * (np.arange(20) % 2)
    first = _effect(values(cases, correct))
    other = _effect(values(cases[list(order)], correct[list(order)]))
    heavy = _effect(values(weight * cases, weight * correct, squares=weight**2 * cases.sum()))
    assert first.design_effect == pytest.approx(other.design_effect)
    assert first.design_effect == pytest.approx(heavy.design_effect)


def users(spread: float, seed: int = 1, c: int = 40, m: int = 25) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    y, ease = rng.integers(0, 2, c * m), np.repeat(rng.normal(0, spread, c), m)
    right = rng.random(c * m) < 1 / (1 + np.exp(-1.2 - ease))
    return {"truth": y, "predicted": np.where(right, y, 1 - y)}


@pytest.mark.parametrize("name", ["account_id", "group", "site"])
def test_a_column_whose_rows_are_alike_raises_a_finding_and_the_first_step(name):
    table = users(1.2)
    evaluation = evaluate({**table, name: np.repeat(np.arange(40), 25)})
    (finding,) = [each for each in evaluation.findings if each.code == "A622"]
    right = (table["truth"] == table["predicted"]).reshape(40, 25)
    oracle = right.mean(axis=1).var(ddof=1) * 25 / (right.mean() * (1 - right.mean()))
    assert evaluation.undeclared == Undeclared(name, 40, 1000.0, pytest.approx(oracle))
    assert finding.value == pytest.approx(oracle, abs=1e-5)
    assert f'pass cluster="{name}".' in finding.advice
    step = evaluation.next_steps[0]
    assert (step.kind, str(step.call)) == ("cluster", f'adjudge.report(source, cluster="{name}")')
    declared = evaluate({**table, name: np.repeat(np.arange(40), 25)}, cluster=name)
    assert declared.undeclared is None
    assert all(each.code != "A622" for each in declared.findings)
    assert all(each.kind != "cluster" for each in declared.next_steps)
    wide = [each.estimates["accuracy"].interval for each in (evaluation, declared)]
    assert (wide[1].high - wide[1].low) > WIDER * (wide[0].high - wide[0].low)


def test_rows_that_are_independent_raise_none():
    assert evaluate({**users(0.0), "account_id": np.repeat(np.arange(40), 25)}).undeclared is None


def test_of_several_columns_the_one_with_the_largest_effect_is_named():
    table = {**users(1.2), "group": np.repeat(np.arange(80), [12, 13] * 40)}
    evaluation = evaluate({**table, "account_id": np.repeat(np.arange(40), 25)})
    assert evaluation.undeclared.column == "account_id"


def test_repeated_answers_of_cases_over_folds_are_no_undeclared_clusters():
    table = users(1.2)
    repeated = {**table, "id": np.tile(np.arange(200), 5), "fold": np.repeat(np.arange(5), 200)}
    assert evaluate(repeated).undeclared is None


def test_equal_rows_in_blocks_raise_it_without_a_column():
    rng = np.random.default_rng(5)
    at, y = np.repeat(np.arange(300), 3), rng.integers(0, 2, 300)
    evaluation = evaluate({"truth": y[at], "p": np.clip(y * 0.3 + 0.7 * rng.random(300), 0, 1)[at]})
    assert evaluation.undeclared.design_effect == pytest.approx(3 * 300 / 299)
    assert evaluation.next_steps[0].kind == "cluster"
    assert str(evaluation.next_steps[0].call) == 'adjudge.report(source, cluster="COLUMN")'


def test_a_terminal_names_the_flag(write_csv, capsys):
    path = write_csv({**users(1.2), "account_id": np.repeat(np.arange(40), 25)})
    main(["evaluate", str(path)], standalone_mode=False)
    said = " ".join(capsys.readouterr().out.split())
    assert "A622 Rows with the same 'account_id' are alike" in said
    assert "pass --cluster account_id." in said
    assert f"adjudge report {path} --cluster account_id" in said
    main(["evaluate", str(path), "--cluster", "account_id"], standalone_mode=False)
    assert "A622" not in capsys.readouterr().out
    main(["evaluate", str(path), "--cluster", ""], standalone_mode=False)
    assert "A622" not in capsys.readouterr().out
