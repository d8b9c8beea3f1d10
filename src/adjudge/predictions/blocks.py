"""Rows in blocks of numbers: the classes as far as the first rows tell, then one pass in which labels become class numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from adjudge._base import InputError, argument, dataclass, field, listed, quoted, safe
from adjudge._base.arrays import AnyArray, BoolArray, IntArray
from adjudge.predictions.cells import added_up, amounts_of
from adjudge.predictions.cluster_keys import MOST_NAMED, cluster_keys, of_missing
from adjudge.predictions.labels import MISSING, Gaps, is_nothing, ordered, text_of
from adjudge.predictions.model import Predictions
from adjudge.predictions.readers import MISSING_CLASS
from adjudge.predictions.schema import Schema
from adjudge.predictions.spellings import clash, means_positive, position, same, settle_positive, strangers

REJECTED = -2  # the code of "no decision" among the predicted classes
OWN_REJECTED = "REJECTED"
"""What our own files write for it; where classes are numbers they leave the cell empty instead, and both mean the same."""
SINGLY = 1 << 22  # scores of cases that rows stand for, where each case is taken by itself
_TWO = 2
_TEXTS = ("text", "cells", "null", "string_view")  # types of labels that are texts, or none
_EVEN = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some rows: class numbers, scores by class number, and what else is known of each case."""

    truth: IntArray
    predicted: IntArray
    scores: AnyArray | None = None
    weight: AnyArray | None = None  # whole numbers are how many cases each row stands for
    fold: IntArray | None = None
    group: IntArray | None = None
    cluster: IntArray | None = None  # the number that follows from its name
    case: IntArray | None = None  # likewise, of the case that has several answers
    run: IntArray | None = None  # likewise, of what gave the answer
    number: IntArray | None = None  # the place of each row in the source, from 1
    row: pa.Array | None = None
    suspected: tuple[tuple[IntArray, BoolArray], ...] = ()  # the same of columns that may be clusters, and which rows have none
    names: Mapping[int, Any] = field(default_factory=dict)  # of cases and runs by their number

    def only(self, keep: BoolArray) -> Block:
        """Return the rows marked in `keep`."""
        parts = (self.truth, self.predicted, self.scores, self.weight, self.fold, self.group, self.cluster, self.case, self.run)
        row = None if self.row is None else self.row.filter(pa.array(keep))
        suspected = tuple((keys[keep], gone[keep]) for keys, gone in self.suspected)
        kept = (None if part is None else part[keep] for part in (*parts, self.number))
        return Block(*kept, row, suspected, self.names)  # type: ignore[arg-type, call-arg]

    def each_case(self) -> Block:
        """Return a row for every case that rows stand for."""
        times = self.weight
        parts = (self.truth, self.predicted, self.scores, None, self.fold, self.group, self.cluster)
        return Block(*(None if part is None else np.repeat(part, times, axis=0) for part in parts))  # type: ignore[arg-type]


class _Belonging(NamedTuple):
    """What rows belong to, as numbers, and the names of cases and runs by these."""

    cluster: IntArray | None
    case: IntArray | None
    run: IntArray | None
    names: dict[int, Any]
    dropped: BoolArray | None  # rows to be left out


class Encoder:
    """One pass over predictions: give out the blocks, then say what the classes were.

    Scores that are no probabilities decide nothing: without decisions they are refused, unless only their `ranking` is asked for.
    """

    def __init__(
        self, predictions: Predictions, *, ranking: bool = False, any_labels: bool = False, suspecting: bool = False
    ) -> None:
        self.any_labels = any_labels  # whether truth and prediction need share no label
        self.predictions = predictions
        self.roles, self.reading = predictions.roles, predictions.reading
        self.suspecting = suspecting  # whether to read columns that may be clusters as well; groups are counted apart
        self.suspected = tuple(name for name in self.roles.suspected if suspecting and name != self.roles.group)
        self.gaps = Gaps()
        self.n = 0
        self.dropped = 0
        self.absent = self.cases = 0  # rows that stand for no case, and the cases that the others stand for; without a count 0
        self.changed = 0  # cases whose decision in the file a threshold changed
        self.before = Schema(predictions, self.gaps)
        self.scores = self.before.scores
        book, self._shown = self.before.book()
        self.labels = self.before.reader(book, missing_is_class=self.reading.missing == "class")
        self.folds, self.groups = self.before.names(), self.before.names()
        self.clusters: dict[int, Any] = {}  # their names by number, as long as these are few
        self.true: set[int] = set()
        self.said: set[int] = set()
        self.threshold_class: int | None = None  # the class that a threshold on one of two score columns calls positive
        if self.reading.threshold is not None and self.scores.form == "none":
            msg = "A threshold decides by a score, and there is none. Name its column with "
            raise InputError(msg, argument("scores"), ".")
        if self.reading.threshold is not None and self.scores.form in ("block", "vector"):
            classes = self.scores.classes
            if len(classes) != _TWO:
                msg = f"A threshold decides between two classes; the scores are of {len(classes)}: {listed(classes)}."
                raise InputError(msg)
            self.threshold_class = settle_positive(classes, self.reading.positive, what="A threshold")
        self.undecided = self.scores.form == "single" and self.scores.scale == "scores" and not self.decisions_given
        if self.undecided and not ranking:
            msg = f"column {quoted(self.scores.columns[0])} holds scores that are not probabilities, and no decisions are "
            msg += "given: they rank cases (AUC, average precision, thresholds) and decide none. Pass "
            positive = " the score from which on a case is predicted positive."
            raise InputError(msg, argument("predicted"), ", or with ", argument("threshold"), positive)

    def blocks(self, *, some: bool = False, singly: bool = False) -> Iterator[Block]:
        """Yield the rows that can be judged; complain at the end of those that cannot, unless these are `some` rows of many.

        Where rows stand for several cases, `singly` yields a row for each of them, and refuses more than can be held.
        """
        roles, vector = self.roles, self.scores.form == "vector"
        numbers = [*(() if vector else self.scores.columns), *([roles.weight] if roles.weight else [])]
        beside = (roles.row, roles.fold, roles.group, roles.count, roles.cluster, roles.run, *self.suspected)
        texts = (roles.truth, roles.predicted, *beside, *(self.scores.columns if vector else ()))
        labels = list(dict.fromkeys(name for name in texts if name is not None))
        singly, most = singly and roles.count is not None, SINGLY // max(len(self.scores.classes), 1)
        for batch in self.predictions.source.batches(labels, numbers):
            block = self._block(batch)
            if singly and block.truth.size and self.cases > most:
                msg = f"The rows stand for more than {most:,} cases (column {quoted(roles.count)}), too many to take one by one "
                raise InputError(msg, "as is needed here. Draw some of the cases, and pass these.", parameter="count")
            if block.truth.size:
                yield block.each_case() if singly else block
        if not some:
            self.check()

    @property
    def judged(self) -> int:
        """How many rows can be judged."""
        return self.n - self.dropped - self.absent

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

    @property
    def replaces(self) -> bool:
        """Whether a threshold decides in place of the decisions in the file."""
        return self.roles.predicted is not None and self.reading.threshold is not None

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
        amount = amounts_of(batch, roles, before)
        if amount is not None and roles.count is not None:
            before -= self.absent  # messages number the rows that stand for a case
            self.cases = added_up(self.cases, amount)
            keep = amount > 0
            if not keep.all():  # as if such rows were not there
                self.absent += int(keep.size - np.count_nonzero(keep))
                amount, mask = amount[keep], pa.array(keep)
                batch = {name: column.filter(mask) for name, column in batch.items()}
            if not amount.size:
                return Block(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        truth, predicted = self.labelled(batch, before)
        scores, gone = self.scores.read(batch, before)
        if scores is not None and self.scores.scale == "confidence":
            if predicted is None:
                msg = f"column {quoted(self.scores.columns[0])} holds confidences; without the decisions ("
                raise InputError(msg, argument("predicted"), ") they say nothing.")
            scores = np.where(predicted[:, None] == 0, scores, 1 - scores)
        decided = predicted if predicted is not None and not self.replaces else self._decided(scores)
        if scores is not None and gone is not None:
            scores[gone] = self.scores.worst(truth[gone])
        number = np.arange(before + 1, before + size + 1) if roles.row else None
        cluster, case, run, names, alone = self._belonging(batch, before)
        row = batch[roles.row] if roles.row else None
        suspected = tuple(cluster_keys(batch[name], name)[::2] for name in self.suspected)
        block = Block(truth, decided, scores, amount, *self.parts(batch), cluster, case, run, number, row, suspected, names)
        dropped, given = gone if self.reading.missing_scores == "drop" else None, predicted if self.replaces else None
        dropped = alone if dropped is None else dropped if alone is None else dropped | alone
        if dropped is None and given is None and min(block.truth.min(initial=0), block.predicted.min(initial=0)) >= 0:
            return block
        keep = (block.truth != MISSING) & (block.predicted != MISSING)
        if dropped is not None:
            keep &= ~dropped
        if given is not None:
            other = (given != decided) & keep
            self.changed += int(np.count_nonzero(other) if amount is None or roles.count is None else amount[other].sum())
        self.dropped += int(keep.size - np.count_nonzero(keep))
        return block if keep.all() else block.only(keep)

    def labelled(self, batch: dict[str, pa.Array], before: int | None) -> tuple[IntArray, IntArray | None]:
        """Return the class numbers of truths and, where they are given, of decisions."""
        name, rejected = self.roles.predicted, self.reading.rejected
        truth = self.labels.read(batch[self.roles.truth], self.roles.truth, before)
        if rejected is not None and (truth == self._rejected_code).any():
            msg = f"column {quoted(self.roles.truth)} holds {quoted(rejected)}, which was to mean 'no decision' ("
            raise InputError(msg, argument("rejected"), ").")
        if name is None:
            return truth, None
        nothing = rejected is not None and (is_nothing(rejected) or rejected == OWN_REJECTED)
        needless = nothing or self.replaces
        predicted = self.labels.codes(batch[name], name) if needless else self.labels.read(batch[name], name, before)
        none = [code for code in (MISSING if nothing else None, self._rejected_code) if code is not None]
        if none:  # arrays of text may hold the label itself
            predicted = np.where(np.isin(predicted, none), np.int64(REJECTED), predicted)
        if not self.true & self.said:  # one label that both hold is enough
            self.true |= {code for code in np.unique(truth).tolist() if code >= 0}
            self.said |= {code for code in np.unique(predicted).tolist() if code >= 0}
        return truth, predicted

    def parts(self, batch: dict[str, pa.Array]) -> tuple[IntArray | None, IntArray | None]:
        """Return the numbers of folds and of groups."""
        named = ((self.roles.fold, self.folds), (self.roles.group, self.groups))
        fold, group = (None if name is None else reader.read(batch[name], name, self.n) for name, reader in named)
        return fold, group

    def _belonging(self, batch: dict[str, pa.Array], before: int) -> _Belonging:
        """Return what rows belong to, and which of them to leave out for want of it."""
        roles, keys, every = self.roles, dict[str, IntArray](), dict[int, Any]()
        columns = [roles.cluster, *((roles.row, roles.run) if roles.run is not None else (None, None))]
        dropped: BoolArray | None = None
        for name in dict.fromkeys(column for column in columns if column is not None):
            keys[name], names, gone = cluster_keys(batch[name], name)
            if gone.any() and self.reading.missing == "class":
                keys[name], names = of_missing(keys[name], gone, names, MISSING_CLASS)
            elif gone.any():
                self.gaps.add(name, np.flatnonzero(gone), before)
                dropped = gone if dropped is None else dropped | gone
            every |= names
            if name == roles.cluster and len(self.clusters) <= MOST_NAMED:
                self.clusters |= names
        cluster, case, run = (None if column is None else keys[column] for column in columns)
        return _Belonging(cluster, case, run, every if roles.run is not None else {}, dropped)

    def _decided(self, scores: AnyArray | None) -> IntArray:
        """Return what scores decide: by the threshold, or the class of the highest score, ties to the class listed first."""
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
        return next((code for code, label in enumerate(self.labels.book.labels) if same(label, self.reading.rejected)), None)

    # -- after the last row --------------------------------------------------------------------------------

    def check(self) -> None:
        """Complain of what cannot be judged, once all rows were seen."""
        for name, gap in self.gaps.columns.items():  # missing values that nobody said what to do about
            role, other = ("missing_scores", "worst") if name in self.scores.columns else ("missing", "class")
            if getattr(self.reading, role) == "error":
                msg = f"column {quoted(name)} has {gap}; pass "
                raise InputError(msg, argument(role, "drop"), " or ", argument(role, other), ".")
        self._check_labels()
        self._check_types()
        if not self.judged:
            why = f": column {quoted(self.roles.count)} counts no case" if self.absent == self.n > 0 else ""
            msg = f"{safe(self.predictions.source.name)}: no rows left to evaluate{f' of {self.n:,}' if self.n else ''}{why}."
            raise InputError(msg)
        if self.scores.form == "single":
            if len(self.classes) == 1:
                self.labels.book.code(f"not {text_of(self.scores.classes[0])}")  # the class no case was of
            if len(self.classes) > _TWO:
                msg = f"column {quoted(self.scores.columns[0])} is a single score, but there are {len(self.classes)} classes: "
                raise InputError(msg, f"{listed(self.classes)}. Give one score column per class with ", argument("scores"), ".")
        if self.reading.positive is not None:
            position(self.classes, self.reading.positive)

    def _check_labels(self) -> None:
        """Refuse a truth and a prediction that share no label: what is spelt in two ways is never right."""
        if self.any_labels or self.roles.predicted is None or self.reading.classes is not None or self.true & self.said:
            return
        labels = self.labels.book.labels
        true, said = (ordered(labels[code] for code in codes) for codes in (self.true, self.said))
        if {text_of(label) for label in true} & {text_of(label) for label in said}:
            return  # text and numbers, of which more is said below
        if strangers(true, said, max(self.n, self.cases)):
            raise InputError(clash((self.roles.truth, true), (self.roles.predicted, said)))

    def _check_types(self) -> None:
        """Refuse to compare text with numbers, dates and the like: 1 and '1' may or may not be meant to be the same."""
        families = self.labels.families
        texts = [name for name, family in families.items() if family == "text"]
        others = [name for name, family in families.items() if family not in _TEXTS]
        if texts and others and not self.labels.as_text:
            family = families[others[0]]
            kind = "numbers" if family in ("int", "float", "bool") or family.startswith("decimal") else f"values of type {family}"
            msg = f"column {quoted(others[0])} holds {kind} and column {quoted(texts[0])} holds text. Give both the same "
            raise InputError(msg, "type, or pass ", argument("labels_as", "str"), " to compare them as text.")
