"""Small dense linear algebra in compiled loops: L D Lᵀ in lanes for mass matrices, L U with row exchange, real and complex."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from dalembert.trace.native import Bool, Int, IntPointer, Module, Pointer, Real, Signature, select


@dataclass(frozen=True)
class Solver:
    """`factorise(A, …)` in place, then `solve(A, …, b)` in place."""

    factorise: Signature
    solve: Signature


def emit_ldl(module: Module, n: int, lanes: int) -> Solver:
    """A = L D Lᵀ of a symmetric positive definite n × n matrix, `lanes` of them at once: factorise(A), solve(A, b)."""
    with module.function("ldl_factorise", lanes=lanes, public=False, A=Pointer) as f:
        a = f.A
        with f.loop(n) as j:
            with f.loop(j) as k:
                a[j * n + j] = a[j * n + j] - a[j * n + k] * a[j * n + k] * a[k * n + k]
            with f.loop(j + 1, n) as i:
                v = f.variables(sum=a[i * n + j])
                with f.loop(j) as k:
                    v.sum = v.sum - a[i * n + k] * a[j * n + k] * a[k * n + k]
                a[i * n + j] = v.sum / a[j * n + j]
    factorise = f.signature
    with module.function("ldl_solve", lanes=lanes, public=False, A=Pointer, b=Pointer) as f:
        a, b = f.A, f.b
        with f.loop(n) as i, f.loop(i) as k:
            b[i] = b[i] - a[i * n + k] * b[k]
        with f.countdown(n) as i:
            v = f.variables(sum=b[i] / a[i * n + i])
            with f.loop(i + 1, n) as k:
                v.sum = v.sum - a[k * n + i] * b[k]
            b[i] = v.sum
    return Solver(factorise, f.signature)


N = TypeVar("N")


class Numbers(Protocol[N]):
    """How numbers of one kind are read, written and reckoned with."""

    name: str
    width: int

    def get(self, a: Pointer, i: Int) -> N: ...
    def put(self, a: Pointer, i: Int, x: N) -> None: ...
    def size(self, x: N) -> Real: ...
    def minus_product(self, x: N, a: N, b: N) -> N: ...
    def over(self, x: N, y: N) -> N: ...


class RealNumbers:
    """Elements of an array of reals."""

    name = "real"
    width = 1

    def get(self, a: Pointer, i: Int) -> Real:
        return a[i]

    def put(self, a: Pointer, i: Int, x: Real) -> None:
        a[i] = x

    def size(self, x: Real) -> Real:
        return abs(x)

    def minus_product(self, x: Real, a: Real, b: Real) -> Real:
        return x - a * b

    def over(self, x: Real, y: Real) -> Real:
        return x / y


Complex = tuple[Real, Real]
"""Real and imaginary part."""


class ComplexNumbers:
    """Elements of an array of complex numbers, real and imaginary part side by side."""

    name = "complex"
    width = 2

    def get(self, a: Pointer, i: Int) -> Complex:
        return a[2 * i], a[2 * i + 1]

    def put(self, a: Pointer, i: Int, x: Complex) -> None:
        a[2 * i], a[2 * i + 1] = x

    def size(self, x: Complex) -> Real:
        return abs(x[0]) + abs(x[1])

    def minus_product(self, x: Complex, a: Complex, b: Complex) -> Complex:
        return x[0] - (a[0] * b[0] - a[1] * b[1]), x[1] - (a[0] * b[1] + a[1] * b[0])

    def over(self, x: Complex, y: Complex) -> Complex:
        square = y[0] * y[0] + y[1] * y[1]
        return (x[0] * y[0] + x[1] * y[1]) / square, (x[1] * y[0] - x[0] * y[1]) / square


def emit_lu(module: Module, n: int, numbers: Numbers[N]) -> Solver:
    """P A = L U of a general n × n matrix: factorise(A, rows), solve(A, rows, b). `rows` are n integers."""
    get, put = numbers.get, numbers.put
    with module.function(f"lu_{numbers.name}", public=False, A=Pointer, rows=IntPointer) as f:
        a = f.A
        with f.loop(n) as j:
            v = f.variables(best=j, size=numbers.size(get(a, j * n + j)))
            with f.loop(j + 1, n) as i:
                size = numbers.size(get(a, i * n + j))
                larger: Bool = (size > v.size).all()
                v.best = select(larger, i, v.best)
                v.size = select(larger, size, v.size)
            f.rows[j] = v.best
            with f.loop(n) as k:
                _exchange(numbers, a, j * n + k, v.best * n + k)
            with f.loop(j + 1, n) as i:
                factor = numbers.over(get(a, i * n + j), get(a, j * n + j))
                put(a, i * n + j, factor)
                with f.loop(j + 1, n) as k:
                    put(a, i * n + k, numbers.minus_product(get(a, i * n + k), factor, get(a, j * n + k)))
    factorise = f.signature
    with module.function(f"lu_solve_{numbers.name}", public=False, A=Pointer, rows=IntPointer, b=Pointer) as f:
        a, b = f.A, f.b
        with f.loop(n) as i:
            _exchange(numbers, b, i, f.rows[i])
        with f.loop(n) as i, f.loop(i) as k:
            put(b, i, numbers.minus_product(get(b, i), get(a, i * n + k), get(b, k)))
        with f.countdown(n) as i:
            with f.loop(i + 1, n) as k:
                put(b, i, numbers.minus_product(get(b, i), get(a, i * n + k), get(b, k)))
            put(b, i, numbers.over(get(b, i), get(a, i * n + i)))
    return Solver(factorise, f.signature)


def _exchange(numbers: Numbers[N], a: Pointer, i: Int, j: Int) -> None:
    first, second = numbers.get(a, i), numbers.get(a, j)
    numbers.put(a, i, second)
    numbers.put(a, j, first)
