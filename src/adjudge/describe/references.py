"""The papers behind the methods: what is named in a sentence is numbered there and told in full below."""

from __future__ import annotations

import re
from collections.abc import Iterable

PAPERS = {
    "Brier 1950": "Brier GW (1950). Verification of forecasts expressed in terms of probability. Mon. Weather Rev. 78:1-3.",
    "Brodersen et al. 2010": (
        "Brodersen KH, Ong CS, Stephan KE, Buhmann JM (2010). The balanced accuracy and its posterior distribution. "
        "Proc. 20th Int. Conf. Pattern Recognition, 3121-3124."
    ),
    "Campbell 1994": (
        "Campbell G (1994). Advances in statistical methodology for the evaluation of diagnostic and laboratory tests. "
        "Stat. Med. 13:499-508."
    ),
    "Clopper and Pearson 1934": (
        "Clopper CJ, Pearson ES (1934). The use of confidence or fiducial limits illustrated in the case of the binomial. "
        "Biometrika 26:404-413."
    ),
    "Cochran 1977": "Cochran WG (1977). Sampling techniques, third edition. Wiley, New York.",
    "Davis and Goadrich 2006": (
        "Davis J, Goadrich M (2006). The relationship between precision-recall and ROC curves. "
        "Proc. 23rd Int. Conf. Machine Learning, 233-240."
    ),
    "DeLong et al. 1988": (
        "DeLong ER, DeLong DM, Clarke-Pearson DL (1988). Comparing the areas under two or more correlated receiver operating "
        "characteristic curves: a nonparametric approach. Biometrics 44:837-845."
    ),
    "Donner and Zou 2012": (
        "Donner A, Zou GY (2012). Closed-form confidence intervals for functions of the normal mean and standard deviation. "
        "Stat. Methods Med. Res. 21:347-359."
    ),
    "Duch and Itert 2003": (
        "Duch W, Itert L (2003). A posteriori corrections to classification methods. In: Neural Networks and Soft Computing, "
        "Physica-Verlag, 406-411."
    ),
    "Guo et al. 2017": (
        "Guo C, Pleiss G, Sun Y, Weinberger KQ (2017). On calibration of modern neural networks. "
        "Proc. 34th Int. Conf. Machine Learning, PMLR 70:1321-1330."
    ),
    "Hand and Till 2001": (
        "Hand DJ, Till RJ (2001). A simple generalisation of the area under the ROC curve for multiple class classification "
        "problems. Mach. Learn. 45:171-186."
    ),
    "Holm 1979": "Holm S (1979). A simple sequentially rejective multiple test procedure. Scand. J. Stat. 6:65-70.",
    "Kish 1965": "Kish L (1965). Survey Sampling. Wiley, New York.",
    "Lancaster 1961": "Lancaster HO (1961). Significance tests in discrete distributions. J. Am. Stat. Assoc. 56:223-234.",
    "Landis et al. 1978": (
        "Landis JR, Heyman ER, Koch GG (1978). Average partial association in three-way contingency tables: a review and "
        "discussion of alternative tests. Int. Stat. Rev. 46:237-254."
    ),
    "Massart 1990": (
        "Massart P (1990). The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality. Ann. Probab. 18:1269-1283."
    ),
    "Murphy 1973": "Murphy AH (1973). Hedging and skill scores for probability forecasts. J. Appl. Meteorol. 12:215-223.",
    "Nadeau and Bengio 2003": ("Nadeau C, Bengio Y (2003). Inference for the generalization error. Mach. Learn. 52:239-281."),
    "Newcombe 2006": (
        "Newcombe RG (2006). Confidence intervals for an effect size measure based on the Mann-Whitney statistic. Part 2: "
        "asymptotic methods and evaluation. Stat. Med. 25:559-573."
    ),
    "Rubin 1981": "Rubin DB (1981). The Bayesian bootstrap. Ann. Stat. 9:130-134.",
    "Sondhauss and Weihs 2001": (
        "Sondhauss U, Weihs C (2001). Standardizing the comparison of partitions. Technical Report 2001,31, SFB 475, "
        "University of Dortmund."
    ),
    "Wilson 1927": (
        "Wilson EB (1927). Probable inference, the law of succession, and statistical inference. J. Am. Stat. Assoc. 22:209-212."
    ),
    "Youden 1950": "Youden WJ (1950). Index for rating diagnostic tests. Cancer 3:32-35.",
    "Zou and Donner 2008": (
        "Zou GY, Donner A (2008). Construction of confidence limits about effect measures: a general approach. "
        "Stat. Med. 27:1693-1702."
    ),
}
"""What a sentence calls a paper -> the paper in full."""

_MENTION = re.compile("|".join(re.escape(name) for name in sorted(PAPERS, key=len, reverse=True)))


def cited(sentences: Iterable[str]) -> tuple[str, ...]:
    """Return sentences with the papers they name numbered as they come, and the numbered papers after them.

    >>> cited(["Worth as much (Kish 1965).", "Again (Kish 1965)."])[1:]
    ('Again (Kish 1965 [1]).', '[1] Kish L (1965). Survey Sampling. Wiley, New York.')
    """
    numbers: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        return f"{found[0]} [{numbers.setdefault(found[0], len(numbers) + 1)}]"

    told = [_MENTION.sub(numbered, sentence) for sentence in sentences]
    return (*told, *(f"[{at}] {PAPERS[name]}" for name, at in numbers.items()))
