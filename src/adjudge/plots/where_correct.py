"""Where each set is correct: of two the cases that only one has correct, by class; of more how many all, some or none have."""

from __future__ import annotations

from adjudge._base import InputError
from adjudge.judgements.where_correct import WhereCorrect
from adjudge.plots.drawing import LINE, SIDE, WIDTH, Drawing, Item, Text, box, lines_of, segment
from adjudge.plots.labels import count, ems, in_lines, named
from adjudge.plots.style import LETTERS

_MOST = 12  # rows
_STEP, _HIGH, _TOP, _BESIDE = 24.0, 14.0, 30.0, 7.0  # units from a row to the next, of a bar, above the first, beside words
_WIDEST = 130.0  # units of names
_BRIEF = 3  # letters of names that do not say by themselves that they are classes


def where_correct_picture(result: WhereCorrect) -> Drawing:
    """Return bars by class to either side, one for each of two sets; of more sets a bar for each kind of case."""
    if not result.cases > 0:
        msg = "No case was compared, so that there is nothing to draw."
        raise InputError(msg)
    return _of_two(result) if len(result.names) == 2 else _of_several(result)  # noqa: PLR2004 - two sides


def _of_two(result: WhereCorrect) -> Drawing:
    """Return a row per class: to the left the cases that only the first gets right, to the right those of the second."""
    shown = result.by_class[:_MOST]
    names = named([each.label for each in shown], 60)
    names = [f"class {name}" for name in names] if max(map(len, names)) <= _BRIEF else names
    labels = in_lines(names, _WIDEST / LETTERS, most=3)
    left = min(_WIDEST, LETTERS * max(ems(line) for label in labels for line in label.split("\n"))) + _BESIDE
    lines = max(label.count("\n") for label in labels)
    step = _STEP + LINE * lines
    most = max(max(each.only_correct) for each in shown)
    told = LETTERS * max(ems(count(value)) for each in shown for value in each.only_correct) + _BESIDE
    middle = SIDE + left + (WIDTH - left) / 2
    room = (WIDTH - left) / 2 - told
    items: list[Item] = []
    a, b = in_lines(list(result.names), WIDTH / LETTERS - ems("◂ only "), most=1)
    top, long = _TOP, LETTERS * (max(ems(a), ems(b)) + ems("◂ only ")) > SIDE + (WIDTH - left) / 2
    if long:  # on lines of their own
        top += LINE
        items += [Text(SIDE, 16, f"◂ only {a}", "key", "start"), Text(SIDE + WIDTH, 16 + LINE, f"only {b} ▸", "key", "end")]
    else:
        items.append(Text(middle - _BESIDE, 16, f"◂ only {a}", "key", "end"))
        items.append(Text(middle + _BESIDE, 16, f"only {b} ▸", "key", "start"))
    for at, (each, label) in enumerate(zip(shown, labels, strict=True)):
        y = top + step * at + step / 2
        items += lines_of(Text(SIDE, y + 4 - LINE * label.count("\n") / 2, label, "tick", "start"))
        for value, side, style in zip(each.only_correct, (-1, 1), ("better whole", "worse whole"), strict=True):
            far = room * value / most if most else 0.0
            if far > 0:
                items.append(
                    box(
                        (min(middle, middle + side * far), max(middle, middle + side * far)),
                        (y - _HIGH / 2, y + _HIGH / 2),
                        style,
                        page=True,
                    )
                )
            end = "end" if side < 0 else "start"
            items.append(Text(middle + side * (far + _BESIDE), y + 4, count(value), "key", end))
    foot = top + step * len(shown)
    items.append(segment((middle, top), (middle, foot), "axis", page=True))
    hidden = result.classes - len(shown)
    alone = (" and ".join(map(count, each.only_correct)) for each in shown)
    words = "; ".join(f"{label}: {cases}" for label, cases in zip(names, alone, strict=True))
    more = f"; {hidden:,} more classes" if hidden > 0 else ""
    title = f"Cases that only {a}, or only {b}, predicts correctly, by true class"
    heading = "Cases that only one predicts correctly"
    return Drawing(WIDTH + 2 * SIDE, foot + 10, title, f"{words}{more}", tuple(items), heading=heading)


def _of_several(result: WhereCorrect) -> Drawing:
    names = named(result.names, 60)[: _MOST - 3]
    each = [("all correct", result.all_correct), ("some correct", result.some_correct)]
    each += [(f"only {name} correct", cases) for name, cases in zip(names, result.only_correct, strict=False)]
    each.append(("none correct", result.none_correct))
    labels = in_lines([label for label, _ in each], 2 * _WIDEST / LETTERS, most=3)
    left = LETTERS * max(ems(line) for label in labels for line in label.split("\n")) + _BESIDE
    step = _STEP + LINE * max(label.count("\n") for label in labels)
    most = max(cases for _, cases in each)
    room = WIDTH - left - LETTERS * max(ems(count(cases)) for _, cases in each) - 2 * _BESIDE
    items: list[Item] = []
    for at, (label, (_, cases)) in enumerate(zip(labels, each, strict=True)):
        y, start = 6 + step * at + step / 2, SIDE + left
        items += lines_of(Text(start - _BESIDE, y + 4 - LINE * label.count("\n") / 2, label, "tick", "end"))
        long = room * cases / most if most else 0.0
        if long > 0:
            style = "better whole" if label.startswith("only ") else "same"
            items.append(box((start, start + long), (y - _HIGH / 2, y + _HIGH / 2), style, page=True))
        items.append(Text(start + long + _BESIDE, y + 4, count(cases), "key", "start"))
    foot = 6 + step * len(each)
    items.append(segment((SIDE + left, 6), (SIDE + left, foot), "axis", page=True))
    words = "; ".join(f"{label}: {count(cases)}" for label, cases in each)
    return Drawing(WIDTH + 2 * SIDE, foot + 10, "Cases predicted correctly by all, some, one or none", words, tuple(items))
