"""Pictures of the pages of concepts, drawn from mechanisms that are computed, when the site is built.

Where such a page says `<!-- picture: NAME -->`, the drawing of that name stands.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da
from dalembert.files.gallery import find

MARK = re.compile(r"^<!-- picture: (\w+) -->$", re.MULTILINE)
BLUE, ORANGE, GREEN, RED, GREY = "#3f7fe0", "#e08a2c", "#2a9d74", "#d64550", "#8a8f98"
BEND = 2.5
"""How much larger than computed the beam's deformation is drawn."""


def frames() -> Any:
    """Two links with their body frames, and the vector between the joints."""
    s = da.System("two links")
    s.add_body("upper", da.rod(mass=1.0, length=2.0))
    s.add_body("lower", da.rod(mass=1.0, length=1.5))
    s.add_joint("A", da.Revolute(), "ground", "upper")
    s.add_joint("B", da.Revolute(), "upper", "lower", at_parent=(2.0, 0, 0))
    state = s.build().state([0.7, -1.1], [0.0, 0.0])
    fig, ax = _plain((6.4, 3.6))
    for name, length, colour in (("upper", 2.0, BLUE), ("lower", 1.5, ORANGE)):
        start, end = (_flat(state.position((name, (x, 0, 0)))) for x in (0.0, length))
        ax.plot(*zip(start, end), color=colour, linewidth=9, alpha=0.3, solid_capstyle="round")
        _axes(ax, start, _flat(state.rotation(name)), colour, f"body frame of {name}", 0.55)
    _axes(ax, np.zeros(2), np.eye(2), GREY, "", 0.55)
    ax.text(0.6, -0.16, "world", color=GREY, fontsize=9, ha="center")
    elbow = _flat(state.position(("upper", (2.0, 0, 0))))
    ax.annotate("", elbow, (0, 0), arrowprops={"arrowstyle": "-|>", "color": RED, "linestyle": "--"})
    ax.text(*np.add(0.6 * elbow, (0.12, -0.1)), "p_AB_W = (1.53, 1.29, 0) m", color=RED, va="top")
    ax.plot(*np.array([(0.0, 0.0), elbow]).T, "o", color="black", markersize=5)
    ax.text(-0.08, -0.12, "joint A", ha="right", va="top")
    ax.text(*np.add(elbow, (-0.12, 0.02)), "joint B", ha="right")
    return fig


def speeds() -> Any:
    """A body that tumbles: its angular velocity, and the rates of its three angles."""
    s = da.System("tumbling")
    s.add_body("body", da.box(10.0, (1.0, 0.6, 0.3)))
    s.add_joint("float", da.Free(orientation="123"), "ground", "body")
    motion = s.build().simulate(8.0, speeds={"float": [0.3, 1.0, 0.08, 0, 0, 0]}, output=0.01)
    rates = np.gradient(motion.q[:, :3], motion.t, axis=0)
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.0), sharex=True)
    for k, colour in enumerate((BLUE, ORANGE, GREEN)):
        left.plot(motion.t, motion.u[:, k], color=colour, label=("wx", "wy", "wz")[k])
        right.plot(motion.t, rates[:, k], color=colour, label=f"rate of angle {k + 1}")
    for ax, title in ((left, "angular velocity, child axes"), (right, "rates of three angles")):
        _curve(ax, "time, s", "rad/s", title)
    return fig


def loops() -> Any:
    """A four-bar with its graph: the tree, and the joint where the loop is cut."""
    m = da.load(find("four_bar"))
    state = m.state(*m.assemble(m.plan.initial))
    fig, ax = _plain((6.8, 3.8))
    for name, length, colour in (("crank", 0.4, BLUE), ("coupler", 1.0, ORANGE), ("rocker", 0.9, GREEN)):
        start, end = (_flat(state.position((name, (x, 0, 0)))) for x in (0.0, length))
        ax.plot(*zip(start, end), color=colour, linewidth=8, alpha=0.55, solid_capstyle="round")
        ax.text(*(0.5 * (start + end) + (0.06, -0.1)), name, color=colour)
    tree = [_flat(state.position(x)) for x in ("crank", "coupler", "rocker")]
    cut = _flat(state.position(("coupler", (1.0, 0, 0))))
    for at, label in zip(tree, ("A", "B", "D")):
        ax.plot(*at, "o", color="white", markeredgecolor="black", markersize=9)
        ax.text(*np.add(at, (-0.06, 0.07)), label, ha="right")
    ax.plot(*cut, "o", color=RED, markersize=11)
    ax.text(*np.add(cut, (0.04, 0.07)), "C: cut, five rows", color=RED)
    for way, label in (((0.22, 0.0), "x"), ((0.0, -0.22), "y")):
        ax.annotate("", cut + way, cut, arrowprops={"arrowstyle": "-|>", "color": RED})
        ax.text(*(cut + np.array(way) * 1.25), label, color=RED, ha="center", va="center")
    ax.text(1.35, 0.42, "2 rows decide the motion:\nshifts along x and y", color=RED)
    ax.text(1.35, 0.12, "3 rows are redundant:\nshift along z, turns about x and y", color=GREY)
    ax.set_xlim(-0.25, 2.45)
    return fig


def projection() -> Any:
    """The gap of a loop over time, by projection, with Baumgarte's terms, and with nothing."""
    m = da.load(find("four_bar"))
    fig, ax = plt.subplots(figsize=(6.6, 3.2))
    ways = (
        ("nothing", "none", RED),
        ("Baumgarte's terms", da.Baumgarte(20.0, 100.0), ORANGE),
        ("projection", "projection", BLUE),
    )
    for label, stabilise, colour in ways:
        motion = m.simulate(10.0, rtol=1e-6, stabilise=stabilise, output=0.02)
        gap = motion.position(("coupler", (1.0, 0, 0))) - motion.position(("rocker", (0.9, 0, 0)))
        ax.semilogy(motion.t, np.maximum(np.linalg.norm(gap, axis=1), 1e-17), color=colour, label=label)
    _curve(ax, "time, s", "gap, m", "gap of the four-bar's loop, rtol = 1e-6")
    return fig


def floating() -> Any:
    """A bent beam, and three frames that follow it."""
    beam = da.beam(5.0, E=7e10, rho=2700.0, A=1e-4, Iy=2e-9, Iz=2e-9, modes={"y": 2})
    s = da.System("beam")
    s.add_body("beam", elastic=beam)
    s.add_joint("free", da.Free(), "ground", "beam", at_child="root")
    m = s.build()
    motion = m.simulate(0.6, {"beam": [0.2, 0.0]}, output=0.002)
    k = int(np.argmin(motion["beam.y1"]))  # bent the other way than at the start
    state = motion.mechanism.numeric.state(motion.q[k], motion.u[k])
    root = np.asarray(state.rotation("beam"), float)
    tip = root.T @ (np.asarray(state.position(("beam", "tip")), float) - np.asarray(state.position("beam"), float))
    x = np.linspace(0.0, 5.0, 60)
    shape = BEND * tip[1] * (x / 5.0) ** 2 * (3.0 - x / 5.0) / 2.0
    fig, ax = _plain((7.6, 3.4))
    ax.plot(x, shape, color=ORANGE, linewidth=7, alpha=0.55, solid_capstyle="round")
    ax.plot(x, 0.0 * x, color=GREY, linewidth=1, linestyle=":")
    middle = np.array([x.mean(), shape.mean()])
    ax.plot(*middle, "o", color="black", markersize=5)
    ax.text(*np.add(middle, (0.0, -0.2)), "mass centre", va="top", ha="center")
    _axes(ax, np.zeros(2), np.eye(2), GREY, "root", 0.9)
    for name, axes, at, colour in (
        ("principal axes", motion.principal_axes("beam"), middle, BLUE),
        ("Tisserand's axes", motion.tisserand_frame("beam"), np.add(middle, (1.6, 1.2)), GREEN),
    ):
        local = root.T @ axes[k]
        along = local[:, np.argmax(np.abs(local[0]))]
        along = along * np.sign(along[0])
        _axes(ax, np.asarray(at), _turned(BEND * np.arctan2(along[1], along[0])), colour, name, 0.9)
    return fig


PICTURES: dict[str, Callable[[], Any]] = {f.__name__: f for f in (frames, speeds, loops, projection, floating)}


def drawn(name: str) -> str:
    """A picture as SVG; the same text whenever it is drawn."""
    with plt.rc_context(
        {
            "svg.hashsalt": "dalembert",
            "font.size": 10,
            "svg.fonttype": "none",
            "axes.spines.right": False,
            "axes.spines.top": False,
        }
    ):
        fig = PICTURES[name]()
        text = io.StringIO()
        fig.savefig(text, format="svg", metadata={"Date": None}, bbox_inches="tight", facecolor="white")
        plt.close(fig)
    return text.getvalue()


def _plain(size: tuple[float, float]) -> tuple[Any, Any]:
    fig, ax = plt.subplots(figsize=size)
    ax.set_aspect("equal")
    ax.axis("off")
    return fig, ax


def _curve(ax: Any, across: str, up: str, title: str) -> None:
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    ax.set_title(title, fontsize=10)
    ax.legend(fontsize=8, frameon=False)


def _flat(x: Any) -> np.ndarray:
    """What lies in the plane of x and y."""
    values = np.asarray(x, dtype=float)
    return values[:2] if values.ndim == 1 else values[:2, :2]


def _turned(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _axes(ax: Any, at: np.ndarray, R: np.ndarray, colour: str, name: str, length: float) -> None:
    """Two arrows along the axes of a frame."""
    for k, label in enumerate("xy"):
        end = at + length * R[:, k]
        ax.annotate("", end, at, arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.6})
        ax.plot(*(at + 1.2 * length * R[:, k]), alpha=0.0)  # so that the picture has room for it
        ax.text(*(at + 1.14 * length * R[:, k]), label, color=colour, ha="center", va="center")
    ax.text(*(at + length * R @ (0.2, 1.0)), name, color=colour, fontsize=9)
