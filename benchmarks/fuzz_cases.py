"""Cases of the fuzz gate: a number becomes a spoilt file or a strange call, always the same one.

Files are spoilt by their grammar (fields dropped, doubled, renamed, of another kind, scaled, with extreme numbers) and by their bytes.
Calls take arguments of every wrong kind beside right ones. Laws, elements and what came with them are in `fuzz_parts.py`.
"""

from __future__ import annotations

import atexit
import copy
import functools
import io
import json
import math
import random
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.dom import minidom

import numpy as np
import yaml

import dalembert as da
from benchmarks import fuzz_parts
from dalembert.files.gallery import files as gallery
from dalembert.parts import meshes
from dalembert.simulation.march.checkpoint import load_checkpoint
from dalembert.trace.table import Table

ROBOTS = Path(__file__).parent / "robots"
"""URDF and MJCF with one of everything."""
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""In C where PyYAML has it."""
EXAMPLE = Path(__file__).parents[1] / "examples" / "robot.urdf"
NUMBERS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    1e-12,
    1e12,
    -1e12,
    1e-300,
    1e300,
    1e308,
    -1e308,
    5e-324,
    math.nan,
    math.inf,
    -math.inf,
    0.5,
    2,
    3,
    7,
    1e5,
    10**30,
)
WORDS = (
    "", " ", "x", "A", "ground", "world", "a\0b", "é" * 40, "q.A", "q.A+u.B", "1/0", "sin(t)", "sqrt(-t)", "t^t", "1e999", "((((",
    "log(0)", "revolute", "free", "weld", "beam", "../x.csv", "/etc/passwd", "n" * 3000, "=1+1", "<script>", "true", "null", "~",
    "&a", "*a", "{}", "[]", "%", "\ud7ff", "-", "0 0 0", "nan nan nan", "1 2 3 4 5 6 7 8 9", "1e400", "9" * 500,
)  # fmt: skip
THINGS: tuple[Any, ...] = (
    None,
    True,
    False,
    [],
    {},
    [[]],
    [1],
    [1, 2, 3],
    [[1, 2], [3]],
    {"x": 1},
    {"A": None},
    "x",
    3,
    1e300,
    ["A", "A"],
    [None] * 3,
)


class Case:
    """One number's case: `kind` says what is spoilt, `run` does it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        kinds = KINDS if seed >= NEWER_FROM else dict(list(KINDS.items())[:OLDER])
        self.kind = self.rng.choices(list(kinds), [weight for weight, _ in kinds.values()])[0]

    def run(self) -> None:
        """Whatever it raises beside a DalembertError is a fault."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            KINDS[self.kind][1](self.rng)


# -- spoilt data ------------------------------------------------------------------------------------------------------------
def spoilt(data: Any, rng: random.Random) -> Any:
    """Nested lists and mappings with a few changes."""
    data = copy.deepcopy(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        holder, key = rng.choice(_places(data))
        _change(holder, key, data, rng)
    return data


def _places(data: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    left = [data]
    while left:
        here = left.pop()
        inside = here.items() if isinstance(here, dict) else enumerate(here)
        for key, value in inside:
            found.append((here, key))
            if isinstance(value, (dict, list)) and value:
                left.append(value)
    return found or [({"": None}, "")]


def _change(holder: Any, key: Any, data: Any, rng: random.Random) -> None:
    value = holder[key]
    match rng.choice(("drop", "double", "rename", "retype", "scale", "extreme", "exchange", "word", "nest")):
        case "drop":
            del holder[key]
        case "double" if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(value))
        case "double":
            holder[f"{key}2"] = copy.deepcopy(value)
        case "rename" if isinstance(holder, dict):
            holder[rng.choice((*WORDS, *_names(data)))] = holder.pop(key)
        case "scale" if isinstance(value, (int, float)) and not isinstance(value, bool):
            holder[key] = value * rng.choice((-1, 0, 1e-9, 1e-3, 1.1, 1e3, 1e9, 1e150))
        case "scale" if isinstance(value, list):
            holder[key] = [x * 1e6 if isinstance(x, float) else x for x in value]
        case "extreme":
            holder[key] = rng.choice(NUMBERS)
        case "exchange":
            other, at = rng.choice(_places(data))
            holder[key] = copy.deepcopy(other[at])
        case "word":
            holder[key] = rng.choice((*WORDS, *_names(data)))
        case "nest":
            holder[key] = rng.choice(([value], {"x": value}, [value] * 4, [[value] * 3] * 3))
        case _:
            holder[key] = copy.deepcopy(rng.choice(THINGS))


def _names(data: Any) -> list[str]:
    return [str(key) for holder, key in _places(data) if isinstance(holder, dict)] or ["x"]


def bytes_of(content: bytes, rng: random.Random) -> bytes:
    """Bits turned, pieces cut out, doubled or exchanged, the end lost."""
    made = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        if not made:
            break
        i = rng.randrange(len(made))
        j = min(len(made), i + rng.choice((1, 1, 4, 8, 30, 200)))
        match rng.randrange(6):
            case 0:
                made[i] ^= 1 << rng.randrange(8)
            case 1:
                made[i] = rng.choice((0, 255, 127, 10, 32, 45, 46, 57))
            case 2:
                del made[i:j]
            case 3:
                made[i:i] = made[i:j] * rng.choice((1, 3))
            case 4:
                made[i:j] = rng.choice(WORDS).encode("utf-8", "surrogatepass")
            case _:
                del made[i:]
    return bytes(made)


# -- files -------------------------------------------------------------------------------------------------------------------
@functools.cache
def folder() -> Path:
    """A folder of this process's own, with the files that models beside it name."""
    memory = Path("/dev/shm")  # files here cost no disk
    made = Path(tempfile.mkdtemp(prefix="dalembert-fuzz-", dir=memory if memory.is_dir() else None))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    (made / "other.xml").write_text("<mujocoinclude/>", encoding="utf-8")
    (made / "robot.urdf").write_bytes(EXAMPLE.read_bytes())
    return made


def written(name: str, content: bytes) -> Path:
    path = folder() / name
    path.write_bytes(content)
    return path


@functools.cache
def models() -> list[Any]:
    return [
        yaml.safe_load(path.read_text(encoding="utf-8")) for path in gallery().values() if path.stat().st_size < 30_000
    ]


def used(m: da.Mechanism, rng: random.Random) -> None:
    """What one does with a model first; marching and compiling only now and then, because they take their time."""
    if m.n_u > 40:
        return
    m.state()
    repr(m)
    if rng.random() < 0.03:
        str(m.inspect())
    if rng.random() < 0.01:
        ASKED[rng.choice(list(ASKED))](m)


def _marched(m: da.Mechanism) -> None:
    motion = m.simulate(0.01)
    motion.energy()
    motion.save(folder() / "motion.csv")


ASKED: dict[str, Callable[[da.Mechanism], Any]] = {
    "simulate": _marched,
    "radau": lambda m: m.simulate(0.01, method="radau"),
    "solve": lambda m: m.solve(*m.assemble(m.plan.initial, m.plan.speeds)),
    "linearise": lambda m: m.linearise(m.assemble(m.plan.initial)[0]),
    "equilibrium": lambda m: m.equilibrium(),
    "compare": lambda m: m.compare(["kane", "recursive"], ["range_space", "svd"], states=1),
}
"""What one does with a model later; it is compiled for most of this."""


def warm() -> None:
    """What takes long the first time, before any case is timed."""
    data_files()
    models()
    robots()
    pendulum().forward_dynamics([0.0] * 2, [0.0] * 2)
    loop().simulate(0.02)


def model_by_grammar(rng: random.Random) -> None:
    data = spoilt(rng.choice(models()), rng)
    if rng.random() < 0.5:
        path = written("model.json", json.dumps(data, default=str).encode("utf-8", "surrogatepass"))
    else:
        path = written(
            "model.yaml",
            yaml.dump(data, Dumper=DUMPER, sort_keys=False, allow_unicode=True).encode("utf-8", "surrogatepass"),
        )
    used(da.load(path), rng)


def model_by_bytes(rng: random.Random) -> None:
    source = rng.choice([path for path in gallery().values() if path.stat().st_size < 30_000])
    used(da.load(written("model.yaml", bytes_of(source.read_bytes(), rng))), rng)


@functools.cache
def robots() -> list[tuple[str, bytes]]:
    return [(path.name, path.read_bytes()) for path in (*sorted(ROBOTS.iterdir()), EXAMPLE)]


def robot_by_grammar(rng: random.Random) -> None:
    name, content = rng.choice(robots())
    document = minidom.parseString(content)
    for _ in range(rng.choice((1, 1, 2, 3))):
        everything = document.getElementsByTagName("*")
        one, other = (everything[rng.randrange(1, len(everything))] for _ in range(2))
        names = list(one.attributes.keys())
        act = rng.randrange(8) if names else rng.randrange(5, 8)
        if act == 0:
            one.removeAttribute(rng.choice(names))
        elif act < 3:
            values = [a.value for a in other.attributes.values()] or ["1"]
            one.setAttribute(rng.choice(names), rng.choice([*values, *rng.choices(WORDS, k=3)]))
        elif act < 5:
            key = rng.choice(names)
            one.setAttribute(key, " ".join(_number(word, rng) for word in one.getAttribute(key).split()))
        elif act == 5 and one.parentNode is not None and len(everything) > 5:
            one.parentNode.removeChild(one)
        elif act == 6:
            one.tagName = one.nodeName = rng.choice([x.tagName for x in everything])
        else:
            other.appendChild(one.cloneNode(True))
    content = document.toxml().encode("utf-8", "surrogatepass")
    used(da.load_robot(written(name, content)).build(), rng)


def _number(word: str, rng: random.Random) -> str:
    return repr(rng.choice(NUMBERS)) if rng.random() < 0.3 else word


def robot_by_bytes(rng: random.Random) -> None:
    name, content = rng.choice(robots())
    used(da.load_robot(written(name, bytes_of(content, rng))).build(), rng)


@functools.cache
def data_files() -> list[tuple[str, bytes, Callable[[Path], Any]]]:
    """One of each other kind of file, and what reads it."""
    box = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [
        (1, 3, 4),
        (1, 4, 2),
        (5, 6, 8),
        (5, 8, 7),
        (1, 2, 6),
        (1, 6, 5),
        (3, 7, 8),
        (3, 8, 4),
        (1, 5, 7),
        (1, 7, 3),
        (2, 4, 8),
        (2, 8, 6),
    ]
    obj = "".join(f"v {x} {y} {z}\n" for x, y, z in box) + "".join(f"f {a}/1 {b} {c}\n" for a, b, c in faces)
    corners = np.array([[box[k - 1] for k in f] for f in faces], dtype="<f4")
    records = np.zeros(len(faces), dtype=[("n", "<f4", 3), ("c", "<f4", (3, 3)), ("a", "<u2")])
    records["c"] = corners
    stl = b"\0" * 80 + len(faces).to_bytes(4, "little") + records.tobytes()
    text = "solid x\n" + "".join(
        "facet\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in f) + "endfacet\n" for f in corners.tolist()
    )
    beam = da.beam(length=1.0, E=2e11, rho=7800.0, A=1e-4, Iy=1e-9, Iz=1e-9, modes=2)
    da.elastic.write_sid(beam, folder() / "whole.sid")
    packed = io.BytesIO()
    np.savez(packed, M=np.eye(12), K=np.eye(12), coordinates=np.array(box[:4], dtype=float))
    motion = pendulum().simulate(0.02, {"A": 0.3})
    motion.save(folder() / "whole.nc")
    pendulum().simulate(0.02, {"A": 0.3}, checkpoint=folder() / "whole.ckpt")
    kept = folder() / "whole.ckpt"
    return [
        ("x.obj", obj.encode(), meshes.load),
        ("x.stl", stl, meshes.load),
        ("y.stl", text.encode(), meshes.load),
        ("x.csv", b"t,x [m],y\n" + b"".join(b"%d,%d.5,-1e3\n" % (k, k) for k in range(20)), Table.read),
        ("x.sid", (folder() / "whole.sid").read_bytes(), da.elastic.read_sid),
        ("x.npz", packed.getvalue(), da.elastic.load_matrices),
        ("x.nc", (folder() / "whole.nc").read_bytes(), da.load_motion),
        *([("x.ckpt", kept.read_bytes(), load_checkpoint)] if kept.exists() else []),
    ]


def data_by_bytes(rng: random.Random) -> None:
    name, content, load = rng.choice(data_files())
    load(written(name, bytes_of(content, rng)))


# -- calls -------------------------------------------------------------------------------------------------------------------
@functools.cache
def pendulum() -> da.Mechanism:
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("rod", mass=s.parameter("M", 1.0), com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    s.add_body("tip", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    s.add_joint("B", da.Revolute(), "rod", "tip", at_parent=(1, 0, 0))
    return s.build()


@functools.cache
def loop() -> da.Mechanism:
    return da.load(gallery()["four_bar"])


def strange(rng: random.Random) -> Any:
    """An argument of some kind."""
    return rng.choice(
        (
            *THINGS, *NUMBERS, *rng.choices(WORDS, k=6), b"x", 1j, object(), print, Path("x"), np.nan, np.zeros(0), np.zeros(2),
            np.zeros((2, 2)), np.zeros((3, 2)), np.full(2, math.nan), np.array(["a", "b"]), np.array([None, 1]), [0.1, 0.2],
            [0.1, math.inf], (0.1, "x"), {"A": 0.1}, {"A": "x"}, {"A": [1, 2]}, {"A": math.nan}, {1: 2}, {"M": -1.0}, {"M": 0.0},
            range(2), iter(()), 10**400, -5, 2**63, np.zeros(2, dtype=complex), np.zeros((1, 1, 1, 1)), lambda *_: 0.0,
            lambda: None, {"ground": 1}, ["A", 3], {"A", "B"}, np.float32(1),
        )
    )  # fmt: skip


def few(rng: random.Random) -> Any:
    """A duration that does not take all day, or something strange."""
    given = strange(rng)
    large = isinstance(given, (int, float, np.number)) and 0.1 < given < math.inf
    return 0.05 if large else given


CALLS: dict[str, Callable[[da.Mechanism, random.Random], Any]] = {
    "state": lambda m, r: m.state(strange(r), strange(r), strange(r)),
    "position": lambda m, r: m.state().position(strange(r)),
    "jacobian": lambda m, r: m.state().jacobian(strange(r)),
    "assemble": lambda m, r: m.assemble(strange(r), strange(r), r.choice((0.0, strange(r)))),
    "forward_dynamics": lambda m, r: m.forward_dynamics(strange(r), r.choice(([0.0] * m.n_u, strange(r)))),
    "solve": lambda m, r: m.solve(strange(r), r.choice(([0.0] * m.n_u, strange(r)))),
    "inverse_dynamics": lambda m, r: m.inverse_dynamics(strange(r), strange(r), r.choice(([0.0] * m.n_u, strange(r)))),
    "mass_matrix": lambda m, r: m.mass_matrix(strange(r)),
    "body_motion": lambda m, r: m.body_motion(strange(r), strange(r)),
    "energies": lambda m, r: m.energies(strange(r), strange(r)),
    "point_jacobian": lambda m, r: m.point_jacobian(strange(r), r.choice(([0.0] * m.n_q, strange(r)))),
    "with_parameters": lambda m, r: m.with_parameters(**{r.choice(("M", "x", "A")): strange(r)}),
    "simulate": lambda m, r: m.simulate(few(r), r.choice((None, strange(r))), r.choice((None, strange(r)))),
    "output": lambda m, r: m.simulate(0.05, output=few(r)),
    "method": lambda m, r: m.simulate(0.02, method=strange(r)),
    "formulation": lambda m, r: m.simulate(0.02, formulation=strange(r)),
    "constraints": lambda m, r: m.simulate(0.02, constraints=strange(r)),
    "step": lambda m, r: m.simulate(0.05, method="rk4", step=r.choice((0.01, strange(r)))),
    "control": lambda m, r: m.simulate(0.05, control=strange(r)),
    "events": lambda m, r: m.simulate(0.05, events=strange(r)),
    "equations": lambda m, r: m.equations(strange(r)),
    "equilibrium": lambda m, r: m.equilibrium(strange(r)),
    "linearise": lambda m, r: m.linearise(strange(r)),
    "drives": lambda m, r: m.drives(strange(r), strange(r), strange(r), strange(r)),
    "sweep": lambda m, r: m.sweep(r.choice(("A", strange(r))), strange(r)),
    "diagnose": lambda m, r: m.diagnose(strange(r)),
    "load": lambda m, r: da.load(strange(r)),
    "load_motion": lambda m, r: da.load_motion(strange(r), strange(r)),
    "body": lambda m, r: da.System("s").add_body(r.choice(("b", strange(r))), mass=strange(r), com=strange(r), inertia=strange(r)),
    "rod": lambda m, r: da.rod(strange(r), strange(r)),
    "box": lambda m, r: da.box(strange(r), strange(r)),
    "joint": lambda m, r: r.choice((da.Revolute, da.Prismatic, da.Cylindrical, da.Screw, da.Universal))(strange(r)),
    "force": lambda m, r: r.choice((da.Spring, da.JointSpring, da.Motor, da.Load, da.Tendon))(strange(r), strange(r)),
    "constraint": lambda m, r: r.choice((da.Coupling, da.Drive, da.RollingBall, da.KnifeEdge))(strange(r), strange(r)),
    "table": lambda m, r: da.Table(strange(r), strange(r)),
    "beam": lambda m, r: da.beam(
        **{"length": 1.0, "E": 2e11, "rho": 7800.0, "A": 1e-4, "Iy": 1e-9, "Iz": 1e-9, "modes": 2}
        | {r.choice(("length", "E", "rho", "A", "Iy", "modes", "nodes", "support")): strange(r)}
    ),
}  # fmt: skip


def call(rng: random.Random) -> None:
    m = rng.choice((pendulum(), pendulum(), loop()))
    CALLS[rng.choice(list(CALLS))](m, rng)


KINDS: dict[str, tuple[float, Callable[[random.Random], None]]] = {
    "model, by grammar": (3.0, model_by_grammar),
    "model, by bytes": (1.5, model_by_bytes),
    "robot, by grammar": (2.0, robot_by_grammar),
    "robot, by bytes": (1.0, robot_by_bytes),
    "other files": (2.0, data_by_bytes),
    "call": (2.5, call),
    "law or element": (6.0, lambda rng: fuzz_parts.part(rng, strange)),
    "model with laws or elements": (6.0, lambda rng: fuzz_parts.equipped_model(rng, spoilt)),
    "call of newer rooms": (3.0, lambda rng: fuzz_parts.call(rng, strange)),
}
OLDER, NEWER_FROM = 6, 1_720_000
"""Kinds that all numbers draw from, and the number from which on those behind them are drawn as well."""
