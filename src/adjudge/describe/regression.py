"""What the evaluation of a numeric predictor says first, and its pictures on the page."""

from __future__ import annotations

import math
from collections.abc import Iterator

from adjudge._base import counted, share
from adjudge.counts.numbers import NumberCounts
from adjudge.describe.document import Section, Table
from adjudge.describe.values import limits, percent, sureness, value
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.numeric import Region, Residuals
from adjudge.plots.labels import count, loss, rounded
from adjudge.plots.regression import agreement_picture, quantile_picture, residual_picture

_NOTABLE = 0.1  # of the squared error by the worst 1% of cases
_FEW = 30  # cases


def sentences(result: Evaluation, numbers: NumberCounts, cases: str) -> Iterator[str]:
    """Yield how large the errors are, against the mean; then bias, the worst region and outliers, with what to do."""
    each, known = result.estimates, result.residuals
    rmse, base = each["rmse"], math.nan if known is None else known.rmse_of_mean
    told = f" ({sureness(rmse)})" if rmse.interval is not None else ""
    r2 = each["r2"]
    explained = f"R² undefined, as {r2.reason}" if r2.reason is not None else f"R² {value(r2)}"
    explained += f" ({limits(r2)})" if r2.interval is not None else ""
    width = 0.0 if rmse.interval is None else rmse.interval.high - rmse.interval.low
    mean = rounded(base, width) if width else loss(base)
    against = f", against {mean} for always predicting the mean" if math.isfinite(base) else ""
    yield f"RMSE {value(rmse)}{told} over {cases}{against}; {explained}."
    middle = each["median_absolute_error"]
    half = f"; half of the cases are off by {value(middle)} or less" if middle.reason is None else ""
    yield f"Off by {value(each['mae'])} on average (mean absolute error){half}."
    bias = each["mean_error"]
    sides = bias.interval
    if sides is not None and (sides.low > 0 or sides.high < 0):
        way, verb = ("low", "add this to") if sides.low > 0 else ("high", "subtract this from")
        size = rounded(abs(bias.value), sides.high - sides.low)
        ends = " to ".join(rounded(end, sides.high - sides.low) for end in sorted((abs(sides.low), abs(sides.high))))
        told = f"{percent(sides.level)} interval {ends}"
        yield f"Predictions are too {way} by {size} on average ({told}): {verb} each, or recalibrate."
    worries = [] if known is None else [*_worries(known)]
    if numbers.n < _FEW:
        worries.insert(0, f"there {'is' if numbers.n == 1 else 'are'} only {counted(numbers.n, 'case')}: collect more")
    if worries:
        yield f"What to worry about: {'; '.join(worries)}."


def _worries(known: Residuals) -> Iterator[str]:
    sure = [part for part in known.regions if part.interval.low > 0 or part.interval.high < 0]
    if sure:
        worst = max(sure, key=lambda part: abs(part.mean_error))
        way = "low" if worst.mean_error > 0 else "high"
        width = worst.interval.high - worst.interval.low
        size = rounded(abs(worst.mean_error), width)
        yield f"predictions from {loss(worst.low)} to {loss(worst.high)} are too {way} by {size} on average"
    if known.worst_share >= _NOTABLE:
        yield f"the worst 1% of cases make {share(known.worst_share, decimals=0)} of the squared error: look at them"


def pictures(result: Evaluation) -> Iterator[Section]:
    """Yield predictions against the truth, residuals by prediction, and residuals against a normal distribution."""
    known = result.residuals
    if known is None or not known.drawn:
        return
    some = "All cases." if known.every else f"{count(known.drawn)} cases drawn at random."
    lead = f"{some} On the line the prediction is the truth."
    yield Section("figure", "agreement", "Predicted against true", lead, figure=agreement_picture(known), theme="wrong")
    lead = f"{some} Above 0 the truth is higher than predicted."
    table = (_by_region(known.regions, result.level),) if known.regions else ()
    drawn = residual_picture(known)
    lead += " Bars are mean residuals of tenths of the cases, with intervals that hold all at once." if known.regions else ""
    yield Section("figure", "residuals", "Residuals by prediction", lead, tables=table, figure=drawn, theme="wrong")
    if len(known.quantiles):
        lead = f"In the band, residuals of a normal distribution would all lie with {percent(result.level)} confidence."
        lead += " Its centre and spread follow from the median and the median absolute deviation."
        yield Section("figure", "quantiles", "Q-Q plot of the residuals", lead, figure=quantile_picture(known), theme="wrong")


def _by_region(regions: tuple[Region, ...], level: float) -> Table:
    rows = []
    for part in regions:
        width = part.interval.high - part.interval.low
        mean, low, high = (rounded(v, width) for v in (part.mean_error, part.interval.low, part.interval.high))
        rows.append((f"{loss(part.low)} to {loss(part.high)}", count(part.cases), mean, f"{low} to {high}", loss(part.rmse)))
    head = ("Prediction", "Cases", "Mean residual", f"{percent(level)} interval", "RMSE")
    return Table("Residuals by prediction", head, tuple(rows))
