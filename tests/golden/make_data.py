"""Write the small files in data/ that the recorded commands read; the same bytes every time, from a seeded generator.

The files were written once and are kept: run this again only to add one.
"""
# ruff: noqa: S311  -- draws of random, unlike those of numpy, are promised to stay the same

from __future__ import annotations

import csv
import gzip
import json
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

DATA = Path(__file__).parent / "data"
Columns = dict[str, list[Any]]


def write(name: str, columns: Columns, delimiter: str = ",") -> None:
    with (DATA / name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def shuffled(columns: Columns, seed: int) -> Columns:
    order = list(range(len(next(iter(columns.values())))))
    random.Random(seed).shuffle(order)
    return {name: [values[i] for i in order] for name, values in columns.items()}


def two_classes(rng: random.Random, truth: Sequence[str], classes: tuple[str, str], skill: float, shift: float = 0.0) -> Columns:
    """Return truth, decision and probabilities of the first of two classes and of the other."""
    logits = [rng.gauss((skill if label == classes[0] else -skill) + shift, 1.3) for label in truth]
    p = [round(1 / (1 + math.exp(-z)), 4) for z in logits]
    predicted = [classes[0] if share >= 0.5 else classes[1] for share in p]
    rest = [round(1 - share, 4) for share in p]
    return {"truth": list(truth), "predicted": predicted, f"p_{classes[0]}": p, f"p_{classes[1]}": rest}


def several_classes(rng: random.Random, truth: Sequence[str], classes: Sequence[str], skill: float) -> list[list[float]]:
    """Return a logit for each class and case."""
    return [[round(rng.gauss(skill if label == name else 0.0, 1.0), 3) for name in classes] for label in truth]


def softmax(logits: Sequence[float]) -> list[float]:
    powers = [math.exp(z) for z in logits]
    shares = [round(power / sum(powers), 4) for power in powers[:-1]]
    return [*shares, round(1 - sum(shares), 4)]


def drawn(rng: random.Random, n: int, **shares: float) -> list[str]:
    return rng.choices(list(shares), list(shares.values()), k=n)


def wards() -> None:
    """Two classes: three classifiers of the same cases, and the same cases in other layouts."""
    rng = random.Random(1)
    truth = drawn(rng, 160, ill=0.35, well=0.65)
    ids = [f"c{i:03d}" for i in range(160)]
    columns = {"id": ids} | two_classes(rng, truth, ("ill", "well"), 1.2)
    write("two.csv", columns)
    newer = {"id": ids} | two_classes(rng, truth, ("ill", "well"), 1.5)
    write("two_new.csv", shuffled(newer, 2))
    write("two_third.csv", shuffled({"id": ids} | two_classes(rng, truth, ("ill", "well"), 0.5, 0.8), 3))
    write("north.csv", {name: values[:70] for name, values in columns.items()})
    write("south.csv", {name: values[70:] for name, values in columns.items()})
    write("two.tsv", columns, "\t")
    (DATA / "two.csv.gz").write_bytes(gzip.compress((DATA / "two.csv").read_bytes(), mtime=0))
    pq.write_table(pa.table(columns), DATA / "two.parquet")
    other_scores(truth, columns)
    flawed(truth, columns)
    with_more_columns(rng, columns, newer)
    write("training.csv", two_classes(rng, truth[:100], ("ill", "well"), 2.4))


def other_scores(truth: list[str], columns: Columns) -> None:
    """The same cases without truth, with one score, with margins, and with the confidence of each decision."""
    write("unlabelled.csv", {name: columns[name][::2] for name in ("id", "p_ill", "p_well")})
    write("one_score.csv", {"y": [int(label == "ill") for label in truth], "score": columns["p_ill"]})
    margins = [round(8 * (p - 0.4), 3) for p in columns["p_ill"]]
    write("margins.csv", {"y": [int(label == "ill") for label in truth], "margin": margins})
    sure = [round(max(p, 1 - p), 4) for p in columns["p_ill"]]
    write("confidence.csv", {"truth": truth, "predicted": columns["predicted"], "confidence": sure})
    undecided = ["REJECTED" if s < 0.6 else d for s, d in zip(sure, columns["predicted"], strict=True)]
    write("rejected.csv", columns | {"predicted": undecided})


def flawed(truth: list[str], columns: Columns) -> None:
    """The same cases with other labels, gaps and repetitions; truth and decision exchanged; one decision for all."""
    write(
        "relabel.csv",
        {"truth": [{"ill": "Yes", "well": "No"}[x] for x in truth], "predicted": [int(p >= 0.5) for p in columns["p_ill"]]},
    )
    write(
        "spelled.csv",
        {"truth": [" Ill" if i % 40 == 3 and x == "ill" else x for i, x in enumerate(truth)], "predicted": columns["predicted"]},
    )
    gaps = columns | {"truth": ["" if i % 31 == 5 else x for i, x in enumerate(truth)]}
    write("missing.csv", gaps)
    holes = {name: ["" if i % 29 == 7 else x for i, x in enumerate(columns[name])] for name in ("p_ill", "p_well")}
    write("missing_scores.csv", columns | holes)
    write("twice.csv", {name: values[:80] + values[60:70] for name, values in columns.items()})
    write("labels.csv", {name: gaps[name] for name in ("id", "truth", "predicted")})
    write(
        "swapped.csv", {"truth": columns["predicted"], "predicted": truth, "p_ill": columns["p_ill"], "p_well": columns["p_well"]}
    )
    write("constant.csv", {"truth": truth, "predicted": ["well"] * 160})
    write("perfect.csv", {"truth": truth[:30], "predicted": truth[:30]})


def with_more_columns(rng: random.Random, columns: Columns, newer: Columns) -> None:
    """The same cases with groups, weights, folds, patients, and test rows beside training rows."""
    patients = [f"p{i // 4}" for i in range(160)]
    ward = {"ward": [f"ward{i % 4}" for i in range(160)]}
    weights = {"w": [round(rng.choice((0.5, 1.0, 1.0, 2.5)), 1) for _ in range(160)]}
    folds = {"fold": [i % 5 for i in range(160)]}
    write("wards.csv", columns | ward)
    write("weighted.csv", columns | weights)
    write("folds.csv", columns | folds)
    write("wards_weighted_folds.csv", columns | ward | weights | folds)
    write("patients.csv", columns | {"patient": patients})
    write("patients_new.csv", newer | {"patient": patients})
    runs(columns)
    parts = ["train" if i % 2 else "test" if i % 4 else "dev" for i in range(160)]
    write("split.csv", columns | {"set": parts})


def runs(columns: Columns) -> None:
    """Three answers to each of forty of the cases, and those of a second model."""
    rng = random.Random(15)
    for name, sure in (("answers.csv", 0.8), ("answers_new.csv", 0.9)):
        rows = [(i, run) for i in range(40) for run in range(1, 4)]
        truth = [columns["truth"][i] for i, _ in rows]
        said = [x if rng.random() < sure + 0.1 * (i % 3 - 1) else "well" for x, (i, _) in zip(truth, rows, strict=True)]
        named = {"prompt": [f"q{i:02d}" for i, _ in rows], "run": [run for _, run in rows]}
        write(name, named | {"truth": truth, "predicted": said, "p_ill": [round(0.1 + 0.8 * (x == "ill"), 1) for x in said]})


def frauds() -> None:
    """A class of nine among 400."""
    rng = random.Random(4)
    truth = ["fraud"] * 9 + ["fine"] * 391
    rng.shuffle(truth)
    write("rare.csv", two_classes(rng, truth, ("fraud", "fine"), 1.0, -1.8))


def species() -> None:
    """Three classes as probabilities, logits, percentages and votes; a dozen classes as labels."""
    rng = random.Random(5)
    classes = ("a", "b", "c")
    truth = drawn(rng, 150, a=0.5, b=0.3, c=0.2)
    ids = list(range(1, 151))
    for name, skill in (("three.csv", 1.6), ("three_new.csv", 2.2)):
        logits = several_classes(rng, truth, classes, skill)
        shares = [softmax(row) for row in logits]
        predicted = [classes[row.index(max(row))] for row in shares]
        wide = {f"p_{c}": [row[k] for row in shares] for k, c in enumerate(classes)}
        write(name, {"case": ids, "truth": truth, "predicted": predicted} | wide)
        if name == "three.csv":
            write("logits.csv", {"truth": truth} | {f"z_{c}": [row[k] for row in logits] for k, c in enumerate(classes)})
            tenths = [[round(100 * x, 1) for x in row[:2]] for row in shares]
            write(
                "percent.csv",
                {
                    "truth": truth,
                    "a": [r[0] for r in tenths],
                    "b": [r[1] for r in tenths],
                    "c": [round(100 - sum(r), 1) for r in tenths],
                },
            )
    votes = [[sum(draw == c for draw in rng.choices(classes, row, k=11)) for c in classes] for row in shares]
    write("votes.csv", {"truth": truth} | {c: [row[k] for row in votes] for k, c in enumerate(classes)})
    names = [f"k{i:02d}" for i in range(12)]
    many = [names[min(int(rng.expovariate(0.25)), 11)] for _ in range(300)]
    write("many.csv", {"truth": many, "predicted": [x if rng.random() < 0.7 else rng.choice(names) for x in many]})


def amounts() -> None:
    """Numbers to be predicted, by two models; cases to learn from, with a number and with groups."""
    rng = random.Random(6)
    truth = [round(rng.gauss(50, 12), 2) for _ in range(120)]
    for name, noise in (("numbers.csv", 5.0), ("numbers_new.csv", 3.0)):
        write(name, {"id": list(range(120)), "truth": truth, "predicted": [round(t + rng.gauss(0.5, noise), 2) for t in truth]})
    x = [[round(rng.gauss(0, 1), 3) for _ in range(3)] for _ in range(90)]
    y = [round(2 * r[0] - r[1] + rng.gauss(0, 0.5), 3) for r in x]
    kinds = ["up" if value > 0.3 else "down" for value in y]
    inputs = {f"x{k}": [r[k] for r in x] for k in range(3)}
    write("learn.csv", inputs | {"site": [f"s{i % 9}" for i in range(90)], "note": ["n"] * 90, "kind": kinds})
    write("learn_number.csv", inputs | {"y": y})


def counted() -> None:
    """Write tables of one row per combination: of labels, and of rounded scores with a group."""
    (DATA / "cells.csv").write_text(
        "truth,predicted,n\nill,ill,5012\nill,well,701\nwell,ill,38\nwell,well,9307\n", encoding="utf-8"
    )
    rng = random.Random(11)
    rows = [(y, i / 20, site) for i in range(21) for y in (0, 1) for site in ("a", "b")]
    n = [rng.randrange(1, 60) * (i if y else 20 - i) for i in range(21) for y in (0, 1) for _ in ("a", "b")]
    columns = {name: [row[at] for row in rows] for at, name in enumerate(("y", "score", "site"))}
    write("rounded.csv", columns | {"cases": n})


def more() -> None:
    """Probabilities that are too high for one class, labels that are hard to show, and a folder of files."""
    rng = random.Random(7)
    truth = drawn(rng, 240, ill=0.3, well=0.7)
    columns = two_classes(rng, truth, ("ill", "well"), 1.2, 1.6)
    write("biased.csv", columns)
    (DATA / "parts").mkdir(exist_ok=True)
    for name, rows in (("a", slice(100)), ("b", slice(100, 240))):
        pq.write_table(pa.table({key: values[rows] for key, values in columns.items()}), DATA / "parts" / f"{name}.parquet")
    spelled = {"ill": "<b>krank & müde</b>", "well": 'gesund, "fit"'}
    write(
        "hostile.csv", {"truth": [spelled[x] for x in truth[:60]], "predicted": [spelled[x] for x in columns["predicted"][:60]]}
    )


def asides() -> None:
    """Files that are no predictions: costs, rules, and what must be refused."""
    costs = {"ill": {"well": 5, "REJECTED": 0.4}, "well": {"ill": 1, "REJECTED": 0.4}}
    (DATA / "costs.json").write_text(json.dumps(costs) + "\n", encoding="utf-8")
    (DATA / "rules.toml").write_text('require = ["accuracy >= 0.7", "above chance"]\n', encoding="utf-8")
    (DATA / "empty.csv").write_text("truth,predicted\n", encoding="utf-8")
    (DATA / "ragged.csv").write_text("truth,predicted\na,a\nb\nb,b,b\n", encoding="utf-8")
    (DATA / "ambiguous.csv").write_text("label1,label2,x\na,b,1\nb,b,2\na,a,3\n" * 5, encoding="utf-8")


if __name__ == "__main__":
    DATA.mkdir(exist_ok=True)
    for make in (wards, frauds, species, amounts, counted, more, asides):
        make()
