"""The example of ensembles: its data are what they are said to be, and the page says what it prints."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "ensembles.md").read_text(encoding="utf-8")
README = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")


def loaded():
    spec = importlib.util.spec_from_file_location("example_ensembles", ROOT / "examples" / "ensembles.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLE = loaded()


@pytest.mark.parametrize("name", EXAMPLE.SETS)
def test_the_data_are_what_they_are_said_to_be(name):
    X, y = EXAMPLE.cases_of(name)
    cases, classes = re.search(rf"^\| `{name}` \| ([^|]*) \| ([^|]*) \|", README, re.MULTILINE).groups()
    assert np.isfinite(X).all()
    assert len(y) == len(X) == int(re.search(r"[\d,]+", cases)[0].replace(",", ""))
    labels, sizes = np.unique(y, return_counts=True)
    told = ", ".join(f"{label} {size}" for label, size in zip(labels, sizes, strict=True))
    assert classes == (told if name != "letter" else f"{len(labels)} letters")


@pytest.mark.slow
def test_the_page_says_what_is_printed():
    assert EXAMPLE.row("glass", EXAMPLE.compared("glass", "naive Bayes")) in PAGE.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sonar", "vehicle"])
def test_the_page_says_what_trees_do(name):
    assert EXAMPLE.row(name, EXAMPLE.compared(name, "trees of three levels")) in PAGE.splitlines()
