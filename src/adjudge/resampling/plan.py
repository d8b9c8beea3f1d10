"""A plan: the training and test rows of every unit, decided before anything is fitted; a value with a fingerprint."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, overload

import numpy as np

from adjudge._base import InputError, Shown, command, counted, dataclass, field, quoted, safe, wording
from adjudge._base.arrays import BoolArray, IntArray, as_array, frozen
from adjudge._base.files import write_whole
from adjudge._base.strict_json import bounded, read_json

Kind: TypeAlias = Literal["holdout", "subsampling", "folds", "repeated folds", "leave-one-out", "bootstrap"]
_FORMAT = "adjudge plan 1"
LARGEST = 1 << 28  # bytes a file may have
_MOST_NUMBERS = 1 << 25  # of rows that a file lists
_MOST_ROWS, _MOST_UNITS, _MOST_SEED = 1 << 40, 1 << 30, 1 << 128
_FEW = 16  # times as many rows as a unit names: they are compared rather than marked


class TheRest(Sequence[IntArray]):
    """For each unit all rows it does not test, in order; worked out when asked for, as they are many."""

    __slots__ = ("rows", "test")

    def __init__(self, rows: int, test: tuple[IntArray, ...]) -> None:
        self.rows, self.test = rows, test

    def __len__(self) -> int:
        return len(self.test)

    @overload
    def __getitem__(self, at: int) -> IntArray: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[IntArray, ...]: ...
    def __getitem__(self, at: int | slice) -> IntArray | tuple[IntArray, ...]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(len(self))[at])
        return frozen(np.flatnonzero(~_marked(self.test[at], self.rows)), np.int64)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plan(Shown):
    """The training rows and test rows of each unit: fold, round or split.

    Parameters
    ----------
    name : str
        What to call it, e.g. "stratified-10-fold".
    rows : int
        How many rows there are.
    train : sequence of arrays
        The training rows of each unit; a row drawn twice stands twice.
    test : sequence of arrays
        The test rows of each unit; none of them is a training row.
    repeat : sequence of int, optional
        Which repetition each unit belongs to, from 0.
    seed : int, optional
        What the rows were drawn with.
    """

    name: str
    rows: int
    train: Sequence[IntArray]
    test: tuple[IntArray, ...]
    repeat: tuple[int, ...] = ()
    seed: int | None = None
    kind: Kind = field(init=False)
    """What the rows themselves say the plan is, whatever its name."""

    def __post_init__(self) -> None:
        if isinstance(self.rows, bool) or not isinstance(self.rows, (int, np.integer)):
            msg = f"A plan is for a whole number of rows, got {safe(repr(self.rows))}. Pass len(y)."
            raise InputError(msg)
        for parts in (self.train, self.test):
            if not hasattr(parts, "__len__") or isinstance(parts, (str, bytes, Mapping)):
                msg = f"A plan lists for each unit its training rows and its test rows; got {type(parts).__name__}."
                raise InputError(msg)
        test = _all_indices(self.test, self.rows)
        repeat = tuple(int(r) for r in self.repeat) or (0,) * len(test)
        if not test or not len(self.train) == len(test) == len(repeat):
            came = f"got {len(self.train)}, {len(test)} and {len(repeat)}"
            msg = f"A plan has one entry per unit in train, test and repeat; {came}. Pass pairs (training rows, test rows)."
            raise InputError(msg)
        if self.rows < 2:  # noqa: PLR2004 - one row for training, one for testing
            msg = f"A plan needs at least two rows, one for training and one for testing; got {self.rows}."
            raise InputError(msg)
        for unit, part in enumerate(test):
            ordered = np.sort(part)
            twice = ordered[1:][ordered[1:] == ordered[:-1]]
            if twice.size:
                msg = f"Unit {unit + 1} tests row {twice[0]} more than once; test each row once."
                raise InputError(msg)
        known = isinstance(self.train, TheRest)
        train = TheRest(self.rows, test) if known else _trained(_all_indices(self.train, self.rows), test, self.rows)
        for name, value in (("test", test), ("train", train), ("repeat", repeat)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "kind", self._kind())

    def __len__(self) -> int:
        return len(self.test)

    def _kind(self) -> Kind:
        # Samples with replacement are as large as the data; folds that only repeat some cases are still folds.
        as_large = not isinstance(self.train, TheRest) and all(part.size == self.rows for part in self.train)
        if as_large and any(np.unique(part).size < part.size for part in self.train):
            return "bootstrap"
        if len(self) == 1:
            return "holdout"
        parts: dict[int, list[IntArray]] = {repeat: [] for repeat in self.repeat}
        for repeat, part in zip(self.repeat, self.test, strict=True):
            parts[repeat].append(part)
        whole = all(sum(part.size for part in each) == self.rows for each in parts.values())
        if not whole or not all(_marked(np.concatenate(each), self.rows).all() for each in parts.values()):
            return "subsampling"
        if len(parts) > 1:
            return "repeated folds"
        return "leave-one-out" if len(self) == self.rows else "folds"

    @property
    def training_cases(self) -> tuple[int, ...]:
        """How many training rows each unit has, those drawn twice counted twice."""
        if isinstance(self.train, TheRest):
            return tuple(self.rows - part.size for part in self.test)
        return tuple(part.size for part in self.train)

    @property
    def test_share(self) -> float:
        """The share of the different rows of a unit that is tested: r / (1 + r) of the mean ratio r of test to training rows.

        Where units differ in size this is the share whose correction of Nadeau and Bengio (2003) uses the mean ratio.
        """
        judged = np.array([part.size for part in self.test])
        rest = isinstance(self.train, TheRest)
        learnt = self.rows - judged if rest else np.array([np.unique(part).size for part in self.train])
        ratio = float(np.mean(judged / learnt))
        return ratio / (1 + ratio)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of everything in the plan: the same fingerprint means the same units in the same order."""
        head = [_FORMAT, self.name, self.rows, self.seed, self.repeat, isinstance(self.train, TheRest)]
        digest = hashlib.sha256(json.dumps(head).encode())
        for part in (*self.test, *(() if isinstance(self.train, TheRest) else self.train)):
            digest.update(f"{part.size}:".encode())
            digest.update(part.astype("<i8", copy=False).tobytes())
        return digest.hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain Python; `train` is None where each unit trains on all rows it does not test."""
        return {
            "format": _FORMAT,
            "name": self.name,
            "rows": self.rows,
            "seed": self.seed,
            "fingerprint": self.fingerprint,
            "repeat": list(self.repeat),
            "test": [part.tolist() for part in self.test],
            "train": None if isinstance(self.train, TheRest) else [part.tolist() for part in self.train],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Plan:
        """Return the plan that :meth:`to_dict` wrote."""
        try:
            rows, test = _whole(values["rows"], "rows", _MOST_ROWS), _units(values["test"], "test")
            train, repeat, seed = values["train"], _listed(values["repeat"], "repeat"), values["seed"]
            units = TheRest(rows, test) if train is None else _units(train, "train")
            again = tuple(_whole(each, "repeat", _MOST_UNITS) for each in repeat)
            drawn = None if seed is None else _whole(seed, "seed", _MOST_SEED)
            made = cls(_text(values["name"], "name"), rows, units, test, again, drawn)
            kept = values["fingerprint"]
            if values.get("format", _FORMAT) != _FORMAT:
                msg = f"its format is {safe(repr(values['format']), 80)}, and this adjudge reads {_FORMAT!r}"
                raise ValueError(msg)  # noqa: TRY301 - told with all that is wrong with a plan
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            why = f"it lacks {safe(error)}" if isinstance(error, KeyError) else safe(error)
            ways = command("adjudge estimate --save-plan", python="Plan.to_dict() or Plan.save()")
            raise InputError(wording(f"This is no plan ({why}). Give what ", ways, " wrote."), parameter="values") from error
        if kept != made.fingerprint:
            msg = "The plan was changed after it was written: its fingerprint does not fit. Make it anew with "
            raise InputError(msg, command("adjudge estimate --save-plan", python="adjudge.plan()"), ".", parameter="values")
        return made

    def save(self, path: str | os.PathLike[str]) -> Path:  # type: ignore[override]  # data, which have no title
        """Write the plan as JSON."""
        text = json.dumps(self.to_dict(), separators=(",", ":")) + "\n"
        if not _read_again(text.encode()):
            takes = f"The plan takes {len(text):,} bytes, and files of more than {LARGEST:,} or of {_MOST_NUMBERS:,} row numbers"
            raise InputError(takes, " are not read again. Keep the seed that it is drawn with, or plan fewer repetitions.")
        return write_whole(path, text, such_as="plan.json")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """Read a plan that :meth:`save` wrote."""
        if not isinstance(path, (str, os.PathLike)):
            msg = f"A plan is read from a path; got {type(path).__name__}. Give a file written by "
            raise InputError(msg, command("adjudge estimate --save-plan", python="Plan.save()"), ".", parameter="path")
        try:
            told = read_json(Path(path), largest=LARGEST, in_lists=_MOST_NUMBERS)
        except (OSError, ValueError) as error:
            why = safe(error).removesuffix(".") if not isinstance(error, OSError) else error.strerror
            msg = f"Cannot read the plan {quoted(Path(path).name)}: {why}. Give a file written by "
            raise InputError(msg, command("adjudge estimate --save-plan", python="Plan.save()"), ".", parameter="path") from error
        if not isinstance(told, dict):
            msg = f"{quoted(Path(path).name)} is no plan. Give a file written by "
            raise InputError(msg, command("adjudge estimate --save-plan", python="Plan.save()"), ".", parameter="path")
        return cls.from_dict({name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in told.items()})

    def __repr__(self) -> str:
        times = len(set(self.repeat))
        each = f", {times} times over" if times > 1 else ""
        return (
            f"Plan {safe(self.name)}: {counted(len(self), 'unit')}{each} on {counted(self.rows, 'row')}, "
            f"{_span(self.training_cases)} for training and {_span(tuple(part.size for part in self.test))} for testing; "
            f"seed {self.seed}, fingerprint {self.fingerprint[:12]}"
        )


def _read_again(data: bytes) -> bool:
    """Return whether a file of such bytes is read."""
    try:
        bounded(data, in_lists=_MOST_NUMBERS)
    except InputError:
        return False
    return len(data) <= LARGEST


def _listed(value: Any, what: str) -> list[Any]:
    """Return a list of a file, or refuse what is none."""
    if not isinstance(value, list):
        msg = f'"{what}" is no list'
        raise TypeError(msg)
    return value


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        msg = f'"{what}" is no text'
        raise TypeError(msg)
    return value


def _whole(value: Any, what: str, most: int) -> int:
    """Return a whole number from 0 to below `most`."""
    if type(value) is not int or not 0 <= value < most:
        msg = f'"{what}" holds {safe(repr(value), 80)}, which is no whole number from 0 to below {most:,}'
        raise ValueError(msg)
    return value


def _units(told: Any, what: str) -> tuple[IntArray, ...]:
    """Return the row numbers of each unit; true, 1.5 and "1" are none. Long lists of whole numbers are arrays already."""
    units = [part if isinstance(part, np.ndarray) else _listed(part, what) for part in _listed(told, what)]
    lists = (part for part in units if not isinstance(part, np.ndarray))
    if strange := {kind for part in lists for kind in set(map(type, part))} - {int}:
        msg = f'"{what}" lists {strange.pop().__name__} where numbers of rows are needed'
        raise TypeError(msg)
    return tuple(part if isinstance(part, np.ndarray) else np.array(part, dtype=np.int64) for part in units)


def _span(sizes: tuple[int, ...]) -> str:
    low, high = min(sizes), max(sizes)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _all_indices(parts: Sequence[Any], rows: int) -> tuple[IntArray, ...]:
    """Return the rows of all units as read-only arrays, once they are known to be rows."""
    indices = tuple(row_numbers(part, rows) for part in parts)
    if indices:
        whole = np.concatenate(indices)
        if whole.min() < 0 or whole.max() >= rows:
            outside = whole.max() if whole.min() >= 0 else whole.min()
            msg = f"A plan for {counted(rows, 'row')} names row {outside}; rows count from 0."
            raise InputError(msg)
    return indices


def row_numbers(part: Any, rows: int) -> IntArray:
    """Return the numbers of some rows as a read-only array, refusing what names no row; whether they exist is not asked."""
    values = as_array(part, "The rows of a plan's unit")
    if values.dtype == np.bool_ and values.shape == (rows,):
        values = np.flatnonzero(values)
    if values.ndim != 1 or not values.size or values.dtype.kind not in "iu":
        came = f"shape {values.shape} and type {values.dtype}"
        msg = f"A plan lists the numbers of rows, at least one for training and one for testing per unit; got {came}."
        raise InputError(msg)
    return values if values.dtype == np.int64 and not values.flags.writeable else frozen(values, np.int64)


def _trained(train: tuple[IntArray, ...], test: tuple[IntArray, ...], rows: int) -> Sequence[IntArray]:
    """Return the training rows, as :class:`TheRest` where they are, once no row is both for training and for testing."""
    rest = True
    for unit, (own, judged) in enumerate(zip(train, test, strict=True)):
        if own.size + judged.size < rows // _FEW:
            both: IntArray = np.intersect1d(own, judged)
        else:
            both = np.flatnonzero(_marked(own, rows) & _marked(judged, rows))
        if both.size:
            msg = f"Unit {unit + 1} trains on row {both[0]} and is tested on it. Keep training and test rows apart."
            raise InputError(msg)
        rest = rest and own.size == rows - judged.size and bool(np.all(own[1:] > own[:-1]))
    return TheRest(rows, test) if rest else train


def _marked(part: IntArray, rows: int) -> BoolArray:
    marks = np.zeros(rows, dtype=bool)
    marks[part] = True
    return marks
