"""The forms and goals of a correction by multipliers, and what goes together."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from adjudge._base.arguments import parameter, wording
from adjudge._base.errors import InputError
from adjudge._base.text import listed
from adjudge.stats import softmax_multipliers

Form: TypeAlias = Literal["linear", "softmax", "iterated"]
Goal: TypeAlias = Literal["squared", "errors"]
Bounds: TypeAlias = tuple[float, float] | None

CLOSED = ("linear", "squared")
"""What has a solution in closed form, from sums over the cases."""
_BEYOND = 1e15  # times as much leaves nothing of the other probabilities
_FORMS, _GOALS = ("linear", "softmax", "iterated"), ("squared", "errors")


def check_options(form: str, goal: str, *, last_free: bool) -> None:
    """Refuse what does not go together."""
    if form not in _FORMS:
        msg = f"form must be one of {listed(_FORMS)}, got {form!r}."
        raise InputError(msg)
    if goal not in _GOALS:
        msg = f"goal must be one of {listed(_GOALS)}, got {goal!r}."
        raise InputError(msg)
    if last_free and (form == "linear" or goal == "errors"):
        msg = "last_free belongs to least squares of the softmax form; elsewhere only ratios to the majority count. Leave it out."
        raise InputError(msg)
    if form == "iterated" and goal == "errors":
        msg = "the iterated form is fitted by least squares; errors depend on multiplied probabilities alone. Use form='softmax'."
        raise InputError(msg)


def check_closed(form: str, goal: str) -> None:
    """Refuse predictions for what does not follow from sums over the cases."""
    if (form, goal) != CLOSED:
        msg = (
            f"form={form!r} with goal={goal!r} needs all cases in memory: pass their probabilities and classes as arrays. Of "
            "predictions of any size form='linear' with goal='squared' is fitted."
        )
        raise InputError(msg)


def limits_of(bounds: Any, form: Form, goal: Goal) -> Bounds:
    """Return within which every multiplier lies, None for anywhere."""
    quadratic = form == "linear" and goal == "squared"
    if bounds is None or (isinstance(bounds, str) and bounds == "usual"):
        usual = None if bounds is None else (0.0, 1.0)
        return usual if quadratic else (0.0, float("inf"))
    try:
        low, high = (float(b) for b in bounds)
    except (TypeError, ValueError):
        low = high = float("nan")
    if not 0 <= low < high or low == float("inf"):
        msg = wording(
            parameter("bounds"),
            f" must be two numbers, 0 <= low < high, or None; got {bounds!r}. (0, 1) only lets the majority class grow.",
        )
        raise InputError(msg)
    ends = softmax_multipliers.LARGEST if form != "linear" and goal == "squared" else _BEYOND
    if low >= ends:
        msg = wording(
            parameter("bounds"),
            f" must begin below {ends:g}, where the search ends; got {bounds!r}. Lower the first of them.",
        )
        raise InputError(msg)
    return low, high
