"""Whether scipy is installed, asked without importing it or numpy."""

import importlib.util

from gameforge.errors import GameforgeError


def require_scipy(what: str) -> None:
    """Raise GameforgeError, with what to install, if scipy is missing, which `what` needs."""
    if importlib.util.find_spec("scipy") is None:
        raise GameforgeError(f"{what} need scipy, which is not installed: pip install 'gameforge[report]'")
