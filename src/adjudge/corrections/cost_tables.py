"""What may stand in a table of costs, and the label of no decision, which is one of its columns."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from adjudge._base.arguments import parameter, wording
from adjudge._base.arrays import FloatArray, frozen
from adjudge._base.errors import InputError


class _Rejected(float):
    """No decision, among labels of any type: pass ``rejected=REJECTED`` where decisions are read.

    Not a number, hence missing to those who read labels, because numbers and texts share no other value; but equal to itself,
    also in an array: ``labels == REJECTED`` says which cases are rejected. Written as text it is "REJECTED".
    """

    __slots__ = ()
    __array_ufunc__ = None  # NumPy would compare it as a mere NaN

    def __new__(cls) -> Self:
        return super().__new__(cls, "nan")

    def __eq__(self, other: object) -> Any:
        if isinstance(other, np.ndarray):
            return np.frompyfunc(lambda value: value is self, 1, 1)(other).astype(np.bool_)
        # As a text it is one of those that stand for nothing, by which readers know what "no decision" looks like.
        return other is self or (isinstance(other, str) and other == "nan")

    def __ne__(self, other: object) -> Any:
        return np.logical_not(self == other) if isinstance(other, np.ndarray) else not self == other

    def __hash__(self) -> int:
        return hash("nan")

    def __repr__(self) -> str:
        return "REJECTED"

    __str__ = __repr__

    def __reduce__(self) -> str:
        return "REJECTED"  # the one there is, also in a copy

    def __copy__(self) -> _Rejected:
        return self

    def __deepcopy__(self, memo: Any) -> _Rejected:
        return self


REJECTED = _Rejected()
DEAREST = 1e15
"""What a decision may cost; beyond it the other costs are lost in rounding."""


def checked_costs(costs: Any, k: int) -> FloatArray:
    """Return costs as K x K or K x (K + 1) finite numbers, or refuse."""
    try:
        table = frozen(costs)
    except (TypeError, ValueError, OverflowError) as error:
        msg = wording(parameter("costs"), " must be a table of numbers: a row for each true class, a column for each decision.")
        raise InputError(msg) from error
    if np.asarray(costs).dtype.kind not in "iufb":
        msg = wording(
            parameter("costs"),
            " must be numbers, not text or nothing: a row for each true class, a column for each decision.",
        )
        raise InputError(msg)
    if table.shape not in ((k, k), (k, k + 1)) or not np.isfinite(table).all():
        msg = (
            f"costs for {k} classes are {k} x {k} finite numbers (rows true, columns decided), or {k} x {k + 1} with those of "
            f"rejecting last; got shape {table.shape}."
        )
        raise InputError(msg)
    check_dearest(table)
    return table


def check_dearest(costs: FloatArray) -> None:
    """Refuse costs beside which the others are lost in rounding."""
    dearest = float(costs.flat[np.abs(costs).argmax()])
    if abs(dearest) > DEAREST:
        msg = wording(
            parameter("costs"),
            (
                f" must be at most {DEAREST:g} in size, since others are lost in rounding beside larger ones; got "
                f"{dearest:g}. Divide all of them by the same number, which changes no decision."
            ),
        )
        raise InputError(msg)
