"""On paper: few sheets, nothing folded away but tables that say what the picture above them shows, nothing cut off."""

from __future__ import annotations

import re

import pytest
from tests.browser.pages import PAGES
from tests.sparing import some

MOST_SHEETS = {"dna": 12, "two": 12, "hundred": 16, "several": 36, "estimate": 10, "four": 5, "numbers": 3}
FOLDED = """() => [...document.querySelectorAll('details:not(.asides)')].flatMap(d => [...d.children].slice(1))
    .filter(e => !e.matches('nav'))  // links are of no use on paper
    .filter(e => !e.getClientRects().length || !e.checkVisibility({contentVisibilityAuto: true}))
    .map(e => e.outerHTML.slice(0, 120))"""
CUT = """() => [...document.querySelectorAll('.scroll, table, svg')]
    .filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map(e => e.outerHTML.slice(0, 120))"""


def sheets(pdf: bytes) -> int:
    """Return how many pages a PDF has; Chromium writes one object for each."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_sheets_are_counted(opened):
    three = "<!doctype html><title>x</title>" + "<p style='break-after:page'>x</p>" * 3
    assert sheets(opened(three).pdf()) == 3


@pytest.mark.parametrize("name", some(PAGES, 7))
def test_a_page_prints_whole_on_a_few_sheets(name, page_of, opened):
    page = opened(page_of(name))
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 703, "height": 1000})  # A4 less margins of 12 mm, in CSS pixels
    assert not page.evaluate(FOLDED)
    assert not page.evaluate(CUT)
    assert 1 <= sheets(page.pdf(prefer_css_page_size=True)) <= MOST_SHEETS[name]
