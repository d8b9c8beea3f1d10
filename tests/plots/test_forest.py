"""Forest plots: where rows lie, what a learner's rows are, and that both drawings are whole."""

import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from tests.drawn import draw, labels, svg

import adjudge
from adjudge.estimates.estimate import Estimate
from adjudge.plots.drawing import WIDTH, Line, Marks
from adjudge.plots.forest import STEP, Forest, Row
from adjudge.plots.learners import learner_forest

RNG = np.random.default_rng(3)
X = RNG.normal(size=(140, 4))
Y = np.where(X[:, 0] + RNG.normal(size=140) * 0.3 > 0, "yes", "no")
EASY = np.where(X[:, 0] > 0, "yes", "no")
NUMBERS = X @ np.arange(4) + RNG.normal(size=140)


class Moody(ClassifierMixin, BaseEstimator):
    """Fails on some training rows, and says so in a way that a page must not believe."""

    def fit(self, X, y):
        if round(float(X.sum()) * 1e6) % 3 == 0:
            msg = "</text><script>singular</script>"
            raise ValueError(msg)
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(X)


def estimated(learner, x, y, by):
    return adjudge.estimate(learner, x, y, by=by, random_state=0, progress=False)


KINDS = {
    "ten folds": lambda: estimated(GaussianNB(), X, Y, "stratified-10-fold"),
    "three folds": lambda: estimated(GaussianNB(), X, Y, "3-fold"),
    "perfect": lambda: estimated(GaussianNB(), np.c_[Y == "yes", X[:, 0]], Y, "stratified-5-fold"),
    "ten times ten": lambda: estimated(GaussianNB(), X, Y, "10x10-fold"),
    "fifty folds": lambda: estimated(GaussianNB(), X, Y, "50-fold"),
    "holdout": lambda: estimated(GaussianNB(), X, Y, "holdout"),
    "one by one": lambda: estimated(GaussianNB(), X, Y, "leave-one-out"),
    "few rounds": lambda: estimated(GaussianNB(), X, Y, "bootstrap632+-20"),
    "many rounds": lambda: estimated(GaussianNB(), X, Y, "bootstrap632+-60"),
    "failed": lambda: estimated(Moody(), X, Y, "stratified-10-fold"),
    "numbers": lambda: estimated(Ridge(), X, NUMBERS, "10-fold"),
    "numbers, rounds": lambda: estimated(Ridge(), X, NUMBERS, "bootstrap632-20"),
    "another measure": lambda: adjudge.estimate(GaussianNB(), X, Y, measures=("mcc",), random_state=0, progress=False),
    "log loss": lambda: adjudge.estimate(GaussianNB(), X, EASY, measures=("log_loss",), random_state=0, progress=False),
}
EACH = pytest.mark.parametrize("kind", list(KINDS))


@pytest.fixture(scope="module")
def results():
    return {name: make() for name, make in KINDS.items()}


def row(found, name):
    return next(row for row in found.rows if row.name.startswith(name))


def dots(found):
    """Return where the dots of rows are drawn, an array for each row that has some."""
    return [item.points for item in found.drawing.items if isinstance(item, Marks) and item.style.startswith("faint")]


def middles(found):
    """Return units down to the marks of rows, by the names of the rows."""
    marks = [item for item in found.drawing.items if isinstance(item, Marks) and item.label]
    return {item.label: item.points[0, 1] for item in marks}


@EACH
def test_everything_lies_within_the_picture(results, kind):
    found = learner_forest(results[kind])
    panel = found.drawing.panel
    for each in found.rows:
        known = [v for v in (each.value, each.low, each.high, *each.dots) if math.isfinite(v)]
        assert all(found.left <= found.across(v) <= found.right for v in known)
    at = dots(found)
    assert sum(map(len, at)) == sum(len(each.dots) for each in found.rows)
    assert all(np.all((each[:, 1] > panel.top) & (each[:, 1] < panel.bottom)) for each in at)
    downs = list(middles(found).values())
    assert downs == sorted(downs)
    assert min(np.diff(downs), default=STEP) >= STEP
    assert 0 <= found.left < found.right <= WIDTH
    assert downs[-1] < panel.bottom


@pytest.mark.slow
@EACH
def test_words_keep_apart_and_on_the_paper(results, kind):
    boxes = []
    for label in labels(learner_forest(results[kind])):
        wide = 0.56 * 12.5 * len(label.words)
        left = label.x - {"start": 0, "end": wide}[label.anchor]
        assert left >= -1
        assert left + wide <= WIDTH + 1
        boxes.append((left, left + wide, label.y))
    for (low, high, y), (other_low, other_high, other_y) in combinations(boxes, 2):
        assert high <= other_low or other_high <= low or abs(y - other_y) >= 13


@pytest.mark.slow
@EACH
def test_svg_is_whole_and_the_same_each_time(results, kind):
    picture = svg(learner_forest(results[kind]), "forest")
    assert picture == svg(learner_forest(KINDS[kind]()), "forest")
    assert ">nan" not in picture
    assert '"nan' not in picture
    assert "<script" not in picture
    root = ET.fromstring(picture)  # noqa: S314 - our own words
    _, _, width, height = (float(v) for v in root.get("viewBox").split())
    for text in root.iter("text"):
        assert 0 <= float(text.get("x")) <= width
        assert 0 <= float(text.get("y")) <= height
    assert "This test set, pooled" in root.find("desc").text


@EACH
def test_matplotlib_draws_the_same_geometry(results, kind):
    found = learner_forest(results[kind])
    ax = Figure(figsize=(6.4, 6)).subplots()
    assert draw(found, ax) is ax
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    across = (found.scale.start - low) / (high - low) * WIDTH
    assert across == pytest.approx(found.left)
    assert [text.get_text() for text in ax.texts] == [label.words for label in labels(found)]
    drawn = {line.get_label() for line in ax.get_lines()}
    assert {each.name for each in found.rows if math.isfinite(each.value)} <= drawn


@pytest.mark.slow
def test_folds_are_scikit_learns():
    found = learner_forest(estimated(GaussianNB(), X, Y, KFold(5)))
    scores = cross_val_score(GaussianNB(), X, Y, cv=KFold(5))
    assert [each.value for each in found.parts] == pytest.approx(scores)
    assert all(each.low < each.value < each.high or each.value == 1 for each in found.parts)
    bar = row(found, "Mean of 5 folds ± 2 SE")
    error = scores.std(ddof=1) / 5**0.5
    assert (bar.low, bar.high) == pytest.approx((scores.mean() - 2 * error, scores.mean() + 2 * error))
    assert bar.shape == "cross"


def test_the_honest_interval_is_the_longer_one(results):
    found = learner_forest(results["three folds"])
    algorithm, bar = row(found, "This algorithm"), row(found, "Mean of 3 folds")
    assert algorithm.low < bar.low
    assert algorithm.colour != bar.colour


@pytest.mark.slow
def test_the_bar_may_pass_everything():
    found = learner_forest(estimated(GaussianNB(), np.c_[X[:60, 0], np.zeros(60)], EASY[:60], "stratified-10-fold"))
    bar = row(found, "Mean of 10 folds")
    assert bar.high > 1
    assert found.scale.impossible == ((1, found.scale.stop),)
    assert found.scale.stop > bar.high
    assert row(found, "This algorithm").high <= 1


@pytest.mark.slow
def test_the_band_is_the_interval_of_this_test_set(results):
    found = learner_forest(results["ten folds"])
    pooled = row(found, "This test set")
    assert found.band == (pooled.low, pooled.high)
    assert learner_forest(results["holdout"]).band is None  # there is no fold to read against it


def test_ten_times_ten_folds_are_ten_rows_of_dots(results):
    found = learner_forest(results["ten times ten"])
    values = results["ten times ten"].estimates["accuracy"].folds.reshape(10, 10)
    assert [each.name for each in found.parts] == [f"repeat {i}" for i in range(1, 11)]
    assert [each.value for each in found.parts] == pytest.approx(values.mean(axis=1))
    assert np.array([each.dots for each in found.parts]) == pytest.approx(values)


@pytest.mark.parametrize(("kind", "name", "many"), [("fifty folds", "50 folds", 50), ("many rounds", "60 rounds", 60)])
def test_many_folds_are_dots_in_one_row(results, kind, name, many):
    found = learner_forest(results[kind])
    assert not found.parts
    strip = row(found, name)
    assert len(strip.dots) == many
    (at,) = dots(found)
    assert len({(round(a), round(b, 2)) for a, b in at.tolist()}) > many / 2  # beside each other, not on top
    assert f"{min(strip.dots):.1%} to {max(strip.dots):.1%}" == strip.words


@pytest.mark.parametrize("kind", ["one by one", "holdout"])
def test_without_folds_there_is_only_what_they_come_to(results, kind):
    found = learner_forest(results[kind])
    assert [each.name for each in found.rows] == ["This test set, pooled", "On the training cases"]


def test_failed_folds_are_listed_as_failed(results):
    result = results["failed"]
    found = learner_forest(result)
    assert 0 < len(result.failures) < 10
    for fold, each in enumerate(found.parts, start=1):
        assert (fold in result.failures) == each.words.startswith("failed: ValueError")
        assert (fold in result.failures) == math.isnan(each.value)


def test_what_was_remembered_is_an_open_mark(results):
    ring = row(learner_forest(results["ten folds"]), "On the training cases")
    assert (ring.shape, ring.limited) == ("ring", False)
    assert ring.value == pytest.approx(GaussianNB().fit(X, Y).score(X, Y))


@pytest.mark.slow
def test_the_bootstrap_has_its_estimates(results):
    found, over = learner_forest(results["few rounds"]), results["few rounds"].estimates["accuracy"]
    assert row(found, ".632+").value == over.bootstrap632plus
    assert row(found, ".632 bootstrap, Efron").value == over.efron632
    assert row(found, ".632 bootstrap, mean").value == over.bootstrap632
    assert not any(each.name.startswith("This algorithm") for each in found.rows)
    assert any(each.name == "round 20" for each in found.rows)


def test_folds_that_all_agree_give_no_interval_of_the_algorithm(results):
    found = learner_forest(results["perfect"])
    assert not any(each.name.startswith("This algorithm") for each in found.rows)
    assert row(found, "This test set").low < 1


def test_numbers_are_no_shares(results):
    found = learner_forest(results["numbers"])
    assert found.axis == "Mean absolute error (95% intervals)"
    assert not any("%" in words for _, words in found.drawing.panel.x.ticks)
    assert found.scale.impossible == ()
    assert found.compared == ()


@pytest.mark.slow
def test_another_measure_is_drawn_where_there_is_no_accuracy(results):
    assert learner_forest(results["another measure"]).axis.startswith("MCC")


@pytest.mark.slow
def test_an_infinite_loss_has_words_but_no_mark(results):
    folds = np.where(np.arange(10) == 3, np.inf, 0.2 + np.arange(10) / 100)
    over = replace(results["log loss"].estimates["log_loss"], pooled=np.inf, folds=folds, conventional=None, algorithm=None)
    judged = results["log loss"]
    losses = [{"log_loss": Estimate("log_loss", value)} for value in folds.tolist()]
    by_fold = tuple(replace(fold, estimates=loss) for fold, loss in zip(judged.by_fold, losses, strict=True))
    found = learner_forest(replace(judged, estimates={"log_loss": over}, by_fold=by_fold))
    assert row(found, "This test set").words.startswith("infinite")
    assert found.parts[3].words == "infinite"
    assert found.scale.stop < 1
    assert "inf" not in {part.strip() for part in svg(found, "x").replace(">", '"').split('"')}


def test_the_commonest_answer_is_a_mark(results):
    (mark,) = learner_forest(results["ten folds"]).compared
    share = max(np.mean(Y == "yes"), np.mean(Y == "no"))
    assert mark.value == pytest.approx(share)
    assert mark.words.startswith("always ")


def test_names_of_rows_are_cut_and_stay_different():
    names = ["a very long name of a classifier 1", "a very long name of a classifier 2"]
    found = Forest([Row(name, 0.5, 0.4, 0.6, "50%") for name in names], axis="Accuracy")
    assert len({each.name for each in found.rows}) == 2
    assert found.left < WIDTH / 2


def test_a_name_is_never_a_formula():
    ax = Figure().subplots()
    draw(Forest([Row("$x^2$", 0.5, 0.4, 0.6, "50%")], axis="$a$", title="$b$"), ax)
    ax.figure.canvas.draw()
    assert [text.get_parse_math() for text in ax.texts] == [False] * len(ax.texts)


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.floats(-5, 5), st.floats(0, 3), st.booleans()), min_size=1, max_size=40),
    st.lists(st.floats(-50, 50), max_size=3),
)
def test_any_rows_have_a_picture(values, compared):
    rows = [Row(f"row {i}", v, v - half, v + half, f"{v:.1f}", headed=headed) for i, (v, half, headed) in enumerate(values)]
    found = Forest(rows, axis="x", marks=[(f"mark {i}", v) for i, v in enumerate(compared)])
    assert len(found.rows) == len(rows)
    assert [each.headed for each in found.rows] == sorted(each.headed for each in rows)
    assert all(found.left - 1e-6 <= found.across(v) <= found.right + 1e-6 for each in rows for v in (each.low, each.high))
    first = found.drawing.panel.x.ticks[0][0]
    grid = [item.points for item in found.drawing.items if isinstance(item, Line) and item.style == "grid" and not item.page]
    ends = [down for line in grid if line[0, 0] == first for down in line[:, 1].tolist()]
    assert ends == sorted(ends)
    ET.fromstring(svg(found, "x"))  # noqa: S314 - our own words


@pytest.mark.slow
def test_plot_draws_on_the_axes_given(results):
    ax = Figure().subplots()
    assert results["ten folds"].plot(ax, color="red") is ax
    colours = {line.get_color() for line in ax.get_lines() if str(line.get_label()).startswith("fold")}
    assert colours == {"red"}
    made = adjudge.plot(results["ten times ten"])
    made.figure.canvas.draw()
    assert made.get_title(loc="left") == "GaussianNB()"
