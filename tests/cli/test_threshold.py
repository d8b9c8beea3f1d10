"""The command that says what a threshold does."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from tests.described import state

import adjudge
from adjudge.cli import main


@pytest.fixture
def patients(write_csv):
    rng = np.random.default_rng(0)
    ill = rng.random(400) < 0.25
    p = 1 / (1 + np.exp(-rng.normal(np.where(ill, 1, -1.2), 1.2)))
    return write_csv({"truth": np.where(ill, "ill", "well"), "p_ill": p.round(4), "p_well": (1 - p).round(4)})


def run(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)


@pytest.mark.slow
def test_it_says_what_python_says(patients):
    found = adjudge.thresholds(patients, positive="ill")
    answer = run("threshold", patients, "--positive", "ill", "--threshold", "0.3", "--prevalence", "0.05", "--miss-cost", "4")
    assert answer.exit_code == 0, answer.output
    assert answer.output.strip() == found.at(0.3, prevalence=0.05, miss_cost=4).in_words()
    told = json.loads(run("threshold", patients, "--positive", "ill", "--json").output)
    assert told["threshold"] == found.least_cost().threshold
    assert told["findings"][0]["code"] == "A834"


@pytest.mark.slow
def test_it_writes_a_page_with_sliders(patients, tmp_path):
    page = tmp_path / "page.html"
    answer = run("threshold", patients, "--positive", "ill", "-o", page)
    assert answer.exit_code == 0, answer.output
    assert str(page) in answer.output
    assert 'type="range"' in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_page_holds_what_was_asked(patients, tmp_path):
    page = tmp_path / "page.html"
    asked = ["--positive", "ill", "--prevalence", "0.01", "--miss-cost", "30"]
    assert run("threshold", patients, *asked, "-o", page).exit_code == 0
    found = adjudge.thresholds(patients, positive="ill")
    best = found.least_cost(prevalence=0.01, miss_cost=30)
    written = page.read_text(encoding="utf-8")
    assert state(found, best.threshold, name="ill", **best.use)["sentence"] in written
    assert "A834" in written
    assert run("threshold", patients, *asked, "--threshold", "0.3", "-o", page).exit_code == 0
    written = page.read_text(encoding="utf-8")
    assert state(found, 0.3, name="ill", **best.use)["sentence"] in written
    assert "A834" not in written


@pytest.mark.slow
def test_counts_have_thresholds(patients, tmp_path):
    counts = tmp_path / "n.counts"
    assert run("count", patients, "-o", counts).exit_code == 0
    answer = run("threshold", counts, "--threshold", "0.3")
    assert answer.exit_code == 0, answer.output
    assert answer.output == run("threshold", patients, "--threshold", "0.3").output
    refused = run("threshold", counts, "--truth", "truth")
    assert refused.exit_code == 2
    assert "--truth" in refused.output
    assert "--missing" not in refused.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--prevalence", "1.5"], "--prevalence"),
        (["--miss-cost", "0"], "--miss-cost"),
        (["--positive", "cured"], "'cured' is not among the classes"),
        (["--threshold", "high"], "--threshold"),
    ],
)
def test_what_makes_no_sense_is_refused(patients, arguments, message):
    answer = run("threshold", patients, *arguments)
    assert answer.exit_code == 2
    assert message in answer.output


def test_a_file_without_scores_has_no_thresholds(write_csv):
    file = write_csv({"truth": ["a", "b", "a", "b"] * 5, "predicted": ["a", "b", "b", "b"] * 5})
    answer = run("threshold", file)
    assert answer.exit_code == 2
    assert "Thresholds need the scores of a class" in answer.output
