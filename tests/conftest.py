"""Random tests: new examples at every run on a desk, the same ones where a run decides whether work lands. And a real browser."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from dalembert.trace.native.target import VARIABLE
from tests.effort import examples
from tests.targets import ROOMS, for_module

settings.register_profile("desk", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=examples(100))
settings.load_profile("ci" if os.environ.get("CI") else "desk")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--perturb", type=int, metavar="SEED", help="round otherwise in kernels and rows, as another processor would"
    )


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts what runs in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    seed = config.getoption("--perturb")
    if seed is not None:
        from tests.perturbation import apply

        apply(seed)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests repeat at length what quicker ones hold: not where a run decides whether work lands."""
    for item in items if os.environ.get("CI") else []:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: on a desk, and in `make bench`"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests of compiled dynamics, runs and loops: once for every target."""
    path = Path(str(metafunc.module.__file__))
    if path.parent.name in ROOMS:
        chosen = for_module(path.name)
        metafunc.parametrize("target", chosen, ids=[t.name for t in chosen], indirect=True, scope="module")


@pytest.fixture(scope="module", autouse=True)
def target(request: pytest.FixtureRequest):
    """What machine code is compiled for."""
    chosen = getattr(request, "param", None)
    with pytest.MonkeyPatch.context() as patch:
        if chosen is not None:
            patch.setenv(VARIABLE, chosen.name)
        yield chosen


FLAGS = [
    "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def _missing(why: str) -> None:
    said = f"the page cannot be driven: {why}; run tools/chromium.sh"
    if os.environ.get("CI"):
        pytest.fail(said)
    pytest.skip(said)


@pytest.fixture(scope="session")
def browser():
    """Chromium with a new, empty profile."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright is not installed")
    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, NAMES)), playwright.chromium.executable_path)
        if not Path(found).exists():
            _missing("there is no Chromium")
        running = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield running
        running.close()
