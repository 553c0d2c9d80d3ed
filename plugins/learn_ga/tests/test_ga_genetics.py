"""What is done with chromosomes, each operation alone."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from gameforge_learn_ga import genetics
from gameforge_learn_ga.learner import GA
from hypothesis import given
from hypothesis import strategies as st

chromosomes = st.lists(st.booleans(), min_size=1, max_size=20).map(lambda bits: np.array(bits, np.bool_))
seeds = st.integers(0, 2**32).map(np.random.default_rng)


def test_the_defaults_are_those_of_the_paper() -> None:
    ga = GA()
    assert (ga.population, ga.generations, ga.tour, ga.crossover, ga.flips, ga.games) == (50, 49, 3, 1.0, 5, 10)
    assert ga.inner.settings() == {"use": "td", "sessions": 4, "games": 400}


@given(chromosomes, seeds)
def test_repair_changes_empty_chromosomes_only(genes: genetics.Genes, rng: np.random.Generator) -> None:
    repaired = genetics.repaired(genes, rng)
    assert repaired.sum() == max(1, genes.sum())
    assert not genes.any() or (repaired == genes).all()


@given(st.integers(1, 20), st.integers(1, 20), seeds)
def test_populations_have_no_empty_chromosomes(size: int, length: int, rng: np.random.Generator) -> None:
    population = genetics.random_population(size, length, rng)
    assert [len(genes) for genes in population] == size * [length]
    assert all(genes.any() for genes in population)


@given(st.integers(1, 20), st.integers(0, 20), seeds)
def test_mutation_flips_exactly_as_many_genes_as_asked(length: int, flips: int, rng: np.random.Generator) -> None:
    flips = min(max(flips, 1), length)
    genes = rng.integers(0, 2, length).astype(np.bool_)
    assert (genetics.mutated(genes, flips, 0.5, rng) != genes).sum() == flips


def test_mutation_by_chance() -> None:
    rng = np.random.default_rng(1)
    genes = np.zeros(15, np.bool_)
    flipped = [int(genetics.mutated(genes, 0, 0.3, rng).sum()) for _ in range(2000)]
    assert np.mean(flipped) == pytest.approx(4.5, abs=0.2)
    assert len(set(flipped)) > 5


@given(st.integers(2, 20), seeds)
def test_crossover_exchanges_the_genes_after_one_place(length: int, rng: np.random.Generator) -> None:
    one, other = np.zeros(length, np.bool_), np.ones(length, np.bool_)
    first, second = genetics.crossed(one, other, rng)
    cut = int((~first).sum())
    assert 1 <= cut < length
    assert (first == np.arange(length).__ge__(cut)).all()
    assert (second == ~first).all()


@pytest.mark.parametrize(("tour", "expected"), [(1, 0.5), (2, 0.75), (3, 0.875)])
def test_the_fittest_of_a_tour_becomes_a_parent(tour: int, expected: float) -> None:
    """Two of four are fitter: one of them wins unless none was drawn."""
    rng = np.random.default_rng(2)
    drawn = Counter(genetics.selected([1, 9, 9, 1], tour, rng) for _ in range(4000))
    assert (drawn[1] + drawn[2]) / 4000 == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("parents", [2, 5, 50])
def test_as_many_children_as_parents(parents: int) -> None:
    rng = np.random.default_rng(3)
    population = genetics.random_population(parents, 15, rng)
    born = genetics.children(population, range(parents), GA(), rng)
    assert len(born) == parents
    assert all(genes.any() for genes in born)


def test_without_crossover_and_mutation_children_are_copies() -> None:
    rng = np.random.default_rng(3)
    population = genetics.random_population(6, 15, rng)
    born = genetics.children(population, range(6), GA(crossover=0.0, flips=0, mutation=0.0), rng)
    assert {genes.tobytes() for genes in born} <= {genes.tobytes() for genes in population}


def test_without_selection_all_individuals_have_all_features() -> None:
    """A control with as many nets."""
    parents = genetics.complete_population(4, 6)
    assert all(genes.all() for genes in parents)
    born = genetics.children(parents, [3, 1, 2, 0], GA(select=False), np.random.default_rng(1))
    assert len(born) == 4
    assert all(genes.all() and len(genes) == 6 for genes in born)


def test_the_fittest_survive_of_equals_the_older() -> None:
    assert genetics.survivors([3, 9, 3, 9, 1], 3) == [1, 3, 0]


def played(settings: GA, number: int) -> Sequence[tuple[int, int, int]]:
    return list(genetics.pairings(settings, number, np.random.default_rng(4)))


@pytest.mark.parametrize("number", [2, 5, 11, 100])
def test_everybody_plays_his_games_half_of_them_with_each_side(number: int) -> None:
    games = played(GA(games=10), number)
    for i in range(number):
        own = [(first, second) for first, second, whose in games if whose == i]
        assert len(own) == 10
        assert sum(first == i for first, _ in own) == 5
        assert all(first != second and i in (first, second) for first, second in own)
        if number > 10:
            assert len({*sum(own, ())} - {i}) == 10


def test_all_against_all() -> None:
    games = played(GA(opponents="all"), 4)
    assert sorted((first, second) for first, second, _ in games) == [
        (i, j) for i in range(4) for j in range(4) if i != j
    ]
    assert genetics.scores(games, [0] * 12, 4) == [6, 6, 6, 6]


def test_points() -> None:
    """Two for a win, one for a draw; games of others bring nothing."""
    games = [(0, 1, 0), (1, 0, 0), (2, 0, 2), (1, 2, 1)]
    assert genetics.scores(games, [0, 1, None, 1], 3) == [4, 0, 1]
