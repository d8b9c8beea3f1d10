"""Rows in blocks of numbers: what counting sees of any source.

One pass over a source: labels become class numbers, scores a matrix in class order. What is wrong with a
row is said at once where nothing can go on, or gathered and said at the end with its count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted, safe
from adjudge.predictions.cells import is_vector, numbers_of, vectors_of
from adjudge.predictions.gaps import Gaps
from adjudge.predictions.label_columns import LabelReader
from adjudge.predictions.labels import MISSING, Codebook, ordered, text_of
from adjudge.predictions.model import Predictions
from adjudge.predictions.positive import means_positive, same, settle_positive
from adjudge.predictions.score_columns import ScoreReader, matched

REJECTED = -2
"""The code of "no decision" among the predicted classes."""
HEAD = 5000
"""Rows looked at before anything is counted."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some rows: class numbers, scores by class number, and what else is known of each case."""

    truth: IntArray
    predicted: IntArray
    scores: AnyArray | None = None
    weight: FloatArray | None = None
    fold: IntArray | None = None
    group: IntArray | None = None
    row: pa.Array | None = None

    def only(self, keep: AnyArray) -> Block:
        """Return the rows marked in `keep`."""
        parts = (self.truth, self.predicted, self.scores, self.weight, self.fold, self.group)
        row = None if self.row is None else self.row.filter(pa.array(keep))
        return Block(*(None if part is None else part[keep] for part in parts), row)  # type: ignore[arg-type, call-arg]


class Encoder:
    """One pass over predictions: give out the blocks, then say what the classes were."""

    def __init__(self, predictions: Predictions) -> None:
        self.predictions = predictions
        self.roles, self.reading = predictions.roles, predictions.reading
        self.gaps = Gaps()
        self.n = 0
        self.dropped = 0
        self.folds, self.groups = (self._labels(Codebook(), missing_is_class=True) for _ in range(2))
        self.scores = self._score_reader()
        self.labels = self._labels(self._first_book(), missing_is_class=self.reading.missing == "class")

    def blocks(self) -> Iterator[Block]:
        """Yield the rows that can be judged; complain at the end of those that cannot."""
        roles = self.roles
        numbers = [*([] if self.scores.form == "vector" else self.scores.columns), *([roles.weight] if roles.weight else [])]
        labels = [name for name in roles.columns if name not in numbers]
        for batch in self.predictions.source.batches(labels, numbers):
            block = self._block(batch)
            if block.truth.size:
                yield block
        self._check()

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes in the order to show them."""
        labels = self.labels.book.labels
        return tuple(labels[code] for code in self.order)

    @property
    def order(self) -> list[int]:
        """The codes of the classes in the order to show them; the label of rejection is not a class."""
        labels = self.labels.book.labels
        given = self.reading.classes
        if given is not None:
            place = {text_of(label): code for code, label in enumerate(labels)} | {
                label: code for code, label in enumerate(labels)
            }
            return [place[wanted] if wanted in place else place[text_of(wanted)] for wanted in given]
        fixed, rejected = list(range(self._known)), self._rejected_code
        extra = {labels[code]: code for code in range(self._known, len(labels)) if code != rejected}
        return [*fixed, *(extra[label] for label in ordered(extra))]

    # -- before the first row ------------------------------------------------------------------------------

    @cached_property
    def _head(self) -> dict[str, pa.Array]:
        return self.predictions.source.head(HEAD)

    def _labels(self, book: Codebook, *, missing_is_class: bool) -> LabelReader:
        as_text = self.reading.labels_as == "str"
        return LabelReader(book, self.predictions.source.cells, as_text, missing_is_class, self.gaps)

    def _score_reader(self) -> ScoreReader:
        scores, scale, listed_classes = self.roles.scores, self.roles.scale, self.reading.classes
        if not scores:
            return ScoreReader("none", (), (), scale)
        name = scores[0][1]
        if len(scores) > 1:
            return ScoreReader("block", *matched(self.roles, listed_classes), scale, self.gaps)
        if is_vector(self._head[name]):
            width = vectors_of(self._head[name], name).shape[1]
            return ScoreReader("vector", listed_classes or tuple(range(width)), (name,), scale, self.gaps)
        return ScoreReader("single", (self._positive_of_single(),), (name,), scale, self.gaps)

    def _positive_of_single(self) -> Any:
        """Return the class a single score speaks of."""
        label, name = self.roles.scores[0]
        if label is not None or self.reading.positive is not None:
            return label if label is not None else self.reading.positive
        classes = list(self._head_classes)
        if self.roles.scale == "confidence" and means_positive(classes) is None:
            return classes[-1]  # a confidence speaks of both classes alike
        alone = text_of(classes[0]) if len(classes) == 1 else None
        if alone in ("0", "False"):
            return {"0": 1, "False": True}[alone]  # the class no case of the first rows is of
        counts = list(self._head_classes.values())
        return classes[settle_positive(classes, None, counts=counts, what=f"The score in column {quoted(name)}")]

    @cached_property
    def _head_classes(self) -> dict[Any, int]:
        """The classes among the first rows, sorted, with how many cases are truly of each."""
        book = Codebook.of(self.reading.classes or ())
        reader = self._labels(book, missing_is_class=False)
        codes = reader.codes(self._head[self.roles.truth], self.roles.truth)
        if self.roles.predicted is not None:
            reader.codes(self._head[self.roles.predicted], self.roles.predicted)
        counts = np.bincount(codes[codes >= 0], minlength=len(book))
        known = {label: int(counts[code]) for code, label in enumerate(book.labels)}
        return known if self.reading.classes is not None else {label: known[label] for label in ordered(known)}

    def _first_book(self) -> Codebook:
        """Return the codebook with the classes known beforehand, in the order they will be shown."""
        form, given = self.scores.form, self.reading.classes
        known = self.scores.classes if form in ("vector", "block") else () if form == "single" else given or self._declared()
        self._known = len(known)
        if form == "single":
            positive = self.scores.classes[0]
            others = [label for label in given or self._head_classes if not same(label, positive)]
            return Codebook.of([text_of(label) for label in (positive, *others)], named=True, closed=given is not None)
        if given is not None:
            none = [] if self.reading.rejected is None else [self.reading.rejected]
            return Codebook.of([*given, *none], closed=True)
        return Codebook.of([text_of(label) for label in known], named=True) if form != "none" else Codebook.of(known)

    def _declared(self) -> tuple[Any, ...]:
        columns = [self.roles.truth, *([self.roles.predicted] if self.roles.predicted else [])]
        found = [self.predictions.source.declared(name) or () for name in columns]
        return tuple(dict.fromkeys(label for labels in found for label in labels if label is not None))

    # -- row by row ----------------------------------------------------------------------------------------

    def _block(self, batch: dict[str, pa.Array]) -> Block:
        roles, before = self.roles, self.n
        self.n += len(batch[roles.truth])
        truth = self.labels.read(batch[roles.truth], roles.truth, before)
        if self.reading.rejected is not None and (truth == self._rejected_code).any():
            label = quoted(self.reading.rejected)
            msg = f"column {quoted(roles.truth)} holds {label}, which was to mean 'no decision' (--rejected)."
            raise InputError(msg)
        predicted = None if roles.predicted is None else self.labels.read(batch[roles.predicted], roles.predicted, before)
        scores, gone = self.scores.read(batch, truth, before)
        block = Block(
            truth,
            self._decided(predicted, scores),
            self._speaking(scores, predicted),
            self._weights(batch, before),
            self._parts(batch, roles.fold, self.folds),
            self._parts(batch, roles.group, self.groups),
            batch[roles.row] if roles.row else None,
        )
        keep = (truth != MISSING) & (block.predicted != MISSING)
        if self.reading.missing_scores == "drop":
            keep &= ~gone
        self.dropped += int(keep.size - np.count_nonzero(keep))
        return block if keep.all() else block.only(keep)

    def _decided(self, predicted: IntArray | None, scores: AnyArray | None) -> IntArray:
        """Return the decisions: as given, or the class of the highest score, ties to the class listed first."""
        if predicted is not None:
            code = self._rejected_code
            return predicted if code is None else np.where(predicted == code, np.int64(REJECTED), predicted)
        assert scores is not None
        if self.scores.form != "single":
            return np.asarray(np.argmax(scores, axis=1), dtype=np.int64)
        return np.where(self._is_positive(scores[:, 0]), 0, 1).astype(np.int64)

    def _is_positive(self, score: AnyArray) -> AnyArray:
        threshold = self.reading.threshold
        if threshold is None and self.scores.scale == "scores":
            msg = (
                f"column {quoted(self.scores.columns[0])} holds scores that are not probabilities, and no decisions are given. "
                "Pass --predicted, or with --threshold the score from which on a case is called positive."
            )
            raise InputError(msg)
        if threshold is not None:
            return score >= threshold
        listed_first = text_of(next(iter(self._head_classes), None)) == text_of(self.scores.classes[0])
        return score >= 0.5 if listed_first else score > 0.5  # noqa: PLR2004 - an even chance

    def _speaking(self, scores: AnyArray | None, predicted: IntArray | None) -> AnyArray | None:
        """Turn the confidence of a decision into the probability of the positive class."""
        if scores is None or self.scores.scale != "confidence":
            return scores
        if predicted is None:
            name = quoted(self.scores.columns[0])
            msg = f"column {name} holds confidences; without the decisions (--predicted) they say nothing."
            raise InputError(msg)
        return np.where(predicted[:, None] == 0, scores, 1 - scores)

    @property
    def _rejected_code(self) -> int | None:
        """The code the book gave the label of rejection, once it was seen."""
        if self.reading.rejected is None:
            return None
        wanted = text_of(self.reading.rejected)
        return next((code for code, label in enumerate(self.labels.book.labels) if text_of(label) == wanted), None)

    def _weights(self, batch: dict[str, pa.Array], before: int) -> FloatArray | None:
        if self.roles.weight is None:
            return None
        values = numbers_of(batch[self.roles.weight], self.roles.weight).astype(np.float64)
        bad = np.flatnonzero(~np.isfinite(values) | (values < 0))
        if bad.size:
            at = int(bad[0])
            where = f"column {quoted(self.roles.weight)}, row {before + at + 1:,}"
            msg = f"{where}: the weight {values[at]:g} is not a number of at least 0."
            raise InputError(msg)
        return values

    def _parts(self, batch: dict[str, pa.Array], name: str | None, reader: LabelReader) -> IntArray | None:
        return None if name is None else reader.read(batch[name], name, self.n)

    # -- after the last row --------------------------------------------------------------------------------

    def _check(self) -> None:
        self._check_gaps()
        self._check_types()
        name = safe(self.predictions.source.name)
        if self.n == self.dropped:
            msg = f"{name}: no rows left to judge{f' of {self.n:,}' if self.n else ''}."
            raise InputError(msg)
        if self.scores.form == "single" and len(self.labels.book) == 1:
            self.labels.book.code(f"not {text_of(self.scores.classes[0])}")  # the class no case was of
        classes = self.classes
        if self.scores.form == "single" and len(classes) > 2:  # noqa: PLR2004 - two classes
            msg = (
                f"column {quoted(self.scores.columns[0])} is a single score, but there are {len(classes)} classes: "
                f"{listed(classes)}. Give one score column per class with --scores."
            )
            raise InputError(msg)

    def _check_gaps(self) -> None:
        for name, gap in self.gaps.columns.items():
            if name in self.scores.columns and self.reading.missing_scores == "error":
                msg = f"column {quoted(name)} has {gap}; pass --missing-scores=drop or --missing-scores=worst."
                raise InputError(msg)
            if name not in self.scores.columns and self.reading.missing == "error":
                msg = f"column {quoted(name)} has {gap}; pass --missing=drop or --missing=class."
                raise InputError(msg)

    def _check_types(self) -> None:
        """Refuse to compare text with numbers: 1 and '1' may or may not be meant to be the same."""
        if self.labels.as_text:
            return
        families = self.labels.families
        texts = [name for name, family in families.items() if family == "text"]
        numbers = [name for name, family in families.items() if family in ("int", "float", "bool")]
        if texts and numbers:
            msg = (
                f"column {quoted(numbers[0])} holds numbers and column {quoted(texts[0])} holds text. "
                "Give both the same type, or pass --labels-as=str to compare them as text."
            )
            raise InputError(msg)
