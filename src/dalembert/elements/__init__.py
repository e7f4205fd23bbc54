"""The elements a user can name: motors, controllers, filters, with states of their own. To add one: write its file and add it here."""

from dalembert.elements.dc_motor import DCMotor
from dalembert.elements.element import Element, output
from dalembert.elements.integral import Integral
from dalembert.elements.low_pass import LowPass

ELEMENTS: tuple[type[Element], ...] = (DCMotor, LowPass, Integral)
"""The elements a model file can name."""

__all__ = ["ELEMENTS", "DCMotor", "Element", "Integral", "LowPass", "output"]
