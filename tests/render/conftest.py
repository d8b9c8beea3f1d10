"""The evaluations that descriptions are tested with; draw without a screen, and leave no figure open."""

import matplotlib as mpl
import pytest
from tests.describe.conftest import dna, kinds, make_many, make_three  # noqa: F401 - fixtures

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    from matplotlib import pyplot as plt

    plt.close("all")
