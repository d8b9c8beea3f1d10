"""A truth and a decision that look swapped: the "truth" is what the scores say, and the "decision" is not."""

from __future__ import annotations

from collections.abc import Mapping

from adjudge._base.arguments import argument, together, wording
from adjudge._base.errors import DoubtfulRolesError
from adjudge._base.findings import Finding
from adjudge._base.text import quoted
from adjudge.predictions.finding.deciding import SAME, Decided

FEWEST = 10
"""Rows below which a truth may well equal what the scores say by luck."""


def swapped(decided: Decided, agreement: Mapping[str, float], rows: int, *, named: bool) -> tuple[Finding, ...]:
    """Return that the columns look swapped, where the user `named` them; refuse columns that were only guessed.

    `agreement` is how often each column is what the scores say. A perfect model has a truth that follows from its scores, but
    then the decisions follow from them as well.
    """
    truth, predicted = decided.truth, decided.predicted
    if predicted is None or rows < FEWEST or agreement.get(predicted, 0.0) > SAME or agreement.get(truth, 0.0) <= SAME:
        return ()
    share = agreement.get(predicted)
    other = f"column {quoted(predicted)} does not" if share is None else f"column {quoted(predicted)} only in {share:.1%}"
    told = f"Column {quoted(truth)} equals what the scores decide in {agreement[truth]:.1%} of rows, {other}"
    said = f"{told}: truth and decision look swapped."
    other_way = together(argument("truth", predicted), argument("predicted", truth))
    if named:
        return (Finding("A109", said, wording("If they are, pass ", other_way, "."), agreement[truth]),)
    kept = together(argument("truth", truth), argument("predicted", predicted))
    msg = wording(f"{said} Pass ", other_way, " if they are, or ", kept, " if they are right as they stand.")
    raise DoubtfulRolesError(msg)
