"""Corrections as files: what comes back is what was saved, and nothing else comes in."""

from __future__ import annotations

import itertools
import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge
from adjudge.corrections import file
from adjudge.corrections.multipliers import Multipliers, fit_multipliers
from adjudge.corrections.priors import PriorShift
from adjudge.corrections.rejection import chow, fit_rejection
from adjudge.predictions.spellings import same

rng = np.random.default_rng(11)
P = rng.dirichlet([1.0, 1.5, 2.0], 240)
Y = np.array([rng.choice(3, p=p) for p in P])
NEW = rng.dirichlet([1.0, 1.0, 1.0], 50)
TWO, TWO_Y = P[:, :2] / P[:, :2].sum(axis=1, keepdims=True), Y % 2
NAMES = ["a", 2, 2.5]
LABELS = np.array(NAMES, dtype=object)[Y]

MADE = {
    "multipliers": fit_multipliers(LABELS, P, classes=NAMES),
    "free multipliers": fit_multipliers(Y, P, bounds=None),
    "weighted multipliers": fit_multipliers(Y, P, weight=rng.random(240)),
    "softmax": fit_multipliers(Y, P, form="softmax", last_free=True),
    "iterated": fit_multipliers(Y, P, form="iterated"),
    "errors": fit_multipliers(Y, P, goal="errors"),
    "priors": PriorShift([0.2, 0.3, 0.5], [0.0, 0.25, 0.75], ("x", False, 7)),
    "sure": fit_rejection(np.array(["x", "y", "z"])[Y], P, gamma=1.5, classes=["x", "y", "z"]),
    "per class": fit_rejection(Y, P, gamma=1.5, kind="per-class"),
    "two-sided": fit_rejection(TWO_Y, TWO, gamma=1.5),
    "everything rejected": fit_rejection([1, 0, 1, 0], [0.4, 0.5, 0.6, 0.7], gamma=1000),
    "costs": fit_rejection(Y, P, costs=[[0, 1, 2, 0.4], [1, 0, 1, 0.4], [3, 1, 0, 0.4]]),
    "costs without rejecting": fit_rejection(Y, P, costs=[[0, 1, 2], [1, 0, 1], [3, 1, 0]]),
    "chow": chow(P, 2),
}


def told(correction):
    """Return everything a file keeps of a correction."""
    whole = correction.to_dict()
    return {name: value for name, value in whole.items() if name not in ("counts", "sensitivity", "specificity")}


@pytest.mark.parametrize("name", MADE)
def test_what_was_saved_comes_back_to_the_last_bit(name, tmp_path):
    made = MADE[name]
    back = adjudge.load_correction(adjudge.save_correction(made, tmp_path / "fix.json"))
    assert type(back) is type(made)
    assert told(back) == told(made)
    assert [type(label) for label in back.classes] == [type(label) for label in made.classes]
    new = NEW if len(made.classes) == 3 else NEW[:, :2] / NEW[:, :2].sum(axis=1, keepdims=True)
    assert back.apply(new).tolist() == made.apply(new).tolist()


labels = st.one_of(
    st.text(max_size=20).filter(lambda t: t.isprintable()),
    st.integers(-(2**63) + 1, 2**63 - 1),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
)
weights = st.floats(1e-3, 1.0)


@pytest.mark.slow
@given(st.lists(st.tuples(labels, weights, weights), min_size=2, max_size=8, unique_by=lambda row: row[0]))
def test_any_classes_and_any_priors_come_back(tmp_path_factory, rows):
    names, old, new = zip(*rows, strict=True)
    made = PriorShift(np.array(old) / sum(old), np.array(new) / sum(new), names)
    if any(isinstance(a, str) != isinstance(b, str) and same(a, b) for a, b in itertools.combinations(names, 2)):
        with pytest.raises(adjudge.InputError, match="names a class twice"):  # 1 and "1", where a file is read
            file.save_correction(made, tmp_path_factory.mktemp("alike") / "fix.json")
        return
    back = file.load_correction(file.save_correction(made, tmp_path_factory.mktemp("any") / "fix.json"))
    assert back.classes == names
    assert [type(label) for label in back.classes] == [type(label) for label in names]
    assert np.array_equal(back.old, made.old)
    assert np.array_equal(back.new, made.new)


def test_the_file_is_strict_json_that_says_what_it_is(tmp_path):
    text = file.save_correction(MADE["two-sided"], tmp_path / "fix.json").read_text(encoding="ascii")
    whole = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert (whole["format"], whole["version"], whole["kind"]) == ("adjudge correction", 1, "rejection")
    assert whole["classes"] == [{"int": 0}, {"int": 1}]


def test_findings_are_kept(tmp_path):
    made = fit_rejection([0, 0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.8, 0.9], gamma=3)
    assert made.findings
    assert [str(f) for f in file.load_correction(file.save_correction(made, tmp_path / "fix.json")).findings] == [
        str(f) for f in made.findings
    ]


def changed(name: str, **parts):
    """Return a sound file with some of its parts replaced; dotted names reach into the rule."""

    def change(whole):
        for key, value in parts.items():
            place = whole["rule"] if key.startswith("rule_") else whole
            place[key.removeprefix("rule_")] = value
        return whole

    return name, change


def without(name: str, key: str):
    def change(whole):
        (whole["rule"] if key in whole["rule"] else whole).pop(key)
        return whole

    return name, change


BAD = [
    ("multipliers", *changed("format", format="adjudge plan 1")),
    ("multipliers", *changed("version 2", version=2)),
    ("multipliers", *changed("version True", version=True)),
    ("multipliers", *changed("kind 'magic'", kind="magic")),
    ("multipliers", *changed("kind", kind=["multipliers"])),
    ("multipliers", *changed("holds the unknown 'extra'", extra=1)),
    ("multipliers", *changed("holds the unknown 'extra'", rule_extra=1)),
    ("multipliers", *changed("holds the unknown 'multipliers'", kind="priors")),
    ("multipliers", *changed("where keys and values are needed", rule=[])),
    ("multipliers", *changed("does not fit", rule_multipliers=[1.0])),
    ("multipliers", *changed("does not fit", rule_multipliers=[[1.0, 1.0]])),
    ("multipliers", *changed("table of numbers", rule_multipliers=[[1.0], [1.0, 2.0]])),
    ("multipliers", *changed("table of numbers", rule_multipliers=3)),
    ("multipliers", *changed("finite number", rule_multipliers=["inf", 1.0])),
    ("multipliers", *changed("finite number", rule_multipliers=[True, 1.0])),
    ("multipliers", *changed("finite number", rule_multipliers=[None, 1.0])),
    ("multipliers", *changed("place of one of 3", rule_majority=3)),
    ("multipliers", *changed("place of one of 3", rule_majority=-1)),
    ("multipliers", *changed("place of one of 3", rule_majority=True)),
    ("multipliers", *changed('"form"', rule_form="cubic")),
    ("multipliers", *changed('"goal"', rule_goal=None)),
    ("multipliers", *changed('"last_free"', rule_last_free=1)),
    ("multipliers", *changed("do not go together", rule_last_free=True, rule_multipliers=[1.0, 1.0, 1.0])),
    ("multipliers", *changed("below 0", rule_goal="errors", rule_multipliers=[-1.0, 1.0])),
    ("multipliers", *changed("bounds", rule_bounds=[1, 0])),
    ("multipliers", *changed("finite number", rule_loss="much")),
    ("multipliers", *changed("two to 100,000", classes=[{"text": "a"}])),
    ("multipliers", *changed("two to 100,000", classes={"text": "a"})),
    ("multipliers", *changed("a class twice", classes=[{"text": "a"}, {"int": 1}, {"float": 1.0}])),
    ("multipliers", *changed("a class is written as", classes=["a", "b", "c"])),
    ("multipliers", *changed("a class is written as", classes=[{"code": "a"}, {"int": 1}, {"int": 2}])),
    ("multipliers", *changed("not the int it is declared as", classes=[{"int": "1"}, {"int": 2}, {"int": 3}])),
    ("multipliers", *changed("not the int it is declared as", classes=[{"int": True}, {"int": 2}, {"int": 3}])),
    ("multipliers", *changed("no text that files can hold", classes=[{"text": "\ud800"}, {"int": 2}, {"int": 3}])),
    ("multipliers", *changed("findings", findings="none")),
    ("multipliers", *changed("a finding is a code", findings=[{"code": "B1", "message": "", "advice": "", "value": 0}])),
    ("multipliers", *changed("a finding lacks 'value'", findings=[{"code": "A801", "message": "", "advice": ""}])),
    ("multipliers", *without("lacks 'majority'", "majority")),
    ("multipliers", *without("lacks 'classes'", "classes")),
    ("priors", *changed("sum to 1", rule_new=[0.5, 0.5, 0.5])),
    ("priors", *changed("new must list 3 priors", rule_new=[0.5, 0.5])),
    ("priors", *changed("must list 3 priors", rule_new=[0.5, 0.5], rule_old=[0.5, 0.5])),
    ("two-sided", *changed("in order", rule_thresholds=[0.9, 0.1])),
    ("two-sided", *changed("in order", rule_thresholds=[0.9])),
    ("two-sided", *changed("whose score two thresholds cut", rule_of=None)),
    ("two-sided", *changed("costs", rule_costs=[[0, 1]])),
    ("two-sided", *changed("shares", rule_accuracy=1.5)),
    ("two-sided", *changed("count", rule_optimal=0)),
    ("two-sided", *changed("sum to 1", rule_accuracy=0.9, rule_error=0.9, rule_rejection=0.1)),
    ("two-sided", *changed("do not say what rejecting costs", rule_costs=[[0, 1], [1, 0]])),
    ("costs", *changed("do not say what rejecting costs", rule_costs=[[0, 1, 2], [1, 0, 1], [3, 1, 0]])),
    ("costs", *changed("no decision costs less than 0 or more than 3", rule_cost=4.0)),
    ("sure", *changed("are probabilities", rule_thresholds=[1.5])),
    ("sure", *changed("are probabilities", rule_thresholds=[-0.5])),
    ("sure", *changed("are probabilities", rule_thresholds=["-inf"])),
    ("per class", *changed("are probabilities", rule_thresholds=[0.5, 7, 0.5])),
    ("multipliers", *changed('beyond its own "bounds"', rule_multipliers=[0.5, 1.5])),
    ("multipliers", *changed('beyond its own "bounds"', rule_bounds=[0, 0.5])),
    ("multipliers", *changed("never below 0", rule_loss=-1)),
    ("multipliers", *changed("never below 0", rule_errors=-1)),
    ("multipliers", *changed("'1' is also written as another", classes=[{"text": "1"}, {"int": 1}, {"int": 2}])),
    ("multipliers", *changed("is also written as another", classes=[{"text": "true"}, {"bool": True}, {"int": 2}])),
    ("multipliers", *changed("is also written as another", classes=[{"text": "2.0"}, {"text": "a"}, {"float": 2.0}])),
    ("multipliers", *changed("is also written as another", classes=[{"text": "2.5"}, {"text": "a"}, {"float": 2.5}])),
    ("priors", *changed("none below 0", rule_old=[1.5, -0.5, 0.0])),
    ("sure", *changed("whose score two thresholds cut", rule_of=1)),
    ("sure", *changed("thresholds", rule_kind="two-sided", rule_thresholds=[0.1, 0.2])),
    ("sure", *changed('"kind" must be one of', rule_kind="guess")),
]


@pytest.mark.parametrize(("name", "text", "change"), BAD, ids=[f"{i}-{row[1]}" for i, row in enumerate(BAD)])
def test_what_is_not_a_correction_is_refused_by_name(name, text, change, tmp_path):
    path = file.save_correction(MADE[name], tmp_path / "fix.json")
    path.write_text(json.dumps(change(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
    with pytest.raises(adjudge.InputError, match=r"'fix\.json' cannot be used as a correction") as refused:
        file.load_correction(path)
    assert text in str(refused.value)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 200_000, "nested"),
        (b'{"format": NaN}', "NaN"),
        (b'{"format": 1, "format": 2}', "twice"),
        (b'{"version": ' + b"9" * 10_000 + b"}", "not JSON"),
        (b"null", '"format"'),
    ],
)
def test_what_is_not_strict_json_is_refused(content, text, tmp_path):
    path = tmp_path / "fix.json"
    path.write_bytes(content)
    with pytest.raises(adjudge.InputError, match=text):
        file.load_correction(path)


def test_a_number_beyond_all_bounds_is_refused(tmp_path):
    path = file.save_correction(MADE["priors"], tmp_path / "fix.json")
    text = path.read_text(encoding="utf-8")
    assert "0.75" in text
    path.write_text(text.replace("0.75", "1e999"), encoding="utf-8")
    with pytest.raises(adjudge.InputError, match="finite number; got inf"):
        file.load_correction(path)


class Canary:
    def __reduce__(self):
        return (Path.touch, (Path("canary"),))


def test_a_pickle_is_not_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("fix.json").write_bytes(pickle.dumps(Canary()))
    with pytest.raises(adjudge.InputError, match="not JSON"):
        file.load_correction("fix.json")
    assert not Path("canary").exists()


@pytest.mark.slow
@given(st.data())
def test_damaged_files_are_refused_or_read_and_nothing_else(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damaged")
    path = file.save_correction(MADE[data.draw(st.sampled_from(sorted(MADE)))], folder / "fix.json")
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path.write_bytes(bytes(content))
    try:
        back = file.load_correction(path)
    except adjudge.InputError:
        return
    assert isinstance(back, file.Correction)


def paths(told, at=()):
    """Yield the way to every value in nested lists and keys."""
    yield at
    for key, value in told.items() if isinstance(told, dict) else enumerate(told) if isinstance(told, list) else ():
        yield from paths(value, (*at, key))


def changed_at(told, at, change):
    """Return the told with the value at the end of a way changed, or taken out where nothing is left of it."""
    if not at:
        return change(told)
    copy, key = told.copy(), at[0]
    copy[key] = changed_at(told[key], at[1:], change)
    if copy[key] is Ellipsis:
        del copy[key]
    return copy


strange = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 10**400), st.floats(allow_nan=False, allow_infinity=False), st.floats(-2, 2),
    st.text(max_size=4), st.sampled_from(["inf", "-inf", "multipliers", "costs", "two-sided", "A801", [], {}, [[]], [[1.0]], ...]),
    st.lists(st.floats(0, 1), max_size=3), st.dictionaries(st.sampled_from(["int", "text", "extra"]), st.integers(0, 3), max_size=2),
)  # fmt: skip


def alike(a, b):
    """Return whether two files say the same; priors are brought to sum one, and numbers may be whole or not."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(alike, a, b))
    return a == b if isinstance(a, str | bool | None) else a == pytest.approx(b, rel=1e-5, abs=1e-12)


@pytest.mark.slow
@settings(max_examples=100)
@given(st.data())
def test_a_file_with_other_values_says_what_it_does_or_is_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("other") / "fix.json"
    whole = json.loads(file.save_correction(MADE[data.draw(st.sampled_from(sorted(MADE)))], path).read_text(encoding="ascii"))
    for _ in range(data.draw(st.integers(1, 3))):
        way = data.draw(st.sampled_from(sorted(set(paths(whole)), key=repr)))
        whole = changed_at(whole, way, lambda _: data.draw(strange)) if way else whole
    path.write_text(json.dumps(whole, default=str), encoding="utf-8")
    try:
        back = file.load_correction(path)
    except adjudge.InputError:
        return
    again = json.loads(file.save_correction(back, path.with_name("again.json")).read_text(encoding="ascii"))
    assert alike(whole, again)


@pytest.mark.parametrize("depth", [50, 5_000, 100_000])
def test_deep_brackets_are_refused(depth, tmp_path):
    path = file.save_correction(MADE["multipliers"], tmp_path / "fix.json")
    text = path.read_text(encoding="ascii").replace('"version": 1', '"version": ' + "[" * depth + "]" * depth)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(adjudge.InputError):
        file.load_correction(path)


def test_a_path_that_is_none_is_refused():
    with pytest.raises(adjudge.InputError, match=r"Cannot read the correction|no correction"):
        file.load_correction("a\0b")


def test_too_large_a_file_is_neither_read_nor_written(tmp_path, monkeypatch):
    path = file.save_correction(MADE["multipliers"], tmp_path / "fix.json")
    monkeypatch.setattr(file, "LARGEST", 100)
    with pytest.raises(adjudge.InputError, match="more than 100 bytes"):
        file.load_correction(path)
    with pytest.raises(adjudge.InputError, match="Join rare classes"):
        file.save_correction(MADE["multipliers"], tmp_path / "other.json")
    assert not (tmp_path / "other.json").exists()


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (PriorShift([0.5, 0.5], [0.2, 0.8]), "does not name its classes"),
        (replace(MADE["multipliers"], classes=(("a", "b"), "c", "d")), "tuple"),
        ({"multipliers": [1.0]}, "got dict"),
    ],
)
def test_what_cannot_be_kept_is_refused(made, text, tmp_path):
    with pytest.raises(adjudge.InputError, match=text):
        file.save_correction(made, tmp_path / "fix.json")
    assert not list(tmp_path.iterdir())


def test_no_file_and_no_path(tmp_path):
    with pytest.raises(adjudge.InputError, match=r"Cannot read .*'none\.json': No such file"):
        file.load_correction(tmp_path / "none.json")
    with pytest.raises(adjudge.InputError, match="no plain file"):
        file.load_correction(tmp_path)
    with pytest.raises(adjudge.InputError, match="read from a path; got int"):
        file.load_correction(3)


def test_numpy_labels_are_kept_as_what_they_are(tmp_path):
    made = replace(MADE["errors"], classes=(np.int64(4), np.str_("b"), np.float64(0.5)))
    assert isinstance(made, Multipliers)
    assert file.load_correction(file.save_correction(made, tmp_path / "fix.json")).classes == (4, "b", 0.5)
