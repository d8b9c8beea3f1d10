"""The geometry of errors over the rounds of an ensemble: on cases learnt from and on new ones, beside the single model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray, frozen
from adjudge._base.text import counted
from adjudge.judgements.ensembles import SINGLE, EnsemblesJudged, Rounds
from adjudge.metrics.catalogue import find
from adjudge.plots.drawing import (
    Area,
    Axis,
    Drawing,
    Figure,
    Item,
    Line,
    Marks,
    NothingToDrawError,
    Text,
    around,
    box,
    line_of,
    segment,
)
from adjudge.plots.labels import named
from adjudge.plots.learners import measure_name, writer
from adjudge.plots.lines import BOTTOM, LEFT, STEP, TOP, WIDTH, panel_of
from adjudge.plots.quantities import is_share
from adjudge.plots.scales import Scale, scale_of, ticks

_MOST_TICKS = 7
_PLOT, _HALF = 240.0, 12.0  # units of the panel down, and of half a sign beside its words
_NEW, _SEEN = 0, 1  # colours of one ensemble by itself


@dataclass(frozen=True, slots=True, eq=False)
class RoundsLine:
    """Errors over the rounds, as means over folds, perhaps in a band."""

    words: str
    y: FloatArray
    colour: int
    learnt: bool
    """Whether they are of the cases learnt from, which is drawn broken."""
    band: tuple[FloatArray, FloatArray] | None = None

    @property
    def x(self) -> FloatArray:
        """The rounds, from 1."""
        return frozen(range(1, self.y.size + 1))

    @property
    def style(self) -> str:
        """That of its line."""
        return f"curve line{self.colour}{' broken' if self.learnt else ''}"


@dataclass(frozen=True, slots=True, eq=False)
class RoundsPicture(Figure):
    """Lines of errors, and the error of the single model to compare with."""

    title: str
    lines: tuple[RoundsLine, ...]
    single: float
    single_words: str
    band_words: str
    """What the bands are; empty without any."""
    across: Scale
    up: Scale
    y_name: str
    x_name: str = "Rounds"

    @property
    def x_ticks(self) -> list[tuple[float, str]]:
        """The first round, and round numbers of them."""
        last = max(line.y.size for line in self.lines)
        found = [v for v in ticks(0, last, _MOST_TICKS) if v == int(v) and 1 < v <= last]
        return [(v, f"{v:,.0f}") for v in (1.0, *found)]

    @property
    def y_ticks(self) -> list[tuple[float, str]]:
        """Round values and how they are written."""
        return self.up.ticks(room=200, most=_MOST_TICKS)

    @property
    def words(self) -> str:
        """What the picture says."""
        return "; ".join((*(line.words for line in self.lines), self.single_words))

    @property
    def drawing(self) -> Drawing:
        """Errors over the rounds: training broken, new cases whole and in their band; the keys stand above."""
        x, down = LEFT + _HALF, TOP + 4
        signs: list[Item] = [
            segment((x - _HALF, down + i * STEP), (x + _HALF, down + i * STEP), line.style, page=True)
            for i, line in enumerate(self.lines)
        ]
        told, down = [line.words for line in self.lines], down + STEP * len(self.lines)
        if self.band_words:
            signs.append(box((x - _HALF, x + _HALF), (down - 5, down + 5), f"area{self.lines[0].colour}", page=True))
            told, down = [*told, self.band_words], down + STEP
        signs.append(segment((x - _HALF, down), (x + _HALF, down), "ref", page=True))
        told.append(self.single_words)
        keys = [Text(x + _HALF + 8, TOP + 8 + i * STEP, words, "key", "start") for i, words in enumerate(told)]
        left, right, low, high = self.across.start, self.across.stop, self.up.start, self.up.stop
        items: list[Item] = [*signs, *keys]
        for line in self.lines:
            if line.band is not None:
                sides = (line_of(line.x, np.clip(side, low, high)) for side in reversed(line.band))
                items.append(Area((around(*sides),), f"area{line.colour}", styled=True))
        items.append(segment((left, self.single), (right, self.single), "ref"))
        for line in self.lines:
            at = line_of(line.x, np.clip(line.y, low, high))
            items += [Marks(at, "disc", 4.2, f"mark{line.colour}")] if len(at) == 1 else []
            items.append(Line(at, line.style, label=line.words, styled=True))
        across = Axis(left, right, tuple(self.x_ticks), self.x_name, notched=True)
        panel = panel_of(across, Axis(low, high, tuple(self.y_ticks), self.y_name, grid=True), len(told), _PLOT)
        title = f"Errors over the rounds: {self.title}"
        return Drawing(WIDTH, panel.bottom + BOTTOM, title, self.words, tuple(items), panel, self.title)


def rounds_picture(result: EnsemblesJudged, name: str | None = None) -> RoundsPicture:
    """Return the errors of one ensemble over its rounds, or of all in one picture; all on the same scale."""
    followed = {key: found for key, found in result.rounds.items() if found.followed}
    drawn = {key: found for key, found in followed.items() if name in (None, key)}
    if not drawn or SINGLE not in result.rounds:
        msg = f"There are no rounds of {name or 'any ensemble'} to draw; there are of {', '.join(followed) or 'none'}."
        raise NothingToDrawError(msg)
    measure = find(next(iter(drawn.values())).measure)
    lines = tuple(line for at, found in enumerate(drawn.values()) for line in _lines(found, at, alone=name is not None))
    single = float(result.rounds[SINGLE].judged.mean())
    up = scale_of([*_heights(result), single], low=measure.low, high=measure.high, percent=is_share(measure.name))
    last = max(line.y.size for line in lines)
    words = writer(measure.name, 0.0)
    level = f"{100 * result.level:.6g}% intervals of the mean, new cases" if any(line.band for line in lines) else ""
    title = f"{named([result.base], 40)[0]}{'' if name is None else f', {named([name], 30)[0]}'}"
    across = Scale(1.0, float(last)) if last > 1 else Scale(0.5, 1.5)
    told = f"single model, new cases: {words(single)}"
    name_of = "Error rate" if measure.name == "error" else measure_name(measure.name)
    return RoundsPicture(title, lines, single, told, level, across, up, name_of)


def _heights(result: EnsemblesJudged) -> list[float]:
    """Return all that any picture of these ensembles shows, so that they can be laid side by side."""
    found = []
    for rounds in (found for found in result.rounds.values() if found.followed):
        found += [*rounds.learnt.mean(axis=0), *rounds.judged.mean(axis=0)]
        found += [] if rounds.judged_limits is None else rounds.judged_limits.ravel().tolist()
    return [float(v) for v in found]


def models_of(found: Rounds) -> str:
    """Return after how many rounds an ensemble is whole; of boosting that ended early, how many models it then had."""
    low, high = int(found.kept.min()), int(found.kept.max())
    if low == high == found.judged.shape[1]:
        return counted(high, "round")
    return counted(high, "model") if low == high else f"{low:,} to {counted(high, 'model')}"


def _lines(found: Rounds, at: int, *, alone: bool) -> tuple[RoundsLine, RoundsLine]:
    """Return the lines of an ensemble: by itself each has its colour, among others both have that of the ensemble."""
    learnt, judged = found.learnt.mean(axis=0), found.judged.mean(axis=0)
    words, rounds = writer(found.measure, 0.0), models_of(found)
    of = "" if alone else f"{named([found.name], 24)[0]}, "
    told = [f"{of}{kind}: {words(float(v[-1]))} after {rounds}" for kind, v in (("new cases", judged), ("training", learnt))]
    band = None if found.judged_limits is None else (found.judged_limits[0], found.judged_limits[1])
    colours = (_NEW, _SEEN) if alone else (at, at)
    return (
        RoundsLine(told[0], frozen(judged), colours[0], learnt=False, band=band),
        RoundsLine(told[1], frozen(learnt), colours[1], learnt=True),
    )
