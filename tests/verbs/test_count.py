"""Counts of several sources, and what counts have no use for."""

from __future__ import annotations

import pytest

import adjudge
from adjudge import InputError
from adjudge.verbs.count import counts_in, refuse_roles

PART = {"truth": [0, 1, 1, 0], "predicted": [0, 1, 0, 0]}
OTHER = {"truth": [1, 0], "predicted": [1, 1]}


def test_several_are_added_up_files_of_counts_among_them(tmp_path):
    whole = adjudge.count(PART) + adjudge.count(OTHER)
    place = adjudge.count(OTHER).save(tmp_path / "other.counts")
    for sources in ((PART, OTHER), (PART, place), (adjudge.count(PART), place)):
        assert adjudge.count(*sources).tally.confusion.cells.tolist() == whole.tally.confusion.cells.tolist()
    with pytest.raises(InputError, match="given twice"):
        adjudge.count(place, place)
    with pytest.raises(InputError, match=r"count\(y_true, y_pred\)"):
        adjudge.count()


def test_counts_and_predictions_do_not_mix():
    assert counts_in(PART, OTHER) is None
    with pytest.raises(InputError, match=r"counts and dict predictions.*mixed"):
        counts_in(adjudge.count(PART), OTHER)


def test_a_report_of_counts_adds_them_up():
    found = adjudge.report(adjudge.count(PART), adjudge.count(OTHER))
    assert found.evaluation.origin.rows == 6
    with pytest.raises(InputError, match=r"measure=: .*several sets"):
        adjudge.report(adjudge.count(PART), adjudge.count(OTHER), measure="mcc")


def test_roles_were_settled_when_the_predictions_were_counted():
    assert refuse_roles({"missing": "error", "truth": None, "positive": 1}, kept=("positive",)) == {"positive": 1}
    with pytest.raises(InputError, match="truth=, missing=: that was settled") as refused:
        refuse_roles({"truth": "y", "missing": "drop"})
    assert refused.value.in_shell({"truth": "--truth", "missing": "--missing"}).startswith("--truth, --missing: that")


def test_sources_of_the_same_cases_are_counted_as_pairs():
    a, b = (PART | {"row": [1, 2, 3, 4]}, PART | {"predicted": [1, 1, 0, 0], "row": [1, 2, 3, 4]})
    pairs = adjudge.count(a, b, paired=True, names=["a", "b"])
    assert pairs.to_dict() == adjudge.count_pairs(a, b, names=["a", "b"]).to_dict()
    for given in ({"names": ["a", "b"]}, {"by_position": True}):
        with pytest.raises(InputError, match=r"files are paired.*paired=True"):
            adjudge.count(a, b, **given)
