"""Correct a file of any size: block by block from one file to another, which appears whole or not at all.

What is neither a score nor the old decision is passed on as it is. The scores become the corrected probabilities, one column
p_<class> for each class, and the decision becomes the corrected one, so that the new file can be judged like any other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pyarrow.types as kinds

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import IntArray, frozen
from adjudge._base.errors import DoubtfulRolesError, InputError
from adjudge._base.files import filling
from adjudge._base.show import Shown
from adjudge._base.text import counted, listed, quoted, safe
from adjudge.corrections.file import Correction
from adjudge.corrections.recipes import decided
from adjudge.corrections.rejection import Rejection
from adjudge.corrections.scored import Scored, find_scores
from adjudge.predictions.csv_source import typed
from adjudge.predictions.finding.names import clearest, names_decision
from adjudge.predictions.labels import text_of
from adjudge.predictions.roles import Scale
from adjudge.predictions.sources import Source, open_path

DECISION = "predicted"
REJECTED_TEXT = "REJECTED"
"""What is written for a rejected case where classes are text, and what to pass as `rejected`; elsewhere its cell is empty."""
_ENDINGS = {".csv": "csv", ".csv.gz": "csv", ".parquet": "parquet", ".pq": "parquet"}


@dataclass(frozen=True, slots=True, eq=False)
class Corrected(Shown):
    """What became of a file."""

    cases: int
    changed: int
    """Cases whose decision is not the class that was most probable before, rejected ones among them."""
    rejected: int
    classes: tuple[Any, ...]
    assigned: IntArray
    """How many cases were decided for each class."""
    columns: tuple[str, ...]
    """Those of the new file."""
    rejected_as: str | None
    """What to pass as `rejected` when the new file is read; None where nothing can be rejected."""
    written: Path | None = None
    """The new file."""

    def to_dict(self) -> dict[str, Any]:
        """Return all but the place of the new file as plain Python."""
        told = Shown.to_dict(self)
        del told["written"]
        return told

    def __repr__(self) -> str:
        told = (
            f"{self.changed:,} decided otherwise, {self.rejected:,} of them rejected"
            if self.rejected
            else f"{self.changed:,} decided otherwise"
        )
        return f"Corrected {counted(self.cases, 'case')}: {told}"


def apply_to_file(
    correction: Correction,
    path: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    scores: Any = None,
    scores_are: Scale | None = None,
    predicted: str | None = None,
    positive: Any = None,
) -> Corrected:
    """Correct the file `path` into the file `output`, one block of rows after another.

    Parameters
    ----------
    correction : Multipliers, PriorShift or Rejection
        What to apply.
    path : path
        A .csv, .csv.gz, .tsv or .parquet file or a folder of Parquet files, with a score for each class; no truth is needed.
    output : path
        A .csv, .csv.gz or .parquet file. Written under a temporary name and renamed when it is complete.
    scores, scores_are
        The columns of scores and what they hold; see :func:`adjudge.corrections.scored.find_scores`.
    predicted : str, optional
        The column of old decisions, which the new ones replace; found by its name unless given.
    positive : label, optional
        The class that a single score of two classes speaks of.

    A rejected case is written as the text REJECTED, also in CSV files of any class; in Parquet files whose classes are numbers or
    truth values it is null.
    """
    source, target = open_path(Path(path)), Path(output)
    kind = next((kind for ending, kind in _ENDINGS.items() if target.name.lower().endswith(ending)), None)
    if kind is None:
        msg = f"Corrected predictions are written as {', '.join(_ENDINGS)} files; got {quoted(target.name)}."
        raise InputError(msg)
    if (target.exists() and target.samefile(path)) or Path(path).resolve() in target.resolve().parents:
        msg = f"The corrected predictions would replace those in {safe(target)}. Choose another place to write to."
        raise InputError(msg)
    if correction.classes is None:
        msg = "This shift does not name its classes. Pass PriorShift(..., classes=[...])."
        raise InputError(msg)
    if isinstance(correction, Rejection) and REJECTED_TEXT in map(text_of, correction.classes):
        msg = f"A class is called {REJECTED_TEXT}, which is how rejected cases are written. Rename the class."
        raise InputError(msg)
    of = correction.of if isinstance(correction, Rejection) and positive is None else positive
    scored = find_scores(source, correction.classes, scores=scores, scores_are=scores_are, of=of)
    _check_ranks(correction, scored)
    layout = _layout(source, scored, predicted)
    return _Stream(correction, scored, layout, kind).write(target)


def _check_ranks(correction: Correction, scored: Scored) -> None:
    """Refuse scores that only rank, unless two thresholds cut them."""
    cut = isinstance(correction, Rejection) and correction.kind == "two-sided" and scored.of is not None
    if scored.scale == "scores" and not cut:
        msg = wording(
            "Scores that only rank cannot be corrected; give probabilities, percentages, votes or logits with ",
            argument("scores"),
            ".",
        )
        raise InputError(msg)
    if cut and isinstance(correction, Rejection) and correction.classes[scored.of or 0] != correction.of:
        told = f"The thresholds cut the score of {quoted(correction.of)}; give that score, or "
        msg = wording(told, argument("positive", correction.of), ".")
        raise InputError(msg)


@dataclass(frozen=True, slots=True)
class _Layout:
    """The columns of the new file in their order: kept ones, and where the new ones stand."""

    kept: tuple[str, ...]
    places: tuple[str | None, ...]
    """Kept names; None where the probabilities stand; DECISION where the decision does."""
    probabilities: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Every column of the new file."""
        return tuple(name for place in self.places for name in (self.probabilities if place is None else (place,)))


def _layout(source: Source, scored: Scored, predicted: str | None) -> _Layout:
    old = _old_decision(source, scored, predicted)
    alone = scored.scale == "scores"  # a score that only ranks is no probability: it stays
    scores = () if alone else scored.columns
    kept = tuple(name for name in source.names if name not in scores and name != old)
    places: list[str | None] = []
    for name in source.names:
        place = None if name in scores else DECISION if name == old else name
        if place is not None or None not in places:
            places.append(place)
    places += [] if old is not None else [DECISION]
    probabilities = () if alone else tuple(f"p_{text_of(label)}" for label in scored.classes)
    layout = _Layout(kept, tuple(places), probabilities)
    twice = [name for name in dict.fromkeys(layout.names) if layout.names.count(name) > 1]
    if twice:
        msg = wording(
            f"The new file would have {listed(twice)} twice. Rename that column, or name the old decision with ",
            argument("predicted"),
            ".",
        )
        raise InputError(msg)
    return layout


def _old_decision(source: Source, scored: Scored, predicted: str | None) -> str | None:
    free = [name for name in source.names if name not in scored.columns]
    if predicted is not None:
        if predicted not in free:
            msg = f"There is no column {quoted(predicted)} that could hold decisions; the columns are {listed(free, 12)}."
            raise InputError(msg)
        return predicted
    found = clearest("predicted", [name for name in free if names_decision(name)])
    if len(found) > 1:
        msg = wording(
            f"{listed(found)} may all hold the old decision, which the new one replaces. Say which with ",
            argument("predicted"),
            ".",
        )
        raise DoubtfulRolesError(msg)
    return found[0] if found else None


@dataclass(slots=True)
class _Stream:
    """One pass from file to file."""

    correction: Correction
    scored: Scored
    layout: _Layout
    kind: str
    cases: int = 0
    changed: int = 0
    counts: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    schema: pa.Schema | None = None

    def write(self, target: Path) -> Corrected:
        """Write every block, then say what came of them."""
        self.counts = np.zeros(len(self.scored.classes) + 1, dtype=np.int64)
        numbers = [name for name in self.scored.columns if name not in self.layout.kept]
        rank_only = [name for name in self.scored.columns if name in self.layout.kept]
        labels = [name for name in self.layout.kept if name not in rank_only]
        blocks = self.scored.source.batches(labels, [*numbers, *rank_only])
        zipped = target.name.lower().endswith(".gz")
        with filling(target, such_as="corrected.csv") as place, pa.OSFile(os.fsencode(place), "wb") as file:
            self._write(blocks, pa.CompressedOutputStream(file, "gzip") if zipped else file)
        rejects = isinstance(self.correction, Rejection)
        return Corrected(
            self.cases,
            self.changed,
            int(self.counts[-1]),
            self.scored.classes,
            frozen(self.counts[:-1], np.int64),
            self.layout.names,
            REJECTED_TEXT if rejects else None,
            target,
        )

    def _write(self, blocks: Iterator[dict[str, pa.Array]], sink: Any) -> None:
        first = self._corrected(next(blocks))
        self.schema = first.schema
        made: Any = pacsv.CSVWriter(sink, first.schema) if self.kind == "csv" else None
        made = made or pq.ParquetWriter(sink, first.schema, compression="zstd", write_page_checksum=True)
        with sink, made as writer:
            writer.write_batch(first)
            for block in blocks:
                writer.write_batch(self._corrected(block))

    def _corrected(self, block: Mapping[str, pa.Array]) -> pa.RecordBatch:
        p, before = self.scored.read(block, self.cases), self.cases
        self.cases += len(p)
        try:
            after, codes = decided(self.correction, p)
        except InputError as error:
            msg = wording(f"rows {before + 1:,} to {self.cases:,}: ", error.wording)
            raise InputError(msg) from error
        most = np.argmax(p, axis=1) if p.ndim > 1 else codes
        self.changed += int(np.count_nonzero(most != codes))
        self.counts += np.bincount(np.where(codes < 0, self.counts.size - 1, codes), minlength=self.counts.size)
        arrays = {name: self._kept(name, block[name]) for name in self.layout.kept}
        arrays |= {name: pa.array(after[:, at]) for at, name in enumerate(self.layout.probabilities)}
        arrays[DECISION] = self._decision(codes)
        return pa.RecordBatch.from_arrays([arrays[name] for name in self.layout.names], names=list(self.layout.names))

    def _kept(self, name: str, array: pa.Array) -> pa.Array:
        """Return a column as it came: plain values for what only the reading had put into dictionaries."""
        declared = self.kind == "parquet" and self.scored.source.declared(name) is not None
        plain = array.dictionary_decode() if kinds.is_dictionary(array.type) and not declared else array
        if self.kind == "csv" and kinds.is_nested(plain.type):
            msg = f"column {quoted(name)} holds several values a row, which a CSV file cannot; write a .parquet file."
            raise InputError(msg)
        if self.kind == "parquet" and self.scored.source.cells and kinds.is_string(plain.type):
            plain = typed(plain)
        return plain if self.schema is None else self._alike(name, plain)

    def _alike(self, name: str, array: pa.Array) -> pa.Array:
        """Return a later block with the type of the first."""
        assert self.schema is not None
        kind = self.schema.field(name).type
        try:
            return array if array.type == kind else array.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            msg = (
                f"column {quoted(name)} begins as {kind} and holds {array.type} in the block that ends with row {self.cases:,}, "
                "so it has no type for a .parquet file; write a .csv file."
            )
            raise InputError(msg) from error

    @property
    def _as_text(self) -> bool:
        """Whether decisions are written as text: always in CSV files, elsewhere where a class is text."""
        return self.kind == "csv" or any(isinstance(label, str) for label in self.scored.classes)

    def _decision(self, codes: IntArray) -> pa.Array:
        shown = [text_of(label) if self._as_text else label for label in self.scored.classes]
        names = pa.array([*shown, REJECTED_TEXT if self._as_text else None])
        return names.take(pa.array(np.where(codes < 0, len(shown), codes)))
