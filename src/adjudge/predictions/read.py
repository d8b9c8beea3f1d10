"""Make Predictions out of a path, a frame or arrays: find the roles of the columns, or take those given."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from adjudge._base import DoubtfulRolesError, Finding, InputError, argument, command, listed, parameter
from adjudge.predictions.cells import column_of
from adjudge.predictions.columns import Column
from adjudge.predictions.engines import LazySource, scan
from adjudge.predictions.file_sources import CsvSource
from adjudge.predictions.finding.find import find_roles
from adjudge.predictions.finding.given import find_split, of_all_parts
from adjudge.predictions.headers import refuse_headless, refuse_repeated
from adjudge.predictions.labels import parse
from adjudge.predictions.model import Duplicates, Missing, MissingScores, Predictions, Reading, check_scale
from adjudge.predictions.names import strength
from adjudge.predictions.native import check_aligned, frame_columns, held
from adjudge.predictions.parts import parted
from adjudge.predictions.roles import Roles, Scale
from adjudge.predictions.sources import HEAD, ColumnsSource, Source, base_of, open_path, partial_columns, refuse_partial
from adjudge.predictions.spellings import relabelled, resolved, same

# roles that a column's name alone can speak for
_NAMED = ("predicted", "score", "row", "fold", "group", "weight", "count", "cluster", "run")


def read(
    source: Any,
    *,
    truth: str | None = None,
    predicted: str | None = None,
    scores: Any = None,
    row: str | None = None,
    fold: str | None = None,
    group: str | None = None,
    weight: str | None = None,
    count: str | None = None,
    cluster: str | None = None,
    run: str | None = None,
    split: Any = None,
    classes: Any = None,
    positive: Any = None,
    rejected: Any = None,
    scores_are: Scale | None = None,
    threshold: float | None = None,
    missing: Missing = "error",
    missing_scores: MissingScores = "error",
    duplicates: Duplicates = "error",
    labels_as: Any = None,
    relabel: Any = None,
    engine: str | None = None,
    n_jobs: int | None = None,
) -> Predictions:
    """Return the predictions in a file, a frame or a mapping of arrays.

    Parameters
    ----------
    source : path, dataframe, mapping of arrays, or Predictions
        A .csv, .csv.gz, .tsv or .parquet file, a folder of them or a pattern such as ``"runs/*/preds.parquet"`` (one table, with
        the columns that folders such as ``year=2026`` name), any frame narwhals knows (lazy ones hand over rows as they are
        counted), a pyarrow dataset, any Arrow stream, or a dict of arrays.
    truth, predicted, row, fold, group, weight, count, cluster, run : str, optional
        The column that plays this part. Those left out are found, from values first and names second;
        the evidence is kept in ``.roles`` and printed with it. Doubt is an error that names the arguments to pass. A row, fold,
        group, weight, count, cluster or run given as ``""`` is not looked for, nor are such scores or decisions (without them
        scores decide). A cluster is what rows belong to, such as a patient or a prompt: clusters, and not rows, are then
        independent. Runs are repeated answers to the same cases, such as those of several seeds or annotators: rows with the
        same `row` and another run are no duplicates, and the case is their cluster unless another one is given.
        A count says how many cases each row stands for, as ``COUNT(*)`` of a query grouped by all other columns does; it is no
        weight.
    split : str or mapping, optional
        The column that tells test rows from training rows, found by its values where left out. Test rows are evaluated, without
        them validation rows; ``"set=dev"`` or ``{"set": "dev"}`` takes the rows with that value, ``""`` all rows together.
    scores : str, list or mapping, optional
        One column (two classes), a template such as ``"p_*"``, or ``{class: column}``.
    classes : sequence, optional
        The classes in the order to show them. A label outside them is an error.
    positive, rejected : label, optional
        The class looked for; the value of `predicted` that means "no decision".
    scores_are : str, optional
        "probabilities", "percentages", "votes", "logits", "confidence" (of the decision) or "scores".
    threshold : float, optional
        The score from which on a case is predicted positive; it replaces decisions in the file, and a finding says how many.
    missing : {"error", "drop", "class"}
        What to do about rows without a label.
    missing_scores : {"error", "drop", "worst"}
        What to do about rows without a score; "worst" counts them as wrong as can be.
    duplicates : {"error", "first", "mean"}
        What to do about rows with the same identity.
    labels_as : {None, "str"}
        "str" compares labels as text, so that 1 and "1" are one class.
    relabel : mapping or str, optional
        Labels that mean others, ``{"Yes": 1, "No": 0}`` or ``"Yes=1,No=0"``, in the truth and in the decision.
    engine : {None, "polars", "duckdb", "dask", "pyspark"}
        Who reads the files at a path, if not adjudge itself: also patterns such as ``"year=*/*.parquet"`` and addresses such
        as ``"s3://..."``, as far as the engine knows them. It must be installed.
    n_jobs : int, optional
        How many processes count a large file: as many as there are cores unless given, 1 for none but this one. Any number
        gives the same digits.
    """
    given_roles = (truth, predicted, scores, row, fold, group, weight, count, cluster, run, split, scores_are, engine)
    order = None if classes is None else tuple(classes)
    reading = Reading(order, positive, rejected, threshold, missing, missing_scores, duplicates, labels_as, n_jobs, relabel)
    if isinstance(source, Predictions):
        if any(role is not None for role in given_roles) or reading != Reading():
            msg = "These are Predictions already; say how to read them where they are made."
            raise InputError(msg)
        return source
    check_scale(scores_are)
    if isinstance(predicted, (list, tuple)):
        msg = " names the decisions of one model; several columns of one source are compared by "
        raise InputError(parameter("predicted"), msg, command("adjudge compare", python="adjudge.compare"), ".")
    if engine is not None and not isinstance(source, (str, os.PathLike)):
        raise InputError(argument("engine", engine), f" reads files; a {type(source).__name__} is there already. Leave it out.")
    opened = open_source(source, engine)
    columns = {"truth": truth, "predicted": predicted, "row": row, "fold": fold, "group": group, "weight": weight, "count": count}
    columns |= {"cluster": cluster, "run": run}
    return read_source(opened, reading, columns, scores=scores, scores_are=scores_are, split=split)


def read_source(
    opened: Source,
    reading: Reading,
    named: Mapping[str, Any],
    *,
    scores: Any = None,
    scores_are: Scale | None = None,
    split: Any = None,
) -> Predictions:
    """Return the predictions in a source that is open, of which the columns `named` have roles; the others are found."""
    given = {**named, "scores": _spelt_out(scores, opened.names), "scores_are": scores_are, "classes": reading.classes}
    if reading.relabel and not opened.cells:
        heads = [column_of(name, array) for name, array in opened.head(HEAD).items()]
        reading = replace(reading, relabel=resolved(reading.relabel, heads))
    wanted = given["scores"]
    wanted = wanted.values() if isinstance(wanted, Mapping) else [wanted] if isinstance(wanted, str) else wanted or ()
    used = frozenset(name for name in (*named.values(), *wanted) if name is not None)
    splits = split if isinstance(split, Mapping) else (split, str(split).rpartition("=")[0])
    refuse_partial(opened, {*used, *splits, *_fitting(given["scores"], partial_columns(opened))})
    columns = _columns(opened, reading)
    if not used and isinstance(base_of(opened), CsvSource):
        refuse_headless(opened.name, columns)
    column = find_split(columns, split, used)
    if column is None:
        roles = _found(opened, columns, given)
        findings = (*of_all_parts(columns, split, used), *roles.findings)
        return Predictions.of(opened, replace(roles, findings=()), reading, findings)
    part = parted(opened, column)
    roles = _found(opened, _columns(part.source, reading), given | {"split": column.name})
    findings = (*part.findings, *roles.findings)
    roles = replace(roles, evidence=roles.evidence | {"split": part.evidence}, findings=())
    training = None if part.training is None else Predictions.of(part.training, roles, reading)
    return Predictions.of(part.source, roles, reading, findings, training)


def _fitting(scores: Any, names: Iterable[str]) -> frozenset[str]:
    """Return the names that a template of score columns fits."""
    prefix, star, suffix = scores.partition("*") if isinstance(scores, str) else ("", "", "")
    return frozenset(name for name in names if star and name.startswith(prefix) and name.endswith(suffix))


def _found(source: Source, columns: list[Column], given: dict[str, Any]) -> Roles:
    """Return the roles of columns; one that not all files have gets none, and a finding says so where it is named like a role."""
    partial = partial_columns(source)
    left_out = [f"{listed(partial, 4)} (not in all files in types that go together)"] if partial else []
    named = [name for name in partial if any(strength(role, name) for role in _NAMED)]
    lost = [Finding("A115", f"{partial[name]} It was left out.", "Write it to every file, or to none.", name) for name in named]
    try:
        roles = find_roles(columns, given, left_out)
        if isinstance(base_of(source), CsvSource):
            refuse_repeated(source.name, columns)
        return replace(roles, findings=(*roles.findings, *lost))
    except DoubtfulRolesError as error:
        if not partial:
            raise
        raise DoubtfulRolesError(error.wording, f" Some columns were not looked at: {next(iter(partial.values()))}") from error


def _columns(source: Source, reading: Reading) -> list[Column]:
    """Return the first rows of every column."""
    rejected, columns = reading.rejected, []
    number = None if rejected is None else parse(str(rejected))
    for name, array in source.head(HEAD).items():
        column = column_of(name, array)
        values = column.values
        if rejected is not None and column.kind in ("text", "category"):  # "no decision" is not taken for a class
            values = np.empty(len(column.values), dtype=object)
            values[:] = [None if v is not None and same(v, rejected) else v for v in column.values]
        elif isinstance(number, (int, float)) and column.kind != "vector":
            values = np.where(values == number, np.nan, values)
        columns.append(relabelled(replace(column, values=values), reading.relabel))
    return columns


def _spelt_out(scores: Any, names: tuple[str, ...]) -> Any:
    """Read "a=col1,b=col2" and "col1,col2", unless that is a column's own name."""
    if scores is not None and not isinstance(scores, (str, Mapping, list, tuple)):
        msg = f" names columns: one name, a template such as 'p_*', a list or {{class: column}}; got {type(scores).__name__}."
        raise InputError(parameter("scores"), msg)
    if not isinstance(scores, str) or scores in names or "*" in scores or not set("=,") & set(scores):
        return scores
    parts = [part.strip() for part in scores.split(",")]
    if "=" not in scores:
        return parts
    return {label.strip(): column.strip() for label, _, column in (part.rpartition("=") for part in parts)}


def open_source(source: Any, engine: str | None = None) -> Source:
    """Return the rows of a path, a frame or a mapping of arrays, read by an engine if one is named."""
    if engine is not None:
        return scan(source, engine)
    if isinstance(source, (str, os.PathLike)):
        return open_path(Path(source))
    if isinstance(source, ColumnsSource):
        return source
    if isinstance(source, Mapping):
        check_aligned(source)
        if len({str(name) for name in source}) < len(source):
            msg = "Two columns have the same name as text, such as 1 and '1'; name each column once."
            raise InputError(msg)
        return ColumnsSource("arrays", {str(name): held(values) for name, values in source.items()})
    frame = frame_columns(source)
    if frame is None:
        msg = f"adjudge cannot read a {type(source).__name__}. Give a path, a dataframe, a dict of arrays, "
        raise InputError(msg, "or Predictions(truth, predicted).")
    return ColumnsSource("frame", frame) if isinstance(frame, Mapping) else LazySource("frame", frame)
