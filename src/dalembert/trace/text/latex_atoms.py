"""Names and numbers in LaTeX."""

from __future__ import annotations

import math
import re
import unicodedata

from dalembert.trace.text.notation import Level, Piece
from dalembert.trace.text.routine import GREEK, MARKS

_GREEK_WORDS = {w: rf"\{w}" for w in GREEK.values()} | {"omicron": "o", "lam": r"\lambda"}
_ACCENTED = re.compile(rf"(.+?)({'|'.join(sorted(MARKS.values(), key=len, reverse=True))})")
_BASE = re.compile(r"([^\W\d_]+)(\d*)('*)(?:_(.*))?", re.DOTALL)
_SUBSCRIPT_PART = re.compile(r"[^\W\d_]\w*|\d+|.", re.DOTALL)
_ESCAPES = {
    "\\": r"\backslash ", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\hat{\ }", "~": r"\sim ", " ": r"\ ", "\n": r"\ ", "\t": r"\ ",
}  # fmt: skip


def name_in_latex(name: str) -> str:
    r"""A symbol's name: `q_A` → q_{A}, `theta1` → \theta_{1}, `udot_crank.x` → \dot{u}_{\mathrm{crank}.x}."""
    words = _words(name)
    match = _BASE.fullmatch(words)
    if not match:
        return rf"\mathrm{{{_escaped(words)}}}"
    base, number, primes, subscript = match.groups()
    below = ",".join(filter(None, [number, _subscript(subscript or "")]))
    return _base(base) + primes + (f"_{{{below}}}" if below else "")


def _words(name: str) -> str:
    """Greek letters and accents written as words."""
    plain = unicodedata.normalize("NFD", name).replace("′", "'")
    return "".join(GREEK.get(c) or MARKS.get(c) or c for c in plain)


def _base(word: str) -> str:
    accented = _ACCENTED.fullmatch(word)
    if accented and (len(accented[1]) == 1 or accented[1] in _GREEK_WORDS):
        return rf"\{accented[2]}{{{_base(accented[1])}}}"
    if word in _GREEK_WORDS:
        return _GREEK_WORDS[word]
    return word if len(word) == 1 else rf"\mathrm{{{_escaped(word)}}}"


def _subscript(text: str) -> str:
    """Words upright, single letters (with a number) slanted, dots and the like as they are."""
    parts = []
    for part in _SUBSCRIPT_PART.findall(text):
        if part in _GREEK_WORDS:
            parts.append(_GREEK_WORDS[part])
        elif re.fullmatch(r"\w\d*|\d+", part):
            parts.append(_escaped(part))
        else:
            parts.append(rf"\mathrm{{{_escaped(part)}}}" if part[0].isalpha() else _escaped(part))
    return _joined(parts)


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(c, c) for c in text)


def _joined(parts: list[str]) -> str:
    """Parts side by side, a command kept apart from a letter after it."""
    text = ""
    for part in parts:
        text += " " if re.search(r"\\[A-Za-z]+$", text) and part[:1].isalpha() else ""
        text += part
    return text


def number_in_latex(x: float) -> Piece:
    r"""Shortest exact text: 2, 9.81, \frac{1}{12} where that is the very float, 2.5 \cdot 10^{-7}."""
    if x < 0.0 or (x == 0.0 and math.copysign(1.0, x) < 0.0):
        return Piece("-" + number_in_latex(-x).at(Level.PRODUCT), Level.SIGN)
    if not math.isfinite(x):
        return Piece(r"\infty" if x > 0.0 else r"\mathrm{nan}")
    found = fraction(x)
    if found:
        return Piece(r"\frac{{{}}}{{{}}}".format(*found))
    mantissa, _, exponent = repr(x).partition("e")
    mantissa = mantissa.removesuffix(".0")
    if not exponent:
        return Piece(mantissa)
    power = f"10^{{{int(exponent)}}}"
    return Piece(power, Level.POWER) if mantissa == "1" else Piece(rf"{mantissa} \cdot {power}", Level.PRODUCT)


def fraction(x: float) -> tuple[int, int] | None:
    """p/q where that is exactly x and says more than its decimals: halves to sixteenths, or decimals without end."""
    endless = len(repr(x)) > 15
    for q in range(2, 100) if endless else (2, 4, 8, 16):
        p = round(min(x, 100.0) * q)
        if 0 < p < 100 and p / q == x and math.gcd(p, q) == 1:
            return p, q
    return None
