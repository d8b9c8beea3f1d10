"""Every result shows itself in a notebook: well-formed, self-contained, and harmless whatever its labels say."""

import importlib
import math
import pkgutil
import re
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.described import facts
from tests.hostile import HTML, unseen
from tests.results import EVERY, MARKUP, made

import adjudge
from adjudge._base.show import Shown, as_html
from adjudge.describe import describe
from adjudge.describe.description import told
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.render.notebook import FEW_ROWS, LARGEST

VOID = {"br", "img", "meta", "hr", "input", "link"}


class Page(HTMLParser):
    """What a browser would make of it: elements, their attributes, their words; nothing left open."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.words, self.css = [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        (self.css if self.open and self.open[-1] == "style" else self.words).append(data)


@cache
def shown_of(name):
    return made(name)._repr_html_()


@pytest.fixture(params=EVERY)
def shown(request):
    """Return what a notebook shows of each type."""
    return shown_of(request.param)


def test_it_is_well_formed_and_does_nothing(shown):
    page = Page(shown)
    assert not {"script", "img", "iframe", "link", "object", "a", "b", "form", "base", "meta"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not [name for name in names if name.startswith("on") or name in ("style", "src", "action")]
    assert all(value.startswith("#") for name, value in page.attributes if name in ("href", "xlink:href"))
    assert not re.search(r"url\(|@import|expression|https?:", "".join(page.css))
    assert not re.search(r"https?://", shown)
    assert len(shown) < 40_000


def test_hostile_labels_are_only_words(shown):
    assert not any(label in shown for label in MARKUP)
    assert not unseen(shown)
    assert "onerror" not in {name for name, _ in Page(shown).attributes}


def test_its_rules_stay_within(shown):
    css = "".join(Page(shown).css)
    flat = re.sub(r"@media[^{]+\{((?:[^{}]*\{[^{}]*\})*)\}", r"\1", css)
    selectors = [one for rule in re.findall(r"([^{}]+)\{[^{}]*\}", flat) for one in re.split(r",(?![^(]*\))", rule)]
    copied = {f".{name}" for symbol in re.findall(r"<g id=.*?</g>", shown, re.DOTALL) for name in re.findall(r"[\w-]+", symbol)}
    assert all(re.match(r"(body:(not|is)\([^)]*\) )?\.adjudge\b", one) or one in copied for one in selectors)


@pytest.mark.parametrize("name", EVERY)
def test_the_same_result_is_the_same_bytes(name):
    assert made(name)._repr_html_() == shown_of(name)


@pytest.mark.parametrize("label", [label for label in HTML if label.strip()], ids=range(len([x for x in HTML if x.strip()])))
def test_no_label_does_harm(label):
    counts = adjudge.ConfusionCounts([[3, 1], [0, 4]], (label, "other"))
    shift = adjudge.PriorShift([0.5, 0.5], [0.2, 0.8], (label, "other"))
    for result in (counts, shift, adjudge.Undefined(label)):
        page = Page(result._repr_html_())
        assert set(page.tags) <= {"div", "em", "style", "p", "svg", "title", "desc", "g", "rect", "text", "line", "path", "circle",
                                  "table", "tbody", "thead", "tr", "td", "th"}  # fmt: skip
        assert not [name for name, _ in page.attributes if name.startswith("on")]


def test_every_result_type_is_made_here():
    for module in pkgutil.walk_packages(adjudge.__path__, "adjudge."):
        if "__main__" not in module.name:
            importlib.import_module(module.name)
    kinds, waiting = set(), [Shown]
    while waiting:
        waiting += (found := waiting.pop().__subclasses__())
        kinds |= set(found)
    here = {kind.__qualname__ for name in EVERY for kind in type(made(name)).__mro__}
    assert {kind.__qualname__ for kind in kinds if kind.__module__.startswith("adjudge")} <= here


def test_it_says_what_the_result_says():
    words = " ".join(Page(made("Evaluation")._repr_html_()).words)
    accuracy = made("Evaluation").estimates["accuracy"]
    assert f"{100 * accuracy.value:.1f}%" in words
    assert f"{100 * accuracy.interval.low:.1f}% to {100 * accuracy.interval.high:.1f}%" in words
    assert "p = 0.06543 (exact)" in " ".join(Page(made("McNemar")._repr_html_()).words)
    assert made("OperatingPoint").findings[0].code in made("OperatingPoint")._repr_html_()


@pytest.mark.slow
def test_every_kind_of_evaluation(kinds):
    for name, result in kinds.items():
        shown = result._repr_html_()
        Page(shown)
        assert len(shown) < LARGEST + 20_000, name


def test_an_undefined_number_says_why():
    assert adjudge.Undefined("<b>")._repr_html_() == "<div>nan <em>(undefined: &lt;b&gt;)</em></div>"
    assert told(adjudge.Undefined("no case")) == "undefined: no case"


def test_two_pictures_in_one_notebook_keep_apart():
    ids = [set(re.findall(r'id="([^"]+)"', made(name)._repr_html_())) for name in ("PairedT", "CorrectedT")]
    assert all(ids)
    assert not ids[0] & ids[1]


def test_long_tables_are_cut_and_counted():
    shown = made("Evaluation")._repr_html_()
    rows = len(made("Evaluation").estimates)
    assert shown.count("<tr>") == FEW_ROWS + 1
    assert f"And {rows - FEW_ROWS} more" in shown
    assert made("MeasureTable")._repr_html_().count("<tr>") == len(adjudge.measures()) + 1


@pytest.mark.slow
def test_large_results_stay_small():
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, 100_000), rng.random(100_000)
    assert len(adjudge.roc(truth, score, positive=1)._repr_html_()) < 40_000
    many = adjudge.ConfusionCounts(rng.integers(0, 9, (300, 300)))
    assert len(many._repr_html_()) < LARGEST + 20_000
    plan = adjudge.plan("10-fold", np.zeros((100_000, 1)), np.arange(100_000) % 2, random_state=0)
    assert len(plan._repr_html_()) < 20_000


def test_a_picture_too_large_is_named(monkeypatch):
    monkeypatch.setattr("adjudge.render.notebook.LARGEST", 100)
    shown = as_html(made("PairedT"))
    assert "<svg" not in shown
    assert "plot() draws it" in shown


READABLE = [
    "Interval", "Chance", "AccuracyPosteriors", "Priors", "PriorShift", "OperatingPoint", "McNemar", "DeLong", "FiveByTwo", "PairedT",
    "CorrectedT", "CorrelatedT", "ErrorDifference", "PartitionDifference", "Estimate", "ClassVerdict", "Finding",
    "SampleSize", "Gate",
]  # fmt: skip


@pytest.mark.parametrize("name", READABLE)
def test_results_are_readable_at_the_prompt(name):
    said = repr(made(name))
    assert not re.search(r"\w+\(\w+=", said)
    assert "np.float64" not in said
    assert "array(" not in said
    assert max(map(len, said.splitlines())) < 400


@pytest.mark.parametrize("make", [
    lambda label: adjudge.PriorShift([0.5, 0.5], [0.2, 0.8], (label, "b")),
    lambda label: adjudge.count_priors([label, "b", "b"], classes=[label, "b"]),
    lambda label: adjudge.operating_point([label, "b", "b", label], [0.9, 0.1, 0.2, 0.8], youden=True, positive=label),
    lambda label: adjudge.evaluate(adjudge.Predictions([label, "b"], [label, "b"])).by_class[0],
])  # fmt: skip
def test_no_label_takes_over_the_terminal(make):
    assert "\x1b" not in repr(make("a\x1b[2J"))


def test_anything_is_described():
    assert describe(3, whole=False).sentences == ("3",)
    assert describe(np.arange(3), whole=False).key is None


def test_no_number_of_cases_makes_sure():
    sure = adjudge.chance(adjudge.ConfusionCounts([[5000, 5], [8, 2000]]))
    assert sure.p_value_rate == 0  # the float, which no probability is
    for said in (repr(sure), " ".join(Page(sure._repr_html_()).words)):
        assert said.count("< 0.001") >= 3
        assert not re.search(r"= [01]\b(?![./])", said)


@pytest.mark.parametrize("name", EVERY)
def test_tables_speak_no_python(name):
    said = Page(shown_of(name)).words
    assert not [words for words in said if re.search(r"effective-wilson|\bmidp\b|\barray\(|0\.[1-9]\d{5}|p = \S+e-", words)]


def first(result):
    return describe(result, figure=False, whole=False).sentences[0]


def test_numbers_have_the_digits_that_their_limits_allow():
    limits = Interval(-0.01922, 0.21922, 0.95, "wilson")
    assert facts(first(Estimate("mine", 0.1, limits))) == ["0.10", "-0.02", "0.22", "95%"]
    assert "Wilson" in first(Estimate("mine", 0.1, limits))
    name = "0.123456, 1 to 2 (95%, x)"
    assert facts(first(Estimate("mine", 0.123456, of=name))) == [f"'{name}'", "0.1235"]
    assert facts(first(made("DeLong")))[-6:] == ["+0.46", "0.35", "0.57", "95%", "8.422", "< 0.001"]
    assert facts(first(made("PairedT")))[-6:] == ["+0.017", "0.001", "0.033", "95%", "2.429", "0.03807"]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 0.0, 1e-300, 1e300])
def test_any_number_has_words(value):
    assert first(Estimate("mine", value))
    assert first(Estimate("mine", value, Interval(value, value, 0.95, "midp")))
