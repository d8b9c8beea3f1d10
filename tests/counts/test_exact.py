import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from tests.described import refused
from tests.memory import peak_of

import adjudge
from adjudge._base.arrays import STREAMED
from adjudge._base.errors import InputError
from adjudge.cli import main
from adjudge.counts import counting, exact, scores
from adjudge.counts.counting import tally
from adjudge.counts.result import Counts
from adjudge.counts.tally import merged
from adjudge.stats import pairs
from adjudge.stats.ranking import auc

NEAR = [0.0, -0.0, 5e-324, 1e-300, 0.5, 0.5 + 2**-40, 0.5 + 2**-53, 0.7, 0.7000001, -0.7, -0.7000001, np.inf, -np.inf]


@pytest.fixture
def few(monkeypatch):
    """Keep next to nothing in memory, so that small files take the way of large ones."""
    for name, value in (("EXACT", 16), ("DISTINCT", 4), ("_BINNED", 16), ("BITS", 10)):
        monkeypatch.setattr(scores, name, value)
    for name in ("EXACT", "GATHERED"):
        monkeypatch.setattr(counting, name, 16)
    monkeypatch.setattr(exact, "BITS", 10)
    monkeypatch.setattr(exact, "SEGMENT", 8)
    return monkeypatch


def written(path, truth, **columns):
    pq.write_table(pa.table({"truth": truth, **columns}), path)
    return path


def sample(n=400, seed=0, digits=4):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    return truth.astype(np.int64), np.round(rng.normal(truth, 1.0), digits)


def ranked(path, **how):
    predictions = adjudge.read(
        path, **{"truth": "truth", "scores": "score", "scores_are": "scores", "positive": 1, "threshold": 0} | how
    )
    counted = tally(predictions)
    assert counted.scores.scores is None, "the file was small enough to be kept"
    return counted.scores, exact.ranked_exactly(counted.scores, predictions)


@pytest.mark.parametrize("room", [1, 20, 1 << 20])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_area_of_a_file_is_that_of_its_arrays_to_the_last_bit(few, tmp_path, room, dtype):
    few.setattr(exact, "BUDGET", 8 * room)
    truth, score = sample()
    binned, found = ranked(written(tmp_path / "x.parquet", truth, score=score.astype(dtype)))
    assert binned.bound(1) > 0
    assert found.bound(1) == found.bound(0) == 0.0
    assert found.area(1) == auc(score.astype(dtype), truth == 1)
    assert found.area(0) == auc(-score.astype(dtype), truth == 0)
    assert found.area(1) == pytest.approx(roc_auc_score(truth, score.astype(dtype)), abs=1e-14)
    assert abs(binned.area(1) - found.area(1)) <= binned.bound(1)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    cases=st.lists(st.tuples(st.sampled_from(NEAR) | st.floats(allow_nan=False), st.booleans()), min_size=20, max_size=80),
    room=st.integers(1, 40),
    segment=st.integers(1, 30),
    narrow=st.booleans(),
)
def test_ties_zeros_and_infinities_rank_as_in_memory(tmp_path_factory, cases, room, segment, narrow):
    own, values = np.array([own for _, own in cases]), np.array([value for value, _ in cases])
    own[:2] = True, False  # both classes are there
    with np.errstate(over="ignore"):
        values = values.astype(np.float32) if narrow else values
    path = written(tmp_path_factory.mktemp("cases") / "x.parquet", own.astype(np.int64), score=values)
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in (
            *((scores, name, 8) for name in ("EXACT", "_BINNED", "BITS")), (scores, "DISTINCT", 2), (counting, "GATHERED", 8),
            (counting, "EXACT", 8), (exact, "BITS", 8), (exact, "SEGMENT", segment), (exact, "BUDGET", 8 * room),
        ):  # fmt: skip
            patch.setattr(module, name, value)
        _, found = ranked(path)
    assert found.area(1) == auc(values, own)


@pytest.mark.parametrize("room", [10, 1 << 20])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_scores_kept_while_they_are_counted_give_the_same_area(few, tmp_path, room, form):
    few.setattr(scores, "KEPT", 8 * room)
    truth, score = sample()
    path = tmp_path / f"x.{form}"
    table = pa.table({"truth": truth, "score": score})
    (pq.write_table if form == "parquet" else pacsv.write_csv)(table, path)
    read_again, read = [], exact._read_again
    few.setattr(exact, "_read_again", lambda *given: read_again.append(given) or read(*given))
    predictions = adjudge.read(path, truth="truth", scores="score", scores_are="scores", positive=1, threshold=0)
    found = tally(predictions, exact=True).scores
    assert found.area(1) == auc(score, truth == 1)
    assert bool(read_again) == (room == 10)


@pytest.mark.slow
def test_scores_are_kept_only_while_they_are_binned(few, tmp_path):
    """Few different scores have exact tables; when more turn up, those before are in the table alone, and all are read again."""
    added, read_again = [], []
    add, read = pairs.Segments.add, exact._read_again
    few.setattr(pairs.Segments, "add", lambda self, given, own: added.append(given.size) or add(self, given, own))
    few.setattr(exact, "_read_again", lambda *given: read_again.append(given) or read(*given))
    few.setattr(scores, "DISTINCT", 50)
    truth, score = sample(3 * STREAMED, digits=3)
    score[:STREAMED] = np.round(score[:STREAMED])
    how = {"truth": "truth", "scores": "score", "scores_are": "scores", "positive": 1, "threshold": 0}
    found = tally(adjudge.read(written(tmp_path / "x.parquet", truth, score=np.round(score)), **how), exact=True)
    assert not added
    found = tally(adjudge.read(written(tmp_path / "y.parquet", truth, score=score), **how), exact=True)
    assert added
    assert len(read_again) == 1
    assert found.scores.area(1) == auc(score, truth == 1)


def test_what_was_kept_is_let_go_before_a_file_is_read_again(few, tmp_path):
    few.setattr(pairs, "LARGEST", 0)
    truth, score = sample()
    counters, init = [], scores.ScoreCounter.doubled
    few.setattr(scores.ScoreCounter, "doubled", lambda self: counters.append(self) or init(self))
    held, read = [], exact._read_again
    few.setattr(exact, "_read_again", lambda *given: held.append(len(counters[0]._segments)) or read(*given))
    path = written(tmp_path / "x.parquet", truth, score=score)
    predictions = adjudge.read(path, truth="truth", scores="score", scores_are="scores", positive=1, threshold=0)
    assert tally(predictions, exact=True).scores.area(1) == auc(score, truth == 1)
    assert held == [0]


@pytest.mark.slow
def test_scores_in_order_are_read_again(few, tmp_path):
    few.setattr(pairs, "LARGEST", 1000)
    truth, score = sample(200_000, digits=9)
    order = np.argsort(score)
    path = written(tmp_path / "x.parquet", truth[order], score=score[order])
    predictions = adjudge.read(path, truth="truth", scores="score", scores_are="scores", positive=1, threshold=0)
    few.setattr(exact, "SEGMENT", 1 << 17)
    assert tally(predictions, exact=True).scores.area(1) == auc(score, truth == 1)


@pytest.mark.slow
def test_several_classes_share_the_room(few, tmp_path):
    few.setattr(exact, "BUDGET", 8 * 50)
    rng = np.random.default_rng(2)
    p = rng.dirichlet((1, 1, 1), 300)
    truth = np.array([rng.choice(3, p=row) for row in p])
    path = written(tmp_path / "x.parquet", truth, **{f"p_{i}": p[:, i] for i in range(3)})
    _, found = ranked(path, scores="p_*", scores_are="probabilities", positive=None, threshold=None)
    for at in range(3):
        assert found.area(at) == auc(p[:, at], truth == at)


@pytest.mark.slow
def test_a_block_of_wider_scores_begins_again(few, tmp_path):
    """Columns of two files may differ in width; what was packed too narrow is packed again."""
    truth, score = sample(200_000, digits=9)
    narrow = score.astype(np.float32)
    path = written(tmp_path / "x.parquet", truth, score=narrow)
    predictions = adjudge.read(path, truth="truth", scores="score", scores_are="scores", positive=1, threshold=0)
    counted = tally(predictions).scores
    few.setattr(exact, "SEGMENT", 4096)
    whole = exact._blocks

    def widened(predictions, columns):
        for i, (at, part, own) in enumerate(whole(predictions, columns)):
            yield at, part.astype(np.float64) if i else part, own

    few.setattr(exact, "_blocks", widened)
    assert exact.ranked_exactly(counted, predictions).area(1) == auc(narrow, truth == 1)


def test_scores_that_few_digits_tell_apart_are_not_read_again(few, tmp_path):
    truth, _ = sample(300)
    path = written(tmp_path / "x.parquet", truth, score=np.arange(300) % 3 / 2)
    before, after = ranked(path)
    assert after is before
    assert after.bound(1) == 0.0


def test_a_file_that_changes_meanwhile_is_refused(few, tmp_path):
    truth, score = sample()
    path = written(tmp_path / "x.parquet", truth, score=score)
    predictions = adjudge.read(path, truth="truth", scores="score", scores_are="scores", positive=1, threshold=0)
    counted = tally(predictions).scores
    for other in (score[:-50], score + 0.25):
        written(path, truth[: other.size], score=other)
        with pytest.raises(InputError, match="changed while it was read"):
            exact.ranked_exactly(counted, predictions)


@pytest.mark.parametrize("room", [1, 20, 1 << 20])
@pytest.mark.parametrize("sign", [1, -1])
def test_classes_that_change_meanwhile_are_refused(few, tmp_path, room, sign):
    few.setattr(exact, "BUDGET", 8 * room)
    truth, score = sample()
    score = sign * np.exp(score)  # of one sign, and a bin of many scores holds the middle ones
    path = written(tmp_path / "x.parquet", truth, score=score)
    predictions = adjudge.read(path, truth="truth", scores="score", scores_are="scores", positive=1, threshold=0)
    counted = tally(predictions).scores
    assert exact.ranked_exactly(counted, predictions).area(1) == auc(score, truth == 1)
    middle = np.argsort(score)[truth.size // 2]
    written(path, np.where(np.arange(truth.size) == middle, 1 - truth, truth), score=score)
    with pytest.raises(InputError, match="changed while it was read"):
        exact.ranked_exactly(counted, predictions)


def test_weights_are_refused_with_advice(few, tmp_path):
    truth, score = sample()
    path = written(tmp_path / "x.parquet", truth, score=score, weight=np.linspace(1, 2, truth.size))
    with refused("exact", "Leave exact= out"):
        ranked(path, weight="weight")


@pytest.mark.slow
def test_evaluate_prints_no_bound_once_the_area_is_exact(few, tmp_path):
    truth, score = sample()
    path = written(tmp_path / "x.parquet", truth, score=1 / (1 + np.exp(-score)), predicted=(score > 0).astype(np.int64))
    how = {"truth": "truth", "scores": "score", "positive": 1}
    binned, found = adjudge.evaluate(path, **how), adjudge.evaluate(path, exact=True, **how)
    assert "A305" in {finding.code for finding in binned.findings}
    assert "A305" not in {finding.code for finding in found.findings}
    table = pq.read_table(path)
    held = adjudge.evaluate({name: table[name].to_numpy() for name in table.column_names}, exact=True, **how)
    assert found.estimates["auc"].value == held.estimates["auc"].value
    assert binned.estimates["auc"].value != held.estimates["auc"].value
    limits, wide = found.estimates["auc"].interval, binned.estimates["auc"].interval
    assert limits.high - limits.low < wide.high - wide.low


@pytest.mark.slow
def test_the_areas_of_curves_are_exact_as_well(few, tmp_path):
    rng = np.random.default_rng(7)
    p = rng.dirichlet((1, 1, 1), 400)
    truth = np.array([rng.choice(3, p=row) for row in p])
    path = written(tmp_path / "x.parquet", truth, **{f"p_{i}": p[:, i] for i in range(3)})
    binned, found = (adjudge.evaluate(path, truth="truth", scores="p_*", exact=asked) for asked in (False, True))
    told = found.to_dict()["areas"]["roc"]
    for at in range(3):
        wanted = roc_auc_score(truth == at, p[:, at])
        assert found.curves["roc"][at].area == pytest.approx(wanted, abs=1e-14)
        assert told[str(at)] == found.curves["roc"][at].area == found.by_class[at].auc.value
        assert binned.curves["roc"][at].area != pytest.approx(wanted, abs=1e-14)
    pairs = roc_auc_score(truth, p, multi_class="ovo", average="macro")
    (finding,) = (each for each in found.findings if each.code == "A305")  # pairs of classes stay in bins
    assert "the AUC over pairs of classes may be off by" in str(finding.message)
    assert 0 < abs(found.estimates["auc_hand_till"].value - pairs) <= finding.value
    (finding,) = (each for each in binned.findings if each.code == "A305")
    assert ", over pairs of classes by" in str(finding.message)


@pytest.mark.parametrize("command", ["evaluate", "report"])
def test_what_cannot_be_exact_is_told_in_flags(few, tmp_path, command, capsys):
    few.chdir(tmp_path)
    truth, score = sample()
    p = 1 / (1 + np.exp(-score))
    path = written(tmp_path / "x.parquet", truth, score=p, weight=np.linspace(1, 2, truth.size))
    ran = CliRunner().invoke(main, ["count", str(path), "--truth", "truth", "--scores", "score", "-o", "x.counts"])
    assert ran.exit_code == 0, ran.output
    for words in ([str(path), "--truth", "truth", "--scores", "score", "--weight", "weight"], ["x.counts"]):
        with pytest.raises(SystemExit) as left:
            main([command, *words, "--exact"])
        assert left.value.code == 2
        assert "Leave --exact out" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("command", [["evaluate", "--json"], ["report", "--json", "-o", "page.html"]])
def test_the_command_line_reads_again_where_asked(few, tmp_path, command):
    few.chdir(tmp_path)
    truth, score = sample()
    p = 1 / (1 + np.exp(-score))
    path = written(tmp_path / "x.parquet", truth, score=p)
    asked = [command[0], str(path), "--truth", "truth", "--scores", "score", "--positive", "1", *command[1:]]
    codes = {}
    for flags in ([], ["--exact"]):
        ran = CliRunner().invoke(main, [*asked, *flags], catch_exceptions=False)
        assert ran.exit_code == 0, ran.output
        told = json.loads(ran.output)
        codes[bool(flags)] = {finding["code"] for finding in told["findings"]}
    assert codes[False] - codes[True] == {"A305"}
    assert told["estimates"]["auc"]["value"] == auc(p, truth == 1)


def test_merged_counts_are_binned_again(few, tmp_path):
    truth, score = sample()
    path = written(tmp_path / "x.parquet", truth, score=score)
    predictions = adjudge.read(path, truth="truth", scores="score", scores_are="scores", positive=1, threshold=0)
    counted = tally(predictions)
    sharp = replace(counted, scores=exact.ranked_exactly(counted.scores, predictions))
    assert merged([sharp]).scores.bound(1) == 0.0
    assert merged([sharp, sharp]).scores.bound(1) > 0
    saved = Counts(sharp, "x").save(tmp_path / "x.counts")
    assert adjudge.load_counts(saved).tally.scores.bound(1) == counted.scores.bound(1)
    with refused("exact", "Counts keep no scores"):
        adjudge.evaluate(saved, exact=True)


@pytest.mark.slow
def test_counts_of_few_scores_are_exact_already(tmp_path):
    truth, score = sample()
    saved = adjudge.count({"truth": truth, "score": 1 / (1 + np.exp(-score))}).save(tmp_path / "x.counts")
    assert adjudge.evaluate(saved, exact=True).estimates["auc"].value == adjudge.evaluate(saved).estimates["auc"].value


@pytest.mark.slow
def test_the_exact_area_of_twenty_million_rows_in_little_memory(tmp_path):
    """With room for 32 MB of keys, 20 million float32 scores are 80 MB: three passes, far below what all scores would take."""
    rng, path, n = np.random.default_rng(5), tmp_path / "x.parquet", 20_000_000
    truth = rng.random(n) < 0.3
    score = (1 / (1 + np.exp(-(rng.standard_normal(n) + truth)))).astype(np.float32)
    pq.write_table(pa.table({"truth": truth.astype(np.int8), "score": score}), path, row_group_size=1_000_000)
    script = """
import sys
import adjudge
from adjudge.counts import exact
from adjudge.counts.counting import tally
exact.BUDGET = 32 << 20
predictions = adjudge.read(sys.argv[1], truth="truth", scores="score", positive=1)
print(exact.ranked_exactly(tally(predictions).scores, predictions).area(1))
"""
    (found,), megabytes = peak_of(script, path)
    assert float(found) == auc(score, truth)
    assert megabytes < 400
