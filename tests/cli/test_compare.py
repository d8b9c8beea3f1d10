"""The commands that say which is better: what they read, print, write and refuse."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score, matthews_corrcoef
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import adjudge
from adjudge.cli import main
from adjudge.describe import describe

N = 200
RNG = np.random.default_rng(2)
TRUTH = RNG.choice(["sick", "well"], N)


def run(*arguments: object):
    return CliRunner().invoke(main, [str(a) for a in arguments])


def answers(share, seed, truth=TRUTH):
    rng = np.random.default_rng(seed)
    other = np.where(truth == "sick", "well", "sick")
    return np.where(rng.random(len(truth)) < share, truth, other)


@pytest.fixture
def written(write_csv):
    """Write predictions of the same cases, in another order each, under the names given."""

    def write(*names, shares=(0.95, 0.8, 0.75), row=True, truth=TRUTH):
        found = []
        for i, name in enumerate(names):
            order = np.random.default_rng(i).permutation(len(truth)) if row else np.arange(len(truth))
            said = answers(shares[i % len(shares)], 20 + i, truth)
            columns = {"id": [f"c{at}" for at in order]} if row else {}
            found.append(write_csv(columns | {"y_true": truth[order], "y_pred": said[order]}, name))
        return found

    return write


@pytest.mark.slow
def test_two_files_are_compared(written):
    a, b = written("a.csv", "b.csv")
    result = run("compare", a, b)
    assert result.exit_code == 0
    one, other = (accuracy_score(TRUTH, answers(share, 20 + i)) for i, share in enumerate((0.95, 0.8)))
    assert result.stdout.startswith(
        f"a.csv is better than b.csv: accuracy {one:.1%} against {other:.1%}, difference {100 * (one - other):+.1f} points"
    )
    assert "Both correct in" in result.stdout


@pytest.mark.slow
def test_three_files_are_ranked(written, tmp_path):
    page = tmp_path / "out.html"
    result = run("compare", *written("a.csv", "b.csv", "c.csv"), "--measure", "mcc", "-o", page)
    assert result.exit_code == 0
    values = [matthews_corrcoef(TRUTH, answers(share, 20 + i)) for i, share in enumerate((0.95, 0.8, 0.75))]
    for name, value in zip(("a.csv", "b.csv", "c.csv"), values, strict=True):
        assert re.search(rf"^\d\. {name} +{value:.3f} ", result.stdout, re.MULTILINE)
    assert f"Wrote {page}" in result.stdout
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.slow
def test_json_is_strict_and_alone_on_stdout(written):
    a, b = written("a.csv", "b.csv")
    told = json.loads(run("compare", a, b, "--json", "--margin", "0.02", "--level", "0.9", "--names", "new, old").stdout)
    assert (told["names"], told["margin"], told["level"], told["verdict"]) == (["new", "old"], 0.02, 0.9, "better")
    found = adjudge.compare(a, b, margin=0.02, level=0.9)
    assert [told[name] for name in ("worse", "same", "better")] == [found.worse, found.same, found.better]
    ranked = json.loads(run("compare", a, b, a, "--json").stdout)
    assert [row["rank"] for row in ranked["rows"]] == [1, 2, 3]
    assert len(ranked["comparisons"]) == 3


@pytest.mark.slow
def test_the_same_file_twice_is_the_same(written):
    (a,) = written("a.csv")
    told = json.loads(run("compare", a, a, "--margin", "0.05", "--json").stdout)
    assert told["names"] == ["a.csv (1)", "a.csv (2)"]
    assert told["verdict"] == "equivalent"
    assert told["difference"] == 0
    assert "A705" in run("compare", a, a).stdout


@pytest.mark.slow
def test_rows_are_taken_by_position_only_when_asked(written):
    a, b = written("a.csv", "b.csv", row=False)
    refused = run("compare", a, b)
    assert refused.exit_code == 2
    assert "--by-position" in refused.stderr
    result = run("compare", a, b, "--by-position")
    assert result.exit_code == 0
    assert "A702" in result.stdout


@pytest.mark.slow
def test_different_cases_are_independent_and_the_same_are_not(written, write_csv):
    a, b = written("a.csv", "b.csv")
    refused = run("compare", a, b, "--independent")
    assert refused.exit_code == 2
    assert "not independent" in refused.stderr
    truth = np.roll(TRUTH, 7)
    columns = {"id": [f"d{i}" for i in range(N)], "y_true": truth, "y_pred": answers(0.5, 1, truth)}
    other = write_csv(columns, "other.csv")
    without = run("compare", a, other)
    assert without.exit_code == 2
    assert "no case in common" in without.stderr
    result = run("compare", a, other, "--independent")
    assert result.exit_code == 0
    assert "different ones for each" in result.stdout
    assert "A707" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["compare", "{a}"], "two sets of predictions or more"),
        (["compare", "{a}", "nothing.csv"], "No file 'nothing.csv'"),
        (["compare", "{a}", "{b}", "--measure", "accurracy"], "Did you mean accuracy"),
        (["compare", "{a}", "{b}", "--measure", "auc"], "needs scores"),
        (["compare", "{a}", "{b}", "--margin", "-1"], "margin is the largest difference"),
        (["compare", "{a}", "{b}", "--level", "95"], "95% is 0.95"),
        (["compare", "{a}", "{b}", "--names", "one"], "2 different names"),
        (["compare", "{a}", "{b}", "{a}", "--independent"], "independent compares two sets"),
        (["compare", "{a}", "{b}", "-o", "{a}"], "would replace the predictions"),
        (["compare", "{a}", "{b}", "-o", "{folder}/no/such/place.html"], "Cannot write"),
        (["report", "{a}", "{b}", "-o", "{b}"], "would replace the predictions"),
        (["report", "{a}", "--margin", "0"], "compares several sets of predictions; one was given"),
        (["report", "{a}", "{b}", "-o", "{folder}"], "is a folder"),
    ],
)
def test_bad_input_is_one_sentence_on_stderr_and_exit_2(arguments, text, written, tmp_path):
    a, b = written("a.csv", "b.csv")
    before = sorted(tmp_path.rglob("*"))
    contents = [path.read_bytes() for path in (a, b)]
    result = run(*(each.format(a=a, b=b, folder=tmp_path) for each in arguments))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert text in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before
    assert [path.read_bytes() for path in (a, b)] == contents


@pytest.mark.slow
def test_a_report_of_two_files_begins_with_the_comparison(written, tmp_path):
    a, b = written("a.csv", "b.csv")
    page = tmp_path / "out.html"
    result = run("report", a, b, "-o", page)
    assert result.exit_code == 0
    assert result.stdout.startswith("a.csv is better than b.csv")
    for path in (a, b):
        first = describe(adjudge.evaluate(path)).sentences[0]
        assert f"{path.name}: {first[0].lower()}{first[1:]}" in " ".join(result.stdout.split())
    text = page.read_text(encoding="utf-8")
    assert "a.csv against b.csv" in text
    assert re.findall(r'<details class="part"( open)?><summary><h2>([^<]+)', text) == [(" open", "a.csv"), ("", "b.csv")]
    again = tmp_path / "again.html"
    run("report", a, b, "-o", again)
    assert again.read_bytes() == page.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "again.html", "b.csv", "out.html"]


@pytest.mark.slow
def test_a_report_of_three_files_has_the_best_first(written, tmp_path):
    files = written("worst.csv", "middle.csv", "best.csv", shares=(0.6, 0.8, 0.97))
    result = run("report", *files, "-o", tmp_path / "out.html", "--json")
    told = json.loads(result.stdout)
    assert [each["name"] for each in told["evaluations"]] == ["best.csv", "middle.csv", "worst.csv"]
    assert told["ranking"]["rows"][0]["name"] == "best.csv"
    text = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert re.findall(r'<details class="part"(?: open)?><summary><h2>([^<]+)', text) == ["best.csv", "middle.csv", "worst.csv"]


@pytest.mark.slow
def test_hostile_names_are_only_text(written, tmp_path):
    hostile = "<img src=x onerror=alert(1)>\u202e.csv"
    truth = np.where(TRUTH == "sick", "<script>alert(1)</script>", "\x1b[2Jwell")
    files = written(hostile, "b.csv", truth=truth)
    result = run("report", *files, "-o", tmp_path / "out.html", "--row", "id", "--truth", "y_true", "--predicted", "y_pred")
    assert result.exit_code == 0
    assert not any(character in result.stdout for character in "\x1b\u202e")
    text = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "<img" not in text
    assert "<script>alert" not in text


@pytest.mark.slow
def test_the_commands_run_as_a_program(written):
    a, b = written("a.csv", "b.csv")
    done = subprocess.run([sys.executable, "-m", "adjudge", "compare", a, b], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == run("compare", a, b).stdout


@pytest.mark.slow
def test_many_files_are_ranked(written):
    files = written(*(f"m{i:02}.csv" for i in range(16)), shares=tuple(0.95 - i / 50 for i in range(16)))
    told = json.loads(run("compare", *files, "--json").stdout)
    right = {f"m{i:02}.csv": np.mean(answers(0.95 - i / 50, 20 + i) == TRUTH) for i in range(16)}
    assert [row["value"] for row in told["rows"]] == pytest.approx(sorted(right.values(), reverse=True), rel=1e-12)
    assert sum(row["p_best"] for row in told["rows"]) == pytest.approx(1)


# -- learners --------------------------------------------------------------------------------------------------

NB = ("--learner", "sklearn.naive_bayes:GaussianNB")
NEAREST = ("--against", "sklearn.neighbors:KNeighborsClassifier", "--against-params", "n_neighbors=3")


@pytest.fixture
def iris(write_csv):
    X, y = load_iris(return_X_y=True)
    names = ("setosa", "versicolor", "virginica")
    return write_csv({f"x{i}": X[:, i] for i in range(4)} | {"species": [names[c] for c in y]}, name="iris.csv")


def compare_learners(iris, *more: object):
    return run("compare-learners", "--data", iris, "--target", "species", *more)


@pytest.mark.slow
def test_learners_are_tried_by_the_same_folds(iris, tmp_path):
    X, y = load_iris(return_X_y=True)
    result = compare_learners(iris, *NB, *NEAREST, "--by", "2x5-fold", "--json", "-o", tmp_path / "out.html")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    plan = adjudge.plan("2x5-fold", X, y, random_state=0)
    folds = list(zip(plan.train, plan.test, strict=True))
    theirs = [cross_val_score(each, X, y, cv=folds).mean() for each in (GaussianNB(), KNeighborsClassifier(n_neighbors=3))]
    assert told["values"] == pytest.approx(theirs, rel=1e-12)
    assert told["names"] == ["GaussianNB", "KNeighborsClassifier"]
    assert (tmp_path / "out.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.slow
def test_a_learner_against_itself_has_a_name_of_its_own(iris):
    told = json.loads(compare_learners(iris, *NB, "--against", NB[1], "--by", "5-fold", "--margin", "0.05", "--json").stdout)
    assert told["names"] == ["GaussianNB (1)", "GaussianNB (2)"]
    assert told["verdict"] == "equivalent"
    told = json.loads(compare_learners(iris, *NB, *NEAREST, "--by", "5-fold", "--names", "one,other", "--json").stdout)
    assert told["names"] == ["one", "other"]


@pytest.mark.slow
def test_a_fold_that_failed_leaves_with_3(iris, tmp_path, monkeypatch):
    (tmp_path / "unsteady.py").write_text(
        textwrap.dedent("""
            from sklearn.naive_bayes import GaussianNB

            class Unsteady(GaussianNB):
                def fit(self, X, y):
                    if X[0, 0] != 5.1:
                        raise RuntimeError("the first case is missing")
                    return super().fit(X, y)
        """),
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    result = compare_learners(iris, "--learner", "unsteady:Unsteady", *NEAREST, "--by", "10-fold")
    assert result.exit_code == 3
    assert "A708 1 fold" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("extra", "text"),
    [
        ([*NB, "--against", "KNN"], "--against takes MODULE:CLASS"),
        ([*NB, "--against", "no.such:Thing"], "--against no.such:Thing cannot be imported"),
        ([*NB, *NEAREST, "--method", "wishful"], "method must be one of"),
        ([*NB, *NEAREST, "--method", "paired-t", "--by", "2x5-fold"], "splits share cases"),
        ([*NB, *NEAREST, "--method", "5x2cv-t", "--by", "5-fold"], "5x2-fold"),
        ([*NB, *NEAREST, "--by", "bootstrap632-20"], "no known test"),
        ([*NB], "--against"),
    ],
)
def test_learners_that_cannot_be_compared_are_refused(extra, text, iris):
    result = compare_learners(iris, *extra)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert text in result.stderr
