"""The page and the words of results that have none of their own: what they say first, their picture, every number."""

from __future__ import annotations

from typing import Any

from adjudge._base.errors import InputError
from adjudge._base.show import Shown
from adjudge.plots.pictures import picture
from adjudge.reports.sections import Section, sections
from adjudge.reports.summaries import glance, spaced
from adjudge.reports.verdicts import verdict
from adjudge.reports.words import in_words, text_of


@sections.register(object)
def _(result: Any) -> tuple[Section, ...]:
    if not isinstance(result, Shown):
        verdict(result)  # refuses it
    told = glance(result)
    try:
        drawn = picture(result)
    except InputError:
        drawn = None
    parts = [Section("verdict", "verdict", spaced(type(result).__name__), sentences=told.sentences)]
    if told.findings:
        parts.append(Section("findings", "findings", "Caveats", findings=told.findings))
    if drawn is not None:
        parts.append(Section("figure", "picture", "Picture", figure=drawn))
    if told.table is not None:
        parts.append(Section("table", "numbers", "In numbers", tables=(told.table,)))
    return tuple(parts)


@in_words.register(object)
def _(result: Any) -> str:
    try:
        return text_of(verdict(result), (), ())
    except InputError:
        told = glance(result)
    return text_of(told.sentences, () if told.table is None else (told.table,), told.findings)
