"""The probabilities of cases whose class may not be known: columns named alike but for the class, found by classes that are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from adjudge._base import DoubtfulRolesError, InputError, argument, either, listed, parameter, quoted, safe
from adjudge._base.arrays import FloatArray
from adjudge.corrections.labelled import both
from adjudge.counts.passes import CaseBlock, Moments, Passes, summing_to_one
from adjudge.predictions.cells import column_of
from adjudge.predictions.labels import Gaps, text_of
from adjudge.predictions.model import check_scale
from adjudge.predictions.names import filled, key_of, templates
from adjudge.predictions.readers import Form, ScoreReader
from adjudge.predictions.roles import Scale
from adjudge.predictions.sources import HEAD, Source, refuse_partial
from adjudge.predictions.spellings import position, settle_positive
from adjudge.stats.priors import Point

_TWO = 2
_NUMERIC = ("float", "int", "bool")


class Scored(Passes):
    """Columns of a source that hold the scores of known classes; gone through, each case stands as one of the first class."""

    classes: tuple[Any, ...] = ()
    weighted = False

    def __init__(
        self, source: Source, classes: tuple[Any, ...], columns: tuple[str, ...], scale: Scale, of: int | None = None
    ) -> None:
        """Take columns, one for each class in their order; or one alone of two classes, which speaks of the class at `of`."""
        super().__init__()
        self.source, self.classes, self.columns, self.scale, self.of = source, classes, columns, scale, of

    def read(self, batch: Mapping[str, pa.Array], before: int) -> FloatArray:
        """Return probabilities by class, rows summing to one; or the single scores, where they only rank."""
        gaps = Gaps()
        form: Form = "block" if self.of is None else "single"
        values, _ = ScoreReader(form, self.classes, self.columns, self.scale, gaps).read(dict(batch), before)
        for name, gap in gaps.columns.items():
            msg = f"column {quoted(name)} has {gap}. A case without probabilities cannot be corrected; leave it out."
            raise InputError(msg)
        assert values is not None
        scores = values.astype(np.float64)
        if self.of is None:
            return summing_to_one(scores)
        if self.scale == "scores":
            return scores[:, 0]
        return both(np.clip(scores[:, 0], 0, 1), self.of)

    def blocks(self) -> Iterator[CaseBlock]:
        """Yield the cases."""
        self.taken += 1
        before = 0
        for batch in self.source.batches([], self.columns):
            p = self.read(batch, before)
            before += len(p)
            yield CaseBlock(p, np.zeros(len(p), dtype=np.int64))


def find_scores(
    source: Source, classes: tuple[Any, ...], *, scores: Any = None, scores_are: Scale | None = None, of: Any = None
) -> Scored:
    """Return the columns that hold scores of `classes`, found by their names or taken as given.

    `scores` may be a template such as "p_*", {class: column}, "a=col1,b=col2", or of two classes one column, which speaks of
    the class `of`. They hold probabilities unless `scores_are` says otherwise.
    """
    check_scale(scores_are)
    if scores_are == "confidence":
        msg = "A confidence speaks of the decision, not of a class. Give the probabilities of the classes with "
        raise InputError(msg, argument("scores"), ".")
    if not (scores is None or isinstance(scores, (str, Mapping))):
        msg = f" names columns: one name, a template such as 'p_*', or {{class: column}}; got {type(scores).__name__}."
        raise InputError(parameter("scores"), msg)
    scale, own_name = scores_are or "probabilities", scores in source.names if isinstance(scores, str) else False
    if isinstance(scores, str) and not own_name and "*" not in scores and "=" in scores:
        pairs = [part.strip().rpartition("=") for part in scores.split(",")]
        scores = {label.strip(): column.strip() for label, _, column in pairs}
    if isinstance(scores, Mapping):
        places = [position(classes, label) for label in scores]
        absent = [label for at, label in enumerate(classes) if at not in places]
        if absent or len(places) > len(classes) or len(set(scores.values())) < len(scores):
            msg = f"The correction is for {listed(classes)}; give each of them one column of scores."
            raise InputError(msg)
        by_place = dict(zip(places, scores.values(), strict=True))
        return Scored(source, classes, existing(source, [by_place[at] for at in range(len(places))]), scale)
    if scores is None or ("*" in scores and not own_name):
        return Scored(source, classes, _by_template(source, classes, scale, scores), scale)
    columns = existing(source, [scores])
    if len(classes) != _TWO:
        told = f"{quoted(scores)} is one column, and the correction is for {len(classes)} classes: {listed(classes)}"
        raise InputError(told, ". Give one for each with ", argument("scores"), ".")
    return Scored(source, classes, columns, scale, settle_positive(classes, of, what=f"The score in column {quoted(scores)}"))


def existing(source: Source, columns: Sequence[str]) -> tuple[str, ...]:
    """Return columns of a source, or refuse those it does not have."""
    refuse_partial(source, columns)
    for name in columns:
        if name not in source.names:
            msg = f"{safe(source.name)}: there is no column {quoted(name)}; the columns are {listed(source.names, 12)}."
            raise InputError(msg)
    return tuple(columns)


def _by_template(source: Source, classes: tuple[Any, ...], scale: Scale, given: str | None) -> tuple[str, ...]:
    """Return the column of each class: those of the template given, or of the only one that fits all classes."""
    held = (column_of(name, array) for name, array in source.head(HEAD).items())
    head = {column.name: column.values for column in held if column.kind in _NUMERIC}
    numeric, keys = [name for name in source.names if name in head], [key_of(text_of(label)) for label in classes]
    if given is None:
        fitting = [template for template in templates(numeric) if set(keys) <= template.keys.keys()]
        if not fitting:
            wanted = f"named after all the classes {listed(classes)}, as {listed([f'p_{text_of(label)}' for label in classes])}"
            told = f"{safe(source.name)}: no columns of numbers are {wanted} would be. Name them with "
            raise InputError(told, argument("scores"), ".")
        if len(fitting) > 1:
            msg = "Several sets of columns are named after the classes. Say which: "
            raise DoubtfulRolesError(msg, either(argument("scores", str(template)) for template in fitting), ".")
        template = fitting[0]
    else:
        template = filled(given, numeric)
    absent = [label for label, key in zip(classes, keys, strict=True) if key not in template.keys]
    if absent:
        msg = f"There is no score column for class {listed(absent)} among {listed(template.columns.values())}."
        raise InputError(msg)
    columns = tuple(template.keys[key] for key in keys)
    strange = [name for name in template.columns.values() if name not in columns]
    also = given is not None or (scale in ("votes", "logits") and not template.bare)
    if strange and not also and scale not in ("votes", "logits"):  # scores too if with them rows sum to one, without them not
        whole = 100.0 if scale == "percentages" else 1.0
        own = np.sum([head[name] for name in columns], axis=0)
        everything = own + np.sum([head[name] for name in strange], axis=0)
        also = bool(np.nanmax(np.abs(everything - whole)) < 1e-2 * whole <= np.nanmax(np.abs(own - whole)))
    if strange and also:
        msg = f"The correction knows the classes {listed(classes)}, but there are scores in {listed(strange)} as well."
        raise InputError(msg)
    return columns


_REMEMBERED = 8  # curvatures; the one asked for is of one of the last points


class PassedMixture:
    """Cases of an unknown mixture of classes, as :class:`adjudge.stats.priors.Mixture` has them; every point is one pass."""

    def __init__(self, passes: Passes, moments: Moments, scale: FloatArray) -> None:
        self.passes, self.scale = passes, scale
        self.size, self.k, self.cells = moments.size, scale.size, moments.cases * scale.size
        self._curvatures: dict[bytes, FloatArray] = {}

    def at(self, shares: FloatArray) -> Point:
        """Return the log-likelihood of `shares` and its slope."""
        likelihood = self.passes.densities(self.scale * shares)  # the curvature, of which a step asks too, beside: a pass is dear
        self._curvatures[shares.tobytes()] = likelihood.second * np.outer(self.scale, self.scale) / self.size
        if len(self._curvatures) > _REMEMBERED:
            del self._curvatures[next(iter(self._curvatures))]
        return Point(shares, likelihood.log, self.scale * likelihood.first / self.size)

    def curvature(self, shares: FloatArray) -> FloatArray:
        """Return minus the second derivative of the mean log-likelihood."""
        if shares.tobytes() not in self._curvatures:
            self.at(shares)
        return self._curvatures[shares.tobytes()]
