"""The tree of links: who carries whom, and where each link is when every joint stands at zero."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.importers.node import Node
from dalembert.importers.rotations import HERE, then
from dalembert.importers.urdf.links import origin
from dalembert.parts.frames import Frame
from dalembert.parts.names import unknown


@dataclass(frozen=True, eq=False)
class LinkTree:
    """Links by name; for each but the root, the joint that carries it."""

    links: dict[str, Node]
    carrier: dict[str, Node]
    parent: dict[str, str]
    root: str

    def pose(self, link: str) -> Frame:
        """From the root link, joints at zero."""
        path = []
        while link in self.parent:
            path.append(origin(self.carrier[link]))
            link = self.parent[link]
        at = HERE
        for step in reversed(path):
            at = then(at, step)
        return at

    def link(self, name: str, node: Node) -> str:
        """The name, if there is such a link."""
        if name not in self.links:
            raise node.error(unknown(name, "link", self.links, "its name"))
        return name


def named(node: Node, *tags: str) -> dict[str, Node]:
    """The children with these tags by name."""
    found: dict[str, Node] = {}
    for child in node.all(*tags):
        name = child.text_of("name")
        if name in found:
            raise child.error(f"the name is used in line {found[name].line} already; give one of them another name")
        found[name] = child
    return found


def link_tree(robot: Node, joints: dict[str, Node]) -> LinkTree:
    """Checked: every joint connects two links, every link but one is carried once, and nothing carries itself."""
    links = named(robot, "link")
    if not links:
        raise robot.error("it has no <link>")
    carrier: dict[str, Node] = {}
    parent: dict[str, str] = {}
    tree = LinkTree(links, carrier, parent, "")
    for joint in joints.values():
        ends = [joint.need(side) for side in ("parent", "child")]
        above, below = (tree.link(end.text_of("link"), end) for end in ends)
        if below in carrier:
            raise joint.error(
                f'link "{below}" is carried by {carrier[below]} (line {carrier[below].line}) already; a URDF is a tree: close loops '
                "with <loop_joint>, <drake:ball_constraint> or a <joint> inside <gazebo>"
            )
        carrier[below], parent[below] = joint, above
    roots = [name for name in links if name not in carrier]
    _check_no_cycle(tree)
    if len(roots) != 1:
        others = ", ".join(f'"{name}" (line {links[name].line})' for name in roots)
        raise robot.error(f"there must be one link that no joint carries, but there are {len(roots)}: {others}")
    return LinkTree(links, carrier, parent, roots[0])


def _check_no_cycle(tree: LinkTree) -> None:
    safe: set[str] = set()
    for start in tree.links:
        path: dict[str, None] = {}
        link = start
        while link in tree.parent and link not in safe:
            if link in path:
                cycle = [*list(path)[list(path).index(link) :], link]
                raise tree.carrier[link].error(f"the links carry each other in a circle: {' ← '.join(cycle)}")
            path[link] = None
            link = tree.parent[link]
        safe.update(path)
