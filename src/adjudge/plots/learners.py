"""Learners: folds or groups as a forest, splits against the share kept for testing, errors over rounds, and resampling plans."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from adjudge._base import counted
from adjudge._base.arrays import FloatArray
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.ensembles import SINGLE, EnsemblesJudged, Rounds
from adjudge.judgements.resampled import Fold, Resampled, Share, TradeOff
from adjudge.metrics.catalogue import find
from adjudge.plots import NothingToDrawError
from adjudge.plots.drawing import SIDE, WIDTH, Area, Axis, Drawing, Item, Line, Marks, Panel, Text, band, line_of, segment
from adjudge.plots.forest import Forest, Row, ends_of, forest_of, limited_row
from adjudge.plots.labels import named
from adjudge.plots.lines import below_keys, keys_above
from adjudge.plots.quantities import Words, in_digits, is_share, measure_name, writer
from adjudge.plots.scales import scale_of, swarm, ticks
from adjudge.plots.style import LETTER
from adjudge.resampling.plan import Plan

_MOST_ROWS = 30  # folds with a row each; of more, repetitions have a row each, or all are dots in one
_POOLED, _SEEN, _ALGORITHM, _INK = 0, 1, 2, 4  # colours
_LEVELS = 60  # heights at which dots of splits are told apart
_APART = 0.0115  # of the width, between dots beside each other
_SPAN = 5  # dots beside each other on either side, at most
_NEAR = 0.07  # of the width, nearer than which the share of a split has no tick
_MOST_UNITS = 30  # units with a line each; of more, the first
MOST_COLUMNS = 120
STYLES = {"training": "mark0 faint", "partly": "mark1 faint", "test": "mark1"}
"""Of where a unit learns, where it is judged but for less than half of the rows behind a column, and where it is judged."""
STEP, TOP = 14.0, 26.0  # units down from line to line, and to the first; above them stand the keys
_TALL, _THIN = 11.0, 3.0  # units that a box is high, of where rows are judged and of where they are learnt from
_HALF, _BESIDE, _KEY = 0.5, 6.0, 18.0


def headline(result: Resampled) -> str:
    """Return the measure a learner is judged by first: accuracy, mean absolute error, or the first that was asked for."""
    return next((name for name in ("accuracy", "mae") if name in result.estimates), next(iter(result.estimates)))


def learner_forest(result: Resampled) -> Forest:
    """Return the picture of the measure a learner is judged by first."""
    name, baseline = headline(result), result.pooled.baseline
    pooled = result.pooled.estimates.get(name)
    limits = None if pooled is None else pooled.interval
    words = writer(name, limits.high - limits.low if limits else 0.0)
    marks = []
    if name == "accuracy" and baseline is not None:
        label, share = baseline
        marks = [(f"always {named([label], 38)[0]} {writer(name, 0.0)(share)}", share)]
    rows, band = [*_folds(result, name, words), *_summaries(result, name, limits, words)], ends_of(limits) if limits else None
    told, title = f" ({100 * result.level:.6g}% intervals)", named([result.learner], 60)[0]
    return forest_of(name, rows, told, marks=marks, band=band, title=title)


def _folds(result: Resampled, name: str, words: Words) -> Iterator[Row]:
    """Yield the folds: a row each, or a row for each repetition, or all in one."""

    def values_of(folds: Sequence[Fold]) -> tuple[float, ...]:
        known = [fold.estimates[name].value for fold in folds if fold.failure is None]
        return tuple(value for value in known if math.isfinite(value))

    folds, unit = result.by_fold, result.unit
    if result.plan.kind in ("leave-one-out", "holdout"):
        return
    if len(folds) <= _MOST_ROWS:
        for fold in folds:
            if fold.failure is not None:
                yield Row(f"{unit} {fold.fold}", words=f"failed: {fold.failure}")
            else:
                each = fold.estimates[name]
                yield Row(f"{unit} {fold.fold}", each.value, *ends_of(each.interval), words(each.value), colour=_INK)
    elif result.plan.kind == "repeated folds" and max(result.plan.repeat) < _MOST_ROWS:
        for repeat in range(1, max(result.plan.repeat) + 2):
            values = values_of([fold for fold in folds if fold.repeat == repeat])
            mean = sum(values) / len(values) if values else math.nan
            told = words(mean) if values else "all folds failed"
            shape, colour = ("tick", _INK) if values else ("disc", 0)
            yield Row(f"repeat {repeat}", mean, words=told, shape=shape, colour=colour, dots=values)
    else:
        values, all_folds = values_of(folds), counted(len(result.plan), unit)
        yield _strip(all_folds if len(values) == len(result.plan) else f"{len(values):,} of {all_folds}", values, words)


def _strip(name: str, values: tuple[float, ...], words: Words) -> Row:
    """Return many values as dots in one row."""
    span = f"{words(min(values))} to {words(max(values))}" if values else "undefined"
    return Row(name, words=span, colour=_INK, headed=True, dots=values)


def _summaries(result: Resampled, name: str, limits: Any, words: Words) -> Iterator[Row]:
    """Yield what folds come to."""
    over = result.estimates[name]
    yield limited_row("This test set, pooled", over.pooled, limits, words, "diamond", _POOLED)
    if over.algorithm is not None and over.algorithm.low < over.algorithm.high:
        yield limited_row("This algorithm, trained anew", over.mean_of_folds, over.algorithm, words, "diamond", _ALGORITHM)
    if (usual := over.conventional) is not None:
        called = f"Mean of {usual.over.replace('fold', result.unit)} ± 2 SE"
        yield limited_row(called, usual.value, None if math.isnan(usual.low) else usual, words, "cross", _INK)
    forms = {".632+ bootstrap": over.bootstrap632plus, ".632 bootstrap, Efron's": over.efron632}
    for form, value in (forms | {".632 bootstrap, mean of rounds": over.bootstrap632}).items():
        if value is not None:
            yield limited_row(form, value, None, words, colour=_ALGORITHM)
    seen = None if result.resubstitution is None else result.resubstitution.estimates.get(over.measure)
    if seen is not None:
        yield limited_row("On the training cases", seen.value, None, words, "ring", _SEEN)


def part_forest(
    estimates: Mapping[Any, Estimate], apart: Sequence[tuple[str, Estimate | None, str]], *, what: str, level: float
) -> Forest:
    """Return the picture of one share by fold or group; of many each is a dot.

    `apart` are names, estimates and shapes of what is set apart below; the first of them is also the band.
    """
    known = [(name, each, shape) for name, each, shape in apart if each is not None]
    limits = next((each.interval for _, each, _ in known if each.interval is not None), None)
    words = in_digits(limits.high - limits.low if limits else 0.0, percent=True)
    measure = next(iter(estimates.values())).measure if estimates else "accuracy"

    def row(name: str, each: Estimate, shape: str, colour: int, *, headed: bool) -> Row:
        if math.isnan(each.value):
            return Row(name, words=f"undefined: {each.reason}" if each.reason else "undefined", headed=headed)
        if headed:
            return limited_row(name, each.value, each.interval, words, shape, colour)
        return Row(name, each.value, *ends_of(each.interval), words(each.value), shape, colour)

    if len(estimates) <= _MOST_ROWS:
        names = zip(named(list(estimates)), estimates.values(), strict=True)
        rows = [row(name, each, "disc", _INK, headed=False) for name, each in names]
    else:
        values = tuple(each.value for each in estimates.values() if math.isfinite(each.value))
        rows = [_strip(counted(len(estimates), what), values, words)]
    rows += [row(name, each, shape, i, headed=True) for i, (name, each, shape) in enumerate(known)]
    told, band = f" ({100 * level:.6g}% intervals)", ends_of(limits) if limits else None
    return forest_of(measure, rows, told, band=band, title=f"{measure_name(measure)} by {what}")


def spread(trade_off: TradeOff) -> Drawing:
    """Return splits that have a value by the share kept for testing, their mean, and one standard deviation to either side."""
    measure, title = find(trade_off.measure), named([trade_off.learner], 60)[0]
    in_order = sorted(trade_off.shares, key=lambda share: share.share)
    known = [Share(share.share, share.cases, share.values[np.isfinite(share.values)]) for share in in_order]
    shares = [share for share in known if share.values.size]
    if not shares:
        msg = f"No split has a {trade_off.measure} to draw. Choose another measure, or leave more training cases."
        raise NothingToDrawError(msg)
    across = scale_of([share.share for share in shares], low=0.0, high=1.0, percent=True)
    values = [float(v) for share in shares for v in share.values]
    up = scale_of(values, low=measure.low, high=measure.high, percent=is_share(trade_off.measure))
    x, means, low, high, told = [share.share for share in shares], [share.mean for share in shares], [], [], []
    dots: list[Item] = []
    shown = [(x[0], f"{100 * x[0]:.0f}%")]
    for share in shares:
        deviation = share.spread if share.values.size > 1 else 0.0
        low.append(max(share.mean - deviation, up.start, up.low))
        high.append(min(share.mean + deviation, up.stop, up.high))
        heights = np.array([up.part(float(v)) for v in share.values])
        sides = np.clip(swarm(heights, 1 / _LEVELS), -_SPAN, _SPAN) * _APART * (across.stop - across.start)
        dots.append(Marks(line_of(share.share + sides, share.values), "disc", 2.6, "faint mark4"))
        words, tick = writer(trade_off.measure, 2 * deviation), f"{100 * share.share:.0f}%"
        told.append(f"{tick} kept, {share.cases:,} cases: {words(share.mean)} ± {words(deviation)}")
        if across.part(share.share) - across.part(shown[-1][0]) >= _NEAR:
            shown.append((share.share, tick))
    middle = line_of(x, means)
    items: list[Item] = [band(line_of(x, high), line_of(x, low), "area0", label="one standard deviation")]
    items += [*dots, Line(middle, "curve line0", label="mean", styled=True), Marks(middle, "disc", 4.2, "mark0", styled=True)]
    axis = Axis(across.start, across.stop, tuple(shown), "Share of the cases kept for testing")
    panel = Panel(62.0, 14.0, 464.0, 304.0, axis, up.axis(measure_name(measure.name), 200, 7, grid=True))
    return Drawing(480.0, 350.0, f"Train-test trade-off: {title}", "; ".join(told), tuple(items), panel, title)


def rounds_picture(result: EnsemblesJudged, name: str | None = None) -> Drawing:
    """Return the errors of one ensemble over its rounds, or of all; training is broken, new cases are whole and in their band."""
    followed = {key: rounds for key, rounds in result.rounds.items() if rounds.followed}
    drawn = {key: rounds for key, rounds in followed.items() if name in (None, key)}
    if not drawn or SINGLE not in result.rounds:
        msg = f"There are no rounds of {name or 'any ensemble'} to draw; there are of {', '.join(followed) or 'none'}."
        raise NothingToDrawError(msg)
    measure, single = find(next(iter(drawn.values())).measure), float(result.rounds[SINGLE].test.mean())
    shown = [single]  # and all that any picture of these ensembles shows, so that they can be laid side by side
    for rounds in followed.values():
        shown += [*rounds.training.mean(axis=0).tolist(), *rounds.test.mean(axis=0).tolist()]
        shown += [] if rounds.test_interval is None else rounds.test_interval.ravel().tolist()
    up = scale_of(shown, low=measure.low, high=measure.high, percent=is_share(measure.name))
    last = max(rounds.test.shape[1] for rounds in drawn.values())
    left, right = (1.0, float(last)) if last > 1 else (0.5, 1.5)

    def over_rounds(y: FloatArray) -> FloatArray:
        return line_of(range(1, y.size + 1), np.clip(y, up.start, up.stop))

    bands, lines, keys, words = list[Item](), list[Item](), [], writer(measure.name, 0.0)
    for at, rounds in enumerate(drawn.values()):
        of = "" if name is not None else f"{named([rounds.name], 40)[0]}, "
        new, seen = (0, 1) if name is not None else (at, at)  # by itself each line has a colour, else each ensemble
        each = (("new cases", rounds.test, new, ""), ("training", rounds.training, seen, " broken"))
        for kind, errors, colour, broken in each:
            y, style = errors.mean(axis=0), f"curve line{colour}{broken}"
            keys.append((style, f"{of}{kind}: {words(float(y[-1]))} after {models_of(rounds)}"))
            lines += [Marks(over_rounds(y), "disc", 4.2, f"mark{colour}")] if y.size == 1 else []
            lines.append(Line(over_rounds(y), style, label=keys[-1][1], styled=True))
        if rounds.test_interval is not None:
            low, high = rounds.test_interval
            bands.append(band(over_rounds(high), over_rounds(low), f"area{new}"))
    told = [*(each for _, each in keys), f"single model, new cases: {words(single)}"]
    keys += [("area0", f"{100 * result.level:.6g}% intervals of the mean, new cases")] if bands else []
    signs = keys_above([*keys, ("ref", told[-1])], 12.0)
    items = [*(sign for sign, _ in signs), *(text for _, text in signs), *bands]
    items += [segment((left, single), (right, single), "ref"), *lines]
    across = [(1.0, "1"), *((v, f"{v:,.0f}") for v in ticks(0, last, 7) if v == int(v) and 1 < v <= last)]
    title = f"{named([result.base], 60)[0]}{'' if name is None else f', {named([name], 60)[0]}'}"
    errors_of = "Error rate" if measure.name == "error" else measure_name(measure.name)
    axis, said = Axis(left, right, tuple(across), "Rounds", notched=True), (f"Errors over the rounds: {title}", "; ".join(told))
    return below_keys(items, axis, up, errors_of, len(signs), 240.0, said, title)


def models_of(rounds: Rounds) -> str:
    """Return after how many rounds an ensemble is whole; of boosting that ended early, how many models it then had."""
    low, high = int(rounds.kept.min()), int(rounds.kept.max())
    if low == high == rounds.test.shape[1]:
        return counted(high, "round")
    return counted(high, "model") if low == high else f"{low:,} to {counted(high, 'model')}"


def plan_picture(plan: Plan) -> Drawing:
    """Return which rows each unit learns from, thin, and which it is judged on, full; all boxes of a kind at once."""
    drawn, many = min(len(plan), _MOST_UNITS), plan.rows > MOST_COLUMNS
    left = LETTER * len(str(drawn)) + _BESIDE
    column = np.arange(plan.rows)
    if many:  # in the order in which rows are first judged; those that never are come last
        first, place = np.full(plan.rows, len(plan)), np.empty(plan.rows, dtype=np.int64)
        for i in range(len(plan) - 1, -1, -1):
            first[plan.test[i]] = i
        place[np.argsort(first, kind="stable")] = np.arange(plan.rows)
        column = np.minimum(place * MOST_COLUMNS // plan.rows, MOST_COLUMNS - 1)
    columns = int(column.max()) + 1
    wide, behind = (WIDTH - left) / columns, np.bincount(column, minlength=columns)
    boxes: dict[str, list[FloatArray]] = {kind: [] for kind in STYLES}
    for unit in range(drawn):
        judged = np.bincount(column[plan.test[unit]], minlength=columns) / behind
        learnt = np.bincount(column[np.unique(plan.train[unit])], minlength=columns) > 0
        wholly, down = judged >= _HALF, TOP + STEP * (unit + 0.5)
        for kind, where in (("training", learnt & ~wholly), ("partly", (judged > 0) & ~wholly), ("test", wholly)):
            edges = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]]))).reshape(-1, 2)  # of columns side by side
            boxes[kind] += [_box(left + wide * start, left + wide * stop, down, kind) for start, stop in edges.tolist()]
    labels = []
    for x, kind, words in ((0.0, "training", "training"), (WIDTH / 4, "test", "test")):
        boxes[kind].append(_box(x, x + _KEY, TOP - 12, kind))
        labels.append(Text(SIDE + x + _KEY + _BESIDE, TOP - 8, words, "key", "start"))
    items: list[Item] = [Area(tuple(boxes[kind]), style, page=True, styled=True) for kind, style in STYLES.items() if boxes[kind]]
    labels += [Text(SIDE + left - _BESIDE, TOP + STEP * (i + 0.5) + 4, str(i + 1), "aside", "end") for i in range(drawn)]
    foot, more = TOP + STEP * drawn, len(plan) - drawn
    rows = f"{counted(plan.rows, 'row')}{', in the order in which they are first tested' if many else ''}"
    labels.append(Text(SIDE + (left + WIDTH) / 2, foot + 16, rows, "aside"))
    note = f"{counted(more, 'unit')} more not drawn" if more > 0 else ""
    labels += [Text(SIDE + WIDTH, foot + 33, note, "aside", "end")] if note else []
    title = f"{named([plan.name], 60)[0]}: {counted(len(plan), 'unit')}"
    said = "; ".join(each for each in (title, f"{counted(drawn, 'line')} drawn", rows, note) if each)
    return Drawing(WIDTH + 2 * SIDE, foot + 40, f"Plan: {title}", said, (*items, *labels), heading=title)


def _box(left: float, right: float, down: float, kind: str) -> FloatArray:
    """Return the corners of a box on the page, all around."""
    left, right, half = SIDE + left, SIDE + right, (_THIN if kind == "training" else _TALL) / 2
    return np.array([(left, down - half), (right, down - half), (right, down + half), (left, down + half)])
