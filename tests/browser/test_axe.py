"""Nothing that axe-core finds: names, roles, contrast, headings and landmarks, with everything unfolded, light and dark."""

from __future__ import annotations

import pytest
from tests.browser.pages import PAGES
from tests.browser.test_page import OPEN

BRIEFLY = ("dna", "four")
SLOWLY = [*((name, False) for name in PAGES if name not in BRIEFLY), ("dna", True), ("two", True), ("estimate", True)]
LOOKS = [(name, False) for name in BRIEFLY] + [pytest.param(*each, marks=pytest.mark.slow) for each in SLOWLY]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "dark"), LOOKS)
def test_nothing_is_found(name, dark, page_of, opened):
    from axe_playwright_python.sync_playwright import Axe

    page = opened(page_of(name), dark=dark)
    page.evaluate(OPEN)
    # the dark page differs by its colours alone
    found = Axe().run(page, options={"runOnly": ["color-contrast"]} if dark else {}).response["violations"]
    assert not [(each["id"], each["help"], [node["html"][:200] for node in each["nodes"][:4]]) for each in found]
