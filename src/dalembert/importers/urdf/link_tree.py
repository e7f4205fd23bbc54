"""The tree of links: who carries whom, and where each link is when every joint stands at zero."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.importers.poses import HERE, then
from dalembert.importers.urdf.urdf_links import origin
from dalembert.importers.xml_node import XmlNode
from dalembert.parts.frames import Frame
from dalembert.parts.names import unknown


@dataclass(frozen=True, eq=False)
class LinkTree:
    """Links by name; for each but the root, the joint that carries it."""

    links: dict[str, XmlNode]
    joint_of: dict[str, XmlNode]
    parent: dict[str, str]
    root: str

    def pose(self, link: str) -> Frame:
        """Pose from the root link, joints at zero."""
        path = []
        while link in self.parent:
            path.append(origin(self.joint_of[link]))
            link = self.parent[link]
        at = HERE
        for step in reversed(path):
            at = then(at, step)
        return at

    def link(self, name: str, node: XmlNode) -> str:
        """The name, if there is such a link."""
        if name not in self.links:
            raise node.error(unknown(name, "link", self.links, "its name"))
        return name


def named(node: XmlNode, *tags: str) -> dict[str, XmlNode]:
    """The children with these tags by name."""
    found: dict[str, XmlNode] = {}
    for child in node.all(*tags):
        name = child.text_of("name")
        if name in found:
            raise child.error(f"the name is used in line {found[name].line} already; give one of them another name")
        found[name] = child
    return found


def link_tree(robot: XmlNode, joints: dict[str, XmlNode]) -> LinkTree:
    """Checked: every joint connects two links, every link but one is carried once, and nothing carries itself."""
    links = named(robot, "link")
    if not links:
        raise robot.error("it has no <link>")
    joint_of: dict[str, XmlNode] = {}
    parent: dict[str, str] = {}
    tree = LinkTree(links, joint_of, parent, "")
    for joint in joints.values():
        ends = [joint.need(side) for side in ("parent", "child")]
        above, below = (tree.link(end.text_of("link"), end) for end in ends)
        if below in joint_of:
            raise joint.error(
                f'link "{below}" is carried by {joint_of[below]} (line {joint_of[below].line}) already; a URDF is a tree: close loops '
                "with <loop_joint>, <drake:ball_constraint> or a <joint> inside <gazebo>"
            )
        joint_of[below], parent[below] = joint, above
    roots = [name for name in links if name not in joint_of]
    _check_no_cycle(tree)
    if len(roots) != 1:
        others = ", ".join(f'"{name}" (line {links[name].line})' for name in roots)
        raise robot.error(f"there must be one link that no joint carries, but there are {len(roots)}: {others}")
    return LinkTree(links, joint_of, parent, roots[0])


def _check_no_cycle(tree: LinkTree) -> None:
    safe: set[str] = set()
    for start in tree.links:
        path: dict[str, None] = {}
        link = start
        while link in tree.parent and link not in safe:
            if link in path:
                cycle = [*list(path)[list(path).index(link) :], link]
                raise tree.joint_of[link].error(f"the links carry each other in a circle: {' ← '.join(cycle)}")
            path[link] = None
            link = tree.parent[link]
        safe.update(path)
