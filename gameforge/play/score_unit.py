"""The unit in which the scores of a player are shown."""

import attrs

from gameforge.interfaces.units import EXPECTED_RESULT, PLAIN, NamesUnit, Unit
from gameforge.play.player import Player


def score_unit(player: Player) -> Unit:
    """Return the unit that the player's searcher names, or else its evaluator; PLAIN if neither does.

    Expected results are also shown in pieces if the game offers `piece_odds`.
    """
    for component in (player.parts.searcher, player.parts.evaluator):
        if isinstance(component, NamesUnit):
            unit = component.unit(player.game.rules)
            if unit is not None:
                return attrs.evolve(unit, piece_odds=player.game.piece_odds) if unit == EXPECTED_RESULT else unit
    return PLAIN
