"""What is compared: sets of predictions under names that tell them apart, and the measure they are compared by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjudge._base.arguments import argument, parameter, wording
from adjudge._base.errors import InputError
from adjudge._base.text import quoted, safe
from adjudge.counts.paired import PairCounts
from adjudge.counts.reduced_pairs import reduced_pairs, reduces_all
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.predictions.alignment import Together, side_by_side
from adjudge.predictions.in_memory import are_numbers
from adjudge.predictions.model import Predictions
from adjudge.predictions.read import read

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NAMELESS = ("arrays", "frame")


def distinct(found: Sequence[str], given: Any, what: str) -> tuple[str, ...]:
    """Return a name for each of what is compared: those given, or those found, told apart where two are the same."""
    if given is not None:
        listed = isinstance(given, (list, tuple)) or (hasattr(given, "__iter__") and not isinstance(given, (str, bytes)))
        names = tuple(str(name) for name in given) if listed else ()
        if len(names) != len(found) or len(set(names)) < len(names):
            msg = wording(
                parameter("names"), f" must be {len(found)} different names, one for each of the {what}; got {given!r}."
            )
            raise InputError(msg)
        return names
    shown = [_LETTERS[i % 26] if name in _NAMELESS else safe(name) for i, name in enumerate(found)]
    return tuple(name if shown.count(name) == 1 else f"{name} ({i + 1})" for i, name in enumerate(shown))


def named(many: Any, names: Any, what: str) -> tuple[list[Any], Any]:
    """Return what is to be ranked, and the names given, by themselves or by a mapping."""
    if isinstance(many, Mapping):
        items, names = list(many.values()), list(many) if names is None else names
    elif isinstance(many, (str, bytes)) or not isinstance(many, Sequence):
        msg = f"rank() takes a list or a mapping {{name: {what}}}; got {type(many).__name__}."
        raise InputError(msg)
    else:
        items = list(many)
    if len(items) < 2:  # noqa: PLR2004 - one is the best of one
        msg = f"rank() takes at least two {what}; got {len(items)}."
        raise InputError(msg)
    return items, names


def measure_of(name: str | None, *, numeric: bool) -> Measure:
    """Return the measure to compare by: the accuracy, or the mean absolute error of numbers, unless another is named."""
    measure = find(name or ("mae" if numeric else "accuracy"))
    if numeric != (measure.needs == "numbers"):
        kind = "numbers" if numeric else "classes"
        msg = f"{measure.name} does not fit predictions of {kind}; see adjudge.measures()."
        raise InputError(msg)
    return measure


def prepared(
    sources: Sequence[Any], names: Any, measure: str | None, *, by_position: bool, roles: Mapping[str, Any]
) -> tuple[Together | PairCounts, Measure]:
    """Return the cases that all sets have, or where they live in an engine their counts, and the measure they are compared by."""
    many = [read_set(source, roles) for source in sources]
    if roles and all(isinstance(source, Predictions) for source in sources):
        msg = f"These are Predictions already: say {', '.join(f'{name}=' for name in roles)} where they are made."
        raise InputError(msg)
    told = distinct([each.source.name for each in many], names, "sets")
    wanted = measure_of(measure, numeric=are_numbers(many[0]))
    if wanted.needs == "decisions" and reduces_all(many):
        if by_position:
            msg = "Rows of a frame in an engine have no order, so that position pairs nothing. Name what identifies a case with "
            raise InputError(msg, argument("row"), ".")
        return reduced_pairs(many, told), wanted
    scores, ranking = wanted.needs in ("scores", "probabilities"), wanted.needs == "scores"
    cases = side_by_side(many, told, scores=scores, ranking=ranking, by_position=by_position)
    _check_scores(cases, wanted)
    return cases, wanted


def read_set(source: Any, roles: Mapping[str, Any]) -> Predictions:
    """Return predictions, read with roles that hold for all sets."""
    return source if isinstance(source, Predictions) else read(source, **roles)


def _check_scores(cases: Together, measure: Measure) -> None:
    for name, scores, scale in zip(cases.names, cases.scores, cases.scales, strict=True):
        if measure.needs in ("scores", "probabilities") and scores is None:
            msg = wording(
                f"{measure.name} needs scores, and {safe(name)} has none. Name them with ",
                argument("scores"),
                ", or choose another ",
                parameter("measure"),
                ".",
            )
            raise InputError(msg)
        if measure.needs == "probabilities" and scale == "scores":
            msg = f"{measure.name} needs probabilities; the scores of {safe(name)} are none."
            raise InputError(msg)


def spoken_of(cases: Together | PairCounts, measure: Measure) -> Any:
    """Return the class a measure speaks of, or None."""
    one = isinstance(measure, ClassMeasure) or measure.needs == "scores"
    return cases.classes[cases.positive] if one and cases.positive is not None else None


def refuse_learners(found: Any) -> None:
    """Refuse a learner where predictions belong."""
    if callable(getattr(found, "fit", None)):
        msg = (
            f"{quoted(type(found).__name__)} is a learner, not predictions; use compare_learners(a, b, X, y) or rank(..., X, y)."
        )
        raise InputError(msg)
