"""Players, which choose moves: parts with weights.

Beside them stand the unit in which a player's scores are shown and the limits of its searches, which searchers share
by name.
"""

import functools
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import PLAIN, UNSCORED, WON, ChecksWeights, EvaluatorFunctions, NamesUnit, Unit
from gameforge.interfaces.rules import State
from gameforge.play.display import Tabular, printable
from gameforge.play.game import Move, Position
from gameforge.play.parts import Parts, static_values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.kernel.calls import Thinker
    from gameforge.kernel.context import CompiledPlayer
    from gameforge.kernel.gameplay import GameWorkspace
    from gameforge.kernel.types import FloatArray


@attrs.frozen
class MoveStatistics:
    """How often a search visited a move, and the mean result."""

    move: Move
    """A legal move."""
    visits: int
    """Number of simulations that began with it."""
    value: float
    """Mean result of the visits, -1 to 1 for the side that makes the move; 0 without visits."""


@attrs.frozen
class Analysis(Tabular):
    """The result of a search."""

    move: Move
    """The chosen move."""
    score: float
    """For the side to move; bands in gameforge.interfaces.evaluator. 0 if nothing is `scored`."""
    line: list[Move]
    """The expected moves; begins with `move`, or is empty."""
    nodes: int
    """Nodes of the search, in the searcher's own count."""
    depth: int = 0
    """Completed depth, in plies; 0 if the searcher does not report one."""
    statistics: tuple[MoveStatistics, ...] = ()
    """Statistics of the legal moves; empty if the searcher does not count visits, or if there was no search."""
    limit: str = ""
    """The limit that ended the search: depth, nodes, simulations or time; "" if it was stopped, or knows the result."""
    scored: bool = True
    """Whether the searcher scores positions."""

    def rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each move with statistics, or only one for the chosen move."""
        if not self.statistics:
            score = self.score if self.scored else None
            return [{"move": str(self.move), "score": score, "nodes": self.nodes, "depth": self.depth}]
        return [{"move": str(one.move), "visits": one.visits, "value": one.value} for one in self.statistics]

    def __str__(self) -> str:
        line = " ".join(map(str, self.line))
        ended = f", ended by {self.limit}" if self.limit else ""
        score = f"score {self.score:.4g}" if self.scored else "no score"
        return f"{self.move}: {score}, {self.nodes:,} nodes{ended}" + (f"; {line}" if line else "")


def _recent(position: Position, most: int) -> tuple[State, list[int]]:
    """Return the last moves that led to a position, at most `most`, and the state before them."""
    here = position
    moves: list[int] = []
    while here.parent is not None and here.last_move is not None and len(moves) < most:
        moves.append(here.last_move)
        here = here.parent
    return here.state, moves[::-1]


def _require_position(position: object) -> None:
    if not isinstance(position, Position):
        raise GameforgeError(f"position = {position!r}: must be a Position, such as game.position()")


_DESCRIBED = ("game", "searcher", "evaluator", "oracle")
"""Keys of a pipeline's settings that describe a player."""


_DEEPEST = 60
_SIMULATIONS = 64
"""Simulations of the first step of a searcher that counts them; each step doubles them."""
_DOUBLINGS = 24


class Player:
    """Parts with weights, which choose moves. A player has one workspace, so only one thread at a time can use it.

    spec: the settings of a pipeline from which the player can be built again; those of a learner are left out.
    own_limits: whether its limits are its own, as those of a trained player, so that a time that the caller sets
    replaces them; a limit that the caller has chosen holds beside that time, and the first that is reached ends the
    search. Raises GameforgeError if the evaluator needs another number of weights, or rejects their values.
    """

    def __init__(
        self,
        parts: Parts,
        weights: "FloatArray | None" = None,
        name: str = "player",
        spec: Mapping[str, object] | None = None,
        *,
        own_limits: bool = False,
    ) -> None:
        needed = 0 if parts.vector is None else parts.vector.length
        given = 0 if weights is None else len(weights)
        if given != needed:
            raise GameforgeError(f"player {name}: got {given} weights, but its evaluator has {needed}")
        if weights is not None and isinstance(parts.evaluator, ChecksWeights):
            try:
                parts.evaluator.check_weights(parts.net, weights)
            except GameforgeError as error:
                raise GameforgeError(f"player {name}: {error}") from error
        self.parts = parts
        self.game = parts.game
        self.weights = weights
        self.name = printable(name).replace("\n", "\\x0a")  # results and files of games hold it on one line
        self.spec: dict[str, Any] = {key: value for key, value in (spec or {}).items() if key in _DESCRIBED}
        self.own_limits = own_limits

    @staticmethod
    def growing_limits(known: Container[str]) -> Iterator[Mapping[str, int]]:
        """Yield the limits of one search after the other; no limits, once, if none of the searcher's limits can grow.

        known: names of the limits that the searcher has.
        """
        if "depth" in known:
            yield from ({"depth": depth} for depth in range(1, _DEEPEST + 1))
        elif "simulations" in known:
            yield from ({"simulations": _SIMULATIONS << i} for i in range(_DOUBLINGS))
        else:
            yield {}

    def __repr__(self) -> str:
        return f"<Player {self.name} of {self.game.rules.name}>"

    def __reduce__(self) -> "tuple[Callable[..., Player], tuple[Parts, FloatArray | None, str, dict[str, Any]]]":
        """Pickle everything but the workspace."""
        make = functools.partial(type(self), own_limits=self.own_limits)
        return make, (self.parts, self.weights, self.name, self.spec)

    @functools.cached_property
    def _workspace(self) -> "tuple[GameWorkspace, CompiledPlayer]":
        from gameforge.kernel.assembly import game_workspace

        game = game_workspace(self.game.compiled, self.game.rules.draws)
        return game, self.parts.compiled_player(game, self.weights)

    @functools.cached_property
    def _thinker(self) -> "Thinker":
        from gameforge.kernel.calls import Thinker

        return Thinker(*self._workspace)

    @functools.cached_property
    def timed_parts(self) -> Parts:
        """The parts for searches whose time the caller limits.

        They have no limits of the player's own (`own_limits`), nor those that a searcher sets itself if it has none.
        """
        searcher: Any = self.parts.searcher
        names = limit_names(type(searcher))
        chosen = not self.own_limits and any(getattr(searcher, name) is not None for name in names)
        if chosen or "time" not in names:
            return self.parts
        return self.parts.with_searcher(attrs.evolve(searcher, **(dict.fromkeys(names) | {"time": _REPLACED})))

    @functools.cached_property
    def _timed_thinker(self) -> "Thinker":
        """The thinker of `timed_parts`. It shares the answer, the flags and the random numbers of the other one."""
        from gameforge.kernel.calls import Thinker

        if self.timed_parts is self.parts:
            return self._thinker
        game, usual = self._workspace
        timed = self.timed_parts.compiled_player(game, self.weights)
        shared = timed.context._replace(control=usual.context.control, rng=usual.context.rng)
        return Thinker(game, timed._replace(context=shared, out=usual.out))

    def _recall(self, position: Position) -> None:
        """Let searcher and book know the game that led to a position; of a game that is too long, only its end."""
        from gameforge.kernel.assembly import check
        from gameforge.kernel.compile.launch import entry
        from gameforge.kernel.gameplay import replay

        game, _ = self._workspace
        moves = position.moves_played
        if len(moves) <= len(game.played):
            self._thinker.recall(position.start.state, position.facts.record, moves)
        else:
            import numpy as np

            start, moves = _recent(position, len(game.played))
            entry(replay)(game, np.array(start, np.uint64), np.array(moves, np.uint64))
            check(game.rules)

    def _search(self, position: Position, seconds: float | None) -> float:
        """Search a position; return the score. The rest of the answer is in the workspace."""
        _require_position(position)
        if position.game.rules.name != self.game.rules.name:
            raise GameforgeError(f"a player of {self.game.rules.name} cannot move in {position.game.rules.name}")
        if not position.facts.moves or position.facts.decided:
            raise GameforgeError(f"the game is over in {self.game.position_text(position.state)}: there is no move")
        self._recall(position)
        if seconds is None:
            return self._thinker.search(position.state, 0)
        return self._timed_thinker.search(position.state, max(1, round(seconds * 1e9)))

    def analyse(self, position: Position, *, seconds: float | None = None) -> Analysis:
        """Search a position; GameforgeError if it is a position of another game, or if the game is over.

        seconds: replaces the limits of a trained or saved player, and the time limit of any other whose searcher can
        limit its time; a searcher that cannot takes the time that it needs.
        """
        from gameforge.kernel import slots
        from gameforge.kernel.answer import read_answer, read_statistics

        score = self._search(position, seconds)
        _, player = self._workspace
        answer = read_answer(player.out)
        line = []
        here = position
        for code in answer.line:
            line.append(Move(here, code))
            here = here.after(code)
        statistics = tuple(
            MoveStatistics(Move(position, move), visits, value) for move, visits, value in read_statistics(player.out)
        )
        depth, limit = (int(player.context.control[slot]) for slot in (slots.DEPTH, slots.LIMIT))
        ended = ("", *LIMITS)[limit]
        scored = self.parts.search.scored or abs(score) >= WON
        return Analysis(Move(position, answer.move), score, line, answer.nodes, depth, statistics, ended, scored)

    def stop(self) -> None:
        """End the search that another thread runs with this player; it returns what it has found so far.

        A search that has not begun yet is not ended.
        """
        from gameforge.kernel import slots

        if "_workspace" in self.__dict__:
            self._workspace[1].context.control[slots.STOP] = 1

    def choose(self, position: Position, *, seconds: float | None = None) -> Move:
        """Return the move to play; an only move or a book move is returned without a search.

        seconds: as for `analyse`.
        """
        from gameforge.kernel import slots

        _require_position(position)
        if len(position.facts.moves) == 1:
            return Move(position, position.facts.moves[0])
        found = self.book_move(position)
        if found is None:
            self._search(position, seconds)
            found = Move(position, int(self._workspace[1].out[slots.OUT_MOVE]))
        return found

    def reseed(self, seed: int) -> None:
        """Restart the random numbers of book and search with a seed; a new player has seed 0."""
        self._workspace[1].context.rng[0] = seed

    def forget(self) -> None:
        """Clear what earlier searches have left in memory, and restart the random numbers with seed 0.

        The next answer is then that of a new player.
        """
        self._thinker.forget()
        if "_timed_thinker" in self.__dict__:
            self._timed_thinker.forget()
        self.reseed(0)

    def book_move(self, position: Position) -> Move | None:
        """Draw a move from the player's book for the game that led to this position; None if the book has none."""
        from gameforge.kernel.assembly import check
        from gameforge.kernel.compile.launch import entry
        from gameforge.kernel.gameplay import look_up

        if self.parts.book is None:
            return None
        game, player = self._workspace
        if len(position.moves_played) > len(game.played):  # the game continued after it was drawn
            return None
        self._recall(position)
        place = int(entry(look_up)(game, player))
        check(game.rules)
        return Move(position, int(player.book[place])) if place else None

    def inputs(self, state: State) -> "tuple[NDArray[np.float32], NDArray[np.float64]]":
        """Return the inputs of the player's net for a state, and its scores: as it is, then without each of the inputs.

        Scores are for the side to move. Raises GameforgeError if the evaluator is not a net.
        """
        import numpy as np

        from gameforge.interfaces.evaluator import NetFunctions
        from gameforge.kernel.assembly import check
        from gameforge.kernel.evaluate import score_without_inputs

        net = self.parts.net
        if not isinstance(net, NetFunctions):
            raise GameforgeError(f"player {self.name} has no net")
        _, player = self._workspace
        values, scores = np.zeros(net.features.inputs, np.float32), np.zeros(1 + net.features.inputs)
        score_without_inputs(player.context.evaluator, np.array(state, np.uint64), values, scores)
        check(player.context.evaluator)
        return values, scores

    def policy(self, position: Position) -> tuple[float, ...] | None:
        """Return the probabilities that the evaluator gives to the legal moves, in their order, without a search.

        Returns None if the evaluator has no policy, or if there is no legal move.
        """
        import numpy as np

        from gameforge.kernel.compile.functions import call

        net, moves = self.parts.net, np.array(position.codes, np.uint64)
        if not isinstance(net, EvaluatorFunctions) or net.policy is None or not len(moves):
            return None
        evaluator = self._workspace[1].context.evaluator
        state, logits = np.array(position.state, np.uint64), np.zeros(len(moves))
        data, weights, x = evaluator.data, evaluator.weights, evaluator.inputs
        call(evaluator.evaluate, data, weights, state, x)
        call(evaluator.policy, data, weights, state, moves, np.uint64(len(moves)), x, logits)
        odds = np.exp(logits - logits.max())
        return tuple((odds / odds.sum()).tolist())

    def values(self, states: "NDArray[np.uint64]") -> "NDArray[np.float64]":
        """Return the static scores of states[N, words] for the side to move, as a BatchEvaluator does."""
        return static_values(self._workspace[1].context.evaluator, self.game, states)


def score_unit(player: Player) -> Unit:
    """Return the unit that the player's searcher names, or else its evaluator; PLAIN if neither does.

    UNSCORED if the searcher scores no positions. Expected results are also shown in pieces if the game offers
    `piece_odds`.
    """
    if not player.parts.search.scored:
        return UNSCORED
    for component in (player.parts.searcher, player.parts.evaluator):
        if isinstance(component, NamesUnit):
            unit = component.unit(player.game.rules)
            if unit is not None:
                return attrs.evolve(unit, piece_odds=player.game.piece_odds) if unit == Unit.EXPECTED_RESULT else unit
    return PLAIN


LIMITS = ("depth", "nodes", "simulations", "time")
"""Names of the parameters: plies, positions, simulations and seconds of a search, as slots.BY_DEPTH to BY_TIME."""
_REPLACED = 1.0
"""Seconds of a search whose time the caller limits; each call sets another time."""


def limit_names(searcher: type[Any]) -> list[str]:
    """Return the names of the limits that a class of searchers has."""
    return [name for name in LIMITS if attrs.has(searcher) and name in attrs.fields_dict(searcher)]


def limited(params: Mapping[str, Any], limits: Mapping[str, float]) -> dict[str, Any]:
    """Return a searcher's parameters with these limits in place of all of its own."""
    return {**{name: value for name, value in params.items() if name not in LIMITS}, **limits}
