"""Measures of many tables at once, for draws and resamples: arrays ... x K x K (or K x (K + 1)) in, arrays out."""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.errors import InputError
from adjudge.metrics.measure import ClassMeasure, Measure, OneAgainstRest


def of_tables(measure: Measure, tables: AnyArray, at: int | None = None) -> FloatArray:
    """Return the measure of every table, NaN where it is undefined; `at` is the class a measure of one class speaks of."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if not isinstance(measure, ClassMeasure):
            return np.asarray(_of_whole_tables(measure.name, tables.astype(np.float64)))
        hit, support, assigned, rejected = _margins(tables)
        alarm, others = assigned - hit, support.sum(axis=-1, keepdims=True) - support
        quiet = others - (rejected.sum(axis=-1, keepdims=True) - rejected) - alarm
        top, bottom = measure.parts(OneAgainstRest(hit, support - rejected - hit, alarm, quiet, support, others))
        each = np.asarray(top / bottom)
        return np.asarray(_mean(each, support > 0) if at is None else each[..., at])


def _of_whole_tables(name: str, tables: FloatArray) -> FloatArray:
    hit, support, assigned, rejected = _margins(tables)
    n, seen, correct = support.sum(axis=-1), support > 0, hit.sum(axis=-1)
    k, recalls = seen.sum(axis=-1), hit / np.where(seen, support, 1)
    chance = (support * assigned).sum(axis=-1)
    match name:
        case "accuracy":
            value = correct / n
        case "error":
            value = (support - rejected - hit).sum(axis=-1) / n
        case "rejection_rate":
            value = rejected.sum(axis=-1) / n
        case "balanced_accuracy":
            value = _mean(recalls, seen)
        case "informedness":
            value = (k * _mean(recalls, seen) - 1) / (k - 1)
        case "g_mean":
            value = np.exp(_mean(np.log(np.where(seen, recalls, 1)), seen))
        case "mcc":
            decided = n * n - (assigned**2).sum(axis=-1) - rejected.sum(axis=-1) ** 2
            value = np.clip((n * correct - chance) / np.sqrt((n * n - (support**2).sum(axis=-1)) * decided), -1, 1)
        case "kappa":
            value = (n * correct - chance) / (n * n - chance)
        case _:
            msg = f"{name} cannot be measured on many tables at once."
            raise InputError(msg)
    return np.asarray(value)


def _margins(tables: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
    """Return correct cases, cases, decisions and rejected cases of every class."""
    k = tables.shape[-2]
    hit = np.diagonal(tables, axis1=-2, axis2=-1)[..., :k]
    return hit, tables.sum(axis=-1), tables[..., :k].sum(axis=-2), tables[..., k:].sum(axis=-1)


def _mean(each: FloatArray, seen: AnyArray) -> FloatArray:
    """Return the mean over the classes that have a case."""
    return np.asarray(np.where(seen, each, 0).sum(axis=-1) / seen.sum(axis=-1))
