"""JAX: three primitives, a value, its change along a direction and the weights on its arguments, each a call into compiled code.

On CPUs XLA calls it as a foreign function with the addresses of its buffers (`xla_call.py`), elsewhere through JAX's callbacks.
The change is linear in the direction and its transpose is the weighing, so jit, grad, jvp and jacobians follow. `vmap` puts its axis in
front of all arguments that have it, and the batch goes to compiled code in one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from dalembert.errors import ArgumentError
from dalembert.frameworks.array_function import ArrayFunction
from dalembert.frameworks.offered import Offered
from dalembert.frameworks.xla_call import foreign, interface
from dalembert.optional import optional

jax: Any = optional("jax", "m.jax")
jnp: Any = optional("jax.numpy", "m.jax")
core: Any = optional("jax.extend.core", "m.jax")
ad: Any = optional("jax.interpreters.ad", "m.jax")
batching: Any = optional("jax.interpreters.batching", "m.jax")
mlir: Any = optional("jax.interpreters.mlir", "m.jax")


class JaxFunctions(Offered):
    """The functions on arrays of JAX."""

    def _call(self, function: ArrayFunction, *arguments: Any) -> Any:
        return _value.bind(*arguments, function=function)[0]

    def _array(self, x: Any) -> Any:
        made = jnp.asarray(x, dtype=float)
        if made.dtype != jnp.float64:
            raise ArgumentError(
                'm.jax needs float64, which JAX leaves out unless asked: jax.config.update("jax_enable_x64", True), before any array '
                "is made"
            )
        return made

    def _stacked(self, values: Sequence[Any]) -> Any:
        return jnp.stack(jnp.broadcast_arrays(*values), axis=-1) if values else jnp.zeros(0)


def _value_shapes(function: ArrayFunction) -> tuple[tuple[int, ...], ...]:
    return function.shapes


def _change_shapes(function: ArrayFunction) -> tuple[tuple[int, ...], ...]:
    return (*function.shapes, *function.shapes)


def _weigh_shapes(function: ArrayFunction) -> tuple[tuple[int, ...], ...]:
    return (*function.shapes, function.shape)


def _primitive(name: str, method: str, shapes: Any, results: Any) -> Any:
    """A primitive that calls a method of the function; its arguments have at most one axis beyond their shapes."""
    made = core.Primitive(f"dalembert_{name}")
    made.multiple_results = True

    def count_of(arguments: Sequence[Any], function: ArrayFunction) -> int | None:
        counts = [a.shape[0] for a, shape in zip(arguments, shapes(function)) if a.ndim > len(shape)]
        return counts[0] if counts else None

    def abstract(*arguments: Any, function: ArrayFunction) -> Any:
        for a, shape in zip(arguments, shapes(function)):
            if a.shape[a.ndim - len(shape) :] != shape or a.ndim > len(shape) + 1:
                raise ArgumentError(
                    f"m.jax.{function.name} takes one state of shapes {function.shapes}, not {a.shape}; use jax.vmap for many"
                )
        count = count_of(arguments, function)
        front = () if count is None else (count,)
        return [jax.core.ShapedArray((*front, *shape), np.dtype(float)) for shape in results(function)]

    def run(function: ArrayFunction, *given: np.ndarray) -> tuple[np.ndarray, ...]:
        found = getattr(function, method)(*given)
        return found if isinstance(found, tuple) else (found,)

    def run_back(function: ArrayFunction, *given: Any) -> tuple[np.ndarray, ...]:
        return tuple(np.asarray(x, order="C") for x in run(function, *(np.asarray(x) for x in given)))

    def outputs(arguments: Sequence[Any], function: ArrayFunction) -> tuple[Any, ...]:
        return tuple(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in abstract(*arguments, function=function))

    def call(*arguments: Any, function: ArrayFunction) -> Any:
        return list(jax.pure_callback(partial(run_back, function), outputs(arguments, function), *arguments))

    name_of = cache(lambda function: foreign(partial(run, function)))

    def call_buffers(*arguments: Any, function: ArrayFunction) -> Any:
        return list(jax.ffi.ffi_call(name_of(function), outputs(arguments, function))(*arguments))

    def batched(arguments: Sequence[Any], axes: Sequence[Any], function: ArrayFunction) -> Any:
        """The new axis in front; where there is one already, both become one."""
        size = next(a.shape[axis] for a, axis in zip(arguments, axes) if axis is not None)
        moved = [a if x is None else jnp.moveaxis(a, x, 0) for a, x in zip(arguments, axes)]
        inner = None
        for a, x, shape in zip(moved, axes, shapes(function)):
            beyond = a.ndim - len(shape) - (x is not None)
            inner = a.shape[a.ndim - len(shape) - 1] if beyond else inner
        if inner is None:
            return made.bind(*moved, function=function), [0] * len(results(function))
        full = [_joined(a, x, (size, inner, *shape)) for a, x, shape in zip(moved, axes, shapes(function))]
        found = made.bind(*full, function=function)
        return [y.reshape(size, inner, *y.shape[1:]) for y in found], [0] * len(found)

    made.def_impl(jax.jit(made.bind, static_argnames="function"))
    made.def_abstract_eval(abstract)
    mlir.register_lowering(made, mlir.lower_fun(call, multiple_results=True))
    if interface() is not None:
        mlir.register_lowering(made, mlir.lower_fun(call_buffers, multiple_results=True), platform="cpu")
    batching.primitive_batchers[made] = batched
    return made


def _joined(x: Any, axis: int | None, shape: tuple[int, ...]) -> Any:
    """An array with its two axes in front as one; those that it lacks are filled in."""
    both = x if axis is not None else x[None]
    both = both if both.ndim == len(shape) else both[:, None]
    return jnp.broadcast_to(both, shape).reshape(shape[0] * shape[1], *shape[2:])


_value = _primitive("value", "value", _value_shapes, lambda f: (f.shape,))
_change = _primitive("change", "change", _change_shapes, lambda f: (f.shape,))
_weigh = _primitive("weigh", "weigh", _weigh_shapes, lambda f: f.shapes)


def _filled(tangents: Sequence[Any]) -> list[Any]:
    return [ad.instantiate_zeros(x) for x in tangents]


def _spread(arguments: Sequence[Any], tangents: Sequence[Any]) -> Any:
    return (*arguments, *_filled(tangents))


def _value_jvp(primals: Sequence[Any], tangents: Sequence[Any], function: ArrayFunction) -> Any:
    return _value.bind(*primals, function=function), _change.bind(*_spread(primals, tangents), function=function)


def _change_jvp(primals: Sequence[Any], tangents: Sequence[Any], function: ArrayFunction) -> Any:
    n = len(function.shapes)
    _check_once(tangents[:n], function)
    moved = _change.bind(*_spread(primals[:n], tangents[n:]), function=function)
    return _change.bind(*primals, function=function), moved


def _change_transpose(weights: Sequence[Any], *arguments: Any, function: ArrayFunction) -> Any:
    """Weights on the change are weights on the directions."""
    n = len(function.shapes)
    w = ad.instantiate_zeros(weights[0])
    found = _weigh.bind(*arguments[:n], w, function=function)
    return [None] * n + [g if ad.is_undefined_primal(d) else None for g, d in zip(found, arguments[n:])]


def _weigh_jvp(primals: Sequence[Any], tangents: Sequence[Any], function: ArrayFunction) -> Any:
    n = len(function.shapes)
    _check_once(tangents[:n], function)
    moved = _weigh.bind(*primals[:n], ad.instantiate_zeros(tangents[n]), function=function)
    return _weigh.bind(*primals, function=function), moved


def _check_once(tangents: Sequence[Any], function: ArrayFunction) -> None:
    if any(type(x) is not ad.Zero for x in tangents):
        raise ArgumentError(
            f"m.jax.{function.name} has first derivatives only: a Hessian needs second ones; use jax.jacobian, and Gauss and Newton's "
            "approximation"
        )


ad.primitive_jvps[_value] = _value_jvp
ad.primitive_jvps[_change] = _change_jvp
ad.primitive_transposes[_change] = _change_transpose
ad.primitive_jvps[_weigh] = _weigh_jvp
