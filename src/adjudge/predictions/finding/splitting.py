"""Which column tells test rows from training rows.

Its values say so (train, test, valid, holdout ...; or 0 and 1 under a name such as is_train); a known name is needed only where
the first rows hold one part alone, as in a file sorted by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from adjudge._base.arguments import argument, either
from adjudge._base.errors import DoubtfulRolesError, InputError
from adjudge._base.findings import Finding
from adjudge._base.text import counted, listed, quoted, safe
from adjudge.predictions.finding.given import exists
from adjudge.predictions.finding.names import names_decision, names_truth
from adjudge.predictions.finding.sampled import Sampled
from adjudge.predictions.labels import text_of
from adjudge.predictions.roles import Column
from adjudge.predictions.spellings import same

Part: TypeAlias = Literal["test", "validation", "training"]
PARTS: tuple[Part, ...] = ("test", "validation", "training")
"""The parts of a data set; of those that a file has, the first is judged."""
_WORDS: dict[Part, frozenset[str]] = {
    "test": frozenset({"test", "testing", "tst", "holdout", "heldout"}),
    "validation": frozenset({"valid", "validation", "validate", "val", "dev"}),
    "training": frozenset({"train", "training", "trn"}),
}
_NAMED = re.compile(
    r"(data_?|cv_?|\.)?(split|set|subset|partition|part|fold|usage|sample|phase|stage|role|type|kind)(_?(name|type|id))?\.?"
    r"|train_?(or_?)?(test|val|valid|validation)(_?(split|set|flag))?"
)
_FLAGGED = re.compile(r"(?:is|in|for)_?(train|training|test|testing|holdout|validation)(?:_?(?:set|row|sample))?")
_YES, _NO = frozenset({"1", "true", "yes", "y", "t"}), frozenset({"0", "false", "no", "n", "f"})
_TWO = 2


@dataclass(frozen=True)
class SplitColumn:
    """A column that says of each row which part of the data it belongs to."""

    name: str
    wanted: Any = None
    """The value whose rows are to be judged, where the user named it."""
    given: bool = False


def find_split(columns: Sequence[Column], given: Any, used: frozenset[str]) -> SplitColumn | None:
    """Return the column the user named or the values tell, None where there is none; those `used` play another part."""
    names = [column.name for column in columns]
    if given is not None:
        return _named(given, names)
    best = _candidates(columns, used)
    if len(best) == 1:
        return SplitColumn(best[0])
    if best and _known_by_name(best[0]):
        ways = either(argument("split", name) for name in best[:3])
        msg = f"{listed(best)} may each tell test rows from training rows. Say which: "
        raise DoubtfulRolesError(msg, ways, " (", argument("split", ""), " judges all rows).")
    return None


def of_all_parts(columns: Sequence[Column], given: Any, used: frozenset[str]) -> Iterator[Finding]:
    """Yield that training rows are judged among the others, where the user asked for that."""
    best = _candidates(columns, used) if given == "" else []
    if best:
        told = f"Column {quoted(best[0])} tells training rows from others; all rows were judged together, as asked."
        yield Finding("A108", told, "The model may remember its training rows, and then the numbers flatter it.", "all")


def _candidates(columns: Sequence[Column], used: frozenset[str]) -> list[str]:
    """Return the columns whose values name parts of the data, those first and alone whose names say so."""
    found = []
    for column in (Sampled(column) for column in columns if column.name not in used):
        if column.labels and not names_truth(column.name) and not names_decision(column.name):
            parts = {part_of(label, column.name) for label in column.labels}
            if None not in parts and (len(parts) > 1 or _known_by_name(column.name)):
                found.append(column.name)
    return [name for name in found if _known_by_name(name)] or found


def part_of(value: Any, column: str) -> Part | None:
    """Return the part of the data a value of the column stands for.

    >>> part_of("Train", "set"), part_of("hold-out", "set"), part_of(0, "is_train"), part_of("a", "set")
    ('training', 'test', 'test', None)
    """
    word = re.sub(r"[\W_]+", "", text_of(value).casefold())
    flagged = _FLAGGED.fullmatch(_plain(column))
    if flagged and word in _YES | _NO:
        own = part_of(flagged[1], "")
        return own if word in _YES else "test" if own == "training" else "training"
    return next((part for part, words in _WORDS.items() if word in words), None)


def judged_values(split: SplitColumn, rows: Mapping[Any, int]) -> tuple[str, list[Any]]:
    """Return what to call the rows that are judged, and the values of the column that they have."""
    by_part = values_by_part(split.name, rows)
    if split.wanted is not None:
        own = [value for value in rows if value is not None and same(value, split.wanted)]
        wanted = part_of(split.wanted, split.name)
        values = own or ([] if wanted is None else by_part[wanted])
        if not values:
            msg = f"No row of column {quoted(split.name)} is {quoted(split.wanted)}; it holds {_listed(rows)}."
            raise InputError(msg)
        return (wanted or quoted(split.wanted)), values
    for part in PARTS:
        if by_part[part] and (part != "training" or len(by_part[part]) == len(rows)):
            return part, by_part[part]
    ways = either(argument("split", f"{split.name}={safe(value)}") for value in list(rows)[:_TWO] if value is not None)
    msg = (
        f"Column {quoted(split.name)} holds {_listed(rows)}: nothing says which rows are test rows. Name the rows to judge with "
    )
    raise DoubtfulRolesError(msg, ways, ", or judge all rows with ", argument("split", ""), ".")


def values_by_part(column: str, rows: Iterable[Any]) -> dict[Part, list[Any]]:
    """Return the values that stand for each part."""
    return {part: [value for value in rows if value is not None and part_of(value, column) == part] for part in PARTS}


def _listed(rows: Mapping[Any, int]) -> str:
    shown = [f"{quoted(value)} ({n:,})" for value, n in rows.items() if value is not None][:4]
    blank = [f"{counted(n, 'row')} without a value" for value, n in rows.items() if value is None]
    return ", ".join([*shown, *blank])


def _named(given: Any, names: Sequence[str]) -> SplitColumn | None:
    """Read "set", "set=valid" or {"set": "valid"}; an empty one judges all rows."""
    if isinstance(given, Mapping) and len(given) == 1:
        ((name, wanted),) = given.items()
        return SplitColumn(exists(name, "split", names), wanted, given=True)
    if not isinstance(given, str):
        msg = f"split names one column: 'set', 'set=valid' or {{'set': 'valid'}}; '' judges all rows. Got {given!r}."
        raise InputError(msg)
    if not given:
        return None
    name, sign, wanted = given.rpartition("=")
    if given in names or not sign or name not in names:
        return SplitColumn(exists(given if given in names or not sign else name, "split", names), given=True)
    return SplitColumn(name, wanted, given=True)


def _known_by_name(name: str) -> bool:
    return _NAMED.fullmatch(_plain(name)) is not None or _FLAGGED.fullmatch(_plain(name)) is not None


def _plain(name: str) -> str:
    return re.sub(r"[\s\-]+", "_", name.strip()).lower()
