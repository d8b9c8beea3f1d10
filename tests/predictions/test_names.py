"""What names of columns say: their role, and the class within a template."""

from __future__ import annotations

import pytest

from adjudge import InputError
from adjudge.predictions.names import (
    SILENT,
    STRONG,
    WEAK,
    Template,
    class_in_name,
    clearest,
    cuts,
    filled,
    key_of,
    mentions,
    names_something_else,
    strength,
    templates,
    words,
)


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


def test_names_say_a_role_clearly_or_not_at_all():
    assert [strength("truth", name) for name in ("y_true", "Label", "age")] == [STRONG, WEAK, SILENT]
    assert [mentions("sick_PREDICTION", "sick"), mentions("P (class=*)", "class"), mentions("p_ab", "a")] == [True, True, False]


def test_a_name_holds_a_class_beside_words_for_a_score():
    labels = {"ill": "ill", "well": "well"}
    assert [class_in_name(name, labels) for name in ("p_ill", "Well probability", "ill_days")] == ["ill", "well", None]


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
