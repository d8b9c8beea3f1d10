"""Pictures with matplotlib: on the axes and in the style of the user, and written the same each time."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from tests.described import mentions
from tests.plots.conftest import _closed_figures  # noqa: F401 - draws without a screen
from tests.results import HOSTILE, counts, made

import adjudge
from adjudge import InputError
from adjudge.verbs.plot import plot, save_plot


@pytest.mark.parametrize("name", ["Plan", "McNemar", "Rejection", "OperatingPoint", "CorrelatedT"])
def test_on_the_axes_of_the_user(name):
    ax = Figure(figsize=(5, 3)).subplots()
    assert made(name).plot(ax) is ax
    ax.figure.canvas.draw()


@pytest.mark.slow
def test_the_users_settings_are_theirs_and_change_nothing():
    def drawn():
        ax = adjudge.plot(made("McNemar"))
        ax.figure.canvas.draw()
        return np.asarray(ax.figure.canvas.buffer_rgba()).copy()

    usual = drawn()
    odd = {"font.size": 30.0, "axes.facecolor": "black", "axes.grid": True, "lines.linewidth": 9.0, "figure.figsize": [2.0, 9.0]}
    with mpl.rc_context(odd):
        assert (drawn() == usual).all()
        assert {name: mpl.rcParams[name] for name in odd} == odd


@pytest.mark.slow
def test_style_reaches_the_lines():
    ax = adjudge.plot(counts().binary(HOSTILE[0]), alpha=0.5)
    assert ax.images[0].get_alpha() == 0.5
    assert made("PairedT").plot(color="red").lines[-1].get_color() == "red"


@pytest.mark.parametrize(("name", "begins"), [("a.svg", b"<?xml"), ("A.PDF", b"%PDF"), ("a.png", b"\x89PNG")])
def test_a_file_has_the_same_bytes_each_time_and_no_date(name, begins, tmp_path):
    before = plt.get_fignums()
    one, other = (save_plot(made("McNemar"), tmp_path / f"{i}{name}").read_bytes() for i in range(2))
    assert one == other
    assert one.startswith(begins)
    assert b"Date" not in one
    assert plt.get_fignums() == before


def test_words_of_a_picture_stay_words(tmp_path):
    root = ET.parse(save_plot(made("McNemar"), str(tmp_path / "a.svg")))  # noqa: S314 - our own words
    told = {"".join(element.itertext()).strip() for element in root.iter("{http://www.w3.org/2000/svg}text")}
    words = {text.get_text() for text in plot(made("McNemar")).texts} - {""}
    assert words
    assert words <= told


def test_what_fails_leaves_no_file_and_no_figure(tmp_path):
    with pytest.raises(InputError, match=r"\.svg, \.pdf or \.png; .*'a\.gif'"):
        save_plot(made("McNemar"), tmp_path / "a.gif")
    with pytest.raises(InputError, match=r"no picture of object"):
        save_plot(object(), tmp_path / "a.svg")
    with pytest.raises(InputError, match="Cannot write"):
        save_plot(made("McNemar"), tmp_path / "no" / "a.svg")
    assert list(tmp_path.iterdir()) == []
    assert plt.get_fignums() == []


def test_kinds_are_for_evaluations():
    with pytest.raises(InputError) as refused:
        plot(made("McNemar"), kind="roc")
    assert mentions(str(refused.value), "McNemar has one picture", "kind='roc'")


def test_what_has_no_picture_is_drawn_as_its_key_numbers():
    ax = plot(made("ErrorRate"))
    assert ax.get_title(loc="left") == "ErrorRate"
    assert ax.texts
