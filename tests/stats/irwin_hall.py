"""Sums of independent uniform variables in exact fractions: an oracle of sums of rates with a flat prior."""

from fractions import Fraction
from math import comb, factorial, floor


def above(x: float, k: int) -> float:
    """Return P(U_1 + ... + U_k > x)."""
    rest = Fraction(k) - Fraction(x)  # by symmetry, and no digit of a far tail cancels
    terms = (Fraction((-1) ** j * comb(k, j)) * (rest - j) ** k for j in range(floor(rest) + 1)) if rest > 0 else ()
    return float(sum(terms, Fraction(0)) / factorial(k))
