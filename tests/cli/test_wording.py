"""What Python and the command line say of the same thing: arguments here, flags there, and no flag that a command has not."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from html import unescape

import click
import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.model_selection import KFold
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


ROWS = {"truth": ["a", "b"] * 20, "p_a": [0.7, 0.4] * 20, "p_b": [0.3, 0.6] * 20}


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: adjudge.evaluate(ROWS, measures=["foo"]), "measures"),
        (lambda: adjudge.evaluate(ROWS, interval="foo"), "interval"),
        (lambda: adjudge.evaluate(ROWS, truth="nope"), "truth"),
        (lambda: adjudge.compare(ROWS, ROWS, by_position=True, measure="foo"), "measure"),
        (lambda: adjudge.compare(ROWS, ROWS, by_position=True, method="foo"), "method"),
        (lambda: adjudge.gate(ROWS, ["foo > 3"]), "rules"),
        (lambda: adjudge.gate(ROWS, ["accuracy > 3"]), "rules"),
        (lambda: adjudge.thresholds(ROWS).at(2), "threshold"),
        (lambda: adjudge.thresholds(ROWS).at(0.5, prevalence=7), "prevalence"),
        (lambda: adjudge.plan("foo", np.zeros((40, 1)), ROWS["truth"]), "by"),
        (lambda: adjudge.plan(KFold, np.zeros((40, 1)), ROWS["truth"]), "by"),
        (lambda: adjudge.evaluate(ROWS).plot(kind="foo"), "kind"),
        (lambda: adjudge.evaluate(ROWS).to_frame(backend="foo"), "backend"),
        (lambda: adjudge.fit_multipliers([0, 1, 0, 1], np.full((4, 2), 0.4)), "p"),
        (lambda: adjudge.posterior([[3, 1], [1, 3]], "accuracy", weights=[0.5, 0.5]), "weights"),
    ],
)
def test_an_error_carries_the_parameter_it_speaks_of(call, name):
    with pytest.raises(adjudge.InputError) as told:
        call()
    assert told.value.parameter == name


TRAINING = ("--learner", "sklearn.naive_bayes:GaussianNB", "--data", "LEARN", "--target")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("evaluate FILE --measure foo", "There is no measure 'foo'. See adjudge measures."),
        ("gate FILE --require foo>3", "There is no measure 'foo'. See adjudge measures."),
        ("compare FILE FILE2 --measure mae", "mae does not fit predictions of classes; see adjudge measures."),
        ("threshold FILE --threshold 2", "--threshold must lie between 0 and 1, as"),
        ("partition FILE --seed -1", "--seed must be a seed,"),
        (("estimate", *TRAINING, "y", "--by", "foo"), "or the .json file of one."),
        (("estimate", *TRAINING, "y", "--by", "no.json"), "Give a file written by adjudge estimate --save-plan."),
        (("estimate", *TRAINING, "one"), "--target holds one class only,"),
        (("estimate", *TRAINING, "y", "--measure", "foo"), "See adjudge measures."),
    ],
)
def test_errors_speak_of_flags_and_commands(words, told, write_csv, tmp_path, monkeypatch):
    rng, truth = np.random.default_rng(0), ["a", "b"] * 20
    p = np.where(np.arange(40) % 2, 0.3, 0.7) + rng.uniform(-0.2, 0.2, 40)
    table = {"id": np.arange(40), "truth": truth, "p_a": p, "p_b": 1 - p}
    places = {"FILE": write_csv(table, "one.csv"), "FILE2": write_csv(table, "two.csv")}
    places["LEARN"] = write_csv({"x": p, "y": truth, "one": ["c"] * 40}, "learn.csv")
    monkeypatch.chdir(tmp_path)
    words = words.split() if isinstance(words, str) else words
    code, _, err = run(*(places.get(word, word) for word in words))
    assert (code, told in err) == (2, True), err


@pytest.mark.parametrize(
    ("command", "name", "flag"),
    [
        ("estimate", "n_jobs", "--jobs"),
        ("estimate", "random_state", "--seed"),
        ("estimate", "n_estimators", "--rounds"),
        ("estimate", "measures", "--measure"),
        ("estimate", "positive", None),
        ("estimate", "X", "--data"),
        ("estimate", "y", "--target"),
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


def test_a_next_step_repeats_how_the_file_was_read(write_csv, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    path = write_csv({"gold": ["ill", "well", "well"] * 12, "said": ["ill", "ill", "well"] * 12}, "a b.csv")
    words = ("report", path, "--truth", "gold", "--predicted", "said", "-o", tmp_path / "page.html")
    assert json.loads(run(*words, "--json")[1])["next_steps"][0]["call"] == "adjudge report PREDICTIONS --positive ill"
    page, printed = unescape((tmp_path / "page.html").read_text(encoding="utf-8")), run(*words)[1]
    told = [shlex.join(line) for line in map(shlex.split, re.findall(r"^ +(adjudge .*)$", printed, re.MULTILINE))]
    assert len(told) > 1
    assert told[0] == f"adjudge report {shlex.quote(str(path))} --truth gold --predicted said --positive ill"
    code, printed, _ = run(*shlex.split(told[0])[1:])
    assert code == 0
    assert "Positive class 'ill'" in printed
    assert all(call.replace(str(path), path.name) in page for call in told)
    assert str(tmp_path) not in page  # which others may read
    (call, *_) = (step.call for step in adjudge.report(path, truth="gold", predicted="said").next_steps)
    assert call == 'adjudge.report("a b.csv", truth="gold", predicted="said", positive="ill")'
