"""What searchers must do. Each check asks a fresh player about positions of the sample."""

from typing import Any

import attrs
import numpy as np

from gameforge.interfaces.evaluator import PROVEN_WIN
from gameforge.interfaces.outcome import LOSS
from gameforge.interfaces.searcher import MAX_LINE, SearcherFunctions
from gameforge.kernel.assembly import check as check_callbacks
from gameforge.kernel.assembly import game_workspace
from gameforge.kernel.context import DEPTH_LIMIT, OUT_LINE, OUT_LINE_LENGTH, OUT_MOVE
from gameforge.kernel.game import replay, think
from gameforge.play.game import Game, Position
from gameforge.play.parts import Parts
from gameforge.play.pipeline import Pipeline
from gameforge.play.player import Analysis, Player
from gameforge.testing.contract import Check, Contract, Skipped, expect
from gameforge.testing.sampling import GUARD, Sample
from gameforge.testing.toy import Pile, Theory

_POSITIONS = 12
_PATTERN = 0xA5A5A5A5A5A5A5A5


@attrs.frozen
class Searched:
    """A searcher with all that it needs, and positions of the game to search."""

    sample: Sample
    parts: Parts

    @property
    def functions(self) -> SearcherFunctions:
        return self.parts.search

    @property
    def weights(self) -> Any:
        return None if self.parts.vector is None else self.parts.initial_weights(np.random.default_rng(1))

    @property
    def positions(self) -> list[Position]:
        """A few, in which there is a choice."""
        chosen = [state for state in self.sample.running if len(self.sample.legal(state)) > 1]
        return [Position(self.sample.game, state) for state in chosen[:_POSITIONS]]

    def analyse(self, position: Position) -> Analysis:
        """By a player that has never searched."""
        return Player(self.parts, self.weights).analyse(position)


def prepare(component: Any, game: Game | None, features: Any, registry: Any, seed: int) -> Searched:
    """A SearcherFunctions whose search compiles."""
    evaluator = Theory() if game is None else None
    game = game or Game(Pile())
    functions = component.functions(game.functions)
    expect(isinstance(functions, SearcherFunctions), f"functions() returned {functions!r}, not a SearcherFunctions")
    expect(len(functions.limits) >= 1, "limits is empty: limits[0] is the depth")
    pipeline = Pipeline(
        game=game, searcher=component, evaluator=evaluator, features=features, learner="none", oracle="none",
        registry=registry,
    )  # fmt: skip
    return Searched(Sample(game, seed), pipeline.parts())


def moves_are_legal(searcher: Searched) -> int:
    for position in searcher.positions:
        found = searcher.analyse(position)
        expect(
            found.move.code in position.codes,
            f"it plays {found.move.code:#x}, not legal in {_text(searcher, position)}",
        )
    return len(searcher.positions)


def lines_are_legal(searcher: Searched) -> int:
    """A line begins with the move and is legal to its end; it may be empty."""
    for position in searcher.positions:
        out = _raw(searcher, position)[1]
        length, where = int(out[OUT_LINE_LENGTH]), _text(searcher, position)
        expect(length <= MAX_LINE, f"it reports a line of {length} moves, at most {MAX_LINE} are allowed, in {where}")
        here = position
        for i in range(length):
            move = int(out[OUT_LINE + i])
            begins = i > 0 or move == int(out[OUT_MOVE])
            expect(begins, f"its line begins with another move than the one it plays in {where}")
            legal = move in here.codes and here.game.code(here.state, len(here.codes)) == 0
            expect(legal, f"move {i + 1} of its line, {move:#x}, is not legal; from {where}")
            here = here.after(move)
    return len(searcher.positions)


def scores_are_in_their_bands(searcher: Searched) -> int:
    for position in searcher.positions:
        score = searcher.analyse(position).score
        expect(abs(score) <= PROVEN_WIN, f"its score is {score} in {_text(searcher, position)}: from -3 to 3")
    return len(searcher.positions)


def a_win_in_one_scores_above_zero(searcher: Searched) -> int:
    """Scores are for the side to move: one that can win at once cannot be behind."""
    if searcher.functions.limits[DEPTH_LIMIT] == 0:
        raise Skipped("it does not look ahead (limits[0] is 0)")
    cases = 0
    sample = searcher.sample
    for state in filter(sample.is_running, sample.everywhere):
        won = [move for move in sample.legal(state) if sample.code(sample.after(state, move)) & 3 == LOSS]
        if won and len(sample.legal(state)) > 1 and cases < _POSITIONS:
            cases += 1
            position = Position(sample.game, state)
            score = searcher.analyse(position).score
            where = f"the move {won[0]:#x} wins at once in {_text(searcher, position)}"
            expect(score > 0, f"{where}, but the score is {score}: is the sign wrong?")
    return cases


def the_same_position_gives_the_same_answer(searcher: Searched) -> int:
    """To a player that has not played before."""
    for position in searcher.positions:
        one, other = (searcher.analyse(position) for _ in range(2))
        same = (one.move.code, one.score, one.nodes) == (other.move.code, other.score, other.nodes)
        expect(same, f"two players differ in move, score or nodes in {_text(searcher, position)}")
    return len(searcher.positions)


def nothing_else_is_written(searcher: Searched) -> int:
    """Neither the state nor anything behind the workspace that was asked for."""
    functions = searcher.functions
    for position in searcher.positions:
        state, _, context = _raw(searcher, position)
        where = _text(searcher, position)
        expect(tuple(state.tolist()) == position.state, f"{where} is changed")
        asked = max(functions.stack, int(context.rules.words + context.rules.max_moves))
        expect(
            bool((context.stack[asked:] == _PATTERN).all()),
            f"more than stack = {functions.stack} words is used in {where}",
        )
        beyond = context.scores[max(1, functions.scores) :]
        expect(bool((beyond == 7.0).all()), f"more than scores = {functions.scores} places are used in {where}")
    return len(searcher.positions)


def statistics_are_of_the_legal_moves(searcher: Searched) -> int:
    if not searcher.functions.statistics:
        raise Skipped("it has no statistics")
    for position in searcher.positions:
        found, where = searcher.analyse(position).statistics, _text(searcher, position)
        codes = [one.move.code for one in found]
        right = len(set(codes)) == len(codes) and set(codes) <= set(position.codes)
        expect(right, f"its statistics name a move twice or an illegal one in {where}")
        expect(
            all(-1 <= one.value <= 1 for one in found), f"a value of its statistics is not within -1 and 1 in {where}"
        )
    return len(searcher.positions)


def _raw(searcher: Searched, position: Position) -> tuple[Any, Any, Any]:
    """(the state, out, the context) after a search with guards behind the workspace."""
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


CONTRACT = Contract(
    prepare,
    tuple(
        map(
            Check.of,
            (
                moves_are_legal,
                lines_are_legal,
                scores_are_in_their_bands,
                a_win_in_one_scores_above_zero,
                the_same_position_gives_the_same_answer,
                nothing_else_is_written,
                statistics_are_of_the_legal_moves,
            ),
        )
    ),
)
