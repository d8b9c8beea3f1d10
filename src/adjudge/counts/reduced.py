"""Every table counted where the rows live: a few queries to an engine, each answered by a small table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, quoted, safe
from adjudge.counts.cells import Cells, packed_cells
from adjudge.counts.confusion import ConfusionCounts, from_cells
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.probabilities import BINS, MOST_CLASSES, NOTABLE, ROUNDING, ProbabilityCounts
from adjudge.counts.scores import ScoreCounts, placed
from adjudge.counts.spread_scores import score_table
from adjudge.counts.tally import MOST_PARTS, Tally, in_order
from adjudge.predictions.engines import LazySource, arrays, collect
from adjudge.predictions.expressions import any_of, largest, missing, no_weight, total
from adjudge.predictions.in_memory import LARGEST
from adjudge.predictions.model import Predictions
from adjudge.predictions.reducing import Occurring, Reducer, refuse_weights

_LOSSES = ("squared", "log", "squares", "logs", "impossible")
_SUMS = ("weight", "called", *_LOSSES, "weights", "notable")


def reduces(predictions: Predictions) -> bool:
    """Return whether rows are to be counted where they live: those of a lazy frame, where there are many."""
    if predictions.reading.duplicates != "error":
        return False  # rows that are made one have to be here
    return isinstance(predictions.source, LazySource) and predictions.source.large


def reduced_count(predictions: Predictions) -> ConfusionCounts:
    """Count decisions only."""
    return Reduced(predictions).confusion


def reduced_tally(predictions: Predictions, *, ranking: bool = False) -> Tally:
    """Count everything: some four queries, and two or three for each column of scores."""
    reduced = Reduced(predictions, ranking=ranking)
    encoder, confusion = reduced.encoder, reduced.confusion  # the classes are known from here on
    if confusion.n == 0:
        msg = "All weights are 0: no case counts. Give at least one case a weight above 0."
        raise InputError(msg)
    reduced.check_identities()
    families = tuple(dict.fromkeys(encoder.labels.families.values()))
    scored = encoder.scores.form != "none"
    return Tally(
        confusion,
        encoder.n - encoder.dropped,
        encoder.scores.scale if scored else None,
        reduced.scores() if scored else None,
        reduced.probabilities if scored and encoder.scores.scale != "scores" else None,
        reduced.by("fold"),
        reduced.by("group"),
        encoder.positive(encoder.classes),
        families if len(families) > 1 else (),
        {name: gap.n for name, gap in encoder.gaps.columns.items()},
        encoder.dropped,
        reduced.heaviest / reduced.lightest if reduced.heaviest else 1.0,
        left_out=encoder.before.left_out,
        undecided=encoder.undecided,
    )


class Reduced(Reducer):
    """Predictions in an engine, counted."""

    @cached_property
    def occurring(self) -> Occurring:
        """The labels that occur together; every other table starts from the class numbers they get."""
        return self.labels()

    @property
    def _weighted(self) -> bool:
        return self.roles.weight is not None

    # -- decisions -----------------------------------------------------------------------------------------

    @property
    def confusion(self) -> ConfusionCounts:
        """The confusion table."""
        return self._table(slice(None))

    def by(self, part: str) -> dict[Any, ConfusionCounts]:
        """Return the confusion table of every fold or group."""
        codes = getattr(self.occurring, part)
        if codes is None:
            return {}
        distinct = np.unique(codes)
        if distinct.size > MOST_PARTS:
            column = quoted(getattr(self.roles, part))
            msg = f"column {column} has more than {MOST_PARTS:,} values: it is no {part}. Name another with --{part}."
            raise InputError(msg)
        labels = (self.encoder.folds if part == "fold" else self.encoder.groups).book.labels
        return {labels[code]: self._table(codes == code) for code in in_order(distinct.tolist(), labels)}

    def _table(self, rows: Any) -> ConfusionCounts:
        found, encoder = self.occurring, self.encoder
        n, squares = (found.weight[rows], found.squares[rows]) if self._weighted else (found.n[rows], None)
        cells: Cells = packed_cells(found.truth[rows], found.decided[rows], n, squares)
        return from_cells(cells, encoder.classes, encoder.order, rejected=self.reading.rejected is not None or encoder.undecided)

    def check_identities(self, *, by_fold: bool = True) -> None:
        """Refuse rows that name a case again; it may come back in another fold, where folds tell rows apart."""
        if self.roles.row is None:
            return
        again = self.named_again(by_fold=by_fold and self.roles.fold is not None)
        if again:
            msg = wording(
                (
                    f"column {quoted(self.roles.row)} names cases more than once: {counted(again, 'row')} with an identity "
                    "seen before. Pass "
                ),
                argument("duplicates", "first"),
                " or ",
                argument("duplicates", "mean"),
                ", or name another ",
                argument("row"),
                ".",
            )
            raise InputError(msg)

    def named_again(self, *, by_fold: bool) -> int:
        """Return how many rows name a case that another row has named, or that of the same fold has."""
        keys = ["row", *(["fold"] if by_fold else [])]
        known = self.frame.filter(~missing("row", self.source.kind_of(str(self.roles.row))))
        again = known.group_by(*keys).agg(nw.len().alias("n")).filter(nw.col("n") > 1)
        found = arrays(collect(again.select(nw.col("n").sum().alias("rows"), nw.len().alias("cases"))))
        cases = int(found["cases"][0])
        return int(found["rows"][0]) - cases if cases else 0

    # -- scores --------------------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> nw.LazyFrame[Any]:
        """The rows that count, with probabilities `p0`, `p1`, ... that sum to one beside the scores."""
        assert self.occurring is not None
        frame = self.worst_filled()
        frame = frame.filter(nw.col("weight") > 0) if self._weighted else frame
        return frame if self.encoder.scores.scale == "scores" else _normalised(frame, self.columns)

    def scores(self) -> ScoreCounts:
        """Return the scores of every class as tables."""
        order, exact = self.encoder.order, self.encoder.n * self.width
        tables = tuple(
            score_table(self.rows.with_columns((nw.col("truth") == i).alias("hit")), name, exact, weighted=self._weighted)
            for i, name in enumerate(self.columns)
        )
        return ScoreCounts(tuple(placed(order)[: self.width].tolist()), len(order), tables=tables)

    @cached_property
    def probabilities(self) -> ProbabilityCounts:
        """The sums that Brier score, log loss and reliability follow from."""
        single = self.width == 1
        names = ["p0", "p1"] if single else [f"p{i}" for i in range(self.width)]
        truth = nw.when(nw.col("truth") > 0).then(nw.lit(1)).otherwise(nw.lit(0)) if single else nw.col("truth")
        rows = self.rows.with_columns(truth.alias("truth"))
        each = [_class_sums(rows, i, p) for i, p in enumerate(names)] if len(names) <= MOST_CLASSES else []
        if single:
            each[1] = replace(each[1], values=each[1].values | {name: each[0].values[name] for name in _LOSSES})
        decided = None
        if self.roles.predicted is not None:
            decided = nw.when(nw.col("said") > 0).then(nw.lit(1)).otherwise(nw.lit(0)) if single else nw.col("said")
        return _gathered(_row_sums(rows, names, decided), each)


def _normalised(frame: nw.LazyFrame[Any], columns: list[str]) -> nw.LazyFrame[Any]:
    """Add probabilities within [0, 1] that sum to one; a single score is that of class 0, the rest class 1's."""
    clipped = frame.with_columns(nw.col(s).clip(0.0, 1.0).alias(f"p{i}") for i, s in enumerate(columns))
    if len(columns) == 1:
        return clipped.with_columns((1 - nw.col("p0")).alias("p1"), nw.lit(1.0).alias("total"))
    names = [f"p{i}" for i in range(len(columns))]
    summed = clipped.with_columns(total(names).alias("total"))
    off = (nw.col("total") - 1).abs() > ROUNDING
    return summed.with_columns(nw.when(off).then(nw.col(p) / nw.col("total")).otherwise(nw.col(p)).alias(p) for p in names)


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums by bin of a probability and by whether what it was given to happened."""

    hit: AnyArray
    bin: IntArray
    values: dict[str, FloatArray]

    def total(self, name: str) -> float:
        return float(self.values[name].sum())

    @property
    def by_bin(self) -> FloatArray:
        weight, called = self.values["weight"], self.values["called"]
        each = (weight, called, np.where(self.hit, weight, 0.0))
        return np.stack([np.bincount(self.bin, weights=values, minlength=BINS) for values in each])


def _by_bin(frame: nw.LazyFrame[Any], p: str) -> _Sums:
    """Sum up by the bin of column `p`: its probabilities, and of the columns `loss` and `own` the losses and their squares."""
    raw = (nw.col(p) * BINS).ceil().cast(nw.Int64) - 1
    frame = frame.with_columns(raw.clip(0, BINS - 1).alias("bin"), (nw.col("own") > 0).alias("possible"))
    weight, log = nw.col("weight"), nw.col("log")
    frame = frame.with_columns(nw.when(nw.col("possible")).then(nw.col("own")).otherwise(1.0).log().alias("log"))
    frame = frame.with_columns(
        (weight * nw.col(p)).alias("called"),
        (weight * nw.col("loss")).alias("squared"),
        (weight * nw.col("loss") * nw.col("loss")).alias("squares"),
        (-weight * log).alias("log"),
        (weight * log * log).alias("logs"),
        (~nw.col("possible")).cast(nw.Float64).alias("impossible"),
        (weight * weight).alias("weights"),
    )
    found = arrays(collect(frame.group_by("hit", "bin").agg(nw.col(*_SUMS).sum())))
    return _Sums(found["hit"].astype(bool), found["bin"].astype(np.int64), {name: found[name] for name in _SUMS})


def _row_sums(rows: nw.LazyFrame[Any], names: list[str], decided: nw.Expr | None) -> _Sums:
    """Return the sums of whole rows, by the bin of the highest probability; of equal ones that of the class decided for."""
    notable = ((nw.col("total") - 1).abs() > NOTABLE).cast(nw.Float64)
    said = (nw.lit(-1) if decided is None else decided).cast(nw.Int64)
    frame = largest(rows.select("truth", "weight", *names, notable.alias("notable"), said.alias("said")), names, at="best")
    if decided is not None:
        tied = any_of([(nw.col("said") == i) & (nw.col(p) == nw.col("top")) for i, p in enumerate(names)])
        frame = frame.with_columns(nw.when(tied).then(nw.col("said")).otherwise(nw.col("best")).alias("best"))
    own = nw.sum_horizontal(*(nw.when(nw.col("truth") == i).then(nw.col(p)).otherwise(0.0) for i, p in enumerate(names)))
    square = nw.sum_horizontal(*(nw.col(p) * nw.col(p) for p in names))
    frame = frame.with_columns((nw.col("truth") == nw.col("best")).alias("hit"), own.alias("own"), square.alias("square"))
    return _by_bin(frame.with_columns((nw.col("square") - 2 * nw.col("own") + 1).alias("loss")), "top")


def _class_sums(rows: nw.LazyFrame[Any], at: int, p: str) -> _Sums:
    """Return the sums of one class against the rest."""
    frame = rows.select((nw.col("truth") == at).alias("hit"), nw.col(p), "weight", nw.lit(0.0).alias("notable"))
    frame = frame.with_columns(nw.when(nw.col("hit")).then(nw.col(p)).otherwise(1 - nw.col(p)).alias("own"))
    return _by_bin(frame.with_columns(((1 - nw.col("own")) * (1 - nw.col("own"))).alias("loss")), p)


def _gathered(every: _Sums, each: list[_Sums]) -> ProbabilityCounts:
    losses = ("squared", "log", "impossible")
    return ProbabilityCounts(
        every.total("weight"),
        every.total("squared"),
        every.total("log"),
        int(every.total("impossible")),
        int(every.total("notable")),
        every.by_bin,
        np.array([sums.by_bin for sums in each]).reshape(-1, 3, BINS),
        np.array([[sums.total(name) for name in losses] for sums in each]).reshape(-1, 3),
        every.total("weights"),
        np.array([every.total("squares"), every.total("logs")]),
        np.array([[sums.total("squares"), sums.total("logs")] for sums in each]).reshape(-1, 2),
    )


_NUMBER_SUMS = ("absolute", "squared", "apart", "apart2", "weight2", "side", "off")
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
    absolute, squared, apart, apart2, weight2, side, off = (float(sums[name][0]) for name in _NUMBER_SUMS)
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
    each = {name: weight * loss for name, loss in zip(_NUMBER_SUMS, losses, strict=True)}
    for i, j in combinations_with_replacement(range(4), 2):
        each[f"product{i}{j}"] = weight * nw.col(_FACTORS[i]) * nw.col(_FACTORS[j])
    return frame.select(**each).select(nw.all().sum())
