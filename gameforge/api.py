"""What a person calls: gf.game, gf.oracle, gf.player, gf.match (gf.Pipeline is in pipeline.py)."""

from pathlib import Path
from typing import Any

from gameforge.arena import match
from gameforge.config import Spec, parse_spec
from gameforge.game import Game
from gameforge.lookup import Lookup
from gameforge.oracle import Announce, silent
from gameforge.players import Player
from gameforge.registry import Registry, default_registry
from gameforge.rules import Rules

__all__ = ["game", "match", "oracle", "player"]


def game(rules: str | Rules, *, registry: Registry | None = None, **params: Any) -> Game:
    """A game by name, with parameters of its rules: `game("draughts", repetition=0)`; or of your own rules object."""
    if isinstance(rules, str):
        return Game((registry or default_registry()).create("rules", _spec(rules, params)))
    return Game(rules)


def oracle(
    name: str, *, announce: Announce = silent, workers: int = 1, registry: Registry | None = None, **params: Any
) -> Lookup:
    """An oracle by name: `oracle("chinook", pieces=4)`; opened when it is first asked or searched with."""
    spec = _spec(name, params)
    return Lookup((registry or default_registry()).create("oracle", spec), spec, announce, workers)


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

    `game`: a Game, or its name, or the folder of a saved player or run (then nothing else is given).
    An evaluator that is a net gets fresh weights, drawn from the seed.
    """
    import numpy as np

    from gameforge.evaluation import NetKernel
    from gameforge.pipeline import Pipeline
    from gameforge.saved import load_player, player_spec

    registry = registry or default_registry()
    if isinstance(game, Path) or (isinstance(game, str) and Path(game).is_dir()):
        folder = Path(game)
        return load_player(folder / "player" if (folder / "player").is_dir() else folder, registry)
    pipeline = Pipeline(
        game=game,
        searcher=searcher,
        evaluator=evaluator,
        features=features,
        oracle=oracle,
        learner="none",
        registry=registry,
    )
    parts = pipeline.parts()
    weights = parts.initial_weights(np.random.default_rng(seed)) if isinstance(parts.net, NetKernel) else None
    return Player(parts, weights, name, player_spec(pipeline.table))


def _spec(name: str, params: dict[str, Any]) -> Spec:
    spec = parse_spec(name)
    return Spec(spec.use, {**spec.params, **params})
