"""Actions: the indices of moves in every game, and what they mean."""

import functools

import numpy as np
import pytest
from environment_games import GAMES
from gameforge_interop_pettingzoo.lockstep import Lockstep, indices_of, view_of

import gameforge as gf
from gameforge.kernel import assembly, bound, compiled_function
from gameforge.testing import Pile


def lockstep(game: gf.Game, n: int, seed: int = 1) -> Lockstep:
    """N games that have begun, with random numbers of their own."""
    made = Lockstep(game, n, view_of(game, "bits"))
    made.rng[:] = np.random.default_rng(seed).integers(1 << 63, size=n, dtype=np.uint64)
    made.begin()
    return made


@pytest.mark.parametrize("name", GAMES)
def test_each_legal_move_has_one_action(name: str) -> None:
    game = gf.game(name)
    games = lockstep(game, 6)
    for _ in range(150):
        for g in np.flatnonzero(~games.over):
            actions = np.flatnonzero(games.masks[g])
            moves = [games.move_of(action, g) for action in actions]
            assert sorted(moves) == sorted(game.legal(games.state(g)))
            assert len(set(moves)) == len(moves)
        games.draw()
        games.step()


@pytest.mark.parametrize(("name", "size"), [("othello", 65), ("draughts", 256), ("morris", 384), ("russian", 568)])
def test_there_are_few_actions(name: str, size: int) -> None:
    assert indices_of(gf.game(name)).size == size


@functools.cache
def one(game: gf.Game) -> Lockstep:
    return Lockstep(game, 1, view_of(game, "bits"))


def actions_of(position: gf.Position) -> dict[int, int]:
    """The actions of a position's legal moves, by move."""
    games = one(position.game)
    games.begin(position.state)
    return {games.move_of(action): int(action) for action in np.flatnonzero(games.masks[0])}


@pytest.mark.parametrize("name", ["draughts", "russian", "international", "turkish"])
def test_both_sides_number_their_moves_alike(name: str) -> None:
    """A turned board with the colours exchanged has the same actions, except for moves that share an index."""
    game = gf.game(name)
    position, rng, same, moves = game.position(), np.random.default_rng(2), 0, 0
    while position.outcome is None:
        turned = actions_of(gf.Position(game, game.symmetries.state_image(position.state, 1)))
        for move, action in actions_of(position).items():
            same += turned[game.symmetries.move_image(position.state, move, 1)] == action
            moves += 1
        position = position.after(int(rng.choice(position.codes)))
    assert same > 0.97 * moves


def test_an_action_means_the_same_square_in_every_position_of_othello() -> None:
    position = gf.game("othello").position().play("d3")
    for move in position.legal_moves:
        column, row = str(move)
        assert actions_of(position)[move.code] == 8 * (int(row) - 1) + "abcdefgh".index(column)


def test_two_routes_from_one_square_have_successive_actions() -> None:
    """Both captures of the king on 6 begin with the jump over 10."""
    position = gf.game("draughts").position("B:WK10,18,19:BK6")
    actions = actions_of(position)
    routes = [actions[move.code] for move in position.legal_moves if str(move).startswith("6")]
    assert len(routes) >= 2
    assert sorted(routes) == [*range(min(routes), min(routes) + len(routes))]


def test_morris_numbers_placements_by_points_and_takes_by_men() -> None:
    position = gf.game("morris").position()
    assert sorted(actions_of(position).values()) == [*range(24)]
    for text in ("a1", "a7", "d1", "d7"):
        position = position.play(text)
    takes = {str(move): actions_of(position)[move.code] for move in position.legal_moves if "x" in str(move)}
    assert len(takes) == 2
    assert all(action >= 192 and action % 8 == 0 for action in takes.values())


def test_a_game_without_indices_numbers_its_legal_moves() -> None:
    class Unnumbered(Pile):
        moves = None

    games = lockstep(gf.Game(Unnumbered(stones=2)), 1)
    assert games.masks.tolist() == [[1, 1, 0]]
    assert [games.move_of(action) for action in (0, 1)] == [1, 2]


@pytest.mark.parametrize("name", GAMES)
def test_the_kernel_agrees_with_the_function_and_its_rule(name: str) -> None:
    """A move gets its index or the next free one, in the order of the legal moves."""
    game = gf.game(name)
    indices = indices_of(game)
    state, function = np.zeros(game.functions.words, np.uint64), compiled_function("index", indices.index)
    index = bound(function, assembly.block(indices.data), state)
    games = lockstep(game, 2, seed=5)
    for _ in range(40):
        taken: dict[int, int] = {}
        state[:] = games.state()
        for move in game.legal(games.state()) if not games.over[0] else ():
            action = int(index(move))
            while action in taken:
                action = (action + 1) % indices.size
            taken[action] = move
        assert sorted(taken) == np.flatnonzero(games.masks[0]).tolist()
        assert all(games.move_of(action) == move for action, move in taken.items())
        games.draw()
        games.step()
