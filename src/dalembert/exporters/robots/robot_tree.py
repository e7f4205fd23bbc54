"""A mechanism as robot files say it: links, each on a row of joints, and what closes loops and acts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from dalembert.errors import ModelError
from dalembert.exporters.robots.joint_rows import ROWS, RowJoint
from dalembert.importers.imported import ACCELERATIONS, AT_LIMITS, DRAWING, MEASURED, Note
from dalembert.importers.poses import back, quaternion, then
from dalembert.kinematics.initial import initial_state
from dalembert.laws import JointFriction, Stop
from dalembert.mechanism import CutJoint, Mechanism, TreeJoint
from dalembert.parts import MassProperties
from dalembert.parts.constraints import Coupling, Polynomial
from dalembert.parts.forces import Force, JointSpring, Point, Spring
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Joint
from dalembert.parts.shapes import MeshFile, Shape
from dalembert.trace import Expr

UPRIGHT = 1e-12
"""Cosine of the pitch below which roll and yaw turn about one axis."""
FULL = 255.0
"""A colour's largest byte."""
CLOSED = 1e-9
"""Distance, m, and turn, rad, by which a loop may be open where all joints stand at zero."""


@dataclass(frozen=True, eq=False)
class RobotLink:
    """A body in the frame of the joint that carries it, which is what robot files measure from."""

    name: str
    parent: int
    """Number of the link that it stands on, from 1; 0 is the ground."""
    at: Frame
    """The link's frame on the parent's, where the joints between them stand at zero."""
    in_body: Frame
    """The link's frame on the body as it was."""
    matter: MassProperties
    shapes: tuple[Shape, ...]
    joint: str
    row: list[RowJoint]

    @property
    def massless(self) -> bool:
        return self.matter.mass == 0.0


@dataclass(eq=False)
class LoopJoint:
    name: str
    joint: Joint
    parent: int
    child: int
    on_parent: Frame
    on_child: Frame


@dataclass(eq=False)
class RobotTree:
    """`forces` and `couplings` are what not every format can say: a writer takes those it knows out, and notes the rest."""

    name: str
    gravity: np.ndarray
    links: list[RobotLink]
    loops: list[LoopJoint]
    ground_shapes: tuple[Shape, ...]
    forces: dict[str, Force]
    couplings: dict[str, Coupling | Polynomial]
    notes: list[Note] = field(default_factory=list)

    def note(self, what: str, effect: str = ACCELERATIONS) -> None:
        self.notes.append(Note(what, effect))

    @property
    def rows(self) -> Iterator[RowJoint]:
        return (j for link in self.links for j in link.row)

    def row_joint(self, coordinate: str) -> RowJoint:
        """The joint of a row that has a coordinate, "A" or "A.slide"."""
        joint, _, freedom = coordinate.partition(".")
        (link,) = (x for x in self.links if x.joint == joint)
        return next(j for j in link.row if freedom in j.coordinates)

    def has(self, coordinate: str) -> bool:
        """Whether a coordinate is that of a hinge, slide or screw in the tree."""
        joint, _, freedom = coordinate.partition(".")
        return any(freedom in j.coordinates and j.single for x in self.links if x.joint == joint for j in x.row)

    def point(self, place: Point) -> tuple[str, np.ndarray]:
        """A point of a body, on its link: the link's name, "" for the ground, and the point there."""
        at = np.asarray(place.at, dtype=float)
        for link in self.links:
            if link.name == place.body:
                return link.name, then(back(link.in_body), Frame(at)).position
        return "", at

    def linear(self, force: Force) -> bool:
        """Whether a force is a linear spring between two points, with numbers."""
        return isinstance(force, Spring) and force.tension is None

    def leave_out(self, kind: str, names: list[str], effect: str = ACCELERATIONS) -> None:
        for name in names:
            self.note(f'{kind} "{name}" cannot be said in this format and is left out', effect)


def robot_tree(m: Mechanism) -> RobotTree:
    """`m` with numbers in place of parameters; a ModelError names what has no place in any robot file."""
    m = m.in_joint_variables
    _check(m)
    q, u = initial_state(m, m.plan.initial, m.plan.speeds, 0.0)
    links: list[RobotLink] = []
    notes: list[Note] = []
    for k, (j, body) in enumerate(zip(m.joints, m.bodies)):
        parent = m.parent[k]
        stands = then(back(links[parent - 1].in_body), j.on_parent) if parent else j.on_parent
        links.append(RobotLink(body.name, parent, stands, j.on_child, *_in_link(m, k, notes), j.name, _row(j, q, u)))
    loops = [
        LoopJoint(c.name, c.joint, c.parent, c.child, *(_on_link(links, *end) for end in _ends(c))) for c in m.cuts
    ]
    tree = RobotTree(
        m.name, np.asarray(m.gravity, dtype=float), links, loops, _readable(m.ground_shapes, notes), {}, {}, notes
    )
    _spread(m, tree)
    return tree


def _check(m: Mechanism) -> None:
    for body in m.bodies:
        if body.modes:
            raise ModelError(
                f'body "{body.name}" is elastic: robot files know rigid bodies only; add it as a rigid one'
            )
    for j in m.joints:
        if type(j.joint) not in ROWS:
            raise ModelError(
                f'joint "{j.name}": robot files know no {type(j.joint).__name__}; build it of hinges and slides'
            )
        if None in j.q_at:
            raise ModelError(f'joint "{j.name}" is prescribed as a function of time, which robot files cannot say')


def _ends(c: CutJoint) -> list[tuple[int, Frame]]:
    return [(c.parent, c.on_parent), (c.child, c.on_child)]


def _on_link(links: list[RobotLink], number: int, at: Frame) -> Frame:
    """A frame on a body, on its link."""
    return then(back(links[number - 1].in_body), at) if number else at


def _readable(shapes: tuple[Shape, ...], notes: list[Note]) -> tuple[Shape, ...]:
    """Without those whose file cannot be read."""
    found = []
    for shape in shapes:
        try:
            if isinstance(shape, MeshFile):
                shape.triangles  # noqa: B018 - read now
            found.append(shape)
        except ModelError as problem:
            notes.append(Note(f"a mesh is not drawn: {problem}", DRAWING))
    return tuple(found)


def _in_link(m: Mechanism, k: int, notes: list[Note]) -> tuple[MassProperties, tuple[Shape, ...]]:
    """A body in the frame of its joint."""
    body, frame = m.bodies[k], back(m.joints[k].on_child)
    R = frame.rotation
    com, inertia = np.asarray(body.com, dtype=float), np.asarray(body.inertia, dtype=float)
    turned = R @ inertia @ R.T
    matter = MassProperties(float(body.mass), frame.position + R @ com, 0.5 * (turned + turned.T))
    return matter, tuple(replace(s, at=then(frame, s.at)) for s in _readable(body.shapes, notes))


def _row(j: TreeJoint, q: np.ndarray, u: np.ndarray) -> list[RowJoint]:
    """The row of a joint. Hinges and slides begin with the rates of their coordinates, balls and what floats with its speeds."""
    own, speeds = ([x[at] for at in places if at is not None] for x, places in ((q, j.q_at), (u, j.u_at)))
    row, values = ROWS[type(j.joint)](j.joint), dict(zip(j.joint.coordinates, own))
    rates = dict(zip(j.joint.coordinates, np.asarray(j.joint.rates(np.array(own), np.array(speeds)), dtype=float)))
    for one in row:
        one.name = j.name if len(row) == 1 else f"{j.name}_{one.coordinates[0]}"
        one.start = tuple(float(values[c]) for c in one.coordinates)
        one.rate = tuple(float(rates[c]) for c in one.coordinates) if one.single else tuple(map(float, speeds))
        one.armature = float(j.armature)
    return row


def _spread(m: Mechanism, tree: RobotTree) -> None:
    """Springs, dampers, ends and friction to the joints they act in; the rest stays, or is noted."""
    for name, force in m.forces.items():
        if not (isinstance(force, JointSpring) and force.torque is None and _sprung(tree, force)):
            tree.forces[name] = force
    for name, constraint in m.constraints.items():
        if isinstance(constraint, (Coupling, Polynomial)) and all(map(tree.has, _coordinates(constraint))):
            tree.couplings[name] = constraint
        else:
            tree.leave_out("constraint", [name])
    for name, law in m.laws.items():
        if isinstance(law, Stop) and tree.has(law.coordinate):
            low, high = (-np.inf if law.lower is None else law.lower), (np.inf if law.upper is None else law.upper)
            tree.row_joint(law.coordinate).ends = (float(low), float(high))
        elif isinstance(law, JointFriction) and tree.has(law.coordinate) and isinstance(law.force, float) and law.force:
            tree.row_joint(law.coordinate).friction = law.force
        else:
            tree.leave_out("law", [name], AT_LIMITS)
    tree.leave_out("element", [name for name in m.elements if name not in tree.forces])
    tree.leave_out("output", list(m.plan.outputs), MEASURED)
    tree.leave_out("event", list(m.plan.events), MEASURED)


def _coordinates(constraint: Coupling | Polynomial) -> list[str]:
    if isinstance(constraint, Coupling):
        return list(constraint.factors)
    return [*constraint.follower, *constraint.leader]


def _sprung(tree: RobotTree, force: JointSpring) -> bool:
    """Whether a linear spring found its joints."""
    rows = [x.row for x in tree.links if x.joint == force.joint]
    if not rows or any(isinstance(x, Expr) for x in (force.stiffness, force.damping, force.rest)):
        return False
    if force.coordinate is None and len(rows[0]) != 1:
        if force.stiffness or not all(j.single for j in rows[0]):
            return False
        for j in rows[0]:
            j.damping += float(force.damping)
        return True
    found = [j for j in rows[0] if (force.coordinate or "") in j.coordinates] or ([] if force.coordinate else rows[0])
    if not found or (not found[0].single and (force.stiffness or force.coordinate)) or found[0].stiffness:
        return False
    found[0].damping += float(force.damping)
    found[0].stiffness, found[0].rest = float(force.stiffness), float(force.rest)
    return True


def closed_at_zero(tree: RobotTree, loop: LoopJoint) -> bool:
    """Whether a loop is closed where all joints stand at zero."""
    poses = [Frame()]
    for link in tree.links:
        poses.append(then(poses[link.parent], link.at))
    a, b = (then(poses[n], on) for n, on in ((loop.parent, loop.on_parent), (loop.child, loop.on_child)))
    apart = loop.joint.closure(a.rotation.T @ b.rotation, a.rotation.T @ (b.position - a.position))
    return float(np.abs(np.asarray(apart, dtype=float)).max(initial=0.0)) < CLOSED


def rpy_of(R: np.ndarray) -> np.ndarray:
    """Roll, pitch, yaw about fixed axes; upright at ±90° of pitch, where only one of the others counts, yaw is zero."""
    across = float(np.hypot(R[0, 0], R[1, 0]))
    pitch = np.arctan2(-R[2, 0], across)
    if across < UPRIGHT:
        return np.array([np.arctan2(np.copysign(1.0, -R[2, 0]) * R[0, 1], R[1, 1]), pitch, 0.0])
    return np.array([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])])


def at_start(free: RowJoint) -> Frame:
    """Where a floating link stands at the start, from where its joint has it."""
    return Frame(np.array(free.start[4:]), quaternion(free.start[:4]))


def colour_of(shape: Shape) -> np.ndarray | None:
    """Red, green, blue and opacity from 0 to 1."""
    if shape.colour is None:
        return None
    return np.array([*(int(shape.colour[k : k + 2], 16) / FULL for k in (1, 3, 5)), shape.opacity])
