"""Batch evaluators: Python functions, such as nets, that score many positions in one call.

* `batch_evaluator(function)` makes an evaluator of a function of positions, planes or states. nets.py does so for nets
  of PyTorch and JAX.
* With named arrays as `weights`, the function is a net that learners can train, and every player with it has weights of
  its own.
* `batch_functions` lets kernels call such an evaluator, or any object with `values(states)`.

All scores are for the side to move, from -1 to 1.
"""

import functools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import attrs

from gameforge.discovery.registry import NamedCrashes, component_text
from gameforge.errors import ComponentError, GameforgeError
from gameforge.interfaces.evaluator import BatchEvaluator, EvaluatorFunctions, WeightVector
from gameforge.play.game import Game, Position
from gameforge.play.gathering import gathered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.kernel.types import FloatArray, ScoreArray, WordArray

Takes = Literal["positions", "planes", "states"]
"""What a batch evaluator's function takes: a list of Positions, float32[N, channels, rows, columns] (kernel/planes.py),
or uint64[N, words]."""
Arrays = Mapping[str, Any]
"""The weights of a net by name: arrays of NumPy, or of the library that computes with them."""
Weights = Arrays | Callable[["np.random.Generator"], Arrays]
"""The arrays with which a training begins, or a function that draws them."""


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

    def __init__(self, function: Callable[..., Any], takes: Takes = "positions", policy: bool = False) -> None:
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

    def of(self, game: Game) -> "GameBatches":
        """Return the batch evaluator of a game; GameforgeError if the game lacks what the function needs."""
        return GameBatches(self, game)


class BatchNet(BatchFunction):
    """A batch evaluator whose function takes named arrays before its batch: weights, which learners train.

    Learners see them as one vector, the arrays in the order of their names.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        takes: Takes,
        weights: Weights,
        slope: Callable[..., Arrays],
        place: Callable[[Arrays], Arrays] | None = None,
    ) -> None:
        """place: moves arrays of NumPy to where the function and `slope` read them; None: they stay.

        Raises GameforgeError if `weights` are not arrays of numbers by name.
        """
        import numpy as np

        super().__init__(function, takes, policy=True)
        self.slope, self.place, self._weights = slope, place or same, weights
        self.shapes = {name: array.shape for name, array in sorted(self._drawn(np.random.default_rng(0)).items())}

    @property
    def layout(self) -> str:
        """The names and shapes of the arrays, in words."""
        return "arrays " + ", ".join(f"{name} {'x'.join(map(str, shape))}" for name, shape in self.shapes.items())

    @property
    def length(self) -> int:
        """Number of weights."""
        import numpy as np

        return sum(int(np.prod(shape, dtype=np.int64)) for shape in self.shapes.values())

    def initial_weights(self, net: object, rng: "np.random.Generator") -> "FloatArray":
        """Return the vector with which a training begins."""
        return self.vector_of(self._drawn(rng))

    def vector_of(self, arrays: Arrays) -> "FloatArray":
        """Return arrays as one vector; GameforgeError if these are not the net's names and shapes."""
        import numpy as np

        found = {name: np.asarray(array, np.float32) for name, array in sorted(arrays.items())}
        if {name: array.shape for name, array in found.items()} != self.shapes:
            there = ", ".join(f"{name} {array.shape}" for name, array in found.items())
            raise GameforgeError(f"{self.name}: got the arrays {there or 'none'}; its weights are {self.layout}")
        return np.concatenate([array.reshape(-1) for array in found.values()])

    def arrays_of(self, weights: "FloatArray") -> "dict[str, FloatArray]":
        """Return the arrays of a vector, such as `player.weights`, by name; `numpy.savez` saves them."""
        import numpy as np

        if len(weights) != self.length:
            raise GameforgeError(f"{self.name}: got {len(weights)} weights, but the net has {self.length}")
        ends = np.cumsum([np.prod(shape, dtype=np.int64) for shape in self.shapes.values()]).tolist()
        parts = np.split(weights, ends[:-1])
        return {name: part.reshape(shape) for (name, shape), part in zip(self.shapes.items(), parts, strict=True)}

    def of(self, game: Game) -> "GameBatches":
        return _GameNet(self, game)

    def _drawn(self, rng: "np.random.Generator") -> "dict[str, FloatArray]":
        import numpy as np

        given = self._weights(rng) if callable(self._weights) else self._weights
        if not isinstance(given, Mapping) or not given or not all(isinstance(name, str) for name in given):
            raise GameforgeError(
                f"weights of {self.name}: {type(given).__name__} is not a dictionary of arrays by name"
            )
        return {name: np.asarray(array, np.float32) for name, array in given.items()}


def batch_evaluator(
    function: Callable[..., Any],
    *,
    takes: Takes = "positions",
    policy: bool = False,
    weights: Weights | None = None,
    slope: Callable[..., Arrays] | None = None,
) -> BatchFunction:
    """Make an evaluator of a function that scores many positions at once.

    * `function`: takes a list of N positions; or planes, float32[N, channels, rows, columns], a channel for each code
      of the game's cells, seen from the side to move; or states, uint64[N, words]. Returns N scores, an array or a
      list, for the side to move, from -1 to 1.
    * `takes`: "positions", "planes" or "states".
    * `policy`: the function returns scores and logits, an array of the shape (N, indices of the game's moves), as a
      pair. `puct` then takes the probabilities of moves from them; `Game.move_indices` says which logit a move has.
    * `weights`: what the learner `gumbel` trains: a dictionary of arrays by name, or a function that draws one with a
      NumPy generator. The function then takes such a dictionary before the batch. Needs `policy` and `slope`.
    * `slope`: takes a dictionary, a batch, N slopes of the scores and the slopes of the logits, (N, indices). Returns
      the gradient of the sum of all scores and logits, each times its slope, as a dictionary of arrays.

    The games of a match are played at once and share its calls. The attribute `cost` of the evaluator says how many
    calls there were so far, for how many states, and how long they took.
    """
    if weights is None and slope is None:
        return BatchFunction(function, takes, policy)
    if weights is None or slope is None or not policy:
        raise GameforgeError("batch_evaluator: a net that learners train needs weights, slope and policy=True together")
    return BatchNet(function, takes, weights, slope)


def same(given: Any) -> Any:
    """Return what is given."""
    return given


class NamedErrors(NamedCrashes):
    """Also says whose a GameforgeError is, such as that of an illegal move: functions of one's own have no spec."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if isinstance(error, GameforgeError) and not isinstance(error, ComponentError):
            raise GameforgeError(f"{self.who}: {error}") from error


class GameBatches:
    """The batch evaluator that a function makes for one game."""

    def __init__(self, given: BatchFunction, game: Game) -> None:
        self.given, self.game = given, game
        self.who = f"evaluator {qualified_name(given.function)}"
        if given.takes == "planes":
            game.planes([])  # raises if the game has none
        if given.policy:
            game.move_indices(game.rules.initial())

    def values(self, states: "NDArray[np.uint64]") -> "ScoreArray":
        """Return the scores of states[N, words]."""
        return self.answers(states)[:, 0]

    def answers(self, states: "NDArray[np.uint64]", *arrays: Arrays) -> "NDArray[np.float64]":
        """Return a row for each of states[N, words]: its score and, if there is a policy, the logits of all indices."""
        import numpy as np

        answer = self.called(states, *arrays)
        if not self.given.policy:
            return checked_scores(self.who, answer, len(states))[:, None]
        scores, logits = self.pair(answer, len(states))
        if not np.isfinite(logits).all():
            raise GameforgeError(f"{self.who} returned logits that are not finite; they must be finite numbers")
        return np.column_stack([checked_scores(self.who, scores, len(states)), logits])

    def called(self, states: "NDArray[np.uint64]", *arrays: Arrays) -> Any:
        """Return what the function answers for states[N, words]."""
        began = time.perf_counter()
        batch = self.batch(states)
        with NamedErrors(self.who):
            answer = self.given.function(*arrays, batch)
        cost, seconds = self.given.cost, time.perf_counter() - began
        self.given.cost = Cost(cost.calls + 1, cost.states + len(states), cost.seconds + seconds)
        return answer

    def batch(self, states: "NDArray[np.uint64]") -> "Sequence[Position] | WordArray | FloatArray":
        """Return states[N, words] as the function takes them."""
        if self.given.takes == "planes":
            return self.game.planes(states)
        if self.given.takes == "positions":
            return [Position(self.game, tuple(state)) for state in states.tolist()]
        return states

    def pair(self, answer: Any, n: int) -> "tuple[Any, NDArray[np.float64]]":
        """Return the scores, as they are, and the logits that the function answered for n states.

        Raises GameforgeError unless there is a logit for each index.
        """
        import numpy as np

        if not isinstance(answer, tuple) or len(answer) != 2:
            raise GameforgeError(
                f"{self.who} returned {type(answer).__name__}; with a policy it must return scores, logits"
            )
        scores, logits = answer[0], np.asarray(answer[1])
        assert self.game.moves is not None
        shape = n, self.game.moves.size
        if logits.shape != shape or logits.dtype.kind not in "fiu":
            raise GameforgeError(
                f"{self.who} returned logits of the shape {logits.shape}; they must be finite numbers of the shape "
                f"{shape}"
            )
        return scores, logits.astype(np.float64)


_KEY = 4
"""Number of floats before the weights in the block of a net, by which threads know the weights."""
_KEPT = 8
"""Number of weight vectors whose arrays a net keeps where it computes."""


class _Loaded:
    """The arrays of one vector of weights, where a net reads them."""

    def __init__(self, net: "_GameNet", arrays: Arrays) -> None:
        self._net, self._arrays = net, arrays

    def answers(self, states: "NDArray[np.uint64]") -> "NDArray[np.float64]":
        return self._net.answers(states, self._arrays)


class _GameNet(GameBatches):
    """The batch evaluator that a net with weights makes for one game; implements interfaces.evaluator.BatchGradient."""

    given: BatchNet

    def __init__(self, given: BatchNet, game: Game) -> None:
        super().__init__(given, game)
        self._latest: OrderedDict[tuple[float, ...], _Loaded] = OrderedDict()
        self._loading = threading.Lock()
        self.vector = WeightVector(given.length, unpack=self._block, layout=given.layout)

    def initial_weights(self, net: object, rng: "np.random.Generator") -> "FloatArray":
        """Return what the net itself does, for those that know only the evaluator of the game."""
        return self.given.initial_weights(net, rng)

    def loaded(self, w: Any) -> _Loaded:
        """Return the arrays of a block `w`, as kernels hand it on."""
        import numpy as np

        key = tuple(map(float, w[:_KEY]))
        with self._loading:
            found = self._latest.get(key)
            if found is None:
                weights = np.array(w[_KEY : _KEY + self.given.length], np.float32)
                found = self._latest[key] = _Loaded(self, self._placed(weights))
            self._latest.move_to_end(key)
            if len(self._latest) > _KEPT:
                self._latest.popitem(last=False)
        return found

    def scores_and_logits(
        self, weights: "FloatArray", states: "NDArray[np.uint64]"
    ) -> "tuple[ScoreArray, NDArray[np.float64]]":
        import numpy as np

        scores, logits = self.pair(self.called(states, self._placed(weights)), len(states))
        return np.asarray(scores, np.float64).reshape(len(states)), logits

    def slope(
        self, weights: "FloatArray", states: "NDArray[np.uint64]", scores: "ScoreArray", logits: "NDArray[np.float64]"
    ) -> "FloatArray":
        with NamedErrors(self.who):
            return self.given.vector_of(self.given.slope(self._placed(weights), self.batch(states), scores, logits))

    def _placed(self, weights: "FloatArray") -> Arrays:
        with NamedErrors(self.who):
            return self.given.place(self.given.arrays_of(weights))

    @staticmethod
    def _block(weights: "FloatArray") -> "FloatArray":
        """Return the block of a vector: a key, which depends on the weights alone, and the weights."""
        import hashlib

        import numpy as np

        digest = np.frombuffer(hashlib.blake2b(weights.tobytes(), digest_size=2 * _KEY).digest(), np.uint16)
        return np.concatenate([digest.astype(np.float32), weights])


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
    if isinstance(evaluator, GameBatches):  # it names its function in its own errors
        return evaluator.values(states)
    who = f"{component_text('evaluator', evaluator)}: values(states)"
    with NamedErrors(who):
        answer = evaluator.values(states)
    return checked_scores(who, answer, len(states))


def batch_functions(evaluator: BatchEvaluator, words: int) -> EvaluatorFunctions:
    """Wrap a Python object that scores states as an evaluator that kernels can call."""
    import numpy as np

    guide = evaluator if isinstance(evaluator, GameBatches) and evaluator.given.policy else None
    net = evaluator if isinstance(evaluator, _GameNet) else None
    shared = evaluator.given if isinstance(evaluator, GameBatches) else evaluator
    score = guide.answers if guide else functools.partial(checked_values, evaluator)
    latest = threading.local()
    """The state that this thread evaluated last, and its logits."""

    def answers(w: Any, states: "NDArray[np.uint64]") -> "NDArray[np.float64]":
        if net is None:
            return gathered(shared, score, states)
        loaded = net.loaded(w)
        return gathered(loaded, loaded.answers, states)

    def evaluate(ed: Any, w: Any, s: Any, x: Any) -> float:
        state = np.array([s[:words]], np.uint64)
        answer = answers(w, state)[0]
        if guide is None:
            return float(answer)
        latest.state, latest.logits = tuple(state[0].tolist()), answer[1:].tolist()
        return float(answer[0])

    def values(ed: Any, w: Any, states: Any, n: int, scores: Any) -> None:
        if n:  # a search may find that it has all scores
            found = answers(w, np.array(states[: n * words], np.uint64).reshape(n, words))
            for i, score_of_one in enumerate((found[:, 0] if guide else found).tolist()):
                scores[i] = score_of_one

    def policy(ed: Any, w: Any, s: Any, moves: Any, n: int, x: Any, logits: Any) -> None:
        assert guide is not None
        state = tuple(map(int, s[:words]))
        assert state == latest.state, "kernels evaluate a state before they ask for its policy"
        logit_of = dict(zip(guide.game.legal(state), guide.game.move_indices(state), strict=True))
        for i in range(n):
            logits[i] = latest.logits[logit_of[int(moves[i])]]

    return EvaluatorFunctions(
        evaluate=evaluate,
        values=values,
        policy=policy if guide else None,
        vector=net.vector if net else None,
        batches=net,
        compiled=False,
    )


def plain_name(of: object) -> str:
    """Return the name of a function, or of an object's class, as settings show it."""
    return str(getattr(of, "__name__", type(of).__name__)).strip("<>")


def qualified_name(of: Any) -> str:
    """Return the name of a function or class with its module, as messages show it."""
    name = getattr(of, "__qualname__", type(of).__qualname__)
    return f"{getattr(of, '__module__', '?')}.{name}"
