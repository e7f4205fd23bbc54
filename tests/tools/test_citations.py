"""Citations of the sources are read as they are meant, and the page of equations is up to date."""

from __future__ import annotations

import pytest

from tools.citations import PAGE, citations, cited_in_code, page


@pytest.mark.parametrize(
    "text, found",
    [
        ("by Cholesky [B 14, A-3..A-5].", ["B 14", "B A-3–A-5"]),
        ("[A 48–56; C 57]", ["A 48–56", "C 57"]),
        ("[A 9–11, E 41–43]", ["A 9–11", "E 41–43"]),
        ("[C 134, II.A.2.i; Prop. 3]", ["C 134", "C II.A.2.i", "C Proposition 3"]),
        ("[C 134; Propositions 2, 3]", ["C 134", "C Proposition 2", "C Proposition 3"]),
        ("[B 8–9, 47–48; Remark 5]", ["B 8–9", "B 47–48", "B Remark 5"]),
        ("[D Fig. 5.38] and [D §5.4]", ["D Fig. 5.38", "D §5.4"]),
        ("[E 4, transposed]", ["E 4"]),
        ("the matrix [A Bᵀ; B 0], [A u̇ + Bᵀλ = f], [B for B in every]", []),
    ],
)
def test_brackets_are_read(text, found):
    assert [f"{x.letter} {x}" for x in citations(text)] == found


def test_an_equation_is_found_within_ranges():
    every = list(citations("[B 12–14] [B 14] [B 40d] [D 5.50–5.88] [D 5.9]"))
    assert [str(x) for x in every if x.letter == "B" and x.covers("14")] == ["12–14", "14"]
    assert [str(x) for x in every if x.letter == "B" and x.covers("40")] == ["40d"]
    assert [str(x) for x in every if x.letter == "D" and x.covers("5.87")] == ["5.50–5.88"]


def test_every_source_is_cited_by_what_it_gives():
    places = {item.letter: set() for item in cited_in_code()}
    for item, files in cited_in_code().items():
        places[item.letter] |= set(files)
    assert set(places) == set("ABCDE")
    assert (
        "constraints/methods/zero_eigenvalues.py" in places["A"] and "formulations/tree/path_matrix.py" in places["D"]
    )


def test_the_page_of_equations_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew: python tools/citations.py write"
