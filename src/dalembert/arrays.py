"""The constants of a mechanism stacked in arrays, for work on all bodies at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Arrays:
    """Constants of all bodies and of the joints that carry them; the first axis runs over the bodies."""

    mass: np.ndarray
    com: np.ndarray
    inertia: np.ndarray
    parent_position: np.ndarray
    parent_rotation: np.ndarray
    child_position: np.ndarray
    child_rotation: np.ndarray


def stack_constants(bodies: Sequence[Any], joints: Sequence[Any]) -> Arrays:
    """Numbers where all are numbers, objects where any is an expression of parameters."""
    return Arrays(
        _numbers(np.array([b.mass for b in bodies])),
        _stacked([b.com for b in bodies]),
        _stacked([b.inertia for b in bodies]),
        _stacked([j.on_parent.position for j in joints]),
        _stacked([j.on_parent.rotation for j in joints]),
        _stacked([j.on_child.position for j in joints]),
        _stacked([j.on_child.rotation for j in joints]),
    )


def _stacked(arrays: list[np.ndarray]) -> np.ndarray:
    return _numbers(np.concatenate(arrays).reshape(len(arrays), *arrays[0].shape))


def _numbers(made: np.ndarray) -> np.ndarray:
    return made if made.dtype == object else made.astype(float, copy=False)
