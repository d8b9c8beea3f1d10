"""What a correction is made of, what it does to the cases it was fitted to, and what became of a file it was applied to."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from adjudge._base.arguments import command, wording
from adjudge._base.text import counted, safe
from adjudge.corrections.file import Correction
from adjudge.corrections.fitting import Fitted
from adjudge.corrections.multipliers import Multipliers
from adjudge.corrections.priors import PriorShift
from adjudge.corrections.rejection import Rejection
from adjudge.corrections.streaming import Corrected
from adjudge.describe.description import document
from adjudge.describe.document import Document, Row, Table
from adjudge.plots.labels import NOTHING

_SHOWN = 20  # classes told one by one


@document.register
def _(result: Fitted, **_: bool) -> Document:
    classes = counted(len(result.correction.classes or ()), "class", "classes")
    first = f"Fitted to {counted(result.cases, 'case')} of {classes}."
    if not result.in_sample:
        first = f"For {classes}, with nothing fitted to these cases."
    rates = (_rates(result),) if result.after else ()
    rule, closing = parts(result.correction), tuple(_reading(result)) if result.after else ()
    said = (first, *words(result.correction))
    return Document(said, (*rule, *rates), result.findings, closing=closing, key=rates[0] if rates else None)


def _rates(result: Fitted) -> Table:
    """Return what decisions were worth before and after, the flattering numbers never without the others."""
    columns = [("Before", result.before), *([("Left out", result.left_out)] if result.left_out else [])]
    columns.append(("In-sample" if result.in_sample else "After", result.after))
    rows = tuple((name, *(f"{rates[name]:.4f}" if name in rates else NOTHING for _, rates in columns)) for name in result.after)
    return Table("", ("On these cases", *(title for title, _ in columns)), rows, "l" + "r" * len(columns))


def _reading(result: Fitted) -> Iterator[str]:
    """Yield how far the numbers before and after can be trusted."""
    if result.in_sample:
        yield "Left out: each case by a correction fitted without it, which is what to expect of others."
        yield "In-sample: by the one fitted to these very cases, which flatters."
        advice = command("`adjudge correct recommend`", python="adjudge.recommend()")
        yield wording(advice, " says whether it is worth it.")
    elif result.kind == "priors":
        yield "These cases have the old priors, so a shift need not help here; it is for cases that have the new ones."
    else:
        yield "The rule follows from the costs and the probabilities taken at their word: it is as good as they are."


def words(correction: Correction) -> Iterator[str]:
    """Yield what a correction does, where a sentence says it better than a table by class."""
    if isinstance(correction, Multipliers):
        yield f"The multipliers are against {safe(correction.classes[correction.majority])}."
    elif isinstance(correction, Rejection) and correction.kind == "costs":
        yield "It takes the decision of least expected cost."
    elif isinstance(correction, Rejection) and correction.kind == "two-sided":
        low, high = correction.thresholds
        yield f"It rejects from {low:.4g} to below {high:.4g} of the score of {safe(correction.of)}."
    elif isinstance(correction, Rejection) and correction.kind == "max-probability":
        yield f"It rejects where the highest probability is below {correction.thresholds[0]:.4g}."


def parts(correction: Correction) -> tuple[Table, ...]:
    """Return what a correction says class by class."""
    if isinstance(correction, PriorShift):
        names = correction.classes or tuple(range(len(correction.old)))
        shift = zip(names, correction.old, correction.new, strict=True)
        return (_by_class(("Old prior", "New prior"), [(safe(label), f"{old:.4g}", f"{new:.4g}") for label, old, new in shift]),)
    if isinstance(correction, Multipliers):
        others = [label for at, label in enumerate(correction.classes) if at != correction.majority or correction.last_free]
        last = correction.multipliers.reshape(-1, len(others))[-1]
        return (_by_class(("Multiplier",), [(safe(label), f"{by:.4g}") for label, by in zip(others, last, strict=True)]),)
    if correction.kind == "per-class":
        least = zip(correction.classes, correction.thresholds, strict=True)
        return (_by_class(("Rejected below",), [(safe(label), f"{below:.4g}") for label, below in least]),)
    return ()


def _by_class(titles: Row, rows: Sequence[Row]) -> Table:
    untold = max(len(rows) - _SHOWN, 0)
    header = ("Class", *titles)
    return Table("", header, tuple(rows[:_SHOWN]), "l" + "r" * len(titles), untold=untold, things=("class", "classes"))


@document.register
def _(result: Corrected, **_: bool) -> Document:
    cases = counted(result.cases, "case")
    first = f"Corrected {cases}; {result.changed:,} decided otherwise than by the highest score before."
    each = [(safe(label), f"{n:,}") for label, n in zip(result.classes, result.assigned.tolist(), strict=True)]
    table = _by_class(("Cases",), each)
    closing: tuple[str, ...] = ()
    if result.rejected_as is not None:
        table = Table("", table.header, (*table.rows, ("rejected", f"{result.rejected:,}")), table.align, untold=table.untold)
    if result.rejected_as is not None and result.written is not None:
        name = safe(result.written.name)
        python = f'evaluate("{name}", rejected="{result.rejected_as}")'
        judge = command(f"adjudge evaluate {shlex.quote(name)} --rejected {result.rejected_as}", python=python)
        closing = (wording("Judge it with: ", judge),)
    return Document((first,), (table,), closing=closing, key=table)
