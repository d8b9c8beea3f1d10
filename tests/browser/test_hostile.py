"""Names that would like to be markup or script stay words: the same elements, no dialog, nothing asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from tests.browser.pages import classes, write
from tests.hostile import EVERY, LONG, REVERSED, VECTORS, letters
from tests.render.test_page import without_findings
from tests.sparing import some

import adjudge
from adjudge._base.text import safe
from adjudge.cli import main
from adjudge.predictions.roles import Roles

SOME = 4


ELEMENTS = """() => [...document.querySelectorAll('*')]
    .map(e => [e.tagName, ...[...e.attributes].map(a => a.name).sort()].join(' ').replace('text-anchor transform', 'text-anchor x y'))"""
# long names above a map are turned, short ones are not


def elements(page):
    """Return how often each kind of element is there; of words in pictures only whether, as names have a line or several."""
    found = Counter(page.evaluate(ELEMENTS))
    return {kind: 1 if kind == "text class text-anchor x y" else times for kind, times in found.items()}


def page_with(labels, name, column):
    """Return the page of some cases whose classes, column and file have those names."""
    k, n = len(labels), 45
    rng = np.random.default_rng(0)
    truth, p = rng.integers(0, k, n), rng.dirichlet(np.ones(k), n)
    p[np.arange(n), truth] += 0.5
    named = np.array(labels, dtype=object)
    scores = p / p.sum(axis=1, keepdims=True)
    known = {"classes": list(labels), "positive": labels[-1]}  # no label changes what is measured
    evaluation = adjudge.evaluate(adjudge.Predictions(named[truth], named[p.argmax(axis=1)], scores, **known))
    roles = Roles(column, evidence={"truth": f"column {column!r}: the name says so", column: column})
    origin = replace(evaluation.origin, name=name, roles=roles, fingerprint="ab" * 32)
    return without_findings(replace(evaluation, origin=origin)).to_html()


def table_of(labels):
    """Return the page of decisions among classes of those names."""
    cells = np.random.default_rng(0).integers(0, 9, (len(labels), len(labels))) + 60 * np.eye(len(labels), dtype=int)
    evaluation = adjudge.evaluate(adjudge.ConfusionCounts(cells, labels))
    return without_findings(evaluation).to_html()


def harmless(labels):
    """Return letters that take as much room, so that pictures are laid out alike."""
    return ["abcdefgh"[i] * len(safe(label)) or "-" for i, label in enumerate(labels)]


@pytest.mark.slow
@pytest.mark.parametrize("first", some(range(0, len(VECTORS), SOME), 20))
def test_names_are_only_words(first, opened):
    some = (VECTORS[first:] + VECTORS)[:SOME]
    page = opened(page_with([*some, "last"], some[0], some[1]))
    plain = opened(page_with([*harmless(some), "last"], "plain.csv", "plain"))
    assert elements(page) == elements(plain)


@pytest.mark.slow
def test_a_hostile_file_is_only_words(tmp_path, opened):
    bad = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{7*7}}"]
    pages = []
    for labels, name in ((bad, "'><svg onload=alert(1)>.csv"), (["one", "two", "three"], "plain.csv")):
        file = write(tmp_path / name, classes(labels, 200))
        page = tmp_path / f"{len(pages)}.html"
        assert CliRunner().invoke(main, ["report", str(file), "-o", str(page)]).exit_code == 0
        pages.append(opened(page))
    assert elements(pages[0]) == elements(pages[1])
    assert "<script>alert(1)</script>" in pages[0].inner_text("main")
    assert "onload=alert(1)" in pages[0].inner_text("h1")


TURNED = """() => {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [], range = document.createRange();
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        if (!/[\u0590-\u08ff]/.test(node.data) || node.parentElement.closest('script, code, option')) continue;
        let before = null;
        for (let i = 0; i < node.data.length; i++) {
            if (!/[\\w]/.test(node.data[i])) continue;
            range.setStart(node, i); range.setEnd(node, i + 1);
            const at = range.getBoundingClientRect();
            if (!at.width || node.parentElement.closest('[transform]')) continue;
            if (before && Math.abs(at.top - before.top) < 3 && at.left < before.left) found.push([node.data, i]);
            before = at;
        }
    }
    return found;
}"""
"""Words in a text that stand to the left of those before them, in the same line."""
OPEN = "document.querySelectorAll('details').forEach(each => { each.open = true; })"


@pytest.mark.slow
def test_words_written_from_right_to_left_turn_nothing_around(opened, shot):
    html = page_with([*REVERSED, "last"], REVERSED[4], REVERSED[5])
    page, without = opened(html), opened(html.replace("\u200e", ""))
    for each in (page, without):
        each.evaluate(OPEN)
    assert page.evaluate(TURNED) == []
    assert without.evaluate(TURNED)
    shot(page, "right to left")


@pytest.mark.slow
def test_long_names_leave_a_page_in_its_frame(opened, shot):
    for width in (1280, 360):
        page = opened(page_with(LONG, LONG[0], LONG[1]), width=width)
        page.evaluate(OPEN)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        shot(page, f"long names {width}")


@pytest.mark.slow
def test_every_name_is_only_words(opened):
    for first in range(0, len(EVERY), 60):
        labels = EVERY[first : first + 60]
        pages = [opened(table_of(names)) for names in (labels, letters(labels))]
        assert elements(pages[0]) == elements(pages[1])
