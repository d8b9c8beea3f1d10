"""Columns of several models: refused with the call that compares them."""

import numpy as np
import pytest

import adjudge
from adjudge._base.errors import SeveralModelsError
from adjudge.predictions.finding.models import alike_but_once, refuse_two_models

TRUTH = np.tile([0, 1], 30)


def test_the_refusal_names_the_call_for_both_and_an_argument_for_each():
    error = refuse_two_models(["pred_a", "pred_b"])
    assert str(error).endswith(
        'Compare them: compare(source, predicted=["pred_a", "pred_b"]). '
        'Evaluate one at a time: predicted="pred_a" or predicted="pred_b".'
    )
    assert error.in_shell({"predicted": "--predicted"}).endswith(
        "Compare them: adjudge compare FILE --predicted pred_a,pred_b. "
        "Evaluate one at a time: --predicted pred_a or --predicted pred_b."
    )
    assert error.columns == ("pred_a", "pred_b")


def test_columns_in_doubt_are_not_taken_for_models():
    assert refuse_two_models(["label", "pred"], sure=False).columns == ()


@pytest.mark.parametrize(
    ("columns", "role"),
    [
        ({"pred_a": TRUTH, "pred_b": np.sort(TRUTH)}, "predicted"),
        ({"p_new": np.linspace(1, 0, 60) ** 2, "p_old": np.linspace(0, 1, 60)}, "scores"),
    ],
)
def test_evaluating_such_a_source_is_refused(columns, role):
    with pytest.raises(SeveralModelsError, match="Compare them") as error:
        adjudge.evaluate({"truth": TRUTH, **columns})
    assert (error.value.role, sorted(error.value.columns)) == (role, sorted(columns))


@pytest.mark.parametrize(
    ("names", "alike"),
    [(["p_a", "p_b"], True), (["p_a", "risk_b"], False), (["p_a", "p_b_c"], False), (["prob.rf", "prob.lr"], True)],
)
def test_names_that_differ_in_one_word(names, alike):
    assert alike_but_once(names) is alike
