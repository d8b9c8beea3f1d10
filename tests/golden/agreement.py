"""Whether what a command says now is what was recorded, leaf by leaf: structure, texts and whole numbers alike, other numbers to rounding.

Rounding is 1e-9 of the number, or 1e-12: processors and libraries of linear algebra differ in the last bits. Sentences may be worded anew; the
numbers in them, in any order, must be the same.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

# What is called otherwise than it was when recorded: a key wherever it occurs, or a path from the root of the JSON that is printed, without the
# places in lists ("evaluations.belief.chance": "evaluations.chance"). Each line needs its twin in CHANGELOG.md.
RENAMED: dict[str, str] = {
    "mending": "recommendations",
    "unmended": "uncorrected",
    "belief": "accuracy_posteriors",
    "rope": "margin",
    "assigned": "predicted",
    "called": "mean_probability",
    "happened": "observed",
    "separation": "ability_to_separate",
    "learn": "train",
    "judge": "test",
    "learnt": "training",
    "judged": "test",
    "learnt_limits": "training_interval",
    "judged_limits": "test_interval",
}
# Keys renamed only where they stand directly below another.
RENAMED_BELOW: dict[tuple[str, str], str] = {
    ("correction", "kappa"): "multipliers",
    ("rule", "kappa"): "multipliers",
    ("by_fold", "learnt"): "training_cases",
    ("patterns", "said"): "predicted",
}
# Measures renamed only beside another: as keys, and as the "measure" of what is below them.
RENAMED_BESIDE: dict[tuple[str, str], str] = {("separation", "accuracy"): "scaled_accuracy"}
_CORRELATION = "(n c - sum t_k p_k) / sqrt((n^2 - sum t_k^2)(n^2 - sum p_k^2)), c correct, t true, p"
# Texts that are no sentences, such as names of methods and verdicts: what they begin with, and what they begin with now.
RENAMED_TEXTS: dict[str, str] = {
    "kappa, ": "class multipliers, ",
    "the cases learnt from": "the training cases",
    "separation": "ability_to_separate",
    "Share that happened": "Share observed",
    "mid-P limits of": "mid-P interval of",
    "mid-P limits,": "mid-P intervals,",
    "mover-jeffreys limits at": "mover-jeffreys interval at",
    "the pilot's limits,": "the pilot's interval,",
    "pairs on the same cases, adjusted by Holm; limits": "pairs on the same cases, adjusted by Holm; intervals",
    f"{_CORRELATION} assigned": f"{_CORRELATION} predicted",
    "sum over 15 bins of (n_b / n) |share right": "sum over 15 bins of (n_b / n) |share correct",
}
# Texts renamed only below a key.
RENAMED_TEXTS_BELOW: dict[tuple[str, str], str] = {("kind", "kappa"): "multipliers"}
# Where sentences stand: by the end of their path. All that is printed without --json is a sentence too, and so is every error.
SENTENCES = (
    *("findings.message", "findings.advice", "found.message", "found.advice", "type_i_error.claim", "type_i_error.over"),
    *("assumes", "reason", "note", "tested", "unmended", "uncorrected", "summary", "stdout", "stderr"),
)
# Below these keys every text is a sentence: why a column has its role, and the commands that are advised.
SENTENCES_BELOW = ("evidence", "commands")

_NUMBER = re.compile(r"(?:(?<=[\s(\[])[-−])?(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![A-Za-z_])")


def disagreements(recorded: Any, replayed: Any) -> list[str]:
    """Return in words where a replay is not what was recorded, of which keys and texts may have been renamed."""
    return list(_differ(_renamed(recorded), replayed, ()))


def numbers_in(sentence: str) -> Counter[float]:
    """Return the numbers in a sentence and how often each stands there; digits that belong to a word are none."""
    return Counter(float(found.rstrip(",").replace(",", "").replace("−", "-")) for found in _NUMBER.findall(sentence))


def _differ(old: Any, new: Any, path: tuple[str, ...]) -> Iterator[str]:
    where = ".".join(path) or "root"
    if _is_sentence(path) and _texts(old) is not None and _texts(new) is not None:
        yield from _differ_in_words(" ".join(_texts(old) or ()), " ".join(_texts(new) or ()), where)
    elif type(old) is not type(new):
        yield f"{where}: was {_brief(old)}, is {_brief(new)}"
    elif isinstance(old, (dict, list)):
        before, after = (
            value if isinstance(value, dict) else {str(i): part for i, part in enumerate(value)} for value in (old, new)
        )
        yield from (f"{where}: {key} is gone" for key in before if key not in after)
        yield from (f"{where}: {key} is new" for key in after if key not in before)
        for key in sorted(before.keys() & after.keys()):
            yield from _differ(before[key], after[key], (*path, key))
    elif not (math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-12) if isinstance(old, float) else old == new):
        yield f"{where}: was {_brief(old)}, is {_brief(new)}"


def _differ_in_words(old: str, new: str, where: str) -> Iterator[str]:
    if bool(old.strip()) != bool(new.strip()):
        yield f"{where}: was {_brief(old)}, is {_brief(new)}"
    before, after = numbers_in(old), numbers_in(new)
    if before != after:
        gone, come = sorted((before - after).elements()), sorted((after - before).elements())
        yield f"{where}: numbers gone from the words {gone}, new ones {come}; they now read {_brief(new)}"


def _is_sentence(path: tuple[str, ...]) -> bool:
    keys = [key for key in path if not key.isdigit()]
    named = ".".join(keys)
    return any(f".{named}".endswith(f".{end}") for end in SENTENCES) or any(key in SENTENCES_BELOW for key in keys[:-1])


def _texts(value: Any) -> list[str] | None:
    """Return a text or a list of texts as a list, anything else as None."""
    if isinstance(value, str):
        return [value]
    return value if isinstance(value, list) and value and all(isinstance(part, str) for part in value) else None


def _renamed(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    keys = {old: new for old, new in RENAMED.items() if "." not in old}
    paths = [(["stdout", *old.split(".")], ["stdout", *new.split(".")]) for old, new in RENAMED.items() if "." in old]
    steps = [_with_keys(step, keys, "") for step in steps]
    for old, new in paths:
        for step in steps:
            _move(step, old, new)
    return steps


def _with_keys(value: Any, keys: dict[str, str], below: str) -> Any:
    if isinstance(value, dict):
        beside = {old: new for (other, old), new in RENAMED_BESIDE.items() if other in value and old in value}
        value = value | {old: value[old] | {"measure": new} for old, new in beside.items() if isinstance(value[old], dict)}
        named = {key: RENAMED_BELOW.get((below, key), keys.get(key, _called_now(key, below))) for key in value} | beside
        return {named[key]: _with_keys(part, keys, key) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_keys(part, keys, below) for part in value]
    return _called_now(value, below) if isinstance(value, str) else value


def _called_now(text: str, below: str) -> str:
    begins = next((old for old in RENAMED_TEXTS if text.startswith(old)), "")
    return RENAMED_TEXTS_BELOW.get((below, text), RENAMED_TEXTS.get(begins, "") + text.removeprefix(begins))


def _move(value: Any, old: list[str], new: list[str]) -> None:
    """Move what lies at one path to another, in every item of the lists that both paths lead through."""
    if isinstance(value, list):
        for part in value:
            _move(part, old, new)
    elif isinstance(value, dict) and old[0] == new[0] and len(old) > 1 and len(new) > 1:
        _move(value.get(old[0]), old[1:], new[1:])
    elif isinstance(value, dict):
        holder: Any = value
        for key in old[:-1]:
            holder = holder.get(key) if isinstance(holder, dict) else None
        if isinstance(holder, dict) and old[-1] in holder:
            moved = holder.pop(old[-1])
            for key in new[:-1]:
                value = value.setdefault(key, {})
            value[new[-1]] = moved


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:157]}..."
