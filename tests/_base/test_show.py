"""What every public result can do for a reader: one walk over all of them; and how results become plain data."""

from __future__ import annotations

import json
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from tests.hostile import unseen
from tests.results import EVERY, MARKUP, OTHERS, made

import adjudge
from adjudge._base.show import Shown, plain
from adjudge._base.undefined import Undefined

INPUTS = {"Predictions": adjudge.Predictions, "Undefined": adjudge.Undefined}
"""What is no result: what goes in, and a number that has no value."""
WORDS = ("Roles", "Finding", "FlakyCase")
"""Results that hold words, and numbers only now and then."""
PARTS = {name for name in OTHERS if name not in ("MeasureTable", "PairCounts", "Selected", "Fitted")}
"""What is held by the results that verbs return."""
RESULTS = [name for name in EVERY if name not in INPUTS]
TRIVIAL = (0, 1, 0.95)
"""Numbers that are in almost every result: a level, none, one."""
WITHOUT_OTHERS = ("Measure", "ClassMeasure", "OtherMeasure", "DataFacts")
"""Results that hold no others, such as the range of a measure."""


def kinds(base=Shown):
    """Yield the names of all types of results that are loaded."""
    for kind in base.__subclasses__():
        yield kind.__name__
        yield from kinds(kind)


def raw(text):
    """Return what in a text is code: results with their fields, addresses of objects."""
    return re.findall(rf"\b(?:{'|'.join(kinds())})\(\w+=|0x[0-9a-f]{{6}}|<function", text)


def numbers(value, trivial):
    """Return the numbers of nested lists, mappings and columns, as they are, but for the trivial ones."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return {number for each in value for number in numbers(each, trivial)}
    counts = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value not in trivial
    return {value} if counts else set()


class Body(HTMLParser):
    """The words that a page or a notebook shows, without styles, scripts and pictures."""

    def __init__(self, html):
        super().__init__()
        self.hidden, self.words = 0, []
        self.feed(html)

    def handle_starttag(self, tag, _):
        self.hidden += tag in ("style", "script", "svg", "head")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("style", "script", "svg", "head")

    def handle_data(self, data):
        if not self.hidden:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def test_inputs_are_no_results():
    """Predictions are read, not judged; an undefined number is a float with a reason."""
    for name, kind in INPUTS.items():
        assert isinstance(made(name), kind)
        assert not isinstance(made(name), Shown)


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_words_a_page_a_notebook_numbers_and_a_frame(name):
    result = made(name)
    assert isinstance(result, Shown)
    told, words = result.to_dict(), result.in_words()
    told = [json.loads(json.dumps(told, allow_nan=False)), plain(getattr(result, "losses", {}))]
    trivial = () if name in WITHOUT_OTHERS else TRIVIAL
    known = numbers(told, trivial)
    assert known or name in WORDS
    for text in (str(result), words):
        assert text.strip()
        assert not raw(text)
        assert name in WORDS or re.search(r"\d", text)
    page, notebook = result.to_html(), result._repr_html_()
    assert page.casefold().startswith("<!doctype html>")
    for html in (page, notebook):
        body = Body(html).text
        assert len(body) > 20
        assert not raw(body)
        assert name in WORDS or re.search(r"\d", body)
        assert not any(label in html for label in MARKUP)
    for text in (str(result), words, page, notebook, result.to_markdown()):
        assert not unseen(text)
    frame = result.to_frame("polars")
    assert frame.height >= 1
    cells = frame.to_dict(as_series=False)
    assert numbers(cells, trivial) & known or name in WORDS, (cells, sorted(known)[:20])
    assert not raw(" ".join(str(cell) for column in cells.values() for cell in column))


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in PARTS)) for name in RESULTS])
def test_every_result_is_plotted(name):
    ax = made(name).plot()
    assert isinstance(ax, Axes)
    ax.figure.canvas.draw()
    pixels = np.asarray(ax.figure.canvas.buffer_rgba())[..., :3]
    assert (pixels.min(axis=2) < 200).mean() > 0.001  # words and lines, on white
    assert not any(raw(text.get_text()) for text in ax.figure.findobj(plt.Text))
    plt.close(ax.figure)


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
        max_leaves=20,
    )
)
def test_everything_becomes_strict_json(value):
    json.dumps(plain(value), allow_nan=False)


def test_arrays_and_undefined_numbers_become_plain():
    assert plain({"a": np.array([1.0, np.nan, np.inf]), "u": Undefined("why")}) == {
        "a": [1.0, None, "inf"],
        "u": {"value": None, "reason": "why"},
    }


def test_a_title_stands_in_the_place_of_the_own_one(tmp_path):
    table = adjudge.ConfusionCounts([[40, 5], [8, 2]], ("no", "yes"))
    assert table.to_markdown(title=" Mine ").startswith("# Mine\n")
    assert "<h1>Mine</h1>" in table.to_html(title="Mine")
    assert table.save(tmp_path / "a.html", title="Mine").read_text(encoding="utf-8") == table.to_html(title="Mine")
    assert table.to_html(title=None) == table.to_html() != table.to_html(title="Mine")
    for nothing in ("", " \n", 3):
        with pytest.raises(adjudge.InputError, match="title must be a text that is not empty"):
            table.to_html(title=nothing)
