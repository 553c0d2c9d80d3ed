"""The command line; these parts of it serve the commands of plugins."""

from typing import TYPE_CHECKING

from gameforge.public import on_first_use

if TYPE_CHECKING:
    from gameforge.cli import options
    from gameforge.cli.console import Console
    from gameforge.cli.players import ChosenPlayer, game_for
    from gameforge.cli.probe import print_verdicts
    from gameforge.cli.terminal import compilation_notice
    from gameforge.play.display import counted

__all__ = ["ChosenPlayer", "Console", "compilation_notice", "counted", "game_for", "options"]
__all__ += ["print_verdicts"]

if not TYPE_CHECKING:  # or mypy would believe that the module has any attribute
    __getattr__, __dir__ = on_first_use(__name__)
