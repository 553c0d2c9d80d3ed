"""The parts of a player: a searcher, an evaluator, oracles and books, built for one game."""

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gameforge.discovery.registry import NamedCrashes, component_text
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import (
    BatchEvaluator,
    Evaluator,
    EvaluatorFunctions,
    NetFunctions,
    Trainable,
    WeightVector,
)
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.oracle import BookLines, OracleFunctions
from gameforge.interfaces.searcher import Searcher, SearcherFunctions
from gameforge.play.adapters import Chooser, PositionFunction, as_evaluator, as_searcher, scores_batches
from gameforge.play.batches import BatchFunction, batch_functions, plain_name
from gameforge.play.game import Game
from gameforge.play.knowledge import OracleHandle, book_block_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.kernel.context import CompiledEvaluator, CompiledPlayer
    from gameforge.kernel.counting import EvaluationCount
    from gameforge.kernel.gameplay import GameWorkspace
    from gameforge.kernel.types import FloatArray


def _search(searcher: Searcher | Chooser, game: Game) -> SearcherFunctions:
    found: Searcher = as_searcher(searcher, game)
    with NamedCrashes(component_text("searcher", searcher)):
        return found.functions(game.functions)


def _net(evaluator: Evaluator, features: FeatureMap | None, game: Game) -> NetFunctions | EvaluatorFunctions:
    inputs = None
    if features is not None:
        with NamedCrashes(component_text("features", features)):
            inputs = features.functions(game.rules)
    with NamedCrashes(component_text("evaluator", evaluator)):
        return evaluator.functions(game.rules, inputs)


class Parts:
    """The components of a player, built once and shared by all players that differ in weights only."""

    count: "EvaluationCount | None" = None
    """Counts the positions that the evaluators of all players with these parts score; None: nobody does."""

    def __init__(
        self,
        game: Game,
        searcher: Searcher | Chooser,
        evaluator: Evaluator | BatchEvaluator | BatchFunction | PositionFunction | None,
        features: FeatureMap | None = None,
        oracles: Sequence[OracleFunctions | OracleHandle] = (),
        books: Sequence[BookLines] = (),
    ) -> None:
        """Build the parts; raises GameforgeError if they do not fit together, or if an oracle cannot be opened."""
        from gameforge.kernel.assembly import compiled_oracles, search_function
        from gameforge.kernel.context import MAX_ORACLES

        if len(oracles) > MAX_ORACLES:
            raise GameforgeError(f"oracle: got {len(oracles)} oracles; must be {MAX_ORACLES} or fewer")
        opened = tuple(one.functions(game) if isinstance(one, OracleHandle) else one for one in oracles)
        self._knowledge = tuple(oracles), tuple(books)
        self.game = game
        self.searcher = searcher
        self.evaluator = evaluator
        self.features = features
        self.search = _search(searcher, game)
        self.search_function = search_function(self.search)
        self._require_evaluator(evaluator, self.search)
        self._gates = tuple(
            (one.spec.use if isinstance(one, OracleHandle) else one.covers, functions.gate)
            for one, functions in zip(oracles, opened, strict=True)
            if functions.gate is not None
        )
        self._require_gate(evaluator, self.search)
        self.oracles = compiled_oracles(opened)
        self.book = book_block_of(game, books)
        self.net: NetFunctions | EvaluatorFunctions | None
        component = as_evaluator(evaluator, game)
        if component is None:
            self.net = None
        elif isinstance(component, Evaluator):
            self.net = _net(component, features, game)
            if isinstance(self.net, NetFunctions) and features is None:
                raise GameforgeError(
                    f"evaluator: {type(evaluator).__name__} needs a feature map",
                    advice="name one",
                    parameter="features",
                )
        elif isinstance(component, BatchEvaluator):
            if features is not None:
                raise GameforgeError(f"evaluator: {plain_name(evaluator)} scores positions and takes no feature map")
            self.net = batch_functions(component, game.functions.words)
        else:
            raise GameforgeError(
                f"evaluator: {type(evaluator).__name__} object is neither a function of a Position nor an object with "
                "values(states) or functions(rules, features)"
            )

    def __repr__(self) -> str:
        evaluator = "no evaluator" if self.evaluator is None else type(self.evaluator).__name__
        return f"<Parts of {self.game.rules.name}: {type(self.searcher).__name__}, {evaluator}>"

    def __reduce__(self) -> tuple[type["Parts"], tuple[object, ...]]:
        """Pickle the components; what was compiled from them is compiled again."""
        return type(self), (self.game, self.searcher, self.evaluator, self.features, *self._knowledge)

    def _same(self) -> "Parts":
        """Return a copy, in which another component can take the place of one of these."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def with_searcher(self, searcher: Searcher | Chooser) -> "Parts":
        """Return these parts with another searcher."""
        from gameforge.kernel.assembly import search_function

        other = self._same()
        other.searcher = searcher
        other.search = _search(searcher, self.game)
        other._require_evaluator(self.evaluator, other.search)
        other._require_gate(self.evaluator, other.search)
        other.search_function = search_function(other.search)
        return other

    @staticmethod
    def _require_evaluator(evaluator: object, search: SearcherFunctions) -> None:
        if evaluator is None and search.needs_evaluator:
            raise GameforgeError(
                "with these settings, the searcher needs an evaluator", advice="name one", parameter="evaluator"
            )

    def _require_gate(self, evaluator: object, search: SearcherFunctions) -> None:
        if len({gate for _, gate in self._gates}) > 1:
            raise GameforgeError(
                "oracle: two oracles have different gates; all gates of a player must have the same limits and place"
            )
        choosy = [oracle for oracle, gate in self._gates if not gate.admits_all]
        if choosy and evaluator is None:
            raise GameforgeError(
                f"oracle {choosy[0]!r}: its gate depends on the evaluator's score, but there is no evaluator",
                advice="name one",
                parameter="evaluator",
            )
        if choosy and not search.asks_gated:
            raise GameforgeError(
                f"oracle {choosy[0]!r}: its gate depends on the evaluator's score of a position, but with these "
                "settings, the searcher does not consult gated oracles; choose the oracle 'none' "
                "(` + none` in a player's text)"
            )
        searched = [oracle for oracle, gate in self._gates if gate.at == "searched"]
        if searched and not search.asks_searched:
            raise GameforgeError(
                f"oracle {searched[0]!r}: its gate judges the searched scores of the moves, which this searcher does "
                "not find exactly; choose `at=leaves` or `at=root`"
            )

    def with_evaluator(self, evaluator: Evaluator) -> "Parts":
        """The same parts with another evaluator, one that takes no feature map."""
        other = self._same()
        other.evaluator, other.features = evaluator, None
        other.net = _net(evaluator, None, self.game)
        other.__dict__.pop("evaluation", None)
        return other

    def with_features(self, features: FeatureMap) -> "Parts":
        """Return these parts with another feature map; GameforgeError if the evaluator takes none."""
        if not isinstance(self.evaluator, Evaluator):
            raise GameforgeError(f"evaluator: {type(self.evaluator).__name__} takes no feature map")
        other = self._same()
        other.features = features
        other.net = _net(self.evaluator, features, self.game)
        other.__dict__.pop("evaluation", None)
        return other

    def with_oracles(self, oracles: Sequence[OracleFunctions | OracleHandle]) -> "Parts":
        """Return these parts with other oracles; GameforgeError if one cannot be opened, or does not fit the others."""
        _, books = self._knowledge
        other = type(self)(self.game, self.searcher, self.evaluator, self.features, oracles, books)
        other.count = self.count
        return other

    @property
    def scores_batches(self) -> bool:
        """Whether a Python object scores the positions, many states in one call."""
        return scores_batches(self.evaluator)

    @property
    def repeatable(self) -> bool:
        """Whether a search depends on nothing but the position and the seed.

        Others depend on a clock, on several threads, or on a program or object that may remember its last game.
        """
        search = self.search
        timed = getattr(self.searcher, "time", None)
        return not (timed or search.external or search.crew) and search.workers == 1

    @functools.cached_property
    def evaluation(self) -> "CompiledEvaluator":
        """The compiled evaluator without weights."""
        from gameforge.kernel.assembly import compiled_evaluator

        return compiled_evaluator(self.net)

    @property
    def vector(self) -> WeightVector | None:
        """The layout of a player's weights; None if its evaluator has no weights."""
        return None if self.net is None else self.net.vector

    def tunable(self) -> tuple[WeightVector, Trainable]:
        """Return the layout of the weights and the component that initializes them.

        Raises GameforgeError if the evaluator has no weights to train.
        """
        if self.vector is not None and isinstance(self.evaluator, Trainable):
            return self.vector, self.evaluator
        what = "no evaluator is named" if self.evaluator is None else f"{type(self.evaluator).__name__} has no weights"
        raise GameforgeError(f"learner: nothing to train: {what}; choose an evaluator with weights, such as a net")

    def trainable(self) -> tuple[NetFunctions, Trainable]:
        """Return the net and the component that initializes its weights, for learners that train nets.

        Raises GameforgeError if the evaluator has no weights, or is not a net.
        """
        _, component = self.tunable()
        if isinstance(self.net, NetFunctions):
            return self.net, component
        raise GameforgeError(
            f"learner: {type(self.evaluator).__name__} has weights but is not a net, which this learner needs; "
            "choose a net"
        )

    def initial_weights(self, rng: "np.random.Generator") -> "FloatArray":
        """Draw initial weights; GameforgeError if the evaluator has none."""
        _, component = self.tunable()
        assert self.net is not None, "an evaluator with weights has functions"
        with NamedCrashes(component_text("evaluator", component)):
            return component.initial_weights(self.net, rng)

    def evaluation_with(self, weights: "FloatArray | None") -> "CompiledEvaluator":
        """Return the compiled evaluator with weights; those of a net are shared, not copied."""
        evaluation = self.evaluation
        if weights is not None and self.vector is not None:
            evaluation = evaluation._replace(weights=self.vector.block(weights))
        return evaluation

    def values(self, states: "NDArray[np.uint64]", weights: "FloatArray | None") -> "NDArray[np.float64]":
        """Return the static scores of states[N, words] by the evaluator with these weights, for the side to move."""
        return static_values(self.evaluation_with(weights), self.game, states)

    def compiled_player(
        self, game: "GameWorkspace", weights: "FloatArray | None", plays_only: bool = False
    ) -> "CompiledPlayer":
        """Make a compiled player for the thread to which `game` belongs.

        plays_only: nobody but its search asks its evaluator, which is not compiled if the search does not.
        """
        from gameforge.kernel.assembly import compiled_evaluator, compiled_player

        needless = plays_only and not self.search.evaluates
        evaluation = compiled_evaluator(None) if needless else self.evaluation_with(weights)
        if self.count is not None:
            evaluation = self.count.counted(evaluation)
        return compiled_player(
            self.game.compiled, self.search_function, self.search, evaluation, self.oracles, game, book=self.book
        )


def static_values(evaluation: "CompiledEvaluator", game: Game, states: "NDArray[np.uint64]") -> "NDArray[np.float64]":
    """Return what a compiled evaluator gives states[N, words] without a search, for the side to move.

    Raises what a function of the evaluator raises.
    """
    import numpy as np

    from gameforge.kernel.assembly import check
    from gameforge.kernel.compile.launch import entry
    from gameforge.kernel.evaluate import score_states

    scores = np.zeros(len(states), np.float64)
    entry(score_states)(evaluation, game.compiled.words, np.ascontiguousarray(states, np.uint64).reshape(-1), scores)
    check(evaluation)
    return scores
