"""Adapters: what makes plain Python functions and objects components.

* A function of a Position that returns a score is an evaluator.
* `batch_evaluator(function)` makes an evaluator of a function that scores many positions, planes or states at once,
  such as a net; `torch_evaluator` and `jax_evaluator` make one of a net of PyTorch or JAX.
* An object with `values(states)` is an evaluator.
* An object with `choose(position)` is a searcher.

All scores are for the side to move, from -1 to 1.
"""

import functools
import importlib
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, runtime_checkable

import attrs

from gameforge.discovery.registry import NamedCrashes, component_text
from gameforge.errors import ComponentError, GameforgeError
from gameforge.interfaces.evaluator import BatchEvaluator, Evaluator, EvaluatorFunctions
from gameforge.interfaces.rules import RulesFunctions
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.play.game import Game, Move, Position
from gameforge.play.gathering import gathered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.kernel.context import CompiledPlayer
    from gameforge.kernel.gameplay import GameWorkspace
    from gameforge.kernel.types import FloatArray, ScoreArray, WordArray

PositionFunction = Callable[[Position], float]
"""A function that scores a position."""
Takes = Literal["positions", "planes", "states"]
"""What a batch evaluator's function takes: a list of Positions, float32[N, channels, rows, columns] (kernel/planes.py),
or uint64[N, words]."""


@attrs.frozen
class Cost:
    """What a batch evaluator has been called for so far, and how long it took."""

    calls: int = 0
    states: int = 0
    seconds: float = 0.0
    """Seconds in these calls, with those to make positions or planes of the states."""

    def __str__(self) -> str:
        if not self.calls:
            return "no calls"
        each, speed = self.states / self.calls, self.states / max(self.seconds, 1e-9)
        return f"{self.calls:,} calls, {each:.1f} states a call, {speed:,.0f} states a second"


class BatchFunction:
    """An evaluator made of a function that scores many positions at once; `cost` counts its calls."""

    def __init__(self, function: Callable[[Any], Any], takes: Takes = "positions", policy: bool = False) -> None:
        """function, takes, policy: as for `batch_evaluator`."""
        if not callable(function):
            raise GameforgeError(f"batch_evaluator: {function!r} is not a function")
        if takes not in ("positions", "planes", "states"):
            raise GameforgeError(f"takes = {takes!r}: must be 'positions', 'planes' or 'states'")
        self.function, self.takes, self.policy = function, takes, policy
        self.cost = Cost()

    @property
    def name(self) -> str:
        """The function's name, as settings show it."""
        return plain_name(self.function)


def batch_evaluator(
    function: Callable[[Any], Any], *, takes: Takes = "positions", policy: bool = False
) -> BatchFunction:
    """Make an evaluator of a function that scores many positions at once.

    * `function`: takes a list of N positions; or planes, float32[N, channels, rows, columns], a channel for each code
      of the game's cells, seen from the side to move; or states, uint64[N, words]. Returns N scores, an array or a
      list, for the side to move, from -1 to 1.
    * `takes`: "positions", "planes" or "states".
    * `policy`: the function returns scores and logits, an array of the shape (N, indices of the game's moves), as a
      pair. `puct` then takes the probabilities of moves from them; `Game.move_indices` says which logit a move has.

    The games of a match are played at once and share its calls. The attribute `cost` of the evaluator says how many
    calls there were so far, for how many states, and how long they took.
    """
    return BatchFunction(function, takes, policy)


def torch_evaluator(
    module: Any, *, takes: Takes = "planes", policy: bool = False, device: str = "cpu"
) -> BatchFunction:
    """Make an evaluator of a PyTorch module, which maps planes to scores of the shape (N,) or (N, 1).

    * `module`: the net; it is moved to `device` and switched to evaluation.
    * `takes`: as for `batch_evaluator`; states are int64 words.
    * `policy`: the module returns scores and logits, as for `batch_evaluator`.
    * `device`: the name of a device that PyTorch knows, such as "cuda".

    Raises GameforgeError if PyTorch is not installed, or does not have the device.
    """
    import numpy as np

    torch = _library("torch", "torch_evaluator")
    try:
        target = torch.device(device)
        module = module.to(target).eval()
    except (RuntimeError, AssertionError) as error:
        raise GameforgeError(f"device = {device!r}: PyTorch cannot use it ({str(error).splitlines()[0]})") from error

    def scores(batch: Any) -> Any:
        with torch.inference_mode():
            given = torch.from_numpy(batch.view(np.int64) if batch.dtype == np.uint64 else batch).to(target)
            return _parts(module(given), policy, len(batch), lambda part: part.cpu().numpy())

    return BatchFunction(functools.wraps(type(module), updated=())(scores), takes, policy)


def jax_evaluator(
    function: Callable[[Any], Any], *, takes: Takes = "planes", policy: bool = False, device: str = "cpu"
) -> BatchFunction:
    """Make an evaluator of a function of JAX arrays, which maps planes to scores of the shape (N,) or (N, 1).

    The function is compiled once for each power of two: batches are filled up with zeros.

    * `function`: maps planes of a batch to scores, with the parameters of the net bound to it.
    * `takes`: as for `batch_evaluator`.
    * `policy`: the function returns scores and logits, as for `batch_evaluator`.
    * `device`: the name of a platform that JAX knows, such as "gpu".

    Raises GameforgeError if JAX is not installed, or does not have the device.
    """
    import numpy as np

    jax = _library("jax", "jax_evaluator")
    try:
        target = jax.devices(device)[0]
    except RuntimeError as error:
        raise GameforgeError(f"device = {device!r}: JAX cannot use it ({str(error).splitlines()[0]})") from error
    compiled = jax.jit(function)

    def scores(batch: Any) -> Any:
        filled = np.zeros((1 << (len(batch) - 1).bit_length(), *batch.shape[1:]), batch.dtype)
        filled[: len(batch)] = batch
        answer = compiled(jax.device_put(filled, target))
        return _parts(answer, policy, len(filled), lambda part: np.asarray(part)[: len(batch)])

    return BatchFunction(functools.wraps(function)(scores), takes, policy)


def _parts(answer: Any, policy: bool, n: int, array: Callable[[Any], Any]) -> Any:
    """Return the scores of n states that a net answers, or the pair of scores and logits, as arrays."""
    if not policy:
        return array(answer.reshape(n))
    scores, logits = answer
    return array(scores.reshape(n)), array(logits.reshape(n, -1))


def _library(name: str, function: str) -> Any:
    """Import an optional library; GameforgeError if it is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise GameforgeError(f"{function}: {name} is not installed; install it with pip install {name}") from None


def as_evaluator(given: Any, game: Game) -> Any:
    """Return an evaluator of a game as a component: functions are wrapped, and anything else is returned unchanged.

    Raises GameforgeError if it is a class, and if the game has no planes, which the function takes.
    """
    if isinstance(given, type):
        raise GameforgeError(f"evaluator: {given.__name__} is a class; give an object of it, {given.__name__}(...)")
    if isinstance(given, BatchFunction):
        return _BatchEvaluator(given, game)
    if callable(given) and not hasattr(given, "functions") and not isinstance(given, BatchEvaluator):
        function = cast("PositionFunction", given)

        def each(positions: Sequence[Position]) -> list[float]:
            return [function(position) for position in positions]

        named = given if hasattr(given, "__qualname__") else type(given)  # an object has the name of its class
        return _BatchEvaluator(BatchFunction(functools.wraps(named, updated=())(each)), game)
    return given


def scores_batches(evaluator: object) -> bool:
    """Whether an evaluator is a Python object that scores many states in one call."""
    return isinstance(evaluator, BatchFunction) or (
        isinstance(evaluator, BatchEvaluator) and not isinstance(evaluator, Evaluator)
    )


class _NamedErrors(NamedCrashes):
    """Also says whose a GameforgeError is, such as that of an illegal move: functions of one's own have no spec."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if isinstance(error, GameforgeError) and not isinstance(error, ComponentError):
            raise GameforgeError(f"{self.who}: {error}") from error


class _BatchEvaluator:
    """The batch evaluator that a function makes for one game."""

    def __init__(self, given: BatchFunction, game: Game) -> None:
        self.given, self.game = given, game
        if given.takes == "planes":
            game.planes([])  # raises if the game has none
        if given.policy:
            game.move_indices(game.rules.initial())

    def values(self, states: "NDArray[np.uint64]") -> "ScoreArray":
        """Return the scores of states[N, words]."""
        return self.answers(states)[:, 0]

    def answers(self, states: "NDArray[np.uint64]") -> "NDArray[np.float64]":
        """Return a row for each of states[N, words]: its score and, if there is a policy, the logits of all indices."""
        import numpy as np

        began = time.perf_counter()
        batch: Sequence[Position] | WordArray | FloatArray = states
        if self.given.takes == "planes":
            batch = self.game.planes(states)
        elif self.given.takes == "positions":
            batch = [Position(self.game, tuple(state)) for state in states.tolist()]
        who = f"evaluator {_name(self.given.function)}"
        with _NamedErrors(who):
            answer = self.given.function(batch)
        cost, seconds = self.given.cost, time.perf_counter() - began
        self.given.cost = Cost(cost.calls + 1, cost.states + len(states), cost.seconds + seconds)
        if not self.given.policy:
            return checked_scores(who, answer, len(states))[:, None]
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise GameforgeError(f"{who} returned {type(answer).__name__}; with a policy it must return scores, logits")
        scores, logits = checked_scores(who, answer[0], len(states)), np.asarray(answer[1])
        assert self.game.moves is not None
        shape = len(states), self.game.moves.size
        if logits.shape != shape or logits.dtype.kind not in "fiu" or not np.isfinite(logits).all():
            raise GameforgeError(
                f"{who} returned logits of the shape {logits.shape}; they must be finite numbers of the shape {shape}"
            )
        return np.column_stack([scores, logits])


def checked_scores(who: str, answer: object, n: int) -> "ScoreArray":
    """Return what an evaluator answered as float64[n]; GameforgeError that names it unless these are n scores."""
    import numpy as np

    if isinstance(answer, list):
        _require_numbers(who, answer)
    with NamedCrashes(who):
        scores = np.asarray(answer)
    if scores.shape != (n,) or scores.dtype.kind not in "fiu":
        raise GameforgeError(
            f"{who} returned {scores.dtype} of the shape {scores.shape}; it must return numbers of the shape {(n,)}"
        )
    scores = scores.astype(np.float64)
    wrong = np.flatnonzero(~(np.abs(scores) <= 1))  # nan, too
    if len(wrong):
        raise GameforgeError(f"{who} returned the score {scores[wrong[0]]}; scores must be from -1 to 1")
    return scores


def _require_numbers(who: str, scores: Sequence[object]) -> None:
    """Raise GameforgeError that names the evaluator unless each of these is a number, or an array of one number."""
    for score in scores:
        if type(score) is not float and (
            getattr(score, "shape", None) or not hasattr(score, "__float__") or score is True
        ):
            raise GameforgeError(f"{who} returned the score {score!r}; it must be a number from -1 to 1")


def checked_values(evaluator: BatchEvaluator, states: "NDArray[np.uint64]") -> "NDArray[np.float64]":
    """The evaluator's scores of these states; GameforgeError that names it unless each is a number from -1 to 1."""
    if isinstance(evaluator, _BatchEvaluator):  # it names its function in its own errors
        return evaluator.values(states)
    who = f"{component_text('evaluator', evaluator)}: values(states)"
    with _NamedErrors(who):
        answer = evaluator.values(states)
    return checked_scores(who, answer, len(states))


def batch_functions(evaluator: BatchEvaluator, words: int) -> EvaluatorFunctions:
    """Wrap a Python object that scores states as an evaluator that kernels can call."""
    import numpy as np

    guide = evaluator if isinstance(evaluator, _BatchEvaluator) and evaluator.given.policy else None
    shared = evaluator.given if isinstance(evaluator, _BatchEvaluator) else evaluator
    score = guide.answers if guide else functools.partial(checked_values, evaluator)
    latest = threading.local()
    """The state that this thread evaluated last, and its logits."""

    def evaluate(ed: Any, w: Any, s: Any, x: Any) -> float:
        state = np.array([s[:words]], np.uint64)
        answer = gathered(shared, score, state)[0]
        if guide is None:
            return float(answer)
        latest.state, latest.logits = tuple(state[0].tolist()), answer[1:].tolist()
        return float(answer[0])

    def values(ed: Any, w: Any, states: Any, n: int, scores: Any) -> None:
        if n:  # a search may find that it has all scores
            found = gathered(shared, score, np.array(states[: n * words], np.uint64).reshape(n, words))
            for i, score_of_one in enumerate((found[:, 0] if guide else found).tolist()):
                scores[i] = score_of_one

    def policy(ed: Any, w: Any, s: Any, moves: Any, n: int, x: Any, logits: Any) -> None:
        assert guide is not None
        state = tuple(map(int, s[:words]))
        assert state == latest.state, "kernels evaluate a state before they ask for its policy"
        logit_of = dict(zip(guide.game.legal(state), guide.game.move_indices(state), strict=True))
        for i in range(n):
            logits[i] = latest.logits[logit_of[int(moves[i])]]

    return EvaluatorFunctions(evaluate=evaluate, values=values, policy=policy if guide else None, compiled=False)


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
    raise GameforgeError(f"searcher: {_name(type(given))} object has neither choose(position) nor functions(rules)")


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
            with _NamedErrors(who):
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


def plain_name(of: object) -> str:
    """Return the name of a function, or of an object's class, as settings show it."""
    return str(getattr(of, "__name__", type(of).__name__)).strip("<>")


def _name(of: Any) -> str:
    """Return the name of a function or class with its module, as messages show it."""
    name = getattr(of, "__qualname__", type(of).__qualname__)
    return f"{getattr(of, '__module__', '?')}.{name}"
