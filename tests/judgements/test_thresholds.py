"""What a threshold does, against counting by hand, scikit-learn and the operating points of corrections."""

import math

import numpy as np
import pytest
import sklearn.metrics as skm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial import ConvexHull
from tests.described import facts, mentions

import adjudge
from adjudge import InputError, Predictions
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.counting import tally
from adjudge.counts.scores import ScoreCounts
from adjudge.counts.tally import Tally
from adjudge.judgements.curves import curves_of
from adjudge.judgements.thresholds import Operating, thresholds_of
from adjudge.stats.ranking import coarsen, tabulate

whole = st.integers(0, 20).map(lambda v: v / 20)


@st.composite
def cases(draw, scores=whole):
    n = draw(st.integers(4, 60))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda rows: 0 < sum(rows) < len(rows)))
    return np.array(y), np.array(draw(st.lists(scores, min_size=n, max_size=n)))


def of_arrays(y, p, **more):
    """Thresholds without the rest of an evaluation, which hypothesis would ask for hundreds of times."""
    counted = tally(Predictions(y, scores=p, positive=1, **more))
    return thresholds_of(curves_of(counted), counted.confusion, positive=1)


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(7)
    y = (rng.random(3000) < 0.2).astype(int)
    p = 1 / (1 + np.exp(-rng.normal(np.where(y, 1, -1.5), 1.3)))
    return y, p, of_arrays(y, p)


@pytest.mark.slow
@given(cases(), st.floats(-0.2, 1.2))
def test_counts_are_those_of_cases_from_the_threshold_on(rows, threshold):
    y, p = rows
    found = of_arrays(y, p).at(threshold)
    called = p >= threshold
    table = skm.confusion_matrix(y, called, labels=[0, 1])
    assert [[found.left, found.alarms], [found.missed, found.found]] == table.tolist()
    assert found.sensitivity.value == skm.recall_score(y, called)
    assert found.specificity.value == skm.recall_score(y, called, pos_label=0)
    if called.any():
        assert found.ppv.value == pytest.approx(skm.precision_score(y, called), rel=1e-12)
    if not called.all():
        assert found.npv.value == pytest.approx(skm.precision_score(y, called, pos_label=0), rel=1e-12)
    assert found.cost.value == pytest.approx(np.mean(called != y), abs=1e-15)


def test_at_another_prevalence_the_rates_stay_and_all_else_follows(many):
    y, p, found = many
    here = found.at(0.4, prevalence=0.03, miss_cost=7, alarm_cost=2)
    t, f = np.mean(p[y == 1] >= 0.4), np.mean(p[y == 0] >= 0.4)
    assert here.ppv.value == pytest.approx(0.03 * t / (0.03 * t + 0.97 * f), rel=1e-12)
    assert here.npv.value == pytest.approx(0.97 * (1 - f) / (0.97 * (1 - f) + 0.03 * (1 - t)), rel=1e-12)
    assert here.cost.value == pytest.approx(0.03 * 7 * (1 - t) + 0.97 * 2 * f, rel=1e-12)
    each = here.of_cases(1000)
    assert list(each.values()) == pytest.approx([30 * t, 30 * (1 - t), 970 * f, 970 * (1 - f)], rel=1e-12)
    assert sum(each.values()) == pytest.approx(1000)


def test_a_threshold_has_the_intervals_that_its_decisions_have_everywhere_else(many):
    """At the prevalence of the cases; the mid-P tails are those of SciPy's binomial."""
    y, p, found = many
    here = found.at(0.4)
    told = adjudge.evaluate({"truth": y, "predicted": (p >= 0.4).astype(int)}, positive=1).estimates
    for rate, name in (
        (here.sensitivity, "sensitivity"),
        (here.specificity, "specificity"),
        (here.ppv, "precision"),
        (here.npv, "npv"),
    ):
        assert rate.value == pytest.approx(told[name].value, rel=1e-12)
        assert rate.interval == told[name].interval
    hits, n = int((p[y == 1] >= 0.4).sum()), int((y == 1).sum())
    low, high = here.sensitivity.interval.low, here.sensitivity.interval.high
    assert stats.binom.sf(hits, n, low) + stats.binom.pmf(hits, n, low) / 2 == pytest.approx(0.025, rel=1e-9)
    assert stats.binom.cdf(hits - 1, n, high) + stats.binom.pmf(hits, n, high) / 2 == pytest.approx(0.025, rel=1e-9)
    for estimate in (here.ppv, here.npv, here.cost):
        assert estimate.interval.low <= estimate.value <= estimate.interval.high


@pytest.mark.slow
@given(cases(), st.floats(0.01, 0.99), st.floats(0.1, 10), st.floats(0.1, 10))
def test_no_threshold_costs_less_than_the_least(rows, prevalence, miss, alarm):
    y, p = rows
    use = {"prevalence": prevalence, "miss_cost": miss, "alarm_cost": alarm}
    found = of_arrays(y, p)
    best = found.least_cost(**use)
    every = [found.at(t, **use).cost.value for t in (*np.unique(p), math.inf)]
    assert best.cost.value == pytest.approx(min(every), rel=1e-9, abs=1e-12)
    assert best.cost.value == pytest.approx(found.at(best.threshold, **use).cost.value, rel=1e-12)
    assert [finding.code for finding in best.findings] == ["A834"]


@pytest.mark.parametrize(("miss", "alarm"), [(1, 1), (5, 1), (1, 8)])
def test_the_least_cost_is_that_of_the_operating_point(many, miss, alarm):
    y, p, found = many
    point = adjudge.operating_point(y, p, costs=[[0, alarm], [miss, 0]], positive=1)
    best = found.least_cost(miss_cost=miss, alarm_cost=alarm)
    assert best.threshold == point.threshold
    assert best.cost.value == pytest.approx(point.cost.value, rel=1e-12)


def test_of_equally_cheap_thresholds_the_more_informed_then_the_highest_is_taken():
    found = of_arrays([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    assert found.least_cost().threshold == 0.9  # as cheap as 0.4, and as informed


def test_nobody_and_everybody_called_leave_a_value_undefined():
    found = of_arrays([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    assert "no case" in found.at(math.inf).ppv.reason
    assert found.at(math.inf).sensitivity.value == 0
    assert "every case" in found.at(0).npv.reason
    assert found.at(0).to_dict()["npv"]["value"] == {"value": None, "reason": found.at(0).npv.reason}


def test_weights_count(many):
    y, p, _ = many
    weight = np.random.default_rng(1).exponential(1, y.size)
    here = of_arrays(y, p, weight=weight).at(0.3)
    assert here.found == pytest.approx(weight[(y == 1) & (p >= 0.3)].sum(), rel=1e-12)
    assert here.alarms == pytest.approx(weight[(y == 0) & (p >= 0.3)].sum(), rel=1e-12)
    own = weight[y == 1]
    worth = own.sum() ** 2 / (own**2).sum()
    hits, low = here.sensitivity.value * worth, here.sensitivity.interval.low
    both = stats.beta.cdf(low, hits, worth - hits + 1), stats.beta.cdf(low, hits + 1, worth - hits)  # P(X >= x) and P(X > x)
    assert sum(both) / 2 == pytest.approx(0.025, rel=1e-9)


@pytest.mark.slow
def test_the_other_of_two_classes_has_thresholds_on_its_own_probability(many):
    y, p, found = many
    other = adjudge.thresholds(Predictions(y, (p >= 0.5).astype(int), {1: p}, positive=1), positive=1)
    assert other.of == 1
    turned = adjudge.thresholds(Predictions(np.where(y, "ill", "well"), scores={"ill": p}, positive="well"))
    assert turned.of == "well"
    here = turned.at(0.7)
    assert (here.found, here.alarms) == (((1 - p >= 0.7) & (y == 0)).sum(), ((1 - p >= 0.7) & (y == 1)).sum())
    assert found.of == 1


@pytest.mark.slow
def test_plain_scores_have_thresholds_too():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 400)
    s = rng.normal(2 * y)
    found = adjudge.thresholds(Predictions(y, scores=s, threshold=0.9, positive=1))
    assert found.start() == 0.9
    assert not found.table().probable
    assert found.at(0.9).found == (s[y == 1] >= 0.9).sum()
    without = adjudge.thresholds(Predictions(y, (s > 1).astype(int), s, positive=1))
    here = without.at(without.start())
    assert (here.found, here.alarms) == ((s[y == 1] > 1).sum(), (s[y == 0] > 1).sum())


@pytest.mark.slow
def test_three_classes_have_a_table_each_and_the_rarest_is_of_interest():
    rng = np.random.default_rng(3)
    y = rng.choice(3, 500, p=[0.5, 0.3, 0.2])
    p = rng.dirichlet(np.ones(3), 500)
    p[np.arange(500), y] += 0.7
    p /= p.sum(axis=1, keepdims=True)
    evaluation = adjudge.evaluate(Predictions(y, p.argmax(axis=1), p, classes=[0, 1, 2]))
    found = evaluation.thresholds
    assert found.of == 2
    for label in (0, 1, 2):
        apart = {t: abs((p[y != label, label] >= t).sum() - (p[y == label, label] < t).sum()) for t in p[:, label]}
        assert apart[found.start(label)] == min(apart.values())  # false alarms as many as misses, as nearly as can be
    assert list(found.tables) == [0, 1, 2]
    assert found.at(0.4, of=1).found == (p[y == 1, 1] >= 0.4).sum()
    assert found.at(0.4, of="1").alarms == (p[y != 1, 1] >= 0.4).sum()
    assert found.table(0).decided == (((p.argmax(axis=1) == 0) & (y == 0)).sum(), ((p.argmax(axis=1) == 0) & (y != 0)).sum())
    assert adjudge.thresholds(evaluation, positive=0).of == 0


def test_a_file_too_large_to_keep_takes_the_next_threshold_up():
    rng = np.random.default_rng(5)
    y = (rng.random(4000) < 0.4).astype(int)
    p = np.clip(rng.normal(0.3 + 0.3 * y, 0.15), 0.01, 0.99)
    tables = tuple(coarsen(tabulate(p, y == c), 18) for c in (1,))
    scores = ScoreCounts((1,), 2, tables=tables)
    counts = ConfusionCounts(skm.confusion_matrix(y, p >= 0.5))
    for positive in (0, 1):
        found = thresholds_of(curves_of(Tally(counts, 4000, scores=scores, positive=positive)), counts, positive=positive)
        score = p if positive else -p
        for asked in (0.21, 0.5, 0.73):
            here = found.at(asked if positive else -asked)
            assert here.found == np.count_nonzero(score[y == positive] >= here.threshold)
            assert here.alarms == np.count_nonzero(score[y != positive] >= here.threshold)
            assert 0 <= here.threshold - (asked if positive else -asked) < 0.02


@pytest.mark.slow
@given(cases())
def test_the_hull_holds_the_cheapest_for_every_slope(rows):
    table = of_arrays(*rows).table()
    hull = table.hull
    assert hull[0] == 0
    assert hull[-1] == table.thresholds.size - 1
    for angle in np.linspace(0.01, math.pi / 2 - 0.01, 40):
        gain = math.cos(angle) * table.found - math.sin(angle) * table.alarms
        assert gain[hull].max() == pytest.approx(gain.max(), abs=1e-9)


def test_the_hull_of_a_long_curve_is_the_same_as_that_of_all_its_points():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 20_000)
    table = of_arrays(y, 1 / (1 + np.exp(-rng.normal(y, 1)))).table()
    points = np.column_stack([table.alarms, table.found])
    above = set(ConvexHull(points).vertices.tolist()) - {0, len(points) - 1}
    above = {i for i in above if points[i, 1] * points[-1, 0] > points[i, 0] * points[-1, 1]}
    assert set(table.hull.tolist()) - {0, len(points) - 1} == above


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ({"threshold": "high"}, "threshold must be a number, got 'high'"),
        ({"threshold": math.nan}, "threshold must be a number, got nan"),
        ({"threshold": True}, "threshold must be a number, got True"),
        ({"threshold": 0.5, "prevalence": 20}, "prevalence must be a share between 0 and 1; .* got 20"),
        ({"threshold": 0.5, "prevalence": 0}, "prevalence must be a share"),
        ({"threshold": 0.5, "miss_cost": 0}, "miss_cost must be a number above 0; got 0"),
        ({"threshold": 0.5, "alarm_cost": -1}, "alarm_cost must be a number above 0; got -1"),
        ({"threshold": 0.5, "of": "third"}, "There are no thresholds of 'third'; there are those of 1"),
    ],
)
def test_what_makes_no_sense_is_refused(use, message):
    with pytest.raises(InputError, match=message):
        of_arrays([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9]).at(**use)


def test_results_tell_themselves(many):
    found = many[2]
    assert repr(found) == "Thresholds of 1; of interest 1"
    assert found.to_dict()["tables"]["1"]["cases"] == many[0].sum()
    here = found.at(0.25, prevalence=0.01, miss_cost=50)
    assert isinstance(here, Operating)
    words = repr(here)
    assert facts(words)[:2] == ["1", "0.25"]
    assert mentions(words, "a miss costing 50", "1")
    for array in (found.table().found, found.table().thresholds):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_point_may_be_begun_with(many):
    found = many[2]
    point = found.least_cost(prevalence=0.01, miss_cost=30)
    begun = found.beginning(point)
    assert begun.first() is point
    assert begun.start() == point.threshold
    assert found.first().threshold == 0.5
    assert found.first().prevalence == found.table().prevalence
    assert point.use == {"prevalence": 0.01, "miss_cost": 30, "alarm_cost": 1}
    assert "every" not in point.to_dict()
    assert begun.about(1).first() is point


def test_scores_between_which_a_threshold_calls_the_same_cases(many):
    _, p, found = many
    asked = np.array([-1.0, 0.2, 0.5, float(p.max()), 1.5, math.inf])
    low, high = found.table().alike(asked)
    for value, least, most in zip(asked, low, high, strict=True):
        assert least < value <= most
        assert not ((p > least) & (p < most)).any()


def test_a_half_is_begun_with_where_it_calls_the_same_cases():
    """A class that is told without error could be cut anywhere in between."""
    truth = np.array(["a", "b", "c"] * 20)
    p = np.where(truth[:, None] == np.array(["a", "b", "c"]), 0.98, 0.01)
    found = adjudge.thresholds(adjudge.Predictions(truth, scores=dict(zip("abc", p.T, strict=True))))
    assert [found.start(of) for of in "abc"] == [0.5, 0.5, 0.5]
