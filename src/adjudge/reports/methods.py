"""How the numbers were made, in words, with the paper behind each method."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.counts.confusion import WeightedCounts
from adjudge.judgements.evaluation import Evaluation
from adjudge.reports.mendings import METHOD
from adjudge.reports.values import method, percent


def methods(result: Evaluation) -> tuple[str, ...]:
    """Return one paragraph per method that was used."""
    return tuple(_of_numbers() if result.counts is None else _of_classes(result))


def _of_numbers() -> Iterator[str]:
    yield "Losses are totals over all cases divided by the number (or weight) of cases."
    yield "Relative errors divide the total loss by that of always answering the mean of the truth: below 1 is better than that."


def _of_classes(result: Evaluation) -> Iterator[str]:
    level = percent(result.level)
    yield (
        f"Intervals of shares hold the true share {level} of the time ({_share_method(result)} limits of a binomial "
        "proportion). They speak of the finite number of cases only: not of another population or other labels."
    )
    if result.repeats > 1:
        yield "Cases that come back in several folds count once in intervals, however many answers there are about them."
    elif isinstance(result.counts, WeightedCounts):
        yield "Weighted cases: intervals use the number of equally weighted cases worth as much, (sum w)² / sum w² (Kish 1965)."
    if result.counts is not None and result.counts.has_rejected:
        yield "Rejected cases are neither right nor wrong, but they are cases: accuracy and sensitivity are shares of all."
    yield "Averages over classes leave out classes without a case. Balanced accuracy is the mean of the sensitivities."
    yield (
        "Its interval puts the limits of the sensitivities together (MOVER, Zou and Donner 2008); the AUC's joins "
        "Newcombe's (2006) and the logit DeLong limits; others are Wilson's for as many cases as the measure is worth."
    )
    if result.mendable is not None and not result.mendable.refused:
        yield METHOD
    if result.belief is not None:
        yield (
            "Densities are posteriors of Beta rates; the balanced accuracy averages independent ones (Brodersen et al. 2010), "
            "integrated, not drawn. The bar of two standard errors is what is commonly reported; it knows no end at 100%."
        )
        yield _tested(result.belief.tested)
    yield from _of_scores(result)
    yield "A measure that has no value on these cases is undefined, with the reason; it is never set to 0 or 1."


def _share_method(result: Evaluation) -> str:
    return method(result.estimates["accuracy"].interval)


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
    yield "AUC is the probability that a case of the class scores higher than another, ties counted as one half."
    if "auc_hand_till" in result.estimates:
        yield "The AUC over all pairs of classes does not depend on how common they are (Hand and Till 2001)."
    if "reliability" in result.curves:
        yield "The log loss is not clipped: one case called impossible that happened makes it infinite."
        yield "The calibration error takes 15 equal bins of the highest probability (Guo et al. 2017)."
    yield "Curves are drawn with at most 400 points; areas are computed from all."
