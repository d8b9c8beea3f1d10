"""Numeric predictions: the sums from which the losses of a regression follow, the same for any order of rows and any parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._base import InputError, Shown, dataclass, field
from adjudge._base.arrays import AnyArray, FloatArray, counts_cases
from adjudge.counts.residuals import ResidualCounter, Residuals, residuals_together
from adjudge.stats.exact_sums import BITS, MOST, exact_products, exact_row_sums, from_floats, to_floats

if TYPE_CHECKING:
    from adjudge.predictions.model import Predictions, Reading
    from adjudge.predictions.roles import Roles
    from adjudge.predictions.sources import Source

Blocks = Iterable[tuple[FloatArray, FloatArray, AnyArray | None]]
SUMS = 18
ABOUT = 8  # the first of the sums that are about the mean of the truth
SIGNED = 17  # the place behind them: the error with its sign
_WORTH, _TRUTH, _SQUARE, _ERRORS = 1, 2, 3, 4  # places of others; the first is that of the weights
_PART = 40  # bits of the number of a row within its part
_SCORES = 2  # so many of a row take as long to count as its numbers


@dataclass(frozen=True, slots=True, eq=False)
class NumberSums:
    """Sums over cases, as whole numbers of 2**-1074: they add up by place, to the same numbers in any order.

    By place: weights, squared weights, the truth, its square, the absolute error and its powers up to the fourth; and about the
    mean the side of it, the distance from it, the absolute and the squared error times distances without and with their sign,
    squared distances with their sign, their fourth power and their square times the squared error; and the error with its sign
    (truth less prediction). Powers of errors and what is about the mean are rounded as floats are, case by case. The
    truth and its square are not, times any weight; nor is what a whole number of equal cases multiplies.
    """

    n: int = 0
    whole: AnyArray = field(default_factory=lambda: np.zeros(SUMS, dtype=object))
    beyond: FloatArray = field(default_factory=lambda: np.zeros(SUMS))
    """Sums of the terms that are no finite numbers; NaN for those about the mean where parts with different means were added."""
    rows: int = 0  # that were read for these sums, in either pass: how far a cluster has come
    extremes: FloatArray = field(default_factory=lambda: np.full(3, -np.inf))
    """The largest of: the truth with its sign turned, the truth, and the absolute error."""
    residuals: Residuals | None = None  # a table of them, and some of the cases; None where only sums were stored

    @property
    def mean(self) -> float:
        """The mean of the truth, rounded once."""
        refuse_weightless(self.whole[0])
        return float(self.whole[_TRUTH] / self.whole[0])


@dataclass(frozen=True, slots=True)
class NumberCounts(Shown):
    """Total losses of a numeric predictor, and of always predicting the mean."""

    n: int
    weight: float
    mean: float
    absolute: float
    squared: float
    absolute_of_mean: float  # NaN where parts with different means were added up: it takes the cases
    squared_of_mean: float
    weight_squares: float = 0.0  # sum of squared weights: what the cases are worth follows from it
    side: float = 0.0  # weight of the cases above the mean of the truth less that of those below
    products: FloatArray = field(default_factory=lambda: np.zeros((4, 4)), compare=False, repr=False)
    """Sums of products of the absolute and the squared error, and of the distance from the mean without and with its sign."""
    bias: float = 0.0  # sum of truth less prediction
    spreads: FloatArray = field(default_factory=lambda: np.zeros(2), compare=False, repr=False)
    """Sums of the fourth power of the distance from the mean, and of its square times the squared error."""
    off: float = 0.0  # sum of the distances from the mean with their sign: 0 but for the rounding of the mean
    sums: NumberSums = field(default_factory=NumberSums, compare=False, repr=False)  # what all the others are read from
    _untold = ("sums",)


def count_numbers(predictions: Predictions) -> NumberCounts:
    """Sum the losses of predictions of numbers, block by block, in several processes, or where partitions lie."""
    from adjudge.counts.distributed import spread_over  # a loss of sums at hand loads nothing that reads files
    from adjudge.predictions.in_memory import number_blocks

    if (spread := spread_over(predictions, ranking=False)) is not None:
        job = partial(_sums_of_part, roles=predictions.roles, reading=predictions.reading)
        first = spread.over_rows(partial(job, mean=None), added) or NumberSums()
        _check(first)
        return counts_of(added([first, spread.over_rows(partial(job, mean=first.mean), added)]))
    sums = _in_parts(predictions)
    if sums is None:
        first = _summed(block[:3] for block in number_blocks(predictions))
        sums = added([first, _summed((block[:3] for block in number_blocks(predictions)), first.mean)])
    return counts_of(sums)


def sum_numbers(truth: FloatArray, predicted: FloatArray, weight: FloatArray | None) -> NumberCounts:
    """Sum the losses of numbers that are at hand."""
    blocks = [(truth, predicted, weight)]
    first = _summed(blocks)
    return counts_of(added([first, _summed(blocks, first.mean)]))


def sum_roughly(truth: FloatArray, predicted: FloatArray, weight: FloatArray) -> NumberCounts:
    """Sum the losses as floats, to rounding: for weights drawn at random by the thousand."""
    low, high, total = float(truth.min()), float(truth.max()), float(weight.sum())
    refuse_weightless(total)
    mean = low if low == high else float((weight * truth).sum()) / total  # the mean of equal numbers may round off them
    error, spread = truth - predicted, truth - mean
    a, b, c, d, e = (float((weight * loss).sum()) for loss in (np.abs(error), error**2, np.abs(spread), spread**2, error))
    return NumberCounts(truth.size, total, mean, a, b, c, d, bias=e)


def refuse_weightless(weight: Any) -> None:
    """Refuse cases that weigh nothing in all."""
    if not weight:
        msg = "All weights are 0, so that no case counts. Give at least one case a weight above 0."
        raise InputError(msg)


def added(parts: Sequence[NumberSums]) -> NumberSums:
    """Return the sums of all parts, which are about the same mean."""
    n, whole, beyond, rows = zip(*((part.n, part.whole, part.beyond, part.rows) for part in parts), strict=True)
    extremes, held = np.max([part.extremes for part in parts], axis=0), [part.residuals for part in parts if part.n]
    known = [each for each in held if each is not None]
    residuals = residuals_together(known) if known and len(known) == len(held) else None
    with np.errstate(invalid="ignore"):
        return NumberSums(sum(n), np.sum(whole, axis=0), np.sum(beyond, axis=0), sum(rows), extremes, residuals)


def add_numbers(parts: Sequence[NumberCounts]) -> NumberCounts:
    """Return the sums of all cases from those of parts; what is about the mean only where the means of all are the same."""
    total = added([part.sums for part in parts])
    if len({part.mean for part in parts if part.weight}) > 1:
        total.beyond[ABOUT:SIGNED] = np.nan
    return counts_of(total)


def counts_of(sums: NumberSums) -> NumberCounts:
    """Return sums as floats, each rounded once."""
    mean, (weight, _, truth, square) = sums.mean, sums.whole[:_ERRORS]
    at = from_floats(np.array([mean]))[0]
    off = (truth << BITS) - at * weight
    spread = max((square << 2 * BITS) - (2 * at * truth << BITS) + at * at * weight, 0)  # about the mean
    with np.errstate(invalid="ignore"):
        each = to_floats(sums.whole) + sums.beyond
    each[_SQUARE] = np.inf if sums.beyond[_SQUARE] else to_floats(spread, 3 * BITS)
    names = ("weight", "weight_squares", "squared_of_mean", "absolute", "squared", "side", "absolute_of_mean", "bias")
    told: dict[str, Any] = dict(zip(names, each[[0, _WORTH, _SQUARE, 4, 5, 8, 9, SIGNED]].tolist(), strict=True))
    told["spreads"] = each[15:SIGNED]
    products = each[[[5, 6, 10, 11], [6, 7, 12, 13], [10, 12, _SQUARE, 14], [11, 13, 14, _SQUARE]]]
    return NumberCounts(sums.n, mean=mean, **told, products=products, off=float(to_floats(off, 2 * BITS)), sums=sums)


# -- rows ------------------------------------------------------------------------------------------------------


def _summed(blocks: Blocks, mean: float | None = None, first: int = 0) -> NumberSums:
    """Sum blocks of truth, predictions and weights: in a first pass what needs no mean, in a second what is about it."""
    n, read, whole, beyond, space = 0, 0, np.zeros(SUMS, dtype=object), np.zeros(SUMS), np.empty((2, 0, MOST))
    extremes, counter = np.full(3, -np.inf), ResidualCounter(first) if mean is None else None
    for block in blocks:
        read += block[0].size
        if counter is not None:
            counter.add(*block)
            error = np.abs(block[0] - block[1])
            extremes = np.maximum(extremes, [each.max(initial=-np.inf) for each in (-block[0], block[0], error)])
        for start in range(0, block[0].size, MOST):
            truth, predicted = (values[start : start + MOST] for values in block[:2])
            weight = None if block[2] is None else block[2][start : start + MOST]
            with np.errstate(over="ignore", invalid="ignore"):  # fourth powers leave the range of floats before the losses do
                places, terms = zip(*_terms(truth, predicted, weight, mean), strict=True)
                space = np.empty((2, len(terms), MOST)) if len(terms) > space.shape[1] else space
                rows, room = space[:, : len(terms), : truth.size]
                finite = np.isfinite(np.stack(terms, out=rows))
                if not finite.all():
                    np.add.at(beyond, list(places), np.where(finite, 0.0, rows).sum(axis=1))
                    rows[~finite] = 0.0
            np.add.at(whole, list(places), exact_row_sums(rows, room))
            if mean is None:
                n += truth.size if weight is None or not counts_cases(weight) else int(weight.sum())
                whole[:_TRUTH] += truth.size << BITS if weight is None else 0
    return NumberSums(n, whole, beyond, read, extremes, None if counter is None else counter.residuals)


def _terms(
    truth: FloatArray, predicted: FloatArray, weight: AnyArray | None, mean: float | None
) -> Iterator[tuple[int, FloatArray]]:
    """Yield the places of sums and what is added there; where that must not be rounded, in parts."""
    floats, error = None if weight is None else weight.astype(np.float64), np.abs(truth - predicted)
    square, exactly = error * error, floats is not None and counts_cases(weight)
    if mean is None:
        if floats is not None:
            yield 0, floats
            yield _WORTH, floats if exactly else floats * floats
        for part in [truth] if floats is None else exact_products(truth, floats):
            yield _TRUTH, part
            yield from ((_SQUARE, each) for each in exact_products(part, truth))
        powers = enumerate((error, square, square * error, square * square), _ERRORS)
        terms: tuple[tuple[int, FloatArray], ...] = (*powers, (SIGNED, truth - predicted))
    else:
        spread = truth - mean
        away = np.abs(spread)
        about = np.sign(spread), away, error * away, error * spread, square * away, square * spread, away * spread
        terms = tuple(enumerate((*about, (away * away) ** 2, square * away * away), ABOUT))
    for place, term in terms:
        if floats is None or not exactly:
            yield place, term if floats is None else term * floats
        else:  # so that equal cases may be counted
            yield from ((place, part) for part in exact_products(term, floats))


# -- parts of files and of clusters ----------------------------------------------------------------------------


def _in_parts(predictions: Predictions) -> NumberSums | None:
    """Return the sums of a large file, its parts summed in several processes; None of what is read in one piece.

    Where a part is refused the whole is read in one piece, which tells what is wrong and in which row.
    """
    from adjudge.counts.workers import done, workers_for
    from adjudge.predictions.file_sources import CsvSource
    from adjudge.predictions.model import telling
    from adjudge.predictions.parquet_source import ParquetSource
    from adjudge.predictions.sources import base_of, in_parts

    source, base = predictions.source, base_of(predictions.source)
    if not isinstance(base, (CsvSource, ParquetSource)) or not base.is_large(_SCORES):
        return None
    parts = in_parts(source)
    if (workers := workers_for(predictions.reading.n_jobs, len(parts))) == 1:
        return None

    more = telling(source)

    def about_mean(answers: Sequence[tuple[int, tuple[int, NumberSums]]]) -> list[tuple[Source, float]]:
        nonlocal more
        first = added([sums for _, (_, sums) in answers])
        _check(first)
        more = telling(source)  # of the second pass
        return [(part, first.mean) for part in parts]

    job = _PartJob(predictions.roles, predictions.reading)
    try:
        with base.hashed.beside():
            answers, _ = done(job, [(part, None) for part in parts], workers, lambda answer: more(answer[0]), about_mean)
    except InputError:
        return None
    return added([sums for _, (_, sums) in answers])


class _PartJob:
    """Sums parts of a file one after the other, wherever it is sent."""

    def __init__(self, roles: Roles, reading: Reading) -> None:
        self.roles, self.reading = roles, reading

    def part(self, number: int, part: tuple[Source, float | None]) -> tuple[int, NumberSums]:
        """Return how many rows a part has, and their sums."""
        from adjudge.predictions.model import WatchedSource
        from adjudge.predictions.sources import base_of

        rows = [0]
        begins = base_of(part[0]).first  # type: ignore[attr-defined]  # of files alone there are parts
        first = number << _PART if begins is None else begins
        sums = _sums_of_part(WatchedSource(part[0], rows.append), self.roles, self.reading, part[1], first)
        return rows[-1], sums

    def rest(self) -> None:
        """Return nothing: all was sent."""


def _sums_of_part(source: Source, roles: Roles, reading: Reading, mean: float | None, first: int = 0) -> NumberSums:
    from adjudge.predictions.in_memory import number_blocks
    from adjudge.predictions.model import Predictions

    return _summed((block[:3] for block in number_blocks(Predictions.of(source, roles, reading), some=True)), mean, first)


def _check(sums: NumberSums) -> None:
    """Refuse what one part of all rows cannot know: no case in any of them, or too many in all."""
    from adjudge.predictions.labels import LARGEST_EXACT, MANY

    if not sums.n or sums.n > LARGEST_EXACT:
        raise InputError(MANY if sums.n else "There are no rows left to evaluate.")
