"""Fixtures that the core's and every plugin's tests share."""

import os
import signal
from pathlib import Path

import hypothesis
import pytest

# No deadline: the first example compiles kernels, and the machine may be busy.
hypothesis.settings.register_profile("gameforge", deadline=None)
hypothesis.settings.load_profile("gameforge")


def pytest_configure() -> None:
    """Restore Ctrl-C, which shells ignore in background processes; otherwise tests that press it would never end."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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
