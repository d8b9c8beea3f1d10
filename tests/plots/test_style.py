import pytest

from adjudge.plots.style import DARK, LEVELS, LIGHT, contrast, css, mixed, shade, text_on

PALETTES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


def test_contrast_of_black_and_white():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(
        1.05 / (((0x77 / 255 + 0.055) / 1.055) ** 2.4 + 0.05)
    )  # WCAG's formula for a grey


def test_mixing():
    assert mixed("#ffffff", "#000000", 0) == "#ffffff"
    assert mixed("#ffffff", "#102030", 1) == "#102030"


@PALETTES
def test_words_can_be_read(palette):
    for paper in (palette.paper, palette.desk):
        assert contrast(palette.ink, paper) >= 7
        assert contrast(palette.muted, paper) >= 4.5


@PALETTES
def test_lines_can_be_seen(palette):
    assert min(contrast(colour, palette.paper) for colour in (*palette.lines, palette.axis)) >= 3


@PALETTES
@pytest.mark.parametrize("kind", ["right", "wrong", "undecided"])
def test_words_in_cells_can_be_read(palette, kind):
    colours = [shade(palette, kind, level) for level in range(LEVELS + 1)]
    assert len(set(colours)) == LEVELS + 1
    assert min(contrast(text_on(colour), colour) for colour in colours) >= 4.5


def test_css_loads_nothing():
    assert "url" not in css()
    assert "@import" not in css()
    assert css().count("{") == css().count("}")
