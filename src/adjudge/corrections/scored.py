"""The probabilities of cases whose class may not be known: found by the names of classes that are.

A file to be corrected need not hold a truth, so its roles cannot be found as those of predictions are. But the classes are
known: the columns are those named alike but for the class, and each class has one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from adjudge._base.arguments import argument, either, wording
from adjudge._base.arrays import FloatArray
from adjudge._base.errors import DoubtfulRolesError, InputError
from adjudge._base.text import listed, quoted, safe
from adjudge.counts.moments import Moments, Passes, summing_to_one
from adjudge.counts.passes import CaseBlock, CaseBlocks
from adjudge.predictions.cells import column_of
from adjudge.predictions.finding.names import Template, filled, key_of, templates
from adjudge.predictions.labels import Gaps, text_of
from adjudge.predictions.model import check_scale
from adjudge.predictions.roles import Scale
from adjudge.predictions.schema import HEAD
from adjudge.predictions.score_columns import Form, ScoreReader
from adjudge.predictions.sources import Source
from adjudge.predictions.spellings import position, settle_positive
from adjudge.stats.priors import Mixture, Point

_TWO = 2
_NUMERIC = ("float", "int", "bool")


@dataclass(frozen=True, slots=True)
class Scored:
    """Columns of a source that hold the scores of known classes."""

    source: Source
    classes: tuple[Any, ...]
    columns: tuple[str, ...]
    """One for each class in their order; or one alone, of two."""
    scale: Scale
    of: int | None = None
    """The class that a column alone speaks of."""

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

    def blocks(self) -> Iterator[FloatArray]:
        """Yield the probabilities of all cases, block by block."""
        before = 0
        for batch in self.source.batches([], self.columns):
            p = self.read(batch, before)
            before += len(p)
            yield p


class ScoredPasses(CaseBlocks):
    """Cases of unknown class, gone through as often as need be; each stands as one of the first class."""

    def __init__(self, scored: Scored) -> None:
        super().__init__()
        self._scores = scored

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes that were known."""
        return self._scores.classes

    @property
    def weighted(self) -> bool:
        """Whether cases have weights; these count alike."""
        return False

    def blocks(self) -> Iterator[CaseBlock]:
        """Yield the cases."""
        self.taken += 1
        for p in self._scores.blocks():
            yield CaseBlock(p, np.zeros(len(p), dtype=np.int64))


def both(p: FloatArray, of: int) -> FloatArray:
    """Return the probabilities of two classes from that of class `of`."""
    return np.column_stack([1 - p, p] if of else [p, 1 - p])


def find_scores(
    source: Source, classes: tuple[Any, ...], *, scores: Any = None, scores_are: Scale | None = None, of: Any = None
) -> Scored:
    """Return the columns that hold scores of `classes`, found by their names or taken as given.

    Parameters
    ----------
    source : Source
        Rows under named columns.
    classes : tuple
        Known classes; a score column of any other is refused.
    scores : str or mapping, optional
        A template such as "p_*", {class: column}, "a=col1,b=col2", or of two classes one column.
    scores_are : str, optional
        What they hold; probabilities unless given.
    of : label, optional
        The class that one column of two classes speaks of.
    """
    check_scale(scores_are)
    if scores_are == "confidence":
        msg = wording(
            "A confidence speaks of the decision, not of a class. Give the probabilities of the classes with ",
            argument("scores"),
            ".",
        )
        raise InputError(msg)
    return _Search(source, classes, scores_are or "probabilities").settled(scores, of)


@dataclass(frozen=True)
class _Search:
    source: Source
    classes: tuple[Any, ...]
    scale: Scale

    def settled(self, scores: Any, of: Any) -> Scored:
        named = _named(scores, self.source.names)
        if isinstance(named, Mapping):
            return self._by_class(named)
        if isinstance(named, str) and "*" in named and named not in self.source.names:
            return self._of_template(filled(named, self.numeric), given=True)
        return self._found() if named is None else self._single(named, of)

    @cached_property
    def head(self) -> dict[str, Any]:
        """The first rows of the columns that hold numbers."""
        columns = (column_of(name, array) for name, array in self.source.head(HEAD).items())
        return {column.name: column.values for column in columns if column.kind in _NUMERIC}

    @property
    def numeric(self) -> list[str]:
        """The columns that may hold scores."""
        return [name for name in self.source.names if name in self.head]

    def _exists(self, name: str) -> str:
        if name not in self.source.names:
            msg = f"{safe(self.source.name)}: there is no column {quoted(name)}; the columns are {listed(self.source.names, 12)}."
            raise InputError(msg)
        return name

    def _by_class(self, named: Mapping[Any, str]) -> Scored:
        places = [position(self.classes, label) for label in named]
        absent = [label for at, label in enumerate(self.classes) if at not in places]
        if absent or len(places) > len(self.classes) or len(set(named.values())) < len(named):
            msg = f"The correction is for {listed(self.classes)}; give each of them one column of scores."
            raise InputError(msg)
        by_place = dict(zip(places, named.values(), strict=True))
        return Scored(self.source, self.classes, tuple(self._exists(by_place[at]) for at in range(len(places))), self.scale)

    def _single(self, name: str, of: Any) -> Scored:
        self._exists(name)
        if len(self.classes) != _TWO:
            told = f"{quoted(name)} is one column, and the correction is for {len(self.classes)} classes"
            msg = wording(f"{told}: {listed(self.classes)}. Give one for each with ", argument("scores"), ".")
            raise InputError(msg)
        at = settle_positive(self.classes, of, what=f"The score in column {quoted(name)}")
        return Scored(self.source, self.classes, (name,), self.scale, at)

    def _found(self) -> Scored:
        keys = {key_of(text_of(label)) for label in self.classes}
        fitting = [template for template in templates(self.numeric) if keys <= template.keys.keys()]
        if not fitting:
            wanted = listed([f"p_{text_of(label)}" for label in self.classes])
            msg = wording(
                (
                    f"{safe(self.source.name)}: no columns of numbers are named after all the classes {listed(self.classes)}, "
                    f"as {wanted} would be. Name them with "
                ),
                argument("scores"),
                ".",
            )
            raise InputError(msg)
        if len(fitting) > 1:
            ways = either(argument("scores", str(template)) for template in fitting)
            msg = wording("Several sets of columns are named after the classes. Say which: ", ways, ".")
            raise DoubtfulRolesError(msg)
        return self._of_template(fitting[0], given=False)

    def _of_template(self, template: Template, *, given: bool) -> Scored:
        keys = [key_of(text_of(label)) for label in self.classes]
        absent = [label for label, key in zip(self.classes, keys, strict=True) if key not in template.keys]
        if absent:
            msg = f"There is no score column for class {listed(absent)} among {listed(template.columns.values())}."
            raise InputError(msg)
        columns = tuple(template.keys[key] for key in keys)
        strange = [name for name in template.columns.values() if name not in columns]
        if strange and (given or self._speaks(columns, strange, bare=template.bare)):
            msg = f"The correction knows the classes {listed(self.classes)}, but there are scores in {listed(strange)} as well."
            raise InputError(msg)
        return Scored(self.source, self.classes, columns, self.scale)

    def _speaks(self, columns: tuple[str, ...], strange: list[str], *, bare: bool) -> bool:
        """Return whether further columns of the same kind are scores too: with them rows sum to one, without them not."""
        if self.scale in ("votes", "logits"):
            return not bare
        whole = 100.0 if self.scale == "percentages" else 1.0
        own = np.sum([self.head[name] for name in columns], axis=0)
        everything = own + np.sum([self.head[name] for name in strange], axis=0)
        near = 1e-2 * whole
        return bool(np.nanmax(np.abs(everything - whole)) < near <= np.nanmax(np.abs(own - whole)))


def _named(scores: Any, names: tuple[str, ...]) -> str | Mapping[Any, str] | None:
    """Return scores as they were named: "a=col1,b=col2" is a mapping, unless that is a column's own name."""
    if scores is None or isinstance(scores, Mapping):
        return scores
    if not isinstance(scores, str):
        msg = f"scores names columns: one name, a template such as 'p_*', or {{class: column}}; got {type(scores).__name__}."
        raise InputError(msg)
    if scores in names or "*" in scores or "=" not in scores:
        return scores
    pairs = [part.strip().rpartition("=") for part in scores.split(",")]
    return {label.strip(): column.strip() for label, _, column in pairs}


_REMEMBERED = 8  # curvatures; the one asked for is of one of the last points


class PassedMixture:
    """Cases of an unknown mixture of classes, as :class:`adjudge.stats.priors.Mixture` has them; every point is one pass.

    The curvature costs no pass of its own: it is summed beside the likelihood and the slope, since a pass is dear and
    a step asks for all three.
    """

    def __init__(self, passes: Passes, moments: Moments, scale: FloatArray) -> None:
        self.passes, self.scale = passes, scale
        self.size, self.k, self.cells = moments.size, scale.size, moments.cases * scale.size
        self._curvatures: dict[bytes, FloatArray] = {}

    def at(self, shares: FloatArray) -> Point:
        """Return the log-likelihood of `shares` and its slope."""
        found = self.passes.densities(self.scale * shares)
        self._curvatures[shares.tobytes()] = found.second * np.outer(self.scale, self.scale) / self.size
        if len(self._curvatures) > _REMEMBERED:
            del self._curvatures[next(iter(self._curvatures))]
        return Point(shares, found.log, self.scale * found.first / self.size)

    def curvature(self, shares: FloatArray) -> FloatArray:
        """Return minus the second derivative of the mean log-likelihood."""
        if shares.tobytes() not in self._curvatures:
            self.at(shares)
        return self._curvatures[shares.tobytes()]


def held_mixture(passes: Passes, scale: FloatArray) -> Mixture:
    """Return the same with all cases at hand, for those that are few."""
    p, weight = passes.held()
    return Mixture(p, scale, np.ones(len(p)) if weight is None else weight)
