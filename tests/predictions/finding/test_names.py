"""What names of columns say: their role, and the class within a template."""

from __future__ import annotations

import pytest

from adjudge import InputError
from adjudge.predictions.finding.names import Template, clearest, cuts, filled, key_of, names_something_else, templates, words


@pytest.mark.parametrize(("role", "names", "best"), [
    ("truth", ["label", "y_true", "age"], ["y_true"]),
    ("truth", ["label", "target", "age"], ["label", "target"]),
    ("predicted", ["pred", "response"], ["pred"]),
    ("fold", ["age", "height"], []),
])  # fmt: skip
def test_the_clearest_names_win(role, names, best):
    assert clearest(role, names) == best


@pytest.mark.parametrize(
    ("name", "aside"), [("patient_id", True), ("cv_fold", True), ("weight", True), ("y", False), ("age", False)]
)
def test_identities_folds_weights_and_groups_are_no_labels(name, aside):
    assert names_something_else(name) == aside


def test_words_part_at_signs_and_capitals():
    assert words("rawScore_A") == {"rawscore", "raw", "score", "a"}


def test_keys_are_compared_without_spaces_and_decimals():
    assert [key_of(text) for text in (" 1", "1.0", "1.5", "a ")] == ["1", "1", "1.5", "a"]


def test_templates_are_what_several_names_share():
    shared = {str(each): dict(each.columns) for each in templates(["p_a", "p_b", "age"])}
    assert shared["p_*"] == {"a": "p_a", "b": "p_b"}
    assert shared["*"] == {"p_a": "p_a", "p_b": "p_b", "age": "age"}
    assert ("p_", "a", "") in cuts("p_a")
    assert ("class", "10", "") in cuts("class10")


def test_classes_that_look_the_same_have_no_keys():
    assert Template("p_", "", {"1": "p_1", "1.0": "p_1.0"}).keys == {}
    assert Template("p_", "", {"a": "p_a", "A": "p_A"}).folded == {}


def test_a_template_has_one_star_and_fits_a_column():
    assert dict(filled("p_*", ["p_a", "p_", "q"]).columns) == {"a": "p_a"}
    with pytest.raises(InputError, match="exactly one star"):
        filled("*_*", ["p_a"])
    with pytest.raises(InputError, match="No column fits 'q_\\*'"):
        filled("q_*", ["p_a"])
