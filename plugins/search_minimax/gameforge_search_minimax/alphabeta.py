"""The searcher `alphabeta`: a strong search for any game and evaluator (kernel in negamax.py)."""

import math
from typing import Literal

import attrs

from gameforge.config.validation import Validator, number
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import RulesFunctions
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge_search_minimax import limits
from gameforge_search_minimax.evaluation_cache import EVALUATION_WORDS
from gameforge_search_minimax.limits import QUIET_PLIES, UNIT
from gameforge_search_minimax.negamax import search, search_selectively
from gameforge_search_minimax.probcut import Cut, cut_limits
from gameforge_search_minimax.sharing import BUSY_WORDS
from gameforge_search_minimax.transposition import BUCKET_BYTES, BUCKET_WORDS, HEADER_WORDS, NO_MOVE
from gameforge_search_minimax.workspace import BOUNDS, stack_words

DEFAULT_DEPTH, MAX_DEPTH = 8, 60
DEFAULT_REDUCTIONS = 0.7
_MEGABYTE = 1 << 20
_MOST_NODES = 10**18
_LEADER = 0
"""Number of the main search among the helpers, at limits.HELPER."""
_FROM_0_TO_2 = number("from 0 to 2", 0, 2)
_SECONDS = number("more than 0 seconds and at most 1000000", 0, 1e6, above=True)


def _optional(*validators: Validator) -> Validator:
    return attrs.validators.optional(list(validators))


@attrs.frozen(kw_only=True)
class AlphaBeta:
    """The component. A search ends with the first limit that is reached, and always returns a move."""

    depth: int | None = attrs.field(
        default=None, validator=_optional(attrs.validators.ge(1), attrs.validators.le(MAX_DEPTH))
    )
    """Plies before the horizon. None: 8, or 60 if `nodes` or `time` is given."""
    nodes: int | None = attrs.field(
        default=None, validator=_optional(attrs.validators.ge(1), attrs.validators.le(_MOST_NODES))
    )
    """Maximum number of positions reached by a move, not counting those of helpers."""
    time: float | None = attrs.field(default=None, validator=_optional(_SECONDS))
    """Maximum time per move, in seconds. Results then depend on the machine."""
    memory: int = attrs.field(default=16, validator=[attrs.validators.ge(0), attrs.validators.le(1 << 16)])
    """Size of the transposition table in megabytes, rounded down to a power of two; 0: no table."""
    quiescence: bool = True
    """Search noisy moves beyond the horizon."""
    forced: bool | None = None
    """Do not count an only move as a ply of the depth. None: as `selective`."""
    draws: bool = True
    """Recognise repetitions and other draws that depend on the history of the game."""
    progress: bool = True
    """Search on, guided by the evaluator, if an oracle calls a position drawn, or won or lost without a distance."""
    convert: bool = True
    """With `progress`, head for the next move that cannot be undone if the root is won or lost in this way."""
    ties: Literal["first", "random"] = attrs.field(default="first", validator=attrs.validators.in_(("first", "random")))
    """Which of several best moves is played: the first one searched, or a random one."""
    workers: int = attrs.field(default=1, validator=[attrs.validators.ge(1), attrs.validators.le(64)])
    """Number of threads in one search. With more than one, results depend on chance."""
    selective: bool = False
    """Search unpromising moves and positions less deeply, and the others deeper; false: search all of them equally."""
    reductions: bool | float = attrs.field(default=True, validator=_FROM_0_TO_2)
    """If `selective`: first search late quiet moves to a depth reduced by `reductions` * (1 + ln(depth) * ln(n)) plies,
    rounded down, for the move after n others. True is 0.7; False and 0: search them to the full depth."""
    futility: float = attrs.field(default=0.1, validator=_FROM_0_TO_2)
    """If `selective`: do not search quiet positions near the horizon whose static score is outside the window by this
    margin for each ply of depth; 0: search all."""
    futility_plies: int = attrs.field(default=6, validator=[attrs.validators.ge(0), attrs.validators.le(60)])
    """Greatest depth left at which `futility` applies, in plies."""
    penalties: bool = True
    """If `selective`: quiet moves that refute nothing lose merit, which orders them and decides on their reduction."""
    late_pruning: bool = True
    """If `selective`: near the horizon, search only the first quiet moves of a position."""
    keep: bool = True
    """If `selective`: keep the transposition table between the moves of one game."""
    cuts: tuple[Cut, ...] = ()
    """If `selective`: the depths at which a shallow search may replace a deep one (ProbCut), with their regression."""
    confidence: float = attrs.field(default=1.5, validator=number("from 0 to 10", 0, 10))
    """Number of standard errors by which such a search must be outside the window."""

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        """Return the kernel and its limits; GameforgeError if the rules have more moves than the table can number."""
        if rules.max_moves >= NO_MOVE:
            raise GameforgeError(
                f"alphabeta: the rules allow {rules.max_moves} moves in a position, at most {NO_MOVE - 1} are supported"
            )
        unlimited = self.nodes is None and self.time is None
        depth = self.depth or (DEFAULT_DEPTH if unlimited else MAX_DEPTH)
        plies = depth + QUIET_PLIES
        bits = max(0, (self.memory * _MEGABYTE // BUCKET_BYTES).bit_length() - 1)
        return SearcherFunctions(
            search=search_selectively if self.selective else search,
            limits=self._limits(depth, plies, bits),
            stack=stack_words(plies, rules.words, rules.max_moves),
            scores=int(BOUNDS) * (plies + 1),
            memory=int(HEADER_WORDS) + ((int(BUCKET_WORDS) << bits) + EVALUATION_WORDS if bits else 0) + BUSY_WORDS,
            bare=True,
            asks_gated=True,
            workers=self.workers,
        )

    def _limits(self, depth: int, plies: int, bits: int) -> tuple[int, ...]:
        """Return the block `limits` (limits.py). plies: room in the workspace. bits: as in Options.table_bits."""
        rate = DEFAULT_REDUCTIONS if self.reductions is True else float(self.reductions)
        words = {
            limits.DEPTH: depth,
            limits.NODES: self.nodes or 0,
            limits.TIME: math.ceil((self.time or 0) * 1e9),
            limits.TABLE_BITS: bits,
            limits.QUIESCENCE: self.quiescence,
            limits.FORCED: self.selective if self.forced is None else self.forced,
            limits.DRAWS: self.draws,
            limits.PROGRESS: self.progress,
            limits.PLIES: plies,
            limits.RANDOM_TIES: self.ties == "random",
            limits.WORKERS: self.workers,
            limits.REDUCTIONS: round(rate / UNIT),
            limits.FUTILITY: round(self.futility / UNIT),
            limits.FUTILITY_PLIES: self.futility_plies,
            limits.PENALTIES: self.penalties,
            limits.LATE_PRUNING: self.late_pruning,
            limits.KEEP: self.keep,
            limits.CONVERT: self.convert,
            limits.HAS_CUTS: bool(self.cuts),
        }
        before_cuts = (int(words[i]) for i in range(limits.CUTS))
        return *before_cuts, *cut_limits(self.cuts, self.confidence), _LEADER
