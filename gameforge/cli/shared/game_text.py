"""Games as text, in the game's own format where it has one."""

from gameforge.interfaces.capabilities import HasGameFiles
from gameforge.interfaces.games import StoredGame
from gameforge.play.game import Game, Position


def stored_game(position: Position, names: tuple[str, str], event: str, date: str) -> StoredGame:
    """The game that led to a position, finished or not; names of the first and the second mover."""
    outcome, sides = position.outcome, position.game.rules.sides
    return StoredGame(
        tags={"Event": event, "Date": date, **dict(zip(sides, names, strict=True))},
        start=position.start.state,
        moves=tuple(position.moves_played),
        finished=outcome is not None,
        winner=None if outcome is None else outcome.winner,
        reason="" if outcome is None else outcome.reason,
    )


def stored_text(game: Game, stored: StoredGame) -> str:
    """The game as its own files have it; else tags, start, moves and result in lines."""
    rules = game.rules
    if isinstance(rules, HasGameFiles):
        return rules.stored_text(stored)
    texts, state = [], stored.start
    for move in stored.moves:
        texts.append(game.move_text(state, move, game.legal(state)))
        state = game.play(state, move)
    result = "not finished"
    if stored.finished:
        result = "draw" if stored.winner is None else f"{rules.sides[stored.winner]} wins"
        result += f" ({stored.reason})" if stored.reason else ""
    tags = [f"{name}: {value}" for name, value in stored.tags.items()]
    return "\n".join([*tags, f"start: {game.position_text(stored.start)}", " ".join(texts), result, ""])
