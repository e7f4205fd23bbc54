"""SID files: what is written is read again, and gives the same equations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.elastic import ElasticBody, read_sid, write_sid
from dalembert.elastic.builders.sid import Taylor, matrices
from dalembert.elastic.inertia import Deformed

from .particles import lumps


def test_round_trip_gives_the_same_equations(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    body = lumps(rng, 3).body(rng, second_order=True)
    write_sid(body, tmp_path / "body.SID_FEM")
    read = read_sid(tmp_path / "body.SID_FEM")
    q, qd, w, v = 0.1 * rng.normal(size=3), rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    for a, b in ((Deformed(body, q), Deformed(read, q)),):
        assert np.abs(a.mass_matrix() - b.mass_matrix()).max() < 1e-13
        assert np.abs(np.concatenate(a.bias(w, qd)) - np.concatenate(b.bias(w, qd))).max() < 1e-12
        assert np.abs(np.concatenate(a.momenta(w, v, qd)) - np.concatenate(b.momenta(w, v, qd))).max() < 1e-12
    assert read.m == body.m and np.array_equal(read.Ke, body.Ke) and list(read.nodes) == list(body.nodes)
    for name, node in body.nodes.items():
        for part in ("r", "Phi", "Psi", "G", "Gam"):
            assert np.array_equal(getattr(node, part), getattr(read.nodes[name], part))


def test_gyroscopic_matrices_are_those_of_the_equations() -> None:
    """Gr and Ge multiply q̇ω in the turning and the modal equations at q = 0; Oe the products of ω."""
    rng = np.random.default_rng(4)
    body = lumps(rng, 2).body(rng, second_order=True)
    t = matrices(body)
    w, qd = rng.normal(size=3), rng.normal(size=2)
    still = Deformed(body, np.zeros(2))
    turning, _, modal = still.bias(w, qd)
    J = t["J"].M0
    second = still.bias(np.zeros(3), qd)[0]
    Gr = sum(qd[k] * t["Gr"].M0[:, 3 * k : 3 * k + 3] @ w for k in range(2))
    assert turning == pytest.approx(np.cross(w, J @ w) + Gr + second, abs=1e-12)
    Ge = sum(qd[k] * t["Ge"].M0[:, 3 * k : 3 * k + 3] @ w for k in range(2))
    products = np.array([w[0] ** 2, w[1] ** 2, w[2] ** 2, w[0] * w[1], w[1] * w[2], w[0] * w[2]])
    assert modal == pytest.approx(t["Oe"].M0 @ products + Ge, abs=1e-12)


def test_what_is_no_sid_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text("mass = 1.0\n")
    with pytest.raises(da.ModelError, match='it has no line "nelastq'):
        read_sid(path)


def in_another_layout(body: ElasticBody) -> str:
    """As other programs write it: aligned in columns, three digits of exponent, half of symmetric matrices, comments and blank lines,
    modes called by number and frequency, nodes numbered as in the finite-element model, what is zero not written."""

    def number(x: float) -> str:
        mantissa, exponent = f"{x:.16E}".split("E")
        return f"{mantissa}D{exponent[0]}{int(exponent[1:]):03d}"

    def section(name: str, t: Taylor, structure: int, pad: str) -> list[str]:
        M1 = t.M1 if t.M1 is not None and np.any(t.M1) else None
        head = {
            "order": int(M1 is not None),
            "nrow": len(t.M0),
            "ncol": t.M0.shape[1],
            "nq": body.n,
            "nqn": 0,
            "structure": structure,
        }
        lines = [f"{pad}{name}", *(f"{pad}  {key:<34}= {value:>4}" for key, value in head.items())]
        for (i, j), x in np.ndenumerate(t.M0):
            if x and structure != 4 and (structure != 2 or i <= j):
                lines.append(f"{pad}  m0({i + 1:4d},{j + 1:4d})                     =   {number(x)}")
        for (i, k, j), x in np.ndenumerate(np.zeros((0, 0, 0)) if M1 is None else M1):
            if x and (structure != 2 or i <= j):
                lines.append(f"{pad}  m1({i + 1:4d},{k + 1:4d},{j + 1:4d})                =   {number(x)}")
        return [*lines, f"{pad}end {name}", ""]

    t, pad = matrices(body), " " * 11
    structures = {"J": 2, "Me": 2, "Ke": 2, "De": 2, "ksigma": 0}
    lines = [
        f"      {len(body.nodes)}      {body.n}   :No. nodes, No. modes:  Träger, Geo_Stiff= yes",
        "part",
        "        new modal            =   beam",
    ]
    lines += ["           refmod", f"                mass                               =   {number(body.m)}"]
    lines += [f"                nelastq                            =  {body.n}"]
    lines += [
        f"                ielastq ({i + 1:4d})                     = Eigen Mode {i + 1:4d} : {7.5 * (i + 1):14.6f} Hz"
        for i in range(body.n)
    ]
    lines += ["           end refmod", "! the nodes of the reduced model", "           frame"]
    for i, node in enumerate(body.nodes.values()):
        lines += [
            f"                new node                           =  {100 + 7 * i}",
            "                     rframe                        = body_ref",
        ]
        parts = {"origin": Taylor(node.r[:, None], node.Phi[:, :, None]), "phi": Taylor(node.Phi, np.moveaxis(node.G, 2, 0)),
                 "psi": Taylor(node.Psi, np.moveaxis(node.Gam, 2, 0)), "AP": Taylor(np.eye(3))}  # fmt: skip
        for name, part in parts.items():
            lines += section(name, part, 4 if name == "AP" else 3, " " * 21)
        lines += ["                end node"]
    lines += ["           end frame", ""]
    for name in ("mdCM", "J", "Ct", "Cr", "Me", "Gr", "Ge", "Oe", "ksigma", "Ke"):
        lines += section(name, t[name], structures.get(name, 3), pad)
    return "\r\n".join([*lines, "        end modal", "end part", ""])


def test_files_of_other_programs(tmp_path: Path) -> None:
    body = da.beam(2.0, E=7e10, rho=2700.0, A=1e-4, Iy=2e-9, Iz=3e-9, modes={"y": 2, "z": 1}, elements=6)
    path = tmp_path / "beam.SID_FEM"
    path.write_bytes(in_another_layout(body).encode("latin-1"))
    read = read_sid(path)
    assert list(read.nodes) == ["node100", "node107"] and read.modes == ("mode1", "mode2", "mode3")
    assert not np.any(read.De) and np.array_equal(read.Ke, read.Ke.T)
    rng = np.random.default_rng(5)
    q, qd, w = 0.05 * rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    a, b = Deformed(body, q), Deformed(read, q)
    assert np.abs(a.mass_matrix() - b.mass_matrix()).max() < 1e-14
    assert np.abs(np.concatenate(a.bias(w, qd)) - np.concatenate(b.bias(w, qd))).max() < 1e-12
    for mine, theirs in zip(body.nodes.values(), read.nodes.values()):
        assert all(np.array_equal(getattr(mine, part), getattr(theirs, part)) for part in ("r", "Phi", "Psi", "G"))
    path.write_bytes(path.read_bytes().replace(b"m0(   1,   1)", b"m0(   9,   1)", 1))
    with pytest.raises(da.ModelError, match=r"matrix .* has an element \(9, 1\)"):
        read_sid(path)


def test_names_of_modes_are_kept(tmp_path: Path) -> None:
    body = da.beam(2.0, E=7e10, rho=2700.0, A=1e-4, Iy=2e-9, Iz=3e-9, modes={"y": 1, "z": 1}, elements=4)
    write_sid(body, tmp_path / "beam.SID_FEM")
    assert read_sid(tmp_path / "beam.SID_FEM").modes == ("y1", "z1")
