"""Cases and correct ones by value of a suspected column, and by run of equal rows: against pandas, for any split of the rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import evaluate, read
from adjudge.counts.counting import tally
from adjudge.counts.suspected import MOST, RUNS_IN, ByValue
from adjudge.predictions.cluster_keys import cluster_keys

N = 1200


def table(values: int, seed: int = 0, n: int = N, *, weighted: bool = False) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth, predicted = rng.integers(0, 2, (2, n))
    weight = {"weight": rng.integers(1, 9, n) / 4} if weighted else {}
    return {"truth": truth, "predicted": predicted, "account_id": rng.integers(0, values, n), **weight}


def counted(rows: dict[str, np.ndarray], **given_roles: str) -> dict[str | None, ByValue]:
    return {each.column: each for each in tally(read(rows, **given_roles), suspecting=True).suspected}


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_are_those_of_pandas(weighted):
    rows = table(30, weighted=weighted)
    seen = counted(rows)["account_id"]
    frame = pd.DataFrame(rows)
    frame["w"] = frame["weight"] if weighted else 1.0
    frame["right"] = frame["w"] * (frame["truth"] == frame["predicted"])
    sums = frame.groupby("account_id")[["w", "right"]].sum()
    keys = cluster_keys(pa.array(sums.index.to_numpy()), "account_id")[0]
    order = np.argsort(keys)
    assert seen.keys.tolist() == keys[order].tolist()
    assert seen.cases == pytest.approx(sums["w"].to_numpy()[order])
    assert seen.correct == pytest.approx(sums["right"].to_numpy()[order])
    assert seen.squares == pytest.approx((frame["w"] ** 2).sum())


def test_nothing_is_counted_that_was_not_asked_for_or_has_a_role():
    rows = table(30)
    assert tally(read(rows)).suspected == ()
    assert counted(rows, cluster="account_id") == {}
    assert counted(rows, cluster="") == {}
    assert counted(rows, group="account_id") == {}  # which is counted as the group it is


def test_rows_without_a_value_are_left_out():
    rows = pd.DataFrame(table(30)).astype({"account_id": "Int64"})
    rows.loc[::3, "account_id"] = pd.NA
    assert counted(rows)["account_id"].cases.sum() == N - len(rows.loc[::3])


def test_many_values_are_put_together_and_lose_no_case():
    rows = table(9000, n=20_000)
    seen = counted(rows)["account_id"]
    assert seen.together
    assert seen.keys.size <= MOST
    assert seen.cases.sum() == 20_000
    assert seen.correct.sum() == (rows["truth"] == rows["predicted"]).sum()


@pytest.mark.parametrize("how", ["csv", "parquet", "frame", "split"])
def test_any_source_gives_the_same_sums(tmp_path, how):
    rows = table(40)
    frame = pd.DataFrame(rows)
    source = {"csv": tmp_path / "a.csv", "parquet": tmp_path / "a.parquet", "frame": frame, "split": tmp_path / "s.csv"}[how]
    if how == "csv":
        frame.to_csv(source, index=False)
    if how == "split":
        frame.assign(set=["train", "test", "test"] * (N // 3)).to_csv(source, index=False)
        rows = {name: values[np.arange(N) % 3 > 0] for name, values in rows.items()}
    if how == "parquet":
        pq.write_table(pa.table(rows), source, row_group_size=100)
    seen, expected = counted(source)["account_id"], counted(rows)["account_id"]
    for name in ("keys", "cases", "correct"):
        assert getattr(seen, name).tolist() == getattr(expected, name).tolist()


def test_duplicates_made_one_are_no_obstacle():
    rows = table(30) | {"id": np.arange(N) // 2}
    assert evaluate(rows, duplicates="first").undeclared is None


def blocks(sizes: np.ndarray, seed: int = 1, decimals: int = 12) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    y, p = rng.integers(0, 2, sizes.size), rng.random(sizes.size).round(decimals)
    return {"truth": np.repeat(y, sizes), "p": np.repeat(p, sizes)}


@given(st.lists(st.integers(1, 6), min_size=60, max_size=120))
def test_runs_are_what_a_loop_makes_of_the_rows(sizes):
    sizes = np.array([2, *sizes])
    seen = counted(blocks(sizes))
    there = sizes.sum() - sizes.size >= 0.1 * sizes.sum()
    assert (None in seen) == there
    if there:
        assert sorted(seen[None].cases.tolist()) == sorted(sizes.tolist())


def test_rows_sorted_or_of_few_scores_or_in_no_order_are_no_runs():
    sizes = np.full(400, 3)
    rows = blocks(sizes)
    assert None in counted(rows)
    order = np.argsort(rows["p"], kind="stable")
    assert None not in counted({name: values[order] for name, values in rows.items()})
    order = np.random.default_rng(2).permutation(1200)
    assert None not in counted({name: values[order] for name, values in rows.items()})
    assert None not in counted(blocks(sizes, decimals=1))
    assert counted({name: rows[name] for name in ("truth",)} | {"predicted": rows["truth"]}) == {}


def test_runs_go_on_from_one_block_to_the_next_and_end_after_the_first_rows():
    sizes = np.full(30_000, 5)
    seen = counted(blocks(sizes))[None]
    assert seen.cases.sum() == RUNS_IN
    assert seen.together
