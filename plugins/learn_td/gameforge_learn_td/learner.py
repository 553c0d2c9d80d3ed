"""The learners `td` (self-play: [Lynch1997], section 6; [Neto2009], section 5.3) and `expert` (recorded games)."""

from collections.abc import Mapping
from typing import Any

import attrs

from gameforge.interfaces import Illustration, Trained, TrainingTask
from gameforge_learn_td.settings import ExpertSettings, TDSettings


@attrs.frozen(kw_only=True)
class TD(TDSettings):
    """TD(lambda), TDLeaf(lambda) or TreeStrap by self-play.

    A session is `games` training games on each board, in which the net has each colour in every
    other game. What else happens depends on the regime:

    * `cloning`: only the net learns. Two test games on each board follow, one with each colour; with
      enough points (win 2, draw 1) on every board the opponent becomes a copy of the net.
    * `block`: the same without test games; the net must win `clone_share` of the session's games.
    * `straight`: both learn, and the opponent never becomes a copy.

    `result` names what the training returns: the winner of a tournament of the net and all its
    copies, the opponent as it is at the end (the last copy), or the net itself.
    """

    def train(self, task: TrainingTask) -> Trained:
        """Train the net by self-play.

        Raises GameforgeError if the evaluator has no trainable weights, if a board is not a position or the game is
        over on it, if `adjudicate` lacks an oracle, or if training diverges.
        """
        from gameforge_learn_td.self_play import SelfPlay

        return SelfPlay(self, task).run()

    def illustration(self, summary: Mapping[str, Any]) -> Illustration:
        """Curves are interrupted where the opponent changes."""
        return Illustration(gaps={"cloned": "the opponent became a copy of the net"})


@attrs.frozen(kw_only=True)
class Expert(ExpertSettings):
    """TD(lambda) over games from files, `epochs` times in order ([Lynch1997], sections 6.5 and 9.2).

    As in NeuroDraughts' XTRAIN, a game is two trainings: the positions after the first mover's moves,
    then those after the second's, each ended by the reward of its side.
    """

    def train(self, task: TrainingTask) -> Trained:
        """Train the net on the games of the files.

        Raises GameforgeError if the evaluator has no trainable weights, if a file cannot be read or has no finished
        games, or if training diverges.
        """
        from gameforge_learn_td.recorded_games import train

        return train(self, task)
