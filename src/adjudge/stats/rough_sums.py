r"""Rough sums of rates: few classes, or weak priors, with much of their mass at the ends.

Their characteristic function falls like a small power of t, so no series ends, and a convolution has layers within layers.
But far out it is a few waves, one for each way to choose an end of every rate, with heights that are smooth in log t:

.. math:: E\,e^{itA} = \frac{\Gamma(n)}{\Gamma(b)} \Bigl(\frac{i}{t}\Bigr)^a E\Bigl(1 - \frac{iV_a}{t}\Bigr)^{b-1}
          + e^{it}\,\frac{\Gamma(n)}{\Gamma(a)} \Bigl(\frac{-i}{t}\Bigr)^b E\Bigl(1 + \frac{iV_b}{t}\Bigr)^{a-1}

exactly, with n = a + b and V a Gamma variable: the path from 0 to 1 goes up from one end and comes down to the other. So each
height is interpolated on panels that grow with t, and integrated against its wave (Gil-Pelaez 1951; see `paired_sums`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.stats.law import Engine
from adjudge.stats.offsets import Rates, density, log_gamma_ratio
from adjudge.stats.paired_sums import Terms, interpolation
from adjudge.stats.series import rule

_APART, _LEAST = 4.0, 40.0  # so many times n, and at least so far out, a rate is taken as two waves
_DEAD = 1e-17  # height at which a wave is left out, and all of them end the integral
_MISSED = 1e-14  # what a panel may miss of any probability
# the end of the first panel, in units of 1 / sd or of 1 / the range, and how much longer each next one is
_FIRST, _SLOW, _GROWTH = 1.2, 30.0, 2.25
_PANELS, _WAVES, _PARTS = 4000, 128, 3
_BELL, _GONE = 60.0, 16.0  # a rate with so many cases of both kinds has nothing left after so many times 1 / sd
_BLOCK = 1 << 15
_TERMS, _UNSEEN = 48, 1e-18  # terms to try of a height as a series in 1/t, and the size of the first that is left out


Wave = tuple[float, AnyArray]
"""The place of a wave, and its heights at the nodes of a panel."""


@dataclass(frozen=True, slots=True, eq=False)
class Waves(Engine):
    """One row by the waves of its characteristic function."""

    half: FloatArray
    middle: FloatArray
    place: FloatArray
    mass: Terms
    density: Terms
    missed: float
    """What the panels or the nodes may miss of a probability."""
    ends: tuple[float, float]
    """The ends of the support."""

    @property
    def flaw(self) -> FloatArray:
        """What lies beyond the ends of the support, or what the panels may miss if more."""
        step = 1e-9 * float(self.high[0] - self.low[0])
        beyond = (abs(self.tail(-step, upper=upper)) for upper in (False, True))
        return np.array([max(*beyond, self.missed)])

    def sf(self, x: FloatArray) -> FloatArray:
        """Return the mass above x."""
        value = np.clip(0.5 + self._integrals(self.mass, x).imag / math.pi, 0.0, 1.0)
        return np.where(x <= self.low[:, None], 1.0, np.where(x >= self.high[:, None], 0.0, value))

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density at x."""
        inside = (x >= self.low[:, None]) & (x <= self.high[:, None])
        return np.where(inside, np.maximum(self._integrals(self.density, x).real / math.pi, 0.0), 0.0)

    def tail(self, gap: float, *, upper: bool) -> float:
        """Return the mass within `gap` of an end of the support, however small a gap the offset from the centre would lose."""
        end = self.ends[1] if upper else self.ends[0]
        away = np.where(np.abs(end - self.place) > 1e-13 * (self.ends[1] - self.ends[0]), end - self.place, 0.0)
        above = 0.5 + self._against(self.mass, (away + (-gap if upper else gap))[None]).imag[0] / math.pi
        return float(above if upper else 1 - above)

    def _integrals(self, terms: Terms, x: FloatArray) -> AnyArray:
        return self._against(terms, x[0][:, None] - self.place)[None]

    def _against(self, terms: Terms, away: FloatArray) -> AnyArray:
        parts = np.array_split(away, 1 + away.size * 40 // _BLOCK)
        found = [(terms.against(part * self.half) * np.exp(-1j * part * self.middle)) @ self.half for part in parts]
        return np.concatenate(found)


class _Rate:
    """The characteristic function of one rate about its centre: as a whole, and as waves."""

    def __init__(self, rates: Rates, k: int) -> None:
        self.one = rates.rows((slice(0, 1), slice(k, k + 1)))
        self.a, self.b, self.weight = float(self.one.a[0, 0]), float(self.one.b[0, 0]), float(self.one.weight[0, 0])
        n = self.a + self.b
        self.apart = max(_APART * n, _LEAST) / self.weight
        self.sd = self.weight * math.sqrt(self.a / n * (self.b / n) / (n + 1))
        self.bell = min(self.a, self.b) > _BELL
        width = float((self.one.high - self.one.low)[0, 0])
        most = _GONE / self.sd if self.bell else _GROWTH * self.apart
        s, rest, weight = rule(self.one.least_exponent, min(0.05, 6 / (100 + most * width)))
        flat = self.one.rows((..., None))
        with np.errstate(divide="ignore"):
            self.nodes = (density(flat, width * s, width * rest) * (width * weight))[0, 0]
        self.offset = np.where(s < rest, flat.low + width * s, flat.high - width * rest)[0, 0]
        self.ends = [self._end(self.a, self.b, upper=False), self._end(self.b, self.a, upper=True)]

    def whole(self, t: FloatArray) -> AnyArray:
        """Return the characteristic function."""
        if self.bell and t[0] >= _GONE / self.sd:
            return np.zeros(t.shape, dtype=complex)
        # nodes lie evenly about the middle of a panel: one half of the waves gives both
        middle, below = (t[0] + t[-1]) / 2, t.size // 2
        turned = np.exp(1j * middle * self.offset) * self.nodes
        waves = np.exp(1j * np.outer(middle - t[:below], self.offset))
        value = np.concatenate([waves.conj() @ turned, np.atleast_1d(turned.sum())[: t.size % 2], (waves @ turned)[::-1]])
        return np.where(t < _GONE / self.sd, value, 0.0) if self.bell else value

    def _end(self, own: float, other: float, *, upper: bool) -> tuple[float, float, FloatArray, FloatArray]:
        """Return the place of a wave, the log of its constant, and nodes and weights of its Gamma variable."""
        s, _, weight = rule(min(own, 1.0), 1 / 32)
        long = 50 + 5 * own
        v = long * s
        with np.errstate(divide="ignore"):
            height = np.exp((own - 1) * np.log(v) - v - math.lgamma(own)) * weight * long
        place = self.weight * float((self.one.rest if upper else -self.one.centre)[0, 0])
        return place, log_gamma_ratio(other, own), v, height

    def waves(self, t: FloatArray) -> list[Wave]:
        """Return what both ends add, those that are not nothing."""
        found = []
        t = self.weight * t
        for (place, constant, v, height), own, other, side in zip(
            self.ends, (self.a, self.b), (self.b, self.a), (1.0, -1.0), strict=True
        ):
            level = constant - own * np.log(t)
            if level.max() > math.log(_DEAD):
                power = _expected_power(own, other, -1j * side / t)
                if power is None:
                    power = np.exp((other - 1) * np.log1p(-1j * side * v / t[:, None])) @ height
                found.append((place, np.exp(level + 0.5j * math.pi * side * own) * power))
        return found


def _expected_power(own: float, other: float, z: AnyArray) -> AnyArray | None:
    """Return E (1 + z V)^(other - 1), V a Gamma(own) variable, as a series in z; None where the terms do not fade in time."""
    n = own + other
    s = np.arange(_TERMS)
    terms = np.cumprod(np.append(1.0, (other - 1 - s) * (own + s) / (s + 1) / n))
    faded = np.flatnonzero(np.abs(terms) * (n * np.abs(z).max()) ** np.arange(_TERMS + 1) < _UNSEEN)
    return None if not faded.size else np.polynomial.polynomial.polyval(n * z, terms[: max(int(faded[0]), 1)])


def rough_sum(rates: Rates) -> Waves | None:
    """Return the distribution of one row of rates that are not tilted; None where it would take too many waves."""
    rows = [_Rate(rates, k) for k in range(rates.a.shape[1])]
    sd, known = math.sqrt(sum(row.sd**2 for row in rows)), interpolation()
    entries: list[tuple[float, float, float, AnyArray]] = []
    # on the first panel, where 1/t is no polynomial, no wave may be fast, from whichever end of the support it is asked
    worst, todo = 0.0, [(0.0, min(_FIRST / sd, _SLOW / float(rates.weight.sum())))]
    while todo and len(entries) < _PANELS:
        low, high = todo.pop()
        half, middle = (high - low) / 2, (high + low) / 2
        waves = _product(rows, low, middle + half * known.nodes)
        if waves is None:
            return None
        missed = max((float(np.abs(known.series[-4:] @ value).max()) * (high - low) / high for _, value in waves), default=0.0)
        if missed > _MISSED and high - low > 1e-3 * high:
            cuts = [low + (high - low) * part / _PARTS for part in range(_PARTS + 1)]
            todo += [(cuts[part], cuts[part + 1]) for part in reversed(range(_PARTS))]
            continue
        worst = max(worst, missed)
        entries += [(half, middle, place, value) for place, value in waves]
        if not todo and waves and math.isfinite(high * _GROWTH**2):
            todo = [(high, high * _GROWTH)]
    if todo:
        return None
    lost = max(abs(float(row.nodes.sum()) - 1) for row in rows)
    return _assembled(rates, entries, max(worst, lost))


def _product(rows: list[_Rate], low: float, t: FloatArray) -> list[Wave] | None:
    """Return the waves of the sum on a panel that begins at `low`; None if there are too many."""
    whole = np.ones(t.shape, dtype=complex)
    for row in rows:
        if low < row.apart:
            whole = whole * row.whole(t)
    waves = [(0.0, whole)]
    for row in rows:
        if low >= row.apart:
            ends = row.waves(t)
            every = [(at + place, value * height) for at, value in waves for place, height in ends]
            waves = []
            for place, value in sorted(every, key=lambda wave: wave[0]):  # those of one place are added
                if np.abs(value).max() <= _DEAD:
                    continue
                if waves and abs(place - waves[-1][0]) < 1e-13 * abs(place):
                    waves[-1] = (waves[-1][0], waves[-1][1] + value)
                else:
                    waves.append((place, value))
            if len(waves) > _WAVES:
                return None
    return [wave for wave in waves if np.abs(wave[1]).max() > _DEAD]


def _assembled(rates: Rates, entries: list[tuple[float, float, float, AnyArray]], missed: float) -> Waves:
    known = interpolation()
    half, middle, place = (np.array([entry[i] for entry in entries], dtype=np.float64) for i in range(3))
    values = np.array([entry[3] for entry in entries])
    t, fine_t = (middle[:, None] + half[:, None] * nodes for nodes in (known.nodes, known.fine))
    fine = values @ known.onto_fine.T
    mass = Terms(fine / fine_t, values / t @ known.series.T)
    low, high = float(rates.low.sum()), float(rates.high.sum())
    rough = np.unique(place[(place > low) & (place < high)])
    rough = rough[np.diff(rough, append=np.inf) > 1e-12 * (high - low)]
    marks = np.concatenate([[low], rough, [high]])[None]
    ends = float(-(rates.weight * rates.centre).sum()), float((rates.weight * rates.rest).sum())
    return Waves(marks, half, middle, place, mass, Terms(fine, values @ known.series.T), missed, ends)
