"""Labels spelt in two ways: never 0% right over twice as many classes, but a sentence with what to pass, which then works."""

from __future__ import annotations

import re
import shlex
import unicodedata

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tests.described import facts, mentions

from adjudge import InputError, Predictions, compare, confusion, evaluate, measure, read
from adjudge.cli import main
from adjudge.predictions.spellings import checked_relabel, equals, strangers

CASES = {
    "yes against 1": (["Yes", "No"], [1, 0]),
    "1 against yes": ([1, 0], ["Yes", "No"]),
    "case": (["Yes", "No"], ["yes", "no"]),
    "spaces": (["ill", "well"], [" ill", "well "]),
    "unicode": (["\u00e9t\u00e9", "\u00e0"], ["e\u0301te\u0301", "a\u0300"]),
    "no-break space": (["ill", "well"], ["ill\u00a0", "\u00a0well"]),
    "zero width": (["ill", "well"], ["ill\u200b", "\ufeffwell"]),
    "three classes": (["Low", "Mid", "High"], ["LOW", "MID", "HIGH"]),
    "positive": (["positive", "negative"], [1, 0]),
}


def columns(truth, predicted, truth_name="truth", predicted_name="predicted"):
    """Return 60 rows of which three in four are right once labels are spelt alike."""
    k = len(truth)
    said = [i if n % 4 else i + 1 for n, i in ((n, n % k) for n in range(60))]
    return {truth_name: [truth[n % k] for n in range(60)], predicted_name: [predicted[i % k] for i in said]}


def run(*arguments):
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(("truth", "predicted"), CASES.values(), ids=CASES)
def test_on_the_command_line_the_option_that_is_told_works(write_csv, truth, predicted, named):
    path = write_csv(columns(truth, predicted))
    flags = ["--truth", "truth", "--predicted", "predicted"] if named else []
    code, _, err = run("evaluate", path, *flags)
    assert code == 2
    assert mentions(err, "share no label", "'truth'")
    told = re.search(r"pass (--relabel .*)\.$", err)[1]
    code, out, err = run("evaluate", path, *flags, *shlex.split(told))
    assert code == 0, err
    assert facts(out)[:3] == ["75.0%", "45", "60"]


@pytest.mark.slow
@pytest.mark.parametrize("named", [{}, {"truth": "truth", "predicted": "predicted"}])
@pytest.mark.parametrize(("truth", "predicted"), CASES.values(), ids=CASES)
def test_in_python_the_argument_that_is_told_works(truth, predicted, named):
    table = columns(truth, predicted)
    for source in (table, pl.DataFrame(table), pl.DataFrame(table).lazy()):
        with pytest.raises(InputError, match="share no label") as refused:
            evaluate(source, **named)
        relabel = eval(re.search(r"relabel=(\{.*\})", str(refused.value))[1])  # noqa: S307 - what a reader would paste
        assert evaluate(source, **named, relabel=relabel).estimates["accuracy"].value == 0.75


@pytest.mark.parametrize(("truth", "predicted"), CASES.values(), ids=CASES)
def test_arrays_are_refused_alike(truth, predicted):
    table = columns(truth, predicted)
    with pytest.raises(InputError, match="share no label"):
        evaluate(Predictions(table["truth"], table["predicted"]))
    found = Predictions(table["truth"], table["predicted"], relabel=dict(zip(predicted, truth, strict=True)))
    assert measure(found, "accuracy") == 0.75


@pytest.mark.slow
def test_the_other_direction_works_as_well(write_csv):
    path = write_csv(columns(["Yes", "No"], [1, 0]))
    assert evaluate(path, relabel={"Yes": 1, "No": 0}).counts.classes == (0, 1)
    assert evaluate(path, relabel="1=Yes,0=No").counts.classes == ("No", "Yes")
    assert "'truth' (by its name)" in run("evaluate", path, "--relabel", "1=Yes,0=No")[1]


def test_labels_without_a_guess_are_told_and_how_to_equate_them(write_csv):
    path = write_csv(columns(["ill", "well"], ["sick", "healthy"]))
    code, _, err = run("evaluate", path)
    assert code == 2
    assert mentions(err, "'ill', 'well'", "'predicted'", "'healthy', 'sick'")
    assert "pass --relabel healthy=...,sick=..." in err
    assert run("evaluate", path, "--relabel", "sick=ill,healthy=well")[1].startswith("Accuracy 75.0%")


@pytest.mark.parametrize(
    ("truth", "predicted"),
    [([1, 0], ["1.0", "0.00"]), (["True", "False"], ["true", "FALSE"]), (["True", "False"], [1, 0]), ([1, 0], ["True", "False"])],
)
def test_cells_that_mean_the_same_number_are_one_class(write_csv, truth, predicted):
    assert evaluate(write_csv(columns(truth, predicted))).estimates["accuracy"].value == 0.75


@pytest.mark.slow
def test_what_is_spelt_in_two_ways_in_part_is_said_with_the_option(write_csv):
    table = columns(["Yes", "No"], ["Yes", "No"])
    table["predicted"] = ["yes" if label == "Yes" else label for label in table["predicted"]]
    code, out, _ = run("evaluate", write_csv(table))
    assert code == 0
    assert "A101" in out
    assert "--relabel yes=Yes" in " ".join(out.split())
    assert evaluate(table, relabel={"yes": "Yes"}).estimates["accuracy"].value == 0.75


@pytest.mark.parametrize(
    ("label", "other"),
    [
        ("\u00e9t\u00e9", "e\u0301te\u0301"),
        ("ill", "ill\u00a0"),
        ("very ill", "very\u00a0ill"),
        ("ill", "ill\u200b"),
        ("ill", "Ill"),
    ],
    ids=["unicode", "no-break space", "inside", "zero width", "case"],
)
@pytest.mark.parametrize("kind", ["file", "mapping", "arrays"])
def test_one_label_in_two_forms_is_said_and_what_to_pass_works(write_csv, kind, label, other):
    table = columns([label, "x"], [other, "x"])
    path = write_csv(table)
    given = {"file": (path,), "mapping": (table,), "arrays": (table["truth"], table["predicted"])}[kind]
    finding = next(each for each in evaluate(*given).findings if each.code == "A101")
    shown = re.findall(r"'([^']*)'", finding.message)
    assert len({unicodedata.normalize("NFC", each) for each in shown}) == len(shown) == 2  # most look the same on a screen
    assert evaluate(*given, relabel={other: label}).estimates["accuracy"].value == 0.75
    assert run("evaluate", path, "--relabel", f"{ascii(other)[1:-1]}={label}")[1].startswith("Accuracy 75.0%")  # as it is shown


def test_truths_in_two_forms_are_refused_with_what_to_pass():
    one = {"id": range(20), "truth": ["\u00e9", "x"] * 10, "predicted": ["\u00e9", "x"] * 10}
    other = {"id": range(20), "truth": ["e\u0301", "x"] * 10, "predicted": ["e\u0301", "x"] * 10}
    with pytest.raises(InputError, match=r"differ only by case, spaces or Unicode form\. If they mean the same, pass relabel="):
        compare(one, other)
    assert compare(one, other, relabel={"e\u0301": "\u00e9"}).values[0] == 1


def test_scores_named_by_class_do_not_hide_a_decision_spelt_otherwise():
    table = columns(["Yes", "No"], [1, 0]) | {"p_Yes": [0.6, 0.3] * 30, "p_No": [0.4, 0.7] * 30}
    with pytest.raises(InputError, match="share no label"):
        evaluate(table)
    assert evaluate(table, relabel={1: "Yes", 0: "No"}).estimates["accuracy"].value == 0.75


def test_a_truth_without_a_telling_name_is_told_too():
    with pytest.raises(InputError, match=r"'diagnosis' .*'No', 'Yes'.*relabel=\{0: .No., 1: .Yes.\}"):
        evaluate(columns(["Yes", "No"], [1, 0], truth_name="diagnosis"))


@pytest.mark.slow
def test_listed_classes_and_single_wrong_cases_are_accepted():
    assert evaluate(Predictions(["a", "b"] * 5, ["c", "d"] * 5, classes=list("abcd"))).estimates["accuracy"].value == 0
    assert evaluate(Predictions(["a"], ["b"])).estimates["accuracy"].value == 0
    assert evaluate(Predictions([0, 1] * 5, [2] * 10)).estimates["accuracy"].value == 0


@pytest.mark.slow
def test_a_comparison_takes_the_list_for_both(write_csv):
    table = columns(["Yes", "No"], [1, 0]) | {"id": range(60)}
    a, b = write_csv(table), write_csv(table | {"predicted": [1] * 60}, name="b.csv")
    assert compare(a, b, relabel="1=Yes,0=No").values[0] == 0.75


def test_a_malformed_list_is_refused():
    for bad in ("Yes", "Yes=1,No", 3):
        with pytest.raises(InputError, match="relabel takes"):
            evaluate(columns(["Yes", "No"], [1, 0]), relabel=bad)
    assert checked_relabel(None) == ()
    assert checked_relabel("Yes=1,No=0") == (("Yes", "1"), ("No", "0"))
    assert checked_relabel({"Yes": 1}) == (("Yes", 1),)


@given(st.lists(st.text(min_size=1, max_size=4), min_size=2, max_size=5, unique=True))
def test_labels_in_capitals_are_strangers_or_share_a_label(labels):
    said = [label.upper() for label in labels]
    assert strangers(labels, said, 10) is not bool(set(labels) & set(said))
    assert not strangers(labels, labels, 10)


def test_few_cases_of_many_classes_may_all_be_wrong():
    few, many = ({"truth": ["a", "b", "c"] * n, "predicted": ["d", "e", "f"] * n} for n in (1, 4))
    assert evaluate(few, truth="truth", predicted="predicted").estimates["accuracy"].value == 0
    with pytest.raises(InputError, match="share no label"):
        evaluate(many, truth="truth", predicted="predicted")
    assert confusion(["a", "b"] * 10, ["c", "d"] * 10).n == 20


@given(st.lists(st.text(min_size=1, max_size=4), min_size=2, max_size=5, unique=True))
def test_labels_equal_themselves(labels):
    assert equals(labels, labels) == {}


def test_labels_mean_others_by_case_spaces_or_yes_and_no():
    assert equals(["No", "Yes"], [0, 1]) == {0: "No", 1: "Yes"}
    assert equals(["a", "b"], ["A ", "b"]) == {"A ": "a"}
    assert equals(["a", "b"], ["x", "y"]) == {}


def test_a_column_that_holds_infinity_is_a_score_whatever_is_to_be_relabelled():
    rows = {"truth": ["yes", "no"] * 4, "y_score": [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, float("inf")]}
    with pytest.raises(InputError, match='Name it with scores="y_score"'):
        read(rows, relabel={0: "no", 1: "yes"})
