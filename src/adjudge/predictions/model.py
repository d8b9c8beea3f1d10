"""Predictions: a source of rows, the roles of its columns, and how to read and follow them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pyarrow as pa

from adjudge._base import Finding, InputError, argument, as_html, dataclass, either, parameter, quoted, replace, safe, wording
from adjudge._base.arrays import most_memory
from adjudge._base.progress import PATIENCE, Bar, someone_watches
from adjudge.predictions.cells import is_vector, numbers_of, vectors_of
from adjudge.predictions.engines import LazySource
from adjudge.predictions.file_sources import CsvSource
from adjudge.predictions.native import arrow_of, check_aligned, held, named_columns
from adjudge.predictions.parquet_source import ParquetSource
from adjudge.predictions.roles import Roles, Scale
from adjudge.predictions.sources import HEAD, ColumnsSource, DerivedSource, Source, base_of
from adjudge.predictions.spellings import checked_relabel

MOST_HELD = 1 << 27  # values (cases x columns) of a cluster's rows that are fetched to be held at once: a gigabyte of numbers
_WORD = 8  # bytes of a number
DRAW = "Draw some of the rows at random, and pass these."
Missing: TypeAlias = Literal["error", "drop", "class"]
MissingScores: TypeAlias = Literal["error", "drop", "worst"]
Duplicates: TypeAlias = Literal["error", "first", "mean"]


@dataclass(frozen=True, slots=True)
class Reading:
    """How rows are to be read; every field is a choice of the user's."""

    classes: tuple[Any, ...] | None = None
    positive: Any = None
    rejected: Any = None
    threshold: Any = None
    missing: Missing = "error"
    missing_scores: MissingScores = "error"
    duplicates: Duplicates = "error"
    labels_as: Literal["str"] | None = None
    n_jobs: int | None = None  # processes that count a large file; as many as there are cores, unless given
    relabel: Any = ()  # pairs of a label's text and the label it means; given as a mapping or as "Yes=1,No=0"

    def __post_init__(self) -> None:
        object.__setattr__(self, "relabel", checked_relabel(self.relabel))
        for name, choices in (("missing", Missing), ("missing_scores", MissingScores), ("duplicates", Duplicates)):
            _one_of(name, getattr(self, name), get_args(choices))
        _one_of("labels_as", self.labels_as, (None, "str"))
        if self.n_jobs is not None and (type(self.n_jobs) is not int or not self.n_jobs):
            told = f" must be a whole number of processes, or -1 for as many as there are cores; got {self.n_jobs!r}."
            raise InputError(parameter("n_jobs"), told)
        if self.threshold is not None and not (isinstance(self.threshold, (int, float)) and math.isfinite(self.threshold)):
            raise InputError(parameter("threshold"), f" must be a finite number, got {self.threshold!r}.")


def _one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        raise InputError(parameter(name), f" must be one of {', '.join(repr(v) for v in allowed)}, got {value!r}.")


def refuse_beside_count(named: Collection[str]) -> None:
    """Refuse the roles that cannot stand beside a count: identities of single cases, and weights."""
    for role, why in (("row", "names no single one"), ("weight", "has no weight of its own"), ("run", "is no single answer")):
        if "count" in named and role in named:
            told = f" do not go together: a row that stands for several cases {why}. Leave one of them out."
            raise InputError(either([argument("count"), argument(role)], " and "), told)


def case_of_runs(named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the column that identifies the cases of runs, where nothing but the cluster does; refuse runs of nothing."""
    if named.get("run") is None or named.get("row") is not None:
        return {}
    if named.get("cluster") is None:
        told = " tells the answers to one case from each other; name what identifies the case with "
        raise InputError(argument("run", named["run"]), told, argument("row"), ".")
    return {"row": named["cluster"]}


def of_replaced(column: str, threshold: float | None, changed: int, cases: int) -> Finding:
    """Return that a threshold decided in place of the decisions in a column, and how many cases it decides otherwise."""
    which = ("a threshold",) if threshold is None else (argument("threshold", threshold),)
    told = wording(f"The decisions in column {quoted(column)} were replaced by ", *which, f": {changed:,} of {cases:,} changed.")
    return Finding("A116", told, wording("Leave ", argument("threshold"), " out to evaluate the decisions in the file."), changed)


def check_scale(scores_are: Any) -> None:
    """Refuse what scores cannot be."""
    _one_of("scores_are", scores_are, (None, *get_args(Scale)))


class Predictions:
    """Truth, predicted class and scores of the same cases.

    Parameters
    ----------
    truth, predicted : array-like
        One label per case; or numbers, for a numeric predictor. Without `predicted` the class of the
        highest score is taken as the decision.
    scores : array-like or mapping, optional
        Probabilities, votes or scores: a mapping {class: column}; an array cases x classes together
        with `classes`; or one value per case for the positive class.
    classes : sequence, optional
        The classes in the order to show them, and of the columns of an array of scores.
    positive, rejected : label, optional
        The class looked for; the value in `predicted` that means "no decision".
    row, fold, group, weight, cluster : array-like, optional
        Identity, fold, group and weight of each case, and what it belongs to, such as its patient.
    run : array-like, optional
        Which run, seed or annotator gave the answer, where each case (`row`) has several.
    count : array-like, optional
        How many cases each row stands for, where equal ones were put together: whole numbers, which are no weights.
    scores_are : str, optional
        What `scores` hold, when it is not probabilities: percentages, votes, logits, confidence, scores.
    threshold, missing, missing_scores, duplicates, labels_as, relabel
        As for :func:`adjudge.read`.
    """

    __slots__ = ("found", "reading", "roles", "source", "training")

    source: Source
    roles: Roles
    reading: Reading
    found: tuple[Finding, ...]
    training: Predictions | None
    """The same of the training rows, where a column tells them from the rows that are tested."""

    def __init__(
        self,
        truth: Any,
        predicted: Any = None,
        scores: Any = None,
        *,
        classes: Any = None,
        positive: Any = None,
        rejected: Any = None,
        row: Any = None,
        fold: Any = None,
        group: Any = None,
        weight: Any = None,
        count: Any = None,
        cluster: Any = None,
        run: Any = None,
        scores_are: Scale | None = None,
        threshold: float | None = None,
        missing: Missing = "error",
        missing_scores: MissingScores = "error",
        duplicates: Duplicates = "error",
        labels_as: Literal["str"] | None = None,
        relabel: Any = None,
    ) -> None:
        check_scale(scores_are)
        sides = {"row": row, "fold": fold, "group": group, "weight": weight, "count": count, "cluster": cluster, "run": run}
        columns = {"truth": truth, "predicted": predicted, **sides}
        by_class = {f"score of {label}": v for label, v in scores.items()} if isinstance(scores, Mapping) else {}
        check_aligned({**columns, "scores": scores, **by_class})
        columns = {name: held(values) for name, values in columns.items() if values is not None}
        named = _named_scores(scores, classes, columns)
        if predicted is None and not named:
            msg = "Predictions need a decision or scores for each case; give "
            raise InputError(msg, argument("predicted"), " or ", argument("scores"), ".")
        has: dict[str, Any] = {name: name for name in ("predicted", *sides) if name in columns}
        refuse_beside_count(has)
        has |= case_of_runs(has)
        roles = Roles("truth", scores=named, scale=scores_are or "probabilities", **has)
        if scores_are is None and len(named) == 1 and _width(columns[named[0][1]]) is None:
            numbers = numbers_of(arrow_of("scores", columns[named[0][1]]), "scores")
            if np.any((numbers < 0) | (numbers > 1)):  # one column that leaves [0, 1] only ranks
                roles = replace(roles, scale="scores")
        order = None if classes is None else tuple(classes)
        options = Reading(order, positive, rejected, threshold, missing, missing_scores, duplicates, labels_as, relabel=relabel)
        self._set(ColumnsSource("arrays", columns), roles, options, (), None)

    @classmethod
    def of(
        cls, source: Source, roles: Roles, reading: Reading, found: tuple[Finding, ...] = (), training: Predictions | None = None
    ) -> Predictions:
        """Return predictions for a source whose roles are known."""
        made = cls.__new__(cls)
        made._set(source, roles, reading, found, training)  # noqa: SLF001 - of its own kind
        return made

    def _set(self, *values: Any) -> None:
        for name, value in zip(("source", "roles", "reading", "found", "training"), values, strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        msg = f"Predictions do not change; make new ones with another {name}."
        raise AttributeError(msg)

    def __reduce__(self) -> tuple[Any, ...]:
        return Predictions.of, (self.source, self.roles, self.reading, self.found, self.training)

    def __repr__(self) -> str:
        return f"Predictions from {safe(self.source.name)}\n{self.roles}".rstrip()

    def _repr_html_(self) -> str:
        """Return what a notebook shows: where they come from, and the part each column plays."""
        return as_html(self)


def _named_scores(scores: Any, classes: Any, columns: dict[str, Any]) -> tuple[tuple[Any, str], ...]:
    """Put scores among the columns and return (class, column) pairs."""
    if scores is None:
        return ()
    scores = named_columns(scores) or scores
    if hasattr(scores, "items") and not hasattr(scores, "shape"):
        named = tuple((label, f"score of {label}") for label in scores)
        columns.update({name: held(scores[label]) for label, name in named})
        return named
    if not hasattr(scores, "__len__"):
        msg = f" must be one number per case, cases x classes, or a mapping; got {type(scores).__name__}."
        raise InputError(parameter("scores"), msg)
    width = _width(scores)
    if width is not None and classes is None:
        msg = f" have {width} columns without names; adjudge never matches them by position. Pass "
        ways = argument("classes", python="classes=[...]"), argument("scores", python="scores={class: values}")
        raise InputError(parameter("scores"), msg, either(ways, " in the order of the columns, or "), ".", parameter="scores")
    if width is not None and width != len(classes):
        msg = f" have {width} columns, but {len(classes)} classes are listed; list one class per column."
        raise InputError(parameter("scores"), msg)
    columns["scores"] = held(scores)
    return ((None, "scores"),)


def _width(scores: Any) -> int | None:
    shape = getattr(scores, "shape", None)
    if shape is not None:
        return int(shape[1]) if len(shape) > 1 else None
    first = scores[0] if len(scores) else 0
    return len(first) if hasattr(first, "__len__") else None


@dataclass(frozen=True)
class WatchedSource(DerivedSource):
    """A source that says how many rows it has given out, from 0 on in every pass."""

    told: Callable[..., None]

    def over(self, source: Source) -> Source:
        """Return the other itself: who watches stays here."""
        return source

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks, and tell of each."""
        done = 0
        self.told(done)
        for batch in self.source.batches(labels, numbers):
            yield batch
            done += len(next(iter(batch.values())))
            self.told(done)


def watched(predictions: Predictions, told: Callable[..., None]) -> Predictions:
    """Return the same predictions; whenever rows of them are read, `told` hears how many were, in this pass over them."""
    given = predictions
    return Predictions.of(WatchedSource(given.source, told), given.roles, given.reading, given.found, given.training)


def unwatched(source: Source) -> Source:
    """Return the source itself, whoever watches it."""
    return source.source if isinstance(source, WatchedSource) else source


def telling(source: Source) -> Callable[[int], None]:
    """Return what tells whoever watches a source that so many more rows are done, from 0 on."""
    told: Callable[..., None] = source.told if isinstance(source, WatchedSource) else lambda _: None
    done = 0
    told(done)

    def more(rows: int) -> None:
        nonlocal done
        done += rows
        told(done)

    return more


@contextmanager
def following(what: str, *, progress: bool) -> Iterator[Callable[[Any], Any]]:
    """Yield what returns predictions, or a source, whose rows a bar counts under its name while they are read.

    Where nobody asked for that or nobody watches, it returns them as they are.
    """
    if not (progress and someone_watches()):
        yield lambda rows: rows
        return

    def follow(rows: Any) -> Any:
        if isinstance(rows, Predictions):
            training = None if rows.training is None else follow(rows.training)
            return Predictions.of(follow(rows.source), rows.roles, rows.reading, rows.found, training)
        name = f"{what} {safe(rows.name, 28)}"
        total: int | None = None

        def told(done: int, note: str = "") -> None:
            nonlocal total
            if not done and not note:
                total = rows_about(rows) if total is None else total
                bar.begin(name, total)
            bar.at(done, note=note)

        return WatchedSource(rows, told)

    with Bar(what, unit="rows", after=PATIENCE) as bar:
        yield follow


def rows_about(source: Source) -> int | None:
    """Return about how many rows a source has, where that can be told without reading it."""
    about = getattr(source, "about", None)
    return None if about is None else about()


def refuse_to_hold(predictions: Predictions, *, scores: bool = True) -> None:
    """Refuse to fetch more of a cluster's rows than can be held at once; before any is fetched they are counted there."""
    base, roles = base_of(predictions.source), predictions.roles
    if not isinstance(base, LazySource) or not base.spread:
        return
    scored = [name for _, name in roles.scores]
    width = len(set(roles.columns) - set(scored))
    if scores or roles.predicted is None or predictions.reading.threshold is not None:
        head = predictions.source.head(HEAD)
        width += sum(vectors_of(head[name], name).shape[1] if is_vector(head[name]) else 1 for name in scored)
    if base.rows * width > MOST_HELD:
        msg = f"{safe(base.name)}: this needs all cases at once: {width} values of each of {base.rows:,} rows would be fetched "
        msg += f"from the cluster, and at most {MOST_HELD // width:,} rows of so many values are. Draw some of the rows "
        msg += "there and pass these, or write the columns to Parquet and pass its path."
        raise InputError(msg)


def refuse_beyond_memory(
    *many: Predictions, instead: str, scores: bool = True, label: int = 8, beside: Collection[str] = ("row", "cluster", "weight")
) -> None:
    """Refuse sets whose cases surely do not fit in memory together, with what to do `instead`, before rows of them are read.

    Of each case at least truth and decision are held, in bytes of a `label` each, and eight bytes of every role `beside` them.
    """
    there = most_memory()
    if there is None:
        return
    rows = needed = held = 0
    for each in many:
        n = _rows_surely(each)
        width = sum(getattr(each.roles, role) is not None for role in beside)
        own = n * (2 * label + _WORD * width + (_bytes_of_scores(each) if scores and n else 0))
        decoded = isinstance(base_of(each.source), ParquetSource)  # blocks of arrays may be views of them
        needed = max(needed, held + own * (1 + decoded))  # its blocks, and the whole that is made of them
        held += own
        rows += n
    if needed > there:
        whose = safe(many[0].source.name) if len(many) == 1 else f"These {len(many)} sets"
        msg = f"{whose}: all cases are needed at once, and {rows:,} rows take at least {needed / 1e6:,.0f} MB of memory; "
        msg += f"there are at most {there / 1e6:,.0f} MB. "
        raise InputError(msg, instead)


def _rows_surely(predictions: Predictions) -> int:
    """Return how many cases are at least held; 0 where that is not known before they are read, as of text."""
    reading, source = predictions.reading, predictions.source
    fewer = "drop" in (reading.missing, reading.missing_scores) or reading.duplicates != "error"
    if fewer or predictions.roles.count is not None:
        return 0
    while isinstance(source, DerivedSource) and not hasattr(source, "about"):
        source = source.source
    return 0 if isinstance(base_of(source), CsvSource) else rows_about(source) or 0


def _bytes_of_scores(predictions: Predictions) -> int:
    """Return in how many bytes the scores of a case are at least held."""
    roles, classes = predictions.roles, predictions.reading.classes
    if not roles.scores or roles.scale == "confidence":  # which many classes leave out
        return 0
    head = predictions.source.head(HEAD)
    sizes = sorted(_WORD if head[name].type == pa.float64() else _WORD // 2 for _, name in roles.scores)
    if len(sizes) == 1 and is_vector(first := head[roles.scores[0][1]]):
        return int(vectors_of(first, roles.scores[0][1]).shape[1]) * sizes[0]
    return sum(sizes[: len(sizes) if classes is None else len(classes)])  # those of other classes are left
