"""A heavy top, fast and upright enough to walk round in circles: simulate it, look at it, keep it.

python examples/heavy_top.py
"""

from pathlib import Path

import numpy as np

import dalembert as da

# 1. Describe. The top's axis is its y; it is carried by a ball joint at the origin of its frame, its mass centre 1 m away.
s = da.System("heavy top", gravity=(0, 0, -9.81))
s.add_body("top", mass=15.0, com=(0, 1, 0), inertia=(0.234375, 0.46875, 0.234375))
s.add_joint("foot", da.Spherical(), "ground", "top")
m = s.build()

# 2. March. The axis begins horizontal, along y, and spins at 150 rad/s. Tolerances are the defaults; the run also notes when the axis
#    passes above the x axis.
crossing = da.Event(lambda s: s.position(("top", (0, 1, 0)))[1], direction=-1)
motion = m.simulate(2.0, speeds={"foot": (0.0, 150.0, -4.61538)}, events={"over the x axis": crossing})
print(f"{len(motion)} samples from {motion.record['steps']} steps of {motion.record['options']['method']}")

# 3. Look. The tip circles and nods; energy and the vertical angular momentum stay what they were.
tip = motion.position(("top", (0, 1, 0)))
energy, momentum = motion.energy(), motion.momentum()
drift = abs(energy.total / energy.total[0] - 1).max()
print(
    f"the tip is at {np.round(tip[-1], 6)} m after {motion.t[-1]:g} s; it was never higher than {tip[:, 2].max():.3f} m"
)
print(f"energy is kept to {drift:.0e}, vertical angular momentum to {np.ptp(momentum.angular[:, 2]):.0e} kg m²/s")
print("the axis passes over the x axis at", ", ".join(f"{e.t:.6f} s" for e in motion.events) or "no time")

# 4. Ask for what the foot has to carry: force and torque on the top, in world axes, at the joint. A ball joint transmits no torque.
foot = motion.reaction("foot")
print(
    f"the foot carries up to {np.linalg.norm(foot.force, axis=1).max():.0f} N and a torque of {abs(foot.torque).max():.0e} N m"
)

# 5. Keep it: labelled arrays with units, readable by any program that knows NetCDF.
out = Path("out")
out.mkdir(exist_ok=True)
motion.save(out / "heavy_top.nc")
same = da.load_motion(out / "heavy_top.nc", mechanism=m)
print("saved and read back:", bool(np.array_equal(same.q, motion.q)))
if drift > 1e-10:
    raise SystemExit("the energy drifts more than it should")
