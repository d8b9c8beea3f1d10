"""One part of the rows of a source: the test rows, where training rows stand beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base import Finding, argument, counted, dataclass, quoted, wording
from adjudge._base.arrays import BoolArray
from adjudge.predictions.cells import indices_of
from adjudge.predictions.finding.given import SplitColumn, judged_values, values_by_part
from adjudge.predictions.labels import is_gone
from adjudge.predictions.sources import DerivedSource, Source
from adjudge.predictions.streams import evenly, rows_of

_FARTHEST = 1 << 20  # rows looked through for the first ones of a part
_FEWEST = 20  # rows of a part that tell roles; where the first rows of a source hold fewer, its other rows tell them as well


@dataclass(frozen=True)
class PartSource(DerivedSource):
    """The rows of a source that have some values in a column."""

    column: str
    values: tuple[Any, ...]
    rows: int

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows of the part; of a part that begins far down, the first rows of the source."""
        asked = rows
        while True:
            head = self.source.head(asked)
            keep = pa.array(self._kept(head[self.column]))
            kept, seen = keep.true_count, len(keep)
            if kept >= min(rows, self.rows) or seen < asked or asked >= _FARTHEST:
                break
            asked *= 8
        if kept < min(_FEWEST, self.rows):
            return {name: array.slice(0, rows) for name, array in head.items()}
        return {name: (array.filter(keep) if len(array) == seen else array).slice(0, rows) for name, array in head.items()}

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks, of one length as those of a whole source are."""
        wanted = list(dict.fromkeys([*labels, *numbers]))

        def part() -> Iterator[pa.RecordBatch]:
            for batch in self.source.batches(list(dict.fromkeys([*labels, self.column])), numbers):
                keep = self._kept(batch[self.column])
                if keep.any():
                    some = pa.RecordBatch.from_arrays([batch[name] for name in wanted], wanted)
                    yield some if keep.all() else some.filter(pa.array(keep))

        yield from evenly(part(), wanted, rows_of(labels, numbers))

    def about(self) -> int:
        """Return how many rows the part has."""
        return self.rows

    def _kept(self, column: pa.Array) -> BoolArray:
        values, places = _encoded(column)
        kept: BoolArray = np.array([value in self.values for value in values], dtype=bool)[places]
        return kept


@dataclass(frozen=True)
class Parted:
    """The rows that are judged, and the training rows beside them."""

    source: Source
    training: Source | None
    evidence: str
    findings: tuple[Finding, ...] = ()


def parted(source: Source, split: SplitColumn) -> Parted:
    """Return the rows of `source` that the column says to judge: test rows before validation rows."""
    rows = _counted(source, split.name)
    what, values = judged_values(split, rows)
    judged = sum(rows[value] for value in values)
    learnt = [value for value in values_by_part(split.name, rows)["training"] if value not in values]
    trained, others = sum(rows[value] for value in learnt), sum(rows.values()) - judged
    why = "given" if split.given else "by its values"
    held = ", ".join(f"{n:,} {'without a value' if value is None else quoted(value)}" for value, n in list(rows.items())[:4])
    told = f"{quoted(split.name)} ({why}: {held}; the {what} rows are tested)"
    findings: list[Finding] = []
    column = f"as column {quoted(split.name)} says"
    if others:
        beside = [counted(trained, "training row")] if trained else []
        beside += [f"{counted(others - trained, 'row')} of another part"] if others > trained else []
        said = f"Of {judged + others:,} rows the {counted(judged, f'{what} row')} were tested, {column}; "
        said += f"{' and '.join(beside)} {'was' if others == 1 else 'were'} left out."
        advice = wording("To evaluate all rows together pass ", argument("split", ""), ".")
        findings.append(Finding("A108", said, advice, judged))
    elif what == "training":
        said = f"All {counted(judged, 'row')} are training rows, {column}."
        findings.append(Finding("A108", said, "The model may remember them: test it on rows it was not trained on.", 0))
    return Parted(
        PartSource(source, split.name, tuple(values), judged) if others else source,
        PartSource(source, split.name, tuple(learnt), trained) if learnt else None,
        told if split.given else wording(told, " [", argument("split"), "]"),
        tuple(findings),
    )


def _counted(source: Source, column: str) -> dict[Any, int]:
    """Return how many rows have each value of a column; None is a missing one."""
    by_value: dict[Any, int] = {}
    for batch in source.batches([column], []):
        values, places = _encoded(batch[column])
        for value, n in zip(values, np.bincount(places, minlength=len(values)).tolist(), strict=True):
            label = None if is_gone(value) else value
            by_value[label] = by_value.get(label, 0) + n
    kept = {value: n for value, n in by_value.items() if n}
    return dict(sorted(kept.items(), key=lambda pair: (pair[0] is None, -pair[1], str(pair[0]))))


def _encoded(column: pa.Array) -> tuple[list[Any], Any]:
    """Return the different values of a column, None last, and the place of each row's."""
    encoded = column if kinds.is_dictionary(column.type) else column.dictionary_encode()
    return [*encoded.dictionary.to_pylist(), None], indices_of(encoded)
