"""The verb that judges wholly: what it takes, what it refuses, and that the command says the same."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import adjudge
from adjudge import InputError
from adjudge.cli import main
from adjudge.cli.wording import in_shell


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    score = np.clip(rng.normal(0.3 + 0.4 * truth, 0.25), 0.01, 0.99).round(3)
    other = np.clip(score + rng.normal(0, 0.2, 200), 0.01, 0.99).round(3)
    return [pd.DataFrame({"case": np.arange(200), "truth": truth, "p_0": 1 - p, "p_1": p}) for p in (score, other)]


@pytest.mark.slow
def test_one_report_holds_all_that_its_page_shows(tables):
    found = adjudge.report(tables[0], row="case")
    assert found.comparison is None
    assert found.recommendations
    assert found.partition is not None
    assert set(found.evaluation.partition_intervals) == {"scaled_accuracy", "ability_to_separate"}
    assert found.thresholds.of == 1
    whole = found.to_html()
    assert whole == found.to_html()
    plain = adjudge.evaluate(tables[0], row="case")
    assert plain.recommendations is None
    assert adjudge.report(plain).to_html() == whole
    assert plain.estimates == found.evaluation.estimates


@pytest.mark.slow
def test_the_command_says_what_the_verb_says(tables, tmp_path):
    paths = [tmp_path / name for name in ("a.csv", "b.csv")]
    for path, table in zip(paths, tables, strict=True):
        table.to_csv(path, index=False)
    for given in (paths[:1], paths):
        ran = CliRunner().invoke(main, ["report", *map(str, given), "--row", "case", "-o", str(tmp_path / "r.html"), "--json"])
        assert ran.exit_code == 0, ran.output
        found = adjudge.report(*given, row="case")
        anywhere = in_shell(found, main.commands["report"], source="PREDICTIONS")
        assert json.loads(ran.stdout) == json.loads(anywhere.to_json())
        page = (tmp_path / "r.html").read_text(encoding="utf-8").replace(" --row case", "")  # how it was read
        assert page == in_shell(found, main.commands["report"]).to_html()


@pytest.mark.slow
def test_several_are_compared_then_judged(tables):
    found = adjudge.report(*tables, row="case", names=("new", "old"))
    assert found.names == ("new", "old")
    assert found.comparison.cases == 200
    assert [each.recommendations is not None for each in found.evaluations] == [True, True]
    three = adjudge.report(*tables, tables[1], row="case", names=("a", "b", "c"))
    assert set(three.names) == {"a", "b", "c"}
    assert three.names[0] == three.comparison.rows[0].name


@pytest.mark.slow
def test_a_learner_is_reported_with_its_folds():
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 120)
    judged = adjudge.estimate(GaussianNB(), rng.normal(size=(120, 2)) + y[:, None], y, by="5-fold", random_state=0)
    found = adjudge.report(judged)
    assert found.learner.estimates == judged.estimates
    assert found.evaluation.recommendations is not None
    assert "corrections" in found.to_html()


@pytest.mark.parametrize(
    ("sources", "how", "message"),
    [
        (0, {}, r"report\(y_true, y_pred\)"),
        (1, {"measure": "auc"}, "measure=: that compares several"),
        (1, {"independent": True}, "independent=True: that compares several"),
        (3, {"independent": True}, "independent=True compares two"),
        (2, {"names": ["a"]}, "2 different names"),
    ],
)
def test_what_makes_no_sense_is_refused(tables, sources, how, message):
    with pytest.raises(InputError, match=message):
        adjudge.report(*(tables * 2)[:sources], row="case", **how)


@pytest.mark.slow
def test_evaluations_are_not_compared(tables):
    with pytest.raises(InputError, match="Pass predictions"):
        adjudge.report(adjudge.evaluate(tables[0], row="case"), adjudge.evaluate(tables[1], row="case"))


def test_a_report_has_a_title_of_its_own():
    table = {"truth": [0, 1, 1, 0] * 10, "predicted": [0, 1, 0, 0] * 10}
    plain, named = adjudge.report(table), adjudge.report(table, title="Trial 7")
    assert "<h1>Trial 7</h1>" in named.to_html()
    assert "<h1>Other</h1>" in named.to_html(title="Other")
    assert named.to_dict() == plain.to_dict()
    assert named.in_words() == plain.in_words()
