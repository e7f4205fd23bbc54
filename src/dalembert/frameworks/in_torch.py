"""PyTorch: one `torch.autograd.Function` around each compiled function. Batches have their axes in front of every argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.errors import ArgumentError
from dalembert.frameworks.array_function import ArrayFunction
from dalembert.frameworks.offered import Offered
from dalembert.optional import optional

torch: Any = optional("torch", "m.torch")


class TorchFunctions(Offered):
    """The functions on tensors of float64, on the CPU."""

    def _call(self, function: ArrayFunction, *arguments: Any) -> Any:
        """Batches of any number of axes become one axis, and again what they were."""
        fronts = [x.shape[: x.ndim - len(shape)] for x, shape in zip(arguments, function.shapes)]
        front = torch.broadcast_shapes(*fronts)
        flat = [
            x.expand(*front, *shape).reshape(-1, *shape) if len(own) else x
            for x, own, shape in zip(arguments, fronts, function.shapes)
        ]
        found = _Compiled.apply(function, *flat)
        return found.reshape(*front, *function.shape) if len(front) else found

    def _array(self, x: Any) -> Any:
        if not isinstance(x, torch.Tensor):
            return torch.as_tensor(np.asarray(x, dtype=float))
        if x.dtype != torch.float64 or x.device.type != "cpu":
            raise ArgumentError(
                f"m.torch computes with float64 on the CPU, and was given {x.dtype} on {x.device}: use x.double().cpu()"
            )
        return x

    def _stacked(self, values: Sequence[Any]) -> Any:
        return torch.stack(torch.broadcast_tensors(*values), dim=-1) if values else torch.zeros(0, dtype=torch.float64)


class _Compiled(torch.autograd.Function):  # type: ignore[misc]
    """Forward a value, backward the weights on all arguments in one call."""

    @staticmethod
    def forward(function: ArrayFunction, *arguments: Any) -> Any:
        return torch.from_numpy(np.array(function.value(*(x.detach().numpy() for x in arguments))))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.function = inputs[0]
        ctx.save_for_backward(*inputs[1:])
        ctx.save_for_forward(*inputs[1:])

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, w: Any) -> Any:
        arguments, function = ctx.saved_tensors, ctx.function
        found = function.weigh(*(x.numpy() for x in arguments), w.contiguous().numpy())
        shaped = [
            g.sum(axis=0) if np.ndim(g) > x.ndim else g for g, x in zip(found, arguments)
        ]  # one for all of a batch
        return None, *(torch.from_numpy(np.array(g)) for g in shaped)

    @staticmethod
    def jvp(ctx: Any, _: Any, *directions: Any) -> Any:
        arguments = ctx.saved_tensors
        moved = [torch.zeros_like(x) if d is None else d for x, d in zip(arguments, directions)]
        found = ctx.function.change(*(x.detach().numpy() for x in (*arguments, *moved)))
        return torch.from_numpy(np.array(found))
