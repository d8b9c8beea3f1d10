"""What Python and the command line say of the same thing: arguments here, flags there, and no flag that a command has not."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click
import numpy as np
import pytest
from click.testing import CliRunner
from tests.described import mentions, refused

import adjudge
from adjudge._base.arguments import argument, wording
from adjudge._base.findings import Finding
from adjudge.cli import main
from adjudge.cli.wording import flags, in_shell

FLAGS = {name: flags(command) for name, command in main.commands.items()} | {
    f"correct {name}": flags(command) for name, command in main.commands["correct"].commands.items()
}


def run(*arguments):
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def test_the_same_wrong_input_is_told_in_arguments_and_in_flags(write_csv):
    path = write_csv({"truth": ["a", "b", "", "a"], "predicted": ["a", "b", "b", "a"]})
    with refused("missing", "1 missing value (row 3)", 'missing="drop"', 'missing="class"'):
        adjudge.evaluate(path)
    code, _, err = run("evaluate", path)
    assert (code, mentions(err, "(row 3)", "--missing drop", "--missing class")) == (2, True)


@pytest.mark.parametrize(
    ("command", "name", "flag"),
    [
        ("estimate", "n_jobs", "--jobs"),
        ("estimate", "random_state", "--seed"),
        ("estimate", "n_estimators", "--rounds"),
        ("estimate", "measures", "--measure"),
        ("estimate", "positive", None),
        ("partition", "rng", "--seed"),
        ("compare", "paired", "--independent"),
        ("gate", "margin", "--no-worse-than"),
        ("evaluate", "missing_scores", "--missing-scores"),
        ("evaluate", "method", "--interval"),
        ("compare-learners", "method", "--method"),
        ("correct fit", "goal", "--kind"),
        ("correct fit", "kind", "--kind"),
        ("correct apply", "truth", None),
        ("demo", "truth", None),
    ],
)
def test_names_of_python_have_the_flags_of_the_command(command, name, flag):
    assert FLAGS[command].get(name) == flag


def test_every_flag_of_a_command_is_one_it_has():
    for name, command in [*main.commands.items(), *main.commands["correct"].commands.items()]:
        known = {opt for option in command.params for opt in option.opts}
        assert set(flags(command).values()) <= known, name


@pytest.mark.slow
def test_a_flag_that_a_command_has_not_is_not_named(write_csv):
    path = write_csv({"x": np.random.default_rng(0).normal(size=40), "y": ["good", "bad"] * 20})
    learner = ("--learner", "sklearn.tree:DecisionTreeClassifier", "--data", path, "--target", "y")
    code, out, _ = run("estimate", *learner, "--by", "holdout", "--json")
    advice = next(finding["advice"] for finding in json.loads(out)["findings"] if finding["code"] == "A111")
    assert (code, mentions(advice, 'positive="good"', 'positive="bad"')) == (0, True)


def test_an_error_with_more_to_it_than_a_sentence_is_told_too(write_csv):
    path = write_csv({"x": np.arange(20.0), "y": ["good", "bad"] * 10})
    learner = ("--learner", "sklearn.linear_model:LogisticRegression", "--params", "C=-1.0", "--data", path, "--target", "y")
    code, _, err = run("estimate", *learner, "--by", "2-fold")
    assert (code, err.startswith("adjudge: All 2 units failed")) == (2, True), err


@pytest.mark.slow
def test_words_json_and_the_page_name_flags_and_those_of_python_none(write_csv, tmp_path):
    path = write_csv({"truth": ["a", "b"] * 30, "predicted": ["a", "b", "b"] * 20})
    found = adjudge.evaluate(path)
    assert found.origin.roles.evidence["truth"].endswith("[truth=]")
    advice = next(finding.advice for finding in found.findings if finding.code == "A111")
    assert mentions(advice, 'positive="b"', 'positive="a"')
    shell = "--positive b or --positive a"
    for told in (found.in_words(), found.to_html(), found.to_markdown(), found.to_json()):
        assert shell not in " ".join(told.split())
    assert shell in " ".join(run("evaluate", path)[1].split())
    told = json.loads(run("evaluate", path, "--json")[1])
    assert any(shell in finding["advice"] for finding in told["findings"])
    page = tmp_path / "page.html"
    assert run("report", path, "-o", page)[0] == 0
    assert shell in page.read_text(encoding="utf-8")
    assert "positive=" not in page.read_text(encoding="utf-8")


@dataclass(frozen=True)
class Result:
    findings: tuple[Finding, ...]
    more: object = None


def test_only_what_names_arguments_is_copied_and_what_is_shared_stays_shared():
    plain, told = (
        Finding("A000", "Few cases.", "Gather more."),
        Finding("A001", "So.", wording("Pass ", argument("level", 0.9), ".")),
    )
    shared, values = Result((told,)), np.arange(3)
    whole = Result((plain, told), {"one": shared, "two": [shared], "values": values})
    with click.Context(main.commands["evaluate"]):
        there = in_shell(whole)
    assert there.findings[0] is plain
    assert str(there.findings[1]) == "A001 So. Pass --level 0.9."
    assert there.more["one"] is there.more["two"][0]
    assert there.more["values"] is values
    assert str(whole.findings[1]) == str(shared.findings[0]) == "A001 So. Pass level=0.9."
    with click.Context(main.commands["demo"]):
        assert in_shell(whole).findings[1] == told


@pytest.mark.slow
def test_side_columns_are_left_out_as_the_refusal_advises(write_csv):
    path = write_csv({"truth": ["a", "b"] * 9, "p_a": [0.6, 0.2, 0.4] * 6, "p_b": [0.4, 0.8, 0.6] * 6, "weight": [1.0, 2.0] * 9})
    code, _, err = run("partition", path)
    assert (code, "(--weight '')" in err) == (2, True)
    assert run("partition", path, "--weight", "")[0] == 0
    assert adjudge.read(path).roles.weight == "weight"
    assert adjudge.read(path, weight="").roles.weight is None
