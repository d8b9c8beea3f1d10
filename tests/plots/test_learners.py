"""The pictures of a trade-off and of a plan."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.naive_bayes import GaussianNB
from tests.described import facts
from tests.drawn import svg

import adjudge
from adjudge.judgements.resampled import Share, TradeOff
from adjudge.plots.drawing import SIDE, WIDTH, Area, Line, Marks, Text
from adjudge.plots.learners import MOST_COLUMNS, STEP, STYLES, TOP, plan_picture, spread

RNG = np.random.default_rng(5)
X = RNG.normal(size=(120, 3))
Y = np.where(X[:, 0] + RNG.normal(size=120) * 0.5 > 0, "yes", "no")


@pytest.fixture(scope="module")
def found():
    return adjudge.trade_off(GaussianNB(), X, Y, shares=(0.5, 0.1, 0.25), repeats=8, random_state=0)


def hand_made(*values, measure="accuracy", learner="plain"):
    shares = np.linspace(0.2, 0.8, len(values))
    return TradeOff(learner, measure, tuple(Share(s, 10, np.array(v)) for s, v in zip(shares, values, strict=True)), 0)


def dots(picture):
    """Return the places of the splits, an array for each share."""
    return [item.points for item in picture.items if isinstance(item, Marks) and item.style == "faint mark4"]


def means(picture):
    return next(item.points for item in picture.items if isinstance(item, Line) and item.label == "mean")


def limits(picture):
    """Return the lower and the upper side of the band."""
    high, low = np.split(next(item.parts[0] for item in picture.items if isinstance(item, Area)), 2)
    return low[::-1, 1], high[:, 1]


def test_means_and_spread_from_the_smallest_share_on(found):
    picture = spread(found)
    up, by_share = picture.panel.y, sorted(found.shares, key=lambda s: s.share)
    assert means(picture)[:, 0].tolist() == [s.share for s in by_share]
    for share, at, (_, drawn), low, high in zip(by_share, dots(picture), means(picture), *limits(picture), strict=True):
        mean, deviation = np.mean(share.values), np.std(share.values, ddof=1)
        assert drawn == pytest.approx(mean)
        assert low == pytest.approx(max(mean - deviation, up.start))
        assert high == pytest.approx(min(mean + deviation, up.stop, 1))
        assert at[:, 1].tolist() == share.values.tolist()
        assert np.all(np.abs(at[:, 0] - share.share) < 0.06)


def test_dots_that_are_alike_stand_beside_each_other():
    picture = spread(hand_made([0.9] * 5, [0.5, 0.6]))
    x = dots(picture)[0][:, 0]
    assert len(set(x.tolist())) == 5
    assert x.mean() == pytest.approx(means(picture)[0, 0])


def test_the_band_ends_where_shares_end():
    picture = spread(hand_made([1.0, 1.0, 0.2], [0.5, 0.6]))
    assert limits(picture)[1].max() <= 1
    assert picture.panel.y.stop <= 1


def test_svg_is_whole_and_the_same_each_time(found):
    picture = svg(spread(found), "trade-off")
    assert picture == svg(spread(found), "trade-off")
    root = ET.fromstring(picture)  # noqa: S314 - our own words
    _, _, width, height = (float(v) for v in root.get("viewBox").split())
    dots = list(root.iter("circle"))
    assert len(dots) == 3 * 8 + 3
    assert all(0 < float(d.get("cx")) < width and 0 < float(d.get("cy")) < height for d in dots)
    assert "10% kept, 12 cases" in root.find("desc").text


@pytest.mark.slow
def test_matplotlib_draws_the_same(found):
    ax = Figure().subplots()
    assert found.plot(ax) is ax
    ax.figure.canvas.draw()
    line = next(line for line in ax.get_lines() if line.get_label() == "mean")
    assert line.get_ydata().tolist() == means(spread(found))[:, 1].tolist()
    assert sum(len(line.get_xdata()) for line in ax.get_lines() if line.get_marker() == "o") >= 24
    assert ax.get_title(loc="left") == "GaussianNB()"


def test_ticks_too_close_are_left_out():
    shares = tuple(Share(s, 10, np.array([0.5, 0.6])) for s in (0.1, 0.11, 0.5, 0.9))
    assert [words for _, words in spread(TradeOff("x", "accuracy", shares, 0)).panel.x.ticks] == ["10%", "50%", "90%"]


def test_splits_without_a_value_are_left_out():
    picture = spread(hand_made([np.nan, 0.4, 0.5], [np.nan, np.inf], [0.3, 0.4], measure="log_loss"))
    assert [len(at) for at in dots(picture)] == [2, 2]
    with pytest.raises(adjudge.InputError, match=r"No split has a log_loss"):
        spread(hand_made([np.nan, np.inf], measure="log_loss"))


def test_a_hostile_name_is_only_text():
    bad, good = (svg(spread(hand_made([0.5, 0.6], [0.5, 0.7], learner=name)), "x") for name in ("</title><script>", "plain"))
    assert "<script" not in bad
    assert [e.tag for e in ET.fromstring(bad).iter()] == [e.tag for e in ET.fromstring(good).iter()]  # noqa: S314


def covered(drawing, plan, kind):
    """Return for each unit which columns boxes of a kind cover."""
    names = [item for item in drawing.items if isinstance(item, Text) and item.anchor == "end" and item.words.isdigit()]
    columns, units = min(plan.rows, MOST_COLUMNS), len(names)
    left = names[0].x + 6
    wide = (SIDE + WIDTH - left) / columns
    cells = np.zeros((units, columns), dtype=bool)
    areas = [item for item in drawing.items if isinstance(item, Area) and item.style == STYLES[kind]]
    for corners in (corners for item in areas for corners in item.parts):
        (start, top), (stop, foot) = corners.min(axis=0), corners.max(axis=0)
        if top > TOP:  # below the keys
            cells[round(((top + foot) / 2 - TOP) / STEP - 0.5), round((start - left) / wide) : round((stop - left) / wide)] = True
    return cells


@pytest.mark.parametrize("by", ["5-fold", "leave-one-out", "holdout", "bootstrap"])
def test_a_plan_of_few_rows_shows_every_row(by):
    plan = adjudge.plan(by, np.zeros((24, 1)), np.arange(24) % 2, random_state=1)
    judged, learnt = (covered(plan_picture(plan), plan, kind) for kind in ("test", "training"))
    assert len(judged) == min(len(plan), 30)
    for unit in range(len(judged)):
        assert np.flatnonzero(judged[unit]).tolist() == sorted(plan.test[unit].tolist())
        assert np.flatnonzero(learnt[unit]).tolist() == sorted(set(plan.train[unit].tolist()))


def test_folds_of_many_rows_lie_on_the_diagonal():
    plan = adjudge.plan("4-fold", np.zeros((1200, 1)), np.arange(1200) % 3, random_state=2)
    judged = covered(plan_picture(plan), plan, "test")
    assert (judged.sum(axis=0) == 1).all()
    assert judged.argmax(axis=0).tolist() == sorted(judged.argmax(axis=0).tolist())


def test_a_long_plan_shows_its_first_units():
    plan = adjudge.plan("leave-one-out", np.zeros((200, 1)), np.arange(200) % 2)
    found = plan_picture(plan)
    assert len(covered(found, plan, "test")) == 30
    assert facts(found.words)[-1] == "170"
    assert len(svg(found, "one")) < 10_000
