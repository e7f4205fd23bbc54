"""A `Block` as a C99 function: inputs under their names, named intermediates line by line, results last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from dalembert.trace import ops
from dalembert.trace.graph import ordered
from dalembert.trace.native.block import Block
from dalembert.trace.ops import Op
from dalembert.trace.text.c import NOTATION
from dalembert.trace.text.intermediates import program
from dalembert.trace.text.routine import Place, safe_identifiers

LISTED = 8
"""Constants of one kind, one after the other, from which on they are declared together."""


def block_operations(block: Block) -> set[Op]:
    """The operations that its expressions use."""
    return {e.op for e in ordered([out.value for out in block.outputs])}


def block_head(block: Block, name: str, one_of_several: bool = False) -> str:
    """The function's head: arrays that it only reads are constant, unless functions of one type are wanted to choose from."""
    written = {a.name for a in block.arrays} if one_of_several else {out.array for out in block.outputs}
    taken = [f"{'' if a.name in written else 'const '}double *{_array(a.name)}" for a in block.arrays]
    return f"static void {name}({', '.join(taken)})"


def block_source(block: Block, head: str) -> str:
    """The whole function. All inputs are read before anything is written, so that arrays may overlap."""
    return "\n".join([head, "{", *(f"    {line}" for line in _body(block)), "}", ""])


def _array(name: str) -> str:
    """Arrays are called apart from symbols: `q` holds the coordinates, which have names of their own."""
    return f"{name}_"


def _body(block: Block) -> Iterator[str]:
    values = [out.value for out in block.outputs]
    read = {s: place for s, place in block.inputs.items() if s in set(ordered(values))}
    arrays = {_array(a.name) for a in block.arrays}
    local = safe_identifiers((s.name for s in read), arrays)
    places = [Place(s, local[s.name], _array(array), k) for s, (array, k) in read.items()]
    for unused in sorted(arrays - {p.argument for p in places} - {_array(out.array) for out in block.outputs}):
        yield f"(void)({unused});"
    remarks = [f" /* {p.remark.replace('*/', '* /')} */" if p.remark else "" for p in places]
    yield from _declared("double", [(f"{p.identifier} = {p.argument}[{p.index}]", r) for p, r in zip(places, remarks)])
    steps = program(values, taken={*arrays, *local.values()})
    names = {p.symbol: p.identifier for p in places} | steps.names
    write = NOTATION.writer(names)
    for kind, group in groupby(steps.assignments, lambda a: "int" if a[1].op in ops.BOOLEAN else "double"):
        yield from _declared(kind, [(f"{name} = {NOTATION.define(e, write).text}", "") for name, e in group])
    for out in block.outputs:
        yield f"{_array(out.array)}[{out.index}] {'+=' if out.add else '='} {write(out.value).text};"


def _declared(kind: str, definitions: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Constants of one kind, each with a remark, line by line; a long list says the kind once."""
    if len(definitions) < LISTED:
        yield from (f"const {kind} {text};{remark}" for text, remark in definitions)
        return
    yield f"const {kind}"
    last = len(definitions) - 1
    yield from (f"{text}{';' if k == last else ','}{remark}" for k, (text, remark) in enumerate(definitions))
