"""What corrections would gain: sentences and a table, for the prompt and for the page."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge._base.text import counted
from adjudge.corrections.kappa import Kappa
from adjudge.corrections.priors import PriorShift
from adjudge.judgements.mending import FOLDS, RECOMMENDED, WORTH_TRYING, Mended, Recommendations
from adjudge.plots.labels import named
from adjudge.reports.tables import Table
from adjudge.reports.values import percent, percentage_points, probability
from adjudge.reports.verdicts import verdict
from adjudge.reports.words import in_words, text_of

_LONGEST = 24
_SHARES = ("accuracy", "balanced_accuracy")
METHOD = (
    "Corrections multiply the probabilities of classes (Duch and Itert 2003). Each was fitted on four fifths of the cases and "
    "applied to the last fifth, in turn; gains are of cases that took "
    f"no part in fitting it. It is recommended where a gain is at least {percent(RECOMMENDED)} probable, and worth trying from "
    f"{percent(WORTH_TRYING)} on. The gain on the fitting cases is shown for comparison only: it flatters."
)


@verdict.register
def _(result: Recommendations) -> tuple[str, ...]:
    return tuple(sentences(result))


@in_words.register
def _(result: Recommendations) -> str:
    told = METHOD if result.folds == FOLDS else METHOD.replace("four fifths of the cases", f"all of {result.folds} parts but one")
    told = told.replace("the last fifth", "that one") if result.folds != FOLDS else told
    return text_of((*verdict(result), told), [table(result)], result.findings)


def sentences(result: Recommendations) -> Iterator[str]:
    """Yield what to do."""
    name = result.measure.replace("_", " ")
    best = result.best
    if best is not None:
        yield (
            f"Recommended for {name}: {best.name}. It gained {_size(result, best.gain)}{_unit(result)} on cases it had not seen "
            f"({percent(best.interval.level)}: {_size(result, best.interval.low)} to {_size(result, best.interval.high)}; "
            f"P(gain) {probability(best.p_gain)}), and {_size(result, best.in_sample)} on those it was fitted to."
        )
        return
    tried = [row for row in result.rows if row.advice == "worth trying"]
    most = max((row.missed for row in result.rows), default=0.0)
    if tried:
        which = ", ".join(row.name for row in tried)
        yield f"Worth trying for {name}: {which}. A gain is likely, but not sure enough to recommend."
    else:
        none = "no correction gained on cases it had not seen"
        yield f"Leave it, for {name}: {none}; a gain above {_size(result, most)}{_unit(result)} is improbable."


def table(result: Recommendations) -> Table:
    """Return every correction with its gains."""
    rows = tuple(
        (
            row.name,
            row.advice,
            _size(result, row.gain),
            f"{_size(result, row.interval.low)} to {_size(result, row.interval.high)}",
            probability(row.p_gain),
            _size(result, row.in_sample),
            _numbers(row),
        )
        for row in result.rows
    )
    unit = "points" if result.measure in _SHARES else result.measure.replace("_", " ")
    header = ("correction", "advice", f"gain, {unit}", "limits", "P(gain)", "gain where fitted", "multipliers")
    about = (
        f"Gains in {result.measure.replace('_', ' ')} over {counted(result.cases, 'case')}, without correction {_value(result)}"
    )
    return Table(about, header, rows, "nnrrrrl", things=("correction", "corrections"))


def _value(result: Recommendations) -> str:
    return percent(result.before) if result.measure in _SHARES else f"{result.before:.4g}"


def _size(result: Recommendations, gain: float) -> str:
    return percentage_points(gain) if result.measure in _SHARES else f"{gain:+.3g}"


def _unit(result: Recommendations) -> str:
    return " points" if result.measure in _SHARES else ""


def _numbers(row: Mended) -> str:
    """Return what the correction multiplies by."""
    fitted = row.correction
    if isinstance(fitted, Kappa) and fitted.kappa.ndim == 1:
        others = [label for at, label in enumerate(fitted.classes) if at != fitted.majority or fitted.last_free]
        shown = named(others, _LONGEST)
        return ", ".join(f"{name} {kappa:.3g}" for name, kappa in zip(shown, fitted.kappa, strict=True))
    if isinstance(fitted, PriorShift):
        return ", ".join(f"{prior:.3g}" for prior in fitted.new)
    return ""
