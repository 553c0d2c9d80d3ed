"""A player of ours as a bot of OpenSpiel."""

import pyspiel

from gameforge import GameforgeError, Player, Position
from gameforge_interop_openspiel.rules import OpenSpielRules, Spiel, action_text


class GameForgeBot(pyspiel.Bot):  # type: ignore[misc]
    """Any player as a bot: of a game of OpenSpiel, or of a game of ours that writes its moves as OpenSpiel does.

    Othello is such a game: both write `d3`. `step` raises GameforgeError if a move of one game has no counterpart in
    the other.
    """

    def __init__(self, player: Player) -> None:
        super().__init__()
        self.player = player

    def step(self, state: Spiel) -> int:
        """Return the player's action in a state of OpenSpiel."""
        position, here = self._ready(self.player.game.position()), state.get_game().new_initial_state()
        for action in state.history():
            position = self._ready(position.play(action_text(here, action)))
            here.apply_action(action)
        text = str(self.player.choose(position))
        for action in state.legal_actions():
            if action_text(state, action) == text:
                return int(action)
        raise GameforgeError(f"OpenSpiel has no legal action {text!r} in {state}")

    def _ready(self, position: Position) -> Position:
        """Pass for a side that waits while the other one takes several actions in a row, as OpenSpiel's games do."""
        rules = self.player.game.rules
        waits = isinstance(rules, OpenSpielRules) and position.codes == [rules.spiel.actions]
        return position.after(position.codes[0]) if waits else position

    def restart_at(self, state: Spiel) -> None:
        """Do nothing: each step reads the whole game from the state."""
