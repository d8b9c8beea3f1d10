"""Sets of predictions: worse, practically the same, or better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from adjudge._base.arguments import argument, switch, wording
from adjudge._base.arrays import generator
from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge._base.text import safe
from adjudge.counts.confusion import ConfusionCounts, same_classes
from adjudge.counts.counting import count_numbers, tally
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.differences import Difference, independent_difference
from adjudge.estimates.score_differences import independent_scores
from adjudge.judgements.comparison import Comparison, judge_difference, of_independent
from adjudge.judgements.decision import ASSURANCE, LEVEL, checked_assurance
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.resampled import Resampled
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure
from adjudge.predictions.alignment import shared_cases
from adjudge.predictions.in_memory import are_numbers
from adjudge.predictions.spellings import means_positive, position
from adjudge.verbs.compare_learners import compare_runs
from adjudge.verbs.compared_sets import distinct, measure_of, prepared, read_set, refuse_learners
from adjudge.verbs.count import counts_in
from adjudge.verbs.count_pairs import from_counts
from adjudge.verbs.pairs import joint_of, judge_pair
from adjudge.verbs.rank import rank, rank_sets

_TWO = 2


@overload
def compare(a: Any, b: Any = None, **asked: Any) -> Comparison: ...
@overload
def compare(a: Any, b: Any, c: Any, /, *more: Any, **asked: Any) -> Ranking: ...
def compare(
    a: Any,
    b: Any = None,
    *more: Any,
    measure: str | None = None,
    margin: float | None = None,
    level: float = LEVEL,
    assurance: float = ASSURANCE,
    paired: bool | None = None,
    by_position: bool = False,
    method: str | None = None,
    names: Sequence[str] | None = None,
    rng: Any = 0,
    **roles: Any,
) -> Comparison | Ranking:
    """Judge whether a is better than b; or rank three and more, as :func:`adjudge.rank` does.

    Parameters
    ----------
    a, b, *more : path, dataframe, mapping of arrays, Predictions, ConfusionCounts, or Resampled
        Sets of predictions of the same cases; or two learners' :func:`adjudge.estimate` by the same plan. Or the counts of all
        sets (:func:`adjudge.count_pairs`) or files of them, which are added up.
    measure : str, optional
        Any of :func:`adjudge.measures`; the accuracy, or the mean absolute error of numbers, if left out.
    margin : float, optional
        The equivalence margin, the largest difference that does not matter: 0.01, or 1% of b's value for errors of numbers, if
        left out.
    level : float
        How probable a verdict must be, and how often the interval shall hold the difference. Of equally good pairs up to
        2 (1 - level) are called better or worse.
    assurance : float
        How often the `more_cases` of an undecided comparison decide, if the difference is what it looks like.
    paired : bool, optional
        Whether both judged the same cases, as is taken for granted. False compares independent samples, and is refused
        where the cases turn out to be the same.
    by_position : bool
        Whether row i is the same case in both, where no column identifies the cases.
    method : str, optional
        For two learners' estimates, as for :func:`adjudge.compare_learners`.
    names : sequence of two str, optional
        What to call them; the names of the files if left out.
    rng : seed
        For measures whose posterior is drawn.
    **roles
        The roles of columns and the ways to read them, for both; see :func:`adjudge.read`.
    """
    how: dict[str, Any] = {"margin": margin, "level": checked_level(level), "assurance": checked_assurance(assurance)}
    generator(rng)  # refuses what is no seed
    sources = [each for each in (a, b, *more) if each is not None]
    for each in sources:
        refuse_learners(each)
    counts = counts_in(*sources)
    if counts is not None:
        pairs, wanted = from_counts(counts, measure, names=names, paired=paired, by_position=by_position, roles=roles)
        if len(pairs.names) > _TWO:
            return rank_sets(pairs, wanted, rng=rng, **how)
        return judge_pair(pairs, wanted, 0, 1, joint=pairs.joint, rng=rng, **how)
    if len(sources) < _TWO:
        msg = "compare takes two sets of predictions or more, or the counts of all; evaluate and report judge one."
        raise InputError(msg)
    if len(sources) > _TWO:
        if paired is False or method is not None:
            told = switch("paired", on=False) if paired is False else argument("method", method)
            raise InputError(told, f" compares two sets of predictions; {len(sources)} were given.")
        return rank(sources, measure=measure, by_position=by_position, names=names, rng=rng, **how, **roles)
    if isinstance(a, Resampled) or isinstance(b, Resampled):
        _refuse_further(roles | ({} if paired is None else {"paired": paired}) | ({"by_position": True} if by_position else {}))
        return compare_runs(a, b, measure, how, method=method, names=names)
    if method is not None:
        msg = f"method={method!r} compares learners over folds; predictions are compared in the way that fits the measure."
        raise InputError(msg)
    tables = isinstance(a, ConfusionCounts) or isinstance(b, ConfusionCounts)
    if tables or paired is False:
        return (_tables if tables else _independent)(a, b, measure, paired, names, rng, roles, how)
    cases, wanted = prepared([a, b], names, measure, by_position=by_position, roles=roles)
    return judge_pair(cases, wanted, 0, 1, joint=joint_of(cases, wanted), rng=rng, **how)


def _refuse_further(given: dict[str, Any]) -> None:
    """Refuse what says how files are read, where none is."""
    if given:
        msg = f"{', '.join(f'{name}=' for name in given)} says how predictions are read; here none are read. Leave it out."
        raise InputError(msg)


def _tables(a: Any, b: Any, measure: str | None, paired: Any, names: Any, rng: Any, roles: Any, how: Any) -> Comparison:
    """Compare two confusion tables, which do not say which cases they share."""
    if not (isinstance(a, ConfusionCounts) and isinstance(b, ConfusionCounts)) or paired is not False:
        msg = (
            "A confusion table does not say which cases it counts, so that two of them cannot be paired. Compare the predictions "
            "themselves; or pass paired=False where the two tables count different cases."
        )
        raise InputError(msg)
    _refuse_further({name: value for name, value in roles.items() if name != "positive"})
    wanted = measure_of(measure, numeric=False)
    if isinstance(wanted, OtherMeasure):
        msg = f"{wanted.name} needs {wanted.needs}, which a confusion table does not hold; pass the predictions."
        raise InputError(msg)
    if not set(a.classes) & set(b.classes):
        msg = "The two tables have no class in common; compare classifiers of the same classes."
        raise InputError(msg)
    both = same_classes(a, b)
    positive = _positive(both[0], roles.get("positive"))
    found = independent_difference(*both, wanted, positive=positive, rng=rng)
    return _judged(found, wanted, distinct(["arrays", "arrays"], names, "tables"), (a.n, b.n), both[0], positive, how)


def _positive(counts: ConfusionCounts, wanted: Any) -> int | None:
    known = [label for label in (wanted, counts.positive, means_positive(counts.classes)) if label is not None]
    return position(counts.classes, known[0]) if known else None


def _independent(a: Any, b: Any, measure: str | None, _paired: Any, names: Any, rng: Any, roles: Any, how: Any) -> Comparison:
    both = [read_set(source, roles) for source in (a, b)]
    told = distinct([each.source.name for each in both], names, "sets")
    if are_numbers(both[0]) != are_numbers(both[1]):
        msg = f"Of {safe(told[0])} and {safe(told[1])} one predicts numbers and the other classes; compare the same kind."
        raise InputError(msg)
    wanted = measure_of(measure, numeric=are_numbers(both[0]))
    shared = shared_cases(both, told)
    if shared:
        msg = wording(
            (
                f"{safe(told[0])} and {safe(told[1])} judge {shared:,} of the same cases and are not independent: an "
                "unpaired answer would waste what the pairs say. Leave "
            ),
            switch("paired", on=False),
            " out.",
        )
        raise InputError(msg)
    if isinstance(wanted, OtherMeasure):
        ranking = wanted.needs == "scores"  # which decides nothing
        counted: list[Tally | NumberCounts] = [
            count_numbers(p) if wanted.needs == "numbers" else tally(p, ranking=ranking) for p in both
        ]
        found = independent_scores(counted[0], counted[1], wanted)
        sizes = tuple(c.n if isinstance(c, NumberCounts) else c.rows for c in counted)
        return _judged(found, wanted, told, sizes, None, None, how)
    tallies = [tally(p) for p in both]
    tables = same_classes(tallies[0].confusion, tallies[1].confusion)
    positive = _positive(tables[0], roles.get("positive"))
    found = independent_difference(*tables, wanted, positive=positive, rng=rng)
    return _judged(found, wanted, told, (tallies[0].rows, tallies[1].rows), tables[0], positive, how)


def _judged(
    found: Difference, wanted: Measure, names: Any, sizes: Any, counts: Any, positive: int | None, how: Any
) -> Comparison:
    of = counts.classes[positive] if isinstance(wanted, ClassMeasure) and positive is not None else None
    doubts = tuple(of_independent(names, sizes))
    return judge_difference(
        found, wanted, names=tuple(names), cases=round(sum(sizes)), paired=False, of=of, findings=doubts, **how
    )
