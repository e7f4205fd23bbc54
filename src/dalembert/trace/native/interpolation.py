"""Tables in machine code: the piece is found by halving, its polynomial by Horner's rule, lane by lane."""

from __future__ import annotations

import numpy as np

from dalembert.trace.native.llvm_text import FunctionText, Lanes, ModuleText, lane_by_lane
from dalembert.trace.table import TableOp


def table_value(body: FunctionText, op: TableOp, x: str) -> str:
    """The table's value at x."""
    return body.call(_function(body.module, op, body.lanes), x)


def _function(module: ModuleText, op: TableOp, lanes: Lanes) -> str:
    scalar = f"dalembert_{op.name}"
    if scalar not in module:
        module.define(f"{scalar}.breaks", _data(f"{scalar}.breaks", op.breaks))
        module.define(f"{scalar}.pieces", _data(f"{scalar}.pieces", op.coefficients.T))
        module.define(scalar, _code(scalar, len(op.breaks) - 1, len(op.coefficients)))
    if lanes.count == 1:
        return f"@{scalar}"
    helper = f"{scalar}_{lanes.count}"
    if helper not in module:
        module.define(helper, lane_by_lane(helper, f"@{scalar}", lanes, 1))
    return f"@{helper}"


def _data(name: str, values: np.ndarray) -> str:
    content = np.ascontiguousarray(values, dtype="<f8").tobytes().hex("\\")
    return f'@{name} = internal constant [{values.size * 8} x i8] c"\\{content}", align 64'


def _code(name: str, pieces: int, terms: int) -> str:
    """Between `low` and `high` lies the piece; it is outside, or x is not a number, where the first test fails."""
    horner = []
    total = "%c0"
    for k in range(terms):
        horner.append(f"  %a{k} = getelementptr double, ptr %piece, i64 {k}")
        horner.append(f"  %c{k} = load double, ptr %a{k}")
        if k:
            horner.append(f"  %m{k} = fmul contract double {total}, %d")
            horner.append(f"  %s{k} = fadd contract double %m{k}, %c{k}")
            total = f"%s{k}"
    return f"""define internal double @{name}(double %x) noinline nounwind {{
entry:
  %first = load double, ptr @{name}.breaks
  %end = getelementptr double, ptr @{name}.breaks, i64 {pieces}
  %last = load double, ptr %end
  %from = fcmp oge double %x, %first
  %to = fcmp ole double %x, %last
  %inside = and i1 %from, %to
  br i1 %inside, label %search, label %outside
search:
  %low = phi i64 [0, %entry], [%low1, %halve]
  %high = phi i64 [{pieces}, %entry], [%high1, %halve]
  %gap = sub i64 %high, %low
  %more = icmp sgt i64 %gap, 1
  br i1 %more, label %halve, label %found
halve:
  %sum = add i64 %low, %high
  %middle = lshr i64 %sum, 1
  %place = getelementptr double, ptr @{name}.breaks, i64 %middle
  %break = load double, ptr %place
  %right = fcmp oge double %x, %break
  %low1 = select i1 %right, i64 %middle, i64 %low
  %high1 = select i1 %right, i64 %high, i64 %middle
  br label %search
found:
  %begin = getelementptr double, ptr @{name}.breaks, i64 %low
  %x0 = load double, ptr %begin
  %d = fsub double %x, %x0
  %row = mul i64 %low, {terms}
  %piece = getelementptr double, ptr @{name}.pieces, i64 %row
{chr(10).join(horner)}
  ret double {total}
outside:
  ret double 0x7FF8000000000000
}}"""
