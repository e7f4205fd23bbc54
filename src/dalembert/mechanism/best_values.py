"""`BestValues`: which values of its parameters make a mechanism do best what is wanted; `Mechanism` inherits them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast

from numpy.typing import ArrayLike

from dalembert.aliases import Events, JointValues
from dalembert.arguments import by_name, count, flag, takes
from dalembert.mechanism.description import Description

if TYPE_CHECKING:
    from dalembert.design.optimum import Optimum
    from dalembert.design.synthesis import Synthesis
    from dalembert.mechanism.mechanism import Mechanism
    from dalembert.mechanism.simulation_options import SimulationOptions
    from dalembert.trace import Scalar


class BestValues(Description):
    """Optimisation of motions, and dimensional synthesis."""

    @property
    def _m(self) -> Mechanism:
        """This mechanism, by its whole type."""
        return cast("Mechanism", self)

    @takes(
        subject_to=by_name, outputs=by_name, sizes=by_name, maximise=flag, starts=count(1), seed=count(0), threads=count(1)
    )  # fmt: skip
    def optimise(
        self, objective: str | Mapping[str, ArrayLike] | Callable[[Mapping[str, Scalar]], Scalar], vary: Mapping[str, object],
        subject_to: Mapping[str, object] | None = None, *, outputs: Mapping[str, object] | None = None,
        sizes: Mapping[str, float] | None = None, maximise: bool = False, duration: float | None = None,
        initial: JointValues | None = None, speeds: JointValues | None = None, options: SimulationOptions | None = None,
        events: Events | None = None, starts: int = 8, seed: int = 0, threads: int | None = None, executor: object = None,
    ) -> Optimum:  # fmt: skip
        """The values in `vary` {name: (low, high)} for which a motion is best, with exact gradients, loops and assembly included.

        The `objective` is an output to be least (`maximise`: largest), "peak motor M"; or outputs and what they shall be,
        {"end A": 0.3}, by least squares (`sizes` by which misses are measured); or a function of outputs by name. `subject_to` limits
        outputs: {"max swing": (None, 1.0)}, one number for equality. Outputs are said as in `da.Study`; `outputs` gives names to
        functions of the state. The search begins at the model's own values and at `starts` − 1 others, by `threads` or an `executor`.
        """
        from dalembert.design.optimise import optimise

        return optimise(
            self._m, objective, vary, subject_to or {}, outputs or {}, sizes or {}, maximise, starts, seed, threads, executor,
            duration=duration, initial=initial, speeds=speeds, options=options, events=events,
        )  # fmt: skip

    @takes(
        wanted=by_name, subject_to=by_name, outputs=by_name, ordered=flag, starts=count(1), seed=count(0), threads=count(1)
    )  # fmt: skip
    def synthesise(
        self, wanted: Mapping[str, ArrayLike], vary: Mapping[str, object], drive: str | Mapping[str, object], *,
        subject_to: Mapping[str, object] | None = None, outputs: Mapping[str, object] | None = None, grashof: str | None = None,
        transmission: tuple[float, float] | None = None, ordered: bool = True, starts: int = 16, seed: int = 0,
        threads: int | None = None, executor: object = None,
    ) -> Synthesis:  # fmt: skip
        """Lengths in `vary` {name: (low, high)} with which a linkage passes given poses: a path, a function, or the motion of a body.

        `wanted` has a row for each pose, by coordinate or output: {"tip": points}, {"D": angles}; nan where anything will do. `drive`
        is the coordinate that moves it, "A" with angles that are found, or {"A": values}, then counted from its start where that is
        in `vary`. `grashof` is "crank-rocker", "double-crank" or "any"; `transmission` (least, largest) in rad; `subject_to` limits
        outputs in every pose. Linkages that would have to be taken apart between poses, or pass a dead point, are refused and listed.
        """
        from dalembert.design.synthesise import synthesise

        return synthesise(
            self._m, wanted, vary, drive, subject_to or {}, outputs or {}, grashof, transmission, ordered, starts, seed, threads,
            executor,
        )  # fmt: skip
