"""Columns of scores found by the names of classes, on every scale, and doubts that are refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.corrections.made import CLASSES, cases, columns, multipliers, table
from tests.described import refused

import adjudge
from adjudge.corrections.streaming import apply_to_file


@pytest.mark.parametrize(
    ("scale", "turn"), [("percentages", lambda p: 100 * p), ("logits", np.log), ("votes", lambda p: np.round(p * 1000))]
)
def test_other_scales(scale, turn, tmp_path):
    p, y = cases(100)
    raw = turn(p)
    pq.write_table(pa.table({f"s_{name}": raw[:, i] for i, name in enumerate(CLASSES)}), tmp_path / "new.parquet")
    made = multipliers(p, y)
    apply_to_file(made, tmp_path / "new.parquet", tmp_path / "out.parquet", scores_are=scale)
    got = columns(tmp_path / "out.parquet")
    given = raw / raw.sum(axis=1, keepdims=True) if scale != "logits" else p
    assert np.column_stack([got[f"p_{name}"] for name in CLASSES]) == pytest.approx(made.apply(given), abs=1e-12)


def test_rounded_cells_are_brought_to_one(write_csv, tmp_path):
    path = write_csv({"p_a": [0.33, 0.5], "p_b": [0.33, 0.25], "p_c": [0.33, 0.25]})
    apply_to_file(adjudge.PriorShift([0.2, 0.3, 0.5], [0.2, 0.3, 0.5], CLASSES), path, tmp_path / "out.csv")
    got = columns(tmp_path / "out.csv")
    assert [float(got[f"p_{name}"][0]) for name in CLASSES] == pytest.approx([1 / 3] * 3, abs=1e-15)


def test_one_score_of_two_classes(tmp_path):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 200)
    score = rng.normal(size=200) + y
    rule = adjudge.fit_rejection(y, score, gamma=2)
    pq.write_table(pa.table({"s": score, "truth": y}), tmp_path / "new.parquet")
    apply_to_file(rule, tmp_path / "new.parquet", tmp_path / "out.parquet", scores="s", scores_are="scores")
    got = columns(tmp_path / "out.parquet")
    low, high = rule.thresholds
    assert got["predicted"] == [1 if s >= high else 0 if s < low else None for s in score]
    assert got["s"] == score.tolist()
    p = 1 / (1 + np.exp(-score))
    pq.write_table(pa.table({"p": p}), tmp_path / "p.parquet")
    shift = adjudge.PriorShift([0.5, 0.5], [0.9, 0.1], (0, 1))
    apply_to_file(shift, tmp_path / "p.parquet", tmp_path / "q.parquet", scores="p")
    wanted = 0.1 * p / (0.1 * p + 0.9 * (1 - p))
    assert columns(tmp_path / "q.parquet")["p_1"] == pytest.approx(wanted.tolist(), abs=1e-14)


def test_unknown_classes_are_refused(tmp_path):
    rng = np.random.default_rng(4)
    p = rng.dirichlet([1, 1, 1, 1], 100)
    pq.write_table(table(p, p_d=p[:, 3]), tmp_path / "four.parquet")
    made = adjudge.PriorShift([0.2, 0.3, 0.5], [0.3, 0.3, 0.4], CLASSES)
    with pytest.raises(adjudge.InputError, match=r"classes 'a', 'b', 'c'.*'p_d'"):
        apply_to_file(made, tmp_path / "four.parquet", tmp_path / "out.parquet")
    other = adjudge.PriorShift([0.5, 0.5], [0.3, 0.7], ("a", "z"))
    with refused("scores", "no columns of numbers", "'a', 'z'"):
        apply_to_file(other, tmp_path / "four.parquet", tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_a_column_that_only_looks_like_a_score_does_no_harm(small, tmp_path):
    _, p, y = small
    pq.write_table(table(p, p_value=np.linspace(0, 1, 300)), tmp_path / "extra.parquet")
    done = apply_to_file(multipliers(p, y), tmp_path / "extra.parquet", tmp_path / "out.parquet")
    assert list(done.columns) == ["p_value", "p_a", "p_b", "p_c", "predicted"]


def test_doubt_is_refused_with_the_flags_that_settle_it(small, tmp_path):
    _, p, y = small
    both = (
        table(p)
        .append_column("q_a", pa.array(p[:, 0]))
        .append_column("q_b", pa.array(p[:, 1]))
        .append_column("q_c", pa.array(p[:, 2]))
    )
    pq.write_table(both, tmp_path / "two.parquet")
    with pytest.raises(adjudge.DoubtfulRolesError, match=r"scores=.p_\*. or scores=.q_\*."):
        apply_to_file(multipliers(p, y), tmp_path / "two.parquet", tmp_path / "out.parquet")
    with refused("predicted", "'p_a', 'p_b', 'p_c' twice"):
        apply_to_file(multipliers(p, y), tmp_path / "two.parquet", tmp_path / "out.parquet", scores="q_*")
    done = apply_to_file(multipliers(p, y), tmp_path / "two.parquet", tmp_path / "out.parquet", scores="a=p_a,b=p_b,c=p_c")
    assert done.cases == 300
