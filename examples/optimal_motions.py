"""Three best motions: a pole swung up by its cart, a press in the least time, two arms that lift a box together."""

import math

import dalembert as da


def swing_up():
    """A cart with a pole, from hanging to standing, with the least effort."""
    s = da.System("cart-pole", gravity=(0, -9.81, 0))
    s.add_body("cart", da.box(1.0, (0.3, 0.2, 0.2)))
    s.add_body("pole", da.rod(0.3, 1.0))
    s.add_joint("slide", da.Prismatic((1, 0, 0)), "ground", "cart")
    s.add_joint("A", da.Revolute(), "cart", "pole")
    at_rest = {"slide'": 0.0, "A'": 0.0}
    return s.build().optimal_motion(
        2.0,
        {"slide": 0.0, "A": -math.pi / 2, **at_rest},
        {"slide": 0.8, "A": math.pi / 2, **at_rest},
        {"slide": 20.0},
        effort=1.0,
        bounds={"slide": (-2.0, 2.0)},
        intervals=25,
    )


def press_stroke():
    """A four-bar press, half a turn of its crank from rest to rest in the least time that 30 N m allow."""
    s = da.System("press", gravity=(0, -9.81, 0))
    for name, length, mass in (("crank", 0.2, 2.0), ("coupler", 0.5, 3.0), ("rocker", 0.45, 4.0)):
        s.add_body(name, da.rod(mass, length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.2, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(0.55, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(0.5, 0, 0), at_child=(0.45, 0, 0))
    s.guess = {"D": 1.5}
    return s.build(cut=["C"]).optimal_motion(
        (0.05, 3.0),
        {"A": 0.3, "A'": 0.0},
        {"A": 0.3 + math.pi, "A'": 0.0},
        {"A": 30.0},
        haste=1.0,
        bounds={"A'": (-1.0, 20.0)},
        intervals=20,
    )


def reach(x, y, bend, length=0.6):
    """Angles of an arm with two links of one length whose hand is at (x, y)."""
    away = math.acos(math.hypot(x, y) / (2 * length))
    return math.atan2(y, x) + bend * away, -2 * bend * away


def holding(x, y):
    """Coordinates of both arms when the box's middle is there."""
    shoulder1, elbow1 = reach(x - 0.2 + 0.5, y, 1)
    shoulder2, elbow2 = reach(x + 0.2 - 0.5, y, -1)
    return {"S1": shoulder1, "E1": elbow1, "G1": -shoulder1 - elbow1, "S2": shoulder2, "E2": elbow2}


def two_armed_lift():
    """Two arms with four motors hold a box, a closed loop with three freedoms, and lift it level with the least effort."""
    s = da.System("two arms", gravity=(0, -9.81, 0))
    for k, x in ((1, -0.5), (2, 0.5)):
        s.add_body(f"upper{k}", da.rod(2.0, 0.6))
        s.add_body(f"lower{k}", da.rod(1.5, 0.6))
        s.add_joint(f"S{k}", da.Revolute(), "ground", f"upper{k}", at_parent=(x, 0, 0))
        s.add_joint(f"E{k}", da.Revolute(), f"upper{k}", f"lower{k}", at_parent=(0.6, 0, 0))
    s.add_body("box", da.box(5.0, (0.4, 0.2, 0.2)))
    for k, x in ((1, -0.2), (2, 0.2)):
        s.add_joint(f"G{k}", da.Revolute(), f"lower{k}", "box", at_parent=(0.6, 0, 0), at_child=(x, 0, 0))
    low, high = holding(0.1, 0.4), holding(-0.1, 0.9)
    free = ("S1", "E1", "G1")
    rest = {f"{name}'": 0.0 for name in free}
    return s.build(cut=["G2"]).optimal_motion(
        1.0,
        {**{name: low[name] for name in free}, **rest},
        {**{name: high[name] for name in free}, **rest},
        {"S1": 80.0, "E1": 40.0, "S2": 80.0, "E2": 40.0},
        effort=1e-3,
        path=[(lambda s: s.q["S1"] + s.q["E1"] + s.q["G1"], -0.05, 0.05)],  # the box stays level
        guess={name: [low[name], high[name]] for name in low},
        intervals=10,
        tolerance=1e-5,
    )


if __name__ == "__main__":
    for problem in (swing_up, press_stroke, two_armed_lift):
        found = problem()
        print(f"{problem.__doc__}\n  {found}")
        assert found.success and found.violation < 1e-4, found
