"""What corrections would gain: sentences and a table, for the prompt and for the page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.levels import share
from adjudge._base.text import counted, quoted, safe
from adjudge.corrections.multipliers import Multipliers
from adjudge.corrections.operating import AccuracyRejection
from adjudge.corrections.priors import PriorShift
from adjudge.corrections.rejection import Rejection
from adjudge.describe.description import caveats, document, methods_section
from adjudge.describe.document import Card, Document, Row, Section, Table
from adjudge.describe.values import apart, percent, percentage_points, probability
from adjudge.judgements.eligibility import Correctable
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.recommendation import FOLDS, RECOMMENDED, WORTH_TRYING, Candidate, Recommendations
from adjudge.plots.corrections import error_picture, priors_forest, rejection_picture
from adjudge.plots.curves import CurveSet, curve_set
from adjudge.plots.forest import Forest
from adjudge.plots.labels import NOTHING, named
from adjudge.plots.lines import LinePicture
from adjudge.plots.maps import NARROW_CLASSES, cell_map

TITLE = "Can it be improved without retraining?"
_ALIKE = "Can the balanced accuracy be improved without retraining?"
_EVERY = "Can the accuracy be improved without retraining?"
_TONES = {"recommended": "good", "worth trying": "doubtful", "leave it": "bad"}
_LONGEST = 24
_TIMES = "\u00d7"  # the sign of multiplication
_ROUNDING = 1e-9
_NEGLIGIBLE = 5e-5  # a gain that a hundredth of a point would not show
_BOTH = ("without", "corrected")
_SHARES = ("accuracy", "balanced_accuracy")
_MULTIPLY = "Corrections multiply the probabilities of classes (Duch and Itert 2003). "
_CUT = "Thresholds leave cases undecided where that costs less (Duch and Itert 2003). "
_DEALT = "Each was fitted on {} and applied to {}, in turn; gains are of cases that took no part in fitting it. "
_FIFTHS = ("four fifths of the cases", "the last fifth")
_TAKEN = "Nothing was fitted to these cases: costs and probabilities are taken at their word. "
_JUDGED = (
    f"A correction is recommended where a gain is at least {percent(RECOMMENDED)} probable, and worth trying from "
    f"{percent(WORTH_TRYING)} on."
)
_FLATTERS = " The gain on the fitting cases is shown for comparison only: it flatters."
_SEVERAL = (
    " The best of several flatters, too: what counts is how probable a gain is with all that were tried at once (Holm 1979)."
)
METHOD = f"{_MULTIPLY}{_DEALT.format(*_FIFTHS)}{_JUDGED}{_FLATTERS}{_SEVERAL}"


@document.register
def _(result: Recommendations, *, whole: bool) -> Document:
    told, every = tuple(sentences(result)), table(result)
    page: tuple[Section, ...] = ()
    if whole:
        lead = f"{counted(result.cases, 'case')} · {_name(result)} · {counted(result.tried, 'correction')} tried"
        cards, drawn = tuple(Card(*each) for each in figures(result)), pictures(result)
        page = (
            Section("verdict", "verdict", TITLE, lead, told, cards),
            *caveats(result.findings),
            Section("table", "corrections", "Every correction tried", tables=(every,), pictures=drawn, theme="corrections"),
            methods_section(method(result)),
        )
    first = (*told, method(result))
    return Document(first, (replace(every, notes=()),), result.findings, key=every, sections=page)


def method(result: Recommendations) -> str:
    """Return how the gains were found."""
    fitted = any(row.recipe.is_fitted for row in result.rows)
    parts = _FIFTHS if result.folds == FOLDS else (f"all of {result.folds} parts but one", "that one")
    dealt = _DEALT.format(*parts) if fitted else _TAKEN
    what = f"{together(result.groups)}{_CUT if result.measure == 'cost' else _MULTIPLY}{dealt}"
    return f"{what}{_JUDGED}{_FLATTERS if fitted else ''}{_SEVERAL if result.tried > 1 else ''}"


def together(groups: int | None) -> str:
    """Return how groups were counted, if there are any."""
    return "" if groups is None else f"Cases of one of {counted(groups, 'group')} stay together, and each group counts once. "


def sentences(result: Recommendations) -> Iterator[str]:
    """Yield what to do, and what it is compared with."""
    if result.best is not None:
        yield from _recommended(result, result.best)
    else:
        yield _not_recommended(result)
    by = f", by {result.baseline}" if result.measure in (*_SHARES, "cost") else ""
    yield f"Without correction the {_name(result)} is {_value(result)}{by}."


def _recommended(result: Recommendations, best: Candidate) -> Iterator[str]:
    seen = f", and {_size(result, best.in_sample)} on those it was fitted to" if best.recipe.is_fitted else ""
    yield (
        f"Recommended for {_name(result)}: {best.name}. It gained {_size(result, best.gain)}{_unit(result)} on cases it had not "
        f"seen ({percent(best.interval.level)}: {_size(result, best.interval.low)} to {_size(result, best.interval.high)}; "
        f"P(gain) {_sure(best.p_gain)}){seen}."
    )
    if best.always is not None:
        label, right = best.always
        yield f"It amounts to always predicting {quoted(label)}, which is correct in {share(right)} of the cases."
    if result.tried > 1:
        alike = "" if result.different == result.tried else f" ({result.different} of them differ)"
        yield (
            f"It is the best of {result.tried} tried{alike}, and P(gain) is still {_sure(best.p_together)} with all of them held "
            f"together; choosing so gained {_size(result, result.gain_of_choice)}{_unit(result)} in folds held out of the choice."
        )


def _not_recommended(result: Recommendations) -> str:
    likely, name = [row for row in result.rows if row.advice != "leave it"], _name(result)
    which = "; ".join(row.name for row in likely)
    if likely and likely[0].few:
        return f"Worth trying at most, for {name}: {which}. There are too few cases to recommend anything."
    if any(row.p_gain >= RECOMMENDED for row in likely):
        first = result.rows[0]
        held = math.floor(1000 * first.p_together) / 10  # never rounded up to what it does not reach
        return (
            f"Worth trying for {name}: {first.name}. By itself it would be recommended (P(gain) {_sure(first.p_gain)}), but as "
            f"the best of {result.tried} tried P(gain) is {held:g}%, not sure enough. Judge it on other cases."
        )
    if likely:
        return f"Worth trying for {name}: {which}. A gain is likely, but not sure enough to recommend."
    most = max((row.missed for row in result.rows), default=0.0)
    none = "no correction gained on cases it had not seen" if all(row.gain <= 0 for row in result.rows) else "no gain is likely"
    return f"Leave it, for {name}: {none}; a gain above {_size(result, most)}{_unit(result)} is improbable."


def table(result: Recommendations) -> Table:
    """Return every correction with its gains."""
    several, priced = result.tried > 1, result.measure == "cost"
    rows = tuple(
        (
            row.name if row.always is None else f"{row.name} (always {safe(row.always[0], _LONGEST)})",
            row.advice,
            _size(result, row.gain),
            f"{_size(result, row.interval.low)} to {_size(result, row.interval.high)}",
            *_gain_probabilities(row)[: 1 + several],
            _size(result, row.in_sample) if row.recipe.is_fitted else NOTHING,
            *(() if not priced else (NOTHING if row.rejected is None else share(row.rejected),)),
            _numbers(row) or NOTHING,
        )
        for row in result.rows
    )
    unit = "points" if result.measure in _SHARES else result.measure.replace("_", " ")
    rejected, last = (("Rejected",), "Thresholds") if priced else ((), "Multipliers")
    sure = ("P(gain) by itself", "P(gain) of all tried") if several else ("P(gain)",)
    limits = f"{percent(result.rows[0].interval.level)} limits" if result.rows else "Limits"
    header = ("Correction", "Advice", f"Gain, {unit}", limits, *sure, "Gain where fitted", *rejected, last)
    about = f"Gains in {_name(result)} over {counted(result.cases, 'case')}, without correction {_value(result)}"
    things, align = ("correction", "corrections"), f"nnrrr{'r' * len((*sure, *rejected))}l"
    return Table(about, header, rows, align, things=things, notes=tuple(_explained(result)), tones=_TONES)


def _explained(result: Recommendations) -> Iterator[str]:
    """Yield what the columns mean."""
    fitted = any(row.recipe.is_fitted for row in result.rows)
    unseen = "on cases that took no part in fitting it; " if fitted else ""
    yield f"Gain: {unseen}more is better. P(gain): how probable any gain is."
    if result.tried > 1:
        yield "Of all tried: the same, as one of several; the best of several looks better than it is."
    if fitted:
        yield "Gain where fitted: on the very cases it was fitted to, which flatters."
    if any(isinstance(row.correction, Multipliers) for row in result.rows):
        yield "Multipliers: what the probability of a class is multiplied by before the highest decides; 1 where none is named."


def comparison(result: Recommendations) -> Table | None:
    """Return what the best correction does, in numbers without and with it, on cases it had not seen; or nothing."""
    found = result.unseen
    if found is None:
        return None
    rows = tuple(_compared(name, *both) for name, both in found.measures.items())
    about = f"Without correction and with {found.name}, on cases it had not seen"
    return Table(about, ("Measure", "Without", "With", "Change"), rows, "lrrr")


_COMPARED = {
    "errors_per_1000": "Errors in 1,000 cases",
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "brier": "Brier score",
}


def _compared(name: str, before: float, after: float) -> Row:
    """Return one measure without a correction, with it, and the difference with its sign."""
    if name in _SHARES:
        one, other = apart(before, after, 1)
        return _COMPARED[name], one, other, f"{_signed(100 * (after - before), 1)} points"
    places = 1 if name == "errors_per_1000" else 3
    return _COMPARED[name], f"{before:.{places}f}", f"{after:.{places}f}", _signed(after - before, places)


def _signed(v: float, places: int) -> str:
    return "none" if round(v, places) == 0 else f"{v:+.{places}f}"


def in_short(result: Recommendations) -> str:
    """Return what to do, in one sentence."""
    best = result.best
    if best is None:
        return next(sentences(result))
    low, high = (_size(result, limit) for limit in (best.interval.low, best.interval.high))
    gained = f"it gained {_size(result, best.gain)}{_unit(result)} on cases it had not seen"
    limits = f"({percent(best.interval.level)}: {low} to {high})"
    return f"Recommended for {_name(result)}: {best.name}; {gained} {limits}{_price(result)}."


def _price(result: Recommendations) -> str:
    """Return what the best correction does to the other measure of decisions, accuracy or balanced accuracy."""
    if result.unseen is None or result.measure not in _SHARES:
        return ""
    other = next(name for name in _SHARES if name != result.measure)
    before, after = result.unseen.measures[other]
    one, two = apart(before, after, 1)
    name = other.replace("_", " ")
    if one == two:
        return f", and leaves the {name} at {one}"
    change = _signed(100 * (after - before), 1)
    return f", {'at' if after < before else 'with'} {change} points of {name} ({one} to {two})"


def advice(found: Sequence[Recommendations]) -> Iterator[str]:
    """Yield what is recommended for any goal, for the verdict of a page; nothing where nothing is."""
    for at, each in enumerate(each for each in found if each.best is not None):
        yield in_short(each) if at else f"It can be improved without retraining. {in_short(each)}"


def figures(result: Recommendations) -> Iterator[tuple[str, str, str]]:
    """Yield the numbers that matter most: what each is, its value, and a note."""
    yield _name(result).capitalize(), _value(result), f"without correction, {counted(result.cases, 'case')}"
    first = result.best or result.rows[0]
    low, high = (_size(result, limit) for limit in (first.interval.low, first.interval.high))
    limits = f"{first.name}; {percent(first.interval.level)}: {low} to {high}"
    yield f"Gain{' in points' if result.measure in _SHARES else ''}", _size(result, first.gain), limits
    yield (
        "P(gain)",
        _sure(first.p_gain).removeprefix("= "),
        f"{_sure(first.p_together).removeprefix('= ')} as one of {result.tried} tried",
    )


def pictures(result: Recommendations) -> tuple[tuple[str, CurveSet | Forest | LinePicture], ...]:
    """Return what can be drawn of the corrections tried, each with what to see in it."""
    found: list[tuple[str, CurveSet | Forest | LinePicture]] = []
    if result.errors is not None:
        told = f"Errors on these very cases, whatever {named([result.errors.positive], 20)[0]} is multiplied by."
        found.append((told, error_picture(result.errors)))
    if result.rejecting is not None:
        found.append((REJECTING, rejection_picture(result.rejecting)))
    if result.reliability:
        told = f"What probabilities mean without and with {result.reliability[-1].of}, on cases not fitted to."
        found.append((told, curve_set([replace(curve, of=of) for curve, of in zip(result.reliability, _BOTH, strict=True)])))
    shifts = [row.correction for row in result.rows if isinstance(row.correction, PriorShift)]
    return (*found, *(("Priors of training, and those counted here.", priors_forest(shift)) for shift in shifts))


REJECTING = "The accuracy of what is decided, were the least sure cases left undecided."


def _name(result: Recommendations) -> str:
    return result.measure.replace("_", " ")


def _gain_probabilities(row: Candidate) -> tuple[str, str]:
    """Return how probable a gain is, alone and with all that were tried."""
    return (_sure(row.p_gain), _sure(row.p_together)) if row.gain or row.p_gain else ("no difference", NOTHING)


def _sure(p: float) -> str:
    """Return a probability that is never rounded up to what it does not reach."""
    return probability(p if p >= RECOMMENDED else math.floor(100 * p + _ROUNDING) / 100)


def _value(result: Recommendations) -> str:
    return share(result.before) if result.measure in _SHARES else f"{result.before:.4g}"


def _size(result: Recommendations, gain: float) -> str:
    if result.measure not in _SHARES:
        return f"{gain:+.3g}"
    return "about 0" if 0 < abs(gain) < _NEGLIGIBLE else percentage_points(gain)


def _unit(result: Recommendations) -> str:
    return " points" if result.measure in _SHARES else ""


def _numbers(row: Candidate) -> str:
    """Return what the correction multiplies by, or where it cuts."""
    fitted = row.correction
    if isinstance(fitted, Multipliers) and fitted.multipliers.ndim == 1:
        others = [label for at, label in enumerate(fitted.classes) if at != fitted.majority or fitted.last_free]
        shown = named(others, _LONGEST)
        return ", ".join(f"{name} {_TIMES} {multiplier:.3g}" for name, multiplier in zip(shown, fitted.multipliers, strict=True))
    if isinstance(fitted, PriorShift):
        return ", ".join(f"{prior:.3g}" for prior in fitted.new)
    if not isinstance(fitted, Rejection):
        return ""
    if fitted.kind == "two-sided":
        return f"{safe(fitted.of, _LONGEST)} {fitted.thresholds[0]:.3g} to {fitted.thresholds[1]:.3g}"
    if fitted.kind == "per-class":
        shown = named(list(fitted.classes), _LONGEST)
        return ", ".join(f"{name} {least:.3g}" for name, least in zip(shown, fitted.thresholds, strict=True))
    return ", ".join(f"{least:.3g}" for least in fitted.thresholds)


# -- the chapter of an evaluation ------------------------------------------------------------------------------


def corrections(result: Evaluation) -> Iterator[Section]:
    """Yield what corrections would gain in accuracy and with all classes counting alike; or why none was tried.

    What is recommended comes first and in sight, whatever the goal; what is not is folded, but for the first.
    """
    known = result.correctable
    if known is not None and known.refused:
        yield Section("table", "corrections", TITLE, known.about_groups, theme="corrections")
    elif result.uncorrected:
        told = f"Corrections of the probabilities were not tried: {result.uncorrected}."
        yield Section("table", "corrections", TITLE, told, theme="corrections")
    if known is not None:
        for at, each in enumerate(sorted(result.recommendations or (), key=lambda each: each.best is None)):
            yield _chapter(each, known, result.rejection, first=at == 0)


def _chapter(found: Recommendations, known: Correctable, rejection: AccuracyRejection | None, *, first: bool) -> Section:
    balanced, both, compared, some = found.measure == "balanced_accuracy", found.unseen, comparison(found), known.cases
    maps: tuple[tuple[str, Any], ...] = ()
    if both is not None and both.before.k <= NARROW_CLASSES and both.before != both.after:
        decided = f"Decisions with {both.name}, on cases it had not seen."
        maps = (("Decisions as they are.", cell_map(both.before)), (decided, cell_map(both.after)))
    rejecting = () if balanced or rejection is None else ((REJECTING, rejection_picture(rejection)),)
    drawn = ""
    if some.weight is not None:
        most = int(np.bincount(some.y).max())
        drawn = f" drawn from {some.of:,}: up to {most:,} of each class, weighted back to the shares of all cases"
    tried = f"Tried on {counted(found.cases, 'case')}{drawn}, without retraining."
    lines = (tried, together(found.groups).strip() or known.about_groups, *list(sentences(found))[1:])
    return Section(
        "table",
        "corrections-balanced" if balanced else "corrections",
        _ALIKE if balanced else TITLE if first else _EVERY,
        in_short(found),
        tables=(*(() if compared is None else (compared,)), table(found)),
        pictures=(*maps, *pictures(found), *rejecting),
        theme="corrections",
        reading=tuple(line for line in lines if line) if first else (),
        folded=not first and found.best is None,
    )
