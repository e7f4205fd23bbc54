"""Whether LaTeX is well formed: KaTeX's verdict where Node has it, and a strict reading of our own everywhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

COMMANDS = {
    *(
        rf"\{name}"
        for name in ("begin", "end", "left", "right", "frac", "sqrt", "dot", "ddot", "mathrm", "operatorname", "text")
    ),
    *(
        rf"\{name}"
        for name in ("cos", "sin", "tan", "arccos", "arcsin", "arctan", "ln", "max", "min", "lvert", "rvert")
    ),
    *(rf"\{name}" for name in ("quad", "cdot", "times", "le", "land", "lor", "lnot", "infty", "Leftrightarrow")),
    *(rf"\{name}" for name in ("lambda", "gamma", "phi", "theta", "omega", "_", "{", "}", "\\")),
}
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}&^_]|\n|[^\\{}&^_\n]+", re.DOTALL)


def check(text: str) -> None:
    """Raises AssertionError with the place."""
    _braces_and_scripts(text)
    _environments(text)
    verdict = katex(text)
    assert verdict in (None, ""), verdict


def _braces_and_scripts(text: str) -> None:
    depth, before = 0, ""
    lefts = 0
    for token in TOKEN.findall(text):
        if token.startswith("\\"):
            assert token in COMMANDS, f"unknown command {token}"
            lefts += (token == r"\left") - (token == r"\right")
        depth += (token == "{") - (token == "}")
        assert depth >= 0 and lefts >= 0, "closed before it was opened"
        assert not (token in "^_" and before in "^_"), "a script without a base"
        before = token
    assert depth == 0 and lefts == 0, "left open"


def _environments(text: str) -> None:
    """Nested properly, and every row of an array has the columns it announces."""
    stack: list[list[object]] = []
    for token in re.findall(r"\\begin\{\w+\}(?:\{c+\})?|\\end\{\w+\}|\\\\|(?<!\\)&", text):
        if token.startswith(r"\begin"):
            name, columns = re.fullmatch(r"\\begin\{(\w+)\}(?:\{(c+)\})?", token).groups()  # type: ignore[union-attr]
            stack.append([name, len(columns) if columns else 2, 1])
        else:
            name, columns, cells = stack[-1]
            if token == "&":
                stack[-1][2] += 1  # type: ignore[operator]
                continue
            assert cells == columns, f"a row of {cells} cells in {name} of {columns} columns"
            if token.startswith(r"\end"):
                assert token == rf"\end{{{name}}}", f"{token} ends {name}"
                stack.pop()
            else:
                stack[-1][2] = 1
    assert not stack, "an environment is left open"


def katex(text: str) -> str | None:
    """KaTeX's complaint, "" if it has none, None where it cannot be asked."""
    node = shutil.which("node")
    if node is None:
        return None
    program = (
        "let k; try { k = require('katex') } catch { process.exit(3) }"
        "let s = ''; process.stdin.on('data', d => s += d); process.stdin.on('end', () => {"
        "try { k.renderToString(JSON.parse(s), {displayMode: true, strict: 'error', maxExpand: 100000}) }"
        "catch (e) { console.log(e.message); process.exit(1) } })"
    )
    done = subprocess.run([node, "-e", program], input=json.dumps(text), capture_output=True, text=True)
    if done.returncode == 3:
        return None
    return "" if done.returncode == 0 else done.stdout or done.stderr
