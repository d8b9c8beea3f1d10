"""What one pass over predictions counts: every table the verdict needs, folds and groups apart; and tallies added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from adjudge._base import InputError, argument, dataclass, field, listed, quoted, replace
from adjudge.counts.clusters import ClusterCounts, clusters_together
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts, recast
from adjudge.counts.probabilities import SUMS, ProbabilityCounts
from adjudge.counts.runs import RunCounts, runs_together
from adjudge.counts.sampling import SampledCases, picked, quotas, regrouped
from adjudge.counts.scores import ScoreCounts, as_tables, fine_enough
from adjudge.counts.suspected import ByValue
from adjudge.predictions.labels import ordered, parse
from adjudge.predictions.roles import Scale
from adjudge.predictions.spellings import means_positive, named_positives
from adjudge.stats.ranking import EXACT_BITS, coarsen_classes, merge

MOST_PARTS = 10_000  # folds or groups counted apart
_TWO = 2
_BY_COLUMN = ("class_sums", "bin_sums", "class_impossible")  # what sums of probabilities hold a row of for each column of scores
_MANY = 10**9  # cases from which on numpy draws none without return


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What was counted: small tables, whatever the number of rows."""

    confusion: ConfusionCounts
    rows: int
    scale: Scale | None = None
    scores: ScoreCounts | None = None
    probabilities: ProbabilityCounts | None = None
    by_fold: dict[Any, ConfusionCounts] = field(default_factory=dict)
    by_group: dict[Any, ConfusionCounts] = field(default_factory=dict)
    positive: int | None = None  # the class looked for, where the user named it or its label says so
    families: tuple[str, ...] = ()  # the types of the truth and the decision, where they differ
    gaps: dict[str, int] = field(default_factory=dict)  # missing values by column, for what was dropped or filled
    dropped: int = 0
    weight_spread: float = 1.0
    unchecked_rows: bool = False
    left_out: str | None = None  # a column of confidences among more than two classes, which speaks of none of them
    undecided: bool = False  # whether there are no decisions: scores that are no probabilities decide by themselves nothing
    put_together: int = 0  # the rows that stand for all the cases, where a column counts these
    replaced: int | None = None  # the cases that a threshold decides otherwise than the file does; None where it replaces nothing
    runs: RunCounts | None = None  # the answers of each case and of each run, where cases have several
    suspected: tuple[ByValue, ...] = ()  # columns that may be clusters, where they were looked for; those of parts do not add up

    @property
    def of_interest(self) -> int | None:
        """The class that AUC, average precision and thresholds speak of: the positive one; else of two the rarer."""
        if self.positive is not None or self.confusion.k != _TWO:
            return self.positive
        return rarest(self.confusion.support.tolist())


def rarest(cases: Sequence[float]) -> int:
    """Return which class has fewest cases; of equal ones the last."""
    return len(cases) - 1 - int(np.argmin(cases[::-1]))


def in_order(codes: Iterable[int], labels: Sequence[Any]) -> list[int]:
    """Sort parts by what their labels mean: '2' before '10', numbers before text."""

    def key(code: int) -> tuple[bool, Any]:
        label = parse(labels[code]) if isinstance(labels[code], str) else labels[code]
        return (not isinstance(label, (int, float)), label if isinstance(label, (int, float)) else str(label))

    return sorted(codes, key=key)


# -- parts of the cases, added up ------------------------------------------------------------------------------


def merged(parts: Sequence[Tally]) -> Tally:
    """Return the tally of all cases together, scores as tables: what one pass over all gives, to the last bit."""
    if len(parts) == 1:
        return parts[0]
    _refuse_mixtures(parts)
    first = parts[0]
    classes = all_classes([part.confusion.classes for part in parts])
    rejects = any(part.confusion.has_rejected for part in parts)
    groups = _by_part([part.by_group for part in parts], classes, rejects=rejects)
    own = [_recast(part, classes, tuple(groups)) for part in parts]
    confusion = _total([part.confusion for part in parts], classes, rejects=rejects)
    confusion = replace(confusion, clusters=_clusters([part.confusion for part in parts], classes))
    gaps: Counter[str] = Counter()
    for part in parts:
        gaps.update(part.gaps)
    return Tally(
        confusion,
        sum(part.rows for part in parts),
        first.scale,
        _scores([part.scores for part in own if part.scores is not None]),
        _probabilities(own),
        _by_part([part.by_fold for part in parts], classes, rejects=rejects),
        groups,
        same_positive([(part.confusion.classes, part.positive) for part in parts], classes),
        tuple(dict.fromkeys(family for part in parts for family in part.families)),
        dict(gaps),
        sum(part.dropped for part in parts),
        max(part.weight_spread for part in parts),
        any(part.unchecked_rows for part in parts),
        next((part.left_out for part in parts if part.left_out is not None), None),
        first.undecided,
        sum(part.put_together for part in parts),
        sum(part.replaced or 0 for part in parts) if any(part.replaced is not None for part in parts) else None,
        _runs(parts, classes),
    )


def _refuse_mixtures(parts: Sequence[Tally]) -> None:
    first = parts[0]
    for other in parts[1:]:
        if (other.confusion.clusters is None) != (first.confusion.clusters is None):
            told = "One part names clusters, another none; their counts do not add up. Count all parts with "
            raise InputError(told, argument("cluster"), ", or all without.")
        if isinstance(other.confusion, WeightedCounts) != isinstance(first.confusion, WeightedCounts):
            msg = "Weighted and unweighted counts do not add up; weight all parts or none."
            raise InputError(msg)
        if other.undecided != first.undecided:
            msg = "One part has decisions, another none; their counts do not add up. Pass "
            raise InputError(msg, argument("threshold"), " or ", argument("predicted"), " for all.")
        if other.scale != first.scale:
            a, b = (part.scale or "no scores" for part in (first, other))
            msg = f"One part has {a}, another {b}; their counts do not add up. Count all parts with the same columns."
            raise InputError(msg)
        mine, theirs = (set(_scored(part)) for part in (first, other))
        if mine != theirs:
            msg = f"One part has scores of {listed(ordered(mine))}, another of {listed(ordered(theirs))}; "
            raise InputError(msg, "their counts do not add up. Count all parts with the same columns.")


def _scored(part: Tally) -> list[Any]:
    """Return the class that each column of scores speaks of."""
    return [] if part.scores is None else [part.confusion.classes[at] for at in part.scores.columns]


def all_classes(each: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """Return the classes of all parts: in the order of the first where it has them all, else sorted."""
    first, every = tuple(each[0]), dict.fromkeys(label for classes in each for label in classes)
    return first if len(every) == len(first) else tuple(ordered(every))


def same_positive(each: Sequence[tuple[Sequence[Any], int | None]], classes: tuple[Any, ...]) -> int | None:
    """Return the place of the class that parts look for, `each` given as classes and the place of one; refuse different ones."""
    looked_for = named_positives(each, classes)
    if len(looked_for) > 1:
        msg = f"Parts look for different classes: {listed(ordered(looked_for))}. Count them with the same positive class."
        raise InputError(msg)
    label = looked_for[0] if looked_for else means_positive(classes)
    return None if label is None else classes.index(label)


def _total(tables: Sequence[ConfusionCounts], classes: tuple[Any, ...], *, rejects: bool) -> ConfusionCounts:
    return reduce(lambda a, b: a + b, (recast(table, classes, rejects=rejects) for table in tables))


def _clusters(tables: Sequence[ConfusionCounts], classes: tuple[Any, ...]) -> ClusterCounts | None:
    """Return the clusters of all parts, where each has some."""
    each = []
    for table in tables:
        if table.clusters is None:
            return None
        each.append(table.clusters.moved(np.array([classes.index(label) for label in table.classes])))
    return clusters_together(each)


def _runs(parts: Sequence[Tally], classes: tuple[Any, ...]) -> RunCounts | None:
    """Return the runs of all parts, where each has some."""
    each = []
    for part in parts:
        if part.runs is None:
            return None
        each.append(part.runs.moved(np.array([classes.index(label) for label in part.confusion.classes])))
    return runs_together(each)


def _by_part(parts: Sequence[Mapping[Any, ConfusionCounts]], classes: tuple[Any, ...], *, rejects: bool) -> dict[Any, Any]:
    """Return the table of every fold or group; one that several parts have is one."""
    labels = ordered(dict.fromkeys(label for tables in parts for label in tables))
    each = {label: [tables[label] for tables in parts if label in tables] for label in labels}
    total = {label: _total(tables, classes, rejects=rejects) for label, tables in each.items()}
    return {label: replace(table, clusters=_clusters(each[label], classes)) for label, table in total.items()}


def _recast(part: Tally, classes: tuple[Any, ...], groups: tuple[Any, ...]) -> Tally:
    """Return a tally whose columns of scores follow the classes of all parts, whose cases follow the groups, scores as tables."""
    if part.scores is None:
        return part
    places = [classes.index(label) for label in _scored(part)]
    order = np.argsort(places, kind="stable")
    if len(places) == 1 and len(classes) > 2:  # noqa: PLR2004 - one score speaks of two classes
        msg = f"One score column speaks of two classes, but together the parts have {len(classes)}: {listed(classes)}."
        raise InputError(msg)
    place = np.array([classes.index(label) for label in part.confusion.classes])
    scores, k = as_tables(part.scores), len(classes)
    some = scores.drawn
    if some is not None:
        own = np.array([groups.index(label) for label in part.by_group])
        some = replace(some.moved(place, k), scores=some.scores[:, order], group=regrouped(own, some.group))
    tables = tuple(scores.tables[i] for i in order)
    if (np.diff(order) < 0).any():
        tables = tuple(coarsen_classes(table, EXACT_BITS, np.append(np.argsort(order), order.size)) for table in tables)
    scores = replace(scores, tables=tables, drawn=some, exact=(), columns=tuple(sorted(places)), k=k)
    sums = part.probabilities
    if sums is not None and len(sums.bin_sums) == len(order):  # sums of one column and its rest stay
        sums = replace(sums, **{name: getattr(sums, name)[order] for name in _BY_COLUMN}, _read={})
    return replace(part, scores=scores, probabilities=sums)


def _scores(each: Sequence[ScoreCounts]) -> ScoreCounts | None:
    if not each:
        return None
    width = len(each[0].columns)
    by_column = zip(*(scores.tables for scores in each), strict=True)
    tables = tuple(fine_enough(reduce(merge, column), width) for column in by_column)
    return replace(each[0], tables=tables, drawn=_drawn(each), exact=())  # areas of parts do not add up


def _drawn(each: Sequence[ScoreCounts]) -> SampledCases | None:
    """Return cases drawn from all parts as if they had been one, where every part kept some that count alike.

    How many of a class come from each part is drawn; which of a part is drawn already.
    """
    kept = [scores.drawn for scores in each if scores.drawn is not None]
    weighted = any(scores.tables[0].positives.dtype.kind == "f" for scores in each)
    if len(kept) < len(each) or weighted:
        return None
    sizes = np.stack([cases.sizes for cases in kept])
    source = np.random.default_rng(sizes.ravel())
    wanted = []
    for own, most in zip(sizes.T, quotas(sizes.sum(axis=0)), strict=True):
        if own.sum() <= most:
            wanted.append(own)
        elif own.sum() < _MANY:
            wanted.append(np.asarray(source.multivariate_hypergeometric(own, most, method="marginals")))
        else:  # of so many, drawing with return is the same
            wanted.append(np.minimum(source.multinomial(most, own / own.sum()), own))
    parts = zip(kept, np.stack(wanted, axis=1), strict=True)
    return reduce(SampledCases.joined, (picked(cases, most) for cases, most in parts))


def _probabilities(own: Sequence[Tally]) -> ProbabilityCounts | None:
    each = [part.probabilities for part in own if part.probabilities is not None]
    return added_up(each) if len(each) == len(own) else None


def added_up(each: Sequence[ProbabilityCounts]) -> ProbabilityCounts:
    """Return the sums over all cases from those over parts."""
    total: dict[str, Any] = {}
    for name in SUMS:
        values = [getattr(sums, name) for sums in each]
        shapes = {np.shape(value) for value in values}
        if len(shapes) > 1:
            msg = f"Sums of probabilities ({quoted(name)}) of the parts have different shapes: {listed(sorted(shapes))}."
            raise InputError(msg)
        total[name] = reduce(lambda a, b: a + b, values)
    return ProbabilityCounts(each[0].bits, **total)
