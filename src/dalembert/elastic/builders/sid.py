"""SID files (standard input data of flexible bodies, Wallrapp 1993), in and out.

Every matrix of the standard is a contraction of the moments S, P, G0, H: with X_j = P_0j and N_kj = P_kj + H_kj,
mdCM = S, J = tr(·)1 − (·), Ct = S_j + q_k G0_kj, Cr = ε:(X_j + q_k N_kj), Me = tr P_ij, Ge = 2 ε:P_kj, Gr = 2 (tr X_j 1 −
X_jᵀ), and Oe the six coefficients of ω₁², ω₂², ω₃², ω₁ω₂, ω₂ω₃, ω₁ω₃ in ω·(X_j + q_k N_kj)ω − ω·ω tr(·). The other way, J
and Cr give X, Oe and Cr give N, Me and Ge what the equations need of P by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.elastic.body import ElasticBody
from dalembert.elastic.node import Node
from dalembert.elastic.tensors import EPS, axial, skews
from dalembert.errors import ModelError
from dalembert.limited_read import MB, data_of, read_whole
from dalembert.vectors import IDENTITY

LARGEST = 256 * MB
"""Bytes of a file."""
MOST_MODES = 500
SYMMETRIC, UNIT = 2, 4
"""Structures of which not every element is written."""
_PRODUCTS = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)]
NOT_TURNED = 1e-9
"""Component by which a node's axes may differ from the body's and count as these."""


@dataclass(frozen=True, eq=False)
class Taylor:
    """A matrix M0 (rows, columns) and its change M1 (rows, modes, columns) with each elastic coordinate."""

    M0: np.ndarray
    M1: np.ndarray | None = None


# -- out ------------------------------------------------------------------------------------------------------------------
def write_sid(body: ElasticBody, path: str | Path) -> None:
    """Write a body's data; nodes are numbered in their order, with their names in a comment at the end of the file."""
    lines = [f" {len(body.nodes)} {body.n} :No. nodes, No. modes: dalembert", "part", "  new modal", "    refmod"]
    lines += [f"      mass = {_number(body.m)}", f"      nelastq = {body.n}"]
    hertz = body.frequencies / (2.0 * np.pi)
    lines += [f"      ielastq ({i + 1:4d}) = {name} : {f:.6g} Hz" for i, (name, f) in enumerate(zip(body.modes, hertz))]
    lines += ["    end refmod", "    frame"]
    for i, node in enumerate(body.nodes.values(), start=1):
        lines += [f"      new node = {i}", "        rframe = body ref"]
        for name, value in _node(node).items():
            lines += _block(name, value, body.n, 8)
        lines.append("      end node")
    lines.append("    end frame")
    for name, value in matrices(body).items():
        lines += _block(name, value, body.n, 4)
    names = [f"! node {i} = {name}" for i, name in enumerate(body.nodes, start=1)]
    Path(path).write_text("\n".join([*lines, "  end modal", "end part", *names]) + "\n", encoding="utf-8")


def matrices(body: ElasticBody) -> dict[str, Taylor]:
    """The standard's matrices by name."""
    X, N, n = body.P[0, 1:], body.P[1:, 1:] + body.H, body.n
    swapped = np.swapaxes(N, 0, 1)  # row j, coordinate k
    mixed = X + np.swapaxes(X, 1, 2)
    J1 = np.trace(mixed, axis1=1, axis2=2)[:, None, None] * IDENTITY - mixed
    Gr = 2.0 * (np.trace(X, axis1=1, axis2=2)[:, None, None] * IDENTITY - np.swapaxes(X, 1, 2))
    Ge = 2.0 * axial(body.P[1:, 1:])  # block l, row j
    return {
        "mdCM": Taylor(body.S[0][:, None], body.S[1:].T[:, :, None]),
        "J": Taylor(np.trace(body.P[0, 0]) * IDENTITY - body.P[0, 0], np.swapaxes(J1, 0, 1)),
        "Ct": Taylor(body.S[1:], np.swapaxes(body.G0, 0, 1)),
        "Cr": Taylor(axial(X), axial(swapped)),
        "Me": Taylor(body.Me),
        "Gr": Taylor(np.hstack(list(Gr)) if n else np.zeros((3, 0))),
        "Ge": Taylor(np.swapaxes(Ge, 0, 1).reshape(n, 3 * n)),
        "Oe": Taylor(_centrifugal(X), _centrifugal(swapped)),
        "ksigma": Taylor(np.zeros((n, 1))),
        "Ke": Taylor(body.Ke),
        "De": Taylor(body.De),
    }


def _node(node: Node) -> dict[str, Taylor]:
    n = node.Phi.shape[1]
    return {
        "origin": Taylor(node.r[:, None], node.Phi[:, :, None]),
        "phi": Taylor(node.Phi, np.moveaxis(node.G, 2, 0)),
        "psi": Taylor(node.Psi, np.moveaxis(node.Gam, 2, 0)),
        "AP": Taylor(IDENTITY, np.swapaxes(skews(node.Psi.T), 0, 1) if n else np.zeros((3, 0, 3))),
    }


def _centrifugal(T: np.ndarray) -> np.ndarray:
    s, trace = T + np.swapaxes(T, -1, -2), np.trace(T, axis1=-2, axis2=-1)
    return np.stack([0.5 * s[..., a, b] - trace if a == b else s[..., a, b] for a, b in _PRODUCTS], axis=-1)


def _block(name: str, value: Taylor, n: int, indent: int) -> list[str]:
    pad = " " * indent
    changes = value.M1 is not None and bool(np.any(value.M1))
    structure = 3 if np.any(value.M0) or changes else 0
    head = {
        "order": int(changes),
        "nrow": len(value.M0),
        "ncol": value.M0.shape[1],
        "nq": n,
        "nqn": 0,
        "structure": structure,
    }
    lines = [f"{pad}{name}", *(f"{pad}  {key} = {x}" for key, x in head.items())]
    lines += [f"{pad}  m0({i + 1},{j + 1}) = {_number(x)}" for (i, j), x in np.ndenumerate(value.M0) if x != 0.0]
    if changes and value.M1 is not None:
        lines += [
            f"{pad}  m1({i + 1},{k + 1},{j + 1}) = {_number(x)}"
            for (i, k, j), x in np.ndenumerate(value.M1)
            if x != 0.0
        ]
    return [*lines, f"{pad}end {name}"]


def _number(x: float) -> str:
    return f"{x:.17E}".replace("E", "D")


# -- in -------------------------------------------------------------------------------------------------------------------
def read_sid(path: str | Path) -> ElasticBody:
    """The body of a SID file, as this or another program has written it.

    Nodes keep the names written beside them, or are called "node" and their number; modes keep theirs where they are single words.
    """
    with data_of(path):
        return _body(read_whole(path, LARGEST).decode("utf-8", errors="replace"), path)


def _body(text: str, path: str | Path) -> ElasticBody:
    mass, n = (_found(text, key, path) for key in ("mass", "nelastq"))
    count = int(n)
    if not 0 <= count <= MOST_MODES:
        raise ModelError(f"{path}: it says nelastq = {n:g}; there can be 0 to {MOST_MODES} modes")
    body = text[text.index("end frame") :] if "end frame" in text else text
    t = {name: _taylor(body, name, count, path) for name in ("mdCM", "J", "Ct", "Cr", "Me", "Ge", "Oe", "Ke")}
    De = _taylor(body, "De", count, path).M0 if _section(body, "De") else np.zeros((count, count))
    if _section(body, "ksigma") and np.any(_taylor(body, "ksigma", count, path).M0):
        raise ModelError(
            f"{path}: the body is stressed while at rest (ksigma), which is not supported; export it unloaded"
        )
    S, P, N = np.zeros((count + 1, 3)), np.zeros((count + 1, count + 1, 3, 3)), np.zeros((count, count, 3, 3))
    S[0], S[1:] = t["mdCM"].M0[:, 0], t["Ct"].M0
    P[0, 0] = _second(t["J"].M0)
    turned = _antisymmetric(t["Cr"].M0)
    for j in range(count):
        P[0, j + 1] = 0.5 * _second(_change(t["J"], count)[:, j]) + turned[j]
        P[j + 1, 0] = P[0, j + 1].T
    N = np.swapaxes(_symmetric(_change(t["Oe"], count)) + _antisymmetric(_change(t["Cr"], count)), 0, 1)
    Ge = np.swapaxes(t["Ge"].M0.reshape(count, count, 3), 0, 1)
    P[1:, 1:] = t["Me"].M0[:, :, None, None] / 3.0 * IDENTITY + 0.5 * _antisymmetric(Ge)
    H = N - P[1:, 1:]
    H = 0.5 * (H + np.swapaxes(H, 0, 1))
    G0 = np.swapaxes(_change(t["Ct"], count), 0, 1)
    return ElasticBody(
        mass, S, P, t["Ke"].M0, De, G0, H, _nodes(text, count, path), _mode_names(text, count),
        frame="as in the SID file", stiffened=bool(np.any(G0)),
    )  # fmt: skip


def _mode_names(text: str, n: int) -> tuple[str, ...]:
    """Those of `ielastq (1) = name : frequency`, where they are single words; nothing where they are like "Eigen Mode 1"."""
    found = re.findall(
        r"^[ \t]*ielastq[ \t]*\([ \t]*\d+[ \t]*\)[ \t]*=[ \t]*([^:\n]*)", text, re.MULTILINE | re.IGNORECASE
    )
    names = tuple(name.strip() for name in found)
    return names if len(set(names)) == n and all(re.fullmatch(r"\w+", name) for name in names) else ()


def _nodes(text: str, n: int, path: Any) -> dict[str, Node]:
    names = dict(re.findall(r"! node (\d+) = (\S+)", text))
    out = {}
    for number, part in re.findall(r"new node[ \t]*=[ \t]*(\S+)(.*?)end node", text, re.DOTALL):
        origin, phi, psi, axes = (_taylor(part, name, n, path) for name in ("origin", "phi", "psi", "AP"))
        if np.abs(axes.M0 - IDENTITY).max() > NOT_TURNED:
            raise ModelError(f"{path}: node {number} has axes of its own; only nodes with the body's axes can be read")
        G, Gam = (np.moveaxis(_change(x, n), 0, 2) for x in (phi, psi))
        out[names.get(number, f"node{number}")] = Node.of(origin.M0[:, 0], phi.M0, psi.M0, G, Gam)
    return out


def _taylor(text: str, name: str, n: int, path: Any) -> Taylor:
    part = _section(text, name)
    if part is None:
        raise ModelError(f"{path}: it has no matrix {name}; is it a SID file?")
    rows, columns, structure = (int(_found(part, key, path)) for key in ("nrow", "ncol", "structure"))
    if not (0 <= rows <= 3 * n + 6 and 0 <= columns <= 3 * n + 6):
        raise ModelError(f"{path}: matrix {name} cannot have {rows} × {columns} elements with {n} modes")
    M0, M1 = np.zeros((rows, columns)), np.zeros((rows, n, columns))
    if structure == UNIT:
        M0 = np.eye(rows)
    for places, x in _entries(part, "m0", 2):
        i, j = _within(places, (rows, columns), name, path)
        M0[i, j] = x
        if structure == SYMMETRIC:
            M0[j, i] = x
    for places, x in _entries(part, "m1", 3):
        i, k, j = _within(places, (rows, n, columns), name, path)
        M1[i, k, j] = x
        if structure == SYMMETRIC:
            M1[j, k, i] = x
    return Taylor(M0, M1)


def _section(text: str, name: str) -> str | None:
    """What stands between a line with the name alone and the line that ends it."""
    found = re.search(rf"^[ \t]*{name}[ \t\r]*\n(.*?)^[ \t]*end[ \t]+{name}\b", text, re.DOTALL | re.MULTILINE)
    return found and found.group(1)


def _entries(part: str, matrix: str, n: int) -> list[tuple[list[int], float]]:
    """Lines such as m0( 1, 2) = 3.0D+000: places, counted from 1, and value."""
    places = r"[ \t]*,[ \t]*".join([r"(\d+)"] * n)
    found = re.findall(
        rf"^[ \t]*{matrix}[ \t]*\([ \t]*{places}[ \t]*\)[ \t]*=[ \t]*(\S+)", part, re.MULTILINE | re.IGNORECASE
    )
    return [([int(i) for i in at], _value(x)) for *at, x in found]


def _within(places: list[int], shape: tuple[int, ...], name: str, path: Any) -> list[int]:
    if any(not 1 <= at <= size for at, size in zip(places, shape)):
        raise ModelError(f"{path}: matrix {name} has an element {tuple(places)}, but its size is {shape}")
    return [at - 1 for at in places]


def _change(t: Taylor, n: int) -> np.ndarray:
    """M1, zero where there is none."""
    return np.zeros((len(t.M0), n, t.M0.shape[1])) if t.M1 is None else t.M1


def _found(text: str, key: str, path: Any) -> float:
    found = re.search(rf"^[ \t]*{key}[ \t]*=[ \t]*(\S+)", text, re.MULTILINE)
    if found is None:
        raise ModelError(f'{path}: it has no line "{key} = …"; is it a SID file?')
    return _value(found.group(1))


def _value(text: str) -> float:
    return float(text.replace("D", "E").replace("d", "e"))


def _second(J: np.ndarray) -> np.ndarray:
    """P with J = tr(P) 1 − P."""
    return 0.5 * np.trace(J) * IDENTITY - J


def _antisymmetric(v: np.ndarray) -> np.ndarray:
    """T antisymmetric with ε:T = v."""
    return 0.5 * np.einsum("cab,...c->...ab", EPS, v)


def _symmetric(coefficients: np.ndarray) -> np.ndarray:
    """T symmetric from its six centrifugal coefficients."""
    T = np.zeros((*coefficients.shape[:-1], 3, 3))
    trace = -0.5 * coefficients[..., :3].sum(axis=-1)
    for c, (a, b) in enumerate(_PRODUCTS):
        value = coefficients[..., c] + trace if a == b else 0.5 * coefficients[..., c]
        T[..., a, b] = T[..., b, a] = value
    return T
