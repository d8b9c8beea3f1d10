"""Count predictions where they are, so that only sums leave the place."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

from adjudge._base.arguments import argument, command, either
from adjudge._base.errors import InputError
from adjudge._base.text import safe
from adjudge.counts.paired import PairCounts
from adjudge.counts.result import Counts, all_together, count_all, is_counts, load_counts, refuse_again
from adjudge.judgements.evaluation import Origin
from adjudge.predictions.duplicates import answers_per_case, without_duplicates
from adjudge.predictions.model import Predictions
from adjudge.predictions.read import read

_USUAL = {"missing": "error", "missing_scores": "error", "duplicates": "error"}
"""Ways to read that are what they are without being asked for."""


@overload
def count(source: Any, /, **roles: Any) -> Counts: ...
@overload
def count(*sources: Any, **roles: Any) -> Counts | PairCounts: ...
def count(*sources: Any, **roles: Any) -> Counts | PairCounts:
    """Count predictions: all that a verdict needs, as sums that add up, and none of the cases.

    Parameters
    ----------
    *sources : path, dataframe, mapping of arrays, Predictions, Counts
        Anything :func:`adjudge.read` takes; several, or counts and files of counts among them, are added up.
    **roles
        The roles of columns and the ways to read them, as :func:`adjudge.read` takes them.

    >>> part = count({"truth": [0, 1, 1], "predicted": [0, 1, 0]})
    >>> (part + count({"truth": [1, 0], "predicted": [1, 1]})).tally.confusion.cells
    array([[1, 1],
           [1, 2]])
    """
    if not sources:
        msg = "count takes one set of predictions or more; none was given."
        raise InputError(msg)
    refuse_again([each for each in sources if isinstance(each, (str, os.PathLike))])
    return all_together([loaded(each) if is_counted(each) else _counted(each, roles) for each in sources])


def _counted(source: Any, roles: Mapping[str, Any]) -> Counts:
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


def is_counted(source: Any) -> bool:
    """Return whether a source is counts, or the path of a file of them."""
    return isinstance(source, (Counts, PairCounts)) or is_counts(source)


def loaded(source: Any) -> Counts | PairCounts:
    """Return counts, read if they are in a file."""
    return load_counts(source) if is_counts(source) else source


def all_counted(*sources: Any) -> bool:
    """Return whether all sources are counts; refuse some that are among predictions."""
    kinds = [is_counted(source) for source in sources]
    if any(kinds) and not all(kinds):
        one, other = (_called(sources[kinds.index(kind)]) for kind in (True, False))
        told = f"{one} holds counts and {other} predictions, which cannot be mixed: counts keep no cases to compare. "
        how = command(f"adjudge count {other} -o FILE.counts", python=f"count({other})")
        raise InputError(told, "To add them up, count the predictions first: ", how, ".")
    return any(kinds)


def counts_in(*sources: Any) -> Counts | PairCounts | None:
    """Return the counts that sources hold, added up; None where they hold predictions. Both together are refused."""
    if not all_counted(*sources):
        return None
    refuse_again([each for each in sources if is_counts(each)])
    if len({id(each) for each in sources}) < len(sources):
        msg = "The same counts were given twice, which would count their cases twice; give them alone."
        raise InputError(msg)
    return all_together([loaded(each) for each in sources])


def _called(source: Any) -> str:
    return safe(Path(source).name if isinstance(source, (str, os.PathLike)) else getattr(source, "name", type(source).__name__))


def refuse_roles(roles: Mapping[str, Any], *, kept: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the roles that are `kept`; refuse others that are given, since counts have no columns."""
    asked = {name: value for name, value in roles.items() if value is not None and value != _USUAL.get(name)}
    given = [argument(name) for name in asked if name not in kept]
    if given:
        told = ": that was settled when the predictions were counted, and counts have no columns. Leave it out."
        raise InputError(either(given, ", "), told)
    return {name: value for name, value in roles.items() if name in kept}
