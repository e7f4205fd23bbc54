"""LaTeX as this package writes it, in MathML: what every browser draws by itself, offline and without fonts of its own.

A recursive descent over tokens. Only the commands of `trace/text/latex*.py` are known; any other is shown by its name.
"""

from __future__ import annotations

import re
from html import escape

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_LETTERS = {
    name: chr(code)
    for start, names in (
        (0x3B1, "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho varsigma sigma tau "
                "upsilon phi chi psi omega"),
        (0x391, "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho _ Sigma Tau Upsilon Phi "
                "Chi Psi Omega"),
    )
    for code, name in enumerate(names.split(), start)
}  # fmt: skip
_FUNCTIONS = {"sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "ln", "min", "max"}
_SIGNS = {"cdot": "·", "times": "×", "le": "≤", "land": "∧", "lor": "∨", "lnot": "¬", "Leftrightarrow": "⇔", "infty": "∞", "sim": "∼",
          "backslash": "\\", "lvert": "|", "rvert": "|"}  # fmt: skip
_ACCENTS = {"dot": "˙", "ddot": "¨", "dddot": "⃛", "hat": "^", "bar": "¯", "tilde": "~", "vec": "→"}
_SPACES = {",": "0.17em", ":": "0.22em", ";": "0.28em", " ": "0.3em", "": "0.3em", "quad": "1em", "qquad": "2em"}
_FENCES = {"(": "(", ")": ")", "[": "[", "]": "]", "{": "{", "}": "}", ".": ""}


def mathml(latex: str) -> str:
    """A `<math>` element; text in names is escaped."""
    return f'<math display="block">{_Reader(latex).row()}</math>'


class _Reader:
    def __init__(self, latex: str):
        self.tokens = _TOKEN.findall(latex)
        self.at = 0

    def peek(self) -> str:
        """The next token that is no space; "" at the end."""
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def row(self, *stops: str) -> str:
        """Everything up to one of the stops, which is left."""
        made: list[str] = []
        while (token := self.peek()) and token not in stops:
            made.append(self.scripted())
        return f"<mrow>{''.join(made)}</mrow>" if len(made) != 1 else made[0]

    def scripted(self) -> str:
        """An atom with its primes, subscript and exponent."""
        base, below, above = self.atom(), "", ""
        while (token := self.peek()) in ("^", "_", "'"):
            self.take()
            if token == "'":
                above += "<mo>′</mo>"
            elif token == "^":
                above += self.argument()
            else:
                below = self.argument()
        if below and above:
            return f"<msubsup>{base}{below}<mrow>{above}</mrow></msubsup>"
        if below:
            return f"<msub>{base}{below}</msub>"
        return f"<msup>{base}<mrow>{above}</mrow></msup>" if above else base

    def argument(self) -> str:
        """A group in braces, or one atom."""
        return self.group() if self.peek() == "{" else self.atom()

    def group(self) -> str:
        self.take()
        made = self.row("}")
        self.take()
        return made

    def letters(self) -> str:
        """The text of a group in braces, spaces kept."""
        self.take()
        depth, made = 1, ""
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            depth += (token == "{") - (token == "}")
            if not depth:
                break
            made += "" if token in "{}" else token[1:] if len(token) == 2 and token[0] == "\\" else token
        for word, sign in _SIGNS.items():
            made = made.replace(f"\\{word} ", sign)
        return made

    def atom(self) -> str:
        token = self.take()
        if token == "{":
            self.at -= 1
            return self.group()
        if token[:1].isdigit():
            return f"<mn>{token}</mn>"
        if token[:1] == "\\" and token[1:2].isalpha():
            return self.command(token[1:])
        if token[:1] == "\\":
            return _space(token[1:]) if token[1:] in _SPACES else _sign(token[1:])
        return f"<mi>{escape(token)}</mi>" if token.isalpha() else _sign("−" if token == "-" else token)

    def command(self, name: str) -> str:
        if name in _LETTERS:
            return f"<mi>{_LETTERS[name]}</mi>"
        if name in _SPACES:
            return _space(name)
        if name in _FUNCTIONS:
            return f"<mrow>{_space(',')}<mi>{name}</mi></mrow>"
        if name in _SIGNS:
            return _sign(_SIGNS[name])
        if name in _ACCENTS:
            return f'<mover>{self.argument()}<mo stretchy="false">{_ACCENTS[name]}</mo></mover>'
        if name in ("mathrm", "operatorname"):
            return f'<mi mathvariant="normal">{escape(self.letters())}</mi>'
        if name == "text":
            return f"<mtext>{escape(self.letters()).replace(' ', '&#xa0;')}</mtext>"
        if name == "frac":
            return f"<mfrac>{self.argument()}{self.argument()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self.argument()}</msqrt>"
        if name == "left":
            return self.fenced()
        if name == "begin":
            return self.table(self.letters())
        return f"<mtext>{escape(name)}</mtext>"

    def fenced(self) -> str:
        left = self.take().removeprefix("\\")
        inside = self.row("\\right")
        self.take()
        right = self.take().removeprefix("\\")
        if left == "[" and inside.startswith('<mtable class="array">'):
            return f'<mrow class="matrix">{inside}</mrow>'  # bars by style: few systems have a font whose brackets grow
        bars = [f'<mo fence="true" stretchy="true">{escape(_FENCES.get(x, x))}</mo>' for x in (left, right)]
        return f"<mrow>{bars[0]}{inside}{bars[1]}</mrow>"

    def table(self, environment: str) -> str:
        if environment == "array":
            self.letters()
        rows: list[list[str]] = [[]]
        while self.peek():
            rows[-1].append(self.row("&", "\\\\", "\\end"))
            end = self.take()
            if end == "\\\\":
                rows.append([])
            elif end == "\\end":
                self.letters()
                break
        body = "".join(f"<mtr>{''.join(f'<mtd>{cell}</mtd>' for cell in row)}</mtr>" for row in rows)
        table = f'<mtable class="{environment if environment.isalpha() else "array"}">{body}</mtable>'
        return f'<mrow><mo fence="true" stretchy="true">{{</mo>{table}</mrow>' if environment == "cases" else table


def _space(name: str) -> str:
    return f'<mspace width="{_SPACES[name]}"/>'


def _sign(text: str) -> str:
    return f'<mo stretchy="false">{escape(text)}</mo>'
