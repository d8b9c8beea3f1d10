"""Repeated answers: majority, agreement and flaky cases by hand, split variance by simulation, hostile layouts."""

from __future__ import annotations

import contextlib
import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import InputError, Predictions, compare, count, evaluate
from adjudge.counts.counting import tally
from adjudge.estimates.estimate import of_accuracy
from adjudge.judgements.runs import judge_runs
from adjudge.metrics.on_counts import ACCURACY

ANSWER = st.tuples(st.integers(0, 7), st.integers(0, 3), st.integers(0, 2))
ROWS = st.lists(ANSWER, min_size=1, max_size=30, unique_by=lambda row: row[:2])


def asked(rows, **more):
    """Return the evaluation of (case, run, predicted) rows, whose true class is the case's remainder by 3."""
    case, run, said = (list(part) for part in zip(*rows, strict=True))
    return evaluate(Predictions([each % 3 for each in case], said, row=case, run=run, classes=[0, 1, 2], **more))


@given(ROWS)
def test_votes_runs_and_flaky_cases_are_those_counted_by_hand(rows):
    case, run, said = (list(part) for part in zip(*rows, strict=True))
    predictions = Predictions([each % 3 for each in case], said, row=case, run=run, classes=[0, 1, 2])
    judged = judge_runs(tally(predictions), predictions.roles, 0.95)
    by_case = {}
    for case, _, said in rows:
        by_case.setdefault(case, []).append(said)
    votes, flaky = [], 0
    for case, said in by_case.items():
        n = Counter(said)
        best = [label for label, times in n.items() if times == max(n.values())]
        votes.append((case % 3 in best) / len(best))
        flaky += len(n) > 1
    assert judged.majority.value == pytest.approx(np.mean(votes))
    assert (judged.cases, judged.answers, judged.flaky_cases) == (len(by_case), len(rows), flaky)
    own = {run: np.mean([said == case % 3 for case, each, said in rows if each == run]) for run in {run for _, run, _ in rows}}
    assert {each.of: each.value for each in judged.by_run} == pytest.approx(own)
    assert sum(n for *_, n in judged.by_correct) == len(by_case)
    several = [said for said in by_case.values() if len(said) > 1]
    alike = np.mean([len(set(said)) == 1 for said in several]) if several else math.nan
    assert judged.all_agree == pytest.approx(alike, nan_ok=True)
    for each in judged.flaky:
        assert dict(each.answers) == Counter(by_case[each.case])
        assert each.correct == sum(said == each.truth for said in by_case[each.case])


def test_one_answer_a_case_is_the_plain_evaluation_and_says_so():
    rng = np.random.default_rng(3)
    truth, said = rng.integers(0, 2, 80), rng.integers(0, 2, 80)
    plain = evaluate(Predictions(truth, said))
    runs = evaluate(Predictions(truth, said, row=np.arange(80), run=np.zeros(80, dtype=int)))
    assert runs["accuracy"].value == plain["accuracy"].value
    assert runs.runs.majority.value == plain["accuracy"].value
    assert runs.runs.majority.interval.low == plain["accuracy"].interval.low
    assert math.isnan(runs.runs.variance.within)
    assert "A631" in [finding.code for finding in runs.findings]
    assert "A631" not in [finding.code for finding in plain.findings]
    assert plain.runs is None


@pytest.mark.parametrize("right", [True, False])
def test_answers_that_are_all_alike_leave_nothing_to_runs(right):
    rows = [(case, run, case % 3 if right else (case + 1) % 3) for case in range(12) for run in range(4)]
    judged = asked(rows).runs
    assert judged.all_agree == 1
    assert judged.kappa == pytest.approx(1)
    assert judged.flaky == ()
    assert judged.variance.within == 0
    assert judged.majority.value == right
    assert judged.all_correct == right
    assert judged.half_widths is None or judged.half_widths.twice_the_runs == judged.half_widths.now


def test_the_interval_is_that_of_cases_and_more_runs_never_beat_more_cases():
    rng = np.random.default_rng(4)
    each = [(case, run, rng.random() < 0.5 + 0.4 * (case % 2)) for case in range(60) for run in range(5)]
    rows = [(case, run, case % 3 if right else (case + 1) % 3) for case, run, right in each]
    evaluation = asked(rows)
    plain = evaluate(Predictions([case % 3 for case, *_ in rows], [said for *_, said in rows]))
    widths = evaluation.runs.half_widths
    assert evaluation["accuracy"].interval.high - evaluation["accuracy"].interval.low == pytest.approx(2 * widths.now)
    assert widths.now > (plain["accuracy"].interval.high - plain["accuracy"].interval.low) / 2
    assert widths.twice_the_cases <= widths.twice_the_runs <= widths.now
    assert widths.endless_runs <= widths.twice_the_runs
    assert evaluation.clusters.column == "row"


def test_a_cluster_around_the_cases_stays_the_outer_unit():
    rng = np.random.default_rng(5)
    case = np.repeat(np.arange(60), 3)
    patient, run = case // 6, np.tile([0, 1, 2], 60)
    right = rng.random(180) < np.array([0.95, 0.4])[patient % 2]
    truth = case % 2
    evaluation = evaluate(Predictions(truth, np.where(right, truth, 1 - truth), row=case, run=run, cluster=patient))
    alone = evaluate(Predictions(truth, np.where(right, truth, 1 - truth), row=case, run=run))
    assert evaluation.clusters.clusters == 10
    assert evaluation.runs.cases == alone.runs.cases == 60
    wide, narrow = evaluation.runs.majority.interval, alone.runs.majority.interval
    assert wide.high - wide.low > narrow.high - narrow.low


def test_a_case_has_one_truth_and_one_cluster():
    with pytest.raises(InputError, match=r"1 case .* with different true classes in different runs"):
        evaluate(Predictions([0, 1, 1], [0, 1, 1], row=[1, 1, 2], run=[0, 1, 0]))
    with pytest.raises(InputError, match=r"with different clusters \(column 'cluster'\)"):
        evaluate(Predictions([0, 0, 1], [0, 1, 1], row=[1, 1, 2], run=[0, 1, 0], cluster=[1, 2, 2]))


def test_the_same_answer_twice_is_still_a_duplicate_and_runs_need_cases():
    with pytest.raises(InputError, match="names cases more than once"):
        evaluate(Predictions([0, 0, 1], [0, 1, 1], row=[1, 1, 2], run=[0, 0, 0]))
    with pytest.raises(InputError, match="tells the answers to one case from each other; name what identifies the case with row"):
        Predictions([0, 1], [0, 1], run=[0, 1])
    n = 1001
    many = Predictions([0, 1] * n, [0, 1] * n, row=np.tile([0, 1], n), run=np.repeat(np.arange(n), 2))
    with pytest.raises(InputError, match="column 'run' has more than 1,000 values"):
        evaluate(many)


def test_parts_add_up_to_the_whole():
    rng = np.random.default_rng(6)
    case, run = np.repeat(np.arange(20), 4), np.tile(np.arange(4), 20)
    said = rng.integers(0, 3, 80)
    of = [Predictions(case[at] % 3, said[at], row=case[at], run=run[at], classes=[0, 1, 2]) for at in (case < 9, case >= 9)]
    whole = evaluate(Predictions(case % 3, said, row=case, run=run, classes=[0, 1, 2])).runs
    assert evaluate(count(*of)).runs.to_dict() == whole.to_dict()


@pytest.mark.slow
def test_the_split_of_the_variance_recovers_what_was_drawn():
    rng, cases, runs = np.random.default_rng(7), 150, 4
    case, run = np.repeat(np.arange(cases), runs), np.tile(np.arange(runs), cases)
    split, kept, widths, halved = [], 0, [], []
    for _ in range(300):
        share = rng.beta(4, 1, cases)
        right = rng.random(case.size) < share[case]
        predictions = Predictions(case % 2, np.where(right, case % 2, 1 - case % 2), row=case, run=run)
        counted = tally(predictions)
        judged = judge_runs(counted, predictions.roles, 0.95)
        interval = of_accuracy(counted.confusion, ACCURACY).interval
        split.append((judged.variance.between, judged.variance.within))
        kept += interval.low <= 0.8 <= interval.high
        widths.append(judged.half_widths.now)
        halved.append((judged.half_widths.twice_the_cases, judged.half_widths.twice_the_runs))
    # beta (4, 1): variance of the share 4/150, mean variance of an answer 4/30
    between, within = np.mean(split, axis=0)
    assert between == pytest.approx(4 / 150, rel=0.06)
    assert within == pytest.approx(4 / 30, rel=0.02)
    assert kept >= 272
    truth = [math.sqrt((4 / 150 + 4 / 30 / r) / n) * 1.96 for n, r in ((cases, runs), (2 * cases, runs), (cases, 2 * runs))]
    assert np.mean(widths) == pytest.approx(truth[0], rel=0.04)
    assert np.mean(halved, axis=0) == pytest.approx(truth[1:], rel=0.04)


def test_two_sets_are_paired_by_case_and_run():
    rng = np.random.default_rng(8)
    case, run = np.repeat(np.arange(30), 3), np.tile(np.arange(3), 30)
    one, other = rng.integers(0, 2, 90), rng.integers(0, 2, 90)
    order = rng.permutation(90)
    a = Predictions(case % 2, one, row=case, run=run)
    b = Predictions(case[order] % 2, other[order], row=case[order], run=run[order])
    compared = compare(a, b)
    seen = tuple(np.mean(said == case % 2) for said in (one, other))
    assert compared.values == pytest.approx(seen)
    both = (one == case % 2) & (other == case % 2)
    assert compared.outcomes[0] == both.sum()


def test_text_identities_and_missing_ones():
    columns = {"id": ["a", "a", "b", "b", None], "run": ["x", "y", "x", "y", "x"], "truth": [0, 0, 1, 1, 1]}
    columns |= {"predicted": [0, 1, 1, 1, 0]}
    with pytest.raises(InputError, match="column 'id' has 1 missing value"):
        evaluate(columns, run="run")
    judged = evaluate(columns, run="run", missing="drop").runs
    assert [each.case for each in judged.flaky] == ["a"]
    assert [each.of for each in judged.by_run] == ["x", "y"]


def test_one_file_through_the_command_line(tmp_path, capsys):
    path = tmp_path / "runs.csv"
    rows = [f"q{i},{run},{i % 2},{(i + (run == 2)) % 2}" for run in range(3) for i in range(20)]
    path.write_text("\n".join(["prompt,attempt,truth,predicted", *rows]) + "\n", encoding="utf-8")
    from adjudge.cli import main

    for named in ([], ["--run", "attempt", "--row", "prompt"]):
        with contextlib.suppress(SystemExit):
            main(["evaluate", str(path), *named, "--json"])
        found = json.loads(capsys.readouterr().out)["runs"]
        assert (found["cases"], found["runs"], found["flaky_cases"], found["all_agree"]) == (20, 3, 20, 0)
        assert found["majority"]["value"] == 1
