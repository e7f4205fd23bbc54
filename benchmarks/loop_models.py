"""The reference mechanisms with closed loops, each ready to be simulated: mechanism, initial coordinates and speeds, duration.

All are conservative (the energy reported is constant) but the flyball governor, whose springs are damped. Gravity is 9.81 m/s² along −y
where nothing else is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import dalembert as da

GRAVITY = (0.0, -9.81, 0.0)


class Problem(NamedTuple):
    """What `mechanism.simulate(duration, initial, speeds)` needs."""

    mechanism: da.Mechanism
    initial: Any
    speeds: Any
    duration: float


# -- four-bars ------------------------------------------------------------------------------------------------------------
def four_bar(crank: float, coupler: float, rocker: float, ground: float, drive: Any = None) -> da.Mechanism:
    """Rods of 1 kg hinged about z: A at the origin, B and C along the chain, D on the ground; C closes the loop.

    `drive` holds the crank's angle at a value, or at a function of time.
    """
    s = da.System("four-bar", gravity=GRAVITY)
    for name, length in (("crank", crank), ("coupler", coupler), ("rocker", rocker)):
        s.add_body(name, da.rod(1.0, length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(crank, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(coupler, 0, 0), at_child=(rocker, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(ground, 0, 0))
    if drive is not None:
        s.add_constraint("drive", da.Drive("A", drive))
    return s.build(cut=["C"])


def open_pose(crank: float, coupler: float, rocker: float, ground: float, angle: float) -> dict[str, float]:
    """The joint angles at a crank angle, C to the left of the line from the crank's tip to D: where two circles meet."""
    tip = crank * np.exp(1j * angle)
    line = ground - tip
    along = (coupler**2 - rocker**2 + abs(line) ** 2) / (2 * abs(line))
    meeting = tip + line / abs(line) * (along + 1j * np.sqrt(coupler**2 - along**2))
    return {"A": angle, "B": float(np.angle(meeting - tip)) - angle, "D": float(np.angle(meeting - ground))}


def crank_rocker() -> Problem:
    """Bars of 0.4, 1 and 0.9 m, ground 1 m, at rest with the crank at 60°; one freedom where Grübler counts −2."""
    bars = (0.4, 1.0, 0.9, 1.0)
    return Problem(four_bar(*bars), open_pose(*bars, np.pi / 3), {}, 10.0)


def change_point(speed: float = 11.0) -> Problem:
    """Bars of 1, 2.5 and 1.5 m, ground 2 m: 1 + 2.5 = 1.5 + 2, so that all lie in line, and branches cross, twice a turn."""
    bars = (1.0, 2.5, 1.5, 2.0)
    return Problem(four_bar(*bars), open_pose(*bars, np.pi / 2), {"A": speed}, 10.0)


def n_four_bar(n: int) -> Problem:
    """A02: n + 1 upright links of 1 m and 1 kg on the ground, coupled by n equal rods; their tips move at 1 m/s along x.

    Flat, singular poses are passed. On the parallelogram branch (n + 1)/3 + n times θ̈ is −((n + 1)/2 + n) g cos θ.
    """
    s = da.System(f"{n}-four-bar", gravity=GRAVITY)
    for i in range(n + 1):
        s.add_body(f"link{i}", da.rod(1.0, 1.0))
        s.add_joint(f"A{i}", da.Revolute(), "ground", f"link{i}", at_parent=(float(i), 0, 0))
    for i in range(n):
        s.add_body(f"coupler{i}", da.rod(1.0, 1.0))
        s.add_joint(f"B{i}", da.Revolute(), f"link{i}", f"coupler{i}", at_parent=(1.0, 0, 0))
        s.add_joint(f"C{i}", da.Revolute(), f"coupler{i}", f"link{i + 1}", at_parent=(1.0, 0, 0), at_child=(1.0, 0, 0))
    angles = {f"A{i}": 1.0 for i in range(n + 1)} | {f"B{i}": -1.0 for i in range(n)}
    initial = {name: 0.5 * np.pi * sign for name, sign in angles.items()}
    speeds = {name: -sign for name, sign in angles.items()}
    return Problem(s.build(cut=[f"C{i}" for i in range(n)]), initial, speeds, 10.0)


def rhombic_linkage(length: float = 1.0, mass: float = 1.0, theta: float = 0.8) -> Problem:
    """Source A's example: three equal rods hinged in a row, the last tip fixed one length from the first hinge.

    The first rod hangs at θ from the vertical, at rest; rods 1 and 3 stay parallel: θ̈ + (6 g / 5 ℓ) sin θ = 0 [A 35–47].
    """
    s = da.System("rhombic linkage", gravity=GRAVITY)
    parent, end = "ground", (0.0, 0.0, 0.0)
    for i in (1, 2, 3):
        s.add_body(f"rod{i}", da.rod(mass, length))
        s.add_joint(f"A{i}", da.Revolute(), parent, f"rod{i}", at_parent=end)
        parent, end = f"rod{i}", (length, 0.0, 0.0)
    s.add_joint("tip", da.Revolute(), "rod3", "ground", at_parent=(length, 0, 0), at_child=(length, 0, 0))
    first = theta - np.pi / 2
    return Problem(s.build(cut=["tip"]), {"A1": first, "A2": -first, "A3": first - np.pi}, {}, 10.0)


# -- loops in space -------------------------------------------------------------------------------------------------------
def bricard() -> Problem:
    """A04, the rectangular Bricard linkage: five rods and the ground, six hinges along a cube; one freedom against all counting."""
    points = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0)] * 2
    s = da.System("Bricard", gravity=GRAVITY)
    parent, start = "ground", np.zeros(3)
    for i in range(5):
        along = points[i + 1] - points[i]
        s.add_body(f"rod{i + 1}", da.box(1.0, 0.1 + 0.9 * np.abs(along), com=along / 2))
        s.add_joint(f"J{i + 1}", da.Revolute(axes[i]), parent, f"rod{i + 1}", at_parent=points[i] - start)
        parent, start = f"rod{i + 1}", points[i]
    s.add_joint("J6", da.Revolute(axes[5]), "rod5", "ground", at_parent=points[5] - points[4], at_child=points[5])
    return Problem(s.build(cut=["J6"]), {}, {}, 10.0)


def stewart_platform() -> Problem:
    """A platform of 20 kg on six legs, each universal–prismatic–spherical with a spring along it; gravity along −z; six freedoms.

    It starts level, at rest but for one leg, its mass centre off the middle and the legs' springs not all alike.
    """
    s = da.System("Stewart platform", gravity=(0, 0, -9.81))
    s.add_body("platform", da.cylinder(20.0, 0.5, 0.1, com=(0.05, 0.03, 0.0)))
    turns = np.radians(np.repeat([0, 120, 240], 2) + np.tile([-10.0, 10.0], 3))
    feet = np.radians(np.repeat([60, 180, 300], 2) + np.tile([-10.0, 10.0], 3))
    feet = np.roll(feet, 1)  # neighbouring legs lean towards each other
    for i, (top, foot) in enumerate(zip(turns, feet), start=1):
        below = 0.9 * np.array([np.cos(foot), np.sin(foot), 0.0])
        above = 0.5 * np.array([np.cos(top), np.sin(top), 0.0])
        leg = above - below + np.array([0.0, 0.0, 1.0])
        length = float(np.linalg.norm(leg))
        along = leg / length
        across = np.cross((0.0, 0.0, 1.0), along)
        across /= np.linalg.norm(across)
        axes = np.stack([across, np.cross(along, across), along], axis=1)
        s.add_body(f"lower{i}", da.cylinder(1.0, 0.03, 0.6, com=(0, 0, 0.3)))
        s.add_body(f"upper{i}", da.cylinder(0.5, 0.02, 0.6, com=(0, 0, -0.3)))
        s.add_joint(f"foot{i}", da.Universal(), "ground", f"lower{i}", da.Frame(below, axes))
        s.add_joint(f"leg{i}", da.Prismatic((0, 0, 1)), f"lower{i}", f"upper{i}", at_parent=(0, 0, length))
        s.add_joint(f"top{i}", da.Spherical(), f"upper{i}", "platform", at_child=da.Frame(above, axes))
        s.add_force(f"spring{i}", da.JointSpring(f"leg{i}", stiffness=4000.0 + 300.0 * i, rest=0.01 * i))
    return Problem(s.build(cut=[f"top{i}" for i in range(2, 7)]), {}, {"leg1": 0.4}, 10.0)


def six_body_chains() -> Problem:
    """Source B's six bodies with seven hinges (Fig. 6), afloat: the tree of its Fig. 3a, and the cut hinges 1–5 and 4–6 [B 62].

    Every hinge is a ball-and-socket, as in [B 63]. The source gives no numbers; these are bodies of some kilograms and decimetres.
    All speeds are given, none of them held: the nearest ones that keep the chains closed are used.
    """
    s = da.System("six bodies in closed chains")
    rng = np.random.default_rng(6)
    masses = (6.0, 4.0, 2.0, 1.5, 2.5, 1.0)
    for i, mass in enumerate(masses, start=1):
        s.add_body(f"body{i}", da.box(mass, rng.uniform(0.1, 0.4, 3), com=rng.uniform(-0.1, 0.1, 3)))
    s.add_joint("float", da.Free(), "ground", "body1")
    hinges = {  # places of the hinges while all bodies stand parallel, and of the bodies' origins
        (1, 2): (0.5, 0.0, 0.0), (1, 3): (-0.4, 0.1, 0.2), (2, 4): (1.0, 0.5, 0.1), (2, 5): (0.9, -0.6, 0.0),
        (2, 6): (1.3, -0.1, 0.4), (1, 5): (0.1, -0.5, 0.2), (4, 6): (1.6, 0.5, 0.3),
    }  # fmt: skip
    origins = np.array([(0, 0, 0), (0.9, 0, 0.1), (-0.8, 0.2, 0.2), (1.3, 0.6, 0.2), (0.5, -0.7, 0.1), (1.5, 0.2, 0.5)])
    for (a, b), place in hinges.items():
        arms = [np.array(place) - origins[k - 1] for k in (a, b)]
        s.add_joint(f"hinge{a}{b}", da.Spherical(), f"body{a}", f"body{b}", *arms)
    m = s.build(cut=["hinge15", "hinge46"])
    return Problem(m, {}, rng.uniform(-1.0, 1.0, m.n_u), 5.0)


# -- driven, stiff ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class ConstantTorque(da.Force):
    """A torque that always pushes one way, with its potential −M q, so that the total energy stays what it is."""

    joint: str
    value: float

    @property
    def joints(self) -> tuple[str, ...]:
        return (self.joint,)

    def loads(self, s: Any) -> Iterable[da.JointLoad]:
        return [da.JointLoad(self.joint, np.array([self.value]))]

    def potential(self, s: Any) -> Any:
        return -self.value * s.q[self.joint]


def andrews_squeezer() -> Problem:
    """A03: seven bodies in the plane about three fixed points O, A, B, hinged together at one point P; spring and constant drive."""
    xa, ya, xb, yb, xc, yc = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
    d, d_a, e, ea, rr, ra, ss, sa, sb, sc, sd = (
        0.028,
        0.0115,
        0.02,
        0.01421,
        0.007,
        0.00092,
        0.035,
        0.01874,
        0.01043,
        0.018,
        0.02,
    )
    ta, tb, u, ua, ub, zf, zt, fa = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
    A, B = (xa, ya, 0.0), (xb, yb, 0.0)
    # body: mass, moment of inertia, mass centre, hinge, parent, place on it, where P is
    table = {
        "K1": (0.04325, 2.194e-6, (ra, 0), "beta", "ground", (0, 0, 0), None),
        "K2": (0.00365, 4.410e-7, (-d_a, 0), "theta", "K1", (rr, 0, 0), (-d, 0, 0)),
        "K3": (0.02373, 5.255e-6, (sb, -sa), "gamma", "ground", B, (0, -ss, 0)),
        "K5": (0.07050, 1.169e-5, (ta, tb), "delta", "ground", A, None),
        "K4": (0.00706, 5.667e-7, (0, ea - e), "phi", "K5", (zt, 0, 0), (0, -e, 0)),
        "K7": (0.05498, 1.912e-5, (-ub, -ua), "epsilon", "ground", A, None),
        "K6": (0.00706, 5.667e-7, (zf - fa, 0), "omega", "K7", (0, -u, 0), (zf, 0, 0)),
    }
    s = da.System("Andrews' squeezer")
    for body, (mass, inertia, com, hinge, parent, place, _) in table.items():
        s.add_body(body, mass=mass, com=(*com, 0.0), inertia=(inertia, inertia, inertia))
        s.add_joint(hinge, da.Revolute(), parent, body, at_parent=place)
    for body in ("K3", "K4", "K6"):
        s.add_joint(f"P{body[1]}", da.Revolute(), "K2", body, table["K2"][-1], table[body][-1])
    s.add_force("spring", da.Spring(("ground", (xc, yc, 0)), ("K3", (sd, -sc, 0)), stiffness=4530.0, length=0.07785))
    s.add_force("drive", ConstantTorque("beta", 0.033))
    initial = {
        "beta": -0.0617138900142764496, "theta": 0.0, "gamma": 0.4552798191630703803, "phi": 0.2226683901658858847,
        "delta": 0.4873649795438425502, "omega": -0.2226683901658858847, "epsilon": 1.2305474445498211925,
    }  # fmt: skip
    return Problem(s.build(cut=["P3", "P4", "P6"]), initial, {}, 0.03)


def flyball_governor() -> Problem:
    """A05: two rods with 5 kg at their ends on a spinning shaft, held to a slider by stiff, damped springs; gravity along −z."""
    s = da.System("flyball governor", gravity=(0, 0, -9.81))
    bar = 3000.0 * 1.0 * 0.01 * 0.01
    s.add_body("shaft", da.box(bar, (0.01, 0.01, 1.0), com=(0, 0, 0.5)))
    s.add_body("slider", da.box(3000.0 * 0.1**3, (0.1, 0.1, 0.1)))
    s.add_joint("spin", da.Revolute((0, 0, 1)), "ground", "shaft")
    s.add_joint("slide", da.Prismatic((0, 0, 1)), "shaft", "slider")
    for name, side in (("left", -1.0), ("right", 1.0)):
        rod = da.box(bar, (1.0, 0.01, 0.01), com=(0.5 * side, 0, 0)) + da.particle(5.0, (side, 0, 0))
        s.add_body(name, rod)
        s.add_joint(f"{name}_hinge", da.Revolute((0, side, 0)), "shaft", name, at_parent=(0.05 * side, 0, 1.0))
        ends = (("slider", (0.05 * side, 0, 0)), (name, (0.5 * side, 0, 0)))
        s.add_force(f"{name}_spring", da.Spring(*ends, stiffness=8e5, damping=4e4, length=0.5))
    initial = {"slide": 0.5, "left_hinge": np.radians(30), "right_hinge": np.radians(30)}
    return Problem(s.build(), initial, {"spin": 2 * np.pi}, 10.0)


LOOPS: dict[str, Callable[[], Problem]] = {
    "four-bar": crank_rocker,
    "Bricard": bricard,
    "2-four-bar": lambda: n_four_bar(2),
    "change-point four-bar": change_point,
    "rhombic linkage": rhombic_linkage,
    "Stewart platform": stewart_platform,
    "Andrews' squeezer": andrews_squeezer,
    "six bodies": six_body_chains,
}
"""Those with closed loops, by name."""
