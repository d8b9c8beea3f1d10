"""The command that estimates a learner, by itself or beside ensembles of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge._base.errors import InputError
from adjudge._base.text import safe
from adjudge.cli.answers import answer, check_apart, check_places
from adjudge.cli.compare_learners import INCOMPLETE
from adjudge.cli.group import main
from adjudge.cli.options import FILE, learner, learning, listed


@main.command()
@learning
@click.option("--groups", metavar="COLUMN", help="Cases of one group stay together, with --by grouped-10-fold.")
@click.option("--by", default="stratified-10-fold", show_default=True, metavar="PLAN", help="Where the test cases come from.")
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="A measure to follow; may be repeated.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--jobs", type=int, help="Processes to use, where they pay.")
@click.option("--checkpoint", type=FILE, help="A folder that keeps every finished fit; run again to go on.")
@click.option("--timeout", type=float, metavar="SECONDS", help="Give a fit up after so long.")
@click.option("--isolate", is_flag=True, help="Fit in processes of their own: one that crashes costs its fold only.")
@click.option("--save", type=FILE, help="A .parquet or .csv file for the predictions, to judge later.")
@click.option("--save-plan", type=FILE, help="A .json file for the plan, to use again with --by.")
@click.option("--ensemble", metavar="KINDS", help="bagging,adaboost or one of them: judge them against the single model.")
@click.option("--rounds", type=click.IntRange(min=1), help="Models of each ensemble; 50 unless told.")
@click.option("--samme", is_flag=True, help="Models of adaboost need only be better than guessing, of more than two classes.")
def estimate(
    data: Path,
    target: str,
    *,
    by: str,
    output: Path | None,
    save: Path | None,
    save_plan: Path | None,
    as_json: bool,
    ensemble: str | None,
    **given: Any,
) -> int:
    """Estimate how good a LEARNER is on cases it has not seen.

    It is imported and made with the parameters given; no saved model is loaded. Plans: holdout, subsampling-10, 10-fold,
    stratified-10-fold, 10x10-fold, grouped-10-fold, leave-one-out, bootstrap632, bootstrap632+, or the .json file of one.
    """
    check_apart([data, Path(by)], output, save, save_plan, what="the data or the plan")
    check_places(output=output, save=save, save_plan=save_plan)
    if save is not None and save.suffix.lower() not in (".csv", ".parquet"):
        msg = f"--save takes a name that ends in .csv or .parquet; got {safe(save.name)}."
        raise InputError(msg)
    options = _ensembles(ensemble, given, save) if ensemble is not None else _alone(given, complete=as_json or output is not None)
    options |= {"random_state": given.pop("seed"), "n_jobs": given.pop("jobs")}
    model = learner(given.pop("learner"), given.pop("params"))
    if ensemble is None:
        from adjudge.verbs.estimate import estimate as verb
    else:
        from adjudge.verbs.judge_ensembles import judge_ensembles as verb  # type: ignore[assignment]
    found: Any = verb(model, data, target, by=by, **options, **given)
    files = ({} if save is None else {save: found.save}) | ({} if save_plan is None else {save_plan: found.plan.save})
    answer(found, as_json=as_json, output=output, files=files)
    return INCOMPLETE if found.failures else 0


def _alone(given: dict[str, Any], *, complete: bool) -> dict[str, Any]:
    """Return the options of a single learner; refuse those of ensembles."""
    rounds, samme, measures = given.pop("rounds"), given.pop("samme"), given.pop("measures")
    if rounds is not None or samme:
        told = "--samme is for adaboost" if rounds is None else "--rounds counts the models of an ensemble"
        msg = f"{told}; name one with --ensemble bagging,adaboost."
        raise click.UsageError(msg)
    return {"complete": complete} | ({"measures": measures} if measures else {})


def _ensembles(kinds: str, given: dict[str, Any], save: Path | None) -> dict[str, Any]:
    """Return the options of ensembles; refuse those of a single learner."""
    measures, rounds = given.pop("measures"), given.pop("rounds")
    if given["checkpoint"] is not None or save is not None or len(measures) > 1:
        told = "neither --checkpoint nor --save" if len(measures) <= 1 else "one --measure"
        msg = f"--ensemble judges several learners by one measure and takes {told}; estimate each by itself for more."
        raise click.UsageError(msg)
    asked = {"ensembles": listed(kinds), "measure": measures[0] if measures else None}
    return asked | ({} if rounds is None else {"n_estimators": rounds})
