"""Sets of predictions side by side: who meets whom, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.described import refused

from adjudge import InputError, Predictions, read
from adjudge.predictions.alignment import matched, shared_cases, side_by_side
from adjudge.predictions.blocks import REJECTED
from adjudge.predictions.in_memory import Held, identity_of

NAMES = ("a", "b")


def meet(*columns, **how):
    """Return columns of dicts side by side."""
    return side_by_side([read(each, row="id") for each in columns], ("a", "b", "c")[: len(columns)], **how)


def labelled(ids, truth, said):
    return {"id": ids, "truth": truth, "predicted": said}


def test_numbers_and_their_texts_are_the_same_identity(tmp_path):
    rows = pd.DataFrame({"id": [3, 1, 2], "truth": list("xyx"), "predicted": list("xyy")})
    rows.to_csv(tmp_path / "a.csv", index=False)
    rows.iloc[::-1].to_parquet(tmp_path / "b.parquet")
    found = side_by_side([read(tmp_path / "a.csv"), read(tmp_path / "b.parquet")], NAMES)
    assert found.rows == 3
    assert np.array_equal(found.predicted[0], found.predicted[1])


def test_unshared_rows_are_counted():
    a = labelled([1, 2, 3, 4], list("xyxy"), list("xxxx"))
    b = labelled([9, 4, 2], list("xyy"), list("yyy"))
    found = meet(a, b)
    assert found.rows == 2
    assert found.unshared == (2, 1)
    assert [found.classes[c] for c in found.truth] == ["y", "y"]


def test_three_sets_keep_what_all_of_them_have():
    sets = [labelled(ids, ["x" if i % 2 else "y" for i in ids], ["x"] * len(ids)) for ids in ([1, 2, 3, 4], [4, 3, 2], [2, 5, 3])]
    found = meet(*sets)
    assert [found.classes[c] for c in found.truth] == ["y", "x"]
    assert found.unshared == (2, 1, 1)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_any_library_meet(frame):
    a, b = labelled([1, 2, 3], list("xyx"), list("xyy")), labelled([3, 2, 1], list("xyx"), list("xxx"))
    found = meet(frame(a), b)
    assert found.rows == 3
    assert [found.classes[c] for c in found.predicted[0]] == list("xyy")


def test_classes_that_one_set_never_names_are_known():
    found = meet(labelled([1, 2], list("ab"), list("ab")), labelled([1, 2], list("ab"), list("cb")))
    assert found.classes == ("a", "b", "c")
    assert found.predicted[1].tolist() == [2, 1]


def test_scores_keep_the_class_they_speak_of():
    truth = ["n", "p", "p"]
    a = Predictions(truth, scores={"p": [0.2, 0.9, 0.6], "n": [0.8, 0.1, 0.4]}, row=[1, 2, 3])
    b = Predictions(truth, scores={"n": [0.7, 0.3, 0.6], "p": [0.3, 0.7, 0.4]}, row=[1, 2, 3])
    found = side_by_side([a, b], NAMES, scores=True)
    for scores, columns in zip(found.scores, found.columns, strict=True):
        named = {found.classes[c]: scores[:, i].tolist() for i, c in enumerate(columns)}
        assert named["p"] == [pytest.approx(1 - v) for v in named["n"]]
    assert found.scores[0][:, found.columns[0].index(found.classes.index("p"))].tolist() == [
        [0.2, 0.9, 0.6][at] for at in found.places
    ]


def test_scores_are_left_unread_where_nobody_wants_them():
    a = Predictions([0, 1], [0, 1], [0.1, 0.9], row=[1, 2])
    assert side_by_side([a, a], NAMES).scores == (None, None)


def test_rejected_cases_stay_rejected():
    a = {"id": [1, 2], "truth": ["x", "y"], "predicted": ["x", "?"]}
    found = side_by_side([read(a, row="id", rejected="?")] * 2, NAMES)
    assert found.rejects
    assert found.predicted[0].tolist() == [0, REJECTED]


def test_a_case_weighs_the_same_whoever_judged_it():
    a = Predictions([0, 1], [0, 1], row=[1, 2], weight=[1.0, 3.0])
    b = Predictions([1, 0], [1, 1], row=[2, 1], weight=[3.0, 1.0])
    found = side_by_side([a, b], NAMES)
    assert found.weight.tolist() == [[1.0, 3.0][at] for at in found.places]
    with pytest.raises(InputError, match="different weights"):
        side_by_side([a, Predictions([0, 1], [0, 1], row=[1, 2], weight=[1.0, 2.0])], NAMES)


@pytest.mark.parametrize("scored", [False, True])
def test_cases_stand_in_one_order_whatever_order_they_came_in(scored):
    rng = np.random.default_rng(4)
    truth, said, p = rng.integers(0, 2, 40), rng.integers(0, 2, (2, 40)), rng.random((2, 40)).round(1)
    how = {"row": np.arange(40), "weight": rng.integers(1, 3, 40) * 1.0, "cluster": rng.integers(0, 5, 40)}
    orders = np.arange(40), rng.permutation(40)
    first, second = (
        side_by_side(
            [
                Predictions(
                    truth[at], said[i][at], p[i][at] if scored else None, **{name: part[at] for name, part in how.items()}
                )
                for i in (0, 1)
            ],
            NAMES,
            scores=scored,
        )
        for at in orders
    )
    for name in ("truth", "weight"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
    for name in ("predicted", "scores"):
        assert all(np.array_equal(a, b) for a, b in zip(getattr(first, name), getattr(second, name), strict=True))
    assert {first.identity(i) for i in range(40)} == set(range(40))


def test_repeated_cases_meet_within_their_folds():
    fold, ids = np.repeat([1, 2, 3], 4), np.tile([1, 2, 3, 4], 3)
    truth = np.tile([0, 1, 0, 1], 3)
    a = Predictions(truth, truth, row=ids, fold=fold)
    order = np.random.default_rng(0).permutation(12)
    b = Predictions(truth[order], truth[order], row=ids[order], fold=fold[order])
    found = side_by_side([a, b], NAMES)
    assert found.rows == 12
    assert found.cases == 4
    assert np.array_equal(found.predicted[0], found.predicted[1])


def test_numbers_meet_too():
    a, b = (Predictions([1.5, 2.5, 3.25], said, row=[1, 2, 3]) for said in ([1.0, 2.0, 3.0], [1.5, 2.0, 3.5]))
    found = side_by_side([a, b], NAMES)
    assert found.classes == ()
    assert found.predicted[1].tolist() == [[1.5, 2.0, 3.5][at] for at in found.places]


def test_without_identities_position_must_be_asked_for():
    a = Predictions([0, 1, 1], [0, 1, 0])
    with pytest.raises(InputError, match="by_position=True"):
        side_by_side([a, a], NAMES)
    assert side_by_side([a, a], NAMES, by_position=True).rows == 3
    with refused("row", "a has 3, b has 2"):
        side_by_side([a, Predictions([0, 1], [0, 1])], NAMES, by_position=True)


def test_truths_that_disagree_are_no_same_cases():
    a, b = labelled([1, 2, 3], list("xyx"), list("xyy")), labelled([1, 2, 3], list("xyy"), list("xyy"))
    with pytest.raises(InputError, match=r"truth of 1 .*3; .*'id' 3, 'x' .*'y'"):
        meet(a, b)


@pytest.mark.parametrize("ids", [[1, 1, 2], ["p", "p", "q"]])
def test_a_case_named_twice_is_refused(ids):
    a = labelled(ids, list("xxy"), list("xyy"))
    with pytest.raises(InputError, match="names cases more than once"):
        meet(a, a)


def test_no_case_in_common_is_said():
    with pytest.raises(InputError, match="no case in common"):
        meet(labelled([1, 2], list("xy"), list("xy")), labelled([3, 4], list("xy"), list("xy")))


def test_text_and_numbers_for_the_same_classes_are_refused():
    a, b = labelled([1, 2], [0, 1], [0, 1]), labelled([1, 2], ["0", "1"], ["0", "1"])
    with pytest.raises(InputError, match=r"labels_as=.str"):
        meet(a, b)


def test_classes_do_not_meet_numbers():
    a = Predictions([1.5, 2.5, 3.25], [1.0, 2.0, 3.0], row=[1, 2, 3])
    b = Predictions([0, 1, 0], [0, 1, 1], row=[1, 2, 3])
    with pytest.raises(InputError, match="predicts numbers"):
        side_by_side([a, b], NAMES)


def test_identities_of_several_values_are_refused():
    a = pa.table({"id": [[1, 2], [3]], "truth": ["x", "y"], "predicted": ["x", "y"]})
    with refused("row", "identify no case"):
        meet(a, a)


def test_shared_cases_are_found_by_identity_and_by_the_order_of_truths():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 60)
    one, other = Predictions(truth, truth), Predictions(truth, 1 - truth)
    assert shared_cases([one, other], NAMES) == 60
    assert shared_cases([one, Predictions(truth[::-1].copy(), truth)], NAMES) == 0
    by_class = np.sort(truth)
    assert shared_cases([Predictions(by_class, by_class)] * 2, NAMES) == 0
    named = [Predictions(truth, truth, row=np.arange(60) + start) for start in (0, 50)]
    assert shared_cases(named, NAMES) == 10


@pytest.mark.slow
def test_a_large_file_meets_a_shuffled_one(tmp_path):
    rng, n = np.random.default_rng(0), 200_000
    truth, said = rng.integers(0, 3, n), rng.integers(0, 3, n)
    ids = rng.permutation(10 * n)[:n]
    order = rng.permutation(n)
    pq.write_table(pa.table({"id": ids, "truth": truth, "predicted": said}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"id": ids[order], "truth": truth[order], "predicted": said[order]}), tmp_path / "b.parquet")
    found = side_by_side([read(tmp_path / "a.parquet"), read(tmp_path / "b.parquet")], NAMES)
    assert np.array_equal(found.predicted[0], found.predicted[1])
    assert found.rows == n


identities = st.one_of(
    st.lists(st.integers(-(2**62), 2**62), unique=True, min_size=1, max_size=40),
    st.lists(st.integers(0, 60), unique=True, min_size=1, max_size=40),
    st.lists(st.text(min_size=1, max_size=5), unique=True, min_size=1, max_size=40),
)


@pytest.mark.slow
@given(identities, st.randoms(use_true_random=False), st.data())
def test_cases_meet_as_in_a_dictionary(ids, random, data):
    other = [i for i in ids if data.draw(st.booleans())]
    random.shuffle(other)
    arrays = [pa.array(each, pa.int64() if isinstance(ids[0], int) else pa.large_string()) for each in (ids, other)]
    nobody = Predictions(["x"], ["x"])
    identified = [identity_of(array, nobody) for array in arrays]
    held = [Held("set", (), known, known, column="id", rows=rows, known=known) for rows, known in identified]
    nothing = {"", "NA", "N/A", "#N/A", "NaN", "nan", "-nan", "<NA>", "null", "NULL", "None"}
    place = {case: i for i, case in enumerate(other)}
    expected = [(i, place[case]) for i, case in enumerate(ids) if case in place and case not in nothing]
    ours, theirs = matched(held, NAMES, None) or [np.arange(len(ids))] * 2
    assert list(zip(ours.tolist(), theirs.tolist(), strict=True)) == expected


@pytest.mark.slow
@given(st.permutations(range(12)), st.integers(2, 4))
def test_the_order_of_rows_does_not_matter(order, k):
    rng = np.random.default_rng(3)
    truth, a, b = rng.integers(0, k, (3, 12))
    ids = np.arange(12) * 1_000_003
    straight = meet(labelled(ids, truth, a), labelled(ids, truth, b))
    order = list(order)
    mixed = meet(labelled(ids, truth, a), labelled(ids[order], truth[order], b[order]))
    assert np.array_equal(straight.predicted[1], mixed.predicted[1])
    assert np.array_equal(straight.truth, mixed.truth)


def test_rows_without_an_identity_meet_nobody():
    a = labelled(["p", None, "q", ""], list("xyxy"), list("xxxx"))
    found = side_by_side([Predictions(a["truth"], a["predicted"], row=a["id"])] * 2, NAMES)
    assert found.rows == 2
    assert found.unshared == (2, 2)


def test_sets_whose_decisions_a_threshold_replaces_say_so_with_how_many_changed():
    score, decided = np.array([0.1, 0.4, 0.6, 0.9]), np.array([0, 0, 1, 1])
    table = {"id": [1, 2, 3, 4], "truth": [0, 1, 0, 1], "predicted": decided, "score": score}
    sets = [read(table, threshold=cut, positive=1) for cut in (0.3, 0.7)]
    cases = side_by_side(sets, ["low", "high"])
    for said, cut in zip(cases.predicted, (0.3, 0.7), strict=True):
        assert said.tolist() == (score >= cut).astype(int).tolist()
    told = [str(finding.message) for finding in cases.findings if finding.code == "A116"]
    changed = [np.count_nonzero(decided != (score >= cut)) for cut in (0.3, 0.7)]
    assert [f"{n} of 4 changed" in words for n, words in zip(changed, told, strict=True)] == [True, True]
