"""The searcher `puct`: visits as those of a plain reference, proofs, sequential halving, noise, limits, batches."""

from collections import Counter
from typing import Any

import attrs
import numpy as np
import pytest
from puct_reference import Puct, Wide
from test_uct_values import random_line, recent, says
from toy_games import Hearsay, Opinion, Tug, guess, rumour
from uct_reference import Random

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import PLY, PROVEN_WIN, WON, EvaluatorFunctions
from gameforge.interfaces.rules import State
from gameforge.play.game import Game, Position
from gameforge.play.player import Player
from gameforge.testing.toy import Pile
from gameforge.testing.toy import probe as small_piles

PILE, TUG = Game(Pile(stones=15)), Game(Tug())


def player(settings: str, game: Game = TUG, evaluator: Any = None, oracle: Any = "none") -> Player:
    return gf.player(game, searcher=f"puct:{settings}", evaluator=evaluator or Opinion(), oracle=oracle)


def logits_of_moves(ed: Any, w: Any, s: Any, moves: Any, n: Any, x: Any, logits: Any) -> None:
    for i in range(n):
        logits[i] = np.float64((s[0] + np.uint64(3) * moves[i]) % np.uint64(5)) / 2.0


def advice(state: State, move: int) -> float:
    """The logit of Advised, for the reference."""
    return (state[0] + 3 * move) % 5 / 2


class Advised(Opinion):
    """An evaluator with scores and a policy that know nothing."""

    def functions(self, rules: Any, features: Any) -> EvaluatorFunctions:
        return attrs.evolve(super().functions(rules, features), policy=logits_of_moves)


class Costly(Advised):
    """The same, of which a search asks for the policy of a new node at once, not when it is reached again."""

    def functions(self, rules: Any, features: Any) -> EvaluatorFunctions:
        return attrs.evolve(super().functions(rules, features), costly=True)


def compare(
    position: Position,
    settings: str,
    simulations: int,
    seed: int,
    oracle: Any = "none",
    evaluator: Any = None,
    **parts: Any,
) -> None:
    """Compare `puct` and the reference; `parts` are the reference's settings."""
    searcher = player(f"simulations={simulations}{settings}", position.game, evaluator, oracle)
    searcher.reseed(seed)
    found = searcher.analyse(position)
    reference = Puct(position.game, Random(seed), guess, **parts)
    root = reference.run(position.state, *recent(position), simulations)
    assert [(m.move.code, m.visits) for m in found.statistics] == [(edge.move, edge.visits) for edge in root.edges]
    assert [m.value for m in found.statistics if m.visits] == pytest.approx(
        [reference.value(edge) for edge in root.edges if edge.visits], abs=1e-9
    )


@pytest.mark.parametrize("settings", [{}, {"exploration": 2.0, "temperature": 0.5}, {"gumbel": True}])
def test_visits_equal_those_of_a_reference(settings: dict[str, Any]) -> None:
    text = "".join(f",{key}={value}" for key, value in settings.items()).replace("gumbel=True", "select=gumbel")
    for game in (PILE, TUG, Game(Tug(repetition=2)), Game(Tug(repetition=0, no_progress=3)), Game(Tug(max_plies=9))):
        for seed in (1, 2):
            for simulations in (1, 2, 7, 40, 150):
                compare(random_line(game, seed, seed), text, simulations, seed, **settings)


@pytest.mark.parametrize("evaluator", [Advised(), Costly()], ids=["cheap", "costly"])
@pytest.mark.parametrize("gumbel", [False, True])
def test_the_policy_guides_the_search(gumbel: bool, evaluator: Any) -> None:
    """Visits are those of the reference, whose nodes are expanded on their first visit."""
    text = ",select=gumbel" if gumbel else ""
    for game in (PILE, TUG, Game(Tug(repetition=2)), Game(Tug(max_plies=9))):
        for simulations in (1, 2, 7, 40, 150):
            position = random_line(game, 1, 1)
            compare(position, text, simulations, 3, evaluator=evaluator, gumbel=gumbel, policy=advice)


@pytest.mark.parametrize("temperature", [0.5, 3.0])
def test_a_policy_can_be_made_sharper_or_softer(temperature: float) -> None:
    for simulations in (7, 40, 150):
        position, parts = random_line(TUG, 1, 1), {"policy": advice, "policy_temperature": temperature}
        compare(position, f",policy_temperature={temperature}", simulations, 3, evaluator=Advised(), **parts)


@pytest.mark.parametrize("advised", [False, True])
@pytest.mark.parametrize("gumbel", [False, True])
@pytest.mark.parametrize("share", [0.4, 1.0])
def test_minimax_values_are_backed_up_beside_the_means(share: float, gumbel: bool, advised: bool) -> None:
    """Visits and values are those of the reference, where a certain value replaces the guess."""
    text = f",minimax={share}" + (",select=gumbel" if gumbel else "")
    parts: dict[str, Any] = {"minimax": share, "gumbel": gumbel, "policy": advice if advised else None}
    for game in (PILE, TUG, Game(Tug(repetition=2)), Game(Tug(max_plies=9))):
        for simulations in (1, 2, 7, 40, 150):
            position = random_line(game, 1, 1)
            compare(position, text, simulations, 3, evaluator=Advised() if advised else None, **parts)


def test_minimax_alone_scores_a_move_by_the_best_reply() -> None:
    """With minimax=1, a first visit of each move gives the score of `minimax` with two plies."""
    position = Game(Wide()).position()
    found = player("simulations=8,minimax=1,exploration=100,temperature=100", Game(Wide())).analyse(position)
    assert all(row.visits for row in found.statistics)
    looked = gf.player(Game(Wide()), searcher="minimax:depth=2", evaluator=Opinion(), oracle="none").analyse(position)
    assert max(row.value for row in found.statistics) == pytest.approx(looked.score, abs=1e-9)


@pytest.mark.parametrize("evaluator", [Opinion(), Advised()], ids=["scores", "policy"])
def test_with_minimax_a_move_that_ends_the_game_has_its_result_as_score(evaluator: Any) -> None:
    """So the first simulation tries it, whatever the evaluator says of finished games."""
    game = Game(Pile(stones=3))
    found = player("simulations=1,minimax=0.5,exploration=0.01", game, evaluator).analyse(game.position())
    assert (found.move.code, found.score) == (3, PROVEN_WIN - PLY)


@pytest.mark.parametrize("minimax", [0, 0.8])
def test_the_best_of_the_much_visited_moves_can_be_played(minimax: float) -> None:
    """It has the greatest value, and at least half as many visits as the most visited one, which it need not be."""
    game, others = Game(Wide()), 0
    searcher = player(f"simulations=60,minimax={minimax},final=value,exploration=0.5,reuse=false,memory=1", game)
    for seed in range(40):
        searcher.reseed(seed)
        found = searcher.analyse(random_line(game, 6, seed))
        most = max(row.visits for row in found.statistics)
        best = max((row for row in found.statistics if 2 * row.visits >= most), key=lambda row: row.value)
        assert (found.move, found.score) == (best.move, best.value)
        others += best.visits < most
    assert 0 < others < 40


@pytest.mark.parametrize("gumbel", [False, True])
def test_an_oracle_decides_leaves(gumbel: bool) -> None:
    text = ",select=gumbel" if gumbel else ""
    for seed in (1, 2, 3):
        position = random_line(TUG, seed, seed)
        oracle = Hearsay(rumour, (position.state[0], position.state[1]))  # it does not know the root
        compare(position, text, 100, seed, oracle, gumbel=gumbel, probe=says(rumour, *oracle.data))
    knows = Hearsay(small_piles, (100,))  # it knows the root, so only answers that differ count
    compare(PILE.position(), text, 100, 1, knows, gumbel=gumbel, probe=says(small_piles, 100))


@pytest.mark.parametrize("select", ["puct", "gumbel"])
def test_a_pile_is_solved_by_proofs(select: str) -> None:
    """The scores are proofs, the search ends with them, and they are right whatever the evaluator says."""
    for stones in range(1, 20):
        found = player(f"simulations=200000,select={select}", Game(Pile(stones=stones))).analyse(
            Game(Pile(stones=stones)).position()
        )
        assert found.nodes < 200_000
        assert (found.score > 0) == bool(stones % 4)
        assert abs(found.score) >= PROVEN_WIN - stones * PLY
        if stones % 4:
            assert found.move.code == stones % 4
        if stones <= 3:
            assert found.score == PROVEN_WIN - PLY


def test_a_proof_that_rests_on_an_oracle_is_a_known_result() -> None:
    knows = Hearsay(small_piles, (8,))
    assert player("simulations=5000", PILE, oracle=knows).analyse(Game(Pile(stones=10)).position()).score == WON


def test_sequential_halving_gives_each_round_the_same_number_of_visits() -> None:
    """16 simulations and 4 moves: two sweeps over four moves, then four over the better two."""
    game = Game(Wide())
    visits = sorted(
        m.visits for m in player("simulations=16,select=gumbel,considered=4", game).analyse(game.position()).statistics
    )
    assert visits == [0, 0, 0, 0, 2, 2, 6, 6]


def test_noise_draws_the_first_move_from_the_policy() -> None:
    """Gumbel's way to draw from a distribution. 2,000 draws; the expected shares hold within 4 standard deviations."""
    searcher = player("simulations=1,select=gumbel,noise=1,temperature=0.5,reuse=false", TUG)
    position = TUG.position()
    drawn: Counter[int] = Counter()
    for seed in range(2000):
        searcher.reseed(seed)
        drawn[next(m.move.code for m in searcher.analyse(position).statistics if m.visits)] += 1
    # At the root of a first simulation no move has a value of its own, so the scores stand for them, with weight 25.
    scores = {move: -guess(TUG.play(position.state, move)) for move in TUG.legal(position.state)}
    strength = {move: np.exp(score / 0.5 + 25.0 * score) for move, score in scores.items()}
    for move, weight in strength.items():
        share = weight / sum(strength.values())
        assert drawn[move] / 2000 == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 2000) + 1e-9)


def test_noise_has_a_dirichlet_distribution() -> None:
    """With much exploration the visits are proportional to the noise: mean 1/8, variance 7/64 / (concentration + 1)."""
    game = Game(Wide())
    for concentration, spread in ((0.1, 0.3), (10.0, 0.1)):
        settings = f"simulations=200,exploration=100,noise=1,reuse=false,memory=1,concentration={concentration}"
        searcher, shares = player(settings, game), []
        for seed in range(150):
            searcher.reseed(seed)
            found = searcher.analyse(game.position()).statistics
            shares.append([m.visits / 200 for m in sorted(found, key=lambda m: m.move.code)])
        assert np.mean(shares, axis=0) == pytest.approx(1 / 8, abs=4 * spread / np.sqrt(150))
        assert np.std(shares) == pytest.approx(np.sqrt(7 / 64 / (concentration + 1)), rel=0.1)


def test_a_temperature_draws_the_move_by_its_visits() -> None:
    """For some plies of the game; 400 draws, and the expected shares hold within 4 standard deviations."""
    position, drawn = TUG.position(), Counter[int]()
    searcher = player("simulations=8,choice_temperature=0.5,choice_plies=1,reuse=false,memory=1", evaluator=Advised())
    expected: dict[int, float] = {}
    for seed in range(400):
        searcher.reseed(seed)
        found = searcher.analyse(position)
        assert found.move is not None
        drawn[found.move.code] += 1
        squares = {m.move.code: m.visits**2 for m in found.statistics}
        for move, square in squares.items():
            expected[move] = expected.get(move, 0.0) + square / sum(squares.values())
    for move, number in expected.items():
        assert drawn[move] == pytest.approx(number, abs=4 * np.sqrt(number))
    assert len(drawn) > 1
    later = position.play(position.legal_moves[0])
    for seed in range(10):
        searcher.reseed(seed)
        found = searcher.analyse(later)
        assert next(m.visits for m in found.statistics if m.move == found.move) == max(
            m.visits for m in found.statistics
        )


@pytest.mark.parametrize("settings", ["select=gumbel,noise=1", "noise=0.25,choice_temperature=1"])
def test_a_search_depends_on_its_seed_alone(settings: str) -> None:
    one, same, other = (player(f"simulations=200,{settings}") for _ in range(3))
    other.reseed(1)
    assert one.analyse(TUG.position()).statistics == same.analyse(TUG.position()).statistics
    assert one.analyse(TUG.position()).statistics != other.analyse(TUG.position()).statistics


@pytest.mark.parametrize("select", ["puct", "gumbel"])
def test_the_tree_is_kept_between_moves(select: str) -> None:
    searcher = player(f"simulations=500,select={select}")
    first = searcher.analyse(TUG.position())
    kept = searcher.analyse(TUG.position().play(first.line[0]).play(first.line[1]))
    assert kept.nodes == 500
    assert sum(m.visits for m in kept.statistics) > 500
    fresh = player(f"simulations=500,select={select},reuse=false")
    fresh.analyse(TUG.position())
    assert sum(m.visits for m in fresh.analyse(TUG.position().play(first.line[0])).statistics) == 500


@pytest.mark.parametrize("select", ["puct", "gumbel"])
def test_a_policy_that_comes_late_changes_nothing_in_a_game(select: str) -> None:
    """The tree is kept between moves, so that nodes whose policy nobody needed become roots."""
    games = []
    for evaluator in (Advised(), Costly()):
        searcher, position, visits = player(f"simulations=30,select={select}", evaluator=evaluator), TUG.position(), []
        searcher.reseed(5)
        while position.outcome is None:
            found = searcher.analyse(position)
            visits.append([(row.move.code, row.visits) for row in found.statistics])
            assert found.move is not None
            position = position.play(found.move)
        games.append(visits)
    assert len(games[0]) > 2
    assert games[0] == games[1]


def test_a_limit_of_time_ends_the_search() -> None:
    for select in ("puct", "gumbel"):
        assert player(f"time=0.01,select={select}").analyse(TUG.position()).limit == "time"
        assert player(f"time=100,simulations=50,select={select}").analyse(TUG.position()).nodes == 50


def test_a_python_evaluator_scores_all_moves_of_a_node_in_one_call() -> None:
    sizes = []

    class Counts:
        def values(self, states: Any) -> Any:
            sizes.append(len(states))
            return np.array([guess(tuple(state)) for state in states.tolist()])

    found = player("simulations=100", TUG, Counts()).analyse(TUG.position())
    assert found == player("simulations=100", TUG).analyse(TUG.position())
    assert len(sizes) <= 101
    assert max(sizes) == 3


def advised_piles(states: Any) -> tuple[Any, Any]:
    """Scores and logits of Advised; the indices of moves are the numbers of stones less 1."""
    scores = [guess(tuple(state)) for state in states.tolist()]
    return scores, np.array([[advice(state, move) for move in (1, 2, 3)] for state in states.tolist()])


@pytest.mark.parametrize("select", ["puct", "gumbel"])
def test_the_policy_of_a_python_evaluator_guides_the_search(select: str) -> None:
    """The search is that of a compiled evaluator, with one call a node; the games of a match share the calls."""
    evaluator = gf.batch_evaluator(advised_piles, takes="states", policy=True)
    assert [PILE.move_indices((stones, 0)) for stones in (15, 2)] == [[0, 1, 2], [0, 1]]
    one = player(f"simulations=60,select={select}", PILE, evaluator)
    found = one.analyse(PILE.position())
    assert found == player(f"simulations=60,select={select}", PILE, Advised()).analyse(PILE.position())
    assert evaluator.cost.calls == evaluator.cost.states <= 61
    gf.match(one, one, 8, openings=2, seed=1, progress=False)
    assert evaluator.cost.states > 3 * evaluator.cost.calls


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda states: np.zeros(len(states)), "returned ndarray; with a policy it must return scores, logits"),
        (
            lambda states: (np.zeros(len(states)), np.zeros((len(states), 2))),
            r"logits of the shape \(1, 2\); .* \(1, 3",
        ),
        (lambda states: (np.zeros(len(states)), np.full((len(states), 3), np.nan)), "must be finite numbers"),
        (lambda states: 1 // 0, "ZeroDivisionError"),
    ],
)
def test_what_a_python_policy_answers_is_checked(answer: Any, message: str) -> None:
    evaluator = gf.batch_evaluator(answer, takes="states", policy=True)
    with pytest.raises(GameforgeError, match=message):
        player("simulations=10", PILE, evaluator).analyse(PILE.position())


def test_a_policy_needs_indices_of_moves() -> None:
    with pytest.raises(GameforgeError, match="tug offers no `moves`, by which a policy numbers its logits"):
        player("simulations=10", TUG, gf.batch_evaluator(advised_piles, takes="states", policy=True))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("simulations=0", "searcher.simulations = 0: must be a number from 1 to 4294967295"),
        ("select=best", "searcher.select"),
        ("exploration=0", "searcher.exploration = 0.0: must be more than 0 and at most 100"),
        ("temperature=nan", "must be more than 0"),
        ("policy_temperature=0", "searcher.policy_temperature = 0.0: must be more than 0 and at most 100"),
        ("considered=0", "searcher.considered = 0: must be a number from 1 to 65536"),
        ("noise=-1", "searcher.noise = -1.0: must be from 0 to 100"),
        ("noise=2", "searcher.noise = 2.0: must be from 0 to 1 with select=puct"),
        ("concentration=0", "searcher.concentration = 0.0: must be more than 0"),
        ("choice_temperature=1,select=gumbel", "searcher.choice_temperature = 1.0: must be 0 with select=gumbel"),
        ("choice_plies=-1", "searcher.choice_plies = -1"),
        ("final=value,select=gumbel", 'searcher.final = "value": must be visits with select=gumbel'),
        ("final=mean", "searcher.final"),
        ("minimax=1.5", "searcher.minimax = 1.5: must be from 0 to 1"),
        ("cp=1", "searcher.cp"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(settings: str, message: str) -> None:
    with pytest.raises(GameforgeError) as error:
        player(settings)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_an_evaluator_is_needed() -> None:
    with pytest.raises(GameforgeError, match="the searcher needs an evaluator"):
        gf.player(PILE, searcher="puct", evaluator="none", oracle="none")
