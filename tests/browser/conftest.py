"""Pages in a real browser: Debian's Chromium, driven by Playwright, that is let nothing but the file itself."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.pages import page_file

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ARTEFACTS = Path(os.environ.get("ADJUDGE_ARTEFACTS", Path(__file__).parents[2] / "build" / "artefacts"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands in this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def _chromium() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """Start the browser, once in each process, and give out the loop that Playwright keeps running in this thread."""
    named = os.environ.get("ADJUDGE_CHROMIUM")
    place = named or next(filter(None, map(shutil.which, NAMES)), None)
    if place is None:
        without("there is no Chromium on this machine (install the package chromium, or name it in ADJUDGE_CHROMIUM)")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        without("Playwright is not installed (make test installs it)")
    with sync_playwright() as driver:
        loop = asyncio.get_running_loop()
        browser = driver.chromium.launch(executable_path=place, args=list(FLAGS))
        yield browser, loop
        asyncio._set_running_loop(loop)
        browser.close()


def without(why: str) -> None:
    """Skip loudly, or fail where a browser and its fonts were promised."""
    told = f"NO PAGE WAS OPENED IN A BROWSER: {why}."
    if os.environ.get("ADJUDGE_REQUIRE_BROWSER") == "1":
        pytest.fail(told)
    pytest.skip(told)


@pytest.fixture(scope="session")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that gives one of the pages by its name, made once for all processes of a run."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "pages"
    folder.mkdir(exist_ok=True)
    return lambda name: page_file(folder, name)


class Opened:
    """Opens pages and keeps what they said and asked for; a test that expects errors takes them out of `errors`."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.browser, self.folder = browser, folder
        self.messages: list[str] = []
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.stopped: list[str] = []
        self.dialogs: list[str] = []
        self._contexts: list[BrowserContext] = []
        self._files: set[str] = set()

    def __call__(
        self, html_or_path: str | Path, *, width: int = 1280, height: int = 900, dark: bool = False, script: bool = True
    ) -> Page:
        """Open a page, given whole or by its path, in a window of that width."""
        path = html_or_path if isinstance(html_or_path, Path) else self._written(html_or_path)
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            reduced_motion="reduce",
        )
        self._contexts.append(context)
        page = context.new_page()
        self._watch(page)
        self._files.add(path.resolve().as_uri())
        page.goto(path.resolve().as_uri())
        return page

    def _written(self, html: str) -> Path:
        path = self.folder / f"page-{len(self._contexts)}.html"
        path.write_text(html, encoding="utf-8")
        return path

    def _watch(self, page: Page) -> None:
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("requestfailed", self._failed)
        page.on("dialog", self._dialog)

    def _heard(self, kind: str, text: str) -> None:
        (self.errors if kind == "error" else self.messages).append(text)

    def _failed(self, request: Any) -> None:
        if request.failure == "csp":  # stopped by the page's policy before anything was sent
            self.requests.remove(request.url)
            self.stopped.append(request.url)

    def _dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def close(self) -> None:
        """Close every page; then say what none of them may have done."""
        for context in self._contexts:
            context.close()
        strangers = [url for url in self.requests if url.split("#")[0] not in self._files]
        assert not self.errors, f"errors in the console: {self.errors}"
        assert not self.dialogs, f"dialogs were shown: {self.dialogs}"
        assert not strangers, f"the page asked for {strangers}"


@pytest.fixture
def opened(_chromium: tuple[Browser, asyncio.AbstractEventLoop], tmp_path: Path) -> Iterator[Opened]:
    """Return a function that opens a page; the test fails if it logged an error, showed a dialog or asked for anything."""
    browser, loop = _chromium
    # Playwright's loop counts as running all the time; other tests of this process must not see it
    asyncio._set_running_loop(loop)
    try:
        pages = Opened(browser, tmp_path)
        yield pages
        pages.close()
    finally:
        asyncio._set_running_loop(None)


@pytest.fixture
def shot(request: pytest.FixtureRequest) -> Callable[..., Path]:
    """Return a function that keeps a picture of a page for whoever wants to look at it."""

    def keep(page: Page, name: str, *, full: bool = True) -> Path:
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        path = ARTEFACTS / f"{re.sub(r'[^a-z0-9-]+', '-', name.lower())}.png"
        page.screenshot(path=path, full_page=full, animations="disabled")
        return path

    return keep
