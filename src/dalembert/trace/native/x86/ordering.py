"""The order of a list of instructions in which few of them wait: as a processor would that looks a number of them ahead."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.trace.native.x86.arithmetic import LATENCY

_SUMS = frozenset({"add", "sub", "xor"})
WINDOW = 12
"""How far an instruction may overtake: more hides more latency, less needs fewer registers."""

Instruction = tuple[str, int, tuple[int, ...]]


def ordered(instructions: Sequence[Instruction], window: int = WINDOW) -> list[Instruction]:
    """Cycle by cycle, the first instructions that are ready: two products and two sums at most."""
    ready: dict[int, int] = {}
    making = {value for _, value, _ in instructions}
    ahead = list(instructions[:window])
    rest = iter(instructions[window:])
    done: list[Instruction] = []
    cycle = 0
    while ahead:
        products = sums = 2
        waiting: list[Instruction] = []
        for instruction in ahead:
            op, value, operands = instruction
            room = sums if op in _SUMS else products
            if room and all(a not in making or ready.get(a, 1 << 30) <= cycle for a in operands):
                ready[value] = cycle + LATENCY[op]
                done.append(instruction)
                if op in _SUMS:
                    sums -= 1
                else:
                    products -= 1
            else:
                waiting.append(instruction)
        for _ in range(len(ahead) - len(waiting)):
            further = next(rest, None)
            if further is None:
                break
            waiting.append(further)
        ahead = waiting
        cycle += 1
    return done
