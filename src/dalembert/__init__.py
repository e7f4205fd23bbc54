"""dalembert: equations of motion of multibody systems, by every classical method, compiled and solved."""

from typing import TYPE_CHECKING, Any

from dalembert import elastic
from dalembert.elastic.body import ElasticBody
from dalembert.elements import DCMotor, Element, Integral, LowPass, output
from dalembert.errors import (
    ArgumentError,
    AssemblyWarning,
    BendingWarning,
    DalembertError,
    DriveError,
    EquilibriumError,
    FileError,
    FileWarning,
    ForceError,
    FormulationError,
    LoopError,
    ModelError,
    ModelFileError,
    MotionFileError,
    PathError,
    SimulationError,
    SimulationWarning,
    SlowForceWarning,
    SpinWarning,
    StateError,
    StiffnessWarning,
    TraceError,
    UnsteadyWarning,
)  # fmt: skip
from dalembert.files import load, load_motion
from dalembert.importers import load_mjcf, load_robot, load_urdf
from dalembert.laws import (
    Backlash,
    Brake,
    Clutch,
    Contact,
    Friction,
    JointFriction,
    Latch,
    Law,
    Limit,
    OneWay,
    Rope,
    Stop,
)  # fmt: skip
from dalembert.mechanism import Mechanism
from dalembert.mechanism.formulation_settings import GaussPenalty
from dalembert.mechanism.simulation_options import Baumgarte, SimulationOptions
from dalembert.parts import Frame, MassProperties, box, cylinder, outputs, particle, rod, shapes, sphere
from dalembert.parts.actions import Action, Impulse, JointImpulse, SetParameter, Switch
from dalembert.parts.constraints import (
    Constraint,
    Coupling,
    Distance,
    Drive,
    KnifeEdge,
    OnLine,
    OnPlane,
    Polynomial,
    Relation,
    RollingBall,
    RollingDisc,
)  # fmt: skip
from dalembert.parts.events import Event
from dalembert.parts.forces import BodyLoad, Force, JointLoad, JointSpring, Load, Motor, Point, Spring, Tendon
from dalembert.parts.joints import (
    CurvedSlide,
    Cylindrical,
    Free,
    General,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Translation,
    Universal,
    Weld,
)  # fmt: skip
from dalembert.parts.rotation_matrices import turn
from dalembert.system import System
from dalembert.trace import (
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    exp,
    log,
    maximum,
    minimum,
    select,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)  # fmt: skip
from dalembert.trace.table import Table
from dalembert.version import __version__ as __version__

if TYPE_CHECKING:
    from dalembert.elastic import beam
    from dalembert.kinematics.state import State
    from dalembert.motion.motion import Motion

__all__ = [
    "Action",
    "ArgumentError",
    "AssemblyWarning",
    "Backlash",
    "Baumgarte",
    "BendingWarning",
    "BodyLoad",
    "Brake",
    "Clutch",
    "Constraint",
    "Contact",
    "Coupling",
    "CurvedSlide",
    "Cylindrical",
    "DCMotor",
    "DalembertError",
    "Distance",
    "Drive",
    "DriveError",
    "ElasticBody",
    "Element",
    "EquilibriumError",
    "Event",
    "FileError",
    "FileWarning",
    "Force",
    "ForceError",
    "FormulationError",
    "Frame",
    "Free",
    "Friction",
    "GaussPenalty",
    "General",
    "Impulse",
    "Integral",
    "Joint",
    "JointFriction",
    "JointImpulse",
    "JointLoad",
    "JointSpring",
    "KnifeEdge",
    "Latch",
    "Law",
    "Limit",
    "Load",
    "LoopError",
    "LowPass",
    "MassProperties",
    "Mechanism",
    "ModelError",
    "ModelFileError",
    "Motion",
    "MotionFileError",
    "Motor",
    "OnLine",
    "OnPlane",
    "OneWay",
    "PathError",
    "Planar",
    "Point",
    "Polynomial",
    "Prismatic",
    "Relation",
    "Revolute",
    "RollingBall",
    "RollingDisc",
    "Rope",
    "Screw",
    "SetParameter",
    "SimulationError",
    "SimulationOptions",
    "SimulationWarning",
    "SlowForceWarning",
    "Spherical",
    "SpinWarning",
    "Spring",
    "State",
    "StateError",
    "StiffnessWarning",
    "Stop",
    "Switch",
    "System",
    "Table",
    "Tendon",
    "TraceError",
    "Translation",
    "Universal",
    "UnsteadyWarning",
    "Weld",
    "acos",
    "asin",
    "atan",
    "atan2",
    "beam",
    "box",
    "cos",
    "cosh",
    "cylinder",
    "exp",
    "load",
    "load_mjcf",
    "load_motion",
    "load_robot",
    "load_urdf",
    "log",
    "maximum",
    "minimum",
    "output",
    "outputs",
    "particle",
    "rod",
    "select",
    "shapes",
    "sign",
    "sin",
    "sinh",
    "sphere",
    "sqrt",
    "tan",
    "tanh",
    "turn",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """What brings much with it, finite elements or compiled code, comes when it is asked for."""
    if name == "beam":
        return elastic.beam
    if name == "Motion":
        from dalembert.motion.motion import Motion

        return Motion
    if name == "State":
        from dalembert.kinematics.state import State

        return State
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
