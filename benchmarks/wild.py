"""Robots as people have them: every URDF, MJCF and SDF file of a folder read, and compared with MuJoCo, Pinocchio or Drake
where they read it.

    python benchmarks/wild.py FOLDER [--json FILE] [--only TEXT] [--limit SECONDS] [--states N]

For each file: read or refused, with the reason; whether the peer reads it; the largest difference of accelerations in random states, at
rest, in motion and with actuators on, without what closes loops; the notes; the times of reading. What differs with a note that
says the motion changes is "told"; what differs without one is "silently wrong". Each file is read in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing as mp
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.importers import xml
from dalembert.importers.peers import PEERS

PEER_OF = {"mujoco": "mujoco", "robot": "pinocchio", "sdf": "drake"}
"""The peer that reads a format, by the first element of its files."""
ROOTS = ("mujoco", "robot", "sdf", "gazebo")
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
    return root.tag if root.tag in ROOTS else None


def peer_reads(kind: str, path: Path) -> tuple[bool | None, str, float]:
    """Whether the peer reads the file, why not, and how long it takes."""
    began = time.perf_counter()
    try:
        if kind == "mujoco":
            import mujoco

            mujoco.MjModel.from_xml_path(str(path))
        elif kind == "robot":
            import pinocchio

            pinocchio.buildModelFromUrdf(str(path))
        elif kind == "sdf":
            from pydrake.multibody.parsing import Parser
            from pydrake.multibody.plant import MultibodyPlant

            Parser(MultibodyPlant(0.0)).AddModels(str(path))
        else:
            return None, "", 0.0
    except Exception as problem:
        return False, " ".join(str(problem).split())[:160], time.perf_counter() - began
    return True, "", time.perf_counter() - began


def tried(path: Path, kind: str, folder: Path, states: int) -> dict[str, Any]:
    """What became of one file."""
    out: dict[str, Any] = {"file": str(path.relative_to(folder)), "kind": kind}
    out["peer reads"], out["peer says"], out["peer seconds"] = peer_reads(kind, path)
    began = time.perf_counter()
    try:
        found = da.load_robot(path, folder=folder)
        out["seconds"] = time.perf_counter() - began
        if not found.system.bodies:
            return out | {
                "read": True,
                "compared": False,
                "reason": "nothing in it moves: it has no bodies",
                "notes": [],
            }
        m = found.build()
        out.update(
            read=True,
            bodies=m.n_bodies,
            speeds=m.n_u,
            notes=list(found.notes),
            summary=str(found.notes[0]) if found.notes else "",
        )
    except DalembertError as problem:
        return out | {"read": False, "reason": str(problem), "seconds": time.perf_counter() - began}
    if out["peer reads"]:
        try:
            comparison = PEERS[PEER_OF[kind]](path, found, states)
        except DalembertError as problem:
            return out | {"compared": False, "reason": str(problem)}
        out.update(
            compared=True,
            difference=comparison.largest,
            worst={kind: comparison.worst(kind) for kind in ("at rest", "in motion", "with actuators")},
            told=[str(n) for n in found.notes if n.effect == "accelerations"],
            agrees=comparison.agrees,
        )
    return out


def _preload() -> None:
    """Import before the processes part what each of them needs, so that times are those of reading."""
    import importlib

    for name in ("mujoco", "pinocchio", "pydrake.multibody.parsing", *READERS):
        try:
            importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed: its files are read, not compared", file=sys.stderr)


def _run(queue: Any, *arguments: Any) -> None:
    try:
        queue.put(tried(*arguments))
    except BaseException as problem:  # a traceback is what is looked for
        import traceback

        queue.put(
            {
                "file": str(arguments[0].relative_to(arguments[2])),
                "kind": arguments[1],
                "read": False,
                "traceback": traceback.format_exc()[-600:],
                "reason": f"TRACEBACK {type(problem).__name__}: {problem}",
                "peer reads": None,
            }
        )


def apart(path: Path, kind: str, folder: Path, states: int, limit: float) -> dict[str, Any]:
    """In a process of its own, given up after `limit` seconds."""
    queue: Any = mp.SimpleQueue()
    process = mp.Process(target=_run, args=(queue, path, kind, folder, states))
    process.start()
    ends = time.monotonic() + limit
    while time.monotonic() < ends and queue.empty() and process.is_alive():
        time.sleep(0.002)
    time.sleep(0.002)
    lost = {"file": str(path.relative_to(folder)), "kind": kind, "read": False, "peer reads": None}
    try:
        if not queue.empty():
            return dict(queue.get())
        return lost | {"reason": "GIVEN UP: too long" if process.is_alive() else f"CRASH {process.exitcode}"}
    finally:
        process.kill()
        process.join()


def verdict(one: dict[str, Any]) -> str:
    """In a word."""
    if not one["read"]:
        return "refused, as by the peer" if one["peer reads"] is False else "refused"
    if not one.get("compared"):
        return "read, not compared"
    if one["agrees"]:
        return "agrees"
    return "differs, told" if one["told"] else "SILENTLY WRONG"


def table(found: list[dict[str, Any]]) -> str:
    """Counts by format, reasons of refusals, and what differs."""
    lines = [
        "| format | files | " + " | ".join(VERDICTS) + " | seconds, median | peer's |",
        "|---" * (len(VERDICTS) + 5) + "|",
    ]
    for kind in dict.fromkeys(x["kind"] for x in found):
        of = [x for x in found if x["kind"] == kind]
        counts = Counter(map(verdict, of))
        ours, theirs = (
            sorted(x[name] for x in of if x.get("read") and x.get("peer reads")) or [float("nan")]
            for name in ("seconds", "peer seconds")
        )
        cells = [str(counts[v]) for v in VERDICTS] + [f"{x[len(x) // 2]:.3f}" for x in (ours, theirs)]
        lines.append(f"| {kind} | {len(of)} | " + " | ".join(cells) + " |")
    taken = [x for x in found if x["peer reads"]]
    lines.append(f"\nOf {len(taken)} that the peer reads, {sum(x['read'] for x in taken)} are read.\n")
    for x in found:
        v = verdict(x)
        if v == "refused" or x.get("traceback"):
            lines.append(f"- {v}: {x['file']} (peer {x['peer reads']}): {x['reason'][:240]}")
        elif v in ("SILENTLY WRONG", "differs, told"):
            why = x["told"][0][:160] if x["told"] else str(x["worst"])
            lines.append(f"- {v}: {x['file']}: {x['difference']:.1e}; {why}")
        elif v == "read, not compared" and x["peer reads"]:
            lines.append(f"- {v}: {x['file']}: {x.get('reason', '')[:200]}")
    return "\n".join(lines)


VERDICTS = ("agrees", "differs, told", "SILENTLY WRONG", "read, not compared", "refused", "refused, as by the peer")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path, help="all that was found, here")
    parser.add_argument("--only", default="", help="files with this in their path")
    parser.add_argument("--limit", type=float, default=SECONDS)
    parser.add_argument("--states", type=int, default=6)
    parser.add_argument("--every", type=int, default=1, help="every n-th file of them")
    given = parser.parse_args()
    folder = given.folder.resolve()
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in ENDINGS and given.only in str(p) and p.is_file())
    found = []
    _preload()
    for path in files[:: given.every]:
        kind = kind_of(path)
        if kind is not None:
            found.append(apart(path, kind, folder, given.states, given.limit))
            print(f"{verdict(found[-1])}: {found[-1]['file']}", file=sys.stderr, flush=True)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1, default=float), encoding="utf-8")
    print(table(found))
    wrong = [x for x in found if verdict(x) == "SILENTLY WRONG" or x.get("traceback")]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
