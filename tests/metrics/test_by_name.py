"""Estimates as items and attributes of results, without getting in the way of fields, copies and pickles."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import adjudge
from adjudge import InputError
from adjudge.metrics.catalogue import ALL

RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, 80)
SCORE = np.clip(RNG.normal(0.35 + 0.3 * TRUTH, 0.2), 0.01, 0.99)


def evaluation():
    return adjudge.evaluate(adjudge.Predictions(TRUTH, scores=SCORE, positive=1))


def report():
    return adjudge.report(adjudge.Predictions(TRUTH, scores=SCORE, positive=1))


def learner():
    return adjudge.estimate(GaussianNB(), np.column_stack([SCORE, SCORE**2]), TRUTH, by="3-fold")


def chosen():
    return adjudge.evaluate(adjudge.Predictions(TRUTH, scores=SCORE, positive=1), measures=["auc", "accuracy"])


RESULTS = [evaluation, report, learner, chosen]


@pytest.mark.parametrize("made", RESULTS)
def test_measures_are_items_and_attributes(made):
    result = made()
    for name in ("accuracy", "mcc") if made is learner else ("accuracy", "auc"):
        assert result[name] is getattr(result, name)
        assert result[name].measure == name
        assert name in result
        assert name in dir(result)
    assert "to_frame" in dir(result)
    assert [result[name].measure for name in result] == list(result)


def test_aliases_and_spellings_find_the_measure():
    ev = evaluation()
    assert ev["recall"] is ev["sensitivity"] is ev.recall
    assert ev["Balanced accuracy"] is ev.balanced_accuracy


def test_a_report_speaks_of_its_first_evaluation():
    page = report()
    assert page.auc is page.evaluation.estimates["auc"]


def test_no_field_or_method_is_hidden():
    names = {measure.name for measure in ALL} | {alias for measure in ALL for alias in measure.aliases}
    for made in RESULTS:
        assert not names & set(type(made()).__dict__), made.__name__


@pytest.mark.parametrize("made", RESULTS[:3])
def test_copies_and_pickles_keep_their_measures(made):
    result = made()
    for again in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):  # noqa: S301 - our own
        assert again.accuracy.to_dict() == result.accuracy.to_dict()


def test_a_name_that_is_no_measure_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="Did you mean"):
        evaluation()["acuracy"]
    with pytest.raises(AttributeError, match=r"no attribute 'acuracy'.*Did you mean"):
        _ = evaluation().acuracy
    with pytest.raises(AttributeError, match="no attribute '_repr_png_'"):
        _ = evaluation()._repr_png_


def test_a_measure_without_a_value_here_says_which_there_are():
    labels = adjudge.evaluate(adjudge.Predictions(TRUTH, TRUTH))
    with pytest.raises(InputError, match=r"auc was not computed.*there are accuracy"):
        labels["auc"]
    assert not hasattr(labels, "auc")
    assert "auc" not in labels
