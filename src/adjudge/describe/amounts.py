"""What the rows are worth, where a column that nobody named says so: it may have been meant otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge._base import argument, counted, quoted, wording
from adjudge.judgements.evaluation import Evaluation

_MUCH = 0.5  # of the cases: weights that leave fewer are worth a sentence


def amounts_of(result: Evaluation) -> Iterator[str]:
    """Yield how many cases the rows stand for, or what weights leave of them, with what to pass if something else is meant."""
    roles, numbers = result.origin.roles, result.numbers
    if roles is None:
        return
    if roles.unasked("count") is not None:
        yield from (wording(each.message, " ", each.advice) for each in result.findings if each.code == "A114")
    column, effective = roles.unasked("weight"), None if result.facts is None else result.facts.effective_cases
    if numbers is not None and numbers.weight_squares > 0:
        effective = numbers.weight**2 / numbers.weight_squares
    if column is None or effective is None or effective >= _MUCH * result.origin.rows:
        return
    told = f"Column {quoted(column)}, taken as weights by its name, makes {counted(result.origin.rows, 'case')} worth "
    told += f"{effective:,.1f} equally weighted ones. If it says something else, pass "
    yield wording(told, argument("weight", ""), ".")
