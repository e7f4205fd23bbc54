"""Random SDF models."""

from __future__ import annotations

import numpy as np

from tests.importers.robots import rpy_of, words
from tests.mechanisms import matter, rotation, unit

KINDS = ("revolute", "prismatic", "continuous", "ball", "fixed", "screw")


def sdf(body: str, version: str = "1.7", world: bool = False) -> str:
    inside = f'<world name="w">{body}</world>' if world else body
    return f'<?xml version="1.0"?>\n<sdf version="{version}">{inside}</sdf>\n'


def pose(rng: np.random.Generator, relative_to: str | None = None) -> str:
    said = "" if relative_to is None else f' relative_to="{relative_to}"'
    return f"<pose{said}>{words([*rng.uniform(-1, 1, 3), *rpy_of(rotation(rng))])}</pose>"


def link(rng: np.random.Generator, name: str, at: str = "", extra: str = "") -> str:
    m, R = matter(rng), rotation(rng)
    I = R.T @ m.inertia @ R
    six = "".join(f"<i{'xyz'[i]}{'xyz'[j]}>{I[i, j]!r}</i{'xyz'[i]}{'xyz'[j]}>" for i in range(3) for j in range(i, 3))
    place = f"<pose>{words([*m.com, *rpy_of(R)])}</pose>"
    return f"""
  <link name="{name}">{at}
    <inertial>{place}<mass>{m.mass!r}</mass><inertia>{six.replace("np.float64(", "").replace(")", "")}</inertia></inertial>{extra}
  </link>"""


def axis(rng: np.random.Generator, tag: str = "axis", expressed_in: str | None = None, inside: str = "") -> str:
    said = "" if expressed_in is None else f' expressed_in="{expressed_in}"'
    return f"<{tag}><xyz{said}>{words(unit(rng))}</xyz>{inside}</{tag}>"


def joint(rng: np.random.Generator, name: str, kind: str, parent: str, child: str, more: str = "", at: str = "") -> str:
    dynamics = f"<dynamics><damping>{rng.uniform(0.1, 1.0)!r}</damping></dynamics>"
    axes = "" if kind in ("ball", "fixed") else axis(rng, inside=dynamics)
    more += f"<screw_thread_pitch>{rng.uniform(0.1, 0.5)!r}</screw_thread_pitch>" if kind == "screw" else ""
    return f"""
  <joint name="{name}" type="{kind}">{at}<parent>{parent}</parent><child>{child}</child>{axes}{more}
  </joint>"""


def tree(rng: np.random.Generator, n: int) -> str:
    """A model whose links and joints stand relative to each other and to frames, at random."""
    parts, names = [link(rng, "root", pose(rng))], ["root"]
    for k in range(n):
        parent = names[rng.integers(len(names))]
        parts.append(f'\n  <frame name="f{k}" attached_to="{parent}">{pose(rng)}</frame>')
        parts.append(link(rng, f"l{k}", pose(rng, [None, f"f{k}", parent, "__model__"][k % 4])))
        at = pose(rng, [None, f"f{k}", parent][k % 3]) if k % 2 else ""
        made = joint(rng, f"j{k}", KINDS[k % len(KINDS)], parent, f"l{k}", at=at)
        parts.append(made.replace("<xyz>", f'<xyz expressed_in="{["root", f"f{k}", "__model__"][k % 3]}">', k % 2))
        names.append(f"l{k}")
    return f'\n<model name="robot">{pose(rng)}{"".join(parts)}\n</model>'
