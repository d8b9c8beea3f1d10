"""Columns of scores as a matrix in the order of the classes; matched by name, never by position."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from adjudge._base.arrays import AnyArray, BoolArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted
from adjudge.predictions.cells import numbers_of, vectors_of
from adjudge.predictions.gaps import Gaps
from adjudge.predictions.labels import text_of
from adjudge.predictions.positive import same
from adjudge.predictions.roles import Roles, Scale
from adjudge.predictions.scaling import brought_to_scale

Form = Literal["none", "single", "vector", "block"]


@dataclass(frozen=True, slots=True)
class ScoreReader:
    """Turns score columns into rows x classes, class `i` of the codebook in column `i`.

    A single score speaks of class 0 alone: it is one column.
    """

    form: Form
    classes: tuple[Any, ...]
    columns: tuple[str, ...]
    scale: Scale
    gaps: Gaps = field(default_factory=Gaps)

    def read(self, batch: dict[str, pa.Array], before: int) -> tuple[AnyArray | None, BoolArray | None]:
        """Return the scores, and which rows lacked some, if any; what stands in those rows is to be replaced."""
        if self.form == "none":
            return None, None
        raw = self._matrix(batch)
        gone: BoolArray | None = None
        if np.isnan(raw.min(initial=0)):
            gone = np.asarray(np.isnan(raw).any(axis=1))
            self._note(raw, before)
            raw = raw.copy()
            raw[gone] = (100 if self.scale == "percentages" else 1) / raw.shape[1]
        return brought_to_scale(raw, self.scale, self.columns, before), gone

    def _matrix(self, batch: dict[str, pa.Array]) -> AnyArray:
        if self.form != "vector":
            # column by column in memory: sums over a few classes of each row are many times as fast so
            return np.stack([numbers_of(batch[name], name) for name in self.columns]).T
        name = self.columns[0]
        raw = vectors_of(batch[name], name, len(self.classes))
        if raw.shape[1] != len(self.classes):
            msg = f"column {quoted(name)} holds {raw.shape[1]} numbers a row for {len(self.classes)} classes."
            raise InputError(msg)
        return raw

    def _note(self, raw: AnyArray, before: int) -> None:
        for i, name in enumerate(self.columns):
            part = raw if self.form == "vector" else raw[:, [i]]
            self.gaps.add(name, np.flatnonzero(np.isnan(part).any(axis=1)), before)

    def worst(self, truth: IntArray) -> AnyArray:
        """Return scores that are as wrong as can be, for cases of these classes."""
        low, high = (-np.inf, np.inf) if self.scale == "scores" else (0.0, 1.0)
        if self.form == "single":
            return np.where(truth == 0, low, high)[:, None]
        worst = np.full((truth.size, len(self.classes)), low)
        worst[np.arange(truth.size), np.where(truth == 0, 1, 0)] = high
        return worst


def matched(roles: Roles, classes: tuple[Any, ...] | None, declared: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Return the classes and columns of a block of scores, in the order the user listed or the data declared."""
    own = {text_of(label): (label, name) for label, name in roles.scores}
    if classes is None:
        place = {text_of(label): i for i, label in enumerate(declared)}
        pairs = sorted(own.values(), key=lambda pair: place.get(text_of(pair[0]), len(place)))
        return tuple(label for label, _ in pairs), tuple(name for _, name in pairs)
    found = [next((pair for pair in own.values() if same(pair[0], label)), None) for label in classes]
    absent = [label for label, pair in zip(classes, found, strict=True) if pair is None]
    if absent:
        named = listed(label for label, _ in roles.scores)
        msg = f"There is no score column for class {listed(absent)}; the score columns are for {named}."
        raise InputError(msg)
    return classes, tuple(pair[1] for pair in found if pair is not None)
