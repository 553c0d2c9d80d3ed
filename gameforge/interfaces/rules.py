"""Interface of rules: states, legal moves and outcomes of a game.

A game plugin provides an object with the attributes of `Rules`; it need not inherit from anything.
Whatever else a game can offer is a capability (capabilities.py).

Outcomes have two forms: the codes that kernels use, and the `Outcome` that users see.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Protocol

import attrs

from gameforge.config import kinds
from gameforge.errors import GameforgeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


State = tuple[int, ...]
"""The words of a state: pieces, side to move and the counters that the rules need."""


@attrs.frozen(kw_only=True)
class RulesFunctions:
    """Rules as functions over words; `gameforge.kernel.abi` documents signatures and codes.

    The functions are plain Python. Those that numba can compile are compiled (helpers that they call are marked
    with `gameforge.kernel.inline`); the others run as callbacks, which is slower.
    """

    words: int = attrs.field(validator=kinds.at_least(1))
    """Number of uint64 words of a state, 1 or more."""
    max_moves: int = attrs.field(validator=kinds.at_least(1))
    """Upper bound for the number of legal moves in any state."""
    gen: Callable[..., object]
    """Writes the legal moves of a state and returns their number."""
    play: Callable[..., object]
    """Writes the state after a move."""
    outcome: Callable[..., object]
    """Returns the code of the result for the side to move: RUNNING, or how and why the game has ended."""
    key: Callable[..., object] | None = None
    """None: a hash of all words, which is right if the state has no counters."""
    irreversible: Callable[..., object] | None = None
    """None: every earlier position may occur again."""
    retracts: Callable[..., object] | None = None
    """None: the rules do not say which moves take back an earlier move."""
    noisy: Callable[..., object] | None = None
    """Finds moves, such as captures, before which a static score is meaningless, so that searchers look beyond them.

    It moves them to the front of the n moves, in an order that depends only on the state, and returns their number.
    No line of play may consist of noisy moves forever. None: there are no such moves.
    """
    ended: Callable[..., object] | None = None
    """Returns what `outcome` returns, without the moves: for states that are scored, but not searched.

    None: `gen` writes the moves of these states, too.
    """
    data: "NDArray[np.uint64] | None" = None
    """Settings, which every function gets as its first block."""
    calls: tuple[Callable[[bytes, int], list[int] | int], ...] = ()
    """Python functions that `gen` and `outcome` call by `list_from` and `number_from` of gameforge.kernel.

    Their addresses precede `data` in the first block.
    """
    compiled: bool | frozenset[str] = True
    """False: the functions run as plain Python callbacks. A set of names: only these functions are compiled."""

    def compiles(self, name: str) -> bool:
        """Whether the function of this name is meant to be compiled."""
        return self.compiled if isinstance(self.compiled, bool) else name in self.compiled


_MOST = 10**6
"""Largest number of a draw rule."""


def _count(default: int) -> int:
    """A field for a number that kernels count to."""
    found: int = attrs.field(default=default, validator=kinds.count(0, _MOST))
    return found


@attrs.frozen(kw_only=True)
class DrawRules:
    """Draws that depend on the history of the game and are adjudicated by the core. 0 disables a rule."""

    repetition: int = _count(0)
    """Draw when a position (pieces and side to move) occurs for the n-th time."""
    no_progress: int = _count(0)
    """Draw after n plies without an irreversible move (a 40-move rule counts the moves of both sides: 80)."""
    max_plies: int = _count(1000)
    """Draw after n plies; cannot be disabled, so that every game ends."""
    shuffle: int = _count(0)
    """Draw when each side has taken back its own previous move n times in a row."""
    loops: tuple[str, ...] = ()
    """Reasons that count as loop draws."""


class Rules(Protocol):
    """A rules component: what every game provides."""

    @property
    def name(self) -> str:
        """Name of the game, as users write it."""
        ...

    @property
    def sides(self) -> tuple[str, str]:
        """The names of the first and the second mover."""
        ...

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why games end; the function `outcome` returns result + 4 * i for reasons[i]."""
        ...

    @property
    def draws(self) -> DrawRules:
        """Draws that depend on the history of the game, which the core keeps."""
        ...

    def functions(self) -> RulesFunctions:
        """Return the functions and the data of these rules."""
        ...

    def initial(self) -> State:
        """The state in which a game begins."""
        ...

    def side_to_move(self, state: State) -> int:
        """Return 0 for the first mover, 1 for the second; sides alternate with every ply (a pass is a ply)."""
        ...


_NEEDED = ("name", "sides", "reasons", "draws", "functions", "initial", "side_to_move")


def checked_functions(rules: "Rules") -> RulesFunctions:
    """Return the functions of a rules object.

    Raises GameforgeError, for the plugin's author, if the object does not implement Rules.
    """
    who = f"rules {type(rules).__name__}"
    missing = [name for name in _NEEDED if not hasattr(rules, name)]
    if missing:
        raise GameforgeError(
            f"{who}: no attribute {' and no '.join(missing)} (gameforge.interfaces.rules.Rules lists all)"
        )
    functions = rules.functions()
    if not isinstance(functions, RulesFunctions):
        raise GameforgeError(f"{who}: functions() returned {functions!r}, not a RulesFunctions")
    start = rules.initial()
    words = isinstance(start, tuple) and all(isinstance(word, int) and 0 <= word < 1 << 64 for word in start)
    if not words or len(start) != functions.words:
        raise GameforgeError(
            f"{who}: initial() returned {start!r}, not a tuple of {functions.words} integers from 0 to 2^64 - 1"
        )
    return functions


RUNNING, WIN, LOSS, DRAW = 0, 1, 2, 3
"""Results that the function `outcome` returns, for the side to move; it adds 4 * i if reasons[i] is the reason."""
MAX_REASONS = 32
"""Maximum number of reasons of a game's rules; the core's own reasons follow them."""
DRAW_REASONS = ("repetition", "no progress", "ply cap", "shuffle")
"""Reasons for draws that the core adjudicates by a game's DrawRules, from index MAX_REASONS on."""
LATE_REASON = "time"
"""The player has lost on time."""
FORFEIT_REASONS = ("crash", "illegal move", LATE_REASON)
"""Reasons why a player loses whatever the position is; they follow the draw reasons."""
ADJUDICATED_REASON = "adjudicated"
"""The game was ended early because an oracle knew its result; it follows the forfeit reasons."""
DISPUTED_REASON = "other rules"
"""An external program played by other rules, such as took a running game for drawn; it follows ADJUDICATED_REASON."""
_CORE_REASONS = (*DRAW_REASONS, *FORFEIT_REASONS, ADJUDICATED_REASON, DISPUTED_REASON)


@attrs.frozen
class Outcome:
    """How a game ended."""

    winner: int | None
    """0: the first mover, 1: the second, None: a draw."""
    reason: str
    """Why the game ended, in words, such as `no moves`."""
    loop: bool = False
    """True if the game counts draws for this reason as loop draws."""
    UNFINISHED: ClassVar["Outcome"]
    """The outcome in the record of a game that has no result."""

    @classmethod
    def of(cls, rules: "Rules", code: int, to_move: int) -> "Outcome | None":
        """Decode the outcome of a state with this side to move; None if the game is running.

        Raises GameforgeError for a reason that the rules do not have.
        """
        result, index = code & 3, code >> 2
        if result == RUNNING:
            return None
        reasons, i = (rules.reasons, index) if index < MAX_REASONS else (_CORE_REASONS, index - MAX_REASONS)
        if not 0 <= i < len(reasons):
            raise GameforgeError(
                f"rules {rules.name}: outcome returned reason {i}; the last reason is {len(reasons) - 1}"
            )
        winner = None if result == DRAW else to_move if result == WIN else 1 - to_move
        return cls(winner, reasons[i], reasons[i] in rules.draws.loops)

    def points(self, side: int) -> int:
        """Return 2 for a win of this side, 1 for a draw, 0 for a loss."""
        return 1 if self.winner is None else 2 * (self.winner == side)

    def code(self, rules: "Rules", to_move: int) -> int:
        """Return the code of a finished game, for a final state with this side to move; the inverse of `of`."""
        result = DRAW if self.winner is None else WIN if self.winner == to_move else LOSS
        reasons, first = (rules.reasons, 0) if self.reason in rules.reasons else (_CORE_REASONS, MAX_REASONS)
        return result + 4 * (first + reasons.index(self.reason))


Outcome.UNFINISHED = Outcome(None, "unfinished")
