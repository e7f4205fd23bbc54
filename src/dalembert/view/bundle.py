"""One HTML file from the parts in `assets/`: modules joined in their order, styles and data inside, nothing fetched from anywhere.

The scripts are listed by their hashes in a content security policy: no text of a model can become a script, and the page cannot
reach the network even if it wanted to.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from dalembert.view.encode import json_for_html

_IMPORT = re.compile(r"^import\s[^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export\s+", re.MULTILINE)


@cache
def asset(name: str) -> str:
    return files("dalembert.view").joinpath("assets", *name.split("/")).read_text(encoding="utf-8")


@cache
def joined(modules: Sequence[str]) -> str:
    """ES modules as one: their imports name only each other, so that without them and in order they are one module."""
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", asset(f"js/{name}.js"))) for name in modules)


def document(
    template: str, styles: str, libraries: Sequence[str], modules: Sequence[str], data: Any, wasm: bool = False,
    **fields: str,
) -> str:  # fmt: skip
    """The template with `{{title}}` and the like filled in (escaped), data, styles and scripts in their places. With `wasm` the page
    may compile WebAssembly, which its policy forbids otherwise."""
    scripts = [("", asset(name)) for name in libraries] + [(' type="module"', joined(tuple(modules)))]
    hashes = " ".join(f"'sha256-{_hash(text)}'" for _, text in scripts)
    compiles = " 'wasm-unsafe-eval'" if wasm else ""
    policy = f"default-src 'none'; script-src {hashes}{compiles}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    values = {name: escape(value) for name, value in fields.items()}
    values |= {
        "policy": policy,
        "styles": asset(styles),
        "data": json_for_html(data),
        "scripts": "".join(f"<script{kind}>{text}</script>\n" for kind, text in scripts),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], asset(template))


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
