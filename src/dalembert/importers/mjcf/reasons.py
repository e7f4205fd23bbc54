"""Why parts of an MJCF file have no place in a system."""

from __future__ import annotations

from dalembert.importers.imported import ACCELERATIONS, AT_LIMITS, DRAWING, MEASURED, Note

_CONTACT = Note('contact between bodies is not represented; contacts="all" brings that of primitive forms', AT_LIMITS)
_SOFT = Note(
    "constraints and limits are exact here: time constants with which MuJoCo gives way have no meaning",
    DRAWING,
)
_LOOK = Note("it is for drawing in MuJoCo only", DRAWING)
_LIMIT = Note(
    "limits other than those of hinges, slides and straight or fixed tendons, or with laws=False, are not represented",
    AT_LIMITS,
)
_CLAMP = Note("limits of controls and forces are not represented: they act unbounded", ACCELERATIONS)
_SOLVER = Note("settings of MuJoCo's solver have no meaning here", DRAWING)
_MEDIUM = Note("the air or liquid around the bodies is not represented", ACCELERATIONS)

REASONS = {
    "contact": _CONTACT, "geom.contype": _CONTACT, "geom.conaffinity": _CONTACT, "geom.condim": _CONTACT,
    "geom.friction": _CONTACT, "geom.solmix": _CONTACT, "geom.priority": _CONTACT, "geom.margin": _CONTACT,
    "geom.gap": _CONTACT, "geom.solref": _CONTACT, "geom.solimp": _CONTACT, "geom.fluidshape": _MEDIUM,
    ".solref": _SOFT, ".solimp": _SOFT, ".solreflimit": _SOFT, ".solimplimit": _SOFT, ".solreffriction": _SOFT,
    ".solimpfriction": _SOFT, ".torquescale": _SOFT, ".margin": _LIMIT,
    **{f"{kind}.{name}": _LIMIT for kind in ("joint", "fixed", "spatial", "tendon") for name in ("range", "limited")},
    "joint.frictionloss": Note("dry friction other than in hinges and slides, or with laws=False, is not represented", AT_LIMITS),
    ".frictionloss": Note("dry friction is not represented", AT_LIMITS),
    "joint.springdamper": Note("stiffness and damping from a time constant are not represented; give these", ACCELERATIONS),
    "joint.actuatorfrcrange": _CLAMP, "joint.actuatorfrclimited": _CLAMP, "joint.group": _LOOK, "freejoint.group": _LOOK,
    ".ctrlrange": _CLAMP, ".ctrllimited": _CLAMP, ".forcerange": _CLAMP, ".forcelimited": _CLAMP, ".inheritrange": _CLAMP,
    "adhesion.gain": _CONTACT, "adhesion.ctrlrange": _CONTACT, "adhesion.ctrllimited": _CONTACT, "key.mpos": _LOOK, "key.mquat": _LOOK,
    "mesh.content_type": _LOOK, "material.metallic": _LOOK, "material.roughness": _LOOK, "mesh": _LOOK, "material": _LOOK,
    ".actlimited": _CLAMP, ".actrange": _CLAMP,
    "camera": _LOOK, "light": _LOOK, "visual": _LOOK, "statistic": _LOOK, "texture": _LOOK, "skin": _LOOK,
    ".rgba": _LOOK, ".material": _LOOK, ".group": _LOOK, ".texture": _LOOK, ".texrepeat": _LOOK, ".texuniform": _LOOK,
    ".specular": _LOOK, ".shininess": _LOOK, ".reflectance": _LOOK, ".emission": _LOOK, ".width": _LOOK,
    "size": Note("MuJoCo's memory has no meaning here", DRAWING),
    "sensor": Note("sensors are not represented; ask the motion for quantities", MEASURED),
    "custom": Note("user data is not represented", MEASURED), ".user": Note("user data is not represented", MEASURED),
    "extension": Note("plugins are not represented", ACCELERATIONS), "plugin": Note("plugins are not represented", ACCELERATIONS),
    "deformable": Note("soft bodies are not represented", ACCELERATIONS),
    "flexcomp": Note("soft bodies are not represented", ACCELERATIONS),
    "composite": Note("composite bodies are not represented: write their bodies out", ACCELERATIONS),
    "attach": Note("attached models are not represented", ACCELERATIONS),
    "option.wind": _MEDIUM, "option.density": _MEDIUM, "option.viscosity": _MEDIUM, "option.magnetic": _MEDIUM,
    "flag": Note("flags other than gravity are not represented", ACCELERATIONS),
    **{f"flag.{name}": _SOLVER for name in (
        "warmstart", "refsafe", "island", "multiccd", "nativeccd", "autoreset", "energy", "fwdinv", "invdiscrete", "eulerdamp",
        "override", "sleep", "diagexact",
    )},
    **{f"flag.{name}": _CONTACT for name in ("contact", "filterparent", "midphase")},
    **{f"flag.{name}": _LIMIT for name in ("constraint", "equality", "limit", "frictionloss")},
    "flag.sensor": Note("sensors are not represented", MEASURED), "hfield": _CONTACT, "geom.hfield": _CONTACT,
    ".type": _LOOK, ".fromto": _LOOK, ".size": _LOOK, "compiler.texturedir": _LOOK, "compiler.discardvisual": _LOOK,
    "compiler.usethread": _SOLVER,
    "compiler.strippath": _LOOK, "compiler.alignfree": _SOLVER, "compiler.saveinertial": _SOLVER, "compiler.convexhull": _CONTACT,
    "mesh.maxhullvert": _CONTACT, "mesh.smoothnormal": _LOOK, "body.sleep": _SOLVER,
    "geom.size": Note("planes and height fields are not drawn", DRAWING),
    "compiler.autolimits": _LIMIT, "compiler.fusestatic": Note("bodies stay as they are", DRAWING),
    **{f"option.{name}": _SOLVER for name in (
        "timestep", "integrator", "solver", "iterations", "tolerance", "cone", "jacobian", "impratio", "apirate", "noslip_iterations",
        "ls_iterations", "ls_tolerance", "noslip_tolerance", "ccd_tolerance", "ccd_iterations", "o_margin", "o_solref", "o_solimp",
        "o_friction", "collision", "mpr_tolerance", "mpr_iterations", "sdf_iterations", "sdf_initpoints",
    )},
}  # fmt: skip

_TOUCH = Note("contacts begin here where surfaces touch, and are exact: nothing gives way, nothing bounces", AT_LIMITS)
IN_CONTACT = {
    **{f"geom.{name}": _TOUCH for name in ("margin", "gap", "solref", "solimp", "solmix")},
    **{f"pair.{name}": _TOUCH for name in ("margin", "gap", "solref", "solimp", "solreffriction")},
}
"""Reasons that hold instead where contacts are brought."""
