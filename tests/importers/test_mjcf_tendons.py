"""Tendons through space pull, and servos on tendons hold, as they do in MuJoCo."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.importers.peers import PEERS
from tests.importers.peers import peer
from tests.importers.robots import write

MODEL = """<mujoco><default><position inheritrange="0.8"/><motor ctrlrange="-9 9"/></default><worldbody><site name="s0" pos="0 0 1"/>
<body name="a" pos="0.1 0 0.5"><joint name="j" axis="0 1 0" range="-40 80"/><joint axis="1 0 0" springref="20"/>
 <geom name="ball" type="sphere" size=".12" pos=".05 0.02 .03"/><site name="s1" pos="0 0.03 -.3"/>
 <geom name="roll" type="cylinder" size=".1 .3" euler="80 20 0" pos="0 0 -.6"/><site name="s1b" pos="0.03 0.01 -.4"/>
 <site name="beside" pos="0.3 0.1 -.6"/><site name="within" pos="0.01 0 -.6"/>
<body name="b" pos="0 0 -.8"><joint type="ball"/><geom type="box" size=".1 .2 .1" pos="0 0 -.1"/>
 <site name="s2" pos="0 .05 -.2"/><site name="s3" pos="0.1 .05 -.2"/></body></body></worldbody>
<tendon><spatial name="t" stiffness="30" damping="2" {law}>{way}</spatial>
<fixed name="f" stiffness="3"><joint joint="j" coef="2"/></fixed></tendon>
<actuator><motor tendon="t" gear="3"/><motor joint="j"/>
<position tendon="t" inheritrange="0" kp="20" kv="3" forcerange="-4 4"/>
<position tendon="f" inheritrange="0" kp="9" kv="1" gear="0.5" forcerange="-1 2"/>
<position joint="j" kp="3" inheritrange="0.5"/></actuator></mujoco>"""


def way(*parts: str) -> str:
    """Sites by name; a geom behind "o:", with its side behind "|"; a divisor behind "/"."""
    made = []
    for part in parts:
        if part.startswith("/"):
            made.append(f'<pulley divisor="{part[1:]}"/>')
        elif part.startswith("o:"):
            geom, _, side = part[2:].partition("|")
            made.append(f'<geom geom="{geom}"' + (f' sidesite="{side}"/>' if side else "/>"))
        else:
            made.append(f'<site site="{part}"/>')
    return "".join(made)


WAYS = {
    "two sites": way("s0", "s1"),
    "three sites": way("s0", "s1", "s2"),
    "round a ball": way("s0", "o:ball", "s1"),
    "round a cylinder": way("s0", "s1b", "o:roll", "s2"),
    "on one side of a cylinder": way("s1", "o:roll|beside", "s2", "s3"),
    "over pulleys": way("s0", "s1", "/2", "s1", "o:roll", "s2", "/3", "s1", "s3"),
}
LAWS = ("", 'springlength="0.3"', 'springlength="0.3 1.2"')


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("law", LAWS)
def test_tendons_through_space_pull_as_in_mujoco(tmp_path, name, law):
    peer("mujoco", "mujoco")
    path = write(tmp_path, "r.xml", MODEL.format(law=law, way=WAYS[name]))
    found = da.load_mjcf(path)
    assert not [note for note in found.notes if note.effect == "accelerations"]
    assert PEERS["mujoco"](path, found, 12).largest < 1e-11


def test_what_cannot_be_said_of_a_way_is_told_and_is_all_that_differs(tmp_path):
    peer("mujoco", "mujoco")
    from dalembert.importers.peers import beside

    path = write(tmp_path, "r.xml", MODEL.format(law="", way=way("s1b", "o:roll|within", "s2")))
    found = da.load_mjcf(path)
    assert "inside a geom" in found.notes[0] and found.notes[0].effect == "accelerations"
    plain, as_read = beside("mujoco", path, found, 6)
    assert plain is not None and not plain.agrees and as_read is not None and as_read.agrees


def test_cords_are_written_to_model_files_and_keep_energy(tmp_path):
    path = write(tmp_path, "r.xml", MODEL.format(law=LAWS[2], way=WAYS["over pulleys"]))
    found = da.load_mjcf(path, laws=False)
    found.system.save(tmp_path / "r.yaml")
    m, again = found.build(), da.load(tmp_path / "r.yaml")
    rng = np.random.default_rng(0)
    q, u = m.admissible(m.reference + rng.uniform(-1, 1, m.n_q)), rng.uniform(-1, 1, m.n_u)
    assert np.allclose(m.forward_dynamics(q, u), again.forward_dynamics(q, u), rtol=1e-12, atol=1e-12)


def test_a_cord_round_a_cylinder_stores_what_it_takes_up():
    s = da.System("cord", gravity=(0, 0, -9.81))
    s.add_body("arm", mass=1.0, com=(0.5, 0, 0), inertia=np.eye(3) * 0.1)
    s.add_joint("A", da.Revolute((0, 1, 0)), "ground", "arm")
    points = (("ground", (-0.6, 0, 0.1)), "ground", ("arm", (0.7, 0, 0.05)))
    rows = [(0, 0, 0), (0, 1, 0), (0, 0, 0)]
    s.add_force("cord", da.Cord(points, stiffness=40.0, rest=0.8, radii=(0, 0.2, 0), axes=rows))
    motion = s.build().simulate(3.0, rtol=1e-10, atol=1e-12)
    total = motion.energy().total
    assert np.ptp(total) < 1e-7 * np.ptp(motion.energy().kinetic)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"points": ("a",)}, "begins and ends at points"),
        ({"points": ("a", "b"), "radii": (0.1, 0)}, "begins and ends at points"),
        ({"points": ("a", "b"), "radii": (0,)}, "one for each of the 2 points"),
        ({"points": ("a", "b"), "shares": (1, 1)}, "one for each of the 1 pieces"),
    ],
)
def test_ways_that_are_none_are_refused(given, what):
    with pytest.raises(da.ModelError, match=what):
        da.Cord(**given)
