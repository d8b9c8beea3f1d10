"""What clusters do to a measure, against leaving out one cluster and one row at a time, and Obuchowski's variance of the AUC."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import betaincinv

from adjudge import ConfusionCounts, Predictions, interval
from adjudge.counts.clusters import ClusterCounts
from adjudge.counts.counting import tally
from adjudge.estimates.clustered import area_effect, effect_of, effective, loss_effect
from adjudge.estimates.intervals import one_sided
from adjudge.estimates.scored import area_interval, loss_interval
from adjudge.metrics.catalogue import find

SEED = 20240914
MEASURES = ("accuracy", "error", "balanced_accuracy", "mcc", "kappa", "informedness", "g_mean")
OF_CLASS = ("sensitivity", "specificity", "precision", "npv", "f1", "jaccard")


def drawn(many=250, rows=6, classes=2, seed=SEED):
    """Return truth, predicted, scores and clusters, whose classes and whose difficulty differ between clusters."""
    rng = np.random.default_rng([seed, many, rows, classes])
    cluster = np.repeat(np.arange(many), rows)
    often = rng.dirichlet(np.full(classes, 2.0), many)[cluster]
    truth = (often.cumsum(axis=1) < rng.random((cluster.size, 1))).sum(axis=1)
    lean = rng.normal(0, 0.7, (many, classes))[cluster]
    logits = 1.3 * np.eye(classes)[truth] + lean + rng.normal(0, 0.9, lean.shape)
    scores = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return truth, scores.argmax(axis=1), scores, cluster


def counted(truth, predicted, scores, cluster, **more):
    """Return the tally of such rows."""
    k = scores.shape[1]
    if k == 2:
        return tally(Predictions(truth, predicted, scores=scores[:, 1], positive=1, cluster=cluster, **more))
    return tally(Predictions(truth, predicted, scores=scores, classes=list(range(k)), cluster=cluster, **more))


def by_hand(name, t):
    """Return a measure of tables (... x K x K), class 1 being positive."""
    total, hit = t.sum((-1, -2)), np.trace(t, axis1=-2, axis2=-1)
    true, said = t.sum(-1), t.sum(-2)
    recalls = np.diagonal(t, axis1=-2, axis2=-1) / true
    tp, fn, fp, tn = t[..., 1, 1], t[..., 1, :].sum(-1) - t[..., 1, 1], said[..., 1] - t[..., 1, 1], None
    tn = total - tp - fn - fp
    chance = (true * said).sum(-1)
    return {
        "accuracy": lambda: hit / total,
        "error": lambda: 1 - hit / total,
        "balanced_accuracy": lambda: recalls.mean(-1),
        "informedness": lambda: (recalls.sum(-1) - 1) / (t.shape[-1] - 1),
        "g_mean": lambda: recalls.prod(-1) ** (1 / t.shape[-1]),
        "mcc": lambda: (hit * total - chance) / np.sqrt((total**2 - (true**2).sum(-1)) * (total**2 - (said**2).sum(-1))),
        "kappa": lambda: (hit * total - chance) / (total**2 - chance),
        "sensitivity": lambda: tp / (tp + fn),
        "specificity": lambda: tn / (tn + fp),
        "precision": lambda: tp / (tp + fp),
        "npv": lambda: tn / (tn + fn),
        "f1": lambda: 2 * tp / (2 * tp + fp + fn),
        "jaccard": lambda: tp / (tp + fp + fn),
    }[name]()


def jackknife(name, tables):
    """Return the variance of a measure by leaving out one of some tables at a time."""
    left = by_hand(name, tables.sum(axis=0) - tables)
    return (len(tables) - 1) / len(tables) * ((left - left.mean()) ** 2).sum()


def tables_of(truth, predicted, place, k):
    """Return the table of every place."""
    tables = np.zeros((place.max() + 1, k, k))
    np.add.at(tables, (place, truth, predicted), 1.0)
    return tables


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", [*MEASURES, *OF_CLASS])
def test_design_effects_are_those_of_leaving_out_clusters_and_rows(name, classes):
    rows = drawn(classes=classes)
    counts = counted(*rows).confusion
    at = counts.classes.index(1) if name in OF_CLASS else None
    effect = effect_of(counts, find(name), at=at).design_effect
    truth, predicted, _, cluster = rows
    clustered, alone = (jackknife(name, tables_of(truth, predicted, each, classes)) for each in (cluster, np.arange(truth.size)))
    assert effect == pytest.approx(max(clustered / alone, 1), rel=0.03)


def obuchowski(positive, score, cluster):
    """Return the variance of an AUC of clustered cases (Obuchowski 1997, Biometrics 53:567-578) and of independent ones."""
    x, y = score[positive], score[~positive]
    above = (x[:, None] > y).astype(float) + (x[:, None] == y) / 2
    area, v10, v01, m, n = above.mean(), above.mean(axis=1), above.mean(axis=0), x.size, y.size
    many = cluster.max() + 1
    own, other = np.bincount(cluster[positive], minlength=many), np.bincount(cluster[~positive], minlength=many)
    ten = np.bincount(cluster[positive], v10, minlength=many) - own * area
    one = np.bincount(cluster[~positive], v01, minlength=many) - other * area
    i10, i01 = (own > 0).sum(), (other > 0).sum()
    s10 = i10 / ((i10 - 1) * m) * (ten**2).sum()
    s01 = i01 / ((i01 - 1) * n) * (one**2).sum()
    s11 = many / (many - 1) * (ten * one).sum()
    return s10 / m + s01 / n + 2 * s11 / (m * n), v10.var(ddof=1) / m + v01.var(ddof=1) / n


@pytest.mark.parametrize(("many", "rows"), [(250, 6), (60, 25)])
def test_the_effect_on_the_auc_is_obuchowskis(many, rows):
    truth, predicted, scores, cluster = drawn(many, rows)
    clustered, alone = obuchowski(truth == 1, scores[:, 1], cluster)
    numbers = counted(truth, predicted, scores, cluster)
    effect = area_effect(numbers, numbers.confusion.classes.index(1))
    assert clustered / alone > 1.3  # so that there is something to know
    assert effect.design_effect == pytest.approx(clustered / alone, rel=0.04)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", ["brier", "log_loss"])
def test_the_effect_on_losses_is_that_of_leaving_out_clusters(name, classes):
    truth, predicted, scores, cluster = drawn(classes=classes)
    own = scores[np.arange(truth.size), truth]
    loss = -np.log(own) if name == "log_loss" else ((scores - np.eye(classes)[truth]) ** 2).sum(axis=1)
    n, sums = np.bincount(cluster), np.bincount(cluster, loss)
    left = (loss.sum() - sums) / (n.sum() - n)
    clustered, alone = (n.size - 1) / n.size * ((left - left.mean()) ** 2).sum(), loss.var(ddof=1) / loss.size
    effect = loss_effect(counted(truth, predicted, scores, cluster), name)
    assert effect.design_effect == pytest.approx(clustered / alone, rel=0.03)


@pytest.mark.parametrize("classes", [2, 5])
def test_with_one_row_per_cluster_nothing_changes(classes):
    truth, predicted, scores, cluster = drawn(120, 1, classes)
    numbers, plain = (counted(truth, predicted, scores, each) for each in (cluster, None))
    for name in MEASURES:
        assert effect_of(numbers.confusion, find(name)).share(0.95) == 1
        assert interval(numbers.confusion, name) == interval(plain.confusion, name)
    for at in range(classes):
        assert all(effect_of(numbers.confusion, find(name), at=at).share(0.95) == 1 for name in OF_CLASS)
    assert area_effect(numbers, 0).share(0.95) == 1
    assert loss_effect(numbers, "brier").share(0.95) == loss_effect(numbers, "log_loss").share(0.95) == 1


@pytest.mark.parametrize("times", [2, 9])
def test_copies_of_every_row_in_its_cluster_are_worth_one(times):
    truth, predicted, scores, _ = (np.repeat(each, times, axis=0) for each in drawn(150, 1))
    numbers = counted(truth, predicted, scores, np.repeat(np.arange(150), times))
    effects = [effect_of(numbers.confusion, find(name)) for name in MEASURES]
    effects += [effect_of(numbers.confusion, find(name), at=0) for name in OF_CLASS]
    effects += [area_effect(numbers, 0), loss_effect(numbers, "brier"), loss_effect(numbers, "log_loss")]
    assert [effect.design_effect for effect in effects] == pytest.approx([times] * len(effects), rel=0.02)
    assert [effect.share(0.95) for effect in effects] == pytest.approx([1 / times] * len(effects), rel=0.02)


@pytest.mark.parametrize("seed", range(2))
def test_neither_the_order_of_rows_nor_the_names_of_clusters_matter(seed):
    truth, predicted, scores, cluster = drawn(20, 8, 3)
    rng = np.random.default_rng(seed)
    order, names = rng.permutation(truth.size), rng.permutation([f"patient {i}" for i in range(20)])
    one = counted(truth, predicted, scores, cluster)
    other = counted(truth[order], predicted[order], scores[order], names[cluster[order]])
    for name in MEASURES:
        mine, theirs = (effect_of(each.confusion, find(name)) for each in (one, other))
        assert theirs.design_effect == pytest.approx(mine.design_effect, rel=1e-9)
        assert theirs.share(0.95) == pytest.approx(mine.share(0.95), rel=1e-6)
    for mine, theirs in ((area_effect(one, 0), area_effect(other, 0)), (loss_effect(one, "brier"), loss_effect(other, "brier"))):
        assert theirs.design_effect == pytest.approx(mine.design_effect, rel=1e-9)


@pytest.mark.parametrize("order", [(1, 2, 0), (2, 1, 0), (0, 2, 1)])
def test_the_order_of_classes_does_not_matter(order):
    truth, predicted, scores, cluster = drawn(20, 8, 3)
    one, place = counted(truth, predicted, scores, cluster), np.array(order)
    other = counted(place[truth], place[predicted], scores[:, np.argsort(place)], cluster)
    for name in MEASURES:
        mine, theirs = (effect_of(each.confusion, find(name)) for each in (one, other))
        assert theirs.design_effect == pytest.approx(mine.design_effect, rel=1e-6)


def test_weights_that_are_all_the_same_change_nothing():
    truth, predicted, scores, cluster = drawn(40, 10)
    one, other = (counted(truth, predicted, scores, cluster, weight=w) for w in (None, np.full(truth.size, 0.37)))
    for name in MEASURES:
        mine, theirs = (effect_of(each.confusion, find(name)) for each in (one, other))
        assert theirs.design_effect == pytest.approx(mine.design_effect, rel=1e-6)
    assert loss_effect(other, "brier").design_effect == pytest.approx(loss_effect(one, "brier").design_effect, rel=1e-6)


def test_a_table_counts_as_its_clusters_are_worth():
    truth, predicted, scores, cluster = drawn(40, 10)
    counts = counted(truth, predicted, scores, cluster).confusion
    accuracy = find("accuracy")
    assert effective(counts, accuracy).effective_n == pytest.approx(400 * effect_of(counts, accuracy).share(0.95))
    plain = counted(truth, predicted, scores, None).confusion
    assert effective(plain, accuracy) is plain


@pytest.mark.parametrize("name", [*MEASURES, *OF_CLASS])
def test_without_an_error_clusters_count_as_rows(name):
    truth = np.tile([0, 1], 100)
    counts = tally(Predictions(truth, truth, cluster=np.repeat(np.arange(20), 10))).confusion
    share = effect_of(counts, find(name), at=0 if name in OF_CLASS else None).share(0.95)
    assert share == pytest.approx(0.2 if name in OF_CLASS else 0.1, rel=0.01)  # 20 of 100 rows of the class, or of 200
    limits = interval(counts, name, **({"positive": 0} if name in OF_CLASS else {}))
    assert math.isfinite(limits.low)
    assert limits.low < limits.high


@pytest.mark.parametrize(
    ("cluster", "weight"),
    [
        (np.zeros(60, dtype=int), None),
        (np.repeat([0, 1], 30), None),
        (np.append(np.zeros(50, dtype=int), np.arange(1, 11)), None),  # a giant beside tiny ones
        (np.repeat(np.arange(10), 6), np.append(np.zeros(6), np.ones(54))),  # one of no weight
        (np.repeat(np.arange(10), 6), np.full(60, 1e-9)),
    ],
)
def test_odd_clusters_have_wide_intervals(cluster, weight):
    truth, predicted, scores, _ = drawn(60, 1)
    numbers = counted(truth, predicted, scores, cluster, weight=weight)
    plain = counted(truth, predicted, scores, None, weight=weight)
    for name in (*MEASURES, *OF_CLASS):
        asked = {"positive": 1} if name in OF_CLASS else {}
        wide, narrow = (interval(each.confusion, name, **asked) for each in (numbers, plain))
        assert wide.high - wide.low >= (narrow.high - narrow.low) * (1 - 1e-9)
        if np.unique(cluster).size < 3:
            assert wide.high - wide.low > 0.6
    effects = [area_effect(numbers, 1), loss_effect(numbers, "brier"), loss_effect(numbers, "log_loss")]
    assert all(0 < effect.share(0.95) <= 1 for effect in effects)


def population(classes):
    """Return how often each class occurs and is recalled, and a table of a thousand million such rows."""
    shares, recalls = np.linspace(1, 2, classes) / np.linspace(1, 2, classes).sum(), np.linspace(0.75, 0.85, classes)
    table = np.where(np.eye(classes) > 0, np.diag(recalls), (1 - recalls[:, None]) / (classes - 1)) * shares[:, None]
    return shares, recalls, np.rint(table * 1e9)


def sampled(rng, sizes, classes, correlation):
    """Return the counts of clusters whose recalls are beta distributed, high ones of one class going with those of others."""
    shares, recalls, _ = population(classes)
    at, rank, kappa = np.repeat(np.arange(sizes.size), sizes), rng.random(sizes.size), (1 - correlation) / max(correlation, 1e-9)
    chances = np.stack([betaincinv(r * kappa, (1 - r) * kappa, rank) for r in recalls], axis=1)
    truth = rng.choice(classes, at.size, p=shares)
    wrong = rng.random(at.size) >= (chances[at, truth] if correlation else recalls[truth])
    predicted = np.where(wrong, (truth + rng.integers(1, classes, at.size)) % classes, truth)
    code, n = np.unique((at * classes + truth) * classes + predicted, return_counts=True)
    entries = code // classes**2, code // classes % classes, code % classes
    cells = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(cells, (truth, predicted), 1)
    clusters = ClusterCounts(np.arange(sizes.size), *entries, n.astype(float), sizes)
    return ConfusionCounts(cells, clusters=clusters)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("classes", "many", "rows", "correlation", "kind"),
    [
        (2, 10, 50, 0.5, "lognormal"),
        (2, 40, 25, 0.1, "equal"),
        (5, 10, 10, 0.1, "equal"),
        (5, 10, 50, 0.5, "lognormal"),
        (5, 30, 10, 0.3, "lognormal"),
        (5, 50, 2, 0.0, "equal"),
    ],
)
def test_default_intervals_cover_and_gates_hold(classes, many, rows, correlation, kind):
    """Balanced accuracy and MCC; 250 samples know a coverage to .014."""
    rng, samples = np.random.default_rng([SEED, classes, many, rows]), 250
    truth = {name: float(by_hand(name, population(classes)[2])) for name in ("balanced_accuracy", "mcc")}
    held, passed = dict.fromkeys(truth, 0), 0
    for _ in range(samples):
        wide = np.maximum(np.rint(rows * np.exp(rng.normal(-0.5, 1, many))), 1).astype(int)
        counts = sampled(rng, np.full(many, rows) if kind == "equal" else wide, classes, correlation)
        for name, value in truth.items():
            limits = interval(counts, name)
            held[name] += limits.low <= value <= limits.high
        passed += one_sided(counts, find("balanced_accuracy")).low > truth["balanced_accuracy"]
    assert all(0.91 <= each / samples <= 0.99 for each in held.values()), held
    assert passed / samples <= 0.08


@pytest.mark.slow
@pytest.mark.parametrize(("many", "rows"), [(10, 10), (40, 25)])
def test_intervals_of_scores_cover(many, rows):
    """AUC, Brier score and log loss, against those of 600,000 rows; 300 samples know a coverage to .013."""
    truth, _, scores, _ = drawn(60_000, 10)
    own, place = scores[np.arange(truth.size), truth], np.argsort(np.argsort(scores[:, 1])) + 1
    yes = truth == 1
    area = (place[yes].sum() - yes.sum() * (yes.sum() + 1) / 2) / (yes.sum() * (~yes).sum())
    values, held = (area, ((1 - own) ** 2).mean(), -np.log(own).mean()), np.zeros(3)
    for seed in range(300):
        numbers = counted(*drawn(many, rows, seed=seed))
        limits = [area_interval(numbers, numbers.confusion.classes.index(1))]
        limits += [loss_interval(numbers, name) for name in ("brier", "log_loss")]
        held += [each.low <= value <= each.high for each, value in zip(limits, values, strict=True)]
    assert (held / 300 >= 0.915).all()
    assert (held / 300 <= 0.985).all()
