"""dalembert: equations of motion of multibody systems, by every classical method, compiled and solved."""

from dalembert.errors import (
    DalembertError,
    FormulationError,
    LoopError,
    ModelError,
    MotionFileError,
    SimulationError,
    StateError,
    TraceError,
)  # fmt: skip
from dalembert.files import load_motion
from dalembert.mechanism import Mechanism
from dalembert.simulation.events import Event
from dalembert.system import Frame, MassProperties, System, box, cylinder, particle, rod, sphere
from dalembert.system.constraints import (
    Constraint,
    Coupling,
    Distance,
    Drive,
    KnifeEdge,
    OnLine,
    OnPlane,
    Relation,
    RollingBall,
    RollingDisc,
)  # fmt: skip
from dalembert.system.forces import BodyLoad, Force, JointLoad, JointSpring, Load, Motor, Point, Spring
from dalembert.system.joints import (
    Cylindrical,
    Free,
    General,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
    Weld,
)  # fmt: skip
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
from dalembert.vectors import turn

__version__ = "0.1.0"

__all__ = [
    "BodyLoad", "Constraint", "Coupling", "Cylindrical", "DalembertError", "Distance", "Drive", "Event", "Force",
    "FormulationError", "Frame", "Free", "General", "Joint", "JointLoad", "JointSpring", "KnifeEdge", "Load",
    "LoopError", "MassProperties", "Mechanism", "ModelError", "MotionFileError", "Motor", "OnLine", "OnPlane",
    "Planar", "Point", "Prismatic", "Relation", "Revolute", "RollingBall", "RollingDisc", "Screw", "SimulationError",
    "Spherical", "Spring", "StateError", "System", "Table", "TraceError", "Universal", "Weld", "acos", "asin", "atan",
    "atan2", "box", "cos", "cosh", "cylinder", "exp", "load_motion", "log", "maximum", "minimum", "particle", "rod",
    "select", "sign", "sin", "sinh", "sphere", "sqrt", "tan", "tanh", "turn",
]  # fmt: skip
