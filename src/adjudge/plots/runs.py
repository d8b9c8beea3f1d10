"""Repeated answers as bars: how many cases are answered correctly by no run, by some, or by all."""

from __future__ import annotations

from adjudge._base import share
from adjudge.judgements.runs import RunsJudged
from adjudge.plots.drawing import SIDE, WIDTH, Drawing, Item, Text, box, segment
from adjudge.plots.labels import ems
from adjudge.plots.style import LETTERS

_MOST = 10  # runs up to which each number of correct ones has a bar
_STEP, _HIGH, _TOP, _BESIDE = 24.0, 14.0, 8.0, 7.0  # units from a row to the next, of a bar, above the first, beside words
_BRIEF = ("none correct", "up to half correct", "more than half correct", "all correct")


def by_correct(judged: RunsJudged) -> list[tuple[str, int, str]]:
    """Return the numbers of correct answers a case, as words, with how many cases there are and whether these are all or none."""
    least, _, most = judged.per_case
    if least == most <= _MOST:
        each = {k: n for _, k, n in judged.by_correct}
        return [(f"{k} of {most} correct", each.get(k, 0), _style(k / most)) for k in range(most + 1)]
    bars = dict.fromkeys(_BRIEF, 0)
    for answers, correct, n in judged.by_correct:
        part = correct / answers
        bars[_BRIEF[0 if not correct else 3 if part == 1 else 1 if part <= 1 / 2 else 2]] += n
    return [(label, n, _style(part)) for (label, n), part in zip(bars.items(), (0.0, 0.4, 0.6, 1.0), strict=True)]


def _style(part: float) -> str:
    return "worse whole" if part == 0 else "better whole" if part == 1 else "same"


def runs_picture(judged: RunsJudged) -> Drawing:
    """Return a bar of cases for each number of correct runs."""
    bars = by_correct(judged)
    left = LETTERS * max(ems(label) for label, *_ in bars) + _BESIDE
    told = [f"{n:,} ({share(n / judged.cases, 0)})" for _, n, _ in bars]
    most = max(n for _, n, _ in bars)
    room = WIDTH - left - LETTERS * max(map(ems, told)) - 2 * _BESIDE
    items: list[Item] = []
    for at, ((label, n, style), words) in enumerate(zip(bars, told, strict=True)):
        y, start = _TOP + _STEP * at + _STEP / 2, SIDE + left
        items.append(Text(start - _BESIDE, y + 4, label, "tick", "end"))
        if n:
            items.append(box((start, start + room * n / most), (y - _HIGH / 2, y + _HIGH / 2), style, page=True))
        items.append(Text(start + room * n / most + _BESIDE, y + 4, words, "key", "start"))
    foot = _TOP + _STEP * len(bars)
    items.append(segment((SIDE + left, _TOP), (SIDE + left, foot), "axis", page=True))
    said = "; ".join(f"{label}: {words}" for (label, *_), words in zip(bars, told, strict=True))
    heading, title = "Cases by correct runs", "Cases by how many of their answers are correct"
    return Drawing(WIDTH + 2 * SIDE, foot + 10, title, said, tuple(items), heading=heading)
