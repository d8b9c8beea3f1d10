from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import scipy.special

from adjudge.stats import special

SOURCE = Path(special.__file__).parents[1]


def test_every_function_in_use_is_the_one_of_scipy():
    used = {name for path in SOURCE.rglob("*.py") for name in re.findall(r"\bspecial\.([a-z]\w*)\(", path.read_text("utf-8"))}
    assert len(used) > 15
    for name in used - {"_ufuncs"}:
        assert getattr(special, name) is getattr(scipy.special, name), name


def test_functions_in_python_come_from_the_whole_package():
    assert special.logsumexp is scipy.special.logsumexp


def test_a_release_that_keeps_its_functions_elsewhere_is_asked_for_the_whole_package(monkeypatch):
    def absent(name):
        if name == "scipy.special._ufuncs":
            raise ModuleNotFoundError(name)
        return import_module(name)

    monkeypatch.setattr(special, "import_module", absent)
    monkeypatch.delitem(vars(special), "ndtri", raising=False)
    assert special.ndtri is scipy.special.ndtri


def test_an_unknown_function_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_function"):
        special.no_such_function  # noqa: B018 - the access is the test


def test_nothing_is_imported_before_a_function_is_asked_for():
    script = "import sys; from adjudge.stats import special; print('scipy' in sys.modules); special.ndtr(0.0); print('scipy' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "True"]
