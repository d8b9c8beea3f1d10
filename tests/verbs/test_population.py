"""population(): sources, columns of subjects, counts; what each gives, and what is refused."""

import numpy as np
import pytest

import adjudge
from adjudge._base.errors import InputError


def rows(subjects=6, n=20, seed=1):
    rng = np.random.default_rng(seed)
    subject = np.repeat([f"s{i}" for i in range(subjects)], n)
    truth = rng.integers(0, 2, subject.size)
    said = np.where(rng.random(subject.size) < 0.8, truth, 1 - truth)
    return {"truth": truth, "predicted": said, "subject": subject}


def test_a_column_files_arrays_and_counts_say_the_same():
    table = rows()
    one = adjudge.population(table, cluster="subject")
    assert (one.n_subjects, one.cases, one.column, one.chance) == (6, 120, "subject", 0.5)
    apart = [{name: values[table["subject"] == f"s{i}"] for name, values in table.items()} for i in range(6)]
    several = adjudge.population(
        *({"truth": each["truth"], "predicted": each["predicted"]} for each in apart), names=[f"s{i}" for i in range(6)]
    )
    arrays = adjudge.population(table["truth"], table["predicted"], cluster=table["subject"])
    grouped = adjudge.population({**table, "g": table["subject"]}, group="g", cluster="")
    counted = adjudge.population(adjudge.count(table, cluster="subject"))
    right = table["truth"] == table["predicted"]
    cells = [[np.sum(each["truth"] == c) for each in apart] for c in (0, 1)]
    correct = [[np.sum(right & (table["truth"] == c) & (table["subject"] == f"s{i}")) for i in range(6)] for c in (0, 1)]
    given = adjudge.population(correct=correct, cases=cells)
    for other in (several, arrays, grouped, counted, given):
        assert (other.n_subjects, other.cases) == (6, 120)
        assert other.mean.value == pytest.approx(one.mean.value, abs=1e-9)
        assert other.next_subject.interval.low == pytest.approx(one.next_subject.interval.low, abs=1e-8)
    assert {subject.name for subject in several.subjects} == {f"s{i}" for i in range(6)}
    assert {subject.name for subject in one.subjects} == {f"s{i}" for i in range(6)}


def test_accuracy_and_a_chance_level():
    table = rows()
    result = adjudge.population(table, cluster="subject", measure="accuracy", chance=0.75)
    assert result.measure == "accuracy"
    assert 0.01 < result.infraliminal < 0.9
    assert result.above_chance + result.infraliminal == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (adjudge.population, "needs predictions"),
        (lambda: adjudge.population({"truth": [0, 1], "predicted": [0, 1]}), "Nothing says to what subject a row belongs"),
        (lambda: adjudge.population(rows(), cluster="subject", measure="mcc"), "measure must be balanced_accuracy or accuracy"),
        (lambda: adjudge.population(rows(), cluster="subject", prior="flat"), "prior must be brodersen or weak"),
        (lambda: adjudge.population(rows(), cluster="subject", chance=50), "chance must lie strictly between 0 and 1"),
        (lambda: adjudge.population(rows(), cluster="subject", chance="half"), "chance must lie strictly"),
        (lambda: adjudge.population(rows(), cluster="subject", level=95), "level"),
        (lambda: adjudge.population(rows(), cluster="subject", names=["a"]), "one came"),
        (lambda: adjudge.population(rows(), correct=[1], cases=[2]), "stand in the place of predictions"),
        (lambda: adjudge.population(correct=[1]), "same shape"),
        (lambda: adjudge.population(correct=[1, 2], cases=[2]), "same shape"),
        (lambda: adjudge.population(correct=["x"], cases=[2]), "same shape"),
        (lambda: adjudge.population(correct=[3], cases=[2], measure="accuracy"), "at most cases"),
        (lambda: adjudge.population(correct=[0], cases=[0], measure="accuracy"), "need a case"),
        (lambda: adjudge.population(correct=[np.nan], cases=[2], measure="accuracy"), "at most cases"),
        (lambda: adjudge.population(correct=[1, 2], cases=[2, 3]), "needs the counts of each class"),
        (
            lambda: adjudge.population(
                {"truth": [0.1, 1.7, 2.2] * 9, "predicted": [0.2, 1.5, 2.9] * 9, "s": list("abc") * 9}, cluster="s"
            ),
            "is of accuracies",
        ),
    ],
)
def test_what_is_refused(call, told):
    with pytest.raises(InputError, match=told):
        call()
