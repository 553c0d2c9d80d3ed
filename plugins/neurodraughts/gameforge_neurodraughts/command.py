"""The command `gameforge neurodraughts`: convert files of NeuroDraughts to a pipeline, export networks.

Imported files replace parts of the preset `neurodraughts`.
"""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from gameforge_draughts.files import read_boards
from gameforge_draughts.movegen import START
from gameforge_draughts.notation import position_text
from gameforge_eval_mlp.mlp import Mlp

from gameforge import GameforgeError, Pipeline, Workshop
from gameforge.cli import Console, compilation_notice, options
from gameforge.interfaces import NetFunctions, config
from gameforge.storage import files
from gameforge_neurodraughts.network import (
    NetworkFile,
    features_settings,
    features_to_create,
    network_text,
    of_vector,
    read_network,
)
from gameforge_neurodraughts.settings_files import is_creation_file, read_creation, read_features, read_parameters

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
    force: options.Force = False,
) -> None:
    """Convert NeuroDraughts' files to a pipeline for `gameforge run`.

    Settings that the files do not specify are those of the preset neurodraughts.
    """
    if (boards is None) == (not training):
        raise GameforgeError("import: give either a board file (training by self-play) or --training (by expert games)")
    registry = ctx.obj.registry
    preset = registry.preset(_PRESET)
    settings: dict[str, object]
    if boards is not None:
        numbers = {"learner": {"games": games, "sessions": sessions}}
        settings = config.merge(self_play(preset, parameters, boards), numbers)
    else:
        settings = expert_play(preset, parameters, training or [], epochs)
    settings |= network_settings(network, features)  # replaces the preset's evaluator as a whole
    Pipeline.from_settings(settings, registry)
    sources = [network, parameters, *([boards] if boards else []), *([features] if features else [])]
    remark = f"# From {', '.join(path.name for path in sources)} of NeuroDraughts; the rest is as in its preset.\n"
    _write(out, remark + config.dump_toml(settings), force)
    print(f"{out} is written; train with: gameforge run {shlex.quote(str(out))}")


@app.command("export")
def export_network(
    ctx: typer.Context,
    player: Annotated[Path, typer.Argument(metavar="RUN|PLAYER", help="Folder of a run or of a saved player.")],
    target: Annotated[Path, typer.Argument(metavar="NETWORK", help="The network file to write.")],
    name: Annotated[
        str | None, typer.Option(help="Name of the network, written to its first line; default: the name of the file.")
    ] = None,
    force: options.Force = False,
) -> None:
    """Export a trained net as a pre-created network."""
    console = Console(highlight=False, stderr=True)
    with compilation_notice(console), console.preparation() as preparation:
        loaded = Workshop(ctx.obj.registry, preparation).load(player)
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
    options.require_new(target, force)
    files.write_atomically(target, text.encode())


def network_settings(path: Path, feature_file: Path | None) -> dict[str, object]:
    """Settings of the evaluator of a creation file or a network file; a creation file also has a seed.

    Raises GameforgeError for a damaged file, or if LowRange is above HighRange. Warns of an unexpected number of
    inputs.
    """
    names = None if feature_file is None else read_features(feature_file)
    if not is_creation_file(path):
        read_network(path)  # report damage now
        return {
            "evaluator": {"use": "neurodraughts", "file": str(path)}
            | ({} if names is None else {"features": features_settings(names)})
        }
    creation = read_creation(path)
    where = f"creation file {path}"
    if creation.low > creation.high:
        raise GameforgeError(f"{where}: LowRange {creation.low:g} is above HighRange {creation.high:g}")
    return {
        "seed": creation.seed,
        "evaluator": {
            "use": "mlp",
            "hidden": creation.hidden,
            "direct": creation.direct,
            "low": creation.low,
            "high": creation.high,
            "features": features_to_create(creation.inputs, names, where),
        },
    }


def self_play(preset: Mapping[str, object], parameter_file: Path, board_file: Path) -> dict[str, object]:
    """The preset with the learner of ND: its parameters and boards."""
    boards = [
        {
            "position": "" if board.state == START else position_text(board.state),
            "draw_first": board.draw_black,
            "draw_second": board.draw_red,
            "clone_points": board.points_to_clone,
        }
        for board in read_boards(board_file)
    ]
    return config.merge(preset, {"learner": read_parameters(parameter_file) | {"boards": boards}})


def expert_play(
    preset: Mapping[str, object], parameter_file: Path, training_files: Sequence[Path], epochs: int
) -> dict[str, object]:
    """The preset with the learner of XTRAIN instead."""
    learner = {"use": "expert", "games": [str(path) for path in training_files], "epochs": epochs}
    return config.merge(preset, {"learner": learner | read_parameters(parameter_file)})
