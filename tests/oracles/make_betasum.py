"""Make betasum.json: distributions of sums of Beta rates by quadrature with 40 digits (mpmath, no code of ours).

Run `python tests/oracles/make_betasum.py` from the root of the project; it takes a few minutes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from mpmath import asin, beta, betainc, e, ellipk, linspace, log, loggamma, mp, mpf, nstr, pi, quad, re, sqrt, workdps

mp.dps = 40

Function = Callable[[mpf], mpf]

PAIRS = [
    # name, a, b, weights, points
    ("jeffreys C2", [40.5, 2.5], [5.5, 8.5], [0.5, 0.5], [0.3, 0.5, 0.55, 0.9]),
    ("jeffreys, both perfect", [69.5, 50.5], [0.5, 0.5], [0.5, 0.5], [0.8, 0.98, 0.999]),
    ("jeffreys, one perfect", [20.5, 11.5], [0.5, 3.5], [0.5, 0.5], [0.6, 0.85, 0.97]),
    ("jeffreys, costs", [20.5, 2.5], [0.5, 8.5], [0.25, 0.75], [0.2, 0.375, 0.6]),
    ("jeffreys, no data", [0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0.01, 0.3, 0.49]),
    ("jeffreys, one class empty", [30.5, 0.5], [4.5, 0.5], [0.5, 0.5], [0.3, 0.45, 0.8]),
    ("fractional", [1.37, 2.2], [0.9, 11.1], [0.6, 0.4], [0.1, 0.4, 0.7]),
    ("1e9 beside 3", [9e8 + 1, 3.0], [1e8 + 1, 2.0], [0.5, 0.5], [0.5, 0.75, 0.9]),
    ("1e9 perfect beside 3", [1e9 + 1, 3.0], [1.0, 2.0], [0.5, 0.5], [0.6, 0.75, 0.99]),
]

WEAK = [("weak priors", [0.3, 0.4], [0.35, 0.3], [0.5, 0.5], [0.001, 0.4, 0.75])]

TAILS = [
    ("far 1", [701.0, 651.0], [11.0, 21.0], [0.5, 0.5], [0.5, 0.6]),
    ("far 2", [90.5, 95.5], [10.5, 5.5], [0.5, 0.5], [0.01, 0.2, 0.5, 0.999]),
    ("far, one class thin", [300.5, 2.5], [0.5, 2.5], [0.5, 0.5], [0.1, 0.4]),
    ("far, costs", [120.0, 60.0], [31.0, 5.0], [0.8, 0.2], [0.1, 0.3, 0.99]),
]

TRIPLES = [
    # the first two rates are Beta(1/2, 1/2) with one weight: the density of their sum is an elliptic integral
    ("jeffreys, three empty", [0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0.3, 0.3, 0.4], [0.05, 0.2, 0.45]),
    ("jeffreys, two empty, one perfect", [0.5, 0.5, 3.5], [0.5, 0.5, 0.5], [0.25, 0.25, 0.5], [0.3, 0.5, 0.8]),
]


def density(a: float, b: float) -> Function:
    """Return the density of Beta(a, b); nodes rounded to an end stay within it."""
    a, b = mpf(a), mpf(b)
    constant = loggamma(a) + loggamma(b) - loggamma(a + b)
    return lambda y: e ** ((a - 1) * log(max(y, mp.eps**2)) + (b - 1) * log(max(1 - y, mp.eps)) - constant)


def below(a: float, b: float) -> Function:
    """Return the distribution function of Beta(a, b)."""
    if a == b == 0.5:
        return lambda y: 2 / pi * asin(sqrt(y))
    return lambda y: re(betainc(mpf(a), mpf(b), 0, y)) / beta(mpf(a), mpf(b))


def cuts(low: mpf, high: mpf, a: float, b: float, pieces: int = 3) -> list[mpf]:
    """Return break points between two rates: equal ones, and some around the bulk of Beta(a, b)."""
    a, b = mpf(a), mpf(b)
    mean, sd = a / (a + b), sqrt(a * b / (a + b + 1)) / (a + b)
    bulk = [mean + k * sd for k in (-25, -10, -5, 0, 5, 10, 25)]
    far = [1 - mpf(10) ** -k for k in (7, 8, 9, 10)] if b <= 1 and a > 1e6 else []
    inner = [c for c in [*linspace(low, high, pieces + 1)[1:-1], *bulk, *far] if low < c < high]
    return [low, *sorted(inner), high]


def scaled_quad(function: Function, places: list[mpf]) -> mpf:
    """Integrate a function of any size: quad stops at absolute, not relative errors."""
    inner = [low + (high - low) * k / 8 for low, high in pairwise(places) for k in range(1, 8)]
    scale = max(function(u) for u in inner)
    return scale * quad(lambda u: function(u) / scale, places)


def lower_pair(a: list[float], b: list[float], w: list[float], x: float) -> mpf:
    """Return P(w1 A1 + w2 A2 <= x), integrating over the first rate."""
    w1, w2, x = mpf(w[0]), mpf(w[1]), mpf(x)
    f, F = density(a[0], b[0]), below(a[1], b[1])
    start, stop = max(mpf(0), (x - w2) / w1), min(mpf(1), x / w1)
    certain = below(a[0], b[0])(start) if start > 0 and a[0] < 1e6 else mpf(0)
    if start > 0 and a[0] >= 1e6:
        certain = quad(f, cuts(mpf(0), start, a[0], b[0]))
    return certain + scaled_quad(lambda u: f(u) * F(min((x - w1 * u) / w2, mpf(1))), cuts(start, stop, a[0], b[0]))


def lower_triple(a: list[float], b: list[float], w: list[float], x: float) -> mpf:
    """Return P(X <= x) where the first two rates are arcsine distributions of equal weight.

    On [-1, 1] the sum Z of two arcsine variables has the density K(1 - z^2 / 4) / pi^2, K the complete elliptic integral.
    """
    w1, w3, x = mpf(w[0]), mpf(w[2]), mpf(x)
    F = below(a[2], b[2])
    places = sorted({mpf(-2), mpf(0), mpf(2), *(c for c in (2 * (x / w1 - 1), 2 * ((x - w3) / w1 - 1)) if -2 < c < 2)})

    def part(z: mpf) -> mpf:
        left = min(max((x - w1 * (1 + z / 2)) / w3, mpf(0)), mpf(1))
        peak = ellipk(1 - z * z / 4) if abs(z) > mp.eps ** mpf(0.4) else log(8 / abs(z))
        return peak / pi**2 * F(left)

    return quad(part, places)


def mirrored(a: list[float], b: list[float], w: list[float], x: float) -> tuple[list[float], list[float], list[float], mpf]:
    """Return the same question about the opposite outcomes."""
    return b, a, w, mpf(w[0]) + mpf(w[1]) - mpf(x)


def main() -> None:
    """Write the file."""
    cases = []
    for name, a, b, w, points in [*PAIRS, *WEAK]:
        # nodes cannot come nearer to 1 than the precision, and weak priors have mass there
        with workdps(90 if (name, a, b, w, points) in WEAK else 40):
            cdf = [nstr(lower_pair(a, b, w, x), 25) for x in points]
        cases.append({"name": name, "a": a, "b": b, "weights": w, "x": points, "cdf": cdf})
    for name, a, b, w, points in TAILS:
        logcdf = [nstr(log(lower_pair(a, b, w, x)), 25) for x in points]
        logsf = [nstr(log(lower_pair(*mirrored(a, b, w, x))), 25) for x in points]
        cases.append({"name": name, "a": a, "b": b, "weights": w, "x": points, "logcdf": logcdf, "logsf": logsf})
    for name, a, b, w, points in TRIPLES:
        cdf = [nstr(lower_triple(a, b, w, x), 25) for x in points]
        cases.append({"name": name, "a": a, "b": b, "weights": w, "x": points, "cdf": cdf})
    Path(__file__).with_name("betasum.json").write_text(json.dumps(cases, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
