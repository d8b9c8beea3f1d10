"""What every threshold on the score of a class does, and which one costs least."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from adjudge._base import InputError, argument, either, wording
from adjudge._base.signatures import takes_those_of
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.thresholds import Thresholds
from adjudge.predictions.fitted import is_cross_validated, is_model
from adjudge.predictions.model import Predictions
from adjudge.verbs.count import is_counted
from adjudge.verbs.evaluate import evaluate
from adjudge.verbs.given import one_set, with_arrays

_OF_ROWS = ("A108", "A109", "A111", "A116")  # findings that say which rows were judged, by which columns and of which class


@takes_those_of(with_arrays)
def thresholds(
    source: Any = None,
    y_score: Any = None,
    y_pred: Any = None,
    *,
    positive: Any = None,
    level: Any = 0.95,
    progress: bool = True,
    **roles: Any,
) -> Thresholds:
    """Return what every threshold on the score of a class does, and which one costs least.

    Parameters
    ----------
    source : Evaluation, Predictions, Counts, or anything :func:`adjudge.evaluate` takes
        With scores of at least one class: probabilities, votes, logits or plain scores. Or the true classes, before the scores:
        ``thresholds(y_true, y_score)``; or a fitted model: ``thresholds(model, X, y)``.
    positive : label, optional
        The class of interest; the positive one where it is known, else the rarest.
    level : float
        That of the intervals, and of the band of the ROC curve; of an Evaluation its own.
    progress : bool
        Whether to show how many rows were read, on a terminal or in a notebook, where it takes long.
    **roles
        The roles of columns and the ways to read them; see :func:`adjudge.read`.

    >>> from adjudge import Predictions
    >>> choices = thresholds(Predictions([0, 0, 1, 0, 1, 1], scores=[0.1, 0.2, 0.3, 0.6, 0.7, 0.8], positive=1))
    >>> point = choices.at(0.5, prevalence=0.1)
    >>> point.found, point.alarms, round(point.ppv.value, 3)
    (2, 1, 0.182)
    >>> choices.least_cost(miss_cost=5).threshold
    0.3
    """
    model = is_model(source) or is_cross_validated(source)
    typed = (source, y_score, y_pred) if model else (source, y_pred, y_score)
    source, asked = one_set("thresholds", typed, roles | {"positive": positive})
    roles = {name: value for name, value in asked.items() if name != "positive"}
    if roles and isinstance(source, Evaluation):
        raise InputError(wording("This is an Evaluation already: say ", either(map(argument, roles), ", "), " where it is made."))
    if isinstance(source, Predictions) or is_counted(source):
        asked = roles
    asked = {name: value for name, value in asked.items() if value is not None}
    given: Evaluation = source if isinstance(source, Evaluation) else evaluate(source, level=level, progress=progress, **asked)
    choices = given.thresholds
    if choices is None:
        if given.numbers is not None:
            msg = "Thresholds decide between classes; these predictions are numbers. Give predictions of classes."
            raise InputError(msg)
        msg = "Thresholds need the scores of a class, and cases of it and of others; there are none. Name score columns with "
        raise InputError(msg, argument("scores"), ".")
    remarks = tuple(finding for finding in given.findings if finding.code in _OF_ROWS)
    choices = replace(choices, origin=(given.origin.name, given.origin.rows, given.origin.fingerprint), findings=remarks)
    return choices if positive is None else choices.about(positive)
