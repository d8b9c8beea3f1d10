"""What a correction does to cases it was not fitted to, beside what it does to those it was."""

from __future__ import annotations

from dataclasses import replace

from adjudge._base.arguments import wording
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge.corrections.fitting import Fitted, rates
from adjudge.corrections.multipliers import Multipliers
from adjudge.corrections.recipes import BALANCED, Known
from adjudge.corrections.rejection import Rejection
from adjudge.judgements.crossfit import cross_fitted
from adjudge.judgements.fold_assignment import dealt
from adjudge.judgements.recommendation import FOLDS


def with_left_out(found: Fitted, cases: Known) -> Fitted:
    """Return the same fit with the rates of cases left out in turn; where that cannot be had, without the flattering ones.

    What was fitted to no case flatters nobody and stays as it is.
    """
    if not found.in_sample:
        return found
    recipe, fitted = found.recipe, found.correction
    if isinstance(fitted, Multipliers):
        recipe = replace(recipe, majority=fitted.majority)
    try:
        p, codes = cross_fitted(cases, recipe, dealt(cases.y, FOLDS, 0, cases.group))
    except InputError as error:
        why = wording("What it gains is not told, since it cannot be judged on cases left out: ", error.wording)
        told = Finding("A844", why, "Fit it to more cases.")
        return replace(found, before={}, after={}, findings=(*found.findings, told))
    costs = fitted.costs if isinstance(fitted, Rejection) else None
    return replace(found, left_out=rates(cases, p, codes, costs, balanced=recipe.weights == BALANCED))
