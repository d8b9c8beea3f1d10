"""What a threshold on the score of a class does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge._base.files import write_whole
from adjudge.cli.answers import Printed, answer, check_places
from adjudge.cli.group import main
from adjudge.cli.options import FILE, PAGE, columns
from adjudge.cli.wording import in_shell

_SHARE, _COST = click.FloatRange(0, 1, min_open=True, max_open=True), click.FloatRange(0, min_open=True)


@main.command(
    examples=("adjudge threshold two.csv --miss-cost 5", "adjudge threshold two.csv --threshold 0.3 -o thresholds.html"),
)
@click.argument("predictions", type=FILE)
@click.option("--prevalence", type=_SHARE, metavar="SHARE", help="How common the class is in use; as in the file unless given.")
@click.option("--miss-cost", type=_COST, default=1.0, show_default=True, help="What a false negative costs.")
@click.option("--alarm-cost", type=_COST, default=1.0, show_default=True, help="What a false positive costs.")
@PAGE
@columns
def threshold(predictions: Path, *, threshold: float | None, output: Path | None, printed: Printed, **asked: Any) -> None:
    """Say what a threshold does, or which costs least.

    That is --threshold, or else the one of least expected cost. The class is the positive one, --positive, or else the rarest.
    With -o a page with sliders is written that begins with what is asked.
    """
    from adjudge.verbs.thresholds import thresholds

    check_places(predictions, output=output)
    use = {name: asked.pop(name) for name in ("prevalence", "miss_cost", "alarm_cost")}
    choices = thresholds(predictions, progress=True, **asked)
    point = choices.least_cost(**use) if threshold is None else choices.at(threshold, **use)

    def save(place: Path) -> Path:
        return write_whole(place, in_shell(choices.beginning(point), kept=True).to_html(title=printed.title))

    answer(point, printed=printed, output=output, save=save)
