"""What the user named, checked against the columns there are; and the columns beside the predictions, the split among them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from adjudge._base.arguments import argument, either, parameter, wording
from adjudge._base.errors import DoubtfulRolesError, InputError
from adjudge._base.findings import Finding
from adjudge._base.records import dataclass
from adjudge._base.text import counted, listed, quoted, safe
from adjudge.predictions.columns import Column
from adjudge.predictions.labels import text_of
from adjudge.predictions.model import refuse_beside_count
from adjudge.predictions.names import STRONG, Template, clearest, filled, key_of, names_decision, names_truth, strength, templates
from adjudge.predictions.roles import Scale
from adjudge.predictions.spellings import same

_DIGITS, _ROUNDING = 4, 1e-9  # of scores that were rounded to be put together
_SEVERAL = 20  # rows with scores, from which on single cases would hardly all differ
_AGAIN = 0.8  # scores that differ, by rows, where most occur with both truths
_CLOSE = 0.6  # how alike the name of a column must be to be suggested
SIDES = ("row", "fold", "group", "weight", "split", "count", "cluster", "run")
_RSAMPLE = re.compile(r"(Fold|Repeat|Bootstrap|Resample|Split|Slice)\d+", re.IGNORECASE)

_PARTS = frozenset({"train", "training", "test", "testing", "valid", "validation", "val", "dev", "holdout"})


def find_sides(columns: Sequence[Column], given: Given) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the side columns by name, none of them taken for another role, and those left out with why."""
    taken = given.judged | given.beside
    free = {column.name: column for column in columns if column.name not in taken}
    sides: dict[str, str] = {}
    notes: list[str] = []
    for role in ("fold", "row", "group", "weight"):
        beside_count = given.sides["count"] is not None and role in ("row", "weight")  # rows are no single cases, and count alike
        if given.sides[role] is not None or role in given.unwanted or beside_count:
            continue
        open_ = [c for name, c in free.items() if name not in sides.values() and _named_so(role, c)]
        if role == "row":
            own = given.sides["fold"] or sides.get("fold")
            fold = next((column for column in columns if column.name == own), None)
            open_ = [column for column in open_ if not _names_clusters(column, fold)]
        reasons = {column.name: _veto(role, column) for column in open_}
        notes += [f"{quoted(name)} (named like a {role}, but {why})" for name, why in reasons.items() if why]
        chosen = _only(role, [column for column in open_ if not reasons[column.name]])
        if chosen is not None:
            sides[role] = chosen
    return sides, tuple(notes)


def _names_clusters(column: Column, fold: Column | None) -> bool:
    """Say whether a name such as doc_id, which may mean an identity, is one of clusters: by values that repeat in a fold."""
    if not strength("cluster", column.name) or column.distinct == column.size:
        return False
    if fold is None:
        return True
    pairs = set(zip(map(str, column.values.tolist()), map(str, fold.values.tolist()), strict=True))
    return len(pairs) < column.size


def named_counts(columns: Sequence[Column], given: Given) -> list[Column]:
    """Return the columns named like a count of cases that may be one: whole numbers of at least 0, some above 1.

    None where one is given or unwanted, or where a column names or weighs single cases.
    """
    taken = given.judged | given.beside
    free = [column for column in columns if column.name not in taken]
    others = {role for role in ("row", "weight") if role not in given.unwanted}
    single = any(strength(role, column.name) for role in others for column in free)
    if single or given.unwanted & {"count"} or any(given.sides[role] is not None for role in ("count", "row", "weight")):
        return []
    named = [column for column in free if strength("count", column.name) and column.kind == "int"]
    return [c for c in named if c.finite.size == c.size > 0 and c.finite.min() >= 0 and c.finite.max() > 1]


def single_cases(rows: Sequence[Column], scores: Sequence[Column]) -> str:
    """Return why rows may be single cases, or nothing where they are combinations of the columns, each standing there once."""
    keys = [_keys(columns) for columns in ((*rows, *scores), scores)]
    size = len(keys[0])
    if len(set(keys[0])) < size:
        return "rows are equal otherwise, as single cases may be"
    rounded = all(np.allclose(c.finite, np.round(c.finite, _DIGITS), rtol=0, atol=_ROUNDING) for c in scores)
    if scores and not (rounded and size >= _SEVERAL and len(set(keys[1])) <= _AGAIN * size):
        return "scores of single cases, too, differ in every row"
    return ""


def _keys(columns: Sequence[Column]) -> list[tuple[Any, ...]]:
    """Return what the columns hold in each row, as something that can be compared."""
    each = (map(tuple, c.values.tolist()) if c.kind == "vector" else map(str, c.values.tolist()) for c in columns)
    return list(zip(*each, strict=True))


def refuse_long_form(columns: Sequence[Column], row: str | None, used: frozenset[str]) -> None:
    """Refuse a table of several models one below the other; where every row has its own identity, model is but a feature."""
    if any(column.name == row and column.distinct == column.size for column in columns):
        return
    for column in columns:
        if strength("model", column.name) == STRONG and len(column.labels) > 1 and column.name not in used:
            msg = f"Column {quoted(column.name)} holds {listed(column.labels, 3)}: the file seems to hold "
            msg += "several models one below the other. Split the file by it, or if it describes the cases pass "
            raise DoubtfulRolesError(msg, argument("group", column.name), ".")


def _named_so(role: str, column: Column) -> bool:
    """Say whether a name says the role; rsample's names of resamples, which tidymodels puts in a column id, are folds."""
    texts = [label for label in column.labels if isinstance(label, str)]
    folds = bool(texts) and all(_RSAMPLE.fullmatch(text) for text in texts)
    if strength("row", column.name) and folds:
        return role == "fold"
    if role == "fold" and re.fullmatch(r"\.?id\d", column.name):
        return folds
    return strength(role, column.name) > 0


def _veto(role: str, column: Column) -> str:
    """Return why the values cannot play the role, or nothing."""
    if role == "weight":
        if not column.numeric:
            return "it does not hold numbers"
        if column.finite.size < column.size:
            return "it has gaps"
        return "it holds negative numbers" if np.any(column.finite < 0) else ""
    parts = {str(label).strip().lower() for label in column.labels}
    vetoes = {
        "it holds vectors": column.kind == "vector",
        "it holds fractions": column.continuous,
        "it tells training rows from test rows": role == "fold" and bool(parts) and parts <= _PARTS,
        "it is constant": role == "row" and column.distinct <= 1,
        "no two rows share one": role == "group" and column.distinct == column.size > 1,
    }
    return next((why for why, holds in vetoes.items() if holds), "")


def _only(role: str, columns: Sequence[Column]) -> str | None:
    """Return the one column whose name says the role most clearly; refuse a tie."""
    names = clearest(role, [column.name for column in columns]) or [column.name for column in columns]
    if role == "row" and len(names) > 1:
        names = [c.name for c in columns if c.name in names and c.distinct == c.size] or names
    if role == "row" and len(names) > 1:
        names = [name for name in names if name.strip() and not name.startswith("Unnamed")] or names
    if len(names) > 1:
        msg = f"{listed(names)} may each be the {role}. Say which: "
        raise DoubtfulRolesError(msg, either(argument(role, name) for name in names[:3]), ".")
    return names[0] if names else None


@dataclass(frozen=True)
class GivenScores:
    """The score columns the user named, and the ways their classes may be read."""

    columns: tuple[str, ...]
    readings: tuple[Template, ...] = ()
    starred: bool = False  # whether they were named by a template, which may fit more columns than were meant
    label: Any = None  # the class of a single column, where the user said it


@dataclass(frozen=True)
class Given:
    """The roles the user named; None where they are to be found."""

    truth: str | None
    predicted: str | None
    sides: dict[str, str | None]
    scores: GivenScores | None
    scores_are: Scale | None
    classes: tuple[str, ...]  # their keys in the user's order; empty when not given
    unwanted: frozenset[str] = frozenset()  # roles that no column shall have: those given as '', or as no scores at all

    @property
    def judged(self) -> frozenset[str]:
        """The columns named as truth, decision or scores."""
        scores = self.scores.columns if self.scores else ()
        return frozenset(name for name in (self.truth, self.predicted, *scores) if name is not None)

    @property
    def beside(self) -> frozenset[str]:
        """The columns named as row, fold, group, weight, split, count, cluster or run."""
        return frozenset(name for name in self.sides.values() if name is not None)


def check_given(given: Mapping[str, Any], columns: Sequence[Column]) -> Given:
    """Return what was given, or say which column does not exist."""
    names = [column.name for column in columns]
    one = {role: given.get(role) for role in ("truth", "predicted", *SIDES)}
    # whatever columns there are: that of an index has no name
    unwanted = {role for role, name in one.items() if name == "" and role != "truth"}
    one |= dict.fromkeys(unwanted)
    refuse_beside_count([role for role, name in one.items() if name is not None])
    wanted = given.get("scores")
    if wanted is not None and not len(wanted):
        unwanted, wanted = {*unwanted, "scores"}, None
    for role, name in one.items():
        if name is not None:
            exists(name, role, names)
    scores = None if wanted is None else _scores(wanted, columns, {*one.values()})
    classes = tuple(key_of(text_of(label)) for label in (() if given.get("classes") is None else given["classes"]))
    sides = {role: one[role] for role in SIDES}
    told = Given(one["truth"], one["predicted"], sides, scores, given.get("scores_are"), classes, frozenset(unwanted))
    named = [name for name in (told.truth, told.predicted, *(scores.columns if scores else ())) if name is not None]
    if twice := sorted({name for name in named if named.count(name) > 1}):
        msg = f"Column {quoted(twice[0])} has two roles; truth, predicted and scores are different columns."
        raise InputError(msg)
    for column in columns:
        if scores and column.name in scores.columns and column.kind in ("text", "category"):
            if column.refusal:
                raise InputError(column.refusal)
            msg = f"column {quoted(column.name)} holds text, not scores; did you mean "
            raise InputError(msg, argument("predicted", column.name), "?")
    return told


def _scores(value: Any, columns: Sequence[Column], used: set[str | None]) -> GivenScores:
    names = [column.name for column in columns]
    if isinstance(value, str) and (value in names or "*" not in value):
        return GivenScores((exists(value, "scores", names),))
    by_class: Mapping[Any, str]
    if isinstance(value, str):
        template = filled(value, [c.name for c in columns if c.numeric and c.name not in used])
        by_class = template.columns
    elif isinstance(value, Mapping):
        by_class = {label: exists(name, "scores", names) for label, name in value.items()}
        template = Template("", "", {text_of(label): name for label, name in by_class.items()})
    else:
        chosen = tuple(exists(name, "scores", names) for name in value)
        readings = [template for template in templates(chosen) if len(template.columns) == len(set(chosen))]
        return GivenScores(chosen, () if len(chosen) == 1 else tuple(readings))
    chosen = tuple(by_class.values())
    if len(chosen) == 1:
        return GivenScores(chosen, label=next(iter(by_class)))
    return GivenScores(chosen, (template,), starred=isinstance(value, str))


def exists(name: Any, role: str, names: Sequence[str]) -> str:
    """Return the name of a column that exists, or say which do."""
    if isinstance(name, str) and name in names:
        return name
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=_CLOSE)
    hint = (" Did you mean ", argument(role, close[0]), "?") if close else ()
    msg = wording(f"There is no column {quoted(name)} for {role}; the columns are {listed(names, 12)}.", *hint)
    raise InputError(msg, parameter=role)


Part: TypeAlias = Literal["test", "validation", "training"]
_WORDS: dict[Part, frozenset[str]] = {
    "test": frozenset({"test", "testing", "tst", "holdout", "heldout"}),
    "validation": frozenset({"valid", "validation", "validate", "val", "dev"}),
    "training": frozenset({"train", "training", "trn"}),
}  # of the parts that a file has, the first is judged
_NAMED = re.compile(
    r"(data_?|cv_?|\.)?(split|set|subset|partition|part|fold|usage|sample|phase|stage|role|type|kind)(_?(name|type|id))?\.?"
    r"|train_?(or_?)?(test|val|valid|validation)(_?(split|set|flag))?"
)
_FLAGGED = re.compile(r"(?:is|in|for)_?(train|training|test|testing|holdout|validation)(?:_?(?:set|row|sample))?")
_YES, _NO = frozenset({"1", "true", "yes", "y", "t"}), frozenset({"0", "false", "no", "n", "f"})
_TWO = 2


@dataclass(frozen=True)
class SplitColumn:
    """A column that says of each row which part of the data it belongs to."""

    name: str
    wanted: Any = None  # the value whose rows are to be judged, where the user named it
    given: bool = False


def find_split(columns: Sequence[Column], given: Any, used: frozenset[str]) -> SplitColumn | None:
    """Return the column the user named or the values tell, None where there is none; those `used` play another part."""
    names = [column.name for column in columns]
    if isinstance(given, str) and "=" in given and given not in names:
        column, _, value = given.rpartition("=")
        given = {column: value}
    if (isinstance(given, Mapping) and len(given) == 1) or (isinstance(given, str) and given):
        name, wanted = (given, None) if isinstance(given, str) else next(iter(given.items()))
        return SplitColumn(exists(name, "split", names), wanted, given=True)
    if given is not None and not isinstance(given, str):
        msg = f" names one column: 'set', 'set=valid' or {{'set': 'valid'}}; '' evaluates all rows. Got {given!r}."
        raise InputError(parameter("split"), msg)
    best = _candidates(columns, used) if given is None else []
    if len(best) == 1:
        return SplitColumn(best[0])
    if best and _known_by_name(best[0]):
        ways = either(argument("split", name) for name in best[:3])
        msg = f"{listed(best)} may each tell test rows from training rows. Say which: "
        raise DoubtfulRolesError(msg, ways, " (", argument("split", ""), " evaluates all rows).")
    return None


def of_all_parts(columns: Sequence[Column], given: Any, used: frozenset[str]) -> Iterator[Finding]:
    """Yield that training rows are judged among the others, where the user asked for that."""
    best = _candidates(columns, used) if given == "" else []
    if best:
        told = f"Column {quoted(best[0])} tells training rows from others; all rows were evaluated together, as asked."
        yield Finding("A108", told, "The model may remember its training rows, and then the numbers flatter it.", "all")


def _candidates(columns: Sequence[Column], used: frozenset[str]) -> list[str]:
    """Return the columns whose values name parts of the data, those first and alone whose names say so."""
    candidates = []
    for column in columns:
        if column.name not in used and column.labels and not names_truth(column.name) and not names_decision(column.name):
            parts = {part_of(label, column.name) for label in column.labels}
            if None not in parts and (len(parts) > 1 or _known_by_name(column.name)):
                candidates.append(column.name)
    return [name for name in candidates if _known_by_name(name)] or candidates


def part_of(value: Any, column: str) -> Part | None:
    """Return the part of the data a value of the column stands for."""
    word = re.sub(r"[\W_]+", "", text_of(value).casefold())
    flagged = _FLAGGED.fullmatch(_plain(column))
    if flagged and word in _YES | _NO:
        own = part_of(flagged[1], "")
        return own if word in _YES else "test" if own == "training" else "training"
    return next((part for part, words in _WORDS.items() if word in words), None)


def judged_values(split: SplitColumn, rows: Mapping[Any, int]) -> tuple[str, list[Any]]:
    """Return what to call the rows that are judged, and the values of the column that they have."""
    by_part = values_by_part(split.name, rows)
    if split.wanted is not None:
        own = [value for value in rows if value is not None and same(value, split.wanted)]
        wanted = part_of(split.wanted, split.name)
        values = own or ([] if wanted is None else by_part[wanted])
        if not values:
            msg = f"No row of column {quoted(split.name)} is {quoted(split.wanted)}; it holds {_listed(rows)}."
            raise InputError(msg)
        return (wanted or quoted(split.wanted)), values
    for part in _WORDS:
        if by_part[part] and (part != "training" or len(by_part[part]) == len(rows)):
            return part, by_part[part]
    ways = either(argument("split", f"{split.name}={safe(value)}") for value in list(rows)[:_TWO] if value is not None)
    msg = f"Column {quoted(split.name)} holds {_listed(rows)}: nothing says which rows are test rows. Name the test rows with "
    raise DoubtfulRolesError(msg, ways, ", or evaluate all rows with ", argument("split", ""), ".")


def values_by_part(column: str, rows: Iterable[Any]) -> dict[Part, list[Any]]:
    """Return the values that stand for each part."""
    return {part: [value for value in rows if value is not None and part_of(value, column) == part] for part in _WORDS}


def _listed(rows: Mapping[Any, int]) -> str:
    shown = [f"{quoted(value)} ({n:,})" for value, n in rows.items() if value is not None][:4]
    blank = [f"{counted(n, 'row')} without a value" for value, n in rows.items() if value is None]
    return ", ".join([*shown, *blank])


def _known_by_name(name: str) -> bool:
    return _NAMED.fullmatch(_plain(name)) is not None or _FLAGGED.fullmatch(_plain(name)) is not None


def _plain(name: str) -> str:
    return re.sub(r"[\s\-]+", "_", name.strip()).lower()
