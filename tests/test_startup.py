"""Importing adjudge and asking for help must stay cheap: nothing heavy is loaded."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import adjudge

HEAVY = {
    "tempfile",
    "hashlib",
    "html",
    "scipy.stats",
    "sklearn",
    "pandas",
    "matplotlib",
    "numpy",
    "pyarrow",
    "scipy",
    "narwhals",
    "jinja2",
    "rich",
    "polars",
}


@pytest.mark.parametrize(
    "code",
    ["import adjudge", "import adjudge.cli", "from adjudge.cli import main; main(['report', '--help'], standalone_mode=False)"],
)
def test_nothing_heavy_is_loaded(code):
    script = f"{code}\nimport sys; print('|' + ','.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert HEAVY & set(out.rpartition("|")[2].strip().split(",")) == set()


def test_evaluating_a_file_loads_neither_scipy_stats_nor_sklearn_nor_matplotlib_nor_narwhals(write_csv):
    path = write_csv({"truth": ["a", "b"] * 20, "predicted": ["a", "b"] * 20})
    script = f"import adjudge, sys; adjudge.evaluate({str(path)!r}).to_html(); print(','.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert {"scipy.stats", "sklearn", "matplotlib", "pandas", "narwhals"} & set(out.strip().split(",")) == set()


def test_a_report_loads_neither_scipy_optimize_nor_pandas_nor_what_runs_learners(write_csv):
    rows = {"truth": ["a", "b"] * 20, "predicted": ["a", "b"] * 20, "p_a": [0.9, 0.2] * 20, "p_b": [0.1, 0.8] * 20}
    script = f"import adjudge, sys; adjudge.report({str(write_csv(rows))!r}).to_html(); print(','.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    heavy = {"scipy.optimize", "scipy.stats", "sklearn", "matplotlib", "pandas", "narwhals", "pyarrow.parquet", "multiprocessing"}
    assert heavy & set(out.strip().split(",")) == set()


def test_a_command_loads_the_compiled_functions_of_scipy_special_and_nothing_else_of_it(write_csv):
    path = write_csv({"truth": ["a", "b"] * 20, "predicted": ["a", "b"] * 20, "p_a": [0.9, 0.2] * 20, "p_b": [0.1, 0.8] * 20})
    script = f"""
import sys
from adjudge.cli import main
main(["report", {str(path)!r}, "-o", {str(path.with_suffix(".html"))!r}], standalone_mode=False)
print("|" + ",".join(sys.modules))
from adjudge.stats import special
import numpy, scipy.special
assert numpy.testing.assert_equal and numpy.f2py.run_main  # they are there as soon as they are asked for
assert scipy.special.ndtr is special.ndtr and scipy.special.logsumexp([0.0]) == 0 and scipy.special.orthogonal
"""
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    loaded = set(out.rpartition("|")[2].strip().split(","))
    assert {
        "unittest",
        "numpy.f2py.crackfortran",
        "scipy.stats",
        "scipy.special._basic",
        "scipy._lib._array_api",
    } & loaded == set()
    assert "scipy.special._ufuncs" in loaded


@pytest.mark.parametrize(("command", "threads"), [("evaluate", "1"), ("estimate", None)])
def test_only_commands_that_fit_learners_start_threads_for_algebra(command, threads):
    script = f"""
import os, sys
from adjudge.cli import main
try:
    main([{command!r}, "absent.csv", "--learner", "x", "--target", "y"] if {command!r} == "estimate" else [{command!r}, "absent.csv"])
except SystemExit as end:
    assert end.code == 2
print("|", os.environ.get("OPENBLAS_NUM_THREADS"))
"""
    given = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=given).stdout
    assert out.rpartition("|")[2].strip() == str(threads)


def test_a_measure_of_a_table_loads_few_modules_and_nothing_that_reads_files():
    script = "import adjudge, sys; adjudge.measure([[40, 5], [8, 20]], 'mcc'); print(','.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip().split(",")
    assert not {"pyarrow", "narwhals", "scipy.stats", "sklearn"} & set(loaded)
    assert sum(name.split(".")[0] == "adjudge" for name in loaded) <= 60


def test_every_public_name_is_there_and_documented():
    for name in adjudge.__all__:
        assert getattr(adjudge, name).__doc__, name
    assert set(adjudge.__all__) <= set(dir(adjudge))


def test_the_table_of_measures_stays_callable_after_everything_is_imported():
    adjudge.evaluate(adjudge.Predictions(["a", "b"], ["a", "b"]))
    assert "accuracy" in {m.name for m in adjudge.measures()}


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'acuracy'"):
        adjudge.acuracy  # noqa: B018 - the access is the test
