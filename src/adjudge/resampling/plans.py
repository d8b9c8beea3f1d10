"""Make plans: by name, from a scikit-learn splitter, or from rows someone chose.

The splits are scikit-learn's; it lacks the bootstrap, which is drawn here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, parameter, wording
from adjudge._base.arrays import AnyArray, IntArray, frozen
from adjudge._base.errors import InputError
from adjudge._base.text import counted, quoted, safe
from adjudge.resampling.global_rng import borrowed, draws_anew, seed_shared, seeded
from adjudge.resampling.identity import are_classes, classes_of, lacking, numbers_of, row_count
from adjudge.resampling.plan import Plan, TheRest, row_numbers

ROUNDS = 100
"""Bootstrap rounds: twice the 50 of Efron and Tibshirani (1997), so that chance in the rounds matters less than the cases."""
HOLDOUTS = 10
TEST_SHARE = 1 / 3
MOST_UNITS = 1_000_000
"""Fits that nobody waits for: a plan of more of them is a slip of the pen."""
_REDRAWS = 1000
_SEEDS = 2**32
NAMES = (
    "'stratified-10-fold', '10-fold', '10x10-fold', 'grouped-10-fold', 'leave-one-out', 'holdout', 'subsampling-10', "
    "'bootstrap-100', 'bootstrap632' or 'bootstrap632+'"
)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """What a plan is made from."""

    X: Any
    y: AnyArray
    groups: AnyArray | None
    strata: bool
    seed: int

    @property
    def n(self) -> int:
        return self.y.size


def plan(by: Any, X: Any, y: Any, *, random_state: Any = None, groups: Any = None, numeric: bool | None = None) -> Plan:
    """Decide which rows are learnt from and which are judged.

    Parameters
    ----------
    by : str, int, splitter, iterable of pairs, or Plan
        "stratified-10-fold" (10 may be any number, as may every number here), "10-fold", "10x10-fold" (ten times ten folds),
        "grouped-10-fold" (keeps rows of a group together), "leave-one-out", "holdout" (a third is judged), "subsampling-10"
        (ten holdouts), "bootstrap-100", "bootstrap632", "bootstrap632+"; a number of folds; a scikit-learn splitter; pairs
        (rows to learn from, rows to judge); or a plan, which is checked against the rows.
    X, y : table and target
        One row and one value per case.
    random_state : int, Generator, RandomState or None
        What to draw with; None draws anew each time. The number used is kept in the plan.
    groups : array-like, optional
        The group of each row, for plans that keep groups together.
    numeric : bool, optional
        Whether `y` holds numbers rather than classes; found from `y` if left out. Classes are stratified.

    >>> plan("4-fold", [[0], [1], [2], [3]], list("abab"), random_state=0).kind
    'leave-one-out'
    """
    numeric = not are_classes(y) if numeric is None else numeric
    target = numbers_of(y) if numeric else classes_of(y)[0]
    if row_count(X) != target.size:
        msg = f"X has {counted(row_count(X), 'row')} and y {target.size:,}; give one value per row."
        raise InputError(msg)
    rows = _Rows(X, target, _checked_groups(groups, target.size), not numeric, seed_of(random_state))
    if isinstance(by, Plan):
        return _together(_checked(by, target.size), rows.groups)
    if isinstance(by, (int, np.integer)) and not isinstance(by, bool):
        by = f"stratified-{_within(2, int(by), 'fold')}-fold"
    if isinstance(by, str):
        return _named(by, rows)
    return _together(_given(by, rows), rows.groups)


def _together(known: Plan, groups: AnyArray | None) -> Plan:
    """Return a plan someone made, unless it learns from cases of a group and judges others of it."""
    for unit in range(len(known) if groups is not None else 0):
        assert groups is not None
        torn = np.intersect1d(groups[known.learn[unit]], groups[known.judge[unit]])
        if torn.size:
            msg = f"Unit {unit + 1} of the plan learns from and judges group {quoted(torn[0])}. Use "
            raise InputError(msg, argument("by", "grouped-10-fold"), ", or leave ", parameter("groups"), " out.")
    return known


def seed_of(random_state: Any) -> int:
    """Return one number to draw everything with."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_SEEDS))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, _SEEDS, dtype=np.int64))
    if isinstance(random_state, (int, np.integer)) and 0 <= random_state < _SEEDS:
        return int(random_state)
    msg = wording(
        parameter("random_state"),
        f" must be a whole number from 0 to 2^32 - 1, a Generator, a RandomState or None; got {random_state!r}.",
    )
    raise InputError(msg)


def _checked(known: Plan, n: int) -> Plan:
    if known.rows != n:
        msg = f"The plan is for {counted(known.rows, 'row')}, but there are {n:,}; make it for these data with adjudge.plan()."
        raise InputError(msg)
    return known


def _checked_groups(groups: Any, n: int) -> AnyArray | None:
    if groups is None:
        return None
    try:
        values = np.asarray(groups)
    except ValueError as error:
        msg = "groups must hold one value per row; got rows of different lengths."
        raise InputError(msg) from error
    if values.shape != (n,):
        msg = f"groups must hold one value per row; got shape {values.shape} for {counted(n, 'row')}."
        raise InputError(msg)
    missing = int(np.count_nonzero(lacking(values)))
    if missing:
        msg = f"groups lack a value in {counted(missing, 'row')}; name the group of each, or leave those rows out."
        raise InputError(msg)
    try:
        np.unique(values)
    except TypeError as error:
        msg = f"groups mix types that cannot be told apart ({safe(error, 100)}); give groups of one type, e.g. all as text."
        raise InputError(msg) from error
    return values


# -- by name -------------------------------------------------------------------------------------------------


def _named(by: str, rows: _Rows) -> Plan:
    text = by.strip().lower().replace("_", "-").replace(" ", "-")
    for pattern, make in _ways():
        found = re.fullmatch(pattern, text)
        if found:
            if rows.groups is not None and make is not _grouped:
                kept = argument("by", "grouped-10-fold")
                told = (argument("by", by), " does not keep groups together. Use ", kept)
                msg = wording(*told, ", or leave ", parameter("groups"), " out.")
                raise InputError(msg)
            return make(found, rows)
    msg = f"There is no plan {quoted(by)}. Use {NAMES}, a scikit-learn splitter, or pairs of rows."
    raise InputError(msg)


def _ways() -> tuple[tuple[str, Callable[[re.Match[str], _Rows], Plan]], ...]:
    return (
        (r"holdout", _holdout),
        (r"(?:random-)?subsampling(?:-(\d+))?", _subsampling),
        (r"(stratified-)?(\d+)-fold", _folds),
        (r"(?:stratified-)?(\d+)x(\d+)-fold", _repeated),
        (r"grouped-(\d+)-fold", _grouped),
        (r"leave-one-out|loo", _leave_one_out),
        (r"bootstrap(632\+?)?(?:-(\d+))?", _bootstrap),
    )


def _holdout(_: re.Match[str], rows: _Rows) -> Plan:
    return holdouts(rows.y, share=TEST_SHARE, times=1, seed=rows.seed, strata=rows.strata, name="holdout")


def _subsampling(found: re.Match[str], rows: _Rows) -> Plan:
    times = _within(1, int(found[1] or HOLDOUTS), "holdout")
    return holdouts(rows.y, share=TEST_SHARE, times=times, seed=rows.seed, strata=rows.strata, name=f"subsampling-{times}")


def holdouts(y: AnyArray, *, share: float, times: int, seed: int, strata: bool, name: str) -> Plan:
    """Return `times` random splits that judge a `share` of the rows; stratified where every class can be on both sides."""
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    judged = int(np.ceil(share * y.size))
    _within(1, times, "split")
    if not 0 < judged < y.size:
        told = f"A share of {share:g} of {counted(y.size, 'row')} leaves none to judge or none to learn from"
        msg = f"{told}; give a share in between."
        raise InputError(msg)
    strata = strata and _can_be_stratified(y, judged)
    splitter = (StratifiedShuffleSplit if strata else ShuffleSplit)(n_splits=times, test_size=judged, random_state=seed)
    pairs = list(splitter.split(np.zeros(y.size), y))
    learn, judge = zip(*pairs, strict=True)
    return Plan(f"{name} (stratified)" if strata else name, y.size, learn, judge, tuple(range(times)), seed)


def _can_be_stratified(y: AnyArray, judged: int) -> bool:
    _, sizes = np.unique(y, return_counts=True)
    return bool(sizes.min() > 1 and sizes.size <= min(judged, y.size - judged))


def _folds(found: re.Match[str], rows: _Rows) -> Plan:
    from sklearn.model_selection import KFold, StratifiedKFold

    k = _within(2, int(found[2]), "fold")
    strata = bool(found[1]) and rows.strata
    _check_folds(k, rows, strata=strata)
    splitter = (StratifiedKFold if strata else KFold)(k, shuffle=True, random_state=rows.seed)
    name = f"stratified-{k}-fold" if strata else f"{k}-fold (numbers have no strata)" if found[1] else f"{k}-fold"
    return _from_pairs(name, splitter.split(np.zeros(rows.n), rows.y), rows, rows.seed)


def _repeated(found: re.Match[str], rows: _Rows) -> Plan:
    from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

    times, k = _within(1, int(found[1]), "repetition"), _within(2, int(found[2]), "fold")
    _check_folds(k, rows, strata=rows.strata)
    splitter = (RepeatedStratifiedKFold if rows.strata else RepeatedKFold)(n_splits=k, n_repeats=times, random_state=rows.seed)
    name = f"{times}x{k}-fold (stratified)" if rows.strata else f"{times}x{k}-fold"
    judge = tuple(test for _, test in splitter.split(np.zeros(rows.n), rows.y))
    return _rest_of(name, judge, tuple(unit // k for unit in range(len(judge))), rows)


def _rest_of(name: str, judge: tuple[IntArray, ...], repeat: tuple[int, ...], rows: _Rows) -> Plan:
    return Plan(name, rows.n, TheRest(rows.n, judge), judge, repeat, rows.seed)


def _grouped(found: re.Match[str], rows: _Rows) -> Plan:
    from sklearn.model_selection import GroupKFold

    k = _within(2, int(found[1]), "fold")
    if rows.groups is None:
        msg = wording("A grouped plan needs the group of each row; pass ", argument("groups"), ".")
        raise InputError(msg)
    different = np.unique(rows.groups).size
    if different < k:
        fewer = argument("by", f"grouped-{max(2, different)}-fold")
        msg = wording(f"{k} folds need at least {k} groups, but there are {different}; use ", fewer, ".")
        raise InputError(msg)
    splitter = GroupKFold(k, shuffle=True, random_state=rows.seed)
    return _from_pairs(f"grouped-{k}-fold", splitter.split(np.zeros(rows.n), rows.y, rows.groups), rows, rows.seed)


def _leave_one_out(_: re.Match[str], rows: _Rows) -> Plan:
    judge = tuple(frozen(np.arange(rows.n), np.int64)[:, None])
    return _rest_of("leave-one-out", judge, (0,) * rows.n, rows)


def _bootstrap(found: re.Match[str], rows: _Rows) -> Plan:
    """Draw n of n rows with replacement, round by round, and judge those not drawn."""
    times = _within(1, int(found[2] or ROUNDS), "round")
    rng = np.random.default_rng(rows.seed)
    learn = tuple(_drawn(rows.n, rng) for _ in range(times))
    judge = tuple(np.setdiff1d(np.arange(rows.n), part) for part in learn)
    return Plan(f"bootstrap{found[1] or ''}-{times}", rows.n, learn, judge, tuple(range(times)), rows.seed)


def _drawn(n: int, rng: np.random.Generator) -> IntArray:
    """Return n draws that leave at least one row out; those that leave none, likely for a few rows only, are drawn again."""
    for _ in range(_REDRAWS):
        rows = rng.integers(0, n, n)
        if np.unique(rows).size < n:
            return rows
    msg = f"{counted(n, 'row')} cannot be drawn with replacement so that one is left to judge; give more rows."
    raise InputError(msg)


def _within(least: int, value: int, what: str) -> int:
    if value < least:
        msg = f"A plan needs at least {counted(least, what)}, got {value}. Use {NAMES}."
        raise InputError(msg)
    if value > MOST_UNITS:
        msg = f"A plan may have up to {counted(MOST_UNITS, what)}, got {value}. Use fewer."
        raise InputError(msg)
    return value


def _check_folds(k: int, rows: _Rows, *, strata: bool) -> None:
    if k > rows.n:
        msg = wording(
            f"{k} folds need at least {k} rows, but there are {rows.n:,}; use fewer folds or ",
            argument("by", "leave-one-out"),
            ".",
        )
        raise InputError(msg)
    if not strata:
        return
    labels, sizes = np.unique(rows.y, return_counts=True)
    if sizes.min() < k:
        at, least = int(np.argmin(sizes)), int(sizes.min())
        fewer = (argument("by", f"stratified-{least}-fold"), ", ") if least > 1 else ()
        msg = wording(
            f"Class {quoted(labels[at].item())} has {counted(least, 'case')}, fewer than {k} folds: some fold would judge none. ",
            "Use ",
            *fewer,
            argument("by", f"{k}-fold"),
            " (not stratified) or ",
            argument("by", "leave-one-out"),
            ", or gather more cases of it.",
        )
        raise InputError(msg)


# -- from others ---------------------------------------------------------------------------------------------


def _given(by: Any, rows: _Rows) -> Plan:
    if isinstance(by, type):
        msg = f"by must be a splitter, not the class {safe(by.__name__)} itself; make one, e.g. KFold(10)."
        raise InputError(msg)
    if callable(getattr(by, "split", None)) and not isinstance(by, bytes):
        return _split(by, rows)
    if isinstance(by, Iterable) and not isinstance(by, bytes):
        return _from_pairs("rows as given", by, rows, None)
    msg = wording(
        parameter("by"),
        f" must be a name, a scikit-learn splitter, pairs of rows or a Plan; got {type(by).__name__}. Names are {NAMES}.",
    )
    raise InputError(msg)


def _split(by: Any, rows: _Rows) -> Plan:
    """Return the plan of a splitter; where it draws without a seed of its own, it draws by the seed of the run."""
    seed = rows.seed if draws_anew(by) else None
    splitter = by if seed is None else seeded(by, seed)
    with borrowed():
        seed_shared(np.random.SeedSequence(rows.seed))
        try:
            pairs = list(splitter.split(rows.X, rows.y, rows.groups))
        except InputError:
            raise
        except Exception as error:
            msg = f"The splitter {safe(by)} refuses these rows: {safe(str(error).strip().rstrip('.'), 200)}."
            raise InputError(msg) from error
    return _from_pairs(safe(splitter), pairs, rows, seed)


def _from_pairs(name: str, pairs: Iterable[Any], rows: _Rows, seed: int | None) -> Plan:
    units = [_pair(pair, rows.n) for pair in pairs]
    if not units:
        msg = "by names no rows at all: it is empty. Pass pairs (rows to learn from, rows to judge), at least one."
        raise InputError(msg)
    learn, judge = zip(*units, strict=True)
    return Plan(name, rows.n, learn, judge, _repeats(judge, rows.n), seed)


def _pair(pair: Any, n: int) -> tuple[IntArray, IntArray]:
    try:
        learn, judge = pair
    except (TypeError, ValueError) as error:
        msg = f"A plan is made of pairs (rows to learn from, rows to judge); got {safe(repr(pair))}."
        raise InputError(msg) from error
    return row_numbers(learn, n), row_numbers(judge, n)


def _repeats(judge: tuple[IntArray, ...], n: int) -> tuple[int, ...]:
    """Return the repetition of each unit: a new one begins with the first unit that judges a row again."""
    seen, repeat, found = np.zeros(n, dtype=bool), 0, []
    for part in judge:
        inside = part[(part >= 0) & (part < n)]
        if np.any(seen[inside]):
            seen[:] = False
            repeat += 1
        seen[inside] = True
        found.append(repeat)
    return tuple(found)
