"""Predictions in an engine, summed over where they live: each pass is a query or a few, answered by a handful of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations_with_replacement, islice
from operator import add
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray
from adjudge.counts.cells import Cells, packed_cells
from adjudge.counts.moments import Densities, Held, Moments, Ruling
from adjudge.counts.passes import check_classes, check_probabilities, columns_of, no_scores, refuse_undecided
from adjudge.counts.reduced import Reduced
from adjudge.counts.spread_scores import score_table
from adjudge.predictions.engines import arrays, collect
from adjudge.predictions.expressions import any_of, by_code, code_of, largest
from adjudge.predictions.model import Predictions
from adjudge.predictions.streams import joined
from adjudge.stats.multiplier_rule import Outcome, Rescaling
from adjudge.stats.ranking import ScoreTable
from adjudge.stats.rejection import cost_rounding

_AT_ONCE = 200  # sums asked for in one query
_ONE = nw.lit(1.0)


class FramePasses:
    """Predictions whose rows stay in their engine; `p0`, `p1`, ... and `truth` are in class order."""

    def __init__(self, predictions: Predictions) -> None:
        self.reduced = Reduced(predictions)
        self.encoder = self.reduced.encoder
        check_probabilities(self.encoder)
        assert self.reduced.occurring is not None  # the labels, from which the order of the classes follows
        self.reduced.check_identities()
        single = self.encoder.scores.form == "single"
        if not single:
            check_classes(self.reduced.width, self.encoder)
        self.order = columns_of(self.encoder)
        self.k = len(self.order)
        self.p = [f"p{i}" for i in range(self.k)]
        self._moments: Moments | None = None

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes in the order to show them."""
        return self.encoder.classes

    @property
    def weighted(self) -> bool:
        """Whether cases have weights."""
        return self.reduced.roles.weight is not None

    @property
    def positive(self) -> int | None:
        """The place of the class looked for, where it was named or its label says so."""
        return self.encoder.positive(self.classes)

    @property
    def frame(self) -> nw.LazyFrame[Any]:
        """The cases of some weight, in class order."""
        code, others = nw.col("truth"), [f"p{code}" for code in self.order]
        place = code_of("truth", {place: [code] for place, code in enumerate(self.order)})
        if self.encoder.scores.form == "single":  # the other class has a number above that of the scored one
            place = nw.when(code > 0).then(nw.lit(self.order.index(1))).otherwise(nw.lit(self.order.index(0)))
        columns = [nw.col(name).alias(f"p{i}") for i, name in enumerate(others)]
        return self.reduced.rows.select(*columns, place.alias("truth"), "weight")

    def moments(self) -> Moments:
        """Return the sums over all cases, found once and remembered."""
        if self._moments is None:
            self._moments = self._summed()
        return self._moments

    def _summed(self) -> Moments:
        w = nw.col("weight")
        certain = any_of([nw.col(p) == 1 for p in self.p]).cast(nw.Float64)
        sums = {"n": _ONE, "squares": w, "certain": certain, "w": _ONE}
        sums |= {p: nw.col(p) for p in self.p}
        pairs = {f"{a}{b}": nw.col(a) * nw.col(b) for a, b in combinations_with_replacement(self.p, 2)}
        weighed = {name: value * w for name, value in (sums | pairs).items()} | {"n": _ONE}
        truth, found = self._by_truth(weighed)
        by_class, totals = np.zeros((self.k, self.k)), np.zeros(self.k)
        by_class[truth], totals[truth] = np.column_stack([found[p] for p in self.p]), found["w"]
        gram = _symmetric([float(found[name].sum()) for name in pairs], self.k)
        n, squares, certain_weight = (float(found[name].sum()) for name in ("n", "squares", "certain"))
        return Moments(int(n), totals, squares, certain_weight, by_class, gram)

    def _by_truth(self, values: Mapping[str, nw.Expr]) -> tuple[AnyArray, dict[str, AnyArray]]:
        """Return sums by true class, in the order of the classes that occur."""
        found: dict[str, AnyArray] = {}
        for some in _some(values):
            # Columns first, then plain sums: Dask groups nothing else.
            frame = self.frame.select("truth", *(value.alias(f"sum {name}") for name, value in some))
            query = frame.group_by("truth").agg(nw.col(*(f"sum {name}" for name, _ in some)).sum())
            part = arrays(collect(query))
            by_class = np.argsort(part["truth"])
            found |= {name.removeprefix("sum "): column[by_class] for name, column in part.items()}
        return found.pop("truth").astype(np.int64), found

    def _total(self, frame: nw.LazyFrame[Any], values: Mapping[str, nw.Expr]) -> dict[str, float]:
        """Return sums over all cases."""
        found: dict[str, float] = {}
        for some in _some(values):
            table = arrays(collect(frame.select(*(value.sum().alias(name) for name, value in some))))
            found |= {name: float(column[0]) for name, column in table.items()}
        return found

    def outcomes(self, rules: Sequence[tuple[Rescaling, float | None]]) -> list[Outcome]:
        """Return what linear rescalings are worth, a query for each; a loss that is known is not summed again."""
        return [self._outcome(rule, loss) for rule, loss in rules]

    def _outcome(self, rule: Rescaling, loss: float | None) -> Outcome:
        multipliers, at = rule.multipliers[0], rule.majority
        values = [nw.col(p) * float(multipliers[i]) for i, p in enumerate(self.p)]
        rest = (nw.col(p) * float(1 - multipliers[i]) for i, p in enumerate(self.p) if i != at)
        values[at] = reduce(add, rest, nw.col(self.p[at]))
        names = [f"v{i}" for i in range(self.k)]
        turn = [at, *(i for i in range(self.k) if i != at)]  # ties go to the majority class, then to the first
        frame = self.frame.with_columns(value.alias(name) for name, value in zip(names, values, strict=True))
        frame = largest(frame, [names[i] for i in turn], at="best")
        hit = any_of([(nw.col("best") == place) & (nw.col("truth") == i) for place, i in enumerate(turn)])
        w = nw.col("weight")
        asked = {"errors": (~hit).cast(nw.Float64) * w}
        if loss is None:
            off = (nw.col(v) - (nw.col("truth") == i).cast(nw.Float64) for i, v in enumerate(names))
            asked["loss"] = reduce(add, (each * each for each in off)) * w
        beyond = bool((multipliers < 0).any() or (multipliers > 1).any())
        asked |= {f"n{i}": (nw.col(v) < 0).cast(nw.Float64) for i, v in enumerate(names) if beyond}
        found = self._total(frame, asked)
        negative = np.array([found.get(f"n{i}", 0.0) for i in range(self.k)]).astype(np.int64)
        return Outcome(found["loss"] if loss is None else loss, found["errors"], negative)

    def densities(self, v: FloatArray) -> Densities:
        """Return the sums of the logarithm of a mixture and its derivatives."""
        density = reduce(add, (nw.col(p) * float(number) for p, number in zip(self.p, v, strict=True)))
        frame = self.frame.with_columns(density.alias("d"))
        frame = frame.with_columns((~(nw.col("d") > 0)).alias("never"))
        possible = nw.when(nw.col("never")).then(_ONE).otherwise(nw.col("d"))  # some engines stop at the logarithm of 0
        frame = frame.with_columns(possible.alias("d"))
        frame = frame.with_columns((nw.col(p) / nw.col("d")).alias(p) for p in self.p)
        w = nw.col("weight")
        asked = {"log": nw.col("d").log() * w, "never": nw.col("never").cast(nw.Float64)}
        asked |= {p: nw.col(p) * w for p in self.p}
        pairs = {f"{a}{b}": nw.col(a) * nw.col(b) * w for a, b in combinations_with_replacement(self.p, 2)}
        found = self._total(frame, asked | pairs)
        first = np.array([found[p] for p in self.p])
        if found["never"]:
            return Densities(-np.inf, np.full(self.k, np.inf), np.full((self.k, self.k), np.inf))
        return Densities(found["log"], first, _symmetric([found[name] for name in pairs], self.k))

    def sure(self) -> ScoreTable:
        """Return the highest probabilities of the cases decided rightly and wrongly."""
        names = [f"p{code}" for code in range(self.k)]
        frame = largest(self.reduced.rows, names, at="best", value="most")
        said = nw.col("decided") if self.reduced.roles.predicted is None else self._said()
        frame = frame.with_columns((nw.col("truth") == said).alias("hit"))
        return score_table(frame, "most", self.encoder.n, weighted=self.weighted)

    def scored(self, at: int) -> ScoreTable:
        """Return the probabilities of class `at` among its own cases and the others."""
        frame = self.frame.with_columns((nw.col("truth") == at).alias("hit"))
        return score_table(frame, f"p{at}", self.encoder.n, weighted=self.weighted)

    def tops(self) -> list[ScoreTable]:
        """Return the highest probabilities of right and wrong cases, for each class that is the most probable: a query each."""
        frame = largest(self.frame, self.p, at="best", value="most")
        frame = frame.with_columns((nw.col("truth") == nw.col("best")).alias("hit"))
        there = arrays(collect(frame.group_by("best").agg(nw.len().alias("n"))))["best"].tolist()
        return [self._tops_of(frame, at) if at in there else no_scores(weighted=self.weighted) for at in range(self.k)]

    def _tops_of(self, frame: nw.LazyFrame[Any], at: int) -> ScoreTable:
        return score_table(frame.filter(nw.col("best") == at), "most", self.encoder.n, weighted=self.weighted)

    def decisions(self, rule: Ruling) -> Cells:
        """Return how often a rule decides what about the cases of each class."""
        frame = self._ruled(rule).with_columns((nw.col("weight") * nw.col("weight")).alias("squares"))
        query = frame.group_by("truth", "code").agg(nw.len().alias("n"), nw.col("weight", "squares").sum())
        found = arrays(collect(query))
        truth, code, n = (found[name].astype(np.int64) for name in ("truth", "code", "n"))
        return packed_cells(truth, code, *((found["weight"], found["squares"]) if self.weighted else (n,)))

    def _ruled(self, rule: Ruling) -> nw.LazyFrame[Any]:
        """Return the cases with the decision in `code`."""
        if rule.cut is not None:
            at, low, high = rule.cut
            code = nw.when(nw.col(f"p{at}") < _within(low)).then(nw.lit(1 - at)).otherwise(nw.lit(-1))
            return self.frame.with_columns(
                nw.when(nw.col(f"p{at}") >= _within(high)).then(nw.lit(at)).otherwise(code).alias("code")
            )
        if rule.least is None:
            return self._cheapest(rule.costs)
        frame = largest(self.frame, self.p, at="best", value="most")
        sure = any_of([(nw.col("best") == i) & (nw.col("most") >= _within(least)) for i, least in enumerate(rule.least)])
        return frame.with_columns(nw.when(sure).then(nw.col("best")).otherwise(nw.lit(-1)).alias("code"))

    def _cheapest(self, costs: FloatArray | None) -> nw.LazyFrame[Any]:
        """Return the cases with the decision of least expected cost, the first of those that are equal but for rounding."""
        assert costs is not None
        names = [f"c{j}" for j in range(costs.shape[1])]
        expected = (reduce(add, (nw.col(p) * float(c) for p, c in zip(self.p, column, strict=True))) for column in costs.T)
        frame = self.frame.with_columns((-cost).alias(name) for name, cost in zip(names, expected, strict=True))
        frame = largest(frame, names, at="first", value="least")
        rounding = cost_rounding(costs)
        code = nw.lit(-1)  # none is the last decision
        for j in reversed(range(self.k)):
            code = nw.when(nw.col(names[j]) >= nw.col("least") - rounding).then(nw.lit(j)).otherwise(code)
        return frame.with_columns(code.alias("code"))

    def _said(self) -> nw.Expr:
        """Return the class numbers of given decisions."""
        name = self.reduced.roles.predicted
        assert name is not None
        labels = joined(collect(self.reduced.rows.group_by("predicted").agg(nw.len().alias("n"))).column("predicted"))
        codes = self.encoder.labels.codes(labels, name)
        if set(codes.tolist()) - set(self.encoder.order):
            refuse_undecided()
        return code_of("predicted", by_code(labels, codes))

    def held(self) -> Held:
        """Return all cases at once, for those who know that they are few."""
        found = arrays(collect(self.frame.select(*self.p, "weight")))
        return Held(np.column_stack([found[p] for p in self.p]), found["weight"] if self.weighted else None)


def _within(threshold: float) -> float:
    """Return a threshold that does the same to probabilities and is finite."""
    return float(np.clip(threshold, -1.0, 2.0))


def _some(values: Mapping[str, nw.Expr]) -> Iterator[list[tuple[str, nw.Expr]]]:
    """Yield so many of the sums as go into one query."""
    each = iter(values.items())
    while some := list(islice(each, _AT_ONCE)):
        yield some


def _symmetric(upper: Sequence[float], k: int) -> FloatArray:
    """Return the matrix whose upper triangle was summed row by row."""
    matrix = np.zeros((k, k))
    matrix[np.triu_indices(k)] = upper
    return np.asarray(np.triu(matrix, 1).T + matrix)
