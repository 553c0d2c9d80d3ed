"""Parameters of `alphabeta`, the block `limits` that carries them to the kernel, and the options that the kernel reads.

A cut of ProbCut predicts the score of a deep search from that of a shallow one, with an error [Buro1995]; cuts for
several depths make Multi-ProbCut [Buro1997]. `gameforge probcut` (fitting.py) fits them to a player, and the search
uses them in ordering.py.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import attrs
import numpy as np

from gameforge.interfaces import kinds
from gameforge.kernel import U0, IntegerArray, Limits, Truth, Whole, Word, inline, nanoseconds, slots

DEPTH, NODES, TIME, TABLE_BITS, QUIESCENCE, FORCED, DRAWS, PROGRESS, PLIES, RANDOM_TIES, WORKERS = range(11)
REDUCTIONS, FUTILITY, FUTILITY_PLIES, PENALTIES, LATE_PRUNING, KEEP, CONVERT, UNKNOWN_PLIES = range(11, 19)
HAS_CUTS, CUTS = range(19, 21)
"""Indices of `limits`; a 0 in NODES or TIME means no such limit, a 0 in TABLE_BITS no table. REDUCTIONS and
FUTILITY are in units of UNIT. At CUTS + CUT_WORDS * depth: the depth of the probe (0: none), and slope, offset and
margin in units of UNIT (`cut_limits`)."""
CUT_DEPTHS, CUT_WORDS = 64, 4
HELPER = CUTS + CUT_DEPTHS * CUT_WORDS
UNIT = 2.0**-30
QUIET_PLIES = 40
"""Maximum number of plies beyond the horizon, of noisy moves and only moves."""

_SLOPE = kinds.number("from 0.1 to 10", 0.1, 10)
_OFFSET = kinds.number("from -1 to 1", -1, 1)
_ERROR = kinds.number("from 0 to 2", 0, 2)


@attrs.frozen
class Cut:
    """The score at `depth` plies is slope * (the score at `shallow` plies) + offset, with a standard error."""

    depth: int = attrs.field(validator=kinds.within(2, CUT_DEPTHS - 1))
    """Remaining depth of the search that is predicted, in plies."""
    shallow: int = attrs.field(validator=kinds.at_least(1))
    """Depth of the search that predicts it, in plies."""
    slope: float = attrs.field(validator=_SLOPE)
    """Factor of the shallow score."""
    offset: float = attrs.field(validator=_OFFSET)
    """Added to the shallow score."""
    error: float = attrs.field(validator=_ERROR)
    """Standard deviation of the prediction."""

    @shallow.validator
    def _is_below_depth(self, attribute: object, value: int) -> None:
        if value >= self.depth:
            raise ValueError(f"must be less than depth, which is {self.depth}")


def cut_limits(cuts: Sequence[Cut], confidence: float) -> list[int]:
    """The cuts as part of the block `limits`; deeper positions use the deepest cut of the same parity, if any."""
    words = [0] * (CUT_DEPTHS * CUT_WORDS)
    for depth in range(2, CUT_DEPTHS):
        usable = [cut for cut in cuts if cut.depth == depth or (cut.depth < depth and (depth - cut.depth) % 2 == 0)]
        deepest = max(usable, key=lambda cut: cut.depth, default=None)
        if deepest is not None:
            values = deepest.slope, deepest.offset, confidence * deepest.error
            place = CUT_WORDS * depth
            words[place : place + CUT_WORDS] = [deepest.shallow, *(round(value / UNIT) for value in values)]
    return words


DEFAULT_DEPTH, MAX_DEPTH = 8, 60
DEFAULT_REDUCTIONS = 0.7
_MOST_NODES = 10**18
_LEADER = 0
"""Number of the main search among the helpers, at HELPER."""
_FROM_0_TO_2 = kinds.number("from 0 to 2", 0, 2)
_SECONDS = kinds.number("more than 0 seconds and at most 1000000", 0, 1e6, above=True)


def _optional(*validators: kinds.Validator) -> kinds.Validator:
    return attrs.validators.optional(list(validators))


@attrs.frozen(kw_only=True)
class AlphaBetaSettings:
    """The parameters of `alphabeta`."""

    depth: int | None = attrs.field(default=None, validator=_optional(kinds.within(1, MAX_DEPTH)))
    """Plies before the horizon. None: 8, or 60 if `nodes` or `time` is given."""
    nodes: int | None = attrs.field(default=None, validator=_optional(kinds.within(1, _MOST_NODES)))
    """Maximum number of positions reached by a move, not counting those of helpers."""
    time: float | None = attrs.field(default=None, validator=_optional(_SECONDS))
    """Maximum time per move, in seconds. Results then depend on the machine."""
    memory: int = attrs.field(default=16, validator=kinds.within(0, 1 << 16))
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
    workers: int = attrs.field(default=1, validator=kinds.within(1, 64))
    """Number of threads in one search. With more than one, results depend on chance."""
    selective: bool = False
    """Search unpromising moves and positions less deeply, and the others deeper; false: search all of them equally."""
    reductions: bool | float = attrs.field(default=True, validator=_FROM_0_TO_2)
    """If `selective`: first search late quiet moves to a depth reduced by `reductions` * (1 + ln(depth) * ln(n)) plies,
    rounded down, for the move after n others. True is 0.7; False and 0: search them to the full depth."""
    futility: float = attrs.field(default=0.1, validator=_FROM_0_TO_2)
    """If `selective`: do not search quiet positions near the horizon whose static score is outside the window by this
    margin for each ply of depth; 0: search all."""
    futility_plies: int = attrs.field(default=6, validator=kinds.within(0, 60))
    """Greatest depth left at which `futility` applies, in plies."""
    penalties: bool = True
    """If `selective`: quiet moves that refute nothing lose merit, which orders them and decides on their reduction."""
    unknown_plies: int = attrs.field(
        default=0, validator=kinds.whole("0, or a whole number from 2 to 60", 2, 60, off=True)
    )
    """If `selective`: least depth left, in plies, at which a position that the transposition table does not know is
    searched a ply less deeply (internal iterative reduction); 0: none is."""
    late_pruning: bool = True
    """If `selective`: near the horizon, search only the first quiet moves of a position."""
    keep: bool = True
    """If `selective`: keep the transposition table between the moves of one game."""
    cuts: tuple[Cut, ...] = ()
    """If `selective`: the depths at which a shallow search may replace a deep one (ProbCut), with their regression."""
    confidence: float = attrs.field(default=1.5, validator=kinds.number("from 0 to 10", 0, 10))
    """Number of standard errors by which such a search must be outside the window."""

    @property
    def horizon(self) -> int:
        """The depth at which a search ends, in plies."""
        unlimited = self.nodes is None and self.time is None
        return self.depth or (DEFAULT_DEPTH if unlimited else MAX_DEPTH)

    def limits_block(self, plies: int, bits: int) -> tuple[int, ...]:
        """Return the block `limits`. plies: room in the workspace. bits: as in Options.table_bits."""
        rate = DEFAULT_REDUCTIONS if self.reductions is True else float(self.reductions)
        words = {
            DEPTH: self.horizon,
            NODES: self.nodes or 0,
            TIME: math.ceil((self.time or 0) * 1e9),
            TABLE_BITS: bits,
            QUIESCENCE: self.quiescence,
            FORCED: self.selective if self.forced is None else self.forced,
            DRAWS: self.draws,
            PROGRESS: self.progress,
            PLIES: plies,
            RANDOM_TIES: self.ties == "random",
            WORKERS: self.workers,
            REDUCTIONS: round(rate / UNIT),
            FUTILITY: round(self.futility / UNIT),
            FUTILITY_PLIES: self.futility_plies,
            PENALTIES: self.penalties,
            LATE_PRUNING: self.late_pruning,
            KEEP: self.keep,
            CONVERT: self.convert,
            UNKNOWN_PLIES: self.unknown_plies,
            HAS_CUTS: bool(self.cuts),
        }
        before_cuts = (int(words[i]) for i in range(CUTS))
        return *before_cuts, *cut_limits(self.cuts, self.confidence), _LEADER


_NODES_PER_LOOK = np.uint64(32)
"""The clock is read once in this number of nodes, a power of two, because a system call takes as long as a node."""
_BETWEEN_LOOKS = _NODES_PER_LOOK - np.uint64(1)
"""Bits of a number of nodes that are 0 when the clock is read."""


class Options(NamedTuple):
    """The limits and switches of one search."""

    depth: Word
    """Maximum depth, in plies."""
    nodes: Word
    """Maximum number of nodes."""
    deadline: Whole
    """Time of the kernel's clock in nanoseconds; 0: no deadline."""
    table_bits: Word
    """2 ** table_bits buckets in the transposition table; 0: no table."""
    last_ply: Word
    """The deepest ply that the workspace has room for."""
    quiescence: Truth
    """Whether noisy moves are searched beyond the horizon."""
    forced: Truth
    """Whether an only move costs no depth."""
    draws: Truth
    """Whether draws by the history of the game count."""
    progress: Truth
    """Whether positions are searched whose result an oracle knows without a distance."""
    convert: Truth
    """Whether the search looks for the next conversion in an ending that is won in this way."""
    random_ties: Truth
    """Whether the root's moves of equal score are chosen between at random."""
    shares: Truth
    """Whether other threads work on the same search."""
    helper: int
    """0 for the main search, else the number of the helper, which only fills the table for the main search."""
    selective: bool
    """Whether the search is selective; if not, all that follows is off."""
    reductions: float
    """Factor of the reductions in ordering.py; 0: none."""
    futility: float
    """Margin for each ply of depth; 0: none."""
    futility_plies: Word
    """Greatest depth left at which it applies."""
    penalties: Truth
    """Whether quiet moves that refute nothing lose history."""
    unknown_plies: Word
    """Least depth left at which positions that the table does not know lose a ply; 0: none do."""
    late_pruning: Truth
    """Whether late quiet moves near the horizon are left out."""
    keeps: Truth
    """Whether entries of earlier searches of the game are read."""
    cuts: Truth
    """Whether there are cuts."""


@inline
def read_options(limits: Limits, control: IntegerArray, selective: bool) -> Options:
    """Read the options from `limits`; control[BUDGET], if it is set, replaces the time limit.

    The time counts from control[ASKED], if that is set; it is reset here. `selective` is a constant, so the exact
    search is compiled without the code of the selective one.
    """
    leads = limits[HELPER] == 0
    nodes = ~U0
    deadline: Whole = np.int64(0)
    if limits[NODES] > 0 and leads:
        nodes = np.uint64(limits[NODES])
    time = control[slots.BUDGET] if control[slots.BUDGET] > 0 else limits[TIME]
    if time > 0 and leads:
        deadline = (control[slots.ASKED] if control[slots.ASKED] != 0 else nanoseconds()) + time
    control[slots.ASKED] = 0
    bits = np.uint64(limits[TABLE_BITS])
    return Options(  # in the order of the fields: numba compiles no call with as many names and conditions
        np.uint64(limits[DEPTH]),
        nodes,
        deadline,
        bits,
        np.uint64(limits[PLIES]),
        limits[QUIESCENCE] != 0,
        limits[FORCED] != 0,
        limits[DRAWS] != 0,
        limits[PROGRESS] != 0,
        limits[CONVERT] != 0,
        limits[RANDOM_TIES] != 0 and leads,
        bits != U0 and limits[WORKERS] > 1,
        limits[HELPER],
        selective,
        np.float64(limits[REDUCTIONS]) * UNIT if selective else 0.0,
        np.float64(limits[FUTILITY]) * UNIT if selective else 0.0,
        np.uint64(limits[FUTILITY_PLIES]),
        selective and limits[PENALTIES] != 0,
        np.uint64(limits[UNKNOWN_PLIES]) if selective else U0,
        selective and limits[LATE_PRUNING] != 0,
        selective and limits[KEEP] != 0 and bits != U0,
        selective and limits[HAS_CUTS] != 0,
    )


@inline
def must_stop(control: IntegerArray, options: Options, nodes: Word, most: Word) -> Truth:
    """Whether `most` nodes or the deadline are reached, or the STOP flag is set."""
    if control[slots.STOP] != 0 or nodes >= most:
        return True
    return options.deadline != 0 and nodes & _BETWEEN_LOOKS == U0 and nanoseconds() >= options.deadline


@inline
def limit_reached(control: IntegerArray, options: Options, nodes: Word) -> int:
    """Return which limit makes `must_stop` true (slots.BY_NODES and so on)."""
    if control[slots.STOP] != 0:
        return slots.BY_NONE
    if nodes >= options.nodes:
        return slots.BY_NODES
    if options.deadline != 0 and nanoseconds() >= options.deadline:
        return slots.BY_TIME
    return slots.BY_DEPTH  # an ending is searched beyond the depth, with nodes of its own
