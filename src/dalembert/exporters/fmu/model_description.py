"""modelDescription.xml of an FMU: its variables, what it can do, and which of them depend on which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as xml

from dalembert.exporters.exported_model import UNITS, ExportedModel, Variable
from dalembert.version import __version__

_CAPABLE = ("canGetAndSetFMUState", "canSerializeFMUState")
_SPELLED_2 = {n: n.replace("FMUState", "FMUstate") for n in _CAPABLE} | {
    "providesDirectionalDerivatives": "providesDirectionalDerivative"
}
"""What FMI 2.0 calls them."""


@dataclass(frozen=True)
class ModelDescription:
    """The file of one version of FMI."""

    model: ExportedModel
    identifier: str
    token: str
    """What tells this model from all others: GUID or instantiation token."""
    sources: Sequence[str]

    @property
    def references(self) -> dict[str, int]:
        """Value references by name; 0 is time."""
        return {v.name: 1 + k for k, v in enumerate(self.model.variables)}

    def of_kind(self, *kinds: str) -> list[Variable]:
        return [v for v in self.model.variables if v.kind in kinds]

    def text(self, version: str) -> bytes:
        """The whole file."""
        made = self._version_2() if version == "2.0" else self._version_3()
        xml.indent(made)
        return xml.tostring(made, encoding="utf-8", xml_declaration=True)

    # -- both ----------------------------------------------------------------------------------------------------------
    def _root(self, version: str, token: str) -> xml.Element:
        m = self.model
        about = {
            "fmiVersion": version, "modelName": m.name, "generationTool": f"dalembert {__version__}",
            "description": f"Equations of motion of the mechanism {m.name}", "variableNamingConvention": "flat", token: self.token,
        }  # fmt: skip
        return xml.Element("fmiModelDescription", about)

    def _interfaces(self, root: xml.Element, spelling: dict[str, str]) -> Iterator[xml.Element]:
        able = {"modelIdentifier": self.identifier} | {spelling.get(name, name): "true" for name in _CAPABLE}
        if not self.model.live.stepping:
            derivatives = spelling.get("providesDirectionalDerivatives", "providesDirectionalDerivatives")
            more = {derivatives: "true"} if self.model.changes else {}
            yield xml.SubElement(root, "ModelExchange", able | more)
        yield xml.SubElement(root, "CoSimulation", {**able, "canHandleVariableCommunicationStepSize": "true"})

    def _units(self, root: xml.Element) -> None:
        units = xml.SubElement(root, "UnitDefinitions")
        for name in sorted({v.unit for v in self.model.variables if v.unit}):
            unit = xml.SubElement(units, "Unit", name=name)
            xml.SubElement(unit, "BaseUnit", {base: str(n) for base, n in UNITS[name].items()})

    def _experiment(self, root: xml.Element) -> None:
        o = self.model.live.options
        xml.SubElement(
            root,
            "DefaultExperiment",
            startTime=repr(float(o.start)),
            stopTime=repr(float(o.end)),
            tolerance=repr(float(o.rtol)),
        )

    def _attributes(self, v: Variable) -> dict[str, str]:
        """Causality, variability and initial value, alike in both versions."""
        common = {"name": v.name, **({"description": v.about} if v.about else {})}
        roles = {
            "state": {"causality": "output", "variability": "continuous", "initial": "approx"},
            "derivative": {"causality": "local", "variability": "continuous", "initial": "calculated"},
            "input": {"causality": "input", "variability": "continuous"},
            "parameter": {"causality": "parameter", "variability": "tunable", "initial": "exact"},
            "output": {"causality": "output", "variability": "continuous", "initial": "calculated"},
            "indicator": {"causality": "local", "variability": "continuous", "initial": "calculated"},
        }
        return common | roles[v.kind]

    def _value(self, v: Variable) -> dict[str, str]:
        """Unit, bounds and start."""
        made = {"unit": v.unit} if v.unit else {}
        low, high = v.range
        made |= {"min": repr(float(low))} if low is not None else {}
        made |= {"max": repr(float(high))} if high is not None else {}
        return made | ({"start": repr(v.start)} if v.kind in ("state", "input", "parameter") else {})

    # -- FMI 2.0 -------------------------------------------------------------------------------------------------------
    def _version_2(self) -> xml.Element:
        root = self._root("2.0", "guid")
        indicators = self.of_kind("indicator")
        root.set("numberOfEventIndicators", str(len(indicators)))
        for interface in self._interfaces(root, _SPELLED_2):
            files = xml.SubElement(interface, "SourceFiles")
            for name in self.sources:
                xml.SubElement(files, "File", name=name)
        self._units(root)
        self._experiment(root)
        variables = xml.SubElement(root, "ModelVariables")
        every = [v for v in self.model.variables if v.kind != "indicator"]
        index = {v.name: 1 + k for k, v in enumerate(every)}
        states = self.of_kind("state")
        for v in every:
            about = {"valueReference": str(self.references[v.name]), **self._attributes(v)}
            one = xml.SubElement(variables, "ScalarVariable", about)
            rate = {} if v.derivative_of is None else {"derivative": str(index[states[v.derivative_of].name])}
            xml.SubElement(one, "Real", {**self._value(v), **rate})
        structure = xml.SubElement(root, "ModelStructure")
        groups = {
            "Outputs": self.of_kind("state", "output"),
            "Derivatives": self.of_kind("derivative"),
            "InitialUnknowns": self.of_kind("state", "derivative", "output"),
        }
        for name, members in ((name, members) for name, members in groups.items() if members):
            group = xml.SubElement(structure, name)
            for k in sorted(index[v.name] for v in members):
                xml.SubElement(group, "Unknown", index=str(k))
        return root

    # -- FMI 3.0 -------------------------------------------------------------------------------------------------------
    def _version_3(self) -> xml.Element:
        root = self._root("3.0", "instantiationToken")
        for interface in self._interfaces(root, {}):
            if interface.tag == "ModelExchange":
                interface.set("needsCompletedIntegratorStep", "true")
        self._units(root)
        self._experiment(root)
        variables = xml.SubElement(root, "ModelVariables")
        xml.SubElement(
            variables, "Float64", name="time", valueReference="0", causality="independent", variability="continuous"
        )
        states = self.of_kind("state")
        for v in self.model.variables:
            rate = {} if v.derivative_of is None else {"derivative": str(self.references[states[v.derivative_of].name])}
            xml.SubElement(
                variables,
                "Float64",
                {**self._attributes(v), "valueReference": str(self.references[v.name]), **self._value(v), **rate},
            )
        structure = xml.SubElement(root, "ModelStructure")
        groups = [
            ("Output", self.of_kind("state", "output")),
            ("ContinuousStateDerivative", self.of_kind("derivative")),
            ("InitialUnknown", self.of_kind("state", "derivative", "output")),
            ("EventIndicator", self.of_kind("indicator")),
        ]
        for name, members in groups:
            for v in members:
                xml.SubElement(structure, name, valueReference=str(self.references[v.name]))
        return root


def build_description(identifier: str, sources: Sequence[str]) -> bytes:
    """buildDescription.xml of FMI 3.0: how the sources are compiled."""
    root = xml.Element("fmiBuildDescription", fmiVersion="3.0")
    build = xml.SubElement(root, "BuildConfiguration", modelIdentifier=identifier)
    files = xml.SubElement(build, "SourceFileSet", language="C99")
    for name in sources:
        xml.SubElement(files, "SourceFile", name=name)
    xml.indent(root)
    return xml.tostring(root, encoding="utf-8", xml_declaration=True)
