"""Every result that means something to the eye has a picture, drawn alike by matplotlib and as SVG."""

import math
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from scipy import integrate, stats
from sklearn.metrics import balanced_accuracy_score
from tests.drawn import band, curve, dot, labels, references, shapes, svg
from tests.hostile import unseen
from tests.results import HOSTILE, MARKUP, OTHERS, PICTURED, evaluation, made, numbers, over_sets, pair, with_kind

import adjudge
from adjudge import InputError
from adjudge._base.show import Shown
from adjudge._base.text import probable
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.plots.differences import BASE, ROOM, TALL
from adjudge.plots.drawing import Line, Marks
from adjudge.plots.pictures import KINDS, picture


class Balanced(HTMLParser):
    """Checks that every element that opens closes."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, _):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def nothing_is_cut_off(ax):
    """Check that all that is drawn keeps a margin to the edges of the figure that was made for it."""
    ax.figure.canvas.draw()
    box, (width, height) = ax.figure.get_tightbbox(), ax.figure.get_size_inches()
    margins = np.array([box.x0, box.y0, width - box.x1, height - box.y1]) * ax.figure.dpi
    assert margins.min() >= 3, f"margins left, below, right, above, in pixels: {margins.round(1)}"


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURED)
def test_every_result_is_drawn(name):
    result = made(name)
    ax = adjudge.plot(result)
    assert isinstance(ax, Axes)
    nothing_is_cut_off(ax)
    drawn = svg(picture(result), "one")
    parser = Balanced()
    parser.feed(drawn)
    assert not parser.open
    assert not any(label in drawn for label in MARKUP)
    assert not any(unseen(words) for words in (drawn, *(text.get_text() for text in ax.texts)))


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_what_has_no_picture_is_drawn_as_its_numbers(name):
    result = made(name)
    with pytest.raises(InputError, match="no picture of"):
        picture(result)
    if not isinstance(result, Shown):
        with pytest.raises(InputError, match="no picture of"):
            adjudge.plot(result)
        return
    ax = result.plot()
    assert ax.get_title(loc="left") == type(result).__name__
    assert ax.texts
    nothing_is_cut_off(ax)
    assert not any(label in text.get_text() and text.get_parse_math() for label in MARKUP for text in ax.texts)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_kinds_of_an_evaluation(kind):
    nothing_is_cut_off(with_kind(kind).plot(kind=kind))


@pytest.mark.slow
def test_kinds_that_are_not_there_say_what_is():
    assert made("Report").plot(kind="roc").get_xlabel() == "False positive rate"
    with pytest.raises(InputError, match=r'McNemar has one picture; kind="roc"'):
        made("McNemar").plot(kind="roc")
    with pytest.raises(InputError, match=r"^kind .*'confusion', .*'rok'"):
        evaluation().plot(kind="rok")
    with pytest.raises(InputError, match="numeric predictor"):
        numbers().plot(kind="roc")
    decided = adjudge.evaluate(adjudge.Predictions(["a", "b", "a"], ["a", "b", "b"]))
    for kind in ("roc", "reliability", "partition"):
        with pytest.raises(InputError, match=f"no {kind} to draw: .*kind='confusion'"):
            decided.plot(kind=kind)


def shaded(found):
    """Return the area of the band of a distribution, by its corners."""
    x, low, high = band(found)
    return float(np.sum((high - low)[1:] * np.diff(x)[:] * (np.diff(x) > 0)))


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 120), st.integers(0, 120))
def test_mcnemar_shades_its_p_value(b, c):
    found = picture(adjudge.mcnemar(b, c))
    exact = stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert shaded(found) == pytest.approx(exact, abs=1e-6)
    assert dot(found) == (b, pytest.approx(stats.binom.pmf(b, b + c, 0.5)))


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(1, 60), st.floats(0.1, 0.9))
def test_chance_shades_its_p_value(a, b, c, d, rate):
    cells = adjudge.ConfusionCounts([[a, b], [c, d]])
    found = picture(adjudge.chance(cells, rate=rate))
    n, right = a + b + c + d, a + d
    assert shaded(found) == pytest.approx(stats.binom.sf(right - 1, n, rate), abs=1e-5)
    upright = [x for (x, _), _ in references(found)]
    enough = np.flatnonzero(stats.binom.sf(np.arange(-1, n), n, rate) <= 0.05)
    assert upright == enough[:1].tolist()


def test_chance_among_very_many_cases_is_a_curve():
    cells = adjudge.ConfusionCounts([[2_600_000, 2_400_000], [2_500_000, 2_500_000]])
    found = picture(adjudge.chance(cells))
    x, y = curve(found)
    assert x.size < 300
    assert y == pytest.approx(stats.binom.pmf(x, 10_000_000, 0.5), rel=1e-6, abs=1e-300)


def test_five_by_two_is_the_distribution_of_f():
    result = made("FiveByTwo")
    found = picture(result)
    x, y = curve(found)
    assert y == pytest.approx(stats.f.pdf(x, 10, 5), abs=1e-12)
    x, _, high = band(found)
    beyond = stats.f.sf(x[-1], 10, 5)
    assert integrate.trapezoid(high, x) + beyond == pytest.approx(stats.f.sf(result.f, 10, 5), abs=2e-3)
    assert references(found)[0][0][0] == pytest.approx(stats.f.ppf(0.95, 10, 5))


@pytest.mark.parametrize("d", [np.zeros((5, 2)), np.full((5, 2), 0.1)])
def test_five_by_two_without_spread_has_no_dot(d):
    found = picture(adjudge.five_by_two(d))
    assert not shapes(found, Marks)
    svg(found, "one")


def test_a_threshold_is_a_point_in_the_square():
    truth, score = pair()
    found = picture(made("OperatingPoint"))
    positive = truth == HOSTILE[1]
    called = score >= made("OperatingPoint").threshold
    assert dot(found) == pytest.approx((called[~positive].mean(), called[positive].mean()))
    assert integrate.trapezoid(*curve(found)[::-1]) == pytest.approx(balanced_accuracy_score(positive, called))


def test_an_undefined_point_is_refused():
    with pytest.raises(InputError):
        picture(adjudge.operating_point([1, 1, 1], [0.1, 0.2, 0.3], sensitivity=0.9, positive=1, classes=[0, 1]))


def test_multipliers_stand_with_their_classes():
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet(np.ones(4), 300), rng.choice(4, 300, p=[0.1, 0.5, 0.2, 0.2])
    fitted = adjudge.fit_multipliers(np.array(list("abcd"))[y], p, bounds=(0, 2), classes=list("abcd"))
    rows = picture(fitted).rows
    assert [row.name for row in rows] == list("abcd")
    assert [row.value for row in rows] == pytest.approx(np.insert(fitted.multipliers, fitted.majority, 1.0))
    assert [row.words == "fixed" for row in rows] == [i == fitted.majority for i in range(4)]


def test_the_shares_of_a_rejection():
    rule = made("Rejection")
    assert [row.value for row in picture(rule).rows] == [rule.accuracy, rule.error, rule.rejection]


@pytest.mark.slow
def test_many_tables_are_dots_and_few_have_rows():
    few, many = made("Posteriors"), made("Posteriors of many")
    assert [row.value for row in picture(few).rows] == pytest.approx([distribution.median for distribution in few])
    limits = [(row.low, row.high) for row in picture(few).rows]
    np.testing.assert_allclose(limits, [distribution.distribution.interval(0.95) for distribution in few], rtol=1e-9)
    (row,) = picture(many).rows
    medians = many.median
    assert len(row.dots) == 200
    assert (row.dots[0], row.dots[-1]) == (medians.min(), medians.max())
    assert set(row.dots) <= set(medians.tolist())


def test_data_sets_show_what_was_seen_and_what_to_believe():
    result = over_sets()
    *rows, mean = picture(result).rows
    assert [row.dots for row in rows] == [(value,) for value in result.means]
    assert [row.value for row in rows] == [one.value for one in result.hierarchical.shrunken.values()]
    assert (mean.low, mean.high) == (result.hierarchical.mu.interval.low, result.hierarchical.mu.interval.high)
    assert picture(result).band == (-result.margin, result.margin)


@pytest.mark.slow
def test_many_data_sets_leave_out_the_smallest_differences():
    many = adjudge.compare_over_sets({f"set {i}": i / 1000 for i in range(60)})
    found = picture(many)
    assert [row.value for row in found.rows] == [i / 1000 for i in range(20, 60)]
    assert "20 smaller differences not drawn" in found.note


def test_gains_are_those_of_the_corrections():
    result = made("Recommendations")
    rows = picture(result).rows
    assert [(row.name, row.value, row.low) for row in rows] == [(one.name, one.gain, one.interval.low) for one in result.rows]


def test_an_interval_without_a_value_is_drawn_by_its_limits():
    (row,) = picture(Interval(0.25, 0.5, 0.9, "wilson")).rows
    assert math.isnan(row.value)
    assert (row.low, row.high, row.words) == (0.25, 0.5, "0.25 to 0.50")


def test_what_the_correlated_test_believes():
    result = made("CorrelatedT")
    found = picture(result)
    each = {"worse": result.worse, "same": result.same, "better": result.better}
    odds = [f"P({kind}) {probable(p)}" for kind, p in each.items()]
    assert [label.words for label in labels(found) if label.style == "head"] == odds
    d = np.array([0.02, 0.03, -0.01, 0.05, 0.04, 0.01, 0.0, 0.02, 0.03, -0.02])  # those of the result
    distribution = stats.t(9, d.mean(), np.sqrt((1 / 10 + 0.1 / 0.9) * d.var(ddof=1)))
    x, down = curve(found)
    heights, peak = (BASE - down) / (TALL - ROOM), distribution.pdf(x).max()
    assert integrate.trapezoid(heights * peak, x) == pytest.approx(1, abs=0.01)
    assert heights * peak == pytest.approx(distribution.pdf(x), rel=1e-9, abs=1e-12)


def test_the_correlated_test_without_spread_is_a_spike():
    found = picture(adjudge.correlated_t([0.02] * 5, test_share=0.2))
    (spike,) = shapes(found, Line, "heavy")
    assert spike.points[:, 0].tolist() == [0.02, 0.02]
    assert not shapes(found, Line, "curve")
    svg(found, "one")


T = np.array([0, 0, 1, 1] * 5)
P = np.random.default_rng(0).dirichlet(np.ones(3), 60)
ODD = {
    "no difference at all": lambda: adjudge.paired_t([0, 0, 0]),
    "differences without spread": lambda: adjudge.nadeau_bengio([0.1, 0.1, 0.1], test_share=0.1),
    "a spike without a margin": lambda: adjudge.correlated_t([0, 0, 0], test_share=0.1, margin=0),
    "the same scores": lambda: adjudge.delong(T, T * 1.0, T * 1.0),
    "no error": lambda: adjudge.error_difference(0, 10, 0, 10),
    "never one alone": lambda: adjudge.mcnemar(0, 0),
    "always one alone": lambda: adjudge.mcnemar(100_000, 0),
    "one class": lambda: adjudge.chance(adjudge.ConfusionCounts([[5]])),
    "weights": lambda: adjudge.chance(adjudge.confusion(T, T, weight=np.linspace(0.1, 0.7, 20))),
    "no correction": lambda: replace(made("Recommendations"), rows=()),
    "no limits": lambda: Interval(-math.inf, math.inf, 0.95, "x"),
    "undefined limits": lambda: Interval(math.nan, math.nan, 0.95, "x"),
    "a point": lambda: Interval(0.5, 0.5, 0.95, "x"),
    "an undefined value": lambda: Estimate("accuracy", adjudge.Undefined("no case")),
    "an infinite value": lambda: Estimate("log_loss", math.inf, Interval(1, math.inf, 0.95, "x")),
    "a measure nobody knows": lambda: Estimate("cost", 3.0, Interval(1, 5, 0.95, "x")),
    "a class wiped out": lambda: replace(made("Multipliers"), multipliers=np.array([0.0, 3.0])),
    "rounds": lambda: adjudge.fit_multipliers(np.arange(60) % 3, P, form="iterated"),
    "every multiplier free": lambda: adjudge.fit_multipliers(np.arange(60) % 3, P, form="softmax", last_free=True),
    "thresholds by class": lambda: adjudge.fit_rejection(np.arange(60) % 3, P, reject_cost=0.3, kind="per-class"),
    "no threshold": lambda: adjudge.fit_rejection(np.arange(60) % 3, P, reject_cost=0.3, kind="costs"),
    "one threshold": lambda: adjudge.fit_rejection(np.arange(60) % 3, P, max_rejection=0.3, kind="max-probability"),
    "perfect scores": lambda: adjudge.operating_point(T, T * 1.0, youden=True, positive=1),
    "one table": lambda: adjudge.posterior([[[40, 5], [8, 2]]]),
    "numbers without spread": lambda: adjudge.evaluate(adjudge.Predictions([1.5, 1.5, 1.5], [1.25, 1.5, 2.0])),
    "two rows": lambda: adjudge.plan("holdout", np.zeros((4, 1)), T[:4], random_state=0),
    "many classes": lambda: adjudge.fit_multipliers(np.arange(400) % 40, np.random.default_rng(0).dirichlet(np.ones(40), 400)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD)
def test_odd_results_are_drawn_too(name):
    result = ODD[name]()
    nothing_is_cut_off(adjudge.plot(result))
    Balanced().feed(result._repr_html_())


def test_what_has_no_p_value_says_so():
    assert "p undefined" in picture(adjudge.delong([1, 1, 1], [0.1, 0.2, 0.3], [0.3, 0.2, 0.1], positive=1)).title


def test_chance_without_a_case_has_no_picture_but_words():
    nothing = adjudge.chance(adjudge.ConfusionCounts([[0, 0], [0, 0]]))
    with pytest.raises(InputError, match=r"no case, .*nothing to draw"):
        picture(nothing)
    assert adjudge.plot(nothing).texts


@pytest.mark.slow
def test_what_a_picture_shows_was_judged_before(monkeypatch, tmp_path):
    rng = np.random.default_rng(0)
    truth, predicted = rng.normal(size=(2, 40))
    counts = adjudge.count(adjudge.Predictions(truth, predicted))
    results = [counts, adjudge.load_counts(counts.save(tmp_path / "numbers.counts")), adjudge.thresholds(evaluation())]
    results += [results[-1].at(0.3, prevalence=0.1), results[-1].least_cost()]
    drawn = [svg(picture(result), "one") for result in results]

    def refused(*_, **__):
        pytest.fail("a picture judges")

    for name in ("at", "least_cost", "decided_by"):
        monkeypatch.setattr(f"adjudge.judgements.thresholds.Thresholds.{name}", refused)
    monkeypatch.setattr("adjudge.judgements.evaluation.judge_numbers", refused)
    assert [svg(picture(result), "one") for result in results] == drawn
    assert drawn[0] == drawn[1] == svg(picture(adjudge.evaluate(adjudge.Predictions(truth, predicted))), "one")


def test_counts_of_numbers_are_drawn_alike_added_up_or_counted_together():
    parts = [adjudge.count(adjudge.Predictions([1.25, 2.0, 3.5], [1.5, 2.25, 2.0 + i])) for i in range(2)]
    assert svg(picture(sum(parts)), "one") == svg(picture(adjudge.count(*parts)), "one")
    assert "<svg" in sum(parts)._repr_html_()


def test_a_loss_that_sums_do_not_hold_is_undefined_and_the_note_says_why():
    drawn = picture(made("Counts of numbers, added"))
    rae, rse = drawn.rows
    assert (rae.words, math.isnan(rae.value)) == ("undefined", True)
    assert rse.value == made("Counts of numbers, added").losses["rse"].value
    assert made("Counts of numbers, added").losses["rae"].reason in drawn.note
