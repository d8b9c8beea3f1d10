r"""Sums of rates from their characteristic function: as a Fourier series and, of rough ones with mass at the ends, by waves.

.. math:: E\,e^{itA} = \frac{\Gamma(n)}{\Gamma(b)} \Bigl(\frac{i}{t}\Bigr)^a E\Bigl(1 - \frac{iV_a}{t}\Bigr)^{b-1}
          + e^{it}\,\frac{\Gamma(n)}{\Gamma(a)} \Bigl(\frac{-i}{t}\Bigr)^b E\Bigl(1 + \frac{iV_b}{t}\Bigr)^{a-1}

exactly, with n = a + b and V a Gamma variable: one wave for each end, with heights that are smooth in log t and interpolated on
panels that grow with t (Gil-Pelaez 1951; see `paired_sums`).
"""

from __future__ import annotations

import math

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray
from adjudge._base.records import dataclass
from adjudge.stats.distribution import Engine
from adjudge.stats.numerics import Terms, interpolation, rule
from adjudge.stats.offsets import Rates, extent, log_gamma_ratio, mass_at_nodes, mirrored

_NEGLIGIBLE = 2e-16
_SLACK = 1.02
_TINY = 1e-300
_AT_ONCE = 1024  # nodes at most whose turns are held together, so that they stay in the cache
_ONE_THREAD = 1 << 16  # complex multiplications up to which BLAS starts no threads, which wait for each other on a busy machine
_APART, _LEAST = 4.0, 40.0  # so many times n, and at least so far out, a rate is taken as two waves
_NOTHING = 1e-20  # mass of a node beyond which no others are looked at
_DEAD = 1e-17  # height at which a wave is left out, and all of them end the integral
_MISSED = 1e-14  # what a panel may miss of any probability
# the end of the first panel, in units of 1 / sd or of 1 / the range, and how much longer each next one is
_FIRST, _SLOW, _GROWTH = 1.2, 30.0, 2.25
_PANELS, _WAVES, _PARTS = 4000, 128, 3
_BELL, _GONE = 60.0, 16.0  # a rate with so many cases of both kinds has nothing left after so many times 1 / sd
_POWERS, _UNSEEN = 48, 1e-18  # terms to try of a height as a series in 1/t, and the size of the first that is left out


Wave = tuple[float, AnyArray]
"""The place of a wave, and its heights at the nodes of a panel."""


@dataclass(frozen=True, slots=True, eq=False)
class Fourier(Engine):
    """One series for each row; nothing is rough between the two ends."""

    omega: FloatArray
    terms: AnyArray

    @property
    def converged(self) -> BoolArray:
        """Whether the terms left out are beneath rounding."""
        last = max(4, self.terms.shape[1] // 8)
        return np.asarray(np.abs(self.terms[:, -last:]).max(1) < _NEGLIGIBLE * np.abs(self.terms[:, 0]))

    @property
    def flaw(self) -> FloatArray:
        """How far the mass is from 1, what a density alive at the ends shows of a cut tail, and what the series leaves out."""
        ends = np.abs(self.pdf(self.marks)).max(1) * (self.high - self.low)
        return np.asarray(np.maximum(np.maximum(np.abs(self.terms[:, 0] - 1), ends), self.left_out))

    @property
    def left_out(self) -> FloatArray:
        """What the terms left out may add to a probability, if they fall like the last ones."""
        half, last = (np.abs(part).max(1) for part in np.array_split(self.terms[:, self.terms.shape[1] // 2 :], 2, axis=1))
        power = np.log(np.maximum(half, _TINY) / np.maximum(last, _TINY)) / math.log(4 / 3)
        return np.asarray(np.abs(self.terms[:, -max(4, self.terms.shape[1] // 8) :]).max(1) / (math.pi * np.maximum(power, 0.1)))

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density at x."""
        factors = np.full(self.terms.shape[1], 2.0)
        factors[0] = 1.0
        value = self._summed(self.terms * factors, x) * (self.omega / (2 * math.pi))[:, None]
        return np.where((x >= self.low[:, None]) & (x <= self.high[:, None]), np.maximum(value, 0.0), 0.0)

    def sf(self, x: FloatArray) -> FloatArray:
        """Return the mass above x."""
        x = np.clip(x, self.low[:, None], self.high[:, None])
        orders = np.arange(1, self.terms.shape[1])
        integrated = np.zeros_like(self.terms)
        integrated[:, 1:] = self.terms[:, 1:] / (1j * math.pi * orders)
        straight = (self.high[:, None] - x) * (self.omega / (2 * math.pi))[:, None] * self.terms[:, :1].real
        return np.asarray(straight + self._summed(integrated, x) - self._summed(integrated, self.high[:, None]))

    def rows(self, which: BoolArray) -> Fourier:
        """Return some rows."""
        return Fourier(self.marks[which], self.omega[which], self.terms[which])

    def _summed(self, terms: AnyArray, x: FloatArray) -> FloatArray:
        angle = (self.omega[:, None] * x)[..., None] * np.arange(terms.shape[1])
        even = np.einsum("rm,rpm->rp", terms.real, np.cos(angle))
        return np.asarray(even + np.einsum("rm,rpm->rp", terms.imag, np.sin(angle)))


def reach(rates: Rates) -> tuple[FloatArray, FloatArray]:
    """Return the offsets between which the sum of each row has its mass."""
    return -extent(mirrored(rates)), extent(rates)


def fourier(rates: Rates, ends: tuple[FloatArray, FloatArray], orders: int) -> Fourier:
    """Return the series between two ends up to a number of terms."""
    low, high = ends
    omega, mass, angle = _angles(rates, ends, orders)
    turn = np.exp(1j * angle)
    size = min(_AT_ONCE, max(_ONE_THREAD // (math.isqrt(orders) + 1) ** 2, 1))
    parts = range(0, mass.shape[1], size)
    characteristic = sum(_powers(mass[:, i : i + size], turn[:, i : i + size], orders + 1) for i in parts)
    # the characteristic function of each row at 0, omega, 2 omega, ...
    return Fourier(np.stack([low, high], axis=1), omega, np.reshape(characteristic, (*rates.a.shape, orders + 1)).prod(1))


def fades(rates: Rates, ends: tuple[FloatArray, FloatArray], orders: int) -> BoolArray:
    """Return whether the last term of each series is beneath rounding: without it the series has not converged."""
    _, mass, angle = _angles(rates, ends, orders)
    last = np.hypot((mass * np.cos(orders * angle)).sum(1), (mass * np.sin(orders * angle)).sum(1))
    return np.asarray(last.reshape(rates.a.shape).prod(1) < 2 * _NEGLIGIBLE)


def _angles(rates: Rates, ends: tuple[FloatArray, FloatArray], orders: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the first frequency of each row and, rows and rates as one list, the mass and the angle of its wave at nodes."""
    low, high = ends
    omega = 2 * math.pi / (_SLACK * (high - low))
    turns = float(((rates.high - rates.low) * omega[:, None]).max()) * orders
    mass, offset = (part.reshape(-1, part.shape[-1]) for part in mass_at_nodes(rates, _step(turns)))
    return omega, mass, np.repeat(omega, rates.a.shape[1])[:, None] * offset


def _step(turns: float) -> float:
    """Return the step of a rule that integrates a density against a wave of so many radians across its window."""
    return min(0.05, 6 / (100 + turns))


def _powers(mass: FloatArray, turn: AnyArray, count: int) -> AnyArray:
    """Return the sums of `mass` times 0, 1, 2, ... turns: short steps times long ones, as one product of matrices."""
    short = math.isqrt(count - 1) + 1
    steps = np.empty((short, *turn.shape), dtype=complex)
    steps[0] = 1
    for m in range(1, short):
        np.multiply(steps[m - 1], turn, out=steps[m])
    long, now = steps[-1] * turn, mass.astype(complex)
    leaps = np.empty((-(-count // short), *turn.shape), dtype=complex)
    for m in range(len(leaps)):
        leaps[m] = now
        now *= long
    products = np.matmul(leaps.transpose(1, 0, 2), steps.transpose(1, 2, 0))
    return np.asarray(products.reshape(len(turn), -1)[:, :count])


@dataclass(frozen=True, slots=True, eq=False)
class Panels(Engine):
    """One row by its characteristic function, on panels of waves about their places; it has no mass outside its window."""

    window: tuple[float, float]
    half: FloatArray
    middle: FloatArray
    place: FloatArray
    mass: Terms
    density: Terms
    missed: float  # of a probability, by the panels or the nodes

    @property
    def flaw(self) -> FloatArray:
        """By how much the probabilities at the ends of the window are not 1 and 0, or what the panels may miss if more."""
        above = self._above(np.array([self.window]))
        return np.maximum(np.maximum(np.abs(above[:, 0] - 1), np.abs(above[:, 1])), self.missed)

    def sf(self, x: FloatArray) -> FloatArray:
        """Return the mass above x."""
        value = np.clip(self._above(np.clip(x, *self.window)), 0.0, 1.0)
        return np.where(x <= self.window[0], 1.0, np.where(x >= self.window[1], 0.0, value))

    def pdf(self, x: FloatArray) -> FloatArray:
        """Return the density at x."""
        value = self._integrals(self.density, np.clip(x, *self.window)).real / math.pi
        return np.where((x >= self.window[0]) & (x <= self.window[1]), np.maximum(value, 0.0), 0.0)

    def _above(self, x: FloatArray) -> FloatArray:
        return np.asarray(0.5 + self._integrals(self.mass, x).imag / math.pi)

    def _integrals(self, terms: Terms, x: FloatArray) -> AnyArray:
        return terms.integrals(x[0][:, None] - self.place, self.half, self.middle)[None]


@dataclass(frozen=True, slots=True, eq=False)
class Waves(Panels):
    """One row of rates, by one wave for each end of each of them; `ends` are those of the support."""

    ends: tuple[float, float]

    @property
    def flaw(self) -> FloatArray:
        """What lies beyond the ends of the support, or what the panels may miss if more."""
        step = 1e-9 * float(self.high[0] - self.low[0])
        return np.array([max(*(abs(self.tail(-step, upper=upper)) for upper in (False, True)), self.missed)])

    def tail(self, gap: float, *, upper: bool) -> float:
        """Return the mass within `gap` of an end of the support, however small a gap the offset from the centre would lose."""
        end = self.ends[1] if upper else self.ends[0]
        away = np.where(np.abs(end - self.place) > 1e-13 * (self.ends[1] - self.ends[0]), end - self.place, 0.0)
        above = 0.5 + self.mass.integrals((away + (-gap if upper else gap))[None], self.half, self.middle).imag[0] / math.pi
        return float(above if upper else 1 - above)


class _Rate:
    """The characteristic function of one rate about its centre: as a whole, and as waves."""

    def __init__(self, rates: Rates, k: int) -> None:
        self.one = rates.rows((slice(0, 1), slice(k, k + 1)))
        self.a, self.b, self.weight = float(self.one.a[0, 0]), float(self.one.b[0, 0]), float(self.one.weight[0, 0])
        n = self.a + self.b
        self.apart = max(_APART * n, _LEAST) / self.weight
        self.sd = self.weight * math.sqrt(self.a / n * (self.b / n) / (n + 1))
        self.bell = min(self.a, self.b) > _BELL
        self.width = float((self.one.high - self.one.low)[0, 0])
        most = _GONE / self.sd if self.bell else _GROWTH * self.apart
        self.step = _step(most * self.width)
        nodes, offset = (part[0, 0] for part in mass_at_nodes(self.one, self.step))
        self.missed, seen = abs(float(nodes.sum()) - 1), np.flatnonzero(nodes > _NOTHING)
        self.nodes, self.offset = (part[seen[0] : seen[-1] + 1] for part in (nodes, offset))
        self.ends = [self._end(self.a, self.b, upper=False), self._end(self.b, self.a, upper=True)]

    def whole(self, t: FloatArray) -> AnyArray:
        """Return the characteristic function."""
        if self.bell and t[0] >= _GONE / self.sd:
            return np.zeros(t.shape, dtype=complex)
        # slow waves need few of the nodes: those that a rule of a longer step would have
        stride = max(int(_step(float(t[-1]) * self.width) / self.step), 1)
        every = slice(self.nodes.size // 2 % stride, None, stride)
        nodes, offset = stride * self.nodes[every], self.offset[every]
        # the points of a panel, an even number, lie evenly about its middle: one half of the waves gives both
        middle = (t[0] + t[-1]) / 2
        phase, angle = middle * offset, (middle - t[: t.size // 2])[:, None] * offset
        turned = np.array([np.cos(phase), np.sin(phase)]) * nodes
        (even, even_i), (odd, odd_i) = (np.array([np.cos(angle), np.sin(angle)]) @ turned.T).transpose(0, 2, 1)
        value = np.concatenate([even + odd_i + 1j * (even_i - odd), (even - odd_i + 1j * (even_i + odd))[::-1]])
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
        waves = []
        t = self.weight * t
        for (place, constant, v, height), own, other, side in zip(
            self.ends, (self.a, self.b), (self.b, self.a), (1.0, -1.0), strict=True
        ):
            level = constant - own * np.log(t)
            if level.max() > math.log(_DEAD):
                # E (1 + z V)^(other - 1), V a Gamma(own) variable, as a series in z where its terms fade in time
                n, z, s = own + other, -1j * side / t, np.arange(_POWERS)
                terms = np.cumprod(np.append(1.0, (other - 1 - s) * (own + s) / (s + 1) / n))
                faded = np.flatnonzero(np.abs(terms) * (n * np.abs(z).max()) ** np.arange(_POWERS + 1) < _UNSEEN)
                if faded.size:
                    power = np.polynomial.polynomial.polyval(n * z, terms[: max(int(faded[0]), 1)])
                else:
                    power = (np.exp((other - 1) * np.log1p(-1j * side * v / t[:, None])) * height).sum(axis=1)
                waves.append((place, np.exp(level + 0.5j * math.pi * side * own) * power))
        return waves


def rough_sum(rates: Rates) -> Waves | None:
    """Return the distribution of one row of rates that are not tilted; None where it would take too many waves."""
    alike = np.stack([rates.a[0], rates.b[0], np.broadcast_to(rates.weight, rates.a.shape)[0]], axis=1)
    _, first, which = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    each = [_Rate(rates, int(k)) for k in first]
    rows = [each[at] for at in which.ravel().tolist()]  # classes of equal counts are worked out once
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
    lost = max(row.missed for row in rows)
    halves, middles, places = (np.array([entry[i] for entry in entries], dtype=np.float64) for i in range(3))
    terms = known.terms(halves, middles, np.array([entry[3] for entry in entries]))
    low, high = float(rates.low.sum()), float(rates.high.sum())
    rough = np.unique(places[(places > low) & (places < high)])
    rough = rough[np.diff(rough, append=np.inf) > 1e-12 * (high - low)]
    marks = np.concatenate([[low], rough, [high]])[None]
    ends = float(-(rates.weight * rates.centre).sum()), float((rates.weight * rates.rest).sum())
    return Waves(marks, (low, high), halves, middles, places, *terms, max(worst, lost), ends)


def _product(rows: list[_Rate], low: float, t: FloatArray) -> list[Wave] | None:
    """Return the waves of the sum on a panel that begins at `low`; None if there are too many."""
    whole, different = np.ones(t.shape, dtype=complex), {id(row): row for row in rows}
    values = {key: row.whole(t) for key, row in different.items() if low < row.apart}
    ends = {key: row.waves(t) for key, row in different.items() if key not in values}
    for row in rows:
        if id(row) in values:
            whole = whole * values[id(row)]
    waves = [(0.0, whole)]
    for row in rows:
        if id(row) in ends:
            every = [(at + place, value * height) for at, value in waves for place, height in ends[id(row)]]
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
