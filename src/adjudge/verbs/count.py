"""Count predictions where they are, so that only sums leave the place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from adjudge.counts.result import Counts, count_all
from adjudge.judgements.evaluation import Origin
from adjudge.predictions.duplicates import answers_per_case, without_duplicates
from adjudge.predictions.model import Predictions
from adjudge.predictions.read import read


def count(source: Any, **roles: Any) -> Counts:
    """Count predictions: all that a verdict needs, as sums that add up, and none of the cases.

    Parameters
    ----------
    source : path, dataframe, mapping of arrays, Predictions
        Anything :func:`adjudge.read` takes.
    **roles
        The roles of columns and the ways to read them, as :func:`adjudge.read` takes them.

    >>> part = count({"truth": [0, 1, 1], "predicted": [0, 1, 0]})
    >>> (part + count({"truth": [1, 0], "predicted": [1, 1]})).tally.confusion.cells
    array([[1, 1],
           [1, 2]])
    """
    predictions = without_duplicates(read(source, **roles))
    origin, repeats = origin_of(predictions), answers_per_case(predictions)
    prints = () if origin.fingerprint is None else (origin.fingerprint,)
    how: dict[str, Any] = {"roles": origin.roles, "threshold": origin.threshold, "duplicates": origin.duplicates}
    return Counts(count_all(predictions), str(origin.name), prints, found=tuple(predictions.found), repeats=repeats, **how)


def origin_of(predictions: Predictions) -> Origin:
    """Return where predictions came from, before their rows are counted."""
    source, reading = predictions.source, predictions.reading
    known = Origin(source.name, 0, source.fingerprint(), predictions.roles)
    return replace(known, threshold=reading.threshold, duplicates=reading.duplicates)
