"""Game, Position and Move: the rules of a game for Python code.

    game = gameforge.game("mygame")
    position = game.position()
    position = position.play(position.legal_moves[0])  # or a move as text
    print(position, position.outcome)

Positions are immutable. Each remembers of the game that led to it what draws by repetition and the like depend on. A
RunningGame is faster for callers that only play on, move by move. Rules without a notation of their own get a
hexadecimal one.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, overload

import attrs

from gameforge.config import Spec
from gameforge.discovery.registry import NamedCrashes, Registry, component_text, crash, default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.board import Board, Cells, MoveIndices
from gameforge.interfaces.capabilities import (
    Defaults,
    Dialects,
    Drawing,
    GameFiles,
    Material,
    Notation,
    Openings,
    Positions,
    Symmetries,
    capability,
)
from gameforge.interfaces.evaluator import PieceOdds, PieceOddsOf
from gameforge.interfaces.games import GameRecord, PlayedMove
from gameforge.interfaces.rules import RUNNING, Outcome, Rules, State, checked_functions
from gameforge.play.bounds import require_bounds

if TYPE_CHECKING:
    import numpy as np

    from gameforge.kernel.calls import Branches, Facts, RulesCalls
    from gameforge.kernel.context import CompiledRules
    from gameforge.kernel.planes import Planes
    from gameforge.kernel.types import FloatArray, WordArray


def same_rules(a: Rules, b: Rules) -> bool:
    """Return whether two rules are of one game with the same settings, even if their class defines no equality."""
    return a == b or (type(a) is type(b) and type(a).__eq__ is object.__eq__ and vars(a) == vars(b))


def rules_text(rules: Rules) -> str:
    """Return the rules with their settings as text, which is the same in every process even without a __repr__."""
    if type(rules).__repr__ is not object.__repr__:
        return repr(rules)
    settings = ", ".join(f"{key}={value!r}" for key, value in sorted(getattr(rules, "__dict__", {}).items()))
    return f"{rules.name}({settings})"


class Game:
    """The rules of a game, ready to use from Python. States and moves are words; Position and Move wrap them.

    `notation`, `positions`, `drawing`, `files`, `openings`, `symmetries`, `cells`, `moves`, `board`, `material`,
    `dialects` and `defaults` are capabilities of the rules (gameforge.interfaces.capabilities). If the rules do not
    offer them, moves and positions are written in hexadecimal, the defaults are empty, and the others are None.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        with NamedCrashes(component_text("rules", rules)):
            self.functions = checked_functions(rules)
        self.notation: Notation = capability(rules, "notation") or HexMoves()
        self.positions: Positions = capability(rules, "positions") or HexPositions(rules.name, self.functions.words)
        self.drawing: Drawing | None = capability(rules, "drawing")
        self.files: GameFiles | None = capability(rules, "files")
        self.openings: Openings | None = capability(rules, "openings")
        self.symmetries: Symmetries | None = capability(rules, "symmetries")
        self.cells: Cells | None = capability(rules, "cells")
        self.moves: MoveIndices | None = capability(rules, "moves")
        self.board: Board | None = capability(rules, "board")
        self.material: Material | None = capability(rules, "material")
        self._piece_odds: PieceOddsOf | None = capability(rules, "piece_odds")
        self.dialects: Dialects | None = capability(rules, "dialects")
        self.defaults: Defaults = capability(rules, "defaults") or Defaults()
        self._crashes = NamedCrashes(f"rules {rules.name}")

    def __repr__(self) -> str:
        return f"<Game {self.rules.name}>"

    def __reduce__(self) -> tuple[type["Game"], tuple[Rules]]:
        """Pickle the rules; what was compiled from them is compiled again."""
        return type(self), (self.rules,)

    @property
    def rules_text(self) -> str:
        """The rules with their settings as text, which is the same in every process even without a __repr__."""
        return rules_text(self.rules)

    @functools.cached_property
    def compiled(self) -> "CompiledRules":
        """The compiled rules, which kernels call; compiled on first use. GameforgeError as of `require_bounds`."""
        from gameforge.kernel.assembly import compiled_rules

        compiled = compiled_rules(self.functions)
        require_bounds(self.rules, compiled)
        return compiled

    @functools.cached_property
    def _calls(self) -> "RulesCalls":
        from gameforge.kernel.calls import RulesCalls

        return RulesCalls(self.compiled)

    @functools.cached_property
    def _planes(self) -> "Planes":
        from gameforge.kernel.planes import Planes

        return Planes(self.cells, self.functions.words, self.rules.name)

    def planes(self, states: "Sequence[State] | WordArray") -> "FloatArray":
        """Return the cells of N states as float32[N, channels, rows, columns], seen from the side to move.

        There is a channel for each code of the game's cells, 1.0 where a cell has this code, and one filled with each
        of its numbers. Raises GameforgeError if the game does not offer the capability `cells`.
        """
        import numpy as np

        return self._planes.of(np.asarray(states, np.uint64).reshape(-1, self.functions.words))

    def move_indices(self, state: State) -> list[int]:
        """Return the index of each legal move of a state, in the order of `legal`, by which nets number their logits.

        Raises GameforgeError if the game does not offer the capability `moves`.
        """
        import numpy as np

        (index_of, size), words = self._index_of_moves, np.array(state, np.uint64)
        indices: dict[int, None] = {}  # in order
        for move in self.legal(state):
            index = int(index_of(words, np.uint64(move)))
            while index in indices:
                index = (index + 1) % size
            indices[index] = None
        return list(indices)

    @functools.cached_property
    def _index_of_moves(self) -> tuple[Callable[..., int], int]:
        """The compiled function of `moves`, and the number of indices."""
        from gameforge.kernel.assembly import block
        from gameforge.kernel.compile.functions import bound, compiled_function

        if self.moves is None:
            raise GameforgeError(f"{self.rules.name} offers no `moves`, by which a policy numbers its logits")
        return bound(compiled_function("index", self.moves.index), block(self.moves.data)), self.moves.size

    @functools.cached_property
    def branches(self) -> "Branches":
        """Play moves after any earlier position; for Position."""
        from gameforge.kernel.calls import Branches

        return Branches(self.compiled, self.rules.draws)

    def position(self, text: str | None = None) -> "Position":
        """Return the initial position, or the one that `text` describes; GameforgeError if it describes none."""
        if not isinstance(text, str | None):
            raise GameforgeError(f"position {text!r}: must be text, as Position.fen; Position(game, state) takes words")
        return Position(self, self.rules.initial() if text is None else self.parse_position(text))

    def moves_of(self, record: GameRecord) -> "PlayedMoves":
        """Return the moves of a game, each in the position in which it was made; their legality is not checked."""
        return PlayedMoves(Position(self, record.start), record.codes)

    def parse_position(self, text: str) -> State:
        """Parse a position in the game's own notation, or as comma-separated words if the game has none."""
        with self._crashes:
            return self.positions.parse_position(text)

    def position_text(self, state: State) -> str:
        """Return a state as text that `parse_position` reads."""
        with self._crashes:
            return self.positions.position_text(state)

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        """Return a move as text, which no other legal move has."""
        with self._crashes:
            return self.notation.move_text(state, move, legal)

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        """Return the legal move that `text` denotes; GameforgeError, which lists the legal moves, if there is none."""
        with self._crashes:
            return self.notation.parse_move(state, text, legal)

    def diagram(self, state: State) -> str:
        """Return the board as text; the position's text if the game draws none."""
        with self._crashes:
            return self.position_text(state) if self.drawing is None else self.drawing.diagram(state)

    def svg(self, state: State) -> str | None:
        """Return a picture of the board as an SVG document; None if the game draws none."""
        with self._crashes:
            return None if self.drawing is None else self.drawing.svg(state)

    def piece_odds(self, state: State) -> PieceOdds | None:
        """Return what pieces are worth in a state; None if the rules do not know it."""
        with self._crashes:
            return None if self._piece_odds is None else self._piece_odds(state)

    def side_to_move(self, state: State) -> int:
        """Return the side to move: 0 the first mover, 1 the second."""
        try:
            return self.rules.side_to_move(state)
        except Exception as error:
            raise crash(f"rules {self.rules.name}", error) from error

    def legal(self, state: State) -> list[int]:
        """Return the legal moves of a state."""
        return self._calls.gen(state)

    def play(self, state: State, move: int) -> State:
        """Return the state after a legal move."""
        return self._calls.play(state, move)

    def code(self, state: State, n_moves: int) -> int:
        """Return the outcome code of a state, without draws that depend on earlier moves, such as repetition."""
        return self._calls.outcome(state, n_moves)

    def random_game(self, rng: "np.random.Generator") -> Iterator[tuple[list[int], list[int]]]:
        """Play random moves from the initial position until the game is over; draws by its history do not end it.

        Yields for each position the moves so far, a list that grows, and the legal moves. Raises GameforgeError for a
        running game without legal moves.
        """
        state = self.rules.initial()
        moves: list[int] = []
        while legal := self._running(state):
            yield moves, legal
            moves.append(legal[int(rng.integers(len(legal)))])
            state = self.play(state, moves[-1])

    def _running(self, state: State) -> list[int]:
        """Return the legal moves; none if the game is over. Raises GameforgeError if a running game has none."""
        legal = self.legal(state)
        if self.code(state, len(legal)):
            return []
        if not legal:
            raise GameforgeError(
                f"rules {self.rules.name}: there is no legal move in {self.position_text(state)}, but the game is not "
                "over"
            )
        return legal

    def code_after(self, start: State, moves: Sequence[int]) -> int:
        """Return the outcome code after these moves, with draws that depend on earlier moves (rules.draws)."""
        import numpy as np

        from gameforge.kernel import slots
        from gameforge.kernel.assembly import check, game_workspace
        from gameforge.kernel.compile.launch import entry
        from gameforge.kernel.gameplay import replay

        draws = self.rules.draws
        draws = attrs.evolve(draws, max_plies=max(draws.max_plies, len(moves)))
        game = game_workspace(self.compiled, draws)
        game.draws[slots.DRAW_MAX_PLIES] = self.rules.draws.max_plies
        code = int(entry(replay)(game, np.array(start, np.uint64), np.array(moves, np.uint64)))
        check(self.compiled)
        return code


@attrs.define(eq=False, repr=False, weakref_slot=False)  # to make frozen ones, as many as a position has, takes longer
class Move:
    """A move: one complete turn. `str` gives its text, which `Position.play` accepts."""

    position: "Position"
    """The position in which it can be made."""
    code: int
    """The move as a word, whose meaning is up to the rules."""

    def __str__(self) -> str:
        position = self.position
        return position.game.move_text(position.state, self.code, position.codes)

    def __repr__(self) -> str:
        return f"Move({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Move) and self.code == other.code and self.position == other.position

    def __hash__(self) -> int:
        return hash(self.code)


class PlayedMoves(Sequence[Move]):
    """The moves of a game. Each is made, and the game replayed up to it, when it is asked for."""

    def __init__(self, start: "Position", codes: Sequence[int]) -> None:
        self._codes = codes
        self._positions = [start]

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, i: int) -> Move: ...

    @overload
    def __getitem__(self, i: slice) -> tuple[Move, ...]: ...

    def __getitem__(self, i: int | slice) -> Move | tuple[Move, ...]:
        numbers = range(len(self._codes))[i]
        return self._move(numbers) if isinstance(numbers, int) else tuple(map(self._move, numbers))

    def _move(self, i: int) -> Move:
        for code in self._codes[len(self._positions) - 1 : i]:
            self._positions.append(self._positions[-1].after(code))
        return Move(self._positions[i], self._codes[i])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlayedMoves | tuple | list):
            return NotImplemented
        return len(self) == len(other) and all(one == another for one, another in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr([*self])


@attrs.frozen(eq=False, repr=False, slots=False)
class Position:
    """A position and the game that led to it; immutable. Positions with the same state are equal."""

    game: Game
    """The game."""
    state: State
    """The state as words, whose meaning is up to the rules."""
    parent: "Position | None" = None
    """The position before the last move; None if it is not known."""
    last_move: int | None = None
    """Word of the move that led to this position; None if it is not known."""

    @functools.cached_property
    def facts(self) -> "Facts":
        """The legal moves, the code of the state, and what the rules' draws need to know about the game so far."""
        branches = self.game.branches
        if self.parent is None or self.last_move is None:
            return branches.begin(self.state)
        return branches.play(self.parent.state, self.parent.facts, self.parent._move_before, self.last_move)[1]

    @property
    def _move_before(self) -> int | None:
        """The move that the side to move made last."""
        return None if self.parent is None else self.parent.last_move

    @property
    def codes(self) -> list[int]:
        """Words of the legal moves."""
        return list(self.facts.moves)

    @property
    def legal_moves(self) -> list[Move]:
        """The legal moves, even if the game is already drawn."""
        return [Move(self, code) for code in self.facts.moves]

    @property
    def turn(self) -> int:
        """The side to move: 0 the first mover, 1 the second."""
        return self.game.side_to_move(self.state)

    def play(self, move: PlayedMove | str) -> "Position":
        """Return the position after a move; GameforgeError if the move is not legal."""
        if not isinstance(move, Move | str):
            raise GameforgeError(f"move {move!r}: must be a Move or its text; Position.after takes a move's word")
        if isinstance(move, Move):
            code = move.code
            if code not in self.facts.moves:
                raise GameforgeError(f"move {move} is not legal here; legal: {', '.join(map(str, self.legal_moves))}")
        else:
            code = self.game.parse_move(self.state, move, self.facts.moves)
        return self.after(code)

    def after(self, code: int) -> "Position":
        """Return the position after a legal move, given as its word; legality is not checked."""
        state, facts = self.game.branches.play(self.state, self.facts, self._move_before, code)
        child = Position(self.game, state, self, code)
        child.__dict__["facts"] = facts  # the cached property
        return child

    @property
    def moves_played(self) -> list[int]:
        """Words of the moves since the first known position."""
        moves: list[int] = []
        here: Position | None = self
        while here is not None and here.last_move is not None:
            moves.append(here.last_move)
            here = here.parent
        return moves[::-1]

    @property
    def start(self) -> "Position":
        """The first known position of this game."""
        here = self
        while here.parent is not None:
            here = here.parent
        return here

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, including draws by repetition and the like (rules.draws); None if the game is not over."""
        code = self.facts.code
        return None if code == RUNNING else Outcome.of(self.game.rules, code, self.turn)

    def require_running(self) -> None:
        """Raise GameforgeError, with the result, if the game is over."""
        if (outcome := self.outcome) is not None:
            result = "a draw" if outcome.winner is None else f"{self.game.rules.sides[outcome.winner]} wins"
            raise GameforgeError(f"the game is over: {result} ({outcome.reason})")

    @property
    def fen(self) -> str:
        """The position as text in the game's own notation, FEN if the game uses it; `Game.position` reads it."""
        return self.game.position_text(self.state)

    @property
    def svg(self) -> str | None:
        """A picture of the board as an SVG document; None if the game draws none."""
        return self.game.svg(self.state)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position) or self.state != other.state:
            return False
        return self.game is other.game or same_rules(self.game.rules, other.game.rules)

    def __hash__(self) -> int:
        return hash(self.state)

    def __str__(self) -> str:
        return self.game.diagram(self.state)

    def __repr__(self) -> str:
        return f"Position({self.game.rules.name!r}, {self.fen!r})"

    def _repr_svg_(self) -> str | None:
        return self.svg

    def __reduce__(self) -> "tuple[Callable[..., Position], tuple[Game, State, list[int]]]":
        """Pickle the moves that led here, not the chain of positions, which may be longer than Python can recurse."""
        return _replayed, (self.game, self.start.state, self.moves_played)


def _replayed(game: Game, start: State, moves: Sequence[int]) -> Position:
    position = Position(game, start)
    for code in moves:
        position = position.after(code)
    return position


class HexMoves:
    """Notation of moves: the word in hexadecimal."""

    def move_text(self, state: State, move: int, legal: Sequence[int]) -> str:
        return f"{move:#x}"

    def parse_move(self, state: State, text: str, legal: Sequence[int]) -> int:
        for move in legal:
            if text == f"{move:#x}":
                return move
        raise GameforgeError(f"no legal move {text!r}; legal: {', '.join(f'{move:#x}' for move in legal)}")


@attrs.frozen
class HexPositions:
    """Notation of positions: the words of the state in hexadecimal, separated by commas."""

    game: str
    words: int
    """Number of words of a state."""

    def position_text(self, state: State) -> str:
        return ",".join(f"{word:#x}" for word in state)

    def parse_position(self, text: str) -> State:
        try:
            words = tuple(int(word, 0) for word in text.split(","))
        except ValueError:
            words = ()
        if len(words) != self.words or any(not 0 <= word < 1 << 64 for word in words):
            raise GameforgeError(
                f"position {text!r}: {self.game} has no notation for positions; "
                f"must be {self.words} unsigned 64-bit words separated by commas"
            )
        return words


class RunningGame:
    """A game in progress. It adjudicates draws as `Position.outcome` does, without playing the game again each time."""

    def __init__(self, game: Game) -> None:
        from gameforge.kernel.assembly import game_workspace
        from gameforge.kernel.calls import Stepper

        self.game = game
        self._workspace = game_workspace(game.compiled, game.rules.draws)
        self._words = int(game.compiled.words)
        self._step = Stepper(self._workspace)
        self.begin()

    def begin(self, start: State | None = None) -> None:
        """Begin a game at a state; None: at the initial one."""
        from gameforge.kernel.calls import BEGIN

        self._workspace.states[: self._words] = self.game.rules.initial() if start is None else start
        self.play(BEGIN)

    def play(self, move: int) -> None:
        """Play a move, given as its word; its legality is not checked, and the game must not be over."""
        n, code = self._step(move)
        self.state: State = tuple(self._workspace.states[: self._words].tolist())
        self.moves: list[int] = self._workspace.moves[:n].tolist()
        """The legal moves."""
        self.outcome: Outcome | None = None if code == RUNNING else Outcome.of(self.game.rules, code, self.turn)
        """None until the game is over."""

    @property
    def turn(self) -> int:
        """The side to move: 0 the first mover, 1 the second."""
        return self.game.side_to_move(self.state)


@functools.lru_cache(maxsize=4)  # making all games takes longer than reading a short file of games
def complete_games(registry: Registry) -> Mapping[str, Game]:
    """Return the installed games whose rules need no parameters, by name.

    Rules that need one, and rules whose optional dependency is not installed, are left out.
    """
    return {name: Game(registry.create("rules", Spec.parse(name))) for name in games(registry)}


def games(registry: Registry | None = None) -> tuple[str, ...]:
    """Return the names of the games that `game` makes without parameters.

    registry: the plugins to choose from; by default, all installed plugins.
    """
    registry = registry or default_registry()
    return tuple(name for name in registry.names("rules") if _is_complete(registry, name))


def _is_complete(registry: Registry, name: str) -> bool:
    try:
        cls = registry.load(registry.find("rules", name))
    except GameforgeError:
        return False
    return not attrs.has(cls) or all(
        not field.init or field.default is not attrs.NOTHING for field in attrs.fields(cls)
    )
