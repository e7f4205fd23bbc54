"""Every result of an analysis as a table, as plain numbers, as words and, where there are curves, as a plot."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dalembert as da


@pytest.fixture(scope="module")
def results():
    s = da.System("slider", gravity=(0, -9.81, 0))
    mass, stiffness = s.parameter("m", 1.0), s.parameter("k", 20.0)
    s.add_body("slider", da.particle(2.0))
    s.add_body("bob", da.particle(mass))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "slider")
    s.add_joint("A", da.Revolute(), "slider", "bob", at_child=(0, 0.5, 0))
    s.add_force("spring", da.JointSpring("x", stiffness=stiffness))
    m = s.build()
    start, t = {"x": 0.1, "A": 0.4}, np.linspace(0.0, 0.2, 5)
    way = m.follow("bob", lambda t: [0.05 * t, None, None], t, initial=start)
    motion = m.simulate(0.2, start, output=t)
    rest = m.equilibrium(start)
    return {
        "rest": rest,
        "small motions": rest.linearisation,
        "modes": rest.linearisation.modes(),
        "locus": m.root_locus("k", [19.0, 20.0, 21.0], start),
        "map": m.stability_map({"k": [19.0, 21.0], "m": [0.9, 1.1]}, start),
        "sweep": m.sweep("A", np.linspace(1.0, 1.4, 5)),
        "way": way,
        "drives": m.drives(way.q, way.u, way.udot, t=way.t),
        "sensitivities": m.sensitivities(
            0.2, start, parameters=["k"], outputs={"P": lambda s: s.position("bob")}, output=t
        ),
        "fit": m.identify(t, {"x": motion["x"]}, ["k"], start, rtol=1e-8),
    }


def test_all_are_tables_and_words(results):
    pytest.importorskip("pandas")
    for name, result in results.items():
        assert str(result) and json.dumps(result.to_dict()), name
        frame = result.to_dataframe()
        assert len(frame) and len(set(map(str, frame.columns))) == frame.shape[1], name
    assert list(results["way"].to_dict()) == ["t", "x", "A", "x'", "A'", "x''", "A''"]
    assert "d(P[1])/d(k)" in results["sensitivities"].to_dict()


def test_curves_are_drawn(results):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    for name in ("modes", "locus", "map", "sweep", "way", "drives", "fit"):
        assert results[name].plot().get_xlabel(), name
    assert len(results["sensitivities"].plot("P").lines) == 3
