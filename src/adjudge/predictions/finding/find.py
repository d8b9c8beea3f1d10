"""Find which column plays which part: values first, names second, and refuse rather than guess; their order cannot matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from adjudge._base import DoubtfulRolesError, Finding, InputError, argument, counted, either, listed, quoted, safe, wording
from adjudge._base.records import dataclass, replace
from adjudge.predictions.columns import FEW, Column
from adjudge.predictions.finding import deciding
from adjudge.predictions.finding.clusters import find_belonging, suspected_of
from adjudge.predictions.finding.deciding import TWO, Decided
from adjudge.predictions.finding.given import Given, check_given, find_sides, named_counts, refuse_long_form, single_cases
from adjudge.predictions.finding.models import refuse_two_models
from adjudge.predictions.finding.runs import find_runs
from adjudge.predictions.finding.score_blocks import Block, belongs_to_another, refuse_stray_truth, rest_of_block, settle_block
from adjudge.predictions.labels import text_of
from adjudge.predictions.names import class_in_name, clearest, key_of, mentions, names_decision, names_truth, strength
from adjudge.predictions.roles import Roles, Scale


@dataclass(frozen=True, eq=False)
class _Search:
    """The state every step reads: the columns, what was given, the side columns found, and what was left out."""

    table: Mapping[str, Column]
    given: Given
    sides: Mapping[str, str | None]
    left_out: tuple[str, ...] = ()

    @property
    def beside(self) -> frozenset[str]:
        return frozenset(name for name in self.sides.values() if name is not None)

    @property
    def undecided(self) -> bool:
        """Whether no column shall be the decision: scores decide."""
        return "predicted" in self.given.unwanted

    @property
    def pool(self) -> list[Column]:
        """The columns that may be scores."""
        named = self.beside | {self.given.truth, self.given.predicted}
        return [column for name, column in self.table.items() if name not in named]

    @property
    def holders(self) -> list[Column]:
        """The columns that may be truth or decision; those named by the user are, whatever they look like."""
        named = {self.given.truth, self.given.predicted}
        scores = set(self.given.scores.columns) if self.given.scores else set()
        free = [c for c in self.table.values() if c.name not in self.beside | scores]
        return [c for c in free if (c.labels if c.name in named else c.label_like)]

    def keys(self, truth: str, predicted: str | None) -> dict[str, Any]:
        """Return the labels of truth and decision by their texts."""
        columns = [self.table[name] for name in (predicted, truth) if name is not None]
        return {key: label for column in columns for key, label in column.keys.items()}

    def spoilt(self, keys: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Yield name, message and advice of columns named like scores, or by a class, of which some cells are no numbers."""
        for column in self.pool if self.given.scores is None and "scores" not in self.given.unwanted else ():
            by_class = column.strays and (class_in_name(column.name, keys) is not None or key_of(column.name) in keys)
            if column.spoilt or by_class:
                (text, row), *more = column.strays
                what = f"and {counted(len(more), 'other cell')} are no numbers" if more else "is no number"
                told = f"Column {quoted(column.name)} is named like scores, but {quoted(text)} (row {row:,}) {what}"
                yield column.name, told, f"Correct the cell{'s' if more else ''}."


def find_roles(columns: Sequence[Column], given: Mapping[str, Any], left_out: Sequence[str] = ()) -> Roles:
    """Return the role of each column, found in its first rows, with the evidence, or refuse with the arguments that settle it.

    The evidence also says what was `left_out` before, and why.
    """
    told = check_given(given, columns)
    table = {column.name: column for column in sorted(columns, key=lambda column: column.name)}
    if len(table) != len(columns):
        msg = "Two columns have the same name, so no role can be given to either. Rename one."
        raise InputError(msg)
    notes = list(left_out)
    for column in named_counts(list(table.values()), told):
        with suppress(DoubtfulRolesError):
            roles = _find(table, replace(told, sides=told.sides | {"count": column.name}), left_out)
            if roles.numeric:
                continue
            scores = [table[name] for _, name in roles.scores]
            rest = [table[name] for name in roles.columns if name != column.name and table[name] not in scores]
            if why := single_cases(rest, scores):
                notes.append(wording(f"{quoted(column.name)} (named like a count, but {why}) [", argument("count"), "]"))
                continue
            said = "whole numbers, and no two rows are equal otherwise: each row stands for so many cases"
            count = wording(f"{quoted(column.name)} ({said}) [", argument("count"), "]")
            return replace(roles, evidence=roles.evidence | {"count": count})
    return _find(table, told, notes)


def _find(table: Mapping[str, Column], told: Given, before: Sequence[str] = ()) -> Roles:
    """Return the roles of columns, with what was left out `before` and why; rows that stand for no case tell nothing."""
    count = None if told.sides["count"] is None else table[told.sides["count"]]
    if count is not None and count.numeric and (count.values == 0).any() and (count.values > 0).any():
        keep = count.values != 0
        whole = (column for column in table.values() if column.size == keep.size)
        table = {**table, **{column.name: replace(column, values=column.values[keep]) for column in whole}}
    sides, left_out = find_sides(list(table.values()), told)
    more_sides, more_left = find_belonging(list(table.values()), told, sides)
    sides |= more_sides
    if "run" not in told.unwanted:
        sides |= find_runs(list(table.values()), told.sides, sides, told.judged)
    notes = (*before, *left_out, *more_left)
    search = _Search(table, told, told.sides | sides, notes)
    refuse_long_form(list(table.values()), search.sides["row"], told.judged | search.beside)
    _refuse_unreadable(search)
    if not told.classes and not search.undecided:
        deciding.refuse_strangers(search.holders, told.truth, told.predicted)
    scored = "scores" not in told.unwanted
    block = settle_block(told, table, search.pool, search.holders) if scored else None
    owner = belongs_to_another(block, told) if block is not None else None
    if block is None:
        roles = _numeric(search) or (_with_single if scored else _without_scores)(search)
    elif owner is None:
        roles = _with_block(search, block)
    else:
        note = f"{listed(block.columns, 4)} (scores of the decision {quoted(owner)})"
        roles = _without_scores(replace(search, left_out=(*notes, note)))
    if roles.numeric:
        return roles
    if roles.cluster is None:
        used = [*roles.columns, *(name for name in (roles.split,) if name is not None)]
        roles = replace(roles, suspected=suspected_of(list(table.values()), told, used, roles.group))
    end = "it was left out." if roles.scores else "it was left out, so that ranking and calibration are unknown."
    spoilt = search.spoilt(search.keys(roles.truth, roles.predicted))
    more = [Finding("A113", f"{said}: {end}", advice, name) for name, said, advice in spoilt if name not in roles.columns]
    return replace(roles, findings=(*roles.findings, *more))


def _refuse_unreadable(search: _Search) -> None:
    """Refuse a truth, or a decision, that its name makes one and that has no label a row, where no other column can be it."""
    given = search.given
    for role, says in (("truth", names_truth), ("predicted", names_decision)):
        named = [c for c in search.pool if says(c.name)]
        whole = [
            c for c in search.holders if not c.refusal and (says(c.name) or (role == "truth" and not names_decision(c.name)))
        ]
        bad = [c for c in named if c.refusal or (role == "truth" and not c.numeric and not c.labels)]
        if not bad or whole or len(bad) < len(named) or role in given.unwanted or getattr(given, role) is not None:
            continue
        first = bad[0]
        what = "several numbers a row" if first.kind == "vector" else "no label in the first rows"
        if (first.refusal and first.labels) or " holds lists" in first.refusal:  # not of nothing at all
            what = first.refusal.partition(" holds ")[2].partition(";")[0]
        told = f"Column {quoted(first.name)} is named like the {'truth' if role == 'truth' else 'decision'} but holds {what}. "
        raise DoubtfulRolesError(told, "Store one label a row, or name another column with ", argument(role), ".")


def _with_block(search: _Search, block: Block) -> Roles:
    """Return the roles around a block: of two label columns the one equal to its argmax is the decision."""
    given = search.given
    if given.truth is None:
        refuse_stray_truth(block, search.holders)
    agreement = {holder.name: block.agreement(holder) for holder in block.holders}
    partial = frozenset(holder.name for holder in block.holders if block.partial(holder))
    clues = deciding.Clues(
        agreement, by_argmax=True, scores_given=given.scores is not None, score_names=block.pattern, partial=partial
    )
    decided = deciding.decide(block.holders, clues, given.truth, given.predicted, left_out=search.undecided)
    truth = search.table[decided.truth]
    wrong = f"{1 - agreement[decided.truth]:.1%} of the first {truth.size:,} rows"
    why = decided.why_truth
    why = why if why == "given" else f"{why}; differs from the argmax of the scores in {wrong}"
    place = {key: i for i, key in enumerate(given.classes)}
    pairs = tuple(sorted(block.pairs(truth), key=lambda pair: place.get(key_of(text_of(pair[0])), len(place))))
    decided = replace(decided, why_truth=why)
    if decided.predicted is None:
        why = "columns of decisions are left out" if search.undecided else "no column holds a decision"
        decided = replace(decided, why_predicted=f"the argmax of the scores ({why})")
        if not search.undecided:
            _refuse_stray_decision(search, [label for label, _ in pairs])
    elif len(block.keys) == TWO and not block.vector:
        first = search.table[block.columns[0]]  # another threshold than one half decides as well
        if deciding.separates(first, search.table[decided.predicted]):
            agreement[decided.predicted] = 1.0
    doubts = deciding.swapped(decided, agreement, truth.size, named=given.truth is not None or given.predicted is not None)
    return _roles(search, decided, pairs, block.scale, block.says(), findings=doubts)


def _refuse_stray_decision(search: _Search, classes: Sequence[Any]) -> None:
    """Refuse to pass over a column that is called a decision and holds classes, for the sake of some other label in it."""
    known = {text_of(label) for label in classes}
    for column in search.table.values():
        if column.kind not in ("text", "category") or not names_decision(column.name) or column.name in search.given.judged:
            continue
        labels = {text_of(value) for value in column.values if value is not None}
        strange = sorted(labels - known)
        if strange and labels & known:
            msg = f"column {quoted(column.name)} is named like the decision, but holds {listed(strange)} beside the classes. "
            msg += "If that means 'no decision', pass "
            raise InputError(msg, argument("rejected", strange[0]), "; else name the decision with ", argument("predicted"), ".")


def _numeric(search: _Search) -> Roles | None:
    """Return the roles of a numeric task: a truth and a prediction that hold measurements, both named."""
    given = search.given
    if given.scores is not None or search.undecided:
        return None
    measured = [c.name for c in search.pool if _measured(c) and names_truth(c.name)]
    truths = [given.truth] if given.truth else clearest("truth", measured)
    named = [c for c in search.pool if c.numeric and names_decision(c.name)]
    beside = "" if truths else _beside(search, named)
    truths = truths or ([beside] if beside else [])
    rounded = len(truths) == 1 and search.table[truths[0]].continuous  # such predictions may be whole
    decisions = [c.name for c in named if c.continuous] or [c.name for c in named if rounded]
    predicted = [given.predicted] if given.predicted else clearest("predicted", decisions)
    if len(truths) != 1 or not predicted or not _measured(search.table[truths[0]]):
        return None
    if len(predicted) > 1:
        raise refuse_two_models(predicted)
    if not (search.table[predicted[0]].continuous or search.table[truths[0]].continuous):
        return None
    truth = truths[0]
    rivals = [c.name for c in search.holders if names_truth(c.name) and c.name != truth and not _measured(c)]
    if rivals and given.truth is None:
        told = f"{quoted(predicted[0])} may predict the numbers in {quoted(truth)} or score the classes in {quoted(rivals[0])}. "
        raise DoubtfulRolesError(told, "Say which: ", either([argument("truth", truth), argument("truth", rivals[0])]), ".")
    why = "measurements, by its name"
    alone = "the numbers that the predictions are of" if beside else why
    decided = Decided(truth, predicted[0], "given" if given.truth else alone, "given" if given.predicted else why)
    return _roles(search, decided, numeric=True)


def _beside(search: _Search, named: Sequence[Column]) -> str:
    """Return the measurements that one prediction is of, though not named the truth: `price` of `price_pred`, or no others."""
    given = search.given.predicted
    said = [search.table[given]] if given else [c for c in named if c.continuous and not c.unit]
    if len(said) != 1 or said[0].unit or not said[0].continuous:  # fractions in [0, 1] may be scores of a class
        return ""
    others = [c for c in search.table.values() if c.name not in search.beside | {said[0].name}]
    about = [c.name for c in others if _measured(c) and mentions(said[0].name.lower(), c.name.lower())]
    if len(about) == 1 and not any(names_truth(c.name) for c in others if c.name != about[0]):
        return about[0]
    return others[0].name if len(others) == 1 and _measured(others[0]) else ""


def _measured(column: Column) -> bool:
    return column.continuous or (column.numeric and len(column.labels) > FEW)


def _with_single(search: _Search) -> Roles:
    """Return the roles around one score column, or around none."""
    given = search.given
    name = given.predicted
    if name is not None and search.table[name].continuous:
        msg = f"column {quoted(name)} looks like scores; did you mean "
        raise InputError(msg, argument("scores", name), "?")
    scores = [search.table[given.scores.columns[0]]] if given.scores else deciding.single_candidates(search.pool, search.holders)
    if not scores or (given.scores is None and rest_of_block(scores, search.pool, search.holders)):
        return _without_scores(search)
    agreement = {c.name: 1.0 for c in search.holders if len(scores) == 1 and deciding.separates(scores[0], c)}
    clues = deciding.Clues(agreement, scores_given=given.scores is not None, score_names=scores[0].name)
    decided = deciding.decide(search.holders, clues, given.truth, given.predicted, left_out=search.undecided)
    truth, predicted = search.table[decided.truth], search.table.get(decided.predicted or "")
    score = deciding.pick_single(scores, predicted)
    doubts = deciding.swapped(decided, agreement, truth.size, named=given.truth is not None or given.predicted is not None)
    keys = search.keys(decided.truth, decided.predicted)
    scale = given.scores_are or deciding.single_scale(score, truth, predicted)
    if given.scores is None and not deciding.believable(score, predicted, keys):
        left, why = scores[0], "no decision follows from it"
    elif scale is None and predicted is None:
        msg = f"{quoted(score.name)} is one score, but {quoted(truth.name)} holds {counted(len(truth.labels), 'label')} "
        msg += f"({listed(truth.labels, 4)}). Name a score for each class with "
        raise DoubtfulRolesError(msg, argument("scores"), ", or the decision with ", argument("predicted"), ".")
    elif scale is None and given.scores is None:
        left, why = score, f"one score cannot rank {len(truth.labels)} classes"
    else:
        label, says = _meaning(search, score.name, scale or "scores", truth, keys)
        return _roles(search, decided, ((label, score.name),), scale or "scores", says, findings=doubts)
    return _without_scores(replace(search, left_out=(*search.left_out, f"{quoted(left.name)} (named like a score, but {why})")))


def _meaning(search: _Search, name: str, scale: Scale, truth: Column, keys: Mapping[str, Any]) -> tuple[Any | None, str]:
    """Return the class that a single score speaks of, None for the positive one, and what its numbers mean."""
    given = search.given.scores
    label = None if given is None or given.label is None else truth.keys.get(key_of(text_of(given.label)), given.label)
    whose = "the positive class"
    if label is None and scale != "confidence":
        label = class_in_name(name, keys)
        whose = whose if label is None else f"class {quoted(label)}, which its name says"
    says = {
        "confidence": "confidence of the decision: never below what a decision needs",
        "probabilities": f"within [0, 1]: the probability of {whose}",
        "scores": f"leaves [0, 1]: ranks only; higher means {whose}",
    }
    return label, f"{scale}, given" if search.given.scores_are else says.get(scale, scale)


def _without_scores(search: _Search) -> Roles:
    """Return the roles of a table of labels alone: names decide."""
    given = search.given
    decided = deciding.decide(
        search.holders, deciding.Clues({}, columns=tuple(search.table)), given.truth, given.predicted, left_out=search.undecided
    )
    if search.undecided:
        msg = f"Decisions are left out, and beside the truth {quoted(decided.truth)} no column looks like scores that decide. "
        raise DoubtfulRolesError(msg, "Name them with ", argument("scores"), ".")
    if decided.predicted is None:
        truth = search.table[decided.truth]
        others = [c.name for c in search.holders if c.name != truth.name and not truth.key_set.isdisjoint(c.key_set)]
        if len(others) > 1:
            raise refuse_two_models(others)
        if not others:
            for _, told, advice in search.spoilt(truth.keys):
                msg = f"{told}. {advice}"
                raise InputError(msg)
            numbers = [column.name for column in search.pool if column.numeric]
            named = [name for name in numbers if strength("score", name) or class_in_name(name, truth.keys) is not None]
            how = [argument("scores", named[0])] if len(named) == 1 else [argument("predicted"), argument("scores")]
            if "scores" in given.unwanted:
                msg = f"Scores are left out, and beside the truth {quoted(truth.name)} no column looks like a decision. "
                raise DoubtfulRolesError(msg, "Name it with ", argument("predicted"), ".")
            msg = f"Beside the truth {quoted(truth.name)} no column looks like a decision or a score. Name it with "
            raise DoubtfulRolesError(msg, either(how), ".")
        decided = replace(decided, predicted=others[0], why_predicted="the only other label column")
    return _roles(search, decided)


def _roles(
    search: _Search,
    decided: Decided,
    pairs: tuple[tuple[Any, str], ...] = (),
    scale: Scale = "probabilities",
    says: str = "",
    *,
    numeric: bool = False,
    findings: tuple[Finding, ...] = (),
) -> Roles:
    """Return the roles with a sentence for each; those found end with the argument that overrides them."""
    given, told = search.given, {}
    whys: dict[str, tuple[str | None, str]] = {"truth": (decided.truth, decided.why_truth)}
    whys["predicted"] = decided.predicted, decided.why_predicted
    if pairs:
        whys["scores"] = None, f"{listed([name for _, name in pairs], 6)} ({'given; ' if given.scores else ''}{safe(says, 200)})"
    for role, name in search.sides.items():
        if name is not None:
            searched = given.sides[role] is None
            why = "its values name resamples" if role == "fold" else "by its name, and each value occurs once"
            why = "each of its values has several answers" if role == "row" and search.sides["run"] else why
            whys[role] = name, "given" if not searched else "by its name" if strength(role, name) else why
    for role, (name, why) in whys.items():
        if name is not None or why:
            told[role] = why if name is None else f"{quoted(name)} ({why})"
            if why != "given" and not (role == "scores" and given.scores):
                told[role] = wording(told[role], " [", argument(role), "]")
    if search.left_out:
        told["left out"] = either(search.left_out, "; ")
    sides: dict[str, Any] = dict(search.sides)
    return Roles(decided.truth, decided.predicted, pairs, scale, **sides, evidence=told, numeric=numeric, findings=findings)
