"""The command line: `dalembert simulate four_bar.yaml`. One file per command; what a command needs is imported when it runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

FAILED = 1
"""Exit code where the model or its simulation is at fault; wrong usage is 2, success 0."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; complaints are one line on stderr, or JSON on stdout where that was asked for."""
    given = list(sys.argv[1:] if argv is None else argv)
    from dalembert.cli.app import app
    from dalembert.cli.report import complain
    from dalembert.errors import DalembertError

    try:
        app(args=given, prog_name="dalembert")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else FAILED
    except DalembertError as problem:
        complain(problem, as_json="--json" in given)
        return FAILED
    except BrokenPipeError:
        return 0
    return 0
