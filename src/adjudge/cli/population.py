"""Subjects, or data sets, as draws of a population."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.answers import PAGES, PICTURES, Printed, answer, check_ending, check_places
from adjudge.cli.group import main
from adjudge.cli.options import FILE, PICTURE, columns, listed

_MEASURES, _PRIORS = ("balanced_accuracy", "accuracy"), ("brodersen", "weak")
_CHANCE = "The chance level; one over the number of classes unless given."


@main.command(
    examples=(
        "adjudge population subjects.csv --cluster subject",
        "adjudge population s1.csv s2.csv s3.csv s4.csv s5.csv --measure accuracy",
    ),
)
@click.argument("predictions", type=FILE, nargs=-1, required=True)
@click.option("--measure", type=click.Choice(_MEASURES), default=_MEASURES[0], show_default=True, help="What is evaluated.")
@click.option("--chance", type=float, metavar="P", help=_CHANCE)
@click.option("--prior", type=click.Choice(_PRIORS), default=_PRIORS[0], show_default=True, help="Of the mean and the spread.")
@click.option("--names", metavar="A,B,...", help="What to call the files; their own names unless given.")
@PICTURE
@columns
def population(predictions: tuple[Path, ...], *, output: Path | None, printed: Printed, names: str | None, **asked: Any) -> None:
    """Say how good a classifier is for the population of subjects.

    Give one file with a column of subjects (--cluster), or a file of each subject or data set. The result is the population mean,
    what to expect of the next subject, how much subjects differ, and each subject in the light of the others.
    """
    from adjudge.verbs.population import population

    check_places(*predictions, output=output)
    check_ending(output, (*PAGES, *PICTURES, ".md", ".json"), "a page, a picture, Markdown or numbers")
    answer(population(*predictions, names=listed(names), progress=True, **asked), printed=printed, output=output)
