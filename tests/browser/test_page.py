"""Every page as people meet it: it loads alone, fits every window, can be used by keyboard, and runs nothing but its own."""

from __future__ import annotations

import pytest
from tests.browser.pages import PAGES
from tests.sparing import some

SOME_PAGES = pytest.mark.parametrize("name", some(PAGES, 5))  # the demo and the picture that turns
WIDTHS = (360, 390, 768, 1280)
SIDEWAYS = """() => {
    const wide = document.documentElement.clientWidth;
    const scrolls = e => e && (getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement));
    const over = [...document.querySelectorAll('body *')].filter(e => {
        const box = e.getBoundingClientRect();
        return box.width && box.right > wide + 1 && !e.closest('svg') && !scrolls(e.parentElement);
    });
    return {by: document.documentElement.scrollWidth - wide, over: over.slice(0, 5).map(e => e.outerHTML.slice(0, 120))};
}"""
OPEN = "() => document.querySelectorAll('details').forEach(d => { d.open = true; })"
WORDS = """() => [...document.querySelectorAll('h1, h2, h3, h4, th, td, dt, dd, svg text, .verdict p, .note')]
    .map(e => e.textContent.trim()).filter(Boolean)"""


@SOME_PAGES
def test_no_page_scrolls_sideways(name, page_of, opened):
    page = opened(page_of(name))
    for details in (False, True):
        if details:
            page.evaluate(OPEN)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            found = page.evaluate(SIDEWAYS)
            assert found["by"] <= 0, (width, found)
            assert not found["over"], (width, found)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_pages_are_kept_to_look_at(name, page_of, opened, shot):
    for look in ({}, {"dark": True}, {"width": 390}):
        kept = shot(opened(page_of(name), **look), f"{name}-{'dark' if look.get('dark') else look.get('width', 'light')}")
        assert kept.stat().st_size > 10_000
    assert len(opened.requests) == 3


def test_dark_is_dark_and_light_is_light(page_of, opened):
    def lightness(*, dark):
        colour = opened(page_of("numbers"), dark=dark).evaluate("() => getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")) / 3

    assert lightness(dark=True) < 60
    assert lightness(dark=False) > 200


@SOME_PAGES
def test_pages_say_the_same_without_script(name, page_of, opened):
    silent, full = opened(page_of(name), script=False), opened(page_of(name))
    assert silent.evaluate(WORDS) == full.evaluate(WORDS)
    unseen = silent.evaluate(
        """() => [...document.querySelectorAll('svg')].filter(e => !e.closest('details:not([open])'))
            .filter(e => e.getBoundingClientRect().height < 20).map(e => e.outerHTML.slice(0, 100))"""
    )
    assert not unseen


INJECTED = """() => {
    window.broken = [];
    document.addEventListener('securitypolicyviolation', e => window.broken.push(e.effectiveDirective));
    setTimeout("window.ran = 'a string'", 0);
    const add = (tag, give) => { const e = document.createElement(tag); give(e); document.body.append(e); };
    add('script', e => { e.textContent = "window.ran = 'a script'"; });
    add('div', e => { e.innerHTML = "<b onclick=\\"window.ran = 'a handler'\\">x</b>"; e.firstChild.click(); });
    add('p', e => { e.setAttribute('style', 'position:fixed'); });
    add('style', e => { e.textContent = 'body { display: none }'; });
    add('img', e => { e.src = 'http://127.0.0.1:8/x.png'; });
    add('form', e => { e.action = 'http://127.0.0.1:8/'; e.submit(); });
    fetch('http://127.0.0.1:8/').catch(() => {});
}"""


@pytest.mark.slow
@pytest.mark.parametrize("name", some(["four", "numbers"], 2))
def test_the_policy_blocks_what_is_not_ours(name, page_of, opened):
    page = opened(page_of(name))
    page.evaluate(INJECTED)
    page.wait_for_timeout(200)
    assert page.evaluate("() => window.ran") is None
    assert page.evaluate("() => getComputedStyle(document.body).display") == "block"
    assert page.evaluate("() => getComputedStyle(document.body.querySelector(':scope > p')).position") == "static"
    broken = set(page.evaluate("() => window.broken"))
    # a string for setTimeout counts as script-src; attributes and elements have directives of their own
    expected = {"script-src", "script-src-elem", "script-src-attr", "style-src-attr", "style-src-elem", "img-src", "connect-src"}
    assert expected <= broken
    assert page.url.startswith("file:")  # the form went nowhere
    assert len(opened.requests) == 1
    assert opened.errors
    opened.errors.clear()


STOPS = """() => [...document.querySelectorAll('a[href], summary, button, input, select, [tabindex="0"]')]
    .filter(e => !e.disabled && e.checkVisibility() && !(e.type === 'radio' && !e.checked)).length"""
FOCUS = """() => {
    const e = document.activeElement;
    if (e === document.body) return null;
    const look = getComputedStyle(e), box = e.getBoundingClientRect();
    if (!e.dataset.met) e.dataset.met = ++window.met;
    return {
        at: +e.dataset.met, tag: e.tagName, href: e.getAttribute('href'), words: e.outerHTML.slice(0, 120),
        ring: look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 2,
        inside: box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
    };
}"""


@SOME_PAGES
def test_everything_that_does_something_is_reached_by_tab(name, page_of, opened):
    page = opened(page_of(name))
    page.evaluate("() => { window.met = 0; }")
    wanted, met = page.evaluate(STOPS), []
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUS)
        if stop is None or (met and stop["at"] <= met[-1]["at"]):
            break
        met.append(stop)
    assert len(met) == wanted, [stop["words"] for stop in met]
    assert not [stop["words"] for stop in met if not stop["ring"]]
    assert not [stop["words"] for stop in met if not stop["inside"]]
    assert page.locator(f"main{met[0]['href']}").count() == 1  # the first link leads past the contents


def test_links_of_the_contents_lead_somewhere(page_of, opened):
    page = opened(page_of("dna"))
    links = page.evaluate("() => [...document.querySelectorAll('a[href]')].map(e => e.getAttribute('href'))")
    assert len(links) > 2  # past what stands above, and from the next steps into the details
    assert all(href.startswith("#") and page.locator(f"[id='{href[1:]}']").count() == 1 for href in links)


@pytest.mark.slow
def test_details_open_by_keyboard(page_of, opened):
    page = opened(page_of("dna"))
    page.locator("details:not([open]) > summary").first.focus()
    before = page.locator("details[open]").count()
    page.keyboard.press("Enter")
    assert page.locator("details[open]").count() == before + 1


def test_a_solid_turns_by_keyboard(page_of, opened):
    page = opened(page_of("four"))
    solid = page.locator("svg [tabindex='0'], svg[tabindex='0']").first
    solid.focus()
    before = solid.inner_html()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(100)
    assert solid.inner_html() != before
