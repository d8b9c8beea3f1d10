"""Mean of scores over resampled splits, whose training rows overlap.

Splits share training rows, so their scores agree more than independent ones would and the textbook variance of
the mean is too small. Arrays in, numbers out; no learners, no frames.
"""

from __future__ import annotations

import math

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError
from adjudge.stats.student import PointLaw, StudentLaw


def corrected_variance(values: FloatArray, *, test_share: float) -> float:
    r"""Return the variance of the mean of correlated `values`, one per split.

    For :math:`J` splits with sample variance :math:`s^2`, each testing a share :math:`\rho` of its rows,

    .. math:: \operatorname{Var}(\bar d) = \Bigl(\frac{1}{J} + \frac{\rho}{1-\rho}\Bigr)\, s^2 .

    The second term is a heuristic for the unknown correlation between splits; at :math:`\rho \to 0` the textbook
    variance returns. Nadeau and Bengio (2003), Mach. Learn. 52:239-281.

    >>> import numpy as np
    >>> round(corrected_variance(np.array([0.1, 0.3]), test_share=0.5), 6)
    0.03
    """
    return float(inflation(values.size, test_share=test_share) * values.var(ddof=1))


def inflation(splits: int, *, test_share: float) -> float:
    """Return how many times the variance of one split's value the mean of all `splits` has; see `corrected_variance`.

    >>> inflation(10, test_share=0.5)
    1.1
    """
    if not 0 < test_share < 1:
        msg = f"test_share must lie strictly between 0 and 1, got {test_share}. Ten folds test 0.1."
        raise InputError(msg)
    if splits < 2:  # noqa: PLR2004 - one value has no spread
        msg = f"The variance of a mean over splits needs at least two of them, got {splits}."
        raise InputError(msg)
    return 1 / splits + test_share / (1 - test_share)


def corrected_limits(values: FloatArray, *, test_share: float, level: float = 0.95) -> tuple[float, float]:
    """Return the limits of the mean of correlated `values`: Student's t with J - 1 degrees of freedom.

    Equal values leave no width at all, not one of rounding.
    """
    return limits_around(*mean_and_spread(values), values.size, test_share=test_share, level=level)


def limits_around(mean: float, spread: float, splits: int, *, test_share: float, level: float = 0.95) -> tuple[float, float]:
    """Return the same from the mean and the standard deviation of the values of so many splits."""
    from scipy.special import stdtrit

    factor = inflation(splits, test_share=test_share)
    half = float(stdtrit(splits - 1, (1 + level) / 2)) * spread * math.sqrt(factor)
    return mean - half, mean + half


def mean_and_spread(values: FloatArray) -> tuple[float, float]:
    """Return the mean and the standard deviation (divisor n - 1), however large or small the values.

    Equal values have themselves as mean and a spread of exactly 0, which sums of rounded numbers would miss.
    """
    numbers = values.tolist()
    low, high = min(numbers), max(numbers)
    if low == high:
        return low, 0.0
    unit = 2.0 ** (math.frexp(max(-low, high))[1] - 1)  # a power of 2 rounds nothing, and squares stay in range
    scaled = [number / unit for number in numbers]
    mean = math.fsum(scaled) / len(scaled)
    return mean * unit, math.sqrt(math.fsum((each - mean) ** 2 for each in scaled) / (len(scaled) - 1)) * unit


def correlated_law(values: FloatArray, *, test_share: float) -> StudentLaw | PointLaw:
    r"""Return what to believe of the mean that correlated `values`, one per split, are scattered around.

    Student's t around their mean with J - 1 degrees of freedom and the scale :math:`\sqrt{\operatorname{Var}(\bar d)}` of
    `corrected_variance`; values that are all alike leave no doubt.
    Corani and Benavoli (2015), Mach. Learn. 100:285-304.
    """
    factor = inflation(values.size, test_share=test_share)
    mean, spread = mean_and_spread(values)
    return StudentLaw(mean, spread * math.sqrt(factor), values.size - 1) if spread else PointLaw(mean)
