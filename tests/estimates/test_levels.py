"""The balanced accuracy over the levels of a further variable."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import beta

from adjudge import ConfusionCounts, InputError, Predictions, evaluate, posterior
from adjudge.estimates.posterior import over_levels

TABLES = arrays(np.int64, (3, 2, 2), elements=st.integers(1, 60))


def spread(table, copies):
    """Return truth and decision of each case of a 2 x 2 table."""
    truth, predicted = np.indices((2, 2))
    times = np.asarray(table).ravel() * copies
    return np.repeat(truth.ravel(), times), np.repeat(predicted.ravel(), times)


def confounded():
    """Site x has nearly all of class 0, site y of class 1; the decision is the site."""
    sites = {"x": [[95, 0], [5, 0]], "y": [[0, 5], [0, 95]]}
    parts = {site: spread(table, 1) for site, table in sites.items()}
    truth, predicted = (np.concatenate([part[i] for part in parts.values()]) for i in (0, 1))
    return truth, predicted, np.repeat(list(parts), [part[0].size for part in parts.values()])


@given(TABLES)
def test_moments_are_those_of_the_mean_of_all_recalls(tables):
    by = {i: ConfusionCounts(table) for i, table in enumerate(tables)}
    found = posterior(sum(by.values()), by=by, prior="jeffreys")
    each = [beta(t[i, i] + 0.5, t[i].sum() - t[i, i] + 0.5) for t in tables for i in range(2)]
    assert found.mean == pytest.approx(np.mean([law.mean() for law in each]), rel=1e-12)
    assert found.var == pytest.approx(np.sum([law.var() for law in each]) / 36, rel=1e-12)


@given(TABLES)
def test_one_level_is_the_plain_one_and_the_order_of_levels_is_nothing(tables):
    one = ConfusionCounts(tables[0])
    assert posterior(one, by={"only": one}).median == pytest.approx(posterior(one).median, abs=1e-10)
    by = {i: ConfusionCounts(table) for i, table in enumerate(tables)}
    back = dict(reversed(by.items()))
    assert over_levels(by).value == pytest.approx(over_levels(back).value, rel=1e-12)
    assert over_levels(by).interval.low == pytest.approx(over_levels(back).interval.low, rel=1e-12)


def test_a_column_that_gives_the_class_away_is_found():
    truth, predicted, site = confounded()
    plain = evaluate(Predictions(truth, predicted))
    found = evaluate(Predictions(truth, predicted, group=site))
    assert plain.estimates["balanced_accuracy"].value == pytest.approx(0.95)
    assert found.over_groups.value == pytest.approx(0.5)
    assert "A505" in {finding.code for finding in found.findings}
    assert "Over the groups as well as the classes: balanced accuracy 50.0%" in found.in_words()


def test_the_column_is_named_or_the_tables_are_given():
    truth, predicted, site = confounded()
    data = {"truth": truth, "predicted": predicted, "site": site}
    by_name = posterior(data, by="site")
    by = {s: ConfusionCounts(np.array([[95, 0], [5, 0]] if s == "x" else [[0, 5], [0, 95]])) for s in "xy"}
    assert by_name.mean == pytest.approx(posterior(sum(by.values()), by=by).mean, rel=1e-12)
    assert {finding.code for finding in by_name.findings} == {"A501", "A505"}


def test_a_class_missing_in_a_level_is_left_out_and_said():
    by = {"x": ConfusionCounts([[8, 2], [0, 0]]), "y": ConfusionCounts([[5, 5], [1, 9]])}
    found = posterior(sum(by.values()), by=by, prior="flat")
    assert found.mean == pytest.approx(((9 / 12 + 6 / 12) / 2 + 10 / 12) / 2, rel=1e-12)
    assert "A506" in {finding.code for finding in found.findings}


def test_classes_count_alike_however_many_levels_they_are_seen_in():
    # class b is seen at one of ten sites only, and never found there
    data = {"truth": ["a"] * 1000 + ["b"] * 100, "predicted": ["a"] * 1100, "site": [*np.repeat(range(10), 100), *[0] * 100]}
    found = evaluate(data, group="site", truth="truth", predicted="predicted")
    assert found.over_groups.value == pytest.approx(0.5)
    assert "A505" not in {finding.code for finding in found.findings}


def test_the_pull_of_the_prior_is_not_put_down_to_the_groups():
    by = {i: ConfusionCounts([[5, 0], [0, 5]]) for i in range(20)}
    assert {finding.code for finding in posterior(sum(by.values()), by=by).findings} == {"A501"}


@pytest.mark.parametrize(
    ("source", "how", "text"),
    [
        ([[1, 1], [1, 1]], {"by": "site"}, "has no column 'site'"),
        ({"truth": [0, 1], "predicted": [0, 1]}, {"by": "site"}, "There is no column 'site'; there are 'truth', 'predicted'"),
        ([[1, 1], [1, 1]], {"by": {}}, "at least one level"),
        ([[1, 1], [1, 1]], {"by": {"x": [[1, 1], [1, 1]]}}, "level -> ConfusionCounts"),
        (
            [[1, 1], [1, 1]],
            {"by": {"x": ConfusionCounts([[1, 1], [1, 1]])}, "name": "accuracy"},
            "balances the balanced accuracy",
        ),
        ([[1, 1], [1, 1]], {"by": {"x": ConfusionCounts([[1, 1], [1, 1]])}, "prior": "dirichlet"}, "Beta prior"),
        ([[1, 1], [1, 1]], {"by": {"x": ConfusionCounts([[1, 1], [1, 2]])}}, "they must be the same cases"),
        ([[1, 1], [1, 1]], {"by": {"x": ConfusionCounts([[1, 1], [1, 1]], "ab")}}, "same classes"),
        ([[1, 1], [1, 1]], {"by": [1, 2]}, "a mapping of level"),
        ({"truth": [0, 1], "predicted": [0, 1]}, {"by": "truth"}, "the truth or the decision itself"),
        ([[1, 1], [1, 1]], {"weights": (0.5, 0.5), "name": "accuracy"}, "weights= are those of the classes"),
    ],
)
def test_what_cannot_be_balanced_is_refused(source, how, text):
    with pytest.raises(InputError, match=text):
        posterior(source, **how)
