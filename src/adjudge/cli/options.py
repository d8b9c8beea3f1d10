"""Options that several commands share, and how answers are printed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from adjudge._base.text import safe
from adjudge.judgements.decision import ASSURANCE as USUAL_ASSURANCE
from adjudge.judgements.decision import MARGIN

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
        if given["classes"] is not None:
            given["classes"] = [label.strip() for label in given["classes"].split(",")]
        return command(**given)

    return _with(wrapped, options)


def comparing(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how several files are to be compared, as a mapping `asked`."""
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
        asked = {name: given.pop(name) for name in ("measure", "margin", "assurance", "by_position", "independent", "names")}
        if asked["names"] is not None:
            asked["names"] = [name.strip() for name in asked["names"].split(",")]
        return command(asked=asked, **given)

    return _with(wrapped, options)


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


OUTPUT = click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("report.html"), show_default=True, help="The page to write."
)
PAGE = click.option("-o", "--output", type=click.Path(path_type=Path), help="A page to write.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")


def check_apart(
    predictions: Sequence[Path], output: Path | None, what: str = "the predictions", *, written: str = "page"
) -> None:
    """Refuse to write where something is that was read; `written` is what would be written, and `what` what was read."""
    from adjudge._base.errors import InputError

    if output is not None and output.exists() and any(path.exists() and output.samefile(path) for path in predictions):
        msg = f"The {written} would replace {what} in {safe(output)}. Choose another place to write to."
        raise InputError(msg)


def check_page(output: Path | None) -> None:
    """Refuse a page whose name promises something else."""
    if output is not None and output.suffix.lower() not in (".html", ".htm"):
        msg = f"-o writes a page: give a name that ends in .html; got {safe(output.name)}."
        raise click.UsageError(msg)


def check_places(**places: Path | None) -> None:
    """Refuse places that cannot be written to before the work, not after it; each is named by its option."""
    from adjudge._base.errors import InputError
    from adjudge._base.files import check_place

    given = {name: path for name, path in places.items() if path is not None}
    for path in given.values():
        check_place(path)
    if len({path.absolute() for path in given.values()}) < len(given):
        flags = " and ".join(f"--{name.replace('_', '-')}" for name in given)
        msg = f"{flags} need a file each; two of them name the same."
        raise InputError(msg)


def print_json(value: Any) -> None:
    """Print strict JSON: no NaN, nothing but ASCII."""
    import json

    click.echo(json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False))
