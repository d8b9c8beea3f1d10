"""The forest of subjects above the population mean and the next subject."""

import math

import adjudge
from adjudge.plots.population import population_forest


def test_subjects_mean_and_next_one():
    result = adjudge.population(correct=[[8, 7, 9, 6, 0], [9, 9, 8, 7, 5]], cases=[[10, 10, 10, 10, 0], [10, 10, 10, 10, 9]])
    forest = population_forest(result)
    assert [row.name for row in forest.rows][-2:] == ["Population mean", "Next subject"]
    assert [row.value for row in forest.rows][-2:] == [result.mean.value, result.next_subject.value]
    assert forest.parts[-1].dots == ()  # it lacks a class
    assert math.isclose(forest.parts[0].dots[0], 0.65)
    assert next(mark.words for mark in forest.compared).startswith("chance")
    assert "Next subject" in forest.words


def test_many_subjects_are_dots():
    result = adjudge.population(correct=[[8] * 70], cases=[[10] * 70], measure="accuracy")
    forest = population_forest(result)
    assert len(forest.rows) == 3
    assert len(forest.rows[0].dots) == 70
