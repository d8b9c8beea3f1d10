"""Posteriors of many confusion tables at once, such as those of every fold, site or bootstrap round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, Shown, checked_level, counted, dataclass, plain
from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.counts.confusion import ConfusionCounts, whole_counts
from adjudge.estimates.posterior import Posterior, class_shares, of_distribution, posterior, recall_parameters
from adjudge.metrics.catalogue import find
from adjudge.stats.betasum import SumDistributions, beta_sums

_AT_ONCE = 2_000  # tables whose distributions are held together: 30 kB for each of two classes


@dataclass(frozen=True, slots=True, eq=False)
class Posteriors(Shown):
    """The posteriors of a measure, one for each table; answers are arrays with one value for each.

    ``posteriors[i]`` is the :class:`~adjudge.Posterior` of one table, which has digits in far tails, densities and draws.
    """

    quantity: str
    tables: AnyArray
    one: Callable[[ConfusionCounts], Posterior]  # makes the posterior of one table
    sums: Callable[[AnyArray], SumDistributions] | None = None  # makes those of many tables at once, where that is quicker

    def __len__(self) -> int:
        return len(self.tables)

    def __getitem__(self, i: int) -> Posterior:
        return self.one(ConfusionCounts(self.tables[i]))

    def __iter__(self) -> Iterator[Posterior]:
        return (self[i] for i in range(len(self)))

    @property
    def mean(self) -> FloatArray:
        """The expected values."""
        return self._asked(attrgetter("mean"))

    @property
    def var(self) -> FloatArray:
        """The variances."""
        return self._asked(attrgetter("var"))

    @property
    def median(self) -> FloatArray:
        """The values as likely exceeded as not."""
        return self._asked(attrgetter("median"))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to know of all tables together: whether some distribution is good to few digits only."""
        if self.sums is None:
            return ()
        parts = (self.sums(self.tables[i : i + _AT_ONCE]) for i in range(0, len(self), _AT_ONCE))
        return tuple(finding for part in parts for finding in of_distribution(part))

    @property
    def mode(self) -> FloatArray:
        """The most probable values, table by table."""
        return np.array([distribution.mode for distribution in self])

    def cdf(self, x: Any) -> FloatArray:
        """Return the probabilities of at most `x`: one point, or one for each table."""
        return self._asked(lambda distribution, at: distribution.cdf(at), self._points(x))

    def sf(self, x: Any) -> FloatArray:
        """Return the probabilities of more than `x`: one point, or one for each table."""
        return self._asked(lambda distribution, at: distribution.sf(at), self._points(x))

    def ppf(self, q: float) -> FloatArray:
        """Return the values that are not exceeded with probability `q`."""
        if not 0 <= q <= 1:
            msg = f"A probability lies between 0 and 1, got {q!r}."
            raise InputError(msg)
        return self._asked(lambda distribution: distribution.ppf(q))

    def interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Return the bounds that leave equal tails: one array of lower ones, one of upper ones."""
        level = checked_level(level)
        bounds = self._asked(
            lambda one: np.stack((one.distribution if isinstance(one, Posterior) else one).interval(level), axis=-1)
        )
        return bounds[..., 0], bounds[..., 1]

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain Python."""
        low, high = self.interval()
        return {"quantity": self.quantity, "mean": plain(self.mean), "low": plain(low), "high": plain(high), "level": 0.95}

    def __repr__(self) -> str:
        return f"Posteriors of {self.quantity} for {counted(len(self), 'table')}"

    def _points(self, x: Any) -> FloatArray:
        points = np.asarray(x, dtype=np.float64)
        if points.shape not in ((), (len(self),)):
            msg = f"Give one point, or one for each of the {len(self):,} tables; got the shape {points.shape}."
            raise InputError(msg)
        return np.broadcast_to(points, (len(self),))

    def _asked(self, question: Callable[..., Any], *points: FloatArray) -> FloatArray:
        if self.sums is None:
            each = [question(distribution, *(p[i] for p in points)) for i, distribution in enumerate(self)]
            return np.array(each, dtype=np.float64)
        parts = [slice(i, i + _AT_ONCE) for i in range(0, len(self), _AT_ONCE)]
        return np.concatenate([np.asarray(question(self.sums(self.tables[at]), *(p[at] for p in points))) for at in parts])


def posteriors(tables: Any, name: str, *, prior: Any, weights: Any = None, positive: Any = None, rng: Any = 0) -> Posteriors:
    """Return the posteriors of a measure for an array of tables."""
    shape = np.shape(tables)
    if len(shape) != 3 or not all(shape) or shape[2] - shape[1] not in (0, 1):  # noqa: PLR2004 - many K x K tables
        msg = f"An array of confusion tables has the shape tables x classes x classes, got {shape}."
        raise InputError(msg)
    cells = whole_counts(np.asarray(tables))
    cells.setflags(write=False)
    one = partial(posterior, name=name, prior=prior, weights=weights, positive=positive, rng=rng)
    one(ConfusionCounts(cells[0]))  # refuses what is wrong with the request, before any array is asked
    if find(name).name != "balanced_accuracy" or np.count_nonzero(class_shares(weights, cells.shape[1])) == 1:
        return Posteriors(find(name).name, cells, one)

    def sums(part: AnyArray) -> SumDistributions:
        return beta_sums(*recall_parameters(part, prior), class_shares(weights, cells.shape[1]))

    # few tables are kept from one question to the next
    kept = sums(cells) if len(cells) <= _AT_ONCE else None
    return Posteriors("balanced_accuracy", cells, one, sums if kept is None else lambda _: kept)
