"""`ChangedMechanism`: a mechanism in coordinates and speeds other than its joints'."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.mechanism.connected import Part
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.scales import Scales, changed_scales
from dalembert.mechanism.variable_changes import (
    HIDDEN,
    GeneralizedSpeeds,
    LinearCoordinates,
    Places,
    VariableChange,
)
from dalembert.parts.speeds import CoordinateRates

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, eq=False, repr=False)
class ChangedMechanism(Mechanism):
    """A mechanism whose `variables` were chosen, by `change`.

    Its joints do not know their places in q and u; those of `in_joint_variables` do.
    """

    change: VariableChange | None = None

    @property
    def variables(self) -> Any:
        return self.change

    # -- the same in other variables ------------------------------------------------------------------------------------
    @cached_property
    def base(self) -> Mechanism:
        """The mechanism in the variables that its own are said in."""
        if self.variables.before is not None:
            return replace(self, change=self.variables.before)
        joints = tuple(replace(j, q_at=q, u_at=u) for j, (q, u) in zip(self.joints, self.variables.places))
        every = {f.name: getattr(self, f.name) for f in fields(Mechanism)}
        return Mechanism(**every | {"joints": joints})

    @property
    def in_joint_variables(self) -> Mechanism:
        return self.base.in_joint_variables

    def joint_coordinates(self, q: ArrayLike) -> np.ndarray:
        return self.base.joint_coordinates(self.variables.base_coordinates(q))

    def own_coordinates(self, q: ArrayLike) -> np.ndarray:
        return np.asarray(self.variables.from_base(self.base.own_coordinates(q))[0])

    @property
    def dropped(self) -> tuple[str, ...]:
        own = self.variables.dropped if isinstance(self.variables, LinearCoordinates) else ()
        return (*self.base.dropped, *own)

    # -- sizes and names ----------------------------------------------------------------------------------------------
    @property
    def coordinates(self) -> tuple[str, ...]:
        return tuple(self.variables.coordinates)

    @property
    def speeds(self) -> tuple[str, ...]:
        return tuple(self.variables.speeds)

    @property
    def n_q(self) -> int:
        return len(self.variables.coordinates)

    @property
    def n_u(self) -> int:
        return len(self.variables.speeds)

    @property
    def prescribed(self) -> Mapping[str, tuple[int, int]]:
        return self.in_joint_variables.prescribed

    @property
    def prescribed_speeds(self) -> Mapping[str, tuple[int, int]]:
        return self.in_joint_variables.prescribed_speeds

    @cached_property
    def reference(self) -> np.ndarray:
        made: np.ndarray = self.variables.from_base(self.base.reference)[0]
        made.flags.writeable = False
        return made

    @cached_property
    def path_columns(self) -> tuple[tuple[int, ...], ...]:
        """All speeds for a body that any joint moves: which of them do may change with the pose."""
        every = tuple(range(self.n_u))
        return tuple(every if columns else () for columns in self.base.path_columns)

    # -- where things stand ---------------------------------------------------------------------------------------------
    def places(self, name: str) -> tuple[tuple[int | None, ...], tuple[int | None, ...]] | None:
        """None for joints and bodies any of whose values have been replaced."""
        return self._kept(self.base.places(name))

    def modal_places_of(self, name: str) -> tuple[tuple[int | None, ...], tuple[int | None, ...]] | None:
        return self._kept(self.base.modal_places_of(name))

    def _kept(self, before: Places | None) -> Places | None:
        """Where values are now, by their places before; None where any has been replaced."""
        if before is None:
            return None
        found = tuple(
            tuple(None if at is None else to.get(at, -1) for at in places)
            for places, to in zip(before, (self._kept_coordinates, self._kept_speeds))
        )
        return None if any(at == -1 for places in found for at in places) else (found[0], found[1])

    @cached_property
    def _kept_coordinates(self) -> dict[int, int]:
        """Places of coordinates that are as they were, by their places before."""
        v = self.variables
        direct = v.direct if isinstance(v, LinearCoordinates) else range(self.n_q)
        return {at: i for i, at in enumerate(direct) if at is not None}

    @cached_property
    def _kept_speeds(self) -> dict[int, int]:
        """Places of speeds that are as they were, by their places before."""
        v = self.variables
        if isinstance(v, LinearCoordinates):
            return {at: i for i, at in enumerate(v.direct_speeds) if at is not None}
        return {i: i for i in range(self.n_u) if i not in v.chosen}

    def rate_place(self, coordinate: int) -> int | None:
        v = self.variables
        if isinstance(v, LinearCoordinates):
            name, before = v.coordinates[coordinate], v.direct[coordinate]
            if before is None:
                return v.speeds.index(name)
            at = self.base.rate_place(before)
            return None if at is None else self._kept_speeds.get(at)
        for choice in v.choices:
            if isinstance(choice, CoordinateRates) and (name := v.coordinates[coordinate]) in choice.names:
                return choice.instead_of[choice.names.index(name)]
        at = self.base.rate_place(coordinate)
        return None if at is None else self._kept_speeds.get(at)

    @cached_property
    def speed_owners(self) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
        """Speeds that were chosen are their own."""
        kept = self._kept_speeds
        joints, modes = (
            {name: tuple(kept[at] for at in places if at in kept) for name, places in owners.items()}
            for owners in self.base.speed_owners
        )
        new = {name: (at,) for at, name in enumerate(self.speeds) if at not in kept.values()}
        return {name: places for name, places in joints.items() if places} | new, modes

    @cached_property
    def deforming(self) -> tuple[int, ...]:
        v, before = self.variables, set(self.base.deforming)
        if isinstance(v, GeneralizedSpeeds):
            own = {at for c in v.choices if set(c.instead_of) <= before for at in c.instead_of}
            return tuple(sorted({*own, *(before - set(v.chosen))}))
        moved = [{int(i) for i in np.flatnonzero(column)} for column in v.per_speed.T]
        return tuple(k for k, places in enumerate(moved) if places <= before)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """One part: variables may belong to several."""
        bodies = tuple(range(1, self.n_bodies + 1))
        return (Part(self, bodies, np.arange(self.n_q), np.arange(self.n_u)),)

    @cached_property
    def scales(self) -> Scales:
        return changed_scales(self)

    @property
    def grubler(self) -> int:
        return self.in_joint_variables.grubler - len(self.dropped)

    def somewhere(self, rng: np.random.Generator, step: float) -> np.ndarray:
        return np.asarray(self.variables.from_base(self.base.somewhere(rng, step))[0])

    def admissible(self, q: ArrayLike) -> np.ndarray:
        out = np.array(q)
        near = self.base.admissible(self.variables.base_coordinates(out))
        for before, at in self._kept_coordinates.items():
            out[at] = near[before]
        return out


def in_variables(m: Mechanism, variables: VariableChange) -> ChangedMechanism:
    """The same mechanism in other variables, said in its own."""
    every = {f.name: getattr(m, f.name) for f in fields(Mechanism)}
    joints = tuple(replace(j, q_at=HIDDEN, u_at=HIDDEN) for j in m.joints)
    return ChangedMechanism(**every | {"joints": joints}, change=variables)
