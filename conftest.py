"""Fixtures that the core's and every plugin's tests share."""

import math
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from gameforge.cli import terminal
from gameforge.kernel.compile.jit import COMPILED

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from web_browser import Table
    from web_server import WebServer

sys.path += [str(folder) for folder in sorted(Path(__file__).parent.glob("plugins/*/tests"))]

# No deadline: the first example compiles kernels, and the machine may be busy.
hypothesis.settings.register_profile("quick", deadline=None, max_examples=30)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=2000)
hypothesis.settings.load_profile("quick")  # `pytest --hypothesis-profile=thorough` chooses the other


def pytest_configure() -> None:
    """Restore Ctrl-C, which shells ignore in background processes; otherwise tests that press it would never end."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """How much slow tests do that can go on for any time."""
    parser.addoption("--kills", type=int, default=180, help="random kills over all kinds of folders")
    parser.addoption("--mutations", type=int, help="damaged inputs of each reader; default: 100,000 for all together")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the sums of what such tests counted, such as kills and differences."""
    counted: Counter[str] = Counter()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            for name, value in report.user_properties:
                if isinstance(value, int):
                    counted[name] += value
    if counted:
        terminalreporter.write_line(", ".join(f"{value:,} {name}" for name, value in counted.items()))


SLOW_TO_COMPILE = ("draughts", "othello")
"""Games whose shipped players and trainings take longest to compile; other games reuse parts of their kernels."""


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    """Compile the largest kernels once, before the workers of a run without paths begin.

    Otherwise the first test that needs a shipped player compiles it, and tests in other workers wait for that one.
    """
    if not COMPILED or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return

    def compile_for(game: str) -> None:  # what fails here fails in a test, too
        subprocess.run([sys.executable, "-m", "gameforge", "warmup", "--game", game], capture_output=True)

    with ThreadPoolExecutor(len(specs)) as pool:
        list(pool.map(compile_for, SLOW_TO_COMPILE))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout; skips the test if it is absent, except in CI, where it is
    required."""
    folder = Path(__file__).resolve().parent.parent / "shared"
    if not folder.is_dir():
        message = f"no folder {folder.name!r} with real data beside the checkout"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture(autouse=True)
def called_in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands called in the tests' process do not say that they compile: else the first of them would differ.

    The folders of plugin files that they load do not stay on the path, where tests would find each other's files.
    """
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(terminal, "_printed", {terminal.NOTICE})
    monkeypatch.setattr(terminal, "_LINE_SECONDS", math.inf)


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """A real browser; skips the test where there is none."""
    from web_browser import chromium

    yield from chromium()


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> "Iterator[WebServer]":
    """A server of the browser board, started with the options SERVED of the test's module."""
    from web_server import WebServer

    made = WebServer(*request.module.SERVED, state=tmp_path_factory.mktemp("state"))
    yield made
    made.close()


@pytest.fixture
def table(browser: "Browser", server: "WebServer") -> "Iterator[Table]":
    """The page of the server in a new tab."""
    from web_browser import open_table

    with open_table(browser, server) as made:
        yield made
