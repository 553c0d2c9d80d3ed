"""The contract of searchers. Each check analyses positions of the sample with a new player."""

import attrs
import numpy as np

from gameforge.interfaces.evaluator import PROVEN_WIN
from gameforge.interfaces.rules import LOSS
from gameforge.interfaces.searcher import SearcherFunctions
from gameforge.kernel import slots
from gameforge.kernel.assembly import check as check_callbacks
from gameforge.kernel.assembly import game_workspace
from gameforge.kernel.context import Context
from gameforge.kernel.gameplay import replay, think
from gameforge.kernel.types import FloatArray, WordArray
from gameforge.play.adapters import as_searcher
from gameforge.play.bounds import GUARD
from gameforge.play.game import Position
from gameforge.play.parts import Parts
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Analysis, Player
from gameforge.testing.contract import Contract, Given, Skipped, checks_of, expect
from gameforge.testing.sampling import Sample, sample_of
from gameforge.testing.toy import Theory

_POSITIONS = 12
_PATTERN = 0xA5A5A5A5A5A5A5A5


@attrs.frozen
class Searched:
    """A searcher with everything that it needs, and a sample of positions to search."""

    sample: Sample
    parts: Parts

    @property
    def functions(self) -> SearcherFunctions:
        return self.parts.search

    @property
    def weights(self) -> FloatArray | None:
        return None if self.parts.vector is None else self.parts.initial_weights(np.random.default_rng(1))

    @property
    def positions(self) -> list[Position]:
        """A few positions with at least two legal moves."""
        chosen = [state for state in self.sample.running if len(self.sample.legal(state)) > 1]
        return [Position(self.sample.game, state) for state in chosen[:_POSITIONS]]

    def analyse(self, position: Position) -> Analysis:
        """Analyse with a player that has never searched."""
        return Player(self.parts, self.weights).analyse(position)


def prepare(given: Given) -> Searched:
    """Check that functions() returns SearcherFunctions, and that the search compiles; choose() needs neither."""
    game = given.played
    functions = as_searcher(given.component, game).functions(game.functions)
    expect(isinstance(functions, SearcherFunctions), f"functions() returned {functions!r}, not SearcherFunctions")
    expect(len(functions.limits) >= 1, "limits is empty: limits[0] must be the depth")
    pipeline = Pipeline(
        game=game, searcher=given.component, evaluator=Theory() if given.game is None else None,
        features=given.features, learner="none", oracle="none", registry=given.registry,
    )  # fmt: skip
    return Searched(sample_of(game, given.seed), pipeline.parts())


def moves_are_legal(searcher: Searched) -> int:
    for position in searcher.positions:
        found = searcher.analyse(position)
        unlawful = f"the searcher plays {found.move.code:#x}, which is not legal in {_text(searcher, position)}"
        expect(found.move.code in position.codes, unlawful)
    return len(searcher.positions)


def lines_are_legal(searcher: Searched) -> int:
    """Check that the line begins with the chosen move and is legal to its end; it may be empty."""
    for position in searcher.positions:
        out = _raw(searcher, position)[1]
        length, where = int(out[slots.OUT_LINE_LENGTH]), _text(searcher, position)
        expect(
            length <= slots.MAX_LINE,
            f"the line has {length} moves, but at most {slots.MAX_LINE} are allowed, in {where}",
        )
        for i in range(length):
            move = int(out[slots.OUT_LINE + i])
            begins = i > 0 or move == int(out[slots.OUT_MOVE])
            expect(begins, f"the line does not begin with the chosen move in {where}")
            legal = move in position.codes and position.game.code(position.state, len(position.codes)) == 0
            expect(legal, f"move {i + 1} of the line, {move:#x}, is not legal; the line begins in {where}")
            position = position.after(move)
    return len(searcher.positions)


def scores_are_within_the_bands(searcher: Searched) -> int:
    for position in searcher.positions:
        score = searcher.analyse(position).score
        expect(abs(score) <= PROVEN_WIN, f"the score is {score} in {_text(searcher, position)}: must be from -3 to 3")
    return len(searcher.positions)


def a_win_in_one_scores_above_zero(searcher: Searched) -> int:
    """Check the sign of scores: they are for the side to move, which can win at once."""
    if searcher.functions.limits[slots.DEPTH_LIMIT] == 0:
        raise Skipped("the searcher does not look ahead (limits[0] is 0)")
    cases = 0
    sample = searcher.sample
    for state in filter(sample.is_running, sample.everywhere):
        won = [move for move in sample.legal(state) if sample.code(sample.after(state, move)) & 3 == LOSS]
        if won and len(sample.legal(state)) > 1 and cases < _POSITIONS:
            cases += 1
            position = Position(sample.game, state)
            score = searcher.analyse(position).score
            where = f"move {won[0]:#x} wins at once in {_text(searcher, position)}"
            expect(score > 0, f"{where}, but the score is {score}: is the sign wrong?")
    return cases


def the_same_position_gives_the_same_answer(searcher: Searched) -> int:
    """Check that two new players give the same move, score and number of nodes."""
    for position in searcher.positions:
        one, other = (searcher.analyse(position) for _ in range(2))
        same = (one.move.code, one.score, one.nodes) == (other.move.code, other.score, other.nodes)
        expect(same, f"two players differ in move, score or nodes in {_text(searcher, position)}")
    return len(searcher.positions)


def nothing_else_is_written(searcher: Searched) -> int:
    """Check that the state and the memory after the requested workspace do not change."""
    functions = searcher.functions
    for position in searcher.positions:
        state, _, context = _raw(searcher, position)
        where = _text(searcher, position)
        expect(tuple(state.tolist()) == position.state, f"{where} is changed")
        allowed = max(functions.stack, int(context.rules.words + context.rules.max_moves))
        untouched = bool((context.stack[allowed:] == _PATTERN).all())
        expect(untouched, f"more than stack = {functions.stack} words is used in {where}")
        beyond = context.scores[max(1, functions.scores) :]
        expect(bool((beyond == 7.0).all()), f"more than scores = {functions.scores} elements are used in {where}")
    return len(searcher.positions)


def statistics_are_for_legal_moves(searcher: Searched) -> int:
    if not searcher.functions.statistics:
        raise Skipped("the searcher has no statistics")
    for position in searcher.positions:
        found, where = searcher.analyse(position).statistics, _text(searcher, position)
        codes = [one.move.code for one in found]
        right = len(set(codes)) == len(codes) and set(codes) <= set(position.codes)
        expect(right, f"the statistics contain a move twice, or an illegal move, in {where}")
        expect(all(-1 <= one.value <= 1 for one in found), f"a value of the statistics is not from -1 to 1 in {where}")
    return len(searcher.positions)


def _raw(searcher: Searched, position: Position) -> tuple[WordArray, WordArray, Context]:
    """Search with guards after the workspace; return the state, `out` and the context."""
    if not hasattr(searcher.parts.searcher, "functions"):
        raise Skipped("choose() writes no line, and has no workspace")
    game = game_workspace(searcher.sample.compiled, searcher.sample.rules.draws)
    player = searcher.parts.compiled_player(game, searcher.weights)
    context = player.context._replace(
        stack=np.concatenate([player.context.stack, np.full(GUARD, _PATTERN, np.uint64)]),
        scores=np.concatenate([player.context.scores, np.full(GUARD, 7.0)]),
    )
    player = player._replace(context=context)
    state = np.array(position.state, np.uint64)
    replay(game, state, np.zeros(0, np.uint64))
    think(player, state)
    check_callbacks(player)
    return state, player.out, context


def _text(searcher: Searched, position: Position) -> str:
    return searcher.sample.text(position.state)


CONTRACT = Contract(prepare, checks_of(__name__))
