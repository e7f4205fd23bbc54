"""Models that an SDF file includes, from folders beside it: model://name, or a place relative to the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.importers import xml
from dalembert.importers.folder import Folder
from dalembert.importers.sdf.sdf_values import word
from dalembert.importers.xml_node import XmlNode

MOST_INCLUDES = 200
DEEPEST = 20
"""Files that include each other."""


def version(root: XmlNode) -> tuple[int, int]:
    """Major and minor number of <sdf version="1.7">."""
    said = root.get("version") or "1.7"
    parts = said.split(".")
    if len(parts) != 2 or not all(x.isdigit() and x.isascii() for x in parts):
        raise root.error(f'version="{said}" must be two numbers, such as 1.7')
    return int(parts[0]), int(parts[1])


@dataclass(eq=False)
class SdfFiles:
    """What may be read."""

    folder: Folder
    count: int = 0
    elements: int = 0
    read: dict[Path, XmlNode] = field(default_factory=dict)

    def included(self, node: XmlNode, start: Path, depth: int) -> tuple[XmlNode, Path, tuple[int, int]]:
        """The model that <include> names, the folder of its file, and the version it is written in."""
        if depth > DEEPEST:
            raise node.error(f"files include each other more than {DEEPEST} deep")
        uri = word(node, "uri")
        if not uri:
            raise node.error("it needs a <uri>")
        file: Path = node.checked(self._file, uri, start)
        self.count += 1
        root = node.checked(xml.read, file)
        self.elements += root.count
        if self.count > MOST_INCLUDES or self.elements > xml.MOST:
            raise node.error(f"more than {MOST_INCLUDES} files or {xml.MOST} elements are included")
        if root.tag != "sdf":
            raise root.error("an included file begins with <sdf>; files of other formats are not included")
        models = list(root.all("model"))
        if len(models) != 1:
            raise root.error(f"an included file holds one <model>, not {len(models)}")
        root.used = True
        return models[0], file.parent, version(root)

    def _file(self, uri: str, start: Path) -> Path:
        """The file itself, or that which the folder's model.config names, of the newest version."""
        if uri.lower().endswith((".sdf", ".xml")):
            return self.folder.of_package(uri, start)
        try:
            config = self.folder.of_package(f"{uri}/model.config", start)
        except ModelError:
            return self.folder.of_package(f"{uri}/model.sdf", start)
        named = [x for x in xml.read(config).children if x.tag == "sdf"]
        if not named:
            raise ModelError(f"{config.name} names no <sdf> file")
        newest = max(named, key=version)
        return self.folder.inside(newest.text.strip(), config.parent)
