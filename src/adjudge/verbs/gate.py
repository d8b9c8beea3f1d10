"""The verb that judges predictions against requirements, and against what came before."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adjudge._base import InputError, argument, either, safe, switch, wording
from adjudge._base.signatures import takes_those_of
from adjudge.counts.confusion import ConfusionCounts
from adjudge.estimates.intervals import two_sided
from adjudge.judgements.comparison import given_margin
from adjudge.judgements.decision import ASSURANCE, LEVEL, checked_assurance
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.gate import Gate, judge_against, judge_rules, of_rules, one_sided_level, read_rules
from adjudge.metrics.on_counts import supported
from adjudge.predictions.read import read
from adjudge.verbs.compare import compare
from adjudge.verbs.count import is_counted
from adjudge.verbs.evaluate import evaluate
from adjudge.verbs.given import before_rules, one_set, with_arrays

_IN_FILES = "[[rule]] tables with require = 'accuracy >= 0.9', or require = ['accuracy >= 0.9', ...]"


@takes_those_of(with_arrays)
def gate(
    source: Any = None,
    *rules: Any,
    require: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    level: float = LEVEL,
    assurance: float = ASSURANCE,
    against: Any = None,
    margin: float | None = None,
    measure: str | None = None,
    by_position: bool = False,
    interval: str = "default",
    prior: Any = "jeffreys",
    progress: bool = True,
    **roles: Any,
) -> Gate:
    """Decide whether predictions meet requirements: pass, fail, or inconclusive.

    Parameters
    ----------
    source : path, dataframe, mapping of arrays, Predictions, ConfusionCounts, Evaluation, array, or fitted model
        Of arrays ``gate(y_true, y_pred, "accuracy >= 0.9")``, with `y_score` before the rules where there are scores; of a
        model ``gate(model, X, y, "accuracy >= 0.9")``.
    *rules : str
        A measure, a sign and a number: "balanced_accuracy >= 0.8", "sensitivity[malignant] > 90%", "log_loss < 0.4". A class in
        brackets is the one spoken of, [*] every class by itself; "above chance" is the test of :func:`adjudge.chance`. A path
        is a .toml file of rules: ``require = ["accuracy >= 0.9"]``.
    require : str or sequence of str
        The same, by name.
    level : float
        How sure one must be. At the bound itself a rule passes in at most 1 - level of all samples.
    assurance : float
        How often the `more_cases` of an inconclusive rule decide, if the value is what it looks like.
    against : as `source`, optional
        Predictions of the same cases that the new ones must not be worse than.
    margin : float, optional
        How much worse does not matter: the equivalence margin of :func:`adjudge.compare`, 0.01, if left out. 0 asks for
        evidence of being better.
    measure, by_position
        How they are compared, as for :func:`adjudge.compare`.
    interval, prior, progress
        As for :func:`adjudge.evaluate`; by default shares of cases have exact one-sided bounds.
    **roles
        The roles of columns and the ways to read them, for both; see :func:`adjudge.read`.

    >>> verdict = gate(ConfusionCounts([[45, 5], [3, 47]]), "accuracy >= 0.85", "accuracy >= 0.9", "mcc > 0.95")
    >>> [rule.state for rule in verdict.rules], verdict.exit_code
    (['passes', 'inconclusive', 'fails'], 1)
    """
    level, assurance = one_sided_level(level), checked_assurance(assurance)
    margin = None if margin is None else given_margin(margin)
    typed, rules = before_rules(source, rules)
    source, roles = one_set("gate", typed, roles)
    wanted = rules_of([*rules, *([require] if isinstance(require, (str, os.PathLike)) else require)])
    if not wanted and against is None:
        rule = argument("require", "accuracy >= 0.9", python="rules such as 'accuracy >= 0.9'")
        raise InputError(
            wording("Nothing is required. Give ", rule, ", or name earlier predictions with ", argument("against"), ".")
        )
    if against is None:
        if measure is not None or margin is not None or by_position:
            how_to = either([argument("margin"), argument("measure"), switch("by_position")], ", ")
            raise InputError(how_to, " say how to compare; name with ", argument("against"), " what to compare with.")
    elif any(isinstance(each, (Evaluation, ConfusionCounts)) or is_counted(each) for each in (source, against)):
        msg = "What came before is compared case by case, and counts and evaluations keep no cases; pass predictions."
        raise InputError(msg)
    else:
        source, against, roles = read(source, **roles), read(against, **roles), {}
    if isinstance(source, Evaluation) and roles:
        msg = " says how predictions are read; an evaluation has read them. Leave it out."
        raise InputError(either(map(argument, roles), ", "), msg)
    asked = {"level": two_sided(level), "interval": interval, "prior": prior, "progress": progress}
    evaluation = source if isinstance(source, Evaluation) else evaluate(source, **asked, **roles)
    if any(each.code == "A108" and not each.value for each in evaluation.findings):
        told = "All rows are training rows, which a model may remember; a gate needs others. To evaluate them nevertheless pass "
        raise InputError(told, argument("split", ""), ".")
    counts = evaluation.undecided if evaluation.counts is None else evaluation.counts
    classes, seen = ((), 0) if counts is None else (counts.classes, int(supported(counts).sum()))
    parsed = [rule for text in wanted for rule in read_rules(text, classes, seen)]
    judged = tuple(judge_rules(evaluation, parsed, level=level, assurance=assurance, method=interval, prior=prior))
    cases = round(evaluation.origin.rows / evaluation.repeats)
    means = any(rule.average for rule in judged)  # a rule that names its class needs no positive one
    own = (each for each in evaluation.findings if each.code != "A111" or means)
    findings = (*of_rules(parsed, judged, evaluation.counts), *own)
    other = None
    if against is not None:
        how: dict[str, Any] = {"margin": margin, "level": level, "assurance": assurance, "progress": progress}
        other = compare(source, against, measure=measure, by_position=by_position, **how)
        judged = (*judged, judge_against(other, margin=other.margin, level=level, assurance=assurance))
        findings = (*findings, *(each for each in other.findings if each not in findings))
    return Gate(judged, evaluation.origin.name, cases, level, other, assurance, findings)


def rules_of(given: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return rules and those of .toml files among them."""
    return [text for rule in given for text in (rules_in(rule) if isinstance(rule, os.PathLike) else [rule])]


def rules_in(path: str | os.PathLike[str]) -> list[str]:
    """Return the rules of a .toml file."""
    try:
        told = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(safe(path), f" cannot be read as TOML: {safe(str(error), 300)}.") from error
    tables, plain = (value if isinstance(value, list) else [value] for value in (told.pop("rule", []), told.pop("require", [])))
    rules = [*plain, *(row["require"] if isinstance(row, dict) and set(row) == {"require"} else None for row in tables)]
    if told or not rules or not all(isinstance(rule, str) for rule in rules):
        raise InputError(safe(path), f" should hold {_IN_FILES}, and nothing else.")
    return rules
