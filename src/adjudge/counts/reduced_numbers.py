"""The losses of a numeric predictor, summed where the rows live."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from adjudge._base.arguments import argument, wording
from adjudge._base.errors import InputError
from adjudge._base.text import counted, quoted, safe
from adjudge.counts.numbers import NumberCounts
from adjudge.predictions.engines import LazySource, arrays, collect
from adjudge.predictions.expressions import missing, no_weight
from adjudge.predictions.model import Predictions
from adjudge.predictions.numbers import LARGEST
from adjudge.predictions.reducing import refuse_weights

_SUMS = ("absolute", "squared", "apart", "apart2", "weight2", "side", "off")
_FACTORS = ("absolute_", "squared_", "apart_", "spread")


def reduced_numbers(predictions: Predictions) -> NumberCounts:
    """Sum in two queries: the second needs the mean of the truth."""
    frame = _checked(predictions)
    weighted = frame.with_columns((nw.col("weight") * nw.col("truth")).alias("total"))
    ends = (nw.col("truth").min().alias("low"), nw.col("truth").max().alias("high"))
    first = arrays(collect(weighted.select(nw.len().alias("n"), nw.col("weight", "total").sum(), *ends)))
    n, weight, low, high = (float(first[name][0]) for name in ("n", "weight", "low", "high"))
    if not n:
        msg = f"{safe(predictions.source.name)}: no rows left to judge."
        raise InputError(msg)
    if not weight:
        msg = "All weights are 0: no case counts. Give at least one case a weight above 0."
        raise InputError(msg)
    mean = low if low == high else float(first["total"][0]) / weight
    sums = arrays(collect(_losses(frame, mean)))
    products = np.zeros((4, 4))
    for i, j in combinations_with_replacement(range(4), 2):
        products[i, j] = products[j, i] = sums[f"product{i}{j}"][0]
    absolute, squared, apart, apart2, weight2, side, off = (float(sums[name][0]) for name in _SUMS)
    return NumberCounts(int(n), weight, mean, absolute, squared, apart, apart2, weight2, side, products, off)


def _checked(predictions: Predictions) -> nw.LazyFrame[Any]:
    """Return truth, prediction and weight of the rows that have both numbers; refuse what is not finite."""
    source, roles = predictions.source, predictions.roles
    assert isinstance(source, LazySource)
    if roles.predicted is None:
        msg = wording("The losses of a numeric predictor need its predictions; name the column with ", argument("predicted"), ".")
        raise InputError(msg)
    weight = nw.lit(1.0) if roles.weight is None else nw.col(roles.weight).cast(nw.Float64)
    pair = [nw.col(name).cast(nw.Float64).alias(part) for part, name in (("truth", roles.truth), ("predicted", roles.predicted))]
    frame = source.frame.select(*pair, weight.alias("weight"))
    gone = {part: missing(part, nw.Float64()) for part in ("truth", "predicted")}
    asked = {f"gone_{part}": where for part, where in gone.items()}
    asked |= {f"endless_{part}": ~where & (nw.col(part).abs() > LARGEST) for part, where in gone.items()}
    asked["bad"] = no_weight()
    counts = frame.select(**{name: where.cast(nw.Float64) for name, where in asked.items()})
    found = {name: int(np.nan_to_num(value[0])) for name, value in arrays(collect(counts.select(nw.all().sum()))).items()}
    for part, name in (("truth", roles.truth), ("predicted", roles.predicted)):
        if n := found[f"endless_{part}"]:
            msg = f"column {quoted(name)} has {counted(n, 'number')} not finite, or too large for the square to be."
            raise InputError(msg)
        if found[f"gone_{part}"] and predictions.reading.missing != "drop":
            many = counted(found[f"gone_{part}"], "missing value")
            msg = wording(f"column {quoted(name)} has {many}; pass ", argument("missing", "drop"), " to leave such rows out.")
            raise InputError(msg)
    refuse_weights(found["bad"], roles.weight)
    return frame.filter(~gone["truth"], ~gone["predicted"])


def _losses(frame: nw.LazyFrame[Any], mean: float) -> nw.LazyFrame[Any]:
    """Ask for the sums of losses and of their products, all weighted."""
    frame = frame.with_columns(
        (nw.col("truth") - nw.col("predicted")).alias("residual"), (nw.col("truth") - mean).alias("spread")
    )
    frame = frame.with_columns(
        nw.col("residual").abs().alias("absolute_"),
        (nw.col("residual") * nw.col("residual")).alias("squared_"),
        nw.col("spread").abs().alias("apart_"),
    )
    weight, spread = nw.col("weight"), nw.col("spread")
    sign = nw.when(spread > 0).then(nw.lit(1.0)).otherwise(nw.when(spread < 0).then(nw.lit(-1.0)).otherwise(0.0))
    losses = (nw.col("absolute_"), nw.col("squared_"), nw.col("apart_"), spread * spread, weight, sign, spread)
    each = {name: weight * loss for name, loss in zip(_SUMS, losses, strict=True)}
    for i, j in combinations_with_replacement(range(4), 2):
        each[f"product{i}{j}"] = weight * nw.col(_FACTORS[i]) * nw.col(_FACTORS[j])
    return frame.select(**each).select(nw.all().sum())
