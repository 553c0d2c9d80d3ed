"""`gameforge probcut`: fit the cuts of ProbCut to exact searches of positions from a player's games."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from gameforge import GameforgeError, Player, Position, Registry, Workshop
from gameforge.cli import Console, compilation_notice, counted, options
from gameforge.interfaces import WON, config
from gameforge.storage import files

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge_search_minimax.settings import Cut


def probcut(
    ctx: typer.Context,
    player: Annotated[str, typer.Argument(help=f"Player whose evaluator is searched. {options.PLAYER_HELP}")],
    game: Annotated[str | None, typer.Option(help=options.game_help("player"))] = None,
    depth: Annotated[int, typer.Option(min=3, max=20, help="Largest depth of a cut, in plies.")] = 10,
    positions: Annotated[int, typer.Option(min=10, help="Number of positions, each from a game of its own.")] = 300,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the games.")] = 0,
    out: Annotated[Path | None, typer.Option(help="New TOML file for the cuts. Default: print them.")] = None,
    force: options.Force = False,
) -> None:
    """Print the cuts of alphabeta's ProbCut as TOML: depth pairs with slope, offset and error of their regression.

    The player's searcher is replaced by exact searches of each depth.
    """
    registry: Registry = ctx.obj.registry
    if out is not None:
        options.require_new(out, force)
    console = Console(highlight=False, stderr=True)
    with compilation_notice(console), console.status("playing games") as status:
        chosen = Workshop(registry).player(player, game)
        sample = sample_positions(chosen, positions, seed)
        scores = scores_by_depth(
            chosen, sample, depth, lambda done: status.update(f"{done:,} of {counted(positions, 'position')}")
        )
        cuts = fit_cuts(scores)
    text = config.dump_toml({"searcher": {"cuts": [attrs.asdict(cut) for cut in cuts]}})
    if out is None:
        Console(highlight=False, soft_wrap=True).print(text, end="")
    else:
        files.write_atomically(out, text.encode())


FIRST_DEPTH = 3
"""Least depth of a cut."""
LEAST_POSITIONS = 10
_GAME_DEPTH, _RANDOM_MOVES = 2, 0.2


def probe_depth(depth: int) -> int:
    """Depth of the shallow search: about half, and of the same parity, because scores of other parity differ more."""
    return 2 * (depth // 4) + depth % 2 if depth > FIRST_DEPTH else 1


def sample_positions(player: Player, number: int, seed: int) -> list[Position]:
    """Positions that are not over, one from each of as many games of the player, with random moves among its own."""
    import numpy as np

    rng = np.random.default_rng(seed)
    shallow = _searching(player, _GAME_DEPTH)
    found: list[Position] = []
    while len(found) < number:
        position, line = player.game.position(), []
        while position.outcome is None:
            line.append(position)
            moves = position.legal_moves
            wanders = rng.random() < _RANDOM_MOVES
            position = position.play(moves[rng.integers(len(moves))] if wanders else shallow.choose(position))
        found.append(line[rng.integers(len(line))])
    return found


def scores_by_depth(
    player: Player, positions: Sequence[Position], depth: int, progress: Callable[[int], None]
) -> "dict[int, NDArray[np.float64]]":
    """Scores of the positions by exact searches of each depth; `progress` receives the number of finished positions."""
    import numpy as np

    searchers = {plies: _searching(player, plies) for plies in range(1, depth + 1)}
    rows = []
    for i, position in enumerate(positions, 1):
        rows.append([searcher.analyse(position).score for searcher in searchers.values()])
        progress(i)
    return dict(zip(searchers, np.array(rows).T, strict=True))


def fit_cuts(scores: "Mapping[int, NDArray[np.float64]]") -> "tuple[Cut, ...]":
    """A cut for each depth, by linear regression over the positions whose result neither search knows.

    Raises GameforgeError if too few positions are left.
    """
    import numpy as np

    from gameforge_search_minimax.settings import Cut

    cuts = []
    for depth in range(FIRST_DEPTH, max(scores) + 1):
        shallow, deep = scores[probe_depth(depth)], scores[depth]
        open_ones = (abs(shallow) < WON) & (abs(deep) < WON)
        x, y = shallow[open_ones], deep[open_ones]
        if len(x) < LEAST_POSITIONS or np.ptp(x) == 0:
            raise GameforgeError(
                f"probcut: {len(x)} positions have an undecided score at depth {depth}, and {LEAST_POSITIONS} with "
                "different scores are needed; take more positions"
            )
        slope, offset = np.polyfit(x, y, 1)
        error = np.sqrt(np.sum((y - slope * x - offset) ** 2) / (len(x) - 2))
        rounded = (round(float(value), 4) for value in (slope, offset, error))
        cuts.append(Cut(depth, probe_depth(depth), *rounded))
    return tuple(cuts)


def _searching(player: Player, depth: int) -> Player:
    """The player with an exact search of this depth."""
    from gameforge_search_minimax.negamax import AlphaBeta

    return Player(player.parts.with_searcher(AlphaBeta(depth=depth)), player.weights, player.name, player.spec)
