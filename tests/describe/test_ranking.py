"""What is said of rankings, and of learners over several data sets, against numbers worked out here by other means."""

import re

import numpy as np
import pytest
from scipy import stats
from tests.describe.compared import TRUTH, N, ranked, said
from tests.described import verdict
from tests.render.test_page import sound

from adjudge.describe.ranking import optimism, pairs, ranks
from adjudge.judgements.over_sets import compare_over_sets


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
    assert text.splitlines()[0].startswith(
        ("m0.csv is the best of 4 by accuracy:", "Undecided which of 4 is the best by accuracy: m0.csv")
    )
    assert all(name in text for name in right)
    assert optimism(many) in " ".join(text.split())


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ((("a",), ("b",), ("c",)), "Verdicts, adjusted for 3 pairs: of every two one is better."),
        ((("a", "b", "c"),), "Verdicts, adjusted for 3 pairs: no candidate is called better than another."),
        ((("a", "b"),), "Verdicts: no candidate is called better than another."),
        (
            (("a",), ("b", "c"), ("c", "d")),
            "none is called better among b and c; c and d. Better or worse than all others: a. Among equally good candidates ",
        ),
        ((tuple("abcdefg"), ("h",)), "called better among a, b, c, d, e and 2 more. Better or worse than all others: h."),
    ],
)
def test_groups_in_words(groups, words):
    told = " ".join(verdict(ranked(groups)))
    assert words in told
    wrong = "some pair is called better or worse in up to 10% of rankings; equivalence margin (ROPE) 0.01, level 95%."
    assert (wrong in told) == (len(ranked(groups).rows) > 2)


@pytest.mark.parametrize(
    ("observed", "corrected", "up", "words"),
    [
        (0.9, 0.88, True, "flatters it by 2.0 points: 90.0% observed, 88.0% on held-out cases"),
        (0.9, 0.91, True, "did not flatter it"),
        (0.9, 0.89999, True, "hardly flatters it"),
        (0.1, 0.12, False, "flatters it by 2.0 points"),
        (0.1, 0.08, False, "did not flatter it"),
    ],
)
def test_the_luck_of_the_winner_in_words(observed, corrected, up, words):
    assert words in optimism(ranked((("a", "b"),), observed, corrected, up=up))


def test_who_is_best_is_said_only_where_it_is_sure():
    assert verdict(ranked((("a", "b"),)))[0] == "a is the best of 2 by accuracy: 90.0%, P(best) = 0.97."
    assert (
        verdict(ranked((("a", "b"),), p_best=0.6))[0]
        == "Undecided which of 2 is the best by accuracy: a leads with 90.0%, P(best) = 0.60."
    )


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
    assert f"Wilcoxon's signed-rank test of no difference: p = {p:.3f}." in found.in_words()
    assert f"a minus b: {np.mean(list(differences.values())):.3f}." in found.in_words()
    text = found.to_html()
    sound(text)
    assert "<b>iris" not in text
    rng = np.random.default_rng(0)
    folds = compare_over_sets({name: rng.normal(d, 0.02, 10) for name, d in differences.items()}, test_share=0.1)
    assert "hierarchical model" in folds.in_words()
    assert "Drawn to the others" in folds.to_html()
