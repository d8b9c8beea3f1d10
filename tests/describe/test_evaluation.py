"""The document of an evaluation and of a report: what is said with a page and without, of one set and of several."""

from __future__ import annotations

import sys

from tests.results import made

from adjudge.describe import describe
from adjudge.describe.tables import DETAILS


def test_the_page_is_made_only_where_it_is_asked_for(monkeypatch):
    result = made("Evaluation")
    whole = describe(result, figure=False)
    monkeypatch.setitem(sys.modules, "adjudge.describe.evaluation_page", None)  # importing it would fail now
    brief = describe(result, figure=False, whole=False)
    assert brief.sections == ()
    assert (brief.sentences, brief.tables, brief.findings) == (whole.sentences, whole.tables, whole.findings)


def test_a_terminal_has_every_measure_without_its_details():
    found = describe(made("Evaluation"), figure=False, whole=False)
    assert [row[0] for row in found.key.rows] == [row[0] for row in found.tables[0].rows]
    assert set(DETAILS) <= set(found.tables[0].header)
    assert not set(DETAILS) & set(found.key.header)


def test_a_report_of_one_is_its_evaluation_and_one_of_several_begins_with_their_comparison():
    one, several = made("Report"), made("Report of several")
    alone, own = describe(one, figure=False), describe(one.evaluation, figure=False)
    assert (alone.sentences, [part.name for part in alone.sections]) == (own.sentences, [part.name for part in own.sections])
    told = describe(several, figure=False)
    assert told.sentences == describe(several.comparison, figure=False).sentences
    assert [line.split(":")[0] for line in told.closing] == list(several.names)
    parts = [part for part in told.sections if part.kind == "part"]
    assert [part.title for part in parts] == list(several.names)
    assert [part.folded for part in parts] == [False, *(True for _ in parts[1:])]
    names = [inner.name for part in parts for inner in part.inner]
    assert len(set(names)) == len(names)
