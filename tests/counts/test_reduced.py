"""Counting where the rows live gives the tables that counting their blocks gives, in every engine."""

from __future__ import annotations

from dataclasses import fields

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss, roc_auc_score
from tests.engines import ENGINES, HERE, frame_of
from tests.sparing import some

import adjudge
from adjudge import InputError
from adjudge.counts.counting import count_confusion, tally
from adjudge.counts.scores import as_tables
from adjudge.counts.spread_scores import score_table
from adjudge.predictions.duplicates import answers_per_case
from adjudge.predictions.engines import LazySource
from adjudge.stats.ranking import coarsen, tabulate

N = 600
LABELS = np.array(["ant", "bee", "cow"])


@pytest.fixture(autouse=True)
def _large(monkeypatch):
    """Every lazy frame is too large to be fetched."""
    monkeypatch.setattr("adjudge.predictions.engines.MOST_FETCHED", 0)


def made(rng, n=N, **other):
    p = rng.dirichlet([1, 1, 1], n)
    truth = np.array([rng.choice(3, p=row) for row in p])
    columns = {f"p_{label}": p[:, i] for i, label in enumerate(LABELS)}
    return {"truth": LABELS[truth], "predicted": LABELS[p.argmax(1)], **columns, **other}


def same_tallies(got, expected):
    assert got.confusion.classes == expected.confusion.classes
    np.testing.assert_allclose(got.confusion.cells, expected.confusion.cells, rtol=1e-12)
    assert got.confusion.cells.dtype == expected.confusion.cells.dtype
    for name in ("rows", "scale", "positive", "gaps", "dropped", "families", "left_out", "unchecked_rows"):
        assert getattr(got, name) == getattr(expected, name), name
    assert got.weight_spread == pytest.approx(expected.weight_spread)
    for apart in ("by_fold", "by_group"):
        mine, theirs = getattr(got, apart), getattr(expected, apart)
        assert list(mine) == list(theirs)
        for label, counts in theirs.items():
            np.testing.assert_allclose(mine[label].cells, counts.cells, rtol=1e-12)
    same_scores(got.scores, expected.scores)
    same_sums(got.probabilities, expected.probabilities)


def same_scores(got, expected):
    assert (got is None) == (expected is None)
    if expected is None:
        return
    expected = as_tables(expected)
    assert got.columns == expected.columns
    for mine, theirs in zip(got.tables, expected.tables, strict=True):
        np.testing.assert_array_equal(mine.values, theirs.values)
        np.testing.assert_allclose(mine.positives, theirs.positives, rtol=1e-12)
        np.testing.assert_allclose(mine.negatives, theirs.negatives, rtol=1e-12)
        assert mine.positives.dtype == theirs.positives.dtype
        assert mine.bound == pytest.approx(theirs.bound)


def same_sums(got, expected):
    assert (got is None) == (expected is None)
    for field in fields(expected) if expected is not None else ():
        np.testing.assert_allclose(
            getattr(got, field.name), getattr(expected, field.name), rtol=1e-11, atol=1e-12, err_msg=field.name
        )


def both(engine, columns, **roles):
    """Return the tally of the rows where they live, and that of their blocks."""
    table = pa.table(columns)
    reduced = adjudge.read(frame_of(engine, table), **roles)
    assert isinstance(reduced.source, LazySource)
    return tally(reduced), tally(adjudge.read(table, **roles))


@pytest.mark.parametrize("engine", ENGINES)
class TestEveryEngine:
    def test_all_roles(self, engine):
        rng = np.random.default_rng(1)
        columns = made(rng, id=np.arange(N), fold=np.arange(N) % 4, site=LABELS[rng.integers(0, 3, N)], weight=rng.random(N))
        same_tallies(*both(engine, columns, group="site"))

    def test_decisions_follow_from_scores_and_missing_rows_go(self, engine):
        rng = np.random.default_rng(2)
        columns = made(rng)
        del columns["predicted"]
        for label in LABELS:
            columns[f"p_{label}"] = np.round(columns[f"p_{label}"], 1)  # ties
        columns["p_cow"] = 1 - columns["p_ant"] - columns["p_bee"]
        columns["p_bee"][3] = np.nan
        truth = columns["truth"].astype(object)
        truth[[5, 9]] = None
        same_tallies(*both(engine, {**columns, "truth": truth}, missing="drop", missing_scores="drop"))

    def test_whole_numbers_and_one_score(self, engine):
        rng = np.random.default_rng(3)
        score = np.round(rng.random(N), 3)
        truth = (rng.random(N) < score).astype(np.int64)
        got, expected = both(engine, {"y": truth, "score": score})
        same_tallies(got, expected)
        assert got.positive == 1

    def test_bins(self, engine, monkeypatch):
        rng = np.random.default_rng(4)
        columns = made(rng)
        monkeypatch.setattr("adjudge.counts.scores.DISTINCT", 20)
        monkeypatch.setattr("adjudge.counts.spread_scores.DISTINCT", 20)
        monkeypatch.setattr("adjudge.counts.scores.BITS", 16)
        monkeypatch.setattr("adjudge.counts.spread_scores.BITS", 16)
        got, expected = both(engine, columns)
        assert got.scores.bound(0) > 0
        same_tallies(got, expected)


@pytest.mark.parametrize("engine", some(HERE))
class TestReading:
    @pytest.mark.parametrize("scale", some(["percentages", "votes", "logits", "confidence", "scores"], 2))
    def test_scales(self, engine, scale):
        rng = np.random.default_rng(5)
        columns, roles = made(rng), {"scores": "p_*", "scores_are": scale}
        names = [f"p_{label}" for label in LABELS]
        if scale == "confidence":
            keep = np.isin(columns["truth"], LABELS[:2]) & np.isin(columns["predicted"], LABELS[:2])
            columns = {name: columns[name][keep] for name in ("truth", "predicted")}
            columns["sure"], roles["scores"] = 0.5 + np.round(rng.random(keep.sum()), 3) / 2, "sure"
        elif scale in ("votes", "percentages"):
            raw = np.array([rng.multinomial(100, [columns[name][i] for name in names]) for i in range(N)]).astype(float)
            columns |= {name: raw[:, i] for i, name in enumerate(names)}
        elif scale == "logits":
            columns |= {name: np.log(columns[name]) for name in names}
        else:
            columns |= {name: columns[name] * 7 - 3 for name in names}
        got, expected = both(engine, columns, **roles)
        if scale != "logits":
            return same_tallies(got, expected)
        # exp differs in the last digit between engines, so equal scores may part: areas and sums agree instead
        np.testing.assert_array_equal(got.confusion.cells, expected.confusion.cells)
        for i in range(3):
            assert got.scores.area(i) == pytest.approx(expected.scores.area(i), abs=1e-9)
        return same_sums(got.probabilities, expected.probabilities)

    def test_missing_scores_count_as_wrong_as_can_be(self, engine):
        rng = np.random.default_rng(6)
        columns = made(rng)
        columns["p_ant"][:20] = np.nan
        same_tallies(*both(engine, columns, missing_scores="worst"))

    def test_missing_labels_as_a_class_and_rejections(self, engine):
        rng = np.random.default_rng(7)
        truth, said = (LABELS[rng.integers(0, 3, N)].astype(object) for _ in range(2))
        truth[:7], said[10:40] = None, "none"
        same_tallies(*both(engine, {"truth": truth, "predicted": said}, missing="class", rejected="none"))

    def test_numbers_as_labels(self, engine):
        rng = np.random.default_rng(8)
        for kind in (np.int8, np.float64, bool):
            truth, said = (rng.integers(0, 2, N).astype(kind) for _ in range(2))
            same_tallies(*both(engine, {"truth": truth, "predicted": said}))

    def test_a_threshold(self, engine):
        rng = np.random.default_rng(9)
        score = np.round(rng.normal(size=N), 2)
        truth = LABELS[(rng.normal(size=N) + score > 0).astype(int)]
        roles = {"scores": "score", "scores_are": "scores", "threshold": 0.25, "positive": "bee"}
        same_tallies(*both(engine, {"truth": truth, "score": score}, **roles))

    def test_a_threshold_on_narrow_scores(self, engine):
        scores = np.array([0.2, 0.7] * 10, dtype=np.float32)
        roles = {"scores": "score", "scores_are": "probabilities", "threshold": 0.7, "positive": 1}
        got, expected = both(engine, {"truth": np.array([0, 1] * 10), "score": scores}, **roles)
        same_tallies(got, expected)
        assert got.confusion.cells.tolist() == [[10, 0], [0, 10]]

    def test_missing_numbers_as_a_class_of_their_own(self, engine):
        rng = np.random.default_rng(21)
        p = rng.dirichlet([1, 1, 1], N)
        truth = rng.integers(0, 3, N).astype(float)
        truth[4] = np.nan
        columns = {"truth": truth, **{f"p_{i}": p[:, i] for i in range(3)}}
        same_tallies(*both(engine, columns, missing="class", truth="truth", scores="p_*"))

    def test_a_score_next_to_nothing(self, engine):
        score = np.array([1e-17, 0.3, 1e-12, 0.9, 0.2])
        same_tallies(*both(engine, {"truth": np.array([1, 0, 1, 1, 0]), "score": score}))

    def test_gaps_in_vectors(self, engine):
        if engine == "pandas":
            pytest.skip("pandas has no vectors")
        p = np.random.default_rng(22).dirichlet([1, 1, 1], N).tolist()
        p[3], p[8] = [None, 0.5, 0.5], [0.5, 0.5, None]
        columns = {"truth": np.arange(N) % 3, "p": p}
        reduced = adjudge.read(frame_of(engine, pa.table(columns)), scores="p")
        with pytest.raises(InputError, match="column 'p' has 2 missing values"):
            tally(reduced)
        same_tallies(*both(engine, columns, scores="p", missing_scores="drop"))

    def test_vectors_of_several_lengths(self, engine):
        if engine == "pandas":
            pytest.skip("pandas has no vectors")
        p = [[0.2, 0.3, 0.5]] * 5000 + [[0.2, 0.3, 0.3, 0.2]]
        with pytest.raises(InputError, match="vectors of 3 to 4 numbers for 3 classes"):
            tally(adjudge.read(frame_of(engine, pa.table({"truth": np.arange(5001) % 3, "p": p})), scores="p"))

    def test_infinite_percentages(self, engine):
        columns = {"truth": np.arange(20) % 2, "score": np.where(np.arange(20) == 7, np.inf, 30.0)}
        roles = {"scores": "score", "scores_are": "percentages", "positive": 1, "truth": "truth"}
        with pytest.raises(InputError, match="above 1"):
            tally(adjudge.read(frame_of(engine, pa.table(columns)), **roles))

    def test_decisions_only(self, engine):
        columns = made(np.random.default_rng(10))
        got = count_confusion(adjudge.read(frame_of(engine, pa.table(columns))))
        np.testing.assert_array_equal(got.cells, confusion_matrix(columns["truth"], columns["predicted"]))

    def test_a_case_in_several_folds(self, engine):
        columns = made(np.random.default_rng(11), id=np.arange(N) % (N // 3), fold=np.arange(N) // (N // 3))
        predictions = adjudge.read(frame_of(engine, pa.table(columns)), row="id", fold="fold")
        assert answers_per_case(predictions) == 3
        same_tallies(*both(engine, columns, row="id", fold="fold"))


class TestPeers:
    def test_scikit_learn(self):
        rng = np.random.default_rng(12)
        columns = made(rng)
        p = np.column_stack([columns[f"p_{label}"] for label in LABELS])
        got = adjudge.evaluate(frame_of("duckdb", pa.table(columns)))
        expected = {"log_loss": log_loss(columns["truth"], p), "brier": brier_score_loss(columns["truth"], p)}
        expected["auc"] = roc_auc_score(columns["truth"], p, multi_class="ovr")
        assert {name: got.estimates[name].value for name in expected} == pytest.approx(expected, rel=1e-12)

    def test_the_page_of_a_frame(self):
        page = adjudge.evaluate(frame_of("polars", pa.table(made(np.random.default_rng(13))))).to_html()
        assert "Do the probabilities mean what they say?" in page
        assert "none was kept to try them on" in page


finite = st.floats(allow_nan=False, allow_infinity=False)
anything = st.one_of(finite, st.floats(0, 1), st.sampled_from([0.0, -0.0, np.inf, -np.inf, 5e-324, 1.7e308, 2.0**-1022]))


class TestBins:
    @settings(deadline=None, max_examples=30)
    @given(st.lists(st.tuples(anything, st.booleans()), min_size=1, max_size=60))
    def test_those_of_ranking(self, rows):
        import polars as pl

        scores, hit = (np.array(column) for column in zip(*rows, strict=True))
        frame = nw.from_native(pl.DataFrame({"s": scores, "hit": hit, "weight": np.ones(len(rows))}).lazy())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("adjudge.counts.spread_scores.DISTINCT", 0)
            got = score_table(frame, "s", 1, weighted=False)
        expected = coarsen(tabulate(scores, hit), 22)
        np.testing.assert_array_equal(got.values, expected.values)
        np.testing.assert_array_equal(got.positives, expected.positives)
        np.testing.assert_array_equal(got.negatives, expected.negatives)
        assert got.bound == expected.bound


class TestComplaints:
    @pytest.mark.parametrize(
        ("change", "roles", "said"),
        [
            ({"p_ant": lambda v: v + 2}, {"scores": "p_*", "scores_are": "probabilities"}, "above 1"),
            ({"p_ant": lambda v: v - 2}, {"scores": "p_*", "scores_are": "probabilities"}, "below 0"),
            ({"p_ant": lambda v: v / 2}, {"scores": "p_*", "scores_are": "probabilities"}, "sum to one but for"),
            ({"p_ant": lambda v: np.where(v > 0.9, np.nan, v)}, {"scores": "p_*"}, "missing value.*missing_scores="),
            ({"truth": lambda v: np.where(v == "cow", None, v)}, {}, "missing value.*missing=.drop"),
            ({"weight": lambda v: v - 0.5}, {"weight": "weight"}, "not numbers of at least 0"),
            ({"id": lambda v: v // 2}, {"row": "id"}, "names cases more than once: 300 rows"),
            ({}, {"classes": ["ant", "bee"]}, r"not among the classes 'ant', 'bee'\. List"),
            ({"weight": lambda v: v * 1e200}, {"weight": "weight"}, r"at most 1e\+100"),
            ({"weight": lambda v: v.astype(str)}, {"weight": "weight"}, "where numbers are needed"),
        ],
    )
    def test_what_is_wrong(self, change, roles, said):
        rng = np.random.default_rng(14)
        columns = made(rng, weight=rng.random(N), id=np.arange(N))
        columns |= {name: how(columns[name]) for name, how in change.items()}
        if "scores" not in roles:
            columns = {name: values for name, values in columns.items() if not name.startswith("p_")}
        with pytest.raises(InputError, match=said):
            tally(adjudge.read(frame_of("polars", pa.table(columns)), **roles))


def sets(rng, n=N):
    truth = LABELS[rng.integers(0, 3, n)]
    said = [np.where(rng.random(n) < share, truth, LABELS[rng.integers(0, 3, n)]) for share in (0.7, 0.5)]
    return [{"case": np.arange(n), "truth": truth, "predicted": each} for each in said]


@pytest.mark.parametrize("engine", ENGINES)
class TestPairs:
    def test_the_same_as_side_by_side(self, engine):
        rng = np.random.default_rng(15)
        a, b = sets(rng)
        keep = rng.permutation(N)[: N - 50]
        b = {name: values[keep] for name, values in b.items()}
        expected = adjudge.count_pairs(pa.table(a), pa.table(b), row="case")
        got = adjudge.count_pairs(*(frame_of(engine, pa.table(each)) for each in (a, b)), row="case")
        for name in ("truth", "said", "n"):
            np.testing.assert_array_equal(getattr(got.patterns, name), getattr(expected.patterns, name))
        assert got.to_dict() == expected.to_dict()


class TestComparing:
    def test_compare_and_rank(self):
        plain = [pa.table(each) for each in sets(np.random.default_rng(16))]
        frames = [frame_of("polars", each) for each in plain]
        assert adjudge.compare(*frames, row="case").to_dict() == adjudge.compare(*plain, row="case").to_dict()
        assert adjudge.rank(frames, row="case").to_dict() == adjudge.rank(plain, row="case").to_dict()

    def test_weights_and_folds(self):
        rng = np.random.default_rng(17)
        a, b = sets(rng)
        for each in (a, b):
            each |= {"case": np.arange(N) % 200, "fold": np.arange(N) // 200, "weight": np.arange(N) % 7 + 1.0}
        roles = {"row": "case", "fold": "fold", "weight": "weight"}
        expected = adjudge.count_pairs(pa.table(a), pa.table(b), **roles)
        got = adjudge.count_pairs(*(frame_of("polars", pa.table(each)) for each in (a, b)), **roles)
        assert got.to_dict() == expected.to_dict()
        assert got.cases == 200

    def test_frames_of_two_engines(self):
        a, b = (pa.table(each) for each in sets(np.random.default_rng(20)))
        with pytest.raises(InputError, match=r"cannot be joined.*the same engine"):
            adjudge.compare(frame_of("polars", a), frame_of("duckdb", b), row="case")

    def test_folds_that_differ_do_not_part_cases(self):
        rng = np.random.default_rng(23)
        a, b = sets(rng)
        a |= {"fold": rng.integers(0, 5, N)}
        b |= {"fold": rng.integers(0, 5, N).astype(float)}
        expected = adjudge.count_pairs(pa.table(a), pa.table(b), row="case", fold="fold")
        got = adjudge.count_pairs(*(frame_of("polars", pa.table(each)) for each in (a, b)), row="case", fold="fold")
        assert got.to_dict() == expected.to_dict()
        assert got.rows == N

    def test_cases_that_come_back_in_folds_without_a_name(self):
        rng = np.random.default_rng(24)
        a, b = sets(rng)
        fold = (np.arange(N) // 200).astype(object)
        fold[fold == 2] = None
        a |= {"case": np.arange(N) % 200, "fold": pa.array(fold, pa.int64())}
        b |= {"case": np.arange(N) % 200 * 1.0, "fold": pa.array(fold).cast(pa.float64())}
        roles = {"row": "case", "fold": "fold"}
        expected = adjudge.count_pairs(pa.table(a), pa.table(b), **roles)
        for engine in ("polars", "duckdb"):
            got = adjudge.count_pairs(*(frame_of(engine, pa.table(each)) for each in (a, b)), **roles)
            assert got.to_dict() == expected.to_dict()

    def test_a_case_that_comes_back_in_one_set_only(self):
        a, b = sets(np.random.default_rng(25))
        a |= {"case": np.arange(N) // 2, "fold": np.arange(N) % 2}
        with pytest.raises(InputError, match="names cases more than once"):
            adjudge.count_pairs(*(frame_of("polars", pa.table(each)) for each in (a, b)), row="case")

    def test_rows_made_one_are_fetched(self):
        a, b = ({**each, "case": np.arange(N) // 2} for each in sets(np.random.default_rng(26)))
        roles = {"row": "case", "duplicates": "first"}
        frames = [frame_of("polars", pa.table(each)) for each in (a, b)]
        assert adjudge.compare(*frames, **roles).to_dict() == adjudge.compare(pa.table(a), pa.table(b), **roles).to_dict()

    def test_complaints(self):
        a, b = sets(np.random.default_rng(18))
        frames = [frame_of("polars", pa.table(each)) for each in (a, b)]
        with pytest.raises(InputError, match="no column identifies"):
            adjudge.compare(*(frame.select("truth", "predicted") for frame in frames))
        other = frame_of("polars", pa.table({**b, "truth": np.roll(b["truth"], 1)}))
        with pytest.raises(InputError, match="disagree about the truth"):
            adjudge.compare(frames[0], other, row="case")
        with pytest.raises(InputError, match="no case in common"):
            adjudge.compare(frames[0], frame_of("polars", pa.table({**b, "case": b["case"] + N})), row="case")
        with pytest.raises(InputError, match="put all of them where the largest lives"):
            adjudge.compare(frames[0], pa.table(b), row="case")
        with pytest.raises(InputError, match="position pairs nothing"):
            adjudge.compare(*frames, by_position=True)


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers(engine):
    rng = np.random.default_rng(19)
    truth = rng.normal(size=N) * 3
    table = pa.table({"truth": truth, "predicted": truth + rng.normal(size=N), "weight": rng.random(N)})
    roles = {"truth": "truth", "predicted": "predicted", "weight": "weight"}
    expected, got = (adjudge.evaluate(each, **roles).to_dict() for each in (table, frame_of(engine, table)))
    for name, estimate in expected["estimates"].items():
        assert got["estimates"][name]["value"] == pytest.approx(estimate["value"], rel=1e-12)


def test_numbers_that_are_none():
    good = {"truth": [0.5, 1.25, 2.0], "predicted": [0.4, 1.0, 2.5], "weight": [1.0, 1.0, 1.0]}
    roles = {"truth": "truth", "predicted": "predicted", "weight": "weight"}
    for change, said in (
        ({"truth": [0.5, np.inf, 2.0]}, "not finite"),
        ({"predicted": [0.5, None, 2.0]}, "1 missing value; pass missing=.drop"),
        ({"weight": [0.5, -1.0, 2.0]}, "not a number of at least 0"),
        ({"weight": [0.0, 0.0, 0.0]}, "All weights are 0"),
    ):
        with pytest.raises(InputError, match=said):
            adjudge.evaluate(frame_of("polars", pa.table(good | change)), **roles)


@pytest.mark.parametrize("engine", [*some(HERE), *ENGINES[len(HERE) :]])
def test_corrections(engine):
    rng = np.random.default_rng(27)
    columns = made(rng)
    p, y = np.column_stack([columns[f"p_{label}"] for label in LABELS]), columns["truth"]
    frame = adjudge.read(frame_of(engine, pa.table(columns)))
    classes, old = LABELS.tolist(), [0.5, 0.3, 0.2]
    np.testing.assert_allclose(
        adjudge.fit_multipliers(frame).multipliers, adjudge.fit_multipliers(p, y, classes=classes).multipliers, rtol=1e-10
    )
    found = adjudge.estimate_priors(frame, old=old)
    np.testing.assert_allclose(found.priors, adjudge.estimate_priors(p, old=old).priors, rtol=1e-10)
    assert adjudge.risk_coverage(frame).area == pytest.approx(adjudge.risk_coverage(y, p, classes=classes).area, rel=1e-12)
    assert adjudge.reliability(frame).area == pytest.approx(adjudge.reliability(y, p, classes=classes).area, rel=1e-10)
