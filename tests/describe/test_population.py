"""What a population says in words, tables and on its page."""

import pytest

import adjudge
from adjudge.describe import describe


@pytest.fixture(scope="module")
def result():
    return adjudge.population(
        correct=[82, 75, 92, 85, 88], cases=[100] * 5, measure="accuracy", names=["<b>", "b", "c", "d", "e"]
    )


def test_words_tell_ours_and_the_published_numbers(result):
    words = " ".join(result.in_words().split())
    assert "Accuracy of the typical subject: 81.3%, 95% interval 65.2% to 90.2% (5 subjects)." in words
    assert "infraliminal probability (at 50% or below) 0.0030" in words
    assert "82.0%, 95% interval 72.0% to 89.6%, infraliminal probability 2.76e-07" in words
    assert "population mean: accuracy 0.812725" in repr(result)


def test_tables_and_page(result):
    document = describe(result)
    assert [row[0] for row in document.tables[0].rows] == ["b", "<b>", "d", "e", "c"]
    assert document.key.rows[-2][1:] == ("82.0%", "72.0% to 89.6%")
    page = result.to_html()
    assert "How good is it for the population?" in page
    assert "Gamma(1, 1)" in page
    assert "half-Cauchy" not in page
    assert "independent of the others" not in page
    assert "<b>" not in page.split("<main", 1)[-1]
    assert "# How good is it for the population?" in result.to_markdown()


def test_parts_speak_for_themselves(result):
    assert "b: 75.8%" in result.subjects[0].in_words()
    assert "82.0%" in result.variational.in_words()
    rows = result.to_frame("pyarrow").to_pylist()
    assert len(rows) >= 1
