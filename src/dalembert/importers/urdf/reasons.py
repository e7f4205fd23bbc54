"""Why parts of a URDF file have no place in a system."""

_CONTACT = "contact between bodies is not represented"
_CONTROL = "it speaks of controllers and limits, which do not enter the equations of motion"

REASONS = {
    "collision": _CONTACT,
    "limit": "limits of joints are not represented: motion, speed and effort are unbounded",
    "limit.drake:acceleration": _CONTROL,
    "safety_controller": _CONTROL,
    "calibration": _CONTROL,
    "transmission": _CONTROL,
    "type": _CONTROL,
    "hardwareInterface": _CONTROL,
    "mechanicalReduction": _CONTROL,
    "dynamics.friction": "dry friction in joints is not represented",
    "gazebo": "extensions for Gazebo other than a joint that closes a loop are not represented",
    "drake:linear_bushing_rpy": "bushings are not represented; add forces of your own to the system",
    "drake:collision_filter_group": _CONTACT,
    "texture": "textures are not drawn",
    "sensor": "sensors are not represented",
    "inertial": "the ground needs no mass",
}
