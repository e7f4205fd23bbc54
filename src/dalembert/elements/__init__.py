"""The elements a user can name: motors, controllers, filters, with states of their own. To add one: write its file and add it here."""

from dalembert.elements.air_drag import AirDrag
from dalembert.elements.bushing import Bushing
from dalembert.elements.dahl import Dahl
from dalembert.elements.dc_motor import DCMotor
from dalembert.elements.dead_zone import DeadZone
from dalembert.elements.delay import Delay
from dalembert.elements.element import Element, output
from dalembert.elements.hold import Hold
from dalembert.elements.hydraulic_cylinder import HydraulicCylinder
from dalembert.elements.integral import Integral
from dalembert.elements.lead_lag import LeadLag
from dalembert.elements.low_pass import LowPass
from dalembert.elements.lugre import LuGre
from dalembert.elements.pid import PID
from dalembert.elements.rate_limit import RateLimit
from dalembert.elements.reaction_wheel import ReactionWheel
from dalembert.elements.rocket_engine import RocketEngine
from dalembert.elements.saturation import Saturation
from dalembert.elements.state_space import StateSpace, TransferFunction
from dalembert.elements.thruster import Thruster

ELEMENTS: tuple[type[Element], ...] = (
    DCMotor, ReactionWheel, HydraulicCylinder, LuGre, Dahl, Bushing, Thruster, RocketEngine, AirDrag, PID, StateSpace,
    TransferFunction, LeadLag, LowPass, Integral, Saturation, DeadZone, RateLimit, Delay, Hold,
)  # fmt: skip
"""The elements a model file can name."""

__all__ = [
    "ELEMENTS",
    "PID",
    "AirDrag",
    "Bushing",
    "DCMotor",
    "Dahl",
    "DeadZone",
    "Delay",
    "Element",
    "Hold",
    "HydraulicCylinder",
    "Integral",
    "LeadLag",
    "LowPass",
    "LuGre",
    "RateLimit",
    "ReactionWheel",
    "RocketEngine",
    "Saturation",
    "StateSpace",
    "Thruster",
    "TransferFunction",
    "output",
]  # fmt: skip
