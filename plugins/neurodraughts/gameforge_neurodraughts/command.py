"""The command `gameforge neurodraughts`: import files of NeuroDraughts, export networks."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from gameforge_eval_mlp.mlp import Mlp

from gameforge.cli.shared.compilation import compilation_notice
from gameforge.cli.shared.console import Console
from gameforge.cli.shared.new_file import Force, require_new
from gameforge.cli.shared.preparation import Preparation
from gameforge.config import dump_toml, merge
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import NetFunctions
from gameforge.play.pipeline import Pipeline
from gameforge.play.saved_players import load_player
from gameforge.storage.atomic import write_atomically
from gameforge_neurodraughts.imported import expert_play, network_settings, self_play
from gameforge_neurodraughts.network import NetworkFile
from gameforge_neurodraughts.network_file import network_text
from gameforge_neurodraughts.vector import of_vector

app = typer.Typer(help="Import files of NeuroDraughts, and export networks.", add_completion=False)

_PRESET = "neurodraughts"
_Out = Annotated[Path, typer.Option(help="The TOML file to write, which `gameforge run` takes.")]


@app.command("import")
def import_files(
    ctx: typer.Context,
    network: Annotated[Path, typer.Argument(help="A creation file or a pre-created network.")],
    parameters: Annotated[Path, typer.Argument(help="A parameter file.")],
    boards: Annotated[Path | None, typer.Argument(help="A board file, for training by self-play (ND).")] = None,
    features: Annotated[Path | None, typer.Argument(help="A feature file of later versions.")] = None,
    training: Annotated[
        list[Path] | None, typer.Option(help="Training data or PDN, for training by expert games instead (XTRAIN).")
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="training_epochs: number of passes over the expert games.")] = 1,
    games: Annotated[int, typer.Option(min=1, help="testafter: training games on each board before a test.")] = 10,
    sessions: Annotated[int, typer.Option(min=1, help="gamelimit: number of tests.")] = 100,
    out: _Out = Path("neurodraughts.toml"),
    force: Force = False,
) -> None:
    """Convert NeuroDraughts' files to a pipeline for `gameforge run`.

    Settings that the files do not specify are those of the preset neurodraughts.
    """
    if (boards is None) == (not training):
        raise GameforgeError("import: give either a board file (training by self-play) or --training (by expert games)")
    registry = ctx.obj.registry
    preset = registry.preset(_PRESET)
    settings: dict[str, Any]
    if boards is not None:
        numbers = {"learner": {"games": games, "sessions": sessions}}
        settings = merge(self_play(preset, parameters, boards), numbers)
    else:
        settings = expert_play(preset, parameters, training or [], epochs)
    settings |= network_settings(network, features)  # replaces the preset's evaluator as a whole
    Pipeline.from_settings(settings, registry)
    sources = [network, parameters, *([boards] if boards else []), *([features] if features else [])]
    remark = f"# From {', '.join(path.name for path in sources)} of NeuroDraughts; the rest is as in its preset.\n"
    _write(out, remark + dump_toml(settings), force)
    print(f"{out} is written; train with: gameforge run {shlex.quote(str(out))}")


@app.command("export")
def export_network(
    ctx: typer.Context,
    player: Annotated[Path, typer.Argument(metavar="RUN|PLAYER", help="Folder of a run or of a saved player.")],
    target: Annotated[Path, typer.Argument(metavar="NETWORK", help="The network file to write.")],
    name: Annotated[
        str | None, typer.Option(help="Name of the network, written to its first line; default: the name of the file.")
    ] = None,
    force: Force = False,
) -> None:
    """Export a trained net as a pre-created network."""
    console = Console(highlight=False, stderr=True)
    with compilation_notice(console), Preparation(console) as preparation:
        loaded = load_player(player, ctx.obj.registry, preparation)
    net, evaluator, weights = loaded.parts.net, loaded.parts.evaluator, loaded.weights
    if not isinstance(evaluator, Mlp | NetworkFile) or not isinstance(net, NetFunctions) or weights is None:
        raise GameforgeError(f"{player}: its evaluator is not a net with one hidden layer (mlp, neurodraughts)")
    title = (name or target.stem).strip()
    if not title or not title.isprintable():
        raise GameforgeError(f"--name {title!r}: must be one line of text")
    network = of_vector(weights, net, hidden=evaluator.hidden, direct=evaluator.direct, name=title)
    _write(target, network_text(network), force)
    print(f"{target}: {network.inputs} inputs, {network.hidden} hidden units, named {title}")


def _write(target: Path, text: str, force: bool) -> None:
    require_new(target, force)
    write_atomically(target, text.encode())
