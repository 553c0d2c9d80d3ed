"""A check that the feature maps of this package get rules of draughts, whose states they read."""

from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import Rules


def require_draughts(rules: Rules, component: str) -> None:
    """Raise GameforgeError unless these are the rules of draughts."""
    if rules.name != "draughts":
        raise GameforgeError(f"features {component!r} read draughts positions; the game is {rules.name!r}")
