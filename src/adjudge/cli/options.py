"""Options that several commands share, and how their texts become values."""

from __future__ import annotations

import ast
import functools
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from adjudge._base import InputError, safe
from adjudge.cli.answers import PICTURES, Printed
from adjudge.judgements.decision import ASSURANCE as USUAL_ASSURANCE
from adjudge.judgements.decision import MARGIN

Command = Callable[..., Any]
FILE = click.Path(path_type=Path)
EXACT = click.option("--exact", is_flag=True, help="The exact AUC of a file with many scores; takes memory, or another reading.")
LEARNING = "--learner sklearn.naive_bayes:GaussianNB --data train.csv --target species"
"""A learner and its cases in examples of help."""
FORMATS = ("text", "markdown", "json", "csv")
"""How a result is printed."""
_TITLE = click.option("--title", metavar="TEXT", help="Title of the page.")
_REPORT = click.option("-o", "--output", type=FILE, default=Path("report.html"), show_default=True, help="The page to write.")
_PAGE = click.option("-o", "--output", type=FILE, help="A page to write.")
_PICTURE = click.option("-o", "--output", type=FILE, help="A page (.html) or a picture (.svg, .png, .pdf).")
_PRINTED = (
    click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="How to print it."),
    click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
)
JOBS = click.option("--jobs", "n_jobs", type=int, help="Processes to use, where they pay.")
_OFTEN = "How often the number of cases named decides, if the truth is what was seen or expected."
ASSURANCE = click.option("--assurance", type=float, default=USUAL_ASSURANCE, show_default=True, help=_OFTEN)
SCALES = ["probabilities", "percentages", "votes", "logits", "confidence", "scores"]
_ROLES = (
    ("--truth", "COLUMN", "The true class of each case."),
    ("--predicted", "COLUMN", "What was decided; compare and report take columns of several models, a,b."),
    ("--scores", "COLUMNS", "Scores: a column, 'p_*' (the class in place of *), or a=col1,b=col2; '' for none."),
    ("--row", "COLUMN", "What identifies a case; '' for none, as for fold, group, cluster, run and weight."),
    ("--fold", "COLUMN", "The fold a case was tested in."),
    ("--group", "COLUMN", "A group to count apart."),
    ("--cluster", "COLUMN", "What rows belong to, such as a patient or a prompt: clusters are independent, rows are not."),
    ("--run", "COLUMN", "The run, seed or annotator that gave an answer, where each case (--row) has several answers."),
    ("--weight", "COLUMN", "How much a case counts."),
    ("--count", "COLUMN", "How many cases a row stands for, as COUNT(*) of GROUP BY says."),
    ("--split", "COLUMN", "The column of test and training rows; set=dev evaluates the rows with dev, '' all rows."),
    ("--positive", "CLASS", "The class looked for."),
    ("--rejected", "LABEL", "The decision that means 'no decision'."),
    ("--relabel", "A=B,...", "Labels that mean others, such as Yes=1,No=0."),
    ("--classes", "A,B,...", "The classes, in the order to show them."),
)
_CHOICES = (
    ("--scores-are", SCALES, None, "What the scores hold."),
    ("--missing", ["error", "drop", "class"], "error", "Rows without a label."),
    ("--missing-scores", ["error", "drop", "worst"], "error", "Rows without a score."),
    ("--duplicates", ["error", "first", "mean"], "error", "Rows that name the same case."),
    ("--labels-as", ["str"], None, "Compare labels as text."),
    ("--engine", ["polars", "duckdb", "dask", "pyspark"], None, "Who reads the files; dask and pyspark count where rows are."),
)
_COLUMNS = (
    *(click.option(flag, metavar=what, help=text) for flag, what, text in _ROLES),
    click.option("--threshold", type=float, help="Score from which on a case is predicted positive."),
    click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals."),
    *(
        click.option(flag, type=click.Choice(values), default=default, show_default=default is not None, help=text)
        for flag, values, default, text in _CHOICES
    ),
    click.option("--jobs", "n_jobs", type=int, help="Processes that count a large file; as many as cores unless given."),
)
_READING = (
    click.option("--interval", metavar="METHOD", default="default", help="How intervals are made, such as wilson."),
    click.option("--prior", metavar="PRIOR", default="jeffreys", show_default=True, help="jeffreys, flat, dirichlet or A,B."),
)
_COMPARING = (
    click.option("--measure", metavar="NAME", help="What to compare; the accuracy, or mae for numbers, unless given."),
    click.option("--margin", type=float, help=f"Equivalence margin: differences up to it count as none; usually {MARGIN}."),
    ASSURANCE,
    click.option("--by-position", is_flag=True, help="Row i is the same case in every file; no column says so."),
    click.option("--independent", is_flag=True, help="The two files were tested on different cases."),
    click.option("--names", metavar="A,B,...", help="What to call the files; their own names unless given."),
)
_LEARNING = (
    click.option("--learner", required=True, metavar="MODULE:CLASS", help="e.g. sklearn.neighbors:KNeighborsClassifier."),
    click.option("--params", multiple=True, metavar="NAME=VALUE", help="A parameter of the learner; may be repeated."),
    click.option("--data", required=True, type=FILE, help="Training cases: .csv, .csv.gz or .parquet."),
    click.option("--target", required=True, metavar="COLUMN", help="What is to be predicted."),
    click.option("--leave-out", multiple=True, metavar="COLUMN", help="A column to leave out; may be repeated."),
    click.option("--seed", "random_state", type=int, default=0, show_default=True, help="The same seed gives the same digits."),
)


def with_options(command: Command, options: Sequence[Command], **read: Command) -> Command:
    """Add options, in the order in which help shall show them; `read` makes values of the texts of some."""

    @functools.wraps(command)
    def wrapped(**given: Any) -> Any:
        return command(**given | {name: value_of(given[name]) for name, value_of in read.items()})

    return functools.reduce(lambda decorated, option: option(decorated), reversed(options), wrapped if read else command)


def listed(text: str | None) -> list[str] | None:
    """Return what stands between commas."""
    return None if text is None else [part.strip() for part in text.split(",")]


def shares(option: str, text: str) -> dict[str, float]:
    """Return the share of each class that an option names."""
    pairs = [part.rpartition("=") for part in text.split(",")]
    try:
        by_class = {label.strip(): float(share) for label, _, share in pairs}
    except ValueError:
        by_class = {}
    if len(by_class) < len(pairs) or "" in by_class:
        msg = f"{option} takes each class once with its share, such as a=0.2,b=0.8; got {safe(text)!r}."
        raise click.UsageError(msg)
    return by_class


def learner(name: str, params: tuple[str, ...], flag: str = "--learner") -> Any:
    """Import a class and make a learner of it; `flag` is the option that named it. Values are Python literals, or else texts."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise InputError(flag, f" takes MODULE:CLASS, such as sklearn.naive_bayes:GaussianNB; got {safe(name)}.")
    try:
        kind = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        raise InputError(flag, f" {safe(name)} cannot be imported: {safe(str(error), 300)}.") from error
    given: dict[str, Any] = {}
    for text in params:
        key, equals, value = text.partition("=")
        if not equals or not key.isidentifier():
            msg = f"--params takes NAME=VALUE, such as n_neighbors=11; got {safe(text)}."
            raise InputError(msg)
        try:
            given[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            given[key] = value
    try:
        return kind(**given)
    except Exception as error:
        raise InputError(safe(attribute), f" does not take these parameters: {safe(str(error), 300)}.") from error


def _prior(text: str) -> str | tuple[float, ...]:
    """Return a prior's name, or its two numbers."""
    try:
        return tuple(float(part) for part in text.split(",")) if "," in text else text
    except ValueError:
        msg = f"--prior takes jeffreys, flat, dirichlet or two numbers such as 2,5; got {safe(text)!r}."
        raise click.UsageError(msg) from None


def _printed(command: Command, first: Sequence[Command] = ()) -> Command:
    """Add what says how a result is printed, below what says where a page is written and what it is called."""

    @functools.wraps(command)
    def wrapped(*, form: str, as_json: bool, title: str | None = None, **given: Any) -> Any:
        if as_json and form not in ("text", "json"):
            msg = f"--json is short for --format json; leave out --json or --format {form}."
            raise click.UsageError(msg)
        output = given.get("output")
        pages = form == "markdown" or (output is not None and output.suffix.lower() not in (*PICTURES, ".json"))
        if title is not None and not (pages and title.strip()):
            msg = "--title names a page; write one with -o page.html." if not pages else "--title needs some text."
            raise click.UsageError(msg)
        return command(printed=Printed("json" if as_json else form, title), **given)

    return with_options(wrapped, (*first, *_PRINTED))


FORMAT = _printed
"""Adds how the result is printed."""
REPORT, PAGE, PICTURE = (functools.partial(_printed, first=(each, _TITLE)) for each in (_REPORT, _PAGE, _PICTURE))
"""Add this, the file that is written, and its title."""
columns = functools.partial(with_options, options=_COLUMNS, classes=listed)
"""Adds the options that say how a file is to be read."""
reading = functools.partial(with_options, options=(*_COLUMNS, *_READING), classes=listed, prior=_prior)
"""Adds these, and those that say how its intervals and posteriors are made."""
comparing = functools.partial(with_options, options=_COMPARING, names=listed)
"""Adds the options that say how several files are to be compared."""


def learning(command: Command) -> Command:
    """Add the options that name a learner and its cases, and those of a page."""
    return with_options(PAGE(command), _LEARNING)
