"""Correct a file of any size: block by block from one file to another, which appears whole or not at all.

Scores become corrected probabilities, a column p_<class> for each class, the decision becomes the corrected one; all else stays.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.types as kinds

from adjudge._base import DoubtfulRolesError, InputError, Shown, argument, counted, dataclass, listed, quoted, safe, wording
from adjudge._base.arrays import IntArray, frozen
from adjudge._base.files import filling
from adjudge.corrections.file import Correction
from adjudge.corrections.recipes import decided
from adjudge.corrections.rejection import Rejection
from adjudge.corrections.scored import Scored, find_scores
from adjudge.predictions.file_sources import typed
from adjudge.predictions.labels import text_of
from adjudge.predictions.names import clearest, names_decision
from adjudge.predictions.sources import open_path, refuse_partial

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
    predicted: IntArray
    """How many cases were decided for each class."""
    columns: tuple[str, ...]
    rejected_as: str | None
    """What to pass as `rejected` when the new file is read; None where nothing can be rejected."""
    written: Path | None = None
    _untold = ("written",)

    def __repr__(self) -> str:
        rejected = f", {self.rejected:,} of them rejected" if self.rejected else ""
        return f"Corrected {counted(self.cases, 'case')}: {self.changed:,} decided otherwise{rejected}"


def apply_to_file(
    correction: Correction,
    path: Any,
    output: Any,
    *,
    predicted: str | None = None,
    positive: Any = None,
    follow: Callable[[Any], Any] = lambda rows: rows,
    **scores: Any,
) -> Corrected:
    """Correct one file into another, block by block, as :func:`adjudge.verbs.correct.apply`; `scores` as for `find_scores`."""
    source, target = open_path(Path(path)), Path(output)
    kind = next((kind for ending, kind in _ENDINGS.items() if target.name.lower().endswith(ending)), None)
    if kind is None:
        msg = f"Corrected predictions are written as {', '.join(_ENDINGS)} files; got {quoted(target.name)}."
        raise InputError(msg)
    replaced = target.exists() and any(target.samefile(each) for each in source.files.paths)
    if replaced or Path(path).resolve() in target.resolve().parents:
        msg = f"The corrected predictions would replace those in {safe(target)}. Choose another place to write to."
        raise InputError(msg)
    if correction.classes is None:
        msg = "This shift does not name its classes. Pass PriorShift(..., "
        raise InputError(msg, argument("classes", python="classes=[...]"), ").")
    if isinstance(correction, Rejection) and REJECTED_TEXT in map(text_of, correction.classes):
        msg = f"A class is named {REJECTED_TEXT}, which is how rejected cases are written. Rename the class."
        raise InputError(msg)
    of = correction.of if isinstance(correction, Rejection) and positive is None else positive
    scored = find_scores(follow(source), correction.classes, of=of, **scores)
    cut = correction if isinstance(correction, Rejection) and correction.kind == "two-sided" and scored.of is not None else None
    if scored.scale == "scores" and cut is None:
        msg = "Scores that only rank cannot be corrected; give probabilities, percentages, votes or logits with "
        raise InputError(msg, argument("scores"), ".")
    if cut is not None and cut.classes[scored.of or 0] != cut.of:
        told = f"The thresholds cut the score of {quoted(cut.of)}; give that score, or "
        raise InputError(wording(told, argument("positive", cut.of), "."))
    return _Stream(correction, scored, kind, predicted).write(target)


class _Stream:
    """One pass from file to file."""

    def __init__(self, correction: Correction, scored: Scored, kind: str, predicted: str | None) -> None:
        self.correction, self.scored, self.kind = correction, scored, kind
        self.cases = self.changed = 0
        self.counts = np.zeros(len(scored.classes) + 1, dtype=np.int64)
        self.schema: pa.Schema | None = None
        ranks = scored.scale == "scores"  # a score that only ranks is no probability: it stays
        self.probabilities = () if ranks else tuple(f"p_{text_of(label)}" for label in scored.classes)
        self.kept, self.names = self._columns(() if ranks else scored.columns, predicted)

    def _columns(self, scores: tuple[str, ...], predicted: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the columns kept, and all of the new file: probabilities for the first score, the decision for the old one."""
        refuse_partial(self.scored.source)  # which the new file would lack
        columns = self.scored.source.names
        free = [name for name in columns if name not in self.scored.columns]
        if predicted is not None and predicted not in free:
            msg = f"There is no column {quoted(predicted)} that could hold decisions; the columns are {listed(free, 12)}."
            raise InputError(msg, parameter="predicted")
        candidates = clearest("predicted", [name for name in free if names_decision(name)]) if predicted is None else [predicted]
        if len(candidates) > 1:
            told = f"{listed(candidates)} may all hold the old decision, which the new one replaces. Say which with "
            raise DoubtfulRolesError(wording(told, argument("predicted"), "."))
        old = candidates[0] if candidates else None
        first = min((columns.index(name) for name in scores), default=len(columns))
        names = [DECISION if name == old else name for name in columns if name not in scores]
        names[first:first] = self.probabilities
        names += [] if old is not None else [DECISION]
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if twice:
            told = f"The new file would have {listed(twice)} twice. Rename that column, or name the old decision with "
            raise InputError(wording(told, argument("predicted"), "."))
        return tuple(name for name in columns if name not in scores and name != old), tuple(names)

    def write(self, target: Path) -> Corrected:
        """Write every block, then say what came of them."""
        from pyarrow import parquet

        scored, kept = self.scored, self.kept
        scores = sorted(scored.columns, key=kept.__contains__)  # those that stay, since they only rank, come last
        blocks = scored.source.batches([name for name in kept if name not in scores], scores)
        with filling(target, such_as="corrected.csv") as place, pa.OSFile(os.fsencode(place), "wb") as file:
            sink = pa.CompressedOutputStream(file, "gzip") if target.name.lower().endswith(".gz") else file
            first = self._corrected(next(blocks))
            self.schema = first.schema
            made: Any = pacsv.CSVWriter(sink, first.schema) if self.kind == "csv" else None
            made = made or parquet.ParquetWriter(sink, first.schema, compression="zstd", write_page_checksum=True)
            with sink, made as writer:
                writer.write_batch(first)
                for block in blocks:
                    writer.write_batch(self._corrected(block))
        rejected_as = REJECTED_TEXT if isinstance(self.correction, Rejection) else None
        assigned, told = frozen(self.counts[:-1], np.int64), (self.names, rejected_as, target)
        return Corrected(self.cases, self.changed, int(self.counts[-1]), scored.classes, assigned, *told)

    def _corrected(self, block: Mapping[str, pa.Array]) -> pa.RecordBatch:
        p, before = self.scored.read(block, self.cases), self.cases
        self.cases += len(p)
        try:
            after, codes = decided(self.correction, p)
        except InputError as error:
            raise InputError(wording(f"rows {before + 1:,} to {self.cases:,}: ", error.wording)) from error
        most = np.argmax(p, axis=1) if p.ndim > 1 else codes
        self.changed += int(np.count_nonzero(most != codes))
        at = np.where(codes < 0, self.counts.size - 1, codes)
        self.counts += np.bincount(at, minlength=self.counts.size)
        arrays = {name: self._kept(name, block[name]) for name in self.kept}
        arrays |= {name: pa.array(after[:, at]) for at, name in enumerate(self.probabilities)}
        as_text = self.kind == "csv" or any(isinstance(label, str) for label in self.scored.classes)
        shown = [text_of(label) if as_text else label for label in self.scored.classes]
        arrays[DECISION] = pa.array([*shown, REJECTED_TEXT if as_text else None]).take(pa.array(at))
        return pa.RecordBatch.from_arrays([arrays[name] for name in self.names], names=list(self.names))

    def _kept(self, name: str, array: pa.Array) -> pa.Array:
        """Return a column as it came, plain values for what only the reading had put into dictionaries; later as the first."""
        declared = self.kind == "parquet" and self.scored.source.declared(name) is not None
        plain = array.dictionary_decode() if kinds.is_dictionary(array.type) and not declared else array
        if self.kind == "csv" and kinds.is_nested(plain.type):
            msg = f"column {quoted(name)} holds several values a row, which a CSV file cannot; write a .parquet file."
            raise InputError(msg)
        if self.kind == "parquet" and self.scored.source.cells and kinds.is_string(plain.type):
            plain = typed(plain)
        first = plain.type if self.schema is None else self.schema.field(name).type
        try:
            return plain if plain.type == first else plain.cast(first)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            came = f"holds {plain.type} in the block that ends with row {self.cases:,}"
            msg = f"column {quoted(name)} begins as {first} and {came}, so it has no type for a .parquet file; write a .csv file."
            raise InputError(msg) from error
