"""The document of an evaluation and of a report: the verdict and every measure, and the page where one is asked for."""

from __future__ import annotations

from dataclasses import replace

from adjudge.describe.description import document, documented
from adjudge.describe.document import Document, Section
from adjudge.describe.tables import DETAILS, classes, measures
from adjudge.describe.verdict import sentences
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.report import Report
from adjudge.plots.labels import named

_LONGEST_NAME = 22  # of a class, where a terminal has room for it


@document.register
def _(result: Evaluation, *, whole: bool) -> Document:
    told, every, roles = sentences(result), measures(result), result.origin.roles
    tables = (every, *((classes(result, _LONGEST_NAME),) if result.by_class else ()))
    evidence = tuple(str(roles).splitlines()) if roles is not None and roles.evidence else ()
    key = every.with_columns([i for i, name in enumerate(every.header) if not name.startswith(DETAILS)])
    page: tuple[Section, ...] = ()
    if whole:
        from adjudge.describe.evaluation_page import page_of  # with the pictures and corrections that only a page needs

        page = tuple(page_of(result, told, every))
    return Document(told, tables, result.findings, evidence, key=key, sections=page)


@document.register
def _(result: Report, *, whole: bool) -> Document:
    """Return the document of the only evaluation or learner, or of the comparison with the evaluations behind it."""
    if result.comparison is None:
        return documented(result.evaluation if result.learner is None else result.learner, whole=whole)
    found = documented(result.comparison, whole=whole)
    names, lines = named(result.names), []
    for name, each in zip(names, result.evaluations, strict=True):
        first = sentences(each)[0]
        lines.append(f"{name}: {first if first[1].isupper() else first[0].lower() + first[1:]}")
    page = list(found.sections)
    for at, each in enumerate(result.evaluations if whole else (), 1):  # all but the first are folded; anchors bear its number
        head, *others = documented(each, whole=True).sections
        inner = tuple(replace(part, name=f"{part.name}-{at}") for part in others)
        page.append(replace(head, kind="part", name=f"part-{at}", title=names[at - 1], inner=inner, folded=at > 1))
    return replace(found, closing=tuple(lines), sections=tuple(page))
