"""Commands that correct a finished classifier: fit a correction, apply it to files."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from adjudge._base.text import safe
from adjudge.cli.answers import answer, check_apart, check_ending, check_places
from adjudge.cli.group import main
from adjudge.cli.options import FILE, JSON, columns, shares

PRICES = ("gamma", "alpha", "costs", "reject_cost", "max_rejection")
_FITTING = (
    click.option(
        "--kind",
        required=True,
        type=click.Choice(["multipliers", "softmax", "errors", "priors", "reject", "costs"]),
        help="What to fit.",
    ),
    click.option("--bounds", metavar="LOW,HIGH", help="Within which every multiplier lies, such as 0,1; or free."),
    click.option("--weights", type=click.Choice(["balanced"]), help="balanced: all classes alike, for balanced accuracy."),
    click.option(
        "--thresholds",
        type=click.Choice(["two-sided", "max-probability", "per-class"]),
        help="Of two classes two-sided, of more max-probability, unless given.",
    ),
    click.option("--gamma", type=float, help="Reject where it pays: errors cost 1 + gamma, rejections 1."),
    click.option("--alpha", type=float, help="Of two classes: what a false positive costs, where a missed case costs 1."),
    click.option("--costs", type=FILE, help="A .json file: {true: {decided: cost}}, with REJECTED for no decision."),
    click.option("--reject-cost", type=float, help="What rejecting a case costs."),
    click.option("--max-rejection", type=float, help="The largest share of cases to reject."),
    click.option("--priors", metavar="A=P,B=P", help="The new class priors; or counted, those of PREDICTIONS, with --old."),
    click.option("--unlabelled", type=FILE, help="Cases without truth that the new priors are estimated from."),
    click.option("--counted", type=FILE, help="A random sample with truth in which the new priors are counted."),
    click.option("--old", metavar="A=P,B=P", help="The priors of the training cases; the shares of PREDICTIONS unless given."),
)


def _fitting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what to fit."""
    return functools.reduce(lambda decorated, option: option(decorated), reversed(_FITTING), command)


@main.group()
def correct() -> None:
    """Correct a classifier without fitting it again: other thresholds, priors, costs."""


@correct.command()
@click.argument("predictions", type=FILE)
@_fitting
@click.option("-o", "--output", type=FILE, required=True, help="The .json file of the correction to write.")
@JSON
@columns
def fit(predictions: Path, output: Path, *, as_json: bool, **asked: Any) -> None:
    """Fit a correction to PREDICTIONS whose truth is known, and write it as a small JSON file.

    Kinds: multipliers (one for each class, least squares), softmax (the same through exponentials), errors (multipliers
    that make few errors), priors (new class priors), reject (thresholds that leave doubtful cases undecided), costs (least
    expected cost).
    """
    from adjudge.verbs.correct import fit

    read = (predictions, *(asked[name] for name in ("costs", "unlabelled", "counted")))
    check_apart(read, output, what="what was read", written="correction")
    check_places(such_as="correction.json", output=output)
    check_ending(output, (".json",), "a correction")
    asked["bounds"] = _bounds(asked["bounds"])
    for name in ("priors", "old"):
        if asked[name] not in (None, "counted"):
            asked[name] = shares(f"--{name}", asked[name])
    found = fit(predictions, **asked)
    answer(found, as_json=as_json, output=output, save=found.save)


@correct.command()
@click.argument("correction", type=FILE)
@click.argument("predictions", type=FILE)
@click.option("-o", "--output", type=FILE, required=True, help="A .csv, .csv.gz or .parquet file to write.")
@click.option(
    "--scores", metavar="COLUMNS", help="Scores: 'p_*' (the class in place of *), a=col1,b=col2, or of two classes one."
)
@click.option(
    "--scores-are",
    type=click.Choice(["probabilities", "percentages", "votes", "logits", "scores"]),
    help="What the scores hold.",
)
@click.option("--predicted", metavar="COLUMN", help="The old decision, which the new one replaces.")
@click.option("--positive", metavar="CLASS", help="The class that a single score speaks of.")
@JSON
def apply(correction: Path, predictions: Path, output: Path, *, as_json: bool, **asked: Any) -> None:
    """Apply a CORRECTION to a file of PREDICTIONS of any size; no truth is needed.

    Scores become corrected probabilities p_<class>, the decision becomes the corrected one, other columns stay as they are.
    """
    from adjudge.verbs.correct import apply

    answer(apply(correction, predictions, output, **asked), as_json=as_json, written=output)


def _bounds(text: str | None) -> Any:
    if text is None or text.strip() == "free":
        return "usual" if text is None else None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        low = high = float("nan")
    if not 0 <= low < high:
        msg = f"--bounds takes two numbers from 0 on, the lower one first, such as 0,1, or free; got {safe(text)!r}."
        raise click.UsageError(msg)
    return low, high
