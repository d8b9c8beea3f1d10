"""Which column plays which part: the layouts people have, the rules, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given as over
from hypothesis import settings
from hypothesis import strategies as st
from tests.described import facts, mentions

from adjudge._base.errors import DoubtfulRolesError, InputError
from adjudge.cli import main
from adjudge.cli.wording import flags as flags_of
from adjudge.predictions.columns import Column
from adjudge.predictions.finding.find import find_roles
from adjudge.predictions.roles import Roles

N = 60
Table = dict[str, Any]


def column(name: str, values: Any) -> Column:
    if isinstance(values, tuple):  # kind, values
        kind, held = values
        return Column(name, kind, np.asarray(held, dtype=object if kind in ("text", "category") else np.float64))
    array = np.asarray(values)
    if array.ndim == 2:
        return Column(name, "vector", array.astype(float))
    kind = {"b": "bool", "i": "int", "f": "float"}.get(array.dtype.kind, "text")
    return Column(name, kind, array.astype(object if kind == "text" else float))


def found(table: Table, order: Sequence[str] | None = None, **given: Any) -> Roles:
    return find_roles([column(name, table[name]) for name in order or table], given)


class Model:
    """Truth, probabilities, and their argmax: a model that is right most of the time."""

    def __init__(self, classes: Sequence[Any], seed: int = 0, n: int = N, decimals: int | None = None) -> None:
        rng = np.random.default_rng(seed)
        k = len(classes)
        self.classes = list(classes)
        y = np.arange(n) % k
        rng.shuffle(y)
        logits = rng.normal(size=(n, k)) + 1.5 * np.eye(k)[y]
        p = np.exp(logits)
        self.logits, self.rng = logits, rng
        self.p = p / p.sum(axis=1, keepdims=True)
        labels = np.array(self.classes)
        self.truth, self.decision = labels[y], labels[self.p.argmax(axis=1)]
        self.p = self.p if decimals is None else self.p.round(decimals)
        assert (self.truth != self.decision).any()

    def scores(self, template: str, values: np.ndarray | None = None) -> Table:
        held = self.p if values is None else values
        return {template.replace("*", str(name)): held[:, i] for i, name in enumerate(self.classes)}

    def pairs(self, template: str) -> set[tuple[Any, str]]:
        return {(name, template.replace("*", str(name))) for name in self.classes}

    def features(self) -> Table:
        return {
            "age": self.rng.integers(20, 80, len(self.truth)),
            "sex": self.rng.choice(["f", "m"], len(self.truth)),
            "income": self.rng.gamma(2.0, 1000.0, len(self.truth)),
        }


ABC, YESNO, ZERO_ONE = Model(["a", "b", "c"]), Model(["no", "yes"], 1), Model([0, 1], 2)
FOLDS = [f"Fold{i % 5 + 1:02d}" for i in range(N)]
SPECIES = Model(["setosa", "versicolor", "virginica"], 3)
BOOLS = Model([False, True], 4)
FLOATS = Model([0.0, 1.0], 5)
IDS = np.arange(N)
SIDE: dict[str, Any] = {"row": None, "fold": None, "group": None, "weight": None}


def block(m: Model, template: str, **side: Any) -> dict[str, Any]:
    return {"scores": m.pairs(template), "scale": "probabilities", **SIDE, **side}


LAYOUTS: dict[str, tuple[Table, dict[str, Any]]] = {
    "scikit-learn": (
        {"y_true": ABC.truth, "y_pred": ABC.decision, **ABC.scores("proba_*")},
        {"truth": "y_true", "predicted": "y_pred", **block(ABC, "proba_*")},
    ),
    "scikit-learn, one score": (
        {"y_true": ZERO_ONE.truth, "y_score": ZERO_ONE.p[:, 1]},
        {"truth": "y_true", "predicted": None, "scores": {(None, "y_score")}, "scale": "probabilities"},
    ),
    "scikit-learn, decision function": (
        {"y_true": YESNO.truth, "y_pred": YESNO.decision, "y_score": YESNO.logits[:, 1] - YESNO.logits[:, 0]},
        {"truth": "y_true", "predicted": "y_pred", "scores": {(None, "y_score")}, "scale": "scores"},
    ),
    "AutoGluon": (
        {**SPECIES.scores("*"), "label": SPECIES.truth},
        {"truth": "label", "predicted": None, **block(SPECIES, "*")},
    ),
    "mlr3": (
        {"row_ids": IDS, "truth": ABC.truth, "response": ABC.decision, **ABC.scores("prob.*")},
        {"truth": "truth", "predicted": "response", **block(ABC, "prob.*", row="row_ids")},
    ),
    "tidymodels": (
        {
            "id": FOLDS,
            ".pred_class": SPECIES.decision,
            **SPECIES.scores(".pred_*"),
            ".row": IDS,
            "Species": SPECIES.truth,
            ".config": ["pre0_mod0_post0"] * N,
        },
        {"truth": "Species", "predicted": ".pred_class", **block(SPECIES, ".pred_*", row=".row", fold="id")},
    ),
    "caret": (
        {"pred": ABC.decision, "obs": ABC.truth, **ABC.scores("*"), "rowIndex": IDS, "Resample": FOLDS},
        {"truth": "obs", "predicted": "pred", **block(ABC, "*", row="rowIndex", fold="Resample")},
    ),
    "yardstick's hpc_cv": (
        {"pred": ABC.decision, **ABC.scores("*"), "Resample": FOLDS, "class": ABC.truth},
        {"truth": "class", "predicted": "pred", **block(ABC, "*", fold="Resample")},
    ),
    "yardstick's two_class_example": (
        {**YESNO.scores("*"), "predicted": YESNO.decision, "class": YESNO.truth},
        {"truth": "class", "predicted": "predicted", **block(YESNO, "*")},
    ),
    "H2O, bare": (
        {"predict": np.where(YESNO.p[:, 1] > 0.3, "yes", "no"), **YESNO.scores("*"), "churn": YESNO.truth},
        {"truth": "churn", "predicted": "predict", **block(YESNO, "*")},
    ),
    "H2O, p0 and p1": (
        {"predict": ZERO_ONE.decision, **ZERO_ONE.scores("p*"), "y": ZERO_ONE.truth},
        {"truth": "y", "predicted": "predict", **block(ZERO_ONE, "p*")},
    ),
    "DataRobot": (
        {
            "readmitted": BOOLS.truth,
            **BOOLS.scores("readmitted_*_PREDICTION"),
            "readmitted_PREDICTION": BOOLS.decision,
            "THRESHOLD": [0.5] * N,
            "POSITIVE_CLASS": ["True"] * N,
        },
        {
            "truth": "readmitted",
            "predicted": "readmitted_PREDICTION",
            **block(BOOLS, "readmitted_*_PREDICTION"),
        },
    ),
    "PyCaret": (
        {
            **YESNO.features(),
            "Purchase": YESNO.truth,
            "prediction_label": YESNO.decision,
            "prediction_score": YESNO.p.max(axis=1).round(4),
        },
        {
            "truth": "Purchase",
            "predicted": "prediction_label",
            "scores": {(None, "prediction_score")},
            "scale": "confidence",
        },
    ),
    "PyCaret, three classes": (
        {
            "target": ABC.truth,
            "prediction_label": ABC.decision,
            "prediction_score": ABC.p.max(axis=1).round(4),
        },
        {"truth": "target", "predicted": "prediction_label", "scale": "confidence"},
    ),
    "Hugging Face, numbered": (
        {"label": ZERO_ONE.truth, **ZERO_ONE.scores("logits_*", ZERO_ONE.logits)},
        {"truth": "label", "predicted": None, **block(ZERO_ONE, "logits_*"), "scale": "logits"},
    ),
    "Hugging Face, named": (
        {"label": YESNO.truth, **YESNO.scores("logit_*", YESNO.logits)},
        {"truth": "label", "predicted": None, **block(YESNO, "logit_*"), "scale": "logits"},
    ),
    "LightGBM": (
        {"label": ZERO_ONE.truth, "prediction": ZERO_ONE.p[:, 1]},
        {"truth": "label", "predicted": None, "scores": {(None, "prediction")}, "scale": "probabilities"},
    ),
    "CatBoost, two classes": (
        {
            "SampleId": IDS,
            "RawFormulaVal": np.log(ZERO_ONE.p[:, 1] / ZERO_ONE.p[:, 0]),
            "Probability=1": ZERO_ONE.p[:, 1],
            "Class": ZERO_ONE.decision,
            "Label": ZERO_ONE.truth,
        },
        {
            "truth": "Label",
            "predicted": "Class",
            "scores": {(1, "Probability=1")},
            "scale": "probabilities",
            "row": "SampleId",
        },
    ),
    "CatBoost, three classes": (
        {
            **ABC.scores("Probability=*"),
            **ABC.scores("RawFormulaVal=*", ABC.logits),
            "Class": ABC.decision,
            "Label": ABC.truth,
        },
        {"truth": "Label", "predicted": "Class", **block(ABC, "Probability=*")},
    ),
    "KNIME": (
        {**SPECIES.scores("P (class=*)"), "Prediction (class)": SPECIES.decision, "class": SPECIES.truth},
        {"truth": "class", "predicted": "Prediction (class)", **block(SPECIES, "P (class=*)")},
    ),
    "RapidMiner": (
        {"id": IDS, "label": ABC.truth, "prediction(label)": ABC.decision, **ABC.scores("confidence(*)")},
        {"truth": "label", "predicted": "prediction(label)", **block(ABC, "confidence(*)", row="id")},
    ),
    "Spark": (
        {
            "label": FLOATS.truth,
            "features": FLOATS.rng.normal(size=(N, 4)),
            "rawPrediction": FLOATS.logits,
            "probability": FLOATS.p,
            "prediction": FLOATS.decision,
        },
        {
            "truth": "label",
            "predicted": "prediction",
            "scores": {(None, "probability")},
            "scale": "probabilities",
        },
    ),
    "percentages": (
        {"actual": ABC.truth, **ABC.scores("pct_*", ABC.p * 100)},
        {"truth": "actual", "predicted": None, **block(ABC, "pct_*"), "scale": "percentages"},
    ),
    "whole percentages": (
        {"actual": ABC.truth, **ABC.scores("pct_*", (ABC.p * 100).round().astype(int))},
        {"truth": "actual", "predicted": None, **block(ABC, "pct_*"), "scale": "percentages"},
    ),
    "two decimals": (
        {"y_true": ABC.truth, "y_pred": ABC.decision, **ABC.scores("p_*", ABC.p.round(2))},
        {"truth": "y_true", "predicted": "y_pred", **block(ABC, "p_*")},
    ),
    "votes": (
        {"is_test": IDS % 2, "true": ABC.truth, **ABC.scores("votes_*", np.floor(ABC.p * 11).astype(int))},
        {"truth": "true", "predicted": None, **block(ABC, "votes_*"), "scale": "votes"},
    ),
    "P(truth=class)": (
        {"truth": ABC.truth, **ABC.scores("P(truth=*)")},
        {"truth": "truth", "predicted": None, **block(ABC, "P(truth=*)")},
    ),
    "numbers": (
        {"y_true": ABC.logits[:, 0], "y_pred": ABC.logits[:, 1], "age": IDS % 50},
        {"truth": "y_true", "predicted": "y_pred", "scores": set(), **SIDE},
    ),
    "labels alone": (
        {"": IDS, "scan": YESNO.decision, "truth": YESNO.truth},
        {"truth": "truth", "predicted": "scan", "scores": set(), "row": ""},
    ),
    "features between": (
        {
            "y_true": YESNO.truth,
            **YESNO.features(),
            "smoker": YESNO.rng.choice(["no", "yes"], N),
            "y_pred": YESNO.decision,
        },
        {"truth": "y_true", "predicted": "y_pred", "scores": set()},
    ),
}


def agrees(roles: Roles, expected: dict[str, Any]) -> None:
    told = {name: getattr(roles, name) for name in expected}
    if "scores" in told:
        told["scores"] = set(told["scores"])
    assert told == expected, roles


@pytest.mark.parametrize("layout", LAYOUTS)
def test_known_layouts_are_found(layout: str) -> None:
    table, expected = LAYOUTS[layout]
    agrees(found(table), expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_found_role_tells_its_flag(layout: str) -> None:
    roles = found(LAYOUTS[layout][0])
    for role in ("truth", "predicted", "scores", "row", "fold", "group", "weight"):
        held = getattr(roles, role)
        if held is not None and held != ():
            assert roles.evidence[role].endswith(f"[{role}=]")


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=5, deadline=None)
@over(data=st.data())
def test_the_order_of_columns_and_rows_does_not_matter(layout: str, data: st.DataObject) -> None:
    table, _ = LAYOUTS[layout]
    order = data.draw(st.permutations(list(table)))
    rows = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(N)
    shuffled = {name: np.asarray(values)[rows] for name, values in table.items()}
    assert found(shuffled, order) == found(table)


_NAMES = st.lists(
    st.text(st.characters(codec="ascii", categories=("Ll", "Lu")), min_size=3, max_size=8),
    min_size=3,
    max_size=3,
    unique_by=str.lower,
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@over(
    names=_NAMES,
    template=st.sampled_from(["p_*", "prob.*", "P (class=*)", "y_*_PREDICTION", "confidence(*)"]),
)
def test_renaming_the_classes_keeps_the_roles(names: list[str], template: str) -> None:
    m = Model(["a", "b", "c"])
    m.truth, m.decision = (np.array([dict(zip("abc", names, strict=True))[v] for v in held]) for held in (m.truth, m.decision))
    m.classes = names
    roles = found({"y_true": m.truth, "y_pred": m.decision, **m.scores(template)})
    assert (roles.truth, roles.predicted, set(roles.scores)) == ("y_true", "y_pred", m.pairs(template))


FLAGS = flags_of(main.commands["evaluate"])


def refused(table: Table, *flags: str, **given: Any) -> None:
    with pytest.raises(DoubtfulRolesError) as told:
        found(table, **given)
    assert "--" not in str(told.value)
    for flag in flags:
        assert flag in told.value.in_shell(FLAGS)


def test_two_decisions_are_refused_with_a_flag_for_each() -> None:
    table = {"y": ABC.truth, "pred_lr": ABC.decision, "pred_rf": np.roll(ABC.decision, 1)}
    refused(table, "--predicted pred_lr", "--predicted pred_rf")
    assert found(table, predicted="pred_rf").predicted == "pred_rf"


def test_two_blocks_are_refused_with_a_template_for_each() -> None:
    other = Model(["a", "b", "c"], 9)
    table = {"y": ABC.truth, **ABC.scores("lr_p_*"), **other.scores("rf_p_*")}
    refused(table, "--scores 'lr_p_*'", "--scores 'rf_p_*'")
    assert {name for _, name in found(table, scores="rf_p_*").scores} == {"rf_p_a", "rf_p_b", "rf_p_c"}


def test_a_named_decision_picks_its_own_block_of_two() -> None:
    other = Model(["a", "b", "c"], 9)
    both = {**ABC.scores("lr_p_*"), **other.scores("rf_p_*")}
    table = {"y": ABC.truth, "lr": ABC.decision, "rf": other.decision, **both}
    assert {name for _, name in found(table, truth="y", predicted="rf").scores} == {
        "rf_p_a",
        "rf_p_b",
        "rf_p_c",
    }


def test_named_scores_pick_their_own_decision_of_two() -> None:
    other = Model(["a", "b", "c"], 9)
    table = {"y": ABC.truth, "pred_lr": ABC.decision, "pred_rf": other.decision, **other.scores("p_*")}
    refused(table, "--predicted pred_lr")
    assert found(table, scores="p_*").predicted == "pred_rf"


def test_scores_of_another_decision_are_left_out_and_told() -> None:
    table = {
        "y": ABC.truth,
        "pred_lr": ABC.decision,
        "pred_rf": np.roll(ABC.decision, 1),
        **ABC.scores("p_*"),
    }
    roles = found(table, predicted="pred_rf")
    assert roles.scores == ()
    assert "'pred_lr'" in roles.evidence["left out"]


def test_two_single_scores_are_refused() -> None:
    table = {"y": ZERO_ONE.truth, "lr_score": ZERO_ONE.p[:, 1], "rf_score": ZERO_ONE.p[::-1, 1]}
    refused(table, "--scores lr_score", "--scores rf_score")


def test_long_form_is_refused_and_a_feature_called_model_is_not() -> None:
    table = {"model": ["lr", "rf"] * (N // 2), "y_true": ABC.truth, "y_pred": ABC.decision}
    refused(table, "'model'", "Split the file")
    assert found({**table, "id": IDS}).truth == "y_true"
    assert found(table, group="model").group == "model"


def test_scores_are_never_matched_by_position() -> None:
    numbered = {"p_0": YESNO.p[:, 0], "p_1": YESNO.p[:, 1]}
    refused({"y": YESNO.truth, **numbered}, "--scores no=p_0,yes=p_1")
    roles = found({"y": YESNO.truth, **numbered}, scores={"no": "p_0", "yes": "p_1"})
    assert roles.scores == (("no", "p_0"), ("yes", "p_1"))
    refused({"y": YESNO.truth, **numbered}, "no=p_0", scores=["p_0", "p_1"])


def test_case_may_differ_when_nothing_else_does_and_it_is_said() -> None:
    roles = found({"y": YESNO.truth, "p_No": YESNO.p[:, 0], "p_YES": YESNO.p[:, 1]})
    assert roles.scores == (("no", "p_No"), ("yes", "p_YES"))
    assert "case" in roles.evidence["scores"]
    both = Model(["a", "A"], 3)
    assert set(found({"y": both.truth, **both.scores("p_*")}).scores) == {("a", "p_a"), ("A", "p_A")}


def test_a_vector_is_matched_to_whole_numbers_from_zero_or_to_given_classes() -> None:
    table = {"label": YESNO.truth, "probability": YESNO.p}
    refused(table, "--classes no,yes")
    roles = found(table, classes=["no", "yes"])
    assert roles.scores == ((None, "probability"),)
    assert "classes" in roles.evidence["scores"]
    one_based = Model([1, 2], 3)
    refused({"label": one_based.truth, "probability": one_based.p}, "--classes 1,2")
    with pytest.raises(InputError, match=r"2 scores a row.*3 classes"):
        found(table, classes=["no", "yes", "maybe"])


def test_a_perfect_model_is_settled_by_names_or_refused() -> None:
    assert found({"y_true": ABC.decision, "y_pred": ABC.decision, **ABC.scores("p_*")}).truth == "y_true"
    assert found({"class": ABC.decision, "predicted": ABC.decision, **ABC.scores("p_*")}).truth == "class"
    refused({"one": ABC.decision, "two": ABC.decision, **ABC.scores("p_*")}, "--truth")


def test_values_outweigh_position_when_names_are_silent() -> None:
    roles = found({"one": ABC.decision, "two": ABC.truth, **ABC.scores("p_*")})
    assert (roles.truth, roles.predicted) == ("two", "one")
    assert "differs from the argmax" in roles.evidence["truth"]


def test_a_decision_without_a_truth_is_refused() -> None:
    refused({"y_pred": ABC.decision, **ABC.scores("p_*")}, "--truth")
    refused({"y_pred": ABC.decision, "sex": ["f", "m"] * (N // 2)}, "--truth")


def test_two_nameless_label_columns_are_refused() -> None:
    refused({"one": ABC.truth, "two": ABC.decision}, "--truth one", "--truth two")


def test_a_truth_without_a_prediction_is_refused() -> None:
    refused({"y_true": ABC.truth, "income": ABC.logits[:, 0]}, "--predicted", "--scores")


def test_identities_and_folds_never_become_labels() -> None:
    m = Model([0, 1, 2], 3)
    table = {"id": IDS % 7, "fold": IDS % 3, "customer_id": IDS % 3, "y_true": m.truth}
    refused({"customer_id": IDS % 3, "y_true": m.truth}, "no column looks like a decision")
    refused(table, "no column looks like a decision")
    roles = found({**table, "y_pred": m.decision})
    assert (roles.row, roles.fold, roles.group) == ("id", "fold", None)


def test_names_settle_side_columns_and_values_veto_them() -> None:
    base = {"y_true": ABC.truth, "y_pred": ABC.decision}
    side = {"cv_fold": IDS % 5, "sample_weight": IDS + 0.5, "group": IDS % 9, "Unnamed: 0": IDS}
    roles = found({**base, **side})
    assert (roles.fold, roles.weight, roles.group, roles.row) == (
        "cv_fold",
        "sample_weight",
        "group",
        "Unnamed: 0",
    )
    odd = {"weight": ["heavy"] * N, "index": [1] * N, "split": ["test"] * N, "fold": IDS + 0.5, "group": IDS}
    roles = found({**base, **odd})
    assert (roles.fold, roles.weight, roles.group, roles.row) == (None, None, None, None)
    why = {
        "weight": "numbers",
        "index": "constant",
        "split": "training",
        "fold": "fractions",
        "group": "share",
    }
    told = dict(zip(sorted(odd), sorted(roles.evidence["left out"].split("; ")), strict=True))
    assert all(reason in told[name] for name, reason in why.items())
    assert found({**base, "index": IDS + 0.5}).row is None


def test_two_folds_are_refused() -> None:
    refused(
        {"y_true": ABC.truth, "y_pred": ABC.decision, "fold": IDS % 5, "cv_fold": IDS % 3},
        "--fold fold",
        "--fold cv_fold",
    )


def test_a_score_never_below_a_half_is_a_confidence_only_where_both_are_decided() -> None:
    sure = YESNO.p.max(axis=1)
    base = {"y_true": YESNO.truth, "score": sure}
    assert found({**base, "y_pred": YESNO.decision}).scale == "confidence"
    assert found({**base, "y_pred": ["yes"] * N}).scale == "probabilities"
    assert found(base).scale == "probabilities"
    assert found({**base, "score": sure * 3}).scale == "scores"


def test_a_single_score_cannot_rank_three_classes() -> None:
    refused({"y_true": ABC.truth, "score": ABC.p[:, 0]}, "3 labels", "--scores", "--predicted")
    roles = found({"y_true": ABC.truth, "y_pred": ABC.decision, "score": ABC.p[:, 0]})
    assert roles.scores == ()
    assert "'score'" in roles.evidence["left out"]


def test_a_feature_named_like_a_score_is_not_one_when_no_decision_follows_from_it() -> None:
    table = {"y_true": YESNO.truth, "y_pred": YESNO.decision, "rain_prob": YESNO.rng.random(N)}
    assert found(table).scores == ()
    table["credit_score"] = YESNO.rng.normal(600, 50, N)
    assert found(table).scores == ()


def test_one_hot_features_are_not_scores() -> None:
    sex = YESNO.rng.choice(["f", "m"], N)
    hot = {"sex": sex, "sex_f": (sex == "f").astype(int), "sex_m": (sex == "m").astype(int)}
    roles = found({"y_true": YESNO.truth, **hot, **YESNO.scores("p_*")})
    assert set(roles.scores) == YESNO.pairs("p_*")
    assert found({"y_true": YESNO.truth, "y_pred": YESNO.decision, **hot}).scores == ()


def test_fractions_named_as_decision_are_refused_as_scores() -> None:
    table = {"label": ZERO_ONE.truth, "out": ZERO_ONE.p[:, 1]}
    with pytest.raises(InputError, match=r"'out' looks like scores; .*scores=\"out\""):
        found(table, predicted="out")


def test_a_prediction_between_two_tasks_is_refused() -> None:
    table = {"target": ABC.logits[:, 0], "class": ZERO_ONE.truth, "prediction": ZERO_ONE.p[:, 1]}
    refused(table, "--truth target", "--truth class")
    assert found(table, truth="class").scores == ((None, "prediction"),)
    assert found(table, truth="target").predicted == "prediction"


def test_a_missing_column_is_told_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match=r"no column 'y_tru' .*'y_true'.*truth=\"y_true\""):
        found({"y_true": ABC.truth, "y_pred": ABC.decision}, truth="y_tru")
    with pytest.raises(InputError, match=r"No column fits 'q_\*'"):
        found({"y_true": ABC.truth, **ABC.scores("p_*")}, scores="q_*")
    with pytest.raises(InputError, match="has two roles"):
        found({"y": ABC.truth, "z": ABC.decision}, truth="y", predicted="y")


def test_what_is_given_is_taken_and_said() -> None:
    table = {"a1": ABC.truth, "b1": ABC.decision, "c1": IDS % 4, **ABC.scores("s_*", ABC.logits)}
    roles = found(table, truth="b1", predicted="a1", group="c1", scores="s_*", scores_are="logits")
    assert (roles.truth, roles.predicted, roles.group, roles.scale) == ("b1", "a1", "c1", "logits")
    assert all("given" in roles.evidence[role] for role in ("truth", "predicted", "group", "scores"))


def test_given_columns_that_do_not_add_up_ask_for_their_scale() -> None:
    table = {"y": ABC.truth, **ABC.scores("s_*", ABC.p * 7)}
    refused(table, "--scores-are", scores="s_*")
    assert found(table, scores="s_*", scores_are="scores").scale == "scores"


def test_a_list_of_scores_is_read_by_its_template_or_bare() -> None:
    listed = list(ABC.scores("p_*"))
    assert set(found({"y": ABC.truth, **ABC.scores("p_*")}, scores=listed).scores) == ABC.pairs("p_*")
    assert set(found({"y": ABC.truth, **ABC.scores("*")}, scores=["a", "b", "c"]).scores) == ABC.pairs("*")


def test_a_single_score_may_be_given_with_its_class() -> None:
    table = {"y": YESNO.truth, "s": YESNO.p[:, 1]}
    assert found(table, scores="s").scores == ((None, "s"),)
    assert found(table, scores={"yes": "s"}).scores == (("yes", "s"),)


def test_classes_set_the_order_of_the_scores() -> None:
    roles = found({"y": ABC.truth, **ABC.scores("p_*")}, classes=["c", "a", "b"])
    assert [label for label, _ in roles.scores] == ["c", "a", "b"]


def test_a_class_no_row_holds_keeps_its_score() -> None:
    keep = (ABC.truth != "c") & (ABC.decision != "c")
    for template in ("p_*", "*"):
        table = {"y": ABC.truth[keep], **{name: held[keep] for name, held in ABC.scores(template).items()}}
        assert set(found(table).scores) == ABC.pairs(template)


def test_a_template_is_cut_where_the_labels_say() -> None:
    m = Model(["class_1", "class_2", "class_3"], 3)
    assert set(found({"y": m.truth, **m.scores("p_*")}).scores) == m.pairs("p_*")
    m = Model([-1, 1], 3)
    assert set(found({"y": m.truth, **m.scores("p_*")}).scores) == m.pairs("p_*")
    m = Model(["<=50K", ">50K"], 3)
    assert set(found({"y": m.truth, **m.scores("prob.*")}).scores) == m.pairs("prob.*")


def test_gaps_do_not_hide_the_roles() -> None:
    p = ABC.p.copy()
    p[3] = np.nan
    truth = ABC.truth.astype(object)
    truth[5] = None
    roles = found({"y_true": ("text", truth), "y_pred": ABC.decision, **ABC.scores("p_*", p)})
    assert set(roles.scores) == ABC.pairs("p_*")


def test_scores_beside_calibrated_scores_are_told_apart_by_the_flags_of_the_refusal() -> None:
    sharper = np.c_[1 - YESNO.p[:, 1] ** 2, YESNO.p[:, 1] ** 2]
    table = {"y": YESNO.truth, **YESNO.scores("p_*"), **YESNO.scores("p_cal_*", sharper)}
    refused(table, "--scores 'p_*'", "--scores 'p_cal_*'")
    assert set(found(table, scores="p_*").scores) == YESNO.pairs("p_*")
    assert set(found(table, scores="p_cal_*").scores) == YESNO.pairs("p_cal_*")


def test_a_template_does_not_take_the_decision_for_a_score() -> None:
    table = {"Species": SPECIES.truth, ".pred_class": SPECIES.decision, **SPECIES.scores(".pred_*")}
    roles = found(table, scores=".pred_*")
    assert roles.predicted == ".pred_class"
    assert set(roles.scores) == SPECIES.pairs(".pred_*")


def test_text_is_not_taken_for_scores() -> None:
    with pytest.raises(InputError, match=r'holds text, .*predicted="pred"'):
        found({"y": ABC.truth, "pred": ABC.decision}, scores="pred")


def test_scores_named_by_class_that_do_not_add_up_are_refused_with_their_template() -> None:
    table = {"y": ABC.truth, "pred": ABC.decision, **ABC.scores("p_*", ABC.p * 0.9)}
    refused(table, "--scores 'p_*' --scores-are scores")
    assert found(table, scores="p_*", scores_are="scores").scale == "scores"


def test_votes_whose_names_are_not_the_labels_are_refused() -> None:
    votes = ABC.scores("votes_*", np.floor(ABC.p * 11).astype(int))
    refused(
        {"true": np.searchsorted(["a", "b", "c"], ABC.truth), **votes},
        "--scores 0=votes_a,1=votes_b,2=votes_c",
    )


def test_a_true_class_without_a_score_is_refused_by_name() -> None:
    truth = np.where(IDS % 9 == 0, "d", ABC.truth)
    refused({"y": truth, "pred": ABC.decision, **ABC.scores("p_*")}, "'d'", "--truth")


def test_a_prediction_of_another_quantity_is_left_out() -> None:
    table = {"y_true": ZERO_ONE.truth, "decision": ZERO_ONE.decision, "predicted_income": IDS * 1.5}
    roles = found(table)
    assert (roles.predicted, roles.scores) == ("decision", ())
    assert "'predicted_income'" in roles.evidence["left out"]


def test_many_whole_numbers_with_a_fractional_prediction_are_a_numeric_task() -> None:
    roles = found({"y": IDS * 3, "prediction": ABC.logits[:, 0]})
    assert (roles.truth, roles.predicted, roles.scores) == ("y", "prediction", ())


_PRICES = 100_000 + 37 * ((IDS * 7919) % 4_001)


@pytest.mark.parametrize(
    ("truth", "predicted"),
    [
        *(("SalePrice", "pred"), ("y", "yhat"), ("y_true", "y_pred"), ("actual", "forecast"), ("price", "price_pred")),
        *(("target", "prediction"), ("observed", "fitted"), ("Price", "predicted_price"), ("demand", "forecasted")),
    ],
)
def test_measurements_and_their_predictions_are_a_numeric_task(truth: str, predicted: str) -> None:
    for values in (_PRICES, _PRICES * 1.01):
        roles = found({"Id": IDS, predicted: _PRICES * 1.013 + 0.5, truth: values})
        assert (roles.truth, roles.predicted, roles.numeric) == (truth, predicted, True)


def test_the_truth_that_a_prediction_is_named_after_is_found_beside_features() -> None:
    table = {"price": _PRICES, "area": IDS * 0.7, "town": ABC.truth, "price_pred": _PRICES * 1.013}
    assert (found(table).truth, found(table).numeric) == ("price", True)


def test_a_prediction_beside_several_measurements_is_refused() -> None:
    refused({"SalePrice": _PRICES, "area": IDS * 0.7, "pred": _PRICES * 1.013}, "--truth")


def test_classes_are_no_numeric_task() -> None:
    codes = np.searchsorted(["a", "b", "c"], ABC.truth)
    assert not found({"digit": codes, "pred": codes[::-1].copy()}).numeric
    assert not found({"SalePrice": _PRICES, "label": ZERO_ONE.truth, "prediction": ZERO_ONE.decision}).numeric
    many = IDS % 150  # as many classes as some files have
    assert not found({"label": many, "pred": np.roll(many, 1)}).numeric
    share = (IDS + 1) / (IDS.size + 2)
    assert not found({"survived": ZERO_ONE.truth, "prediction": share}).numeric
    assert found({"survived": ZERO_ONE.truth, "age": IDS * 1.0 + 0.5, "prediction": share}).truth == "survived"


def test_a_response_is_the_decision_unless_a_clearer_one_stands_beside_it() -> None:
    assert found({"truth": YESNO.truth, "response": YESNO.decision}).predicted == "response"
    assert found({"response": YESNO.truth, "pred": YESNO.decision}).truth == "response"


def test_raw_scores_alone_are_taken_only_when_given() -> None:
    table = {"label": ZERO_ONE.truth, "prediction": ZERO_ONE.decision, "rawPrediction": ZERO_ONE.logits}
    assert found(table).scores == ()
    refused(table, "--scores-are logits", scores="rawPrediction")
    assert found(table, scores="rawPrediction", scores_are="logits").scores == ((None, "rawPrediction"),)


def test_an_unnamed_column_is_found_as_row_and_left_out_like_any_other() -> None:
    table = {"": IDS, "y_true": ABC.truth, "y_pred": ABC.decision}
    assert found(table).row == ""
    assert found(table, row="").row is None


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="same name"):
        find_roles([column("y", ABC.truth), column("y", ABC.decision)], {})


@pytest.mark.parametrize("features", [["age", "sex", "income"], ["x_1", "x_2", "x_3"], ["score_a", "count_b", "p"]])
def test_a_table_of_data_without_predictions_is_refused(features: list[str]) -> None:
    held = dict(zip(features, YESNO.features().values(), strict=True))
    if "p" in held:
        held["p"] = IDS % 50
    refused({**held, "class": YESNO.truth}, "--predicted")


def test_a_one_hot_decision_beside_probabilities_is_not_a_second_model() -> None:
    hot = (YESNO.p == YESNO.p.max(axis=1, keepdims=True)).astype(int)
    roles = found({"y": YESNO.truth, **YESNO.scores("p_*"), **YESNO.scores("pred_*", hot)})
    assert set(roles.scores) == YESNO.pairs("p_*")


def test_a_vector_wider_than_the_labels_needs_class_zero_among_them() -> None:
    m = Model([1, 2], 3)
    wide = np.c_[m.p * 0.9, np.full(N, 0.1)]
    refused({"label": m.truth, "probability": wide}, "--classes")
    assert found({"label": m.truth - 1, "probability": wide}).scores == ((None, "probability"),)


def test_a_refusal_does_not_depend_on_the_order_of_columns() -> None:
    table = {"y": ABC.truth, "pred_lr": ABC.decision, "pred_rf": np.roll(ABC.decision, 1)}
    told = set()
    for order in (list(table), list(table)[::-1]):
        with pytest.raises(DoubtfulRolesError) as refusal:
            found(table, order)
        told.add(str(refusal.value))
    assert len(told) == 1


def test_the_truth_may_be_named_by_the_decision_or_by_the_scores() -> None:
    smoker = BOOLS.rng.random(N) > 0.5
    table = {"sick": BOOLS.truth, "smoker": smoker, **BOOLS.scores("sick_*_PREDICTION")}
    assert found(table).truth == "sick"
    assert found({**table, "sick_PREDICTION": BOOLS.decision}).truth == "sick"
    assert found({"sick": BOOLS.truth, "smoker": smoker, "sick_PREDICTION": BOOLS.decision}).truth == "sick"
    refused({"sick": BOOLS.truth, "smoker": smoker, **BOOLS.scores("p_*")}, "--truth sick", "--truth smoker")


def test_of_label_like_features_only_the_one_with_the_labels_of_the_decision_is_the_truth() -> None:
    table = {"Pclass": IDS % 3 + 1, "Survived": ZERO_ONE.truth, "prediction": ZERO_ONE.decision}
    assert found(table).truth == "Survived"
    refused({**table, "SibSp": IDS % 2}, "--truth SibSp", "--truth Survived")


def test_whole_numbers_match_however_they_are_written() -> None:
    names = {"y_0.0_PREDICTION": ZERO_ONE.p[:, 0], "y_1.0_PREDICTION": ZERO_ONE.p[:, 1]}
    assert found({"y": ZERO_ONE.truth, **names}).scores == ((0, "y_0.0_PREDICTION"), (1, "y_1.0_PREDICTION"))


def test_an_empty_table_is_refused() -> None:
    empty = np.empty(0)
    refused({"y_true": ("text", empty), "y_pred": ("text", empty), "p_a": empty, "p_b": empty}, "--truth")


def test_control_characters_never_reach_the_reader() -> None:
    with pytest.raises(DoubtfulRolesError) as told:
        found({"one\x1b[2J": ABC.truth, "two\n": ABC.decision})
    assert str(told.value).isprintable()


def test_a_wide_table_of_features_does_not_confuse() -> None:
    rng = np.random.default_rng(0)
    m = Model(["a", "b", "c"], n=5000)
    wide: Table = {f"feature_{i}": rng.random(5000) for i in range(60)}
    wide |= {f"flag_{i}": rng.integers(0, 9, 5000) for i in range(20)}
    wide |= {f"word_{i}": rng.choice(["a", "b", "x"], 5000) for i in range(15)}
    columns = [column(name, held) for name, held in {**wide, "y_true": m.truth, "y_pred": m.decision, **m.scores("*")}.items()]
    assert set(find_roles(columns, {}).scores) == m.pairs("*")


def spoilt(values: Any, cells: dict[int, str]) -> tuple[str, list[str]]:
    return "text", [cells.get(row, f"{value:.4f}") for row, value in enumerate(values, 1)]


def test_a_score_with_text_in_a_cell_is_said_to_be_left_out() -> None:
    labels = {"y_true": ZERO_ONE.truth, "y_pred": ZERO_ONE.decision}
    roles = found({**labels, "score": spoilt(ZERO_ONE.p[:, 1], {57: "oops"})})
    assert (roles.truth, roles.predicted, roles.scores) == ("y_true", "y_pred", ())
    (finding,) = roles.findings
    assert (finding.code, facts(finding.message)) == ("A113", ["'score'", "'oops'", "57"])
    assert "ranking" in finding.message
    assert finding.advice.endswith("the cell.")
    (finding,) = found({**labels, "pred_prob": spoilt(ZERO_ONE.p[:, 1], {3: "-", 9: "x", 12: "x"})}).findings
    assert mentions(finding.message, "'-' (row 3)", "2 other cells")
    assert finding.advice.endswith("the cells.")


def test_no_word_of_columns_that_are_no_scores_or_that_are_not_wanted() -> None:
    labels = {"y_true": ZERO_ONE.truth, "y_pred": ZERO_ONE.decision}
    broken = spoilt(ZERO_ONE.p[:, 1], {57: "oops"})
    assert found({**labels, "income": broken}).findings == ()
    assert found({**labels, "score": ("text", ["low", "0.5", "high"] * 20)}).findings == ()
    assert found({**labels, "score": ("text", ["1", "2", "3", "none"] * 15)}).findings == ()
    assert found({**labels, "score": broken, "p": ZERO_ONE.p[:, 1]}, scores="p").findings == ()
    beside = found({**labels, "p_0": broken, "p_1": ZERO_ONE.p[:, 1]})  # of two classes the other column tells all
    assert beside.scores == ((1, "p_1"),)
    assert "ranking" not in beside.findings[0].message
    assert facts(beside.findings[0].message) == ["'p_0'", "'oops'", "57"]


@pytest.mark.parametrize("template", ["p_*", "*", "prob.*"])
def test_a_block_that_lacks_a_column_for_a_cell_of_text_is_not_judged_in_part(template: str) -> None:
    scores = ABC.scores(template)
    name = template.replace("*", "b")
    scores[name] = spoilt(ABC.p[:, 1], {7: "1.2.3"})
    (finding,) = found({"truth": ABC.truth, "decision": ABC.decision, **scores}).findings
    assert (finding.code, finding.value) == ("A113", name)
    assert "ranking and calibration are unknown" in finding.message
    with pytest.raises(InputError, match=r"'1\.2\.3' \(row 7\) .*no number"):
        found({"truth": ABC.truth, **scores})


def test_a_spoilt_score_of_few_decimals_is_not_taken_for_labels() -> None:
    rounded = ("text", ["oops", *(f"{value:g}" for value in ZERO_ONE.p[1:, 1].round(1))])
    roles = found({"outcome": ZERO_ONE.truth, "decided": ZERO_ONE.decision, "score": rounded})
    assert (roles.truth, roles.predicted, roles.findings[0].code) == ("outcome", "decided", "A113")
