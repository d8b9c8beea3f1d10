"""Options that several commands share: how their texts become values, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction

import click
import pytest
from tests.cli.running import run

from adjudge import InputError
from adjudge.cli.options import learner, listed, shares, with_options


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
