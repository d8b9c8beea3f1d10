"""What is said of clusters, in sentences and on the page."""

import numpy as np

from adjudge import Predictions, evaluate
from adjudge.describe.description import documented
from adjudge.describe.evaluation import sentences


def made(clusters=12, rows=6, **how):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, clusters * rows)
    decided = np.where(rng.random(truth.size) < np.repeat(rng.beta(4, 1, clusters), rows), truth, 1 - truth)
    name = np.repeat([f"P{i}" for i in range(clusters)], rows)
    return evaluate(Predictions(truth, decided, positive=1, cluster=name, **how))


def test_the_headline_names_clusters_and_a_sentence_what_they_are_worth():
    evaluation = made()
    headline, *others = sentences(evaluation)
    assert "of 72 cases of 12 clusters" in headline
    effect = evaluation.clusters.effects["accuracy"]
    (told,) = [each for each in others if "belong together" in each]
    assert f"72 cases are worth {effect.effective_cases:,.0f} independent ones (design effect {effect.design_effect:.2f}" in told


def test_the_page_draws_them_and_names_their_papers():
    page = documented(made(), whole=True).sections
    by_name = {each.name: each for each in page}
    assert by_name["clusters"].figure is not None
    (effects,) = by_name["design-effect"].tables
    assert [row[0] for row in effects.rows] == ["Accuracy", "Balanced accuracy"]
    (facts,) = by_name["data"].tables
    assert any("up to 6 rows each" in str(row) for row in facts.rows)
    assert any("Binder DA (1983)" in line for line in by_name["methods"].sentences)


def test_without_clusters_nothing_is_said():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 50)
    document = documented(evaluate(Predictions(truth, truth)), whole=True)
    assert not any("cluster" in each.lower() for each in document.sentences)
    assert not {"clusters", "design-effect"} & {each.name for each in document.sections}
