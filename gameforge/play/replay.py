"""Records of games, checked by the rules."""

from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.outcome import ADJUDICATED_REASON, FORFEIT_REASONS, Outcome, outcome_of
from gameforge.play.game import Game


def check_record(game: Game, record: GameRecord) -> None:
    """Replay a finished game from its start, which must be a state of the game.

    Raises GameforgeError if a move is not legal, if the game was over before its last move, or if it did not end
    as the record says. Only a player that is to move can have forfeited.
    """
    state = record.start
    side = game.side_to_move(state)
    legal = game.legal(state)
    for number, move in enumerate(record.moves, 1):
        if game.code(state, len(legal)):
            raise GameforgeError(f"the game was over before move {number}")
        if move not in legal:
            raise GameforgeError(f"move {number} (code {move}) is not legal in {game.position_text(state)}")
        state = game.play(state, move)
        legal = game.legal(state)
    to_move = (side + len(record.moves)) % 2
    found = outcome_of(game.rules, game.code_after(record.start, record.moves), to_move)
    if record.outcome.reason in FORFEIT_REASONS and found is None:
        found = Outcome(1 - to_move, record.outcome.reason)
    elif record.outcome.reason == ADJUDICATED_REASON and found is None and record.outcome.winner in (0, 1, None):
        found = record.outcome
    if record.outcome != found:
        by_rules = "is not finished" if found is None else f"ended in {_outcome_text(game, found)}"
        raise GameforgeError(f"by the rules the game {by_rules}, not in {_outcome_text(game, record.outcome)}")


def _outcome_text(game: Game, outcome: Outcome) -> str:
    if outcome.winner is None:
        return f"a draw ({outcome.reason})"
    side = game.rules.sides[outcome.winner] if outcome.winner in (0, 1) else f"side {outcome.winner}"
    return f"a win of {side} ({outcome.reason})"
