"""Games as rows of tables: one for each game, or one for each move."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gameforge.interfaces.games import GameRecord
from gameforge.play.game import Game


def game_rows(records: Iterable[GameRecord]) -> list[dict[str, Any]]:
    """Return a row for each game: its players, opening, winner (0, 1 or None for a draw), reason and search times."""
    return [
        {
            "game": record.number,
            "first": record.players[0],
            "second": record.players[1],
            "opening": record.opening,
            "opening_plies": record.opening_plies,
            "plies": len(record.moves),
            "winner": record.outcome.winner,
            "reason": record.reason,
            "first_seconds": record.seconds[0],
            "second_seconds": record.seconds[1],
            "first_searches": record.searches[0],
            "second_searches": record.searches[1],
        }
        for record in records
    ]


def move_rows(game: Game, records: Sequence[GameRecord]) -> list[dict[str, Any]]:
    """Return a row for each move: its game and ply, from 1, the side that moves, and move and position as text."""
    return [row for record in records for row in _moves(game, record)]


def _moves(game: Game, record: GameRecord) -> Iterator[dict[str, Any]]:
    state = record.start
    for ply, move in enumerate(record.moves, 1):
        side = game.side_to_move(state)
        yield {
            "game": record.number,
            "ply": ply,
            "side": side,
            "player": record.players[side],
            "opening": ply <= record.opening_plies,
            "position": game.position_text(state),
            "move": game.move_text(state, move, game.legal(state)),
        }
        state = game.play(state, move)
