"""Many classifiers or learners: who may be the best, between whom there is no verdict, and how much the winner was lucky.

Verdicts on pairs are adjusted for their number (Holm): where all are equally good, some pair is called better or worse in at
most as many rankings as a single equal pair is in comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._base import Finding, Shown, counted, dataclass, plain, replace
from adjudge._base.arrays import FloatArray
from adjudge._base.progress import stepped
from adjudge.estimates.estimate import Interval
from adjudge.judgements.compared_clusters import ComparedClusters
from adjudge.judgements.comparison import Comparison, more_cases
from adjudge.judgements.decision import false_verdicts
from adjudge.metrics.measure import Measure
from adjudge.stats.difference_tests import best_shares, holm, runs_alike
from adjudge.stats.student import PointDistribution
from adjudge.stats.transforms import Drawn

if TYPE_CHECKING:
    from adjudge.judgements.overlaid import Overlaid
    from adjudge.judgements.side_by_side import SideBySide
    from adjudge.judgements.where_correct import WhereCorrect

_NOTABLE = 0.1  # the share of the margin from which on luck is worth a word


@dataclass(frozen=True, slots=True)
class Ranked(Shown):
    """One candidate: its value, limits that hold for all candidates together, and how probably it is the best."""

    rank: int
    name: str
    value: float
    interval: Interval | None
    p_best: float
    groups: tuple[int, ...]  # the numbers, from 1, of the groups it is in


@dataclass(frozen=True, slots=True)
class Optimism(Shown):
    """How much of the winner's value is luck: the best of many looks better than it is."""

    observed: float
    corrected: float  # the value on cases that had no say in who wins
    candidates: int
    size: float  # how much better the winner looks than it is expected to be, never less than nothing


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ranking(Shown):
    """Candidates from best to worst, every pair compared, with the multiplicity taken care of."""

    measure: str
    rows: tuple[Ranked, ...]
    groups: tuple[tuple[str, ...], ...]  # candidates next to each other of which none is called better or worse than another
    comparisons: dict[tuple[str, str], Comparison]  # every pair, the better one first; verdicts are adjusted for all pairs
    p_values: dict[tuple[str, str], float]  # of no difference within each pair, held together (Holm); no verdict rests on them
    optimism: Optimism
    level: float
    margin: float
    cases: int
    method: str
    higher_is_better: bool = True
    of: Any = None
    findings: tuple[Finding, ...] = ()
    measures: SideBySide | None = None  # all measures of all candidates; None of learners over folds
    where_correct: WhereCorrect | None = None  # which is correct on which cases; None where no decisions were compared
    overlaid: Overlaid | None = None  # the curves of all; None without scores
    clusters: ComparedClusters | None = None  # what clusters do to the differences; None where rows are independent

    @property
    def false_verdicts(self) -> float:
        """How often equals are declared better or worse at this level, at most: some pair of them."""
        return false_verdicts(self.level)

    @property
    def best(self) -> Ranked:
        """The one with the best value."""
        return self.rows[0]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python, ready for JSON."""
        names = ("measure", "rows", "groups", "optimism", "level", "margin", "cases", "method", "of", "findings")
        told = {name: plain(getattr(self, name)) for name in names}
        told |= {name: plain(getattr(self, name)) for name in ("measures", "where_correct")}
        told |= {} if self.clusters is None else {"clusters": self.clusters.to_dict()}
        pairs = []
        for pair, comparison in self.comparisons.items():
            each = comparison.to_dict() | {"p_adjusted": self.p_values[pair]}
            pairs.append({name: value for name, value in each.items() if name not in ("measures", "where_correct")})  # are of all
        return told | {"comparisons": pairs}


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What a ranking is made from, wherever it comes from."""

    names: tuple[str, ...]
    values: FloatArray
    intervals: Sequence[Interval | None]  # at a level that holds for all of them together
    draws: FloatArray  # draws x candidates from the joint posterior of all values
    compare: Callable[[int, int], Comparison]
    corrected: float  # the winner's value on cases that had no say in who wins
    cases: int
    method: str


def rank_candidates(candidates: Candidates, measure: Measure, *, level: float, margin: float, of: Any = None) -> Ranking:
    """Return candidates from best to worst; of equals, the one named first comes first."""
    sign = 1.0 if measure.higher_is_better else -1.0
    order = np.argsort(-sign * candidates.values, kind="stable")
    names = [candidates.names[i] for i in order]
    pairs = list(combinations(range(len(order)), 2))
    compared = {(i, j): candidates.compare(int(order[i]), int(order[j])) for i, j in stepped(pairs)}
    p_values = holm(np.array([two_sided(compared[pair]) for pair in pairs]))
    compared = dict(zip(pairs, adjusted(list(compared.values())), strict=True))
    apart = np.zeros((len(order), len(order)), dtype=bool)
    for (i, j), each in compared.items():
        apart[i, j] = apart[j, i] = each.verdict in ("better", "worse")
    runs, shares = runs_alike(apart), best_shares(sign * candidates.draws)[order]
    places = [tuple(g + 1 for g, (first, last) in enumerate(runs) if first <= at <= last) for at in range(len(order))]
    known = [(float(candidates.values[i]), candidates.intervals[i]) for i in order]
    rows = tuple(Ranked(at + 1, names[at], *known[at], float(shares[at]), places[at]) for at in range(len(order)))
    best = rows[0].value
    lucky = max(0.0, sign * (best - candidates.corrected))  # the chance of splits must not make the winner look unlucky
    optimism = Optimism(best, best - sign * lucky, len(order), lucky)
    findings = []
    if rows[0].p_best < level:
        others = [row.name for row in rows[1:] if row.p_best > 1 - level]
        told = f"{rows[0].name} has the best value, but is the best with a probability of {rows[0].p_best:.2f} only."
        rivals = counted(len(others), "other candidate") if others else "Any of the others"
        advice = f"{rivals} may be as good; more cases or a simpler choice decide."
        findings.append(Finding("A710", told, advice, rows[0].p_best))
    if optimism.size > margin * _NOTABLE:
        told = f"The best of {len(rows)} looks better than it is: {optimism.observed:.4g} observed, {optimism.corrected:.4g} "
        advice = "Report the corrected value, or test the winner on held-out cases."
        findings.append(Finding("A711", f"{told}on held-out cases.", advice, optimism.size))
    findings += of_draws(list(compared.values()))
    groups, by_name = tuple(tuple(names[first : last + 1]) for first, last in runs), [(names[i], names[j]) for i, j in pairs]
    between, held = (dict(zip(by_name, each, strict=True)) for each in (compared.values(), p_values.tolist()))
    how = (optimism, level, margin, candidates.cases, candidates.method, measure.higher_is_better, of, tuple(findings))
    return Ranking(measure.name, rows, groups, between, held, *how)


def adjusted(compared: Sequence[Comparison]) -> list[Comparison]:
    """Return comparisons whose verdicts hold together, by Holm's procedure on the probabilities that they are wrong."""
    doubts, comparisons, m = [], [], len(compared)
    for each in compared:  # the probability that the likeliest of the three is not so; by draws it is not below one of them
        doubt = 1 - max(each.worse, each.same, each.better)
        draws = each.distribution.draws.size if isinstance(each.distribution, Drawn) else None
        doubts.append(max(0.0, doubt) if draws is None else (doubt * draws + 1) / (draws + 1))
    for each, q in zip(compared, holm(np.array(doubts)), strict=True):
        one, more = replace(each, pairs=m, adjusted_doubt=float(q)), each.more_cases if m == 1 else None
        if m > 1 and one.verdict == "undecided" and one.distribution is not None:  # at the level that decides every pair
            how = {"margin": one.margin, "level": 1 - (1 - one.level) / m, "assurance": one.assurance}
            more = more_cases(one.distribution, one.difference, one.cases, **how)
        comparisons.append(replace(one, more_cases=more))
    return comparisons


def of_draws(compared: Sequence[Comparison]) -> Iterator[Finding]:
    """Say where the draws are too few for so many pairs, so that none of them could be decided."""
    drawn = [each.distribution.draws.size for each in compared if isinstance(each.distribution, Drawn)]
    if drawn and len(compared) / (min(drawn) + 1) > 1 - compared[0].level:
        told = f"With {len(compared):,} pairs and {min(drawn):,} draws of each difference, no pair can be decided."
        advice = "Rank fewer candidates, or by a measure that needs no draws, such as the accuracy."
        yield Finding("A716", told, advice, len(compared))


def two_sided(compared: Comparison) -> float:
    """Return the p-value of no difference: the method's own, or twice the smaller tail of the posterior."""
    if compared.p_value is not None and not np.isnan(compared.p_value):
        return compared.p_value
    if compared.distribution is None or isinstance(compared.distribution, PointDistribution):
        return float(compared.difference == 0)
    if isinstance(compared.distribution, Drawn):  # ties count on either side, and nothing is rarer than one of the draws
        draws = compared.distribution.draws
        tails = [(np.count_nonzero(side) + 1) / (draws.size + 1) for side in (draws <= 0, draws >= 0)]
        return float(min(1.0, 2 * min(tails)))
    return min(1.0, 2 * min(float(compared.distribution.cdf(0.0)), float(compared.distribution.sf(0.0))))
