"""Names that would like to be markup or script stay words: the same elements, no dialog, nothing asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from tests.browser.pages import classes, write
from tests.hostile import VECTORS
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
    return replace(evaluation, origin=origin, findings=()).to_html()  # some labels are worth a finding, harmless ones are not


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
