"""Predictions that were counted, of one classifier or of several on the same cases: no case, but sums that add up in files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudge._base import Finding, InputError, Shown, Wording, argument, counted, listed, plain, quoted, safe
from adjudge._base.records import dataclass, field, replace
from adjudge.counts import stored
from adjudge.counts.counting import tally
from adjudge.counts.joint import JointCounts, add_joint, count_patterns, once_each
from adjudge.counts.numbers import NumberCounts, add_numbers, count_numbers
from adjudge.counts.scores import as_tables
from adjudge.counts.stored_values import put_labels
from adjudge.counts.tally import Tally, all_classes, merged, same_positive
from adjudge.predictions.alignment import Together
from adjudge.predictions.in_memory import are_numbers
from adjudge.predictions.labels import text_of
from adjudge.predictions.model import Predictions
from adjudge.predictions.roles import Roles

_FEW = 3  # parts whose names are told
_FACTS = ("rows", "cases", "unshared", "positive", "by_position", "folded", "fingerprints")  # fields of pairs that JSON holds
_ROLES = ("truth", "predicted", "scale", "row", "fold", "group", "weight", "numeric")  # fields that JSON holds as they are


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Counts(Shown):
    """The counts of one or several sets of predictions of the same classes, or the sums of predictions of numbers.

    ``a + b`` is what counting both at once would give. :func:`adjudge.evaluate` evaluates it; ``save`` writes a small file that
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
    losses: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Of numbers, the estimate of each loss, where a verb made them: what their picture shows."""

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return self.tally.n if isinstance(self.tally, NumberCounts) else self.tally.rows

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes; none where numbers are predicted."""
        return () if isinstance(self.tally, NumberCounts) else tuple(self.tally.confusion.classes)

    def __add__(self, other: object) -> Counts:
        from adjudge.verbs.count import with_losses  # an upward import; see the import contract

        return with_losses(together([self, other])) if isinstance(other, Counts) else NotImplemented

    def __radd__(self, other: object) -> Counts:
        return self if other == 0 else NotImplemented  # so that sum(parts) works

    def save(self, path: str | os.PathLike[str], *, cluster_names: bool = False) -> Path:  # type: ignore[override]  # no title
        """Write the counts as a file, by custom one that ends in .counts.

        Cases are in it as sums only; of a cluster, the sums of its rows beside a number, and with `cluster_names` its name.
        """
        about = {name: plain(getattr(self, name)) for name in ("name", "fingerprints", "repeats")}
        about["found"] = [plain(finding) for finding in self.found]
        for told, finding in zip(about["found"], self.found, strict=True):  # with the parts of what names arguments
            texts = {"message": finding.message, "advice": finding.advice}
            told |= {f"{name}_parts": plain(text.to_list()) for name, text in texts.items() if isinstance(text, Wording)}
        about |= {"roles": None, "threshold": self.threshold, "duplicates": self.duplicates}
        if self.roles is not None:  # the evidence may quote cells, and stays behind
            scores = [[str(label), column] for label, column in self.roles.scores]
            about["roles"] = {name: getattr(self.roles, name) for name in _ROLES} | {"scores": scores}
            more = {name: getattr(self.roles, name) for name in ("count", "cluster")}
            about["roles"] |= {name: column for name, column in more.items() if column is not None}
        if isinstance(self.tally, NumberCounts):
            return stored.save_numbers(path, self.tally, about)
        return stored.save_tally(path, self.tally, about, cluster_names=cluster_names)

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
        held = f"Counts of {counted(self.rows, 'row')} of {self.name}"
        if isinstance(self.tally, NumberCounts):
            return f"{held}, numbers"
        held += f", classes {listed(self.classes)}"
        apart = {"fold": len(self.tally.by_fold), "group": len(self.tally.by_group)}
        parts = [counted(n, what) for what, n in apart.items() if n]
        return ", ".join([held, *parts, *([self.tally.scale] if self.tally.scale else [])])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairCounts(Shown):
    """How often each true class met each pattern of decisions of two or more classifiers.

    ``a + b`` is what counting both at once would give, as long as no case is in both. :func:`adjudge.compare` and
    :func:`adjudge.rank` compare it by any measure of decisions; ``save`` writes a small file.
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
        """The names of the classifiers."""
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

    def save(self, path: str | os.PathLike[str]) -> Path:  # type: ignore[override]  # data, which have no title
        """Write the counts as a file, by custom one that ends in .counts; no single case is in it."""
        own = self.patterns
        if own.clusters is not None:
            msg = "A file of counts of several classifiers holds no clusters, without which rows would count as independent. "
            msg += "Compare these counts as they are; or, if rows are independent, count them with "
            raise InputError(msg, argument("cluster", ""), ".")
        arrays = {"truth": own.truth, "predicted": own.predicted, "n": own.n} | (
            {} if own.squares is None else {"squares": own.squares}
        )
        facts = {name: plain(getattr(self, name)) for name in _FACTS}
        header = {"of": "pairs", "classes": put_labels(own.classes), "names": list(own.names), "rejects": own.rejects}
        return stored.write_counts(path, header | {"facts": facts}, arrays, {})

    def to_dict(self) -> dict[str, Any]:
        """Return what was counted as plain Python, ready for JSON."""
        told = {name: plain(getattr(self, name)) for name in ("names", "classes", *_FACTS)}
        own = self.patterns
        each = zip(own.truth.tolist(), own.predicted.tolist(), own.n.tolist(), strict=True)
        return told | {"patterns": [{"truth": truth, "predicted": predicted, "n": plain(n)} for truth, predicted, n in each]}

    def __repr__(self) -> str:
        told = f"Counts of {counted(self.cases, 'case')} predicted by {self.name}, classes {listed(self.classes)}"
        return f"{told}, {counted(self.patterns.n.size, 'pattern')} of truth and decisions"


def count_all(predictions: Predictions) -> Tally | NumberCounts:
    """Count predictions as what adds up: tables and sums of classes, scores as tables, or sums of numbers."""
    if are_numbers(predictions):
        return count_numbers(predictions)
    tallied = tally(predictions, ranking=True)
    return tallied if tallied.scores is None else replace(tallied, scores=as_tables(tallied.scores))


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


def joint_pairs(cases: Together, fingerprints: Sequence[str] = ()) -> PairCounts:
    """Count what several sets say of the same cases."""
    facts = {name: getattr(cases, name) for name in _FACTS if name != "fingerprints"}
    return PairCounts(count_patterns(cases), fingerprints=tuple(dict.fromkeys(fingerprints)), **facts)


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
        msg = f"One part compares {safe(first.name)}, another {safe(part.name)}; they add up only where they are of the same "
        raise InputError(msg, "classifiers. Call these alike with ", argument("names"), " when counting.")
    order = [part.names.index(name) for name in first.names]
    patterns = replace(part.patterns, names=first.names, predicted=part.patterns.predicted[:, order])
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
        if min(len(first.classes), len(other.classes)) > 1 and not set(first.classes) & set(other.classes):
            msg = f"One part has the classes {listed(first.classes)}, another {listed(other.classes)}, and none in common. "
            raise InputError(msg, "Count the same classes; or list them all with ", argument("classes"), " when counting.")


def is_counts(source: Any) -> bool:
    """Return whether `source` is the path of a file of counts."""
    return isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() == stored.SUFFIX


def load_counts(*paths: str | os.PathLike[str]) -> Counts | PairCounts:
    """Return the counts of files, added up."""
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
        msg = f"{quoted(pairs[0].name)} holds predictions of several classifiers, {quoted(single[0].name)} of one"
        raise InputError(msg, "; they do not add up. Give files of one kind.")
    return pairs_together(pairs) if pairs else together(single)


def _loaded(path: str | os.PathLike[str]) -> Counts | PairCounts:
    if not Path(path).is_file():
        msg = f"There is no file {quoted(Path(path).name)}."
        raise InputError(msg)
    with stored.unpacked(path) as (header, arrays):
        kind = header.get("of", "classes")
        if kind == "pairs":
            patterns, facts = stored.read_pairs(header, arrays)
            return PairCounts(patterns, **facts)
        readers: dict[str, Callable[..., Tally | NumberCounts]] = {"classes": stored.read_tally, "numbers": stored.read_numbers}
        return Counts(readers[kind](header, arrays), **stored.read_about(header["about"]))
