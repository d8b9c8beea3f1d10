"""Two sets of predictions, or two learners: worse, practically the same, or better."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, parameter, switch, wording
from adjudge._base.arrays import FloatArray, generator
from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.levels import checked_level
from adjudge._base.text import safe
from adjudge.counts.confusion import ConfusionCounts, same_classes
from adjudge.counts.counting import count_numbers, tally
from adjudge.counts.joint import JointCounts, count_joint
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.paired import PairCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.differences import Difference, independent_difference, paired_difference
from adjudge.estimates.score_differences import MEANS, independent_scores, score_difference
from adjudge.judgements.comparison import Comparison, judge_difference, of_independent, of_pair, of_rare
from adjudge.judgements.decision import ASSURANCE, LEVEL, MARGIN, checked_assurance, known_error, verdict_error
from adjudge.judgements.resampled import Resampled
from adjudge.judgements.same_folds import METHODS, compare_folds, same_folds
from adjudge.judgements.textbook import mcnemar
from adjudge.metrics.catalogue import find as measure_named
from adjudge.metrics.measure import ClassMeasure, Measure, OtherMeasure
from adjudge.predictions.alignment import Together, shared_cases
from adjudge.predictions.blocks import REJECTED
from adjudge.predictions.in_memory import are_numbers
from adjudge.predictions.spellings import means_positive, position
from adjudge.verbs.compared_sets import distinct, measure_of, prepared, read_set, refuse_learners, spoken_of
from adjudge.verbs.count_pairs import are_counted, from_counts
from adjudge.verbs.estimate import estimate

_BY_RIGHT = ("accuracy", "error", "balanced_accuracy", "informedness")
"""Measures that differ only where one of two is right and the other is not."""
_OF_ALL = ("accuracy", "error", "rejection_rate", *MEANS)
"""Measures in which every case has the same say, of whichever class it is."""


def compare(
    a: Any,
    b: Any = None,
    *,
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
) -> Comparison:
    """Judge whether a is better than b.

    Parameters
    ----------
    a, b : path, dataframe, mapping of arrays, Predictions, ConfusionCounts, or Resampled
        Two sets of predictions; or two learners' :func:`adjudge.estimate` by the same plan. Or, as `a` alone, the counts of
        both (:func:`adjudge.count_pairs`) or the path of a file of them.
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
    for each in (a, b):
        refuse_learners(each)
    if isinstance(a, Resampled) or isinstance(b, Resampled):
        _refuse_further(roles | ({} if paired is None else {"paired": paired}) | ({"by_position": True} if by_position else {}))
        return _resampled(a, b, measure, how, method=method, names=names)
    if method is not None:
        msg = f"method={method!r} compares learners over folds; predictions are compared in the way that fits the measure."
        raise InputError(msg)
    if are_counted(a, b):
        settled = {"paired": paired, "by_position": by_position, **roles}
        return _counted(b, from_counts(a, measure, names=names, **settled), rng, how)
    if b is None:
        msg = "compare takes two sets of predictions, a and b; or the counts of both, made by count_pairs(a, b)."
        raise InputError(msg)
    if isinstance(a, ConfusionCounts) or isinstance(b, ConfusionCounts):
        return _tables(a, b, measure, paired, names, rng, roles, how)
    if paired is False:
        return _independent(a, b, measure, names, rng, roles, how)
    cases, wanted = prepared([a, b], names, measure, by_position=by_position, roles=roles)
    return judge_pair(cases, wanted, 0, 1, joint=joint_of(cases, wanted), rng=rng, **how)


def _counted(b: Any, found: tuple[PairCounts, Measure], rng: Any, how: dict[str, Any]) -> Comparison:
    """Compare two classifiers from the counts of what both said."""
    pairs, wanted = found
    if b is not None:
        msg = "Counts of pairs hold both sets: give them alone. To add several up, write one + other, or load_counts(*paths)."
        raise InputError(msg)
    if len(pairs.names) > 2:  # noqa: PLR2004 - a pair
        msg = f"The counts are of {len(pairs.names)} sets; rank(counts) ranks them."
        raise InputError(msg)
    return judge_pair(pairs, wanted, 0, 1, joint=pairs.joint, rng=rng, **how)


def _refuse_further(given: dict[str, Any]) -> None:
    """Refuse what says how files are read, where none is."""
    if given:
        msg = f"{', '.join(f'{name}=' for name in given)} says how predictions are read; here none are read. Leave it out."
        raise InputError(msg)


def joint_of(cases: Together | PairCounts, measure: Measure) -> JointCounts | None:
    """Return the table of patterns of truth and decisions; numbers have none."""
    if isinstance(cases, PairCounts):
        return cases.joint
    undecided = any(bool(np.all(said == REJECTED)) for said in cases.said) and not cases.rejects
    return count_joint(cases) if measure.needs != "numbers" and not undecided else None


def judge_pair(
    cases: Together | PairCounts,
    measure: Measure,
    i: int,
    j: int,
    *,
    joint: JointCounts | None,
    margin: Any,
    level: float,
    assurance: float = ASSURANCE,
    draws: FloatArray | None = None,
    rng: Any = 0,
) -> Comparison:
    """Return the verdict on two of several sets of predictions of the same cases; `draws` of all of them, if they are known."""
    found = _difference(cases, measure, i, j, joint, draws, rng)
    outcomes = None if joint is None else joint.outcomes(i, j).sum(axis=0)
    found = replace(found, outcomes=outcomes)
    tested, by_right = None, measure.name in _BY_RIGHT and not (measure.name == "error" and cases.rejects)
    single = joint is not None and joint.squares is None and cases.rows == cases.cases
    if by_right and measure.name in ("accuracy", "error") and single and outcomes is not None:
        tested = mcnemar(round(float(outcomes[1])), round(float(outcomes[2]))).p_mid
    findings = [*of_pair(cases, i, j, outcomes if by_right else None), *_of_rare(cases, joint, measure)]
    judged = judge_difference(
        found,
        measure,
        names=(cases.names[i], cases.names[j]),
        cases=cases.cases,
        margin=margin,
        level=level,
        assurance=assurance,
        of=spoken_of(cases, measure),
        p_value=tested,
        findings=tuple(findings),
    )
    known = single and _as_measured(cases, measure) and (judged.margin, judged.level) == (MARGIN, LEVEL)
    return replace(judged, type_i_error=verdict_error(measure.name)) if known else judged


def _of_rare(cases: Together | PairCounts, joint: JointCounts | None, measure: Measure) -> Iterator[Finding]:
    """Yield that a class has few cases, for measures that hang on every class."""
    if measure.name in _OF_ALL or measure.needs == "numbers":
        return
    if joint is None and isinstance(cases, Together):
        yield from of_rare(np.bincount(cases.truth, minlength=len(cases.classes)).astype(np.float64), cases.classes)
    if joint is not None:
        support = np.bincount(joint.truth, weights=joint.worth, minlength=joint.k).astype(np.float64)
        yield from of_rare(support, joint.classes)


def _as_measured(cases: Together | PairCounts, measure: Measure) -> bool:
    """Say whether these are predictions of the kind that `verdict_error` was measured on."""
    one = measure.name in ("f1", "precision")
    return len(cases.classes) == 2 and not (one and cases.positive is None)  # noqa: PLR2004 - two classes


def _difference(
    cases: Together | PairCounts,
    measure: Measure,
    i: int,
    j: int,
    joint: JointCounts | None,
    draws: FloatArray | None,
    rng: Any,
) -> Difference:
    if isinstance(measure, OtherMeasure):
        assert isinstance(cases, Together)  # counts of pairs have no scores, and were refused
        return score_difference(cases, measure, i, j, rng=rng)
    assert joint is not None
    return paired_difference(joint, measure, i, j, positive=cases.positive, draws=draws, rng=rng)


# -- different cases -----------------------------------------------------------------------------------------


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


def _independent(a: Any, b: Any, measure: str | None, names: Any, rng: Any, roles: Any, how: Any) -> Comparison:
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


# -- learners ------------------------------------------------------------------------------------------------


def compare_learners(
    a: Any,
    b: Any,
    X: Any,
    y: Any,
    *,
    by: Any = "10x10-fold",
    measure: str | None = None,
    method: str | None = None,
    margin: float | None = None,
    level: float = LEVEL,
    assurance: float = ASSURANCE,
    names: Sequence[str] | None = None,
    random_state: Any = 0,
    **running: Any,
) -> Comparison:
    """Judge whether learner a is better than learner b, over the same plan.

    Parameters
    ----------
    a, b : classifiers or regressors
        Anything with fit(X, y) and predict(X).
    X, y : table and target
        One row and one value per case.
    by : str, int, splitter, pairs of rows, or Plan
        Where the test cases come from; see :func:`adjudge.plan`. Ten times ten folds unless another plan is given.
    measure, margin, level, assurance, names
        As for :func:`adjudge.compare`.
    method : str, optional
        "correlated-t": the Bayesian correlated t, the default over folds; "nadeau-bengio": the same with its p-value; "paired-t";
        "5x2cv-t" and "5x2cv-f" (by="5x2-fold"); "mcnemar" and "mcnemar-mid" (by="holdout", its default). Tests
        known to find differences where there are none are refused.
    random_state : int, Generator or RandomState
        What to draw the plan and the seeds of the learners with.
    **running
        `groups`, `n_jobs`, `executor`, `timeout`, `isolate`, `progress`, as for :func:`adjudge.estimate`.
    """
    if method is not None:
        _check_method(method)
    told = distinct([learner_name(a), learner_name(b)], names, "learners")
    how: dict[str, Any] = {"margin": margin, "level": checked_level(level), "assurance": checked_assurance(assurance)}
    found = tried([a, b], X, y, by, measure, random_state, level, running)
    return _resampled(found[0], found[1], measure, how, method=method, names=told)


def learner_name(learner: Any) -> str:
    """Return what to call a learner."""
    return type(learner).__name__


def tried(
    learners: Sequence[Any],
    X: Any,
    y: Any,
    by: Any,
    measure: str | None,
    random_state: Any,
    level: float,
    running: dict[str, Any],
) -> list[Resampled]:
    """Try learners by one plan."""
    if running.get("checkpoint") is not None:
        msg = "A checkpoint keeps the fits of one learner. Estimate each with its own checkpoint and compare(found_a, found_b)."
        raise InputError(msg)
    numeric = measure is not None and measure_named(measure).needs == "numbers"
    wanted: dict[str, Any] = {} if measure is None or numeric else {"measures": (measure,)}
    found: list[Resampled] = []
    for learner in learners:
        plan = found[0].plan if found else by
        found.append(estimate(learner, X, y, by=plan, random_state=random_state, level=level, **wanted, **running))
    return found


def _check_method(method: str) -> None:
    if method not in METHODS:
        msg = wording(parameter("method"), f" must be one of {', '.join(METHODS)}; got {method!r}.")
        raise InputError(msg)


def _resampled(a: Any, b: Any, measure: str | None, how: dict[str, Any], *, method: str | None, names: Any) -> Comparison:
    """Compare two learners from their runs."""
    if not (isinstance(a, Resampled) and isinstance(b, Resampled)):
        other = b if isinstance(a, Resampled) else a
        msg = f"One is a learner's estimate and the other {type(other).__name__}; compare two estimates by the same plan."
        raise InputError(msg)
    told = distinct([a.learner.partition("(")[0], b.learner.partition("(")[0]], names, "learners")
    wanted = measure_of(measure, numeric=a.ran.numeric)
    once = a.plan.kind in ("holdout", "leave-one-out")
    if method is None:
        method = "mcnemar-mid" if once and wanted.name in ("accuracy", "error") else "cases" if once else "correlated-t"
    else:
        _check_method(method)
        if once and not method.startswith("mcnemar"):
            msg = wording(
                f"{method} compares folds with each other, and {a.plan.name} has none to compare. Use ",
                argument("by", "10x10-fold"),
                ".",
            )
            raise InputError(msg)
    if method == "cases" or method.startswith("mcnemar"):
        return _on_cases(a, b, wanted, told, how, method=method)
    return compare_folds(same_folds([a, b], told, wanted), wanted, method=method, **how)


def _on_cases(a: Resampled, b: Resampled, measure: Measure, names: Any, how: dict[str, Any], *, method: str) -> Comparison:
    """Compare case by case, where each case was judged once."""
    if a.plan.fingerprint != b.plan.fingerprint:
        same_folds([a, b], names, measure)  # says that the plans differ
    if method.startswith("mcnemar") and (measure.name not in ("accuracy", "error") or a.ran.cases < a.ran.times.sum()):
        told = "McNemar's test counts right and wrong on cases judged once"
        msg = wording(f"{told}: take the accuracy, ", argument("by", "holdout"), " or by folds without repeats.")
        raise InputError(msg)
    cases, wanted = prepared([a.predictions, b.predictions], names, measure.name, by_position=False, roles={})
    found = judge_pair(cases, wanted, 0, 1, joint=joint_of(cases, wanted), **how)
    if not method.startswith("mcnemar") or found.outcomes is None:
        return found
    tested = mcnemar(round(found.outcomes[1]), round(found.outcomes[2]))
    mid = method == "mcnemar-mid"
    rate = known_error("mcnemar_mid" if mid else "mcnemar_exact", a.plan.kind)
    told = f"{tested.method}; probabilities by the {found.method}"
    return replace(found, p_value=tested.p_mid if mid else tested.p_exact, type_i_error=rate, method=told)
