"""SDF files: frames, joints, loops, worlds and included models; trees beside Drake, which reads the same files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.importers.peers import PEERS
from tests.importers.peers import peer
from tests.importers.robots import write
from tests.importers.sdf_robots import joint, link, pose, sdf, tree


def chain(joints: str, more: str = "") -> str:
    """Three links, each a metre from the one before, whose frames stand in the model."""
    bar = "<inertial><pose>0.5 0 0 0 0 0</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>"
    links = "".join(f'\n<link name="{n}"><pose>{k} 0 0 0 0 0</pose>{bar}</link>' for k, n in enumerate("abc"))
    return f'<model name="chain">{links}{joints}{more}</model>'


def hinge(
    name: str, parent: str, child: str, xyz: str = "0 0 1", inside: str = "", kind: str = "revolute", more: str = ""
) -> str:
    return (
        f'\n<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
        f"<axis><xyz>{xyz}</xyz>{inside}</axis>{more}</joint>"
    )


@pytest.mark.parametrize("seed", range(3))
def test_random_trees_have_the_accelerations_of_drake(tmp_path, seed):
    peer("pydrake.multibody.parsing", "drake")
    rng = np.random.default_rng(seed)
    path = write(tmp_path, "r.sdf", sdf(tree(rng, 8)))
    found = da.load_sdf(path)
    made = PEERS["drake"](path, found, 6)
    assert made.largest < 1e-9 and len(made.joints) >= 6, made.joints
    assert not [note for note in found.notes if note.effect == "accelerations"]


def test_universal_joints_have_the_accelerations_of_drake(tmp_path):
    peer("pydrake.multibody.parsing", "drake")
    rng = np.random.default_rng(5)
    two = "<axis2><xyz>0 1 0</xyz><dynamics><damping>0.2</damping></dynamics></axis2>"
    cross = hinge("u", "world", "a", "1 0 0", "<dynamics><damping>0.2</damping></dynamics>", "universal", two)
    path = write(tmp_path, "r.sdf", sdf(f'<model name="m">{link(rng, "a", pose(rng))}{cross}</model>'))
    found = da.load_sdf(path)
    assert found.build().coordinates == ("u.1", "u.2")
    assert PEERS["drake"](path, found, 6).agrees


def test_places_said_in_frames_are_those_said_in_the_model(tmp_path):
    """The same arm with poses in the model, and with every pose in a frame of a nested model that is placed by another frame."""
    rng = np.random.default_rng(2)
    a, b = link(rng, "a", "<pose>0.5 0 0 0 0 0.3</pose>"), link(rng, "b", "<pose>1.5 0 0.2 0.1 0.2 0.3</pose>")
    turn = hinge("j", "a", "b", "0.3 0.4 0.5")
    plain = f'<model name="m"><pose>1 2 3 0 0 0</pose>{a}{b}{turn}{hinge("w", "world", "a")}</model>'
    nested = (
        f'<model name="m"><frame name="there"><pose>1 2 3 0 0 0</pose></frame><model name="in" placement_frame="grip">'
        f'<pose relative_to="there">0 0 0 0 0 0.3</pose><frame name="grip" attached_to="b"><pose relative_to="__model__">0 0 0 0 0 0.3'
        f"</pose></frame>{a}{b}{turn}</model>{hinge('w', 'world', 'in::a').replace('<parent>', '<pose/><parent>')}</model>"
    )
    one, two = (da.load_sdf(write(tmp_path, f"{k}.sdf", sdf(text))).build() for k, text in enumerate((plain, nested)))
    assert [b.name for b in two.bodies] == ["in::a", "in::b"]
    q, u = rng.uniform(-1, 1, 2), rng.uniform(-1, 1, 2)
    swap = [two.coordinates.index(x) for x in ("w", "in::j")]
    order = [one.coordinates.index(x) for x in ("w", "j")]
    theirs = np.zeros(2)
    theirs[swap] = q[order]
    rates = np.zeros(2)
    rates[swap] = u[order]
    assert np.allclose(one.forward_dynamics(q, u)[order], two.forward_dynamics(theirs, rates)[swap], rtol=0, atol=1e-12)


ROUND = "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>"


def test_loops_close_where_the_file_puts_its_links(tmp_path):
    """A loop of hinges between four points that the links' places close by themselves."""
    bars = "".join(
        f'<link name="{n}"><pose>{at}</pose>{ROUND}</link>'
        for n, at in (("a", "0 0 0 0 0 0"), ("b", "0 1 0 0 0 0"), ("c", "2 1 0 0 0 0"))
    )
    text = f"""<model name="four_bar">{bars}
      {hinge("A", "world", "a")}{hinge("B", "a", "b")}{hinge("C", "b", "c")}
      {hinge("D", "world", "c").replace("<parent>", "<pose>0 -1 0 0 0 0</pose><parent>")}
    </model>"""
    found = da.load_sdf(write(tmp_path, "r.sdf", sdf(text)), gravity=(0, -9.81, 0))
    m = found.build()
    assert found.system.cut == ("D",) and len(m.cuts) == 1 and m.coordinates == ("A", "B", "C")
    motion = m.simulate(0.5, speeds={"A": 1.0})
    energy = motion.energy().total
    assert np.ptp(energy) < 1e-6 and abs(np.linalg.norm(motion.position("c") - [2, 0, 0], axis=1) - 1.0).max() < 1e-9


def test_a_model_floats_unless_something_ties_it_to_the_world(tmp_path):
    path = write(
        tmp_path, "r.sdf", sdf(chain(hinge("j", "a", "b") + hinge("k", "b", "c"), "<pose>0 0 5 0 0 0.5</pose>"))
    )
    free, fixed = da.load_robot(path), da.load_robot(path, base="fixed")
    assert free.build().n_u == 8 and fixed.build().n_u == 2
    assert np.allclose(free.system.initial["base_a"][4:], [0, 0, 5])
    assert free.system.gravity.tolist() == [0, 0, -9.8]


def test_gearboxes_mimics_and_threads_relate_joints(tmp_path):
    box = (
        '<joint name="g" type="gearbox"><parent>b</parent><child>c</child><gearbox_reference_body>a</gearbox_reference_body>'
        "<gearbox_ratio>3</gearbox_ratio><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>"
    )
    joints = hinge("w", "world", "a") + hinge("j", "a", "b") + hinge("k", "c", "a", "0 0 1") + box
    m = da.load_sdf(write(tmp_path, "g.sdf", sdf(chain(joints), "1.7"))).build()
    # k turns a on c, so c turns on a by -q_k = -3 q_j
    q = dict(zip(m.coordinates, m.simulate(0.01, initial={"j": 0.2}).q[0]))
    assert q["k"] == pytest.approx(0.6)
    mimic = '<mimic joint="j"><multiplier>2</multiplier><reference>0.5</reference><offset>0.1</offset></mimic>'
    joints = hinge("w", "world", "a") + hinge("j", "a", "b") + hinge("k", "b", "c", inside=mimic)
    m = da.load_sdf(write(tmp_path, "m.sdf", sdf(chain(joints), "1.11"))).build()
    q = dict(zip(m.coordinates, m.simulate(0.01, initial={"j": 0.2}).q[0]))
    assert q["k"] == pytest.approx(2 * (0.2 - 0.5) + 0.1)
    for tag, given in (("thread_pitch", -2 * np.pi / 0.4), ("screw_thread_pitch", 0.4)):
        thread = hinge("s", "world", "a", kind="screw", more=f"<{tag}>{given}</{tag}>")
        s = da.load_sdf(write(tmp_path, f"{tag}.sdf", sdf(chain(thread)))).system
        assert s.joints["s"].joint.pitch == pytest.approx(0.4)


def test_limits_damping_springs_and_friction_act(tmp_path):
    inside = (
        "<limit><lower>-1</lower><upper>2</upper><effort>-1</effort></limit><dynamics><damping>0.5</damping><friction>0.2</friction>"
        "<spring_stiffness>30</spring_stiffness><spring_reference>0.1</spring_reference></dynamics>"
    )
    path = write(tmp_path, "r.sdf", sdf(chain(hinge("w", "world", "a", inside=inside))))
    s = da.load_sdf(path).system
    spring, stop, rub = s.forces["w_spring"], s.laws["w_limit"], s.laws["w_friction"]
    assert (spring.stiffness, spring.damping, spring.rest, stop.lower, stop.upper, rub.force) == (
        30,
        0.5,
        0.1,
        -1,
        2,
        0.2,
    )
    assert not da.load_sdf(path, laws=False).system.laws


def test_worlds_models_included_and_what_stands_still(tmp_path):
    rng = np.random.default_rng(1)
    folder = tmp_path / "arm"
    folder.mkdir()
    write(folder, "model.config", '<model><sdf version="1.5">old.sdf</sdf><sdf version="1.7">new.sdf</sdf></model>')
    write(
        folder, "new.sdf", sdf(f'<model name="arm">{link(rng, "a")}{joint(rng, "j", "revolute", "world", "a")}</model>')
    )
    world = """<gravity>0 0 -3.7</gravity><include><uri>model://sun</uri></include>
      <include><uri>model://arm</uri><name>left</name><pose>0 1 0 0 0 0</pose></include>
      <include><uri>model://arm</uri><name>right</name><pose>0 -1 0 0 0 0</pose></include>
      <model name="table"><static>true</static><link name="top"><visual name="v"><geometry>
      <box><size>1 1 0.1</size></box></geometry></visual></link></model>"""
    found = da.load_robot(write(tmp_path, "w.world", sdf(world, world=True)))
    m = found.build()
    assert [b.name for b in m.bodies] == ["left::a", "right::a"] and m.gravity[2] == -3.7
    assert m.coordinates == ("left::j", "right::j") and len(found.system.ground_shapes) == 1
    state = m.state(np.zeros(2), np.zeros(2))
    assert np.allclose(np.array(state.position("left::a")) - np.array(state.position("right::a")), [0, 2, 0])


def test_mass_of_collision_forms_where_the_file_asks_for_it(tmp_path):
    box = "<geometry><box><size>1 2 3</size></box></geometry>"
    form = f'<collision name="c"><pose>0 0 1 0 0 0</pose><density>500</density>{box}</collision>'
    text = f'<model name="m"><link name="a"><inertial auto="true"/>{form}</link>{hinge("w", "world", "a")}</model>'
    body = da.load_sdf(write(tmp_path, "r.sdf", sdf(text, "1.11"))).system.bodies["a"]
    own = da.box(3000.0, (1, 2, 3), com=(0, 0, 1))
    assert (
        body.mass == pytest.approx(3000) and np.allclose(body.inertia, own.inertia) and np.allclose(body.com, own.com)
    )


WRONG = {
    "a circle of frames": (
        '<model name="m"><frame name="f"><pose relative_to="g"/></frame><frame name="g"><pose relative_to="f"/></frame><link name="a"/>'
        "</model>",
        "r.sdf:2: <frame name=\"g\">: its place hangs on itself: f in g in f",
    ),
    "an unknown link": (chain(hinge("j", "a", "d")), "there is no link or frame 'd'"),
    "the network": ('<include><uri>https://fuel.gazebosim.org/1.0/x</uri></include>', "nothing is fetched from a network"),
    "outside the folder": ('<include><uri>../x.sdf</uri></include>', "lies outside the model's folder"),
    "no links": ('<model name="m"/>', "a model needs a <link>"),
    "an unknown kind": (chain(hinge("j", "a", "b", kind="revolut")), "did you mean 'revolute'?"),
    "no axis": (chain(hinge("j", "a", "b", "0 0 0")), "the axis has no direction"),
    "a word for a number": (chain(hinge("j", "a", "b", "0 0 one")), "must be numbers"),
    "twice the same name": (chain(hinge("j", "a", "b") + hinge("j", "b", "c")), "the name is used in line"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_with_its_line(tmp_path, case):
    text, words = WRONG[case]
    with pytest.raises(da.ModelError) as problem:
        da.load_sdf(write(Path(tmp_path), "r.sdf", sdf(text)))
    assert words in str(problem.value) and ".sdf:" in str(problem.value), str(problem.value)
