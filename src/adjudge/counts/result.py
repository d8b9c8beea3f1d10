"""Predictions that were counted: all that a verdict needs, and no case of them, to be added to others and kept as a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.show import Shown, plain
from adjudge._base.text import counted as number_of
from adjudge._base.text import listed, quoted, safe
from adjudge.counts.counting import count_numbers, tally
from adjudge.counts.numbers import NumberCounts, add_numbers
from adjudge.counts.paired import PairCounts, pairs_together, read_pairs, refuse_twice
from adjudge.counts.scores import as_tables
from adjudge.counts.stored import (
    SUFFIX,
    finite,
    flag,
    must,
    number,
    one_of,
    perhaps_text,
    read_numbers,
    read_tally,
    save_numbers,
    save_tally,
    text,
    texts,
    unpacked,
)
from adjudge.counts.tally import Tally, merged
from adjudge.predictions.in_memory import are_numbers
from adjudge.predictions.model import Duplicates, Predictions
from adjudge.predictions.roles import Roles, Scale

_FEW = 3  # parts whose names are told
_ROLES = ("truth", "predicted", "scale", "row", "fold", "group", "weight", "numeric")
"""Fields of roles that JSON holds as they are."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Counts(Shown):
    """The counts of one or several sets of predictions of the same classes, or the sums of predictions of numbers.

    ``a + b`` is what counting both at once would give. :func:`adjudge.evaluate` judges it; ``save`` writes a small file that
    holds sums only: how often each decision met each truth, and how often each score, by class, fold and group.
    """

    tally: Tally | NumberCounts
    """The tables of classes, or the sums of numbers."""
    name: str
    fingerprints: tuple[str, ...] = ()
    """SHA-256 of each file that was counted, where there was one."""
    roles: Roles | None = None
    found: tuple[Finding, ...] = ()
    """What was remarked while reading."""
    repeats: float = 1.0
    """How many rows a case has on average."""
    threshold: float | None = None
    duplicates: str = "error"

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return self.tally.n if isinstance(self.tally, NumberCounts) else self.tally.rows

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes; none where numbers are predicted."""
        return () if isinstance(self.tally, NumberCounts) else tuple(self.tally.confusion.classes)

    def __add__(self, other: object) -> Counts:
        return together([self, other]) if isinstance(other, Counts) else NotImplemented

    def __radd__(self, other: object) -> Counts:
        return self if other == 0 else NotImplemented  # so that sum(parts) works

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the counts as a file, by custom one that ends in .counts; no single case is in it."""
        about = {name: plain(getattr(self, name)) for name in ("name", "fingerprints", "found", "repeats")}
        about |= {"roles": None, "threshold": self.threshold, "duplicates": self.duplicates}
        if self.roles is not None:  # the evidence may quote cells, and stays behind
            scores = [[str(label), column] for label, column in self.roles.scores]
            about["roles"] = {name: getattr(self.roles, name) for name in _ROLES} | {"scores": scores}
        if isinstance(self.tally, NumberCounts):
            return save_numbers(path, self.tally, about)
        return save_tally(path, self.tally, about)

    def to_dict(self) -> dict[str, Any]:
        """Return what was counted as plain Python, ready for JSON; scores by how many different ones there are."""
        told = {name: plain(getattr(self, name)) for name in ("name", "rows", "fingerprints", "found", "repeats")}
        if isinstance(self.tally, NumberCounts):
            return told | {"numbers": self.tally.to_dict()}
        counts, scores = self.tally.confusion, self.tally.scores
        told["confusion"] = counts.to_dict()
        told["folds"], told["groups"] = len(self.tally.by_fold), len(self.tally.by_group)
        held = [] if scores is None else [table.values.size for table in scores.tables]
        return told | {"scale": self.tally.scale, "different_scores": held}

    def __repr__(self) -> str:
        held = f"Counts of {number_of(self.rows, 'row')} of {self.name}"
        if isinstance(self.tally, NumberCounts):
            return f"{held}, numbers"
        held += f", classes {listed(self.classes)}"
        apart = {"fold": len(self.tally.by_fold), "group": len(self.tally.by_group)}
        parts = [number_of(n, what) for what, n in apart.items() if n]
        return ", ".join([held, *parts, *([self.tally.scale] if self.tally.scale else [])])


def count_all(predictions: Predictions) -> Tally | NumberCounts:
    """Count predictions as what adds up: tables and sums of classes, scores as tables, or sums of numbers."""
    if are_numbers(predictions):
        return count_numbers(predictions)
    found = tally(predictions, ranking=True)
    return found if found.scores is None else replace(found, scores=as_tables(found.scores))


def together(parts: Sequence[Counts]) -> Counts:
    """Return the counts of all parts; refuse a file that is among them twice."""
    refuse_twice([(part.name, part.fingerprints) for part in parts])
    if len(parts) == 1:
        return parts[0]
    rows = sum(part.rows for part in parts)
    cases = sum(part.rows / part.repeats for part in parts)
    thresholds = {part.threshold for part in parts}
    numbers = [part.tally for part in parts if isinstance(part.tally, NumberCounts)]
    tallies = [part.tally for part in parts if isinstance(part.tally, Tally)]
    if numbers and tallies:
        msg = "One part predicts numbers, another classes; their counts do not add up. Count predictions of one kind."
        raise InputError(msg)
    return Counts(
        add_numbers(numbers) if numbers else merged(tallies),
        " + ".join(part.name for part in parts) if len(parts) <= _FEW else f"{len(parts)} parts",
        tuple(each for part in parts for each in part.fingerprints),
        parts[0].roles,
        tuple(dict.fromkeys(finding for part in parts for finding in part.found)),
        rows / cases,
        thresholds.pop() if len(thresholds) == 1 else None,
        parts[0].duplicates,
    )


def is_counts(source: Any) -> bool:
    """Return whether `source` is the path of a file of counts."""
    return isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() == SUFFIX


def load_counts(*paths: str | os.PathLike[str]) -> Counts | PairCounts:
    """Return the counts of a file written by :meth:`Counts.save` or :meth:`PairCounts.save`, or of several added up.

    >>> load_counts("nothing.counts")
    Traceback (most recent call last):
    ...
    adjudge._base.errors.InputError: There is no file 'nothing.counts'.
    """
    if not paths:
        msg = "load_counts needs the path of at least one file of counts."
        raise InputError(msg)
    parts = [_loaded(path) for path in paths]
    refuse_again(paths)
    return all_together(parts)


def refuse_again(paths: Sequence[str | os.PathLike[str]]) -> None:
    """Refuse a file that is given twice; counts of arrays have no fingerprint to know them by."""
    seen: set[Path] = set()
    for path in map(Path, paths):
        if path.resolve() in seen:
            msg = f"{safe(path.name)} is given twice; leave one out."
            raise InputError(msg)
        seen.add(path.resolve())


def all_together(parts: Sequence[Counts | PairCounts]) -> Counts | PairCounts:
    """Return the counts of all parts, whichever kind they are; refuse two kinds."""
    pairs = [part for part in parts if isinstance(part, PairCounts)]
    single = [part for part in parts if isinstance(part, Counts)]
    if pairs and single:
        msg = (
            f"{quoted(pairs[0].name)} holds what several classifiers said of the same cases, {quoted(single[0].name)} what one "
            "said; they do not add up. Give files of one kind."
        )
        raise InputError(msg)
    return pairs_together(pairs) if pairs else together(single)


def _loaded(path: str | os.PathLike[str]) -> Counts | PairCounts:
    if not Path(path).is_file():
        msg = f"There is no file {quoted(Path(path).name)}."
        raise InputError(msg)
    with unpacked(path) as (header, arrays):
        kind = header.get("of", "classes")
        if kind == "pairs":
            return read_pairs(header, arrays)
        readers: dict[str, Callable[..., Tally | NumberCounts]] = {"classes": read_tally, "numbers": read_numbers}
        return _counted(readers[kind](header, arrays), header["about"])


def _counted(tally: Tally | NumberCounts, about: dict[str, Any]) -> Counts:
    threshold, findings = about["threshold"], []
    for told in about["found"]:
        value = told["value"]
        must(value is None or isinstance(value, (str, int, float)), "a finding has no such value")
        code, message, advice = (text(told[name], "a finding") for name in ("code", "message", "advice"))
        findings.append(Finding(code, message, advice, value))
    return Counts(
        tally,
        text(about["name"], "its name"),
        texts(about["fingerprints"], "a fingerprint"),
        None if about["roles"] is None else _roles_read(about["roles"]),
        tuple(findings),
        finite(number(about["repeats"], "rows a case", least=1), "rows a case"),
        None if threshold is None else finite(threshold, "the threshold"),
        one_of(about["duplicates"], get_args(Duplicates), "what became of duplicates"),
    )


def _roles_read(told: dict[str, Any]) -> Roles:
    columns = ("predicted", "row", "fold", "group", "weight")
    named: dict[str, Any] = {name: perhaps_text(told[name], "a column") for name in columns}
    numeric = told["numeric"]
    return Roles(
        truth=text(told["truth"], "a column"),
        scores=tuple((text(label, "a class"), text(column, "a column")) for label, column in told["scores"]),
        scale=one_of(told["scale"], get_args(Scale), "the scale of its scores"),
        numeric=None if numeric is None else flag(numeric, "whether it predicts numbers"),
        **named,
    )
