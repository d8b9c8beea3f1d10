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
from adjudge.cli.wording import in_shell

if TYPE_CHECKING:
    from adjudge.judgements.evaluation import Evaluation


@main.command()
@click.argument("predictions", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The file of counts to write.")
@click.option("--paired", is_flag=True, help="The files judge the same cases: count what they say of each, to compare them.")
@click.option("--by-position", is_flag=True, help="With --paired: row i is the same case in every file; no column says so.")
@click.option("--names", metavar="A,B,...", help="With --paired: what to call the files, alike wherever parts are counted.")
@JSON
@columns
def count(
    predictions: tuple[Path, ...],
    output: Path,
    *,
    paired: bool,
    by_position: bool,
    names: str | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Count PREDICTIONS: write all that a verdict needs as sums that add up, and no single case.

    Several files, or files of counts, are added up. Judge the result with adjudge report FILE.counts, together with the counts
    of other places if there are any. With --paired the files are different classifiers' answers on the same cases, found by a
    column that identifies them (--row): judge the result with adjudge compare FILE.counts.
    """
    from adjudge.counts.result import all_together, refuse_again

    _check_named(output)
    check_apart(predictions, output, "what was read", written="counts")
    how = {name: value for name, value in reading.items() if name != "level"}
    if paired:
        found = _paired(predictions, names, by_position=by_position, how=how)
    else:
        _refuse_without_pairs(names, by_position=by_position)
        refuse_again(predictions)
        found = all_together([_counted(path, how) for path in predictions])
    written = found.save(output)
    found = in_shell(found)
    if as_json:
        print_json(found.to_dict())
        return
    told = "".join(f"{finding}\n" for finding in getattr(found, "found", ()))
    click.echo(f"{safe(repr(found), 500)}\n{told}\nWrote {safe(written, 1000)}")


def _check_named(output: Path) -> None:
    """Refuse a name by which nobody would know counts: files are told apart by their endings."""
    from adjudge.counts.result import is_counts

    if not is_counts(output):
        msg = f"-o writes counts: give a name that ends in .counts; got {safe(output.name)}."
        raise click.UsageError(msg)


def _counted(path: Path, how: dict[str, Any]) -> Any:
    from adjudge.counts.result import is_counts, load_counts
    from adjudge.verbs.count import count

    return load_counts(path) if is_counts(path) else count(path, **how)


def _paired(paths: Sequence[Path], names: str | None, *, by_position: bool, how: dict[str, Any]) -> Any:
    """Count files side by side."""
    from adjudge.counts.result import is_counts
    from adjudge.verbs.count_pairs import count_pairs

    if any(is_counts(path) for path in paths):
        msg = "--paired takes predictions, not counts; files of counts add up without it."
        raise click.UsageError(msg)
    if len(paths) < _TWO:
        msg = "--paired takes two files of predictions of the same cases, or more."
        raise click.UsageError(msg)
    told = None if names is None else [name.strip() for name in names.split(",")]
    return count_pairs(*paths, names=told, by_position=by_position, **how)


def _refuse_without_pairs(names: str | None, *, by_position: bool) -> None:
    if names is not None or by_position:
        msg = "--names and --by-position say how files are paired; they go with --paired."
        raise click.UsageError(msg)


def judge_counts(paths: tuple[Path, ...], reading: dict[str, Any]) -> Evaluation:
    """Judge files of counts, added up."""
    from adjudge.counts.result import load_counts
    from adjudge.verbs.evaluate import evaluate

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
    from adjudge.counts.result import is_counts

    kinds = [is_counts(path) for path in paths]
    if any(kinds) and not all(kinds):
        one, other = (safe(paths[kinds.index(kind)].name) for kind in (True, False))
        msg = f"{one} holds counts and {other} predictions, which cannot be mixed: counts keep no cases to compare. "
        raise click.UsageError(msg + f"To add them up, count the predictions first: adjudge count {other} -o FILE.counts.")
    return all(kinds)


_TWO = 2
_SETTLED = (
    *("truth", "predicted", "scores", "row", "fold", "group", "weight", "positive", "rejected", "classes", "threshold"),
    *("scores_are", "missing", "missing_scores", "duplicates", "labels_as", "engine"),
)
