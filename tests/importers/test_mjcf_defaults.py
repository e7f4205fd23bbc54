"""Attributes mean the same on the element, in its class and in the classes around it. MuJoCo is the judge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from tests.importers.peers import from_mujoco, peer, randomize, to_mujoco
from tests.importers.robots import words, write

mujoco = peer("mujoco", "mujoco")
CLASSES = ("main", "outer", "inner", "other")
"""inner lies in outer; outer and other in main."""


# -- random attributes --------------------------------------------------------------------------------------------------
def some(rng: np.random.Generator, often: float, **choices: Any) -> str:
    """Some of the attributes, each with a value of its own."""
    made = {name: make() for name, make in choices.items() if rng.random() < often}
    return " ".join(f'{name}="{value}"' for name, value in made.items())


def numbers(rng: np.random.Generator, most: int, least: int = 1, low: float = 0.1, high: float = 2.0) -> str:
    return words(rng.uniform(low, high, rng.integers(least, most + 1)))


def actuator(rng: np.random.Generator, tag: str, often: float) -> str:
    def real(least: int, most: int) -> Any:
        return lambda: numbers(rng, most, least, -2.0, 2.0)

    attributes = {
        "general": {
            "gaintype": lambda: rng.choice(["fixed", "affine"]),
            "biastype": lambda: rng.choice(["none", "affine"]),
            "dyntype": lambda: "none",
            "gainprm": real(1, 3),
            "biasprm": real(1, 3),
        },
        "motor": {},
        "position": {"kp": lambda: numbers(rng, 1), "kv": lambda: numbers(rng, 1)},
        "velocity": {"kv": lambda: numbers(rng, 1)},
        "damper": {"kv": lambda: numbers(rng, 1)},
    }[tag]
    return some(rng, often, gear=real(1, 6), **attributes)


def joint(rng: np.random.Generator, often: float) -> str:
    return some(
        rng,
        often,
        type=lambda: rng.choice(["hinge", "slide"]),
        pos=lambda: numbers(rng, 3, 3),
        axis=lambda: numbers(rng, 3, 3),
        ref=lambda: numbers(rng, 1),
        springref=lambda: numbers(rng, 1),
        stiffness=lambda: numbers(rng, 1),
        damping=lambda: numbers(rng, 1),
        armature=lambda: numbers(rng, 1),
    )


def geom(rng: np.random.Generator, often: float) -> str:
    turned = {
        "quat": lambda: numbers(rng, 4, 4),
        "euler": lambda: numbers(rng, 3, 3),
        "axisangle": lambda: numbers(rng, 4, 4),
        "zaxis": lambda: numbers(rng, 3, 3),
    }
    one = str(rng.choice(list(turned)))
    placed = {"fromto": lambda: numbers(rng, 6, 6)} if rng.random() < 0.15 else {"pos": lambda: numbers(rng, 3, 3)}
    return some(
        rng,
        often,
        **placed,
        type=lambda: rng.choice(["capsule", "cylinder", "box", "ellipsoid"]),
        size=lambda: numbers(rng, 3, 1, 0.1, 0.5),
        mass=lambda: numbers(rng, 1),
        density=lambda: numbers(rng, 1, 1, 100.0, 900.0),
        **({one: turned[one]} if rng.random() < 0.5 else {}),
    )


ACTUATORS = ("general", "motor", "position", "velocity", "damper")


def defaults(rng: np.random.Generator, size: str = "") -> str:
    """What a class says, in any order and of any kind."""
    given = geom(rng, 0.3)
    parts = [f"<joint {joint(rng, 0.3)}/>", f"<geom {given if 'size=' in given else given + size}/>"]
    parts += [f"<{tag} {actuator(rng, tag, 0.5)}/>" for tag in rng.choice(ACTUATORS, rng.integers(0, 3), replace=False)]
    rng.shuffle(parts)
    return "".join(parts)


def chosen(rng: np.random.Generator, name: str = "class") -> str:
    return f'{name}="{rng.choice(CLASSES)}"' if rng.random() < 0.7 else ""


def robot(rng: np.random.Generator) -> str:
    text = f"""<compiler angle="{rng.choice(["radian", "degree"])}"/><default>{defaults(rng, ' size="0.2 0.3 0.4"')}
      <default class="outer">{defaults(rng)}<default class="inner">{defaults(rng)}</default></default>
      <default class="other">{defaults(rng)}</default></default><worldbody>"""
    for k in range(3):
        text += f'<body name="b{k}" pos="{numbers(rng, 3, 3)}" {chosen(rng, "childclass")}>'
        text += f'<joint name="j{k}" {chosen(rng)} {joint(rng, 0.4)}/><geom {chosen(rng)} {geom(rng, 0.5)}/>'
    text += "</body>" * 3 + "</worldbody><actuator>"
    for k in range(3):
        tag = str(rng.choice(ACTUATORS))
        text += f'<{tag} joint="j{k}" {chosen(rng)} ctrlrange="0 9" {actuator(rng, tag, 0.5)}/>'
    return f'<mujoco model="random">{text}</actuator></mujoco>'


def accepted(folder: Path, seeds: range) -> Iterator[tuple[int, Path, Any]]:
    """The random robots that MuJoCo takes as well formed."""
    for seed in seeds:
        path = write(folder, f"robot{seed}.xml", robot(np.random.default_rng(seed)))
        try:
            yield seed, path, mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            continue


def test_random_attributes_in_random_classes_give_mujocos_accelerations(tmp_path):
    count = 0
    for seed, path, mm in accepted(tmp_path, range(100)):
        mm.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        dd, rng = mujoco.MjData(mm), np.random.default_rng(seed)
        randomize(mm, dd, rng)
        dd.ctrl[:] = rng.normal(size=mm.nu)
        mujoco.mj_forward(mm, dd)
        imported = da.load_mjcf(path)
        assert not any("left out" in note for note in imported.notes), path.read_text()
        m = imported.build()
        q, u = from_mujoco(m, mm, dd)
        named = m.with_parameters(**dict(zip(m.parameters, dd.ctrl)))
        ours = to_mujoco(m, mm, named.solve(q, u).udot)
        assert np.abs(ours - dd.qacc).max() < 1e-8 * np.abs(dd.qacc).max(), (seed, path.read_text())
        count += 1
    assert count > 60
