"""Rows of a frame in an engine, brought to class numbers and probabilities by expressions: none of them is fetched.

What :mod:`adjudge.predictions.blocks` does to rows that stream by, said in narwhals' words. Labels are understood by the same
codebook, once for each that occurs, and every rule about missing values, decisions and scales is the encoder's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, quoted
from adjudge.predictions import score_columns
from adjudge.predictions.blocks import OWN_REJECTED, REJECTED, Encoder
from adjudge.predictions.cells import HEAVIEST
from adjudge.predictions.engines import LazySource, arrays, collect
from adjudge.predictions.expressions import (
    any_of,
    as_probabilities,
    by_code,
    code_of,
    largest,
    missing,
    no_weight,
    total,
)
from adjudge.predictions.labels import Gap, is_nothing
from adjudge.predictions.model import Predictions
from adjudge.predictions.streams import joined

_LABELS = ("truth", "predicted", "fold", "group", "row")
MOST_TOGETHER = 4_000_000
"""Different combinations of truth, decision, fold and group that are fetched."""
_KEYS = ("truth", "decided", "predicted", "fold", "group")


@dataclass(frozen=True, slots=True, eq=False)
class Occurring:
    """The combinations of labels that occur, as class numbers, with how many rows have each and their weights."""

    truth: IntArray
    decided: IntArray
    fold: IntArray | None
    group: IntArray | None
    n: IntArray
    weight: FloatArray
    squares: FloatArray


class Reducer:
    """Predictions in an engine: what is asked of the engine, and the frame that further questions start from.

    Where there are scores, the frame has after :meth:`labels` the class numbers of the truth in `truth`, its labels in `label`,
    and `s0`, `s1`, ... as the encoder gives scores out: class `i` of the codebook in column `i`. Without scores `truth` stays
    the label, for there may be very many. `weight` is 1 where there are no weights.
    """

    def __init__(self, predictions: Predictions, *, ranking: bool = False) -> None:
        source = predictions.source
        assert isinstance(source, LazySource)
        self.source = source
        self.encoder = Encoder(predictions, ranking=ranking)
        self.roles, self.reading = predictions.roles, predictions.reading
        self.width = len(self.encoder.scores.classes)
        self.columns = [f"s{i}" for i in range(self.width)]
        self.lightest, self.heaviest = np.inf, 0.0
        self.frame = self._known(self._chosen())

    # -- which rows ----------------------------------------------------------------------------------------

    def _chosen(self) -> nw.LazyFrame[Any]:
        """Return the columns that have a role, under names of our own."""
        named = [(part, getattr(self.roles, part)) for part in _LABELS if getattr(self.roles, part) is not None]
        labels = [self._label(name).alias(part) for part, name in named]
        self._check_numbers([] if self.roles.weight is None else [self.roles.weight])
        weight = nw.lit(1.0) if self.roles.weight is None else nw.col(self.roles.weight).cast(nw.Float64)
        return self.source.frame.select(*labels, *self._scores(), weight.alias("weight"))

    def _label(self, name: str) -> nw.Expr:
        kind = self.source.kind_of(name)
        if kind.is_nested():
            msg = f"column {quoted(name)} holds several values a row where one label is needed."
            raise InputError(msg)
        if kind.is_float():
            return nw.when(~nw.col(name).is_nan()).then(nw.col(name))  # NaN is missing, as null is
        return nw.col(name).cast(nw.String) if kind in (nw.Categorical, nw.Enum, nw.Unknown) else nw.col(name)

    def _scores(self) -> list[nw.Expr]:
        reader = self.encoder.scores
        if reader.form == "vector":
            vector = self._vector(reader.columns[0])
            each = [vector.list.get(i) for i in range(self.width)]
        else:
            self._check_numbers(reader.columns)
            each = [nw.col(name) for name in reader.columns]
        return [score.cast(nw.Float64).alias(name) for score, name in zip(each, self.columns, strict=True)]

    def _vector(self, name: str) -> nw.Expr:
        """Return a column of vectors, all of one length."""
        kind = self.source.kind_of(name)
        if kind not in (nw.List, nw.Array):
            msg = f"column {quoted(name)} is {kind}, of which an engine takes no vectors apart. Give a column per class."
            raise InputError(msg)
        vector = nw.col(name).cast(nw.List(nw.Float64)) if kind == nw.Array else nw.col(name)
        sizes = self.source.frame.select(vector.list.len().alias("size"))
        found = arrays(collect(sizes.select(nw.col("size").min().alias("low"), nw.col("size").max().alias("high"))))
        if {found["low"][0], found["high"][0]} - {float(self.width)}:
            low, high = (int(found[end][0]) for end in ("low", "high"))
            msg = f"column {quoted(name)} holds vectors of {low} to {high} numbers for {self.width} classes."
            raise InputError(msg)
        return vector

    def _check_numbers(self, names: Iterable[str]) -> None:
        for name in names:
            kind = self.source.kind_of(name)
            if not (kind.is_numeric() or kind == nw.Boolean):
                msg = f"column {quoted(name)} holds {kind} where numbers are needed."
                raise InputError(msg)

    def _known(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Return the rows whose labels and scores are there, or complain of those that are not."""
        reading, encoder = self.reading, self.encoder
        gaps = {name: missing(part, self.source.kind_of(name)) for part, name in self._required()}
        lacking = self._lacking()
        heavy = nw.col("weight")
        counts = {f"g{i}": gone for i, gone in enumerate([*gaps.values(), *lacking.values(), no_weight()])}
        asked = frame.with_columns(**{name: gone.cast(nw.Float64) for name, gone in counts.items()})
        used = nw.when(heavy > 0).then(heavy)
        extremes = {"lightest": used.min(), "heaviest": heavy.max()}
        found = arrays(collect(asked.select(nw.len().alias("n"), nw.col(*counts).sum(), **extremes)))
        each = [int(found[name][0]) for name in counts]
        encoder.n = int(found["n"][0])
        self._note(dict(zip([*gaps, *lacking], each[:-1], strict=True)))
        refuse_weights(each[-1], self.roles.weight)
        self.lightest, self.heaviest = float(found["lightest"][0]), float(found["heaviest"][0])
        gone = [*(gaps.values() if reading.missing == "drop" else ()), *(lacking.values() if self._drops else ())]
        return frame.filter(~any_of(gone)) if gone and sum(each[:-1]) else frame

    def _lacking(self) -> dict[str, nw.Expr]:
        """Return where each column of scores lacks one; that of vectors, where they lack any."""
        each = [missing(name, nw.Float64()) for name in self.columns]
        names = self.encoder.scores.columns
        return {names[0]: any_of(each)} if self.encoder.scores.form == "vector" else dict(zip(names, each, strict=True))

    @property
    def _drops(self) -> bool:
        return self.reading.missing_scores == "drop"

    def _required(self) -> list[tuple[str, str]]:
        """Return the label columns in which a missing value is a gap."""
        rejected = self.reading.rejected
        empty_rejects = rejected is not None and (is_nothing(rejected) or rejected == OWN_REJECTED)
        pairs = [("truth", self.roles.truth), ("predicted", None if empty_rejects else self.roles.predicted)]
        return [(part, name) for part, name in pairs if name is not None]

    def _score_columns(self) -> Sequence[str]:
        reader = self.encoder.scores
        return reader.columns * self.width if reader.form == "vector" else reader.columns

    def _note(self, found: dict[str, int]) -> None:
        labels = [name for _, name in self._required()]
        kept = {name: n for name, n in found.items() if n and not (name in labels and self.reading.missing == "class")}
        self.encoder.gaps.columns.update({name: Gap(n) for name, n in kept.items()})
        self.encoder.check_gaps()

    # -- what they say -------------------------------------------------------------------------------------

    def labels(self) -> Occurring:
        """Ask which labels occur together, and put class numbers and scores into the frame."""
        if self.roles.predicted is None:
            self.frame = self._decided(self._scaled(self._filled(self.frame)))
            return self._counted("decided")
        occurring = self._counted("predicted")
        if self.width:
            self.frame = self._scaled(self._filled(self.frame))
        return occurring

    def _counted(self, decision: str) -> Occurring:
        keys = [key for key in _KEYS if key == decision or (key not in ("decided", "predicted") and self._has(key))]
        squared = self.frame.with_columns((nw.col("weight") * nw.col("weight")).alias("squares"))
        query = squared.group_by(*keys).agg(nw.len().alias("n"), nw.col("weight", "squares").sum())
        table = collect(query.head(MOST_TOGETHER + 1))
        if table.num_rows > MOST_TOGETHER:
            msg = wording(
                (
                    f"More than {MOST_TOGETHER:,} different combinations of {', '.join(keys)} occur: one of these columns is "
                    "no class, fold or group. Name the right ones with "
                ),
                argument("truth"),
                ", ",
                argument("predicted"),
                ", ",
                argument("fold"),
                " and ",
                argument("group"),
                ".",
            )
            raise InputError(msg)
        occurring = self._understood(table, decision)
        if self.width:
            truths = by_code(joined(table.column("truth")), occurring.truth)
            self.frame = self.frame.with_columns(code_of("truth", truths).alias("code"))
            if decision == "predicted":
                said = by_code(joined(table.column("predicted")), occurring.decided)
                self.frame = self.frame.with_columns(code_of("predicted", said).alias("said"))
            self.frame = self.frame.rename({"truth": "label", "code": "truth"})
        return occurring

    def _has(self, part: str) -> bool:
        return getattr(self.roles, part) is not None

    def _understood(self, table: pa.Table, decision: str) -> Occurring:
        """Turn labels into class numbers, each combination once."""
        encoder, roles = self.encoder, self.roles
        batch = {
            name: joined(table.column(part))
            for part, name in ((part, getattr(roles, part)) for part in ("truth", "predicted", "fold", "group"))
            if name is not None
        }
        seen, encoder.gaps.columns = dict(encoder.gaps.columns), {}
        truth, predicted = encoder.labelled(batch, None)
        fold, group = encoder.parts(batch)
        encoder.gaps.columns = seen
        found = arrays(table.select(["n", "weight", "squares"]))
        decided = predicted if decision == "predicted" else arrays(table.select(["decided"]))["decided"].astype(np.int64)
        assert decided is not None
        n = found["n"].astype(np.int64)
        encoder.dropped = encoder.n - int(n.sum())
        encoder.check()
        return Occurring(truth, decided, fold, group, n, found["weight"], found["squares"])

    # -- scores --------------------------------------------------------------------------------------------

    def _filled(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Put even scores where one is missing, as the reader of blocks does, and mark those rows."""
        if self.reading.missing_scores != "worst" or not any(name in self.encoder.gaps.columns for name in self._score_columns()):
            return frame
        even = (100 if self.encoder.scores.scale == "percentages" else 1) / self.width
        frame = frame.with_columns(any_of([missing(name, nw.Float64()) for name in self.columns]).alias("gone"))
        return frame.with_columns(
            nw.when(~nw.col("gone")).then(nw.col(name)).otherwise(even).alias(name) for name in self.columns
        )

    def _scaled(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Bring scores to their scale and check that they are what they are called."""
        scale = self.encoder.scores.scale
        if scale == "votes":
            self._check_votes(frame)
        frame = as_probabilities(frame, self.columns, scale)
        if scale != "scores":
            self._check_probabilities(frame)
        if scale == "confidence":
            if self.roles.predicted is None:
                raise self.encoder.no_confidence
            turned = nw.when(nw.col("said") == 0).then(nw.col("s0")).otherwise(1 - nw.col("s0"))
            frame = frame.with_columns(turned.alias("s0"))
        return frame

    def worst_filled(self) -> nw.LazyFrame[Any]:
        """Return the frame with scores as wrong as can be where they were missing."""
        if "gone" not in self.frame.collect_schema().names():
            return self.frame
        low, high = (-np.inf, np.inf) if self.encoder.scores.scale == "scores" else (0.0, 1.0)
        single = self.encoder.scores.form == "single"
        first, zero = nw.col("truth") == 0, nw.lit(low)

        def worst(i: int) -> nw.Expr:
            if single:
                return nw.when(first).then(zero).otherwise(high)
            return nw.when(first if i == 1 else ~first if i == 0 else nw.lit(False)).then(nw.lit(high)).otherwise(low)  # noqa: FBT003

        gone = nw.col("gone")
        return self.frame.with_columns(
            nw.when(gone).then(worst(i)).otherwise(nw.col(name)).alias(name) for i, name in enumerate(self.columns)
        )

    def _decided(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Add the decisions that follow from the scores; ties go to the class listed first."""
        encoder = self.encoder
        if encoder.scores.scale == "confidence":
            raise encoder.no_confidence
        if encoder.undecided:
            return frame.with_columns(nw.lit(REJECTED).cast(nw.Int64).alias("decided"))
        if encoder.scores.form == "single":
            (cut, included), score = encoder.cut, nw.col("s0")
            cut = self._as_narrow(cut)
            said = nw.when(score >= cut if included else score > cut).then(nw.lit(0)).otherwise(nw.lit(1))
            return frame.with_columns(said.alias("decided"))
        at = encoder.threshold_class
        if at is not None:
            above = nw.col(self.columns[at]) >= self._as_narrow(self.reading.threshold)
            said = nw.when(above).then(nw.lit(at)).otherwise(nw.lit(1 - at))
            return frame.with_columns(said.alias("decided"))
        return largest(frame, self.columns, at="decided")

    def _as_narrow(self, threshold: float) -> float:
        """Return a threshold as scores of 32 bits are compared with it."""
        return float(np.float32(threshold)) if self._narrow else threshold

    @property
    def _narrow(self) -> bool:
        return all(self.source.kind_of(name) == nw.Float32 for name in self.encoder.scores.columns)

    # -- checks --------------------------------------------------------------------------------------------

    def _check_votes(self, frame: nw.LazyFrame[Any]) -> None:
        if self.width == 1:
            score_columns.refuse_lone_votes(self.encoder.scores.columns)
        lowest = [nw.col(name).min().alias(name) for name in self.columns]
        summed = frame.with_columns(total(self.columns).alias("sum"))
        found = arrays(collect(summed.select(*lowest, nw.col("sum").min(), nw.col("sum").max().alias("most"))))
        if min(found[name][0] for name in self.columns) < 0 or found["sum"][0] == 0 or not np.isfinite(found["most"][0]):
            listed = ", ".join(quoted(name) for name in self.encoder.scores.columns)
            msg = f"The votes in {listed} must be finite, at least 0, and at least one of each row above 0; some are not."
            raise InputError(msg)

    def _check_probabilities(self, frame: nw.LazyFrame[Any]) -> None:
        asked = frame.with_columns((total(self.columns) - 1).abs().alias("off"))
        ends = [
            end for name in self.columns for end in (nw.col(name).min().alias(f"{name}l"), nw.col(name).max().alias(f"{name}h"))
        ]
        found = arrays(collect(asked.select(*ends, nw.col("off").max())))
        for name, column in zip(self.columns, self._score_columns(), strict=True):
            score_columns.refuse_ends(float(found[f"{name}l"][0]), float(found[f"{name}h"][0]), column)
        if self.width > 1 and self.encoder.scores.scale in ("probabilities", "percentages"):
            self._check_sums(frame, float(found["off"][0]))

    def _check_sums(self, frame: nw.LazyFrame[Any], off: float) -> None:
        names = self.encoder.scores.columns
        if off <= score_columns.sums_allowed(self.width, narrow=self._narrow):
            return
        for decimals in score_columns.DECIMALS:
            tens = 10.0**decimals
            away = [(nw.col(name) * tens - (nw.col(name) * tens + 0.5).floor()).abs().alias(name) for name in self.columns]
            found = arrays(collect(frame.select(*away).select(nw.col(*self.columns).max())))
            if max(float(found[name][0]) for name in self.columns) <= score_columns.CLOSE * tens:
                if off <= score_columns.rounding_allowed(self.width, decimals):
                    return
                break
        listed = ", ".join(quoted(name) for name in names)
        msg = wording(
            (
                f"The probabilities in {listed} sum to one but for {off:.3g} in the worst row. If they are votes, logits "
                "or plain scores, say so with "
            ),
            argument("scores_are"),
            ".",
        )
        raise InputError(msg)


def refuse_weights(bad: int, column: str | None) -> None:
    """Refuse weights of which only is known how many cannot weigh a case."""
    if bad:
        what = "is not a number" if bad == 1 else "are not numbers"
        msg = f"column {quoted(column)} has {counted(bad, 'weight')} that {what} of at least 0 and at most {HEAVIEST:g}."
        raise InputError(msg)
