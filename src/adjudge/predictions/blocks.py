"""Rows in blocks of numbers: what counting sees of any source.

One pass over a source: labels become class numbers, scores a matrix in class order. What is wrong with a
row is said at once where nothing can go on, or gathered and said at the end with its count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from adjudge._base.arguments import argument
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted, safe
from adjudge.predictions.cells import weights_of
from adjudge.predictions.labels import MISSING, Gaps, is_nothing, ordered, text_of
from adjudge.predictions.model import Predictions
from adjudge.predictions.schema import Beforehand
from adjudge.predictions.spellings import clash, means_positive, position, same, settle_positive, strangers

REJECTED = -2
"""The code of "no decision" among the predicted classes."""
OWN_REJECTED = "REJECTED"
"""What our own files write for it; where classes are numbers they leave the cell empty instead, and both mean the same."""
_TWO = 2
_EVEN = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some rows: class numbers, scores by class number, and what else is known of each case."""

    truth: IntArray
    predicted: IntArray
    scores: AnyArray | None = None
    weight: FloatArray | None = None
    fold: IntArray | None = None
    group: IntArray | None = None
    number: IntArray | None = None
    """The place of each row in the source, from 1."""
    row: pa.Array | None = None

    def only(self, keep: BoolArray) -> Block:
        """Return the rows marked in `keep`."""
        parts = (self.truth, self.predicted, self.scores, self.weight, self.fold, self.group, self.number)
        row = None if self.row is None else self.row.filter(pa.array(keep))
        return Block(*(None if part is None else part[keep] for part in parts), row)  # type: ignore[arg-type, call-arg]


class Encoder:
    """One pass over predictions: give out the blocks, then say what the classes were.

    Scores that are no probabilities decide nothing by themselves. Without decisions they are refused, unless only their
    `ranking` is asked for: then all cases are undecided.
    """

    def __init__(self, predictions: Predictions, *, ranking: bool = False, any_labels: bool = False) -> None:
        self.any_labels = any_labels
        """Whether truth and prediction need share no label."""
        self.predictions = predictions
        self.roles, self.reading = predictions.roles, predictions.reading
        self.gaps = Gaps()
        self.n = 0
        self.dropped = 0
        self.before = Beforehand(predictions, self.gaps)
        self.scores = self.before.scores
        book, self._shown = self.before.book()
        self.labels = self.before.reader(book, missing_is_class=self.reading.missing == "class")
        self.folds, self.groups = self.before.names(), self.before.names()
        self._true: set[int] = set()
        self._said: set[int] = set()
        self.threshold_class: int | None = None
        """The class that a threshold on one of two score columns calls positive."""
        if self.reading.threshold is not None and self.scores.form in ("block", "vector"):
            classes = self.scores.classes
            if len(classes) != _TWO:
                msg = f"A threshold decides between two classes; the scores are of {len(classes)}: {listed(classes)}."
                raise InputError(msg)
            self.threshold_class = settle_positive(classes, self.reading.positive, what="A threshold")
        self.undecided = self.scores.form == "single" and self.scores.scale == "scores" and not self.decisions_given
        if self.undecided and not ranking:
            msg = (
                f"column {quoted(self.scores.columns[0])} holds scores that are not probabilities, and no decisions are "
                "given: they rank cases (AUC, average precision, thresholds) and decide none. Pass "
            )
            positive = " the score from which on a case is called positive."
            raise InputError(msg, argument("predicted"), ", or with ", argument("threshold"), positive)

    def blocks(self, *, some: bool = False) -> Iterator[Block]:
        """Yield the rows that can be judged; complain at the end of those that cannot, unless these are `some` rows of many."""
        roles, vector = self.roles, self.scores.form == "vector"
        numbers = [*(() if vector else self.scores.columns), *([roles.weight] if roles.weight else [])]
        texts = (roles.truth, roles.predicted, roles.row, roles.fold, roles.group, *(self.scores.columns if vector else ()))
        labels = list(dict.fromkeys(name for name in texts if name is not None))
        for batch in self.predictions.source.batches(labels, numbers):
            block = self._block(batch)
            if block.truth.size:
                yield block
        if not some:
            self.check()

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes in the order to show them."""
        labels = self.labels.book.labels
        return tuple(labels[code] for code in self.order)

    @property
    def order(self) -> list[int]:
        """The codes of the classes in the order to show them; the label of rejection is not a class."""
        labels, rejected, shown = self.labels.book.labels, self._rejected_code, set(self._shown)
        extra = {label: code for code, label in enumerate(labels) if code not in shown and code != rejected}
        return [*(code for code in self._shown if code != rejected), *(extra[label] for label in ordered(extra))]

    @property
    def decisions_given(self) -> bool:
        """Whether a column or a threshold decides, and not merely the highest score."""
        return self.roles.predicted is not None or self.reading.threshold is not None

    def positive(self, classes: tuple[Any, ...]) -> int | None:
        """Return the place of the class looked for: as the user says, as the labels mean, or as a single score does."""
        wanted = self.reading.positive
        wanted = means_positive(classes) if wanted is None else wanted
        if wanted is None and self.scores.form == "single" and self.scores.scale != "confidence":
            wanted = self.scores.classes[0]
        return None if wanted is None else position(classes, wanted)

    # -- row by row ----------------------------------------------------------------------------------------

    def _block(self, batch: dict[str, pa.Array]) -> Block:
        roles, before = self.roles, self.n
        size = len(batch[roles.truth])
        self.n += size
        truth, predicted = self.labelled(batch, before)
        scores, gone = self.scores.read(batch, before)
        decided = self._decided(predicted, scores)
        if scores is not None and self.scores.scale == "confidence":
            if predicted is None:
                msg = f"column {quoted(self.scores.columns[0])} holds confidences; without the decisions ("
                raise InputError(msg, argument("predicted"), ") they say nothing.")
            scores = np.where(predicted[:, None] == 0, scores, 1 - scores)
        if scores is not None and gone is not None:
            scores[gone] = self.scores.worst(truth[gone])
        block = Block(
            truth,
            decided,
            scores,
            None if roles.weight is None else weights_of(batch[roles.weight], roles.weight, before),
            *self.parts(batch),
            np.arange(before + 1, before + size + 1) if roles.row else None,
            batch[roles.row] if roles.row else None,
        )
        dropped = gone if self.reading.missing_scores == "drop" else None
        if dropped is None and min(block.truth.min(initial=0), block.predicted.min(initial=0)) >= 0:
            return block
        keep = (block.truth != MISSING) & (block.predicted != MISSING)
        if dropped is not None:
            keep &= ~dropped
        self.dropped += int(keep.size - np.count_nonzero(keep))
        return block if keep.all() else block.only(keep)

    def labelled(self, batch: dict[str, pa.Array], before: int | None) -> tuple[IntArray, IntArray | None]:
        """Return the class numbers of truths and, where they are given, of decisions."""
        name, rejected = self.roles.predicted, self.reading.rejected
        truth = self.labels.read(batch[self.roles.truth], self.roles.truth, before)
        if rejected is not None and (truth == self._rejected_code).any():
            msg = f"column {quoted(self.roles.truth)} holds {quoted(rejected)}, which was to mean 'no decision' ("
            raise InputError(msg, argument("rejected"), ").")
        predicted = None if name is None else self._predicted(batch[name], name, before)
        if predicted is not None and not self._true & self._said:  # one label that both hold is enough
            self._true |= {code for code in np.unique(truth).tolist() if code >= 0}
            self._said |= {code for code in np.unique(predicted).tolist() if code >= 0}
        return truth, predicted

    def parts(self, batch: dict[str, pa.Array]) -> tuple[IntArray | None, IntArray | None]:
        """Return the numbers of folds and of groups."""
        named = ((self.roles.fold, self.folds), (self.roles.group, self.groups))
        fold, group = (None if name is None else reader.read(batch[name], name, self.n) for name, reader in named)
        return fold, group

    def _predicted(self, array: pa.Array, name: str, before: int | None) -> IntArray:
        rejected = self.reading.rejected
        if rejected is not None and (is_nothing(rejected) or rejected == OWN_REJECTED):
            codes = self.labels.codes(array, name)
            none = codes == MISSING
            own = self._rejected_code  # arrays of text may hold the label itself
            return np.where(none if own is None else none | (codes == own), np.int64(REJECTED), codes)
        codes = self.labels.read(array, name, before)
        code = self._rejected_code
        return codes if code is None else np.where(codes == code, np.int64(REJECTED), codes)

    def _decided(self, predicted: IntArray | None, scores: AnyArray | None) -> IntArray:
        """Return the decisions: as given, or the class of the highest score, ties to the class listed first."""
        if predicted is not None:
            return predicted
        assert scores is not None
        if self.undecided:
            return np.full(len(scores), REJECTED, dtype=np.int64)
        if self.scores.form == "single":
            cut, included = self.reading.threshold, True
            if cut is None:
                cut, included = _EVEN, same(next(iter(self.before.first_classes), None), self.scores.classes[0])
            own = scores[:, 0] >= cut if included else scores[:, 0] > cut
            return np.asarray(~own, dtype=np.int64)  # class 0 where the score is its own
        if self.threshold_class is not None:
            at = self.threshold_class
            return np.where(scores[:, at] >= self.reading.threshold, at, 1 - at).astype(np.int64)
        return np.asarray(np.argmax(scores, axis=1), dtype=np.int64)

    @property
    def _rejected_code(self) -> int | None:
        """The code the book gave the label of rejection, once it was seen."""
        if self.reading.rejected is None:
            return None
        labels = self.labels.book.labels
        return next((code for code, label in enumerate(labels) if same(label, self.reading.rejected)), None)

    # -- after the last row --------------------------------------------------------------------------------

    def check(self) -> None:
        """Complain of what cannot be judged, once all rows were seen."""
        self.check_gaps()
        self._check_labels()
        self._check_types()
        if self.n == self.dropped:
            name = safe(self.predictions.source.name)
            msg = f"{name}: no rows left to judge{f' of {self.n:,}' if self.n else ''}."
            raise InputError(msg)
        if self.scores.form == "single":
            if len(self.classes) == 1:
                self.labels.book.code(f"not {text_of(self.scores.classes[0])}")  # the class no case was of
            if len(self.classes) > _TWO:
                msg = (
                    f"column {quoted(self.scores.columns[0])} is a single score, but there are {len(self.classes)} classes: "
                    f"{listed(self.classes)}. Give one score column per class with "
                )
                raise InputError(msg, argument("scores"), ".")
        if self.reading.positive is not None:
            position(self.classes, self.reading.positive)

    def check_gaps(self) -> None:
        """Complain of missing values that nobody said what to do about."""
        for name, gap in self.gaps.columns.items():
            role, other = ("missing_scores", "worst") if name in self.scores.columns else ("missing", "class")
            if getattr(self.reading, role) == "error":
                msg = f"column {quoted(name)} has {gap}; pass "
                raise InputError(msg, argument(role, "drop"), " or ", argument(role, other), ".")

    def _check_labels(self) -> None:
        """Refuse a truth and a prediction that share no label: what is spelt in two ways is never right."""
        if self.any_labels or self.roles.predicted is None or self.reading.classes is not None or self._true & self._said:
            return
        labels = self.labels.book.labels
        true, said = (ordered(labels[code] for code in codes) for codes in (self._true, self._said))
        if {text_of(label) for label in true} & {text_of(label) for label in said}:
            return  # text and numbers, of which more is said below
        if strangers(true, said, self.n):
            raise InputError(clash((self.roles.truth, true), (self.roles.predicted, said)))

    def _check_types(self) -> None:
        """Refuse to compare text with numbers: 1 and '1' may or may not be meant to be the same."""
        families = self.labels.families
        texts = [name for name, family in families.items() if family == "text"]
        numbers = [name for name, family in families.items() if family in ("int", "float", "bool")]
        if texts and numbers and not self.labels.as_text:
            msg = (
                f"column {quoted(numbers[0])} holds numbers and column {quoted(texts[0])} holds text. Give both the same "
                "type, or pass "
            )
            raise InputError(msg, argument("labels_as", "str"), " to compare them as text.")
