"""Folders of trained players for tests of the contract kit: a sound one, and one for each check that fails it."""

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

import attrs

import gameforge as gf
from gameforge.play.saved_players import save_player
from gameforge.training.provenance import PROVENANCE_FORMAT

PIPELINE = 'game = "draughts"\nseed = 1\nsearcher = "minimax"\nevaluator = "material"\nlearner = "td"\n'


@attrs.frozen
class PlayerFolder:
    """A folder that is written when it is first needed, as a path."""

    levels: str = '[[levels]]\nsearcher = "random"\n\n[[levels]]\n'
    sha256: str = ""
    seed: int = 1
    surplus: int = 0
    """Bytes of a further file."""
    complete: bool = True

    def __fspath__(self) -> str:
        return str(_written(self))


@functools.cache
def _written(toy: PlayerFolder) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="gameforge-player-"))
    atexit.register(shutil.rmtree, folder)
    if toy.complete:
        save_player(folder, gf.player("draughts", searcher="minimax:depth=1", evaluator="material"))
    (folder / "player.toml").write_text(toy.levels)
    (folder / "pipeline.toml").write_text(PIPELINE)
    provenance = {"command": "gameforge run", "seed": toy.seed, "sha256": toy.sha256, "trained": ""}
    PROVENANCE_FORMAT.write(folder, {**provenance, "versions": {}, "figures": {}})
    (folder / "surplus").write_bytes(bytes(toy.surplus))
    return folder


PLAYERS = {
    "interface": PlayerFolder(complete=False),
    "it is small": PlayerFolder(surplus=2_000_000),
    "levels play legal moves": PlayerFolder(levels='[[levels]]\nsearcher = "nobody"\n'),
    "weights are those of the provenance": PlayerFolder(sha256="0" * 64),
    "the recorded pipeline trains this player": PlayerFolder(seed=2),
}
