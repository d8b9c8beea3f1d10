"""The command that counts predictions where they are, so that only sums leave the place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from adjudge._base.text import safe
from adjudge.cli.group import main
from adjudge.cli.options import JSON, check_apart, columns, print_json

if TYPE_CHECKING:
    from adjudge.judgements.evaluation import Evaluation


@main.command()
@click.argument("predictions", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The file of counts to write.")
@JSON
@columns
def counts(predictions: tuple[Path, ...], output: Path, *, as_json: bool, **reading: Any) -> None:
    """Count PREDICTIONS: write all that a verdict needs as sums that add up, and no single case.

    Several files, or files of counts, are added up. Judge the result with adjudge report FILE.counts, together with the counts
    of other places if there are any.
    """
    from adjudge.counts.counted import together

    check_apart(predictions, output)
    found = together([_counted(path, reading) for path in predictions])
    written = found.save(output)
    if as_json:
        print_json(found.to_dict())
        return
    click.echo(f"{safe(repr(found), 500)}\n\nWrote {safe(written, 1000)}")


def _counted(path: Path, reading: dict[str, Any]) -> Any:
    from adjudge.counts.counted import is_counts, load_counts
    from adjudge.workflows import counted

    how = {name: value for name, value in reading.items() if name != "level"}
    return load_counts(path) if is_counts(path) else counted(path, **how)


def judge_counts(paths: tuple[Path, ...], reading: dict[str, Any]) -> Evaluation:
    """Judge files of counts, added up."""
    from adjudge.counts.counted import load_counts
    from adjudge.workflows import evaluate

    return evaluate(load_counts(*paths), **without_columns(reading))


def without_columns(asked: dict[str, Any], *, kept: Sequence[str] = ()) -> dict[str, Any]:
    """Return what was asked without what says how columns are read; refuse that where it was typed, not merely a default."""
    context, settled = click.get_current_context(), [name for name in _SETTLED if name not in kept]
    typed = [name for name in settled if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if typed:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in typed)
        msg = f"{flags}: that was settled when the predictions were counted, and a file of counts has no columns. Leave it out."
        raise click.UsageError(msg)
    return {name: value for name, value in asked.items() if name not in settled}


def all_counts(paths: Sequence[Path]) -> bool:
    """Return whether the files are of counts; refuse some that are among some that are not."""
    from adjudge.counts.counted import is_counts

    kinds = [is_counts(path) for path in paths]
    if any(kinds) and not all(kinds):
        one, other = (safe(paths[kinds.index(kind)].name) for kind in (True, False))
        msg = f"{one} holds counts and {other} predictions, which cannot be mixed: counts keep no cases to compare. "
        raise click.UsageError(msg + f"To add them up, count the predictions first: adjudge counts {other} -o FILE.counts.")
    return all(kinds)


_SETTLED = (
    *("truth", "predicted", "scores", "row", "fold", "group", "weight", "positive", "rejected", "classes", "threshold"),
    *("scores_are", "missing", "missing_scores", "duplicates", "labels_as"),
)
