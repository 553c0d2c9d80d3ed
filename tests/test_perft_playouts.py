"""Perft and random playouts of any game, against counts made in plain Python."""

import functools
import itertools
import pickle
import random

import pytest
import toy_game
from toy_site import shuttle

import gameforge as gf
from gameforge.interfaces.rules import LOSS, State
from gameforge.play.game import Game, Position
from gameforge.play.perft import divide, perft, playouts


def reference_perft(game: Game, state: State, depth: int) -> int:
    """Count the sequences of exactly `depth` plies one by one."""
    if depth == 0:
        return 1
    legal = game.legal(state)
    if game.code(state, len(legal)):
        return 0
    return sum(reference_perft(game, game.play(state, move), depth - 1) for move in legal)


def reachable(game: Game, plies: int, seed: int) -> Position:
    """Draw a position after random moves; the game may be over."""
    rng = random.Random(seed)
    position = game.position()
    while position.outcome is None and plies:
        position = position.after(rng.choice(position.codes))
        plies -= 1
    return position


@pytest.mark.parametrize("stones", [1, 2, 4])
def test_finished_games_contribute_nothing_deeper(stones: int) -> None:
    game = shuttle(stones=stones)
    counts = [perft(game.position(), depth) for depth in range(7)]
    assert counts == [reference_perft(game, game.rules.initial(), depth) for depth in range(7)]
    if stones == 1:  # 3 moves; two of them leave the pile alone
        assert counts[:3] == [1, 3, 6]


def test_moves_that_are_generated_in_a_finished_game_do_not_count() -> None:
    game = shuttle()
    over = game.position("0,0,0,0,0")
    assert len(over.codes) == 1
    assert over.outcome is not None
    assert [perft(over, depth) for depth in (0, 1, 2)] == [1, 0, 0]
    assert list(divide(over, 2)) == []


@pytest.mark.parametrize("name", ["shuttle", "draughts"])
def test_divide_adds_up(name: str) -> None:
    game = shuttle() if name == "shuttle" else gf.game(name)
    for seed in range(5):
        position = reachable(game, 3 * seed, seed)
        parts = list(divide(position, 4)) if position.outcome is None else []
        assert sum(count for _, count in parts) == perft(position, 4)
        assert [move for move, _ in parts] == (position.legal_moves if parts else [])


def test_perft_is_a_number_with_a_table_of_first_moves() -> None:
    position = gf.game("draughts").position()
    result = gf.perft(position, 3)
    assert (result, str(result), result.depth) == (302, "302", 3)
    table = result.table()
    assert table["move"].tolist() == [str(move) for move in position.legal_moves]
    assert table["leaves"].tolist() == [perft(position.play(move), 2) for move in position.legal_moves]
    assert "perft of depth 3: 302" in result._repr_html_()
    assert perft(position, 0).table() == {}
    copied = pickle.loads(pickle.dumps(result))
    assert (copied, copied.depth, copied.by_move) == (result, 3, result.by_move)


def test_a_depth_below_0_is_refused() -> None:
    with pytest.raises(gf.GameforgeError, match="depth = -1: must be 0 or more"):
        perft(shuttle().position(), -1)


class TestPlayouts:
    def test_same_seed_same_games(self) -> None:
        position = shuttle().position()
        assert playouts(position, 500, seed=3) == playouts(position, 500, seed=3)
        assert playouts(position, 500, seed=3) != playouts(position, 500, seed=4)

    def test_every_game_is_counted_once(self) -> None:
        result = playouts(shuttle().position(), 1000, seed=1)
        assert result.wins + result.draws + result.losses == 1000
        assert min(result.wins, result.draws, result.losses) > 0

    def test_games_end_at_the_ply_cap(self) -> None:
        result = playouts(shuttle(stones=100, max_plies=2).position(), 100, seed=1)
        assert (result.wins, result.draws, result.losses, result.plies) == (0, 100, 0, 200)

    def test_a_finished_game_is_counted_as_it_is(self) -> None:
        lost = playouts(shuttle().position("1,1,0,0,9"), 10)
        assert (lost.wins, lost.losses, lost.plies) == (0, 10, 0)

    def test_the_last_state_lies_on_the_way_of_the_whole_game(self) -> None:
        game = shuttle()
        whole = playouts(game.position(), 1, seed=4)
        states = [playouts(game.position(), 1, seed=4, plies=n).last for n in range(whole.plies + 1)]
        assert states[0] == game.rules.initial()
        assert states[-1] == whole.last
        for before, after in itertools.pairwise(states):
            assert after in [game.play(before, move) for move in game.legal(before)]
        assert game.code(whole.last, len(game.legal(whole.last))) & 3 or whole.plies == game.rules.draws.max_plies

    def test_a_series_of_games_ends_with_the_last_one(self) -> None:
        position = shuttle().position()
        assert playouts(position, 3, seed=5, plies=0).last == position.state
        after_a_move = [position.play(move).state for move in position.legal_moves]
        assert playouts(position, 2, seed=5, plies=1).last in after_a_move

    def test_there_is_at_least_one_game(self) -> None:
        with pytest.raises(gf.GameforgeError, match="games = 0: must be 1 or more"):
            playouts(shuttle().position(), 0)

    def test_results_are_those_of_the_side_to_move_at_the_start(self) -> None:
        """With one stone left, the first mover has the first chance to take it."""
        game = shuttle(stones=1)
        for side in (0, 1):
            result = playouts(game.position(f"2,2,1,{side},0"), 4000, seed=2)
            assert result.wins > result.losses

    def test_shares_are_those_of_random_play(self) -> None:
        game = shuttle(stones=2, max_plies=12)

        @functools.cache
        def chances(state: State) -> tuple[float, float]:
            """P(win), P(loss) of the side to move if each legal move is equally likely."""
            legal = game.legal(state)
            code = game.code(state, len(legal)) & 3
            if code or state[toy_game.PLIES] == 12:
                return 0.0, float(code == LOSS)
            children = [chances(game.play(state, move)) for move in legal]
            return sum(loss for _, loss in children) / len(legal), sum(win for win, _ in children) / len(legal)

        result = playouts(game.position(), 20_000, seed=9)
        wins, losses = chances(game.rules.initial())
        assert result.wins / 20_000 == pytest.approx(wins, abs=0.015)
        assert result.losses / 20_000 == pytest.approx(losses, abs=0.015)
