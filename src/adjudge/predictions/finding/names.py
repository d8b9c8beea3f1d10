"""What the names of columns and their first rows say about the part they play."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted
from adjudge.predictions.labels import ordered, text_of
from adjudge.predictions.roles import Column, Kind

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
        [r"row(s|_?(ids?|index|idx|names?|no|nr|number))?", r"(sample|case|instance|example|obs(ervation)?)_?ids?"],
        [r"|ids?|index|idx|key|uuid|guid|doc_?id|unnamed:_?0|inst#"],
    ),
    "model": ([r"model(_?(name|id))?|classifier|learner(_?id)?|algorithm|wflow_?id|config|estimator"], [r"(?!)"]),
}
_IDENTITY = r".+_ids?"
_COMPILED = {role: (re.compile("|".join(strong)), re.compile("|".join(weak))) for role, (strong, weak) in _STRENGTHS.items()}

VOTE_WORDS = frozenset({"vote", "votes", "count", "counts"})
LOGIT_WORDS = frozenset(
    {"logit", "logits", "raw", "score", "scores", "margin", "margins", "out", "output", "outputs", "decision"}
)
PROBABILITY_WORDS = frozenset(
    {"p", "prob", "probs", "proba", "probability", "probabilities", "pred", "prediction", "confidence", "conf"}
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
    found: dict[tuple[str, str], dict[str, str]] = {("", ""): {name: name for name in known if name}}
    for name in known:
        for prefix, text, suffix in cuts(name):
            found.setdefault((prefix, suffix), {})[text] = name
    return [Template(*ends, columns) for ends, columns in found.items() if len(columns) > 1]


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


FEW = 20
"""So many different labels are always plausible; more must repeat often, or be named."""
_REPEATS = 4
_EDGE = 1e-6  # float32 probabilities may leave [0, 1] by this much


@dataclass(frozen=True, eq=False)
class Sampled:
    """A column's first rows and the facts found in them."""

    column: Column

    @property
    def name(self) -> str:  # noqa: D102
        return self.column.name

    @property
    def kind(self) -> Kind:  # noqa: D102
        return self.column.kind

    @property
    def numeric(self) -> bool:
        """Whether the column holds numbers one by one."""
        return self.kind in ("float", "int")

    @cached_property
    def finite(self) -> FloatArray:
        """The numbers that are there; empty for text."""
        if self.kind not in ("float", "int", "bool"):
            return np.empty(0)
        values: FloatArray = np.asarray(self.column.values, dtype=np.float64)
        return values[np.isfinite(values)]

    @cached_property
    def whole(self) -> bool:
        """Whether there are numbers and all are whole."""
        return self.finite.size > 0 and bool(np.all(self.finite == np.floor(self.finite)))

    @property
    def continuous(self) -> bool:
        """Whether the column holds numbers that cannot be class numbers."""
        return self.kind == "float" and self.finite.size > 0 and not self.whole

    @cached_property
    def unit(self) -> bool:
        """Whether every number lies in [0, 1]."""
        return self.finite.size > 0 and bool(self.finite.min() >= -_EDGE and self.finite.max() <= 1 + _EDGE)

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        """The distinct labels in order; none when the values cannot be labels."""
        if self.kind in ("text", "category"):
            return tuple(ordered({v for v in self.column.values.tolist() if v is not None and v == v}))  # noqa: PLR0124
        if not self.whole:
            return ()
        distinct = sorted(set(self.finite.tolist()))
        return tuple(bool(v) for v in distinct) if self.kind == "bool" else tuple(int(v) for v in distinct)

    @cached_property
    def keys(self) -> dict[str, Any]:
        """The labels by the text they are compared with names by."""
        return {key_of(text_of(label)): label for label in self.labels}

    @cached_property
    def key_set(self) -> frozenset[str]:
        """The keys of `keys`, for set arithmetic."""
        return frozenset(self.keys)

    @cached_property
    def folded(self) -> frozenset[str]:
        """The keys without regard to case; empty when case tells labels apart."""
        folded = frozenset(key.casefold() for key in self.keys)
        return folded if len(folded) == len(self.keys) else frozenset()

    @property
    def size(self) -> int:
        """The number of rows seen."""
        return len(self.column.values)

    @cached_property
    def distinct(self) -> int:
        """The number of different values."""
        return len(self.labels) or len(np.unique(self.finite))

    @cached_property
    def label_like(self) -> bool:
        """Whether this may be the truth or a decision: by its name, whatever its labels, or by how many labels there are."""
        if not self.labels or names_something_else(self.name) or self.spoilt:
            return False
        if strength("truth", self.name) or strength("predicted", self.name):
            return True
        return 1 < len(self.labels) <= max(FEW, self.size // _REPEATS)

    @cached_property
    def strays(self) -> tuple[tuple[str, int], ...]:
        """The cells that are no numbers, with their rows, where most cells of a column of texts are, some with fractions."""
        if self.kind not in ("text", "category"):
            return ()
        cells = [(str(value), row) for row, value in enumerate(self.column.values.tolist(), 1) if value is not None]
        numbers, strays = [], []
        for text, row in cells:
            try:
                numbers.append(float(text.replace(",", ".")))
            except ValueError:
                strays.append((text, row))
        return tuple(strays) if len(numbers) > len(strays) and any(number % 1 > 0 for number in numbers) else ()

    @property
    def spoilt(self) -> bool:
        """Whether the name says score, and all but some cells are numbers."""
        rank = strength("score", self.name)
        return rank >= max(WEAK, strength("truth", self.name), strength("predicted", self.name)) and bool(self.strays)

    def codes(self, positions: Mapping[str, int], *, fold: bool) -> IntArray:
        """Return the position of each row's label, -1 where it has none."""
        plain = {key.casefold() if fold else key: label for key, label in self.keys.items()}
        by_label = {label: positions[key] for key, label in plain.items() if key in positions}
        return np.array([by_label.get(value, -1) for value in self.column.values.tolist()], dtype=np.int64)
