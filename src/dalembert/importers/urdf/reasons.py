"""Why parts of a URDF file have no place in a system."""

from __future__ import annotations

from dalembert.importers.imported import AT_LIMITS, DRAWING, MEASURED, Note

_CONTACT = Note("contact between bodies is not represented", AT_LIMITS)
_CLAMPED = Note("speed and effort are unbounded", AT_LIMITS)
_CONTROL = Note("it speaks of controllers, which do not enter the equations of motion", MEASURED)

REASONS = {
    "collision": _CONTACT,
    "contact": _CONTACT,
    "link/": Note("it is not part of what URDF says of links", MEASURED),
    "limit/": _CONTROL,
    "joint/": Note("it is not part of what URDF says of joints", MEASURED),
    "dynamics/": Note("it is not part of what URDF says of the dynamics of joints"),
    "visual/": Note("it is not drawn", DRAWING),
    "self_filter": _CONTACT,
    "collision_checking": _CONTACT,
    "limit": Note(
        "limits of joints other than the ends of their ways, or with laws=False, are not represented",
        AT_LIMITS,
    ),
    "limit.drake:acceleration": _CONTROL,
    "limit.effort": _CLAMPED,
    "limit.velocity": _CLAMPED,
    "safety_controller": _CONTROL,
    "calibration": _CONTROL,
    "transmission": _CONTROL,
    "transmission/": _CONTROL,
    "ros2_control": _CONTROL,
    "type": _CONTROL,
    "hardwareInterface": _CONTROL,
    "mechanicalReduction": _CONTROL,
    "dynamics.friction": Note(
        "dry friction other than in joints of one freedom, or with laws=False, is not represented", AT_LIMITS
    ),
    "gazebo": Note("extensions for Gazebo other than a joint that closes a loop are not represented", MEASURED),
    "drake:linear_bushing_rpy": Note("bushings are not represented; add forces of your own to the system"),
    "drake:collision_filter_group": _CONTACT,
    "texture": Note("textures are not drawn", DRAWING),
    "sensor": Note("sensors are not represented", MEASURED),
    "inertial": Note("the ground needs no mass", DRAWING),
}
