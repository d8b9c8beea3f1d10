"""The command that says what a threshold does, and which one costs least."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.counting import without_columns
from adjudge.cli.estimating import tell
from adjudge.cli.group import main
from adjudge.cli.options import JSON, PAGE, check_apart
from adjudge.cli.options import columns as reading_options
from adjudge.cli.wording import in_shell

_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
_COST = click.FloatRange(0, min_open=True)


@main.command()
@click.argument("predictions", type=click.Path(path_type=Path))
@click.option("--prevalence", type=_SHARE, metavar="SHARE", help="How common the class is in use; as in the file unless given.")
@click.option("--miss-cost", type=_COST, default=1.0, show_default=True, help="What a false negative costs.")
@click.option("--alarm-cost", type=_COST, default=1.0, show_default=True, help="What a false positive costs.")
@PAGE
@JSON
@reading_options
def threshold(
    predictions: Path,
    *,
    prevalence: float | None,
    miss_cost: float,
    alarm_cost: float,
    output: Path | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Say what a threshold does, at any prevalence and for any costs.

    That is --threshold, or else the one of least expected cost. The class is the positive one, --positive, or else the rarest.
    With -o a page with sliders is written that begins with what is asked.
    """
    from adjudge._base.files import write_whole
    from adjudge.counts.result import is_counts
    from adjudge.verbs.thresholds import thresholds

    check_apart([predictions], output)
    at = reading.pop("threshold")
    if is_counts(predictions):
        reading = without_columns(reading, kept=("threshold",))
    found = in_shell(thresholds(predictions, **reading))
    use: dict[str, Any] = {"prevalence": prevalence, "miss_cost": miss_cost, "alarm_cost": alarm_cost}
    point = found.least_cost(**use) if at is None else found.at(at, **use)
    pages = {} if output is None else {output: lambda place: write_whole(place, found.beginning(point).to_html())}
    tell(point, [output], None, as_json=as_json, files=pages)
