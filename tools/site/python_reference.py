"""Reference of the public names of Python, from signatures and docstrings: one page for each kind of thing."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import dalembert as da
from dalembert.cached import cached_property
from dalembert.mechanism.analyses import Analyses
from dalembert.mechanism.mechanism import Mechanism
from tools.site.listed_fields import listed

LONGEST = 40
"""Characters of a default value; a longer one is shown as an ellipsis."""
RESULT = re.compile(r"from (dalembert\.[\w.]+) import ([\w, ]+)")
HELP = re.compile(r"""Help\(["'](.*?)["']\)""")
INNER = {"Catalogue", "Differentiated"}
"""What a mechanism keeps for itself."""


@dataclass(frozen=True)
class Page:
    """A page of the reference: its file, title, what stands above, and who belongs to it by the beginning of its module's name."""

    file: str
    title: str
    about: str
    modules: tuple[str, ...]
    contract: tuple[str, ...] = ()
    """Classes whose methods users write or call; of the others only the fields are listed."""

    def holds(self, thing: Any) -> bool:
        return any(module_of(thing).startswith(f"dalembert.{m}") for m in self.modules)


PAGES = (
    Page(
        "system",
        "Systems",
        "A system is described here, part by part, and built into a mechanism.",
        ("system",),
        ("System",),
    ),
    Page(
        "bodies",
        "Bodies, frames and shapes",
        "Mass, places and looks of bodies, and bodies that bend.",
        ("parts.bodies", "parts.frames", "parts.solids", "parts.shapes", "elastic", "parts.forces.points"),
    ),
    Page(
        "joints",
        "Joints",
        "Fields of every joint. Angles are in radians, lengths in metres.",
        ("parts.joints",),
        ("Joint",),
    ),
    Page("forces", "Forces", "Fields of every force. SI units.", ("parts.forces",), ("Force", "BodyLoad", "JointLoad")),
    Page(
        "constraints",
        "Constraints",
        "Conditions between bodies or joints that no joint states.",
        ("parts.constraints",),
        ("Constraint",),
    ),
    Page("laws", "Laws", "What hits, sticks, slips, latches and lets go.", ("laws",), ("Law",)),
    Page(
        "elements",
        "Elements",
        "Motors, controllers, sensors and whatever else has states of its own.",
        ("elements",),
        ("Element",),
    ),
    Page("outputs", "Outputs", "Quantities that models name and motions compute.", ("parts.outputs",)),
    Page(
        "events",
        "Events and actions",
        "Instants that are located in a run, and what happens there.",
        ("parts.events", "parts.actions"),
    ),
    Page(
        "mechanism",
        "Mechanisms",
        "A built mechanism: equations, kernels, simulation and analyses.",
        ("mechanism", "kinematics"),
        ("Mechanism", "State"),
    ),
    Page("motion", "Motions", "The result of a simulation, and what is computed from it.", ("motion",), ("Motion",)),
    Page(
        "results",
        "Results",
        "What the methods of a mechanism return.",
        ("analysis", "constraints", "simulation", "formulations", "kernels", "exporters"),
    ),
    Page(
        "studies",
        "Studies",
        "Many runs of one mechanism, and what they say.",
        ("studies",),
        ("Study", "StudyResult"),
    ),
    Page(
        "frameworks",
        "JAX, PyTorch and CasADi",
        "What `m.jax`, `m.torch` and `m.casadi` offer.",
        ("frameworks",),
        ("JaxFunctions", "TorchFunctions", "CasadiFunctions"),
    ),
    Page(
        "functions",
        "Functions and tables",
        "Functions that work on numbers and on traced values alike, and tables.",
        ("trace", "vectors"),
    ),
    Page(
        "files", "Loading and saving", "Model files, robots of other programs, saved motions.", ("files", "importers")
    ),
    Page(
        "errors",
        "Errors and warnings",
        "Every error raised on purpose is a `DalembertError`, and a warning a `UserWarning`.",
        ("errors",),
    ),
)


def module_of(thing: Any) -> str:
    """The module where a thing is defined; a module is its own."""
    return str(thing.__name__ if inspect.ismodule(thing) else thing.__module__)


def results() -> Iterator[type]:
    """Classes that methods of a mechanism return."""
    for cls in (Mechanism, Analyses):
        source = Path(inspect.getfile(cls)).read_text(encoding="utf-8")
        block = source.partition("if TYPE_CHECKING:\n")[2].partition("\n\n")[0]
        for module, names in RESULT.findall(block):
            try:
                inside = importlib.import_module(module)
            except da.DalembertError:  # a framework that is not installed
                continue
            for name in (x.strip() for x in names.split(",")):
                thing = getattr(inside, name)
                if inspect.isclass(thing) and name not in INNER:
                    yield thing


@cache
def public() -> dict[str, Any]:
    """Everything that is documented, by the name a user writes; results have their own names."""
    found = {f"dalembert.{name}": getattr(da, name) for name in da.__all__}
    known = {id(x) for x in found.values()}
    for cls in results():
        if id(cls) not in known:
            known.add(id(cls))
            found[f"{cls.__module__}.{cls.__name__}"] = cls
    for name in ("shapes", "surfaces", "outputs", "studies"):
        module = found.pop(f"dalembert.{name}")
        found |= {f"dalembert.{name}.{x.__name__}": x for x in members(module) if id(x) not in known}
    return found


def members(module: ModuleType) -> list[Any]:
    """Classes and functions that a public module offers."""
    names = dict.fromkeys([*vars(module), *getattr(module, "__all__", ())])  # some come when they are asked for
    inside = [x for name in names if not name.startswith("_") and callable(x := getattr(module, name))]
    return [x for x in inside if f"{getattr(x, '__module__', '')}.".startswith(f"{module.__name__}.")]


def pages() -> dict[str, str]:
    """Text of every page of the reference, by its file."""
    assigned: dict[str, list[str]] = {page.file: [] for page in PAGES}
    for name, thing in public().items():
        page = next((p for p in PAGES if p.holds(thing)), None)
        if page is None:
            raise LookupError(f"no page of the reference holds {name} of {module_of(thing)}")
        assigned[page.file].append(name)
    return {page.file: _page(page, assigned[page.file]) for page in PAGES}


def _page(page: Page, names: list[str]) -> str:
    def order(name: str) -> tuple[bool, bool, str]:
        short = name.rpartition(".")[2]
        return short not in page.contract, not inspect.isclass(public()[name]), short.lower()

    parts = [f"# {page.title}", page.about]
    for name in sorted(names, key=order):
        whole = page.file in ("system", "mechanism", "motion", "results") or name.rpartition(".")[2] in page.contract
        parts.append(entry(name, public()[name], whole))
    return "\n\n".join(parts) + "\n"


def entry(name: str, thing: Any, whole: bool) -> str:
    """A class or function with its signature, words and fields; with `whole` its methods and properties too."""
    module, _, short = name.rpartition(".")
    if not inspect.isclass(thing):
        return f"## {short}\n\n" + directive("function", f"{module}.{short}{signature(thing)}", words(thing))
    kind = "exception" if issubclass(thing, BaseException) else "class"
    head = "" if kind == "exception" else signature(thing)
    body = [words(thing), fields(thing)]
    if whole:
        body += [member(thing, n) for n in methods(thing)]
    return f"## {short}\n\n" + directive(kind, f"{module}.{short}{head}", "\n\n".join(x for x in body if x))


def directive(kind: str, head: str, body: str) -> str:
    """A block of Sphinx's domain of Python; its fence is longer than any inside."""
    fence = ":" * (3 + max((len(x) - 2 for x in re.findall(r"^:{3,}", body, re.MULTILINE)), default=0))
    return f"{fence}{{py:{kind}}} {head}\n{body}\n{fence}"


def words(thing: Any) -> str:
    """The docstring; nothing where it is the one that dataclasses make."""
    text = inspect.getdoc(thing) or ""
    if inspect.isclass(thing) and (text.startswith(f"{thing.__name__}(") or "__doc__" not in vars(thing)):
        return ""
    return "\n\n".join(_code(x) if _is_code(x) else x for x in text.split("\n\n"))


def _is_code(paragraph: str) -> bool:
    """Whether a paragraph is a piece of a program: it is Python, and calls or assigns."""
    try:
        found = ast.walk(ast.parse(paragraph))
    except SyntaxError:
        return False
    return any(isinstance(x, ast.Call | ast.Assign) for x in found)


def _code(paragraph: str) -> str:
    return f"```python\n{paragraph}\n```"


def signature(thing: Callable[..., Any]) -> str:
    """Arguments with types and defaults, without self."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "()"
    kept = [_plain(p) for n, p in found.parameters.items() if n not in ("self", "cls") and not n.startswith("_")]
    text = str(found.replace(parameters=kept, return_annotation=_type(found.return_annotation)))
    return text.replace(" -> None", "") if inspect.isclass(thing) else text


class _Shown:
    """A value that is written as given."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _plain(p: inspect.Parameter) -> inspect.Parameter:
    default = p.default
    if default is not inspect.Parameter.empty:
        text = repr(default)
        try:
            ast.parse(text, mode="eval")
        except SyntaxError:
            text = "..."
        default = _Shown(text if len(text) <= LONGEST else "...")
    return p.replace(default=default, annotation=_type(p.annotation))


def _type(hint: Any) -> Any:
    if hint is inspect.Parameter.empty:
        return hint
    text = hint if isinstance(hint, str) else inspect.formatannotation(hint)
    return _Shown(bare(re.sub(r"\b(?:dalembert|typing|collections\.abc)\.(?:\w+\.)*", "", text)))


def bare(hint: str) -> str:
    """A type without what is annotated to it: `Annotated[X, …]` is X."""
    begin = hint.find("Annotated[")
    if begin < 0:
        return hint
    depth, first, end = 0, None, len(hint)
    for k in range(begin + len("Annotated["), len(hint)):
        depth += (hint[k] in "[({") - (hint[k] in "])}")
        if depth == 0 and hint[k] == "," and first is None:
            first = k
        if depth < 0:
            end = k
            break
    return bare(hint[:begin] + hint[begin + len("Annotated[") : first or end] + hint[end + 1 :])


@cache
def attribute_words(module: str) -> dict[tuple[str, str], str]:
    """Words below the fields of the classes of a module."""
    found: dict[tuple[str, str], str] = {}
    source = Path(str(inspect.getsourcefile(importlib.import_module(module)))).read_text(encoding="utf-8")
    for cls in ast.walk(ast.parse(source)):
        if not isinstance(cls, ast.ClassDef):
            continue
        for field, text in zip(cls.body, cls.body[1:]):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                match text:
                    case ast.Expr(value=ast.Constant(value=str() as said)):
                        found[cls.name, field.target.id] = " ".join(said.split())
    return found


def field_words(cls: type, name: str) -> str:
    """What is said below a field, here or in a class above."""
    ours = [c for c in cls.__mro__ if c.__module__.startswith("dalembert")]
    own = (attribute_words(c.__module__).get((c.__name__, name)) for c in ours)
    return next((w for w in (*own, *(listed().get((c.__name__, name)) for c in ours)) if w), "")


def fields(cls: type) -> str:
    """A table of the public fields of a dataclass."""
    if not dataclasses.is_dataclass(cls) or issubclass(cls, Mechanism):
        return ""
    rows, escape = [], "\\|"
    for f in dataclasses.fields(cls):
        if f.name.startswith("_") or not f.init:
            continue
        said = repr(_type(f.type))
        helped = HELP.search(str(f.type))
        about = field_words(cls, f.name) or (helped[1] if helped else "")
        rows.append(f"| `{f.name}` | `{said.replace('|', 'or')}` | {about.replace('|', escape)} |")
    return "\n".join(["| field | type | |", "|---|---|---|", *rows]) if rows else ""


def methods(cls: type) -> list[str]:
    """Public methods and properties of our own, in the order of the source."""
    found: dict[str, None] = {}
    for c in (c for c in cls.__mro__ if c.__module__.startswith("dalembert")):
        found |= {n: None for n, x in vars(c).items() if not n.startswith("_") and _is_member(x)}
    return list(found)


def _is_member(x: Any) -> bool:
    return inspect.isfunction(x) or isinstance(x, property | cached_property | classmethod | staticmethod)


def member(cls: type, name: str) -> str:
    """A method or property."""
    x = inspect.getattr_static(cls, name)
    if isinstance(x, property | cached_property):
        f = x.fget if isinstance(x, property) else x.func
        returned = _type(inspect.signature(f).return_annotation)
        typed = "" if returned is inspect.Parameter.empty else f":type: {returned!r}\n\n"
        return directive("property", name, typed + words(f))
    kind = {classmethod: "classmethod", staticmethod: "staticmethod"}.get(type(x), "method")
    f = x.__func__ if isinstance(x, classmethod | staticmethod) else x
    return directive(kind, f"{name}{signature(inspect.unwrap(f))}", words(f))
