"""Draw docs/report.png: the top of the page that `adjudge demo` writes, as Chromium shows it.

Needs Playwright and a Chromium, both of which `make test` uses: python docs/make_report_picture.py
"""

# ruff: noqa: INP001 - a script, not a package
from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from click.testing import CliRunner
from playwright.sync_api import sync_playwright

from adjudge.cli import main

PLACE = Path(__file__).with_name("report.png")
WIDTH, HEIGHT = 1280, 1100
NAMES = ("chromium", "chromium-browser", "google-chrome")


def draw(place: Path = PLACE) -> None:
    """Write the picture."""
    browser = os.environ.get("ADJUDGE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page = Path(folder) / "report.html"
        CliRunner().invoke(main, ["demo", "--no-open", "-o", str(page)], catch_exceptions=False)
        window = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page(
            viewport={"width": WIDTH, "height": HEIGHT}
        )
        window.goto(page.as_uri())
        window.screenshot(path=place)


if __name__ == "__main__":
    draw()
