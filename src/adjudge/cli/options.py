"""Options that several commands share, and how their texts become values."""

from __future__ import annotations

import ast
import functools
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from adjudge._base.errors import InputError
from adjudge._base.text import safe
from adjudge.judgements.decision import ASSURANCE as USUAL_ASSURANCE
from adjudge.judgements.decision import MARGIN

FILE = click.Path(path_type=Path)
OUTPUT = click.option("-o", "--output", type=FILE, default=Path("report.html"), show_default=True, help="The page to write.")
PAGE = click.option("-o", "--output", type=FILE, help="A page to write.")
PICTURE = click.option("-o", "--output", type=FILE, help="A page (.html) or a picture (.svg, .png, .pdf).")
JSON = click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
ASSURANCE = click.option(
    "--assurance",
    type=float,
    default=USUAL_ASSURANCE,
    show_default=True,
    help="How often the number of cases named decides, if the truth is what was seen or expected.",
)
_ROLES = (
    ("--truth", "COLUMN", "The true class of each case."),
    ("--predicted", "COLUMN", "What was decided."),
    ("--scores", "COLUMNS", "Scores: a column, 'p_*' (the class in place of *), or a=col1,b=col2."),
    ("--row", "COLUMN", "What identifies a case."),
    ("--fold", "COLUMN", "The fold a case was tested in."),
    ("--group", "COLUMN", "A group to count apart."),
    ("--weight", "COLUMN", "How much a case counts."),
    ("--split", "COLUMN", "Tells test rows from training rows; set=dev judges the rows with dev, '' all rows."),
    ("--positive", "CLASS", "The class looked for."),
    ("--rejected", "LABEL", "The decision that means 'no decision'."),
    ("--relabel", "A=B,...", "Labels that mean others, such as Yes=1,No=0."),
)


def reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a file is to be read, and how its intervals and posteriors are made."""
    more = (
        click.option("--interval", metavar="METHOD", default="default", help="How intervals are made, such as wilson."),
        click.option("--prior", metavar="PRIOR", default="jeffreys", show_default=True, help="jeffreys, flat, dirichlet or A,B."),
    )

    @functools.wraps(command)
    def wrapped(**given: Any) -> Any:
        return command(**given | {"prior": _prior(given["prior"])})

    return columns(_with(wrapped, more))


def columns(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a file is to be read."""
    choices = (
        (
            "--scores-are",
            ["probabilities", "percentages", "votes", "logits", "confidence", "scores"],
            None,
            "What the scores hold.",
        ),
        ("--missing", ["error", "drop", "class"], "error", "Rows without a label."),
        ("--missing-scores", ["error", "drop", "worst"], "error", "Rows without a score."),
        ("--duplicates", ["error", "first", "mean"], "error", "Rows that name the same case."),
        ("--labels-as", ["str"], None, "Compare labels as text."),
        ("--engine", ["polars", "duckdb", "dask", "pyspark"], None, "Who reads the files and counts their rows."),
    )
    options = [click.option(flag, metavar=what, help=text) for flag, what, text in _ROLES]
    options.append(click.option("--classes", metavar="A,B,...", help="The classes, in the order to show them."))
    options.append(click.option("--threshold", type=float, help="Score from which on a case is predicted positive."))
    options.append(click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals."))
    options += [
        click.option(flag, type=click.Choice(values), default=default, show_default=default is not None, help=text)
        for flag, values, default, text in choices
    ]

    @functools.wraps(command)
    def wrapped(**given: Any) -> Any:
        return command(**given | {"classes": listed(given["classes"])})

    return _with(wrapped, options)


def comparing(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how several files are to be compared."""
    options = (
        click.option("--measure", metavar="NAME", help="What to compare; the accuracy, or mae for numbers, unless given."),
        click.option("--margin", type=float, help=f"Equivalence margin: differences up to it count as none; usually {MARGIN}."),
        ASSURANCE,
        click.option("--by-position", is_flag=True, help="Row i is the same case in every file; no column says so."),
        click.option("--independent", is_flag=True, help="The two files judge different cases."),
        click.option("--names", metavar="A,B,...", help="What to call the files; their own names unless given."),
    )

    @functools.wraps(command)
    def wrapped(**given: Any) -> Any:
        return command(**given | {"names": listed(given["names"])})

    return _with(wrapped, options)


def learning(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name a learner and its cases."""
    return _with(
        command,
        (
            click.option("--learner", required=True, metavar="MODULE:CLASS", help="e.g. sklearn.neighbors:KNeighborsClassifier."),
            click.option("--params", multiple=True, metavar="NAME=VALUE", help="A parameter of the learner; may be repeated."),
            click.option("--data", required=True, type=FILE, help="Cases to learn from: .csv, .csv.gz or .parquet."),
            click.option("--target", required=True, metavar="COLUMN", help="What is to be predicted."),
            click.option("--leave-out", multiple=True, metavar="COLUMN", help="A column not to learn from; may be repeated."),
            click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same digits."),
            PAGE,
            JSON,
        ),
    )


def listed(text: str | None) -> list[str] | None:
    """Return what stands between commas."""
    return None if text is None else [part.strip() for part in text.split(",")]


def shares(option: str, text: str) -> dict[str, float]:
    """Return the share of each class that an option names."""
    pairs = [part.rpartition("=") for part in text.split(",")]
    try:
        found = {label.strip(): float(share) for label, _, share in pairs}
    except ValueError:
        found = {}
    if len(found) < len(pairs) or "" in found:
        msg = f"{option} takes each class once with its share, such as a=0.2,b=0.8; got {safe(text)!r}."
        raise click.UsageError(msg)
    return found


def learner(name: str, params: tuple[str, ...], flag: str = "--learner") -> Any:
    """Import a class and make a learner of it; `flag` is the option that named it."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        msg = f"{flag} takes MODULE:CLASS, such as sklearn.naive_bayes:GaussianNB; got {safe(name)}."
        raise InputError(msg)
    try:
        kind = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        msg = f"{flag} {safe(name)} cannot be imported: {safe(str(error), 300)}."
        raise InputError(msg) from error
    try:
        return kind(**dict(_parameter(text) for text in params))
    except InputError:
        raise
    except Exception as error:
        msg = f"{safe(attribute)} does not take these parameters: {safe(str(error), 300)}."
        raise InputError(msg) from error


def _parameter(text: str) -> tuple[str, Any]:
    """Return a name and its value: a Python literal where it is one, else the text itself."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        msg = f"--params takes NAME=VALUE, such as n_neighbors=11; got {safe(text)}."
        raise InputError(msg)
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def _with(command: Callable[..., Any], options: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """Add options, in the order in which help shall show them."""
    return functools.reduce(lambda decorated, option: option(decorated), reversed(options), command)


def _prior(text: str) -> str | tuple[float, ...]:
    """Return a prior's name, or its two numbers."""
    try:
        return tuple(float(part) for part in text.split(",")) if "," in text else text
    except ValueError:
        msg = f"--prior takes jeffreys, flat, dirichlet or two numbers such as 2,5; got {safe(text)!r}."
        raise click.UsageError(msg) from None
