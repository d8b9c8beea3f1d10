"""Measures of many tables at once, for draws and resamples: arrays ... x K x K (or K x (K + 1)) in, arrays out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.errors import InputError
from adjudge.metrics.measure import ClassMeasure, Measure, OneAgainstRest


def of_tables(measure: Measure, tables: AnyArray, at: int | None = None) -> FloatArray:
    """Return the measure of every table, NaN where it is undefined; `at` is the class a measure of one speaks of."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if isinstance(measure, ClassMeasure):
            top, bottom = measure.parts(_against_rest(tables))
            each = np.asarray(top / bottom)
            return np.asarray(each[..., at] if at is not None else _macro(each, tables))
        if measure.name not in _OF_TABLES:
            msg = f"{measure.name} cannot be measured on many tables at once."
            raise InputError(msg)
        return np.asarray(_OF_TABLES[measure.name](tables.astype(np.float64)))


def _margins(tables: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
    k = tables.shape[-2]
    hit = np.diagonal(tables, axis1=-2, axis2=-1)[..., :k]
    return hit, tables.sum(axis=-1), tables[..., :k].sum(axis=-2), tables[..., k:].sum(axis=-1)


def _against_rest(tables: AnyArray) -> OneAgainstRest:
    hit, support, assigned, rejected = _margins(tables)
    n = support.sum(axis=-1, keepdims=True)
    alarm, others = assigned - hit, n - support
    quiet = others - (rejected.sum(axis=-1, keepdims=True) - rejected) - alarm
    return OneAgainstRest(hit, support - rejected - hit, alarm, quiet, support, others)


def _macro(each: FloatArray, tables: AnyArray) -> FloatArray:
    seen = _margins(tables)[1] > 0
    return np.asarray(np.where(seen, each, 0).sum(axis=-1) / seen.sum(axis=-1))


def _recalls(tables: FloatArray) -> tuple[FloatArray, AnyArray]:
    hit, support, _, _ = _margins(tables)
    seen = support > 0
    return np.where(seen, hit / np.where(seen, support, 1), np.nan), seen


def _accuracy(tables: FloatArray) -> FloatArray:
    hit, support, _, _ = _margins(tables)
    return np.asarray(hit.sum(axis=-1) / support.sum(axis=-1))


def _error(tables: FloatArray) -> FloatArray:
    hit, support, _, rejected = _margins(tables)
    return np.asarray((support - rejected - hit).sum(axis=-1) / support.sum(axis=-1))


def _rejection_rate(tables: FloatArray) -> FloatArray:
    _, support, _, rejected = _margins(tables)
    return np.asarray(rejected.sum(axis=-1) / support.sum(axis=-1))


def _balanced_accuracy(tables: FloatArray) -> FloatArray:
    each, seen = _recalls(tables)
    return np.asarray(np.where(seen, each, 0).sum(axis=-1) / seen.sum(axis=-1))


def _informedness(tables: FloatArray) -> FloatArray:
    k = _recalls(tables)[1].sum(axis=-1)
    return np.asarray((k * _balanced_accuracy(tables) - 1) / (k - 1))


def _g_mean(tables: FloatArray) -> FloatArray:
    each, seen = _recalls(tables)
    return np.asarray(np.exp(np.where(seen, np.log(np.where(seen, each, 1)), 0).sum(axis=-1) / seen.sum(axis=-1)))


def _mcc(tables: FloatArray) -> FloatArray:
    hit, support, assigned, rejected = _margins(tables)
    n, none = support.sum(axis=-1), rejected.sum(axis=-1)
    covariance = n * hit.sum(axis=-1) - (support * assigned).sum(axis=-1)
    spread = (n * n - (support**2).sum(axis=-1)) * (n * n - (assigned**2).sum(axis=-1) - none**2)
    return np.asarray(np.clip(covariance / np.sqrt(spread), -1, 1))


def _kappa(tables: FloatArray) -> FloatArray:
    hit, support, assigned, _ = _margins(tables)
    n, chance = support.sum(axis=-1), (support * assigned).sum(axis=-1)
    return np.asarray((n * hit.sum(axis=-1) - chance) / (n * n - chance))


_OF_TABLES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "accuracy": _accuracy,
    "error": _error,
    "rejection_rate": _rejection_rate,
    "balanced_accuracy": _balanced_accuracy,
    "informedness": _informedness,
    "g_mean": _g_mean,
    "mcc": _mcc,
    "kappa": _kappa,
}
