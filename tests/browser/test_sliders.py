"""The sliders of a page say what Python says, for any position, by mouse and by keyboard."""

import numpy as np
import pytest
from tests.described import state
from tests.sparing import some

import adjudge
from adjudge.describe.thresholds import COSTS, costs, prevalences
from adjudge.plots.curves import FRAME
from adjudge.plots.labels import named
from adjudge.stats.bands import roc_band

SET = "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }"
READ = "box => Object.fromEntries([...box.querySelectorAll('[data-is]')].map(e => [e.dataset.is, e.textContent]))"
MOVE = f"""(box, steps) => {{
    const set = {SET}, read = {READ};
    const mark = name => {{ const e = box.querySelector(`svg .${{name}}:not(.key-mark)`);
        return [Number(e.getAttribute("cx")), Number(e.getAttribute("cy"))]; }};
    return steps.map(step => {{
        for (const name in step) set(box.querySelector(`[name=${{name}}]`), String(step[name]));
        return {{words: read(box), here: mark("here"), best: mark("best")}};
    }});
}}"""


def probabilities(y, rng):
    return 1 / (1 + np.exp(-rng.normal(np.where(y, 1, -1.5), 1.4)))


def two(kind):
    rng = np.random.default_rng(11)
    y = (rng.random(700) < 0.23).astype(int)
    p, names = probabilities(y, rng), np.array(["well", "ill"], dtype=object)
    if kind == "scores":
        return adjudge.Predictions(y, (p > 0.4).astype(int), np.log(p / (1 - p)), positive=1)
    weight = rng.exponential(2, 700) if kind == "weighted" else None
    if kind == "rare":
        p = p**6
    if kind == "halves":  # shares such as 6.25%, whose last digit lies in the middle
        y, p = np.repeat([1, 0], [16, 32]), np.append(p[:16], p[:32]).round(2)
        return adjudge.Predictions(names[y], scores={"ill": p}, positive="ill")
    return adjudge.Predictions(names[y], scores={"ill": p}, positive="ill", weight=weight)


def three():
    rng = np.random.default_rng(12)
    y = rng.choice(3, 900, p=[0.6, 0.3, 0.1])
    p = rng.dirichlet(np.ones(3), 900)
    p[np.arange(900), y] += 0.6
    names = np.array(["benign <b>", "atypical", "malignant"], dtype=object)
    return adjudge.Predictions(names[y], scores=p / p.sum(axis=1, keepdims=True), classes=list(names))


def place(x, y):
    return (x - FRAME["left"]) / (FRAME["right"] - FRAME["left"]), (FRAME["bottom"] - y) / (FRAME["bottom"] - FRAME["top"])


def check(box, found, of, chosen):
    """Move the sliders and compare every word and both marks with Python's."""
    table = found.table(of)
    first, begun = found.first(of), found.first()
    thresholds, shares = table.steps(first.threshold), sorted({*prevalences(), table.prevalence, first.prevalence})
    pairs = costs(begun.miss_cost, begun.alarm_cost)
    labels = [found.of, *(label for label in found.tables if label != found.of)]
    name = named(labels, 40)[labels.index(table.of)]
    steps = [
        {"threshold": round(t * (thresholds.size - 1)), "prevalence": round(p * (len(shares) - 1)), "cost": c + len(COSTS) - 1}
        for t, p, c in chosen
    ]
    for step, seen in zip(steps, box.evaluate(MOVE, steps), strict=True):
        threshold, (miss, alarm) = float(thresholds[step["threshold"]]), pairs[step["cost"]]
        use = {"prevalence": shares[step["prevalence"]], "miss_cost": miss, "alarm_cost": alarm}
        expected = state(found, threshold, name=name, of=of, **use)
        assert {place: seen["words"][place] for place in expected} == expected, step
        here, best = found.at(threshold, of=of, **use), found.least_cost(of=of, **use)
        for mark, point in (("here", here), ("best", best)):
            assert place(*seen[mark]) == pytest.approx((1 - point.specificity.value, point.sensitivity.value), abs=1e-4)


def positions(n, seed):
    rng = np.random.default_rng(seed)
    ends = [(0, 0, -13), (1, 1, 13), (0, 1, 0), (1, 0, 0), (0.5, 0.5, 0)]
    return [*ends, *zip(rng.random(n), rng.random(n), rng.integers(-13, 14, n).tolist(), strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", some(["probabilities", "scores", "weighted", "rare", "halves"], 5))
def test_every_position_says_what_python_says(opened, kind):
    found = adjudge.thresholds(two(kind))
    page = opened(found.to_html())
    box = page.locator(".sliders")
    assert box.locator("form").is_visible()
    start = state(found, found.start(), name=named([found.of])[0])
    assert box.evaluate(READ) | start == box.evaluate(READ)
    check(box, found, None, positions(200, 1))


@pytest.mark.slow
@pytest.mark.parametrize("source", some([three(), two("rare"), two("probabilities")], 3), ids=["three", "rare", "two"])
def test_it_begins_and_is_reset_to_what_was_asked(opened, source):
    found = adjudge.thresholds(source)
    for point in (found.least_cost(prevalence=0.0007, miss_cost=12.5), found.at(0.3217, alarm_cost=30), found.at(np.inf)):
        begun = found.beginning(point)
        page = opened(begun.to_html())
        box = page.locator(".sliders")
        labels = [begun.of, *(label for label in begun.tables if label != begun.of)]
        expected = state(found, point.threshold, name=named(labels, 40)[0], **point.use)
        assert box.evaluate(READ) | expected == box.evaluate(READ)
        check(box, begun, None, positions(30, 5))
        box.locator("button").click()
        assert box.evaluate(READ) | expected == box.evaluate(READ)


@pytest.mark.slow
def test_each_class_can_be_chosen_and_all_be_reset(opened):
    found = adjudge.thresholds(three())
    page = opened(found.to_html())
    box = page.locator(".sliders")
    first = box.evaluate(READ)
    curve = box.locator("svg .roc").get_attribute("d")
    for at, of in enumerate(["malignant", "benign <b>", "atypical"]):
        box.locator("select").select_option(str(at))
        box.locator("button").click()
        own = state(found, found.start(of), name=named(["malignant", "benign <b>", "atypical"], 40)[at], of=of)
        assert box.evaluate(READ) | own == box.evaluate(READ)
        check(box, found, of, positions(50, at))
    assert box.locator("svg .roc").get_attribute("d") != curve
    box.locator("select").select_option("0")
    box.locator("button").click()
    assert box.evaluate(READ) == first
    assert box.locator("svg .roc").get_attribute("d") == curve


@pytest.mark.slow
def test_the_curve_and_band_of_a_chosen_class_are_those_of_python(opened):
    found = adjudge.thresholds(three())
    page = opened(found.to_html())
    box = page.locator(".sliders")
    box.locator("select").select_option("1")
    inside = """([name, x, y]) => { const shape = document.querySelector(`.sliders svg .${name}`);
        const point = shape.ownerSVGElement.createSVGPoint(); point.x = x; point.y = y; return shape.isPointInFill(point); }"""
    table = found.table("benign <b>")
    band = roc_band(table.alarms / table.others, table.found / table.cases, table.worth[1], table.worth[0])

    def at(x, y):
        return FRAME["left"] + x * (FRAME["right"] - FRAME["left"]), FRAME["bottom"] - y * (FRAME["bottom"] - FRAME["top"])

    for x in np.linspace(0.1, 0.9, 17):
        high = band.high[band.high[:, 0] <= x, 1].max()
        low = band.low[band.low[:, 0] >= x, 1].min()
        assert page.evaluate(inside, ["band", *at(x, (high + low) / 2)])
        if low > 0.05:
            assert not page.evaluate(inside, ["band", *at(x, low - 0.03)])
        if high < 0.95:
            assert not page.evaluate(inside, ["band", *at(x, high + 0.03)])


@pytest.mark.slow
def test_sliders_are_named_told_and_moved_by_keys(opened):
    found = adjudge.thresholds(two("probabilities"))
    page = opened(found.to_html())
    slider = page.get_by_role("slider", name="Decision threshold")
    assert slider.get_attribute("aria-valuetext") == "50.0%"
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "50.5%"
    page.keyboard.press("Home")
    assert slider.get_attribute("aria-valuetext") == "0.0%"
    page.keyboard.press("End")
    assert slider.get_attribute("aria-valuetext") == "none positive"
    assert page.locator("[aria-live=polite]").inner_text().startswith("Threshold none positive: finds 0 of ")
    assert page.locator("[data-is=sentence]").inner_text().startswith("Of 1,000 cases with ")
    assert "No case is predicted positive" in page.locator("[data-is=sentence]").inner_text()
    for name in ("Prevalence in use", "A miss : a false alarm"):
        assert page.get_by_role("slider", name=name).count() == 1


@pytest.mark.slow
def test_without_script_the_first_state_stands_and_no_control(opened):
    found = adjudge.thresholds(two("probabilities"))
    page = opened(found.to_html(), script=False)
    assert not page.locator(".sliders form").is_visible()
    for name in ("headline", "sentence"):
        assert page.locator(f"[data-is={name}]").inner_text() == state(found, 0.5, name="ill")[name]


@pytest.mark.slow
def test_the_summary_of_the_page_says_what_sliders_do_once_one_is_moved(opened):
    page = opened(adjudge.thresholds(two("probabilities")).to_html())
    told = page.locator("header .verdict .what-if")
    assert not told.is_visible()
    page.locator(".sliders [name=threshold]").evaluate(SET, "60")
    assert told.inner_text() == f"As the sliders are set, class ill: {page.locator('[data-is=headline]').inner_text()}"
    assert "Threshold 30.0%" in told.inner_text()
    page.get_by_role("button", name="Reset").click()
    assert not told.is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("width", some([360, 390, 1280], 3))
@pytest.mark.parametrize("dark", some([False, True], 2))
def test_it_fits_phones_and_screens(opened, shot, width, dark):
    found = adjudge.thresholds(three())
    page = opened(found.to_html(), width=width, dark=dark)
    page.locator(".sliders [name=threshold]").evaluate(SET, "60")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for control in page.locator(".sliders .control").all():
        assert control.bounding_box()["width"] <= width
    shot(page, f"sliders-{width}-{'dark' if dark else 'light'}")
