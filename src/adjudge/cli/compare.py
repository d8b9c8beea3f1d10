"""Commands that say which is better, of several files of predictions or of two learners, and that put files side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.answers import Printed, answer, check_places
from adjudge.cli.group import main
from adjudge.cli.options import ASSURANCE, FILE, JOBS, LEARNING, PAGE, columns, comparing, learner, learning, listed
from adjudge.judgements.decision import LEVEL, MARGIN

_AGAINST = "--against sklearn.tree:DecisionTreeClassifier"
INCOMPLETE = 3
"""Exit code of a run in which some fold failed."""
_LOST = "A708"  # folds that not all learners answered


@main.command(
    examples=("adjudge compare old.csv new.csv", "adjudge compare old.csv new.csv other.csv --measure balanced_accuracy"),
)
@click.argument("predictions", type=FILE, nargs=-1, required=True)
@comparing
@PAGE
@columns
def compare(predictions: tuple[Path, ...], *, independent: bool, output: Path | None, printed: Printed, **asked: Any) -> None:
    """Say which of several files of predictions is better.

    All files are of the same cases, which are found by a column that identifies them; see --row, --by-position, --independent.
    Files of counts that adjudge count --paired wrote hold all sets already; they are added up.
    """
    from adjudge.verbs.compare import compare

    check_places(*predictions, output=output)
    comparison = compare(*predictions, paired=False if independent else None, progress=True, **asked)
    answer(comparison, printed=printed, output=output)


@main.command(
    name="compare-learners",
    examples=(
        f"adjudge compare-learners {LEARNING} {_AGAINST}",
        f"adjudge compare-learners {LEARNING} {_AGAINST} --by 5x2-fold --method 5x2cv-t",
    ),
)
@learning
@click.option("--against", required=True, metavar="MODULE:CLASS", help="The learner to compare with.")
@click.option("--against-params", multiple=True, metavar="NAME=VALUE", help="A parameter of that learner; may be repeated.")
@click.option("--groups", metavar="COLUMN", help="Cases of one group stay together, with --by grouped-10-fold.")
@click.option("--by", default="10x10-fold", show_default=True, metavar="PLAN", help="Where the test cases come from.")
@click.option("--method", metavar="METHOD", help="How they are compared; by the plan unless given: correlated-t over folds.")
@click.option("--measure", metavar="NAME", help="What to compare; the accuracy, or mae for numbers, unless given.")
@click.option("--margin", type=float, help=f"Equivalence margin: differences up to it count as none; {MARGIN} unless given.")
@click.option("--level", type=float, default=LEVEL, show_default=True, help="How probable a verdict must be.")
@ASSURANCE
@click.option("--names", metavar="A,B", help="What to call the learners.")
@JOBS
def compare_learners(data: Path, target: str, *, by: str, output: Path | None, printed: Printed, **given: Any) -> int:
    """Say which of two learners is better, by one plan.

    Methods: correlated-t (the Bayesian correlated t), nadeau-bengio (the same with its p-value), paired-t, 5x2cv-t and
    5x2cv-f (--by 5x2-fold), mcnemar and mcnemar-mid (--by holdout). Tests known to reject too often are refused.
    """
    from adjudge.verbs.compare import compare_learners

    check_places(data, Path(by), what="the data or the plan", output=output)
    a = learner(given.pop("learner"), given.pop("params"))
    b = learner(given.pop("against"), given.pop("against_params"), "--against")
    comparison = compare_learners(a, b, data, target, by=by, names=listed(given.pop("names")), **given)
    answer(comparison, printed=printed, output=output)
    return INCOMPLETE if any(finding.code == _LOST for finding in comparison.findings) else 0
