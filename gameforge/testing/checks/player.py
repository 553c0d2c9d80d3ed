"""The contract of trained players: a folder that loads, is small, plays its levels, and says where it comes from."""

from pathlib import Path

import attrs

from gameforge.config import Spec, normal, read_toml
from gameforge.discovery.registry import Registry
from gameforge.play.game import Position
from gameforge.play.player import Player
from gameforge.play.saved_players import playing_settings
from gameforge.play.workshop import Workshop
from gameforge.storage.player_files import digest_of_weights
from gameforge.testing.contract import Contract, Given, checks_of, expect
from gameforge.testing.sampling import Sample, sample_of
from gameforge.training.provenance import provenance_of
from gameforge.training.run_folder import PIPELINE

MEGABYTES = 2
"""Most that a player may take, since every user of its plugin downloads it."""
_POSITIONS = 5
_SAME = ("game", "evaluator")
"""What the training and the player must agree in."""


@attrs.frozen
class Loaded:
    """A player at full strength, and its folder."""

    folder: Path
    registry: Registry
    player: Player
    sample: Sample

    def at(self, level: int | None) -> Player:
        return Workshop(self.registry).load(self.folder, game=self.sample.game, level=level)


def prepare(given: Given) -> Loaded:
    """Check that the folder holds a player of the game."""
    folder = Path(given.component)
    player = Workshop(given.registry).load(folder, game=given.game)
    return Loaded(folder, given.registry, player, sample_of(player.game, given.seed))


def it_is_small(loaded: Loaded) -> int:
    size = sum(file.stat().st_size for file in loaded.folder.rglob("*") if file.is_file())
    expect(size <= MEGABYTES * 10**6, f"its files have {size / 1e6:.1f} MB; at most {MEGABYTES} MB are allowed")
    return 1


def levels_play_legal_moves(loaded: Loaded) -> int:
    """The same moves after the same seed."""
    levels = [None, *range(1, len(playing_settings(loaded.folder).levels) + 1)]
    states = loaded.sample.running[:_POSITIONS]
    for level in levels:
        answers = []
        for _ in range(2):
            player = loaded.at(level)
            player.reseed(1)
            answers.append([player.analyse(Position(player.game, state)).move.code for state in states])
        expect(answers[0] == answers[1], f"level {level}: other moves after the same seed")
        for state, move in zip(states, answers[0], strict=True):
            legal = move in loaded.sample.legal(state)
            expect(legal, f"level {level}: move {move:#x} is not legal in {loaded.sample.text(state)}")
    return len(levels)


def weights_are_those_of_the_provenance(loaded: Loaded) -> int:
    recorded = provenance_of(loaded.folder).sha256
    found = digest_of_weights(loaded.folder)
    expect(found == recorded, f"the weights have the digest {found[:16]}..., the provenance has {recorded[:16]}...")
    return 1


def the_recorded_pipeline_trains_this_player(loaded: Loaded) -> int:
    """Game, evaluator and seed; whether its weights come out is for `gameforge player verify`."""
    settings = normal(read_toml(loaded.folder / PIPELINE))
    expect("learner" in settings, f"{PIPELINE} has no learner")
    seed = provenance_of(loaded.folder).seed
    expect(settings.get("seed", 0) == seed, f"{PIPELINE} has the seed {settings.get('seed', 0)}, not {seed}")
    for key in _SAME:
        trained = Spec.from_settings(settings[key], key).use
        plays = Spec.from_settings(loaded.player.spec[key], key).use
        expect(trained == plays, f"{PIPELINE} has the {key} {trained}, not {plays}")
    return 1


CONTRACT = Contract(prepare, checks_of(__name__))
