"""The examples of the documentation give what they say."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


COSTLY = ("ensembles.md",)
"""Pages whose examples fit many models."""


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.slow) if page.name in COSTLY else page for page in PAGES],
    ids=lambda page: page.name,
)
def test_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert not failed


def test_every_finding_is_listed_once():
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    raised = set(re.findall(r'"(A\d{3})"', source))
    listed = re.findall(r"^\| (A\d{3}) \|", (ROOT / "docs" / "findings.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(raised) == sorted(listed)


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert all(f"({page.name})" in index for page in PAGES[1:] if page.name != "index.md")
