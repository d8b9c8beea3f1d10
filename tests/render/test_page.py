import json
import re
import sys
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import pytest
from tests.described import mentions, sections
from tests.hostile import VECTORS
from tests.scripts import only_ours
from tests.sparing import some

import adjudge
from adjudge import ConfusionCounts
from adjudge.describe import describe
from adjudge.describe.document import base_name, chapters
from adjudge.judgements.evaluation import completed
from adjudge.judgements.next_steps import next_steps
from adjudge.predictions.roles import Roles
from adjudge.render import page as render_page

EACH_VECTOR = pytest.mark.parametrize("vector", some(VECTORS, 12), ids=range(len(VECTORS)))


class Tags(HTMLParser):
    """The tags of a page, with the names of their attributes, and its words."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        names = tuple(name for name, _ in attrs)
        if tag in ("text", "line"):  # long names are turned, have several lines, or stand above a bar in place of its axis
            turned, upright = ("class", "text-anchor", "transform"), ("class", "text-anchor", "x", "y")
            assert names in (turned, upright, ("class", "x1", "y1", "x2", "y2"))
        else:
            self.tags.append((tag, names))

    def handle_endtag(self, tag):
        self.tags += [] if tag in ("text", "line") else [(f"/{tag}", ())]

    def handle_comment(self, _):
        self.tags.append(("comment", ()))

    def handle_decl(self, _):
        self.tags.append(("declaration", ()))

    def unknown_decl(self, _):
        self.tags.append(("unknown", ()))

    def handle_data(self, data):
        self.words.append(data)


def with_origin(evaluation, name="plain.csv", column="plain"):
    roles = Roles(column, evidence={"truth": f"column {column!r}: the name says so", column: column})
    return replace(evaluation, origin=replace(evaluation.origin, name=name, roles=roles, fingerprint="ab" * 32))


@pytest.fixture(scope="module")
def plain():
    return adjudge.evaluate(ConfusionCounts([[5, 1, 1], [1, 4, 2], [0, 1, 9]], ("plain", "b", "c")))


def sound(text):
    """What holds for every page, whatever its labels."""
    only_ours(text)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", text)


def without_findings(evaluation):
    """Return a result without findings and the step they ask for, as some labels are worth one and harmless ones are not."""
    bare = replace(evaluation, findings=())
    return replace(bare, next_steps=next_steps(bare))


@cache
def tags_of_plain_labels(make_three):
    return Tags(without_findings(with_origin(make_three(("plain", "second", "third")))).to_html()).tags


@pytest.mark.slow
@pytest.mark.parametrize("pair", some(range(0, len(VECTORS), 2), 12))
def test_a_label_is_only_text(pair, make_three):
    # the last class is named positive, so that no label changes what is measured
    labels = [*VECTORS[pair : pair + 2], "second"][:2]
    text = without_findings(with_origin(make_three((*labels, "third")))).to_html()
    assert Tags(text).tags == tags_of_plain_labels(make_three)
    sound(text)


def page_of_findings(*labels):
    """Return the page of classes that were never predicted, which findings name."""
    hits = [[0, 0, 0, 3, 1], [0, 0, 0, 1, 3], [0, 0, 0, 2, 2], [0, 0, 0, 40, 2], [0, 0, 0, 1, 39]]
    found = adjudge.evaluate(ConfusionCounts(hits, (*labels, "second", "third")), positive="third")
    assert "A204" in [each.code for each in found.findings]  # names them all
    return found.to_html()


@pytest.fixture(scope="module")
def tags_of_a_finding():
    return Tags(page_of_findings("plain", "plainer", "plainest")).tags


@pytest.fixture(scope="module")
def tags_of_plain_names(plain):
    return Tags(with_origin(plain).to_html()).tags


@pytest.mark.slow
@pytest.mark.parametrize("first", range(-(-len(VECTORS) // 3)))
def test_labels_in_a_finding_are_only_text(first, tags_of_a_finding):
    # three that are far apart: some neighbours look alike, which is a finding of its own
    text = page_of_findings(*[*VECTORS[first :: -(-len(VECTORS) // 3)], "plain"][:3])
    assert Tags(text).tags == tags_of_a_finding
    sound(text)


@EACH_VECTOR
def test_a_column_name_is_only_text(vector, plain, tags_of_plain_names):
    text = with_origin(plain, column=vector).to_html()
    assert Tags(text).tags == tags_of_plain_names
    sound(text)


@EACH_VECTOR
def test_a_file_name_is_only_text(vector, plain, tags_of_plain_names):
    text = with_origin(plain, name=vector).to_html()
    found = Tags(text)
    assert found.tags == tags_of_plain_names
    sound(text)
    words = "".join(found.words)
    assert not re.search(r"etc/|host|\.\./|C:\\|http:", words)


def test_only_base_names_are_shown():
    assert base_name("/srv/someone/secret project/a.csv") == "a.csv"
    assert base_name("C:\\Users\\someone\\b.csv") == "b.csv"
    assert base_name("s3://bucket/c.parquet") == "c.parquet"
    assert base_name("../..") == "predictions"


@pytest.fixture(scope="module")
def pages(kinds):
    return {name: evaluation.to_html() for name, evaluation in kinds.items()}


@pytest.fixture(scope="module")
def dna_page(dna):
    return dna.to_html()


@pytest.mark.slow
def test_every_kind_has_a_sound_page(kinds, pages):
    for name, evaluation in kinds.items():
        text = pages[name]
        sound(text)
        assert "http:" not in text, name
        assert "https:" not in text, name
        assert not re.search(r"\bnan\b", text, re.IGNORECASE), name
        assert evaluation.to_html() == text, name  # written anew
        json.dumps(evaluation.to_dict(), allow_nan=False)


@pytest.mark.slow
def test_the_same_bytes_from_the_same_cases(make_three):
    assert make_three().to_html() == make_three().to_html()


def test_templates_are_kept_compiled_and_pages_written_where_they_cannot_be(plain, tmp_path, monkeypatch):
    first = plain.to_html()
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "file").touch()
    for folder in (tmp_path / "kept", tmp_path / "file"):  # nothing can be written below a file
        kept = render_page._Compiled(str(folder), "%s.jinja")
        fresh = render_page._templates().overlay(bytecode_cache=kept, cache_size=50)
        monkeypatch.setattr(render_page, "_templates", lambda fresh=fresh: fresh)
        assert plain.to_html() == first
    assert len(list((tmp_path / "kept").iterdir())) >= 2


def test_pages_stay_small(pages, dna_page):
    assert len(dna_page.encode()) < 250_000
    assert len(pages["three"].encode()) < 250_000
    assert len(pages["hundred"].encode()) < 1_000_000
    assert len(pages["sparse"].encode()) < 1_000_000


@pytest.mark.slow
def test_pages_balance_their_tags(pages):
    void = {"meta", "br", "input", "line", "path", "circle", "rect"}  # shapes close themselves
    for name, text in pages.items():
        opened = []
        for tag, _ in Tags(text).tags:
            if tag.startswith("/"):
                if tag[1:] not in void:
                    assert opened.pop() == tag[1:], name
            elif tag not in void and tag != "declaration":
                opened.append(tag)
        assert not opened, name


@pytest.mark.slow
def test_headings_and_pictures_are_named_once(pages):
    for text in pages.values():
        ids = re.findall(r' id="([^"]+)"', text)
        assert len(ids) == len(set(ids))
        for wanted in re.findall(r'aria-labelledby="([^"]+)"', text):
            assert set(wanted.split()) <= set(ids)


@pytest.mark.slow
def test_the_policy_allows_nothing_but_the_look(dna_page):
    text = dna_page
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text).group(1)
    assert policy.startswith("default-src &#39;none&#39;; style-src &#39;sha256-")
    assert "unsafe" not in policy
    assert "style=" not in text
    assert not re.search(r"<[^>]+\son\w+=", text)


def test_the_page_is_accessible(dna_page):
    text = dna_page
    for wanted in ('<html lang="en">', 'name="viewport"', "<header>", "<main ", "<footer>", 'scope="row"', 'scope="col"'):
        assert wanted in text
    assert text.count("<h1>") == 1
    assert text.count("<svg") == text.count('role="img"') == text.count("</title><desc")


def test_undefined_is_said_with_its_reason(pages):
    words = " ".join(Tags(pages["one row"]).words)
    assert "undefined" in words
    assert mentions(words, "MCC (Matthews correlation) is undefined", "class 'a'")


@pytest.mark.slow
def test_many_classes_are_folded(kinds, pages):
    words = " ".join(Tags(pages["sparse"]).words)
    assert "30 more classes" in words
    assert f"And {kinds['sparse'].counts.k - 50:,} more classes." in words
    assert "the 25 with most errors" in words
    assert "80 more classes" in " ".join(Tags(pages["hundred"]).words)


@pytest.mark.slow
def test_sections_hold_no_html(kinds):
    for evaluation in kinds.values():
        found = sections(evaluation)
        assert found[0].kind == "verdict"
        assert not any("<svg" in repr(s) or "<p" in repr(s) for s in found)


@pytest.mark.slow
def test_the_order_of_chapters(kinds):
    assert [c.title for c in chapters(sections(completed(kinds["three"])))] == [
        "How good is it, and how sure are we?", "Where does it go wrong?", "Ranking and thresholds", "Can it be improved without retraining?",
        "Standardised partition space", "Validation design", "The data", "Methods",
    ]  # fmt: skip
    named = [c.title for c in chapters(sections(kinds["folds"]))]
    assert named.index("Groups and confounds") < named.index("Validation design") < named.index("The data")
    assert [s.name for s in sections(kinds["numbers"])] == [
        *("verdict", "next-steps", "measures", "agreement", "residuals", "quantiles", "data", "methods")
    ]


@pytest.mark.slow
def test_the_data_are_named_by_their_hash(dna):
    words = Tags(with_origin(dna, name="/somewhere/dna.csv").to_html()).words
    assert "ab" * 32 in words
    assert "dna.csv" in words


@pytest.mark.slow
def test_long_labels_do_not_swell_the_page():
    text = adjudge.evaluate(ConfusionCounts([[5, 1], [1, 4]], ("a" * 100_000, "a" * 99_999 + "b"))).to_html()
    assert len(text) < 100_000


def test_overfitting_has_a_page(kinds):
    text = adjudge.overfitting(kinds["decisions"], kinds["score"]).to_html()
    sound(text)
    assert "percentage points" in text
    assert "<svg" not in text


def test_what_has_no_page_is_refused():
    with pytest.raises(adjudge.InputError, match="no words for"):
        describe(3)
