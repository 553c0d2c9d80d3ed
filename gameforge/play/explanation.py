"""What an evaluator thinks of a position: what each piece and each input of a net contributes to its score.

The contribution of a piece is the difference that its removal makes; that of an input, the difference when it is 0.
This works for evaluators of every kind, and for all boards whose pieces can be arranged (gameforge.interfaces.board).
"""

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.board import Piece
from gameforge.interfaces.evaluator import NetFunctions
from gameforge.play.game import Position
from gameforge.play.player import Player


@attrs.frozen(kw_only=True)
class Input:
    """An input of a net."""

    name: str
    value: float
    share: float
    """How much the score would fall if the input were 0."""


@attrs.frozen(kw_only=True)
class Explanation:
    """A static score and its parts, for the side to move; no search is involved."""

    score: float
    pieces: tuple[tuple[Piece, float], ...]
    """The pieces, and how much the score would fall without each; empty if the game's board cannot be rearranged."""
    inputs: tuple[Input, ...]
    """The inputs of a net; empty for other evaluators."""


def explain(player: Player, position: Position) -> Explanation:
    """Explain the evaluator's score of a position; GameforgeError if the player has no evaluator."""
    import numpy as np

    if player.parts.net is None:
        raise GameforgeError(f"player {player.name} has no evaluator, so it has no opinion to explain")
    state, board = position.state, position.game.board
    states, pieces = [state], []
    if board is not None and board.arrange is not None:
        pieces = list(board.pieces(state))
        states += [board.arrange(state, [*pieces[:i], *pieces[i + 1 :]], position.turn) for i in range(len(pieces))]
    scores = player.values(np.array(states, np.uint64)).tolist()
    worths = [scores[0] - score for score in scores[1:]]
    return Explanation(
        score=scores[0], pieces=tuple(zip(pieces, worths, strict=True)), inputs=_inputs(player, position)
    )


def _inputs(player: Player, position: Position) -> tuple[Input, ...]:
    net = player.parts.net
    if not isinstance(net, NetFunctions):
        return ()
    values, scores = player.inputs(position.state)
    names = net.features.names or tuple(f"input {i + 1}" for i in range(net.features.inputs))
    shares = (scores[0] - scores[1:]).tolist()
    return tuple(
        Input(name=name, value=value, share=share)
        for name, value, share in zip(names, values.tolist(), shares, strict=True)
    )
