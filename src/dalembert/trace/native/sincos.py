"""Sine and cosine of many arguments at once: own polynomials, one test for all, the C library for what they cannot do.

Up to |x| = 10⁶ the quadrant n = round(2x/π) is subtracted in four terms (Cody & Waite; π/2 split as in fdlibm's
e_rem_pio2.c, n·P1 and n·P2 exact) and fdlibm's k_sin and k_cos polynomials do the rest: error ≤ 2.5 ulp, no branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from dalembert.trace.native.llvm_text import FunctionText, Lanes, ModuleText
from dalembert.trace.native.target import PLAIN

LARGEST = 1.0e6
"""The quadrant's product with π/2's leading bits is exact up to here."""

_HARDLY_EVER = '!prof !{!"branch_weights", i32 1, i32 100000}'
_TWO_OVER_PI = 0.63661977236758134308
_HALF_PI = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21, 1.0085854035872483e-37)
_ROUNDER = 6755399441055744.0  # 1.5·2⁵²: adding it rounds to an integer, which then sits in the low bits
_SINE = (
    1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
    -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01,
)  # fmt: skip
_COSINE = (
    -1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
    2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02,
)  # fmt: skip


def sincos_group(body: FunctionText, arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Append code for (sine, cosine) of every argument; it ends in a new basic block."""
    lanes = body.lanes
    label = body.fresh()[1:]
    outside = _any_outside(body, arguments)
    body.lines.append(f"br i1 {outside}, label %{label}.slow, label %{label}.fast, {_HARDLY_EVER}\n{label}.fast:")
    fast = _fast(body, arguments)
    body.lines.append(f"br label %{label}.join\n{label}.slow:")
    slow = _slow(body, arguments)
    body.lines.append(f"br label %{label}.join\n{label}.join:")
    joined = []
    for (sine, cosine), (slow_sine, slow_cosine) in zip(fast, slow, strict=True):
        s = body.let(f"phi {lanes.real} [{sine}, %{label}.fast], [{slow_sine}, %{label}.slow]")
        c = body.let(f"phi {lanes.real} [{cosine}, %{label}.fast], [{slow_cosine}, %{label}.slow]")
        joined.append((s, c))
    return joined


def _any_outside(body: FunctionText, arguments: Sequence[str]) -> str:
    """Whether any lane of any argument is too large or not a number."""
    lanes = body.lanes
    outside = ""
    for x in arguments:
        size = body.intrinsic("fabs", x)
        beyond = body.let(f"fcmp ugt {lanes.real} {size}, {lanes.constant(LARGEST)}")
        outside = body.let(f"or {lanes.mask} {outside}, {beyond}") if outside else beyond
    if lanes.count == 1:
        return outside
    bits = body.let(f"bitcast {lanes.mask} {outside} to i{lanes.count}")
    return body.let(f"icmp ne i{lanes.count} {bits}, 0")


def _slow(body: FunctionText, arguments: Sequence[str]) -> list[tuple[str, str]]:
    lanes, n = body.lanes, len(arguments)
    spaces = [body.allocate(f"[{n * lanes.count} x double]", 64) for _ in ("angles", "sines", "cosines")]
    x_space, *result_spaces = spaces
    for i, x in enumerate(arguments):
        body.lines.append(f"store {lanes.real} {x}, ptr {body.element(x_space, i * lanes.count)}, align 8")
    passed = ", ".join(f"ptr {space}" for space in spaces)
    body.lines.append(f"call void {body.module.slow_sincos()}({passed}, i64 {n * lanes.count})")

    def loaded(space: str, i: int) -> str:
        return body.let(f"load {lanes.real}, ptr {body.element(space, i * lanes.count)}, align 8")

    return [(loaded(result_spaces[0], i), loaded(result_spaces[1], i)) for i in range(n)]


def _fast(body: FunctionText, arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Sines and cosines of |x| ≤ 10⁶, from the text written once for all; two by two, line by line, so that one goes on while the
    other waits."""
    body.module.intrinsic("fmuladd", body.lanes, 3)
    body.module.intrinsic("copysign", body.lanes, 2)
    template, sine, cosine = _template(body.lanes)
    names = [body.fresh() + "." for _ in arguments]
    texts = [
        template.replace("%v", name).replace("%angle", x).split("\n") for name, x in zip(names, arguments, strict=True)
    ]
    for k in range(0, len(texts), 2):
        body.lines.extend(line for lines in zip(*texts[k : k + 2], strict=True) for line in lines)
    return [(sine.replace("%v", name), cosine.replace("%v", name)) for name in names]


@cache
def _template(lanes: Lanes) -> tuple[str, str, str]:
    body = FunctionText(ModuleText(PLAIN), lanes)
    sine, cosine = _polynomials(body, "%angle")
    return "\n".join(body.lines), sine, cosine


def _polynomials(body: FunctionText, x: str) -> tuple[str, str]:
    """Only `fmuladd` may fuse here: the error terms rely on plain rounding elsewhere."""
    real, integer, constant = body.lanes.real, body.lanes.integer, body.lanes.constant
    let = body.let

    def fma(a: str, b: str, c: str) -> str:
        return body.intrinsic("fmuladd", a, b, c)

    def polynomial(z: str, coefficients: Sequence[float]) -> str:
        value = constant(coefficients[0])
        for c in coefficients[1:]:
            value = fma(value, z, constant(c))
        return value

    shifted = fma(x, constant(_TWO_OVER_PI), constant(_ROUNDER))
    quadrant = let(f"fsub {real} {shifted}, {constant(_ROUNDER)}")
    minus_quadrant = let(f"fneg {real} {quadrant}")
    y = x
    for part in _HALF_PI:
        y = fma(minus_quadrant, constant(part), y)
    z = let(f"fmul {real} {y}, {y}")

    yz = let(f"fmul {real} {y}, {z}")
    sine = body.intrinsic("copysign", fma(yz, polynomial(z, _SINE), y), y)  # keeps the sign of −0

    zz = let(f"fmul {real} {z}, {z}")
    half = let(f"fmul {real} {z}, {constant(0.5)}")
    rough = let(f"fsub {real} {constant(1.0)}, {half}")
    lost = let(f"fsub {real} {let(f'fsub {real} {constant(1.0)}, {rough}')}, {half}")
    cosine = let(f"fadd {real} {rough}, {fma(zz, polynomial(z, _COSINE), lost)}")

    bits = let(f"bitcast {real} {shifted} to {integer}")
    one, two, to_sign = (body.lanes.integer_constant(k) for k in (1, 2, 62))
    odd = let(f"icmp ne {integer} {let(f'and {integer} {bits}, {one}')}, {body.lanes.integer_constant(0)}")

    def signed(value: str, quadrant_bits: str) -> str:
        flip = let(f"shl {integer} {let(f'and {integer} {quadrant_bits}, {two}')}, {to_sign}")
        turned = let(f"xor {integer} {let(f'bitcast {real} {value} to {integer}')}, {flip}")
        return let(f"bitcast {integer} {turned} to {real}")

    def pick(when_odd: str, when_even: str) -> str:
        return let(f"select {body.lanes.mask} {odd}, {real} {when_odd}, {real} {when_even}")

    return signed(pick(cosine, sine), bits), signed(pick(sine, cosine), let(f"add {integer} {bits}, {one}"))
