"""Why parts of an MJCF file have no place in a system."""

_CONTACT = "contact between bodies is not represented"
_SOFT = "constraints are exact here, so how soft they are has no meaning"
_LOOK = "it is for drawing in MuJoCo only"
_LIMIT = "limits of joints and tendons are not represented: motion is unbounded"
_CLAMP = "limits of controls and forces are not represented: they act unbounded"
_SOLVER = "settings of MuJoCo's solver have no meaning here"
_MEDIUM = "the air or liquid around the bodies is not represented"

REASONS = {
    "contact": _CONTACT, "geom.contype": _CONTACT, "geom.conaffinity": _CONTACT, "geom.condim": _CONTACT,
    "geom.friction": _CONTACT, "geom.solmix": _CONTACT, "geom.priority": _CONTACT, "geom.margin": _CONTACT,
    "geom.gap": _CONTACT, "geom.solref": _CONTACT, "geom.solimp": _CONTACT, "geom.fluidshape": _MEDIUM,
    ".solref": _SOFT, ".solimp": _SOFT, ".solreflimit": _SOFT, ".solimplimit": _SOFT, ".solreffriction": _SOFT,
    ".solimpfriction": _SOFT, ".torquescale": _SOFT, ".margin": _LIMIT,
    **{f"{kind}.{name}": _LIMIT for kind in ("joint", "fixed", "spatial", "tendon") for name in ("range", "limited")},
    "joint.frictionloss": "dry friction in joints is not represented",
    ".frictionloss": "dry friction is not represented",
    "joint.springdamper": "stiffness and damping from a time constant are not represented; give stiffness= and damping=",
    "joint.actuatorfrcrange": _CLAMP, "joint.actuatorfrclimited": _CLAMP, "joint.group": _LOOK, "freejoint.group": _LOOK,
    ".ctrlrange": _CLAMP, ".ctrllimited": _CLAMP, ".forcerange": _CLAMP, ".forcelimited": _CLAMP, ".inheritrange": _CLAMP,
    ".actlimited": _CLAMP, ".actrange": _CLAMP,
    "camera": _LOOK, "light": _LOOK, "visual": _LOOK, "statistic": _LOOK, "texture": _LOOK, "skin": _LOOK,
    ".rgba": _LOOK, ".material": _LOOK, ".group": _LOOK, ".texture": _LOOK, ".texrepeat": _LOOK, ".texuniform": _LOOK,
    ".specular": _LOOK, ".shininess": _LOOK, ".reflectance": _LOOK, ".emission": _LOOK, ".width": _LOOK,
    "size": "MuJoCo's memory has no meaning here", "sensor": "sensors are not represented; ask the motion for quantities",
    "custom": "user data is not represented", ".user": "user data is not represented",
    "extension": "plugins are not represented", "plugin": "plugins are not represented",
    "deformable": "soft bodies are not represented", "flexcomp": "soft bodies are not represented",
    "composite": "composite bodies are not represented: write their bodies out",
    "replicate": "copies are not represented: write the bodies out", "attach": "attached models are not represented",
    "option.wind": _MEDIUM, "option.density": _MEDIUM, "option.viscosity": _MEDIUM, "option.magnetic": _MEDIUM,
    "flag": "flags other than gravity are not represented",
    "body.sleep": _SOLVER, "geom.size": "planes and height fields are not drawn",
    "compiler.autolimits": _LIMIT, "compiler.fusestatic": "bodies stay as they are",
    "compiler.boundmass": "masses stay as they are given", "compiler.boundinertia": "inertias stay as they are given",
    "compiler.balanceinertia": "inertias stay as they are given", "compiler.settotalmass": "masses stay as they are given",
    **{f"option.{name}": _SOLVER for name in (
        "timestep", "integrator", "solver", "iterations", "tolerance", "cone", "jacobian", "impratio", "apirate", "noslip_iterations",
        "ls_iterations", "ls_tolerance", "noslip_tolerance", "ccd_tolerance", "ccd_iterations", "o_margin", "o_solref", "o_solimp",
        "o_friction", "collision", "mpr_tolerance", "mpr_iterations", "sdf_iterations", "sdf_initpoints",
    )},
}  # fmt: skip
