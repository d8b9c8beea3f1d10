"""Make plans: by name, from a scikit-learn splitter, or from rows someone chose; the bootstrap is drawn here."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from adjudge._base import InputError, argument, command, counted, dataclass, parameter, quoted, safe
from adjudge._base.arrays import AnyArray, as_array, frozen
from adjudge.resampling.identity import are_classes, classes_of, lacking, numbers_of, row_count
from adjudge.resampling.learner import borrowed, draws_anew, seed_shared, seeded
from adjudge.resampling.plan import Plan, TheRest, row_numbers

ROUNDS = 100
"""Bootstrap rounds: twice the 50 of Efron and Tibshirani (1997), so that chance in the rounds matters less than the cases."""
HOLDOUTS = 10
TEST_SHARE = 1 / 3
MOST_UNITS = 1_000_000  # fits that nobody waits for: a plan of more of them is a slip of the pen
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
    """Return the training rows and test rows of every fold, round or split.

    Parameters
    ----------
    by : str, int, splitter, iterable of pairs, or Plan
        "stratified-10-fold" (10 may be any number, as may every number here), "10-fold", "10x10-fold" (ten times ten folds),
        "grouped-10-fold" (keeps rows of a group together; also "stratified-grouped-10-fold"), "leave-one-out", "holdout" (a third
        is tested), "subsampling-10" (ten holdouts), "bootstrap-100", "bootstrap632", "bootstrap632+"; a number of folds; a
        scikit-learn splitter; pairs (training rows, test rows); or a plan, which is checked against the rows.
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
        told = f" {target.size:,}; give one value per row."
        raise InputError(parameter("X"), f" has {counted(row_count(X), 'row')} and ", parameter("y"), told)
    rows = _Rows(X, target, _checked_groups(groups, target.size), not numeric, seed_of(random_state))
    if isinstance(by, Plan):
        if by.rows != target.size:
            came = f"The plan is for {counted(by.rows, 'row')}, but there are {target.size:,}"
            anew = command("adjudge estimate --save-plan", python="adjudge.plan()")
            raise InputError(came, "; make it for these data with ", anew, ".", parameter="by")
        return _together(by, rows.groups)
    if isinstance(by, (int, np.integer)) and not isinstance(by, bool):
        by = f"stratified-{_within(2, int(by), 'fold')}-fold"
    return _named(by, rows) if isinstance(by, str) else _together(_given(by, rows), rows.groups)


def _together(known: Plan, groups: AnyArray | None) -> Plan:
    """Return a plan someone made, unless it learns from cases of a group and judges others of it."""
    if groups is None:
        return known
    for unit in range(len(known)):
        torn = np.intersect1d(groups[known.train[unit]], groups[known.test[unit]])
        if torn.size:
            msg = f"Unit {unit + 1} of the plan trains and tests on group {quoted(torn[0])}. Use "
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
    told = f" must be a whole number from 0 to 2^32 - 1, a Generator, a RandomState or None; got {random_state!r}."
    raise InputError(parameter("random_state"), told)


def _checked_groups(groups: Any, n: int) -> AnyArray | None:
    if groups is None:
        return None
    values = as_array(groups, "groups")
    if values.shape != (n,):
        raise InputError(parameter("groups"), f" must hold one value per row; got shape {values.shape} for {counted(n, 'row')}.")
    missing = int(np.count_nonzero(lacking(values)))
    if missing:
        msg = f" lack a value in {counted(missing, 'row')}; name the group of each, or leave those rows out."
        raise InputError(parameter("groups"), msg)
    try:
        np.unique(values)
    except TypeError as error:
        msg = f" mix types that cannot be distinguished ({safe(error, 100)}); give groups of one type, e.g. all as text."
        raise InputError(parameter("groups"), msg) from error
    return values


def _named(by: str, rows: _Rows) -> Plan:
    text = by.strip().lower().replace("_", "-").replace(" ", "-")
    ways: tuple[tuple[str, Callable[[re.Match[str], _Rows], Plan]], ...] = (
        (r"(holdout)|(?:random-)?subsampling(?:-(\d+))?", _holdouts),
        (r"(stratified-)?(?:(\d+)x)?(\d+)-fold", _folds),
        (r"(stratified-)?grouped-(\d+)-fold", _grouped),
        (r"leave-one-out|loo", _leave_one_out),
        (r"bootstrap(632\+?)?(?:-(\d+))?", _bootstrap),
    )
    for pattern, make in ways:
        if match := re.fullmatch(pattern, text):
            if rows.groups is not None and make is not _grouped:
                told = (argument("by", by), " does not keep groups together. Use ", argument("by", "grouped-10-fold"))
                raise InputError(*told, ", or leave ", parameter("groups"), " out.")
            return make(match, rows)
    msg, more = f"There is no plan {quoted(by)}. Use {NAMES}, ", "a scikit-learn splitter, or pairs of rows"
    raise InputError(msg, command("or the .json file of one", python=more), ".", parameter="by")


def holdouts(y: AnyArray, *, share: float, times: int, seed: int, strata: bool, name: str) -> Plan:
    """Return `times` random splits that judge a `share` of the rows; stratified where every class can be on both sides."""
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    judged = int(np.ceil(share * y.size))
    _within(1, times, "split")
    if not 0 < judged < y.size:
        told = f"A share of {share:g} of {counted(y.size, 'row')} leaves none for testing or none for training"
        msg = f"{told}; give a share in between."
        raise InputError(msg)
    sizes = np.unique(y, return_counts=True)[1]
    strata = strata and bool(sizes.min() > 1 and sizes.size <= min(judged, y.size - judged))
    splitter = (StratifiedShuffleSplit if strata else ShuffleSplit)(n_splits=times, test_size=judged, random_state=seed)
    learn, judge = zip(*splitter.split(np.zeros(y.size), y), strict=True)
    return Plan(f"{name} (stratified)" if strata else name, y.size, learn, judge, tuple(range(times)), seed)


def _folds(match: re.Match[str], rows: _Rows) -> Plan:
    from sklearn.model_selection import KFold, RepeatedKFold, RepeatedStratifiedKFold, StratifiedKFold

    times = None if match[2] is None else _within(1, int(match[2]), "repetition")
    k, named = _within(2, int(match[3]), "fold"), bool(match[1])
    strata = rows.strata and (named or times is not None)
    if k > rows.n:
        msg = f"{k} folds need at least {k} rows, but there are {rows.n:,}; use fewer folds or "
        raise InputError(msg, argument("by", "leave-one-out"), ".")
    labels, sizes = np.unique(rows.y, return_counts=True)
    if strata and sizes.min() < k:
        at, least = int(np.argmin(sizes)), int(sizes.min())
        msg = f"Class {quoted(labels[at].item())} has {counted(least, 'case')}, fewer than {k} folds: some fold would test none."
        fewer = (argument("by", f"stratified-{least}-fold"), ", ") if least > 1 else ()
        others = (argument("by", f"{k}-fold"), " (not stratified) or ", argument("by", "leave-one-out"))
        raise InputError(msg, " Use ", *fewer, *others, ", or gather more cases of it.")
    if times is None:
        splitter = (StratifiedKFold if strata else KFold)(k, shuffle=True, random_state=rows.seed)
        name = f"stratified-{k}-fold" if strata else f"{k}-fold (numbers have no strata)" if named else f"{k}-fold"
    else:
        splitter = (RepeatedStratifiedKFold if strata else RepeatedKFold)(n_splits=k, n_repeats=times, random_state=rows.seed)
        name = f"{times}x{k}-fold (stratified)" if strata else f"{times}x{k}-fold"
    judge = tuple(test for _, test in splitter.split(np.zeros(rows.n), rows.y))
    return Plan(name, rows.n, TheRest(rows.n, judge), judge, tuple(unit // k for unit in range(len(judge))), rows.seed)


def _grouped(match: re.Match[str], rows: _Rows) -> Plan:
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    k, strata = _within(2, int(match[2]), "fold"), bool(match[1]) and rows.strata
    if rows.groups is None:
        msg = "A grouped plan needs the group of each row; pass "
        raise InputError(msg, argument("groups"), ".")
    different = np.unique(rows.groups).size
    if different < k:
        msg = f"{k} folds need at least {k} groups, but there are {different}; use "
        raise InputError(msg, argument("by", f"grouped-{max(2, different)}-fold"), ".")
    splitter = (StratifiedGroupKFold if strata else GroupKFold)(k, shuffle=True, random_state=rows.seed)
    with warnings.catch_warnings():  # that a class has fewer cases than folds, which findings say of the folds made
        warnings.simplefilter("ignore", UserWarning)
        pairs = [pair for pair in splitter.split(np.zeros(rows.n), rows.y, rows.groups) if pair[1].size]
    return _from_pairs(f"{'stratified-' if strata else ''}grouped-{len(pairs)}-fold", pairs, rows, rows.seed)


def _holdouts(match: re.Match[str], rows: _Rows) -> Plan:
    times = 1 if match[1] else _within(1, int(match[2] or HOLDOUTS), "holdout")
    name = match[1] or f"subsampling-{times}"
    return holdouts(rows.y, share=TEST_SHARE, times=times, seed=rows.seed, strata=rows.strata, name=name)


def _leave_one_out(_: re.Match[str], rows: _Rows) -> Plan:
    judge = tuple(frozen(np.arange(rows.n), np.int64)[:, None])
    return Plan("leave-one-out", rows.n, TheRest(rows.n, judge), judge, (0,) * rows.n, rows.seed)


def _bootstrap(match: re.Match[str], rows: _Rows) -> Plan:
    """Draw n of n rows with replacement, again where none is left out, and judge those not drawn."""
    times = _within(1, int(match[2] or ROUNDS), "round")
    rng, n, learn = np.random.default_rng(rows.seed), rows.n, []
    for _ in range(times):
        draws = (rng.integers(0, n, n) for _ in range(_REDRAWS))
        drawn = next((each for each in draws if np.unique(each).size < n), None)
        if drawn is None:
            msg = f"{counted(n, 'row')} cannot be drawn with replacement so that one is left for testing; give more rows."
            raise InputError(msg)
        learn.append(drawn)
    judge = tuple(np.setdiff1d(np.arange(n), part) for part in learn)
    return Plan(f"bootstrap{match[1] or ''}-{times}", n, learn, judge, tuple(range(times)), rows.seed)


def _within(least: int, value: int, what: str) -> int:
    if value < least:
        msg = f"A plan needs at least {counted(least, what)}, got {value}. Use {NAMES}."
        raise InputError(msg, parameter="by")
    if value > MOST_UNITS:
        msg = f"A plan may have up to {counted(MOST_UNITS, what)}, got {value}. Use fewer."
        raise InputError(msg, parameter="by")
    return value


def _given(by: Any, rows: _Rows) -> Plan:
    if isinstance(by, type):
        msg = f" must be a splitter, not the class {safe(by.__name__)} itself; make one, e.g. KFold(10)."
        raise InputError(parameter("by"), msg)
    splits = callable(getattr(by, "split", None))
    if isinstance(by, bytes) or not (splits or isinstance(by, Iterable)):
        told = f" must be a name, a scikit-learn splitter, pairs of rows or a Plan; got {type(by).__name__}. Names are {NAMES}."
        raise InputError(parameter("by"), told)
    if not splits:
        return _from_pairs("rows as given", by, rows, None)
    seed = rows.seed if draws_anew(by) else None  # a splitter without a seed of its own draws by that of the run
    splitter = by if seed is None else seeded(by, seed)
    with borrowed():
        seed_shared(np.random.SeedSequence(rows.seed))
        try:
            pairs = list(splitter.split(rows.X, rows.y, rows.groups))
        except InputError:
            raise
        except Exception as error:
            msg = f"The splitter {safe(by)} refuses these rows: {safe(str(error).strip().rstrip('.'), 200)}."
            raise InputError(msg, parameter="by") from error
    return _from_pairs(safe(splitter), pairs, rows, seed)


def _from_pairs(name: str, pairs: Iterable[Any], rows: _Rows, seed: int | None) -> Plan:
    """Return the plan of pairs; a new repetition begins with the first unit that judges a row again."""
    learn, judge, repeats = [], [], []
    seen, repeat = np.zeros(rows.n, dtype=bool), 0
    for pair in pairs:
        try:
            own, judged = pair
        except (TypeError, ValueError) as error:
            msg = f"A plan is made of pairs (training rows, test rows); got {safe(repr(pair))}."
            raise InputError(msg, parameter="by") from error
        learn.append(row_numbers(own, rows.n))
        judge.append(part := row_numbers(judged, rows.n))
        inside = part[(part >= 0) & (part < rows.n)]
        if np.any(seen[inside]):
            seen[:] = False
            repeat += 1
        seen[inside] = True
        repeats.append(repeat)
    if not judge:
        msg = " names no rows at all: it is empty. Pass pairs (training rows, test rows), at least one."
        raise InputError(parameter("by"), msg)
    return Plan(name, rows.n, learn, tuple(judge), tuple(repeats), seed)
