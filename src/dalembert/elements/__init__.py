"""The elements a user can name: motors, controllers, filters, with states of their own. To add one: write its file and add it here."""

from dalembert.elements.controllers.dead_zone import DeadZone
from dalembert.elements.controllers.delay import Delay
from dalembert.elements.controllers.hold import Hold
from dalembert.elements.controllers.integral import Integral
from dalembert.elements.controllers.lead_lag import LeadLag
from dalembert.elements.controllers.low_pass import LowPass
from dalembert.elements.controllers.pid import PID
from dalembert.elements.controllers.rate_limit import RateLimit
from dalembert.elements.controllers.saturation import Saturation
from dalembert.elements.controllers.state_space import StateSpace, TransferFunction
from dalembert.elements.drawn.belt import Belt
from dalembert.elements.drawn.cable import Cable
from dalembert.elements.drawn.muscle import Muscle
from dalembert.elements.driving.dc_motor import DCMotor
from dalembert.elements.driving.hydraulic_cylinder import HydraulicCylinder
from dalembert.elements.driving.imported_fmu import ImportedFmu
from dalembert.elements.driving.reaction_wheel import ReactionWheel
from dalembert.elements.driving.rocket_engine import RocketEngine
from dalembert.elements.driving.thruster import Thruster
from dalembert.elements.element import Element, output
from dalembert.elements.passive.air_drag import AirDrag
from dalembert.elements.passive.box_drag import BoxDrag
from dalembert.elements.passive.bushing import Bushing
from dalembert.elements.passive.dahl import Dahl
from dalembert.elements.passive.lugre import LuGre
from dalembert.elements.passive.pneumatic_spring import PneumaticSpring
from dalembert.elements.passive.wing import Wing
from dalembert.elements.sensors.distance_sensor import DistanceSensor
from dalembert.elements.sensors.encoder import Encoder
from dalembert.elements.sensors.force_sensor import ForceSensor
from dalembert.elements.sensors.imu import IMU
from dalembert.elements.sensors.star_tracker import StarTracker
from dalembert.elements.spacecraft.central_gravity import CentralGravity
from dalembert.elements.spacecraft.control_moment_gyro import ControlMomentGyro
from dalembert.elements.spacecraft.magnetic_torquer import MagneticTorquer
from dalembert.elements.wheels.linear_tyre import LinearTyre
from dalembert.elements.wheels.magic_tyre import MagicTyre

ELEMENTS: tuple[type[Element], ...] = (
    DCMotor, HydraulicCylinder, PneumaticSpring,
    LuGre, Dahl, Bushing, AirDrag, BoxDrag, Wing,
    Belt, Cable, Muscle,
    LinearTyre, MagicTyre,
    ReactionWheel, ControlMomentGyro, MagneticTorquer, CentralGravity, Thruster, RocketEngine,
    Encoder, IMU, ForceSensor, DistanceSensor, StarTracker,
    PID, StateSpace, TransferFunction, LeadLag, LowPass, Integral, Saturation, DeadZone, RateLimit, Delay, Hold,
)  # fmt: skip
"""The elements a model file can name."""

__all__ = [
    "ELEMENTS",
    "IMU",
    "PID",
    "AirDrag",
    "Belt",
    "BoxDrag",
    "Bushing",
    "Cable",
    "CentralGravity",
    "ControlMomentGyro",
    "DCMotor",
    "Dahl",
    "DeadZone",
    "Delay",
    "DistanceSensor",
    "Element",
    "Encoder",
    "ForceSensor",
    "Hold",
    "HydraulicCylinder",
    "ImportedFmu",
    "Integral",
    "LeadLag",
    "LinearTyre",
    "LowPass",
    "LuGre",
    "MagicTyre",
    "MagneticTorquer",
    "Muscle",
    "PneumaticSpring",
    "RateLimit",
    "ReactionWheel",
    "RocketEngine",
    "Saturation",
    "StarTracker",
    "StateSpace",
    "Thruster",
    "TransferFunction",
    "Wing",
    "output",
]  # fmt: skip
