"""Sums of numeric predictions: parts add up to the whole."""

import io
import zipfile
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.counts.made import cases, close, rows
from tests.described import mentions

from adjudge import InputError, count, evaluate, load_counts
from adjudge._base.show import plain
from adjudge.counts.numbers import NumberCounts, add_numbers


@pytest.fixture
def kept(tmp_path):
    columns = cases(300, np.random.default_rng(3))
    return count(columns, group="site", fold="fold"), tmp_path / "a.counts"


def repacked(path, change):
    held = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(held, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    path.write_bytes(held.getvalue())


def measured(n, rng, *, weights=False):
    truth = rng.normal(rng.normal(0, 5), 2, n)
    found = {"truth": truth, "predicted": truth + rng.normal(0, 1, n)}
    return found | ({"weight": rng.integers(1, 5, n) / 2} if weights else {})


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.booleans())
def test_sums_of_numbers_add_up(seed, parts, weights):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 100))
    columns = measured(n, rng, weights=weights)
    which = rng.integers(0, parts, n)
    which[:parts] = np.arange(parts)
    whole, total = evaluate(columns), evaluate(sum(count(rows(columns, which == i)) for i in range(parts)))
    kept = {name: plain(estimate) for name, estimate in whole.estimates.items() if name != "rae"}
    close({name: plain(estimate) for name, estimate in total.estimates.items() if name != "rae"}, kept)
    assert "mean of all" in total.estimates["rae"].reason
    known = np.ix_([0, 1, 3], [0, 1, 3])
    np.testing.assert_allclose(total.numbers.products[known], whole.numbers.products[known], rtol=1e-9, atol=1e-9)


def test_sums_of_numbers_against_scikit_learn(tmp_path):
    from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

    columns = measured(200, np.random.default_rng(8))
    half = np.arange(200) < 120
    paths = [count(rows(columns, each)).save(tmp_path / f"{i}.counts") for i, each in enumerate((half, ~half))]
    found = evaluate(load_counts(*paths)).estimates
    args = columns["truth"], columns["predicted"]
    assert found["mae"].value == pytest.approx(mean_absolute_error(*args), rel=1e-12)
    assert found["mse"].value == pytest.approx(mean_squared_error(*args), rel=1e-12)
    assert 1 - found["rse"].value == pytest.approx(r2_score(*args), rel=1e-9)


def test_one_file_of_numbers_keeps_every_digit(tmp_path):
    columns = measured(150, np.random.default_rng(9), weights=True)
    found = count(columns)
    path = found.save(tmp_path / "a.counts")
    again = load_counts(path)
    assert plain(evaluate(path).estimates) == plain(evaluate(columns).estimates)
    assert again.to_dict() == found.to_dict()
    assert again.save(tmp_path / "b.counts").read_bytes() == path.read_bytes()
    assert mentions(repr(again), "150 rows", "numbers")
    assert "numbers" not in again.classes


def test_parts_with_the_same_mean_lose_nothing():
    columns = {"truth": [1.5, 2.5, 0.5, 3.5], "predicted": [1.0, 2.0, 1.0, 3.0]}
    total = sum(count(rows(columns, each)) for each in ([0, 1], [2, 3]))
    assert evaluate(total).estimates["rae"].value == evaluate(columns).estimates["rae"].value


def test_numbers_that_all_weigh_nothing_are_refused():
    columns = measured(20, np.random.default_rng(13)) | {"weight": np.zeros(20)}
    for judge in (count, evaluate):
        with pytest.raises(InputError, match=r"All weights are 0"):
            judge(columns)


def test_a_part_without_weight_adds_nothing_but_its_cases():
    rng = np.random.default_rng(14)
    parts = [count(measured(n, rng, weights=True)).tally for n in (30, 40)]
    nan = float("nan")
    weightless = NumberCounts(5, 0.0, nan, 0.0, 0.0, nan, nan)
    known, more = add_numbers(parts), add_numbers([parts[0], weightless, parts[1]])
    assert more.n == known.n + 5
    assert (more.mean, more.squared_of_mean) == (known.mean, known.squared_of_mean)
    with pytest.raises(InputError, match="All weights are 0"):
        add_numbers([weightless, weightless])


@pytest.mark.parametrize("offset", [0.0, 1.7e12])
def test_squares_of_parts_survive_a_large_offset(tmp_path, offset):
    """Milliseconds since 1970 differ by little beside their size, and the means of parts are rounded as they are."""
    rng = np.random.default_rng(15)
    truth = offset + rng.normal(0, 1, 999) + np.repeat([0, 3, 9], 333)
    columns = {"truth": truth, "predicted": truth + rng.normal(0, 1, 999)}
    which = np.repeat([0, 1, 2], 333)
    paths = [count(rows(columns, which == i)).save(tmp_path / f"{i}.counts") for i in range(3)]
    whole = [Fraction(value) for value in truth]
    by_steps = load_counts(paths[0]) + (load_counts(paths[1]) + load_counts(paths[2]))
    for total in (load_counts(*paths).tally, by_steps.tally):
        assert abs(Fraction(total.mean) - sum(whole) / 999) <= np.spacing(total.mean)
        spread = sum((value - Fraction(total.mean)) ** 2 for value in whole)
        assert total.squared_of_mean == pytest.approx(float(spread), rel=1e-12)
        assert total.products[3, 3] == pytest.approx(float(spread), rel=1e-12)


def test_numbers_and_classes_do_not_add_up():
    numbers = count(measured(20, np.random.default_rng(10)))
    with pytest.raises(InputError, match=r"One part .*numbers, another classes"):
        numbers + count({"truth": ["a", "b"], "predicted": ["a", "b"]})


def test_added_numbers_have_a_page_and_a_picture():
    rng = np.random.default_rng(11)
    total = count(measured(30, rng)) + count(measured(40, rng))
    assert evaluate(total).estimates["rae"].reason in evaluate(total).to_html()
    assert evaluate(total).in_words()
    assert total.plot() is not None
    assert "Counts of 70 rows" in total._repr_html_()


@pytest.mark.parametrize("name", ["sums.npy", "products.npy"])
def test_damaged_sums_are_refused(tmp_path, name):
    path = count(measured(20, np.random.default_rng(12))).save(tmp_path / "a.counts")
    short = io.BytesIO()
    np.save(short, np.zeros(3))
    repacked(path, lambda each, data: short.getvalue() if each == name else data)
    with pytest.raises(InputError, match=r"sums .*not those of numbers"):
        load_counts(path)
