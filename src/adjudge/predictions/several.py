"""Several models in the columns of one source: which columns are whose, and a set of predictions for each, paired by row."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from adjudge._base import DoubtfulRolesError, InputError, argument, dataclass, parameter, quoted, replace, safe
from adjudge._base.errors import SeveralModelsError
from adjudge.predictions.cells import column_of
from adjudge.predictions.columns import Column
from adjudge.predictions.engines import LazySource
from adjudge.predictions.finding.given import exists
from adjudge.predictions.model import Predictions, Reading
from adjudge.predictions.names import SILENT, strength, words
from adjudge.predictions.read import open_source, read, read_source
from adjudge.predictions.sources import HEAD, DerivedSource, Source, base_of

ROW = "row number"
"""What identifies a case where no column does: its place in the source, from 1."""
_COLUMNS = ("truth", "predicted", "row", "fold", "group", "weight", "count", "cluster", "run")
_BESIDE = ("scores", "scores_are", "split", "engine")


@dataclass(frozen=True)
class Without(DerivedSource):
    """A source without some columns, those of other models."""

    hidden: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        DerivedSource.__post_init__(self)
        object.__setattr__(self, "names", tuple(name for name in self.source.names if name not in self.hidden))

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows of the other columns."""
        return {name: array for name, array in self.source.head(rows).items() if name not in self.hidden}

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield columns in blocks."""
        return self.source.batches(labels, numbers)


@dataclass(frozen=True)
class Numbered(DerivedSource):
    """A source with a column of row numbers, from 1."""

    column: str = ROW

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows, numbered."""
        first = self.source.head(rows)
        return first | {self.column: pa.array(range(1, len(next(iter(first.values()))) + 1), pa.int64())}

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield columns in blocks, with the numbers of the rows where they are asked for."""
        if self.column not in labels:
            yield from self.source.batches(labels, numbers)
            return
        start = 1
        for batch in self.source.batches([name for name in labels if name != self.column], numbers):
            stop = start + len(next(iter(batch.values())))
            yield batch | {self.column: pa.array(range(start, stop), pa.int64())}
            start = stop


def models_in(source: Any, roles: Mapping[str, Any], *, search: bool = False) -> dict[str, Predictions] | None:
    """Return the predictions of each model by the name of its column, of decisions or else of scores; None of a single model.

    `roles` name several columns for `predicted` or, in a `search`, for `scores`; there columns are found where none is named.
    """
    if isinstance(source, Predictions):
        return None
    told = {name: value for name, value in roles.items() if value is not None}
    names = open_source(source, told.get("engine")).names
    predicted, scores = (_listed(told.get(role), names) for role in ("predicted", "scores"))
    scores = scores if search or predicted else []
    if search and not predicted and not scores and not {"predicted", "scores"} & told.keys():
        predicted, scores = _found(source, roles)
    if not predicted and not scores:
        return None
    _check(predicted, scores, names)
    return _read_each(open_source(source, told.get("engine")), told, predicted, scores)


def _found(source: Any, roles: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the columns of decisions, or else of scores, that several models have by their names and values; none of one model.

    Of score columns beside decisions, those of the decisions go before; which of them are whose is told by their names.
    """
    found = _tried(source, roles)
    if isinstance(found, SeveralModelsError) and found.role == "scores":
        beside = _tried(source, {**roles, "scores": ""})
        if isinstance(beside, SeveralModelsError) and beside.columns:
            return list(beside.columns), []
        if found.columns and isinstance(beside, DoubtfulRolesError):  # nothing beside the scores decides
            return [], list(found.columns)
        raise found
    if isinstance(found, SeveralModelsError) and found.columns:
        return list(found.columns), []
    if isinstance(found, DoubtfulRolesError):
        raise found
    return [], []


def _tried(source: Any, roles: Mapping[str, Any]) -> Predictions | DoubtfulRolesError:
    """Return the predictions of one model, or why its columns are in doubt."""
    try:
        return read(source, **roles)
    except DoubtfulRolesError as error:
        return error


def _listed(value: Any, names: Collection[str]) -> list[str]:
    """Return several columns, or templates of columns, that a list or a text with commas names; none where it names one."""
    if isinstance(value, (list, tuple)):
        return list(value)
    several = isinstance(value, str) and value not in names and "," in value and "=" not in value
    return [part.strip() for part in value.split(",")] if several else []


def _check(predicted: Sequence[str], scores: Sequence[str], names: Sequence[str]) -> None:
    for role, columns in (("predicted", predicted), ("scores", scores)):
        for column in columns:
            if role == "predicted" or "*" not in str(column):
                exists(column, role, names)
        if len(set(columns)) < len(columns):
            raise InputError(parameter(role), f" names a column twice: {quoted(max(columns, key=list(columns).count))}.")
        if len(columns) == 1:
            raise InputError(parameter(role), f" names one model, {quoted(columns[0])}; two or more are compared.")
    if predicted and scores and len(predicted) != len(scores):
        msg = f"{len(predicted)} columns of decisions and {len(scores)} of scores: name the scores of every model, in the same "
        raise InputError(msg, "order, or leave ", argument("scores"), " out.")


def _read_each(opened: Source, told: dict[str, Any], predicted: Sequence[str], scores: Sequence[str]) -> dict[str, Predictions]:
    """Return each model's predictions, found without looking at the columns of the others."""
    how: dict[str, Any] = {name: tuple(value) if name == "classes" else value for name, value in told.items()}
    reading = Reading(**{name: value for name, value in how.items() if name not in (*_COLUMNS, *_BESIDE)})
    named = {name: told[name] for name in _COLUMNS if name in told and name != "predicted"}
    beside = {name: told[name] for name in ("scores_are", "split") if name in told}
    head = [column_of(name, array) for name, array in opened.head(HEAD).items()]
    whose = _score_columns(head, predicted, named) if not scores and "scores" not in told else {}
    models: dict[str, Predictions] = {}
    for at, model in enumerate(predicted or scores):
        own = {model, *([scores[at]] if scores else []), *whose.get(model, ())}
        others = {*predicted, *scores, *(name for columns in whose.values() for name in columns)} - own
        asked = scores[at] if scores else whose.get(model, "")
        if predicted and "scores" in told and not scores:  # the same for all, such as none at all
            asked = told["scores"]
        asked = asked[0] if isinstance(asked, list) and len(asked) == 1 else asked
        roles = named | ({"predicted": model} if predicted else {"predicted": told.get("predicted", "")})
        try:
            models[model] = read_source(Without(opened, frozenset(others)), reading, roles, scores=asked, **beside)
        except DoubtfulRolesError as error:
            told_of = f"For the model in {quoted(model)}: "
            raise DoubtfulRolesError(told_of, error.wording) from error
    return models


def _score_columns(head: Sequence[Column], predicted: Sequence[str], named: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the probabilities that belong to each model by their names, `p_old` to `pred_old`; nothing unless all have such."""
    every = [words(name) for name in predicted]
    tags = {name: own - frozenset.intersection(*every) for name, own in zip(predicted, every, strict=True)}
    whose: dict[str, list[str]] = {name: [] for name in predicted}
    taken = {*predicted, *named.values()}
    for column in head:
        if column.name not in taken and column.numeric and column.unit and strength("score", column.name) > SILENT:
            owners = [name for name, tag in tags.items() if tag and tag <= words(column.name)]
            for owner in owners if len(owners) == 1 else ():
                whose[owner].append(column.name)
    return whose if len({len(columns) for columns in whose.values()}) == 1 and all(whose.values()) else {}


def numbered(predictions: Predictions) -> Predictions:
    """Return predictions whose rows are identified: by their column, or else by their place in the source."""
    if predictions.roles.row is not None:
        return predictions
    source = predictions.source
    if isinstance(base := base_of(source), LazySource) and not base.ordered:
        msg = f"{safe(source.name)}: rows of this engine have no order, and no column identifies a case. Name one with "
        raise InputError(msg, argument("row"), ".")
    column = ROW
    while column in source.names:
        column += "'"
    roles = replace(predictions.roles, row=column)
    return Predictions.of(Numbered(source, column), roles, predictions.reading, predictions.found, predictions.training)
