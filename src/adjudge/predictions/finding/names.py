"""What the names of columns say about the part they play.

Names come second to values: they settle what values cannot, and only through these patterns, so that
everything adjudge believes about a name can be read in one place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

STRONG, WEAK, SILENT = 2, 1, 0
"""How clearly a name says its role: y_true says truth; label only suggests it."""

_STRENGTHS: dict[str, tuple[list[str], list[str]]] = {
    "truth": (
        [
            r"y_?(true|actual|test|obs)|truth|true(_?(label|class|y|value)s?)?",
            r"actuals?(_?(label|class|value))?|obs|observed|gold(_?label)?|ground_?truth|expected|reference",
        ],
        [r"labels?(_?ids?)?|targets?|y|class(es)?|class_?ids?|target_?ids?|outcome"],
    ),
    "predicted": (
        [
            r"y_?pred(icted|iction)?s?|y_?hat|pred(icted|iction)?_.+|.+_pred(icted|iction|ictions|s)?",
            r"pred(s|ict|icted|iction|ictions)?(_?(label|class|value|target|y)(e?s)?)?",
            r"prediction_?\(.+\)|decision|assigned(_?(class|label))?",
        ],
        [r"response|estimate|decided|output"],
    ),
    "score": (
        [
            r"y_?(prob|proba|probs|score|scores)|scores?|prob(a|s|abs?|ability|abilities)?|probability=.+",
            r"p|p1|p_?hat|pred(icted|iction)?_?(prob|proba|probability|score)|conf(idence)?|logits?|margin",
            r"decision_?function|raw_?(prediction|score|formula_?val|output|margin)s?",
        ],
        [
            r"(p|prob|proba|probability|score|confidence|conf|posterior|pred)[_.( =].+",
            r".+[_. ](prob|proba|probability|score|confidence|conf|prediction)",
        ],
    ),
    "fold": (
        [r"(cv_?)?folds?(_?(id|idx|index|no|nr))?|k_?fold|test_?fold"],
        [r"resample(_?id)?|cv|split(_?(id|no))?|iteration|iter"],
    ),
    "weight": ([r"(sample|case|row|instance)_?weights?"], [r"weights?|wt|w"]),
    "group": (
        [r"groups?(_?id)?"],
        [r"subgroup|segment|slice|cohort|site|(patient|subject|user|person|participant|cluster)(_?id)?"],
    ),
    "row": (
        [
            r"row(s|_?(ids?|index|idx|names?|no|nr|number))?",
            r"(sample|case|instance|example|obs(ervation)?)_?ids?",
        ],
        [r"|ids?|index|idx|key|uuid|guid|doc_?id|unnamed:_?0|inst#"],
    ),
    "model": (
        [r"model(_?(name|id))?|classifier|learner(_?id)?|algorithm|wflow_?id|config|estimator"],
        [r"(?!)"],
    ),
}
_IDENTITY = r".+_ids?"
_COMPILED = {role: (re.compile("|".join(strong)), re.compile("|".join(weak))) for role, (strong, weak) in _STRENGTHS.items()}

VOTE_WORDS = frozenset({"vote", "votes", "count", "counts"})
LOGIT_WORDS = frozenset(
    {"logit", "logits", "raw", "score", "scores", "margin", "margins", "out", "output", "outputs", "decision"}
)
PROBABILITY_WORDS = frozenset(
    {
        "p",
        "prob",
        "probs",
        "proba",
        "probability",
        "probabilities",
        "pred",
        "prediction",
        "confidence",
        "conf",
    }
    | {"posterior", "score", "scores", "softmax", "pct", "percent"}
)
RAW_WORDS = frozenset({"raw", "rawprediction", "rawformulaval", "margin", "logit", "logits", "decision"})


def strength(role: str, name: str) -> int:
    """Return how clearly `name` says `role`: STRONG, WEAK or SILENT.

    >>> strength("truth", "y_true"), strength("truth", "Label"), strength("truth", "age")
    (2, 1, 0)
    """
    plain = re.sub(r"\s+", "_", name.strip()).lower().removeprefix(".")
    if not plain and role != "row":
        return SILENT
    strong, weak = _COMPILED[role]
    return STRONG if strong.fullmatch(plain) else WEAK if weak.fullmatch(plain) else SILENT


def clearest(role: str, names: Iterable[str]) -> list[str]:
    """Return those of `names` that say `role` most clearly; none when none does."""
    ranked = [(strength(role, name), name) for name in names]
    best = max((rank for rank, _ in ranked), default=SILENT)
    return [name for rank, name in ranked if rank == best and best > SILENT]


def names_truth(name: str) -> bool:
    """Say whether the name means truth rather than decision."""
    return strength("truth", name) > strength("predicted", name)


def names_decision(name: str) -> bool:
    """Say whether the name means decision rather than truth."""
    return strength("predicted", name) > strength("truth", name)


def names_something_else(name: str) -> bool:
    """Say whether the name means an identity, a fold, a weight or a group: never a label."""
    plain = name.strip().lower()
    aside = any(strength(role, name) for role in ("row", "fold", "weight", "group", "model"))
    return not names_truth(name) and (aside or re.fullmatch(_IDENTITY, plain) is not None)


def words(name: str) -> frozenset[str]:
    """Return the words of a name in lower case: 'rawScore_A' says raw, score, rawscore and a."""
    parts = re.split(r"[\W_]+", name)
    pieces = [piece for part in parts for piece in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", part)]
    return frozenset(word.lower() for word in (*parts, *pieces) if word)


def mentions(name: str, target: str) -> bool:
    """Say whether `name` is built around `target`, as 'Prediction (class)' is around 'class'.

    >>> mentions("sick_PREDICTION", "sick"), mentions("P (class=*)", "class"), mentions("p_ab", "a")
    (True, True, False)
    """
    return bool(target) and re.search(rf"(?<![^\W_]){re.escape(target)}(?![^\W_])", name) is not None
