"""The searcher `puct`: tree search guided by a policy, as in AlphaZero and its Gumbel variant (see puct_search.py)."""

import math
from typing import Literal

import attrs
import numpy as np

from gameforge.interfaces import RulesFunctions, SearcherFunctions, kinds
from gameforge_search_mcts.puct_search import search_by_policy, stack_words
from gameforge_search_mcts.tree import memory_words

DEFAULT_SIMULATIONS = 1000


def _bits(number: float) -> int:
    return int(np.float64(number).view(np.int64))


@attrs.frozen(kw_only=True)
class Puct:
    """The component. A search ends with the first limit that is reached, or when the value of the root is proven."""

    simulations: int | None = attrs.field(
        default=None, validator=attrs.validators.optional(kinds.within(1, (1 << 32) - 1))
    )
    """Maximum number of simulations per move. None: 1000, or no limit if `time` is given."""
    time: float | None = attrs.field(
        default=None,
        validator=attrs.validators.optional(
            kinds.number("more than 0 seconds and at most 1000000", 0, 1e6, above=True)
        ),
    )
    """Maximum time per move, in seconds. Results then depend on the machine."""
    select: Literal["puct", "gumbel"] = attrs.field(default="puct", validator=attrs.validators.in_(("puct", "gumbel")))
    """How a simulation chooses its moves: by PUCT [Silver2018], or by the improved policy and, at the root, sequential
    halving [Danihelka2022]."""
    exploration: float = attrs.field(
        default=0.6, validator=kinds.number("more than 0 and at most 100", 0, 100, above=True)
    )
    """Constant of PUCT: a move's bound is its mean (-1 to 1) + exploration * P sqrt(n) / (1 + n_j)."""
    temperature: float = attrs.field(
        default=0.2, validator=kinds.number("more than 0 and at most 100", 0, 100, above=True)
    )
    """The policy is proportional to exp(score / temperature), with the evaluator's scores of the moves (-1 to 1)."""
    considered: int = attrs.field(default=16, validator=kinds.within(1, 1 << 16))
    """Number of moves that sequential halving begins with, if `select` is gumbel and the simulations are limited."""
    scale: float = attrs.field(default=1.0, validator=kinds.number("more than 0 and at most 100", 0, 100, above=True))
    """Weight of values beside the logits of the policy (c_scale), if `select` is gumbel."""
    noise: float = attrs.field(default=0.0, validator=kinds.number("from 0 to 100", 0, 100))
    """Scale of the Gumbel noise at the root, if `select` is gumbel: 1 draws the moves that halving begins with from
    the policy, 0 takes the most probable ones."""
    memory: int = attrs.field(default=64, validator=kinds.within(1, 1 << 16))
    """Maximum size of the tree, in megabytes. A full tree stops growing."""
    reuse: bool = True
    """Keep the subtree of the position that the game has reached."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        simulations = self.simulations or (0 if self.time else DEFAULT_SIMULATIONS)
        limits = (
            simulations,
            math.ceil((self.time or 0) * 1e9),
            _bits(self.exploration),
            _bits(self.temperature),
            int(self.reuse),
            int(self.select == "gumbel"),
            self.considered,
            _bits(self.scale),
            _bits(self.noise),
        )
        return SearcherFunctions(
            search=search_by_policy,
            limits=limits,
            stack=stack_words(rules.words, rules.max_moves),
            scores=2 * rules.max_moves,
            memory=memory_words("puct", self.memory, simulations, rules, companions=True),
            statistics=True,
            asks_gated=True,
            needs_evaluator=True,
        )
