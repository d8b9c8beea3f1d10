"""Predictions that were counted: all that a verdict needs, and no case of them, to be added to others and kept as a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.show import Shown, plain
from adjudge._base.text import counted as number_of
from adjudge._base.text import listed, quoted
from adjudge.counts.merging import merged
from adjudge.counts.stored import SUFFIX, load_tally, save_tally
from adjudge.counts.tally import Tally
from adjudge.predictions.roles import Roles


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Counted(Shown):
    """The counts of one or several sets of predictions of the same classes.

    ``a + b`` is what counting both at once would give. :func:`adjudge.evaluate` judges it; ``save`` writes a small file that
    holds sums only: how often each decision met each truth, and how often each score, by class, fold and group.
    """

    tally: Tally
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
        return self.tally.rows

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes."""
        return tuple(self.tally.confusion.classes)

    def __add__(self, other: object) -> Counted:
        return together([self, other]) if isinstance(other, Counted) else NotImplemented

    def __radd__(self, other: object) -> Counted:
        return self if other == 0 else NotImplemented  # so that sum(parts) works

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the counts as a file, by custom one that ends in .counts; no single case is in it."""
        about = {name: plain(getattr(self, name)) for name in ("name", "fingerprints", "found", "repeats")}
        about |= {"roles": None if self.roles is None else _roles_told(self.roles)}
        return save_tally(path, self.tally, about | {"threshold": self.threshold, "duplicates": self.duplicates})

    def to_dict(self) -> dict[str, Any]:
        """Return what was counted as plain Python, ready for JSON; scores by how many different ones there are."""
        counts, scores = self.tally.confusion, self.tally.scores
        told = {name: plain(getattr(self, name)) for name in ("name", "rows", "fingerprints", "found", "repeats")}
        told["confusion"] = counts.to_dict()
        told["folds"], told["groups"] = len(self.tally.by_fold), len(self.tally.by_group)
        held = [] if scores is None else [table.values.size for table in scores.tables]
        return told | {"scale": self.tally.scale, "different_scores": held}

    def __repr__(self) -> str:
        held = f"Counts of {number_of(self.rows, 'row')} of {self.name}, classes {listed(self.classes)}"
        apart = {"fold": len(self.tally.by_fold), "group": len(self.tally.by_group)}
        parts = [number_of(n, what) for what, n in apart.items() if n]
        return ", ".join([held, *parts, *([self.tally.scale] if self.tally.scale else [])])


def together(parts: Sequence[Counted]) -> Counted:
    """Return the counts of all parts; refuse a file that is among them twice."""
    seen = [each for part in parts for each in part.fingerprints]
    twice = next((each for each in seen if seen.count(each) > 1), None)
    if twice is not None:
        whose = [part.name for part in parts if twice in part.fingerprints]
        msg = f"The same predictions were counted in {' and in '.join(quoted(name) for name in whose)}; leave one out."
        raise InputError(msg)
    if len(parts) == 1:
        return parts[0]
    rows = sum(part.rows for part in parts)
    cases = sum(part.rows / part.repeats for part in parts)
    thresholds = {part.threshold for part in parts}
    return Counted(
        merged([part.tally for part in parts]),
        " + ".join(part.name for part in parts) if len(parts) <= _FEW else f"{len(parts)} parts",
        tuple(seen),
        parts[0].roles,
        tuple(dict.fromkeys(finding for part in parts for finding in part.found)),
        rows / cases,
        thresholds.pop() if len(thresholds) == 1 else None,
        parts[0].duplicates,
    )


_FEW = 3


def is_counts(source: Any) -> bool:
    """Return whether `source` is the path of a file of counts."""
    return isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() == SUFFIX


def load_counts(*paths: str | os.PathLike[str]) -> Counted:
    """Return the counts of a file written by :meth:`Counted.save`, or of several added up.

    >>> load_counts("nothing.counts")
    Traceback (most recent call last):
    ...
    adjudge._base.errors.InputError: There is no file 'nothing.counts'.
    """
    if not paths:
        msg = "load_counts needs the path of at least one file of counts."
        raise InputError(msg)
    return together([_loaded(path) for path in paths])


def _loaded(path: str | os.PathLike[str]) -> Counted:
    if not Path(path).is_file():
        msg = f"There is no file {quoted(Path(path).name)}."
        raise InputError(msg)
    tally, about = load_tally(path)
    found = tuple(Finding(*(each[name] for name in ("code", "message", "advice", "value"))) for each in about["found"])
    roles = None if about["roles"] is None else _roles_read(about["roles"])
    own = {name: about[name] for name in ("name", "repeats", "threshold", "duplicates")}
    return Counted(tally, fingerprints=tuple(about["fingerprints"]), roles=roles, found=found, **own)


def _roles_told(roles: Roles) -> dict[str, Any]:
    """Return roles as JSON holds them; the evidence may quote cells, and stays behind."""
    named = {name: getattr(roles, name) for name in ("truth", "predicted", "scale", "row", "fold", "group", "weight", "numeric")}
    return named | {"scores": [[str(label), column] for label, column in roles.scores]}


def _roles_read(told: dict[str, Any]) -> Roles:
    return Roles(**{**told, "scores": tuple((label, column) for label, column in told["scores"])})
