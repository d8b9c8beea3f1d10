"""The words of every picture, as browsers set them: none lies on another, none leaves its picture, in any font and window."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from tests.browser.conftest import without
from tests.drawn import svg
from tests.long_names import CLASSIFIERS, NAMES, scored
from tests.results import PICTURED, made, with_kind

import adjudge
from adjudge.plots import style
from adjudge.plots.differences import outcome_bars
from adjudge.plots.drawing import Figure
from adjudge.plots.pictures import KINDS, KINDS_OF_NUMBERS, picture
from adjudge.render.sheets import sheet

FONTS = ("DejaVu Sans", "Liberation Sans")  # the widest of the usual ones, and one with the widths of Arial
WIDTHS = (390, 768, 1280)
OF_CLASSES = tuple(kind for kind in KINDS if kind not in KINDS_OF_NUMBERS)
LONG = (
    "a rather long name of the first class",
    "another name that takes much room",
    "short",
    "no room for this one either, is there",
)
SAMPLE = """font => {
    const drawn = document.createElement('canvas').getContext('2d');
    const wide = family => { drawn.font = `40px ${family}`; return drawn.measureText('The quick brown fox, WMil').width; };
    return [wide(`"${font}", monospace`), wide('monospace'), wide(`"${font}", serif`), wide('serif')];
}"""
# words of tables that go on in the next line, other than at a hyphen
BROKEN = """() => [...document.querySelectorAll('th, td')].flatMap(cell => {
    const found = [], walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode())
        for (const word of node.data.matchAll(/\\w+/g)) {
            const range = document.createRange();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const tops = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
            if (tops.size > 1) found.push(word[0]);
        }
    return found;
})"""
# rows of text boxes that share more than a hair; a halo is no letter, and letters are lower than their line
CLASHES = """slack => [...document.querySelectorAll('svg')].flatMap(svg => {
    const frame = svg.getBoundingClientRect();
    const unit = frame.width / svg.viewBox.baseVal.width;
    const corners = text => {  // of the box of letters, turned as they are
        const b = text.getBBox(), m = text.getScreenCTM(), low = b.height * 0.22, high = b.height * 0.2;
        return [[b.x, b.y + high], [b.x + b.width, b.y + high], [b.x + b.width, b.y + b.height - low], [b.x, b.y + b.height - low]]
            .map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f]);
    };
    const shown = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim() && getComputedStyle(t).display !== 'none');
    const boxes = shown.map(t => [t.textContent, corners(t)]);
    const apart = (a, b) => [a, b].some(c => c.some((p, i) => {  // by an axis across which they do not meet
        const q = c[(i + 1) % 4], n = [q[1] - p[1], p[0] - q[0]], length = Math.hypot(...n) || 1;
        const along = d => d.map(r => (r[0] * n[0] + r[1] * n[1]) / length);
        const [one, other] = [along(a), along(b)], s = slack * unit;
        return Math.max(...one) <= Math.min(...other) + s || Math.max(...other) <= Math.min(...one) + s;
    }));
    const told = [];
    boxes.forEach(([words, box], i) => {
        const s = slack * unit;
        if (box.some(([x, y]) => x < frame.left - s || x > frame.right + s || y < frame.top - s || y > frame.bottom + s))
            told.push(`'${words}' leaves the picture`);
        boxes.slice(i + 1).forEach(([others, other]) => {
            if (!apart(box, other)) told.push(`'${words}' on '${others}'`);
        });
    });
    return told.map(t => (svg.closest('[data-of]')?.dataset.of ?? svg.querySelector('title').textContent) + ': ' + t);
})"""


def _spaces() -> dict[str, Figure]:
    rng = np.random.default_rng(5)
    found = {}
    for k in (2, 3, 4):
        truth, p = rng.integers(0, k, 200), rng.dirichlet(np.ones(k), 200)
        p[np.arange(200), truth] += 0.6
        space = adjudge.partition(np.array(LONG[:k])[truth], p / p.sum(axis=1, keepdims=True), classes=list(LONG[:k]))
        found[f"space of {k}"] = picture(space, lines="scaled_accuracy")
        found[f"spaces of {k}"] = picture({"the first of two": space, "the second": space})
    return found


@cache
def figures() -> dict[str, Figure]:
    """Return every kind of picture, some with long names."""
    found = {name: picture(made(name)) for name in PICTURED} | {kind: picture(with_kind(kind), kind=kind) for kind in OF_CLASSES}
    rng = np.random.default_rng(4)
    found |= {f"map of {k}": picture(_table(rng, k)) for k in (2, 3, 4, 6, 8, 9, 20, 30)}
    tables = {
        (k, more): adjudge.ConfusionCounts(rng.integers(0, 1200, (k, k + more)), NAMES[:k]) for k in (2, 3, 4) for more in (0, 1)
    }
    found |= {f"map of {k} with {more} more": picture(table) for (k, more), table in tables.items()}
    found |= {
        f"{kind} of {k}": picture(adjudge.evaluate(scored(k)), kind=kind)
        for k in (2, 3, 4)
        for kind in OF_CLASSES
        if k > 2 or kind != "top-k"
    }
    candidates = {name: adjudge.Predictions(*_decided(i), row=np.arange(300)) for i, name in enumerate(LONG)}
    found["long names"] = picture(adjudge.rank(candidates))
    both = adjudge.compare(scored(2), scored(2, seed=1), names=NAMES[:2])
    found |= {"comparison": picture(both), "who is right": outcome_bars(both)}
    found["long comparison"] = picture(adjudge.compare(*list(candidates.values())[:2], names=LONG[:2]))
    found["outcomes"] = outcome_bars(adjudge.compare(*list(candidates.values())[:2], names=LONG[:2]))
    return found | _spaces()


def _table(rng: np.random.Generator, k: int) -> adjudge.ConfusionCounts:
    return adjudge.ConfusionCounts(rng.integers(0, 1200, (k, k + 1)), [f"{LONG[i % 4]} {i}" for i in range(k)])


def _decided(seed: int) -> tuple[list[str], list[str]]:
    truth = np.random.default_rng(0).integers(0, 3, 300)
    wrong = np.random.default_rng(seed).random(300) < 0.1 * (seed + 1)
    return [LONG[i] for i in truth], [LONG[(i + w) % 3] for i, w in zip(truth, wrong, strict=True)]


def _page(font: str) -> str:
    """Return every picture in a box as pages have them, in one font."""
    look = sheet().replace(style.FONTS, f'"{font}",sans-serif')
    body = []
    for name, figure in figures().items():
        wide = " wide" if figure.drawing.wide or figure.drawing.apart[1:] else ""
        drawn = svg(figure, "p" + "".join(c for c in name if c.isalnum()))
        body.append(f'<div class="box fig{wide}" data-of="{name}"><div class="scroll">{drawn}</div></div>')
    half = len(body) // 2
    return f"<!doctype html><title>x</title><style>{look}</style><main>{''.join(body[:half])}<div class=grid>{''.join(body[half:])}</div></main>"


@cache
def reports() -> dict[str, str]:
    """Return pages about classes and classifiers with long names."""
    found = {f"{k} classes": adjudge.report(scored(k)).to_html() for k in (2, 3, 4)}
    both = adjudge.report(scored(3), scored(3, seed=1), names=CLASSIFIERS)
    return found | {"two classifiers": both.to_html()}


@pytest.fixture(params=FONTS)
def font(request, opened):
    """Return the name of a font that the browser really has."""
    alone, mono, behind, serif = opened("<!doctype html><title>x</title>").evaluate(SAMPLE, request.param)
    if alone == mono or behind == serif or alone != behind:
        without(f"the font {request.param} is not on this machine (install fonts-liberation, fonts-dejavu-core and fontconfig)")
    return request.param


def test_the_fonts_differ(opened):
    page = opened("<!doctype html><title>x</title>")
    (dejavu, *_), (liberation, *_), (none, mono, *_) = (page.evaluate(SAMPLE, name) for name in (*FONTS, "No Such Font"))
    assert none == mono
    assert liberation < 0.95 * dejavu or without("the fonts DejaVu Sans and Liberation Sans are not on this machine")


@pytest.mark.slow
def test_no_word_lies_on_another(font, opened):
    page = opened(_page(font))
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found += [f"{width}: {clash}" for clash in page.evaluate(CLASHES, 0.6)]
    assert not found, "\n".join([f"{len(found)} in {font}", *found[:200]])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["2 classes", "3 classes", "4 classes", "two classifiers"])
def test_pages_with_long_names_are_whole(name, font, opened):
    html = reports()[name]
    assert style.FONTS in html
    html, changed = re.subn(r"style-src &#39;[^;]+&#39;", "style-src 'unsafe-inline'", html)  # the look is not the page's own
    assert changed == 1
    page = opened(html.replace(style.FONTS, f'"{font}",sans-serif'))
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        found += [f"{width}: {clash}" for clash in page.evaluate(CLASHES, 0.6)]
        found += [f"{width}: '{word}' is broken" for word in page.evaluate(BROKEN)]
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    assert not found, "\n".join([f"{len(found)} in {font}", *found[:200]])
