"""What the names of columns say: the part they play, and the class between the ends of a template."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from adjudge._base import InputError, dataclass, listed, quoted

STRONG, WEAK, SILENT = 2, 1, 0  # how clearly a name says its role: y_true says truth; label only suggests it

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
            r"prediction_?\(.+\)|decision|assigned(_?(class|label))?|forecast(s|ed)?|fitted(_?values?)?",
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
    "count": (
        [
            r"n|counts?|cnt|freq(uency)?|((n|num|number_of)_?)?cases|(n|num|number_of)_?(rows|obs(ervations)?)|count\(\*\)|count_star\(\)|count_all"
        ],
        [r"(?!)"],
    ),
    "group": (
        [r"groups?(_?id)?"],
        [r"subgroup|segment|slice|cohort|site"],
    ),
    "cluster": (
        [r"clusters?(_?ids?)?|(patient|subject|person|participant|animal|speaker|respondent)s?(_?(ids?|no|nr|number|code))?"],
        [
            r"(user|customer|client|household|family|document|doc|article|prompt|question|session|visit|scan|study|author)(_?(id|no|nr))?"
        ],
    ),
    "run": (
        [
            r"(run|attempt|repetition|annotator|rater|sample_?(no|nr|number))s?(_?(ids?|no|nr|number|index|idx|name))?",
            r"sample_?(index|idx)",
        ],
        [r"seed|random_?(state|seed)|trial(_?(id|no|nr|number|index))?|repeat|rep|replicate|epoch|try|round|vote_?(id|no|nr)"],
    ),
    "row": (
        [r"row(s|_?(ids?|index|idx|names?|no|nr|number))?", r"(sample|case|instance|example|obs(ervation)?)_?ids?"],
        [r"|ids?|index|idx|key|uuid|guid|doc_?id|unnamed:_?0|inst#"],
    ),
    "model": ([r"model(_?(name|id))?|classifier|learner(_?id)?|algorithm|wflow_?id|config|estimator"], [r"(?!)"]),
}
_IDENTITY = r".+_ids?"
_COMPILED = {role: (re.compile("|".join(strong)), re.compile("|".join(weak))) for role, (strong, weak) in _STRENGTHS.items()}

RAW_WORDS = frozenset({"raw", "rawprediction", "rawformulaval", "margin", "logit", "logits", "decision"})
LOGIT_WORDS = RAW_WORDS | {"score", "scores", "margins", "out", "output", "outputs"}
PROBABILITY_WORDS = frozenset(
    {"p", "prob", "probs", "proba", "probability", "probabilities", "pred", "prediction", "confidence", "conf"}
    | {"posterior", "score", "scores", "softmax", "pct", "percent"}
)
_BESIDE_A_CLASS = PROBABILITY_WORDS | LOGIT_WORDS | {"predicted", "class", "of", "is", "y", "hat", "label"}  # in a score's name


def strength(role: str, name: str) -> int:
    """Return how clearly `name` says `role`: STRONG, WEAK or SILENT."""
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
    """Say whether the name means an identity, a fold, a weight or a group: never a label, as animals or subjects may be."""
    plain = name.strip().lower()
    aside = any(strength(role, name) for role in ("row", "fold", "weight", "group", "model"))
    return not names_truth(name) and (aside or re.fullmatch(_IDENTITY, plain) is not None)


def words(name: str) -> frozenset[str]:
    """Return the words of a name in lower case: 'rawScore_A' says raw, score, rawscore and a."""
    parts = re.split(r"[\W_]+", name)
    pieces = [piece for part in parts for piece in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", part)]
    return frozenset(word.lower() for word in (*parts, *pieces) if word)


def mentions(name: str, target: str) -> bool:
    """Say whether `name` is built around `target`, as 'Prediction (class)' is around 'class'."""
    return bool(target) and re.search(rf"(?<![^\W_]){re.escape(target)}(?![^\W_])", name) is not None


_MOST_CUTS = 12
_SEPARATOR = re.compile(r"[\W_]")
_NUMBERED = re.compile(r"(.*?\D)(\d+)")
_WHOLE = re.compile(r"([+-]?\d+)\.0+")


@dataclass(frozen=True)
class Template:
    """A prefix and a suffix, and the column for each text that stands between them."""

    prefix: str
    suffix: str
    columns: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.prefix}*{self.suffix}"

    @property
    def pattern(self) -> str:
        """The template as a user would write it; empty when bare."""
        return "" if self.bare else str(self)

    @property
    def bare(self) -> bool:
        """Whether the columns are named by the class alone."""
        return not self.prefix and not self.suffix

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the part all columns share."""
        return words(self.prefix) | words(self.suffix)

    @cached_property
    def keys(self) -> dict[str, str]:
        """The column for each class as labels are compared; empty when two classes look the same."""
        keys = {key_of(text): column for text, column in self.columns.items()}
        return keys if len(keys) == len(self.columns) else {}

    @cached_property
    def folded(self) -> dict[str, str]:
        """`keys` without regard to case; empty when case alone tells two classes apart."""
        keys = {key.casefold(): column for key, column in self.keys.items()}
        return keys if len(keys) == len(self.columns) else {}


def key_of(text: str) -> str:
    """Return a class name in the form in which names and labels are compared: 1.0 and ' 1' are both '1'."""
    plain = text.strip()
    whole = _WHOLE.fullmatch(plain)
    return whole[1] if whole else plain


def templates(names: Iterable[str]) -> list[Template]:
    """Return every template that two or more of `names` share, and the bare one."""
    known = list(names)
    by_ends: dict[tuple[str, str], dict[str, str]] = {("", ""): {name: name for name in known if name}}
    for name in known:
        for prefix, text, suffix in cuts(name):
            by_ends.setdefault((prefix, suffix), {})[text] = name
    return [Template(*ends, columns) for ends, columns in by_ends.items() if len(columns) > 1]


def filled(pattern: str, names: Iterable[str]) -> Template:
    """Return the template a user wrote with one star, filled with the columns it fits."""
    if pattern.count("*") != 1:
        msg = f"{quoted(pattern)} must hold exactly one star, which stands for the class."
        raise InputError(msg)
    prefix, _, suffix = pattern.partition("*")
    ends = len(prefix) + len(suffix)
    known = list(names)
    fitting = [n for n in known if n.startswith(prefix) and n.endswith(suffix) and len(n) > ends]
    if not fitting:
        msg = f"No column fits {quoted(pattern)}. The columns are {listed(known, 12)}."
        raise InputError(msg)
    return Template(prefix, suffix, {n[len(prefix) : len(n) - len(suffix)]: n for n in fitting})


def cuts(name: str) -> list[tuple[str, str, str]]:
    """Return every (prefix, class, suffix) the name may be."""
    at = [match.start() for match in _SEPARATOR.finditer(name)]
    at = at if len(at) <= _MOST_CUTS else at[: _MOST_CUTS // 2] + at[-_MOST_CUTS // 2 :]
    starts, ends = [0, *(i + 1 for i in at)], [*at, len(name)]
    cut = [(name[:i], name[i:j], name[j:]) for i in starts for j in ends if i < j and (i, j) != (0, len(name))]
    numbered = _NUMBERED.fullmatch(name)
    if numbered and not _SEPARATOR.fullmatch(numbered[1][-1]):
        cut.append((numbered[1], numbered[2], ""))
    return cut


def class_in_name(name: str, labels: Mapping[str, Any]) -> Any | None:
    """Return the one class that a column's name holds beside words for a score; None where it holds none, or several."""
    plain = {key.casefold(): label for key, label in labels.items()}
    parts = [(key_of(text).casefold(), words(prefix) | words(suffix)) for prefix, text, suffix in cuts(name)]
    named = {plain[text]: None for text, beside in parts if text in plain and beside and beside <= _BESIDE_A_CLASS}
    return next(iter(named)) if len(named) == 1 and len(plain) == len(labels) else None
