"""Which label column is the truth and which the decision, whether they look swapped, and which one column is the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjudge._base import DoubtfulRolesError, Finding, argument, dataclass, either, listed, quoted, together, wording
from adjudge.predictions.columns import FEW, Column
from adjudge.predictions.finding.models import alike_but_once, refuse_two_models
from adjudge.predictions.finding.score_blocks import SAME
from adjudge.predictions.names import (
    SILENT,
    STRONG,
    WEAK,
    class_in_name,
    clearest,
    mentions,
    names_decision,
    names_truth,
    strength,
)
from adjudge.predictions.roles import Scale
from adjudge.predictions.spellings import clash, equals, strangers

TWO = 2
_EDGE = 1e-6
_FEWEST = 10  # rows below which a truth may well equal what the scores say by luck


@dataclass(frozen=True)
class Clues:
    """What is known about the label columns besides themselves."""

    agreement: Mapping[str, float]  # how often each column is what the scores say
    by_argmax: bool = False  # whether that is the argmax of a block, which is stronger than a threshold of one score
    scores_given: bool = False
    score_names: str = ""  # the shared part of the score columns' names, which may mention the truth's name
    partial: frozenset[str] = frozenset()  # columns without a class in some rows, which say nothing there
    columns: tuple[str, ...] = ()  # all columns, for a refusal to name

    def share_of(self, name: str) -> str:
        """Return how often the column is what the scores say, and of which rows."""
        return f"{self.agreement.get(name, 0.0):.1%} of {'the rows with a decision' if name in self.partial else 'rows'}"

    def why(self, name: str) -> str:
        """Return why the column is the decision."""
        return f"equals the argmax of the scores in {self.share_of(name)}" if self.by_argmax else "a threshold of the score"


@dataclass(frozen=True)
class Decided:
    """The truth and the decision, each with the reason."""

    truth: str
    predicted: str | None
    why_truth: str
    why_predicted: str


def decide(
    candidates: Sequence[Column], clues: Clues, truth: str | None, predicted: str | None, *, left_out: bool = False
) -> Decided:
    """Return truth and decision among `candidates`, keeping those already named; no decision where they are `left_out`."""
    by_name = {column.name: column for column in candidates}
    others = [name for name in by_name if name != truth]
    try:
        decision, why_decision = (predicted, "given") if predicted else _decision(others, clues)
    except DoubtfulRolesError:
        if not left_out:
            raise
        decision, why_decision = next(iter(clearest("predicted", others)), None), ""
    if left_out and decision is not None:  # what it holds tells nothing of the truth, but it is not the truth
        del by_name[decision]
    truth_column, why = (truth, "given") if truth is not None else _truth(by_name, decision, clues)
    return Decided(truth_column, None if left_out else decision, why, "" if left_out else why_decision)


def refuse_strangers(holders: Sequence[Column], truth: str | None, predicted: str | None) -> None:
    """Refuse a truth and a decision whose labels are spelt in two ways; guessed ones only where labels seem to mean the same."""
    by_name = {column.name: column for column in holders}
    others = [name for name in by_name if name not in (truth, predicted)]
    decisions = [predicted] if predicted else clearest("predicted", [name for name in others if names_decision(name)])
    if len(decisions) != 1 or decisions[0] not in by_name:
        return
    decision = by_name[decisions[0]]
    among = [name for name in others if name != decision.name and not names_decision(name)]
    told = [truth] if truth else clearest("truth", [name for name in among if names_truth(name)]) or among
    if truth is None and any(_share(by_name[name], decision) for name in told):
        return
    sure = truth is not None and predicted is not None
    likely = [by_name[name] for name in told if name in by_name and (sure or equals(by_name[name].labels, decision.labels))]
    few = [column for column in likely if max(len(column.labels), len(decision.labels)) <= FEW and not _share(column, decision)]
    if len(likely) == len(few) == 1 and strangers(few[0].labels, decision.labels, decision.size):
        raise DoubtfulRolesError(clash((few[0].name, few[0].labels), (decision.name, decision.labels)))


def _decision(names: Sequence[str], clues: Clues) -> tuple[str | None, str]:
    said = [name for name in clearest("predicted", names) if names_decision(name)]
    following = [name for name in names if clues.agreement.get(name, 0.0) > SAME and not _truth_by_name(name, names, clues)]
    both = [name for name in said if name in following]
    if len(said) > 1 and not (clues.scores_given and len(both) == 1):
        raise refuse_two_models(said)
    if len(both) == 1:
        return both[0], clues.why(both[0])
    if len(following) > 1:
        msg = f"{listed(following)} all equal the argmax of the scores. Say which is the truth with "
        raise DoubtfulRolesError(msg, argument("truth"), ".")
    if following and (clues.by_argmax or not said):
        return _unnamed_decision(following[0], said, names, clues)
    if not said:
        return None, ""
    agrees = f"; the argmax of the scores agrees in {clues.share_of(said[0])}" if clues.by_argmax else ""
    return said[0], f"by its name{agrees}"


def _unnamed_decision(name: str, said: Sequence[str], names: Sequence[str], clues: Clues) -> tuple[str | None, str]:
    """Return a decision told by values alone, unless names contradict it."""
    if said:
        raise refuse_two_models([name, *said], sure=False)
    if names_truth(name) and not any(names_truth(other) for other in names if other != name):
        told = f"Column {quoted(name)} is named like the truth but equals what the scores decide in every row. "
        raise DoubtfulRolesError(told, "Say which it is: ", either([argument("truth", name), argument("predicted", name)]), ".")
    if not clues.by_argmax and len(clearest("truth", names)) == 1 and not names_truth(name):
        return None, ""  # a feature the score hangs on, beside a truth that has a name
    if len(names) == 1:
        msg = f"Column {quoted(name)} equals what the scores decide and no other column holds the classes. Name the truth with "
        raise DoubtfulRolesError(msg, argument("truth"), ".")
    return name, clues.why(name)


def _truth_by_name(name: str, names: Sequence[str], clues: Clues) -> bool:
    """Say whether a name outweighs equality with the scores: then the model makes no error."""
    if strength("truth", name) == STRONG and names_truth(name):
        return True
    alone = clearest("truth", [n for n in names if names_truth(n)]) == [name]
    others = [other for other in names if other != name]
    return alone and (not clues.by_argmax or all(names_decision(other) for other in others))


def _truth(by_name: Mapping[str, Column], decision: str | None, clues: Clues) -> tuple[str, str]:
    # a column is a decision too if it is named as clearly: 'response' is one, unless 'pred' stands beside it
    least = strength("predicted", decision) if decision else 0
    rest = [n for n in by_name if n != decision and not (names_decision(n) and strength("predicted", n) >= least)]
    told = clearest("truth", [name for name in rest if names_truth(name)])
    if len(told) == 1:
        truth, other = by_name[told[0]], by_name.get(decision) if decision else None
        if other is not None and not _share(truth, other):
            raise DoubtfulRolesError(clash((truth.name, truth.labels), (other.name, other.labels)))
        return truth.name, "by its name"
    among = told or [name for name in rest if decision is None or _share(by_name[name], by_name.get(decision))]
    about = [name for name in among if mentions(decision or "", name) or mentions(clues.score_names, name)]
    if len(about) == 1:
        return about[0], f"named in {quoted(decision or clues.score_names)}"
    decided = by_name.get(decision or "")
    alike = [name for name in among if decided is not None and by_name[name].key_set == decided.key_set]
    if len(alike) == 1:
        return alike[0], f"alone holds the labels of {quoted(decision)}"
    if len(among) == 1:
        return among[0], "the only column that can be"
    among = alike or among
    if among:
        msg = f"{listed(among)} may each be the truth. Say which: "
        raise DoubtfulRolesError(msg, either(argument("truth", name) for name in among[:3]), ".")
    beside = f" beside the decision {quoted(decision)}" if decision else ""
    there = f"; the columns are {listed(clues.columns)}" if clues.columns else ""
    msg = f"No column{beside} looks like the truth{there}. Name it with "
    raise DoubtfulRolesError(msg, argument("truth"), ".")


def _share(a: Column, b: Column | None) -> bool:
    """Say whether two columns have a label in common, by its text or, as True and 1, by its value."""
    return b is None or not (a.key_set.isdisjoint(b.key_set) and set(a.labels).isdisjoint(b.labels))


def swapped(decided: Decided, agreement: Mapping[str, float], rows: int, *, named: bool) -> tuple[Finding, ...]:
    """Return that the columns look swapped, where the user `named` them; refuse columns that were only guessed."""
    truth, predicted = decided.truth, decided.predicted  # that of a perfect model follows from its scores as the truth does
    if predicted is None or rows < _FEWEST or agreement.get(predicted, 0.0) > SAME or agreement.get(truth, 0.0) <= SAME:
        return ()
    share = agreement.get(predicted)
    other = f"column {quoted(predicted)} does not" if share is None else f"column {quoted(predicted)} only in {share:.1%}"
    told = f"Column {quoted(truth)} equals what the scores decide in {agreement[truth]:.1%} of rows, {other}"
    said = f"{told}: truth and decision look swapped."
    other_way = together(argument("truth", predicted), argument("predicted", truth))
    if named:
        return (Finding("A109", said, wording("If they are, pass ", other_way, "."), agreement[truth]),)
    kept = together(argument("truth", truth), argument("predicted", predicted))
    msg = f"{said} Pass "
    raise DoubtfulRolesError(msg, other_way, " if they are, or ", kept, " if they are correct as they stand.")


def single_candidates(pool: Sequence[Column], holders: Sequence[Column]) -> list[Column]:
    """Return the columns that may be the one score, by the clarity of their names; a probability goes before its margin."""
    twos = [holder for holder in holders if len(holder.labels) == TWO]

    def rank(column: Column) -> int:
        if not column.continuous:
            return SILENT
        if names_decision(column.name):  # fractions are a score: LightGBM's `prediction`
            return STRONG
        said = strength("score", column.name)
        named = any(class_in_name(column.name, holder.keys) is not None for holder in twos)
        return said if said == STRONG else WEAK if named or (said == WEAK and column.unit) else SILENT

    ranks = {column.name: rank(column) for column in pool}
    best = max(ranks.values(), default=SILENT)
    top = [column for column in pool if ranks[column.name] == best > SILENT]
    for prefer in (lambda c: c.unit, lambda c: not c.raw):
        preferred = [column for column in top if prefer(column)]
        top = preferred if len(preferred) == 1 else top
    return top


def pick_single(candidates: Sequence[Column], predicted: Column | None) -> Column:
    """Return the one score; of several the one that the decision is a threshold of; else refuse."""
    if len(candidates) == 1:
        return candidates[0]
    cut = [column for column in candidates if predicted is not None and separates(column, predicted)]
    if len(cut) == 1:
        return cut[0]
    names = [column.name for column in candidates]
    raise refuse_two_models(names, "scores", sure=all(column.unit for column in candidates) and alike_but_once(names))


def separates(score: Column, labels: Column) -> bool:
    """Say whether the two labels are a threshold of the score, which is not the same in every row."""
    if len(labels.labels) != TWO:
        return False
    codes = labels.codes({key: i for i, key in enumerate(labels.keys)}, fold=False)
    values = np.asarray(score.values, dtype=np.float64)
    low, high = (values[(codes == code) & np.isfinite(values)] for code in (0, 1))
    if not (low.size and high.size):
        return False
    ends = sorted([(low.min(), low.max()), (high.min(), high.max())])
    return bool(ends[0][1] <= ends[1][0] and ends[0][0] < ends[1][1])


def believable(score: Column, predicted: Column | None, classes: Mapping[str, Any]) -> bool:
    """Say whether the values go with the name: `y_score` is believed, `rain_prob` only where the decision follows from it."""
    if predicted is None or strength("score", score.name) == STRONG or separates(score, predicted):
        return True
    if len(predicted.labels) == 1 and class_in_name(score.name, classes) is not None:
        return True  # the probability of a rare class may never reach one half
    return score.unit and bool(score.finite.min() >= 1 / max(TWO, len(predicted.labels)) - _EDGE)


def single_scale(score: Column, truth: Column, predicted: Column | None) -> Scale | None:
    """Return what a single score means, "confidence" where it is never below 1/K though several are decided; None if nothing."""
    known = truth.key_set | (predicted.key_set if predicted is not None else frozenset())
    decided = predicted is not None and len(predicted.labels) > 1
    if decided and score.unit and score.finite.min() >= 1 / max(TWO, len(known)) - _EDGE:
        return "confidence"
    return None if len(known) > TWO else "probabilities" if score.unit else "scores"
