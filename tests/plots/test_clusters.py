"""Clusters as they are drawn: few by name, many in their order."""

import numpy as np
import pytest

from adjudge import InputError, Predictions, evaluate
from adjudge.plots.drawing import Marks
from adjudge.plots.forest import Forest
from adjudge.plots.pictures import picture


def made(clusters, rows=5):
    rng = np.random.default_rng(clusters)
    truth = rng.integers(0, 2, clusters * rows)
    decided = np.where(rng.random(truth.size) < np.repeat(rng.beta(4, 1, clusters), rows), truth, 1 - truth)
    return evaluate(Predictions(truth, decided, positive=1, cluster=np.repeat([f"P{i}" for i in range(clusters)], rows)))


def test_few_clusters_have_a_row_each_and_all_cases_theirs():
    drawn = picture(made(12), kind="clusters")
    assert isinstance(drawn, Forest)
    assert len(drawn.parts) == 12
    assert drawn.rows[-1].name == "All cases"


@pytest.mark.parametrize(("clusters", "shown"), [(31, 31), (80, 80), (700, 80)])
def test_many_clusters_are_drawn_in_their_order_the_first_and_the_last_among_them(clusters, shown):
    evaluation = made(clusters)
    drawing = picture(evaluation, kind="clusters").drawing
    seen, drawn = (each.points for each in drawing.items if isinstance(each, Marks) and not each.page)
    assert len(seen) == len(drawn) == shown
    assert (drawn[0, 0], drawn[-1, 0]) == (1, clusters)
    assert (np.diff(seen[:, 1]) >= 0).all()
    assert seen[0, 1] == evaluation.clusters.seen[0]
    assert (f"{shown:,} of {clusters:,} drawn" in drawing.panel.x.name) == (shown < clusters)


def test_without_clusters_there_is_nothing_to_draw():
    with pytest.raises(InputError, match="column of clusters"):
        picture(evaluate(Predictions([0, 1, 1], [0, 1, 0])), kind="clusters")
