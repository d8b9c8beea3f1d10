"""The classes and scores of predictions, as far as the first rows tell."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from adjudge._base import InputError, quoted
from adjudge.predictions.cells import counts_of, is_vector, vectors_of
from adjudge.predictions.engines import LazySource
from adjudge.predictions.labels import Codebook, Gaps, ordered, text_of
from adjudge.predictions.model import Predictions, unwatched
from adjudge.predictions.readers import LabelReader, ScoreReader, matched
from adjudge.predictions.sources import HEAD
from adjudge.predictions.spellings import means_positive, meant, position, same, settle_positive

_TWO = 2


class Schema:
    """The classes and scores of predictions, as far as the first rows tell."""

    def __init__(self, predictions: Predictions, gaps: Gaps) -> None:
        reading, roles = predictions.reading, predictions.roles
        self.source, self.roles, self.reading, self.gaps = predictions.source, roles, reading, gaps
        self.left_out: str | None = None
        if reading.rejected is not None and reading.positive is not None and same(reading.rejected, reading.positive):
            msg = f"{quoted(reading.positive)} cannot be both the positive class and 'no decision'."
            raise InputError(msg)
        if roles.scale == "confidence" and len(roles.scores) > 1:
            msg = "A confidence is one number a row, that of the decision; several columns are probabilities, votes or scores."
            raise InputError(msg)

    @cached_property
    def scores(self) -> ScoreReader:
        """The score columns, in the order of the classes they speak of."""
        scores, scale, given = self.roles.scores, self.roles.scale, self.reading.classes
        if not scores:
            return ScoreReader("none", (), (), scale)
        name = scores[0][1]
        if len(scores) > 1:
            return ScoreReader("block", *matched(self.roles, given, self.declared), scale, self.gaps)
        head = self.source.head(HEAD)[name]
        if is_vector(head):
            width = vectors_of(head, name).shape[1]
            return ScoreReader("vector", given or tuple(range(width)), (name,), scale, self.gaps)
        if scale == "confidence" and len(self.first_classes) > _TWO:
            self.left_out = name  # it speaks of no class in particular
            return ScoreReader("none", (), (), scale)
        return ScoreReader("single", (self._positive_of_single(),), (name,), scale, self.gaps)

    def _positive_of_single(self) -> Any:
        """Return the class a single score speaks of."""
        label, name = self.roles.scores[0]
        wanted = label if label is not None else self.reading.positive
        classes = list(self.first_classes)
        if wanted is not None:
            return classes[position(classes, wanted)] if len(classes) >= _TWO else wanted
        if self.roles.scale == "confidence" and classes and means_positive(classes) is None:
            return classes[-1]  # a confidence speaks of both classes alike
        alone = text_of(classes[0]) if len(classes) == 1 else ""
        if alone in ("0", "False"):
            return {"0": 1, "False": True}[alone]  # the class no case of the first rows is of
        counts = list(self.first_classes.values())
        return classes[settle_positive(classes, None, counts=counts, what=f"The score in column {quoted(name)}")]

    @cached_property
    def first_classes(self) -> dict[Any, int]:
        """The classes among the first rows in the order to show them, with how many cases each has."""
        reader = self.reader(Codebook.of(self.reading.classes or self.declared), missing_is_class=False)
        columns = [name for name in (self.roles.truth, self.roles.predicted) if name is not None]
        counting = self.roles.count
        whole = unwatched(self.source)
        wanted = list(dict.fromkeys([*columns, *([counting] if counting else [])]))
        if isinstance(whole, LazySource):
            head = whole.head(HEAD)
            first = {name: head[name] for name in wanted}
        else:
            first = next(iter(self.source.batches(wanted, [])), {})
        first = {name: array.slice(0, HEAD) for name, array in first.items()}
        times = None
        if counting is not None and first:
            times = counts_of(first.pop(counting), counting, 0)
            first = {name: array.filter(pa.array(times > 0)) for name, array in first.items()}
            times = times[times > 0]
        counts = np.zeros(0, dtype=np.int64)
        for name, array in first.items():
            codes = reader.codes(array, name)
            if name == self.roles.truth:
                own = None if times is None else times[codes >= 0]
                counts = np.bincount(codes[codes >= 0], own, minlength=len(reader.book)).astype(np.int64)
        each = np.pad(counts, (0, len(reader.book) - counts.size)).tolist()
        known = {label: n for label, n in zip(reader.book.labels, each, strict=True) if not self._means_rejected(label)}
        return known if self.reading.classes or self.declared else {label: known[label] for label in ordered(known)}

    def _means_rejected(self, label: Any) -> bool:
        return self.reading.rejected is not None and same(label, self.reading.rejected)

    def reader(self, book: Codebook, *, missing_is_class: bool) -> LabelReader:
        """Return a reader of labels into `book`."""
        as_text = self.reading.labels_as == "str"
        return LabelReader(book, self.source.cells, as_text, missing_is_class, self.gaps, relabel=dict(self.reading.relabel))

    def names(self) -> LabelReader:
        """Return a reader of the names of folds or groups, which are nobody's labels."""
        return LabelReader(Codebook(), self.source.cells, self.reading.labels_as == "str", missing_is_class=True, gaps=self.gaps)

    @cached_property
    def declared(self) -> tuple[Any, ...]:
        """The categories that the truth and the decision declare, in their order."""
        categories = [self.source.declared(name) or () for name in (self.roles.truth, self.roles.predicted) if name is not None]
        every = (label for labels in categories for label in labels if label is not None)
        labels = dict.fromkeys(meant(label, dict(self.reading.relabel), cells=self.source.cells) for label in every)
        return tuple(label for label in labels if not self._means_rejected(label))

    def book(self) -> tuple[Codebook, list[int]]:
        """Return a book of the classes known, class `i` of the scores with code `i`, and the codes in the order to show them."""
        given, scored = self.reading.classes, self.scores.classes
        shown = given if given is not None else self.declared
        known = [*scored, *(label for label in shown if not any(same(label, own) for own in scored))]
        if self.scores.form == "single" and not shown:
            known += [label for label in self.first_classes if not same(label, scored[0])]
        rejected = [self.reading.rejected] if given is not None and self.reading.rejected is not None else []
        named = bool(scored) and given is None and not self.declared
        book = Codebook.of([*((text_of(v) for v in known) if named else known), *rejected], named=named, closed=given is not None)
        if not shown:
            return book, [] if self.scores.form == "single" else list(range(len(known)))
        exact = {label: code for code, label in enumerate(known)}
        by_text = {text_of(label): code for code, label in enumerate(known)}
        first = [exact[label] if label in exact else by_text[text_of(label)] for label in shown]
        taken = set(first)
        return book, [*first, *(code for code in range(len(known)) if code not in taken)]
