"""What several classifiers said of the same cases, counted where all their rows live: one join, one small table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, safe
from adjudge.counts.joint import JointCounts, add_joint
from adjudge.counts.paired import PairCounts
from adjudge.counts.reduced import Reduced, reduces
from adjudge.counts.scores import placed
from adjudge.predictions.alignment import meeting
from adjudge.predictions.blocks import REJECTED
from adjudge.predictions.engines import arrays, collect, told
from adjudge.predictions.expressions import any_of, as_name, missing
from adjudge.predictions.in_memory import Held, are_numbers
from adjudge.predictions.model import Predictions
from adjudge.predictions.streams import joined


def reduces_all(many: Sequence[Predictions]) -> bool:
    """Return whether sets are to be joined where they live: where any of them is too large to be fetched."""
    return any(reduces(each) for each in many) and not any(are_numbers(each) for each in many)


def reduced_pairs(many: Sequence[Predictions], names: Sequence[str]) -> PairCounts:
    """Count what several sets say of the cases that all of them have; every set lives in the same engine."""
    _check(many, names)
    sets = [Reduced(each) for each in many]
    by_fold = _told_apart_by_folds(sets)
    frame = _joined(sets, names, ["row", "fold"] if by_fold else ["row"])
    table = collect(_patterns(frame, len(sets)))
    found = arrays(table.select(["n", "weight", "squares", "off"]))
    if not table.num_rows:
        msg = f"{safe(names[0])} and {safe(names[1])} have no case in common: no identity occurs in all of them."
        raise InputError(msg)
    if found["off"].any():
        msg = f"{safe(names[0])} and another set give the same cases different weights; weigh each case once."
        raise InputError(msg)
    n = found["n"].astype(np.int64)
    classes, positive, held = meeting([_held(each, table, i) for i, each in enumerate(sets)], names)
    _check_truths(held, names, n)
    rejects, rows = any(each.rejects for each in held), int(n.sum())
    said = np.column_stack([np.where(each.predicted == REJECTED, len(classes), each.predicted) for each in held])
    weighted = any(each.roles.weight is not None for each in sets)
    counts, squares = (found["weight"], found["squares"]) if weighted else (n, None)
    joint = JointCounts(classes, tuple(names), held[0].truth.astype(np.int64), said.astype(np.int64), counts, squares, rejects)
    return PairCounts(
        add_joint([joint], classes),
        rows,
        _cases(frame) if by_fold else rows,
        tuple(each.encoder.n - each.encoder.dropped - rows for each in sets),
        positive,
        folded=any(len(each.encoder.folds.book) > 1 for each in sets),
    )


def _check(many: Sequence[Predictions], names: Sequence[str]) -> None:
    for each, name in zip(many, names, strict=True):
        if not hasattr(each.source, "frame"):
            msg = f"{safe(name)} is no frame of an engine as another set is; put all of them where the largest lives."
            raise InputError(msg)
        if each.roles.row is None:
            msg = wording(
                f"{safe(name)}: no column identifies its cases, so that no other set has them. Name it with ",
                argument("row"),
                ".",
            )
            raise InputError(msg)


def _told_apart_by_folds(sets: Sequence[Reduced]) -> bool:
    """Return whether cases come back in folds that all sets have; refuse sets that name a case again otherwise."""
    assert all(each.occurring is not None for each in sets)
    folded = all(each.roles.fold is not None for each in sets)
    if folded and any(each.named_again(by_fold=False) for each in sets):
        for each in sets:
            each.check_identities()
        return True
    for each in sets:
        each.check_identities(by_fold=False)
    return False


def _joined(sets: Sequence[Reduced], names: Sequence[str], keys: list[str]) -> nw.LazyFrame[Any]:
    """Return the rows that all sets have: their labels `t0`, `t1`, ..., decisions `d0`, `d1`, ..., and weights."""
    kinds = {each.source.kind_of(str(each.roles.row)) for each in sets}
    frames = [_side(each, i, keys, as_text=len(kinds) > 1) for i, each in enumerate(sets)]
    frame = frames[0]
    try:
        for other in frames[1:]:
            frame = frame.join(other, on=keys, how="inner")
    except Exception as error:  # every engine has its own
        msg = (
            f"{safe(names[0])} and the others cannot be joined ({told(error)}). "
            "Put all of them into the same engine, and in DuckDB into the same connection."
        )
        raise InputError(msg) from error
    return frame


def _side(each: Reduced, i: int, keys: list[str], *, as_text: bool) -> nw.LazyFrame[Any]:
    label = "label" if each.width else "truth"
    decision = "decided" if each.roles.predicted is None else "predicted"
    kind = each.source.kind_of(str(each.roles.row))
    known = each.frame.filter(~missing("row", kind))
    row = as_name("row", kind) if as_text else nw.col("row")
    fold = [as_name("fold", each.source.kind_of(str(each.roles.fold)))] if "fold" in keys else []
    weighs = nw.col("weight") if each.roles.weight is not None else nw.lit(float("nan"))
    return known.select(row, *fold, nw.col(label).alias(f"t{i}"), nw.col(decision).alias(f"d{i}"), weighs.alias(f"w{i}"))


def _patterns(frame: nw.LazyFrame[Any], m: int) -> nw.LazyFrame[Any]:
    """Count each combination of labels and decisions; `off` counts cases that sets weigh differently."""
    known = [~nw.col(f"w{i}").is_nan() for i in range(m)]
    weight: Any = nw.lit(1.0)
    for i in reversed(range(m)):
        weight = nw.when(known[i]).then(nw.col(f"w{i}")).otherwise(weight)
    frame = frame.with_columns(weight.alias("weight"))
    differ = any_of([known[i] & (nw.col(f"w{i}") != nw.col("weight")) for i in range(m)])
    frame = frame.with_columns((nw.col("weight") * nw.col("weight")).alias("squares"), differ.cast(nw.Float64).alias("off"))
    keys = [f"{kind}{i}" for i in range(m) for kind in "td"]
    return frame.group_by(*keys).agg(nw.len().alias("n"), nw.col("weight", "squares", "off").sum())


def _held(each: Reduced, table: pa.Table, i: int) -> Held:
    """Return the patterns as one set sees them: places among its own classes."""
    encoder, roles = each.encoder, each.roles
    truth, decided = joined(table.column(f"t{i}")), joined(table.column(f"d{i}"))
    batch = {roles.truth: truth} | ({} if roles.predicted is None else {roles.predicted: decided})
    codes, predicted = encoder.labelled(batch, 0)
    said = arrays(table.select([f"d{i}"]))[f"d{i}"].astype(np.int64) if predicted is None else predicted
    place = placed(encoder.order)
    classes, rejects = encoder.classes, each.reading.rejected is not None
    moved: IntArray = np.where(said < 0, REJECTED, place[np.maximum(said, 0)])
    return Held(each.source.name, classes, place[codes], moved, positive=encoder.positive(classes), rejects=rejects)


def _check_truths(held: Sequence[Held], names: Sequence[str], n: IntArray) -> None:
    for name, other in zip(names[1:], held[1:], strict=True):
        differ = int(n[held[0].truth != other.truth].sum())
        if differ:
            msg = (
                f"{safe(names[0])} and {safe(name)} disagree about the truth of {counted(differ, 'case')} of {int(n.sum()):,}. "
                "They are not the same cases, or one of the sets is wrong."
            )
            raise InputError(msg)


def _cases(frame: nw.LazyFrame[Any]) -> int:
    return int(arrays(collect(frame.select("row").unique().select(nw.len().alias("n"))))["n"][0])
