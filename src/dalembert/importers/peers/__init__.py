"""Imports beside other programs that read the same file: MuJoCo, Pinocchio and Drake, where they are
installed.

Accelerations are compared in random states, at rest, in motion and with actuators on, both without what closes loops: MuJoCo holds
that with soft forces, Pinocchio not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.importers.imported import ACCELERATIONS, Imported
from dalembert.importers.peers.peer_comparison import PeerComparison


def _mujoco(path: Path, found: Imported, states: int, text: str | None = None) -> PeerComparison:
    from dalembert.importers.peers.mujoco_peer import compared

    return compared(path, found, states, text)


def _pinocchio(path: Path, found: Imported, states: int, text: str | None = None) -> PeerComparison:
    from dalembert.importers.peers.pinocchio_peer import compared

    return compared(path, found, states, text)


def _drake(path: Path, found: Imported, states: int, text: str | None = None) -> PeerComparison:
    from dalembert.importers.peers.drake_peer import compared

    return compared(path, found, states, text)


PEERS: dict[str, Callable[..., PeerComparison]] = {
    "mujoco": _mujoco,
    "pinocchio": _pinocchio,
    "drake": _drake,
}
"""Programs that an import can be compared with, by name; each reads the file, or a text in its place."""


def beside(peer: str, path: Path, found: Imported, states: int) -> tuple[PeerComparison | None, PeerComparison | None]:
    """The import beside another program, None where they cannot be compared; and where they differ and notes say that the motion is
    changed, beside the same program with the file as it was read, which tells whether what the notes say is all that differs."""
    compare = PEERS[peer]
    told = any(note.effect == ACCELERATIONS for note in found.notes)
    text = found.as_read() if told else None
    try:
        plain = compare(path, found, states)
    except ModelError:
        if text is None:
            raise
        return None, compare(path, found, states, text)
    return plain, None if plain.agrees or text is None else compare(path, found, states, text)
