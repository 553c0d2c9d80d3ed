"""The learner `td`: sessions of self-play (seeds 000 and 004; sheets 01, section 8, and 03, section 3)."""

from typing import Any, Literal

import attrs

from gameforge.interfaces.learner import Trained, TrainingTask
from gameforge_learn_td.rule_parameters import RuleParameters, at_least_1, reward, share

_points: Any = attrs.validators.and_(attrs.validators.ge(0), attrs.validators.le(4))
_CLONE_POINTS = 3


@attrs.frozen(kw_only=True)
class Board:
    """A position from which games of training and test begin, as in NeuroDraughts' board file."""

    position: str = ""
    """As text; "" is the initial position."""
    draw_first: float = attrs.field(default=0.0, validator=reward)
    """Reward of a draw for the net that has the first mover's side; a win is 1, a loss -1."""
    draw_second: float = attrs.field(default=0.0, validator=reward)
    clone_points: int = attrs.field(default=_CLONE_POINTS, validator=_points)
    """Points that the two test games from here must bring."""


def _alone(instance: "TD", attribute: "attrs.Attribute[Any]", value: tuple[Board, ...]) -> None:
    if value and (instance.draw, instance.clone_points) != (0.0, _CLONE_POINTS):
        raise ValueError("each board has its own rewards and clone_points; leave draw and clone_points out")


@attrs.frozen(kw_only=True)
class TD(RuleParameters):
    """TD(lambda) self-play.

    A session is `games` training games on each board, in which the net has each colour in every
    other game. What else happens is the regime's:

    * `cloning`: only the net learns. Two test games on each board follow, one with each colour; with
      enough points (win 2, draw 1) on every board the opponent becomes a copy of the net.
    * `block`: the same without test games; the net must win `clone_share` of the session's games.
    * `straight`: both learn, nobody is copied.

    `result` names what the training returns: the winner of a tournament of the net and all copies
    that were made of it, its opponent as it is at the end (the last copy), or the net itself.
    """

    sessions: int = attrs.field(default=10, validator=at_least_1)
    games: int = attrs.field(default=200, validator=at_least_1)
    """Training games of a session on each board."""
    regime: Literal["cloning", "block", "straight"] = "cloning"
    clone_points: int = attrs.field(default=_CLONE_POINTS, validator=_points)
    """Of the initial position, where `boards` is empty."""
    clone_share: float = attrs.field(default=0.85, validator=share)
    draw: float = attrs.field(default=0.0, validator=reward)
    """Reward of a draw, where `boards` is empty; a win is 1, a loss -1."""
    adjudicate: bool = False
    """Training games end where an oracle of the pipeline knows the result, with that."""
    boards: tuple[Board, ...] = attrs.field(default=(), validator=_alone)
    """Empty: the initial position."""
    result: Literal["tournament", "clone", "net"] = "tournament"

    @property
    def all_boards(self) -> tuple[Board, ...]:
        """The boards that are played on."""
        alone = Board(draw_first=self.draw, draw_second=self.draw, clone_points=self.clone_points)
        return self.boards or (alone,)

    @property
    def training_games(self) -> int:
        """Of all sessions on all boards."""
        return self.sessions * self.games * len(self.all_boards)

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError if the evaluator has no weights to train, for a board that is none or on which
        the game is over, if there is no oracle to adjudicate, and if training diverges."""
        from gameforge_learn_td.training import Training

        return Training(self, task).run()
