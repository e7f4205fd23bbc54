"""Why parts of an SDF file have no place in a system."""

from __future__ import annotations

from dalembert.importers.imported import ACCELERATIONS, AT_LIMITS, DRAWING, MEASURED, Note

_CONTACT = Note("contact between bodies is not represented", AT_LIMITS)
_LOOK = Note("it is for drawing in Gazebo only", DRAWING)
_SOLVER = Note("settings of Gazebo's solver have no meaning here", DRAWING)
_MEDIUM = Note("the air or liquid around the bodies is not represented")

REASONS = {
    "pose.relative_to": Note("it is drawn in the axes of its link", DRAWING), "pose.frame": Note("it is in the link's axes", DRAWING),
    "contact": _CONTACT, "surface": _CONTACT, "collision": _CONTACT, "self_collide": _CONTACT,
    "physics": _SOLVER, "ode": _SOLVER, "bullet": _SOLVER, "simbody": _SOLVER,
    "dart": _SOLVER, "sensor": Note("sensors are not represented; ask the motion for quantities", MEASURED),
    "plugin": Note("plugins are not run: what they drive is not driven", MEASURED),
    "gui": _LOOK, "scene": _LOOK, "light": _LOOK, "material": _LOOK, "atmosphere": _MEDIUM, "wind": _MEDIUM,
    "enable_wind": _MEDIUM, "magnetic_field": _MEDIUM, "spherical_coordinates": _LOOK, "audio_source": _LOOK, "audio_sink": _LOOK,
    "cast_shadows": _LOOK, "transparency": _LOOK, "laser_retro": _LOOK, "visibility_flags": _LOOK, "meta": _LOOK, "plane": _LOOK,
    "heightmap": _LOOK, "image": _LOOK, "ambient": _LOOK, "specular": _LOOK, "emissive": _LOOK, "diffuse": _LOOK, "script": _LOOK,
    "projector": _LOOK, "particle_emitter": _LOOK, "battery": Note("batteries are not represented", MEASURED),
    "allow_auto_disable": _SOLVER, "must_be_base_link": _SOLVER, "gripper": Note("grippers are not represented"),
    "velocity_decay": Note("it slows links down by itself in Gazebo, which is not represented"),
    "kinematic": Note("a link moved by hand is not represented: it moves freely"),
    "fluid_added_mass": _MEDIUM, "physics.name": _SOLVER, "state": Note("states of a world are not read", ACCELERATIONS),
    "actor": Note("actors are not represented", DRAWING), "population": Note("populations are not represented"),
    "road": _LOOK, "submesh": Note("all of the mesh is drawn", DRAWING), "convex_decomposition": _LOOK,
    "gazebo": Note("extensions for Gazebo are not represented", MEASURED),
    "initial_position": Note("joints begin at zero", MEASURED), "drake:proximity_properties": _CONTACT,
}  # fmt: skip
