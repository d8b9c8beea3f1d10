"""Options that several commands share: how their texts become values, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction

import click
import pytest
from tests.cli.running import run

import adjudge
from adjudge import InputError
from adjudge.cli import main
from adjudge.cli.options import FORMATS, learner, listed, shares, with_options


@pytest.mark.slow
def test_a_prior_by_name_or_by_numbers(predictions):
    found = {
        p: json.loads(run("evaluate", predictions, "--prior", p, "--json").stdout)["accuracy_posteriors"] for p in ("flat", "2,5")
    }
    for prior, (a, b) in {"flat": (1, 1), "2,5": (2, 5)}.items():
        assert found[prior]["posteriors"]["accuracy"]["mean"] == pytest.approx((40 + a) / (80 + a + b), rel=1e-12)


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        (["--interval", "guess"], "There is no 'guess' interval"),
        (["--measure", "mcc", "--interval", "wilson"], "There is no 'wilson' interval of mcc"),
        (["--prior", "strong"], "prior must be two numbers above 0"),
        (["--prior", "1,x"], "--prior takes"),
        (["--prior", "0,1"], "prior must be two numbers above 0"),
        (["--level", "95"], "level must be a number strictly between 0 and 1"),
    ],
)
def test_intervals_and_priors_that_do_not_exist_are_refused(extra, text, predictions):
    result = run("evaluate", predictions, *extra)
    assert result.exit_code == 2
    assert text in result.stderr


def test_lists_are_what_stands_between_commas():
    assert listed(None) is None
    assert listed("a, b ,c d") == ["a", "b", "c d"]
    assert listed("") == [""]


def test_a_share_follows_the_last_sign_of_its_class():
    assert shares("--priors", "a=0.2, b=c =8e-1") == {"a": 0.2, "b=c": 0.8}


@pytest.mark.parametrize("text", ["a=0.2,a=0.8", "a=0.2,b", "=1", "a=much", ""])
def test_shares_that_cannot_be_read_are_refused_as_they_came(text):
    with pytest.raises(click.UsageError) as refused:
        shares("--priors", text)
    assert refused.value.message == f"--priors takes each class once with its share, such as a=0.2,b=0.8; got {text!r}."


def test_a_learner_is_made_of_literals_and_texts():
    assert learner("fractions:Fraction", ("numerator=3", "denominator=4")) == Fraction(3, 4)
    given = learner("types:SimpleNamespace", ("a=[1, None]", "b=rbf", "c='x=y'", "d=x=y", "e="))
    assert vars(given) == {"a": [1, None], "b": "rbf", "c": "x=y", "d": "x=y", "e": ""}


@pytest.mark.parametrize(
    ("name", "params", "told"),
    [
        ("fractions", (), "--base takes MODULE:CLASS, such as sklearn.naive_bayes:GaussianNB; got fractions."),
        (":Fraction", (), "--base takes MODULE:CLASS, such as sklearn.naive_bayes:GaussianNB; got :Fraction."),
        ("no_such_module:A", (), "--base no_such_module:A cannot be imported: No module named 'no_such_module'."),
        ("fractions:Fractal", (), "--base fractions:Fractal cannot be imported: "),
        ("fractions:Fraction", ("3",), "--params takes NAME=VALUE, such as n_neighbors=11; got 3."),
        ("fractions:Fraction", ("a b=3",), "--params takes NAME=VALUE, such as n_neighbors=11; got a b=3."),
        ("fractions:Fraction", ("denominator=0",), "Fraction does not take these parameters: Fraction(0, 0)."),
    ],
)
def test_learners_that_cannot_be_made_are_refused(name, params, told):
    with pytest.raises(InputError) as refused:
        learner(name, params, "--base")
    assert str(refused.value).startswith(told)


def test_options_stand_in_their_order_and_are_read():
    many = [click.option("--first"), click.option("--second")]
    command = click.command()(with_options(lambda **given: given, many, second=listed))
    assert [option.name for option in command.params] == ["first", "second"]
    assert command.main(["--first", "a,b", "--second", "a,b"], standalone_mode=False) == {"first": "a,b", "second": ["a", "b"]}


@pytest.mark.parametrize("command", ["evaluate", "report"])
def test_one_result_in_four_formats(command, predictions, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = getattr(adjudge, command)(predictions)
    told = {form: run(command, predictions, "--format", form).stdout for form in FORMATS}
    assert told["text"] == run(command, predictions).stdout
    assert (
        told["json"]
        == run(command, predictions, "--json").stdout
        == run(command, predictions, "--json", "--format", "json").stdout
    )
    assert told["csv"] == found.to_csv()
    assert told["markdown"].startswith("# ")
    assert "Wrote" not in "".join(told[form] for form in FORMATS if form != "text")


def test_markdown_names_the_flags_of_the_command(predictions):
    assert "--positive" in run("evaluate", predictions, "--format", "markdown").stdout


def test_every_command_that_prints_a_result_takes_a_format():
    commands = [*main.commands.values(), *main.commands["correct"].commands.values()]
    for command in commands:
        if not isinstance(command, click.Group):
            assert {"form", "as_json"} <= {param.name for param in command.params}, command.name


def test_the_title_of_a_page(predictions, tmp_path):
    page, text = tmp_path / "a.html", tmp_path / "a.md"
    for place in (page, text):
        assert run("report", predictions, "-o", place, "--title", "Trial <7> & others").exit_code == 0
    written = page.read_text(encoding="utf-8")
    assert "<h1>Trial &lt;7&gt; &amp; others</h1>" in written
    assert "<title>Trial &lt;7&gt; &amp; others " in written
    assert text.read_text(encoding="utf-8").startswith("# Trial \\<7\\> \\& others\n")
    assert run("gate", predictions, "--require", "accuracy > 0.1", "--format", "markdown", "--title", "Mine").stdout.startswith(
        "# Mine\n"
    )


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["compare", "a", "b", "--title", "x"], "--title names a page; write one with -o page.html."),
        (["partition", "a", "-o", "a.svg", "--title", "x"], "--title names a page; write one with -o page.html."),
        (["report", "a", "-o", "a.json", "--title", "x"], "--title names a page"),
        (["report", "a", "--title", " "], "--title needs some text."),
        (["evaluate", "a", "--json", "--format", "csv"], "--json is short for --format json; leave out --json or --format csv."),
        (["evaluate", "a", "--format", "xml"], "Invalid value for '--format'"),
    ],
)
def test_titles_and_formats_that_say_nothing_are_refused(given, told):
    result = run(*given)
    assert result.exit_code == 2
    assert told in result.stderr
