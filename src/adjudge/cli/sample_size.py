"""The command that says how many cases are needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge._base.text import safe
from adjudge.cli.correcting import shares_in
from adjudge.cli.counting import all_counts, without_columns
from adjudge.cli.estimating import tell
from adjudge.cli.group import main
from adjudge.cli.options import ASSURANCE, JSON, check_apart
from adjudge.cli.options import columns as reading_options
from adjudge.judgements.decision import MARGIN

_PICTURES = (".svg", ".png", ".pdf")
_OUTPUT = click.option("-o", "--output", type=click.Path(path_type=Path), help="A page (.html) or a picture (.svg, .png, .pdf).")


@main.command(name="sample-size")
@click.argument("pilots", type=click.Path(path_type=Path), nargs=-1)
@click.option("--half-width", type=float, metavar="W", help="Goal: limits within W to either side, on average.")
@click.option("--above", type=float, metavar="BOUND", help="Goal: to show accuracy or sensitivity above BOUND.")
@click.option("--difference", type=float, metavar="D", help="Goal: that compare says 'better' of two that differ by D.")
@click.option("--equivalent", is_flag=True, help="Goal: that compare says 'practically the same' of two.")
@click.option("--measure", default="accuracy", show_default=True, metavar="NAME", help="Of a pilot any measure with limits.")
@click.option("--expected", metavar="P", help="What the measure is taken to be; a=P,b=P for recalls; of a pilot as seen.")
@click.option("--share", metavar="S", help="Share of the class spoken of; a=S,b=S for the balanced accuracy.")
@click.option("--discordant", metavar="S", help="Share of cases that just one of two gets right; a=S,b=S by class.")
@click.option("--independent", is_flag=True, help="The two classifiers judge different cases.")
@click.option(
    "--margin", type=float, default=MARGIN, show_default=True, help="Equivalence margin: differences up to it count as none."
)
@ASSURANCE
@_OUTPUT
@JSON
@reading_options
def sample_size(pilots: tuple[Path, ...], *, output: Path | None, as_json: bool, **asked: Any) -> None:
    """Say how many cases a test set needs, from what is expected or from PILOTS, files of predictions.

    Give one goal: --half-width, --above, --difference or --equivalent. The number reaches it with the assurance, 80% unless
    given, through the verdict of gate (--above) or compare (--difference, --equivalent). Two pilots of the same cases tell how
    often just one of two classifiers is right, on which the number depends.
    """
    from adjudge.verbs.sample_size import sample_size

    check_apart(pilots, output)
    picture = output is not None and output.suffix.lower() in _PICTURES
    if output is not None and not picture and output.suffix.lower() not in (".html", ".htm"):
        msg = f"-o takes a name that ends in .html, .svg, .png or .pdf; got {safe(output.name)}."
        raise click.UsageError(msg)
    if pilots and all_counts(pilots):
        asked = without_columns(asked, kept=("positive",))
    asked |= {name: _numbers(f"--{name}", asked[name]) for name in ("expected", "share", "discordant")}
    found = sample_size(*pilots, **asked)
    if picture and output is not None:
        from adjudge.plots.saving import save_plot

        save_plot(found, output)
    tell(found, [output], None if picture else output, as_json=as_json)


def _numbers(option: str, text: str | None) -> float | dict[str, float] | None:
    """Return a number, or one for each class."""
    if text is None or "=" in text:
        return None if text is None else shares_in(option, text)
    try:
        return float(text)
    except ValueError:
        msg = f"{option} takes a number such as 0.9, or one for each class such as a=0.2,b=0.8; got {safe(text)!r}."
        raise click.UsageError(msg) from None
