"""Robots as people have them: every URDF, MJCF and SDF file of folders read, and compared with MuJoCo, Pinocchio or Drake
where they read it.

    python benchmarks/wild.py FOLDER … [--found FILE] [--keep] [--only TEXT] [--limit SECONDS] [--states N] [--every N]

For each file: read or refused, with the reason; whether the peer reads it; the largest difference of accelerations in random states, at
rest, in motion and with actuators on, without what closes loops; the notes; the times of reading. Where accelerations differ and notes
say that the motion changes, the peer is given the file as it was read: what then agrees is "told", all else is "silently wrong".
Each file is read in a process of its own, and by the peer in another. Each FOLDER holds unpacked packages, one a folder.

`--found` is a file of lines, one for each robot: what is in it is not tried again, so that a long run may be made in slices.
`--keep` writes the table of all that is in it to benchmarks/results/wild.md.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing as mp
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import dalembert as da
from benchmarks.wild_report import report, verdict, wrong
from benchmarks.wild_round_trip import round_trip
from dalembert.errors import DalembertError
from dalembert.importers import xml
from dalembert.importers.peers import beside

PEER_OF = {"mujoco": "mujoco", "robot": "pinocchio", "sdf": "drake"}
"""The peer that reads a format, by the first element of its files."""
ENDINGS = (".urdf", ".xml", ".mjcf", ".sdf", ".world")
READERS = ("dalembert.importers.mjcf.mjcf_model", "dalembert.importers.urdf.robot", "dalembert.importers.sdf.sdf_model")
SECONDS = 60.0
"""After which a file is given up."""


def kind_of(path: Path) -> str | None:
    """The first element of a robot's file, else None."""
    try:
        root = xml.read(path)
    except DalembertError:
        return "robot" if path.suffix == ".urdf" else None
    return root.tag if root.tag in PEER_OF else None


def read_by_peer(path: Path, kind: str) -> dict[str, Any]:
    """Whether the peer reads the file, why not, and how long it takes."""
    began = time.process_time()
    try:
        moves = _PEERS[kind](path)
    except (Exception, SystemExit) as problem:
        return {"peer reads": False, "peer says": " ".join(str(problem).split())[:160]}
    return {"peer reads": True, "peer seconds": time.process_time() - began, "peer moves": moves}


def _mujoco(path: Path) -> bool:
    import mujoco

    return bool(mujoco.MjModel.from_xml_path(str(path)).nv)


def _pinocchio(path: Path) -> bool:
    import pinocchio

    return bool(pinocchio.buildModelFromUrdf(str(path)).nv)


def _drake(path: Path) -> bool:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    return bool(plant.num_velocities())


_PEERS: dict[str, Callable[[Path], bool]] = {"mujoco": _mujoco, "robot": _pinocchio, "sdf": _drake}


def read_here(path: Path, kind: str, folder: Path, states: int, compare: bool) -> dict[str, Any]:
    """What becomes of one file here, and beside the peer."""
    began = time.process_time()
    out: dict[str, Any] = {}
    try:
        found = da.load_robot(path, folder=folder)
        out |= {"read": True, "seconds": time.process_time() - began, "notes": list(found.notes[:40])}
        out["told"] = [str(n) for n in found.notes if n.effect == "accelerations"][:8]
        if not found.system.bodies:
            return out | {"moves": False, "reason": "nothing in it moves: it has no bodies"}
        m = found.build()
        out |= {"bodies": m.n_bodies, "speeds": m.n_u, "moves": m.n_u > 0}
    except DalembertError as problem:
        return out | {"read": False, "reason": str(problem)}
    if not (compare and out["moves"]):
        return out | {"reason": "nothing in it moves" if not out["moves"] else ""}
    try:
        plain, as_read = beside(PEER_OF[kind], path, found, states)
    except DalembertError as problem:
        return out | {"reason": str(problem)}
    out |= {"compared": True, "difference": float("inf"), "agrees": False}
    if plain is not None:
        worst = {kind: plain.worst(kind) for kind in ("at rest", "in motion", "with actuators")}
        out |= {"difference": plain.largest, "agrees": plain.agrees, "worst": worst, "rounding": plain.rounding}
    if as_read is not None:
        out |= {"explained": as_read.agrees, "as read": as_read.largest}
    return out | {"round trip": round_trip(found)}


def _preload() -> None:
    """Import before the processes part what each of them needs, so that times are those of reading."""
    import importlib

    for name in ("mujoco", "pinocchio", "pydrake.multibody.parsing", *READERS):
        try:
            importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed: its files are read, not compared", file=sys.stderr)


def _run(queue: Any, do: Callable[..., dict[str, Any]], *arguments: Any) -> None:
    try:
        queue.put(do(*arguments))
    except BaseException:  # a traceback is what is looked for
        import traceback

        queue.put({"read": False, "traceback": traceback.format_exc()[-600:], "reason": "TRACEBACK"})


def apart(limit: float, do: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """In a process of its own, given up after `limit` seconds."""
    queue: Any = mp.SimpleQueue()
    process = mp.Process(target=_run, args=(queue, do, *arguments))
    process.start()
    ends = time.monotonic() + limit
    while time.monotonic() < ends and queue.empty() and process.is_alive():
        time.sleep(0.002)
    time.sleep(0.002)
    try:
        if not queue.empty():
            return dict(queue.get())
        return {"read": False, "reason": "GIVEN UP: too long" if process.is_alive() else f"CRASH {process.exitcode}"}
    finally:
        process.kill()
        process.join()


def tried(path: Path, kind: str, folder: Path, states: int, limit: float) -> dict[str, Any]:
    """What became of one file."""
    peer = {"peer reads": False} | apart(limit, read_by_peer, path, kind)
    ours = {"read": False} | apart(limit, read_here, path, kind, folder, states, bool(peer["peer reads"]))
    peer = {name: value for name, value in peer.items() if name.startswith("peer")}
    return {"package": folder.name, "file": str(path.relative_to(folder)), "kind": kind, **peer, **ours}


def robots(folders: list[Path], only: str, every: int) -> Iterator[tuple[Path, Path]]:
    """Files with the folder of the package that they are in."""
    for folder in folders:
        files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in ENDINGS and only in str(p) and p.is_file())
        for path in files[::every]:
            yield folder, path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--found", type=Path, help="lines of what was found, added to")
    parser.add_argument("--keep", action="store_true", help="write the table to benchmarks/results")
    parser.add_argument("--only", default="", help="files with this in their path")
    parser.add_argument("--limit", type=float, default=SECONDS)
    parser.add_argument("--states", type=int, default=6)
    parser.add_argument("--every", type=int, default=1, help="every n-th file of them")
    given = parser.parse_args()
    lines = given.found.read_text(encoding="utf-8").splitlines() if given.found and given.found.exists() else []
    found = [json.loads(line) for line in lines]
    done = {(x["package"], x["file"]) for x in found}
    _preload()
    for folder, path in robots([x.resolve() for x in given.folders], given.only, given.every):
        kind = None if (folder.name, str(path.relative_to(folder))) in done else kind_of(path)
        if kind is None:
            continue
        found.append(tried(path, kind, folder, given.states, given.limit) | {"every": given.every})
        print(f"{verdict(found[-1])}: {found[-1]['file']}", file=sys.stderr, flush=True)
        if given.found:
            with given.found.open("a", encoding="utf-8") as file:
                file.write(json.dumps(found[-1], default=float) + "\n")
    text = report(found, given.keep)
    print(text)
    return 1 if any(map(wrong, found)) else 0


if __name__ == "__main__":
    sys.exit(main())
