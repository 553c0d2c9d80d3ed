"""Adapters: what makes plain Python functions and objects components.

* A function of a Position that returns a score is an evaluator.
* What `batch_evaluator`, `torch_evaluator` and `jax_evaluator` return is one, too (batches.py, nets.py).
* An object with `values(states)` is an evaluator.
* An object with `choose(position)` is a searcher.

All scores are for the side to move, from -1 to 1.
"""

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from gameforge.discovery.registry import component_text
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import BatchEvaluator, Evaluator
from gameforge.interfaces.rules import RulesFunctions
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.play.batches import BatchFunction, GameBatches, NamedErrors, qualified_name
from gameforge.play.game import Game, Move, Position

if TYPE_CHECKING:
    from gameforge.kernel.context import CompiledPlayer
    from gameforge.kernel.gameplay import GameWorkspace

PositionFunction = Callable[[Position], float]
"""A function that scores a position."""


def as_evaluator(given: Any, game: Game) -> Any:
    """Return an evaluator of a game as a component: functions are wrapped, and anything else is returned unchanged.

    Raises GameforgeError if it is a class, and if the game has no planes, which the function takes.
    """
    if isinstance(given, type):
        raise GameforgeError(f"evaluator: {given.__name__} is a class; give an object of it, {given.__name__}(...)")
    if isinstance(given, BatchFunction):
        return given.of(game)
    if callable(given) and not hasattr(given, "functions") and not isinstance(given, BatchEvaluator):
        function = cast("PositionFunction", given)

        def each(positions: Sequence[Position]) -> list[float]:
            return [function(position) for position in positions]

        named = given if hasattr(given, "__qualname__") else type(given)  # an object has the name of its class
        return GameBatches(BatchFunction(functools.wraps(named, updated=())(each)), game)
    return given


def scores_batches(evaluator: object) -> bool:
    """Whether an evaluator is a Python object that scores many states in one call."""
    return isinstance(evaluator, BatchFunction) or (
        isinstance(evaluator, BatchEvaluator) and not isinstance(evaluator, Evaluator)
    )


@runtime_checkable
class Chooser(Protocol):
    """An object that chooses moves; it is a searcher."""

    def choose(self, position: Position) -> Move | str:
        """Return a legal move of a position in which the game is not over, or its text."""
        ...


def as_searcher(given: Any, game: Game) -> Any:
    """Return a searcher of a game as a component: a Chooser is wrapped, and anything else is returned unchanged.

    Raises GameforgeError if it is a class, or neither a searcher nor a Chooser.
    """
    if isinstance(given, type):
        raise GameforgeError(f"searcher: {given.__name__} is a class; give an object of it, {given.__name__}(...)")
    if hasattr(given, "functions"):
        return given
    if isinstance(given, Chooser):
        return _ChoosingSearcher(given, game)
    raise GameforgeError(
        f"searcher: {qualified_name(type(given))} object has neither choose(position) nor functions(rules)"
    )


class _ChoosingSearcher:
    """The searcher that a Chooser makes for one game."""

    def __init__(self, chooser: Chooser, game: Game) -> None:
        self._chooser, self._game = chooser, game

    def functions(self, rules: RulesFunctions) -> SearcherFunctions:
        return SearcherFunctions(statistics=True, scored=False, crew=self._crew)

    def _crew(self, player: "CompiledPlayer", game: "GameWorkspace") -> Callable[[int], int]:
        """Make the function that asks the Chooser in the games of one thread."""
        from gameforge.kernel import slots

        words = int(game.rules.words)
        who = f"{component_text('searcher', self._chooser)}: choose(position)"
        before: Position | None = None

        def position() -> Position:
            """The position to move in, with the game that led to it; a search within a search has no such game."""
            nonlocal before
            start, moves = game.so_far()
            state = tuple(player.context.stack[:words].tolist())
            here = before
            if here is None or here.start.state != start or moves[: len(known := here.moves_played)] != known:
                here, known = Position(self._game, start), []
            for code in moves[len(known) :]:
                here = here.after(code)
            before = here
            return here if here.state == state else Position(self._game, state)

        def crew(command: int) -> int:
            here = position()
            with NamedErrors(who):
                chosen = self._chooser.choose(here)
                move = chosen if isinstance(chosen, Move) else None
            if isinstance(chosen, str):
                try:
                    move = Move(here, self._game.parse_move(here.state, chosen, here.codes))
                except GameforgeError as error:
                    raise GameforgeError(f"{who}: {error}") from error
            if move is None or move.code not in here.codes:
                what = f"which is not a legal move of {here!r}" if move else "which is neither a Move nor a move's text"
                raise GameforgeError(f"{who} returned {chosen!r}, {what}")
            player.out[slots.OUT_MOVE] = move.code
            return 0

        return crew
