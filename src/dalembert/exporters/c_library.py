"""A mechanism as a C library: a header, a source, a test with reference values, and what CMake needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.exporters.exported_model import ExportedModel
from dalembert.kernels.tree.body_motion import N_MOTION
from dalembert.simulation.march.sampling import sample_clocks
from dalembert.trace.native.c99 import c_module
from dalembert.trace.text.routine import safe_identifiers
from dalembert.version import __version__
from dalembert.view.live.package import watched_gaps

PER_LINE = 6
"""Numbers in a line of a table."""
SAMPLES = 11
"""States in the test program."""
_TIMES = ("t", "t_old", "searched_to", "looked_to", "counted_from")
_OFFERED = (
    "begin",
    "march",
    "slope",
    "changes",
    "samples",
    "close",
    "consistent",
    "constrained_moving",
    "admissible",
    "loop_close",
    "loop_consistent",
    "loop_constrained_moving",
    "loop_admissible",
    "gaps_at",
    "sample",
    "projected",
    "events",
    "mass_matrix",
    "inverse_dynamics",
)

_FURTHER = ("begin", "march", "slope")
"""Those of further programs."""


def template(name: str) -> Template:
    """A template of this package."""
    return Template((files("dalembert.exporters") / "templates" / name).read_text(encoding="utf-8"))


class CLibrary:
    """Texts of the files, made when they are asked for."""

    def __init__(self, model: ExportedModel, name: str):
        self.model, self.name = model, name

    @cached_property
    def header(self) -> str:
        x, m = self.model, self.model.live.mechanism
        program = x.programs[0]
        o, adaptive = x.live.options, x.live.options.method.adaptive
        fields = safe_identifiers(x.parameters)
        how = f", in steps of at most {o.step:g} s" if not adaptive else f", to the relative tolerance {o.rtol:g}"
        return template("model.h.in").substitute(
            self.common,
            first_parameter=f"{next(iter(fields.values()))} = 1.0;" if fields else "... = 1.0;",
            n_q=m.n_q, n_u=m.n_u, n_z=m.n_z, n_p=len(x.parameters), n_outputs=x.shown.layout.size, n_events=len(x.live.events),
            n_bodies=m.n_bodies,
            coordinates=self._enumerated("Q", m.coordinates), speeds=self._enumerated("U", m.speeds),
            states=self._enumerated("Z", m.states), rates=self._piece("rates.h.in", not x.live.stepping),
            changes=self._piece("changes.h.in", x.changes),
            sampled=self._piece("sampled.h.in", bool(self._periods)),
            outputs=self._output_places(),
            parameters="\n".join(f"    double {field}; /**< {_remark(name)} */" for name, field in fields.items())
            or "    double none; /**< there are none */",
            memory=program.layout.size, inputs=program.input_layout.size,
            work=max(max(p.notes["work"], p.scratch) for p in x.programs) + 1,
            start=program.notes["start"]["end"] if "start" in program.notes else 1,
            how=f" with {o.method.name}{how}",
            inverse=self._piece("inverse.h.in", "inverse_dynamics" in self._offered(0)),
        )  # fmt: skip

    @cached_property
    def source(self) -> str:
        x = self.model
        o = x.live.options
        parts = x.programs[0].layout.parts
        events = "events" in self._offered(0)
        return template("model.c.in").substitute(
            self.common,
            code="\n".join(
                c_module(p.module, f"{self.name}_p{k}", self._offered(k), static=True).source
                for k, p in enumerate(x.programs)
            ),
            tables=self._tables(),
            names=self._names(),
            start_time=repr(float(o.start)),
            span=repr(float(o.end - o.start)),
            time_parts=", ".join(str(parts[name].start) for name in _TIMES if name in parts),
            assembly=self._assembly(),
            rows=self._rows(),
            max_steps=min(o.max_steps, 1_000_000),
            projected=self._projected(),
            inverse=self._piece("inverse.c.in", "inverse_dynamics" in self._offered(0)),
            rates=self._piece("rates.c.in", not x.live.stepping),
            changes=self._piece("changes.c.in", x.changes),
            sampled=self._piece("sampled.c.in", bool(self._periods)),
            N_row=max(1, len(x.programs[0].unknowns)),
            violated=self._violated(),
            **self._clocks(),
            event_values=self._event_values() if events else "    (void)values;",
        )  # fmt: skip

    @cached_property
    def test(self) -> str:
        """A program that marches the motion again, and compares it with the states that were reached in Python."""
        motion = self.model.reference
        t, n = np.asarray(motion.t), len(motion)
        chosen = np.unique(np.linspace(0, n - 1, min(n, SAMPLES)).astype(int))
        rows = np.hstack([motion.q, motion.u, motion.z])[chosen]
        return template("test.c.in").substitute(
            self.common,
            n=len(chosen),
            times="\n".join(constant_table("double", "times", t[chosen])),
            rows="\n".join(constant_table("double", "rows", rows)),
        )

    @cached_property
    def cmake(self) -> str:
        return template("CMakeLists.txt.in").substitute(self.common)

    # -- pieces --------------------------------------------------------------------------------------------------------
    @property
    def common(self) -> dict[str, Any]:
        """What every template is filled with."""
        m = self.model.live.mechanism
        return {
            "m": self.name, "M": self.name.upper(), "title": _remark(m.name), "version": __version__,
            "N_q": max(1, m.n_q), "N_u": max(1, m.n_u), "N_y": max(1, m.n_q + m.n_u + m.n_z), "N_z": max(1, m.n_z),
            "N_p": max(1, len(self.model.parameters)), "N_all": max(1, len(m.parameters)),
        }  # fmt: skip

    def _piece(self, name: str, wanted: bool) -> str:
        """A template's text, where it is wanted."""
        return template(name).substitute(self.common) if wanted else ""

    @property
    def _periods(self) -> tuple[float, ...]:
        """Periods of sampled elements."""
        return sample_clocks(self.model.live.mechanism).periods

    def _clocks(self) -> dict[str, str]:
        """What is done about samples where a march begins, and where it goes on from another time."""
        if not self._periods:
            return dict.fromkeys(("clocks", "first_samples", "other_clocks"), "")
        clocks = [
            "    part(s, PART_SAMPLES_FROM)[0] = s->t;",
            "    for (int k = 0; k < CLOCKS; k++) part(s, PART_NEXT_SAMPLE)[k] = s->t;",
            "",
        ]
        first = f"    if (s->status == 0) {self.name}_sample(s);\n"
        other = [
            "    for (int k = 0; k < CLOCKS; k++) { /* between the sample before and the next one all stays */",
            "        double from = part(s, PART_SAMPLES_FROM)[0], next = part(s, PART_NEXT_SAMPLE)[k];",
            "        if (s->t <= next && s->t >= next - periods[k]) continue;",
            "        part(s, PART_SAMPLES)[k] = floor((s->t - from)/periods[k] + 1e-9) + 1.0;",
            "        part(s, PART_NEXT_SAMPLE)[k] = from + part(s, PART_SAMPLES)[k]*periods[k];",
            "    }",
            "",
        ]
        return {"clocks": "\n".join(clocks), "first_samples": first, "other_clocks": "\n".join(other)}

    def _violated(self) -> str:
        """Refuses a start at which something has gone through a law."""
        gaps = watched_gaps(self.model.live, self.model.programs[0])
        if not gaps:
            return ""
        tests = " || ".join(f"s->work[{gap['at']}] < {gap['least']!r}" for gap in gaps)
        return (
            f"    {self.name}_p0_gaps_at(&s->t, part(s, PART_Y), s->inputs, s->work);\n"
            f"    if ({tests}) return s->status = {self.name.upper()}_VIOLATED;\n"
        )

    def _offered(self, k: int) -> list[str]:
        """Functions of a program that the rest calls."""
        module = self.model.programs[k].module
        there = {symbol.removeprefix("k.") for symbol in module.drivers} | {s.name for s in module.blocks}
        wanted = _OFFERED if k == 0 else _FURTHER
        return [name for name in wanted if name in there]

    def _enumerated(self, kind: str, names: Sequence[str]) -> str:
        made = safe_identifiers(names)
        lines = [f"{self.name.upper()}_{kind}_{made[name]} = {i}" for i, name in enumerate(names)]
        return ", ".join(lines) or f"{self.name.upper()}_{kind}_NONE = 0"

    def _output_places(self) -> str:
        x, at = self.model, self.model.shown.layout.parts
        bodies = {f"body {b.name}": at["pose"].start + N_MOTION * k for k, b in enumerate(x.live.mechanism.bodies)}
        energy = {"kinetic energy": at["energy"].start, "potential energy": at["energy"].start + 1}
        more = {name: place.start for name, place in at.items() if name.startswith(("output ", "signal "))}
        reactions = {f"reaction {j}": at["reactions"].start + 6 * k for k, j in enumerate(x.reactions)}
        every = {**bodies, **energy, **more, **reactions}
        made = safe_identifiers(every)
        return ", ".join(f"{self.name.upper()}_AT_{made[name]} = {place}" for name, place in every.items())

    def _tables(self) -> str:
        x, live = self.model, self.model.live
        m, program = live.mechanism, x.programs[0]
        q, u = live.unassembled
        fixed, fixed_speeds = live.fixed
        lines = [
            *constant_table("double", "default_parameters", [*x.parameters.values()]),
            *constant_table("double", "start_q", q),
            *constant_table("double", "start_u", u),
            *constant_table("double", "start_z", live.z),
            *constant_table("int", "start_fixed", _flags(fixed, m.n_u)),
            *constant_table("int", "start_fixed_speeds", _flags(fixed_speeds, m.n_u)),
            *constant_table("double", "start_memory", x.memory),
            *constant_table("double", "start_inputs", x.inputs),
            *constant_table("int", "event_ends", [int(e.terminal) for e in live.events]),
        ]
        places = {f"PART_{name.upper()}": at.start for name, at in program.layout.parts.items()}
        places = {"PART_EVENT_T": 0, "PART_EVENT_Y": 0} | places  # where nothing is watched, nothing is read there
        places |= {f"INPUT_{k}": program.input_layout.parts[name].start for k, name in _INPUTS.items()}
        places |= {"N_SCALES": len(program.scales), "PROGRAMS": len(x.programs)}
        places |= {"UNKNOWNS": m.n_q + m.n_u + m.n_z, "STATES_AT": m.states_at, "CLOCKS": len(self._periods)}
        lines += constant_table("double", "periods", list(self._periods)) if self._periods else []
        lines += ["enum {", *(f"    {name} = {place}," for name, place in places.items() if name in _USED), "};"]
        functions = "\n".join(
            f"    {{{self.name}_p{k}_begin, {self.name}_p{k}_march, {self.name}_p{k}_slope}},"
            for k in range(len(x.programs))
        )
        return "\n".join([*lines, "", _PROGRAMS.replace("@", functions)])

    def _names(self) -> str:
        m, lines = self.model.live.mechanism, []
        events = [e.name for e in self.model.live.events]
        every = {
            "coordinate": m.coordinates,
            "speed": m.speeds,
            "state": m.states,
            "parameter": tuple(self.model.parameters),
        }
        every["event"] = tuple(events)
        for kind, names in every.items():
            listed = ", ".join(_quoted(name) for name in names) or '""'
            lines.append(f"const char *const {self.name}_{kind}_names[] = {{{listed}}};")
        return "\n".join([*lines, ""])

    def _assembly(self) -> str:
        program, m = self.model.programs[0], self.model.live.mechanism
        if "start" not in program.notes:
            return f"static int assemble({self.name} *s)\n{{\n    (void)s;\n    return 0;\n}}\n"
        places, settings = program.notes["start"], self.model.closing
        lines = [
            *constant_table("double", "start_settings", settings["start"]),
            *constant_table("double", "tried", settings["tried"]),
            *constant_table("int", "deforming", _flags(m.deforming, m.n_u)),
            "enum {",
            *(f"    START_{name.upper()} = {places[name]}," for name in ("steps", "free", "speeds_free", "slip")),
            f"    TRIED = {len(settings['tried'])},",
            f"    DEFORMS = {int(bool(m.deforming))}",
            "};",
        ]
        admissible = (
            f"    {self.name}_p0_{program.prefix}admissible(&t, q, u, nothing, parameters_of(s), rates, s->work);"
            if f"{program.prefix}admissible" in self._offered(0)
            else ""
        )
        return "\n".join(
            [
                *lines,
                "",
                template("assembly.c.in").substitute(self.common, admissible=admissible, prefix=program.prefix),
            ]
        )

    def _rows(self) -> str:
        parts = self.model.programs[0].layout.parts
        if "distance" not in parts:
            return f"{_NOTHING.format(head=f'static void look_at_rows({self.name} *s)', result='')}" + _NOTHING.format(
                head=f"static int look_at_start({self.name} *s)", result="    return 0;\n"
            )
        crossing = (
            "    part(s, PART_CROSSING)[0] = part(s, PART_CROSSING_ERROR)[0] = 0.0;" if "crossing" in parts else ""
        )
        return template("rows.c.in").substitute(self.common, crossing=crossing)

    def _projected(self) -> str:
        if "projected" not in self._offered(0):
            return "    (void)t;"
        return f"    {self.name}_p0_projected(&t, y, s->inputs, s->work);"

    def _event_values(self) -> str:
        m = self.model.live.mechanism
        return "\n".join(
            [
                f"    double y[{m.n_q + m.n_u + m.n_z}], t = s->t;",
                "    inputs_changed(s);",
                "    gather(s, y);",
                f"    {self.name}_p0_events(&t, y, values, s->inputs);",
            ]
        )


_INPUTS = {"P": "P", "X": "x", "SCALES": "scales"}
_USED = {
    "PART_T", "PART_Y", "PART_Y_OLD", "PART_END", "PART_DISTANCE", "PART_APPROACH", "PART_CROSSING", "PART_CROSSING_ERROR",
    "PART_EVENT_T", "PART_EVENT_Y", "PART_UNTIL", "PART_NEXT_SAMPLE", "PART_SAMPLES", "PART_SAMPLES_FROM", "UNKNOWNS", "STATES_AT",
    "CLOCKS", "INPUT_P", "INPUT_X", "INPUT_SCALES", "N_SCALES", "PROGRAMS",
}  # fmt: skip
_PROGRAMS = """/* Programs: the same equations with other sets of rows of the constraints. */
static const struct {
    void (*begin)(double *, double *, double *);
    int64_t (*march)(double *, double *, double *, int64_t *, double *, double *, int64_t, int64_t, int64_t);
    void (*slope)(double *, double *, double *, double *, double *);
} programs[] = {
@
};
"""
_NOTHING = "{head}\n{{\n    (void)s;\n{result}}}\n\n"


def _flags(places: Iterable[int], n: int) -> list[int]:
    there = set(places)
    return [int(i in there) for i in range(n)]


def constant_table(kind: str, name: str, values: Any) -> list[str]:
    """A constant array, with one element where there is nothing to hold."""
    array = np.asarray(values, dtype=float if kind == "double" else int)
    rows = array if array.ndim == 2 else array[None]
    shape = "".join(f"[{max(1, n)}]" for n in array.shape)
    written = [_row(_shortened(row.tolist())) for row in rows]
    body = written[0] if array.ndim == 1 else ["    {" + " ".join(x.strip() for x in row) + "}," for row in written]
    return [f"static const {kind} {name}{shape} = {{", *body, "};"]


def _shortened(values: list[Any]) -> list[Any]:
    """Without the zeros at the end, which C fills in."""
    last = max((k for k, x in enumerate(values) if x != 0 or str(x).startswith("-")), default=0)
    return values[: last + 1]


def _row(values: list[Any]) -> list[str]:
    texts = [_number(x) for x in values] or ["0"]
    return ["    " + ", ".join(texts[k : k + PER_LINE]) + "," for k in range(0, len(texts), PER_LINE)]


def _number(x: float) -> str:
    if isinstance(x, int):
        return str(x)
    if np.isfinite(x):
        return repr(x)
    return "NAN" if np.isnan(x) else "INFINITY" if x > 0 else "-INFINITY"


def _remark(text: str) -> str:
    """A text that can stand in a comment."""
    return text.replace("*/", "* /").replace("\n", " ").replace("\\", "/")


def _quoted(text: str) -> str:
    """A C string."""
    return '"' + "".join(c if c.isascii() and c.isprintable() and c not in '"\\?' else _octal(c) for c in text) + '"'


def _octal(c: str) -> str:
    return "".join(f"\\{b:03o}" for b in c.encode())
