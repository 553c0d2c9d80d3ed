"""Parameters of the learners `td` and `expert`."""

from pathlib import Path
from typing import Literal

import attrs

from gameforge.interfaces import WeightGroup, kinds

_reward = kinds.within(-1, 1)
_points = kinds.within(0, 4)
_rate = kinds.within(0, 1000)
_CLONE_POINTS = 3


@attrs.frozen(kw_only=True)
class RuleSettings:
    """Parameters of TD(lambda) for any learner that uses it; defaults of [Lynch1997], section 9.1."""

    lambda_: float = attrs.field(default=0.1, validator=kinds.share)
    """Decay of the eligibility trace from one position to the next."""
    gamma: float = attrs.field(default=0.98, validator=kinds.share)
    """Factor of the new prediction in a correction."""
    momentum: float = attrs.field(default=0.9, validator=kinds.share)
    """Share of a weight's previous step that is added to a step of the same sign."""
    sign_test: bool = True
    """Add momentum only to a step of the same sign ([Lynch1997], sections 4.2 and 5.1), not to every step."""
    rate1: float = attrs.field(default=0.0, validator=_rate)
    """Learning rate of the weights that leave inputs; 0 means 1 / inputs."""
    rate2: float = attrs.field(default=0.0, validator=_rate)
    """Learning rate of the weights that leave hidden units; 0 means 1 / hidden units."""
    rate: float = attrs.field(default=1.0, validator=_rate)
    """Factor of the learning rates that rate1 and rate2 leave open."""

    def rate_of(self, group: WeightGroup) -> float:
        """The learning rate of a group of weights."""
        given = self.rate1 if group.source == "inputs" else self.rate2
        return given or self.rate / group.fan_in


@attrs.frozen(kw_only=True)
class Board:
    """A position from which training and test games begin, as in a NeuroDraughts board file."""

    position: str = ""
    """In the game's notation; "" is the initial position."""
    draw_first: float = attrs.field(default=0.0, validator=_reward)
    """Reward of a draw for the net that has the first mover's side; a win is 1, a loss -1."""
    draw_second: float = attrs.field(default=0.0, validator=_reward)
    """Reward of a draw for the net that has the second mover's side."""
    clone_points: int = attrs.field(default=_CLONE_POINTS, validator=_points)
    """Points in the two test games from this position that are required for a new clone."""


def _boards_set_their_own(
    instance: "TDSettings", attribute: "attrs.Attribute[tuple[Board, ...]]", value: tuple[Board, ...]
) -> None:
    if value and (instance.draw, instance.clone_points) != (0.0, _CLONE_POINTS):
        raise ValueError("each board has its own rewards and clone_points, so draw and clone_points must be left out")


@attrs.frozen(kw_only=True)
class TDSettings(RuleSettings):
    """Parameters of self-play training."""

    rule: Literal["td", "tdleaf", "treestrap"] = "td"
    """What is corrected: the positions after the learner's moves, the leaves of its searches, or all their nodes."""
    coherence: Literal["none", "linear", "exponential"] = "none"
    """Whether the step size of each weight adapts to how well its past changes agree, and how: see the README."""

    sessions: int = attrs.field(default=10, validator=kinds.at_least(1))
    """Number of sessions."""
    games: int = attrs.field(default=200, validator=kinds.at_least(1))
    """Training games of a session on each board."""
    regime: Literal["cloning", "block", "straight"] = "cloning"
    """Who learns, and when the opponent becomes a copy of the net: see the table in the README."""
    clone_points: int = attrs.field(default=_CLONE_POINTS, validator=_points)
    """Points required for a new clone if `boards` is empty."""
    clone_share: float = attrs.field(default=0.85, validator=kinds.share)
    """With regime `block`: share of a session's games that must be won for a new clone."""
    draw: float = attrs.field(default=0.0, validator=_reward)
    """Reward of a draw if `boards` is empty; a win is 1, a loss -1."""
    adjudicate: bool = False
    """End a training game as soon as an oracle of the pipeline knows its result, with that result."""
    target: Literal["net", "oracle"] = "net"
    """Towards what a prediction is corrected: the net's prediction for the next board or, if an oracle of the pipeline
    knows that board, the oracle's value in its place."""
    opening_plies: int = attrs.field(default=0, validator=kinds.count(0, 1000))
    """Random moves at the beginning of each training game; no board is trained before the first move after them."""
    epsilon: float = attrs.field(default=0.0, validator=kinds.share)
    """Probability with which either player makes a random move in a training game, after the opening."""
    boards: tuple[Board, ...] = attrs.field(default=(), validator=_boards_set_their_own)
    """Empty: the initial position."""
    result: Literal["tournament", "clone", "net"] = "tournament"
    """Which weights the training returns: the winner's of a final tournament, the last clone's, or the net's."""

    @property
    def is_neurodraughts(self) -> bool:
        """Whether nets are trained by NeuroDraughts' procedure, with momentum, not by the rules for any evaluator."""
        return self.rule == "td" and self.coherence == "none"

    @property
    def all_boards(self) -> tuple[Board, ...]:
        """The boards from which games begin: `boards`, or the initial position."""
        initial = Board(draw_first=self.draw, draw_second=self.draw, clone_points=self.clone_points)
        return self.boards or (initial,)

    @property
    def training_games(self) -> int:
        """Training games of all sessions on all boards."""
        return self.sessions * self.games * len(self.all_boards)


@attrs.frozen(kw_only=True)
class ExpertSettings(RuleSettings):
    """Parameters of training on recorded games."""

    games: tuple[Path, ...] = attrs.field(validator=attrs.validators.min_len(1))
    """Files of games or of training positions, in a format of the game."""
    epochs: int = attrs.field(default=10, validator=kinds.at_least(1))
    """Passes over all files."""
    draws: bool = True
    """Also train on drawn games."""
    draw_first: float = attrs.field(default=0.0, validator=_reward)
    """Reward of a draw for the first mover; a win is 1, a loss -1."""
    draw_second: float = attrs.field(default=0.0, validator=_reward)
    """Reward of a draw for the second mover."""
