"""`Motion`: the result of a simulation. Immutable; everything beyond t, q and u is computed from them when asked for.

As with `Mechanism`, whoever answers is imported when asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dalembert.arguments import file_path, function, names, points, takes
from dalembert.cached import cached_property
from dalembert.errors import SimulationError
from dalembert.mechanism import Mechanism
from dalembert.mechanism.missing import missing
from dalembert.motion.law_history import Contacts, LawHistory, LawImpact, ModeChange
from dalembert.motion.motion_as_table import MotionAsTable
from dalembert.motion.motion_elsewhere import MotionElsewhere
from dalembert.parts.names import text, unknown
from dalembert.parts.outputs import Displacement
from dalembert.portable import Portable
from dalembert.words import counted

if TYPE_CHECKING:
    import xarray
    from anywidget import AnyWidget
    from numpy.typing import ArrayLike

    from dalembert.aliases import PointOfBody, StateFunction
    from dalembert.elastic.elastic_outputs import InnerLoads
    from dalembert.kernels.catalogue import BodyMotion
    from dalembert.kinematics.state import State
    from dalembert.motion.quantities import Accelerations, Energies, Momenta, Poses
    from dalembert.motion.reactions import JointForces, Wrenches
    from dalembert.motion.samples import Samples
    from dalembert.motion.section_forces import SectionForces
    from dalembert.simulation.march.checkpoint import Checkpoint


@dataclass(frozen=True, eq=False)
class Occurrence:
    """An event that happened."""

    name: str
    t: float
    q: np.ndarray
    u: np.ndarray
    z: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """States of elements."""


@dataclass(frozen=True, eq=False)
class Motion(MotionAsTable, MotionElsewhere, Portable):
    """Samples of a motion: `t` (K,), `q` (K, n_q), `u` (K, n_u). All vectors asked for are in world axes unless said otherwise."""

    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    coordinate_units: tuple[str, ...]
    speed_units: tuple[str, ...]
    bodies: tuple[str, ...]
    forces: np.ndarray
    """(K, n_u): generalized forces of a controller at each sample; zeros without one."""
    events: tuple[Occurrence, ...]
    record: Mapping[str, Any]
    """How it came about: model, method, tolerances, given and computed initial values, parameters, version, how it ended."""
    mechanism: Mechanism | None = None
    unfinished: Checkpoint | None = field(default=None, repr=False)
    """Where an interrupted run can go on: `m.simulate(…, resume=motion)`."""
    history: LawHistory | None = field(default=None, repr=False)
    """What the laws did; None for a mechanism without laws."""
    z: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    """(K, n_z): states of elements."""
    states: tuple[str, ...] = ()
    """Names of z: "motor.current"."""
    state_units: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.states:
            object.__setattr__(self, "z", np.zeros((len(self.t), 0)))
        for name in ("t", "q", "u", "forces", "z"):
            getattr(self, name).flags.writeable = False
        object.__setattr__(self, "record", MappingProxyType(dict(self.record)))

    def __repr__(self) -> str:
        span = f"{counted(len(self), 'sample')} from {self.t[0]:g} to {self.t[-1]:g} s" if len(self) else "no samples"
        parts = [span, counted(len(self.coordinates), "coordinate"), counted(len(self.events), "event")]
        return f"<Motion of {self.record.get('model')!r}: {', '.join(parts)}>"

    def __len__(self) -> int:
        return len(self.t)

    @property
    def complete(self) -> bool:
        """Whether it reached its end, or an event that ends it."""
        return self.record["ended"] in ("end", "event")

    def __getitem__(self, name: str) -> np.ndarray:
        """One coordinate over time by its name, one speed by "its name'", or one state of an element: motion["A"], motion["A'"],
        motion["motor.current"]. Prescribed coordinates and speeds, too."""
        known = {**{c: self.q[:, i] for i, c in enumerate(self.coordinates)}}
        known |= {f"{c}'": self.u[:, i] for i, c in enumerate(self.speeds)}
        known |= {c: self.z[:, i] for i, c in enumerate(self.states)}
        if text(name, "motion") in known:
            return known[name]
        if name in self._prescribed:
            return self._prescribed[name]
        every = [*known, *self._prescribed]
        if self.mechanism is None:
            raise unknown(name, "coordinate or speed", every, "motion")
        raise missing(self.mechanism, name, "coordinate or speed", every, "motion")

    @cached_property
    def _prescribed(self) -> dict[str, np.ndarray]:
        """Coordinates and speeds that are functions of time."""
        m = self.mechanism
        if m is None or not m.prescribed:
            return {}
        q, u = m.prescribed, m.prescribed_speeds
        rows = self.evaluate(
            lambda s: [*(s.joint_q[k - 1][i] for k, i in q.values()), *(s.joint_u[k - 1][i] for k, i in u.values())]
        )
        return dict(zip([*q, *(f"{name}'" for name in u)], rows.T))

    # -- quantities on demand -------------------------------------------------------------------------------------------
    @cached_property
    def samples(self) -> Samples:
        """What quantities are computed from."""
        from dalembert.motion.samples import Samples

        if self.mechanism is None:
            raise SimulationError(
                "this motion was loaded without its mechanism, so only t, q, u and what the file holds are known; "
                "give it with da.load_motion(path, mechanism=m)"
            )
        made = Samples(self.mechanism, self.t, self.q, self.u, self.forces, self.parameters)
        return made if self.history is None else made.with_laws(self.history.force)

    @property
    def parameters(self) -> dict[str, float | np.ndarray]:
        """Values of the parameters; of those that an event has set, and of states of elements, one for every sample, (K,)."""
        found: dict[str, float | np.ndarray] = dict(self.record["parameters"])
        for t, name, value in self.record.get("parameter_changes", ()):
            found[name] = np.where(self.t >= t, value, found[name])
        return found | dict(zip(self.states, self.z.T))

    def body_motion(self) -> BodyMotion:
        """Poses and velocities of all bodies: `.rotation` (K, n, 3, 3), `.position`, `.angular_velocity`, `.velocity` (K, n, 3)."""
        return self.samples.body_motion

    def pose(self, body: str) -> Poses:
        """`.rotation` (K, 3, 3) from body to world axes, `.position` (K, 3) of its origin."""
        from dalembert.motion.quantities import pose

        return pose(self.samples, body)

    def position(self, at: PointOfBody) -> np.ndarray:
        """(K, 3) of a point in metres, world axes: a body's name or ("name", (x, y, z))."""
        return self.evaluate(lambda s: s.position(at))

    def velocity(self, at: PointOfBody) -> np.ndarray:
        """(K, 3) of a point in m/s, world axes."""
        return self.evaluate(lambda s: s.velocity(at))

    def angular_velocity(self, body: str) -> np.ndarray:
        """(K, 3) of a body in rad/s, world axes."""
        return self.evaluate(lambda s: s.angular_velocity(body))

    def displacement(self, body: str, node: str) -> np.ndarray:
        """(K, 3): how far a node of an elastic body is from its place in the undeformed body, in the axes of the floating frame."""
        return self.evaluate(Displacement((body, node)).value)

    def inner_loads(self, body: str) -> InnerLoads:
        """Loads inside a beam, from the strains of its modes: `.x` (P,) along it, `.moment` (K, P, 3) in its axes and `.axial` (K, P).

        They converge with the number of modes, more slowly than displacements. A beam without axial modes has no axial strain, though
        it may be pulled: what a joint transmits is known exactly, by `reaction`.
        """
        from dalembert.elastic.elastic_outputs import inner_loads

        return inner_loads(self, body)

    def section_forces(self, body: str) -> SectionForces:
        """Forces in the sections of a beam, by equilibrium of the part beyond each section: `.x` (P,), `.force` (K, P, 3), pull and
        shears, and `.moment` (K, P, 3), torsion and bendings, in the axes of the floating frame; exerted on the part before the
        section."""
        from dalembert.motion.section_forces import section_forces

        return section_forces(self.samples, body)

    def tisserand_frame(self, body: str | None = None) -> np.ndarray:
        """(K, 3, 3): the axes in which an elastic body has no angular momentum of its own, those of its floating frame at the start;
        without a name, of all bodies together, those of the first body at the start.

        They depend on the whole path: let samples be close enough for their angular velocity to be interpolated.
        """
        from dalembert.elastic.elastic_outputs import tisserand_frame
        from dalembert.motion import system_axes

        return system_axes.tisserand_frame(self.samples) if body is None else tisserand_frame(self, body)

    def principal_axes(self, body: str | None = None) -> np.ndarray:
        """(K, 3, 3): the central principal axes of an elastic body as it is deformed, ordered and signed as in the undeformed one;
        without a name, of all bodies together, the axis of the smallest moment first at the start."""
        from dalembert.elastic.elastic_outputs import principal_axes
        from dalembert.motion import system_axes

        return system_axes.principal_axes(self.samples) if body is None else principal_axes(self, body)

    def buckens_frame(self) -> np.ndarray:
        """(K, 3, 3): the axes in which ∫ρ̄ × u dm = 0 for all bodies together, with ρ̄ their places at the mechanism's reference; the
        world's axes there."""
        from dalembert.motion import system_axes

        return system_axes.buckens_frame(self.samples)

    def udot(self) -> np.ndarray:
        """(K, n_u): rates of the speeds."""
        from dalembert.motion.quantities import udot

        return udot(self.samples)

    def acceleration(self, at: PointOfBody) -> Accelerations:
        """`.angular` of a point's body and `.linear` of the point, (K, 3) each."""
        from dalembert.motion.quantities import acceleration

        return acceleration(self.samples, at)

    def energy(self) -> Energies:
        """`.kinetic`, `.potential`, `.total`, (K,) each; with laws also `.lost`, by friction and impacts, and `.supplied` by laws whose
        surfaces move: `.balance` = total + lost − supplied stays as it was where nothing else does work."""
        from dalembert.motion.quantities import energy

        return energy(self.samples, self.history)

    # -- laws --------------------------------------------------------------------------------------------------------------
    @property
    def contacts(self) -> Contacts:
        """Forces, gaps, slips, states and losses of every law at all samples: `motion.contacts["floor"].normal`."""
        return Contacts(self._laws)

    @property
    def impacts(self) -> tuple[LawImpact, ...]:
        """Impacts in their order, with impulses, speeds before and after, and losses, one entry for every law that took part."""
        return self._laws.impacts

    @property
    def modes(self) -> tuple[ModeChange, ...]:
        """Which law was open, slid, stuck or was engaged, and from when on."""
        return self._laws.modes

    @property
    def _laws(self) -> LawHistory:
        if self.history is None:
            raise SimulationError(
                "this motion is of a mechanism without laws, so there are no contacts, impacts and modes; add laws with add_law"
            )
        return self.history

    def momentum(self, about: ArrayLike | Literal["mass centre"] = (0.0, 0.0, 0.0)) -> Momenta:
        """`.linear` and `.angular`, (K, 3) each: about a fixed point of the world, or about the mechanism's own "mass centre"."""
        from dalembert.motion.quantities import momentum

        return momentum(self.samples, about)

    def reaction(self, joint: str, at: str = "child", axes: str = "world") -> Wrenches:
        """`.force` and `.torque` (K, 3) that the joint's parent exerts on its child through it, its motors and springs included.

        The torque is about the joint's point on the "child" or on the "parent"; axes are "world", or the joint's frame on the "child"
        or the "parent". Joints that close loops are asked about in the same way, and so are constraints that act on bodies: the
        first body a constraint names is its child, and the torque is about the point it acts at. Where joints are over-constrained,
        `.determined` says which components are unique; the others are of the least multipliers.
        """
        from dalembert.motion.reactions import reaction

        return reaction(self.samples, joint, at, axes)

    def drive(self, name: str) -> JointForces:
        """`.force` along the coordinate (K,), or coordinates (K, n), that a prescribed joint, a `Drive` or a `Coupling` needs."""
        from dalembert.motion.reactions import drive

        return drive(self.samples, name)

    @takes(quantity=function)
    def evaluate(self, quantity: StateFunction) -> np.ndarray:
        """Any function of the state at all samples, compiled: `motion.evaluate(lambda s: s.position("tip")[2])`."""
        from dalembert.motion.samples import evaluate

        return evaluate(self.samples, lambda s, _: quantity(s))

    # -- to look at -------------------------------------------------------------------------------------------------------
    @takes(path=file_path, traces=points, reactions=names)
    def page(
        self,
        path: str | Path,
        *,
        traces: Iterable[Any] | None = None,
        reactions: Sequence[str] | None = None,
        results: Iterable[Any] = (),
        live: bool | None = False,
        sliders: Iterable[Any] | None = None,
    ) -> Path:
        """Write one HTML file that shows the motion, its plots, graph and equations; it opens by double click, offline.

        `traces` are points whose ways are drawn, bodies' names or ("name", (x, y, z)); `reactions` are the joints whose reactions are
        worked out. Without them the page chooses. `results` are what analyses returned, an equilibrium or a locus say; they get a tab.
        With `live` the page simulates: the compiled mechanism is inside it, and `sliders`, names or (name, min, max), set parameters,
        initial values ("A"), speeds ("A'"), "gravity" and "duration"; without them, all that have a name or were given. `live=None`
        simulates wherever that is possible; elsewhere the page says why it only plays back.
        """
        from dalembert.view import write_page

        return write_page(self, path, traces, reactions, results, live, sliders)

    def widget(
        self,
        *,
        sliders: Iterable[Any] | None = None,
        traces: Iterable[Any] | None = None,
        reactions: Sequence[str] | None = None,
    ) -> AnyWidget:
        """The page that simulates, as a widget of a notebook (needs anywidget: `pip install dalembert[notebook]`).

        `w.values` are the sliders' values by name, followed both ways: set some of them in Python and the page marches anew, move a
        slider and they change. `w.time` is the instant shown, `w.said` what the page says; `w.simulate()` marches the motion at the
        present values in Python. Arguments are those of `page`.
        """
        from dalembert.view.widget import motion_widget

        return motion_widget(self, sliders, traces, reactions)

    def outputs(self) -> dict[str, np.ndarray]:
        """The quantities the model names, (K,) or (K, 3) each."""
        named = self.samples.mechanism.plan.outputs
        return {name: self.evaluate(partial(_settled, output)) for name, output in named.items()}

    def _repr_html_(self) -> str | None:
        """What a notebook shows."""
        from dalembert.view.notebook import motion_html

        return motion_html(self)

    # -- elsewhere --------------------------------------------------------------------------------------------------------
    def to_xarray(self) -> xarray.Dataset:
        """An `xarray.Dataset` with names and units."""
        from dalembert.motion.dataset import dataset

        return dataset(self)

    @takes(path=file_path)
    def save(self, path: str | Path) -> None:
        """Write the motion as its file's name asks, whole or not at all: .nc (NetCDF, which `da.load_motion` reads), .csv, .html, .glb
        (animated glTF) or .mcap (a recording for Foxglove and the like)."""
        from dalembert.files.motion_formats import save

        save(self, path)


def _settled(output: Any, s: State) -> Any:
    return s.settled(output.value(s))
