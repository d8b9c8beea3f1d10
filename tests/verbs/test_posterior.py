"""The posterior of a count measure: of one table or many, of predictions, over the levels of a column."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from adjudge import ConfusionCounts, InputError, Posterior, Posteriors, Predictions, posterior

TABLE = [[40, 5], [8, 2]]
SITES = {"x": ConfusionCounts([[95, 0], [5, 0]]), "y": ConfusionCounts([[0, 5], [0, 95]])}


def rows_of(tables):
    """Return truth, decision and level of each case of some tables."""
    cells = [(t, p, level) for level, table in tables.items() for (t, p), n in np.ndenumerate(table.cells) for _ in range(n)]
    truth, predicted, level = zip(*cells, strict=True)
    return {"truth": truth, "predicted": predicted, "site": level}


def test_the_accuracy_has_the_beta_of_its_counts():
    for source in (TABLE, np.array(TABLE), ConfusionCounts(TABLE), rows_of({"x": ConfusionCounts(TABLE)})):
        found = posterior(source, "accuracy", prior=(2, 5))
        assert isinstance(found, Posterior)
        np.testing.assert_allclose([found.ppf(q) for q in (0.05, 0.9)], stats.beta(42 + 2, 13 + 5).ppf([0.05, 0.9]), rtol=1e-9)


def test_the_class_asked_for_is_spoken_of():
    found = posterior(TABLE, "sensitivity", positive=0, prior="flat")
    assert found.mean == pytest.approx(41 / 47, rel=1e-12)
    assert found.of == 0


def test_many_tables_have_many_answers():
    many = [TABLE, [[69, 1], [1, 69]]]
    for tables in (many, np.array(many), tuple(many)):
        found = posterior(tables, prior="flat")
        assert isinstance(found, Posteriors)
        assert found.mean == pytest.approx([(41 / 47 + 3 / 12) / 2, 70 / 72], rel=1e-12)


def test_the_column_is_named_or_the_tables_are_given():
    by_name = posterior(rows_of(SITES), by="site")
    assert by_name.mean == pytest.approx(posterior(sum(SITES.values()), by=SITES).mean, rel=1e-12)
    assert {finding.code for finding in by_name.findings} == {"A501", "A505"}
    rows = rows_of(SITES)
    held = Predictions(rows["truth"], rows["predicted"], group=rows["site"])
    assert posterior(held, by=held.roles.group).mean == by_name.mean


@pytest.mark.parametrize(
    ("source", "by", "told"),
    [
        (TABLE, "site", "A confusion table has no column 'site'; pass the predictions"),
        (ConfusionCounts(TABLE), "site", "A confusion table has no column 'site'; pass the predictions"),
        ({"truth": [0, 1], "predicted": [0, 1]}, "site", "There is no column 'site'; there are 'truth', 'predicted'."),
        ({"truth": [0, 1], "predicted": [0, 1]}, "truth", "Column 'truth' is the truth or the decision itself"),
        ({"truth": [0, 1], "predicted": [0, 1]}, "predicted", "Column 'predicted' is the truth or the decision itself"),
        ([TABLE], "site", "by= goes with one table; ask for the posterior of each table by itself."),
        ([[1, 2], [3]], None, "A confusion table has as many cells in each row as there are classes; got [[1, 2], [3]]."),
        ("no_such_file.csv", None, "No file 'no_such_file.csv'"),
    ],
)
def test_what_has_no_posterior_is_refused_as_it_came(source, by, told):
    with pytest.raises(InputError) as refused:
        posterior(source, by=by)
    assert str(refused.value).startswith(told)
