"""Games as text: in the game's own format if it has one, else move by move."""

import functools
from collections.abc import Callable

from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.interfaces.outcome import UNFINISHED
from gameforge.play.game import Game, Position


def games_name(game: Game) -> str:
    """Return the name of the file with the games of a run or match."""
    return f"games{'.txt' if game.files is None else game.files.suffix}"


def game_writer(game: Game) -> Callable[[GameRecord], str]:
    """Return the function that writes the records of this game as text.

    Call this once, not for every game: a training writes thousands of games per second.
    """
    return functools.partial(plain_text, game) if game.files is None else game.files.game_text


def record_of(position: Position, players: tuple[str, str], event: str, date: str) -> GameRecord:
    """Return the game that led to a position, finished or not; `players` names the first and the second side."""
    tags = {"Event": event, "Date": date, **dict(zip(position.game.rules.sides, players, strict=True))}
    return GameRecord(
        players=players,
        start=position.start.state,
        moves=tuple(position.moves_played),
        outcome=position.outcome or UNFINISHED,
        annotations=Annotations(tags=tags),
    )


def plain_text(game: Game, record: GameRecord) -> str:
    """Return a game as one line: event and players, the initial position, the moves and the result.

    This is how games without a format of their own are written; trace_files.py reads such lines.
    """
    texts, state = [], record.start
    for move in record.moves:
        texts.append(game.move_text(state, move, game.legal(state)))
        state = game.play(state, move)
    result = "not finished"
    if record.finished:
        winner = record.outcome.winner
        result = f"{'draw' if winner is None else f'{game.rules.sides[winner]} wins'} ({record.reason})"
    event = record.tags(game.rules.sides).get("Event", "game")
    names = " - ".join(name or "?" for name in record.players)
    return f"{event}: {names}; start {game.position_text(record.start)}; {' '.join(texts)}; {result}"
