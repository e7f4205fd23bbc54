"""The order of a list of instructions in which few of them wait: as a processor would that looks a number of them ahead."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.trace.native.x86.arithmetic import LATENCY

_SUMS = frozenset({"add", "sub", "xor"})
"""Done beside products, not in their place."""
WINDOW = 6
"""How many instructions to choose from: more hides more latency, fewer need fewer registers."""
_UNKNOWN = 1e300

Instruction = tuple[str, int, tuple[int, ...]]


def ordered(instructions: Sequence[Instruction], values: int) -> list[Instruction]:
    """One after the other, of the next `WINDOW` the one that can begin first, two of a kind in a cycle; `values`: how many."""
    known = [0.0] * values
    for _, value, _ in instructions:
        known[value] = _UNKNOWN
    ahead, begins = list(instructions[:WINDOW]), [_UNKNOWN] * min(WINDOW, len(instructions))
    free = {True: 0.0, False: 0.0}
    done: list[Instruction] = []
    following = WINDOW
    while ahead:
        best, first = 0, _UNKNOWN
        for k, begin in enumerate(begins):
            op, _, operands = ahead[k]
            if begin == _UNKNOWN:
                begin = begins[k] = max([known[a] for a in operands])
            at = free[op in _SUMS]
            if begin > at:
                at = begin
            if at < first:
                best, first = k, at
        chosen = op, value, _ = ahead[best]
        known[value] = first + LATENCY[op]
        free[op in _SUMS] = first + 0.5
        done.append(chosen)
        del ahead[best], begins[best]
        if following < len(instructions):
            ahead.append(instructions[following])
            begins.append(_UNKNOWN)
            following += 1
    return done
