"""The FMU itself: one zip file with description, binaries, sources and documentation."""

from __future__ import annotations

import hashlib
import html
import io
import zipfile
from collections.abc import Sequence
from typing import Any

from dalembert.errors import ArgumentError
from dalembert.exporters.c_library import CLibrary, constant_table, template
from dalembert.exporters.fmu.compile_c import Platform, shared_library
from dalembert.exporters.fmu.model_description import ModelDescription, build_description
from dalembert.view.live.sliders import coordinate_speed_pairs

VERSIONS = ("2.0", "3.0")
"""Versions of FMI that can be written."""


class Fmu:
    """Files of the FMU of one library."""

    def __init__(self, library: CLibrary, version: str):
        if version not in VERSIONS:
            raise ArgumentError(f'export: FMI version "{version}" is not known; choose {" or ".join(VERSIONS)}')
        self.library, self.version = library, version
        self.model, self.name = library.model, library.name
        self.token = self._token()

    def archive(self, platforms: Sequence[Platform]) -> bytes:
        """The zip file. Its bytes depend on nothing but the model and the compiler."""
        sources = self.sources
        units = [name for name in sources if name.endswith(".c")]
        description = ModelDescription(self.model, self.name, self.token, units)
        files: dict[str, bytes] = {"modelDescription.xml": description.text(self.version)}
        for p in platforms:
            folder = p.fmi2 if self.version == "2.0" else p.fmi3
            files[f"binaries/{folder}/{self.name}{p.ending}"] = shared_library(sources, self.name, p)
        files |= {f"sources/{name}": text.encode() for name, text in sources.items()}
        if self.version == "3.0":
            files["sources/buildDescription.xml"] = build_description(self.name, units)
        files["documentation/index.html"] = self._documentation().encode()
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as zipped:
            for name, content in files.items():
                zipped.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
        return made.getvalue()

    @property
    def sources(self) -> dict[str, str]:
        """C files by name."""
        fmi = f"fmi{self.version[0]}.c"
        return {
            f"{self.name}.h": self.library.header,
            f"{self.name}.c": self.library.source,
            "fmu.h": template("fmu.h.in").substitute(self._values),
            fmi: template(f"{fmi}.in").substitute(self._values),
        }

    def _token(self) -> str:
        """A name of the model's content: two FMUs of one token are the same."""
        text = "\n".join([self.version, self.library.header, self.library.source, repr(self.model.variables)])
        h = hashlib.sha256(text.encode()).hexdigest()
        return f"{{{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:32]}}}"

    @property
    def _values(self) -> dict[str, Any]:
        m, x = self.model.live.mechanism, self.model
        outputs = [v.place for v in x.variables if v.kind == "output"]
        speeds = dict(coordinate_speed_pairs(m))
        events = x.live.events
        return self.library.common | {
            "guid": self.token, "n": m.n_q + m.n_u + m.n_z, "n_u": m.n_u, "n_p": len(x.parameters),
            "n_derivatives": sum(v.kind == "derivative" for v in x.variables), "n_events": len(events),
            "n_values": len(outputs), "n_outputs": x.shown.layout.size,
            "N_out": max(1, x.shown.layout.size), "N_events": max(1, len(events)),
            "rates": self._rates, "directional": self._directional, "samples": self._samples, "next": self._next,
            "output_places": _table("output_places", outputs),
            "fixed_by": _table("fixed_by", [speeds.get(i, -1) for i in range(m.n_q)]),
            "event_ends": _table("event_ends", [int(e.terminal) for e in events])
            + "\n" + _table("event_ways", [int(e.direction) for e in events]),
        }  # fmt: skip

    @property
    def _rates(self) -> str:
        """What computes the rates of the states."""
        M, m = self.name.upper(), self.name
        if self.model.live.stepping:
            return "    (void)c;\n    return 1;"
        places = f"c->rates, c->rates + {M}_COORDINATES, c->rates + {M}_COORDINATES + {M}_SPEEDS"
        return "\n".join(
            [
                "    if (begun(c)) return c->s.status;",
                f"    if (!c->rates_known && {m}_rates(&c->s, {places})) return c->s.status;",
                "    c->rates_known = 1;",
                "    return 0;",
            ]
        )

    @property
    def _directional(self) -> str:
        """Derivatives along directions, where there are any."""
        if self.model.changes:
            return template("directional.c.in").substitute(
                self.library.common, N_out=max(1, self.model.shown.layout.size)
            )
        given = ("c", "unknowns", "n", "knowns", "n_known", "seed", "found")
        return "\n".join(
            [*(f"    (void){x};" for x in given), '    return "this FMU does not offer directional derivatives";']
        )

    @property
    def _sampled(self) -> bool:
        return any(p.element.period is not None for p in self.model.live.mechanism.elements.values())

    @property
    def _samples(self) -> str:
        return f"return {self.name}_sample(&c->s);" if self._sampled else "(void)c;\n    return 0;"

    @property
    def _next(self) -> str:
        return f"return {self.name}_next_sample(&c->s);" if self._sampled else "(void)c;\n    return 1e300;"

    def _documentation(self) -> str:
        m, rows = self.model.live.mechanism, []
        for v in self.model.variables:
            cells = (
                v.name,
                v.kind,
                v.unit,
                f"{v.start:g}" if v.kind in ("state", "input", "parameter") else "",
                v.about,
            )
            rows.append("<tr>" + "".join(f"<td>{html.escape(x)}</td>" for x in cells) + "</tr>")
        title = html.escape(m.name)
        return "\n".join(
            [
                f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><body>',
                f"<h1>{title}</h1>",
                f"<p>{m.n_bodies} bodies, {m.n_q} coordinates, {m.n_u} speeds, {len(m.cuts)} joints that close loops. "
                "Co-simulation marches with the integrator that the model was exported with, loops projected; in model exchange the "
                "states are put back onto the loops after a step where they have drifted off. Parameters are tunable: lengths that "
                "change have the loops closed anew.</p>",
                "<table><tr><th>variable</th><th>kind</th><th>unit</th><th>start</th><th>what it is</th></tr>",
                *rows,
                "</table></body></html>",
                "",
            ]
        )


def _table(name: str, values: Sequence[int]) -> str:
    return "\n".join(constant_table("int", name, values))
