"""The chapter of rankings and thresholds: what it says, and what its script is told."""

import hashlib
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.described import facts, sections, state
from tests.drawn import svg

import adjudge
from adjudge.describe.thresholds import COSTS, cost_words, costs, data, prevalences, ranking, sliding
from adjudge.judgements.curves import STEPS, _shortest
from adjudge.render.sheets import look


def two(n=600, share=0.2, seed=0, **more):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(np.where(y, 1, -1.5), 1.3)))
    return adjudge.evaluate(adjudge.Predictions(np.array(["well", "ill"])[y], scores={"ill": p}, positive="ill", **more))


@pytest.fixture(scope="module")
def ill():
    return two()


def test_two_classes_show_one_curve_of_the_class_of_interest(ill):
    found = {section.name: section for section in ranking(ill)}
    assert list(found) == ["thresholds", "scores", "lift", "class-reliability", "reliability", "precision-recall"]
    assert {section.theme for section in found.values()} == {"ranking"}
    assert found["thresholds"].figure.heading == "ill against the rest"
    assert found["precision-recall"].figure.words.startswith("ill: average precision ")
    assert found["class-reliability"].lead.startswith("Predicted probability of ill ")
    assert found["reliability"].lead.startswith("Highest probability of each case")
    for section in found.values():
        assert section.reading
        assert section.tables[0].rows
        assert svg(section.figure, section.name)


@pytest.mark.slow
def test_several_classes_show_all_curves_and_a_choice_of_thresholds(make_three):
    found = {section.name: section for section in ranking(make_three())}
    assert list(found) == ["thresholds", "scores", "lift", "roc", "precision-recall", "top-k", "class-reliability", "reliability"]
    assert "most probable class" in found["thresholds"].lead
    assert [each["name"] for each in found["thresholds"].data["classes"]] == ["c", "a", "b"]
    assert found["roc"].figure.words.count("AUC") == 3
    assert found["reliability"].lead.startswith("Highest probability of each case")


@pytest.mark.slow
def test_every_kind_of_evaluation_has_a_chapter_or_none(kinds):
    for name, evaluation in kinds.items():
        found = list(ranking(evaluation))
        assert bool(found) == bool(evaluation.curves), name
        for section in found:
            assert svg(section.figure, section.name), name
            if section.data is not None:
                json.dumps(section.data, allow_nan=False)


def test_the_table_of_thresholds_says_what_at_says(ill):
    found = ill.thresholds
    table = next(ranking(ill)).tables[0]
    assert table.header[:3] == ("Threshold", "True positives", "False negatives")
    by_threshold = {row[0]: row for row in table.rows}
    here = found.at(0.0)
    assert by_threshold["0.0%"][1:5] == (str(here.found), str(here.missed), str(here.alarms), str(here.left))
    assert by_threshold["none positive"][1] == "0"
    assert by_threshold["none positive"][7] == "–"


@pytest.mark.slow
def test_heights_in_the_table_of_curves_are_reached_by_some_threshold(make_three):
    evaluation = make_three()
    found = {section.name: section for section in ranking(evaluation)}
    for name, kind in (("roc", "roc"), ("precision-recall", "precision-recall")):
        table = found[name].tables[0]
        assert table.header[1:] == ("a", "b", "c")
        for row in table.rows[:-1]:
            at = float(row[0].rstrip("%")) / 100
            for label, words in zip("abc", row[1:], strict=True):
                curve = evaluation.curves[kind][label]
                there = curve.y[curve.x <= at] if kind == "roc" else curve.y[curve.x >= at]
                assert float(words.rstrip("%")) / 100 == pytest.approx(there.max(), abs=6e-4)


def test_bins_of_the_reliability_table_count_every_case(ill):
    for name in ("class-reliability", "reliability"):
        (section,) = (section for section in ranking(ill) if section.name == name)
        assert sum(int(row[1].replace(",", "")) for row in section.tables[0].rows) == 600
        assert section.tables[0].notes[0].startswith("Calibration error ")


def test_steps_of_half_a_percent_suit_common_classes(ill):
    table = ill.thresholds.table()
    chosen = table.steps(0.5)
    assert chosen[:-1].tolist() == [i / STEPS for i in range(STEPS + 1)]
    assert math.isinf(chosen[-1])
    assert table.steps(0.123)[25] == 0.123


@pytest.mark.slow
def test_a_rare_class_has_its_thresholds_where_its_scores_are():
    rng = np.random.default_rng(1)
    y = (rng.random(20_000) < 0.01).astype(int)
    p = 10 ** rng.normal(np.where(y, -2.5, -4), 0.5)
    table = adjudge.thresholds(adjudge.Predictions(y, (p > 0.5).astype(int), np.clip(p, 0, 1), positive=1)).table()
    chosen = table.steps(0.5)
    assert 150 < chosen.size <= STEPS + 3
    places = [table.place(t) for t in chosen]
    both = table.found[places] / table.cases + table.alarms[places] / table.others
    assert np.abs(np.diff(both)).max() < 0.03
    lengths = [[len(repr(float(t))) for t in some[np.isfinite(some)]] for some in (chosen, table.thresholds)]
    assert np.median(lengths[0]) < np.median(lengths[1]) / 2  # short numbers that call the same cases


@given(st.floats(-1e6, 1e6), st.floats(1e-9, 1e3))
def test_a_short_number_lies_between_its_neighbours(low, gap):
    high = low + gap
    if high > low:
        found = _shortest(low, high)
        assert low < found <= high
    assert _shortest(-math.inf, low) <= low


@pytest.mark.slow
def test_what_the_script_is_told_is_small_whatever_the_number_of_cases():
    small, large = (len(json.dumps(data(two(n).thresholds))) for n in (500, 50_000))
    assert small < 9_000
    assert large < 12_000


def test_the_script_is_told_the_counts_of_every_threshold(ill):
    found = ill.thresholds
    told = data(found)
    own = told["classes"][0]
    for i in (0, 40, 100, 201):
        here = found.at(i / 200 if i <= 200 else math.inf)
        assert (own["found"][i], own["alarms"][i]) == (here.found, here.alarms)
    assert own["start"] == 100
    assert own["cases"] + own["others"] == 600
    assert len(own["hull"]["found"]) == found.table().hull.size


def test_prevalences_and_costs_run_from_rare_to_common():
    shares = prevalences()
    assert shares == sorted(set(shares))
    assert shares[0] == 1e-4
    assert shares[-1] == 0.999
    assert {0.001, 0.01, 0.1, 0.5} <= set(shares)
    assert COSTS[0] == 1
    assert COSTS[-1] == 100


def test_the_first_state_is_that_of_the_file(ill):
    found = ill.thresholds
    words, here = state(found, found.start(), name="ill"), found.at(0.5)
    assert words["threshold"] == "50.0%"
    assert words["found"] == str(here.found)
    assert words["cost"] == "1 : 1"
    share = f"{100 * here.prevalence:.1f}%"
    assert words["prevalence"] == share
    assert words["sentence"].startswith("Of 1,000 cases ")
    assert facts(words["sentence"])[1] == share
    nobody = state(found, math.inf, name="ill")
    assert nobody["ppv"] == "–"
    assert "No case is predicted positive" in nobody["sentence"]


@pytest.mark.slow
def test_the_page_of_thresholds_holds_the_first_state_without_script(ill):
    page = ill.thresholds.to_html()
    assert page == two().thresholds.to_html()
    assert state(ill.thresholds, 0.5, name="ill")["sentence"] in page
    assert 'type="range"' in page
    assert "<form" in page
    assert " style=" not in page


def test_labels_cannot_leave_the_page():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 200)
    names = ["</script><script>alert(1)</script>", "<b>", '"quoted" & more']
    p = rng.dirichlet(np.ones(3), 200)
    evaluation = adjudge.evaluate(adjudge.Predictions(np.array(names, dtype=object)[y], scores=p, classes=names))
    page = evaluation.thresholds.to_html()
    assert "alert(1)</script>" not in page
    assert "<b>&" not in page


def test_a_page_begins_with_what_was_asked(ill):
    found = ill.thresholds
    point = found.least_cost(prevalence=0.013, miss_cost=12, alarm_cost=0.5)
    begun = found.beginning(point)
    told = data(begun)
    expected = state(found, point.threshold, name="ill", **point.use)
    assert told["start"] == expected
    assert expected["prevalence"] == "1.3%"
    assert expected["cost"] == "12 : 0.5"
    assert told["costs"][told["cost"]][:2] == [12, 0.5]
    assert told["costs"] == sorted(told["costs"], key=lambda pair: pair[0] / pair[1])
    own = told["classes"][0]
    assert own["prevalence"] == 0.013
    assert (own["found"][own["start"]], own["alarms"][own["start"]]) == (point.found, point.alarms)
    section = sliding(begun)
    here, best = (item.points.tolist() for item in section.figure.items[-1:-3:-1])
    assert here == best
    assert "at a prevalence of 1.3%" in section.tables[0].caption
    page = begun.to_html()
    assert expected["sentence"] in page
    assert "A834" in page
    assert "A834" not in found.beginning(found.at(0.3)).to_html()


def test_costs_are_chosen_from_both_sides():
    assert costs()[len(COSTS) - 1] == (1, 1)
    assert len(set(costs())) == 2 * len(COSTS) - 1
    assert len(costs(30, 1)) == 2 * len(COSTS) - 1
    assert costs(1.25, 1)[len(COSTS)] == (1.25, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_threshold_shown_calls_the_cases_of_the_one_used(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 30, 2000)
    p = rng.dirichlet(np.full(30, 0.7), 2000)
    p[np.arange(2000), y] += 0.05
    p /= p.sum(axis=1, keepdims=True)
    found = adjudge.evaluate(adjudge.Predictions(y, scores=p, classes=list(range(30)))).thresholds
    own = data(found)["classes"][0]
    score = p[:, found.of]
    shown = [math.inf if words == "none positive" else float(words[:-1]) / 100 for words in own["words"]]
    assert own["found"] == [int((score[y == found.of] >= t).sum()) for t in shown]
    assert len(set(own["words"])) == len(own["words"])
    best = found.least_cost(prevalence=0.3)
    assert int(((score >= float(repr(best).split(" from ")[1].split(" ")[0])) & (y == found.of)).sum()) == best.found


@pytest.mark.slow
def test_rare_classes_are_told_apart(ill):
    words = [state(ill.thresholds, 0.5, name="ill", prevalence=share) for share in prevalences()]
    assert len({each["prevalence"] for each in words}) == len(words)
    assert words[0]["prevalence"] == "0.010%"
    everybody = state(ill.thresholds, 0.0, name="ill", prevalence=0.0001)
    assert everybody["alarms-of"] == "1,000"


@pytest.mark.slow
def test_weights_are_said_to_be_weights(ill):
    rng = np.random.default_rng(3)
    weighted = two(weight=rng.exponential(2, 600)).thresholds
    page, plain = weighted.to_html(), ill.thresholds.to_html()
    assert "Sum of weights" in page
    assert "These cases" not in page
    assert "These cases" in plain
    assert "Sum of weights" not in plain
    assert "true negatives (sums of weights)." in " ".join(repr(weighted.at(0.5)).split())


def test_the_page_says_where_its_cases_came_from(tmp_path):
    file = tmp_path / "few.csv"
    file.write_text("truth,score\n" + "".join(f"{i % 2},{(i * 7 % 40) / 40}\n" for i in range(40)), encoding="utf-8")
    found = adjudge.thresholds(file, positive="1")
    facts = dict(next(section for section in sections(found) if section.kind == "facts").tables[0].rows)
    assert facts["SHA-256"].split(":")[-1] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert facts["Rows"] == "40"


def test_marks_have_their_look_in_notebooks_too(ill):
    rules = look(svg(sliding(ill.thresholds).figure, "thresholds"))
    for mark in ("here", "best", "decided", "equal", "guide", "band-key"):
        assert f".adjudge svg .{mark}{{" in rules


@pytest.mark.slow
def test_several_classes_say_where_they_begin(make_three):
    found = make_three().thresholds
    assert any("about as many false alarms as misses" in words for words in sliding(found).reading)
    begun = found.beginning(found.at(0.4))
    assert not any("about as many false alarms as misses" in words for words in sliding(begun).reading)


def test_what_sliders_offer():
    assert (prevalences()[:3], prevalences()[-1]) == ([0.0001, 0.0002, 0.0003], 0.999)
    assert costs(2, 3)[12:15] == [(1, 1.5), (2, 3), (1, 1)]
    assert [cost_words(5, 1), cost_words(1, 1.5)] == ["5 : 1", "1 : 1.5"]
