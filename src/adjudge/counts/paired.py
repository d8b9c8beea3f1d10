"""What several classifiers said of the same cases, counted: all that a comparison of decisions needs, and no case."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from adjudge._base.arguments import argument
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.show import Shown, plain
from adjudge._base.text import counted as number_of
from adjudge._base.text import listed, quoted, safe
from adjudge.counts.joint import JointCounts, add_joint, count_patterns, once_each
from adjudge.counts.stored import MOST, Arrays, amounts, flag, must, place, put_labels, read_labels, texts, whole, write_counts
from adjudge.counts.tally import all_classes, same_positive
from adjudge.predictions.alignment import Together
from adjudge.predictions.labels import text_of

_FACTS = ("rows", "cases", "unshared", "positive", "by_position", "folded", "fingerprints")
"""Fields that JSON holds as they are."""
_TWO = 2


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairCounts(Shown):
    """How often each true class met each pattern of decisions of two or more classifiers.

    ``a + b`` is what counting both at once would give, as long as no case is in both. :func:`adjudge.compare` and
    :func:`adjudge.rank` judge it by any measure of decisions; ``save`` writes a small file.
    """

    patterns: JointCounts
    """The patterns row by row; a case may have several rows, one in each of several folds."""
    rows: int
    cases: int
    """Different cases."""
    unshared: tuple[int, ...]
    """Rows of each set that some other set did not have."""
    positive: int | None = None
    by_position: bool = False
    folded: bool = False
    """Whether the answers of some set come from several folds."""
    fingerprints: tuple[str, ...] = ()
    """SHA-256 of each file that was counted, where there was one."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the classifiers are called."""
        return self.patterns.names

    @property
    def name(self) -> str:
        """What to call the whole."""
        return " and ".join(self.names)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes."""
        return self.patterns.classes

    @property
    def rejects(self) -> bool:
        """Whether there may be cases without a decision."""
        return self.patterns.rejects

    @property
    def joint(self) -> JointCounts:
        """The patterns, each case counted once."""
        return once_each(self.patterns, self.cases, self.rows)

    def __add__(self, other: object) -> PairCounts:
        return pairs_together([self, other]) if isinstance(other, PairCounts) else NotImplemented

    def __radd__(self, other: object) -> PairCounts:
        return self if other == 0 else NotImplemented  # so that sum(parts) works

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the counts as a file, by custom one that ends in .counts; no single case is in it."""
        own = self.patterns
        arrays = {"truth": own.truth, "said": own.said, "n": own.n} | ({} if own.squares is None else {"squares": own.squares})
        facts = {name: plain(getattr(self, name)) for name in _FACTS}
        header = {"of": "pairs", "classes": put_labels(own.classes), "names": list(own.names), "rejects": own.rejects}
        return write_counts(path, header | {"facts": facts}, arrays, {})

    def to_dict(self) -> dict[str, Any]:
        """Return what was counted as plain Python, ready for JSON."""
        told = {name: plain(getattr(self, name)) for name in ("names", "classes", *_FACTS)}
        own = self.patterns
        each = zip(own.truth.tolist(), own.said.tolist(), own.n.tolist(), strict=True)
        return told | {"patterns": [{"truth": truth, "said": said, "n": plain(n)} for truth, said, n in each]}

    def __repr__(self) -> str:
        told = f"Counts of {number_of(self.cases, 'case')} judged by {self.name}, classes {listed(self.classes)}"
        return f"{told}, {number_of(self.patterns.n.size, 'pattern')} of truth and decisions"


def joint_pairs(cases: Together, fingerprints: Sequence[str] = ()) -> PairCounts:
    """Count what several sets say of the same cases."""
    facts = {name: getattr(cases, name) for name in _FACTS if name != "fingerprints"}
    return PairCounts(count_patterns(cases), fingerprints=tuple(dict.fromkeys(fingerprints)), **facts)


# -- parts ---------------------------------------------------------------------------------------------------


def pairs_together(parts: Sequence[PairCounts]) -> PairCounts:
    """Return the counts of all parts, which hold different cases; refuse a file that is among them twice."""
    refuse_twice([(part.name, part.fingerprints) for part in parts])
    if len(parts) == 1:
        return parts[0]
    own = [_in_order(part, parts[0]) for part in parts]
    _refuse_mixtures(own)
    classes = all_classes([part.classes for part in own])
    return PairCounts(
        add_joint([part.patterns for part in own], classes),
        sum(part.rows for part in own),
        sum(part.cases for part in own),
        tuple(sum(each) for each in zip(*(part.unshared for part in own), strict=True)),
        same_positive([(part.classes, part.positive) for part in own], classes),
        any(part.by_position for part in own),
        any(part.folded for part in own),
        tuple(each for part in own for each in part.fingerprints),
    )


def refuse_twice(parts: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Refuse files that were counted in two parts, given the name of each part and the SHA-256 of its files."""
    seen: dict[str, str] = {}
    for name, prints in parts:
        for each in dict.fromkeys(prints):
            if each in seen:
                msg = f"The same predictions were counted in {quoted(seen[each])} and in {quoted(name)}; leave one out."
                raise InputError(msg)
            seen[each] = name


def _in_order(part: PairCounts, first: PairCounts) -> PairCounts:
    """Return a part with its classifiers in the order of the first part; refuse other classifiers."""
    if part.names == first.names:
        return part
    if sorted(part.names) != sorted(first.names):
        msg = (
            f"One part compares {safe(first.name)}, another {safe(part.name)}; they add up only where they are of the "
            "same classifiers. Call these alike with "
        )
        raise InputError(msg, argument("names"), " when counting.")
    order = [part.names.index(name) for name in first.names]
    patterns = replace(part.patterns, names=first.names, said=part.patterns.said[:, order])
    return replace(part, patterns=patterns, unshared=tuple(part.unshared[at] for at in order))


def _refuse_mixtures(parts: Sequence[PairCounts]) -> None:
    first, texts = parts[0], {text_of(label): label for label in parts[0].classes}
    for other in parts[1:]:
        if (other.patterns.squares is None) != (first.patterns.squares is None):
            msg = "Weighted and unweighted counts do not add up; weight all parts or none."
            raise InputError(msg)
        for label in other.classes:
            if texts.setdefault(text_of(label), label) != label:
                msg = f"The class {safe(label)} is text in one part and a number in another. Count all with "
                raise InputError(msg, argument("labels_as", "str"), ".")
        if min(len(first.classes), len(other.classes)) >= _TWO and not set(first.classes) & set(other.classes):
            msg = (
                f"One part has the classes {listed(first.classes)}, another {listed(other.classes)}, and none in common. "
                "Count the same classes; or list them all with "
            )
            raise InputError(msg, argument("classes"), " when counting.")


# -- a file --------------------------------------------------------------------------------------------------


def read_pairs(header: Mapping[str, Any], arrays: Arrays) -> PairCounts:
    """Return the pairs of a file; refuse patterns that cannot be."""
    classes, names = tuple(read_labels(header["classes"])), texts(header["names"], "a name")
    must(len(set(names)) == len(names) >= _TWO, "its sets have no names of their own")
    rejects, patterns = flag(header["rejects"], "whether cases are rejected"), _read_patterns(arrays, len(names))
    if max(patterns[0].max(), patterns[1].max() - rejects) >= len(classes):
        msg = "its patterns name classes that it does not have"
        raise ValueError(msg)
    told = header["facts"]
    rows, unshared = whole(told["rows"], "the number of rows", least=1), told["unshared"]
    cases = whole(told["cases"], "the number of cases", least=1)
    must(isinstance(unshared, list) and len(unshared) == len(names) and cases <= rows, "its header contradicts itself")
    facts: dict[str, Any] = {
        "rows": rows,
        "cases": cases,
        "unshared": tuple(whole(each, "the number of rows without a partner") for each in unshared),
        "positive": place(told["positive"], len(classes), "the class looked for"),
        "by_position": flag(told["by_position"], "whether cases are paired by position"),
        "folded": flag(told["folded"], "whether there are folds"),
        "fingerprints": texts(told["fingerprints"], "a fingerprint"),
    }
    _, _, n, squares = patterns
    must(squares is not None or int(n.sum()) == facts["rows"], "its patterns are not as many as its rows")
    return PairCounts(JointCounts(classes, names, *patterns, rejects), **facts)


def _read_patterns(arrays: Arrays, m: int) -> tuple[IntArray, IntArray, AnyArray, FloatArray | None]:
    """Return truths, decisions, how often each pattern occurs, and its squared weights where it is weighted."""
    truth, said, squares = arrays["truth"], arrays["said"], arrays.get("squares")
    must(truth.ndim == 1 and truth.size > 0 and truth.dtype.kind == said.dtype.kind == "i", "its patterns have the wrong shape")
    truth, said = amounts(truth, truth.shape, "its patterns"), amounts(said, (truth.size, m), "its patterns")
    n = amounts(arrays["n"], truth.shape, "how often patterns occur")
    must(bool(np.all(n > 0)) and float(n.sum()) < MOST, "its patterns do not occur, or too often")
    must(n.dtype.kind == ("i" if squares is None else "f"), "its patterns are weighted without weights")
    if squares is None:
        return truth, said, n, None
    squares = amounts(squares, n.shape, "a table of squared weights")
    must(squares.sum() > 0, "its squared weights are none")
    return truth, said, n, squares.astype(np.float64)
