"""Linkages whose lengths are sought."""

from __future__ import annotations

import dalembert as da


def coupler_linkage(crank=10.0, coupler=40.0, rocker=40.0, base=50.0) -> da.Mechanism:
    """A plane four-bar anywhere in its plane, with a point of its coupler."""
    s = da.System("four-bar with a coupler point")
    a, b, c, d = (
        s.parameter(n, x) for n, x in (("crank", crank), ("coupler", coupler), ("rocker", rocker), ("base", base))
    )
    x, y, x0, y0, turn = (
        s.parameter(n, v) for n, v in (("px", 20.0), ("py", 20.0), ("x0", 0.0), ("y0", 0.0), ("turn", 0.0))
    )
    for name, length in (("crank", a), ("coupler", b), ("rocker", c)):
        s.add_body(name, da.rod(1.0, length))
    s.add_joint("A", da.Revolute(), "ground", "crank", at_parent=(x0, y0, 0))
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(a, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(b, 0, 0), at_child=(c, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(x0 + d * da.cos(turn), y0 + d * da.sin(turn), 0))
    s.add_output("tip", lambda s: s.position(("coupler", (x, y, 0))))
    s.add_output("turned", lambda s: s.q["A"] + s.q["B"])
    return s.build()
