"""An elastic body in plain words: modes kept, frequencies, frame, what is stiffened."""

from __future__ import annotations

import numpy as np

from dalembert.elastic.body import ElasticBody
from dalembert.elastic.spin import spin_limit


def describe(body: ElasticBody) -> str:
    """A few lines for people."""
    if not body.n:
        return f"rigid: mass {body.m:.6g} kg, no elastic coordinates; nodes {_names(body)}"
    lines = [
        f"elastic body: mass {body.m:.6g} kg, {body.n} modes ({', '.join(body.modes)})",
        f"frequencies with the frame fixed (Hz): {', '.join(f'{w / (2 * np.pi):.4g}' for w in body.frequencies)}",
        f"damping ratios: {_damping(body)}",
        f"floating frame: {body.frame}",
        f"geometric stiffening: {_stiffening(body)}",
        f"nodes: {_names(body)}",
        *body.remarks,
    ]
    return "\n".join(lines)


def _names(body: ElasticBody) -> str:
    return ", ".join(f"{k} at ({', '.join(f'{x:.4g}' for x in v.r)})" for k, v in body.nodes.items()) or "none"


def _damping(body: ElasticBody) -> str:
    if not body.De.any():
        return "none"
    from scipy.linalg import eigh

    squares, V = eigh(body.Ke, body.Me)
    ratios = np.diag(V.T @ body.De @ V) / (2.0 * np.sqrt(np.maximum(squares, 1e-300)))
    return ", ".join(f"{x:.4g}" for x in ratios)


def _stiffening(body: ElasticBody) -> str:
    limits = {name: spin_limit(body, axis) for name, axis in zip("xyz", np.eye(3))}
    finite = [f"{name} {limit:.4g}" for name, limit in limits.items() if np.isfinite(limit)]
    what = (
        f"stiffness is spent by a spin (rad/s) about {', '.join(finite)}" if finite else "no spin spends its stiffness"
    )
    return f"{'on' if body.stiffened else 'off'}; {what}"
