"""The glossary: every measure with its own formula, every term once, and every name it gives is there."""

from __future__ import annotations

import re

import pytest
from tests.snippets import ROOT, Block, unknown_options

import adjudge

PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^\*\*(.+?)\.\*\* (.+)$", PAGE, re.MULTILINE)
ROWS = {name: rest for name, *rest in re.findall(r"^\| `(\w+)` \| (.+?) \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)}

OF_A_REPORT = [
    "balanced accuracy",
    "MCC",
    "mid-P",
    "posterior",
    "interval",
    "reliability",
    "calibration error",
    "ROPE",
    "P(better)",
    "design",
    "partition space",
    "Ac",
    "AS",
    "class multipliers",
    "prior shift",
    "rejection",
    "lift",
    "gain",
    "net of chance",
    "effective number of cases",
    "equivalence margin",
    "sensitivity",
    "specificity",
    "precision",
    "prevalence",
    "threshold",
    "AUC",
    "Brier score",
    "log loss",
]


def test_every_measure_has_its_formula_and_direction():
    wanted = {
        measure.name: [measure.formula.replace("|", "\\|"), measure.direction.partition(" is")[0]]
        for measure in adjudge.measures()
    }
    assert {name: rest[1:] for name, rest in ROWS.items()} == wanted
    assert all(len(rest[0].split()) >= 3 for rest in ROWS.values())


@pytest.mark.parametrize("word", OF_A_REPORT)
def test_the_words_of_a_report_are_terms(word):
    assert any(re.search(rf"(?i)\b{re.escape(word.rstrip(')'))}", term) for term, _ in TERMS)


def test_terms_stand_once_and_in_order():
    keys = [re.findall(r"[a-z0-9]+", term.casefold()) for term, _ in TERMS]
    assert len(keys) > 45
    assert keys == sorted(keys)
    assert len({term for term, _ in TERMS}) == len(TERMS)


@pytest.mark.parametrize(("term", "text"), TERMS, ids=[term for term, _ in TERMS])
def test_names_it_gives_are_there(term, text):
    for name in re.findall(r"`adjudge\.(\w+)", text):
        assert hasattr(adjudge, name), name
    for command in re.findall(r"`(adjudge [a-z].*?)`", text):
        assert unknown_options(Block("docs/glossary.md", 0, "sh", re.sub(r"(--[a-z-]+)(?= --|$)", r"\1 x", command))) == []
    assert 1 <= len(re.findall(r"[.?:](?: |$)", text)) <= 9, term
