"""Commands that say which of several is better."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.counting import all_counts, without_columns
from adjudge.cli.estimating import INCOMPLETE, learning, made, tell
from adjudge.cli.group import main
from adjudge.cli.options import ASSURANCE, JSON, PAGE, check_apart, check_places
from adjudge.cli.options import columns as reading_options
from adjudge.cli.options import comparing as comparing_options
from adjudge.cli.terminal import waiting
from adjudge.judgements.decision import LEVEL, MARGIN

if TYPE_CHECKING:
    from adjudge.judgements.comparison import Comparison
    from adjudge.judgements.ranking import Ranking
    from adjudge.predictions.model import Predictions

_TWO = 2
_LOST = "A708"  # folds that not all learners answered


@main.command()
@click.argument("predictions", type=click.Path(path_type=Path), nargs=-1, required=True)
@comparing_options
@PAGE
@JSON
@reading_options
def compare(
    predictions: tuple[Path, ...], *, asked: dict[str, Any], level: float, output: Path | None, as_json: bool, **roles: Any
) -> None:
    """Say which of two files of PREDICTIONS is better, or rank three and more.

    All files judge the same cases, which are found by a column that identifies them; see --row, --by-position, --independent.
    Files of counts that adjudge count --paired wrote hold all sets already; they are added up.
    """
    from adjudge.verbs.report import compared

    check_apart(predictions, output)
    check_places(output=output)
    if all_counts(predictions):
        tell(_from_counts(predictions, asked, level, roles), [output], output, as_json=as_json)
        return
    sources, names = _read(predictions, asked, roles)
    how = {name: asked[name] for name in ("measure", "margin", "assurance", "by_position", "independent")}
    with waiting("reading and comparing"):
        found = compared(sources, names, level=level, **how)
    tell(found, [output], output, as_json=as_json)


def _from_counts(paths: Sequence[Path], asked: dict[str, Any], level: float, roles: dict[str, Any]) -> Comparison | Ranking:
    """Compare what was counted side by side, as the rows themselves would be."""
    from adjudge.counts.result import load_counts
    from adjudge.verbs.compare import compare as compared
    from adjudge.verbs.rank import rank

    positive = without_columns(roles, kept=("positive",))["positive"]
    if asked["by_position"] or asked["independent"]:
        msg = "--by-position and --independent say how files of predictions are paired; counts are paired already."
        raise click.UsageError(msg)
    found = load_counts(*paths)
    how = {name: asked[name] for name in ("measure", "margin", "assurance", "names")} | {"level": level, "positive": positive}
    return rank(found, **how) if len(getattr(found, "names", ())) > _TWO else compared(found, **how)


def _read(paths: Sequence[Path], asked: dict[str, Any], roles: dict[str, Any]) -> tuple[list[Predictions], tuple[str, ...]]:
    """Return what is compared, and what to call it."""
    from adjudge.predictions.read import read
    from adjudge.verbs.compared_sets import distinct

    if len(paths) < _TWO:
        msg = "compare takes two files or more; evaluate and report judge one."
        raise click.UsageError(msg)
    sources = [read(path, **roles) for path in paths]
    return sources, distinct([each.source.name for each in sources], asked["names"], "files")


@main.command(name="compare-learners")
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
@click.option("--jobs", type=int, help="Processes to use, where they pay.")
def compare_learners(
    *,
    learner: str,
    params: tuple[str, ...],
    against: str,
    against_params: tuple[str, ...],
    data: Path,
    target: str,
    leave_out: tuple[str, ...],
    groups: str | None,
    by: str,
    names: str | None,
    seed: int,
    jobs: int | None,
    output: Path | None,
    as_json: bool,
    **asked: Any,
) -> int:
    """Say whether a LEARNER is better than another, tried by the same plan.

    Methods: correlated-t (the Bayesian correlated t), nadeau-bengio (the same with its p-value), paired-t, 5x2cv-t and
    5x2cv-f (--by 5x2-fold), mcnemar and mcnemar-mid (--by holdout). Tests known to reject too often are refused.
    """
    from adjudge.resampling.features import read_features, understanding_text
    from adjudge.resampling.plan import Plan
    from adjudge.verbs.compare import compare_learners as compared

    check_apart([data, *([Path(by)] if by.endswith(".json") else [])], output, "the data or the plan")
    check_places(output=output)
    both = [made(learner, params), made(against, against_params, "--against")]
    features = read_features(data, target=target, groups=groups, leave_out=leave_out)
    a, b = (understanding_text(each, features) for each in both)
    found = compared(
        a,
        b,
        features.X,
        features.y,
        by=Plan.load(by) if by.endswith(".json") else by,
        groups=features.groups,
        random_state=seed,
        n_jobs=jobs,
        names=_called(both, names),
        **asked,
    )
    tell(found, [output], output, as_json=as_json)
    return INCOMPLETE if any(finding.code == _LOST for finding in found.findings) else 0


def _called(learners: Sequence[Any], names: str | None) -> tuple[str, ...]:
    """Return what to call learners, before pipelines that understand text hide their classes."""
    from adjudge.verbs.compared_sets import distinct

    given = None if names is None else [name.strip() for name in names.split(",")]
    return distinct([type(each).__name__ for each in learners], given, "learners")
