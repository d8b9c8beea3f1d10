"""Small examples of the statistics, as a reader would try them, each a doctest."""

from __future__ import annotations


def examples_of_auc_intervals():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.auc_intervals import delong, newcombe_interval
    >>> area, variance = delong(np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, True, False, True]))
    >>> area, variance
    (0.875, 0.03125)
    >>> [round(limit, 4) for limit in newcombe_interval(1.0, 10, 10)]
    [0.8002, 1.0]
    """


def examples_of_bands():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.bands import cell_replicates, dkw_margin, roc_band, roc_margins
    >>> round(dkw_margin(100), 4)
    0.1358
    >>> [round(margin, 4) for margin in roc_margins(100, 400)]
    [0.1478, 0.0739]
    >>> band = roc_band(np.array([0, 0.1, 1]), np.array([0, 0.9, 1]), 1e4, 1e4)
    >>> band.high.round(3).tolist()
    [[0.0, 0.0], [0.0, 0.015], [0.085, 0.015], [0.085, 0.915], [0.985, 0.915], [0.985, 1.0], [1.0, 1.0]]
    >>> accuracy = lambda tables: np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2))
    >>> float(cell_replicates(np.diag([3, 4]), accuracy, 5, np.random.default_rng(1)).min())
    1.0
    """


def examples_of_beta():
    """Try them.

    >>> from adjudge.stats.distribution import BetaDistribution
    >>> BetaDistribution(3, 9).mean
    0.25
    """


def examples_of_betasum():
    """Try them.

    >>> from adjudge.stats.betasum import beta_sum, beta_sums
    >>> distribution = beta_sum([41, 3], [6, 9], [0.5, 0.5])
    >>> round(distribution.mean, 6), round(distribution.median, 6), round(distribution.sf(0.5), 6)
    (0.56117, 0.555343, 0.825992)
    >>> beta_sums([[41, 3], [3, 41]], [[6, 9], [9, 6]], [0.5, 0.5]).sf(0.5).round(6)
    array([0.825992, 0.825992])
    """


def examples_of_binning():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.binning import slots
    >>> slots(np.array([-1.0, -0.0, 0.0, 1.0]), 12).tolist()
    [-1024, 0, 0, 1023]
    """


def examples_of_binomial():
    """Try them.

    >>> from adjudge.stats.binomial import (
    ...     binomial_p_value,
    ...     clopper_pearson,
    ...     jeffreys,
    ...     midp,
    ...     upper_tail_inversion,
    ...     wald,
    ...     wilson,
    ... )
    >>> [round(limit, 4) for limit in midp(0, 10)]
    [0.0, 0.2589]
    >>> [round(limit, 4) for limit in clopper_pearson(0, 10)]
    [0.0, 0.3085]
    >>> [round(limit, 4) for limit in wilson(10, 10)]
    [0.7225, 1.0]
    >>> [round(limit, 4) for limit in jeffreys(10, 10)]
    [0.7828, 1.0]
    >>> [round(limit, 4) for limit in wald(12, 40)]
    [0.158, 0.442]
    >>> round(upper_tail_inversion(0, 10), 4)
    0.2589
    >>> binomial_p_value(8, 10)
    0.0546875
    """


def examples_of_decisions():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.difference_tests import holm
    >>> from adjudge.stats.power import Rule, independent_assurance, paired_assurance, paired_moments
    >>> mean, variance = paired_moments(np.array([[9.0, 2.0, 47.0]]), np.ones(1))
    >>> round(mean, 4), round(variance, 6)
    (0.1129, 0.003126)
    >>> round(paired_assurance(1400, 0.06, 0.03, Rule(0.01, 0.95)), 3)
    0.808
    >>> round(independent_assurance(1200, 0.9, 0.85, Rule(0.01, 0.95)), 3)
    0.908
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """


def examples_of_mover():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.mover import effective_limits, mover, steadied, unbiased_centre, upper_hull
    >>> low, high = mover(np.array([0.9, 0.6]), np.array([0.8, 0.4]), np.array([0.95, 0.8]), np.array([0.5, 0.5]))
    >>> round(low, 4), round(high, 4)
    (0.6382, 0.8531)
    >>> low, high = unbiased_centre(np.full(10, 18), np.full(10, 20))
    >>> round(low, 4), round(high, 4)
    (0.8494, 0.9349)
    >>> shares, variances = steadied(np.array([1.0, 8.0]), np.array([1.0, 10.0]))
    >>> shares.round(3), variances.round(3)
    (array([0.794, 0.782]), array([0.184, 0.018]))
    >>> upper_hull(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 2.0, 2.5, 4.0])).tolist()
    [0, 1, 3]
    >>> accuracy = lambda tables: np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1))
    >>> table = np.array([[8.0, 0.0], [0.0, 2.0]])
    >>> low, high = effective_limits(accuracy, table, np.ones((2, 2)), np.full((2, 2), 0.25), (0, 1))
    >>> round(low, 3), high
    (0.722, 1.0)
    """


def examples_of_multiplier_errors():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.multiplier_search import steps_of
    >>> steps_of(np.array([2.0, 0.5]), np.array([1, -1]), 3).errors.tolist()
    [3, 2, 3]
    """


def examples_of_multiplier_rule():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.multiplier_rule import softmax, winners
    >>> softmax(np.array([[0.0, 0.0], [1e4, 0.0]])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    >>> winners(np.array([[0.5, 0.5], [0.6, 0.4]]), majority=1).tolist()
    [1, 0]
    """


def examples_of_paired():
    """Try them.

    >>> from adjudge.stats.paired import paired_distribution
    >>> distribution = paired_distribution([[31, 10, 3, 15]])
    >>> round(distribution.mean, 6), round(distribution.sf(0), 6), round(distribution.cdf(0.05) - distribution.cdf(-0.05), 6)
    (0.118644, 0.980713, 0.112469)
    """


def examples_of_permutation():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.permutation import gamma_tail, null_distribution, p_values
    >>> null = null_distribution(np.array([3, 3]), np.array([3, 3]))
    >>> float(p_values(null, 2.0).round(3)), null.method
    (0.036, 'exact')
    >>> float(gamma_tail(np.array(1.0), np.array(2.0)).round(6))  # the exponential distribution: exp(-2)
    0.135335
    """


def examples_of_power():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.power import (
    ...     above_chance_count,
    ...     cases_for_half_width,
    ...     cases_in_all,
    ...     cases_to_show,
    ...     critical_counts,
    ...     expected_half_width,
    ...     power_above,
    ...     predictive_limits,
    ...     predictive_value,
    ...     ratio_interval,
    ...     right_alike,
    ... )
    >>> round(expected_half_width(100, 0.9), 5)
    0.05876
    >>> cases_for_half_width(0.9, 0.02)
    865
    >>> above_chance_count(10), above_chance_count(4)
    (9, None)
    >>> critical_counts(np.array([4, 10]), 0.5, 0.05)
    array([5, 9])
    >>> power_above(np.array([100, 200]), 0.8, 0.9).round(4)
    array([0.8761, 0.9905])
    >>> cases_to_show(0.8, 0.9)
    94
    >>> cases_in_all(100, 0.1)
    1161
    >>> [round(limit, 3) for limit in ratio_interval((0.8, 0.7, 0.9), (0.1, 0.05, 0.2))]
    [3.937, 16.124]
    >>> predictive_value(0.5, 0.5, 0.2)
    0.2
    >>> [round(limit, 3) for limit in predictive_limits((0.8, 0.7, 0.9), (0.1, 0.05, 0.2), 0.1)]
    [0.304, 0.642]
    >>> chi2, df, p = right_alike(np.array([[8.0, 2.0]]), np.array([[10.0, 10.0]]))
    >>> round(chi2, 2), df, round(p, 4)
    (6.84, 1, 0.0089)
    """


def examples_of_prior_limits():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.priors import chi_square, likelihood_ratio
    >>> statistic, p_value = likelihood_ratio(1.92, 1)
    >>> round(statistic, 2), round(p_value, 3)
    (3.84, 0.05)
    >>> statistic, df, p_value, _ = chi_square(np.array([9, 1]), np.array([0.5, 0.5]))
    >>> statistic, df, round(p_value, 6)  # 22 of 1024
    (6.4, 1, 0.021484)
    """


def examples_of_priors():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.priors import reweighted
    >>> reweighted(np.array([[0.5, 0.5]]), np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    array([[0.25, 0.75]])
    """


def examples_of_ranking():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.ranking import auc, auc_of, tabulate
    >>> tabulate(np.array([0.5, 0.5, 0.9]), np.array([True, False, True])).positives
    array([1, 1])
    >>> auc_of(tabulate(np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, True, False, True])))
    0.875
    >>> auc(np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, True, False, True]))
    0.875
    """


def examples_of_ratios():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.mover import RECALLS, extremes, f1_from_jaccard, f1_limits, fbeta_limits, macro_f1_limits, mcc
    >>> f1_from_jaccard(0.5) == 2 / 3
    True
    >>> [round(limit, 4) for limit in f1_limits(8, 1, 1)]
    [0.6642, 0.9775]
    >>> [round(limit, 4) for limit in fbeta_limits(8, 1, 1, 2.0)]
    [0.6258, 0.9828]
    >>> [round(limit, 3) for limit in macro_f1_limits(np.array([[40, 5], [8, 2]]))]
    [0.396, 0.701]
    >>> shares = np.array([[0.9], [0.8], [0.5]])
    >>> low, high = extremes(mcc, RECALLS, shares, shares - 0.1, shares + 0.1)
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.561, 0.8471)
    """


def examples_of_rejection():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.ranking import tabulate
    >>> from adjudge.stats.rejection import chow_threshold, one_sided, two_sided
    >>> table = tabulate(np.array([0.1, 0.4, 0.6, 0.9]), np.array([False, True, False, True]))
    >>> two_sided(table, np.array([[-1, 3, 0], [3, -1, 0]])).values
    array([0.25, 0.75])
    >>> one_sided(np.array([0.4, 0.6, 0.9]), np.array([0, 0, 1]), np.array([3.0, -1.0])).values
    array([0.75])
    >>> chow_threshold(3)
    0.75
    """


def examples_of_roots():
    """Try them.

    >>> from adjudge.stats.numerics import brentq
    >>> brentq(lambda x: x * x - 2, 0, 2)
    1.4142135623731364
    """


def examples_of_series():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.numerics import rising_root
    >>> two = np.array([2.0])
    >>> rising_root(lambda x: (x * x - 2, 2 * x), 0 * two, two, two, 1e-15).round(12)
    array([1.41421356])
    """


def examples_of_signed_ranks():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.difference_tests import drawn_error, largest_share, sign_test, smallest_p, wilcoxon_p
    >>> wilcoxon_p(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    0.03125
    >>> smallest_p(5), smallest_p(6)
    (0.0625, 0.03125)
    >>> [round(p, 4) for p in sign_test(np.array([0.1, 0.2, 0.3, -0.1, 0.05]), margin=0.01)]
    [0.0563, 0.0563, 0.8873]
    >>> largest_share(2.0, 0.0, 2.0)
    (0.5, 0.0, 0.5)
    >>> round(drawn_error(0.5), 5)
    0.00224
    """


def examples_of_student():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.student import StudentDistribution, corrected_variance, inflation, two_sided
    >>> distribution = StudentDistribution(0.02, 0.01, 9)
    >>> round(distribution.sf(0), 6)
    0.961724
    >>> round(StudentDistribution(0.1, 0.06).sf(0), 6)
    0.95221
    >>> round(two_sided(2.262157, 9), 6)
    0.05
    >>> round(corrected_variance(np.array([0.1, 0.3]), test_share=0.5), 6)
    0.03
    >>> inflation(10, test_share=0.5)
    1.1
    """


def examples_of_swaps():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.difference_tests import drawn_tail, mid_tail, signed_tail
    >>> mid_tail(np.array([-1.0, 0.0, 0.0, 1.0]), np.full(4, 0.25), 0.0)
    0.5
    >>> leads = np.linspace(-1, 1, 2001)
    >>> drawn_tail(leads, 0.9) > 0.05 > drawn_tail(leads, 9.0)
    True
    >>> signed_tail(np.array([1.0, 2.0]), 3.0)
    0.125
    """


def examples_of_transforms():
    """Try them.

    >>> import numpy as np
    >>> from adjudge.stats.distribution import BetaDistribution
    >>> from adjudge.stats.student import StudentDistribution
    >>> from adjudge.stats.transforms import difference_distribution, widened_draws, widened_student
    >>> round(difference_distribution(BetaDistribution(31, 11), BetaDistribution(26, 16)).sf(0), 6)
    0.882426
    >>> widened_draws(np.linspace(1, 5, 41), 0.25, 9.0)[[0, 20, 40]]
    array([-3.,  3.,  9.])
    >>> round(widened_student(StudentDistribution(-0.2, 0.01, 5), 0.25).sf(0), 12)
    0.25
    """
