"""Methods, in words: a paragraph a topic, and the papers in full below."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge._base.levels import share
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.describe.ranking_sections import METHODS
from adjudge.describe.recommendations import METHOD
from adjudge.describe.references import cited
from adjudge.describe.values import method, percent
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.subject import RARE
from adjudge.judgements.weaknesses import LARGE, WEAK


def methods(result: Evaluation) -> tuple[str, ...]:
    """Return one paragraph per topic of which there is something on the page, then the papers named there."""
    if result.undecided is not None:
        return cited(_of_scores(result))
    return cited(_of_numbers(result) if result.counts is None else _of_classes(result, result.counts))


def _of_numbers(result: Evaluation) -> Iterator[str]:
    yield "Losses are totals over all cases divided by the number (or weight) of cases."
    yield "Relative errors divide the total loss by that of always predicting the mean of the truth: below 1 is better than that."
    yield f"Intervals hold the true value {percent(result.level)} of the time; they speak of the finite number of cases only."


def _of_classes(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    yield from _of_shares(result, counts)
    yield from _of_averages()
    if result.chance is not None and result.chance.classes > 1:
        yield _CHANCE
    yield from _of_rare(result, counts)
    yield from _of_posteriors(result)
    yield from _of_scores(result)
    if result.recommendations and result.correctable is not None:
        yield f"Corrections. {METHOD}{_SAMPLED if result.correctable.cases.weight is not None else ''}"
    yield from _of_groups(result)
    if result.drawn is not None and result.partition_intervals is not None:
        yield _SIMPLEX
    yield "Undefined. A measure that has no value on these cases is undefined, with the reason; it is never set to 0 or 1."


def _of_shares(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    used = method(result.estimates["accuracy"].interval)
    paper = {"mid-P": " (Lancaster 1961)", "Wilson score": " (Wilson 1927)"}.get(used, "")
    yield (
        f"Shares. Intervals hold the true share {percent(result.level)} of the time: {used} limits of a binomial "
        f"proportion{paper}. They speak of the finite number of cases only: not of another population or other labels."
    )
    if result.repeats > 1:
        yield "Cases that come back in several folds count once in intervals, however many answers there are about them."
    elif isinstance(counts, WeightedCounts):
        yield "Weighted cases: intervals use the number of equally weighted cases worth as much, (sum w)² / sum w² (Kish 1965)."
    if counts.has_rejected:
        yield "Rejected cases are neither right nor wrong, but they are cases: accuracy and sensitivity are shares of all."


def _of_rare(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    """Yield what is called rare, and how the other threshold is chosen."""
    rare = result.rare
    if rare is None:
        return
    chosen = (
        " The other threshold has the largest sensitivity + specificity (Youden 1950), as if a miss cost as many false alarms as "
        "there are other cases to one of the class. It was chosen on these cases: on others it will do a little worse."
    )
    yield (
        f"Rare classes. A class is rare below a fifth of an equal share of the cases, {share(RARE / counts.k)} here, "
        f"and mostly missed if surely less than half is found.{chosen if rare.instead is not None else ''}"
    )


def _of_averages() -> Iterator[str]:
    yield (
        "Averages over classes leave out classes without a case. Balanced accuracy is the mean of the sensitivities; its "
        "interval puts their limits together (MOVER, Zou and Donner 2008). Intervals of MCC, kappa and other measures of the "
        "whole table are Wilson's (Wilson 1927) for as many cases as the measure is worth by the delta method."
    )
    yield (
        f"Weak classes. A class is named only if its sensitivity is surely more than {percent(WEAK)} below the mean of all "
        f"others (MOVER, Zou and Donner 2008), a confusion only if it surely takes over {percent(LARGE)} of a class (Clopper and "
        "Pearson 1934); all bounds hold at once (Bonferroni)."
    )


def _of_posteriors(result: Evaluation) -> Iterator[str]:
    if result.accuracy_posteriors is None:
        return
    yield (
        "Densities are posteriors of Beta rates; the balanced accuracy averages independent ones (Brodersen et al. 2010), "
        "integrated, not drawn. The bar of two standard errors is what is commonly reported; it knows no end at 100%."
    )
    yield _tested(result.accuracy_posteriors.tested)


def _tested(tested: str) -> str:
    """Say whose accuracy it is: a classifier's, or that of the algorithm that made one for each fold."""
    if tested.startswith("one classifier"):
        return "The counts are taken as one classifier's: what holds of it need not hold of the same algorithm trained anew."
    return (
        "The counts are summed over folds, so they speak of the algorithm on these cases. The folds share training cases, "
        "which the intervals know nothing of: for an algorithm trained anew they are too narrow (Nadeau and Bengio 2003)."
    )


def _of_scores(result: Evaluation) -> Iterator[str]:
    if "auc" not in result.estimates:
        return
    pairs = " Over all pairs of classes it does not depend on how common they are (Hand and Till 2001)."
    yield (
        "Ranking. AUC is the probability that a case of the class scores higher than another, ties counted as one half; its "
        "interval joins Newcombe's (Newcombe 2006) and the logit limits of DeLong et al. 1988."
        f"{pairs if 'auc_hand_till' in result.estimates else ''}"
    )
    if result.curves.get("roc"):
        yield from METHODS
        yield "Steps of precision are not joined by straight lines, which no threshold reaches (Davis and Goadrich 2006)."
    if "reliability" in result.curves:
        yield (
            "Probabilities. The Brier score (Brier 1950) is the mean squared distance to what happened. The log loss is not "
            "clipped: one case called impossible that happened makes it infinite. How much better they are than the class shares "
            "alone is 1 less their quotient (Murphy 1973). The calibration error takes 15 equal bins of the highest probability "
            "(Guo et al. 2017). Probabilities of a class are called too high or too low, those of the predicted class over- or "
            "underconfident, only if their mean lies outside the interval of how often it happened."
        )
    yield "Curves are drawn with at most 400 points; areas are computed from all."


def _of_groups(result: Evaluation) -> Iterator[str]:
    if len(result.by_group) > 1:
        yield (
            "Groups. Whether they differ is tested class by class and summed up (generalised test of Cochran, Mantel and "
            "Haenszel, Landis et al. 1978). Counting groups alike, the sensitivity of a class is averaged over the groups it is "
            "seen in, and then over the classes: what a classifier owes to recognising the group is taken away."
        )
    if len(result.by_fold) > 1:
        yield (
            "Folds. For the algorithm trained anew the mean of folds has Student's t with a variance corrected for the training "
            "cases that folds share (Nadeau and Bengio 2003)."
        )


_CHANCE = (
    "Chance. Decisions are above chance where a one-sided permutation test of the balanced accuracy has p of at most 5%, both "
    "margins of the table being fixed and ties counted half (mid-P, Lancaster 1961); for two classes it is Fisher's exact test. "
    "A classifier that always predicts the same class gets 0.5. Rejected cases are left out."
)
_SAMPLED = (
    " Of many cases some are drawn, always the same: each class keeps all its cases up to a number equal for all classes, and a "
    "case stands for as many of its class as there were for each kept (Cochran 1977)."
)
_SIMPLEX = (
    "Simplex. Memberships of cases assigned alike are moved so that on average they are as high as the assignments are right "
    "(Sondhauss and Weihs 2001). Ac is 1 less the mean distance to the corner of the true class over that of the centre, AS the "
    "same for the class assigned; limits come from weighing cases anew (Rubin 1981)."
)
