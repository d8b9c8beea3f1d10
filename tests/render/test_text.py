import re
import unicodedata
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import beta, binom, hypergeom
from tests.described import facts, mentions
from tests.results import EVERY, made

import adjudge
from adjudge import ConfusionCounts
from adjudge._base.show import Shown
from adjudge._base.text import safe
from adjudge.describe import describe
from adjudge.describe.document import Document, Table
from adjudge.predictions.roles import Roles
from adjudge.render.text import text

TWO = ConfusionCounts([[40, 5], [8, 2]], ("no", "yes"))


def midp_limits(x, n):
    """The mid-P limits by scipy's binomial tails, which our code does not use."""

    def tail(p, beyond):
        return binom.pmf(x, n, p) / 2 + beyond(p) - 0.025

    low = brentq(tail, 1e-12, 1 - 1e-12, args=(lambda p: binom.sf(x, n, p),))
    high = brentq(tail, 1e-12, 1 - 1e-12, args=(lambda p: binom.cdf(x - 1, n, p),))
    return [f"{low:.1%}", f"{high:.1%}"]


def mover_limits(*recalls):
    """Jeffreys limits of each recall by scipy's Beta, put together by squaring and adding (Zou and Donner 2008)."""
    share = np.array([x / n for x, n in recalls])
    low, high = (np.array([beta.ppf(q, x + 0.5, n - x + 0.5) for x, n in recalls]) for q in (0.025, 0.975))
    k = len(recalls)
    ends = share.mean() - np.hypot.reduce(share - low) / k, share.mean() + np.hypot.reduce(high - share) / k
    return [f"{end:.1%}" for end in ends]


def first(result):
    return list(describe(result).sentences)


def test_the_verdict_of_a_small_table():
    # 42 of 55 are right, 45 of 55 are "no"; balanced accuracy (40/45 + 2/10) / 2
    lines = first(adjudge.evaluate(TWO))
    assert [facts(line) for line in lines] == [
        ["76.4%", "42", "55", "95%", *midp_limits(42, 55), "81.8%", "'no'"],
        ["54.4%", "95%", *mover_limits((40, 45), (2, 10))],
        ["'yes'", "20.0%", "95%", *midp_limits(2, 10), "28.6%", "95%", *midp_limits(2, 7)],
        [f"{hypergeom.sf(40, 55, 45, 48) + hypergeom.pmf(40, 55, 45, 48) / 2:.2f}", "'no'", f"{binom.sf(41, 55, 45 / 55):.3f}"],
        ["'yes'", "20.0%", "10", "95%", *midp_limits(2, 10)],
    ]
    assert [line.split(" ")[0] for line in lines[:2]] == ["Accuracy", "Balanced"]
    assert mentions(lines[3], "No sign of skill", "Fisher")
    assert lines[4].startswith("What to worry about: ")


@pytest.mark.slow
def test_the_verdict_of_dna(dna):
    lines = first(dna)
    balanced, area = lines[1].split("; ")
    assert re.fullmatch(r"AUC 0\.962 .*95% interval 0\.95\d to 0\.9[67]\d\)\.", area)
    assert [facts(line) for line in (lines[0], balanced, lines[2])] == [
        ["85.8%", "1,017", "1,186", "95%", *midp_limits(1017, 1186), "50.8%", "'n'"],
        ["86.2%", "95%", *mover_limits((235, 303), (269, 280), (513, 603))],
        ["< 0.001", "'n'", "< 0.001"],
    ]
    assert mentions(lines[2], "Above chance", "permutation")
    highest = dna.drawn.p.max(axis=1)
    right = dna.drawn.decided == dna.drawn.y
    assert [facts(line) for line in lines[3:]] == [
        ["'ei'", "77.6%", "303", "95%", *midp_limits(235, 303)],
        [f"{highest.mean():.1%}", f"{right.mean():.1%}", "2", "0"],
    ]
    assert mentions(lines[4], "underconfident", "log loss is infinite")
    assert re.search(r"^Log loss +infinite  -$", dna.in_words(), re.MULTILINE)
    assert re.search(
        r"^ei +303 +265  77\.6% \(72\.6-82\.0\)  88\.7% \(84\.4-92\.1\)  0\.827  0\.960$", dna.in_words(), re.MULTILINE
    )
    assert re.search(r"^  A301 2 cases ", dna.in_words(), re.MULTILINE)


@pytest.mark.slow
def test_never_right_in_all_cases_unless_it_is():
    nearly = adjudge.evaluate(ConfusionCounts([[9_999, 1], [0, 10_000]]))
    assert first(nearly)[0].startswith("Accuracy 99.995% ")
    assert facts(first(nearly)[0])[1:3] == ["19,999", "20,000"]
    assert "100.0%" not in first(nearly)[0]
    assert facts(first(adjudge.evaluate(ConfusionCounts([[5, 0], [0, 5]])))[0])[:3] == ["100.0%", "10", "10"]


def test_a_close_race_is_told_apart():
    rare, line, *_ = first(adjudge.evaluate(ConfusionCounts([[9_501, 1], [498, 0]])))
    assert facts(rare) == [
        "0",
        "498",
        "1",
        "0.0%",
        "95%",
        "0.00%",
        f"{1 - 0.05 ** (1 / 498):.2%}",
    ]  # the upper limit solves (1 - p)^498 / 2 = 2.5%
    assert "Accuracy 95.01%" in line
    assert "against 95.02%" in line


def test_rejected_cases_are_counted():
    lines = first(adjudge.evaluate(ConfusionCounts([[30, 5, 5], [5, 30, 25]], ("a", "b"))))
    assert lines[0].startswith("Accuracy 60.0%")
    assert facts(lines[1]) == ["70", "30", "100", "85.7%"]


def test_when_nothing_was_decided():
    lines = first(adjudge.evaluate(ConfusionCounts([[0, 0, 5], [0, 0, 5]], ("a", "b"))))
    assert facts(lines[1]) == ["10"]
    assert mentions(lines[1], "rejected")


def test_weighted_cases_say_what_they_are_worth(kinds):
    counts = kinds["weighted"].counts
    assert facts(first(kinds["weighted"])[0])[1:3] == ["120", f"{counts.effective_n:.1f}"]


def test_numeric_predictors():
    result = adjudge.evaluate(adjudge.Predictions([1.5, 2.5, 5.0], [1.5, 3.0, 4.0]))
    # losses 0, 0.5, 1 over a truth whose mean is 3: mae 0.5, mse 1.25/3; |y - 3| sums to 4, (y - 3)^2 to 6.5
    # rmse sqrt(mse) = 0.6455 against sqrt(6.5 / 3) = 1.472 of the mean; r2 = 1 - 1.25 / 6.5 = 0.8077
    rmse, errors, worry = first(result)
    assert [facts(rmse)[i] for i in (0, 4, 5, 6)] == ["0.645", "3", "1", "0.808"]
    assert facts(errors) == ["0.5", "0.5"]
    assert facts(worry) == ["3"]


def test_a_constant_truth_has_no_relative_error(kinds):
    assert mentions(first(kinds["constant"])[0], "R² undefined", "truth does not vary")


def test_undefined_measures_say_why(kinds):
    text = kinds["one class"].in_words()
    assert re.search(r"^MCC \(Matthews correlation\) +undefined  -$", text, re.MULTILINE)
    assert mentions(text, "MCC (Matthews correlation) is undefined", "class 'a'")
    assert "nan" not in text


@pytest.mark.slow
def test_many_classes_are_folded(make_many):
    text = make_many(100).in_words()
    assert "And 80 more classes." in text
    assert len(text.splitlines()) < 60
    assert "And 1,980 more classes." in adjudge.evaluate(ConfusionCounts(_diagonal(2000))).in_words()


def _diagonal(k):
    from scipy.sparse import coo_array

    at = np.arange(k)
    return coo_array((np.full(k, 3), (at, at)), shape=(k, k))


def test_roles_and_their_evidence():
    result = adjudge.evaluate(TWO)
    roles = Roles("y", evidence={"truth": "column 'y': the name says so\x1b[2J"})
    text = replace(result, origin=replace(result.origin, roles=roles)).in_words()
    assert "Columns\n  truth " in text
    assert mentions(text, "column 'y'", "so\\x1b[2J")


@pytest.mark.slow
def test_every_kind_has_words_of_some_width(kinds):
    for name, result in kinds.items():
        lines = result.in_words().splitlines()
        assert max(map(len, lines)) <= 110, name
        assert repr(result) == result.in_words()


def test_lines_of_wide_characters_stay_aligned(make_three):
    table = make_three(("漢字", "b", "é")).in_words().split("\n\n")[-1].splitlines()[:4]
    ends = [sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line) for line in table]
    assert len(set(ends)) == 1


@pytest.mark.slow
@settings(max_examples=30)
@given(st.lists(st.text(min_size=1, max_size=30), min_size=2, max_size=4, unique=True))
def test_no_label_reaches_the_terminal_raw(labels):
    text = adjudge.evaluate(ConfusionCounts(np.eye(len(labels), dtype=int) * 9, labels)).in_words()
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in text.replace("\n", ""))


def test_terminal_escapes_are_shown():
    text = adjudge.evaluate(ConfusionCounts([[5, 1], [1, 4]], ("\x1b[31mred\x1b]0;title\x07", "b"))).in_words()
    assert "\x1b" not in text
    assert "\\x1b[31mred" in text


def test_overfitting_in_words():
    training = adjudge.evaluate(ConfusionCounts([[100, 0], [2, 98]]))
    test = adjudge.evaluate(ConfusionCounts([[80, 20], [20, 80]]))
    found = adjudge.overfitting(training, test)
    text = " ".join(found.in_words().split())
    assert facts(text)[:7] == ["1.0%", "200", "95%", *midp_limits(2, 200), "20.0%", "200"]
    assert "19.0 percentage points" in text
    assert text.endswith(first(found)[-1])
    assert "surely" in first(found)[-1]
    assert "no sure sign" in adjudge.overfitting(test, test).in_words()
    assert "check which file is which" in adjudge.overfitting(test, training).in_words()


def test_overfitting_against_another_in_words():
    good, poor, medium = (adjudge.evaluate(ConfusionCounts([[n, 100 - n], [100 - n, n]])) for n in (99, 60, 80))
    text = adjudge.overfits_against(good, poor, medium, medium).in_words()
    assert mentions(text, "training", "19.0 percentage points lower")
    assert text.endswith("overfits against the other, surely.")
    assert "does not overfit" in adjudge.overfits_against(medium, medium, medium, medium).in_words()
    assert "the same as the other's" in adjudge.overfits_against(medium, medium, medium, medium).in_words()


def test_a_result_without_words_of_its_own_shows_its_numbers():
    told = TWO.in_words()
    assert str(int(TWO.n)) in told
    assert TWO.in_words() == told


def test_long_labels_are_cut():
    label = "x" * 100_000
    text = adjudge.evaluate(ConfusionCounts([[5, 1], [1, 4]], (label, "b"))).in_words()
    assert len(text) < 10_000
    assert safe(label)[:80] in text.replace("\n", "")


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_no_line_is_wider_than_the_terminal(name):
    result = made(name)
    if not isinstance(result, Shown):
        pytest.skip("no result")
    document = describe(result, figure=False, whole=False)
    for width in (80, 100):
        calls = {f"     {step.call}" for step in document.steps}  # which stay whole, to be copied
        assert not [line for line in text(document, width=width).splitlines() if len(line) > width and line not in calls]


WIDE = Table("Wide", ("Name", "How it came to be", "Value (95%)", "Advice"), (
    ("the first of two", "a long story that nobody wants to read in one line", "12.5% (10.1-15.0)", "leave it"),
    ("second", "short", "1.5% (0.1-2.0)", "take it"),
), "llrl", tones={"leave it": "bad"})  # fmt: skip


def test_a_table_that_is_too_wide_first_breaks_headers_then_words_but_no_numbers():
    words = [cell for row in WIDE.rows for cell in row]
    for width in (120, 85, 60):
        lines = text(Document((), (WIDE,)), width=width).splitlines()
        assert max(map(len, lines)) <= width
        assert sorted(" ".join(lines).split()) == sorted(" ".join((*WIDE.header, *words)).split())
        assert sum("12.5% (10.1-15.0)" in line for line in lines) == 1
    assert len(text(Document((), (WIDE,)), width=120).splitlines()) == 3
    coloured = text(Document((), (WIDE,)), width=60, colour=True)
    assert re.sub(r"\x1b\[\d+m", "", coloured) == text(Document((), (WIDE,)), width=60)
    assert "\x1b[31mleave" in coloured


def test_a_table_with_no_room_for_its_columns_is_told_row_by_row():
    lines = text(Document((), (WIDE,)), width=40).splitlines()
    assert lines[0] == "Name: the first of two"
    assert "  Value (95%): 12.5% (10.1-15.0)" in lines
    assert "Name: second" in lines
    assert max(map(len, lines)) <= 40


SPARING = Table(
    "",
    ("Correction", "Gain", "P(gain)", "Multipliers"),
    (("class multipliers, least squares in [0, 1]", "1.3", "> 0.99", "a 1, b 0.9"),),
    "lrrl",
)


@pytest.mark.parametrize(("width", "shown"), [(80, True), (40, False), (34, False), (100, True)])
def test_a_narrow_terminal_does_without_columns_that_matter_less_and_names_them(width, shown):
    told = text(Document((), (SPARING,)), width=width)
    assert ("a 1, b 0.9" in told) is shown
    assert ("Wider terminals show more: Multipliers." in " ".join(told.split())) is not shown
    assert max(map(len, told.splitlines())) <= width
    assert "> 0.99" in told


def test_words_of_two_lines_cost_no_column():
    table = replace(SPARING, rows=(("class multipliers, free", "1.3", "> 0.99", "a 1, b 0.9"),))
    told = text(Document((), (table,)), width=48)
    assert "Wider" not in told
    assert "Multipliers" in told


def test_formulas_of_measures_stand_below_where_lines_are_narrow():
    table = adjudge.measures()
    assert "\n".join(table.lines()) == repr(table)
    narrow = list(table.lines(80))
    assert max(map(len, narrow)) <= 80
    assert " ".join(" ".join(narrow).split()) == " ".join(repr(table).split())
    assert "    2 TP / (2 TP + FP + FN)" in narrow
