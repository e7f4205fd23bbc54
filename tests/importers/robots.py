"""Random robots, written as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dalembert.importers.poses import euler_parameters
from tests.mechanisms import matter, rotation, unit


def words(values: np.ndarray | tuple[float, ...] | list[float]) -> str:
    return " ".join(repr(float(x)) for x in np.ravel(values))


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# -- URDF ---------------------------------------------------------------------------------------------------------------
def urdf_link(rng: np.random.Generator, name: str, extra: str = "") -> str:
    m = matter(rng)
    R = rotation(rng)
    I = R.T @ m.inertia @ R
    six = {f"i{'xyz'[i]}{'xyz'[j]}": repr(float(I[i, j])) for i in range(3) for j in range(i, 3)}
    return f"""
  <link name="{name}">
    <inertial>
      <origin xyz="{words(m.com)}" rpy="{words(rpy_of(R))}"/>
      <mass value="{m.mass!r}"/>
      <inertia {" ".join(f'{k}="{v}"' for k, v in six.items())}/>
    </inertial>{extra}
  </link>"""


def rpy_of(R: np.ndarray) -> np.ndarray:
    """Roll, pitch, yaw of a rotation."""
    return np.array([np.arctan2(R[2, 1], R[2, 2]), np.arcsin(np.clip(-R[2, 0], -1, 1)), np.arctan2(R[1, 0], R[0, 0])])


def urdf_joint(
    rng: np.random.Generator, name: str, kind: str, parent: str, child: str, inside: str = "", tag: str = "joint"
) -> str:
    axis = "" if kind in ("fixed", "floating") else f'<axis xyz="{words(unit(rng))}"/>'
    limit = '<limit effort="1" velocity="1" lower="-9" upper="9"/>' if kind in ("revolute", "prismatic") else ""
    return f"""
  <{tag} name="{name}" type="{kind}">
    <parent link="{parent}"/><child link="{child}"/>
    <origin xyz="{words(rng.uniform(-0.5, 0.5, 3))}" rpy="{words(rng.uniform(-1.4, 1.4, 3))}"/>
    {axis}{limit}{inside}
  </{tag}>"""


def urdf_tree(
    rng: np.random.Generator, n: int, *, branching: bool, inside: str = "", kinds: tuple[str, ...] = ()
) -> str:
    """A root link and n more; in a chain, or each on a random one before it."""
    kinds = kinds or ("revolute", "continuous", "prismatic", "fixed")
    parts = [urdf_link(rng, "root")]
    names = ["root"]
    for i in range(n):
        parent = names[rng.integers(len(names))] if branching else names[-1]
        kind = kinds[i % len(kinds)]
        parts += [urdf_link(rng, f"link{i}"), urdf_joint(rng, f"j{i}", kind, parent, f"link{i}", inside)]
        names.append(f"link{i}")
    return "".join(parts)


def urdf(body: str) -> str:
    return f'<?xml version="1.0"?>\n<robot name="robot" xmlns:drake="http://drake.mit.edu">{body}\n</robot>\n'


# -- MJCF ---------------------------------------------------------------------------------------------------------------
def mjcf_inertial(rng: np.random.Generator) -> str:
    m = matter(rng)
    I = m.inertia
    full = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    return f'<inertial pos="{words(m.com)}" mass="{m.mass!r}" fullinertia="{words(full)}"/>'


def mjcf_place(rng: np.random.Generator) -> str:
    return f'pos="{words(rng.uniform(-0.5, 0.5, 3))}" quat="{words(euler_parameters(rotation(rng)))}"'


def mjcf_joint(rng: np.random.Generator, name: str, kind: str, more: str = "") -> str:
    axis = f'axis="{words(np.array(unit(rng)) * 2.0)}"' if kind in ("hinge", "slide") else ""
    return f'<joint name="{name}" type="{kind}" pos="{words(rng.uniform(-0.3, 0.3, 3))}" {axis} {more}/>'
