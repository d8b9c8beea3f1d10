"""Which of two classes is the one looked for. Said by the user, or by labels that mean it; never by order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge._base.arguments import argument, wording
from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted
from adjudge.predictions.labels import describe, parse, text_of

_MEANING = ("yes", "true", "positive", "pos", "present", "1", "+", "y", "t")
_OPPOSITE = ("no", "false", "negative", "neg", "absent", "0", "-", "n", "f")
_NUMERIC = {("0", "1"), ("-1", "1")}


def means_positive(classes: Sequence[Any]) -> Any | None:
    """Return the class whose label says it is the positive one, such as 1 of 0/1 or 'yes' of no/yes."""
    if len(classes) == 1 and text_of(classes[0]) in ("1", "True"):
        return classes[0]
    if len(classes) != 2:  # noqa: PLR2004 - two classes
        return None
    names = [text_of(label).strip().casefold() for label in classes]
    for this, other in ((0, 1), (1, 0)):
        numeric = (names[other], names[this]) in _NUMERIC
        worded = names[this] in _MEANING and names[other] == _OPPOSITE[_MEANING.index(names[this])]
        if numeric or worded:
            return classes[this]
    return None


def says_yes_or_no(label: Any) -> bool | None:
    """Return whether a label means the positive class by itself, as 'Yes', 1 and True do; None where it says neither."""
    name = text_of(label).strip().casefold()
    return True if name in _MEANING else False if name in _OPPOSITE else None


def named_positives(each: Sequence[tuple[Sequence[Any], int | None]], every: Sequence[Any] | None = None) -> list[Any]:
    """Return the classes looked for that were named, of parts or sets with classes of their own and the place of theirs.

    What the labels of a part would mean by themselves is left out: yes and no mean something else beside 'perhaps'. With the
    classes of `every` part, that holds of parts that lack some of them; where a part has them all, it looks for what it says.
    """
    labels = [(classes, classes[at]) for classes, at in each if at is not None]
    whole = None if every is None else set(every)
    return list(dict.fromkeys(label for own, label in labels if set(own) == whole or label != means_positive(own)))


def same(a: Any, b: Any) -> bool:
    """Return whether two labels are meant to be one: equal, or alike as the text of a header, cell or flag."""
    if a == b or text_of(a) == text_of(b):
        return True
    return (isinstance(a, str) != isinstance(b, str)) and _meaning(a) == _meaning(b)


def _meaning(label: Any) -> Any:
    return parse(label) if isinstance(label, str) else label


def position(classes: Sequence[Any], label: Any) -> int:
    """Return where `label` stands in `classes`; '1' finds 1 when nothing else is meant."""
    if label in classes:
        return list(classes).index(label)
    named = [i for i, known in enumerate(classes) if same(known, label)]
    if len(named) == 1:
        return named[0]
    msg = f"{quoted(label)} is not among the classes {listed(classes)}."
    raise InputError(msg)


def settle_positive(classes: Sequence[Any], positive: Any, *, counts: Sequence[int] | None = None, what: str) -> int:
    """Return the number of the positive class, or ask for it."""
    if positive is not None:
        return position(classes, positive)
    found = means_positive(classes)
    if found is not None:
        return list(classes).index(found)
    msg = wording(
        f"{what} needs to know which class is positive: {describe(classes, counts)}. Pass ",
        argument("positive"),
        ".",
    )
    raise InputError(msg)
