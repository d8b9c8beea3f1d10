"""The evaluations that descriptions are tested with, for their renderers."""

from tests.describe.conftest import dna, kinds, make_many, make_three  # noqa: F401 - fixtures
