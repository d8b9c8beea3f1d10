"""What is said of comparisons, of rankings, and of learners over several data sets, against numbers worked out here by other means."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq
from sklearn.metrics import f1_score, log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from tests.describe.compared import TRUTH, N, by_hand, kept, ranked, said
from tests.described import facts, mentions, sections, verdict
from tests.render.test_page import EACH_VECTOR, VECTORS, Tags, sound

import adjudge
from adjudge._base.findings import Finding
from adjudge._base.undefined import Undefined
from adjudge.describe import describe
from adjudge.describe.comparison import numbers, optimism, outcomes, pairs, ranks
from adjudge.describe.values import amount, margin_of, sure
from adjudge.estimates.estimate import Interval
from adjudge.judgements.decision import ErrorRate
from adjudge.judgements.over_sets import compare_over_sets
from adjudge.judgements.report import Report

A, B = said(0.88, 1), said(0.88, 2)


@pytest.fixture(scope="module")
def two():
    return adjudge.compare(kept(A), kept(B), row="case", names=("a.csv", "b.csv"))


@pytest.fixture(scope="module")
def learners():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = np.where(X[:, 0] + rng.normal(size=90) > 0, "yes", "no")
    return adjudge.compare_learners(GaussianNB(), KNeighborsClassifier(), X, y, by="3x5-fold", progress=False)


def posterior_tail(only_a, only_b, rest, x):
    """P(share of only a - share of only b > x) under a flat Dirichlet prior of four outcomes, by quadrature over their sum."""

    def each(s):
        return stats.beta.pdf(s, only_a + only_b + 2, rest + 2) * stats.beta.sf((1 + x / s) / 2, only_a + 1, only_b + 1)

    centre = (only_a + only_b + 2) / (only_a + only_b + rest + 4)
    return quad(each, 1e-12, 1, points=[centre], limit=400, epsabs=1e-12)[0]


@pytest.mark.slow
def test_the_verdict_of_two_files(two):
    right = [A == TRUTH, B == TRUTH]
    both, only_a, only_b, neither = (
        int(np.sum(w)) for w in (right[0] & right[1], right[0] & ~right[1], ~right[0] & right[1], ~right[0] & ~right[1])
    )
    low, high = (brentq(lambda x, q=q: posterior_tail(only_a, only_b, both + neither, x) - q, -0.3, 0.3) for q in (0.975, 0.025))
    better, same_or_better = (posterior_tail(only_a, only_b, both + neither, x) for x in (0.01, -0.01))
    most = max(only_a, only_b)
    p = 2 * stats.binom.sf(most, only_a + only_b, 0.5) + stats.binom.pmf(most, only_a + only_b, 0.5)
    first, more, three, cases, method, test, known = verdict(two)
    assert mentions(first, "Undecided", "a.csv", "b.csv", "accuracy")
    values = [f"{right[0].mean():.1%}", f"{right[1].mean():.1%}", f"{100 * (only_a - only_b) / N:+.1f}"]
    assert facts(first) == [*values, "95%", f"{100 * low:.1f}", f"{100 * high:.1f}"]
    assert facts(more) == [f"{two.more_cases:,}", "80%", "0.01", "95%"]
    assert facts(three) == [f"{better:.2f}", f"{same_or_better - better:.2f}", f"{1 - same_or_better:.2f}", "1"]
    assert mentions(three, "P(a.csv better)", "same", "P(b.csv better)")
    assert facts(cases) == [str(n) for n in (both, only_a, only_b, neither)]
    assert mentions(cases, "Both", "a.csv", "b.csv", "neither")
    assert facts(method)[0] == str(N)
    assert mentions(method, "paired Dirichlet posterior (")
    assert facts(test) == [f"{p:.3f}"]
    assert mentions(test, "McNemar's test, mid-P")
    assert mentions(known, "95%", two.type_i_error)


def test_the_outcomes_add_up(two):
    cells = [[int(cell.replace(",", "")) for cell in row[1:]] for row in outcomes(two).rows]
    assert cells[0][0] == int(np.sum((A == TRUTH) & (B == TRUTH)))
    assert cells[0][2] == int(np.sum(A == TRUTH))
    assert cells[2][0] == int(np.sum(B == TRUTH))
    assert cells[2][2] == N


@pytest.mark.parametrize(
    ("three", "words"),
    [
        ((0.01, 0.02, 0.97), ("a.csv is better than b.csv",)),
        ((0.96, 0.03, 0.01), ("a.csv is worse than b.csv",)),
        ((0.02, 0.95, 0.03), ("a.csv", "b.csv", "practically the same")),
        ((0.30, 0.30, 0.40), ("Undecided", "a.csv", "b.csv")),
    ],
)
def test_the_first_line_is_the_verdict(three, words):
    first = verdict(by_hand(*three))[0]
    assert mentions(first.split(":")[0], *words)
    assert facts(first) == ["86.2%", "83.9%", "+2.3", "95%", "0.6", "4.0"]


def test_what_nothing_would_decide_is_said():
    told = " ".join(verdict(by_hand(0.02, 0.49, 0.49)))
    assert "would not decide" in told
    assert mentions(verdict(by_hand(0.3, 0.3, 0.4, more_cases=1200))[1], "1,200 more labelled cases", "would decide")
    assert "would decide" not in " ".join(verdict(by_hand(0.0, 0.0, 1.0)))


def test_a_pair_of_a_ranking_says_that_it_is_adjusted():
    told = " ".join(verdict(by_hand(0.0, 0.03, 0.97, pairs=10, adjusted_doubt=0.3)))
    assert told.startswith("Undecided ")
    assert "adjusted for 10 pairs (Holm)" in told


def test_less_may_be_better():
    found = adjudge.compare(kept(A), kept(B), row="case", names=("a", "b"), measure="error", margin=0.0)
    first, *_ = verdict(found)
    assert facts(first)[:2] == [f"{np.mean(A != TRUTH):.1%}", f"{np.mean(B != TRUTH):.1%}"]
    assert mentions(first, "less is better", "difference -")
    assert "every difference counts, however small" in " ".join(verdict(found))


def test_a_measure_of_one_class_names_it():
    found = adjudge.compare(kept(A), kept(B), row="case", names=("a", "b"), measure="f1", positive=1)
    assert facts(verdict(found)[0])[:3] == ["1", f"{f1_score(TRUTH, A):.3f}", f"{f1_score(TRUTH, B):.3f}"]
    assert "F1 of class 1 " in verdict(found)[0]


def test_losses_keep_their_digits():
    rng = np.random.default_rng(4)
    p, q = (np.clip(rng.normal(0.2 + 0.6 * TRUTH, s), 0.05, 0.95) for s in (0.1, 0.3))
    found = adjudge.compare(
        *(kept(A, p_1=p), kept(B, p_1=q)),
        truth="truth",
        predicted="predicted",
        row="case",
        scores="p_1",
        positive=1,
        measure="log_loss",
        names=("a", "b"),
    )
    losses = log_loss(TRUTH, p), log_loss(TRUTH, q)
    assert facts(verdict(found)[0])[:3] == [f"{value:.4g}" for value in (*losses, losses[0] - losses[1])]
    assert mentions(verdict(found)[0], "log loss", "less is better")


def test_a_p_value_without_a_value_has_a_reason():
    told = verdict(by_hand(p_value=Undefined("all folds agree")))
    assert any(mentions(line, "p undefined", "all folds agree") for line in told)
    assert ("p of no difference", "undefined") in numbers(by_hand(p_value=Undefined("all folds agree"))).rows


def test_known_errors_are_told():
    rate = ErrorRate(0.063, 0.147, "over 10 x 10 folds")
    told = verdict(by_hand(type_i_error=rate, method="Bayesian correlated t test (somewhere)", p_value=0.2))
    assert ["5%", "6.3%", "14.7%", "10", "10"] in map(facts, told)
    assert any(mentions(line, "p = 0.200", "corrected resampled t test") for line in told)
    assert any(mentions(line, "folds of 500 cases", "Bayesian correlated t test (somewhere)") for line in told)


def test_learners_are_told_with_their_folds(learners):
    told = verdict(learners)
    assert any(mentions(line, "folds of 90 cases", "Bayesian correlated t test") for line in told)
    assert "Nadeau and Bengio" in " ".join(sections(learners)[-1].sentences)
    assert not any(part.name == "outcomes" for part in sections(learners))


@given(st.floats(0, 1), st.sampled_from([0.9, 0.95, 0.99, 0.995]))
def test_rounding_never_crosses_the_level(p, level):
    shown = sure(p, level)
    sign, told = shown[0], float(shown[2:])
    assert {"=": abs(told - p) <= 0.0051, "<": p < told, ">": p > told}[sign]
    if abs(p - level) > 1e-6:
        assert (told >= level) == (p >= level)


@given(st.floats(-1, 1), st.floats(0, 1))
def test_points_say_nothing_that_is_not_so(value, width):
    shown = amount("accuracy", value, width)
    number = float(shown.lstrip("<>"))
    assert (number == 0) == (value == 0)
    assert number * value >= 0
    if shown[0] not in "<>":
        assert number == pytest.approx(100 * value, abs=0.0501)


def test_the_margin_is_told_in_the_unit_of_the_difference():
    assert margin_of("accuracy", 0.01) == "1 point"
    assert margin_of("accuracy", 0.025) == "2.5 points"
    assert margin_of("mae", 12.5) == "12.5"


@pytest.mark.slow
def test_equal_sets_are_the_same():
    found = adjudge.compare(kept(A), kept(A), row="case", names=("a", "b"), margin=0.02)
    assert "practically the same" in verdict(found)[0]
    assert "difference 0.0 points" in verdict(found)[0]
    assert "A705" in found.in_words()
    sound(found.to_html())


def test_values_that_differ_are_told_apart():
    found = by_hand(0.0, 1.0, 0.0, values=(0.86201, 0.862), difference=0.00001, interval=Interval(-0.01, 0.01, 0.95, ""))
    assert facts(verdict(found)[0])[:3] == ["86.201%", "86.200%", "+0.001"]


def test_a_hundred_classes():
    truth = np.random.default_rng(9).integers(0, 100, 300)
    sets = [kept(np.where(np.arange(300) % step, truth, (truth + 1) % 100), truth) for step in (20, 10)]
    found = adjudge.compare(*sets, row="case", names=("a", "b"), measure="balanced_accuracy")
    assert "balanced accuracy" in verdict(found)[0]
    assert ["270", "15", "0", "15"] in [facts(line) for line in verdict(found)]
    sound(found.to_html())


# -- pages -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def several(two):
    evaluations = tuple(adjudge.evaluate(adjudge.Predictions(TRUTH, predicted)) for predicted in (A, B))
    return Report(("a.csv", "b.csv"), evaluations, two)


@pytest.fixture(scope="module")
def kinds(two, many, thirty, learners, several):
    return {"two": two, "many": many, "thirty": thirty, "learners": learners, "several": several}


@pytest.mark.slow
def test_every_kind_has_a_sound_page(kinds):
    for name, found in kinds.items():
        text = found.to_html()
        sound(text)
        assert text == found.to_html(), name
        assert not re.search(r"\bnan\b|http:|style=", text, re.IGNORECASE), name
        json.dumps(found.to_dict(), allow_nan=False)
        ids = re.findall(r' id="([^"]+)"', text)
        assert len(ids) == len(set(ids)), name
        for wanted in re.findall(r'aria-labelledby="([^"]+)"', text):
            assert set(wanted.split()) <= set(ids), name


@pytest.mark.slow
def test_tags_are_balanced(kinds):
    void = {"meta", "br", "line", "path", "circle", "rect"}
    for name, found in kinds.items():
        opened = []
        for tag, _ in Tags(found.to_html()).tags:
            if tag.startswith("/"):
                if tag[1:] not in void:
                    assert opened.pop() == tag[1:], name
            elif tag not in void and tag != "declaration":
                opened.append(tag)
        assert not opened, name


@pytest.mark.slow
def test_the_first_of_several_is_open_and_the_others_folded(several):
    text = several.to_html()
    assert re.findall(r'<details class="part"( open)?>', text) == [" open", ""]
    assert text.index("a.csv against b.csv") < text.index('<details class="part"')
    assert [s.name for s in sections(several)[-1].inner][-1] == "methods-2"
    assert text.count("<h1>") == 1
    first = verdict(several.evaluations[1])[0]
    assert describe(several).closing[-1] == f"b.csv: {first[0].lower()}{first[1:]}"


@pytest.mark.slow
def test_all_words_are_in_the_page(two, many):
    for found in (two, many):
        words = " ".join("".join(Tags(found.to_html()).words).split())
        for sentence in verdict(found):
            assert sentence in words


def results_of(name, two, many, several):
    """Return a comparison, a ranking and a report of several in which one candidate has that name."""
    finding = Finding("A701", f"3 rows of {name} had none.", "Judge all cases by all.")
    pair = replace(two, names=(name, "b.csv"), of=name, findings=(finding,))
    rows = (replace(many.rows[0], name=name), *many.rows[1:])
    first = many.rows[0].name

    def other(key):
        return tuple(name if part == first else part for part in key)

    compared = {other(key): value for key, value in many.comparisons.items()}
    p_values = {other(key): value for key, value in many.p_values.items()}
    groups = tuple(other(group) for group in many.groups)
    ranking = replace(many, rows=rows, comparisons=compared, p_values=p_values, groups=groups, of=name)
    return pair, ranking, replace(several, comparison=pair, names=(name, "b.csv"))


@pytest.fixture(scope="module")
def tags_of_plain_names(two, many, several):
    return [Tags(found.to_html()).tags for found in results_of("plain", two, many, several)]


@pytest.mark.slow
@EACH_VECTOR
def test_a_name_is_only_text(vector, two, many, several, tags_of_plain_names):
    """Every text in the page of a pair, and in turn in that of a ranking or of several: all are escaped in one place."""
    pair, *others = zip(results_of(vector, two, many, several), tags_of_plain_names, strict=True)
    for found, plain in (pair, others[VECTORS.index(vector) % 2]):
        told = found.in_words()
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", told)
        hostile = found.to_html()
        sound(hostile)
        assert Tags(hostile).tags == plain


# -- many, from best to worst, and over data sets ---------------------------------------------------------------


@pytest.mark.slow
def test_the_words_of_a_ranking(many):
    right = {f"m{i}.csv": np.mean(said(share, 10 + i) == TRUTH) for i, share in enumerate((0.95, 0.9, 0.89, 0.7))}
    order = sorted(right, key=lambda name: -right[name])
    assert [row[:2] for row in ranks(many).rows] == [(f"{i + 1}. {name}", f"{right[name]:.1%}") for i, name in enumerate(order)]
    limits = stats.beta.ppf([(1 - 0.9875) / 2, (1 + 0.9875) / 2], N * right[order[0]] + 0.5, N * (1 - right[order[0]]) + 0.5)
    told = [float(v) for v in re.findall(r"[\d.]+", ranks(many).rows[0][2])]
    assert told == pytest.approx(100 * limits, abs=0.4)  # Jeffreys' limits at the level of all four: near to mid-P, not the same
    assert len(pairs(many).rows) == 6
    text = many.in_words()
    first = verdict(many)[0]
    assert mentions(first, "4", "accuracy")
    assert first.startswith("m0.csv is the best") or mentions(first, "Undecided", "m0.csv leads")
    assert all(name in text for name in right)
    assert optimism(many) in " ".join(text.split())


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ((("a",), ("b",), ("c",)), ("adjusted for 3 pairs", "of every two one is better.")),
        ((("a", "b", "c"),), ("adjusted for 3 pairs", "no candidate is declared better")),
        ((("a", "b"),), ("no candidate is declared better",)),
        ((("a",), ("b", "c"), ("c", "d")), ("none is declared better", " b and c; c and d.")),
        ((("a",), ("b", "c"), ("c", "d")), ("all others: a.",)),
        ((tuple("abcdefg"), ("h",)), ("declared better", "a, b, c, d, e and 2 more.")),
        ((tuple("abcdefg"), ("h",)), ("all others: h.",)),
    ],
)
def test_groups_in_words(groups, words):
    told = " ".join(verdict(ranked(groups)))
    assert mentions(told, *words)
    many = len(ranked(groups).rows) > 2
    assert mentions(told, "up to 10% of rankings", "0.01", "95%") == many
    assert ("adjusted for" in told) == many


@pytest.mark.parametrize(
    ("observed", "corrected", "up", "words"),
    [
        (0.9, 0.88, True, ("flatters it", "2.0 points", "90.0%", "88.0%")),
        (0.9, 0.91, True, ("did not flatter it",)),
        (0.9, 0.89999, True, ("hardly flatters it",)),
        (0.1, 0.12, False, ("flatters it", "2.0 points", "10.0%", "12.0%")),
        (0.1, 0.08, False, ("did not flatter it",)),
    ],
)
def test_the_luck_of_the_winner_in_words(observed, corrected, up, words):
    assert mentions(optimism(ranked((("a", "b"),), observed, corrected, up=up)), *words)


def test_who_is_best_is_said_only_where_it_is_sure():
    sure_of, doubted = (verdict(ranked((("a", "b"),), p_best=p))[0] for p in (0.97, 0.6))
    assert sure_of.startswith("a is the best ")
    assert facts(sure_of) == ["2", "90.0%", "0.97"]
    assert mentions(doubted, "Undecided", "a leads")
    assert facts(doubted) == ["2", "90.0%", "0.60"]


@pytest.mark.slow
def test_thirty_candidates_are_all_ranked_and_their_pairs_folded(thirty):
    assert len(ranks(thirty).rows) == 30
    assert (len(pairs(thirty).rows), len(pairs(thirty).folded), pairs(thirty).untold) == (20, 180, 235)
    text = thirty.to_html()
    assert "And 235 more pairs." in text
    assert len(text) < 400_000
    assert "m29.csv" in thirty.in_words()


@pytest.mark.slow
def test_several_data_sets_have_words_and_a_page():
    differences = {"<b>iris</b>": 0.03, "wine": 0.01, "glass": 0.05, "yeast": 0.02, "sonar": 0.04, "vowel": 0.06}
    found = compare_over_sets(differences)
    p = stats.wilcoxon(list(differences.values())).pvalue
    assert mentions(found.in_words(), "Wilcoxon's signed-rank test", f"p = {p:.3f}.")
    assert f"a minus b: {np.mean(list(differences.values())):.3f}." in found.in_words()
    text = found.to_html()
    sound(text)
    assert "<b>iris" not in text
    rng = np.random.default_rng(0)
    folds = compare_over_sets({name: rng.normal(d, 0.02, 10) for name, d in differences.items()}, test_share=0.1)
    assert "hierarchical model" in folds.in_words()
    assert "Drawn to the others" in folds.to_html()
