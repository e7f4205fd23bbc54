"""A triple pendulum from its description to its motion: read it from top to bottom, or run it.

python examples/triple_pendulum.py
"""

import numpy as np

import dalembert as da
from dalembert.kinematics import totals

# 1. Describe. Three equal rods hang from the ground on hinges about z; each lies along its own x. Numbers that should stay visible in
#    the equations are parameters; all others are just numbers.
s = da.System("triple pendulum", gravity=(0, -9.81, 0))
m = s.parameter("m", 1.0)
l = s.parameter("l", 0.5)
parent, end = "ground", (0, 0, 0)
for i in (1, 2, 3):
    s.add_body(f"rod{i}", da.rod(mass=m, length=l))
    s.add_joint(f"A{i}", da.Revolute(axis=(0, 0, 1)), parent=parent, child=f"rod{i}", at_parent=end)
    parent, end = f"rod{i}", (l, 0, 0)

# 2. Connect. Building numbers the bodies so that each comes after the one that carries it, and checks everything that was said.
mechanism = s.build()
print(f"{mechanism.name}: {mechanism.n_bodies} bodies, {mechanism.mobility} freedoms")
names = ["ground", *(b.name for b in mechanism.bodies)]
for k, (body, joint) in enumerate(zip(mechanism.bodies, mechanism.joints)):
    print(f"  {body.name} is carried by {names[mechanism.parent[k]]} on {type(joint.joint).__name__} {joint.name}")
print("  coordinates:", ", ".join(mechanism.coordinates))

# 3. Write the equations of motion A(q) u̇ = f(q, u) by Kane's method. They are symbolic, with shared parts named, never expanded.
equations = mechanism.equations("kane")
print(f"\nKane's equations, {equations.operations.total} operations:\n")
print(equations.text())
print("\nThe same for a paper, beginning with:\n")
print("\n".join(equations.latex().splitlines()[:6]))

# 4. Solve them at one state: the rods stretched out to the side, at rest.
q, u = np.zeros(3), np.zeros(3)
now = equations.evaluate(q, u)
print("\nreleased from the horizontal, the angles accelerate by", np.linalg.solve(now.A, now.f).round(3), "rad/s²")

# 5. March. Any integrator will do; this is the classical Runge–Kutta step on (q, u). The code below is the equations as Python source.
source: dict[str, object] = {}
exec(equations.code("numpy", name="kane"), source)
kane, parameters = source["kane"], list(mechanism.parameters.values())


def rate(y: np.ndarray) -> np.ndarray:
    qdot, A, f = kane(0.0, y[:3], y[3:], parameters)  # type: ignore[operator]
    return np.concatenate([qdot, np.linalg.solve(A, f)])


def energy(y: np.ndarray) -> float:
    state = mechanism.state(y[:3], y[3:])
    return float(totals.kinetic_energy(state) + totals.potential_energy(state))


y, h, steps = np.concatenate([q, u]), 0.001, 1000
start = energy(y)
for _ in range(steps):
    k1 = rate(y)
    k2 = rate(y + 0.5 * h * k1)
    k3 = rate(y + 0.5 * h * k2)
    k4 = rate(y + h * k3)
    y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

# 6. Look. Everything else follows from the state: here the tip and the energy, which nothing but rounding and the step may change.
state = mechanism.state(y[:3], y[3:])
tip = state.position(("rod3", (mechanism.parameters["l"], 0, 0)))
drift = abs(energy(y) - start) / totals.kinetic_energy(state)
print(
    f"after {h * steps:g} s the tip is at {np.round(tip[:2], 3)} m; energy is kept to {drift:.0e} of the kinetic energy"
)
if drift > 1e-6:
    raise SystemExit("the energy drifts: the equations or the step are wrong")
