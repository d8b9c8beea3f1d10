"""Labels spelt in two ways, the user's own list of them, and which of two classes is the positive one."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from adjudge._base import Argument, InputError, argument, either, listed, parameter, quoted, safe, wording
from adjudge._base.arrays import AnyArray, IntArray
from adjudge.predictions.columns import Column
from adjudge.predictions.labels import bare, describe, ordered, parse, text_of

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
    """Return the classes looked for that were named: not those that labels mean by themselves, unless of `every` class."""
    labels = [(classes, classes[at]) for classes, at in each if at is not None]
    whole = None if every is None else set(every)
    return list(dict.fromkeys(label for own, label in labels if set(own) == whole or label != means_positive(own)))


def same(a: Any, b: Any) -> bool:
    """Return whether two labels are meant to be one: equal, or alike as the text of a header, cell or flag."""
    if a == b or text_of(a) == text_of(b):
        return True
    text, value = (a, b) if isinstance(a, str) else (b, a)
    return isinstance(text, str) and not isinstance(value, str) and bool(parse(text) == value)


def position(classes: Sequence[Any], label: Any) -> int:
    """Return where `label` stands in `classes`; '1' finds 1 when nothing else is meant."""
    try:
        return classes.index(label)
    except ValueError:
        pass
    named = [i for i, known in enumerate(classes) if same(known, label)]
    if len(named) == 1:
        return named[0]
    msg = f"{quoted(label)} is not among the classes {listed(classes)}."
    raise InputError(msg)


def column_labels(classes: Any, what: str) -> tuple[Any, ...]:
    """Return the labels of the columns of `what`, or refuse what lists none."""
    if isinstance(classes, (str, bytes)) or not isinstance(classes, Iterable):
        raise InputError(parameter("classes"), f" must list the label of each column of {what}; got {classes!r}.")
    names = tuple(name.item() if isinstance(name, np.generic) else name for name in classes)
    if not all(isinstance(name, Hashable) for name in names):
        raise InputError(parameter("classes"), f" must be labels, such as text or numbers; got {listed(names)}.")
    return names


def distinct(labels: AnyArray, what: str) -> tuple[list[Any], IntArray]:
    """Return the labels that occur and which of them each case has; mixtures, which cannot be sorted, as they come."""
    if labels.dtype != object:
        values, places = np.unique(labels, return_inverse=True)
        return values.tolist(), places
    held, first = labels.tolist(), dict[Any, int]()
    try:
        places = np.array([first.setdefault(label, len(first)) for label in held], dtype=np.int64)
    except TypeError as error:  # some label is a list or the like
        raise InputError(parameter(what), " must hold labels, such as text or numbers.") from error
    return list(first), places


def settle_positive(classes: Sequence[Any], positive: Any, *, counts: Sequence[int] | None = None, what: str) -> int:
    """Return the number of the positive class, or ask for it."""
    if positive is not None:
        return position(classes, positive)
    label = means_positive(classes)
    if label is not None:
        return list(classes).index(label)
    msg = f"{what} needs to know which class is positive: {describe(classes, counts)}. Pass "
    raise InputError(msg, argument("positive"), ".")


def both_classes(p: Any, labels: Any, classes: Sequence[Any] | None, positive: Any, name: str) -> tuple[AnyArray, list[Any]]:
    """Return the probabilities of two classes from that of the positive one, and both classes in their order."""
    values, given = np.asarray(p).ravel(), np.asarray(labels)
    if given.ndim > 1:
        told = " one: the true classes come first, then the probabilities."
        raise InputError(parameter("y_true"), f" has {given.shape[1]} columns and ", parameter(name), told)
    if values.dtype.kind not in "iufb" or not values.size or not (values.min() >= 0 and values.max() <= 1):
        came = f"{values.min():g} to {values.max():g}" if values.size and values.dtype.kind in "iufb" else f"{values.dtype}"
        told = f", as one number per case, must be the probability of the positive class, between 0 and 1; got {came}."
        raise InputError(parameter(name), told)
    names = ordered(distinct(given, "y_true")[0]) if classes is None else column_labels(classes, name)
    names = [0, 1] if classes is None and {*names} <= {0, 1} else list(names)
    if len(names) != _TWO:
        told = f", as one number per case, goes with two classes; y_true has {listed(names)}. Pass a column for each class."
        raise InputError(parameter(name), told)
    single = values.astype(np.float64)
    at = settle_positive(names, positive, what="One number per case")
    return np.column_stack([1 - single, single] if at else [single, 1 - single]), names


Relabel: TypeAlias = tuple[tuple[str, Any], ...]  # (text of a label, the label it means) pairs
_ESCAPE = re.compile(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U000[0-9a-f]{5}")
_MOST = 6
_TWO = 2
_SEVERAL = 10  # rows, from which on chance alone would hardly leave no label in common


def checked_relabel(given: Any) -> Relabel:
    """Return what the user wrote, "Yes=1,No=0" or {"Yes": 1, "No": 0}, as pairs."""
    if isinstance(given, str):
        pairs = [part.partition("=") for part in given.split(",")]
        if not all(sign and label for label, sign, _ in pairs):
            told = f" takes pairs such as Yes=1,No=0: a label, and the label it means; got {safe(given)!r}."
            raise InputError(parameter("relabel"), told)
        return tuple((_unescaped(label), _unescaped(meant)) for label, _, meant in pairs)
    if isinstance(given, Mapping):
        return tuple((_unescaped(text_of(label)), meant) for label, meant in given.items())
    if isinstance(given, tuple) or given is None:
        return given or ()
    raise InputError(parameter("relabel"), f" takes a mapping such as {{'Yes': 1, 'No': 0}}; got {type(given).__name__}.")


def _unescaped(label: str) -> str:
    """Return a label with the characters that messages show as escapes, so that what a finding says can be passed."""
    return _ESCAPE.sub(lambda match: chr(int(f"0x{match[0][2:]}", 0)), label)


def _finite_labels(column: Column) -> Sequence[Any]:
    """Return the labels of a column; none of numbers some of which are infinite, which are scores."""
    return () if column.numeric and np.isinf(column.values).any() else column.labels


def meant(label: Any, relabel: Mapping[str, Any], *, cells: bool) -> Any:
    """Return the label that `label` stands for; of CSV cells also 1.0 is found where 1 is listed."""
    text = text_of(label)
    if text not in relabel and cells:
        text = text_of(parse(text))
    return relabel.get(text, label)


def resolved(relabel: Relabel, columns: Sequence[Column]) -> Relabel:
    """Return pairs whose second labels have the type that the columns give them: '1' from a command line may be 1."""
    known = [label for column in columns for label in _finite_labels(column)]
    pairs = []
    for label, target in relabel:
        exact = any(own == target and isinstance(own, str) == isinstance(target, str) for own in known)
        alike = [] if exact else [own for own in known if same(own, target)]
        pairs.append((label, alike[0] if alike else target))
    return tuple(pairs)


def relabelled(column: Column, relabel: Relabel) -> Column:
    """Return the first rows of a column with labels as they are meant; numbers only where all of them are labels listed."""
    if not relabel or column.kind == "vector":
        return column
    table, own = dict(relabel), _finite_labels(column)
    listed_texts = {text for text, _ in relabel} | {text_of(target) for _, target in relabel}
    if not any(text_of(label) in table for label in own):
        return column
    if column.kind not in ("text", "category") and not all(text_of(label) in listed_texts for label in own):
        return column
    values = np.empty(len(column.values), dtype=object)
    whole = {label: table.get(text_of(label), label) for label in own}
    values[:] = [whole.get(value) for value in column.values.tolist()]
    return Column(column.name, "text", values)


# -- truth and prediction that share no label -----------------------------------------------------------------


def strangers(truth: Sequence[Any], predicted: Sequence[Any], rows: int) -> bool:
    """Say whether labels cannot be of one task as spelt: they share none, and are of two types, mean the same, or are many."""
    if not truth or not predicted or set(truth) & set(predicted):
        return False
    texts = [{isinstance(label, str) for label in side} for side in (truth, predicted)]
    apart = all(len(kinds) == 1 for kinds in texts) and texts[0] != texts[1]
    return apart or bool(equals(truth, predicted)) or (rows >= _SEVERAL and min(len(truth), len(predicted)) >= _TWO)


def equals(truth: Sequence[Any], predicted: Sequence[Any]) -> dict[Any, Any]:
    """Return the label of the truth that each predicted one seems to mean; empty where one seems to mean none."""
    for key in (folded, says_yes_or_no):
        own = {key(label): label for label in truth}
        meanings = {label: label if label in truth else own.get(key(label)) for label in predicted if key(label) is not None}
        if len(meanings) == len(predicted) and None not in own and None not in meanings.values():
            return {label: true for label, true in meanings.items() if label != true}
    return {}


def folded(label: Any) -> str:
    """Return a label without case, superfluous spaces, invisible characters and Unicode form; 1.0 is 1 and True is true."""
    text = bare(bare(text_of(label)).casefold())
    return text_of(parse(text)).casefold()


def clash(truth: tuple[str, Sequence[Any]], predicted: tuple[str, Sequence[Any]]) -> str:
    """Return what to say of columns that share no label, with the list of equals to pass."""
    (one, true), (other, said) = truth, predicted
    meanings = equals(true, said)
    start = f"Truth and prediction share no label: column {quoted(one)} holds {listed(true, 4)}, "
    start += f"column {quoted(other)} holds {listed(said, 4)}."
    if not meanings or len(meanings) > _MOST:
        return wording(
            f"{start} If they mean the same classes, pass ",
            argument("relabel", dict.fromkeys(said[:_TWO], "...")),
            f" with the label of {quoted(one)} that each means; else name the columns that go together with ",
            either([argument("truth"), argument("predicted")], " and "),
            ".",
        )
    return wording(f"{start} If they mean the same, pass ", argument("relabel", meanings), ".")


def merging(group: Iterable[Any]) -> Argument:
    """Return the argument that makes one class of labels that look alike: that of the first."""
    first, *rest = list(group)
    return argument("relabel", dict.fromkeys(rest, first))
