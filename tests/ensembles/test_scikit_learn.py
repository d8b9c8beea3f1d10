"""Scikit-learn's own checks of all ensembles."""

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from adjudge import BaggingAverager, BaggingVoter, ResamplingAdaBoost, ResamplingAdaBoostRegressor

DRAWN = (
    "weights are chances of being drawn: a case of weight 3 is one of the cases a sample is as large as, three copies are three"
)

EXPECTED = {"check_sample_weight_equivalence_on_dense_data": DRAWN, "check_sample_weight_equivalence_on_sparse_data": DRAWN}

SPARSE_ONLY = {key: why for key, why in EXPECTED.items() if "dense" in key}

CHECKED = [BaggingVoter(n_estimators=7), ResamplingAdaBoost(n_estimators=7), ResamplingAdaBoostRegressor(n_estimators=7)]

VARIANTS = [
    BaggingVoter(n_estimators=7, ties="probability", as_weights=False),
    BaggingVoter(GaussianNB(), n_estimators=5),
    BaggingVoter(n_estimators=5, binned=True),
    BaggingAverager(n_estimators=7),
    BaggingAverager(n_estimators=5, binned=True),
    ResamplingAdaBoost(n_estimators=7, samme=True, binned=True),
    ResamplingAdaBoost(n_estimators=7, samme=True, early_stop=0.2),
    ResamplingAdaBoostRegressor(n_estimators=7, loss="exponential", early_stop=0.2),
]


def expected(estimator):
    dense_only = getattr(estimator, "binned", None) is True or isinstance(estimator.estimator, GaussianNB)
    return SPARSE_ONLY if dense_only else EXPECTED


@pytest.mark.filterwarnings("ignore:Of 6 models none had an error below")  # some checks have labels drawn by lot
@parametrize_with_checks(CHECKED, expected_failed_checks=expected)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Of 6 models none had an error below")
@parametrize_with_checks(VARIANTS, expected_failed_checks=expected)
def test_scikit_learns_checks_of_variants(estimator, check):
    check(estimator)
