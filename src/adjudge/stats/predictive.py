"""What a decision is worth at a prevalence: predictive values from the two rates of a test, with limits.

Closed forms throughout, so that a page can work them out again as its reader moves a slider. Arguments are trusted.
"""

from __future__ import annotations

import math

Limits = tuple[float, float, float]
"""An estimate and its two limits."""


def ratio_limits(one: Limits, other: Limits) -> tuple[float, float]:
    r"""Return the limits of the ratio of two independent shares from the limits of each.

    .. math:: L = \frac{l_1 (2\theta_1 - l_1)}{\theta_1\theta_2 + \sqrt{\theta_1^2\theta_2^2 - l_1 (2\theta_1 - l_1)\, u_2 (2\theta_2 - u_2)}},
              \quad
              U = \frac{\theta_1\theta_2 + \sqrt{\theta_1^2\theta_2^2 - u_1 (2\theta_1 - u_1)\, l_2 (2\theta_2 - l_2)}}{l_2 (2\theta_2 - l_2)}

    Donner and Zou (2012), Stat. Methods Med. Res. 21:347-359, the lower one written so that nothing is divided by 0. Where
    the second share may be 0 there is no upper limit.

    >>> [round(limit, 3) for limit in ratio_limits((0.8, 0.7, 0.9), (0.1, 0.05, 0.2))]
    [3.937, 16.124]
    """  # noqa: E501 - a formula
    (first, low, high), (second, least, most) = one, other
    product = first * second
    rise, fall = low * (2 * first - low), high * (2 * first - high)
    wide, narrow = most * (2 * second - most), least * (2 * second - least)
    below = product + math.sqrt(max(product * product - rise * wide, 0.0))
    above = product + math.sqrt(max(product * product - fall * narrow, 0.0))
    return (rise / below if below > 0 else 0.0), (above / narrow if narrow > 0 else math.inf)


def predictive_value(hits: float, alarms: float, prevalence: float) -> float:
    r"""Return the share of right calls, :math:`\pi t / (\pi t + (1 - \pi) f)`; NaN where nobody is called.

    >>> predictive_value(0.5, 0.5, 0.2)
    0.2
    """
    right, wrong = prevalence * hits, (1 - prevalence) * alarms
    return right / (right + wrong) if right + wrong > 0 else math.nan


def predictive_limits(hits: Limits, alarms: Limits, prevalence: float) -> tuple[float, float]:
    r"""Return the limits of a predictive value at a prevalence :math:`\pi` taken as known.

    .. math:: \frac{\pi}{\pi + (1 - \pi) / \lambda}, \quad \lambda = t / f ,

    rises with the likelihood ratio :math:`\lambda`, so it has the limits of that (`ratio_limits`).

    >>> [round(limit, 3) for limit in predictive_limits((0.8, 0.7, 0.9), (0.1, 0.05, 0.2), 0.1)]
    [0.304, 0.642]
    """
    low, high = ratio_limits(hits, alarms)
    return _at(low, prevalence), _at(high, prevalence)


def _at(ratio: float, prevalence: float) -> float:
    if math.isinf(ratio):
        return 1.0 if prevalence > 0 else 0.0
    right = prevalence * ratio
    return right / (right + (1 - prevalence)) if right > 0 else 0.0
