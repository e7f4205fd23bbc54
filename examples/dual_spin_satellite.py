"""A dual-spin satellite: a spinning rotor, a platform that is to point, three wheels, and a controller that acts ten times a second.

python examples/dual_spin_satellite.py
"""

import numpy as np

import dalembert as da

# 1. Describe. The rotor spins about z on the platform; a wheel about each of the platform's axes.
s = da.System("dual-spin satellite")
s.add_body("platform", da.box(120.0, (1.2, 1.0, 0.8)))
s.add_joint("float", da.Free(), "ground", "platform")
s.add_body("rotor", da.cylinder(80.0, 0.6, 0.5))
s.add_joint("bearing", da.Revolute((0, 0, 1)), "platform", "rotor", at_parent=(0, 0, -0.8))
AXES = {"wheel_x": (1, 0, 0), "wheel_y": (0, 1, 0), "wheel_z": (0, 0, 1)}
for name, axis in AXES.items():
    s.add_body(name, da.cylinder(4.0, 0.15, 0.05, axis=axis))
    s.add_joint(name, da.Revolute(axis), "platform", name, at_parent=0.3 * np.array(axis))
m = s.build()

# 2. Control. Sampled: attitude error and rates are read at 10 Hz, and the wheels' torques are kept until the next reading.
SPIN, RATE = 6.0, 10.0
KP, KD, MOST = 40.0, 120.0, 4.0  # N m per rad, N m s per rad, and the largest torque of a wheel


def controller(state: da.State) -> dict[str, float]:
    """Torques of wheels and bearing: the wheels feed back the platform's attitude and rates, the bearing keeps the rotor's spin."""
    q, u = state.q["float"], state.u["float"]
    error = 2.0 * np.sign(q[0]) * np.asarray(q[1:4])  # of small angles: the turn back to the ground's axes
    wanted = np.clip(KP * error + KD * np.asarray(u[:3]), -MOST, MOST)
    torques = {name: float(torque) for name, torque in zip(AXES, wanted)}
    return torques | {"bearing": 20.0 * (SPIN - float(state.u["bearing"]))}


# 3. March, from a platform 15° off that turns slowly; the rotor spins already.
start = {"float": [np.cos(0.13), *(np.sin(0.13) * np.array([0.6, -0.8, 0.0])), 0, 0, 0]}
speeds = {"float": [0.02, -0.01, 0.03, 0, 0, 0], "bearing": SPIN}
motion = m.simulate(60.0, start, speeds, control=controller, control_rate=RATE, output=0.5)


def off(q: np.ndarray) -> np.ndarray:
    """Degrees between the platform's axes and the ground's."""
    return np.degrees(2.0 * np.arccos(np.minimum(np.abs(q[:, 0]), 1.0)))


held = m.simulate(60.0, start, speeds, output=0.5)  # the same without a controller
print(f"pointing error: {off(motion.q)[0]:.1f}° at the start, {off(motion.q)[-1]:.3f}° after a minute;", end=" ")
print(f"without control {off(held.q).max():.0f}° at the worst")
ends = [60.0 * motion[f"{name}'"][-1] / (2.0 * np.pi) for name in AXES]
print("the wheels end at", ", ".join(f"{rpm:.0f}" for rpm in ends), "rpm")

# 4. What must hold: torques between the bodies change no momentum, and controllers cannot hide that.
H = motion.momentum().angular
drift = np.abs(H - H[0]).max() / np.abs(H).max()
print(f"angular momentum kept to {drift:.0e} of {np.linalg.norm(H[0]):.1f} N m s")
assert off(motion.q)[-1] < 0.1 and drift < 1e-8
