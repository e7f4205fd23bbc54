"""Imports beside other programs that read the same file: MuJoCo, Pinocchio and Drake, where they are
installed.

Accelerations are compared in random states, at rest, in motion and with actuators on, both without what closes loops: MuJoCo holds
that with soft forces, Pinocchio not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dalembert.importers.imported import Imported
from dalembert.importers.peers.peer_comparison import PeerComparison


def _mujoco(path: Path, found: Imported, states: int) -> PeerComparison:
    from dalembert.importers.peers.mujoco_peer import compared

    return compared(path, found, states)


def _pinocchio(path: Path, found: Imported, states: int) -> PeerComparison:
    from dalembert.importers.peers.pinocchio_peer import compared

    return compared(path, found, states)


def _drake(path: Path, found: Imported, states: int) -> PeerComparison:
    from dalembert.importers.peers.drake_peer import compared

    return compared(path, found, states)


PEERS: dict[str, Callable[[Path, Imported, int], PeerComparison]] = {
    "mujoco": _mujoco,
    "pinocchio": _pinocchio,
    "drake": _drake,
}
"""Programs that an import can be compared with, by name."""
