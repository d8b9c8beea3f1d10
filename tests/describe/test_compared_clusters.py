"""What a comparison says of rows that belong together, against its own numbers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.clustered_pairs import answers

import adjudge
from adjudge.describe.compared_clusters import more_clusters, of_clusters, of_effective

CLUSTER, TRUTH, A, B = answers(np.random.default_rng(8), [25] * 40)


@pytest.fixture(scope="module")
def undecided():
    a, b = TRUTH.copy(), TRUTH.copy()
    a[CLUSTER % 5 == 0] = 1 - a[CLUSTER % 5 == 0]
    b[CLUSTER % 7 == 0] = 1 - b[CLUSTER % 7 == 0]
    return adjudge.compare(TRUTH, a, b, cluster=CLUSTER, names=["a", "b"])


def test_rows_of_clusters_are_worth_as_many_cases_as_the_result_says(undecided):
    (told,) = of_clusters(undecided)
    clusters = undecided.clusters
    assert f"1,000 rows of 40 clusters (column 'cluster') are worth {clusters.effective_cases:,.3g} independent" in told
    assert told.endswith(f"for the difference: design effect {clusters.design_effect:.3g}.")
    assert of_effective(undecided)


def test_more_cases_come_in_more_clusters(undecided):
    assert undecided.verdict == "undecided"
    about = int(more_clusters(undecided).split()[2].replace(",", ""))
    assert undecided.more_cases / 25 <= about <= 1.1 * undecided.more_cases / 25 + 1
    assert f"more labelled cases{more_clusters(undecided)} would decide" in " ".join(undecided.in_words().split())


@pytest.mark.parametrize("how", [{"cluster": np.arange(TRUTH.size)}, {}])
def test_of_independent_rows_nothing_is_said_of_more_clusters(how):
    found = adjudge.compare(TRUTH, A, B, **how)
    assert not of_effective(found)
    assert more_clusters(found) == ""
    assert len(list(of_clusters(found))) == len(how)


def test_a_ranking_speaks_of_differences():
    ranked = adjudge.rank(TRUTH, A, B, 1 - A, cluster=CLUSTER)
    assert all("independent cases for differences: design effect" in told for told in of_clusters(ranked))
