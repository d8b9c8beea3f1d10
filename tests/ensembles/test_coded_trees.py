"""Trees grown on bins and told the values: they say of values what they would say of bins."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from adjudge.ensembles.coded_trees import coded_cases


@pytest.mark.parametrize("n", [150, 2_000])
@pytest.mark.parametrize("base", [DecisionTreeClassifier(), DecisionTreeClassifier(max_depth=4), DecisionTreeRegressor()])
def test_values_come_to_the_same_leaves_as_bins(n, base):
    X, y = make_classification(2 * n, 7, n_informative=4, n_classes=3, random_state=4)
    X = X.astype(np.float32)
    learnt, other = X[:n], X[n:]
    labels = np.array(["a", "b", "c"]) if isinstance(base, DecisionTreeClassifier) else None
    cases = coded_cases(learnt, y[:n], labels)
    counts = np.random.default_rng(1).poisson(1, n)
    model = cases.fitted(base, counts, np.random.default_rng(2))
    plain = clone(base).set_params(random_state=model.random_state).fit(cases.codes, y[:n], sample_weight=counts)
    codes = cases.bins.codes(other).T
    for given, coded in ((learnt, cases.codes), (other, codes)):
        wanted = plain.predict(coded)
        assert (model.predict(given) == (wanted if labels is None else labels[wanted])).all()
    assert model.n_features_in_ == 7
    if labels is not None:
        assert model.classes_.tolist() == ["a", "b", "c"]
