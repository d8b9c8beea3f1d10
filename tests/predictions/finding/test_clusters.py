"""Which column says what rows belong to: by name and by values that repeat; and which columns are only suspected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given as over
from hypothesis import settings
from hypothesis import strategies as st

from adjudge import evaluate, read
from adjudge._base.errors import DoubtfulRolesError, InputError
from adjudge.cli import main
from adjudge.predictions.roles import Roles

N = 240
RNG = np.random.default_rng(7)
TRUTH = RNG.integers(0, 2, N)
LABELS = {"truth": TRUTH, "predicted": np.where(RNG.random(N) < 0.8, TRUTH, 1 - TRUTH)}


def roles(given: dict[str, Any] | None = None, **columns: Any) -> Roles:
    return read({**LABELS, **columns}, **(given or {})).roles


def each(values: int, rows: int = N) -> np.ndarray:
    return np.arange(rows) % values


@pytest.mark.parametrize(
    "name", ["patient", "Patient ID", "subject_id", "participant", "speaker", "animal_no", "person", "cluster"]
)
def test_a_clear_name_whose_values_repeat_is_the_cluster(name):
    answer = roles(**{name: each(40)})
    assert (answer.cluster, answer.row, answer.group, answer.suspected) == (name, None, None, ())
    assert answer.evidence["cluster"] == f"'{name}' (by its name) [cluster=]"


def test_a_clear_name_whose_every_value_occurs_once_names_the_cases():
    answer = roles(patient_id=each(N))
    assert (answer.cluster, answer.row) == (None, "patient_id")
    assert answer.evidence["row"] == "'patient_id' (by its name, and each value occurs once) [row=]"
    beside = roles(patient=each(N), id=each(N))  # which names them already
    assert (beside.cluster, beside.row) == (None, "id")
    assert "no two rows share one" in str(beside.evidence["left out"])
    assert roles({"row": ""}, patient=each(N)).row is None


@pytest.mark.parametrize(
    ("values", "cluster"), [(40, True), (120, True), (10, True), (9, False), (2, False), (121, False), (N, False)]
)
def test_a_weaker_name_needs_many_values_of_several_rows_each(values, cluster):
    for name in ("user", "prompt_id", "session"):
        answer = roles(**{name: each(values)})
        assert answer.cluster == (name if cluster else None)
        assert answer.suspected == (() if cluster or values == N else (name,))


@settings(max_examples=40, deadline=None)
@over(st.integers(2, 100), st.permutations(range(N)), st.sampled_from(["patient", "user"]))
def test_neither_the_order_of_rows_nor_the_names_of_clusters_matter(values, order, name):
    keys = each(values)
    renamed = np.array([f"k{(7 * key) % 101}" for key in keys], dtype=object)
    first, second = roles(**{name: keys}), roles(**{name: renamed[list(order)]})
    assert (first.cluster, first.suspected) == (second.cluster, second.suspected)


def test_a_constant_is_no_cluster_and_is_not_passed_over_silently():
    answer = roles(patient=["p1"] * N)
    assert answer.cluster is None
    assert "'patient' (named like a cluster, but it is constant)" in str(answer.evidence["left out"])


def test_fractions_are_no_clusters():
    assert roles(patient=RNG.normal(size=N).round(1)).cluster is None


def test_of_two_names_the_clearer_one_is_taken_and_the_other_told():
    answer = roles(patient=each(40), user=each(20))
    assert answer.cluster == "patient"
    assert "'user' (named like a cluster, but 'patient' says it more clearly) [cluster=]" in str(answer.evidence["left out"])
    nested = roles(patient=each(40), site=each(8))  # a site is what is reported apart
    assert (nested.cluster, nested.group) == ("patient", "site")


@pytest.mark.parametrize("names", [("speaker", "person"), ("prompt", "document")])
def test_of_equally_clear_names_the_outer_one_is_taken(names):
    inner, outer = names
    answer = roles(**{inner: each(80), outer: each(80) // 4})
    assert answer.cluster == outer
    assert f"'{inner}' (named like a cluster, but '{outer}' holds each of its values whole)" in str(answer.evidence["left out"])


def test_clear_names_that_cross_are_refused_and_weaker_ones_suspected():
    crossed = each(16), each(N) // 16
    with pytest.raises(DoubtfulRolesError, match=r"'animal', 'person' may each be the cluster.*cluster=\"animal\""):
        roles(animal=crossed[0], person=crossed[1])
    assert roles({"cluster": "animal"}, animal=crossed[0], person=crossed[1]).cluster == "animal"
    assert roles({"cluster": ""}, animal=crossed[0], person=crossed[1]).cluster is None
    weak = roles(prompt=crossed[0], user=crossed[1])
    assert weak.cluster is None
    assert set(weak.suspected) == {"prompt", "user"}
    assert "none is within another" in str(weak.evidence["left out"])


def test_left_out_as_asked_a_column_is_not_suspected_either():
    answer = roles({"cluster": ""}, patient=each(40), user=each(20))
    assert (answer.cluster, answer.suspected) == (None, ())
    assert "patient" not in str(answer)


def test_a_column_may_be_group_and_cluster():
    both = roles({"group": "patient"}, patient=each(40))
    assert (both.group, both.cluster) == ("patient", "patient")
    given = roles({"group": "ward", "cluster": "ward"}, ward=each(12))
    assert (given.group, given.cluster, given.columns.count("ward")) == ("ward", "ward", 1)
    assert roles({"group": "patient", "cluster": ""}, patient=each(40)).cluster is None
    assert roles(group=each(40)).suspected == ("group",)


def test_what_may_be_an_identity_is_a_cluster_where_it_repeats_in_a_fold():
    assert roles(doc_id=each(N)).row == "doc_id"
    again = roles(doc_id=each(60))
    assert (again.row, again.cluster) == (None, "doc_id")
    folds = roles(doc_id=each(60), fold=np.arange(N) // 60)  # each document once a fold: cross-validation
    assert (folds.row, folds.fold, folds.cluster) == ("doc_id", "fold", None)
    within = roles(doc_id=each(60), fold=each(60) % 3)
    assert (within.row, within.cluster) == (None, "doc_id")


def test_an_identity_that_repeats_over_folds_stays_one():
    answer = roles(id=each(60), fold=np.arange(N) // 60)
    assert (answer.row, answer.fold, answer.cluster) == ("id", "fold", None)


def test_repeated_identities_are_refused_with_the_argument_for_clusters(write_csv, capsys):
    with pytest.raises(InputError, match=r'if rows of one belong together, cluster="id"'):
        evaluate({**LABELS, "id": each(60)})
    assert evaluate({**LABELS, "id": each(60)}, cluster="id").origin.roles.cluster == "id"
    path = write_csv({**LABELS, "id": each(60)})
    with pytest.raises(SystemExit) as stopped:
        main([str(path)])
    assert stopped.value.code == 2
    assert "--cluster id" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["animal", "subject"])
def test_classes_are_no_clusters(name):
    classes = np.array(["cat", "dog", "owl"])[each(3)]
    said = np.where(RNG.random(N) < 0.8, classes, "cat")
    answer = read({name: classes, "pred": said}).roles
    assert (answer.truth, answer.predicted, answer.cluster) == (name, "pred", None)
    p = RNG.dirichlet(np.ones(3), N)
    scored = read({name: classes, **{f"p_{label}": p[:, i] for i, label in enumerate(("cat", "dog", "owl"))}}).roles
    assert (scored.truth, scored.cluster) == (name, None)


def test_a_weaker_name_is_suspected_however_seldom_values_repeat_and_an_identity_where_many_do():
    few = np.minimum(each(N), N - 2)  # one value occurs twice
    assert roles(user=few, id=each(N)).suspected == ("user",)
    assert roles(account_id=few, id=each(N)).suspected == ()


def test_columns_that_are_named_like_identities_and_repeat_are_suspected():
    answer = roles(account_id=each(30), id=each(N), text_id=each(N), colour=each(5))
    assert answer.suspected == ("account_id",)
    assert "suspected" not in answer.to_dict()
