"""The yardstick that the options of `gameforge run` describe."""

from gameforge.cli.shared.players import player_from_text
from gameforge.config import parse_spec
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce
from gameforge.play.pipeline import Pipeline
from gameforge.play.pipeline_settings import NONE
from gameforge.training.yardstick import Yardstick


def chosen_yardstick(
    text: str | None,
    pipeline: Pipeline,
    *,
    games: int | None,
    every: int | None,
    announce: Announce,
    workers: int,
) -> Yardstick | None:
    """Return the yardstick of a run of this pipeline; None if the text is `none`.

    text: a player as in `player_from_text`, or an evaluator, which gets the pipeline's search; None: that of the game.
    Raises GameforgeError for an unknown player, and for one of another game.
    """
    if text == NONE:
        if games is not None or every is not None:
            raise GameforgeError("--yardstick none: there is nothing to measure; omit the other yardstick options")
        return None
    opponent, evaluator = None, None
    name = pipeline.game.rules.name
    if text is not None and " + " not in text and pipeline.registry.has("evaluator", text.partition(":")[0], name):
        evaluator = parse_spec(text)
    elif text is not None:
        opponent = player_from_text(text, name, pipeline.registry, announce, workers)
    return Yardstick(opponent=opponent, evaluator=evaluator, games=games, every=every)
