"""adjudge population: a column of subjects or a file of each; words, JSON, a page and a picture."""

import csv
import json

import numpy as np
import pytest
from tests.cli.running import run

import adjudge


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(4)
    paths = []
    for i in range(5):
        truth = rng.integers(0, 2, 30)
        said = np.where(rng.random(30) < 0.85, truth, 1 - truth)
        paths.append(tmp_path / f"s{i}.csv")
        with paths[-1].open("w", newline="") as out:
            csv.writer(out).writerows(
                [("subject", "truth", "predicted"), *((f"s{i}", *row) for row in zip(truth, said, strict=True))]
            )
    whole = tmp_path / "all.csv"
    lines = [path.read_text().splitlines() for path in paths]
    whole.write_text("\n".join([lines[0][0], *(line for each in lines for line in each[1:])]) + "\n")
    return whole, paths


def test_one_file_or_several(files):
    whole, paths = files
    one, several = run("population", whole, "--cluster", "subject", "--json"), run("population", *paths, "--json")
    assert (one.exit_code, several.exit_code) == (0, 0), one.output + several.output
    a, b = json.loads(one.stdout), json.loads(several.stdout)
    assert a == json.loads(json.dumps(adjudge.population(whole, cluster="subject").to_dict()))
    assert a["mean"]["value"] == pytest.approx(b["mean"]["value"], abs=1e-9)
    assert a["variational"]["infraliminal"] == pytest.approx(b["variational"]["infraliminal"])
    named = run("population", *paths, "--names", "a,b,c,d,e", "--measure", "accuracy", "--prior", "weak")
    assert named.exit_code == 0
    assert "Accuracy of the typical subject" in named.stdout
    assert "R's micp" in named.stdout


def test_what_it_writes(files, tmp_path):
    whole, _ = files
    for ending, start in ((".html", "<!doctype html>"), (".md", "# How good is it"), (".json", "{"), (".svg", "<svg")):
        place = tmp_path / f"out{ending}"
        result = run("population", whole, "--cluster", "subject", "-o", place)
        assert result.exit_code == 0, result.output
        assert start in place.read_text(encoding="utf-8")[:400].replace("DOCTYPE", "doctype")


def test_what_it_refuses(files):
    whole, paths = files
    for arguments, told in (
        ((whole, "--cluster", ""), "--cluster subject"),
        ((paths[0], paths[0]), "given twice"),
        ((*paths, "--names", "a,b"), "--names"),
        ((whole, "--cluster", "subject", "--chance", "50"), "--chance must lie"),
    ):
        result = run("population", *arguments)
        assert result.exit_code == 2 or result.exception is not None
        assert told in result.output + str(result.exception)
