"""The same rows give the same numbers: as text, Parquet and frames, in any order, in any process and any place."""

from __future__ import annotations

import json
import os
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from tests.cli.running import ADJUDGE

import adjudge

N = 240
OF_THE_SOURCE = ("origin", "next_steps")


def table(*, runs: bool) -> pa.Table:
    """Return cases of patients, or answers of runs to prompts; names are numbers, which text and Parquet hold differently."""
    rng = np.random.default_rng(26)
    truth, row = rng.integers(0, 3, N), np.arange(N)
    p = rng.dirichlet([0.5, 0.5, 0.5], N).round(4)
    labels = np.array(["ant", "bee", "cow"])
    columns = {"truth": labels[truth[row // 4 * 4] if runs else truth], "predicted": labels[p.argmax(axis=1)]}
    if runs:
        return pa.table(columns | {"prompt": row // 4, "run": row % 4})
    scores = {f"p_{label}": p[:, i] for i, label in enumerate(labels)}
    return pa.table(columns | scores | {"patient": row // 6, "group": row % 5, "fold": row % 4})


def numbers(source, **how) -> str:
    told = adjudge.evaluate(source, **how).to_dict()
    return json.dumps({name: value for name, value in told.items() if name not in OF_THE_SOURCE}, sort_keys=True)


@pytest.mark.parametrize("runs", [False, True])
def test_every_form_of_the_same_rows(runs, tmp_path):
    whole = table(runs=runs)
    pc.write_csv(whole, tmp_path / "a.csv")
    pq.write_table(whole, tmp_path / "a.parquet")
    text = pc.read_csv(tmp_path / "a.csv")
    order = np.random.default_rng(1).permutation(N)
    pc.write_csv(whole.take(order), tmp_path / "turned.csv")
    wanted = numbers(tmp_path / "a.csv")
    assert numbers(tmp_path / "a.parquet") == wanted
    assert numbers(text) == wanted
    assert numbers(text.to_pandas()) == wanted
    assert numbers(tmp_path / "turned.csv") == wanted


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_spaces_and_their_limits_for_any_order_of_cases(seed):
    whole = table(runs=False)
    order = np.random.default_rng(seed).permutation(N)
    spaces, turned = (adjudge.compare_partitions([rows]).to_dict() for rows in (whole, whole.take(order)))
    assert spaces["rules"]["a"]["n"] == N
    assert spaces["clusters"] == N // 6
    assert json.dumps(turned) == json.dumps(spaces)


@pytest.mark.slow
@pytest.mark.parametrize("runs", [False, True])
def test_every_process_and_place(runs, tmp_path):
    pc.write_csv(table(runs=runs), tmp_path / "a.csv")

    def answer(**place: str) -> bytes:
        command = [*ADJUDGE, "evaluate", str(tmp_path / "a.csv"), "--json"]
        return subprocess.run(command, capture_output=True, check=True, env={**os.environ, **place}).stdout

    wanted = answer(PYTHONHASHSEED="0")
    assert answer(PYTHONHASHSEED="12345") == wanted
    assert answer(TZ="Asia/Tokyo", LC_ALL="C") == wanted
    assert answer(TZ="America/St_Johns", LC_ALL="tr_TR.UTF-8", PYTHONUTF8="0") == wanted
