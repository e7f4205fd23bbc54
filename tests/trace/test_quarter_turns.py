"""Quarter turns within sines and cosines are taken out, for people; everything else stays as it is."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.trace import cos, evaluate, sin, symbols, tracing
from dalembert.trace.collect import Powers, Waves, collected


@pytest.mark.parametrize("form", [Waves, Powers])
@pytest.mark.parametrize("quarters", range(-5, 6))
def test_quarter_turns_leave_sines_and_cosines_of_the_angle(form, quarters) -> None:
    with tracing():
        a, b = symbols("", "ab")
        found = collected([sin(a - b + quarters * np.pi / 2), cos(quarters * np.pi / 2 + a)], form)
    values = {a: 0.7, b: -1.3}
    assert np.allclose(
        evaluate(found, values), [np.sin(2.0 + quarters * np.pi / 2), np.cos(0.7 + quarters * np.pi / 2)]
    )
    assert "1.57" not in str(found[1])


def test_other_angles_are_kept() -> None:
    with tracing():
        (a,) = symbols("", "a")
        found = collected([sin(a + 0.3)], Powers)
    assert evaluate(found, {a: 0.4})[0] == pytest.approx(np.sin(0.7))
