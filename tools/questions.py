"""What is asked of one mechanism when answers are recorded, by public names only."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

import dalembert as da
from tools.answers import Answers, numbers_apart
from tools.subjects import Subject

T = TypeVar("T")
FORMULATIONS = (
    "kane", "kane_minimal", "tisserand", "system_root", "system_tisserand", "dalembert", "lagrange", "boltzmann_hamel", "momentum",
    "hamilton", "path_matrix",
    "recursive_newton_euler", "composite_body", "articulated_body", "newton_euler", "newton_euler_nodal",
    "newton_euler_forces", "newton_euler_rotations_forces", "newton_euler_rotations", "newton_euler_root", "barycentric", "hooker",
    "gauss", "gauss_penalty",
)  # fmt: skip
CONSTRAINT_METHODS = (
    "augmented", "sparse_augmented", "range_space", "range_space_svd", "zero_eigenvalues", "null_space_qr", "svd", "partition",
    "penalty", "proximal",
)  # fmt: skip
PAIRS = (
    ("lagrange", "svd"),
    ("kane_minimal", "range_space"),
    ("hamilton", "augmented"),
    ("newton_euler", "null_space_qr"),
    ("kane", "partition"),
)
PAIRS_OF_TREES = tuple(
    (f, "range_space") for f in ("lagrange", "hamilton", "articulated_body", "newton_euler", "gauss")
)
"""Of formulation and constraint method, for runs."""
EVERY_PAIR = ("gallery four_bar", "gallery double_pendulum", "gallery rolling_disc", "planar ring 0", "elastic loop 0")
"""Mechanisms asked by every formulation with every constraint method."""
MARCHED_BY_ALL = ("gallery four_bar", "gallery double_pendulum")
"""Mechanisms marched by every formulation, and by every constraint method; compiled solutions are asked of these, too."""
SAMPLES = 7


class Questions:
    """All questions to one mechanism; `known` are states from an earlier record, used instead of new ones."""

    def __init__(self, name: str, subject: Subject, known: Mapping[str, np.ndarray]):
        self.name, self.subject, self.m, self.known = name, subject, subject.mechanism, known
        self.answers = Answers()
        self.written: dict[str, Any] = {}
        self.motion: Any = None
        self.everything = name in MARCHED_BY_ALL

    def _in_turn(self, choices: Sequence[T], count: int = 1) -> list[T]:
        """So many of the choices, others for each mechanism, that all are asked of several; all of them where everything is asked."""
        first = crc32(self.name.encode())
        return list(choices) if self.everything else [choices[(first + k) % len(choices)] for k in range(count)]

    def ask_all(self) -> Answers:
        """One part after the other; a part that cannot even be asked is recorded as its error."""
        parts = (self.words, self.own_motion, self.at_states, self.equations, self.solutions, self.motions)
        for part in (*parts, self.other_motions, self.by_pairs, self.analyses):
            self.answers.ask(f"failed/{self.name}/{part.__name__}", part, lambda _: {})
        return self.answers

    def _ask(self, kind: str, question: str, ask: Callable[[], Any], told: Callable[[Any], Any] = lambda x: x) -> Any:
        return self.answers.ask(f"{kind}/{self.name}/{question}", ask, told)

    # -- words --------------------------------------------------------------------------------------------------------
    def words(self) -> None:
        m, s = self.m, self.subject
        names = {"coordinates": m.coordinates, "speeds": m.speeds, "cuts": [c.name for c in m.cuts], "loops": m.loops}
        self._ask("mechanism", "names", lambda: {k: str(list(v)) for k, v in names.items()})
        self._ask("mechanism", "mobility", lambda: [m.mobility, m.grubler])
        self._ask("inspection", "text", lambda: str(m.inspect(_pose(s))))
        self._ask("diagnosis", "verdict", lambda: m.diagnose(_pose(s)), _diagnosis)
        if s.system is not None:
            self._ask("model file", "yaml", lambda: written_back(s.system))
        if self.name.startswith("gallery") and self.subject.thorough:
            self._ask("page", "notebook", m._repr_html_)

    # -- motions ------------------------------------------------------------------------------------------------------
    def _simulate(self, question: str, duration: float | None = None, **options: Any) -> Any:
        s = self.subject
        duration = s.duration if duration is None else duration
        start = {} if s.start is None else {"start": s.start}
        q, u = self._start() or (s.initial, s.speeds)
        return self._ask("motion", question, lambda: self.m.simulate(duration, q, u, **start, **options), _motion)

    def _start(self) -> tuple[Any, Any] | None:
        """The first state of the earlier record, where the mechanism was drawn in a state."""
        key = f"state/{self.name}/drawn"
        if self.subject.start is None:
            return None
        drawn = {"q": self.subject.initial, "u": self.subject.speeds}
        self.answers.keep(key, drawn)
        return tuple(self.known.get(f"{key}/{x}", drawn[x]) for x in ("q", "u"))

    def own_motion(self) -> None:
        """As the model asks for it, with everything that can be computed from a motion."""
        self.motion = self._simulate("as planned")
        if self.motion is None:
            return
        few = np.linspace(0, len(self.motion) - 1, SAMPLES).astype(int)
        motion, m = self.motion, self.m
        self._ask(
            "energy", "along", motion.energy, lambda e: {"kinetic": e.kinetic[few], "potential": e.potential[few]}
        )
        self._ask("acceleration", "along", motion.udot, lambda x: x[few])
        if self.subject.thorough:
            asked = motion.momentum
            self._ask("energy", "momentum", asked, lambda p: {"linear": p.linear[few], "angular": p.angular[few]})
        self._ask("motion", "a point", lambda: motion.position(self._place()), lambda x: x[few])
        last = m.bodies[-1].name
        self._ask("acceleration", f"of {last}", lambda: motion.acceleration(last), lambda a: _rows(a, few))
        self._ask("motion", "outputs", motion.outputs, lambda made: {k: x[few] for k, x in made.items()})
        transmitting = [*(j.name for j in m.joints), *(c.name for c in m.cuts), *m.constraints]
        driven = {*m.constraints, *(j.name for j in m.joints if any(x is not None for x in j.law.u))}
        for name in dict.fromkeys([transmitting[0], *transmitting[-2:]]):
            self._ask("reaction", name, partial(motion.reaction, name), lambda w: _rows(w, few))
            if name in driven:
                self._ask("reaction", f"drive {name}", partial(motion.drive, name), lambda w: _rows(w, few))
        for b in m.bodies:
            for ask in (motion.section_forces, motion.inner_loads) if b.modes else ():
                self._ask("elastic", f"{ask.__name__} {b.name}", partial(ask, b.name), lambda w: _rows(w, few))

    def _place(self) -> Any:
        """A point of the last body; of one that bends, its origin."""
        b = self.m.bodies[-1]
        return b.name if b.modes else (b.name, (0.1, 0.2, 0.3))

    def motions(self) -> None:
        """By every integrator, over a fifth of the time."""
        s = self.subject
        if self.motion is None:
            return
        short = float(self.motion.t[-1] - self.motion.t[0]) / 5
        fixed, output = {"step": short / 200}, {"output": short / 10}
        runs = {
            "dop853 loose": {"method": "dop853", "rtol": 1e-7},
            "rk4": {"method": "rk4", **fixed},
            "midpoint": {"method": "midpoint", **fixed},
            "radau": {"method": "radau", "rtol": 1e-8},
            "baumgarte": {"method": "dop853", "stabilise": da.Baumgarte(50.0, 600.0)},
            "unstabilised": {"method": "rk4", "stabilise": "none", **fixed},
        }
        if not s.thorough:
            chosen = ["dop853 loose"]
        elif s.constrained:
            chosen = ["dop853 loose", *self._in_turn(("rk4", "radau", "baumgarte", "unstabilised"))]
        else:
            chosen = ["dop853 loose", "rk4", "midpoint", "radau"][: 4 if s.small else 2]
        for name in chosen:
            self._simulate(name, short, **runs[name], **output)

    def other_motions(self) -> None:
        """Many at once, and sensitivities."""
        m, s = self.m, self.subject
        if self.motion is None:
            return
        short = float(self.motion.t[-1] - self.motion.t[0]) / 10
        begun = {} if s.start is None else {"start": s.start}
        if not s.thorough and self._in_turn((True, False))[0]:
            return
        Q, U = (np.repeat(x, 3, axis=0) for x in (self.states[0][:1], self.states[1][:1]))
        U = U * np.array([[1.0], [0.9], [0.5]])
        for method, options in self._in_turn([("rk4", {"step": short / 100}), ("dop853", {})]):
            run = partial(m.simulate_many, Q, short, U, method=method, output=short / 4, threads=2, **options, **begun)
            self._ask("motions", method, run, lambda x: {"t": x.t, "q": x.q, "u": x.u} | _record(x.record))
        if s.small and s.thorough and self._in_turn((True, False))[0]:
            q, u = self._start() or (s.initial, s.speeds)
            to = {} if m.parameters else {"initial_values": [f"{m.speeds[0]}'"]}
            self._ask(
                "sensitivity", "forward", partial(m.sensitivities, short, q, u, output=short / 4, **to), _sensitivities
            )

    def by_pairs(self) -> None:
        """Runs by several pairs of formulation and constraint method."""
        if self.motion is None or not (self.subject.small and self.subject.thorough):
            return
        short = float(self.motion.t[-1] - self.motion.t[0]) / 10
        pairs = self._in_turn(PAIRS if self.subject.constrained else PAIRS_OF_TREES)
        if self.everything:
            pairs += [(f, "range_space") for f in FORMULATIONS]
            pairs += [("kane", c) for c in CONSTRAINT_METHODS] if self.subject.constrained else []
        for formulation, constraints in pairs:
            chosen = {"formulation": formulation, "constraints": constraints, "output": short / 4, "rtol": 1e-9}
            self._simulate(f"{formulation} × {constraints}", short, **chosen)

    # -- at given states ----------------------------------------------------------------------------------------------
    def at_states(self) -> None:
        """Three states along the motion, in a batch and one by one."""
        m = self.m
        self.states = self._states()
        Q, U, T = self.states
        self.answers.keep(f"state/{self.name}/asked", {"q": Q, "u": U, "t": T})
        udot = self._ask("acceleration", "batch", lambda: m.forward_dynamics(Q, U, t=T))
        tau = np.linspace(-1, 1, m.n_u)
        for k, (q, u, t) in enumerate(zip(*self.states)):
            self._ask("acceleration", f"at {k}", lambda q=q, u=u, t=t: m.forward_dynamics(q, u, t=t))
            self._ask("acceleration", f"at {k}, pushed", lambda q=q, u=u, t=t: m.forward_dynamics(q, u, tau, t=t))
            self._ask("energy", f"at {k}", lambda q=q, u=u, t=t: m.energies(q, u, t))
        q, u, t = (x[-1] for x in self.states)
        self._ask("multipliers", "batch", lambda: m.solve(Q, U, t=T), _solution)
        self._ask("mass matrix", "at 2", lambda: m.mass_matrix(q, t))
        self._ask("body motion", "batch", lambda: m.body_motion(Q, U, T), lambda x: vars(x))
        self._ask("body motion", "jacobian", lambda: m.point_jacobian(self._place(), q, t))
        if udot is not None:
            self._ask("inverse dynamics", "batch", lambda: m.inverse_dynamics(Q, U, udot, T))
            self._ask("inverse dynamics", "drives", lambda: m.drives(Q, U, udot, t=T), lambda x: _rows(x, slice(None)))
        self._ask("derivatives", "forward", lambda: m.forward_dynamics_derivatives(q, u, t=t), _derivatives)
        if udot is not None and self.subject.thorough and self._in_turn((True, False))[0]:
            self._ask("derivatives", "inverse", lambda: m.inverse_dynamics_derivatives(q, u, udot[-1], t), _derivatives)

    def _states(self) -> list[np.ndarray]:
        key, m = f"state/{self.name}/asked", self.m
        if f"{key}/q" in self.known:
            return [self.known[f"{key}/{x}"] for x in ("q", "u", "t")]
        if self.motion is not None and len(self.motion) > 2:
            at = [0, len(self.motion) // 3, len(self.motion) - 1]
            return [np.array(x[at]) for x in (self.motion.q, self.motion.u, self.motion.t)]
        return [np.array([x] * 3) for x in (m.reference, np.zeros(m.n_u), 0.0)]

    # -- equations ----------------------------------------------------------------------------------------------------
    def equations(self) -> None:
        """As printed: by every formulation where they are short."""
        m = self.m
        if m.n_u > 16 or not self.subject.thorough:
            return
        every = self.name in EVERY_PAIR
        some = ["kane", *(self._in_turn(FORMULATIONS[1:], 3) if m.n_u <= 3 else ["lagrange"] * self.subject.small)]
        for name in FORMULATIONS if every else some:
            e = self._ask("equations", name, partial(m.equations, name), _equations)
            if e is not None:
                self.written[name] = e
                if name in ("kane", "lagrange", "hamilton", "newton_euler"):
                    self._ask("equations", f"{name} in LaTeX", e.latex)
        if "kane" in self.written:
            for language in ("c", "python", "numpy"):
                self._ask("equations", f"kane in {language}", partial(self.written["kane"].code, language))
        self._ask("equations", "kane with numbers", lambda: m.equations("kane", parameters="numbers").text())

    def solutions(self) -> None:
        """By every formulation with every constraint method on numbers; compiled each with the usual other."""
        if self.name not in EVERY_PAIR:
            return
        q, u, t = (x[1] for x in self.states)
        for name, e in self.written.items():
            for method in CONSTRAINT_METHODS:
                self._ask("multipliers", f"{name} × {method}", partial(e.solve, q, u, t, constraints=method), _solution)
        if not self.everything:
            return
        chosen = [{"formulation": f} for f in FORMULATIONS] + [{"constraints": c} for c in CONSTRAINT_METHODS]
        for one in chosen:
            name = "compiled " + "".join(one.values())
            self._ask("multipliers", name, partial(self.m.solve, q, u, t=t, **one), _solution)

    # -- analyses -----------------------------------------------------------------------------------------------------
    def analyses(self) -> None:
        m, s = self.m, self.subject
        if not s.thorough or not s.small:
            return
        if s.constrained:
            self._ask("assembly", "nearest", lambda: dict(zip(("q", "u"), m.assemble(_pose(s), None, s.start or 0.0))))
        if s.start is None:  # random ones have none, as a rule
            e = self._ask("equilibrium", "at rest", lambda: m.equilibrium(_pose(s), starts=1), _equilibrium)
            if e is not None:
                self._linearised("of equilibrium", lambda: m.linearise(e.q, e.u, e.t))
        q, u, t = (x[1] for x in self.states)
        self._linearised("underway", lambda: m.linearise(q, u, float(t)))

    def _linearised(self, question: str, ask: Callable[[], Any]) -> None:
        names = (
            "mass",
            "velocity_matrix",
            "stiffness",
            "structural",
            "A",
            "B",
            "C",
            "D",
            "displacement_of",
            "speed_of",
        )
        lin = self._ask(
            "linearisation", question, ask, lambda x: {n: getattr(x, n) for n in names} | {"states": str(x.states)}
        )
        if lin is not None:
            self._ask("modes", question, lin.modes, lambda x: {"eigenvalues": x.eigenvalues, "text": str(x)})


# -- what is kept of an answer ----------------------------------------------------------------------------------------
def _pose(s: Subject) -> Any:
    """Where to look from; a whole array is no pose that is held."""
    return s.initial if s.initial is not None else None


def _motion(x: Any) -> dict[str, Any]:
    happened = {"events": str([e.name for e in x.events]), "event times": np.array([e.t for e in x.events])}
    return {"t": x.t, "q": x.q, "u": x.u, "forces": x.forces, **happened, **_record(x.record)}


def _record(record: Mapping[str, Any]) -> dict[str, Any]:
    rest = {k: v for k, v in record.items() if k != "fingerprint"}
    return {"record": numbers_apart(rest), "fingerprint": record.get("fingerprint")}


def _diagnosis(x: Any) -> dict[str, Any]:
    counts = [x.rank, x.mobility, x.grubler, x.redundant, x.rank_here, x.shaky, x.driven]
    return {
        "text": str(x),
        "counts": np.array(counts, dtype=float),
        "independent": np.array(x.independent, dtype=float),
    }


def _equations(x: Any) -> dict[str, Any]:
    return {"text": x.text(), "count": str(x.operations)}


def _solution(x: Any) -> dict[str, Any]:
    return {"udot": x.udot, "lam": x.lam, "rank": np.asarray(x.rank, dtype=float)}


def _sensitivities(x: Any) -> dict[str, Any]:
    return {"to": str(x.to), "q": x.q, "dq": x.dq, "du": x.du, **x.of_outputs}


def _derivatives(x: Any) -> dict[str, Any]:
    return {"q": x.q, "u": x.u, "input": x.input, "parameters": x.parameters}


def _equilibrium(x: Any) -> dict[str, Any]:
    return {"q": x.q, "u": x.u, "tau": x.tau, "lam": x.lam, "text": str(x)}


def _rows(x: Any, few: Any) -> dict[str, Any]:
    """The fields of a result: arrays over time at a few samples, everything else as it is."""
    return {k: _few(v, few) for k, v in vars(x).items() if not k.startswith("_") and not isinstance(v, da.Mechanism)}


def _few(x: Any, few: Any) -> Any:
    if not isinstance(x, np.ndarray):
        return str(x)
    longest = 0 if isinstance(few, slice) else int(few[-1]) + 1
    return x[few] if x.ndim and len(x) == longest else x


def written_back(system: Any) -> str:
    """The model file that a system is saved as."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.yaml"
        system.save(path)
        return path.read_text(encoding="utf-8")
