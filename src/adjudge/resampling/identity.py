"""What makes two runs the same run: data, learner, plan, seed and versions.

A checkpoint may only be continued by the run that began it. Two runs with the same identity give the same digits.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import CellType
from typing import Any

import numpy as np

from adjudge._base.text import safe
from adjudge._base.version import VERSION
from adjudge.resampling.job_files import imports_of
from adjudge.resampling.units import Job

_SHOWN = 12  # digits of a hash that a reader compares


def identity(job: Job) -> dict[str, Any]:
    """Return what a run is, as plain data whose every difference has a name."""
    return {
        "data": digest(job.X, job.y),
        "learner": described(job.learner),
        "plan": job.plan.fingerprint,
        "seed": job.seed,
        "scores": job.scores,
        "versions": {"adjudge": VERSION, "scikit-learn": version("scikit-learn"), "numpy": version("numpy")}
        | _versions(job.learner),
    }


def _versions(learner: Any) -> dict[str, str]:
    """Return the version of every package the learner comes from; of modules without one, a hash of their code."""
    found = {}
    for module in imports_of(learner):
        package = module.partition(".")[0]
        if package == "sklearn" or package in sys.stdlib_module_names:
            continue
        known = _version(package)
        if known is not None:
            found[package] = known
        elif (code := _code(sys.modules.get(module))) is not None:
            found[f"the code of {module}"] = code
    return found


def _version(package: str) -> str | None:
    """Return the version a package was installed with, or the one it names itself, e.g. where it was not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        named = getattr(sys.modules.get(package), "__version__", None)
        return None if named is None else str(named)


def differences(then: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Say in words in which respects two runs are not the same."""
    found = []
    if then["data"] != now["data"]:
        found.append(f"the data differ (SHA-256 {then['data'][:_SHOWN]}, now {now['data'][:_SHOWN]})")
    if then["learner"] != now["learner"]:
        found.append(f"the learner differs ({_told(then['learner'], now['learner'])})")
    if then["seed"] != now["seed"]:
        found.append(f"the seed was {then['seed']}, now {now['seed']}")
    elif then["plan"] != now["plan"]:
        found.append(f"the plan differs (fingerprint {then['plan'][:_SHOWN]}, now {now['plan'][:_SHOWN]})")
    if then["scores"] != now["scores"]:
        found.append(f"scores were asked for as {then['scores']!r}, now {now['scores']!r}")
    for name, current in now["versions"].items():
        if (kept := then["versions"].get(name)) != current:
            found.append(f"{name} was {kept}, now {current}")
    return found


def _told(then: Any, now: Any, name: str = "") -> str:
    """Return the first respect in which two descriptions of learners differ."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*then, *now]):
            if then.get(key) != now.get(key):
                return _told(then.get(key), now.get(key), f"{name}.{key}" if name else str(key))
    return f"{safe(name.replace('params.', '') or 'it')} was {safe(then)}, now {safe(now)}"


def described(value: Any) -> Any:
    """Return a learner or one of its parameters as plain data: what it is, what it was given, the code it is made of."""
    if value is None or isinstance(value, (bool, int, float, str, np.generic)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return [described(item) for item in value]
    if isinstance(value, dict):
        return {str(key): described(item) for key, item in value.items()}
    if hasattr(value, "get_params") and not isinstance(value, type):
        params = {name: described(given) for name, given in sorted(value.get_params(deep=False).items())}
        return {"class": _named(type(value)), "code": _code(type(value)), "params": params}
    if callable(value) and hasattr(value, "__qualname__"):
        return {"callable": _named(value), "code": _code(value), "holds": _held(value)}
    return {"class": _named(type(value)), "code": _code(type(value)), "content": digest(value)}


def _held(function: Any) -> Any:
    """Return what a function carries beside its code: its defaults, what it closed over, the object it is bound to.

    Of functions within only name and code are told, since they may hold one another.
    """
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or () if cell != CellType()]
    bound = getattr(function, "__self__", None)
    defaults = [getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None)]
    parts = [*defaults, *cells, None if inspect.ismodule(bound) or isinstance(bound, type) else bound]
    return [_code(part) if inspect.isroutine(part) else described(part) for part in parts]


def _named(kind: Any) -> str:
    return f"{getattr(kind, '__module__', '')}.{kind.__qualname__}"


def _code(what: Any) -> str | None:
    """Return a hash of the module that defines `what`; of `what` alone where the module is a script or a notebook."""
    try:
        if not inspect.ismodule(what) and getattr(what, "__module__", "__main__") == "__main__":
            parts = [kind for kind in what.__mro__ if kind.__module__ == "__main__"] if isinstance(what, type) else [what]
            source = "".join(map(inspect.getsource, parts)).encode()
        else:
            source = Path(inspect.getsourcefile(what) or "").read_bytes()
    except (OSError, TypeError):  # made at a prompt, or compiled
        return None
    return hashlib.sha256(source).hexdigest()[:_SHOWN]


def digest(*values: Any) -> str:
    """Return the SHA-256 of arrays, sparse matrices, frames or whatever else the data are."""
    total = hashlib.sha256()
    for value in values:
        _add(total, value)
    return total.hexdigest()


def _add(total: Any, value: Any) -> None:
    from scipy import sparse

    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        total.update(f"{value.dtype.str} {value.shape};".encode())
        total.update(np.ascontiguousarray(value).data if value.size else b"")
    elif sparse.issparse(value) and value.format in {"csr", "csc"}:
        total.update(f"{value.format} {value.shape};".encode())
        for part in (value.data, value.indices, value.indptr):
            _add(total, part)
    else:
        import joblib

        # joblib goes through every part of an object; frames and lists give the same hash in another process
        total.update(f"{_named(type(value))} {joblib.hash(value, hash_name='sha1')};".encode())
