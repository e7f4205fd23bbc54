"""LLVM instructions for each operation of the graph except sine and cosine, which are computed in groups."""

from __future__ import annotations

from collections.abc import Callable

from dalembert.trace import ops
from dalembert.trace.native.llvm_text import FunctionText
from dalembert.trace.ops import Op

ARITHMETIC: dict[Op, str] = {
    ops.ADD: "fadd contract",
    ops.SUB: "fsub contract",
    ops.MUL: "fmul contract",
    ops.DIV: "fdiv",
}
"""Two operands, one instruction. `contract` lets a product and a sum become one rounding."""

CONDITIONS: dict[Op, str] = {ops.LT: "fcmp olt", ops.LE: "fcmp ole"}
"""Two operands, a mask."""

LOGIC: dict[Op, str] = {ops.AND: "and", ops.OR: "or"}
"""Two masks, a mask."""


def _negative(body: FunctionText, x: str) -> str:
    return body.let(f"fneg {body.lanes.real} {x}")


def choose(body: FunctionText, condition: str, yes: str, no: str) -> str:
    real = body.lanes.real
    return body.let(f"select {body.lanes.mask} {condition}, {real} {yes}, {real} {no}")


def compare(body: FunctionText, how: str, a: str, b: str) -> str:
    return body.let(f"fcmp {how} {body.lanes.real} {a}, {b}")


def _sign(body: FunctionText, x: str) -> str:
    zero = body.lanes.constant(0.0)
    flat = body.let(f"fadd {body.lanes.real} {x}, {zero}")  # −0 becomes 0; NaN stays
    up = choose(body, compare(body, "ogt", x, zero), body.lanes.constant(1.0), flat)
    return choose(body, compare(body, "olt", x, zero), body.lanes.constant(-1.0), up)


def _extreme(how: str) -> Callable[[FunctionText, str, str], str]:
    """Minimum or maximum; NaN if either is, as NumPy's."""

    def rule(body: FunctionText, a: str, b: str) -> str:
        extreme = choose(body, compare(body, how, a, b), a, b)
        return choose(body, compare(body, "uno", a, a), a, extreme)

    return rule


def _intrinsic(name: str) -> Callable[..., str]:
    return lambda body, *x: body.intrinsic(name, *x)


def _library(name: str) -> Callable[..., str]:
    return lambda body, *x: body.library(name, *x)


_LIBRARY = (
    ops.EXP, ops.LOG, ops.TAN, ops.ASIN, ops.ACOS, ops.ATAN, ops.ATAN2, ops.SINH, ops.COSH, ops.TANH, ops.POW, ops.FMOD,
)  # fmt: skip

FUNCTIONS: dict[Op, Callable[..., str]] = {
    ops.NEG: _negative,
    ops.SQRT: _intrinsic("sqrt"),
    ops.ABS: _intrinsic("fabs"),
    ops.FLOOR: _intrinsic("floor"),
    ops.SIGN: _sign,
    ops.MIN: _extreme("olt"),
    ops.MAX: _extreme("ogt"),
    **{op: _library(op.name) for op in _LIBRARY},
}
"""Reals in, a real out: `rule(body, *operands)`."""
