"""The geometry of a trade-off: what random splits found, against the share of cases they kept for testing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import FloatArray, frozen
from adjudge._base.errors import InputError
from adjudge.judgements.training import Share, TradeOff
from adjudge.metrics.catalogue import find
from adjudge.plots.labels import named
from adjudge.plots.learners import measure_name, writer
from adjudge.plots.quantities import is_share
from adjudge.plots.scales import Scale, scale_of, swarm

_LEVELS = 60  # heights at which dots are told apart
_APART = 0.0115  # of the width, between dots beside each other
_SPAN = 5  # dots beside each other on either side, at most


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """The splits that kept one share: where they lie, their mean, and one standard deviation to either side."""

    x: float
    dots_x: FloatArray
    dots_y: FloatArray
    mean: float
    low: float
    high: float
    tick: str
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Splits by the share kept, from the smallest."""

    splits: tuple[Splits, ...]
    across: Scale
    up: Scale
    x_name: str
    y_name: str
    title: str = ""

    @property
    def band(self) -> list[tuple[float, float]]:
        """The corners of the band of one standard deviation, all around."""
        return [(s.x, s.high) for s in self.splits] + [(s.x, s.low) for s in reversed(self.splits)]

    @property
    def means(self) -> list[tuple[float, float]]:
        """The means, from the smallest share to the largest."""
        return [(s.x, s.mean) for s in self.splits]

    @property
    def x_ticks(self) -> list[tuple[float, str]]:
        """The shares that were tried, but for those too close to the one before."""
        near, found = 0.07, [(self.splits[0].x, self.splits[0].tick)]
        for s in self.splits[1:]:
            if self.across.part(s.x) - self.across.part(found[-1][0]) >= near:
                found.append((s.x, s.tick))
        return found

    @property
    def y_ticks(self) -> list[tuple[float, str]]:
        """Round values and how they are written."""
        return self.up.ticks(room=200, most=7)

    @property
    def words(self) -> str:
        """What the picture says."""
        return "; ".join(s.words for s in self.splits)


def spread(found: TradeOff) -> Spread:
    """Return the picture of a trade-off; splits without a value are left out."""
    measure = find(found.measure)
    known = [_known(share) for share in sorted(found.shares, key=lambda share: share.share)]
    shares = [share for share in known if share.values.size]
    if not shares:
        msg = f"No split has a {found.measure} to draw. Choose another measure, or leave more cases to learn from."
        raise InputError(msg)
    across = scale_of([share.share for share in shares], low=0.0, high=1.0, percent=True)
    values = [float(v) for share in shares for v in share.values]
    up = scale_of(values, low=measure.low, high=measure.high, percent=is_share(found.measure))
    splits = tuple(_splits(share, found.measure, across, up) for share in shares)
    return Spread(
        splits, across, up, "Share of the cases kept for testing", measure_name(measure.name), named([found.learner], 60)[0]
    )


def _known(share: Share) -> Share:
    return Share(share.share, share.cases, share.values[np.isfinite(share.values)])


def _splits(share: Share, name: str, across: Scale, up: Scale) -> Splits:
    heights = np.array([up.part(float(v)) for v in share.values])
    sides = np.clip(swarm(heights, 1 / _LEVELS), -_SPAN, _SPAN) * _APART * (across.stop - across.start)
    spread = share.spread if share.values.size > 1 else 0.0
    low, high = max(share.mean - spread, up.start, up.low), min(share.mean + spread, up.stop, up.high)
    tick = f"{100 * share.share:.0f}%"
    words = writer(name, 2 * spread)
    told = f"{tick} kept, {share.cases:,} cases: {words(share.mean)} ± {words(spread)}"
    return Splits(share.share, frozen(share.share + sides), share.values, share.mean, low, high, tick, told)
