"""Names of 30 letters are never cut: not on a page, not in a picture, not in a terminal; endless ones always are."""

from __future__ import annotations

import re
from functools import cache
from html import unescape

import numpy as np
import pytest
from tests.long_names import CLASSIFIERS, NAMES, scored

import adjudge
from adjudge.describe import describe
from adjudge.plots.differences import outcome_bars
from adjudge.plots.drawing import Cells, Drawing, Text, every_item
from adjudge.plots.pictures import KINDS, picture
from adjudge.render.text import text

CASES = [
    pytest.param(k, rejected, marks=[] if (k, rejected) == (3, False) else [pytest.mark.slow])
    for k in (2, 3, 4)
    for rejected in (False, True)
]
_CUT = re.compile(r"\w…|…\w")


def words_of(drawing: Drawing) -> list[str]:
    """Return all words of a drawing and of its pieces."""
    found = [drawing.title, drawing.words, drawing.heading]
    for each in (drawing, *drawing.apart):
        axes = () if each.panel is None else tuple(each.panel.words(each.width))
        for item in every_item((*axes, *each.items)):
            if isinstance(item, Text):
                found.append(item.words)
            elif isinstance(item, Cells):
                found += [words for row in item.lines for cell in row for _, words, _ in cell]
    return found


@cache
def results(k: int, *, rejected: bool = False) -> dict[str, object]:
    """Return results in which the names of classes and classifiers stand."""
    first, second = scored(k, rejected=rejected), scored(k, seed=1, rejected=rejected)
    evaluation, sick = adjudge.evaluate(first), [scored(k, seed=i, rejected=rejected, positive=NAMES[0]) for i in range(2)]
    names = {name: scored(k, seed=i, rejected=rejected) for i, name in enumerate((*CLASSIFIERS, *NAMES[:2]))}
    found = {
        "report": adjudge.report(first),
        "evaluation": evaluation,
        "counts": evaluation.counts,
        "comparison": adjudge.compare(first, second, names=CLASSIFIERS),
        "sensitivity": adjudge.compare(*sick, names=CLASSIFIERS, measure="sensitivity"),
        "ranking": adjudge.rank(names),
        "thresholds": adjudge.thresholds(evaluation),
        "class": evaluation.by_class[0],
        "estimate": evaluation.by_class[0].sensitivity,
        "posterior": adjudge.posterior(evaluation.counts, "sensitivity", positive=NAMES[0]),
    }
    if not rejected:
        found |= {
            "recommendations": adjudge.recommend(first),
            "space": adjudge.partition(first),
            "multipliers": adjudge.fit_multipliers(first),
        }
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("k", "rejected"), CASES)
def test_no_name_is_cut_in_a_picture(k, rejected):
    found = results(k, rejected=rejected)
    drawn = {name: picture(result).drawing for name, result in found.items()}
    numbers = {"agreement", "residuals", "quantiles"}  # of numeric predictions, which name no class
    numbers |= {"top-k"} if k == 2 else set()
    kinds = [kind for kind in KINDS if kind not in numbers and (kind != "partition" or not rejected)]  # no place for undecided
    drawn |= {kind: picture(found["evaluation"], kind=kind).drawing for kind in kinds}
    drawn["outcomes"] = outcome_bars(found["comparison"])
    cut = [(name, words) for name, drawing in drawn.items() for words in words_of(drawing) if _CUT.search(words)]
    assert not cut
    lines = " ".join(words_of(drawn["counts"]))
    assert rejected == ("no decision" in lines)


@pytest.mark.parametrize(("k", "rejected"), CASES)
def test_no_name_is_cut_in_a_terminal(k, rejected):
    for name, result in results(k, rejected=rejected).items():
        lines = result.in_words().splitlines()
        assert not [line for line in lines if _CUT.search(line)], name
        assert all(len(line) <= 100 for line in lines), name


@pytest.mark.slow
@pytest.mark.parametrize(("k", "rejected"), CASES)
def test_no_name_is_cut_on_a_page(k, rejected):
    found = results(k, rejected=rejected) | {
        "two files": adjudge.report(scored(k, rejected=rejected), scored(k, seed=1, rejected=rejected), names=CLASSIFIERS)
    }
    for name, result in found.items():
        for page in (result.to_html(), result._repr_html_()):
            shown = unescape(re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL))
            assert not [shown[max(0, cut.start() - 40) : cut.end() + 20] for cut in _CUT.finditer(shown)], name
            assert any(each in shown for each in (*NAMES, *CLASSIFIERS)), name


@pytest.mark.parametrize("k", [2, 3, 4, 8, pytest.param(30, marks=pytest.mark.slow)])
def test_endless_names_are_cut_and_stay_different(k):
    labels = [f"{'x' * 4000} and {i} of {'y' * 4000}" for i in range(k)]
    counts = adjudge.ConfusionCounts(np.random.default_rng(0).integers(0, 90, (k, k + 1)), labels)
    drawing = picture(counts).drawing
    assert max(map(len, (item for each in words_of(drawing)[3:] for item in each.split("\n")))) < 64
    rows = [words for _, words in drawing.panel.y.ticks]
    assert len(set(rows)) == len(rows)
    told = text(describe(adjudge.evaluate(counts)), width=100).splitlines()
    assert max(map(len, told)) <= 100
    assert len(adjudge.report(counts).to_html()) < 400_000
