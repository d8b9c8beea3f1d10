"""The first line of a CSV file that is a row, and rows that repeat the header, are refused; legal headers never are."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from adjudge import InputError, evaluate, read
from adjudge.cli import main

PAIRS = [("a", "b"), ("a", "a"), ("b", "b"), ("b", "a")] * 6
SPELT = {"y, n": ("y", "n"), "true, false": ("true", "false"), "1, 0": ("1", "0"), "-1, 1": ("-1", "1"), "words": ("ill", "well")}


def write(folder, lines):
    path = folder / "rows.csv"
    path.write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n", encoding="utf-8")
    return path


def spelt(one, other, pairs=PAIRS):
    return [tuple({"a": one, "b": other}[label] for label in pair) for pair in pairs]


@pytest.mark.parametrize("labels", SPELT.values(), ids=SPELT)
@pytest.mark.parametrize("start", [0, 1], ids=["two labels", "the same twice"])
def test_a_file_of_labels_without_a_header_is_refused(tmp_path, labels, start):
    path = write(tmp_path, spelt(*labels, PAIRS[start:]))
    with pytest.raises(
        InputError, match=r"rows.csv: the first line, .* looks like a row and not like a header\. Add a line that"
    ):
        evaluate(path)


@pytest.mark.parametrize(
    "lines",
    [
        [(label, f"{n / 50:.2f}") for n, (label, _) in enumerate(PAIRS, 1)],
        [(n % 2, f"{n / 50:.2f}", f"{1 - n / 50:.2f}") for n, _ in enumerate(PAIRS, 1)],
        [(f"p{n}", *pair) for n, pair in enumerate(PAIRS)],
        [(n + 1, *pair) for n, pair in enumerate(spelt("y", "n"))],
        [("a", 1), *(("ab"[n % 2], f"{n / 50:.2f}") for n in range(30))],
        [(f"{n / 7:.3f}", f"{n / 6:.3f}") for n in range(1, 30)],
        [(0, 0), *((n % 2, n % 3 % 2) for n in range(30))],
    ],
    ids=["label and score", "number and scores", "identities", "numbered", "a whole score", "measurements", "zero twice"],
)
def test_rows_of_labels_and_numbers_without_a_header_are_refused(tmp_path, lines):
    result = CliRunner().invoke(main, ["evaluate", str(write(tmp_path, lines))])
    assert result.exit_code == 2
    assert "looks like a row and not like a header" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_who_names_a_column_says_that_there_is_a_header(tmp_path):
    path = write(tmp_path, spelt("y", "n"))
    with pytest.raises(InputError, match="name the true class with truth="):
        evaluate(path)
    assert evaluate(path, truth="y", predicted="n").counts.n == len(PAIRS) - 1


@pytest.mark.parametrize(
    "lines",
    [
        [("truth", "ill", "well"), *(("ill" if n % 3 else "well", n / 40, 1 - n / 40) for n in range(30))],
        [("truth", 0, 1), *((n % 2, n / 40, 1 - n / 40) for n in range(30))],
        [("truth", "predicted"), *PAIRS],
        [("y", "y_pred"), *spelt("y", "n")],
        [("true", "pred"), *spelt("true", "false")],
        [("id", "truth", "predicted"), *((f"p{n}", *pair) for n, pair in enumerate(PAIRS))],
        [("truth", "0.5", "score"), *((n % 2, n / 40, n / 30) for n in range(30))],
        [("truth", "predicted"), ("a", "a")],
        [("truth", "predicted"), ("truth", "a"), *PAIRS],
    ],
)
def test_legal_headers_are_read(tmp_path, lines):
    assert read(write(tmp_path, lines)).roles.truth in ("truth", "true", "y")


def test_numbered_columns_may_be_those_of_a_frame(tmp_path):
    path = write(tmp_path, [(0, 1), *spelt(0, 1)])
    with pytest.raises(InputError, match="may each be the truth"):
        evaluate(path)
    assert evaluate(path, truth="0", predicted="1").counts.n == len(PAIRS)


def test_names_that_come_twice_are_no_row_where_cells_differ(tmp_path):
    path = write(tmp_path, [("truth", "truth"), *PAIRS])
    with pytest.raises(InputError, match="the header names 'truth' more than once; name each column once"):
        evaluate(path)


def test_rows_that_repeat_the_header_are_refused_with_the_first_of_them(tmp_path):
    header = ("truth", "predicted")
    path = write(tmp_path, [header, *PAIRS, header, *PAIRS, header])
    with pytest.raises(InputError, match="row 25 repeats the header, 'truth', 'predicted'"):
        evaluate(path)
    with pytest.raises(InputError, match="row 25 repeats the header"):
        evaluate(path, truth="truth", predicted="predicted")
