"""The page of an evaluation: posteriors, groups, folds, data, and methods with their papers."""

import re

import numpy as np
import pytest
from scipy.stats import t
from tests.described import mentions, sections
from tests.drawn import svg

import adjudge
from adjudge import Predictions
from adjudge.describe.evaluation_page import ONE_TEST_SET, PAPERS, cited, methods, origin

TRUTH, DECIDED = np.array([0] * 70 + [1] * 70), np.array([0] * 69 + [1] + [0] + [1] * 69)


def densities(**how):
    roles = {name: how.pop(name) for name in ("fold", "weight") if name in how}
    found = sections(adjudge.evaluate(adjudge.Predictions(TRUTH, DECIDED, **roles), **how))
    return next(part for part in found if part.name == "densities")


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ("jeffreys", "Jeffreys' prior"),
        ("flat", "flat priors"),
        ("dirichlet", "flat Dirichlet priors"),
        ((2, 5), "Beta(2, 5) priors"),
    ],
)
def test_the_prior_is_named(prior, words):
    assert mentions(densities(prior=prior).lead, "One classifier, 140 cases", f"under {words}.")


@pytest.mark.slow
def test_weights_do_not_hide_the_prior():
    assert "flat priors" in densities(prior="flat", weight=np.linspace(0.5, 3.5, 140)).lead


@pytest.mark.slow
def test_an_algorithm_and_its_folds_are_named():
    found = densities(fold=np.tile(np.arange(10), 14))
    for told in (found.lead, found.figure.heading):
        assert mentions(told.lower(), "an algorithm, 10 folds", "140 cases")


def test_the_commonest_answer_and_chance_are_marked():
    assert {"always 0 50.0%", "chance 50.0%"} <= set(densities().figure.words.split("; "))


def test_the_level_is_that_of_the_evaluation():
    found = densities(level=0.9)
    assert "is the 90% interval" in found.lead
    assert found.figure.words.count(": 90%: ") == 2


def confounded(n=600, seed=0):
    """Two sites, each with mostly one class, and a classifier that leans on the site."""
    rng = np.random.default_rng(seed)
    site = rng.integers(0, 2, n)
    truth = np.where(rng.random(n) < 0.9, site, 1 - site)
    decided = np.where(rng.random(n) < 0.8, site, truth)
    return adjudge.evaluate(Predictions(truth, decided, group=np.array(["london", "rome"])[site])), truth, decided, site


def groups(result):
    """Return the chapter on groups."""
    return (part for part in sections(result) if part.theme == "groups")


def test_without_groups_there_is_no_chapter(dna, kinds):
    assert list(groups(dna)) == []
    assert list(groups(kinds["numbers"])) == []


@pytest.mark.slow
def test_a_row_for_each_group_with_its_own_share():
    result, truth, decided, site = confounded()
    first = next(groups(result))
    assert (first.name, first.theme, first.kind) == ("groups", "groups", "figure")
    rows = {row.name: row for row in first.figure.rows}
    for at, name in enumerate(("london", "rome")):
        assert rows[name].value == pytest.approx(np.mean((truth == decided)[site == at]))
        assert rows[name].low < rows[name].value < rows[name].high
    assert rows["All cases"].value == pytest.approx(np.mean(truth == decided))
    assert [row[0] for row in first.tables[0].rows] == ["london", "rome"]
    assert "svg" in svg(first.figure, "groups")


@pytest.mark.slow
def test_what_the_group_gives_away_is_taken_away():
    result, truth, decided, site = confounded()
    second = list(groups(result))[1]
    cells = [np.mean((decided == truth)[(truth == c) & (site == g)]) for c in (0, 1) for g in (0, 1)]
    rows = {row.name: row.value for row in second.figure.rows if row.headed}
    assert rows["Groups counting alike as well"] == pytest.approx(np.mean(cells))
    assert rows["Classes counting alike"] == pytest.approx(np.mean([np.mean(decided[truth == c] == c) for c in (0, 1)]))
    assert "comes from the groups" in second.reading[-1]
    assert second.tables[0].header == ("Group", "Cases", "Balanced accuracy (95%)")


@pytest.mark.slow
def test_groups_that_do_not_matter_are_said_not_to():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 400)
    decided = np.where(rng.random(400) < 0.8, truth, 1 - truth)
    found = list(groups(adjudge.evaluate(Predictions(truth, decided, group=rng.integers(0, 3, 400)))))
    assert "may be chance" in found[0].reading[0]
    assert "no sure sign" in found[1].reading[-1]
    assert found[2].tables[0].header == ("Group", "0", "1")
    assert sum(int(cell) for row in found[2].tables[0].rows for cell in row[1:]) == 400


@pytest.mark.slow
def test_many_groups_are_dots_and_weights_are_not_tested(kinds):
    first = next(groups(kinds["folds"]))
    assert len(first.figure.parts) == 0
    assert any(len(row.dots) == len(kinds["folds"].by_group) for row in first.figure.rows)
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 200)
    weighted = adjudge.evaluate(Predictions(truth, truth, group=truth % 2, weight=rng.exponential(1, 200)))
    assert "was not tested" in next(groups(weighted)).reading[0]


@pytest.mark.slow
def test_hostile_groups_are_only_text():
    result = adjudge.evaluate(Predictions([0, 1] * 50, [0, 1] * 40 + [1, 0] * 10, group=["<b>x", "\u202ey"] * 50))
    text = result.to_html()
    assert "<b>x" not in text
    assert "\u202e" not in text


def folded(n=400, k=10, seed=0, **more):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    decided = np.where(rng.random(n) < 0.8, truth, 1 - truth)
    fold = np.arange(n) % k
    return adjudge.evaluate(Predictions(truth, decided, fold=fold, **more)), [
        np.mean((truth == decided)[fold == f]) for f in range(k)
    ]


def test_one_test_set_says_what_it_does_not_tell(dna, kinds):
    (only,) = origin(dna)
    assert (only.lead, only.theme, only.figure) == (ONE_TEST_SET, "origin", None)
    assert list(origin(kinds["numbers"])) == []


def test_the_folds_and_what_they_come_to():
    result, each = folded()
    (only,) = origin(result)
    rows = {row.name: row for row in only.figure.rows}
    assert [rows[str(f)].value for f in range(10)] == pytest.approx(each)
    assert rows["This test set, pooled"].value == pytest.approx(np.mean(each))
    bar = rows["Mean of 10 folds ± 2 SE"]
    assert bar.low == pytest.approx(np.mean(each) - 2 * np.std(each, ddof=1) / np.sqrt(10))
    half = t.ppf(0.975, 9) * np.std(each, ddof=1) * np.sqrt(1 / 10 + 1 / 9)
    anew = rows["This algorithm, trained anew"]
    assert (anew.low, anew.high) == (pytest.approx(np.mean(each) - half), pytest.approx(np.mean(each) + half))
    assert len(only.tables[0].rows) == 10
    assert any("trained anew" in line for line in only.reading)


@pytest.mark.slow
def test_small_folds_are_named():
    result, _ = folded(n=100)
    (only,) = origin(result)
    assert any("the smallest has 10 cases" in line for line in only.reading)
    assert "A601" in [finding.code for finding in result.findings]
    large, _ = folded(n=400)
    assert "A601" not in [finding.code for finding in large.findings]


@pytest.mark.slow
def test_an_algorithm_is_not_judged_where_folds_do_not_tell():
    weighted, _ = folded(weight=np.linspace(1, 2, 400))
    assert weighted.folds.algorithm is None
    again, _ = folded(row=np.arange(400) // 10)
    assert again.repeats > 1
    assert again.folds.algorithm is None
    perfect = adjudge.evaluate(Predictions([0, 1] * 50, [0, 1] * 50, fold=np.arange(100) % 5))
    assert perfect.folds.algorithm is None
    (only,) = origin(perfect)
    assert "This algorithm, trained anew" not in [row.name for row in only.figure.rows]


def data(result):
    """Return what the page tells of the data."""
    return (part for part in sections(result) if part.theme == "data")


@pytest.mark.slow
def test_the_data_are_told_with_the_cases_of_each_class(kinds):
    facts, sizes = data(kinds["hundred"])
    told = dict(facts.tables[0].rows)
    assert told["Rows"] == "3,000"
    assert told["Scores hold"] == "probabilities"
    assert told["Level of intervals"] == "95%"
    support = kinds["hundred"].counts.support
    assert sizes.tables[0].rows[0][1] == str(support.max())
    rows = (*sizes.tables[0].rows, *sizes.tables[0].folded)
    assert sum(int(row[1]) for row in rows) == 3000
    assert [s.name for s in data(kinds["numbers"])] == ["data"]
    weights = dict(next(data(kinds["weighted"])).tables[0].rows)
    assert f"worth {kinds['weighted'].counts.effective_n:.1f} equally weighted cases" in weights["Weights"]
    assert dict(next(data(kinds["folds"])).tables[0].rows)["Folds"].startswith("5, with ")


# -- methods: papers are numbered as they are named, and told in full once


def test_numbers_follow_the_order_of_naming():
    told = cited(["Two (Kish 1965), (Holm 1979).", "One again (Kish 1965)."])
    assert told[:2] == ("Two (Kish 1965 [1]), (Holm 1979 [2]).", "One again (Kish 1965 [1]).")
    assert told[2:] == (f"[1] {PAPERS['Kish 1965']}", f"[2] {PAPERS['Holm 1979']}")
    assert cited(["Nobody is named."]) == ("Nobody is named.",)


def test_every_paper_in_full_has_its_year():
    for name, paper in PAPERS.items():
        assert name[-4:] in paper, name


def test_the_methods_of_a_page_number_what_they_name(kinds, dna):
    for result in (*kinds.values(), dna):
        told = methods(result)
        body = [line for line in told if not line.startswith("[")]
        papers = [line for line in told if line.startswith("[")]
        numbers = {int(n) for line in body for n in re.findall(r"\[(\d+)\]", line)}
        assert numbers == set(range(1, len(papers) + 1))
        assert told == (*body, *papers)


def test_only_what_is_on_the_page_is_explained(kinds):
    plain = " ".join(methods(kinds["decisions"]))
    assert "Newcombe" not in plain
    assert "Groups." not in plain
    assert "Groups." in " ".join(methods(kinds["folds"]))
    assert "Kish" in " ".join(methods(kinds["weighted"]))
    assert "Hand and Till" in " ".join(methods(kinds["three"]))
