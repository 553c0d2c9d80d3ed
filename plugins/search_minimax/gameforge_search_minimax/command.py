"""`gameforge probcut`: fit the cuts of a selective search to a player."""

from pathlib import Path
from typing import Annotated

import attrs
import typer

from gameforge.cli.console import Console
from gameforge.cli.figures import counted
from gameforge.cli.options import PLAYER_HELP, Force, game_help, require_new
from gameforge.cli.terminal import compilation_notice
from gameforge.config.toml import dump_toml
from gameforge.discovery.registry import Registry
from gameforge.play.described_players import player_from_text
from gameforge.storage.files import write_atomically


def probcut(
    ctx: typer.Context,
    player: Annotated[str, typer.Argument(help=f"Player whose evaluator is searched. {PLAYER_HELP}")],
    game: Annotated[str | None, typer.Option(help=game_help("player"))] = None,
    depth: Annotated[int, typer.Option(min=3, max=20, help="Largest depth of a cut, in plies.")] = 10,
    positions: Annotated[int, typer.Option(min=10, help="Number of positions, each from a game of its own.")] = 300,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the games.")] = 0,
    out: Annotated[Path | None, typer.Option(help="New TOML file for the cuts. Default: print them.")] = None,
    force: Force = False,
) -> None:
    """Print the cuts of alphabeta's ProbCut as TOML: depth pairs with slope, offset and error of their regression.

    The player's searcher is replaced by exact searches of each depth.
    """
    from gameforge_search_minimax.fitting import fit_cuts, sample_positions, scores_by_depth

    registry: Registry = ctx.obj.registry
    if out is not None:
        require_new(out, force)
    console = Console(highlight=False, stderr=True)
    with compilation_notice(console), console.status("playing games") as status:
        chosen = player_from_text(player, game, registry)
        sample = sample_positions(chosen, positions, seed)
        scores = scores_by_depth(
            chosen, sample, depth, lambda done: status.update(f"{done:,} of {counted(positions, 'position')}")
        )
        cuts = fit_cuts(scores)
    text = dump_toml({"searcher": {"cuts": [attrs.asdict(cut) for cut in cuts]}})
    if out is None:
        Console(highlight=False, soft_wrap=True).print(text, end="")
    else:
        write_atomically(out, text.encode())
