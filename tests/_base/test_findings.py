"""Numbered findings: one line, whatever is in them."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import pytest

from adjudge._base.findings import Finding


def test_code_message_and_advice_are_one_line():
    assert str(Finding("A101", "Few cases.", "Get more.")) == "A101 Few cases. Get more."
    assert str(Finding("A101", "Few cases.", "")) == "A101 Few cases."


def test_at_the_prompt_nothing_clears_the_screen_and_nothing_is_endless():
    shown = repr(Finding("A101", "Label \x1b[2J\nseen.", "Rename it."))
    assert shown == r"A101 Label \x1b[2J\x0aseen. Rename it."
    assert len(repr(Finding("A101", "x" * 10_000, ""))) < 2_100


def test_numbers_behind_it_become_strict_json_and_nothing_changes_it():
    found = Finding("A101", "Few cases.", "Get more.", float("nan"))
    assert found == Finding("A101", "Few cases.", "Get more.", found.value)
    told = json.loads(found.to_json(), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert told == {"code": "A101", "message": "Few cases.", "advice": "Get more.", "value": None}
    with pytest.raises(FrozenInstanceError):
        found.code = "A102"
