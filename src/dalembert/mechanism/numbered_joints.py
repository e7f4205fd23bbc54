"""The joints of a numbered mechanism: those of the tree, those that close loops; and the nodes of elastic bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalembert.cached import cached_property
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Joint
from dalembert.parts.prescribed import PrescribedMotion


@dataclass(frozen=True, eq=False)
class TreeJoint:
    """The joint that carries a body: oriented outward, with the places of its free coordinates and speeds in q and u."""

    name: str
    joint: Joint
    on_parent: Frame
    on_child: Frame
    law: PrescribedMotion
    q_at: tuple[int | None, ...]
    u_at: tuple[int | None, ...]
    armature: Any = 0.0
    """Inertia that its own speeds have besides that of the bodies: T gains ½ J u² for each of them."""

    @property
    def armatures(self) -> list[Any]:
        """Armature of each free speed; what the carried body deforms with has none."""
        return [self.armature] * self.n_own + [0.0] * (len(self.columns) - self.n_own)

    @property
    def free(self) -> list[int]:
        """Which of the joint's speeds are free."""
        return [i for i, at in enumerate(self.u_at) if at is not None]

    @property
    def columns(self) -> list[int]:
        """Where they stand in u."""
        return [at for at in self.u_at if at is not None]

    @property
    def n_own(self) -> int:
        """How many of the free speeds are the joint's own; those of the carried body follow."""
        return sum(at is not None for at in self.own_u)

    @cached_property
    def own_q(self) -> tuple[int | None, ...]:
        """`q_at` without the coordinates of the carried body itself."""
        return self.q_at[: self.joint.inner.n_q]

    @cached_property
    def own_u(self) -> tuple[int | None, ...]:
        """`u_at` without the speeds of the carried body itself."""
        return self.u_at[: self.joint.inner.n_u]

    def q_labels(self, body: str) -> list[str]:
        """Names of all its coordinates: the joint's for its own, those of the carried `body` for the body's."""
        return self._labels(self.joint.coordinates, self.joint.inner.n_q, body)

    def u_labels(self, body: str) -> list[str]:
        """Names of all its speeds, likewise."""
        return self._labels(self.joint.speeds, self.joint.inner.n_u, body)

    def _labels(self, names: tuple[str, ...], n_own: int, body: str) -> list[str]:
        return [_label(self.name if i < n_own else body, c) for i, c in enumerate(names)]


def places_from(law: PrescribedMotion, n_q: int, n_u: int) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
    """Where a joint's free coordinates and speeds stand, with n_q and n_u of others before them; None for prescribed ones."""
    return _places(law.q, n_q), _places(law.u, n_u)


def _places(given: tuple[Any, ...], start: int) -> tuple[int | None, ...]:
    free = [i for i, value in enumerate(given) if value is None]
    return tuple(start + free.index(i) if i in free else None for i in range(len(given)))


@dataclass(frozen=True)
class NodeFrame:
    """A node of an elastic body, by the body's number."""

    body: int
    node: str


@dataclass(frozen=True, eq=False)
class CutJoint:
    """A joint that closes a loop, between two numbered bodies, in the user's direction."""

    name: str
    joint: Joint
    parent: int
    child: int
    on_parent: Frame
    on_child: Frame
    law: PrescribedMotion


def _label(joint: str, suffix: str) -> str:
    return f"{joint}.{suffix}" if suffix else joint
