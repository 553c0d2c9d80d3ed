"""Interface of rules: what is a position, which moves are legal, who won.

A game plugin provides an object with the attributes of `Rules`. It inherits from nothing.
What a game can do beyond that is a capability (the small protocols below): the core looks
whether the methods are there and never asks for a game by name.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import attrs

from gameforge.errors import GameforgeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

State = tuple[int, ...]
"""The words of a state: pieces, side to move and whatever counters the rules need."""

RUNNING, WIN, LOSS, DRAW = 0, 1, 2, 3
"""Codes of `outcome`, for the side to move; `code + 4 * i` tells that reasons[i] is why."""
MAX_REASONS = 32
"""Rules may name up to this many reasons; the core's own draw reasons follow behind them."""
DRAW_REASONS = ("repetition", "no progress", "ply cap", "shuffle")
"""Reasons of the draws that the core adjudicates by a game's DrawRules, from index MAX_REASONS on."""
FORFEIT_REASONS = ("crash", "illegal move")
"""Reasons for which a player loses whatever the position is; they follow behind the draws."""
ADJUDICATED_REASON = "adjudicated"
"""An oracle knew how the game would end, and somebody wanted no more of it; behind the forfeits."""


@attrs.frozen(kw_only=True)
class RulesKernel:
    """Rules as functions over words; signatures and codes in `gameforge.kernel.abi`.

    The functions are plain Python. What numba can compile is compiled (helpers that they call
    are marked with `gameforge.kernel.jit.inline`); anything else runs as a callback, slower.
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
    def kernel(self) -> RulesKernel: ...
    def initial(self) -> State: ...
    def side_to_move(self, state: State) -> int:
        """0 for the first mover, 1 for the second; sides alternate every ply (a pass is a ply)."""
        ...


_NEEDED = ("name", "sides", "reasons", "draws", "kernel", "initial", "side_to_move")


def checked_kernel(rules: Any) -> RulesKernel:
    """The kernel of a rules object; raises GameforgeError, for the plugin's author, if it is not what Rules says."""
    who = f"rules {type(rules).__name__}"
    missing = [name for name in _NEEDED if not hasattr(rules, name)]
    if missing:
        raise GameforgeError(f"{who}: no attribute {' and no '.join(missing)} (gameforge.rules.Rules lists all)")
    kernel = rules.kernel()
    if not isinstance(kernel, RulesKernel):
        raise GameforgeError(f"{who}: kernel() returned {kernel!r}, not a RulesKernel")
    start = rules.initial()
    words = isinstance(start, tuple) and all(isinstance(word, int) and 0 <= word < 1 << 64 for word in start)
    if not words or len(start) != kernel.words:
        raise GameforgeError(
            f"{who}: initial() returned {start!r}, not a tuple of {kernel.words} integers from 0 to 2^64 - 1"
        )
    return kernel


@runtime_checkable
class HasNotation(Protocol):
    """Moves as text. Without it a move is written as its word in hexadecimal."""

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        """Shortest text that tells `move` from the other legal moves."""
        ...

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        """The legal move that `text` means; raises GameforgeError, which lists the legal moves."""
        ...


@runtime_checkable
class HasSetup(Protocol):
    """Positions as text (FEN or whatever the game uses). Without it a state is written as its words."""

    def parse_position(self, text: str) -> State:
        """Raises GameforgeError if the text is no possible position."""
        ...

    def position_text(self, state: State) -> str: ...


@runtime_checkable
class HasDiagram(Protocol):
    """A board to look at in a terminal."""

    def diagram(self, state: State) -> str: ...


@runtime_checkable
class HasSvg(Protocol):
    """A board to look at in a notebook."""

    def svg(self, state: State) -> str: ...


@runtime_checkable
class HasGameText(Protocol):
    """A finished game in the game's own file format (PDN, PGN, ...)."""

    @property
    def game_suffix(self) -> str:
        """Ending of such files, with the dot."""
        ...

    def game_text(
        self, tags: dict[str, str], start: State, moves: Sequence[int], winner: int | None, reason: str
    ) -> str:
        """One game; `winner` is 0, 1 or None for a draw."""
        ...


@attrs.frozen
class Opening:
    """A line that begins games: moves from a state, played before the players choose."""

    name: str
    """What the game's books call it, as "9-13 21-17 5-9" or "Old Fourteenth"."""
    start: State
    moves: tuple[int, ...] = ()


@runtime_checkable
class HasOpenings(Protocol):
    """Sets of openings by name, from which matches begin."""

    @property
    def opening_sets(self) -> tuple[str, ...]:
        """Names that `openings` takes."""
        ...

    def openings(self, name: str) -> Sequence[Opening]:
        """The openings of a set, all legal to the end and none a finished game; `name` is one of opening_sets."""
        ...


@runtime_checkable
class HasOpeningFiles(Protocol):
    """Files of a format of the game's own that hold openings, not whole games."""

    def opening_file(self, path: Path) -> Sequence[Opening] | None:
        """What games begin from; None if the file is of another format, GameforgeError if it is damaged."""
        ...


@attrs.frozen(kw_only=True)
class StoredGame:
    """A game as a file holds it, finished or not, with what somebody wrote about it."""

    tags: Mapping[str, str] = attrs.field(factory=dict)
    start: State
    moves: tuple[int, ...]
    finished: bool = True
    winner: int | None = None
    """0, 1, or None for a draw and for a game that is not finished."""
    reason: str = ""
    """Why the game ended; "" where nobody says."""
    comments: Mapping[int, str] = attrs.field(factory=dict)
    """comments[i] stands behind the first i moves."""
    marks: Mapping[int, str] = attrs.field(factory=dict)
    """marks[i] judges moves[i]: `!`, `?`, `??` and so on."""


@runtime_checkable
class HasGameFiles(Protocol):
    """Games read from files of the game's own format, and written with comments and marks."""

    @property
    def game_suffix(self) -> str:
        """Ending of such files, with the dot."""
        ...

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[StoredGame]:
        """The games of a file, one after the other, of which only one is in memory.

        `notice` hears why a game is left out: it is of another kind, or cannot be read and `tolerant`
        is set; otherwise such a game raises GameforgeError.
        """
        ...

    def stored_text(self, game: StoredGame) -> str:
        """A game as read_games reads it."""
        ...


@attrs.frozen
class TrainingGame:
    """A game as a learner is fed it: what each side left behind, move by move."""

    boards: tuple[tuple[State, ...], tuple[State, ...]]
    """States after the first mover's moves, and after the second's."""
    winner: int | None


@runtime_checkable
class HasTrainingFiles(Protocol):
    """Files of a format of the game's own that hold games for training, as positions without moves."""

    def training_games(self, path: Path) -> Iterator[TrainingGame]:
        """The games of a file, one after the other; GameforgeError if the file is none of these or is damaged."""
        ...


@runtime_checkable
class HasMaterial(Protocol):
    """What the pieces of each side are worth, for figures such as the piece balance at the end of a game."""

    def material(self, state: State) -> tuple[float, float]:
        """Of the first and the second mover."""
        ...


@runtime_checkable
class HasSymmetries(Protocol):
    """Images of the game in itself, such as turns of the board, numbered 0 (nothing changes) to symmetries - 1.

    For each i, with s* and m* the images of a state s and of a move m that is legal there:
    * the legal moves of s* are the images of those of s, and play(s*, m*) = play(s, m)*;
    * s* has the same outcome as s for the side to move, and m* is as irreversible and as noisy as m;
    * images of different states are different, and equal positions (`key`) have equal ones.

    A symmetry may exchange the sides, as a turn of the board together with the colours does. Scores,
    always of the side to move, are then the same nevertheless.
    """

    @property
    def symmetries(self) -> int:
        """How many there are, the one that changes nothing among them: 1 or more."""
        ...

    def state_image(self, state: State, i: int) -> State: ...
    def move_image(self, state: State, move: int, i: int) -> int:
        """Image of a move that is legal in `state`."""
        ...


@runtime_checkable
class HasDefaultPlayer(Protocol):
    """Names the player that a person meets, or asks, where none is named."""

    @property
    def default_player(self) -> str:
        """Parts as on the command line: `SEARCHER + EVALUATOR`."""
        ...


@runtime_checkable
class HasPreset(Protocol):
    """Names the preset that holds this game's default pipeline."""

    @property
    def preset(self) -> str: ...
