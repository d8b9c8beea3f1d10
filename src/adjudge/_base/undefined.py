"""A measure that has no value on these data, and the reason why."""

from __future__ import annotations

from typing import Self

from adjudge._base.text import safe

_LONGEST = 1000  # characters of a reason shown, in which the names of classes are short already


class Undefined(float):
    """Not a number, with the reason: arithmetic treats it as NaN, a reader learns why.

    >>> Undefined("no case of class 'b' was seen")
    nan (undefined: no case of class 'b' was seen)
    """

    reason: str

    def __new__(cls, reason: str) -> Self:
        value = super().__new__(cls, "nan")
        value.reason = reason
        return value

    def __repr__(self) -> str:
        return f"nan (undefined: {safe(self.reason, _LONGEST)})"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: that it is no number, and why."""
        from html import escape

        return f"<div>nan <em>(undefined: {escape(safe(self.reason, _LONGEST))})</em></div>"

    def __reduce__(self) -> tuple[type[Undefined], tuple[str]]:
        return (Undefined, (self.reason,))


def ratio(top: float, bottom: float, reason: str) -> float:
    """Return `top` / `bottom`, or say why there is none."""
    return float(top) / float(bottom) if bottom else Undefined(reason)
