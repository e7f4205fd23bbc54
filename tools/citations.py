"""Equations of the sources: where each is cited in the code and in the documents. This writes docs/sources/equations.md.

    python tools/citations.py write      the page anew
    python tools/citations.py find B 14  the files that cite one equation, alone or within a range

A citation stands in brackets: a letter of a source and its own numbers, [B 14] or [A 48–56; C 57]; remarks, figures, sections and
propositions have their word before them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "dalembert"
DOCUMENTS = ROOT / "docs"
PAGE = DOCUMENTS / "sources" / "equations.md"

TITLES = {
    "A": "zero eigenvalues, closed loops",
    "B": "Newton and Euler, and every elimination",
    "C": "eight methods, elastic bodies, linearisation",
    "D": "planar chains from the path matrix",
    "E": "Kane's equations recursively",
}
METHODS = (
    ("1", "Lagrange's form of d'Alembert's principle, independent coordinates", "18–20", ("dalembert",)),
    ("2", "the same with simple constraints", "53–63", ("dalembert",)),
    ("3", "Kane's equations, quasi-coordinates", "64–66", ("kane", "kane_minimal")),
    ("4", "Lagrange's equations, independent coordinates", "105–110", ("lagrange",)),
    ("5", "Lagrange's equations with multipliers", "130–133", ("lagrange",)),
    ("6", "Lagrange's equations in quasi-coordinates", "134–147", ("boltzmann_hamel",)),
    ("7", "Hamilton's equations with constraints", "163–164", ("hamilton",)),
    ("8", "Hamilton's equations, independent coordinates", "166", ("hamilton",)),
    ("–", "Lagrange's equations in first-order momentum form", "153–155", ("momentum",)),
    ("–", "Newton's and Euler's laws on nodal bodies", "III.B", ("newton_euler_nodal",)),
    ("–", "Hooker's and Margulies's equations", "307–310", ("hooker", "barycentric")),
)
"""C's methods in its order and those it compares them with: number, what it is, its equations, formulations."""

NUMBER = r"(?:A-\d+|[IVX]+(?:\.\w+)+|\d+(?:\.\d+)?[a-k]?)"
ITEM = re.compile(rf"(§|Figs?\.? |Remarks? |Propositions? |Prop\. )?({NUMBER})(?:(–|\.\.| and )({NUMBER}))?")
WORDS = {"§": "§", "F": "Fig. ", "R": "Remark ", "P": "Proposition "}
ORDER = ("", "A-", "§", "Fig. ", "Remark ", "Proposition ")
"""Kinds of what is cited, in the order of the page: equations first."""


@dataclass(frozen=True)
class Cited:
    """One item of a citation: the source's letter, what kind it is, and its numbers."""

    letter: str
    kind: str
    first: str
    last: str

    def __str__(self) -> str:
        return f"{self.kind}{self.first}" + ("" if self.last == self.first else f"–{self.last}")

    @property
    def key(self) -> tuple[object, ...]:
        """For sorting: by kind, then by number, wide ranges before what is in them."""
        kind = self.kind or ("A-" if self.first.startswith("A-") else "§" if not self.first[0].isdigit() else "")
        return ORDER.index(kind), _parts(self.first), [(-rank, -n) for rank, n, _ in _parts(self.last)]

    def covers(self, what: str) -> bool:
        """Whether an equation is among these."""
        if self.kind or not (what[:1].isdigit() and self.first[:1].isdigit()):
            return str(self) == what
        wanted = _parts(what)
        return _parts(self.first) <= wanted <= _parts(self.last) or _parts(self.first)[: len(wanted)] == wanted


def _parts(text: str) -> list[tuple[int, int, str]]:
    """Numbers and words of a number, to be compared: 5.9 before 5.87, 40 before 40d before 41."""
    found = re.findall(r"\d+|[A-Za-z]+", text)
    return [(0, int(x), "") if x.isdigit() else (1, 0, x) for x in found]


def citations(text: str) -> Iterator[Cited]:
    """All that a text cites."""
    for bracket in re.findall(r"\[([A-E] [^\[\]\n]+(?:\n[^\[\]\n]+)?)\]", text):
        found = _of_bracket(" ".join(bracket.split()))
        if found is not None:
            yield from found


def _of_bracket(bracket: str) -> list[Cited] | None:
    """Items of one pair of brackets; None where it is no citation."""
    out: list[Cited] = []
    letter = ""
    for part in bracket.split(";"):
        kind, before = "", len(out)
        for item in part.split(","):
            item = item.strip()
            if re.match(r"[A-E] \S", item):
                letter, kind, item = item[0], "", item[2:].strip()
            match = ITEM.fullmatch(item)
            if match is None:
                continue
            word, first, _, last = match.groups()
            kind = WORDS[word[0]] if word else kind
            out.append(Cited(letter, kind, first, last or first))
        if len(out) == before:
            return None
    return out


def cited_in_code() -> dict[Cited, list[str]]:
    """Files of the package by what they cite."""
    return _by_item((p, p.relative_to(SOURCE).as_posix()) for p in sorted(SOURCE.rglob("*.py")))


def cited_in_documents() -> dict[Cited, list[str]]:
    """Documents by what they cite; the chapters of the sources cite all of theirs."""
    pages = [p for p in sorted(DOCUMENTS.rglob("*.md")) if PAGE.parent not in p.parents]
    return _by_item((p, p.relative_to(DOCUMENTS).as_posix()) for p in pages)


def _by_item(files: Iterator[tuple[Path, str]]) -> dict[Cited, list[str]]:
    found: dict[Cited, list[str]] = {}
    for path, name in files:
        for item in dict.fromkeys(citations(path.read_text(encoding="utf-8"))):
            found.setdefault(item, []).append(name)
    return found


def names_of_files() -> dict[str, list[str]]:
    """Formulations and constraint methods by the file that holds them."""
    from dalembert.constraints import METHODS as CONSTRAINT_METHODS
    from dalembert.formulations import FORMULATIONS

    found: dict[str, list[str]] = {}
    for registry in (FORMULATIONS, CONSTRAINT_METHODS):
        for name in registry:
            module = registry.place(name).partition(":")[0].removeprefix("dalembert.")
            found.setdefault(f"{module.replace('.', '/')}.py", []).append(name)
    return found


def page() -> str:
    """The page: C's methods, then a table for every source."""
    names, code, told = names_of_files(), cited_in_code(), cited_in_documents()
    files = {name: file for file, every in names.items() for name in every}
    lines = [
        "# Where each equation is",
        "",
        "For a reader who comes with a [source](../sources.md) in hand. `python tools/citations.py write` makes this page from the",
        "citations in the code and the documents, and the tests hold that it is up to date. Files lie below `src/dalembert/`; the",
        "name of a formulation or constraint method stands before its file.",
        "",
        "## The eight methods of C",
        "",
        "| | method | C | name here | file |",
        "|---|---|---|---|---|",
    ]
    for number, what, equations, forms in METHODS:
        places = dict.fromkeys(files[name] for name in forms)
        lines.append(f"| {number} | {what} | {equations} | {_quoted(forms)} | {', '.join(places)} |")
    for letter, title in TITLES.items():
        lines += ["", f"## {letter}: {title}", "", "| cited | files | documents |", "|---|---|---|"]
        every = sorted({x for x in (*code, *told) if x.letter == letter}, key=lambda x: x.key)
        for item in every:
            where = [f"`{'`, `'.join(names[f])}` {f}" if f in names else f for f in code.get(item, [])]
            pages = [f"[{p}](../{p})" for p in told.get(item, [])]
            lines.append(f"| {item} | {'<br>'.join(where) or '–'} | {', '.join(pages) or '–'} |")
    return "\n".join([*lines, ""])


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def main() -> int:
    if sys.argv[1:] == ["write"]:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page(), encoding="utf-8")
        print(f"written: {PAGE.relative_to(ROOT)}")
        return 0
    if len(sys.argv) == 4 and sys.argv[1] == "find":
        for item, files in sorted(cited_in_code().items(), key=lambda x: x[0].key):
            if item.letter == sys.argv[2] and item.covers(sys.argv[3]):
                print(f"[{item.letter} {item}]: {', '.join(files)}")
        return 0
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
