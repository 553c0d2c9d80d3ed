"""What a person calls: gf.game, gf.oracle, gf.player, gf.match, gf.Pipeline."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gameforge.config import Spec, parse_spec
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce, Oracle, silent
from gameforge.interfaces.rules import Rules
from gameforge.play import pipeline
from gameforge.play.arena import MatchResult, Sprt
from gameforge.play.arena import match as play_match
from gameforge.play.game import Game
from gameforge.play.oracle_handle import OracleHandle
from gameforge.play.player import Player
from gameforge.plugins.registry import Registry, default_registry

if TYPE_CHECKING:
    from gameforge.training.run import Run

__all__ = ["Pipeline", "game", "match", "oracle", "player"]


class Pipeline(pipeline.Pipeline):
    """A pipeline that can be trained:

    gf.Pipeline(game="mygame", learner="td:sessions=2", oracle="none").run("runs/a", seed=7)
    """

    def run(self, out: str | Path, *, seed: int | None = None, **options: Any) -> "Run":
        """Train into the new run folder `out`, or go on there (resume=True); options as of gameforge.training.train."""
        from gameforge.training.train import train

        return train(self if seed is None else self.with_seed(seed), Path(out), **options)


def game(rules: str | Rules, *, registry: Registry | None = None, **params: Any) -> Game:
    """A game by name, with parameters of its rules: `game("mygame", repetition=0)`; or of your own rules object."""
    if isinstance(rules, str):
        return Game((registry or default_registry()).create("rules", _spec(rules, params)))
    return Game(rules)


def oracle(
    oracle: str | Oracle,
    /,
    *,
    announce: Announce = silent,
    workers: int = 1,
    registry: Registry | None = None,
    **params: Any,
) -> OracleHandle:
    """An oracle by name: `oracle("chinook", pieces=4)`; or of your own object. Opened when it is first needed."""
    if not isinstance(oracle, str):
        return OracleHandle(oracle, Spec(type(oracle).__name__), announce, workers, registry)
    spec = _spec(oracle, params)
    return OracleHandle((registry or default_registry()).create("oracle", spec), spec, announce, workers, registry)


def player(
    game: Any,
    *,
    searcher: Any = None,
    evaluator: Any = None,
    features: Any = None,
    oracle: Any = "none",
    seed: int = 0,
    name: str = "player",
    registry: Registry | None = None,
) -> Player:
    """A player; what is left out comes from the game's preset, except the oracle.

    `game`: a Game, or its name, or the folder of a saved player or run; of that, searcher and oracle may be
    replaced. An evaluator with weights, as a net, gets fresh ones, drawn from the seed; if the preset names it, and a
    searcher that needs not have one asks for it, this is refused. Raises GameforgeError for what is unknown, for a
    folder without a player, and for an evaluator beside a folder.
    """
    import numpy as np

    from gameforge.play.saved_players import load_player, player_spec

    registry = registry or default_registry()
    if isinstance(game, Path) or (
        isinstance(game, str) and Path(game).is_dir() and game not in registry.names("rules")
    ):
        if evaluator is not None or features is not None:
            raise GameforgeError(f"player: {game} holds a whole player; no evaluator can be given beside a folder")
        given = {"searcher": searcher, "oracle": None if oracle == "none" else oracle}
        return load_player(Path(game), registry, **{kind: part for kind, part in given.items() if part is not None})
    chosen = Pipeline(
        game=game,
        searcher=searcher,
        evaluator=evaluator,
        features=features,
        oracle=oracle,
        learner="none",
        registry=registry,
    )
    parts = chosen.parts()
    if evaluator is None and parts.search.needs_evaluator and parts.vector is not None:
        raise GameforgeError(
            f"player: by its settings {chosen.settings['searcher']['use']} asks an evaluator, but none is named, "
            f"and {chosen.settings['evaluator']['use']}, which the game's preset names, is not trained; name one, or a "
            "folder with a trained player"
        )
    weights = None if parts.vector is None else parts.initial_weights(np.random.default_rng(seed))
    return Player(parts, weights, name, player_spec(chosen.settings))


def match(
    first: Player,
    second: Player,
    games: int = 20,
    *,
    out: str | Path | None = None,
    sprt: str | Sprt | None = None,
    **options: Any,
) -> MatchResult:
    """Play a match; options as of gameforge.play.arena.match.

    out: a folder for the match, which goes on there if it was broken off. sprt: a test that can end
    it early, also as text, `"0,10"` (gameforge.play.arena.sprt).
    """
    from gameforge.play.arena.match_folder import match_in_folder

    test = Sprt.parse(sprt) if isinstance(sprt, str) else sprt
    if out is None:
        return play_match(first, second, games, sprt=test, **options)
    return match_in_folder(Path(out), first, second, games, sprt=test, **options)


def _spec(name: str, params: dict[str, Any]) -> Spec:
    spec = parse_spec(name)
    return Spec(spec.use, {**spec.params, **params})
