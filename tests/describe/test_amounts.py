"""A column that nobody named and that changes what rows are worth is spoken of among the first sentences."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from adjudge import evaluate
from adjudge.cli import main
from adjudge.describe import describe
from adjudge.describe.evaluation import MOST_SENTENCES

LABELS = {"truth": ["a", "b", "a"] * 20, "predicted": ["a", "b", "b"] * 20}
HEAVY = [1000] * 4 + [1] * 56


def first(source, **roles):
    return describe(evaluate(source, **roles), figure=False, whole=False).sentences


def test_weights_that_leave_few_cases_are_said_with_what_to_pass():
    told = first({**LABELS, "weight": HEAVY})
    assert "Column 'weight', taken as weights by its name, makes 60 cases worth 4.1 equally weighted ones." in told[1]
    assert 'pass weight=""' in told[1]
    assert len(told) <= 1 + MOST_SENTENCES
    assert first({**LABELS, "weight": HEAVY}, weight="")[0].startswith("Accuracy 66.7% (correct in 40 of 60 cases")


@pytest.mark.parametrize(
    ("weights", "roles"),
    [(HEAVY, {"weight": "weight"}), ([1, 2] * 30, {}), (HEAVY, {"weight": ""})],
    ids=["named", "even", "unwanted"],
)
def test_weights_that_were_named_or_hardly_differ_are_not(weights, roles):
    assert not any("taken as weights" in sentence for sentence in first({**LABELS, "weight": weights}, **roles))


def test_weights_of_numbers_and_of_rankings_are_said_as_well():
    numbers = {"y_true": [n / 7 for n in range(60)], "y_pred": [n / 8 for n in range(60)], "w": HEAVY}
    assert "Column 'w', taken as weights by its name, makes 60 cases worth 4.1" in first(numbers)[1]
    ranks = {"truth": [0, 1, 1] * 20, "score": [n / 3 - 5 for n in range(60)], "w": HEAVY}
    assert any("worth 4.1 equally weighted ones. If it" in sentence for sentence in first(ranks))


def test_rows_that_stand_for_many_cases_are_said_in_the_words_of_the_shell(write_csv):
    table = {"truth": ["a", "a", "b", "b"], "predicted": ["a", "b", "a", "b"], "n": [50, 10, 5, 40]}
    told = first(table)
    assert told[1].startswith("4 rows stand for 105 cases, as column 'n' says.")
    assert not any("stand for" in sentence for sentence in first(table, count="n"))
    out = CliRunner().invoke(main, ["evaluate", str(write_csv(table))]).stdout
    assert "pass --count ''." in " ".join(out.split("Next steps")[0].split())


def test_answers_that_come_back_in_folds_are_in_the_headline():
    table = {"id": [n % 5 for n in range(60)], "fold": [n // 5 for n in range(60)], "truth": ["a", "b", "a", "b", "a"] * 12}
    assert "60 answers about 5 cases" in first({**table, "predicted": ["a", "b"] * 30})[0]
