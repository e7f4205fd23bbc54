"""What is asked of a system before it is built."""

from __future__ import annotations

from typing import Any

from dalembert.errors import ModelError


class NotBuiltError(ModelError, AttributeError):
    """A question for a mechanism was put to a system."""


class Unbuilt:
    """A description: questions for a `Mechanism` are answered by saying how to get one."""

    def __getattr__(self, name: str) -> Any:
        from dalembert.mechanism import Mechanism

        kind = type(self).__name__
        if not name.startswith("_") and hasattr(Mechanism, name):
            raise NotBuiltError(
                f"a {kind} is a description and has no {name}; build it first: m = s.build(), then m.{name}"
            )
        raise AttributeError(f"{kind!r} object has no attribute {name!r}")
