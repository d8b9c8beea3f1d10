"""Files as sources of rows, streamed: what all share, and CSV files, with the types that the texts of their cells suggest."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.types as kinds

from adjudge._base import InputError, dataclass, field, listed, quoted, replace, safe
from adjudge._base.files import Stamp, unchanged
from adjudge.predictions.cells import column_of
from adjudge.predictions.columns import Column
from adjudge.predictions.common_types import SharedColumns, shared_columns
from adjudge.predictions.folders import Files, FileSlice, in_parts
from adjudge.predictions.headers import no_header
from adjudge.predictions.labels import NOTHING
from adjudge.predictions.short_texts import LabelCells
from adjudge.predictions.streams import Fingerprint, evenly, explained, input_of, joined, rows_of, zipped

_CSV_BLOCK = 4 << 20
_HEADER_BYTES = 1 << 16
_HEAD_BYTES = 1 << 26  # first rows are looked at up to this many bytes: cells may be far longer than labels are
_LABEL_CELLS = pa.dictionary(pa.int32(), pa.string())
_NO_LABEL, _NO_NUMBER = (
    rf"^({'|'.join(re.escape(text) for text in sorted(texts))})$"
    for texts in (frozenset(NOTHING), frozenset(NOTHING) | frozenset(pacsv.ConvertOptions().null_values))
)
PART = 1 << 23  # bytes of a part that is counted by itself
LARGE = 1 << 26  # bytes of text from which on parts are counted apart: a second process then takes less time than it saves
_UNZIPPED = 3  # times the size of a gzipped file
_LONGEST = 1 << 20  # bytes of a line before which a file is cut
_FIRST = 16  # cells that settle most questions
_MOST_DIGITS = 100  # more of them name something rather than count it
_WHOLE = r"^[+-]?(0|[1-9][0-9]*)$"
_DIGITS = r"^[+-]?[0-9]+$"
_PADDED = r"^[+-]?0[0-9]+$"
_TRUTH = r"(?i)^(true|false)$"


def typed(cells: pa.Array, decimal: str = ".") -> pa.Array:
    """Return texts as int64, float64 or bool where every one of them is such, else as text; nothing is null."""
    known = _without(cells, _NO_NUMBER)
    bare = known.drop_null()
    if not len(bare):
        return pa.nulls(len(cells))
    if _all(bare, _WHOLE) and not _long(bare):
        plain = pc.utf8_ltrim(known, characters="+")
        try:
            return plain.cast(pa.int64())
        except pa.ArrowInvalid:  # beyond 64 bits
            return plain.cast(pa.float64())
    if _all(bare, _TRUTH):
        return pc.equal(pc.utf8_lower(known), "true")
    trimmed = pc.utf8_trim_whitespace(known)
    bare = trimmed.drop_null()
    commas = decimal == ","
    named = pc.any(pc.match_substring_regex(bare, _PADDED)).as_py() or _long(bare)  # a name such as 007
    if not named and not (commas and pc.any(pc.match_substring(bare, ".")).as_py()):
        try:
            return (pc.replace_substring(trimmed, ",", ".") if commas else trimmed).cast(pa.float64())
        except pa.ArrowInvalid:
            pass
    return _without(cells, _NO_LABEL)


def _without(cells: pa.Array, nothing: str) -> pa.Array:
    gone = pc.match_substring_regex(cells, nothing)
    return pc.replace_with_mask(cells, gone, pa.nulls(pc.sum(gone).as_py() or 0, pa.string()))


def _all(cells: pa.Array, pattern: str) -> bool:
    return all(pc.all(pc.match_substring_regex(part, pattern)).as_py() for part in (cells[:_FIRST], cells))


def _long(cells: pa.Array) -> bool:
    """Return whether some cell consists of more digits than a number has."""
    if pc.max(pc.binary_length(cells)).as_py() <= _MOST_DIGITS:
        return False
    digits = cells.filter(pc.match_substring_regex(cells, _DIGITS))
    return len(digits) > 0 and pc.max(pc.binary_length(digits)).as_py() > _MOST_DIGITS


@dataclass(frozen=True)
class FileSource:
    """Files, and the SHA-256 of their bytes."""

    files: Files
    cells: bool = False
    slices: tuple[FileSlice, ...] = ()  # what is read of them; all of each where none are named
    first: int | None = 0  # the number of the first row that is read, where that is known
    stamps: tuple[Stamp | None, ...] = field(default=(), repr=False, compare=False)  # of the files when they were first looked at
    hashed: Fingerprint = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stamps", self.stamps or tuple(map(Stamp.of, self.files.paths)))
        object.__setattr__(self, "hashed", Fingerprint(self.files.paths))

    def steady(self, *files: int) -> AbstractContextManager[None]:
        """Refuse files, all unless some are named, that change before they are read: all readings, by any process, are alike."""
        read = files or sorted({cut.file for cut in self.slices}) or range(len(self.stamps))
        return unchanged([self.files.paths[at] for at in read], [self.stamps[at] for at in read])

    @property
    def name(self) -> str:
        """The file's or folder's own name."""
        return self.files.name

    @property
    def partial(self) -> Mapping[str, str]:
        """The columns that are not read since not all files have them in types that go together, each with a sentence on why."""
        return {}

    def fingerprint(self) -> str:
        """Return the SHA-256 of the file, or of all files in order."""
        if self.hashed.known:
            return self.hashed.value()
        with explained(self.name), self.steady():
            return self.hashed.value()


@dataclass(frozen=True)
class _CsvFile:
    """A CSV file, plain or gzipped; the separator is found in the header line."""

    path: Path
    name: str

    @cached_property
    def _found(self) -> tuple[int, pacsv.ParseOptions, str, int | None]:
        """Return what the first bytes tell, which are not kept.

        How many blank lines precede the header (Arrow passes over empty ones, but not over spaces), its format, the decimal mark
        (a comma where semicolons separate and numbers carry commas), and about how many rows there are.
        """
        with explained(self.name), gzip.open(self.path) if zipped(self.path) else self.path.open("rb") as file:
            first = bytes(file.read(_HEADER_BYTES))
        if first.startswith((b"\xff\xfe", b"\xfe\xff")):
            msg = f"{safe(self.name)}: the file is UTF-16; save it as UTF-8."
            raise InputError(msg)
        lines = first.removeprefix(b"\xef\xbb\xbf").splitlines()
        header = next((number for number, line in enumerate(lines) if line.strip()), None)
        if header is None:
            msg = f"{safe(self.name)}: the file is empty. Give a CSV file with a header line and one row per case."
            raise InputError(msg)
        text = lines[header].decode("utf-8", "replace")
        separator = max(",;\t|", key=lambda mark: (text.count(mark), mark == ","))
        comma = separator == ";" and re.search(rb"(^|;)-?\d+,\d+(;|\r?\n|$)", first, re.MULTILINE)
        size = self.path.stat().st_size
        about = None if size <= len(first) or zipped(self.path) else round(size * first.count(b"\n") / len(first))
        return header, pacsv.ParseOptions(delimiter=separator, newlines_in_values=True), "," if comma else ".", about

    @property
    def decimal(self) -> str:
        """The decimal mark."""
        return self._found[2]

    @property
    def about(self) -> int | None:
        """About how many rows there are, by the length of the first; None for a file that is short or zipped."""
        return self._found[3]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The header."""
        with explained(self.name):
            try:
                names = self._header(_HEADER_BYTES)
            except pa.ArrowInvalid:  # longer than that
                names = self._header(_CSV_BLOCK)
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if twice:
            no_header(self.name, self._first_cells())
            msg = f"{safe(self.name)}: the header names {listed(twice)} more than once; name each column once."
            raise InputError(msg)
        return names

    def _header(self, block: int) -> tuple[str, ...]:
        with self.open(pacsv.ConvertOptions(), threads=False, block=block) as reader:
            return tuple(reader.schema.names)

    def _first_cells(self) -> list[Column]:
        """Return the first rows of the columns, whose names may come twice."""
        with explained(self.name), self.open(pacsv.ConvertOptions(), threads=False) as reader:
            first = next(iter(reader), None)
        return [] if first is None else [column_of(name, array) for name, array in zip(first.schema.names, first, strict=True)]

    def texts(self, rows: int) -> dict[str, pa.Array]:
        """Return the cells of the first rows."""
        batches, have = [], 0
        options = pacsv.ConvertOptions(column_types=dict.fromkeys(self.names, pa.binary()))
        with explained(self.name), self.open(options, threads=False) as reader:
            schema = reader.schema
            for batch in reader:
                batches.append(batch)
                have += batch.num_rows
                if have >= rows or sum(held.nbytes for held in batches) > _HEAD_BYTES:
                    break
        table = pa.Table.from_batches(batches, schema).slice(0, rows)
        texts = {}
        for name in self.names:
            try:
                texts[name] = joined(table.column(name)).cast(pa.string())
            except pa.ArrowInvalid as error:
                msg = f"{safe(self.name)}: column {quoted(name)} is not UTF-8 text. Save the file as UTF-8."
                raise InputError(msg) from error
        return texts

    def open(
        self,
        options: pacsv.ConvertOptions,
        stream: pa.NativeFile | None = None,
        *,
        threads: bool = True,
        block: int = _CSV_BLOCK,
        headed: bool = True,
    ) -> pacsv.CSVStreamingReader:
        """Open the file, or a `stream` of it, `headed` where that begins with the header; without threads errors name the row."""
        blank, layout, *_ = self._found
        names = None if headed else self.names
        reading = pacsv.ReadOptions(block_size=block, skip_rows=blank if headed else 0, column_names=names, use_threads=threads)
        return pacsv.open_csv(stream or input_of(self.path), read_options=reading, parse_options=layout, convert_options=options)

    def slices(self, file: int) -> list[tuple[FileSlice, int]]:
        """Return the file cut after ends of lines, each slice with its bytes; whole where it is zipped or does not say where.

        A line in front of a cut that does not end in a quoted cell ends a record, if it begins one: `read` sees whether it does.
        """
        size = self.path.stat().st_size
        whole = [(FileSlice(file), size * (_UNZIPPED if zipped(self.path) else 1))]
        if zipped(self.path) or size < 2 * PART:
            return whole
        cuts = [0]
        with self.path.open("rb") as stream:
            for place in range(PART, size - PART // 2, PART):
                stream.seek(place)
                before, last = stream.readline(_LONGEST), stream.readline(_LONGEST)
                if not (before.endswith(b"\n") and last.endswith(b"\n")) or (b'"' in last and not self._closed(last)):
                    return whole
                cuts.append(stream.tell())
        cuts = [*dict.fromkeys(cut for cut in cuts if cut < size), size]
        return [(FileSlice(file, start, stop), stop - start) for start, stop in pairwise(cuts)]

    def _closed(self, line: bytes) -> bool:
        """Return whether a line with quotation marks surely ends a record."""
        try:
            list(csv.reader([line.decode("utf-8").rstrip("\r\n")], delimiter=self._found[1].delimiter, strict=True))
        except (csv.Error, UnicodeDecodeError):
            return False
        return True

    def read(self, cut: FileSlice, options: pacsv.ConvertOptions) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a slice; refuse one with a record of several lines, which a cut may go through."""
        with self.path.open("rb") as file:
            file.seek(cut.start)
            data = file.read(-1 if cut.stop is None else cut.stop - cut.start)
        rows = 0
        with self.open(options, pa.BufferReader(data), headed=not cut.start) as reader:
            for batch in reader:
                rows += batch.num_rows
                yield batch
        ends = np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")) if b'"' in data else None
        if ends is not None and rows != ends + (not data.endswith(b"\n")) - (0 if cut.start else 1 + self._found[0]):
            msg = f"{safe(self.name)}: some records have several lines, or some lines are empty; read the file in one piece."
            raise InputError(msg)


@dataclass(frozen=True)
class CsvSource(FileSource):
    """A CSV file, or several, one after the other, with the columns that all of them have."""

    cells: bool = True

    @cached_property
    def _parts(self) -> tuple[_CsvFile, ...]:
        return tuple(_CsvFile(path, name) for path, name in zip(self.files.paths, self.files.called, strict=True))

    @cached_property
    def _columns(self) -> SharedColumns:
        return shared_columns((part.name, pa.schema([(name, pa.string()) for name in part.names])) for part in self._parts)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns that all headers name, and those that folders name."""
        return tuple(dict.fromkeys([*self._columns.types, *self.files.columns]))

    @property
    def partial(self) -> Mapping[str, str]:
        """Why other columns are not read: some file lacks them."""
        return {name: why for name, why in self._columns.partial.items() if name not in self.files.columns}

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows, with types as all of their cells suggest."""
        columns: dict[str, list[pa.Array]] = {name: [] for name in self.names}
        have, marks = 0, {part.decimal for part in self._parts}
        decimal = "." if len(marks) > 1 else marks.pop()
        for at, most in self.files.looked_at(rows):
            with self.steady(at):
                part = self._parts[at].texts(min(most, rows - have))
            n = len(next(iter(part.values())))
            for name in self.names:
                own = part.get(name)
                cells = self.files.columns[name].rows(at, n, as_text=True).cast(pa.string()).fill_null("") if own is None else own
                if self._parts[at].decimal != decimal and kinds.is_floating(typed(cells, ",").type):
                    cells = pc.replace_substring(cells, ",", ".")
                columns[name].append(cells)
            have += n
            if have >= rows:
                break
        if not have:
            msg = f"{safe(self.name)}: no rows after the header. Give a file with one row per case."
            raise InputError(msg)
        texts = {name: pa.concat_arrays(parts) for name, parts in columns.items()}
        return {name: typed(text, decimal) for name, text in texts.items()}

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks; labels are kept as the very text of their cells."""
        wanted = list(dict.fromkeys([*labels, *numbers]))
        with explained(self.name), self.steady(), self.hashed.in_stream() as told:
            yield from evenly(self._stream(labels, numbers, told), wanted, rows_of(labels, numbers))

    def _stream(
        self, labels: Sequence[str], numbers: Sequence[str], told: Callable[[bytes], None] | None
    ) -> Iterator[pa.RecordBatch]:
        for cut in self.slices or map(FileSlice, range(len(self._parts))):
            at, part = cut.file, self._parts[cut.file]
            texts = _LABEL_CELLS if cut.stop is None else pa.binary()  # threads that count would wait for what encodes texts here
            types = dict.fromkeys(labels, texts) | dict.fromkeys(numbers, pa.float64())
            for name in types:
                if name not in part.names and name not in self.files.columns:
                    raise InputError(self.partial[name])
            both = [name for name in self.files.columns if name in part.names]
            read = {name: types.get(name, texts) for name in part.names if name in types or name in both}
            read = read or {part.names[0]: texts}  # for the number of rows
            encoders = {name: LabelCells() for name, kind in read.items() if kinds.is_binary(kind)}
            options = pacsv.ConvertOptions(column_types=read, include_columns=list(read), decimal_point=part.decimal)
            with ExitStack() as opened:
                opened.enter_context(explained(part.name))
                if cut.stop is None:
                    stream = opened.enter_context(input_of(part.path, told))
                    batches: Iterable[pa.RecordBatch] = opened.enter_context(part.open(options, stream))
                else:
                    batches = part.read(cut, options)
                for batch in batches:
                    own = [encoders[name].encode(batch[name]) if name in encoders else batch[name] for name in read]
                    for name in both:
                        self.files.checked(at, name, own[list(read).index(name)])
                    others = {name: self.files.columns[name] for name in types if name not in read}
                    added = [each.rows(at, batch.num_rows, as_text=name not in numbers) for name, each in others.items()]
                    yield pa.RecordBatch.from_arrays([*own, *added], [*read, *others]).select(list(types))

    def sliced(self) -> list[CsvSource]:
        """Return parts of the rows, by a rule that knows the files only."""
        with explained(self.name):
            cuts = [each for at, part in enumerate(self._parts) for each in part.slices(at)]
        return [replace(self, slices=part, first=None) for part in in_parts(cuts, PART // 2)]

    def is_large(self, columns: int) -> bool:  # noqa: ARG002 - reading takes most of the time, whatever is read
        """Return whether counting in several processes pays."""
        return sum(path.stat().st_size * (_UNZIPPED if zipped(path) else 1) for path in self.files.paths) >= LARGE

    def declared(self, column: str) -> None:
        """Return nothing: cells declare no categories."""

    def about(self) -> int | None:
        """Return about how many rows there are; None where some file does not tell."""
        each = [part.about for part in self._parts]
        return None if None in each else sum(each)  # type: ignore[arg-type]
