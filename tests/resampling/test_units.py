"""One unit: a fresh learner fitted to some rows and asked about others."""

from __future__ import annotations

import numpy as np
from sklearn.naive_bayes import GaussianNB
from tests.resampling.failing import FailsOn, X, Y, job

from adjudge.resampling.run import run


def test_a_failed_fit_on_all_rows_costs_the_resubstitution_only():
    ran = run(job(FailsOn(X[0, 0], seen=True), by=[(np.flatnonzero(X[:, 0] != X[0, 0]), np.flatnonzero(X[:, 0] == X[0, 0]))]))
    assert list(ran.failures) == [1]
    assert ran.seen is None


def test_rounds_of_a_bootstrap_are_asked_about_all_rows_too():
    ran = run(job(GaussianNB(), "bootstrap-3"))
    columns = ran.everything.source.columns
    for unit in range(3):
        fitted = GaussianNB().fit(X[ran.plan.learn[unit]], Y[ran.plan.learn[unit]])
        own = np.asarray(columns["fold"]) == unit + 1
        assert np.array_equal(np.asarray(columns["predicted"])[own], fitted.predict(X))
        unseen = ran.predictions.source.columns
        own = np.asarray(unseen["fold"]) == unit + 1
        assert np.array_equal(np.asarray(unseen["row"])[own], ran.plan.judge[unit])
        assert np.array_equal(np.asarray(unseen["predicted"])[own], fitted.predict(X[ran.plan.judge[unit]]))
        expected = fitted.predict_proba(X[ran.plan.judge[unit]])[:, 1]
        assert np.array_equal(np.asarray(unseen["p_versicolor"])[own], expected)
