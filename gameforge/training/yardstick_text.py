"""Yardsticks as text: a player, an evaluator, or `none`."""

from gameforge.config import parse_spec
from gameforge.interfaces.oracle import Announce, silent
from gameforge.play.described_players import player_from_text
from gameforge.play.pipeline import Pipeline
from gameforge.play.pipeline_settings import NONE
from gameforge.training.yardstick import Yardstick


def yardstick_from_text(
    text: str | None,
    pipeline: Pipeline,
    *,
    games: int | None = None,
    every: int | None = None,
    announce: Announce = silent,
    workers: int = 1,
) -> Yardstick | None:
    """Return the yardstick of a run of this pipeline; None if the text is `none`.

    text: a player as in `player_from_text`, or an evaluator, which gets the pipeline's search; None: that of the game.
    games, every: as in Yardstick; `none` needs neither. announce, workers: for the oracles of a player. Raises
    GameforgeError for an unknown player, and for one of another game.
    """
    if text == NONE:
        return None
    opponent, evaluator = None, None
    game = pipeline.game
    if text is not None and " + " not in text and pipeline.registry.has("evaluator", _name(text), game.rules.name):
        evaluator = parse_spec(text)
    elif text is not None:
        opponent = player_from_text(text, game, pipeline.registry, announce, workers)
    return Yardstick(opponent=opponent, evaluator=evaluator, games=games, every=every)


def _name(text: str) -> str:
    return text.partition(":")[0]
