"""Sums of numeric predictions: the same bits for any order of rows, any parts, and any order in which these are added."""

import io
import json
import math
import zipfile
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.counts.made import cases, rows
from tests.described import mentions

from adjudge import InputError, Predictions, count, evaluate, load_counts, read
from adjudge._base.show import plain
from adjudge.counts import workers
from adjudge.counts.numbers import NumberCounts, NumberSums, add_numbers, count_numbers
from adjudge.predictions import file_sources, parquet_source
from adjudge.predictions.model import watched


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
    about = ("rae", "r2")  # what is about the mean of all
    kept = {name: plain(estimate) for name, estimate in whole.estimates.items() if name not in about}
    assert {name: plain(estimate) for name, estimate in total.estimates.items() if name not in about} == kept
    assert total.estimates["r2"].value == whole.estimates["r2"].value
    assert "mean of all" in total.estimates["rae"].reason
    np.testing.assert_array_equal(total.numbers.products[:2, :2], whole.numbers.products[:2, :2])
    assert total.numbers.products[3, 3] == whole.numbers.products[3, 3]


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
    stored, known = plain(evaluate(path).estimates), plain(evaluate(columns).estimates)
    assert "were not kept" in stored.pop("median_absolute_error")["value"]["reason"]  # which takes the residuals
    assert known.pop("median_absolute_error")["value"] > 0
    assert stored == known
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
    weightless = NumberCounts(5, 0.0, nan, 0.0, 0.0, nan, nan, sums=NumberSums(5))
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


@pytest.mark.parametrize("name", ["sums.npy", "below.npy", "beyond.npy"])
def test_damaged_sums_are_refused(tmp_path, name):
    path = count(measured(20, np.random.default_rng(12))).save(tmp_path / "a.counts")
    short = io.BytesIO()
    np.save(short, np.zeros(3))
    repacked(path, lambda each, data: short.getvalue() if each == name else data)
    with pytest.raises(InputError, match=r"sums .*not those of numbers"):
        load_counts(path)


# -- the same bits whatever the order --------------------------------------------------------------------------

VALUES = st.floats(-1e9, 1e9).map(lambda value: value if abs(value) > 1e-60 else 0.0)  # whose squares are no less than floats are
ROWS = st.lists(st.tuples(VALUES, VALUES, st.floats(1e-9, 1e9), st.integers(1, 2**40)), min_size=1, max_size=30)
EXACT = ("n", "weight", "mean", "absolute", "squared", "squared_of_mean", "weight_squares", "off")


def totals(counts):
    """Return every bit of some counts."""
    return repr([getattr(counts, name) for name in (*EXACT, "absolute_of_mean", "side")]), counts.products.tobytes()


def predicted(rows, weighing):
    truth, said, weight, times = (list(column) for column in zip(*rows, strict=True))
    return Predictions(truth, said, **{"weight": {"weight": weight}, "count": {"count": times}}.get(weighing, {}))


@settings(max_examples=60, deadline=None)
@given(ROWS, st.sampled_from(["", "weight", "count"]), st.randoms(use_true_random=False))
def test_any_order_and_any_parts_give_the_same_bits(rows, weighing, chance):
    whole = count_numbers(predicted(rows, weighing))
    shuffled = chance.sample(rows, len(rows))
    assert totals(count_numbers(predicted(shuffled, weighing))) == totals(whole)
    parts = [[] for _ in range(4)]
    for row in shuffled:
        chance.choice(parts).append(row)
    added = [count_numbers(predicted(part, weighing)) for part in parts if part]
    while len(added) > 1:  # in any tree
        chance.shuffle(added)
        added.append(add_numbers([added.pop(), added.pop()]))
    for name in EXACT:
        assert getattr(added[0], name) == getattr(whole, name), name
    np.testing.assert_array_equal(added[0].products[:2, :2], whole.products[:2, :2])
    assert added[0].absolute_of_mean == whole.absolute_of_mean or math.isnan(added[0].absolute_of_mean)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.sampled_from(["", "weight", "count"]))
def test_sums_are_rounded_once(rows, weighing):
    """By fractions: what a case adds is rounded as floats are, the sum of all cases once."""
    found = count_numbers(predicted(rows, weighing))
    y, f, w, n = zip(*rows, strict=True)
    weight = {"weight": w, "count": n}.get(weighing, [1] * len(rows))
    exact = [Fraction(each) for each in weight]

    def total(terms):
        if weighing == "weight":  # times a weight, rounded again
            return float(sum(Fraction(own * term) for own, term in zip(weight, terms, strict=True)))
        return float(sum(own * Fraction(term) for own, term in zip(exact, terms, strict=True)))

    errors = [abs(a - b) for a, b in zip(y, f, strict=True)]
    assert found.weight == float(sum(exact))
    assert found.mean == float(sum(own * Fraction(each) for own, each in zip(exact, y, strict=True)) / sum(exact))
    away = [each - found.mean for each in y]
    spread = sum(own * (Fraction(each) - Fraction(found.mean)) ** 2 for own, each in zip(exact, y, strict=True))
    assert found.squared_of_mean == float(spread)
    assert found.absolute == total(errors)
    assert found.squared == found.products[0, 0] == total([e * e for e in errors])
    assert found.absolute_of_mean == total([abs(d) for d in away])
    assert found.side == total([(d > 0) - (d < 0) for d in away])
    assert found.products[1, 1] == total([(e * e) * (e * e) for e in errors])
    assert found.products[0, 3] == total([e * d for e, d in zip(errors, away, strict=True)])
    assert found.products[2, 1] == total([(e * e) * abs(d) for e, d in zip(errors, away, strict=True)])
    assert found.products[2, 3] == total([abs(d) * d for d in away])


def test_cases_put_together_give_the_bits_of_the_rows_written_out():
    rng = np.random.default_rng(16)
    truth, times = rng.normal(1e6, 1, 50), rng.integers(1, 9, 50)
    said = truth + rng.normal(0, 1, 50)
    together = count_numbers(Predictions(truth, said, count=times))
    assert totals(together) == totals(count_numbers(Predictions(np.repeat(truth, times), np.repeat(said, times))))


def test_products_that_no_float_holds_are_infinite_in_any_order():
    truth, said = np.array([1e140, -1e140, 3.0, 1e140]), np.array([0.0, 0.0, 1.0, 1.0])
    one, other = (count_numbers(Predictions(truth[order], said[order])) for order in ([0, 1, 2, 3], [2, 1, 3, 0]))
    assert totals(one) == totals(other)
    assert one.products[1, 1] == one.products[0, 1] == np.inf
    assert np.isnan(one.products[1, 3])  # infinite on both sides of the mean
    assert one.squared == 3e280
    heavy = count_numbers(Predictions(truth, said, weight=np.full(4, 1e90)))
    assert heavy.squared == heavy.squared_of_mean == np.inf
    assert heavy.absolute == pytest.approx(3e230)


# -- parts of large files --------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch):
    """Take files of a few thousand rows for large ones."""
    for module, part in ((file_sources, 1 << 13), (parquet_source, 300)):
        monkeypatch.setattr(module, "PART", part)
        monkeypatch.setattr(module, "LARGE", 1)


@pytest.fixture
def asked(monkeypatch):
    """Return how many parts several workers did; here this process is all of them."""
    seen, done = [], workers.done

    def here(job, parts, n, told, then):
        assert n > 1
        answers = done(job, parts, 1, told, then)
        seen.append(len(parts))
        return answers

    monkeypatch.setattr(workers, "done", here)
    return seen


def written(path, n=3000, **other):
    rng = np.random.default_rng(17)
    truth = rng.normal(20, 5, n)
    table = pa.table(
        {"truth": truth, "predicted": truth + rng.normal(0, 1, n), "x1": rng.random(n), "x2": rng.integers(0, 5, n)} | other
    )
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=250)
    else:
        pa.csv.write_csv(table, path)
    return path


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("roles", [{}, {"weight": "x1"}, {"count": "x2"}], ids=str)
@pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
def test_parts_give_the_bits_of_one_pass(tmp_path, name, roles, asked):
    path = written(tmp_path / name)
    one, several = (count_numbers(read(path, truth="truth", predicted="predicted", n_jobs=n, **roles)) for n in (1, 2))
    assert len(asked) == 1
    assert asked[0] > 3
    assert totals(one) == totals(several)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
def test_rows_done_are_told_in_both_passes(tmp_path, name, n_jobs):
    heard = []
    count_numbers(watched(read(written(tmp_path / name), truth="truth", predicted="predicted", n_jobs=n_jobs), heard.append))
    assert heard[0] == 0
    assert heard[-1] == 3000
    drops = [i for i in range(1, len(heard)) if heard[i] < heard[i - 1]]
    assert len(drops) == 1  # a pass for the mean, and one about it
    assert heard[drops[0] - 1] == 3000


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
def test_files_of_a_folder_and_rows_left_out(tmp_path, name, asked):
    gone = np.arange(3000) % 7 == 0
    for i in range(2):
        truth = pa.array(np.random.default_rng(i).normal(size=3000), mask=gone | (np.arange(3000) < 600))  # a part has no case
        written(tmp_path / f"{i}{name}", truth=truth)
    one, several = (count_numbers(read(tmp_path, truth="truth", predicted="predicted", missing="drop", n_jobs=n)) for n in (1, 2))
    assert asked
    assert one.n == 2 * np.count_nonzero(~gone[600:])
    assert totals(one) == totals(several)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("cells", "roles"), [
    ({"predicted": np.where(np.arange(3000) == 2345, np.inf, 1.5)}, {}),
    ({"truth": pa.array(np.full(3000, 1.5), mask=np.arange(3000) == 2345)}, {}),
    ({name: pa.array(np.full(3000, 1.5), mask=np.arange(3000) % 2 == i) for i, name in enumerate(["truth", "predicted"])},
     {"missing": "drop"}),
    ({"x1": np.where(np.arange(3000) == 2345, -1.0, 1.5)}, {"weight": "x1"}),
    ({"x1": np.zeros(3000)}, {"weight": "x1"}),
    ({"x2": np.full(3000, 2**42)}, {"count": "x2"}),
])  # fmt: skip
@pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
def test_refusals_are_those_of_one_pass(tmp_path, name, cells, roles, asked):
    path, told = written(tmp_path / name, **cells), []
    asked.append("as many as there are")
    for n in (1, 2):
        predictions = read(path, truth="truth", predicted="predicted", n_jobs=n, **roles)
        with pytest.raises(InputError) as error:
            count_numbers(predictions)
        told.append(str(error.value))
    assert told[0] == told[1]
    assert "2,346" in told[0] or "weights are 0" in told[0] or "no rows left" in told[0] or "2^53" in told[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
@pytest.mark.usefixtures("small")
def test_any_number_of_processes_gives_the_same_bytes(tmp_path, name, monkeypatch):
    path, seen, done = written(tmp_path / name), [], workers.done
    monkeypatch.setattr(workers, "done", lambda *args: seen.append(args[2]) or done(*args))
    roles = {"truth": "truth", "predicted": "predicted", "weight": "x1"}
    told = [json.dumps(evaluate(path, n_jobs=n, **roles).to_dict()) for n in (1, 2, 3)]
    assert seen == [2, 3]
    assert len(set(told)) == 1
    assert len(json.loads(told[0])["origin"]["fingerprint"]) == 64
