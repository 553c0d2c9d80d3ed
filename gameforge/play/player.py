"""Players: a searcher, an evaluator with its weights, oracles and books, put together for one game."""

import copy
import functools
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.book import BookLines
from gameforge.interfaces.evaluator import (
    BatchEvaluator,
    ChecksWeights,
    Evaluator,
    EvaluatorFunctions,
    NetFunctions,
    Trainable,
    WeightVector,
)
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.oracle import OracleFunctions
from gameforge.interfaces.rules import State
from gameforge.interfaces.searcher import Searcher, SearcherFunctions
from gameforge.play.book import book_block_of
from gameforge.play.game import Game, Move, Position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.kernel.context import CompiledEvaluator, CompiledPlayer
    from gameforge.kernel.game import GameWorkspace

    Floats = NDArray[np.float32]


@attrs.frozen
class MoveStatistics:
    """How often a search tried a move, and with what success."""

    move: Move
    visits: int
    value: float
    """Mean result of these, -1 to 1 for the side that makes the move; 0 without any."""


@attrs.frozen
class Analysis:
    """What a search found."""

    move: Move
    score: float
    """For the side to move; bands in gameforge.interfaces.evaluator."""
    line: list[Move]
    nodes: int
    depth: int = 0
    """Plies that were searched to the end."""
    statistics: tuple[MoveStatistics, ...] = ()
    """Of the legal moves, if the searcher counts their visits and the move was searched for."""


def _recent(position: Position, most: int) -> tuple[State, list[int]]:
    """The last moves that led to a position, and the state before them."""
    here = position
    moves: list[int] = []
    while here.parent is not None and here.last_move is not None and len(moves) < most:
        moves.append(here.last_move)
        here = here.parent
    return here.state, moves[::-1]


def batch_functions(evaluator: BatchEvaluator, words: int) -> EvaluatorFunctions:
    """Any Python object that scores states, as an evaluator that kernels call."""
    import numpy as np

    def evaluate(ed: Any, w: Any, s: Any, x: Any) -> float:
        state = np.array([[s[i] for i in range(words)]], np.uint64)
        return float(evaluator.values(state)[0])

    def values(ed: Any, w: Any, states: Any, n: int, scores: Any) -> None:
        found = evaluator.values(np.array(states[: n * words], np.uint64).reshape(n, words))
        for i, score in zip(range(n), found, strict=True):
            scores[i] = score

    return EvaluatorFunctions(evaluate=evaluate, values=values, compiled=False)


class Parts:
    """The components of a player, built once and shared by all players that differ in weights only."""

    def __init__(
        self,
        game: Game,
        searcher: Searcher,
        evaluator: Evaluator | BatchEvaluator | None,
        features: FeatureMap | None = None,
        oracles: Sequence[OracleFunctions] = (),
        books: Sequence[BookLines] = (),
    ) -> None:
        from gameforge.kernel.assembly import compiled_oracles, search_function
        from gameforge.kernel.context import MAX_ORACLES

        if len(oracles) > MAX_ORACLES:
            raise GameforgeError(f"oracle: {len(oracles)} oracles were given, at most {MAX_ORACLES} can be asked")
        self.game = game
        self.evaluator = evaluator
        self.features = features
        self.search: SearcherFunctions = searcher.functions(game.functions)
        self.search_function = search_function(self.search)
        self._require_evaluator(evaluator, self.search)
        self.gates = tuple({oracle.gate for oracle in oracles if oracle.gate is not None})
        self._require_gate(evaluator, self.search)
        self.oracles = compiled_oracles(tuple(oracles))
        self.book = book_block_of(game, books)
        self.net: NetFunctions | EvaluatorFunctions | None
        if evaluator is None:
            self.net = None
        elif isinstance(evaluator, Evaluator):
            self.net = evaluator.functions(game.rules, None if features is None else features.functions(game.rules))
        elif isinstance(evaluator, BatchEvaluator):
            if features is not None:
                raise GameforgeError(f"evaluator: {type(evaluator).__name__} scores states, it takes no feature map")
            self.net = batch_functions(evaluator, game.functions.words)
        else:
            raise GameforgeError(
                f"evaluator: {type(evaluator).__name__} object has neither kernel(rules, features) nor values(states)"
            )

    def with_searcher(self, searcher: Searcher) -> "Parts":
        """The same parts with another searcher."""
        from gameforge.kernel.assembly import search_function

        other = copy.copy(self)
        other.search = searcher.functions(self.game.functions)
        other._require_evaluator(self.evaluator, other.search)
        other._require_gate(self.evaluator, other.search)
        other.search_function = search_function(other.search)
        return other

    @staticmethod
    def _require_evaluator(evaluator: Any, search: SearcherFunctions) -> None:
        if evaluator is None and search.needs_evaluator:
            raise GameforgeError("searcher: its settings ask for an evaluator, but none is named; add --evaluator NAME")

    def _require_gate(self, evaluator: Any, search: SearcherFunctions) -> None:
        if not self.gates:
            return
        if len(self.gates) > 1:
            raise GameforgeError(
                "oracle: two are gated differently; those of one player need the same limits and place"
            )
        if evaluator is None:
            raise GameforgeError("oracle: its gate is the evaluator's score, but no evaluator is named")
        if not search.asks_gated:
            raise GameforgeError(
                "oracle: its gate is the evaluator's score of a position, "
                "which this searcher, as it is set, never asks for"
            )

    def with_features(self, features: FeatureMap) -> "Parts":
        """The same parts with a net over another feature map; GameforgeError if the evaluator takes none."""
        if not isinstance(self.evaluator, Evaluator):
            raise GameforgeError(f"evaluator: {type(self.evaluator).__name__} takes no feature map")
        other = copy.copy(self)
        other.features = features
        other.net = self.evaluator.functions(self.game.rules, features.functions(self.game.rules))
        other.__dict__.pop("evaluation", None)
        return other

    @functools.cached_property
    def evaluation(self) -> Any:
        """The evaluator's table without weights."""
        from gameforge.kernel.assembly import compiled_evaluator

        return compiled_evaluator(self.net)

    @property
    def vector(self) -> WeightVector | None:
        """The weights that a player has; None: none."""
        return None if self.net is None else self.net.vector

    def tunable(self) -> tuple[WeightVector, Trainable]:
        """The weights and the component that initialises them; GameforgeError if there is nothing to train."""
        if self.vector is not None and isinstance(self.evaluator, Trainable):
            return self.vector, self.evaluator
        what = "no evaluator is named" if self.evaluator is None else f"{type(self.evaluator).__name__} has no weights"
        raise GameforgeError(f"learner: there is nothing to train, {what}; choose an evaluator with weights, as a net")

    def trainable(self) -> tuple[NetFunctions, Trainable]:
        """As `tunable`, for learners that need a gradient: the evaluator has to be a net."""
        _, component = self.tunable()
        if isinstance(self.net, NetFunctions):
            return self.net, component
        who = type(self.evaluator).__name__
        raise GameforgeError(f"learner: {who} has weights, but no gradient to train them by; choose a net")

    def initial_weights(self, rng: "np.random.Generator") -> "Floats":
        """Fresh weights."""
        _, component = self.tunable()
        return component.initial_weights(self.net, rng)

    def evaluation_with(self, weights: "Floats | None") -> "CompiledEvaluator":
        """The evaluator's table with weights; a net's are shared, not copied."""
        evaluation: CompiledEvaluator = self.evaluation
        if weights is not None and self.vector is not None:
            evaluation = evaluation._replace(weights=self.vector.block(weights))
        return evaluation

    def compiled_player(self, game: "GameWorkspace", weights: "Floats | None") -> "CompiledPlayer":
        """A player for the thread whose game this is."""
        from gameforge.kernel.assembly import compiled_player

        evaluation = self.evaluation_with(weights)
        return compiled_player(
            self.game.compiled, self.search_function, self.search, evaluation, self.oracles, game, book=self.book
        )


class Player:
    """Parts with weights: chooses moves. Not for several threads at once: a player has one workspace.

    `spec` holds the tables (searcher, evaluator, oracle) that build it again. Raises GameforgeError
    if the weights are not as many as the evaluator has, or no weights of its kind.
    """

    def __init__(
        self, parts: Parts, weights: "Floats | None" = None, name: str = "player", spec: Mapping[str, Any] | None = None
    ) -> None:
        needed = 0 if parts.vector is None else parts.vector.length
        given = 0 if weights is None else len(weights)
        if given != needed:
            raise GameforgeError(f"player {name}: {given} weights, but its evaluator has {needed}")
        if weights is not None and isinstance(parts.evaluator, ChecksWeights):
            try:
                parts.evaluator.check_weights(parts.net, weights)
            except GameforgeError as error:
                raise GameforgeError(f"player {name}: {error}") from error
        self.parts = parts
        self.game = parts.game
        self.weights = weights
        self.name = name
        self.spec = dict(spec or {})

    def __repr__(self) -> str:
        return f"<Player {self.name} of {self.game.rules.name}>"

    @functools.cached_property
    def _workspace(self) -> "tuple[GameWorkspace, CompiledPlayer]":
        from gameforge.kernel.assembly import game_workspace

        game = game_workspace(self.game.compiled, self.game.rules.draws)
        return game, self.parts.compiled_player(game, self.weights)

    def analyse(self, position: Position) -> Analysis:
        """Search a position; GameforgeError if it is of another game or if the game is over by its rules."""
        import numpy as np

        from gameforge.kernel.answer import read_answer, read_statistics
        from gameforge.kernel.assembly import check
        from gameforge.kernel.compile.launch import interruptible
        from gameforge.kernel.context import ASKED, DEPTH
        from gameforge.kernel.game import replay, think

        if position.game.rules.name != self.game.rules.name:
            raise GameforgeError(f"a player of {self.game.rules.name} cannot move in {position.game.rules.name}")
        n_moves = len(position.codes)
        if n_moves == 0 or self.game.code(position.state, n_moves):
            raise GameforgeError(f"the game is over in {self.game.position_text(position.state)}: there is no move")
        game, player = self._workspace
        player.context.control[ASKED] = time.monotonic_ns()
        start, moves = _recent(position, len(game.played))
        replay(game, np.array(start, np.uint64), np.array(moves, np.uint64))
        score = interruptible(player.context.control, think, player, np.array(position.state, np.uint64))
        check(player)
        answer = read_answer(player.out)
        line = []
        here = position
        for code in answer.line:
            line.append(Move(here, code))
            here = here.after(code)
        statistics = tuple(
            MoveStatistics(Move(position, move), visits, value) for move, visits, value in read_statistics(player.out)
        )
        depth = int(player.context.control[DEPTH])
        return Analysis(Move(position, answer.move), float(score), line, answer.nodes, depth, statistics)

    def choose(self, position: Position) -> Move:
        """The move to play; an only move and one of the player's book are played without a search."""
        if len(position.codes) == 1:
            return position.legal_moves[0]
        return self.book_move(position) or self.analyse(position).move

    def reseed(self, seed: int) -> None:
        """Begin the random numbers of book and search anew; without it they are those of seed 0."""
        self._workspace[1].context.rng[0] = seed

    def book_move(self, position: Position) -> Move | None:
        """A move of the player's book for the game that led here, drawn at random; None without one."""
        import numpy as np

        from gameforge.kernel.game import look_up, replay

        if self.parts.book is None:
            return None
        game, player = self._workspace
        moves = position.moves_played
        if len(moves) > len(game.played):  # played on after the game was drawn
            return None
        replay(game, np.array(position.start.state, np.uint64), np.array(moves, np.uint64))
        place = int(look_up(game, player))
        return Move(position, int(player.book[place])) if place else None

    def values(self, states: "NDArray[np.uint64]") -> "NDArray[np.float64]":
        """Static scores of states[N, words] for the side to move: this player as a BatchEvaluator."""
        import numpy as np

        from gameforge.kernel.assembly import check
        from gameforge.kernel.evaluate import score_states

        _, player = self._workspace
        scores = np.zeros(len(states), np.float64)
        words = np.ascontiguousarray(states, np.uint64).reshape(-1)
        score_states(player.context.evaluator, self.game.compiled.words, words, scores)
        check(player.context.evaluator)
        return scores
