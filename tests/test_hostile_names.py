"""Labels, columns, groups, folds, titles and identities that would do harm are words wherever a result is shown."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from functools import cache

import numpy as np
import pytest
from markdown_it import MarkdownIt
from matplotlib import pyplot as plt
from matplotlib.cbook import is_math_text
from tests.hostile import EVERY, LONG, LOOKALIKES, MATHS, REVERSED, letters, unseen
from tests.render.test_page import Tags, sound, with_origin, without_findings

import adjudge
from adjudge._base.text import left_to_right, listed
from adjudge.plots.labels import distinct_names, named
from adjudge.render.text import _columns

PART = 57  # labels of one table, of which a page shows all
PARTS = [EVERY[at :: -(-len(EVERY) // PART)] for at in range(-(-len(EVERY) // PART))]
EACH_PART = pytest.mark.parametrize("part", range(len(PARTS)))
FIRST_PART = pytest.mark.parametrize("part", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, len(PARTS)))])
FORMULA = re.compile("^[ ]*[=+\\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]")
TURNED = "\u200e"


@cache
def table(*labels):
    """Return how good decisions are, of classes with these labels."""
    k = len(labels)
    cells = np.random.default_rng(0).integers(0, 9, (k, k)) + 60 * np.eye(k, dtype=int)
    return adjudge.evaluate(adjudge.ConfusionCounts(cells, labels))


def without_turns(text):
    return text.replace(TURNED, "")


@EACH_PART
def test_labels_are_words_in_a_terminal(part):
    text = table(*PARTS[part]).in_words()
    assert not unseen(without_turns(text))
    assert max(_columns(without_turns(line)) for line in text.splitlines()) <= 100


@EACH_PART
def test_labels_are_cells_of_comma_separated_values_and_none_is_a_formula(part):
    evaluation = table(*PARTS[part])
    rows = list(csv.DictReader(io.StringIO(evaluation.to_csv(), newline="")))
    frame = evaluation.to_frame("polars").to_dicts()
    for row, values in zip(rows, frame, strict=True):
        for name, cell in row.items():
            if isinstance(values[name], float):
                assert float(cell) == values[name]
            elif values[name] is not None:
                assert cell in (values[name], f"'{values[name]}")
                assert not FORMULA.match(cell) or re.fullmatch(r"[-+]?\d+", cell)


@EACH_PART
def test_labels_are_whole_in_json(part):
    told = table(*PARTS[part]).to_json()
    assert told.isascii()
    assert json.loads(told)["counts"]["classes"] == list(PARTS[part])


def parsed(text):
    """Return what Markdown makes of a text: the kinds of its pieces, and the words of all cells."""
    tokens = MarkdownIt("gfm-like", {"linkify": False, "html": True}).disable("linkify").parse(text)
    kinds, cells, at = [], [], ""
    for token in tokens:
        kinds.append((token.type, token.tag))
        at = token.type if token.type in ("td_open", "th_open", "td_close", "th_close") else at
        if token.type == "inline":
            kinds += [(child.type, child.tag) for child in token.children if child.type not in ("text", "text_special")]
            cells += ["".join(child.content for child in token.children)] if at in ("td_open", "th_open") else []
    return kinds, cells


@FIRST_PART
def test_labels_are_words_in_markdown(part):
    text, plain = (without_findings(table(*labels)).to_markdown() for labels in (PARTS[part], letters(PARTS[part])))
    (kinds, cells), (plain_kinds, _) = parsed(text), parsed(plain)
    assert kinds == plain_kinds
    assert not {"link_open", "image", "html_inline", "html_block", "code_inline", "hr"} & {kind for kind, _ in kinds}
    assert {name.replace("\u2060", "") for name in cells} >= set(named(PARTS[part])) - {
        each for each in named(PARTS[part]) if TURNED in left_to_right(each)
    }
    assert not re.search(r"(?i)://|www\.|[@#]\w", text.replace("\\", ""))
    assert not unseen(without_turns(text).replace("\u2060", ""))


@FIRST_PART
def test_labels_are_words_on_a_page(part):
    page, plain = (with_origin(without_findings(table(*labels))).to_html() for labels in (PARTS[part], letters(PARTS[part])))
    assert Tags(page).tags == Tags(plain).tags
    sound(without_turns(page))
    assert not unseen(without_turns(page))
    assert len(page) < 1.5 * len(plain)


@FIRST_PART
def test_labels_are_words_in_a_notebook(part):
    told, plain = (without_findings(table(*labels))._repr_html_() for labels in (PARTS[part], letters(PARTS[part])))
    assert Tags(told).tags == Tags(plain).tags
    assert not unseen(without_turns(told))


def test_labels_that_differ_by_what_nobody_sees_look_different():
    for group in [*LOOKALIKES, EVERY]:
        for names in (named(group), distinct_names(group, 40), named(group, 12)):
            looks = {" ".join(unicodedata.normalize("NFC", name).split()) for name in names}
            assert len(looks) == len(group)
    for group in LOOKALIKES:
        assert len(set(listed(group, 9).split(", "))) == len(group)


@cache
def belonging(hostile):
    """Return how good scores are, with columns, groups, folds, identities and clusters of such names; classes are harmless."""
    rng, n = np.random.default_rng(1), 6 * len(EVERY)
    names = np.array([name for name in EVERY if name] if hostile else letters([name for name in EVERY if name]), dtype=object)
    truth, at = rng.integers(0, 2, n), np.arange(n) % names.size
    score = np.clip(rng.normal(0.35 + 0.3 * truth, 0.2), 0.001, 0.999)
    known = {"group": names[at], "fold": names[at // 40], "row": [f"{i} {names[place]}" for i, place in enumerate(at.tolist())]}
    evaluation = adjudge.evaluate(
        adjudge.Predictions(truth, (score > 0.5).astype(int), np.c_[1 - score, score], classes=[0, 1], positive=1, **known)
    )
    column = names[7]
    return without_findings(with_origin(evaluation, column=column, name=names[3]))


@pytest.mark.slow
def test_names_of_groups_folds_columns_and_files_are_words():
    hostile, plain = belonging(hostile=True), belonging(hostile=False)
    page, text = hostile.to_html(title=REVERSED[0]), hostile.in_words()
    assert Tags(page).tags == Tags(plain.to_html(title="plain")).tags
    sound(without_turns(page))
    for told in (page, text, hostile.to_markdown(), hostile._repr_html_()):
        assert not unseen(without_turns(told).replace("\u2060", ""))


@pytest.mark.slow
def test_scores_of_hostile_classes_have_sliders_and_pictures_and_every_name_in_the_data_of_the_page_is_safe():
    for part in PARTS[::2]:
        labels = part[:12]
        rng, k, n = np.random.default_rng(2), len(labels), 400
        truth, p = rng.integers(0, k, n), rng.dirichlet(np.ones(k), n)
        p[np.arange(n), truth] += 0.6
        pages = []
        for names in (labels, letters(labels)):
            each = np.array(names, dtype=object)
            scores = p / p.sum(axis=1, keepdims=True)
            predictions = adjudge.Predictions(each[truth], each[p.argmax(axis=1)], scores, classes=names, positive=names[-1])
            pages.append(with_origin(without_findings(adjudge.evaluate(predictions))).to_html())
        assert Tags(pages[0]).tags == Tags(pages[1]).tags
        sound(without_turns(pages[0]))
        assert not unseen(without_turns(pages[0]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Glyph")  # that DejaVu Sans has no letter for
@EACH_PART
def test_labels_are_words_in_matplotlib(part):
    labels = PARTS[part]
    for result in (table(*labels), table(*labels).by_class[0], table(*labels[:4]).counts):
        ax = adjudge.plot(result)
        if ax.get_legend_handles_labels()[0]:
            ax.legend()
        ax.figure.canvas.draw()
        for text in ax.figure.findobj(plt.Text):
            assert not unseen(text.get_text().replace("\n", ""))
        plt.close("all")


@pytest.mark.slow
def test_legends_read_no_mathematics():
    names = [name for name in MATHS if name.strip()]
    truth, rng = np.array(names * 9, dtype=object), np.random.default_rng(0)
    scores = rng.dirichlet(np.ones(len(names)), truth.size)
    evaluation = adjudge.evaluate(adjudge.Predictions(truth, truth, scores, classes=names, positive=names[1]))
    ax = evaluation.plot(kind="scores")
    texts = ax.legend().get_texts()
    ax.figure.canvas.draw()
    assert any("frac" in text.get_text() for text in texts)
    assert not any(is_math_text(text.get_text()) for text in texts)
    plt.close("all")


@pytest.mark.slow
def test_long_names_in_many_places_leave_a_page_small():
    labels = [f"{'long ' * 1999}{i:05d}" for i in range(12)]
    short = len(table(*letters(labels)).to_html())
    page = table(*labels).to_html()
    assert len(page) < 2 * short
    assert len(table("a", "b").to_html(title=LONG[0])) < 2 * len(table("a", "b").to_html())
