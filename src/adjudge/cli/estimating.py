"""The command that estimates a learner."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge._base.errors import InputError
from adjudge._base.text import safe
from adjudge.cli.group import main
from adjudge.cli.options import JSON, print_json

if TYPE_CHECKING:
    from adjudge.judgements.resampled import Resampled

INCOMPLETE = 3
"""Exit code of a run in which some fold failed."""


@main.command()
@click.option("--learner", required=True, metavar="MODULE:CLASS", help="e.g. sklearn.neighbors:KNeighborsClassifier.")
@click.option("--params", multiple=True, metavar="NAME=VALUE", help="A parameter of the learner; may be repeated.")
@click.option("--data", required=True, type=click.Path(path_type=Path), help="Cases to learn from: .csv, .csv.gz or .parquet.")
@click.option("--target", required=True, metavar="COLUMN", help="What is to be predicted.")
@click.option("--leave-out", multiple=True, metavar="COLUMN", help="A column not to learn from; may be repeated.")
@click.option("--groups", metavar="COLUMN", help="Cases of one group stay together, with --by grouped-10-fold.")
@click.option("--by", default="stratified-10-fold", show_default=True, metavar="PLAN", help="Where the test cases come from.")
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="A measure to follow; may be repeated.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same digits.")
@click.option("--jobs", type=int, help="Processes to use; as many as pay unless given.")
@click.option("--checkpoint", type=click.Path(path_type=Path), help="A folder that keeps every finished fit; run again to go on.")
@click.option("--timeout", type=float, metavar="SECONDS", help="Give a fit up after so long.")
@click.option("--isolate", is_flag=True, help="Fit in processes of their own: one that crashes costs its fold only.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A page to write.")
@click.option(
    "--save", type=click.Path(path_type=Path), help="A .parquet file for the predictions, to evaluate or compare later."
)
@JSON
def estimate(
    *,
    learner: str,
    params: tuple[str, ...],
    data: Path,
    target: str,
    leave_out: tuple[str, ...],
    groups: str | None,
    measures: tuple[str, ...],
    seed: int,
    jobs: int | None,
    output: Path | None,
    save: Path | None,
    as_json: bool,
    **how: Any,
) -> int:
    """Estimate how good a LEARNER is on cases it has not seen.

    It is imported and made with the parameters given; no saved model is loaded. Plans: holdout, subsampling-10, 10-fold,
    stratified-10-fold, 10x10-fold, grouped-10-fold, leave-one-out, bootstrap632, bootstrap632+.
    """
    from adjudge.learning import estimate as estimated
    from adjudge.resampling.features import read_features, understanding_text

    made = _made(learner, params)
    features = read_features(data, target=target, groups=groups, leave_out=leave_out)
    chosen: dict[str, Any] = {"measures": measures} if measures else {}
    found = estimated(
        understanding_text(made, features),
        features.X,
        features.y,
        groups=features.groups,
        random_state=seed,
        n_jobs=jobs,
        **chosen,
        **how,
    )
    _write(found, output, save)
    if as_json:
        print_json(found.to_dict())
    else:
        click.echo(found.in_words())
        for path in (output, save):
            if path is not None:
                click.echo(f"\nWrote {safe(path, 1000)}")
    return INCOMPLETE if found.failures else 0


def _made(name: str, params: tuple[str, ...]) -> Any:
    """Import a class and make a learner of it."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        msg = f"--learner takes MODULE:CLASS, such as sklearn.naive_bayes:GaussianNB; got {safe(name)}."
        raise InputError(msg)
    try:
        kind = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        msg = f"--learner {safe(name)} cannot be imported: {safe(str(error), 300)}."
        raise InputError(msg) from error
    given = dict(_parameter(text) for text in params)
    try:
        return kind(**given)
    except (TypeError, ValueError) as error:
        msg = f"{safe(attribute)} does not take these parameters: {safe(str(error), 300)}."
        raise InputError(msg) from error


def _parameter(text: str) -> tuple[str, Any]:
    """Return a name and its value: a Python literal where it is one, else the text itself."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        msg = f"--params takes NAME=VALUE, such as n_neighbors=11; got {safe(text)}."
        raise InputError(msg)
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def _write(found: Resampled, output: Path | None, save: Path | None) -> None:
    from adjudge._base.files import write_whole

    if output is not None:
        write_whole(output, found.to_html())
    if save is not None:
        found.save(save)
