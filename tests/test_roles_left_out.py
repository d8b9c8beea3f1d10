"""A role given as an empty text is left out, wherever predictions are read: every verb and command, every kind of source."""

from __future__ import annotations

import inspect

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest
from click.testing import CliRunner
from tests.engines import frame_of

import adjudge
from adjudge import InputError
from adjudge.cli import main
from adjudge.verbs.correct import fit

N = 60
ROLES = ("predicted", "row", "fold", "group", "weight", "split", "scores")


def made(*, shift=0):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, N)
    p = np.round(np.clip(truth * 0.4 + rng.random(N) * 0.6, 0, 1), 3)
    labels = np.array(["no", "yes"])
    columns = {
        "": np.arange(N) + 7,
        "truth": labels[truth],
        "predicted": labels[(p > 0.5).astype(int)],
        "p_no": 1 - p,
        "p_yes": p,
    }
    others = {"id": np.arange(N), "fold": np.arange(N) % 3, "site": np.arange(N) % 5, "weight": 1.0 + np.arange(N) % 2}
    return columns | others | {"set": np.array(["train", "test", "test"])[(np.arange(N) + shift) % 3]}


@pytest.fixture
def seen(monkeypatch):
    """The roles of everything that is read."""
    found = []
    of = adjudge.Predictions.of.__func__

    def noted(cls, source, roles, *rest):
        found.append(roles)
        return of(cls, source, roles, *rest)

    monkeypatch.setattr(adjudge.Predictions, "of", classmethod(noted))
    return found


VERBS = {
    "read": adjudge.read,
    "count": adjudge.count,
    "evaluate": adjudge.evaluate,
    "thresholds": adjudge.thresholds,
    "gate": lambda source, **roles: adjudge.gate(source, "accuracy >= 0.1", **roles),
    "count_pairs": lambda source, **roles: adjudge.count_pairs(source, source, by_position=True, **roles),
    "compare": lambda source, **roles: adjudge.compare(source, source, by_position=True, **roles),
    "rank": lambda source, **roles: adjudge.rank([source] * 3, by_position=True, **roles),
    "report": adjudge.report,
    "sample_size": lambda source, **roles: adjudge.sample_size(source, half_width=0.2, **roles),
    "population": lambda source, **roles: adjudge.population(source, source, **roles),
    "recommend": adjudge.recommend,
    "fit": lambda source, **roles: fit(source, "multipliers", **roles),
    "compare_partitions": lambda source, **roles: adjudge.compare_partitions([source], resamples=100, **roles),
}
NEEDS_SCORES = {"thresholds", "recommend", "fit", "compare_partitions"}


def test_every_verb_that_reads_predictions_is_here():
    verbs = {name for name in adjudge.__all__ if inspect.isfunction(getattr(adjudge, name))}
    reading = {name for name in verbs if "roles" in inspect.signature(getattr(adjudge, name)).parameters}
    assert reading <= VERBS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("verb", VERBS)
def test_verbs(verb, role, seen):
    left = dict.fromkeys(({"weight", role} if verb in ("recommend", "compare_partitions") else {role}), "")
    if verb in ("compare", "rank", "count_pairs", "compare_partitions"):
        left |= {"row": "", "fold": ""}  # cases are paired by their places
    if role == "scores" and verb in NEEDS_SCORES:
        with pytest.raises(InputError, match=r"scores|probabilities"):
            VERBS[verb](made(), **left)
    else:
        VERBS[verb](made(), **left)
    assert seen
    for roles in seen:
        for name in left:
            assert not getattr(roles, name)


SOURCES = {
    "arrays": made,
    "arrow": lambda: pa.table(made()),
    "polars": lambda: pl.DataFrame(made()),
    "lazy": lambda: frame_of("polars", pa.table(made())),
    "duckdb": lambda: frame_of("duckdb", pa.table({name or "column0": values for name, values in made().items()})),
}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("kind", SOURCES)
def test_sources(kind, role):
    source = SOURCES[kind]()
    assert getattr(adjudge.read(source).roles, role)
    for nothing in ("", [], {}) if role == "scores" else ("",):
        assert not getattr(adjudge.read(source, **{role: nothing}).roles, role)


COMMANDS = {
    "evaluate": ["{}"],
    "report": ["{}", "-o", "{page}"],
    "count": ["{}", "-o", "{counts}"],
    "threshold": ["{}"],
    "gate": ["{}", "--require", "accuracy >= 0.1"],
    "compare": ["{}", "{}", "--by-position"],
    "partition": ["{}", "--weight", "", "--by-position", "-o", "{page}"],
    "sample-size": ["{}", "--half-width", "0.2"],
    "correct fit": ["{}", "--kind", "multipliers", "-o", "{json}"],
    "correct recommend": ["{}", "--weight", ""],
}


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command, role, seen, tmp_path):
    pacsv.write_csv(pa.table(made()), tmp_path / "x.csv")
    places = {"page": tmp_path / "r.html", "counts": tmp_path / "x.counts", "json": tmp_path / "c.json"}
    words = [word.format(tmp_path / "x.csv", **places) for word in COMMANDS[command]]
    left = {role, "row", "fold"} if command in ("compare", "partition") else {role}
    flags = [word for name in sorted(left) for word in (f"--{name}", "")]
    ran = CliRunner().invoke(main, [*command.split(), *words, *flags])
    refused = role == "scores" and command in ("threshold", "partition", "correct fit", "correct recommend")
    assert ran.exit_code in ((2,) if refused else (0, 1, 3)), ran.output
    assert seen
    for roles in seen:
        for name in left:
            assert not getattr(roles, name)


def test_scores_left_out_need_a_decision():
    columns = {name: values for name, values in made().items() if name in ("truth", "p_no", "p_yes")}
    with pytest.raises(InputError, match=r"Scores are left out.*'truth'"):
        adjudge.read(columns, scores="")


def test_decisions_left_out_are_those_of_the_scores():
    columns = made()
    p = np.asarray(columns["p_yes"])
    wrong = columns | {"predicted": np.where(p > 0.5, "no", "yes")}
    kept = {name: values for name, values in columns.items() if name != "predicted"}
    for more in ({}, {"prediction_of_b": columns["predicted"]}, {"predicted": np.array(["Y", "N"])[(p > 0.5).astype(int)]}):
        found = adjudge.evaluate(wrong | more, predicted="", split="")
        assert np.asarray(found.counts.cells).tolist() == np.asarray(adjudge.evaluate(kept, split="").counts.cells).tolist()
    assert "columns of decisions are left out" in str(adjudge.read(wrong, predicted="").roles)


def test_a_threshold_decides_where_decisions_are_left_out():
    columns = {name: values for name, values in made().items() if name in ("truth", "predicted", "p_yes")}
    found = adjudge.evaluate(columns, predicted="", threshold=0.3)
    assert int(np.asarray(found.counts.predicted)[1]) == int((np.asarray(columns["p_yes"]) >= 0.3).sum())


@pytest.mark.parametrize("names", [("truth", "predicted"), ("truth", "predicted", "p_no", "p_yes")])
def test_decisions_left_out_need_scores(names):
    columns = {name: made()[name] for name in names}
    with pytest.raises(InputError) as refused:
        adjudge.read(columns, predicted="", scores="" if "p_no" in names else None)
    assert "scores" in str(refused.value)
