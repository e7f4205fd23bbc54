"""Safe identifiers for symbols, whose names may hold dots, primes, spaces, Greek letters or words of a language."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Collection, Iterable

_GREEK_NAMES = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi
    omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", _GREEK_NAMES.split(), strict=True))
"""Greek letters and their names."""

MARKS = {"\u0307": "dot", "\u0308": "ddot", "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar"}
"""Combining accents and their names, as in u̇."""

_C = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main
    and asm bitand bitor bool catch class compl delete explicit export false friend mutable namespace new not operator or
    private protected public template this throw true try typename using virtual xor
"""
_MACROS = """
    NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL FP_NAN FP_INFINITE FP_ZERO FP_SUBNORMAL FP_NORMAL FP_ILOGB0 FP_ILOGBNAN
    FP_FAST_FMA MATH_ERRNO MATH_ERREXCEPT math_errhandling M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI
    M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 unix linux i386
"""
_FUNCTIONS = """
    abs fabs sign sign_of sqrt cbrt exp log sin cos tan asin acos atan atan2 sinh cosh tanh pow floor fmod min max fmin fmax inf nan
    float np math numpy samples
"""
RESERVED = frozenset([*keyword.kwlist, *keyword.softkwlist, *_C.split(), *_MACROS.split(), *_FUNCTIONS.split()])
"""Words that mean something in the text of some language; one set for all, so that a symbol is called the same in each."""


def is_safe(name: str) -> bool:
    """Whether the name can stand as it is in C and in Python."""
    return name.isascii() and name.isidentifier() and name[0] != "_" and name not in RESERVED


def safe_identifiers(names: Iterable[str], taken: Collection[str] = ()) -> dict[str, str]:
    """An identifier of its own for every name: itself where that is safe, else the nearest spelling, numbered if need be."""
    names = list(dict.fromkeys(names))
    result = {name: name for name in names if is_safe(name) and name not in taken}
    used = {*taken, *result}
    for name in names:
        if name not in result:
            stem = _spelled(name)
            identifier, k = stem, 1
            while identifier in used or not is_safe(identifier):
                k += 1
                identifier = f"{stem}_{k}"
            result[name] = identifier
            used.add(identifier)
    return result


def _spelled(name: str) -> str:
    """The name in ASCII letters, digits and underscores, beginning with a letter."""
    letters = []
    for c in unicodedata.normalize("NFD", name):
        word = GREEK.get(c) or MARKS.get(c) or ("prime" if c in "'′" else c)
        letters.append(word if word.isascii() and word.replace("_", "a").isalnum() else "_")
    spelled = "".join(letters)
    return spelled if spelled[:1].isalpha() else f"s{spelled}"
