"""What is said of corrections: what they would gain, what one is made of, and what became of a file it was applied to."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base import command, counted, probable, quoted, safe, share, wording
from adjudge.corrections.file import Correction
from adjudge.corrections.fitting import Fitted
from adjudge.corrections.multipliers import Multipliers
from adjudge.corrections.operating import AccuracyRejection
from adjudge.corrections.priors import PriorShift
from adjudge.corrections.rejection import Rejection
from adjudge.corrections.streaming import Corrected
from adjudge.describe.description import document, methods_section, opening
from adjudge.describe.document import TEXTS, Card, Document, Row, Section, Table, folding
from adjudge.describe.values import apart, one_name, percent, points
from adjudge.judgements.eligibility import FOLDS, Correctable
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.recommendation import RECOMMENDED, WORTH_TRYING, Candidate, Recommendations
from adjudge.plots.corrections import error_picture, priors_forest, rejection_picture
from adjudge.plots.curves import curve_set
from adjudge.plots.drawing import Figure
from adjudge.plots.labels import NOTHING, named
from adjudge.plots.quantities import measure_name
from adjudge.plots.tables import NARROW_CLASSES, cell_map

TITLE = "Can it be improved without retraining?"
_ALIKE = "Can the balanced accuracy be improved without retraining?"
_EVERY = "Can the accuracy be improved without retraining?"
_TONES = {"recommended": "good", "worth trying": "doubtful", "leave it": "bad"}
_LONGEST, _SHOWN = 40, 20  # letters of a class name, and classes told one by one
_TIMES = "\u00d7"  # the sign of multiplication
_ROUNDING = 1e-9
_NEGLIGIBLE = 5e-5  # a gain that a hundredth of a point would not show
_SHARES = ("accuracy", "balanced_accuracy")
_SAID = TEXTS["corrections"]
_FIFTHS = ("four fifths of the cases", "the last fifth")
_JUDGED = _SAID["tested"].format(percent(RECOMMENDED), percent(WORTH_TRYING))
METHOD = f"{_SAID['multiply']}{_SAID['folds'].format(*_FIFTHS)}{_JUDGED}{_SAID['flatters']}{_SAID['several']}"
_COMPARED = {"errors_per_1000": "Errors in 1,000 cases", "brier": "Brier score"}


@document.register
def _(result: Recommendations, *, whole: bool) -> Document:
    told, every = tuple(sentences(result)), table(result)
    page: list[Section] = []
    if whole:
        lead = f"{cases_of(result)} · {_name(result)} · {counted(result.tried, 'correction')} tried"
        page += opening(TITLE, lead, told, cards(result), result.findings)
        about, drawn = "Every correction tried", pictures(result)
        page.append(Section("table", "corrections", about, tables=(every,), pictures=drawn, theme="corrections"))
        page.append(methods_section(method(result)))
    return Document((*told, method(result)), (replace(every, notes=()),), result.findings, key=every, sections=tuple(page))


def method(result: Recommendations) -> str:
    """Return how the gains were found."""
    fitted = any(row.recipe.is_fitted for row in result.rows)
    parts = _FIFTHS if result.folds == FOLDS else (f"all of {result.folds} parts but one", "that one")
    told = [together(result), _SAID["cut" if result.measure == "cost" else "multiply"]]
    told += [_SAID["folds"].format(*parts), _JUDGED, _SAID["flatters"]] if fitted else [_SAID["taken"], _JUDGED]
    return "".join([*told, _SAID["several"] if result.tried > 1 else ""])


def together(result: Recommendations) -> str:
    """Return how groups or clusters were counted, if there are any."""
    if result.clusters is not None:
        return f"{cases_of(result)}: those of a cluster stay together, and each cluster is one observation. "
    groups = result.groups
    return "" if groups is None else f"Cases of one of {counted(groups, 'group')} stay together, and each group counts once. "


def cases_of(result: Recommendations) -> str:
    """Return how many cases there were, and of how many clusters."""
    of = "" if result.clusters is None else f" of {counted(result.clusters, 'cluster')}"
    return f"{counted(result.cases, 'case')}{of}"


def sentences(result: Recommendations) -> Iterator[str]:
    """Yield what to do, and what it is compared with."""
    best = result.best
    if best is None:
        yield _not_recommended(result)
    else:
        seen = f", and {_size(result, best.in_sample)} on those it was fitted to" if best.recipe.is_fitted else ""
        sure = f"{_limits(result, best)}; P(gain) {_sure(best.p_gain)}"
        yield f"Recommended for {_name(result)}: {best.name}. It {_gained(result, best)} ({sure}){seen}."
    if best is not None and best.always is not None:
        label, right = best.always
        yield f"It amounts to always predicting {quoted(label)}, which is correct in {share(right)} of the cases."
    if best is not None and result.tried > 1:
        alike = "" if result.different == result.tried else f" ({result.different} of them differ)"
        chosen = f"choosing so gained {_size(result, result.gain_of_choice, ' points')} in folds held out of the choice"
        still = f"P(gain) is still {_sure(best.p_together)} with all of them held together"
        yield f"It is the best of {result.tried} tried{alike}, and {still}; {chosen}."
    by = f", by {result.baseline}" if result.measure in (*_SHARES, "cost") else ""
    yield f"Without correction the {_name(result)} is {_value(result)}{by}."


def _not_recommended(result: Recommendations) -> str:
    likely, name = [row for row in result.rows if row.advice != "leave it"], _name(result)
    which, few = "; ".join(row.name for row in likely), "cases" if result.clusters is None else "cases or clusters"
    if likely and likely[0].few:
        return f"Worth trying at most, for {name}: {which}. There are too few {few} to recommend anything."
    if any(row.p_gain >= RECOMMENDED for row in likely):
        first = result.rows[0]
        held = math.floor(1000 * first.p_together) / 10  # never rounded up to what it does not reach
        alone = f"By itself it would be recommended (P(gain) {_sure(first.p_gain)})"
        of_all = f"as the best of {result.tried} tried P(gain) is {held:g}%, not sure enough"
        return f"Worth trying for {name}: {first.name}. {alone}, but {of_all}. Test it on other cases."
    if likely:
        return f"Worth trying for {name}: {which}. A gain is likely, but not sure enough to recommend."
    most = max((row.missed for row in result.rows), default=0.0)
    none = "none gained on held-out cases" if all(row.gain <= 0 for row in result.rows) else "no gain is likely"
    return f"No correction is recommended for {name}: {none}; a gain above {_size(result, most, ' points')} is improbable."


def table(result: Recommendations) -> Table:
    """Return every correction with its gains, and below what the columns mean."""
    several, priced, fitted = result.tried > 1, result.measure == "cost", any(row.recipe.is_fitted for row in result.rows)
    rows = []
    for row in result.rows:
        sure = (_sure(row.p_gain), _sure(row.p_together)) if row.gain or row.p_gain else ("no difference", NOTHING)
        rejected = () if not priced else (NOTHING if row.rejected is None else share(row.rejected),)
        always = "" if row.always is None else f" (always {safe(row.always[0], _LONGEST)})"
        gain = (f"{row.name}{always}", row.advice, _size(result, row.gain), _ends(result, row))
        where_fitted = _size(result, row.in_sample) if row.recipe.is_fitted else NOTHING
        rows.append((*gain, *sure[: 1 + several], where_fitted, *rejected, _numbers(row) or NOTHING))
    chances = ("P(gain) by itself", "P(gain) of all tried") if several else ("P(gain)",)
    limits = f"{percent(result.rows[0].interval.level)} interval" if result.rows else "Interval"
    last = ("Rejected", "Thresholds") if priced else ("Multipliers",)
    unit = "points" if result.measure in _SHARES else _name(result)
    header = ("Correction", "Advice", f"Gain, {unit}", limits, *chances, "Gain where fitted", *last)
    about = f"Gains in {_name(result)} over {counted(result.cases, 'case')}, without correction {_value(result)}"
    unseen = "on held-out cases; " if fitted else ""
    notes = [f"Gain: {unseen}more is better. P(gain): the probability of any gain."]
    notes += (
        ["Of all tried: the same, with all corrections held together, since the best of several looks better than it is."]
        if several
        else []
    )
    notes += ["Gain where fitted: on the cases it was fitted to, which flatters."] if fitted else []
    notes += [_SAID["multipliers"]] if any(isinstance(row.correction, Multipliers) for row in result.rows) else []
    align, things = "nn" + "r" * (len(header) - 3) + "l", ("correction", "corrections")
    return Table(about, header, tuple(rows), align, things=things, notes=tuple(notes), tones=_TONES)


def comparison(result: Recommendations) -> Table | None:
    """Return what the best correction does, in numbers without and with it, on cases it had not seen; or nothing."""
    if result.unseen is None:
        return None
    rows = []
    for name, (before, after) in result.unseen.measures.items():
        places, change = 1 if name == "errors_per_1000" else 3, after - before
        both, moved = (f"{before:.{places}f}", f"{after:.{places}f}"), _signed(change, places)
        if name in _SHARES:
            both, moved = apart(before, after, 1), f"{_signed(100 * change, 1)} points"
        rows.append((_COMPARED.get(name) or measure_name(name), *both, moved))
    about = f"Without correction and with {result.unseen.name}, on held-out cases"
    return Table(about, ("Measure", "Without", "With", "Change"), tuple(rows))


def _signed(v: float, places: int) -> str:
    return "none" if round(v, places) == 0 else f"{v:+.{places}f}"


def in_short(result: Recommendations) -> str:
    """Return what to do, in one sentence, and what that does to the other of accuracy and balanced accuracy."""
    best, price = result.best, ""
    if best is None:
        return next(sentences(result))
    if result.unseen is not None and result.measure in _SHARES:
        other = next(name for name in _SHARES if name != result.measure)
        before, after = result.unseen.measures[other]
        (one, two), name = apart(before, after, 1), other.replace("_", " ")
        change = f"{_signed(100 * (after - before), 1)} points of {name} ({one} to {two})"
        price = f", {'at' if after < before else 'with'} {change}" if one != two else f", and leaves the {name} at {one}"
    return f"Recommended for {_name(result)}: {best.name}; it {_gained(result, best)} ({_limits(result, best)}){price}."


def cards(result: Recommendations) -> Iterator[Card]:
    """Yield the numbers that matter most: what each is, its value, and a note."""
    yield Card(_name(result).capitalize(), _value(result), f"without correction, {counted(result.cases, 'case')}")
    first = result.best or result.rows[0]
    points = " in points" if result.measure in _SHARES else ""
    yield Card(f"Gain{points}", _size(result, first.gain), f"{first.name}; {_limits(result, first)}")
    alone, of_all = (_sure(p).removeprefix("= ") for p in (first.p_gain, first.p_together))
    yield Card("P(gain)", alone, f"{of_all} as one of {result.tried} tried")


def pictures(result: Recommendations) -> tuple[tuple[str, Figure], ...]:
    """Return what can be drawn of the corrections tried, each with what to see in it."""
    drawn: list[tuple[str, Figure]] = []
    if result.errors is not None:
        told = f"Errors on these cases, for every number that {one_name(result.errors.positive, 60)} is multiplied by."
        drawn.append((told, error_picture(result.errors)))
    if result.rejecting is not None:
        drawn.append((_SAID["rejecting"], rejection_picture(result.rejecting)))
    if result.reliability:
        told = f"Reliability without and with {result.reliability[-1].of}, on held-out cases."
        both = zip(result.reliability, ("without", "corrected"), strict=True)
        drawn.append((told, curve_set([replace(curve, of=of) for curve, of in both])))
    shifts = [row.correction for row in result.rows if isinstance(row.correction, PriorShift)]
    return (*drawn, *(("Priors of training, and those counted here.", priors_forest(shift)) for shift in shifts))


def _name(result: Recommendations) -> str:
    return {"brier": "Brier score"}.get(result.measure, result.measure.replace("_", " "))


def _gained(result: Recommendations, row: Candidate) -> str:
    return f"gained {_size(result, row.gain, ' points')} on held-out cases"


def _limits(result: Recommendations, row: Candidate) -> str:
    return f"{percent(row.interval.level)}: {_ends(result, row)}"


def _ends(result: Recommendations, row: Candidate) -> str:
    return f"{_size(result, row.interval.low)} to {_size(result, row.interval.high)}"


def _sure(p: float) -> str:
    """Return a probability that is never rounded up to what it does not reach."""
    return probable(p if p >= RECOMMENDED else math.floor(100 * p + _ROUNDING) / 100)


def _value(result: Recommendations) -> str:
    return share(result.before) if result.measure in _SHARES else f"{result.before:.4g}"


def _size(result: Recommendations, gain: float, unit: str = "") -> str:
    if result.measure not in _SHARES:
        return f"{gain:+.3g}"
    return f"{'about 0' if 0 < abs(gain) < _NEGLIGIBLE else points(gain)}{unit}"


def _numbers(row: Candidate) -> str:
    """Return what the correction multiplies by, or where it cuts."""
    match row.correction:
        case Multipliers() as fitted if fitted.multipliers.ndim == 1:
            shown = zip(named(_multiplied(fitted), _LONGEST), fitted.multipliers, strict=True)
            return ", ".join(f"{name} {_TIMES} {multiplier:.3g}" for name, multiplier in shown)
        case PriorShift() as fitted:
            return ", ".join(f"{prior:.3g}" for prior in fitted.new)
        case Rejection(kind="two-sided") as fitted:
            return f"{safe(fitted.of, _LONGEST)} {fitted.thresholds[0]:.3g} to {fitted.thresholds[1]:.3g}"
        case Rejection(kind="per-class") as fitted:
            least = zip(named(list(fitted.classes), _LONGEST), fitted.thresholds, strict=True)
            return ", ".join(f"{name} {below:.3g}" for name, below in least)
        case Rejection() as fitted:
            return ", ".join(f"{below:.3g}" for below in fitted.thresholds)
    return ""


def _multiplied(correction: Multipliers) -> list[Any]:
    """Return the classes that have a multiplier."""
    return [label for at, label in enumerate(correction.classes) if at != correction.majority or correction.last_free]


# -- the chapter of an evaluation ------------------------------------------------------------------------------


def corrections(result: Evaluation) -> Iterator[Section]:
    """Yield what corrections would gain, recommended ones first and in sight, whatever the goal; or why none was tried."""
    known = result.correctable
    if known is not None and known.refused:
        yield Section("table", "corrections", TITLE, known.about_groups, theme="corrections")
    elif result.uncorrected:
        told = f"Corrections of the probabilities were not tried: {result.uncorrected}."
        yield Section("table", "corrections", TITLE, told, theme="corrections")
    if known is not None:
        for at, each in enumerate(sorted(result.recommendations or (), key=lambda each: each.best is None)):
            yield _chapter(each, known, result.rejection, first=at == 0)


def _chapter(result: Recommendations, known: Correctable, rejection: AccuracyRejection | None, *, first: bool) -> Section:
    balanced, both, compared, some = result.measure == "balanced_accuracy", result.unseen, comparison(result), known.cases
    drawn: list[tuple[str, Any]] = list(pictures(result))
    if both is not None and both.before.k <= NARROW_CLASSES and both.before != both.after:
        drawn[:0] = [(f"Decisions with {both.name}, on held-out cases.", cell_map(both.after))]
    drawn += [] if balanced or rejection is None else [(_SAID["rejecting"], rejection_picture(rejection))]
    sampled = ""
    if some.weight is not None:
        most = int(np.bincount(some.y).max())
        sampled = f" drawn from {some.of:,}: up to {most:,} of each class, weighted back to the shares of all cases"
    tried = f"Tried on {cases_of(result)}{sampled}, without retraining."
    lines = (tried, together(result).strip() or known.about_groups, *list(sentences(result))[1:])
    name, title = ("corrections-balanced", _ALIKE) if balanced else ("corrections", TITLE if first else _EVERY)
    tables = (*(() if compared is None else (compared,)), table(result))
    reading, folded = tuple(line for line in lines if line and first), not first and result.best is None
    more: dict[str, Any] = {"theme": "corrections", "reading": reading, "folded": folded}
    return Section("table", name, title, in_short(result), tables=tables, pictures=tuple(drawn), **more)


# -- one that was fitted, and applied ---------------------------------------------------------------------------


@document.register
def _(result: Fitted, **_: bool) -> Document:
    classes, key = counted(len(result.correction.classes or ()), "class", "classes"), None
    first = f"Fitted to {counted(result.cases, 'case')} of {classes}."
    if not result.in_sample:
        first = f"For {classes}, with nothing fitted to these cases."
    if result.after:  # the flattering numbers never without the others
        last = "In-sample" if result.in_sample else "After"
        columns = {"Before": result.before} | ({"Held out": result.left_out} if result.left_out else {}) | {last: result.after}
        each = [[rates.get(name) for rates in columns.values()] for name in result.after]
        # to twelve digits first: a tie such as 0.09125 is rounded alike, whatever the last bit of the sum is
        cells = [[NOTHING if rate is None else f"{float(f'{rate:.12g}'):.4f}" for rate in rates] for rates in each]
        rows = tuple((name, *shown) for name, shown in zip(result.after, cells, strict=True))
        key = Table("", ("On these cases", *columns), rows)
    told, rule = _rule(result.correction)
    closing: tuple[str, ...] = ()
    if result.after and result.in_sample:
        asked = wording(command("`adjudge correct recommend`", python="adjudge.recommend()"), " says whether it is worth it.")
        closing = (_SAID["left out"], _SAID["in-sample"], asked)
    elif result.after:
        closing = (_SAID["old priors" if result.kind == "priors" else "at their word"],)
    return Document((first, *told), (*rule, *(() if key is None else (key,))), result.findings, closing=closing, key=key)


def _rule(correction: Correction) -> tuple[list[str], list[Table]]:
    """Return what a correction does in sentences, and what it says class by class."""
    told, table = "", None
    match correction:
        case PriorShift(old=old, new=new):
            table = _by_class(("Old prior", "New prior"), correction.classes or range(len(old)), old, new)
        case Multipliers():
            told = f"The multipliers are against {safe(correction.classes[correction.majority])}."
            others = _multiplied(correction)
            table = _by_class(("Multiplier",), others, correction.multipliers.reshape(-1, len(others))[-1])
        case Rejection(kind="per-class"):
            table = _by_class(("Rejected below",), correction.classes, correction.thresholds)
        case Rejection(kind="costs"):
            told = "It takes the decision of least expected cost."
        case Rejection(kind="two-sided"):
            low, high = correction.thresholds
            told = f"It rejects from {low:.4g} to below {high:.4g} of the score of {safe(correction.of)}."
        case Rejection(kind="max-probability"):
            told = f"It rejects where the highest probability is below {correction.thresholds[0]:.4g}."
    return [told] if told else [], [] if table is None else [table]


def _by_class(titles: Row, classes: Iterable[Any], *columns: Iterable[float], digits: str = ".4g") -> Table:
    rows = ((safe(label), *(format(v, digits) for v in each)) for label, *each in zip(classes, *columns, strict=True))
    return folding("", ("Class", *titles), rows, ("class", "classes"), shown=_SHOWN, folded=0)


@document.register
def _(result: Corrected, **_: bool) -> Document:
    first = f"Corrected {counted(result.cases, 'case')}; {result.changed:,} decided otherwise than by the highest score before."
    table = _by_class(("Cases",), result.classes, result.predicted.tolist(), digits=",")
    closing: tuple[str, ...] = ()
    if result.rejected_as is not None:
        table = Table("", table.header, (*table.rows, ("rejected", f"{result.rejected:,}")), table.align, untold=table.untold)
    if result.rejected_as is not None and result.written is not None:
        name = safe(result.written.name)
        python = f'evaluate("{name}", rejected="{result.rejected_as}")'
        judge = command(f"adjudge evaluate {shlex.quote(name)} --rejected {result.rejected_as}", python=python)
        closing = (wording("Evaluate it with: ", judge),)
    return Document((first,), (table,), closing=closing, key=table)
