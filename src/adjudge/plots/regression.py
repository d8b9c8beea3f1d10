"""Pictures of numeric predictions: against the truth, their residuals, and these against a normal distribution."""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge.judgements.numeric import Residuals
from adjudge.plots.drawing import Axis, Drawing, Item, Line, Marks, Panel, band, line_of, segment
from adjudge.plots.scales import scale_of

_WIDTH, _HEIGHT = 480.0, 370.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 78.0, 16.0, 16.0, 46.0
_MANY = 800  # points from which on they are small


def agreement_picture(known: Residuals) -> Drawing:
    """Return predictions against the truth, with the line on which both are the same."""
    low, high = float(known.points.min()), float(known.points.max())
    axis = _axis(known.points, "Predicted"), _axis(known.points, "True")
    items: list[Item] = [_dots(known.points[:, ::-1]), segment((low, low), (high, high), "ref")]
    told = f"{known.drawn:,} cases; the dashed line is where prediction and truth are the same"
    return _drawn("Predicted against true", told, items, axis)


def residual_picture(known: Residuals) -> Drawing:
    """Return residuals against predictions, with the mean of each region in its interval."""
    truth, predicted = known.points.T
    residuals = truth - predicted
    items: list[Item] = [_dots(np.column_stack((predicted, residuals)))]
    items.append(segment((float(predicted.min()), 0.0), (float(predicted.max()), 0.0), "ref"))
    middles = [float(np.median(predicted[(predicted >= part.low) & (predicted <= part.high)])) for part in known.regions]
    for x, part in zip(middles, known.regions, strict=True):
        items.append(segment((x, part.interval.low), (x, part.interval.high), "bar"))
    if len(middles) > 1:
        means = np.array([part.mean_error for part in known.regions])
        items.append(Line(line_of(np.array(middles), means), "curve line1", label="mean residual", styled=True))
    ends = [end for part in known.regions for end in (part.interval.low, part.interval.high)]
    axes = _axis(predicted, "Predicted"), _axis(np.append(residuals, [0.0, *ends]), "Residual (true - predicted)")
    return _drawn("Residuals by prediction", f"{known.drawn:,} cases; mean residual by region", items, axes)


def quantile_picture(known: Residuals) -> Drawing:
    """Return ordered residuals against quantiles of a normal distribution, in a band that holds all of them at once."""
    normal, errors, low, high = known.quantiles.T
    y = _axis(errors, "Residual (true - predicted)")
    low, high = (np.clip(side, y.start, y.stop) for side in (low, high))
    items: list[Item] = [band(line_of(normal, low), line_of(normal, high), "band area0", label="normal distribution")]
    items.append(_dots(np.column_stack((normal, errors))))
    axes = _axis(normal, "Quantile of a normal distribution"), y
    return _drawn("Q-Q plot of the residuals", "residuals against those of a normal distribution, with its band", items, axes)


def _dots(points: FloatArray) -> Marks:
    many = len(points) > _MANY
    return Marks(points, "disc", 1.6 if many else 2.6, f"of0{' faint' if many else ''}", styled=True)


def _axis(values: FloatArray, name: str) -> Axis:
    return scale_of(values.ravel().tolist()).axis(name, 60, 5, grid=True)


def _drawn(title: str, told: str, items: list[Item], axes: tuple[Axis, Axis]) -> Drawing:
    panel = Panel(_LEFT, _TOP, _WIDTH - _RIGHT, _HEIGHT - _BOTTOM, *axes)
    return Drawing(_WIDTH, _HEIGHT, title, told, tuple(items), panel)
