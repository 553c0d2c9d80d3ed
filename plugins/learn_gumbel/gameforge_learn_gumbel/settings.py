"""Parameters of the learner `gumbel`."""

import attrs

from gameforge.interfaces import Spec, kinds

SEARCHER = Spec("puct", {"select": "gumbel", "simulations": 32, "noise": 1.0, "reuse": False})
"""The searcher of self-play: few simulations, and noise, without which all games would be alike."""


@attrs.frozen(kw_only=True)
class GumbelSettings:
    """Generations of self-play and fit."""

    generations: int = attrs.field(default=60, validator=kinds.count(1, 100_000))
    """Number of generations."""
    games: int = attrs.field(default=1000, validator=kinds.count(1, 10_000_000))
    """Games of self-play in a generation."""
    searcher: Spec = SEARCHER
    """Searcher of self-play; one that counts visits."""
    scale: float = attrs.field(default=1.0, validator=kinds.positive(100))
    """Weight of values beside the logits in the improved policy, c_scale of [Danihelka2022], as in `puct`."""
    random_plies: int = attrs.field(default=8, validator=kinds.count(0, 1000))
    """A game begins with up to this number of random moves; each number from 0 on is equally likely. Where they end
    the game, it begins with fewer."""
    blend: float = attrs.field(default=0.5, validator=kinds.share)
    """What a position should score: blend * the result of its game + (1 - blend) * the value of its search."""
    window: int = attrs.field(default=10, validator=kinds.count(1, 1000))
    """Number of generations whose positions are fitted: the present one and those before it."""
    passes: float = attrs.field(default=4.0, validator=kinds.positive(1000))
    """Positions drawn for the fit of a generation, for each new position."""
    batch: int = attrs.field(default=256, validator=kinds.count(1, 1 << 20))
    """Positions of a step."""
    rate: float = attrs.field(default=0.002, validator=kinds.positive(100))
    """Learning rate of AdamW in the first generation; it falls evenly to a tenth of this in the last."""
    weight_decay: float = attrs.field(default=0.01, validator=kinds.not_negative)
    """Share of each weight, times the learning rate, that a step takes away."""

    @property
    def training_games(self) -> int:
        """Number of games of a whole training."""
        return self.generations * self.games
