"""Interface of rules: what is a position, which moves are legal, who won.

A game plugin provides an object with the attributes of `Rules`. It inherits from nothing.
What a game can do beyond that is a capability (capabilities.py).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from gameforge.errors import GameforgeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

State = tuple[int, ...]
"""The words of a state: pieces, side to move and whatever counters the rules need."""


@attrs.frozen(kw_only=True)
class RulesFunctions:
    """Rules as functions over words; signatures and codes in `gameforge.kernel.abi`.

    The functions are plain Python. What numba can compile is compiled (helpers that they call
    are marked with `gameforge.kernel.compile.jit.inline`); anything else runs as a callback, slower.
    """

    words: int = attrs.field(validator=attrs.validators.ge(1))
    """uint64 words of a state, 1 or more."""
    max_moves: int = attrs.field(validator=attrs.validators.ge(1))
    """Upper bound of the number of legal moves."""
    gen: Callable[..., Any]
    play: Callable[..., Any]
    outcome: Callable[..., Any]
    key: Callable[..., Any] | None = None
    """None: a hash of all words (right if every word is position, none a counter)."""
    irreversible: Callable[..., Any] | None = None
    """None: every earlier position may occur again."""
    retracts: Callable[..., Any] | None = None
    """None: the rules do not say which moves take a move back."""
    noisy: Callable[..., Any] | None = None
    """Tells moves before which a static score means nothing, as captures: a searcher looks beyond them.

    It puts these among the n moves first, in an order that depends on the state alone, and returns how
    many they are. They must come to an end in every line of play. None: there are no such moves.
    """
    data: "NDArray[np.uint64] | None" = None
    """Settings that the functions get as their first block."""
    compiled: bool = True
    """False: do not try to compile."""


@attrs.frozen(kw_only=True)
class DrawRules:
    """Draws by the course of a game, adjudicated by the core. 0 switches a rule off."""

    repetition: int = 0
    """Draw when a position (pieces and side to move) occurs for the n-th time."""
    no_progress: int = 0
    """Draw after n plies without an irreversible move (a 40-move rule counts the moves of both sides: 80)."""
    max_plies: int = 1000
    """Draw after n plies; never off, so that every game ends."""
    shuffle: int = 0
    """Draw when each side has taken back its own previous move n times running."""
    loops: tuple[str, ...] = ()
    """Reasons that count as loop draws."""


class Rules(Protocol):
    """What every game provides."""

    @property
    def name(self) -> str: ...
    @property
    def sides(self) -> tuple[str, str]:
        """Names of the first and the second mover."""
        ...

    @property
    def reasons(self) -> tuple[str, ...]:
        """reasons[i] explains outcome code result + 4 * i."""
        ...

    @property
    def draws(self) -> DrawRules: ...
    def functions(self) -> RulesFunctions: ...
    def initial(self) -> State: ...
    def side_to_move(self, state: State) -> int:
        """0 for the first mover, 1 for the second; sides alternate every ply (a pass is a ply)."""
        ...


_NEEDED = ("name", "sides", "reasons", "draws", "functions", "initial", "side_to_move")


def checked_functions(rules: Any) -> RulesFunctions:
    """The kernel of a rules object; raises GameforgeError, for the plugin's author, if it is not what Rules says."""
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
