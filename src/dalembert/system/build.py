"""Building the numbered mechanism from what the user said, with every mistake named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from dalembert.elastic.loaded import warn_of_stiffness
from dalembert.elastic.placing import on_nodes, with_modes
from dalembert.errors import ModelError, SimulationError
from dalembert.mechanism import CutJoint, Mechanism, TreeJoint, places_from
from dalembert.mechanism.simulation_options import Plan, SimulationOptions
from dalembert.parts.bodies import Body, MassProperties, check_mass_properties
from dalembert.parts.joints import Joint
from dalembert.parts.joints.curve import ALONG
from dalembert.parts.names import unknown
from dalembert.parts.prescribed import TIME
from dalembert.system.build_elements import (
    check_elements,
    first_states,
    placed_elements,
    states_said,
    without_states,
)  # fmt: skip
from dalembert.system.chosen_variables import changed
from dalembert.system.steady_geometry import check_geometry
from dalembert.system.system import GROUND, JointPlacement, System
from dalembert.topology import Arc, Graph, SpanningTree, TopologyError, loops, spanning_tree
from dalembert.trace import free_symbols, symbol
from dalembert.trace.bind import NoValueError, bind, expressions_in
from dalembert.trace.native.target import target_of


def build(system: System, cut: tuple[str, ...], target: str | None = None) -> Mechanism:
    """Check, number, cut."""
    if target is not None:
        target_of(target)
    check_names(system, cut)
    check_numbers(system)
    elements = placed_elements(system)
    tree = number_bodies(system, cut)
    placements = [on_nodes(p, system.bodies) for p in system.joints.values()]
    for placement in placements:
        warn_of_stiffness(placement, system.bodies)
    bodies = list(system.bodies.values())
    joints, n_q, n_u = [], 0, 0
    for arc, turned, i in zip(tree.arc, tree.reversed, tree.order):
        made, n_q, n_u = _tree_joint(placements[arc], turned, bodies[i - 1], n_q, n_u)
        joints.append(made)
    number_of = {GROUND: 0, **{name: tree.label_of[i] for i, name in enumerate(system.bodies, start=1)}}
    cuts = tuple(_cut_joint(placements[arc], number_of) for arc in tree.cuts)
    m = Mechanism(
        system.name,
        system.gravity,
        tuple(bodies[i - 1] for i in tree.order),
        tuple(joints),
        cuts,
        {**system.forces, **{name: x for name, x in elements.items() if x.element.exerts}},
        dict(system.constraints),
        {**system.parameters, **first_states(system, elements)},
        tree,
        system.ground_shapes,
        plan(system),
        system.purpose,
        target,
        dict(system.laws),
        elements,
    )
    check_motion_is_determined(m)
    check_elements(m)
    check_geometry(m)
    return changed(m, system)


def plan(system: System) -> Plan:
    """What the description says about simulating it."""
    names = [f.name for f in fields(SimulationOptions)]
    said = {k: v for k, v in system.simulation.items() if k != "duration"}
    for name in said:
        if name not in names:
            raise unknown(name, "option", ["duration", *names], "simulation")
    try:
        options = SimulationOptions(**said)
    except SimulationError as problem:
        raise ModelError(f"simulation: {problem}") from None
    if system.guess and system.chosen_coordinates is not None:
        raise ModelError(
            "guess: it is in the joints' coordinates; give initial values of the chosen coordinates instead"
        )
    duration = system.simulation.get("duration")
    return Plan(
        duration, without_states(system), dict(system.speeds), options, dict(system.outputs), dict(system.events),
        dict(system.ranges), dict(system.guess),
    )  # fmt: skip


def _tree_joint(p: JointPlacement, turned: bool, body: Body, n_q: int, n_u: int) -> tuple[TreeJoint, int, int]:
    joint: Joint = p.joint.reversed() if turned else p.joint
    inner, outer = (p.on_child, p.on_parent) if turned else (p.on_parent, p.on_child)
    all_law = p.law
    if body.modes:
        joint, outer, all_law = with_modes(joint, outer, p.law, body)
    q_at, u_at = places_from(all_law, n_q, n_u)
    taken_q, taken_u = (sum(x is not None for x in places) for places in (q_at, u_at))
    return TreeJoint(p.name, joint, inner, outer, all_law, q_at, u_at, p.armature), n_q + taken_q, n_u + taken_u


def _cut_joint(p: JointPlacement, number_of: dict[str, int]) -> CutJoint:
    return CutJoint(p.name, p.joint, number_of[p.parent], number_of[p.child], p.on_parent, p.on_child, p.law)


def check_names(system: System, cut: tuple[str, ...]) -> None:
    """Every body, joint and frame that is referred to exists."""
    bodies = dict.fromkeys([GROUND, *system.bodies])
    for name, (body, _) in system.frames.items():
        if body not in bodies:
            raise unknown(body, "body", bodies, f'frame "{name}"')
    for p in system.joints.values():
        for body in (p.parent, p.child):
            if body not in bodies:
                raise unknown(body, "body", bodies, f'joint "{p.name}"')
        if p.parent == p.child:
            raise ModelError(f'joint "{p.name}": it connects body "{p.parent}" with itself; name two bodies')
    acting: dict[str, Mapping[str, Any]] = {
        "force": system.forces,
        "constraint": system.constraints,
        "law": system.laws,
        "element": system.elements,
    }
    for kind, named in acting.items():
        for name, one in named.items():
            where = f'{kind} "{name}"'
            for body in one.bodies:
                if body not in bodies:
                    raise unknown(body, "body", bodies, where)
            for joint in one.joints:
                if joint not in system.joints:
                    raise unknown(joint, "joint", system.joints, where)
            one.check(name, lambda j: system.joints[j].joint)
    for name, output in system.outputs.items():
        for body in output.bodies:
            if body not in bodies:
                raise unknown(body, "body", bodies, f'output "{name}"')
    for joint in cut:
        if joint not in system.joints:
            raise unknown(joint, "joint", system.joints, "build: cut")


def check_numbers(system: System) -> None:
    """Every parameter is known, and every number physical at the parameters' values."""
    values = {symbol(k): v for k, v in {**system.parameters, **states_said(system)}.items()}

    def evaluated(thing: Any, where: str) -> Any:
        found = expressions_in(thing)
        for s in free_symbols(found):
            if s not in values and s is not TIME and s is not ALONG:
                raise unknown(s.name, "parameter", system.parameters, where)
        try:
            return bind(thing, values) if found else thing
        except NoValueError as problem:
            raise NoValueError(f"{where}: {problem}") from None

    evaluated(system.gravity, "gravity")
    evaluated(system.ground_shapes, "ground_shapes")
    for name, (_, frame) in system.frames.items():
        evaluated(frame, f'frame "{name}"').check(f'frame "{name}"')
    for b in system.bodies.values():
        p = evaluated(MassProperties(b.mass, b.com, b.inertia), f'body "{b.name}"')
        check_mass_properties(p, b.name)
        for shape in evaluated(b.shapes, f'body "{b.name}": shapes'):
            shape.at.check(f'body "{b.name}": shapes')
    for j in system.joints.values():
        where = f'joint "{j.name}"'
        evaluated(j.joint, where)
        evaluated(j.law, where)
        evaluated(j.on_parent, where).check(f"{where}: at_parent")
        evaluated(j.on_child, where).check(f"{where}: at_child")
        armature = evaluated(j.armature, f"{where}: armature")
        if armature < 0.0:
            raise ModelError(f"{where}: armature={armature:g} is negative; it is an inertia, in kg m² or kg")
        if armature and not j.joint.n_u:
            raise ModelError(f"{where}: a {j.joint.kind} does not move, so it has no armature")
    for name, force in system.forces.items():
        evaluated(force, f'force "{name}"')
    for name, constraint in system.constraints.items():
        evaluated(constraint, f'constraint "{name}"')
    for name, law in system.laws.items():
        evaluated(law, f'law "{name}"')
    for name, element in system.elements.items():
        evaluated(element, f'element "{name}"')


def number_bodies(system: System, cut: tuple[str, ...]) -> SpanningTree:
    """Regular labelling of the spanning tree."""
    index = {GROUND: 0, **{name: i for i, name in enumerate(system.bodies, start=1)}}
    names = [GROUND, *system.bodies]
    arcs = tuple(Arc(index[p.parent], index[p.child], p.joint.n_u) for p in system.joints.values())
    if not system.bodies:
        raise ModelError(f'system "{system.name}" has no bodies; add one with add_body')
    where = list(system.joints)
    try:
        return _cut_where_nothing_acts(system, Graph(len(system.bodies), arcs), [where.index(c) for c in cut])
    except TopologyError as problem:
        lost = ", ".join(f'"{names[i]}"' for i in problem.bodies)
        if problem.arcs:
            raise ModelError(
                f"cutting joint {', '.join(cut)} leaves {lost} without a connection to the ground; cut a joint that lies in a loop"
            ) from problem
        raise ModelError(
            f"body {lost} is not connected to the ground by any chain of joints; connect it with add_joint, "
            "or let it float with da.Free()"
        ) from problem


def _cut_where_nothing_acts(system: System, graph: Graph, cut: list[int]) -> SpanningTree:
    """The spanning tree, with joints that are driven or acted on kept in it: a cut joint has no coordinates of its own. Joints that
    laws name are kept in it where another of the loop can be cut."""
    where = list(system.joints)
    acting: list[tuple[str, Any]] = [
        *system.forces.items(),
        *system.constraints.items(),
        *((name, e) for name, e in system.elements.items() if not e.reads_reactions),
    ]
    needed = {where.index(j): name for name, one in acting for j in one.joints}
    needed |= {i: p.name for i, p in enumerate(system.joints.values()) if any(x is not None for x in p.law.u)}
    needed |= {i: f"armature of {p.name}" for i, p in enumerate(system.joints.values()) if armoured(p)}
    uncut = {i for i, p in enumerate(system.joints.values()) if not p.joint.closes_loops}
    wished = {where.index(j) for law in system.laws.values() for j in law.joints} - set(cut)
    tree = spanning_tree(graph, cut)
    for _ in range(len(tree.cuts)):
        allowed = {loop.cut: [a for a in loop.arcs if a not in needed and a not in uncut] for loop in loops(tree)}
        plain = {k: [a for a in every if a not in wished] for k, every in allowed.items()}
        wrong = [
            x
            for x in loops(tree)
            if x.cut in needed or (x.cut in uncut and x.cut not in cut) or (x.cut in wished and plain[x.cut])
        ]
        if not wrong:
            break
        others = plain[wrong[0].cut] or allowed[wrong[0].cut]
        if not others and wrong[0].cut in uncut:
            break  # what it must know to close a loop is said where it does
        if not others or wrong[0].cut in cut:
            raise ModelError(
                f'joint "{where[wrong[0].cut]}" closes a loop and must be cut, but "{needed[wrong[0].cut]}" acts on it: '
                "a cut joint has no coordinates of its own; cut another joint of the loop with build(cut=[…])"
            )
        cut = [*cut, max(others, key=lambda a: graph.arcs[a].freedoms)]
        tree = spanning_tree(graph, cut)
    return tree


def armoured(p: JointPlacement) -> bool:
    """Whether the joint has armature."""
    return type(p.armature) is not float or p.armature != 0.0


def check_motion_is_determined(m: Mechanism) -> None:
    """A freedom that moves no mass has no equation of motion. (In a loop, the closure may determine it.)"""
    from dalembert.recursive.determinacy import massless_freedom

    found = None if m.cuts or m.constraints else massless_freedom(m)
    if found:
        name, speed = found
        body = m.bodies[m.joint_number[name] - 1].name
        what = f'freedom "{speed}" of joint "{name}"' if speed else f'joint "{name}"'
        raise ModelError(
            f'{what} moves no mass, so its motion is undetermined: give body "{body}" (or what it carries) mass and inertia '
            "in that direction, lock the freedom, or prescribe it"
        )
