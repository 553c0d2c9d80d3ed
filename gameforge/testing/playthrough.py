"""Golden playthroughs: a random game recorded in full, so that a test notices every change of a game's behaviour.

    python -m gameforge.testing.playthrough GAME [SEED] > playthrough.txt

Each game has such a file among its tests; its first line is the command that regenerates it.
"""

import hashlib
import sys
from collections.abc import Iterator

import attrs

from gameforge.config import Spec
from gameforge.discovery.registry import Registry, default_registry
from gameforge.play.game import Game, Position
from gameforge.play.perft import perft

_PERFT_PLIES = 4


def playthrough(game: str, seed: int = 0, registry: Registry | None = None) -> str:
    """Record a random game from its start to its end, with everything that the rules say about each position.

    game: NAME or NAME:key=value. A hash of the seed selects the moves, not a random generator whose numbers might
    change, so that the text is the same on every machine.
    """
    rules = (registry or default_registry()).create("rules", Spec.parse(game))
    return "\n".join([f"# python -m gameforge.testing.playthrough {game} {seed}", *_lines(Game(rules), seed), ""])


def _lines(game: Game, seed: int) -> Iterator[str]:
    rules, functions = game.rules, game.functions
    yield f"name: {rules.name}"
    yield f"sides: {', '.join(rules.sides)}"
    yield f"reasons: {', '.join(rules.reasons)}"
    yield f"draws: {attrs.asdict(rules.draws)}"
    yield f"words: {functions.words}, moves: at most {functions.max_moves}"
    position = game.position()
    yield f"perft: {', '.join(str(perft(position, plies)) for plies in range(1, _PERFT_PLIES + 1))}"
    ply = 0
    while True:
        yield f"\n## ply {ply}"
        yield from _described(position)
        outcome = position.outcome
        if outcome is not None:
            winner = "draw" if outcome.winner is None else f"{rules.sides[outcome.winner]} wins"
            yield f"outcome: {winner}, {outcome.reason}{', a loop' if outcome.loop else ''}"
            return
        drawn = hashlib.sha256(f"{seed} {ply}".encode()).digest()
        move = position.legal_moves[int.from_bytes(drawn[:8], "big") % len(position.codes)]
        yield f"move: {move} = {move.code:#x}"
        position = position.play(move)
        ply += 1


def _described(position: Position) -> Iterator[str]:
    game = position.game
    if game.drawing is not None:
        yield str(position)
    yield f"position: {game.position_text(position.state)}"
    yield f"state: {', '.join(f'{word:#x}' for word in position.state)}"
    yield f"to move: {game.rules.sides[position.turn]}"
    yield f"legal: {', '.join(map(str, position.legal_moves))}"
    yield f"words: {', '.join(f'{code:#x}' for code in position.codes)}"
    picture = None if game.drawing is None else game.drawing.svg(position.state)
    if picture is not None:
        yield f"picture: sha256 {hashlib.sha256(picture.encode()).hexdigest()[:16]}"


if __name__ == "__main__":
    print(playthrough(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0), end="")
