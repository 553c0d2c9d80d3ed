"""Finished games as text: in the game's own format where it has one, else move by move."""

import functools
from collections.abc import Callable
from typing import Any

from gameforge.interfaces.capabilities import HasGameText
from gameforge.interfaces.games import GameRecord
from gameforge.play.game import Game


def games_name(game: Game) -> str:
    """Name of the file with a run's or match's games."""
    return f"games{game.rules.game_suffix if isinstance(game.rules, HasGameText) else '.txt'}"


def game_text(game: Game, record: GameRecord) -> str:
    """A finished game as text, in the game's own format where it has one."""
    return game_writer(game)(record)


def game_writer(game: Game) -> Callable[[GameRecord], str]:
    """What game_text does, for many records of one game: the look at a protocol's methods takes longer than a text."""
    rules = game.rules
    if isinstance(rules, HasGameText):
        return functools.partial(_own_text, rules, rules.sides)
    return functools.partial(_plain_text, game)


def _own_text(rules: HasGameText, sides: tuple[str, str], record: GameRecord) -> str:
    tags: dict[str, Any] = {"Event": _event(record), **dict(zip(sides, record.players, strict=True))}
    if record.opening:
        tags["Opening"] = record.opening
    return rules.game_text(tags, record.start, record.moves, record.outcome.winner, _reason(record))


def _plain_text(game: Game, record: GameRecord) -> str:
    texts, state = [], record.start
    for move in record.moves:
        texts.append(game.move_text(state, move, game.legal(state)))
        state = game.play(state, move)
    winner = "draw" if record.outcome.winner is None else f"{game.rules.sides[record.outcome.winner]} wins"
    names = " - ".join(record.players)
    start = game.position_text(record.start)
    return f"{_event(record)}: {names}; start {start}; {' '.join(texts)}; {winner} ({_reason(record)})"


def _event(record: GameRecord) -> str:
    return f"{record.phase} {record.number}" + (f", session {record.session}" if record.session else "")


def _reason(record: GameRecord) -> str:
    return f"{record.outcome.reason}: {record.note}" if record.note else record.outcome.reason
