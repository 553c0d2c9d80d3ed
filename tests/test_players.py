"""Players: searching with a net, a kernel evaluator, or any Python object."""

from typing import Any

import numpy as np
import pytest
import toy_game
from toy_site import registry, shuttle

import gameforge as gf
from gameforge.errors import ComponentError, GameforgeError
from gameforge.interfaces.games import Opening
from gameforge.interfaces.oracle import BookLines, OracleFunctions
from gameforge.play.parts import Parts
from gameforge.play.player import Player


class Cells:
    """A batch evaluator that scores how far ahead the runner of the side to move is."""

    def __init__(self) -> None:
        self.seen: list[np.ndarray[Any, Any]] = []

    def values(self, states: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        self.seen.append(states.copy())
        return np.clip((states[:, 0].astype(float) - states[:, 1].astype(float)) / 10, -1, 1)


def toy(**parts: Any) -> Player:
    return gf.player("shuttle", **{"searcher": "greedy", "registry": registry()} | parts)


def linear(weights: list[float]) -> Player:
    parts = gf.Pipeline(
        game="shuttle", searcher="greedy", evaluator="linear", features="lanes", registry=registry()
    ).parts()
    return Player(parts, np.array(weights, np.float32))


class TestAnalysis:
    def test_score_line_and_nodes(self) -> None:
        analysis = linear([0, 0, 1]).analyse(shuttle(stones=9).position())
        assert (str(analysis.move), list(map(str, analysis.line)), analysis.nodes) == ("0x3", ["0x3"], 4)
        assert analysis.score == pytest.approx(-0.07)

    def test_is_repeatable(self) -> None:
        player = gf.player("draughts", searcher="minimax:depth=3", seed=5)
        position = player.game.position()
        assert player.analyse(position) == player.analyse(position)

    def test_the_line_can_be_played(self) -> None:
        player = gf.player("draughts", searcher="minimax:depth=4", evaluator="material")
        position = player.game.position()
        for move in player.analyse(position).line:
            position = position.play(move)
        assert len(position.moves_played) == 4

    def test_same_seed_same_weights(self) -> None:
        def weights(seed: int) -> np.ndarray[Any, Any]:
            return gf.player("draughts", seed=seed).weights

        np.testing.assert_array_equal(weights(3), weights(3))
        assert (weights(3) != weights(4)).any()

    def test_a_finished_game_has_no_move(self) -> None:
        player = linear([0, 0, 1])
        over = shuttle(stones=1).position().play("0x2")
        assert len(over.codes) == 2
        with pytest.raises(GameforgeError, match=r"the game is over in 0x2,0x2,0x0,0x1,0x1: there is no move"):
            player.analyse(over)
        with pytest.raises(GameforgeError, match="the game is over in W:W5:B1,9"):
            gf.player("draughts").analyse(gf.game("draughts").position("W:W5:B1,9"))

    def test_a_position_of_another_game(self) -> None:
        with pytest.raises(GameforgeError, match="a player of shuttle cannot move in draughts"):
            linear([0, 0, 1]).analyse(gf.game("draughts").position())

    def test_an_only_move_is_played_without_a_search(self) -> None:
        cells = Cells()
        position = gf.game("draughts").position("B:W32:BK1")
        player = gf.player("draughts", searcher="minimax:depth=1", evaluator=cells)
        assert len(position.codes) == 2
        player.choose(position)
        assert len(cells.seen) == 1
        only = gf.game("draughts").position("B:W32:B5")
        assert player.choose(only) == only.legal_moves[0]
        assert len(cells.seen) == 1


class TestWeights:
    @pytest.mark.parametrize("weights", [[], [1.0], [1.0] * 4])
    def test_are_as_many_as_the_net_has(self, weights: list[float]) -> None:
        with pytest.raises(GameforgeError, match=rf"player: got {len(weights)} weights, but its evaluator has 3"):
            linear(weights)

    def test_none_for_an_evaluator_without(self) -> None:
        parts = gf.Pipeline(game="draughts", evaluator="material", oracle="none").parts()
        with pytest.raises(GameforgeError, match="2 weights, but its evaluator has 0"):
            Player(parts, np.zeros(2, np.float32))
        assert Player(parts).analyse(gf.game("draughts").position()).nodes > 0


class TestBatchEvaluators:
    def test_any_object_with_values(self) -> None:
        cells = Cells()
        analysis = toy(evaluator=cells).analyse(shuttle().position())
        assert (str(analysis.move), analysis.score) == ("0x1", pytest.approx(0.1))
        assert [states.tolist() for states in cells.seen] == [
            [[2, 1, 3, 1, 1]],
            [[2, 3, 3, 1, 1]],
            [[2, 2, 2, 1, 1]],
            [[2, 2, 1, 1, 1]],
        ]
        assert cells.seen[0].dtype == np.uint64

    def test_a_player_is_one(self) -> None:
        net = linear([0.5, -1, 0.25])
        states = np.array([[1, 2, 3, 0, 0], [4, 0, 2, 1, 7]], np.uint64)
        np.testing.assert_allclose(net.values(states), [-0.0075, 0.025], rtol=1e-6)
        np.testing.assert_array_equal(net.values(states.astype(np.int64)), net.values(states))
        same = [player.analyse(shuttle().position()) for player in (toy(evaluator=net), net)]
        assert same[0] == same[1]

    def test_scores_are_kept_inside_the_heuristic_band(self) -> None:
        class Sure:
            def values(self, states: Any) -> Any:
                return np.full(len(states), 1.0)

        score = toy(evaluator=Sure()).analyse(shuttle().position()).score
        assert -1 < score < -0.999

    def test_what_it_raises_reaches_the_caller_and_is_forgotten(self) -> None:
        class Torn:
            broken = True

            def values(self, states: Any) -> Any:
                if self.broken:
                    raise ZeroDivisionError("torn")
                return np.zeros(len(states))

        evaluator = Torn()
        player = toy(evaluator=evaluator)
        with pytest.raises(ComponentError, match="raised ZeroDivisionError: torn"):
            player.analyse(shuttle().position())
        evaluator.broken = False
        assert player.analyse(shuttle().position()).score == 0

    @pytest.mark.parametrize(
        ("returned", "message"),
        [
            *(
                (answer, r"returned \S+ of the shape \(.*\); it must return numbers of the shape \(\d,\)")
                for answer in (None, [], [0.5] * 99)
            ),
            *(
                (answer, r"returned the score .*; it must be a number from -1 to 1")
                for answer in (["much"], [[0.5]], [1j])
            ),
            *(
                ([score], rf"returned the score {score}; scores must be from -1 to 1")
                for score in (np.nan, np.inf, 5.0, -1.5)
            ),
        ],
        ids=str,
    )
    def test_nonsense_is_refused_by_name(self, returned: Any, message: str) -> None:
        class Odd:
            def values(self, states: Any) -> Any:
                return returned * len(states) if returned and len(returned) == 1 else returned

        with pytest.raises(GameforgeError, match=rf"evaluator \S*test_players\.\S*Odd: values\(states\) {message}"):
            toy(evaluator=Odd()).analyse(shuttle().position())
        with pytest.raises(GameforgeError, match=message):
            toy(evaluator=Odd()).values(np.zeros((1, 5), np.uint64))


class TestErrors:
    def test_an_object_that_is_no_evaluator(self) -> None:
        with pytest.raises(GameforgeError, match="evaluator: object object is neither a function of a Position nor"):
            Parts(shuttle(), toy_game.Greedy(), object())  # type: ignore[arg-type]

    def test_too_many_oracles(self) -> None:
        oracle = OracleFunctions(
            probe=lambda od, s, out: 0,
            data=np.zeros(1, np.uint64),
            covers="nothing",
            why_not=lambda state: "nobody said",
        )
        with pytest.raises(GameforgeError, match="oracle: got 4 oracles; must be 3 or fewer"):
            Parts(shuttle(), toy_game.Greedy(), None, oracles=[oracle] * 4)

    def test_a_book_begins_at_the_initial_position(self) -> None:
        game = shuttle()
        elsewhere = Opening("odd", game.play(game.rules.initial(), toy_game.RIGHT), (toy_game.RIGHT,))
        book = BookLines(lines=(elsewhere,))
        with pytest.raises(GameforgeError, match="book: the line odd does not begin at the initial position"):
            Parts(game, toy_game.Greedy(), None, books=[book])

    def test_nothing_to_train(self) -> None:
        with pytest.raises(GameforgeError, match="nothing to train: no evaluator is named"):
            Parts(shuttle(), toy_game.Greedy(), None).trainable()
        with pytest.raises(GameforgeError, match="nothing to train: Cells has no weights"):
            Parts(shuttle(), toy_game.Greedy(), Cells()).trainable()

    def test_without_an_evaluator_all_is_even(self) -> None:
        assert toy(evaluator="none").analyse(shuttle().position()).score == 0
