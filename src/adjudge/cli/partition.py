"""Cases of one or several files in a simplex."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.answers import PAGES, PICTURES, Printed, answer, check_ending, check_places
from adjudge.cli.group import main
from adjudge.cli.options import FILE, PICTURE, columns, listed


@main.command(
    examples=("adjudge partition predictions.csv -o partition.svg", "adjudge partition old.csv new.csv -o partitions.html"),
)
@click.argument("predictions", type=FILE, nargs=-1, required=True)
@click.option("--depth", type=int, default=1, show_default=True, help="Classes of highest membership that name a region.")
@click.option("--convention", type=click.Choice(["paper", "klar"]), default="paper", show_default=True, help="How to scale.")
@click.option("--original", is_flag=True, help="Draw memberships as they came, not scaled.")
@click.option("--lines", type=click.Choice(["scaled_accuracy", "ability_to_separate"]), help="Distances to draw.")
@click.option("--show", metavar="A,B,...", help="The classes to draw, one to four; one is drawn against the rest.")
@click.option("--rest", is_flag=True, help="Give the classes not shown a corner of their own.")
@click.option("--by-position", is_flag=True, help="Row i is the same case in every file; no column says so.")
@click.option("--names", metavar="A,B,...", help="What to call the files; their own names unless given.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the bootstrap intervals.")
@PICTURE
@columns
def partition(predictions: tuple[Path, ...], *, names: str | None, output: Path | None, printed: Printed, **asked: Any) -> None:
    """Draw cases in a space whose corners are the classes.

    Files need the probabilities of all classes, or scores of all classes (--scores-are scores). Memberships are scaled to what
    the assignments are worth, so that classifiers of any kind can be compared: Ac, how near cases lie to the corners of their
    true classes, and AS, of the predicted ones.
    """
    from adjudge.verbs.compare_partitions import compare_partitions

    check_places(*predictions, output=output)
    seed, original, lines, show, rest = (asked.pop(name) for name in ("seed", "original", "lines", "show", "rest"))
    if output is None and (original or lines or show or rest):
        msg = "--original, --lines, --show and --rest say how to draw; name a page or a picture with -o."
        raise click.UsageError(msg)
    check_ending(output, (*PAGES, *PICTURES), "a page or a picture")
    comparison = compare_partitions([str(path) for path in predictions], names=listed(names), rng=seed, progress=True, **asked)
    comparison = comparison.drawn(space="original" if original else "scaled", lines=lines, classes=listed(show), rest=rest)
    answer(comparison, printed=printed, output=output)
