"""The searcher `uct`: Monte Carlo tree search as in [Kocsis2006] (kernel in search.py)."""

import math
from collections.abc import Callable
from typing import Literal

import attrs
import numpy as np

from gameforge import GameforgeError
from gameforge.interfaces import EXPECTED_RESULT, Rules, RulesFunctions, SearcherFunctions, Unit, kinds
from gameforge.kernel import specialised
from gameforge_search_mcts.leaves import waiting_words
from gameforge_search_mcts.search import gathers_leaves, keeps_companions, search, stack_words
from gameforge_search_mcts.tree import memory_words

DEFAULT_SIMULATIONS = 1000
_FINAL, _LEAF, _EXPAND = ("value", "visits"), ("simulation", "evaluator", "mixed"), ("random", "evaluator")


def _with_companions() -> bool:
    return True


def _in_batches() -> bool:
    return True


@attrs.frozen(kw_only=True)
class Uct:
    """The component. A search ends with the first limit that is reached, after at least one simulation."""

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
    cp: float = attrs.field(default=0.35, validator=kinds.number("more than 0 and at most 100", 0, 100, above=True))
    """Weight of exploration: the bound is mean + 2 cp sqrt(2 ln n / n_j), with means from -1 to 1."""
    final: Literal["value", "visits"] = attrs.field(default="value", validator=attrs.validators.in_(_FINAL))
    """Which move is played: the one with the greatest mean, or the most visited."""
    memory: int = attrs.field(default=64, validator=kinds.within(1, 1 << 16))
    """Maximum size of the tree, in megabytes. A full tree stops growing, and simulations start from its leaves."""
    reuse: bool = True
    """Keep the subtree of the position that the game has reached."""
    leaf: Literal["simulation", "evaluator", "mixed"] = attrs.field(
        default="simulation", validator=attrs.validators.in_(_LEAF)
    )
    """How a leaf is valued: by a random game to its end, by the evaluator, or by both."""
    share: float = attrs.field(
        default=0.5, validator=kinds.number("more than 0 and less than 1", 0, math.nextafter(1, 0), above=True)
    )
    """The evaluator's share in the value of a leaf, if `leaf` is mixed."""
    prior: int = attrs.field(default=0, validator=kinds.within(0, 1 << 20))
    """Number of visits with which a new move enters the tree, all with the evaluator's score."""
    expand: Literal["random", "evaluator"] = attrs.field(default="random", validator=attrs.validators.in_(_EXPAND))
    """Which of the moves never tried in a position is tried next: a random one, or the evaluator's favourite."""

    urgency: float | None = attrs.field(
        default=None, validator=attrs.validators.optional(kinds.number("from -1 to 100", -1, 100))
    )
    """Bound of moves that were never tried, on the scale of means (-1 to 1). None: each is tried before any other is
    repeated."""

    rave: float = attrs.field(default=0.0, validator=kinds.number("from 0 to 1000000", 0, 1e6))
    """Equivalence constant k of RAVE: at k visits of a position, half of a move's value comes from all simulations in
    which its side played the move in this position or later. 0: none does."""
    bias: float = attrs.field(default=0.0, validator=kinds.number("from 0 to 100", 0, 100))
    """Weight of the progressive bias: the evaluator's score of a move, divided by 1 + n_j, is added to its bound."""
    batch: int = attrs.field(default=1, validator=kinds.within(1, 256))
    """Number of leaves that the evaluator scores in one call; those that wait for it count as lost (virtual loss)."""

    def __attrs_post_init__(self) -> None:
        if self.prior and self.expand == "evaluator":
            raise GameforgeError("uct: prior and expand=evaluator cannot be combined; give prior or expand, not both")
        if self.prior and self.bias:
            raise GameforgeError("uct: prior and bias both add the evaluator's score; give prior or bias, not both")
        if self.prior and self.urgency is not None:
            raise GameforgeError("uct: with prior every move counts as tried; give prior or urgency, not both")
        if self.batch > 1 and self.leaf == "simulation":
            raise GameforgeError("uct: batch needs leaves that the evaluator scores; give leaf=evaluator or leaf=mixed")
        if self.batch > 1 and self.prior:
            raise GameforgeError(
                "uct: with prior the evaluator scores moves in place of leaves; give prior or batch, not both"
            )

    def unit(self, rules: Rules) -> Unit | None:
        """The expected result, if random games contribute to it; else the scores are means of the evaluator's."""
        return None if self.leaf == "evaluator" else EXPECTED_RESULT

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        simulations = self.simulations or (0 if self.time else DEFAULT_SIMULATIONS)
        share = {"simulation": 0.0, "evaluator": 1.0, "mixed": self.share}[self.leaf]
        limits = (
            simulations,
            math.ceil((self.time or 0) * 1e9),
            int(np.float64(self.cp).view(np.int64)),
            self.final == "visits",
            self.reuse,
            int(np.float64(share).view(np.int64)),
            self.prior,
            self.expand == "evaluator",
            int(np.float64(math.inf if self.urgency is None else 1.0 + self.urgency).view(np.int64)),
            int(np.float64(self.rave).view(np.int64)),
            int(np.float64(self.bias).view(np.int64)),
            self.batch,
        )
        informed = self.rave > 0 or self.bias > 0
        kernel: Callable[..., object] = search
        if informed:
            kernel = specialised(kernel, keeps_companions.__name__, _with_companions)
        if self.batch > 1:
            kernel = specialised(kernel, gathers_leaves.__name__, _in_batches)
        return SearcherFunctions(
            search=kernel,
            limits=tuple(int(limit) for limit in limits),
            stack=stack_words(rules.words, rules.max_moves)
            + waiting_words(rules.words, self.batch if self.batch > 1 else 0),
            scores=max(rules.max_moves, self.batch),
            memory=memory_words("uct", self.memory, simulations, rules, companions=informed),
            statistics=True,
            asks_gated=self.leaf != "simulation",
            needs_evaluator=self.leaf != "simulation" or self.prior > 0 or self.expand == "evaluator" or self.bias > 0,
        )
