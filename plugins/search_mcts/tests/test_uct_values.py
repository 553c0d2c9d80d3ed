"""Visits and values of `uct` equal those of a plain reference, to the last bit."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from toy_games import Hearsay, Opinion, Tug, guess, rumour
from uct_reference import Edge, Random, Uct

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import State
from gameforge.play.game import Game, Position
from gameforge.testing.toy import Pile
from gameforge.testing.toy import probe as small_piles

GAMES = ((Game(Pile(stones=15)), 1), (Game(Tug()), 2), (Game(Tug()), 3))
"""Games with a seed each."""


def words(numbers: Sequence[int]) -> Any:
    return np.array(numbers, np.uint64)


def says(probe: Any, *data: int) -> Any:
    return lambda state: int(probe(words(data), words(state), words([0, 0])))


def random_line(game: Game, plies: int, seed: int) -> Position:
    """A position after some random moves, before the end of the game."""
    rng = random.Random(seed)
    position = game.position()
    for _ in range(plies):
        after = position.play(rng.choice(position.legal_moves))
        if after.outcome is not None:
            break
        position = after
    return position


def recent(position: Position) -> tuple[list[State], int]:
    """(positions before this one since the last irreversible move, plies of the game)."""
    states, here = [], position
    irreversible = position.game.functions.irreversible
    plies = len(position.moves_played)
    while here.parent is not None and here.last_move is not None:
        if irreversible is not None and irreversible(None, words(here.parent.state), np.uint64(here.last_move)):
            break
        here = here.parent
        states.append(here.state)
    return states[::-1], plies


def compare(position: Position, settings: str, simulations: int, seed: int = 0, **parts: Any) -> None:
    """Compare `uct` and the reference; `parts` are the reference's settings, and the player's evaluator and oracle."""
    evaluator, oracle = parts.pop("evaluator", "none"), parts.pop("oracle", "none")
    searcher = f"uct:simulations={simulations}{settings}"
    player = gf.player(position.game, searcher=searcher, evaluator=evaluator, oracle=oracle)
    player.reseed(seed)
    found = player.analyse(position)
    root = Uct(position.game, Random(seed), **parts).run(position.state, *recent(position), simulations)
    prior = parts.get("prior", 0)
    assert [(m.move.code, m.visits, m.value) for m in found.statistics] == [
        (edge.move, edge.visits - prior, edge.value) for edge in root.edges
    ]
    visited = [edge for edge in root.edges if edge.visits > prior]
    best = max(visited, key=lambda edge: (edge.value, edge.visits))
    assert found.move.code == best.move
    assert [move.code for move in found.line] == line_of(best, prior)
    assert found.nodes == simulations


def line_of(edge: Edge, prior: int) -> list[int]:
    line = [edge.move]
    while visited := [below for below in edge.edges if below.visits > prior]:
        edge = max(visited, key=lambda edge: (edge.value, edge.visits))
        line.append(edge.move)
    return line


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("cp", [0.1, 0.5, 2.0])
def test_values_without_evaluator_and_oracle(cp: float, seed: int) -> None:
    for simulations in (1, 2, 3, 10, 150):
        compare(random_line(Game(Pile(stones=15)), seed, seed), f",cp={cp}", simulations, seed, cp=cp)


@pytest.mark.parametrize("urgency", [-0.7, 0.3, 1.1])
def test_first_play_urgency(urgency: float) -> None:
    for game, seed in GAMES:
        for simulations in (1, 2, 10, 150):
            compare(random_line(game, seed, seed), f",urgency={urgency}", simulations, seed, urgency=urgency)


@pytest.mark.parametrize("rave", [3.0, 100.0])
def test_rave(rave: float) -> None:
    for game, seed in GAMES:
        for simulations in (2, 10, 150):
            compare(random_line(game, seed, seed), f",rave={rave}", simulations, seed, rave=rave)


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        ("", {}),
        (",rave=50,urgency=0.4", {"rave": 50.0, "urgency": 0.4}),
        (",expand=evaluator", {"in_order": True}),
        (",leaf=mixed", {"share": 0.5}),
    ],
)
def test_progressive_bias(settings: str, parts: dict[str, Any]) -> None:
    for game, seed in GAMES:
        compare(
            random_line(game, seed, seed),
            f",bias=1.37{settings}",
            150,
            seed,
            evaluator=Opinion(),
            evaluate=guess,
            bias=1.37,
            **parts,
        )


@pytest.mark.parametrize("prior", [1, 5])
def test_rave_beside_a_prior(prior: int) -> None:
    parts = {"evaluator": Opinion(), "evaluate": guess, "rave": 20.0, "prior": prior}
    compare(Game(Tug()).position(), f",rave=20,prior={prior}", 150, 2, **parts)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "rules", [Tug(), Tug(repetition=2), Tug(repetition=0, no_progress=3), Tug(no_progress=0, max_plies=9)], ids=str
)
def test_draws_by_the_course_of_the_game(rules: Tug, seed: int) -> None:
    compare(random_line(Game(rules), seed, seed), "", 250, seed)


@pytest.mark.parametrize("prior", [0, 1, 5])
@pytest.mark.parametrize(
    ("leaf", "share"), [("simulation", 0.0), ("evaluator", 1.0), ("mixed,share=0.25", 0.25), ("mixed", 0.5)]
)
def test_an_evaluator_as_prior_and_as_leaf_value(leaf: str, share: float, prior: int) -> None:
    for game, seed in GAMES:
        compare(
            random_line(game, seed, seed),
            f",prior={prior},leaf={leaf}",
            150,
            seed,
            evaluator=Opinion(),
            prior=prior,
            share=share,
            evaluate=guess,
        )


@pytest.mark.parametrize(("leaf", "share"), [("simulation", 0.0), ("evaluator", 1.0), ("mixed", 0.5)])
def test_an_evaluator_that_orders_the_moves_to_try(leaf: str, share: float) -> None:
    for game, seed in GAMES:
        compare(
            random_line(game, seed, seed),
            f",expand=evaluator,leaf={leaf}",
            150,
            seed,
            evaluator=Opinion(),
            in_order=True,
            share=share,
            evaluate=guess,
        )


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        (",leaf=evaluator", {"share": 1.0}),
        (",leaf=mixed", {"share": 0.5}),
        (",leaf=mixed,rave=20,bias=0.6", {"share": 0.5, "rave": 20.0, "bias": 0.6}),
        (",leaf=evaluator,expand=evaluator,urgency=0.4", {"share": 1.0, "in_order": True, "urgency": 0.4}),
    ],
)
def test_leaves_that_wait_for_the_evaluator(settings: str, parts: dict[str, Any]) -> None:
    for game, seed in GAMES:
        for batch, simulations in ((2, 150), (7, 150), (100, 30)):
            compare(
                random_line(game, seed, seed),
                f",batch={batch}{settings}",
                simulations,
                seed,
                evaluator=Opinion(),
                evaluate=guess,
                batch=batch,
                **parts,
            )


@pytest.mark.parametrize("seed", range(2))
def test_an_oracle_ends_simulations(seed: int) -> None:
    position = random_line(Game(Tug()), seed, seed)
    oracle = Hearsay(rumour, (position.state[0], position.state[1]))  # it does not know the root
    compare(position, "", 150, seed, oracle=oracle, probe=says(rumour, *oracle.data))


@pytest.mark.parametrize("stones", [9, 11, 12])
def test_if_an_oracle_knows_the_root_only_other_answers_count(stones: int) -> None:
    oracle = Hearsay(small_piles, (20,))
    compare(Game(Pile(stones=stones)).position(), "", 150, 1, oracle=oracle, probe=says(small_piles, 20))


def test_values_in_draughts() -> None:
    try:
        game = gf.game("draughts")
    except GameforgeError as error:
        pytest.skip(str(error))
    for plies in (0, 30, 60):
        compare(random_line(game, plies, 1), ",cp=0.7", 60, plies, cp=0.7)
        compare(random_line(game, plies, 1), ",rave=200", 60, plies, rave=200.0)
