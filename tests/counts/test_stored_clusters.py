"""Clusters in files of counts: parts add up to the whole, names stay where they are, and what cannot be is refused."""

import io
import json
import zipfile

import numpy as np
import pytest
from click.testing import CliRunner
from tests.counts.test_stored import DAMAGED, npy, packed, unpacked
from tests.described import refused

import adjudge
from adjudge import InputError, count, evaluate, load_counts
from adjudge.cli import main

HOW = {"truth": "truth", "cluster": "patient", "group": ""}
CASES = {
    "few clusters": (300, 20, 2, False),
    "three classes": (300, 20, 3, False),
    "weights": (300, 20, 2, True),
    "one cluster": (60, 1, 2, False),
    "as many clusters as rows": (300, None, 3, False),
    "clusters put together": (6000, 50_000, 2, False),
}


def patients(n, clusters, k, *, weights, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(k), n).round(3)
    p[:, -1] = (1 - p[:, :-1].sum(axis=1)).round(3)
    own = np.arange(n) if clusters is None else rng.integers(0, clusters, n)
    found = {"truth": rng.choice([*"abc"[:k]], n), "patient": np.array([f"Kowalski {i}" for i in own])}
    return found | {f"p_{label}": p[:, i] for i, label in enumerate("abc"[:k])} | ({"w": rng.random(n) + 0.1} if weights else {})


def rows(columns, chosen):
    return {name: values[chosen] for name, values in columns.items()}


def told(evaluation, *names):
    """Return an evaluation as JSON text, without what follows from single cases."""
    whole = evaluation.to_dict()
    return json.dumps({name: whole[name] for name in names or ("clusters", "estimates", "by_class", "counts", "by_group")})


QUICK = ("three classes",)


@pytest.mark.parametrize("kind", [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.slow) for kind in CASES])
def test_parts_add_up_to_the_same_bytes(tmp_path, kind):
    """Rows of most clusters are in several parts."""
    n, clusters, k, weights = CASES[kind]
    columns, how = patients(n, clusters, k, weights=weights), HOW | ({"weight": "w"} if weights else {})
    parts = np.array_split(np.random.default_rng(1).permutation(n), 3)
    paths = [count(rows(columns, part), **how).save(tmp_path / f"{i}.counts") for i, part in enumerate(parts)]
    whole = told(evaluate(count(columns, **how)))
    assert told(evaluate(load_counts(*paths))) == whole
    assert told(evaluate(load_counts(*paths[::-1]))) == whole
    assert told(evaluate(columns, **how), "clusters", "counts") == told(evaluate(load_counts(*paths)), "clusters", "counts")
    assert "clusters" in json.loads(whole)


def test_the_command_line_gives_the_same_bytes(tmp_path):
    columns, run = patients(200, 15, 2, weights=False), CliRunner()
    for name, chosen in (("whole", slice(None)), ("a", slice(0, 90)), ("b", slice(90, None))):
        part = rows(columns, chosen)
        lines = [",".join(part), *(",".join(map(str, row)) for row in zip(*part.values(), strict=True))]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines), "utf-8")
        asked = ["count", str(tmp_path / f"{name}.csv"), "--cluster", "patient", "-o", str(tmp_path / f"{name}.counts")]
        assert run.invoke(main, asked).exit_code == 0
    answers, both = [], [str(tmp_path / f"{name}.counts") for name in "ab"]
    assert run.invoke(main, ["count", *both, "-o", str(tmp_path / "both.counts")]).exit_code == 0
    for name in ("whole", "both"):
        ran = run.invoke(main, ["evaluate", str(tmp_path / f"{name}.counts"), "--json"])
        assert ran.exit_code == 0, ran.output
        answers.append({name: value for name, value in json.loads(ran.stdout).items() if name not in ("origin", "partition")})
    assert json.dumps(answers[0]) == json.dumps(answers[1])
    own = json.loads(run.invoke(main, ["evaluate", str(tmp_path / "whole.csv"), "--cluster", "patient", "--json"]).stdout)
    assert own["clusters"] == answers[0]["clusters"]
    assert own["clusters"]["column"] == "patient"


@pytest.mark.parametrize("kind", CASES)
def test_the_same_counts_are_the_same_bytes(tmp_path, kind):
    n, clusters, k, weights = CASES[kind]
    columns, how = patients(n, clusters, k, weights=weights), HOW | ({"weight": "w"} if weights else {})
    first = count(columns, **how).save(tmp_path / "a.counts").read_bytes()
    assert count(rows(columns, np.random.default_rng(2).permutation(n)), **how).save(tmp_path / "b.counts").read_bytes() == first
    assert load_counts(tmp_path / "a.counts").save(tmp_path / "c.counts").read_bytes() == first


def everything(path):
    with zipfile.ZipFile(path) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


def test_names_stay_where_they_are_unless_asked_for(tmp_path):
    found = count(patients(100, 8, 2, weights=False), **HOW)
    assert b"Kowalski" not in everything(found.save(tmp_path / "a.counts"))
    loaded = evaluate(load_counts(tmp_path / "a.counts"))
    assert {each.of for each in loaded.clusters.each} == {f"cluster {i + 1}" for i in range(8)}
    named = load_counts(found.save(tmp_path / "b.counts", cluster_names=True))
    assert {each.of for each in evaluate(named).clusters.each} == {f"Kowalski {i}" for i in range(8)}


def test_the_command_line_writes_names_when_asked(tmp_path):
    (tmp_path / "a.csv").write_text("truth,predicted,patient\n" + "a,b,Eve\nb,b,Eve\na,a,Ann\n" * 4, "utf-8")
    for more, there in (([], False), (["--cluster-names"], True)):
        ran = CliRunner().invoke(main, ["count", str(tmp_path / "a.csv"), "-o", str(tmp_path / "a.counts"), *more])
        assert ran.exit_code == 0, ran.output
        assert (b"Eve" in everything(tmp_path / "a.counts")) is there


def test_parts_with_clusters_and_without_do_not_add_up(tmp_path):
    one = count(patients(60, 5, 2, weights=False), **HOW).save(tmp_path / "a.counts")
    other = count(patients(60, 5, 2, weights=False, seed=1), **HOW | {"cluster": ""}).save(tmp_path / "b.counts")
    with pytest.raises(InputError, match="One part names clusters, another none"):
        load_counts(one, other)


def test_counts_of_pairs_do_not_lose_clusters_silently(tmp_path):
    columns = patients(60, 5, 2, weights=False) | {"row": np.arange(60)}
    counts = adjudge.count_pairs(columns, columns, row="row", names=["a", "b"], **HOW)
    assert counts.patterns.clusters.clusters == 5
    with refused("cluster", "holds no clusters", "independent"):
        counts.save(tmp_path / "pairs.counts")
    assert not list(tmp_path.iterdir())
    assert adjudge.count_pairs(columns, columns, row="row", names=["a", "b"], **HOW | {"cluster": ""}).cases == 60


@pytest.mark.parametrize("weights", [False, True])
def test_folds_and_groups_keep_their_clusters(tmp_path, weights):
    """Intervals over groups heed the clusters within each; rows of a cluster are in several parts, and clusters in several groups."""
    columns, rng = patients(400, 25, 2, weights=weights), np.random.default_rng(5)
    own = np.unique(columns["patient"], return_inverse=True)[1]
    columns |= {
        "group": own % 3,
        "fold": rng.integers(0, 4, 400),
        "truth": np.array(["a", "b"])[((own % 7 < 3) ^ (rng.random(400) < 0.1)).astype(int)],
    }
    how = HOW | {"group": "group", "fold": "fold"} | ({"weight": "w"} if weights else {})
    parts = np.array_split(rng.permutation(400), 3)
    paths = [count(rows(columns, part), **how).save(tmp_path / f"{i}.counts") for i, part in enumerate(parts)]
    wanted, found = (evaluate(each).to_dict() for each in (count(columns, **how), load_counts(*paths)))
    alone = evaluate(count(columns, **(how | {"cluster": ""}))).to_dict()
    for name in ("over_groups", "groups_compared", "folds"):
        if wanted.get(name) is not None:
            assert leaves(found[name]) == pytest.approx(leaves(wanted[name]), rel=1e-12)
    assert leaves(found["over_groups"]) != pytest.approx(leaves(alone["over_groups"]), rel=1e-2)


def leaves(value):
    """Return the numbers of a result in order."""
    if isinstance(value, dict | list):
        return [leaf for each in (value.values() if isinstance(value, dict) else value) for leaf in leaves(each)]
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []


WITHIN = {
    "clusters of an unknown class": ("truth", lambda values: values + 1),
    "decisions below none": ("predicted", lambda values: values - 2),
    "clusters of other cases": ("n", lambda values: values + 1),
    "clusters below nothing": ("n", lambda values: -values),
    "clusters of groups in disorder": ("part", lambda values: values[::-1]),
    "clusters of other groups": ("part", lambda values: values + 1),
    "too few clusters": ("key", lambda values: values[:-1]),
    "clusters of halves": ("key", lambda values: values / 2),
    "clusters of no group": ("part", lambda values: values[:0]),
}


@pytest.mark.parametrize("name", WITHIN)
def test_clusters_of_groups_that_cannot_be_are_refused(tmp_path, name):
    columns = patients(60, 8, 2, weights=False) | {"group": np.arange(60) % 3}
    path = count(columns, **(HOW | {"group": "group"})).save(tmp_path / "a.counts")
    content, (array, change) = unpacked(path), WITHIN[name]
    array = f"group.clusters.{array}.npy"
    packed(path, content | {array: npy(change(np.load(io.BytesIO(content[array]))))})
    with pytest.raises(InputError, match=DAMAGED):
        load_counts(path)


def test_names_are_of_one_set(tmp_path):
    asked = ["count", "a.csv", "b.csv", "--paired", "--cluster-names", "-o", str(tmp_path / "a.counts")]
    ran = CliRunner().invoke(main, asked)
    assert ran.exit_code == 2
    assert "--cluster-names" in ran.output


def test_earlier_formats_are_refused(tmp_path):
    path = count(patients(60, 5, 2, weights=False), **HOW).save(tmp_path / "a.counts")
    content = unpacked(path)
    header = json.loads(content["header.json"]) | {"format": 4}
    packed(path, content | {"header.json": json.dumps(header).encode()})
    with pytest.raises(InputError, match=r"has format 4 of counts; this version reads 6\. Count the predictions again\."):
        load_counts(path)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Return the contents of files of counts by kind."""
    place, found = tmp_path_factory.mktemp("kept"), {}
    for kind in ("few clusters", "weights", "clusters put together"):
        n, clusters, k, weights = CASES[kind]
        columns, how = patients(n, clusters, k, weights=weights), HOW | ({"weight": "w"} if weights else {})
        found[kind] = unpacked(count(columns, **how).save(place / "a.counts", cluster_names=True))
    return found


ARRAYS = {
    "clusters that descend": ("few clusters", "keys", lambda values: values[::-1]),
    "clusters twice": ("few clusters", "keys", lambda values: values * 0),
    "no cluster": ("few clusters", "keys", lambda values: values[:0]),
    "a cluster that is not there": ("few clusters", "at", lambda values: values + 1),
    "a cluster before the first": ("few clusters", "at", lambda values: values - 1),
    "an unknown class": ("few clusters", "truth", lambda values: values + 1),
    "a class below all": ("few clusters", "truth", lambda values: values - 1),
    "decisions that nobody rejected": ("few clusters", "predicted", lambda values: values - 1),
    "cases in disorder": ("few clusters", "predicted", lambda values: values[::-1]),
    "cases of other cells": ("few clusters", "n", lambda values: values + 1),
    "cases below nothing": ("few clusters", "n", lambda values: -values),
    "half cases": ("few clusters", "n", lambda values: values / 2),
    "cases that are no numbers": ("few clusters", "n", lambda values: values * np.nan),
    "rows of others": ("few clusters", "rows", lambda values: values + 1),
    "clusters of no row": ("few clusters", "rows", lambda values: values * 0),
    "rows without end": ("few clusters", "rows", lambda values: values.astype(np.int64) + (1 << 62)),
    "losses below nothing": ("few clusters", "losses", lambda values: -values),
    "losses of other clusters": ("few clusters", "losses", lambda values: values[:-1]),
    "losses that are text": ("few clusters", "losses", lambda values: values.astype(str)),
    "scores of no cluster": ("few clusters", "scored0", lambda values: values + 1),
    "scores of other classes": ("few clusters", "scored1", lambda values: values * 0),
    "scores that are two ways of it": ("few clusters", "scored2", lambda values: values + 1),
    "bins there are not": ("few clusters", "scored3", lambda values: values + np.int16(400)),
    "scores of other cases": ("few clusters", "scored_n", lambda values: values + 1),
    "weights of other cells": ("weights", "n", lambda values: values[::-1]),
    "weights that overflow their places": ("weights", "n", lambda values: values.astype(np.int64) << 8),
    "weights below nothing": ("weights", "n", lambda values: -values.astype(np.int64)),
    "weights without places": ("weights", "n", lambda values: values[:, :0]),
    "numbers beyond those put together": ("clusters put together", "keys", lambda values: values + 5000),
    "too few that are known": ("clusters put together", "known", lambda values: values[:-1]),
    "known ones in disorder": ("clusters put together", "known", lambda values: values[::-1]),
    "known ones of more rows": ("clusters put together", "known_rows", lambda values: values.astype(int) + 5000),
}


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.parametrize("name", ARRAYS)
def test_clusters_that_cannot_be_are_refused(tmp_path, kept, name):
    kind, array, change = ARRAYS[name]
    content, array = kept[kind], f"clusters.{array}.npy"
    packed(tmp_path / "a.counts", content | {array: npy(change(np.load(io.BytesIO(content[array]))))})
    with pytest.raises(InputError, match=DAMAGED):
        load_counts(tmp_path / "a.counts")


HEADERS = {
    "names of others": ("few clusters", ("names", 0, 0), 7),
    "a name twice": ("few clusters", ("names", 0), None),
    "names that are numbers": ("few clusters", ("names", 0, 1), 7),
    "places far outside": ("weights", ("lows", "n"), 41),
    "places of text": ("weights", ("lows", "n"), "x"),
    "no places": ("weights", ("lows",), None),
    "put together by a number": ("few clusters", ("together",), 1),
    "put together by mistake": ("few clusters", ("together",), True),
    "clusters that are a list": ("few clusters", (), []),
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers_of_clusters_that_cannot_be_are_refused(tmp_path, kept, name):
    kind, way, value = HEADERS[name]
    content = kept[kind]
    header = json.loads(content["header.json"])
    inner, way = header, ("clusters", *way)
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = inner[1] if name == "a name twice" else value
    packed(tmp_path / "a.counts", content | {"header.json": json.dumps(header).encode()})
    with pytest.raises(InputError, match=DAMAGED):
        load_counts(tmp_path / "a.counts")


def test_the_column_is_remembered(tmp_path):
    path = count(patients(60, 5, 2, weights=False), **HOW).save(tmp_path / "a.counts")
    assert load_counts(path).roles.cluster == "patient"
    assert evaluate(path).clusters.column == "patient"
    assert isinstance(adjudge.load_counts(path).tally.confusion.clusters.exact["losses"].low, int)
