"""Games as pieces of work, and long series of games: a game depends only on its players, seed and number."""

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import gameforge as gf
from gameforge.arena.contests import Contender, contests
from gameforge.arena.workspace import GameSeries, Workspace
from gameforge.errors import ComponentError
from gameforge.interfaces.games import GameRecord, Opening
from gameforge.interfaces.rules import Outcome
from gameforge.kernel.parallel import derived, stream, words_of_game
from gameforge.play.display import duration_text
from gameforge.play.game import Position
from gameforge.play.parts import Parts
from gameforge.play.player import Player
from gameforge.testing.toy import Greedy, Linear, Pile, Remainders, Theory
from gameforge.training.work import PipelineWork, pipeline_work

SEED = np.random.SeedSequence(5)


@pytest.fixture(scope="module")
def pipeline() -> gf.Pipeline:
    return gf.Pipeline(
        game=Pile(stones=21), searcher=Greedy(), evaluator=Linear(), features=Remainders(), learner="none"
    )


@pytest.fixture(scope="module")
def parts(pipeline: gf.Pipeline) -> Parts:
    return pipeline.parts()


@pytest.fixture
def work(pipeline: gf.Pipeline, parts: Parts) -> Iterator[PipelineWork]:
    with pipeline_work(pipeline, parts, None, workers=3) as work:
        yield work


@pytest.fixture(scope="module")
def contenders(parts: Parts) -> list[Contender]:
    rng = np.random.default_rng(1)
    return [Contender(weights=parts.initial_weights(rng)) for _ in range(6)]


PAIRS = [(i, j) for i in range(6) for j in range(6) if i != j]


class Disorderly:
    """Work that does not finish in its order."""

    in_order = PipelineWork.in_order

    def each(
        self, function: Callable[..., int], arguments: Sequence[tuple[int]]
    ) -> Generator[tuple[int, int], None, None]:
        for i in (2, 1, 3, 0):
            yield i, function(None, *arguments[i])


def test_results_come_in_the_order_of_their_work() -> None:
    work: Any = Disorderly()
    assert list(work.in_order(lambda site, number: number, [(7,), (8,), (6,), (9,)])) == [7, 8, 6, 9]


def test_contests_are_the_games_of_a_table(work: PipelineWork, parts: Parts, contenders: list[Contender]) -> None:
    start = Opening("", parts.game.rules.initial())
    for number, ((i, j), contest) in enumerate(
        zip(PAIRS, contests(work, contenders, PAIRS, SEED, games_per_piece=4), strict=True)
    ):
        table = Workspace(*(Player(parts, contenders[who].weights) for who in (i, j)))
        assert table.play(start, False, words_of_game(stream(SEED), number)) == contest


def test_neither_pieces_nor_what_is_done_change_a_contest(work: PipelineWork, contenders: list[Contender]) -> None:
    whole = list(contests(work, contenders, PAIRS, SEED))
    assert list(contests(work, contenders, PAIRS, SEED, games_per_piece=1)) == whole
    assert list(contests(work, contenders, PAIRS, SEED, done=13, games_per_piece=7)) == whole[13:]
    assert list(contests(work, contenders, PAIRS, SEED, done=len(PAIRS))) == []


def test_a_contest_is_the_record_of_its_game(work: PipelineWork, parts: Parts, contenders: list[Contender]) -> None:
    for game in contests(work, contenders, PAIRS[:8], SEED):
        here = Position(parts.game, game.start)
        for move in game.codes:
            here = here.after(move)
        assert here.outcome == game.outcome
        assert Outcome.of(parts.game.rules, game.outcome.code(parts.game.rules, here.turn), here.turn) == game.outcome


def test_openings(work: PipelineWork, contenders: list[Contender]) -> None:
    lines = [Opening("one", (21, 0), (3, 2)), Opening("two", (9, 1), (1,))]
    games = list(contests(work, contenders, [(0, 1), (0, 1)], SEED, openings=lines))
    assert [game.codes[:2] for game in games] == [(3, 2), (1, games[1].codes[1])]
    assert [(one.opening, one.opening_plies, one.start) for one in games] == [("one", 2, (21, 0)), ("two", 1, (9, 1))]


def test_what_is_closed_ends(work: PipelineWork, contenders: list[Contender]) -> None:
    games = contests(work, contenders, PAIRS * 50, SEED)
    assert isinstance(next(games), GameRecord)
    games.close()


def test_a_long_series_is_the_same_games_as_single_ones(parts: Parts) -> None:
    rng = np.random.default_rng(2)
    first, second = (Player(parts, parts.initial_weights(rng)) for _ in range(2))
    swapped = [i % 3 == 0 for i in range(40)]
    series = GameSeries(first, second).play(swapped, stream(SEED))
    table, start = Workspace(first, second), Opening("", parts.game.rules.initial())
    games = set()
    for i, swap in enumerate(swapped):
        moves = table.play(start, swap).codes
        loser = len(moves) % 2 ^ swap  # no stone is left for the side to move
        assert (series.plies[i], series.winners[i]) == (len(moves), 1 - loser)
        games.add((swap, moves))
    assert series.distinct == len(games) == 2


def test_a_series_counts_its_distinct_games() -> None:
    """Four stones in steps of one to three can be taken in seven ways, and either player may begin."""
    pipeline = gf.Pipeline(game=Pile(stones=4), searcher=Greedy(), evaluator=Theory(), learner="none")
    series = GameSeries(Player(pipeline.parts()), Player(pipeline.parts()), random_moves=1.0)
    assert series.play([False] * 2000, 1).distinct == 7
    assert series.play([i % 2 == 1 for i in range(2000)], 1).distinct == 14


def test_a_series_goes_on_by_its_number(parts: Parts) -> None:
    first, second = (Player(parts, parts.initial_weights(np.random.default_rng(i))) for i in (3, 4))
    series = GameSeries(first, second, random_moves=0.5)
    whole = series.play([False] * 30, 77)
    rest = GameSeries(first, second, random_moves=0.5).play([False] * 20, 77, number=10)
    np.testing.assert_array_equal(whole.plies[10:], rest.plies)
    np.testing.assert_array_equal(whole.winners[10:], rest.winners)
    assert (series.play([False] * 30, 78).plies != whole.plies).any()


@pytest.mark.parametrize("r", [0.0, 0.1, 1.0])
def test_the_share_of_random_moves(r: float) -> None:
    """With four stones the first player takes 1, or at random 1, 2 or 3; the second then takes the rest."""
    pipeline = gf.Pipeline(game=Pile(stones=4), searcher=Greedy(), evaluator=Theory(), learner="none")
    player = Player(pipeline.parts())
    games = 50_000
    two_plies = (GameSeries(player, player, r).play([False] * games, 1).plies == 2).mean()
    expected = (1 - r + r / 3) ** 2 + r / 3 * (1 - r + r / 2) + r / 3
    assert abs(two_plies - expected) <= 4 * (expected * (1 - expected) / games) ** 0.5


def test_what_check_raises_ends_a_series(parts: Parts) -> None:
    player = Player(parts, parts.initial_weights(np.random.default_rng(1)))

    def check() -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        GameSeries(player, player).play([False] * 10_000_000, 1, check=check)


def test_a_failing_evaluator_ends_a_series(parts: Parts) -> None:
    class Broken:
        def values(self, states: object) -> object:
            raise ArithmeticError("broken")

    pipeline = gf.Pipeline(game=Pile(), searcher=Greedy(), evaluator=Broken(), learner="none")
    player = Player(pipeline.parts())
    with pytest.raises(ComponentError, match="raised ArithmeticError: broken"):
        GameSeries(player, player).play([False], 1)


def test_seeds_by_purpose() -> None:
    one = derived(SEED, 3, 4)
    assert one.spawn_key == (3, 4)
    assert stream(one) == stream(derived(derived(SEED, 3), 4)) != stream(derived(SEED, 4, 3))
    one.spawn(2)
    assert stream(derived(one)) == stream(one)
    words = {word for number in range(1000) for word in words_of_game(stream(one), number)}
    assert len(words) == 2000


def test_spans() -> None:
    assert [duration_text(s) for s in (0.4, 99, 100, 5999, 6000)] == ["0 s", "99 s", "2 min", "100 min", "1.7 h"]
