"""Judge predictions wholly, so that a page, a text or a file needs no more than to be written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from adjudge._base import InputError, argument, either, replace, safe, switch
from adjudge._base.progress import waiting
from adjudge._base.signatures import takes_those_of
from adjudge.judgements.decision import ASSURANCE
from adjudge.judgements.evaluation import Evaluation, completed
from adjudge.judgements.report import Report
from adjudge.predictions.read import read
from adjudge.verbs.count import counts_in
from adjudge.verbs.evaluate import evaluate
from adjudge.verbs.given import sets_in, with_arrays

_TWO = 2


@takes_those_of(with_arrays)
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
    title: str | None = None,
    progress: bool = True,
    **roles: Any,
) -> Report:
    """Evaluate one set of predictions, or compare several of the same cases, and return all that a page shows.

    Parameters
    ----------
    *sources : path, dataframe, mapping of arrays, Predictions, Counts, ConfusionCounts, Evaluation or Resampled
        What :func:`adjudge.evaluate` takes, an evaluation, or what :func:`adjudge.estimate` returns. Several are compared
        first, then evaluated one by one, as are several columns of one source, ``predicted=["old", "new"]``; counts, or files
        of them, are added up. Of arrays ``report(y_true, y_pred, y_score)``, or of several ``report({"old": a, "new": b},
        y_true)``. Of models ``report(model, X, y)``, ``report(a, b, X, y)``.
    names : sequence of str, optional
        What to call several sources.
    measure, margin, assurance, by_position, independent
        As for :func:`adjudge.compare`, of several sources; `independent` says that two were tested on different cases.
    level, interval, prior, exact, progress
        As for :func:`adjudge.evaluate`.
    title : str, optional
        The title of the page.
    **roles
        The roles of columns and the ways to read them; see :func:`adjudge.read`.

    Returns
    -------
    Report
        ``.save("report.html")`` writes it; .md and .json as well.

    >>> page = report({"truth": [0, 1, 1, 0] * 10, "predicted": [0, 1, 0, 0] * 10})
    >>> page.evaluation.estimates["accuracy"].value
    0.75
    """
    how: dict[str, Any] = {"level": level, "interval": interval, "prior": prior, "exact": exact, "progress": progress}
    given_sets = sets_in("report", sources, roles)
    sources, roles = tuple(given_sets.sets), given_sets.roles
    names = given_sets.names if names is None else names
    counts = counts_in(*sources)
    predicted, paired = roles.get("predicted"), list[Any]()
    if len(sources) == 1 and counts is None and (isinstance(predicted, (list, tuple)) or "," in (predicted or "")):
        from adjudge.predictions.several import models_in, numbered

        if (models := models_in(sources[0], roles)) is not None:  # several models side by side, paired by row
            names, sources, roles = names or list(models), tuple(models.values()), {}
            paired = [numbered(each) for each in sources]
    if len(sources) == 1 or counts is not None:
        several = {"names": names, "measure": measure, "margin": margin}
        given = [argument(name) for name, value in several.items() if value is not None]
        given += [switch(name) for name, on in (("by_position", by_position), ("independent", independent)) if on]
        if given:
            came = "one was given" if counts is None else "counts are added up"
            raise InputError(either(given, ", "), f": that compares several sets of predictions; {came}.")
        source = sources[0] if counts is None else counts
        if not isinstance(source, (str, os.PathLike)):  # of a file nothing that learners need is loaded
            from adjudge.judgements.resampled import Resampled

            if isinstance(source, Resampled):
                whole = source.completed()
                return Report((source.learner,), (whole.pooled,), learner=whole, title=title)
        evaluation = source if isinstance(source, Evaluation) else evaluate(source, **how, **roles)
        with waiting("trying corrections", progress=progress):
            return Report((str(evaluation.origin.name),), (completed(evaluation),), title=title)
    from adjudge.judgements.resampled import Resampled

    if any(isinstance(each, (Evaluation, Resampled)) for each in sources):
        msg = "report compares predictions case by case; evaluations of several have none left. Pass predictions."
        raise InputError(msg)
    from adjudge.verbs.compared_sets import refuse_too_many

    refuse_too_many(len(sources))
    if independent and len(sources) > _TWO:
        raise InputError(switch("independent"), f" compares two sets of predictions; {len(sources)} were given.")
    asked: dict[str, Any] = {"measure": measure, "margin": margin, "assurance": assurance, "by_position": by_position}
    asked |= {"paired": False if independent else None, "level": level, "progress": progress}
    return replace(_of_several([read(each, **roles) for each in sources], paired, names, how, asked), title=title)


def _of_several(
    sets: Sequence[Any], paired: Sequence[Any], names: Sequence[str] | None, how: dict[str, Any], asked: dict[str, Any]
) -> Report:
    """Compare sets, as they are `paired` where that is known, and evaluate them one by one, the best first."""
    from adjudge.judgements.ranking import Ranking
    from adjudge.verbs.compare import compare
    from adjudge.verbs.compared_sets import distinct

    called = distinct([each.source.name for each in sets], names, "sources")
    comparison: Any = compare(*(paired or sets), names=called, **asked)
    order = [row.name for row in comparison.rows] if isinstance(comparison, Ranking) else list(called)
    by_name, evaluations = dict(zip(called, sets, strict=True)), []
    for name in order:
        evaluation = evaluate(by_name[name], **how)
        with waiting(f"trying corrections of {safe(name, 40)}", progress=how["progress"]):
            evaluations.append(completed(evaluation))
    return Report(tuple(order), tuple(evaluations), comparison)
