"""Sentences in LaTeX: words as text, the mathematical signs among them as mathematics."""

from __future__ import annotations

import unicodedata
from itertools import groupby

from dalembert.trace.text.routine import GREEK, MARKS

_SIGNS = {
    "·": r"\cdot", "×": r"\times", "−": "-", "½": r"\tfrac{1}{2}", "∂": r"\partial", "√": r"\surd", "≤": r"\le", "≥": r"\ge",
    "∞": r"\infty", "⊥": r"\perp", "‖": r"\Vert", "→": r"\to", "≠": r"\neq", "±": r"\pm", "∈": r"\in", "…": r"\ldots",
    "ℓ": r"\ell", "∫": r"\int", "°": r"^{\circ}", "≡": r"\equiv",
}  # fmt: skip
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ", "0123456789-+T"))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₋ᵢⱼₖₙ", "0123456789-ijkn"))
_WORDS = {
    "§": r"\S ", "–": "--", "—": "---", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "\n": " ",
}  # fmt: skip


_AROUND = {"word": r"\text{{{}}}", "sign": "{}", "raised": "^{{{}}}", "lowered": "_{{{}}}"}


def sentence_in_latex(sentence: str) -> str:
    r"""For mathematics mode: "A u̇ = f" → `\text{A }\dot{u}\text{ = f}`."""
    atoms: list[tuple[str, str]] = []
    for c in unicodedata.normalize("NFD", sentence):
        if c in MARKS and atoms:
            atoms.append(("sign", rf"\{MARKS[c]}{{{atoms.pop()[1].strip()}}}"))
        else:
            atoms.append(_atom(c))
    runs = groupby(atoms, key=lambda atom: atom[0])
    return "".join(_AROUND[kind].format("".join(text for _, text in run)) for kind, run in runs)


def _atom(c: str) -> tuple[str, str]:
    if c in _RAISED:
        return "raised", _RAISED[c]
    if c in _LOWERED:
        return "lowered", _LOWERED[c]
    if c in _SIGNS:
        return "sign", _SIGNS[c] + " "
    if c in GREEK:
        return "sign", rf"\{GREEK[c]} " if GREEK[c] != "omicron" else "o"
    return "word", _WORDS.get(c, c)
