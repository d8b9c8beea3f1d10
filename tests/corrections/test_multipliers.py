"""Corrections by multipliers as a user meets them: published facts, distributions, refusals and findings."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import ORACLES
from tests.described import facts, mentions, refused

import adjudge
from adjudge import load_correction, save_correction
from adjudge._base.errors import InputError
from adjudge.corrections.multipliers import ErrorCurve, error_curve, fit_multipliers

CASES = {case["id"]: case for case in json.loads((ORACLES / "cases.json").read_text(encoding="utf-8"))}
CLASSES = ("ei", "ie", "n")
TRAINING = Path(__file__).parent / "dna_training_votes.csv"
"""Leave-one-out votes of the 2,000 training cases behind the bundled predictions, counted: votes, class, cases."""
TEST = Path(adjudge.__file__).parent / "data" / "dna_knn11.csv"
P = [[0.7, 0.3], [0.4, 0.6], [0.6, 0.4], [0.2, 0.8]]
Y = [0, 1, 1, 1]


def case(name):
    given = CASES[name]
    return np.array(given["inputs"]["p"], dtype=float), np.array(given["inputs"]["labels"]), given["expected"]


def drawn(seed, k=3, n=30):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, 0.8), n)
    return p, np.where(rng.random(n) < 0.5, p.argmax(axis=1), rng.integers(0, k, n))


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def dna():
    """Return training votes with their weights, and the test cases."""
    training, test = rows_of(TRAINING), rows_of(TEST)
    votes = np.array([[float(row[name]) for name in CLASSES] for row in training])
    return {
        "p": votes / votes.sum(axis=1, keepdims=True),
        "y": [row["truth"] for row in training],
        "weight": np.array([float(row["cases"]) for row in training]),
        "test_p": np.array([[float(row[f"p_{name}"]) for name in CLASSES] for row in test]),
        "answered": np.array([row["predicted"] for row in test]),
        "test_y": np.array([row["truth"] for row in test]),
    }


def accuracy(found, dna):
    return float((found.predict(dna["test_p"]) == dna["test_y"]).mean())


def test_least_squares_on_splice_junctions(dna):
    # Duch and Itert (2003) have multipliers 1.0282 and 0.8785, and 85.7% before and 86.9% after on their test cases. Which way
    # equal votes of ei and ie go makes a difference before: to the one listed last in the bundled answers, to the first by us.
    found = fit_multipliers(dna["y"], dna["p"], classes=CLASSES, weight=dna["weight"], bounds=None)
    assert found.majority == 2
    assert found.multipliers == pytest.approx([1.0216, 0.8775], abs=5e-5)
    assert np.mean(dna["answered"] == dna["test_y"]) == pytest.approx(0.8575, abs=5e-5)
    p, plain = dna["test_p"], replace(found, multipliers=[1, 1])
    torn = (p[:, 0] == p[:, 1]) & (p[:, 0] > p[:, 2])
    assert (plain.predict(p) == np.where(torn, "ei", dna["answered"])).all()
    assert accuracy(found, dna) == pytest.approx(0.8744, abs=5e-5)
    assert found.errors_majority == 2000 - 1051
    assert found.loss < found.loss_before


@pytest.mark.slow
def test_fewest_errors_on_splice_junctions(dna):
    found = fit_multipliers(dna["y"], dna["p"], classes=CLASSES, weight=dna["weight"], goal="errors")
    grid = np.linspace(0.05, 2, 40)
    own = np.array([CLASSES.index(label) for label in dna["y"]])
    tried = [dna["weight"] @ ((dna["p"] * [a, b, 1 + 1e-12]).argmax(axis=1) != own) for a in grid for b in grid]
    assert found.errors <= min(tried)
    assert found.errors == 258
    assert accuracy(found, dna) > 0.87


@pytest.mark.parametrize("name", ["kappa-K2", "kappa-K3", "kappa-K3-underconf"])
def test_losses_are_those_of_the_formula(name):
    p, y, wanted = case(name)
    for bounds, key in (((0, 1), "box"), (None, "unconstrained")):
        found = fit_multipliers(y, p, bounds=bounds, majority=p.shape[1] - 1)
        assert found.multipliers == pytest.approx([float(k) for k in wanted[key]], rel=1e-11)
        assert found.loss == pytest.approx(float(wanted[f"E_{key}"]), rel=1e-11)
        assert found.loss_before == pytest.approx(float(wanted["E_kappa1"]), rel=1e-11)


@pytest.mark.parametrize("name", ["softmax-K2", "softmax-K3"])
def test_the_softmax_form_is_found_and_its_flattening_said(name):
    p, y, wanted = case(name)
    found = fit_multipliers(y, p, form="softmax")
    assert found.multipliers == pytest.approx([float(k) for k in wanted["kappa"]], rel=1e-7)
    assert found.loss == pytest.approx(float(wanted["E"]), rel=1e-11)
    assert found.loss > found.loss_before
    assert "A803" in [finding.code for finding in found.findings]
    freed = fit_multipliers(y, p, form="softmax", last_free=True)
    assert freed.multipliers.size == p.shape[1]
    assert freed.loss < found.loss


@pytest.mark.parametrize("name", ["kappa-perfect", "kappa-majority"])
def test_nothing_to_correct(name):
    p, y, wanted = case(name)
    found = fit_multipliers(y, p, bounds=None)
    assert found.multipliers.tolist() == [float(k) for k in wanted["unconstrained"]]
    assert (found.apply(p) == p).all()
    assert found.errors == found.errors_before
    assert found.findings == ()


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(2, 4), st.sampled_from(["linear", "softmax"]))
def test_fewest_errors_are_never_more_than_before_nor_than_the_majoritys(seed, k, form):
    p, y = drawn(seed, k)
    found = fit_multipliers(y, p, goal="errors", form=form)
    assert found.errors <= min(found.errors_before, found.errors_majority)
    assert found.errors == np.count_nonzero(found.predict(p) != y)
    assert found.errors_majority == y.size - np.bincount(y).max()


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_least_squares_in_the_box_are_never_worse_than_no_correction_nor_than_the_majority(seed, k):
    p, y = drawn(seed, k)
    found = fit_multipliers(y, p)
    alone = 2.0 * found.errors_majority
    assert found.loss <= min(found.loss_before, alone) + 1e-12 * y.size
    assert fit_multipliers(y, p, bounds=None).loss <= found.loss + 1e-12 * y.size


WAYS = [("linear", "squared"), ("linear", "errors"), ("softmax", "squared"), ("softmax", "errors"), ("iterated", "squared")]


@pytest.mark.slow
@pytest.mark.parametrize(("form", "goal"), WAYS)
@settings(max_examples=5)
@given(seed=st.integers(0, 10_000))
def test_applied_rows_sum_to_one_and_survive_a_file(tmp_path_factory, seed, form, goal):
    p, y = drawn(seed)
    found = fit_multipliers(y, p, form=form, goal=goal, bounds=None)
    applied = found.apply(p)
    assert (applied >= 0).all()
    assert applied.sum(axis=1) == pytest.approx(1, abs=1e-13)
    again = load_correction(save_correction(found, tmp_path_factory.mktemp("multipliers") / "fix.json"))
    assert (again.apply(p) == applied).all()
    assert again.to_dict() == found.to_dict()
    assert again.bounds == found.bounds
    assert again.findings == found.findings


@pytest.mark.slow
@given(st.integers(0, 10_000), st.booleans())
def test_the_curve_is_what_decisions_make(seed, given_positive):
    p, y = drawn(seed, 2)
    curve = error_curve(y, p, **({"positive": 0} if given_positive else {}))
    at = curve.positive
    for multipliers in [*np.exp(np.linspace(-6, 6, 50)), 1.0, 0.0]:
        decided = np.where(multipliers * p[:, at] > p[:, 1 - at], at, 1 - at)
        assert curve.at(multipliers) == np.count_nonzero(decided != y)
    assert curve.fewest == min(*curve.errors.tolist(), curve.errors_majority)
    assert curve.at(curve.best) == curve.fewest
    assert curve.errors_before == curve.at(1.0)
    if not given_positive:
        found = fit_multipliers(y, p, goal="errors")
        assert (found.errors, found.multipliers.tolist()) == (curve.fewest, [curve.best])


def test_the_curve_of_a_sure_classifier_begins_above_zero():
    curve = error_curve([1, 1, 1], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert (curve.best, curve.fewest, curve.errors_majority) == (0.0, 0, 0)
    assert curve.errors.tolist() == [2]
    assert facts(repr(curve).split("fewest")[1])[:2] == ["0", "0"]


def test_labels_and_columns_say_the_same():
    names = ["no", "yes"]
    by_column, by_label = fit_multipliers(Y, P), fit_multipliers([names[i] for i in Y], P, classes=names)
    assert by_label.multipliers.tolist() == by_column.multipliers.tolist()
    assert by_label.classes == ("no", "yes")
    assert by_label.predict(P).tolist() == [names[i] for i in by_column.predict(P)]
    mixed = fit_multipliers(np.array(["x", 1, 1, 1], dtype=object), P, classes=["x", 1])
    assert mixed.multipliers.tolist() == by_column.multipliers.tolist()
    assert mixed.predict([[1.0, 0.0], [0.0, 1.0]]).tolist() == ["x", 1]
    numbers = fit_multipliers(np.array([7, 3, 3, 3]), P, classes=np.array([7, 3]))
    assert numbers.classes == (7, 3)
    assert fit_multipliers((own for own in Y), P).multipliers.tolist() == by_column.multipliers.tolist()


def test_the_reference_class_is_the_heaviest_or_the_one_given():
    assert fit_multipliers([0, 0, 1, 1], P).majority == 0
    assert fit_multipliers(Y, P, weight=[9, 1, 1, 1]).majority == 0
    turned = fit_multipliers([1 - own for own in Y], np.array(P)[:, ::-1], majority=0)
    assert turned.multipliers.tolist() == fit_multipliers(Y, P, majority=1).multipliers.tolist()


def test_negative_probabilities_are_said():
    p, y, _ = case("kappa-K3-underconf")
    p = np.vstack([p, [[0.9, 0.1, 0.0]]])
    found = fit_multipliers(np.append(y, 0), p, bounds=None, majority=2)
    (finding,) = [f for f in found.findings if f.code == "A801"]
    assert finding.value == 1
    assert mentions(finding.message, "class 2", "1 case")
    assert (found.apply(p) >= 0).all()
    assert not fit_multipliers(np.append(y, 0), p, majority=2).findings


def test_no_least_value_is_said():
    p = [[0.5 + 1e-5, 0.5 - 1e-5], [0.5 - 1e-5, 0.5 + 1e-5]]
    assert "A802" in [f.code for f in fit_multipliers([0, 1], p, form="softmax", last_free=True).findings]


def test_more_errors_by_least_squares_are_said():
    p = np.array([[0.51, 0.49]] * 5 + [[0.9, 0.1]] * 4 + [[0.05, 0.95]] * 2 + [[0.49, 0.51]])
    y = np.array([0] * 5 + [0, 0, 1, 1] + [1, 1] + [1])
    found = fit_multipliers(y, p, majority=1)
    assert found.errors > found.errors_before
    assert "A804" in [f.code for f in found.findings]
    assert fit_multipliers(y, p, majority=1, goal="errors").findings == ()


def test_results_are_sealed_and_readable():
    found = fit_multipliers(Y, P)
    with pytest.raises(ValueError, match="read-only"):
        found.multipliers[0] = 2
    with pytest.raises(ValueError, match="read-only"):
        error_curve(Y, P).errors[0] = 2
    assert facts(repr(found)) == ["0.6667", "1", "1", "1", "1"]
    assert mentions(repr(found), "linear", "squared")
    assert isinstance(error_curve(Y, P), ErrorCurve)
    assert isinstance(found.errors, int)


def test_rows_nearly_summing_to_one_are_divided_by_their_sum():
    rounded = [[0.333, 0.6665], [0.8, 0.2], [0.1, 0.9]]
    exact = np.array(rounded) / np.sum(rounded, axis=1, keepdims=True)
    assert fit_multipliers([0, 0, 1], rounded).multipliers == pytest.approx(
        fit_multipliers([0, 0, 1], exact).multipliers, rel=1e-12
    )
    assert fit_multipliers([0, 1], [[1 + 1e-12, -1e-12], [0.4, 0.6]]).apply([[1.0, 0.0]]).min() >= 0


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"p": [[0.7, 0.3], [0.4, 0.6]]}, r"each of 2 rows of p; got shape \(4,\)"),
        ({"p": [0.7, 0.4, 1.6, 0.2]}, "between 0 and 1; got 0.2 to 1.6"),
        ({"p": [0.7, 0.4, 0.6, 0.2], "y_true": [0, 1, 2, 1]}, "goes with two classes; y_true has 0, 1, 2"),
        ({"p": [0.7, 0.4, 0.6, 0.2], "y_true": ["a", "b", "b", "a"]}, "which class is positive"),
        ({"p": Y, "y_true": P}, "y_true has 2 columns and p one: the true classes come first"),
        ({"p": None}, "p is needed beside y_true"),
        ({"p": np.empty((0, 2)), "y_true": []}, r"got shape \(0, 2\)"),
        ({"p": [["a", "b"]] * 4}, "p must hold numbers"),
        ({"p": [[0.7, 0.3], [1.2, -0.2], [0.6, 0.4], [0.2, 0.8]]}, r"p\[1, 1\] is -0\.2"),
        ({"p": [[0.7, 0.3], [np.nan, 0.6], [0.6, 0.4], [0.2, 0.8]]}, r"p\[1, 0\] is nan"),
        ({"p": [[0.7, 0.3], [np.inf, 0.6], [0.6, 0.4], [0.2, 0.8]]}, r"p\[1\] sums to inf"),
        ({"p": [[7, 3], [4, 6], [6, 4], [2, 8]]}, r"p\[0\] sums to 10, not to 1\. Divide"),
        ({"y_true": [0, 1, 2, 1]}, "y_true has 2, but the columns of p are 0, 1"),
        ({"y_true": [0, -1, 1, 1]}, "y_true has -1"),
        ({"y_true": [0.0, 1.0, 1.0, 0.5]}, r"whole numbers from 0 to 1; got float64\. Labels need classes"),
        ({"y_true": ["a", "b", "b", "b"]}, "Labels need classes"),
        ({"y_true": ["a", "b", "c", "c"], "classes": ["a", "b"]}, "y_true has 'c', but the columns of p are 'a', 'b'"),
        ({"classes": ["a"]}, "each of the 2 columns of p once; got 'a'"),
        ({"classes": ["a", "a"]}, "once; got 'a', 'a'"),
        ({"majority": 2}, "from 0 to 1; got 2"),
        ({"majority": "yes"}, "got 'yes'"),
        ({"weight": [1, 2]}, "one weight per case"),
        ({"weight": [1, -2, 1, 1]}, "not negative, got -2"),
        ({"weight": [0, 0, 0, 0]}, "All weights are 0"),
        ({"form": "cubic"}, "form must be one of 'linear', 'softmax', 'iterated', got 'cubic'"),
        ({"goal": "best"}, "goal must be one of 'squared', 'errors', got 'best'"),
        ({"last_free": True}, "last_free belongs to least squares of the softmax form"),
        ({"form": "iterated", "goal": "errors"}, 'Use form="softmax"'),
        ({"bounds": (1, 0)}, r"0 <= low < high, or None; got \(1, 0\)"),
        ({"bounds": 3}, "got 3"),
        ({"bounds": "tight"}, "got 'tight'"),
    ],
)
def test_refusals_say_what_came_and_what_to_do(how, told):
    with pytest.raises(InputError, match=told):
        fit_multipliers(**{"p": P, "y_true": Y, **how})


@pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
@pytest.mark.parametrize(
    ("labels", "positive"), [([0, 1], None), ([-1, 1], None), (["well", "ill"], "ill"), (["ill", "well"], "ill")]
)
def test_one_probability_per_case_is_that_of_the_positive_class(labels, positive, shape):
    rng = np.random.default_rng(5)
    y, score = rng.random(80) < 0.3, rng.random(80)
    truth = np.where(y, positive or 1, next(label for label in labels if label != (positive or 1)))
    by_class = np.column_stack([score if label == (positive or 1) else 1 - score for label in sorted(labels)])
    wanted = fit_multipliers(truth, by_class, classes=sorted(labels))
    found = fit_multipliers(truth, score.reshape(shape), positive=positive)
    assert (found.classes, found.multipliers.tolist()) == (wanted.classes, wanted.multipliers.tolist())
    curve = error_curve(truth, score.reshape(shape), positive=positive or 1)
    assert curve.errors.tolist() == error_curve(truth, by_class, classes=sorted(labels), positive=positive or 1).errors.tolist()


def test_the_curve_and_the_fitted_correction_refuse_other_widths():
    with pytest.raises(InputError, match="needs two classes, got 3"):
        error_curve(*drawn(1)[::-1])
    with refused("positive", "one of 0, 1", "got 5"):
        error_curve(Y, P, positive=5)
    with pytest.raises(InputError, match="name the same class"):
        error_curve(Y, P, positive=1, majority=1)
    with pytest.raises(InputError, match="must not be negative, got -1"):
        error_curve(Y, P).at(-1)
    with pytest.raises(InputError, match=r"3 columns.*fitted to 2 classes"):
        fit_multipliers(Y, P).apply([[0.2, 0.3, 0.5]])
