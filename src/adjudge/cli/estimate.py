"""Commands that estimate a learner, by itself, beside ensembles of it, or with more and fewer test cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge._base import InputError, safe
from adjudge.cli.answers import Printed, answer, check_places
from adjudge.cli.compare import INCOMPLETE
from adjudge.cli.group import main
from adjudge.cli.options import FILE, JOBS, LEARNING, learner, learning, listed

_TIMEOUT = click.option("--timeout", type=float, metavar="SECONDS", help="Give a fit up after so long.")


@main.command(examples=(f"adjudge estimate {LEARNING}", f"adjudge estimate {LEARNING} --by 10x10-fold -o estimate.html"))
@learning
@click.option("--groups", metavar="COLUMN", help="Cases of one group stay together, with --by grouped-10-fold.")
@click.option("--cluster", metavar="COLUMN", help="What cases belong to, such as a patient; found by name, '' for none.")
@click.option("--by", default="stratified-10-fold", show_default=True, metavar="PLAN", help="Where the test cases come from.")
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="A measure to follow; may be repeated.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@JOBS
@click.option("--checkpoint", type=FILE, help="A folder that keeps every finished fit; run again to go on.")
@_TIMEOUT
@click.option("--isolate", is_flag=True, help="Fit in processes of their own: one that crashes costs its fold only.")
@click.option("--save", type=FILE, help="A .parquet or .csv file for the predictions, to evaluate later.")
@click.option("--save-plan", type=FILE, help="A .json file for the plan, to use again with --by.")
@click.option("--ensemble", metavar="KINDS", help="bagging,adaboost or one of them: compare them with the single model.")
@click.option("--rounds", type=click.IntRange(min=1), help="Models of each ensemble; 50 by default.")
@click.option("--samme", is_flag=True, help="Models of adaboost need only be better than guessing, of more than two classes.")
def estimate(data: Path, target: str, *, by: str, output: Path | None, printed: Printed, **given: Any) -> int:
    """Estimate how good a learner is on held-out cases.

    It is imported and made with the parameters given; no saved model is loaded. Plans: holdout, subsampling-10, 10-fold,
    stratified-10-fold, 10x10-fold, grouped-10-fold, leave-one-out, bootstrap632, bootstrap632+, or the .json file of one.
    """
    save, save_plan, ensemble, measures = (given.pop(name) for name in ("save", "save_plan", "ensemble", "measures"))
    check_places(data, Path(by), what="the data or the plan", output=output, save=save, save_plan=save_plan)
    if save is not None and save.suffix.lower() not in (".csv", ".parquet"):
        msg = f"--save takes a name that ends in .csv or .parquet; got {safe(save.name)}."
        raise InputError(msg)
    if save is not None and ensemble is not None:
        msg = "--ensemble compares several learners by one measure and takes no --save; estimate each by itself for more."
        raise click.UsageError(msg)
    from adjudge.verbs.estimate import estimate

    model = learner(given.pop("learner"), given.pop("params"))
    given |= {"ensemble": listed(ensemble)} | ({"measures": measures} if measures else {})
    estimated: Any = estimate(
        model, data, target, by=by, complete=printed.form in ("json", "markdown") or output is not None, **given
    )
    files = ({} if save is None else {save: estimated.save}) | ({} if save_plan is None else {save_plan: estimated.plan.save})
    answer(estimated, printed=printed, output=output, files=files)
    return INCOMPLETE if estimated.failures else 0


@main.command(
    name="trade-off",
    examples=(f"adjudge trade-off {LEARNING}", f"adjudge trade-off {LEARNING} --repeats 10 -o shares.html"),
)
@learning
@click.option("--repeats", type=int, default=20, show_default=True, help="Random splits for each share.")
@click.option("--measure", metavar="NAME", help="The accuracy unless another is named; mae for numbers.")
@JOBS
@_TIMEOUT
@click.option("--isolate", is_flag=True, help="Fit in processes of their own: one that crashes costs its split only.")
def trade_off(data: Path, target: str, *, output: Path | None, printed: Printed, **given: Any) -> None:
    """Show how an estimate moves with the test set's size.

    That is the train-test trade-off: the estimate of a LEARNER and its spread by the share of cases kept for testing.
    """
    from adjudge.verbs.estimate import trade_off

    check_places(data, what="the data", output=output)
    answer(trade_off(learner(given.pop("learner"), given.pop("params")), data, target, **given), printed=printed, output=output)
