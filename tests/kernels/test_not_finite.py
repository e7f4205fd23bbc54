"""Numbers that are none are refused at every public door, by name: what is computed from them would be none either."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from tests.linkages import bricard

BAD = (np.nan, np.inf, -np.inf)

Ask = Callable[[da.Mechanism, Any, Any, Any, Any], Any]
"""(m, q, u, x, t): x is tau or u̇."""
CALLS: dict[str, tuple[Ask, str]] = {
    "forward_dynamics": (lambda m, q, u, x, t: m.forward_dynamics(q, u, x, t), "quxt"),
    "solve": (lambda m, q, u, x, t: m.solve(q, u, x, t), "quxt"),
    "inverse_dynamics": (lambda m, q, u, x, t: m.inverse_dynamics(q, u, x, t), "quxt"),
    "forward_dynamics_derivatives": (lambda m, q, u, x, t: m.forward_dynamics_derivatives(q, u, x, t).q, "quxt"),
    "inverse_dynamics_derivatives": (lambda m, q, u, x, t: m.inverse_dynamics_derivatives(q, u, x, t).q, "quxt"),
    "mass_matrix": (lambda m, q, u, x, t: m.mass_matrix(q, t), "qt"),
    "body_motion": (lambda m, q, u, x, t: m.body_motion(q, u, t).position, "qut"),
    "energies": (lambda m, q, u, x, t: m.energies(q, u, t), "qut"),
    "point_jacobian": (lambda m, q, u, x, t: m.point_jacobian(m.bodies[-1].name, q, t), "qt"),
    "drives": (lambda m, q, u, x, t: m.drives(q, u, x, t=t), "quxt"),
}


def _arm(opaque: bool = False) -> da.Mechanism:
    s = da.System("arm", gravity=(0, -9.81, 0))
    s.add_body("upper", da.rod(1.0, 1.0))
    s.add_body("fore", da.box(1.0, (0.5, 0.1, 0.1)))
    s.add_joint("shoulder", da.Revolute(), "ground", "upper")
    s.add_joint("wrist", da.Spherical(), "upper", "fore", at_parent=(1, 0, 0))
    if opaque:
        s.add_force("brake", da.Motor("shoulder", lambda s: -1.0 if float(s.u["shoulder"]) > 0 else 1.0))
    m: da.Mechanism = s.build()
    return m


MECHANISMS = {"tree": _arm, "opaque": lambda: _arm(opaque=True), "loop": bricard}
ONLY_TREES = ("inverse_dynamics", "inverse_dynamics_derivatives", "forward_dynamics_derivatives")


@pytest.fixture(scope="module", params=MECHANISMS)
def m(request: Any) -> da.Mechanism:
    made: da.Mechanism = MECHANISMS[request.param]()
    return made


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("batched", [False, True])
def test_numbers_that_are_none_are_refused(m: da.Mechanism, name: str, batched: bool) -> None:
    ask, arguments = CALLS[name]
    if (m.constraint_rows and name in ONLY_TREES) or (m.kernels.opaque and name.endswith("derivatives")):
        pytest.skip("is not for this mechanism")
    given = {"q": np.array(m.reference), "u": np.zeros(m.n_u), "x": np.zeros(m.n_u), "t": np.zeros(1)}
    if name == "drives":  # the motion must be one that the loops allow
        given["x"] = np.array(m.forward_dynamics(given["q"], given["u"]))
    rows = {key: np.stack([x] * 3) if batched else x for key, x in given.items()}
    assert np.isfinite(_numbers(ask(m, *_given(rows, batched)))).all()
    for key in arguments:
        for bad in BAD:
            spoilt = {k: x.copy() for k, x in rows.items()}
            spoilt[key][(1, -1) if batched else -1] = bad
            with pytest.raises(da.DalembertError, match="finite"):
                ask(m, *_given(spoilt, batched))


def _given(rows: dict[str, np.ndarray], batched: bool) -> tuple[Any, ...]:
    return rows["q"], rows["u"], rows["x"], rows["t"][:, 0] if batched else float(rows["t"][0])


def _numbers(answer: Any) -> np.ndarray:
    if isinstance(answer, np.ndarray):
        return answer
    return np.asarray(answer.udot if hasattr(answer, "udot") else answer.forces, dtype=float)


def test_the_value_and_the_state_are_named() -> None:
    m = _arm()
    q = np.stack([m.reference] * 4)
    q[2, 0] = np.nan
    with pytest.raises(da.StateError, match='forward_dynamics: state 2: "shoulder" in coordinates q is nan'):
        m.forward_dynamics(q, np.zeros((4, m.n_u)))


@pytest.mark.parametrize("initial", [{"shoulder": 1e300}, {"shoulder": -1e13}])
def test_angles_without_digits_are_refused(initial: dict[str, float]) -> None:
    with pytest.raises(da.StateError, match=r"shoulder.*no digits left"):
        _arm().simulate(0.1, initial)


def test_speeds_whose_squares_are_none_are_refused() -> None:
    with pytest.raises(da.StateError, match="nothing is that large"):
        _arm().simulate(0.1, speeds={"shoulder": 1e200})


def test_far_away_is_not_absurd() -> None:
    """A body as far from the origin as the outer planets falls as it does here."""
    s = da.System("probe", gravity=(0, 0, -1.0))
    s.add_body("probe", da.box(10.0, (1, 1, 1)))
    s.add_joint("free", da.Free(), "ground", "probe")
    motion = s.build().simulate(1.0, {"free.x": 5e12})
    assert motion.position("probe")[-1, 2] == pytest.approx(-0.5)


@pytest.mark.parametrize("name", CALLS)
def test_words_in_an_array_are_refused_in_words(name: str) -> None:
    """An array of text is of the right kind at first sight; numbers it has none."""
    ask, _ = CALLS[name]
    for m in (_arm(), bricard()):
        with pytest.raises(da.DalembertError, match=r"number|without loops"):
            ask(m, np.array(["a"] * m.n_q), np.zeros(m.n_u), np.zeros(m.n_u), 0.0)
