"""Methods, in words: a paragraph a topic, and the papers behind them, numbered where they are named and told in full below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge._base.levels import share
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.describe.corrections import METHOD
from adjudge.describe.thresholds import METHODS
from adjudge.describe.values import method, percent
from adjudge.judgements.curves import RARE
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.weaknesses import LARGE, WEAK

PAPERS = {
    "Brier 1950": "Brier GW (1950). Verification of forecasts expressed in terms of probability. Mon. Weather Rev. 78:1-3.",
    "Brodersen et al. 2010": "Brodersen KH, Ong CS, Stephan KE, Buhmann JM (2010). The balanced accuracy and its posterior "
    "distribution. Proc. 20th Int. Conf. Pattern Recognition, 3121-3124.",
    "Campbell 1994": "Campbell G (1994). Advances in statistical methodology for the evaluation of diagnostic and laboratory "
    "tests. Stat. Med. 13:499-508.",
    "Clopper and Pearson 1934": "Clopper CJ, Pearson ES (1934). The use of confidence or fiducial limits illustrated in the "
    "case of the binomial. Biometrika 26:404-413.",
    "Cochran 1977": "Cochran WG (1977). Sampling techniques, third edition. Wiley, New York.",
    "Davis and Goadrich 2006": "Davis J, Goadrich M (2006). The relationship between precision-recall and ROC curves. Proc. "
    "23rd Int. Conf. Machine Learning, 233-240.",
    "DeLong et al. 1988": "DeLong ER, DeLong DM, Clarke-Pearson DL (1988). Comparing the areas under two or more correlated "
    "receiver operating characteristic curves: a nonparametric approach. Biometrics 44:837-845.",
    "Donner and Zou 2012": "Donner A, Zou GY (2012). Closed-form confidence intervals for functions of the normal mean and "
    "standard deviation. Stat. Methods Med. Res. 21:347-359.",
    "Duch and Itert 2003": "Duch W, Itert L (2003). A posteriori corrections to classification methods. In: Neural Networks and "
    "Soft Computing, Physica-Verlag, 406-411.",
    "Guo et al. 2017": "Guo C, Pleiss G, Sun Y, Weinberger KQ (2017). On calibration of modern neural networks. Proc. 34th Int. "
    "Conf. Machine Learning, PMLR 70:1321-1330.",
    "Hand and Till 2001": "Hand DJ, Till RJ (2001). A simple generalisation of the area under the ROC curve for multiple class "
    "classification problems. Mach. Learn. 45:171-186.",
    "Holm 1979": "Holm S (1979). A simple sequentially rejective multiple test procedure. Scand. J. Stat. 6:65-70.",
    "Kish 1965": "Kish L (1965). Survey Sampling. Wiley, New York.",
    "Lancaster 1961": "Lancaster HO (1961). Significance tests in discrete distributions. J. Am. Stat. Assoc. 56:223-234.",
    "Landis et al. 1978": "Landis JR, Heyman ER, Koch GG (1978). Average partial association in three-way contingency tables: a "
    "review and discussion of alternative tests. Int. Stat. Rev. 46:237-254.",
    "Massart 1990": "Massart P (1990). The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality. Ann. Probab. "
    "18:1269-1283.",
    "Murphy 1973": "Murphy AH (1973). Hedging and skill scores for probability forecasts. J. Appl. Meteorol. 12:215-223.",
    "Nadeau and Bengio 2003": "Nadeau C, Bengio Y (2003). Inference for the generalization error. Mach. Learn. 52:239-281.",
    "Newcombe 2006": "Newcombe RG (2006). Confidence intervals for an effect size measure based on the Mann-Whitney statistic. "
    "Part 2: asymptotic methods and evaluation. Stat. Med. 25:559-573.",
    "Rubin 1981": "Rubin DB (1981). The Bayesian bootstrap. Ann. Stat. 9:130-134.",
    "Sondhauss and Weihs 2001": "Sondhauss U, Weihs C (2001). Standardizing the comparison of partitions. Technical Report "
    "2001,31, SFB 475, University of Dortmund.",
    "Wilson 1927": "Wilson EB (1927). Probable inference, the law of succession, and statistical inference. J. Am. Stat. Assoc. "
    "22:209-212.",
    "Youden 1950": "Youden WJ (1950). Index for rating diagnostic tests. Cancer 3:32-35.",
    "Zou and Donner 2008": "Zou GY, Donner A (2008). Construction of confidence limits about effect measures: a general "
    "approach. Stat. Med. 27:1693-1702.",
}
"""What a sentence calls a paper -> the paper in full."""


def cited(sentences: Iterable[str]) -> tuple[str, ...]:
    """Return sentences with the papers they name numbered as they come, and the numbered papers after them.

    >>> cited(["Worth as much (Kish 1965).", "Again (Kish 1965)."])[1:]
    ('Again (Kish 1965 [1]).', '[1] Kish L (1965). Survey Sampling. Wiley, New York.')
    """
    numbers: dict[str, int] = {}
    told = []
    for sentence in sentences:
        words = sentence
        for name in sorted((name for name in PAPERS if name in sentence), key=sentence.index):
            words = words.replace(name, f"{name} [{numbers.setdefault(name, len(numbers) + 1)}]")
        told.append(words)
    return (*told, *(f"[{at}] {PAPERS[name]}" for name, at in numbers.items()))


_SAID = {
    "numbers": "Losses are totals over all cases divided by the number (or weight) of cases.",
    "relative": "Relative errors divide the total loss by that of always predicting the mean of the truth: below 1 is better "
    "than that.",
    "finite": "Intervals hold the true value {} of the time; they speak of the finite number of cases only.",
    "shares": "Shares. Intervals hold the true share {} of the time: {} limits of a binomial proportion{}. They speak of the "
    "finite number of cases only: not of another population or other labels.",
    "repeats": "Cases that come back in several folds count once in intervals, however many answers there are about them.",
    "weights": "Weighted cases: intervals use the number of equally weighted cases worth as much, (sum w)² / sum w² (Kish 1965).",
    "rejected": "Rejected cases are neither right nor wrong, but they are cases: accuracy and sensitivity are shares of all.",
    "averages": "Averages over classes leave out classes without a case. Balanced accuracy is the mean of the sensitivities; its "
    "interval puts their limits together (MOVER, Zou and Donner 2008). Intervals of MCC, kappa and other measures of the whole "
    "table are Wilson's (Wilson 1927) for as many cases as the measure is worth by the delta method.",
    "weak": "Weak classes. A class is named only if its sensitivity is surely more than {} below the mean of all others (MOVER, "
    "Zou and Donner 2008), a confusion only if it surely takes over {} of a class (Clopper and Pearson 1934); all bounds hold at "
    "once (Bonferroni).",
    "chance": "Chance. Decisions are above chance where a one-sided permutation test of the balanced accuracy has p of at most "
    "5%, both margins of the table being fixed and ties counted half (mid-P, Lancaster 1961); for two classes it is Fisher's "
    "exact test. A classifier that always predicts the same class gets 0.5. Rejected cases are left out.",
    "rare": "Rare classes. A class is rare below a fifth of an equal share of the cases, {} here, and mostly missed if surely "
    "less than half is found.",
    "instead": " The other threshold has the largest sensitivity + specificity (Youden 1950), as if a miss cost as many false "
    "alarms as there are other cases to one of the class. It was chosen on these cases: on others it will do a little worse.",
    "posteriors": "Densities are posteriors of Beta rates; the balanced accuracy averages independent ones (Brodersen et al. "
    "2010), integrated, not drawn. The bar of two standard errors is what is commonly reported; it knows no end at 100%.",
    "one": "The counts are taken as one classifier's: what holds of it need not hold of the same algorithm trained anew.",
    "folded": "The counts are summed over folds, so they speak of the algorithm on these cases. The folds share training cases, "
    "which the intervals know nothing of: for an algorithm trained anew they are too narrow (Nadeau and Bengio 2003).",
    "ranking": "Ranking. AUC is the probability that a case of the class scores higher than another, ties counted as one half; "
    "its interval joins Newcombe's (Newcombe 2006) and the logit limits of DeLong et al. 1988.",
    "pairs": " Over all pairs of classes it does not depend on how common they are (Hand and Till 2001).",
    "steps": "Steps of precision are not joined by straight lines, which no threshold reaches (Davis and Goadrich 2006).",
    "probabilities": "Probabilities. The Brier score (Brier 1950) is the mean squared distance to what happened. The log loss is "
    "not clipped: one case called impossible that happened makes it infinite. How much better they are than the class shares "
    "alone is 1 less their quotient (Murphy 1973). The calibration error takes 15 equal bins of the highest probability (Guo et "
    "al. 2017). Probabilities of a class are called too high or too low, those of the predicted class over- or underconfident, "
    "only if their mean lies outside the interval of how often it happened.",
    "curves": "Curves are drawn with at most 400 points; areas are computed from all.",
    "sampled": " Of many cases some are drawn, always the same: each class keeps all its cases up to a number equal for all "
    "classes, and a case stands for as many of its class as there were for each kept (Cochran 1977).",
    "groups": "Groups. Whether they differ is tested class by class and summed up (generalised test of Cochran, Mantel and "
    "Haenszel, Landis et al. 1978). Counting groups alike, the sensitivity of a class is averaged over the groups it is seen in, "
    "and then over the classes: what a classifier owes to recognising the group is taken away.",
    "folds": "Folds. For the algorithm trained anew the mean of folds has Student's t with a variance corrected for the training "
    "cases that folds share (Nadeau and Bengio 2003).",
    "simplex": "Simplex. Memberships of cases assigned alike are moved so that on average they are as high as the assignments "
    "are right (Sondhauss and Weihs 2001). Ac is 1 less the mean distance to the corner of the true class over that of the "
    "centre, AS the same for the class assigned; limits come from weighing cases anew (Rubin 1981).",
    "undefined": "Undefined. A measure that has no value on these cases is undefined, with the reason; it is never set to 0 "
    "or 1.",
}
"""Paragraphs by topic."""


def methods(result: Evaluation) -> tuple[str, ...]:
    """Return one paragraph per topic of which there is something on the page, then the papers named there."""
    if result.undecided is not None:
        return cited(_of_scores(result))
    if result.counts is None:
        return cited((_SAID["numbers"], _SAID["relative"], _SAID["finite"].format(percent(result.level))))
    told = [*_of_decisions(result, result.counts), *_of_scores(result)]
    if result.recommendations and result.correctable is not None:
        told.append(f"Corrections. {METHOD}{_SAID['sampled'] if result.correctable.cases.weight is not None else ''}")
    told += [_SAID["groups"]] if len(result.by_group) > 1 else []
    told += [_SAID["folds"]] if len(result.by_fold) > 1 else []
    told += [_SAID["simplex"]] if result.drawn is not None and result.partition_intervals is not None else []
    return cited([*told, _SAID["undefined"]])


def _of_decisions(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    """Yield how shares, averages, chance and posteriors were worked out from the counts."""
    used = method(result.estimates["accuracy"].interval)
    paper = {"mid-P": " (Lancaster 1961)", "Wilson score": " (Wilson 1927)"}.get(used, "")
    yield _SAID["shares"].format(percent(result.level), used, paper)
    if result.repeats > 1:
        yield _SAID["repeats"]
    elif isinstance(counts, WeightedCounts):
        yield _SAID["weights"]
    if counts.has_rejected:
        yield _SAID["rejected"]
    yield _SAID["averages"]
    yield _SAID["weak"].format(percent(WEAK), percent(LARGE))
    if result.chance is not None and result.chance.classes > 1:
        yield _SAID["chance"]
    if result.rare is not None:
        yield _SAID["rare"].format(share(RARE / counts.k)) + (_SAID["instead"] if result.rare.instead is not None else "")
    if result.accuracy_posteriors is not None:
        yield _SAID["posteriors"]
        alone = result.accuracy_posteriors.tested.startswith("one classifier")  # or the algorithm that made one for each fold
        yield _SAID["one" if alone else "folded"]


def _of_scores(result: Evaluation) -> Iterator[str]:
    if "auc" not in result.estimates:
        return
    yield _SAID["ranking"] + (_SAID["pairs"] if "auc_hand_till" in result.estimates else "")
    if result.curves.get("roc"):
        yield from (*METHODS, _SAID["steps"])
    if "reliability" in result.curves:
        yield _SAID["probabilities"]
    yield _SAID["curves"]
