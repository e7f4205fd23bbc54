"""Every gallery model runs from the command line, fits the schema, and moves as its source says."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import dalembert as da
from dalembert.files.gallery import files
from dalembert.files.models.document import read_document
from dalembert.files.models.place import Entry
from dalembert.files.models.schema import json_schema

GALLERY = files()
WANTED = [
    "pendulum",
    "double_pendulum",
    "triple_pendulum",
    "rhombic_linkage",
    "four_bar",
    "slider_crank",
    "bricard",
    "n_four_bar",
    "andrews_squeezer",
    "flyball_governor",
    "stewart_platform",
    "jansen_linkage",
    "rolling_sphere",
    "rolling_disc",
    "heavy_top",
    "dzhanibekov",
    "satellite",
    "six_body_tree",
    "eight_body_tree",
    "robot_arm",
    "human_body",
    "ship_crane",
    "anchored_cable",
    "imported_robot",
    "spin_up_beam",
    "flexible_satellite",
    "flexible_slider_crank",
    "flexible_four_bar",
    "solar_panels",
    "six_body_chains",
    "six_body_tree_relabelled",
    "body_with_hinge_forces",
    "four_link_robot",
    "restrained_body",
    "docking_manipulator",
    "ship_crane_loop",
    "gravity_gradient",
    "pendulum_stop",
    "bouncing_ball",
    "stick_slip",
    "brake_and_clutch",
    "ratchet",
    "screw_jack",
    "trebuchet",
    "geneva_drive",
    "cam_follower",
    "woodpecker",
    "rocking_block",
    "newtons_cradle",
    "bowling_ball",
    "tippe_top",
    "slider_crank_clearance",
    "passive_walker",
    "landing_satellite",
    "docking_latch",
    "press",
    "dual_spin_satellite",
    "cart_pendulum",
    "quarter_car",
    "car",
    "double_wishbone",
    "excavator",
    "rocket",
    "belt_drive",
]


def test_the_gallery_is_complete():
    assert set(WANTED) <= set(GALLERY)


@pytest.mark.parametrize("name", GALLERY)
def test_a_model_runs_from_the_command_line(dalembert, name):
    duration = {"andrews_squeezer": "0.002", "spin_up_beam": "2"}.get(name, "0.2")
    ran = dalembert("simulate", name, "--duration", duration, "--json")
    assert ran.code == 0, ran.err
    data = ran.data
    assert data["ended"] == "end"
    moved = [abs(c["end"] - c["start"]) for c in data["coordinates"].values()]
    assert max(moved) > 1e-3, "nothing moves"


@pytest.mark.parametrize("name", GALLERY)
def test_a_model_goes_together_and_inspection_says_so(name):
    assert "does not go together" not in str(da.load(GALLERY[name]).inspect())


def plain(entry: Entry):
    if isinstance(entry.value, dict):
        return {k: plain(v) for k, v in entry.value.items()}
    return [plain(x) for x in entry.value] if isinstance(entry.value, list) else entry.value


@pytest.fixture(scope="module")
def validator():
    import jsonschema

    return jsonschema.Draft202012Validator(json_schema())


@pytest.mark.parametrize("name", GALLERY)
def test_a_model_fits_the_schema_and_says_its_purpose(validator, name):
    document = read_document(GALLERY[name])
    validator.validate(json.loads(json.dumps(plain(document))))
    said = plain(document)
    assert 20 < len(said["purpose"]) < 130
    assert said["units"] == "SI"
    assert 0.03 <= said["simulation"]["duration"] <= 10
    assert "import" in said or any("matter" in b or "shapes" in b for b in said["bodies"].values())


@pytest.mark.parametrize("name", GALLERY)
def test_a_model_comes_back_from_a_file_of_its_own(name, tmp_path):
    from dalembert.files.models.write import plain_data

    s = da.System.load(GALLERY[name])
    s.save(tmp_path / "again.yaml")
    assert plain_data(da.System.load(tmp_path / "again.yaml")) == plain_data(s)


def test_the_pendulum_is_where_elliptic_functions_put_it(dalembert, tmp_path):
    """The exact solution after 10 s."""
    assert dalembert("simulate", "pendulum", "-o", "p.csv", "--rtol", "1e-12").code == 0
    with open(tmp_path / "p.csv") as file:
        last = list(csv.DictReader(file))[-1]
    place = [float(last["bob.x [m]"]), float(last["bob.y [m]"])]
    assert np.allclose(place, (-0.2750874625761169, -0.9614192050991251), atol=1e-8)


def test_andrews_squeezer_starts_as_in_the_test_set():
    m = da.load(GALLERY["andrews_squeezer"])
    q = np.array([m.plan.initial[c] for c in m.coordinates])
    udot = dict(zip(m.speeds, m.forward_dynamics(q, np.zeros(7))))
    assert np.isclose(udot["beta"], 14222.4439199541139, rtol=1e-9)
    assert np.isclose(udot["theta"], -10666.8329399655854, rtol=1e-9)


def test_the_rolling_sphere_accelerates_by_five_sevenths():
    motion = da.load(GALLERY["rolling_sphere"]).simulate(1.0, output=0.25)
    y = motion.outputs()["centre"][:, 1]
    assert np.allclose(y, -0.6 * motion.t + 0.5 * 5 / 7 * 0.8 * motion.t**2, atol=1e-8)


def test_the_rhombic_linkage_is_one_pendulum():
    """θ̈ + (6 g / 5 ℓ) sin θ = 0 [A 47]."""
    motion = da.load(GALLERY["rhombic_linkage"]).simulate(0.5)
    theta = np.radians(motion.outputs()["from_vertical"])
    k = list(motion.speeds).index("A1")
    assert np.allclose(motion.udot()[:, k], -1.2 * 9.81 * np.sin(theta), atol=1e-7)
