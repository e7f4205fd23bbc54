"""What hangs on a tuning number: questions asked with it ten times larger, and ten times smaller.

    python tools/scaled.py [FILE:NAME ...] [--jobs N]      those named, or all of `DECISIONS`; results go to tools/tried.json

Each is asked in a process of its own, in which the module that holds the number is read with it scaled, before anything imports it.
The answers are those of `tools/record.py` on a few mechanisms that are close to a verdict: redundant, singular, taut, rounded. A
difference of numbers below `SAME` is rounding and not counted; nor is an answer that changes already where a number of `CONTROLS` is
changed by a millionth: rounding decides it, not a tolerance.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TRIED = Path(__file__).with_name("tried.json")
SUBJECTS = (
    "redundant loops 1", "planar ring 1", "elastic loop 1", "rolling 1", "benchmark change-point four-bar", "linkage Bricard, rounded",
    "linkage Bennett", "linkage taut chain", "gallery bricard", "refusals",
)  # fmt: skip
SAME = 1e-10
"""Of the largest number of an answer."""
CONTROLS = (
    "kernels/rhs/projection.py:LEAST_DAMPING",
    "constraints/assembly/assemble.py:NO_DIRECTION",
    "simulation/error_sizes.py:SMALL",
)
"""Numbers that enter the arithmetic of starts and motions; changed by a millionth, they change last digits and nothing else."""
LONGEST = 900.0
"""Seconds for all questions."""

DECISIONS = (
    "pivoting.py:RANK_TOLERANCE",
    "kinematics/constraint_rows.py:DEAD",
    "kinematics/constraint_rows.py:ROUNDING",
    "mechanism/scales.py:CLOSED",
    "mechanism/scales.py:ROUNDING",
    "constraints/assembly/assemble.py:ROUNDED",
    "constraints/assembly/assemble.py:LOST",
    "constraints/assembly/assemble.py:DEPENDENT",
    "constraints/assembly/assemble.py:SLIGHT",
    "constraints/assembly/assemble.py:LARGEST_STEP",
    "constraints/assembly/assemble.py:WORTH",
    "constraints/assembly/assemble.py:STALLED",
    "constraints/assembly/assemble.py:NO_DIRECTION",
    "constraints/assembly/assemble.py:ROUNDING",
    "constraints/diagnosis/diagnose.py:ZERO_SINGULAR_VALUE",
    "constraints/diagnosis/diagnose.py:BETTER",
    "constraints/diagnosis/diagnose.py:ELSEWHERE",
    "constraints/diagnosis/diagnose.py:TAKES_PART",
    "constraints/diagnosis/diagnose.py:BESIDE",
    "constraints/rest.py:STILL",
    "kernels/rhs/projection.py:SLOW",
    "kernels/rhs/projection.py:LEAST_DAMPING",
    "kernels/rhs/projection.py:SPEED_DAMPING",
    "kernels/rhs/projection.py:FAR",
    "kernels/rhs/projection.py:ROUNDING",
    "simulation/constrained_start.py:LEAST_PIVOT",
    "simulation/constrained_start.py:APART",
    "simulation/constrained_start.py:LARGER",
    "simulation/compiled_start.py:FAR_FROM_SINGULAR",
    "simulation/compiled_start.py:ROUNDING",
    "simulation/error_sizes.py:SMALL",
    "simulation/march/run.py:WORTH_A_LOOK",
    "simulation/march/between_stretches.py:HOPELESS",
    "simulation/failure.py:NEAR_SINGULAR",
    "analysis/equilibrium/search.py:CONVERGED",
    "analysis/equilibrium/search.py:ROUNDING",
    "analysis/equilibrium/search_equations.py:BALANCED",
)
"""Numbers on which verdicts hang: ranks, closure, singular poses, rest, projection, being stuck."""


class Scaled(MetaPathFinder):
    """Finds one module, and reads it with one of its numbers scaled."""

    def __init__(self, module: str, name: str, factor: float):
        self.module, self.name, self.factor = module, name, factor

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name != self.module:
            return None
        spec = PathFinder.find_spec(name, path)
        assert spec is not None and spec.origin is not None
        spec.loader = ScaledLoader(name, spec.origin, self)
        return spec


class ScaledLoader(SourceFileLoader):
    """Compiles the source itself, as kept byte code knows nothing of the factor."""

    def __init__(self, name: str, path: str, how: Scaled):
        super().__init__(name, path)
        self.how = how

    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(Path(self.path).read_bytes())
        done = [scale(node, self.how.name, self.how.factor) for node in tree.body]
        if not any(done):
            raise SystemExit(f"{self.path} has no number {self.how.name}")
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


def scale(node: ast.stmt, name: str, factor: float) -> bool:
    """Multiply the value that a statement gives to a name, alone or with others."""
    if not isinstance(node, ast.Assign):
        return False
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Name) and target.id == name:
        node.value = ast.BinOp(value, ast.Mult(), ast.Constant(factor))
        return True
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for i, part in enumerate(target.elts):
            if isinstance(part, ast.Name) and part.id == name:
                value.elts[i] = ast.BinOp(value.elts[i], ast.Mult(), ast.Constant(factor))
                return True
    return False


# -- asking ---------------------------------------------------------------------------------------------------------------
def ask(where: str, factor: float, path: Path) -> None:
    """Ask everything in this process and write the answers."""
    sys.path[:0] = [str(ROOT), str(ROOT / "src")]
    if where:
        file, _, name = where.partition(":")
        module = "dalembert." + file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        sys.meta_path.insert(0, Scaled(module, name, factor))
    from tools.answers import Answers
    from tools.record import questions

    every, found = questions({}), Answers()
    for name in SUBJECTS:
        found.add(every[name]())
    found.save(path)


def answers_with(where: str, factor: float, folder: Path) -> Any:
    """The answers with a number scaled; words where there are none."""
    from tools.answers import Answers

    path = folder / f"{where.replace('/', '_').replace(':', '_')}_{factor:g}.npz"
    command = [sys.executable, __file__, "--ask", where, str(factor), str(path)]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer in {LONGEST:g} s"
    return Answers.load(path) if done.returncode == 0 else "nothing works: " + done.stderr.strip().splitlines()[-1][:80]


def changed(before: Any, after: Any) -> list[Any]:
    """Differences that are more than rounding."""
    from tools.answers import differences

    found = [d for d in differences(before, after) if "/record/" not in d.key and "fingerprint" not in d.key]
    return [d for d in found if d.off is None or d.off > SAME]


def summary(before: Any, after: Any, rounding: set[str]) -> str:
    """What changed, in a clause, but for what rounding changes too."""
    if isinstance(after, str):
        return after
    found = [d for d in changed(before, after) if d.key not in rounding]
    words = [d for d in found if d.off is None]
    numbers = [d for d in found if d.off is not None]
    said = []
    if words:
        kinds = list(dict.fromkeys(d.kind for d in words))
        subjects = list(dict.fromkeys(d.key.split("/")[1] for d in words))
        said.append(f"{len(words)} verdicts or texts change ({', '.join(kinds[:3])}: {', '.join(subjects[:2])})")
    if numbers:
        finite = [d.off for d in numbers if d.off is not None and d.off < 1.0]
        most = f", by at most {max(finite):.0e}" if finite and len(finite) == len(numbers) else ""
        said.append(f"{len(numbers)} of {len(before)} answers change{most}")
    return "; ".join(said) or "no answer changes"


def main() -> None:
    if sys.argv[1:2] == ["--ask"]:
        ask(sys.argv[2], float(sys.argv[3]), Path(sys.argv[4]))
        return
    sys.path.insert(0, str(ROOT))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", default=list(DECISIONS))
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.jobs) as pool:
        before = answers_with("", 1.0, Path(folder))
        if isinstance(before, str):
            raise SystemExit(before)
        beside = pool.map(lambda where: answers_with(where, 1.0 + 1e-6, Path(folder)), CONTROLS)
        rounding = {d.key for other in beside for d in changed(before, other)}
        print(f"{len(rounding)} of {len(before)} answers hang on rounding", flush=True)

        def tried(where: str) -> dict[str, str]:
            ways = {"larger": 10.0, "smaller": 0.1}
            return {how: summary(before, answers_with(where, x, Path(folder)), rounding) for how, x in ways.items()}

        for where, said in zip(chosen.numbers, pool.map(tried, chosen.numbers)):
            known = json.loads(TRIED.read_text(encoding="utf-8")) | {where: said}
            TRIED.write_text(
                json.dumps(dict(sorted(known.items())), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
            )
            print(f"{where}: × 10 {said['larger']}; ÷ 10 {said['smaller']}", flush=True)


if __name__ == "__main__":
    main()
