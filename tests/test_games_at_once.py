"""Games that are played at once and share the calls of a batch evaluator: results, batches, failures and their end."""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from toy_games import Tug, guess

import gameforge as gf
from gameforge.arena import workspace
from gameforge.arena.contests import Contender, contests
from gameforge.errors import ComponentError
from gameforge.kernel.parallel import Stopped, Threads
from gameforge.play.game import Position
from gameforge.play.gathering import MOST_STATES, Gathering, gathered
from gameforge.training.work import pipeline_work

TUG = gf.Game(Tug())
SEARCHERS = [
    "minimax:depth=2",
    "alphabeta:depth=2,memory=1",
    "uct:simulations=30,leaf=evaluator",
    "uct:simulations=30,prior=2",
]


class Net:
    """Scores each state by itself, whatever else is in the batch; keeps the batches."""

    def __init__(self, fails: Callable[[int], bool] = lambda key: False) -> None:
        self.batches: list[bytes] = []
        self.sizes: list[int] = []
        self.fails = fails

    def values(self, states: Any) -> Any:
        if any(self.fails(int(state[0]) * 8 + int(state[2])) for state in states):
            raise ZeroDivisionError("torn")
        self.batches.append(states.tobytes())
        self.sizes.append(len(states))
        return np.array([guess(tuple(state)) for state in states.tolist()])


def player(net: Any, searcher: str = SEARCHERS[2], **parts: Any) -> gf.Player:
    return gf.player(TUG, searcher=searcher, evaluator=net, oracle="none", name="own", **parts)


def games(net: Any, searcher: str = SEARCHERS[2], games: int = 40, **settings: Any) -> tuple[Any, ...]:
    one = player(net, searcher)
    return gf.match(one, one, games, **{"openings": 2, "seed": 3, "progress": False, **settings}).games


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Any, ...]]:
    """`games`, one after the other."""

    def play(*args: Any, **settings: Any) -> tuple[Any, ...]:
        with monkeypatch.context() as patch:
            patch.setattr(workspace, "AT_ONCE", 1)
            return games(*args, **settings)

    return play


def no_game_threads() -> bool:
    return not [thread for thread in threading.enumerate() if thread.name.startswith("gameforge-game")]


class TestResults:
    @pytest.mark.parametrize("searcher", SEARCHERS)
    def test_games_are_those_played_alone(self, alone: Any, searcher: str) -> None:
        single, shared = Net(), Net()
        assert games(shared, searcher) == alone(single, searcher)
        assert sum(shared.sizes) == sum(single.sizes)
        assert len(shared.sizes) < len(single.sizes) / 4
        assert max(shared.sizes) <= MOST_STATES

    def test_batches_do_not_depend_on_threads(self) -> None:
        """So an evaluator whose last bits depend on the batch gives the same games again."""
        nets = [Net() for _ in range(3)]
        found = [games(net, workers=workers) for net, workers in zip(nets, (1, 1, 5), strict=True)]
        assert found[0] == found[1] == found[2]
        assert nets[0].batches == nets[1].batches == nets[2].batches
        assert games(Net(), workers=40) == found[0]

    def test_players_share_the_calls_of_an_evaluator(self) -> None:
        def same(positions: Any) -> Any:
            return [guess(one.state) for one in positions]

        evaluator = gf.batch_evaluator(same)
        assert str(evaluator.cost) == "no calls"
        one, other = (player(evaluator, searcher) for searcher in SEARCHERS[2:])
        gf.match(one, other, 40, openings=2, progress=False)
        assert evaluator.cost.states / evaluator.cost.calls > 10
        assert " states a call, " in str(evaluator.cost)

    def test_players_with_different_evaluators(self, monkeypatch: pytest.MonkeyPatch) -> None:
        found = []
        for at_once in (workspace.AT_ONCE, 1):
            monkeypatch.setattr(workspace, "AT_ONCE", at_once)
            found.append(gf.match(player(Net()), player(Net(), SEARCHERS[0]), 20, openings=2, seed=1, progress=False))
        assert found[0] == found[1]

    def test_an_evaluator_that_calls_another(self) -> None:
        """It is called for games that wait, so it cannot wait for other games."""
        inner = player(Net())

        def outer(states: Any) -> Any:
            return -inner.values(states)

        assert len(games(gf.batch_evaluator(outer, takes="states"), games=8)) == 8

    def test_contests_of_a_training(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Those of a piece of work share calls, and pieces are large enough."""
        played = []
        for at_once in (workspace.AT_ONCE, 1):
            monkeypatch.setattr(workspace, "AT_ONCE", at_once)
            pipeline = gf.Pipeline(game=TUG, searcher=SEARCHERS[2], evaluator=(net := Net()), learner="none")
            with pipeline_work(pipeline, pipeline.parts(), None, workers=2) as work:
                contenders = [Contender(settings={"searcher.cp": cp}) for cp in (0.2, 0.5, 2.0)]
                pairs, seed = [(0, 1), (1, 2), (2, 0)] * 10, np.random.SeedSequence(1)
                played.append((list(contests(work, contenders, pairs, seed, games_per_piece=2)), max(net.sizes)))
        (together, batch), (apart, single) = played
        assert together == apart
        assert batch == 30
        assert single == 1

    @pytest.mark.parametrize(
        ("other", "settings"),
        [
            ("uct:time=0.001,leaf=evaluator", {}),
            ("random", {"clock": "60"}),
            ("alphabeta:depth=1,workers=2", {}),
        ],
    )
    def test_players_whose_moves_might_be_others_play_one_game_at_a_time(self, other: str, settings: Any) -> None:
        net = Net()
        gf.match(player(net), player(Net(), other), 4, openings=2, progress=False, **settings)
        assert set(net.sizes) == {1}

    def test_a_searcher_in_python_sees_one_game_after_the_other(self) -> None:
        class First:
            def __init__(self) -> None:
                self.seen: list[int] = []

            def choose(self, position: Position) -> Any:
                self.seen.append(len(position.moves_played))
                return position.legal_moves[0]

        first, net = First(), Net()
        gf.match(player(net), gf.player(TUG, searcher=first, name="first"), 4, openings=2, progress=False)
        assert set(net.sizes) == {1}
        assert sum(after <= before for before, after in zip(first.seen, first.seen[1:], strict=False)) == 3


class TestFailures:
    def test_only_games_that_fail_alone_are_lost(self, alone: Any) -> None:
        rare = {2 * 8 + 1, 5 * 8 + 2}
        found = games(Net(rare.__contains__), on_error="forfeit")
        assert 0 < sum(game.outcome.reason == "crash" for game in found) < 40
        assert found == alone(Net(rare.__contains__), on_error="forfeit")

    def test_a_failure_ends_the_match(self) -> None:
        with pytest.raises(ComponentError, match=r"Net: values\(states\) raised ZeroDivisionError: torn"):
            games(Net(lambda key: key == 17))
        assert no_game_threads()

    def test_wrong_scores_are_raised_as_those_of_one_game(self) -> None:
        with pytest.raises(gf.GameforgeError, match=r"returned float64 of the shape \(3,\); it must .* shape \(1,\)"):
            games(gf.batch_evaluator(lambda positions: [0.0, 0.0, 0.0]))

    @pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
    def test_what_is_no_exception_is_raised_too(self, error: type[BaseException]) -> None:
        class Ends:
            def values(self, states: Any) -> Any:
                raise error

        with pytest.raises(error):
            games(Ends())
        assert no_game_threads()


class TestTheEnd:
    def test_an_interrupt_ends_all_games(self) -> None:
        net = Net()

        def check() -> None:
            if net.sizes:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            games(net, "uct:simulations=10000,leaf=evaluator", check=check)
        assert no_game_threads()

    def test_an_interrupt_ends_an_evaluator_that_does_not_return(self) -> None:
        called = threading.Event()

        class Endless:
            def values(self, states: Any) -> Any:
                called.set()
                while True:
                    time.sleep(0.01)

        def check() -> None:
            if called.is_set():
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            games(Endless(), check=check)
        assert no_game_threads()

    def test_a_match_that_is_decided_ends_the_other_games(self) -> None:
        weak = gf.player(TUG, searcher="random", name="weak")
        found = gf.match(player(Net()), weak, 400, openings=3, sprt="0,200", progress=False)
        assert found.accepted is not None
        assert len(found.games) < 400
        assert no_game_threads()


class TestGathering:
    def play(self, requests: list[list[int]], at_once: int, workers: int) -> list[list[int]]:
        """Let each game ask for scores of so many states, one request after the other; return the states of calls."""
        gathering, calls = Gathering(len(requests), at_once, workers), []

        def score(states: Any) -> Any:
            calls.append(states[:, 0].tolist())
            return states[:, 0] / 1000

        def game(number: int, sizes: list[int]) -> None:
            with gathering.game(number):
                for size in sizes:
                    states = np.full((size, 1), number, np.uint64)
                    assert gathered(score, score, states).tolist() == [number / 1000] * size

        with Threads(at_once, "game") as pool:
            for future in [pool.submit(game, number, sizes) for number, sizes in enumerate(requests)]:
                future.result()
        return calls

    @pytest.mark.parametrize("workers", [1, 3])
    def test_a_game_that_ends_does_not_keep_the_others_waiting(self, workers: int) -> None:
        assert self.play([[1, 1, 1], [2], [1, 1]], 3, workers) == [[0, 1, 1, 2], [0, 2], [0]]
        assert self.play([[1], [1], [], [1, 1]], 2, workers)[-1] == [3]
        assert self.play([[], [], []], 2, workers) == []

    def test_large_batches_are_divided(self) -> None:
        sizes = [
            [len(call) for call in self.play([[n] for n in sizes], 4, 1)] for sizes in ([30, 30, 30], [200, 1, 63])
        ]
        assert sizes == [[60, 30], [200, 64]]

    def test_nobody_waits_after_the_end(self) -> None:
        gathering = Gathering(2, 2, 1)
        stopped = threading.Event()

        def game() -> None:
            with pytest.raises(Stopped), gathering.game(0):
                gathered(None, lambda states: states[:, 0], np.zeros((1, 1), np.uint64))
            stopped.set()

        waiting = threading.Thread(target=game, daemon=True)
        waiting.start()  # for the other game, which never begins
        gathering.close()
        assert stopped.wait(60)
        with pytest.raises(Stopped), gathering.game(1):
            pass
