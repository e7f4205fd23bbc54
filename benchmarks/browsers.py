"""Browsers without a screen, driven from Python: Chromium by Playwright, Firefox by its own remote protocol, Marionette."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run", "--disable-sync"]
PORT = 2828
LISTEN = """window.heard = []; for (const kind of ["error", "unhandledrejection", "securitypolicyviolation"])
  window.addEventListener(kind, (e) => window.heard.push(String(e.message ?? e.reason ?? e.violatedDirective)));"""


class Chromium:
    """One page in Chromium."""

    name = "chromium"

    def __init__(self, page: Any) -> None:
        self.page = page
        page.set_default_timeout(300_000)
        self.heard: list[str] = []
        page.on("console", lambda message: self.heard.append(message.text))
        page.on("pageerror", lambda problem: self.heard.append(str(problem)))
        page.on("request", lambda request: self.heard.append(request.url))

    def open(self, path: Path) -> None:
        self.page.goto("about:blank")
        self.heard.clear()
        self.page.goto(f"file://{path}#t=0")
        self.heard.remove(f"file://{path}")

    def noise(self) -> list[str]:
        """What the page said on its console, and what it asked the world for, since it was opened."""
        return list(self.heard)

    def evaluate(self, script: str) -> Any:
        """The value of an expression, waited for where it is a promise."""
        return self.page.evaluate(f"async () => await ({script})")


class Firefox:
    """One page in Firefox: messages are their length, a colon, and JSON."""

    name = "firefox"

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.count = connection, 0
        self._message()
        self.call("WebDriver:NewSession", {})
        self.call("WebDriver:SetTimeouts", {"script": 300_000, "pageLoad": 120_000})

    def _message(self) -> Any:
        size = b""
        while not size.endswith(b":"):
            size += self.connection.recv(1)
        content, left = b"", int(size[:-1])
        while len(content) < left:
            content += self.connection.recv(left - len(content))
        return json.loads(content)

    def call(self, name: str, given: dict[str, Any]) -> Any:
        self.count += 1
        text = json.dumps([0, self.count, name, given]).encode()
        self.connection.sendall(str(len(text)).encode() + b":" + text)
        _, _, problem, result = self._message()
        if problem:
            raise RuntimeError(f"{name}: {problem.get('message')}")
        return result

    def open(self, path: Path) -> None:
        self.call("WebDriver:Navigate", {"url": "about:blank"})
        self.call("WebDriver:Navigate", {"url": f"file://{path}#t=0"})
        self._asked(LISTEN)
        while not self._asked("return Boolean((window.wrappedJSObject ?? window).dalembert?.ready)"):
            time.sleep(0.1)

    def noise(self) -> list[str]:
        """What the page asked the world for since it was opened, and what it said on its console or broke of its policy since it was
        loaded."""
        asked = "performance.getEntriesByType('resource').map((x) => x.name)"
        return list(self.evaluate(f"[...{asked}, ...(window.heard ?? [])]"))

    def _asked(self, script: str) -> Any:
        return self.call("WebDriver:ExecuteScript", {"script": script, "args": []})["value"]

    def evaluate(self, script: str) -> Any:
        text = (
            "const done = arguments[arguments.length - 1]; const dalembert = (window.wrappedJSObject ?? window).dalembert;"
            f"Promise.resolve({script}).then(x => done(JSON.stringify(x ?? null)), e => done(JSON.stringify({{failed: String(e)}})));"
        )
        found = json.loads(self.call("WebDriver:ExecuteAsyncScript", {"script": text, "args": []})["value"])
        if isinstance(found, dict) and "failed" in found:
            raise RuntimeError(found["failed"])
        return found


class Reopening:
    """A browser that is opened anew where it has gone; RuntimeError where it cannot be opened at all."""

    def __init__(self, opened: Callable[[], AbstractContextManager[Any]]) -> None:
        self.opened, self.name, self.stack = opened, opened.__name__, ExitStack()
        self.now = self.stack.enter_context(opened())

    def again(self) -> None:
        with suppress(Exception):
            self.stack.close()
        self.stack = ExitStack()
        self.now = self.stack.enter_context(self.opened())

    def __enter__(self) -> Reopening:
        return self

    def __exit__(self, *problem: object) -> None:
        with suppress(Exception):
            self.stack.close()


@contextmanager
def chromium() -> Iterator[Chromium]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        names = ("chromium", "chromium-browser", "google-chrome")
        found = next(filter(None, map(shutil.which, names)), playwright.chromium.executable_path)
        running = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield Chromium(running.new_page(viewport={"width": 1280, "height": 800}))
        running.close()


@contextmanager
def firefox() -> Iterator[Firefox]:
    """Firefox with a new profile; RuntimeError where there is none."""
    found = shutil.which("firefox-esr") or shutil.which("firefox")
    if found is None:
        raise RuntimeError("there is no Firefox; run tools/cross.sh")
    with tempfile.TemporaryDirectory() as profile:
        running = subprocess.Popen(
            [found, "--headless", "--marionette", "--no-remote", "--profile", profile],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield Firefox(_connected())
        finally:
            running.terminate()
            running.wait(timeout=30)


def _connected() -> socket.socket:
    for _ in range(150):
        try:
            return socket.create_connection(("127.0.0.1", PORT), timeout=300)
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("Firefox does not answer")
