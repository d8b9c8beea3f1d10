"""Blocks of scores: which one is judged, what is refused, and the order of classes."""

from __future__ import annotations

import numpy as np
import pytest
from tests.described import mentions

from adjudge import InputError, evaluate
from adjudge._base.errors import DoubtfulRolesError
from adjudge.predictions.columns import Column
from adjudge.predictions.finding.find import find_roles
from adjudge.predictions.finding.score_blocks import by_number

LABELS = np.array([0.0, 1.0] * 20)

PROBABILITIES = np.column_stack([1 - LABELS * 0.8 - 0.1, LABELS * 0.8 + 0.1])


def test_two_blocks_of_which_one_is_a_nameless_vector_are_refused_with_flags():
    columns = [
        Column("truth", "int", LABELS),
        Column("", "vector", PROBABILITIES),
        Column("p_0", "float", PROBABILITIES[:, 0]),
        Column("p_1", "float", PROBABILITIES[:, 1]),
    ]
    with pytest.raises(DoubtfulRolesError, match=r"scores=.. or scores=.p_\*."):
        find_roles(columns, {})


def test_columns_and_labels_of_thousands_of_digits_are_no_crash(write_csv):
    one, two = "1" * 5000, "2" * 5000
    path = write_csv({"truth": ["0", "1"] * 20, f"p_{one}": [0.9, 0.2] * 20, f"p_{two}": [0.1, 0.8] * 20})
    with pytest.raises(InputError, match="name the classes"):
        evaluate(path)


@pytest.mark.parametrize("scale", ["votes", "percentages"])
def test_scores_that_are_not_what_was_given_are_named(scale):
    columns = [Column("truth", "int", LABELS)] + [Column(f"p_{k}", "float", PROBABILITIES[:, k]) for k in range(2)]
    with pytest.raises(DoubtfulRolesError, match=rf"'p_0', 'p_1' do not look like {scale}\. Leave out scores_are=") as error:
        find_roles(columns, {"scores_are": scale})
    assert str(error.value).endswith('scores="p_*".')


@pytest.mark.parametrize("given", [{}, {"scores": "p_*"}, {"scores": ["p_0", "p_1"]}])
def test_a_negative_probability_is_named(given):
    p = PROBABILITIES.copy()
    p[7] = (-0.003, 1.003)
    columns = [Column("truth", "int", LABELS), Column("p_0", "float", p[:, 0]), Column("p_1", "float", p[:, 1])]
    with pytest.raises(DoubtfulRolesError, match=r"1 negative value .*40 rows .*-0\.003"):
        find_roles(columns, given)
    columns = [Column("truth", "int", LABELS), Column("p", "vector", p)]
    with pytest.raises(DoubtfulRolesError, match="1 negative value"):
        find_roles(columns, {"scores": "p"})
    p[7] = (0.9, 0.9)
    p[8:20] = (0.3, 0.31)
    columns = [Column("truth", "int", LABELS), Column("p_0", "float", p[:, 0]), Column("p_1", "float", p[:, 1])]
    with pytest.raises(DoubtfulRolesError, match=r"neither to 1 nor"):
        find_roles(columns, given)


def test_rows_without_a_decision_are_not_said_to_agree():
    p0, p1 = (Column(f"p_{k}", "float", PROBABILITIES[:, k]) for k in (0, 1))
    whole = [Column("truth", "int", LABELS[::-1]), Column("predicted", "int", LABELS), p0, p1]
    assert "in 100.0% of rows)" in find_roles(whole, {}).evidence["predicted"]
    some = np.where(np.arange(LABELS.size) < 10, np.nan, LABELS)
    partly = [whole[0], Column("predicted", "int", some), p0, p1]
    assert mentions(find_roles(partly, {}).evidence["predicted"], "100.0%", "rows with a decision")


def test_digits_without_end_are_text():
    long = "1" * 5000
    assert by_number(long) == (True, 0, long)
    assert sorted([long, "10", "-2", "9", "--5"], key=by_number) == ["-2", "9", "10", "--5", long]
