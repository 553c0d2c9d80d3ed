"""Games and positions as JSON for the page."""

import json
from collections.abc import Callable, Mapping, Sequence

from gameforge.interfaces.board import Board
from gameforge.interfaces.rules import Outcome
from gameforge.play.game import Game, Position
from gameforge.records.trace_files import game_files

JsonObject = dict[str, object]
Send = Callable[[JsonObject], None]
"""Sends an answer that is not the last one; may be called from any thread."""


Trained = Mapping[str, Sequence[tuple[float, float] | None]]
"""Names of trained players, with the Elo of each level over the one below, and half of its 95 % interval."""


def json_text(answer: JsonObject) -> str:
    """Write whatever the server sends.

    In ASCII: a text may hold half of a surrogate pair, from a page or from the name of a file, and UTF-8 has no such
    character.
    """
    return json.dumps(answer, separators=(",", ":"))


def game_view(name: str, game: Game, player: str, trained: Trained) -> JsonObject:
    """Return what the page needs to know of a game before it shows a position.

    player: the default player. trained: the trained players that come with it; Elo of their levels.
    """
    return {
        "name": name,
        "sides": list(game.rules.sides),
        "board": None if game.board is None else _board(game.board),
        "suffix": game_files(game).suffix,
        "player": player,
        "trained": dict(trained),
        "openings": [] if game.openings is None else list(game.openings.names),
    }


def _board(board: Board) -> JsonObject:
    return {
        "places": board.places,
        "names": board.labels,
        "shape": board.shape,
        "upwards": board.upwards,
        "chequered": board.chequered,
        "lines": board.lines,
        "groups": board.groups,
        "colours": board.colours,
        "ground": board.ground,
        "kinds": None if board.arrange is None else board.kinds,
    }


def position_view(position: Position) -> JsonObject:
    """Return a position: what stands on the board, what may be played, and how the game ended if it did."""
    game, state = position.game, position.state
    outcome = position.outcome
    pieces = _pieces(game, state)
    return {
        "turn": position.turn,
        "text": game.position_text(state),
        "pieces": pieces,
        "strokes": [] if game.board is None or game.board.strokes is None else list(game.board.strokes(state)),
        "picture": None if game.board is not None else _picture(position),
        "notes": ["", ""] if game.board is None or game.board.note is None else list(game.board.note(state)),
        "legal": [] if outcome is not None else _legal(position, pieces),
        "last": _last(position),
        "outcome": None if outcome is None else outcome_view(game, outcome),
    }


def outcome_view(game: Game, outcome: Outcome) -> JsonObject:
    return {"winner": outcome.winner, "reason": outcome.reason, "text": outcome_text(game, outcome)}


def outcome_text(game: Game, outcome: Outcome) -> str:
    """Say who won, and why if the reason is known."""
    winner = "Draw" if outcome.winner is None else f"{game.rules.sides[outcome.winner]} wins"
    reason = f": {outcome.reason}" if outcome.reason else ""
    return f"{winner[:1].upper()}{winner[1:]}{reason}"


def line_texts(start: Position, moves: Sequence[int]) -> list[str]:
    here, texts = start, []
    for code in moves:
        texts.append(start.game.move_text(here.state, code, here.codes))
        here = here.after(code)
    return texts


def _pieces(game: Game, state: tuple[int, ...]) -> list[tuple[int, int, str]]:
    return [] if game.board is None else [(cell, side, kind) for cell, side, kind in game.board.pieces(state)]


def _legal(position: Position, pieces: list[tuple[int, int, str]]) -> list[JsonObject]:
    """Return the legal moves with their paths and the cells from which they take a piece of the other side."""
    game, board = position.game, position.game.board
    other = {cell for cell, side, _ in pieces if side == 1 - position.turn}
    found: list[JsonObject] = []
    for code in position.codes:
        text = game.move_text(position.state, code, position.codes)
        if board is None:
            found.append({"text": text, "path": [], "takes": []})
            continue
        left = {piece.cell for piece in board.pieces(game.play(position.state, code))}
        path = list(board.path(position.state, code))
        found.append({"text": text, "path": path, "takes": sorted(other - left)})
    return found


def _last(position: Position) -> JsonObject | None:
    before, code = position.parent, position.last_move
    if before is None or code is None:
        return None
    board = position.game.board
    path = [] if board is None else list(board.path(before.state, code))
    return {"text": position.game.move_text(before.state, code, before.codes), "path": path}


def _picture(position: Position) -> JsonObject:
    """Return a drawing for games that have no board to click: an SVG document, or else text."""
    drawing = position.game.drawing
    svg = None if drawing is None else drawing.svg(position.state)
    return {"svg": svg, "text": str(position)}
