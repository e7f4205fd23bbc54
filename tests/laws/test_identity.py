"""Claims about what tells mechanisms with laws apart: a saved motion is read with the laws that made it, and no other's."""

from __future__ import annotations

from dataclasses import replace

import pytest

import dalembert as da
from dalembert.kernels.mechanism_fingerprint import fingerprint_of

LAWS = {
    "stop": da.Stop("A", lower=-1.0, upper=2.0, restitution=0.3),
    "limit": da.Limit({"A": 1.0, "B": 0.5}, lower=-9.0, upper=9.0, restitution=0.1),
    "play": da.Backlash({"A": 1.0, "B": 2.0}, play=9.0, offset=0.1, restitution=0.2),
    "rope": da.Rope("ground", ("b", (0.1, 0, 0)), length=5.0, shortest=0.1, restitution=0.2),
    "dry": da.JointFriction("A", force=0.2, static_force=0.3, stribeck=0.1, viscous=0.01),
    "worn": da.JointFriction("B", mu=0.2, mu_static=0.3, radius=0.01, ring=0.02, length=0.3, stribeck=0.2, viscous=0.1),
    "floor": da.Contact(
        ("b", (1, 0, 0)),
        ("ground", (0, 0, -9)),
        mu=0.2,
        mu_static=0.3,
        stribeck=0.1,
        restitution=0.4,
        radius=0.05,
        rolling_arm=0.01,
        drilling_arm=0.02,
    ),
    "latch": da.Latch(a="ground", b=("b", (1, 0, 0)), rigid=False, strength=99.0, on=False),
    "clutch": da.Clutch("A", "B", capacity=1.0, static_capacity=2.0, ratio=1.5, stribeck=0.3),
    "brake": da.Brake("A", torque=1.0, static_torque=1.5),
    "freewheel": da.OneWay("A", "B", ratio=0.5),
}


def built(laws: dict[str, da.Law]) -> da.Mechanism:
    s = da.System("two rods", gravity=(0, -9.81, 0))
    for name, parent, at in (("a", "ground", (0, 0, 0)), ("b", "a", (1, 0, 0))):
        s.add_body(name, da.rod(1.0, 1.0))
        s.add_joint(name.upper(), da.Revolute(), parent, name, at)
    for name, law in laws.items():
        s.add_law(name, law)
    return s.build()


def changes(law: da.Law) -> dict[str, da.Law]:
    """The law with one field another, for each of its fields that users say."""
    found = {}
    for name, x in vars(law).items():
        if name.startswith("_"):
            continue
        if isinstance(x, bool):
            found[name] = replace(law, **{name: not x})
        elif isinstance(x, float) and x:
            found[name] = replace(law, **{name: 1.01 * x})
        elif isinstance(x, dict):
            found[name] = replace(law, **{name: {k: 1.01 * v for k, v in x.items()}})
        elif x in ("A", "B"):
            found[name] = replace(law, **{name: "A" if x == "B" else "B"})
        elif isinstance(x, da.Point):
            found[name] = replace(law, **{name: (x.body, (0.2, 0.3, 0.4))})
    return found


@pytest.mark.parametrize("name", LAWS)
def test_every_field_of_a_law_tells_mechanisms_apart(name):
    first = fingerprint_of(built({name: LAWS[name]}))
    assert first == fingerprint_of(built({name: replace(LAWS[name])}))
    others = changes(LAWS[name])
    assert len(others) >= 2
    for field, law in others.items():
        assert fingerprint_of(built({name: law})) != first, field


def test_a_saved_motion_is_not_read_with_a_law_of_another_strength(tmp_path):
    m = built({"latch": replace(LAWS["latch"], on=True)})
    m.simulate(0.1, {"A": -0.5, "B": 1.2}).save(tmp_path / "motion.nc")
    other = built({"latch": replace(LAWS["latch"], on=True, strength=98.0)})
    assert len(da.load_motion(tmp_path / "motion.nc", m))
    with pytest.raises(da.DalembertError, match="other"):
        da.load_motion(tmp_path / "motion.nc", other)
