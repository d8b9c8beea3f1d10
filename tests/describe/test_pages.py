"""Pages as wholes: no picture twice, no number on two cards, a first screen of few sentences, and commands that run."""

import re
import shlex
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from tests.described import sections

import adjudge
from adjudge.cli.group import main
from adjudge.describe.evaluation import MOST_SENTENCES
from adjudge.judgements.next_steps import MOST_STEPS
from adjudge.render.svg import svg

NAMES = ("normal", "benign", "sarcoma")


def softmax(logits):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def several(n, k, names, shift=2.2, seed=0):
    """Return a table of truths and probabilities of k classes, the later ones rarer."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, k + 1)
    y = rng.choice(k, n, p=share / share.sum())
    logits = rng.normal(size=(n, k)) + np.log(share)
    logits[np.arange(n), y] += shift
    columns = {f"p_{name}": p for name, p in zip(names, softmax(logits).T, strict=True)}
    return pl.DataFrame({"truth": [names[i] for i in y]} | columns)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Write a rare class, several classes, many classes, numbers and two sets of the same cases."""
    folder, rng = tmp_path_factory.mktemp("pages"), np.random.default_rng(1)
    p = 1 / (1 + np.exp(5.8 - 1.6 * rng.normal(size=8_000)))
    tables = {"fraud": pl.DataFrame({"is_fraud": (rng.random(8_000) < p).astype(int), "fraud_score": p**1.5})}
    tables |= {"medical": several(500, 3, NAMES), "many": several(3_000, 30, [f"kind {i}" for i in range(30)], 4.0)}
    price = np.exp(rng.normal(12, 0.4, 800))
    tables["houses"] = pl.DataFrame({"SalePrice": price, "pred": 0.9 * price * np.exp(rng.normal(0, 0.15, 800))})
    y = rng.random(600) < 0.4
    for name, skill in (("a", 0.8), ("b", 2.2)):
        score = 1 / (1 + np.exp(0.5 - skill * (2 * y - 1) - rng.normal(size=600)))
        yes = np.where(score >= 0.5, "yes", "no")
        tables[name] = pl.DataFrame({"id": np.arange(600), "churn": np.where(y, "yes", "no"), "predicted": yes, "score": score})
    for name, table in tables.items():
        table.write_csv(folder / f"{name}.csv")
    return folder


ALL = {
    "fraud": ["fraud.csv"],
    "medical": ["medical.csv"],
    "many": ["many.csv"],
    "houses": ["houses.csv"],
    "two": ["a.csv", "b.csv"],
}


@pytest.fixture(scope="module")
def reports(files):
    return {name: adjudge.report(*(files / each for each in given)) for name, given in ALL.items()}


def parts(result):
    """Return the sections of a page in groups that tell of the same cases and classifier."""
    every = sections(result)
    return [[part for part in every if part.kind != "part"], *([part, *part.inner] for part in every if part.kind == "part")]


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_no_picture_comes_twice(reports, name):
    for group in parts(reports[name]):
        figures = [(part.name, part.figure) for part in group if part.figure is not None]
        figures += [(f"{part.name}: {words}", figure) for part in group for words, figure in part.pictures]
        drawn = [(name, re.sub(r'"x[^"]*"', "", svg(figure.drawing, "x"))) for name, figure in figures]
        shapes = [(name, frozenset(re.findall(r' d="([^"]{80,})"', text))) for name, text in drawn]  # curves, not axes
        assert len(drawn) >= 2
        assert not [(one, other) for (one, a), (other, b) in combinations(drawn, 2) if a == b]
        assert not [(one, other) for (one, a), (other, b) in combinations(shapes, 2) if a and a == b]


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_no_two_cards_say_the_same(reports, name):
    for group in parts(reports[name]):
        cards = group[0].cards
        assert len({card.title for card in cards}) == len(cards) <= 5
        said = [(card.value, card.note) for card in cards]
        assert len(set(said)) == len(said)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_the_first_screen_is_small_and_folds_the_rest(reports, name):
    head = sections(reports[name])[0]
    assert len(head.sentences) <= 1 + MOST_SENTENCES
    assert head.folded
    (steps,) = (part for part in sections(reports[name]) if part.kind == "steps")
    assert 1 <= len(steps.steps) <= MOST_STEPS
    assert [part.name for part in sections(reports[name]) if part.theme == "summary"]
    html = reports[name].to_html()
    targets = set(re.findall(r' id="([^"]+)"', html))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= targets


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_every_command_that_is_printed_runs(files, monkeypatch, name):
    monkeypatch.chdir(files)
    page = str(files / f"page-{name}.html")
    ran = CliRunner().invoke(main, ["report", *ALL[name], "-o", page])
    assert ran.exit_code == 0, ran.output
    calls = re.findall(r"^ +(adjudge .*)$", ran.output, re.MULTILINE)
    assert len(calls) >= (name != "houses")
    written = re.findall(r"<code>(adjudge [^<]*)</code>", (files / page).read_text(encoding="utf-8"))
    assert set(calls) <= set(written)  # the page has the commands too, not the calls of Python
    for call in dict.fromkeys([*calls, *written]):
        again = CliRunner().invoke(main, shlex.split(call)[1:])
        assert again.exit_code == 0, f"{call}: {again.output}"


@pytest.mark.slow
def test_of_two_sets_the_better_one_is_to_be_used(reports):
    first, *others = reports["two"].next_steps
    assert (first.kind, first.name) == ("choose", "b.csv")
    assert [each.kind for each in others] == [each.kind for each in reports["two"].evaluations[1].next_steps][: MOST_STEPS - 1]
    told = reports["two"].in_words()
    assert "Use b.csv" in told


@pytest.mark.slow
def test_of_many_classes_those_found_least_and_the_place_of_the_true_one_are_told(reports):
    told = " ".join(sections(reports["many"])[0].sentences)
    found = reports["many"].evaluation
    enough = [row for row in found.by_class if row.cases >= 10]
    worst = min(enough, key=lambda row: row.sensitivity.value)
    assert f"top-5 accuracy {100 * found.top_k[4].share:.1f}"[:20] in told
    assert ("Found least often: " in told and f"'{worst.label}'" in told) or "is found in only" in told
    assert len(sections(reports["many"])[0].lead) < 250
