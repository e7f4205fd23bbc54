"""Commands run in this process, in a folder of their own."""

from __future__ import annotations

import json

import pytest

from dalembert.cli import main


class Ran:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def data(self):
        return json.loads(self.out)


@pytest.fixture
def dalembert(capsys, tmp_path, monkeypatch):
    """`dalembert("simulate", "pendulum")` → exit code and what was said."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        code = main([str(x) for x in arguments])
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return run
