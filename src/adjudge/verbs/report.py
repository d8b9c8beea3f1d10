"""Judge predictions wholly, so that a page, a text or a file needs no more than to be written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge._base.errors import InputError
from adjudge.counts.result import Counts
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.decision import ASSURANCE
from adjudge.judgements.evaluation import Evaluation, completed
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.report import Report
from adjudge.judgements.resampled import Resampled
from adjudge.predictions.model import Predictions
from adjudge.predictions.read import read
from adjudge.verbs.compare import compare
from adjudge.verbs.compared_sets import distinct
from adjudge.verbs.evaluate import evaluate
from adjudge.verbs.rank import rank

_TWO = 2


def report(
    *sources: Any,
    names: Sequence[str] | None = None,
    measure: str | None = None,
    margin: float | None = None,
    assurance: float = ASSURANCE,
    by_position: bool = False,
    independent: bool = False,
    level: float = 0.95,
    interval: str = "default",
    prior: Any = "jeffreys",
    exact: bool = False,
    **roles: Any,
) -> Report:
    """Judge one set of predictions, or compare several of the same cases, and return all that a page shows.

    Parameters
    ----------
    *sources : path, dataframe, mapping of arrays, Predictions, Counts, ConfusionCounts, Evaluation or Resampled
        What :func:`adjudge.evaluate` takes, an evaluation, or a learner judged by :func:`adjudge.estimate`. Several are compared
        first, then judged one by one.
    names : sequence of str, optional
        What to call several sources.
    measure, margin, assurance, by_position, independent
        As for :func:`adjudge.compare`, of several sources; `independent` says that two were tested on different cases.
    level, interval, prior, exact, **roles
        As for :func:`adjudge.evaluate`.

    Returns
    -------
    Report
        ``.save("report.html")`` writes it; .md and .json as well.

    >>> found = report({"truth": [0, 1, 1, 0] * 10, "predicted": [0, 1, 0, 0] * 10})
    >>> found.evaluation.estimates["accuracy"].value
    0.75
    """
    how = {"level": level, "interval": interval, "prior": prior, "exact": exact}
    if not sources:
        msg = "report takes one set of predictions or more; none was given."
        raise InputError(msg)
    if len(sources) == 1:
        of_several = {
            "names": names,
            "measure": measure,
            "margin": margin,
            "by_position": by_position,
            "independent": independent,
        }
        given = [name for name, value in of_several.items() if value is not None and value is not False]
        if given:
            msg = f"{', '.join(given)}: that compares several sets of predictions; one was given."
            raise InputError(msg)
        return _of_one(sources[0], how, roles)
    if any(isinstance(each, (Evaluation, Resampled, Counts)) for each in sources):
        msg = "report compares predictions case by case; evaluations and counts of several have none left. Pass predictions."
        raise InputError(msg)
    read_in = [read(each, **roles) for each in sources]
    called = distinct([each.source.name for each in read_in], names, "sources")
    asked: dict[str, Any] = {
        "measure": measure,
        "margin": margin,
        "assurance": assurance,
        "by_position": by_position,
        "level": level,
    }
    comparison = compared(read_in, called, independent=independent, **asked)
    order = [row.name for row in comparison.rows] if isinstance(comparison, Ranking) else list(called)
    by_name = dict(zip(called, read_in, strict=True))
    return Report(tuple(order), tuple(completed(evaluate(by_name[name], **how)) for name in order), comparison)


def _of_one(source: Any, how: dict[str, Any], roles: dict[str, Any]) -> Report:
    if isinstance(source, Resampled):
        whole = source.completed()
        return Report((source.learner,), (whole.pooled,), learner=whole)
    evaluation = source if isinstance(source, Evaluation) else evaluate(source, **how, **roles)
    return Report((str(evaluation.origin.name),), (completed(evaluation),))


def compared(sources: Sequence[Predictions], names: tuple[str, ...], *, independent: bool, **asked: Any) -> Comparison | Ranking:
    """Return which of two sets of predictions is better, or how more of them rank."""
    if len(sources) == _TWO:
        return compare(*sources, paired=False if independent else None, names=names, **asked)
    if independent:
        msg = f"independent compares two sets of predictions; {len(sources)} were given."
        raise InputError(msg)
    return rank(dict(zip(names, sources, strict=True)), **asked)
