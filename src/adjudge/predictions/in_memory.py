"""One set of predictions held in memory, or its numbers given out as blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from adjudge._base import InputError, argument, command, dataclass, field, quoted, replace, safe
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray, counts_cases
from adjudge.predictions.blocks import REJECTED, Block, Encoder
from adjudge.predictions.cells import added_up, amounts_of, numbers_of, view, whole_decimals
from adjudge.predictions.cluster_keys import cluster_keys
from adjudge.predictions.duplicates import without_duplicates
from adjudge.predictions.labels import LARGEST_EXACT, NOTHING, Gaps
from adjudge.predictions.model import Predictions, refuse_to_hold
from adjudge.predictions.roles import Scale
from adjudge.predictions.sources import HEAD

LARGEST = 1e150  # numbers beyond this have squares that sums of losses cannot hold
_NOTHING = f"^(?:{'|'.join(NOTHING)})$"
_FEW = 20  # so many different whole numbers may be classes


def are_numbers(predictions: Predictions) -> bool:
    """Return whether the target is measured rather than named: what the roles say, else what the first rows hold."""
    roles = predictions.roles
    if roles.predicted is None or roles.scores or predictions.reading.labels_as == "str":
        return False
    if roles.numeric is not None:
        return roles.numeric
    head = predictions.source.head(HEAD)
    types = [head[name].type for name in (roles.truth, roles.predicted)]
    if not all(kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind) for kind in types):
        return False
    truth, predicted = (numbers_of(head[name], name).astype(np.float64) for name in (roles.truth, roles.predicted))
    truth, predicted = (values[np.isfinite(values)] for values in (truth, predicted))
    fractions, decided = (bool(np.any(values != np.floor(values))) for values in (truth, predicted))
    return fractions or (decided and len(np.unique(truth)) > _FEW)


class NumberBlock(NamedTuple):
    """Some rows of a numeric predictor."""

    truth: FloatArray
    predicted: FloatArray
    weight: AnyArray | None  # whole numbers are how many cases each row stands for; None where each is one
    row: pa.Array | None
    cluster: IntArray | None = None  # the number of each row's cluster, where identities are asked for
    clusters: Mapping[int, Any] = {}  # their names


def number_blocks(predictions: Predictions, *, rows: bool = False, some: bool = False) -> Iterator[NumberBlock]:
    """Yield truth, prediction and weight of the rows that have both numbers, refusing what is not finite; identities if asked.

    That there is no such row is refused, unless these are `some` rows of many.
    """
    roles, n, judged, cases = predictions.roles, 0, 0, 0
    if roles.predicted is None:
        msg = "The losses of a numeric predictor need its predictions; name the column with "
        raise InputError(msg, argument("predicted"), ".")
    pair = [roles.truth, roles.predicted]
    named = [roles.row] if rows and roles.row is not None else []
    of_rows = roles.cluster if rows else None
    labels, numbers = (
        [*named, *([] if of_rows is None else [of_rows]), *([roles.count] if roles.count else [])],
        [*pair, *([roles.weight] if roles.weight else [])],
    )
    for batch in predictions.source.batches(labels, numbers):
        truth, predicted = (numbers_of(batch[name], name).astype(np.float64) for name in pair)
        weight = amounts_of(batch, roles, n)
        absent = None
        if weight is not None and counts_cases(weight):
            cases, absent = added_up(cases, weight), weight == 0  # rows that stand for no case, whatever they hold
            truth[absent] = predicted[absent] = 0.0
        keep = ~(_gone(truth, pair[0], n, predictions) | _gone(predicted, pair[1], n, predictions))
        keep &= True if absent is None else ~absent
        own, names = (None, {}) if of_rows is None else _clusters_of(batch[of_rows], of_rows, n, keep, predictions)
        n += keep.size
        judged += int(np.count_nonzero(keep))
        block = NumberBlock(truth, predicted, weight, batch[named[0]] if named else None, own, names)
        if keep.all():
            yield block
        elif keep.any():
            row = None if block.row is None else block.row.filter(pa.array(keep))
            weight, own = (None if each is None else each[keep] for each in (weight, own))
            yield NumberBlock(truth[keep], predicted[keep], weight, row, own, names)
    if not judged and not some:
        msg = f"{safe(predictions.source.name)}: no rows {f'left to evaluate of {n:,}' if n else 'to evaluate'}."
        raise InputError(msg)


def _gone(values: FloatArray, name: str, before: int, predictions: Predictions) -> BoolArray:
    """Return which rows lack a number, once it is known that they may and that all others are finite."""
    if np.abs(values).max(initial=0.0) <= LARGEST:  # which no NaN is
        return np.zeros(values.size, dtype=bool)
    endless = np.flatnonzero(np.abs(values) > LARGEST)
    if endless.size:
        at = int(endless[0])
        what = "not a finite number" if np.isinf(values[at]) else "too large: its square is no finite number. Use a larger unit"
        msg = f"column {quoted(name)}, row {before + at + 1:,}: {values[at]:g} is {what}."
        raise InputError(msg)
    gone: BoolArray = np.isnan(values)
    if gone.any() and predictions.reading.missing != "drop":
        gaps = Gaps()
        gaps.add(name, np.flatnonzero(gone), before)
        msg = f"column {quoted(name)} has {gaps.columns[name]}; pass "
        raise InputError(msg, argument("missing", "drop"), " to leave such rows out.")
    return gone


def _clusters_of(
    array: pa.Array, name: str, before: int, keep: BoolArray, predictions: Predictions
) -> tuple[IntArray, dict[int, Any]]:
    """Return the numbers of the clusters of some rows and their names; rows without one are not to `keep`, or refused."""
    keys, names, gone = cluster_keys(array, name)
    if (gone & keep).any() and predictions.reading.missing != "drop":
        gaps = Gaps()
        gaps.add(name, np.flatnonzero(gone & keep), before)
        msg = f"column {quoted(name)} has {gaps.columns[name]}; pass "
        raise InputError(msg, argument("missing", "drop"), " to leave such rows out.")
    keep &= ~gone
    return keys, names


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Rows that can be judged: true and decided class as places among `classes`, or numbers where there are none."""

    name: str
    classes: tuple[Any, ...]
    truth: AnyArray
    predicted: AnyArray  # REJECTED where there is no decision
    scores: AnyArray | None = None
    columns: tuple[int, ...] = ()  # the class that each column of the scores speaks of
    scale: Scale | None = None
    weight: FloatArray | None = None
    fold: IntArray | None = None
    folds: tuple[Any, ...] = ()  # the names of the folds by their number
    column: str | None = None  # the column of identities
    rows: pa.Array | None = None
    known: BoolArray | None = None
    positive: int | None = None
    rejects: bool = False
    dropped: int = 0  # rows left out while reading
    changed: int | None = None  # cases that a threshold decides otherwise than the file does; None where it replaces nothing
    cluster: IntArray | None = None  # the number of each row's cluster
    clusters: Mapping[int, Any] = field(default_factory=dict)  # their names, as far as they are kept


def _refuse_counts(predictions: Predictions) -> None:
    """Refuse rows that stand for several cases: which of them another set speaks of nobody knows."""
    if predictions.roles.count is not None:
        name, column = safe(predictions.source.name), quoted(predictions.roles.count)
        msg = f"{name}: a row stands for as many cases as column {column} says and names none of them, so that cases cannot be "
        count = command("adjudge count A B --paired -o FILE.counts", python="count_pairs(a, b)")
        raise InputError(msg, "paired. Pair them where the single cases lie, with ", count, ", and compare these counts.")


def hold(predictions: Predictions, *, scores: bool, ranking: bool = False) -> Held:
    """Read predictions of classes into memory, `scores` only where they are wanted; for their `ranking` none need decide."""
    _refuse_counts(predictions)
    refuse_to_hold(predictions, scores=scores)
    whole = Encoder(without_duplicates(predictions), ranking=ranking)
    encoder = whole
    if not scores and predictions.roles.predicted is not None and not whole.replaces:
        given = whole.predictions
        roles = replace(given.roles, scores=(), scale="probabilities")
        encoder = Encoder(Predictions.of(given.source, roles, given.reading, given.found))
    names = ("truth", "predicted", "scores", "weight", "fold")
    parts: dict[str, list[AnyArray]] = {name: [] for name in names}
    clusters: list[IntArray] = []
    identities: list[tuple[pa.Array, BoolArray]] = []
    for block in encoder.blocks():
        kind = _kind(max(len(encoder.labels.book), len(encoder.folds.book)))
        for name in names:
            values = getattr(block, name)
            if values is not None:
                parts[name].append(values.astype(kind) if values.dtype == np.int64 else values)
        if block.cluster is not None:
            clusters.append(block.cluster)
        if block.row is not None:
            identities.append(_answer_of(block, *identity_of(block.row, predictions)))
    whole_columns = {name: np.concatenate(held) if held else None for name, held in parts.items()}
    order = encoder.order
    codes = max(order, default=0) + 2
    rank = np.zeros(codes, dtype=_kind(codes))  # the place of each code among the classes as shown
    rank[np.asarray(order, dtype=np.int64)] = np.arange(len(order))
    rows, known = _joined(identities)
    scored = scores and encoder.scores.form != "none"
    return Held(
        predictions.source.name,
        encoder.classes,
        _ranked(whole_columns["truth"], rank),
        _ranked(whole_columns["predicted"], rank),
        whole_columns["scores"] if scored else None,
        tuple(int(rank[code]) for code in range(len(encoder.scores.classes))) if scored else (),
        encoder.scores.scale if scored else None,
        whole_columns["weight"],
        whole_columns["fold"],
        tuple(encoder.folds.book.labels),
        predictions.roles.row,
        rows,
        known,
        whole.positive(encoder.classes),
        predictions.reading.rejected is not None,
        encoder.dropped,
        encoder.changed if encoder.replaces else None,
        np.concatenate(clusters) if clusters else None,
        encoder.clusters,
    )


def _kind(classes: int) -> type[np.signedinteger[Any]]:
    """Return the smallest whole numbers that count so many classes: sets held side by side shall stay small."""
    return np.int8 if classes < 1 << 7 else np.int16 if classes < 1 << 15 else np.int32


def _ranked(codes: AnyArray | None, rank: AnyArray) -> AnyArray:
    """Return places for codes, and the codes themselves where they are their own places; REJECTED stays."""
    assert codes is not None  # every block has truths and decisions
    if np.all(rank[:-1] == np.arange(rank.size - 1)):
        return codes
    return np.where(codes < 0, REJECTED, rank[codes]) if codes.min() < 0 else np.asarray(rank[codes])


def identity_of(array: pa.Array, predictions: Predictions) -> tuple[pa.Array, BoolArray]:
    """Return some rows' identities as whole numbers where they are such, else as text, and which rows have one."""
    if kinds.is_nested(array.type):
        column = f"{safe(predictions.source.name)}: column {quoted(predictions.roles.row)}"
        msg = f"{column}: it holds several values a row, which identify no case; name another "
        raise InputError(msg, argument("row"), ".")
    array = array.dictionary_decode() if kinds.is_dictionary(array.type) else array
    array = whole_decimals(array)
    if kinds.is_floating(array.type):
        array = pc.if_else(pc.is_nan(array), None, array)
    if not kinds.is_integer(array.type):
        floats = array if kinds.is_floating(array.type) else None
        exact = floats is not None and pc.all(pc.less(pc.abs(floats), float(LARGEST_EXACT))).as_py() is not False
        if exact and pc.all(pc.equal(pc.floor(floats), floats)).as_py() is not False:
            array = pc.cast(floats, pa.int64()).cast(pa.large_string())  # 7.0 is '7'
        else:
            text = array.cast(pa.large_string())
            array = pc.if_else(pc.match_substring_regex(text, _NOTHING), None, text)
    known = np.ones(len(array), dtype=bool)
    if array.null_count:
        known = ~view(pc.is_null(array).cast(pa.uint8())).astype(bool)
    if kinds.is_integer(array.type):
        beyond = kinds.is_uint64(array.type) and pc.any(pc.greater(array, pa.scalar(2**63 - 1, pa.uint64()))).as_py()
        return array.cast(pa.large_string() if beyond else pa.int64()), known
    try:
        whole = array.cast(pa.int64())
    except pa.ArrowInvalid:
        return array, known
    alike = pc.all(pc.equal(whole.cast(pa.large_string()), array)).as_py() is not False  # '007' is not 7
    return (whole if alike else array), known


def _answer_of(block: Block, rows: pa.Array, known: BoolArray) -> tuple[pa.Array, BoolArray]:
    """Return the identities of answers: of cases that have several, with the run of each."""
    if block.run is None:
        return rows, known
    keys, places = np.unique(block.run, return_inverse=True)
    runs = pa.array([str(block.names[key]) for key in keys.tolist()], pa.large_string()).take(pa.array(places))
    return pc.binary_join_element_wise(rows.cast(pa.large_string()), runs, pa.scalar(" in run ", pa.large_string())), known


def _joined(parts: list[tuple[pa.Array, BoolArray]]) -> tuple[pa.Array | None, BoolArray | None]:
    """Return identities in one piece: whole numbers where all blocks are, else texts."""
    if not parts:
        return None, None
    whole = all(kinds.is_integer(rows.type) for rows, _ in parts)
    rows = [rows if whole else rows.cast(pa.large_string()) for rows, _ in parts]
    return pa.concat_arrays(rows), np.concatenate([known for _, known in parts])


def hold_numbers(predictions: Predictions) -> Held:
    """Read predictions of numbers into memory."""
    _refuse_counts(predictions)
    refuse_to_hold(predictions)
    parts: list[list[AnyArray]] = [[], [], []]
    identities: list[tuple[pa.Array, BoolArray]] = []
    clusters: list[IntArray] = []
    named: dict[int, Any] = {}
    for block in number_blocks(without_duplicates(predictions), rows=True):
        if block.cluster is not None:
            clusters.append(block.cluster)
            named |= block.clusters
        for held, values in zip(parts, (block.truth, block.predicted, block.weight), strict=True):
            if values is not None:
                held.append(values)
        if block.row is not None:
            identities.append(identity_of(block.row, predictions))
    truth, predicted, weight = (np.concatenate(held) if held else np.empty(0) for held in parts)
    rows, known = _joined(identities)
    weighed = weight if parts[2] else None
    own: dict[str, Any] = {"column": predictions.roles.row, "rows": rows, "known": known, "clusters": named}
    own["cluster"] = np.concatenate(clusters) if clusters else None
    return Held(predictions.source.name, (), truth, predicted, weight=weighed, **own)
