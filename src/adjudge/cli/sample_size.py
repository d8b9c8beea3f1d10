"""How many cases a test set needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge._base import safe
from adjudge.cli.answers import PAGES, PICTURES, Printed, answer, check_ending, check_places
from adjudge.cli.group import main
from adjudge.cli.options import ASSURANCE, FILE, PICTURE, columns, shares
from adjudge.judgements.decision import MARGIN

_MARGIN = "Equivalence margin: differences up to it count as none."


@main.command(
    name="sample-size",
    examples=(
        "adjudge sample-size --half-width 0.02 --expected 0.9",
        "adjudge sample-size old.csv new.csv --difference 0.05",
    ),
)
@click.argument("pilots", type=FILE, nargs=-1)
@click.option("--half-width", type=float, metavar="W", help="Goal: an interval of half width W, on average.")
@click.option("--above", type=float, metavar="BOUND", help="Goal: to show accuracy or sensitivity above BOUND.")
@click.option("--difference", type=float, metavar="D", help="Goal: that compare says 'better' of two that differ by D.")
@click.option("--equivalent", is_flag=True, help="Goal: that compare says 'practically the same' of two.")
@click.option("--measure", default="accuracy", show_default=True, metavar="NAME", help="Of a pilot any measure with an interval.")
@click.option("--expected", metavar="P", help="What the measure is taken to be; a=P,b=P for recalls; of a pilot as seen.")
@click.option("--share", metavar="S", help="Share of the class spoken of; a=S,b=S for the balanced accuracy.")
@click.option("--discordant", metavar="S", help="Share of cases that only one of two gets correct; a=S,b=S by class.")
@click.option("--independent", is_flag=True, help="The two classifiers are tested on different cases.")
@click.option("--margin", type=float, default=MARGIN, show_default=True, help=_MARGIN)
@ASSURANCE
@click.option("--intra-cluster", type=float, metavar="R", help="Intra-cluster correlation of correctness, such as 0.25.")
@click.option("--cluster-size", type=float, metavar="M", help="Cases of each cluster (such as a patient), on average.")
@click.option("--cluster-variation", type=float, metavar="V", help="Coefficient of variation of the cases of a cluster.")
@PICTURE
@columns
def sample_size(pilots: tuple[Path, ...], *, output: Path | None, printed: Printed, **asked: Any) -> None:
    """Say how many cases a test set needs.

    Give one goal: --half-width, --above, --difference or --equivalent. The number reaches it with the assurance, 80% unless
    given, through the verdict of gate (--above) or compare (--difference, --equivalent). Two pilots of the same cases tell how
    often only one of two classifiers is correct, on which the number depends. Cases of patients or prompts are alike: give
    --intra-cluster and --cluster-size, or a pilot whose rows name their clusters.
    """
    from adjudge.verbs.sample_size import sample_size

    check_places(*pilots, output=output)
    check_ending(output, (*PAGES, *PICTURES), "a page or a picture")
    asked |= {name: _numbers(f"--{name}", asked[name]) for name in ("expected", "share", "discordant")}
    answer(sample_size(*pilots, progress=True, **asked), printed=printed, output=output)


def _numbers(option: str, text: str | None) -> float | dict[str, float] | None:
    """Return a number, or one for each class."""
    if text is None or "=" in text:
        return None if text is None else shares(option, text)
    try:
        return float(text)
    except ValueError:
        msg = f"{option} takes a number such as 0.9, or one for each class such as a=0.2,b=0.8; got {safe(text)!r}."
        raise click.UsageError(msg) from None
