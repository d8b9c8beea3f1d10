"""Papers are numbered as they are named, and told in full once."""

import re

from adjudge.describe.methods import PAPERS, cited, methods


def test_numbers_follow_the_order_of_naming():
    told = cited(["Two (Kish 1965), (Holm 1979).", "One again (Kish 1965)."])
    assert told[:2] == ("Two (Kish 1965 [1]), (Holm 1979 [2]).", "One again (Kish 1965 [1]).")
    assert told[2:] == (f"[1] {PAPERS['Kish 1965']}", f"[2] {PAPERS['Holm 1979']}")
    assert cited(["Nobody is named."]) == ("Nobody is named.",)


def test_every_paper_in_full_has_its_year():
    for name, paper in PAPERS.items():
        assert name[-4:] in paper, name


def test_the_methods_of_a_page_number_what_they_name(kinds, dna):
    for result in (*kinds.values(), dna):
        told = methods(result)
        body = [line for line in told if not line.startswith("[")]
        papers = [line for line in told if line.startswith("[")]
        numbers = {int(n) for line in body for n in re.findall(r"\[(\d+)\]", line)}
        assert numbers == set(range(1, len(papers) + 1))
        assert told == (*body, *papers)


def test_only_what_is_on_the_page_is_explained(kinds):
    plain = " ".join(methods(kinds["decisions"]))
    assert "Newcombe" not in plain
    assert "Groups." not in plain
    assert "Groups." in " ".join(methods(kinds["folds"]))
    assert "Kish" in " ".join(methods(kinds["weighted"]))
    assert "Hand and Till" in " ".join(methods(kinds["three"]))
