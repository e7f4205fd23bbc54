"""Random numbers in traced code, the same on every machine: two multiplicative generators combined, and normal ones made of them.

s ← 40014 s mod 2147483563 and s ← 40692 s mod 2147483399, their difference being the number: L'Ecuyer, *Efficient and portable combined
random number generators*, Comm. ACM 31 (1988) 742–749, its figure 3. Whole numbers below 2⁵³ are exact in doubles. Normal numbers are
√(−2 ln a) cos(2π b): Box and Muller, Ann. Math. Stat. 29 (1958) 610–611.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from dalembert.trace import Scalar, cos, floor, log, select, sqrt

WARMING = 16
"""Numbers drawn before the first that counts: those of seeds beside each other are alike."""


class Multiplicative(NamedTuple):
    """s ← a s mod m, by Schrage's q = ⌊m/a⌋ and r = m mod a."""

    m: float
    a: float
    q: float
    r: float

    def next(self, s: Scalar) -> Scalar:
        k = floor(s / self.q)
        moved = self.a * (s - k * self.q) - k * self.r
        return select(moved < 0.0, moved + self.m, moved)


BOTH = (Multiplicative(2147483563.0, 40014.0, 53668.0, 12211.0), Multiplicative(2147483399.0, 40692.0, 52774.0, 3791.0))


class RandomNumbers:
    """Draws one number after the other; `at` is where both generators stand."""

    def __init__(self, first: Scalar, second: Scalar):
        self.at: tuple[Scalar, Scalar] = (first, second)

    def uniform(self) -> Scalar:
        """Above 0 and below 1."""
        self.at = (BOTH[0].next(self.at[0]), BOTH[1].next(self.at[1]))
        between = self.at[0] - self.at[1]
        return select(between < 1.0, between + (BOTH[0].m - 1.0), between) / BOTH[0].m

    def normal(self) -> Scalar:
        """A normal number, mean 0, standard deviation 1."""
        return sqrt(-2.0 * log(self.uniform())) * cos(2.0 * math.pi * self.uniform())


def first_of(seed: int) -> tuple[float, float]:
    """Where the generators stand for a seed, a whole number."""
    random = RandomNumbers(*(float(1 + (seed * int(g.a)) % int(g.m - 1.0)) for g in BOTH))
    for _ in range(WARMING):
        random.uniform()
    first, second = random.at
    return float(first), float(second)
