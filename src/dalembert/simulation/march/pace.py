"""Whether a run still gets anywhere: steps that have become so short that its end would never be reached."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.simulation.run_options import Options

WINDOW = 5_000
"""Steps over which the pace is taken."""
HOPELESS = 100.0
"""Times the most steps of a run that, at this pace, the rest of it would take. Patience falls as steps are used up: to the most steps
themselves when half of them are made."""


@dataclass
class Pace:
    """Looked at now and then; a short stretch of short steps, such as next to a singular pose, does not count."""

    options: Options
    t: float
    steps: int = 0
    slow: int = 0

    def creeps(self, t: float, steps: int) -> bool:
        """Whether two windows in a row were hopelessly slow."""
        if not self.options.method.adaptive or steps - self.steps < WINDOW:
            return False
        ahead, most = (self.options.end - t) * (steps - self.steps), self.options.max_steps
        hopeless = not (t - self.t) * HOPELESS ** max(0.0, 1.0 - 2.0 * steps / most) * most > ahead
        self.t, self.steps, self.slow = t, steps, self.slow + 1 if hopeless and ahead > 0.0 else 0
        return self.slow >= 2
