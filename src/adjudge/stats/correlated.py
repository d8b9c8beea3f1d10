"""Mean of scores over resampled splits, whose training rows overlap.

Splits share training rows, so their scores agree more than independent ones would and the textbook variance of
the mean is too small. Arrays in, numbers out; no learners, no frames.
"""

from __future__ import annotations

import math

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError


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
    if not 0 < test_share < 1:
        msg = f"test_share must lie strictly between 0 and 1, got {test_share}. Ten folds test 0.1."
        raise InputError(msg)
    if values.size < 2:  # noqa: PLR2004 - one value has no spread
        msg = f"The variance of a mean over splits needs at least two of them, got {values.size}."
        raise InputError(msg)
    inflation = 1 / values.size + test_share / (1 - test_share)
    return float(inflation * values.var(ddof=1))


def corrected_limits(values: FloatArray, *, test_share: float, level: float = 0.95) -> tuple[float, float]:
    """Return the limits of the mean of correlated `values`: Student's t with J - 1 degrees of freedom."""
    from scipy.special import stdtrit

    half = float(stdtrit(values.size - 1, (1 + level) / 2)) * math.sqrt(corrected_variance(values, test_share=test_share))
    mean = float(values.mean())
    return mean - half, mean + half
