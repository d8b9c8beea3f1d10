"""Peers of adjudge: what other packages answer about the same samples. Any of them may be missing."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.random import Generator

from atlas import loop, ours
from atlas.ours import NONE, Limits
from atlas.samples import Counts, Sample

PACKAGES = ("confidenceinterval", "stambo", "prob_conf_mat", "statsmodels")
LOOP = "bootstrap loop"
WILSON = "statsmodels Wilson"
STAMBO_RESAMPLES, PCM_DRAWS = 500, 2000
"""The packages' own defaults, 5000 and 10000, take minutes a cell and change no digit that is shown."""

Answers = dict[str, Limits]
Ask = Callable[[Sample, Sequence[str], Generator], Answers]


@dataclass(frozen=True, slots=True)
class Method:
    """A way to make intervals: what it answers, on which share of the samples, and whether in every cell."""

    name: str
    package: str
    ask: Ask
    measures: tuple[str, ...]
    share: float
    everywhere: bool = False
    two_classes: bool = False
    """Whether it is asked of two classes only."""


@cache
def installed() -> dict[str, str]:
    """Return the version of each peer that can be imported."""
    return {name: _version(name) for name in PACKAGES if find_spec(name) is not None}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def missing() -> list[str]:
    """Return the peers that are not installed."""
    return [name for name in PACKAGES if find_spec(name) is None]


def methods(*, alone: bool = False) -> list[Method]:
    """Return adjudge, the bootstrap loop, and the peers that are installed; or adjudge alone."""
    if alone:
        return list(_METHODS[:1])
    present = installed()
    return [method for method in _METHODS if method.package in ("adjudge", "scikit-learn") or method.package in present]


def quietly(ask: Ask, sample: Sample, names: Sequence[str], rng: Generator) -> Answers:
    """Return a peer's answers; whatever it raises is no answer, and what it prints or warns of is not shown."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return ask(sample, names, rng)
        except Exception:  # noqa: BLE001 - a peer may fail in any way
            alone = len(names) == 1
        found: Answers = dict.fromkeys(names, NONE)
        for name in () if alone else names:
            found |= quietly(ask, sample, (name,), rng)
        return found


def _adjudge(sample: Sample, names: Sequence[str], _: Generator) -> Answers:
    return ours.intervals(sample, names)


_SHARES: dict[str, Callable[[Counts], tuple[int, int]]] = {
    "accuracy": lambda t: (t.trace(), t.sum()),
    "sensitivity": lambda t: (t[1, 1], t[1].sum()),
    "specificity": lambda t: (t[0, 0], t[0].sum()),
    "precision": lambda t: (t[1, 1], t[:, 1].sum()),
    "npv": lambda t: (t[0, 0], t[:, 0].sum()),
}


def _wilson(sample: Sample, names: Sequence[str], _: Generator) -> Answers:
    from statsmodels.stats.proportion import proportion_confint

    found = {}
    for name in names:
        right, n = _SHARES[name](sample.table)
        low, high = proportion_confint(right, n, alpha=0.05, method="wilson") if n else NONE
        found[name] = float(low), float(high)
    return found


def _confidenceinterval(sample: Sample, names: Sequence[str], _: Generator) -> Answers:
    import confidenceinterval as package

    y, decisions = sample.y, sample.decisions
    asks: dict[str, Callable[[], Any]] = {
        "accuracy": lambda: package.accuracy_score(y, decisions),
        "balanced_accuracy": lambda: package.recall_score(y, decisions, average="macro"),
        "sensitivity": lambda: package.tpr_score(y, decisions),
        "specificity": lambda: package.tnr_score(y, decisions),
        "precision": lambda: package.ppv_score(y, decisions),
        "npv": lambda: package.npv_score(y, decisions),
        "f1": lambda: package.f1_score(y, decisions, average="binary"),
        "macro_f1": lambda: package.f1_score(y, decisions, average="macro"),
        "macro_precision": lambda: package.precision_score(y, decisions, average="macro"),
        "auc": lambda: package.roc_auc_score(y, sample.scores),
    }
    return {name: tuple(float(each) for each in asks[name]()[1]) for name in names}  # type: ignore[misc]


_PCM = {"sensitivity": "recall", "g_mean": "recall@geometric", "macro_f1": "f1@macro", "macro_precision": "precision@macro"}


def _prob_conf_mat(sample: Sample, names: Sequence[str], rng: Generator) -> Answers:
    from prob_conf_mat import Study
    from prob_conf_mat.stats import summarize_posterior

    study = Study(seed=int(rng.integers(2**31)), num_samples=PCM_DRAWS, ci_probability=0.95)
    study.add_experiment("study/sample", confusion_matrix=sample.table.tolist())
    found: Answers = {}
    for name in names:
        asked = _PCM.get(name, name)
        study.add_metric(asked)
        values = study.get_metric_samples(metric=asked, experiment_name="study/sample", sampling_method="posterior").values
        of = values[:, min(1, values.shape[1] - 1)]
        found[name] = tuple(float(each) for each in summarize_posterior(of, ci_probability=0.95).hdi)  # type: ignore[assignment]
    return found


def stambo_intervals(sample: Sample, names: Sequence[str], rng: Generator) -> Answers:
    """Return stambo's percentile intervals; of whole clusters where the sample has some."""
    return {name: tuple(float(each) for each in stambo_pair(sample, sample, name, rng)[5:7]) for name in names}  # type: ignore[misc]


def stambo_pair(a: Sample, b: Sample, name: str, rng: Generator) -> Any:
    """Return the p-value, difference and intervals of two sets of predictions; the measure is passed as its Metric."""
    import stambo
    from stambo.metrics import Metric

    said = {"auc": lambda each: each.scores, "brier": lambda each: each.probabilities}.get(name, lambda each: each.decisions)
    pair = [stambo.PredSampleWrapper(said(each), each.y, multiclass=False) for each in (a, b)]
    metric = Metric(_on_arrays(name), int_input=name in _OF_TABLE)
    how = {"n_bootstrap": STAMBO_RESAMPLES, "seed": int(rng.integers(2**31)), "silent": True, "groups": a.clusters}
    return stambo.two_sample_test(*pair, statistics={name: metric}, **how)[name]


def stambo_decides(name: str, a: Sample, b: Sample, rng: Generator) -> bool | None:
    """Return whether stambo tells two sets of predictions apart at 10%, that is 5% on either side."""

    def ask(one: Sample, _: Sequence[str], rng: Generator) -> Answers:
        p = float(stambo_pair(one, b, name, rng)[0])
        return {name: (p, p)}

    p = quietly(ask, a, (name,), rng)[name][0]
    return None if np.isnan(p) else p < 2 * ours.ALPHA


def mcnemar_decides(a: Sample, b: Sample) -> bool:
    """Return whether statsmodels' exact McNemar test tells two sets of decisions apart at 10%."""
    from statsmodels.stats.contingency_tables import mcnemar

    right = [(each.decisions == each.y).astype(int) for each in (a, b)]
    table = np.bincount(2 * right[0] + right[1], minlength=4).reshape(2, 2)
    return float(mcnemar(table, exact=True).pvalue) < 2 * ours.ALPHA


def _on_arrays(name: str) -> Callable[[Any, Any], float]:
    """Return a measure of true and predicted arrays, fast enough to be called a thousand times a sample."""
    if name in _OF_ROWS:
        return _OF_ROWS[name]
    of_table = _OF_TABLE[name]

    def measure(y: Any, decisions: Any) -> float:
        tn, fp, fn, tp = np.bincount(2 * y + decisions, minlength=4).tolist()
        return of_table(tn, fp, fn, tp)

    return measure


def _balanced(tn: int, fp: int, fn: int, tp: int) -> float:
    recalls = [right / n for right, n in ((tn, tn + fp), (tp, tp + fn)) if n]
    return sum(recalls) / len(recalls)


def _matthews(tn: int, fp: int, fn: int, tp: int) -> float:
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / margins**0.5 if margins else 0.0


def _auc(y: Any, scores: Any) -> float:
    """Return the AUC of scores whose only ties are rows drawn twice."""
    positives = int(y.sum())
    ranks = np.empty(y.size)
    ranks[np.argsort(scores)] = np.arange(1, y.size + 1)
    return float((ranks[y == 1].sum() - positives * (positives + 1) / 2) / (positives * (y.size - positives)))


_OF_TABLE: dict[str, Callable[[int, int, int, int], float]] = {
    "accuracy": lambda tn, fp, fn, tp: (tn + tp) / (tn + fp + fn + tp),
    "balanced_accuracy": _balanced,
    "f1": lambda _, fp, fn, tp: 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 0.0,
    "mcc": _matthews,
}
_OF_ROWS: dict[str, Callable[[Any, Any], float]] = {"auc": _auc, "brier": lambda y, p: float(((p - y) ** 2).mean())}

_OF_CI = ("balanced_accuracy", "f1", "macro_f1", "macro_precision", "auc")
_OF_PCM = (*(name for name in loop.truth.OF_TWO if name != "fbeta"), "macro_f1", "macro_precision")
_EVERY = (*loop.truth.OF_TWO, *loop.truth.OF_MANY, "auc", "average_precision", "brier", "log_loss")
_METHODS = (
    Method(ours.NAME, "adjudge", _adjudge, _EVERY, 1.0, everywhere=True),
    Method(LOOP, "scikit-learn", loop.intervals, _EVERY, 0.5, everywhere=True),
    Method(WILSON, "statsmodels", _wilson, tuple(_SHARES), 1.0, everywhere=True),
    Method("confidenceinterval", "confidenceinterval", _confidenceinterval, (*_SHARES, *_OF_CI), 0.25),
    Method("prob_conf_mat", "prob_conf_mat", _prob_conf_mat, _OF_PCM, 0.25),
    Method("stambo", "stambo", stambo_intervals, (*_OF_TABLE, *_OF_ROWS), 0.1, two_classes=True),
)
