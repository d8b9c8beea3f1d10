"""Put together what a learner scored on cases it saw and on cases it did not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.errors import InputError

UNSEEN, SEEN = 0.632, 0.368
"""The weights of Efron (1983), as printed; 1 - 1/e differs in the fourth digit."""


def combine_632(test: Any, train: Any) -> float:
    r"""Return the .632 estimate: the mean over rounds of .632 `test` + .368 `train`.

    Parameters
    ----------
    test : array-like
        The accuracy (or any other measure) of each round on the cases it did not draw.
    train : array-like
        That of each round on all cases; or, for the form of Efron (1983, JASA 78:316-331), the one value of a learner
        on the cases it learnt from.

    >>> round(combine_632([0.5, 0.5], [1.0, 1.0]), 3)
    0.684
    """
    unseen, seen = _rounds("test", test), _rounds("train", train)
    if seen.size not in (1, unseen.size):
        msg = f"train must hold one value per round of test, or one for all; got {seen.size} for {unseen.size} rounds."
        raise InputError(msg)
    return float(np.mean(UNSEEN * unseen + SEEN * seen))


def _rounds(name: str, values: Any) -> FloatArray:
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if array.ndim != 1 or not array.size or not np.all(np.isfinite(array)):
        msg = f"{name} must hold one finite number per round; got shape {array.shape}. Leave rounds without a value out."
        raise InputError(msg)
    return array


def combine_632plus(*, resubstitution: float, out_of_bag: float, no_information: float) -> float:
    r"""Return the .632+ estimate of an error rate.

    With the errors :math:`\overline{err}` on the training cases, :math:`Err^{(1)}` on the cases left out and :math:`\gamma`
    where decisions and truth are unrelated, :math:`Err' = \min(Err^{(1)}, \gamma)` and

    .. math:: R' = \frac{Err' - \overline{err}}{\gamma - \overline{err}}, \quad
              Err^{.632+} = .368\, \overline{err} + .632\, Err^{(1)}
                            + (Err' - \overline{err})\, \frac{.368 \cdot .632\, R'}{1 - .368 R'} .

    R' is 0 unless both :math:`Err^{(1)}` and :math:`\gamma` exceed :math:`\overline{err}`; the estimate is then that of .632.
    Efron and Tibshirani (1997), JASA 92:548-560, equation 32. A learner that remembers its cases has no resubstitution error
    to speak of; R' then leans towards the cases left out.

    >>> round(combine_632plus(resubstitution=0.0, out_of_bag=0.45, no_information=0.5), 4)
    0.4252
    >>> round(combine_632plus(resubstitution=0.3, out_of_bag=0.35, no_information=0.25), 4)
    0.3316
    """
    told = {"resubstitution": resubstitution, "out_of_bag": out_of_bag, "no_information": no_information}
    for name, value in told.items():
        if not 0 <= value <= 1:
            msg = f"{name} must be an error rate between 0 and 1, got {value}. An accuracy a is the error 1 - a."
            raise InputError(msg)
    capped = min(out_of_bag, no_information)
    if capped <= resubstitution:
        return combine_632(out_of_bag, resubstitution)
    overfitting = (capped - resubstitution) / (no_information - resubstitution)
    correction = (capped - resubstitution) * SEEN * UNSEEN * overfitting / (1 - SEEN * overfitting)
    return combine_632(out_of_bag, resubstitution) + correction


def out_of_bag_share(n: int) -> float:
    """Return the share of n cases that n draws with replacement leave out on average, (1 - 1/n)^n; 1/e for many.

    >>> round(out_of_bag_share(10), 4)
    0.3487
    """
    if n < 1:
        msg = f"n must be at least 1, got {n}."
        raise InputError(msg)
    return math.exp(n * math.log1p(-1 / n)) if n > 1 else 0.0
