"""What to do next: at most three steps, each with the call that takes it and what it changes in numbers that were judged.

Clusters that look undeclared and a wrong setup, such as labels that only look alike, come first, since every number rests on
it; then a large gain that is recommended, the threshold of a rare class, a smaller gain, more cases where the interval is wide,
a class that is found less often than the others, the calibration, and scores where there are none. Of two classes multipliers
move the threshold, so that they are not told beside one. Of numbers: what the mean does better, a bias, the region of the
largest one, outliers, and more cases. Of two sets: which to use.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from adjudge._base import Part, Shown, Source, Wording, argument, command, dataclass, field, plain, safe, wording
from adjudge.estimates.clustered import effect_of
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.eligibility import MOST_CLASSES
from adjudge.judgements.sample_size import total_for
from adjudge.metrics.catalogue import find
from adjudge.predictions.labels import lookalikes
from adjudge.predictions.roles import AN_ARRAY, BESIDE_MODEL

if TYPE_CHECKING:
    from adjudge.counts.confusion import ConfusionCounts
    from adjudge.judgements.comparison import Comparison
    from adjudge.judgements.recommendation import Recommendations
    from adjudge.judgements.thresholds import Operating
    from adjudge.predictions.roles import Roles

Kind: TypeAlias = Literal[
    "training", "swapped", "labels", "positive", "scores", "decide", "correction", "threshold", "cases", "calibration", "class",
    "cluster", "mean", "bias", "region", "outliers", "errors", "choose", "either", "undecided",
]  # fmt: skip
Judged: TypeAlias = Any  # an Evaluation, which is made complete by the steps that are made of it here
MOST_STEPS = 3
LARGE_GAIN = 0.05  # from which on a recommended correction comes before the threshold of a rare class
NOTABLE = 0.1  # of the squared error by the worst 1% of cases, and of the RMSE as half the width of its interval
WIDE = 0.025  # half the width of an interval from which on more cases are a step
_SHARES = ("balanced_accuracy", "accuracy")
_FIX = "fix.json"
_ROLES, _GIVEN = ("truth", "predicted", "row", "fold", "group", "weight", "cluster"), "(given)"
_PYTHON = {"correct fit": "correct.fit", "correct recommend": "recommend", "sample-size": "sample_size"}
"""What Python calls otherwise than the command line."""


@dataclass(frozen=True, slots=True, eq=False)
class NextStep(Shown):
    """One thing to do, the call that does it, and what it changes."""

    kind: Kind
    call: str = ""  # "" where it takes work on the classifier or the data
    of: Any = None  # the class it speaks of
    value: float | None = None  # the threshold, the number of further cases, or the cases confused
    changes: dict[str, tuple[float, float]] = field(default_factory=dict)  # by measure: as it is, and as it would be
    name: Any = None  # of the correction; or how probabilities are off; or the class it is confused with
    measure: str = ""  # what is gained, or known more surely
    clusters: float | None = None  # of as many further clusters the further cases are; None where cases are independent

    def to_dict(self) -> dict[str, Any]:
        """Return what is known of it as plain Python, the same for the same rows wherever they come from."""
        told = {
            name: plain(getattr(self, name)) for name in ("kind", "call", "of", "value", "name", "measure", "clusters", "changes")
        }
        told["call"] = self.call.of_any_source() if isinstance(self.call, Wording) else self.call
        return {name: value for name, value in told.items() if value not in (None, "", {})}


def next_steps(evaluation: Judged) -> tuple[NextStep, ...]:
    """Return what to do next, the most important first; nothing where nothing needs doing."""
    if evaluation.numbers is not None:
        return tuple(_of_numbers(evaluation))[:MOST_STEPS]
    cut = list(_threshold(evaluation))
    moved = [each for each in _gains(evaluation) if not (cut and evaluation.thresholds.classes <= len(_SHARES))]
    gains = sorted(moved, key=_gained, reverse=True)[:1]  # the others would be in its place, not beside it
    every = [*_setup(evaluation), *(each for each in gains if _gained(each) >= LARGE_GAIN), *cut]
    every += [each for each in gains if _gained(each) < LARGE_GAIN]
    more = [] if cut else _more_cases(evaluation)  # of a threshold that is to be moved nothing need be known more surely
    every += [*more, *_weak_class(evaluation), *_calibration(evaluation)]
    every += [] if any(each.kind == "scores" for each in every) else _scores(evaluation)
    return tuple(every[:MOST_STEPS])


def _source(evaluation: Judged) -> Source:
    """Return the predictions as a call takes them again, with the columns that were named; a command knows what was typed."""
    name, roles = evaluation.origin.name, evaluation.origin.roles
    given = {} if roles is None else {role: getattr(roles, role) for role in _ROLES if _was_given(roles, role)}
    first = f'"{name}"' if evaluation.origin.fingerprint is not None and '"' not in name else "source"
    origin = "" if roles is None else roles.evidence.get("truth", "")
    if roles is not None and origin.endswith((AN_ARRAY, BESIDE_MODEL)):
        arrays = [f"{each}={each}" for each, there in (("y_pred", roles.predicted), ("y_score", roles.scores)) if there]
        first, given = ", ".join(["y_true", *arrays]) if origin.endswith(AN_ARRAY) else "model, X=X, y=y", {}
    given |= {"positive": evaluation.positive} if isinstance(evaluation.positive, str) else {}  # which one is not in the label
    return Source(name, ", ".join([first, *(str(argument(role, value)) for role, value in given.items())]))


def _was_given(roles: Roles, role: str) -> bool:
    return roles.evidence.get(role, "").endswith(_GIVEN) and getattr(roles, role) is not None


def _again(evaluation: Judged, verb: str, *arguments: Part, after: str = "") -> str:
    """Return the command and the call of a verb on the same predictions; `after` is what Python does with the result."""
    parts: list[Part] = [command(f"adjudge {verb} ", python=f"adjudge.{_PYTHON.get(verb, verb)}("), _source(evaluation)]
    parts += [part for each in arguments for part in (command(" ", python=", "), each)]
    return wording(*parts, command("", python=f"){after}"))


def _setup(evaluation: Judged) -> Iterator[NextStep]:
    """Yield what is to be put right before any number is read."""
    codes, roles = {finding.code: finding for finding in evaluation.findings}, evaluation.origin.roles
    if (seen := evaluation.undeclared) is not None:
        column = (
            command("--cluster COLUMN", python='cluster="COLUMN"') if seen.column is None else _option("cluster", seen.column)
        )
        yield NextStep("cluster", _again(evaluation, "report", column), seen.column, seen.design_effect, name=seen.wider)
    if "A108" in codes and not codes["A108"].value:
        yield NextStep("training")
    if "A109" in codes and roles is not None:
        other = (_option("truth", roles.predicted), _option("predicted", roles.truth))
        yield NextStep("swapped", _again(evaluation, "report", *other))
    counts = evaluation.counts
    if "A101" in codes and counts is not None:
        yield _labels(evaluation, counts)
    if counts is None:
        if evaluation.thresholds is not None:
            point = evaluation.thresholds.first()
            then = {"sensitivity": (0.0, float(point.sensitivity.value)), "precision": (0.0, float(point.ppv.value))}
            cut = _short(point)
            yield NextStep("decide", _again(evaluation, "report", _option("threshold", cut)), point.of, cut, then)
        return
    if "A111" in codes:
        label = codes["A111"].value
        own = next((row for row in evaluation.by_class if row.label == label), None)
        both = [] if own is None else [own.sensitivity, own.precision]
        now = [evaluation.estimates.get(each.measure) for each in both]
        changes = {a.measure: (float(b.value), float(a.value)) for a, b in zip(both, now, strict=True) if b is not None}
        yield NextStep("positive", _again(evaluation, "report", _option("positive", label)), label, None, changes)
    never = (counts.support > 0) & (counts.predicted == 0)
    if never.any():
        yield from _scores(evaluation, counts.classes[int(np.argmax(np.where(never, counts.support, -1)))])


def _labels(evaluation: Judged, counts: ConfusionCounts) -> NextStep:
    """Return that labels which look alike become one class, and what the accuracy is then."""
    groups, changes = lookalikes(counts.classes), {}
    if isinstance(counts.cells, np.ndarray) and "accuracy" in evaluation.estimates:
        place = {label: at for at, label in enumerate(counts.classes)}
        pairs = [(place[a], place[b]) for group in groups for a, b in permutations(group, 2)]
        now, more = float(evaluation.estimates["accuracy"].value), sum(float(counts.cells[pair]) for pair in pairs)
        changes["accuracy"] = now, now + more / float(counts.n)
    given = {label: group[0] for group in groups for label in group[1:]}
    typed = all(safe(label) == label for group in groups for label in group)  # what is shown by an escape cannot be typed
    return NextStep("labels", _again(evaluation, "report", _option("relabel", given)) if typed else "", changes=changes)


def _scores(evaluation: Judged, never: Any = None) -> Iterator[NextStep]:
    """Yield that scores would tell more, where there are none; `never` is a class that is never predicted."""
    if not evaluation.curves and evaluation.counts is not None and np.count_nonzero(evaluation.counts.support) > 1:
        asked = command("--scores COLUMN", python='scores="COLUMN"')
        yield NextStep("scores", _again(evaluation, "report", asked), never)


def _option(name: str, value: Any) -> Part:
    """Return an argument as the command that is named reads it, whichever command runs."""
    given = argument(name, value)
    return command(given.in_shell({name: f"--{name.replace('_', '-')}"}), python=str(given))


def _gains(evaluation: Judged) -> Iterator[NextStep]:
    """Yield the correction recommended for each measure, with what it did to held-out cases; each correction once."""
    told: dict[str, Recommendations] = {}
    for each in evaluation.recommendations or ():
        best = each.best
        if best is None or best.always is not None or each.unseen is None:  # that it always predicts one class is no advice
            continue
        if best.name not in told or best.gain > told[best.name].best.gain:  # type: ignore[union-attr]
            told[best.name] = each
    for name, each in told.items():
        assert each.best is not None
        assert each.unseen is not None
        recipe, changes = each.best.recipe, {kind: each.unseen.measures[kind] for kind in _SHARES if kind in each.unseen.measures}
        how: list[Part] = [command(f"--kind {recipe.kind}", python=f'kind="{recipe.kind}"')]
        how += [command("--bounds free", python="bounds=None")] if recipe.bounds is None else []
        how += [_option("weights", recipe.weights)] if recipe.weights is not None else []
        call = wording(_again(evaluation, "correct fit", *how, after=f'.save("{_FIX}")'), command(f" -o {_FIX}", python=""))
        yield NextStep("correction", call, None, each.best.gain, changes, name, each.measure)


def _gained(step: NextStep) -> float:
    return 0.0 if step.value is None else step.value


def _threshold(evaluation: Judged) -> Iterator[NextStep]:
    """Yield the threshold that finds more of a rare class, or of one that is mostly missed."""
    rare = evaluation.rare
    if rare is None or rare.instead is None or evaluation.thresholds is None:
        return
    point = rare.instead
    changes = {"sensitivity": (float(rare.sensitivity.value), float(point.sensitivity.value))}
    changes["precision"] = float(rare.precision.value), float(point.ppv.value)
    cut = _short(point)
    named = [] if rare.of == evaluation.thresholds.of else [_option("positive", rare.of)]
    given = [part for each in named for part in (command(" ", python=", "), each)]
    call = wording(command("adjudge threshold ", python="adjudge.thresholds("), _source(evaluation), *given, _decided_from(cut))
    yield NextStep("threshold", call, rare.of, cut, changes, rare.threshold)


def _decided_from(cut: float) -> Part:
    return command(f" --threshold {cut!r}", python=f").at({cut!r})")


def _short(point: Operating) -> float:
    """Return a threshold of few digits that decides every case as this one does."""
    assert point.every is not None
    low, high = (float(end[0]) for end in point.every.table().alike(np.array([point.threshold])))
    shorter = (float(f"{point.threshold:.{digits}g}") for digits in range(2, 17))
    return next((cut for cut in shorter if low < cut <= high), point.threshold)


def _more_cases(evaluation: Judged) -> Iterator[NextStep]:
    """Yield how many further cases halve the interval of what the headline tells, where that is wide."""
    rare, weighted = evaluation.rare, evaluation.facts is not None and evaluation.facts.effective_cases is not None
    headline = evaluation.estimates.get("accuracy") if rare is None else rare.sensitivity
    if headline is None or headline.interval is None or evaluation.repeats > 1 or weighted:
        return
    half = (headline.interval.high - headline.interval.low) / 2
    if half <= WIDE:
        return
    goal, rate = float(f"{half / 2:.2g}"), float(headline.value)
    how: dict[str, Any] = {"level": headline.interval.level, "assurance": None}
    total = total_for(rate, goal, share=None if rare is None else rare.share, **how)
    cases = evaluation.origin.rows
    more = 0 if total is None else math.ceil(total / _worth_of_a_case(evaluation, headline)) - cases
    if more > 0:
        call = _again(evaluation, "sample-size", _option("half_width", goal), *_measured(headline, evaluation))
        own = None if rare is None else round(more * rare.share)  # of the class
        among = None if evaluation.clusters is None else evaluation.clusters.clusters * more / cases
        yield NextStep("cases", call, headline.of, more, {"half_width": (half, goal)}, own, headline.measure, among)


def _worth_of_a_case(evaluation: Judged, headline: Estimate) -> float:
    """Return how many independent cases one is worth for the headline: 1 without clusters."""
    counts, level = evaluation.counts, headline.interval.level if headline.interval is not None else evaluation.level
    if counts is None or counts.clusters is None:
        return 1.0
    at = None if headline.of is None else list(counts.classes).index(headline.of)
    return effect_of(counts, find(headline.measure), at=at).share(level)


def _measured(headline: Estimate, evaluation: Judged) -> Iterator[Part]:
    if headline.measure != "accuracy":
        yield _option("measure", headline.measure)
    if headline.of is not None and headline.of != evaluation.positive:
        yield _option("positive", headline.of)


def _calibration(evaluation: Judged) -> Iterator[NextStep]:
    """Yield that probabilities are off on average, where corrections of them can be tried."""
    known, weak, drawn = evaluation.correctable, evaluation.weaknesses, evaluation.drawn
    many = known is None and drawn is not None and len(drawn.classes) > MOST_CLASSES  # which are tried when they are asked for
    if weak is None or not (many or (known is not None and not known.refused)):
        return
    own = evaluation.class_confidence
    confidence = own if own is not None else weak.confidence
    if confidence is not None and confidence.verdict:
        call = _again(evaluation, "correct recommend", _option("measure", "brier"))
        changes = {"mean_probability": (confidence.mean_probability, float(confidence.observed.value))}
        yield NextStep("calibration", call, confidence.of, confidence.gap, changes, confidence.verdict, "brier")


def _weak_class(evaluation: Judged) -> Iterator[NextStep]:
    """Yield the class that surely lies below the others, and what finding it as often as them would add to the accuracy."""
    counts, weak = evaluation.counts, evaluation.weaknesses
    if counts is None or weak is None or not weak.weak_classes or counts.k <= len(_SHARES):
        return
    worst = weak.weak_classes[0]
    at, seen = list(counts.classes).index(worst.of), counts.support > 0
    recalls = counts.correct[seen] / counts.support[seen]
    others = float((recalls.sum() - worst.value) / (recalls.size - 1))
    now, added = float(counts.correct.sum() / counts.n), float(counts.support[at] * (others - worst.value) / counts.n)
    taken = next((each for each in weak.confusions if each.truth == worst.of), None)
    changes = {"sensitivity": (float(worst.value), others), "accuracy": (now, now + added)}
    where = (None, None) if taken is None else (taken.cases, taken.decided)
    yield NextStep("class", "", worst.of, where[0], changes, where[1])


# -- numbers, and several sets ---------------------------------------------------------------------------------


def _of_numbers(evaluation: Judged) -> Iterator[NextStep]:
    """Yield what lowers the error of numeric predictions, with what the RMSE would be, and what narrows its interval."""
    rmse, known, n = evaluation.estimates["rmse"], evaluation.residuals, evaluation.numbers.n
    explained, bias = evaluation.estimates["r2"].interval, evaluation.estimates["mean_error"]
    if explained is not None and explained.high <= 0:
        yield NextStep("mean", changes={"rmse": (float(rmse.value), known.rmse_of_mean)})
    sure = [part for part in known.regions if part.interval.low > 0 or part.interval.high < 0]
    biased = bias.interval is not None and (bias.interval.low > 0 or bias.interval.high < 0)
    if biased:
        yield NextStep("bias", value=float(bias.value), changes={"rmse": (float(rmse.value), _without(rmse, bias.value, 1.0))})
    far = [NextStep("outliers", value=max(1, round(n / 100)), name=known.worst_share)] if known.worst_share >= NOTABLE else []
    if sure and not biased:
        worst = max(sure, key=lambda part: abs(part.mean_error))
        without = _without(rmse, worst.mean_error, worst.cases / known.drawn)
        changes = {"rmse": (float(rmse.value), without)}
        region = NextStep("region", of=(worst.low, worst.high), value=worst.mean_error, changes=changes)
        large = without < (1 - LARGE_GAIN) * rmse.value
        far = [region, *far] if large else [*far, region]
    yield from far
    limits = rmse.interval
    half = 0.0 if limits is None else (limits.high - limits.low) / 2
    if half > NOTABLE * rmse.value and evaluation.repeats <= 1:
        yield NextStep("errors", value=3 * n, changes={"half_width": (half, half / 2)}, measure="rmse")


def _without(rmse: Estimate, mean: float, part: float) -> float:
    """Return the RMSE when the mean error of a part of the cases is taken away from them."""
    return math.sqrt(max(0.0, float(rmse.value) ** 2 - part * mean**2))


def between(comparison: Comparison, evaluations: Sequence[Judged]) -> tuple[NextStep, ...]:
    """Return which of two sets to use, and what to do next about that one."""
    best, names, values = int(comparison.verdict == "worse"), comparison.names, comparison.values
    told: dict[str, Any] = {"changes": {comparison.measure: (float(values[1 - best]), float(values[best]))}}
    if comparison.verdict == "undecided":
        return (NextStep("undecided", value=comparison.more_cases, name=names, **told),)
    call, own = _again(evaluations[best], "report"), evaluations[best].next_steps
    if comparison.verdict == "equivalent":
        return (NextStep("either", value=comparison.margin, name=names, **told), *own)[:MOST_STEPS]
    return (NextStep("choose", call, value=comparison.difference, name=names[best], **told), *own)[:MOST_STEPS]
