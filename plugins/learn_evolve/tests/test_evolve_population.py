"""Pairings, points, survival, distances and species of a population."""

import numpy as np
import pytest
from gameforge_learn_evolve import evolution
from gameforge_learn_evolve.evolution import gained
from gameforge_learn_evolve.species import (
    behaviour,
    by_means,
    euclidean,
    league,
    linked,
    mean_differences,
    pairings,
    plane,
    random_boards,
    silhouette,
)
from hypothesis import given
from hypothesis import strategies as st

import gameforge as gf
from gameforge.testing.toy import Greedy, Linear, Pile, Remainders


@pytest.mark.parametrize("number", [2, 3, 6, 30])
def test_everybody_begins_his_games_against_others(number: int) -> None:
    pairs = pairings(number, 5, np.random.default_rng(1))
    for i in range(number):
        others = [other for first, other in pairs if first == i]
        assert len(others) == 5
        assert i not in others
        if number > 5:
            assert len({*others}) == 5


def test_who_wins_gains_one_and_who_loses_two() -> None:
    assert gained([(0, 1), (1, 0), (2, 0), (1, 2)], [0, 0, None, 1], 3) == [1 - 2, -2 + 1 - 2, 1]


@given(st.integers(2, 20), st.integers(0, 2**32))
def test_points_of_all_are_minus_the_number_of_decided_games(number: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = pairings(number, 5, rng)
    winners = [[0, 1, None][rng.integers(3)] for _ in pairs]
    assert sum(gained(pairs, winners, number)) == -sum(winner is not None for winner in winners)


def test_the_best_stay_of_equals_the_earlier() -> None:
    assert evolution.survivors([0, 3, -2, 3, 0], 3) == [1, 3, 0]


def apart(places: list[float]) -> np.ndarray:
    return np.abs(np.subtract.outer(places, places))


def test_a_child_takes_the_place_of_the_parent_that_it_is_closer_to() -> None:
    """Parents at 0 and 10, children at 9 and 1: each is matched with the near one, and needs more points."""
    distance = apart([0, 10, 9, 1])
    assert evolution.crowded([0, 1], [0, 0, 1, 1], distance) == [3, 2]
    assert evolution.crowded([0, 1], [5, 0, 1, 1], distance) == [0, 2]
    assert evolution.crowded([0, 1], [0, 5, 1, 1], distance) == [3, 1]
    assert evolution.crowded([0, 1], [1, 1, 1, 1], distance) == [0, 1]


def test_the_sum_of_both_distances_decides_who_is_matched() -> None:
    """Child 2 is nearest to parent 0, but 1 + 9 is more than 2 + 3."""
    distance = np.zeros((4, 4))
    distance[0, 2], distance[1, 3] = 1, 9
    distance[0, 3], distance[1, 2] = 2, 3
    assert evolution.crowded([0, 1], [0, 0, 1, 1], distance) == [3, 2]


def test_pairs_come_from_the_order() -> None:
    """Parents 2 and 0 are a pair, then 3 and 1; their children are 4 and 5, 6 and 7."""
    distance = apart([0, 20, 10, 30, 10, 0, 30, 20])
    assert evolution.crowded([2, 0, 3, 1], [0, 0, 0, 0, 9, 9, 9, 9], distance) == [5, 7, 4, 6]
    order = evolution.random_pairs(100, np.random.default_rng(1))
    assert sorted(order) == [*range(100)] != order


def test_boards_are_from_the_course_of_random_games() -> None:
    game = gf.game(Pile(stones=12))
    boards = random_boards(game, 500, np.random.default_rng(1))
    assert boards.shape == (500, 2)
    assert {*boards[:, 0].tolist()} == {*range(1, 13)}
    np.testing.assert_array_equal(boards, random_boards(game, 500, np.random.default_rng(1)))


def test_behaviour_is_what_is_said_of_the_boards() -> None:
    pipeline = gf.Pipeline(game=Pile(), searcher=Greedy(), evaluator=Linear(), features=Remainders(), learner="none")
    boards = np.array([[12, 0], [7, 0]], np.uint64)
    nets = [np.array(weights, np.float32) for weights in ([0.5, 0, 0, 0.25], [0, 0, 0, 0.25], [0, 1, 1, 0])]
    scores = behaviour(pipeline.parts(), boards, nets)
    np.testing.assert_allclose(scores, [[0.5, 0.25], [0, 0.25], [0, 0]])
    np.testing.assert_allclose(mean_differences(scores), [[0, 0.25, 0.375], [0.25, 0, 0.125], [0.375, 0.125, 0]])
    np.testing.assert_allclose(euclidean(np.array(nets, np.float64))[0], [0, 0.5, np.sqrt(0.3125 + 2)], rtol=1e-6)


@pytest.mark.parametrize("how", ["linkage", "means"])
def test_known_clusters_are_found(how: str) -> None:
    """k-means finds their number, too: it may take up to 10."""
    rng = np.random.default_rng(1)
    centres = np.array([[0, 0], [10, 0], [0, 10], [10, 10]])
    member = rng.integers(4, size=60)
    places = centres[member] + rng.normal(0, 0.5, (60, 2))
    distance = euclidean(places)
    found = linked(distance, 4) if how == "linkage" else by_means(places, distance, 10, rng)
    assert sorted(sorted(member[i] for i in one)[0] for one in found) == [0, 1, 2, 3]
    assert all(len({int(member[i]) for i in one}) == 1 for one in found)
    assert [len(one) for one in found] == sorted(np.bincount(member).tolist(), reverse=True)


def test_silhouettes() -> None:
    """Points 0, 1 and 10: the first two are (b - a) / max(a, b) = 9/10 and 8/9 apart, the last one is alone."""
    distance = apart([0, 1, 10])
    assert silhouette(distance, np.array([0, 0, 1])) == pytest.approx((9 / 10 + 8 / 9 + 0) / 3)
    assert silhouette(distance, np.array([5, 5, 5])) == 0
    assert silhouette(np.zeros((4, 4)), np.array([0, 0, 1, 1])) == 0


@given(st.integers(1, 12), st.integers(0, 2**32))
def test_k_means_gives_each_a_cluster_also_of_equal_points(most: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    places = rng.integers(0, 3, (12, 1)).astype(np.float64)
    found = by_means(places, euclidean(places), most, rng)
    assert 1 <= len(found) <= most
    assert sorted(i for one in found for i in one) == [*range(12)]


def test_single_linkage_follows_chains() -> None:
    """The ends of a chain are far from each other, but one cluster; the point aside is another."""
    assert linked(apart([0, 1, 2, 3, 4, 5, 7]), 2) == [[0, 1, 2, 3, 4, 5], [6]]


@given(st.integers(1, 12), st.integers(0, 2**32))
def test_there_are_as_many_species_as_asked_for(number: int, seed: int) -> None:
    distance = apart(np.random.default_rng(seed).integers(0, 5, 12).tolist())
    found = linked(distance, number)
    assert len(found) == number
    assert sorted(i for one in found for i in one) == [*range(12)]


def test_leagues_stay_within_their_species() -> None:
    pairs = league([[0, 4, 2], [1], [3, 5]], 5, np.random.default_rng(1))
    assert len(pairs) == 5 * (3 + 2)
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in ([0, 4], [0, 2], [2, 4], [3, 5])}


def test_places_on_a_plane_keep_distances_that_fit_one() -> None:
    places = np.random.default_rng(1).uniform(-1, 1, (20, 2))
    distance = np.sqrt(np.square(places[:, None] - places).sum(-1))
    found = plane(distance)
    np.testing.assert_allclose(np.sqrt(np.square(found[:, None] - found).sum(-1)), distance, atol=1e-6)
