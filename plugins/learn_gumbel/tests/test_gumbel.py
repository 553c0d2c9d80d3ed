"""The learner `gumbel`: what it learns, what it keeps of a search, and that only the seed decides."""

import functools
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from gameforge_eval_mlp.policy import PolicyMlp
from gameforge_learn_gumbel.fitting import Fit
from gameforge_learn_gumbel.learner import Gumbel, Training
from gameforge_learn_gumbel.self_play import Examples, SelfPlay, play, turn
from reported import Reported, same, train

import gameforge as gf
from gameforge.config import Spec
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import Progress
from gameforge.memory import memory_of
from gameforge.play.player import Player
from gameforge.testing import check
from gameforge.testing.toy import Linear, Pile, Remainders
from gameforge.training.work import LocalSite

PILE = gf.Game(Pile(stones=21))
SINGLE = Spec("puct", {"simulations": 1, "select": "gumbel"})
SEARCHER = Gumbel().self_play_searcher
SMALL: dict[str, Any] = {"generations": 4, "games": 80, "window": 2, "batch": 64, "random_plies": 4, "rate": 0.01}


def pipeline(
    seed: int = 5, game: Any = PILE, evaluator: Any = None, registry: Registry | None = None, **changes: Any
) -> gf.Pipeline:
    return gf.Pipeline(
        game=game,
        searcher="puct:simulations=16,select=gumbel",
        evaluator=evaluator or PolicyMlp(hidden=16, second=0),
        features="none",
        oracle="none",
        learner=Gumbel(**(SMALL | changes)),
        seed=seed,
        registry=registry,
    )


@pytest.fixture(scope="module")
def whole() -> Reported:
    return train(pipeline())


def test_every_generation_plays_and_fits(whole: Reported) -> None:
    assert [progress.session for progress in whole.sessions] == [1, 2, 3, 4]
    assert [progress.games for progress in whole.sessions] == [80, 160, 240, 320]
    assert [progress.kept for progress in whole.sessions] == [f"generation {n}" for n in (1, 2, 3, 4)]
    for progress in whole.sessions:
        numbers = progress.numbers
        assert numbers["positions"] > 80
        assert 0 < numbers["entropy"] <= np.log(3)
        assert numbers["games_per_second"] > 0
    assert whole.sessions[-1].numbers["policy_loss"] < whole.sessions[0].numbers["policy_loss"]
    assert whole.trained.summary["games"] == 320
    steps = [step for step in whole.steps if step.session == 2]
    assert [step.games for step in steps if step.units == "games of self-play"] == [80, 112, 144, 160]
    assert next(step.done for step in steps if step.units == "steps of the fit") == 0


def test_it_learns_to_leave_a_multiple_of_four(whole: Reported) -> None:
    """With a single simulation, whose move is the one of the greatest logit, it plays like the theory."""

    def right(weights: Any) -> int:
        one = pipeline().parts().with_searcher(gf.default_registry().create("searcher", SINGLE, "pile"))
        player, kept = Player(one, weights), 0
        for stones in range(1, 22):
            position = gf.Game(Pile(stones=stones)).position()
            kept += stones % 4 == 0 or player.choose(position).code == stones % 4
        return kept

    found = train(pipeline(generations=6, games=150)).trained
    assert right(found.weights) >= 19
    assert right(found.initial_weights) < 16


def test_workers_change_nothing(whole: Reported) -> None:
    same(train(pipeline(), workers=3), whole)


def test_it_resumes_from_any_checkpoint(whole: Reported) -> None:
    for state, games, sessions in whole.states[:3]:
        same(train(pipeline(), saved=state), whole, games, sessions)


def test_the_trained_player_can_be_the_mean_of_the_last_generations(whole: Reported) -> None:
    """The games and nets of the generations stay the same, and a resumed training has the same mean."""
    found = train(pipeline(average=0.75))
    nets = [progress.weights for progress in whole.sessions]
    for net, progress in zip(nets, found.sessions, strict=True):
        np.testing.assert_array_equal(progress.weights, net)
    np.testing.assert_allclose(found.trained.weights, np.mean(nets[1:], axis=0), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(whole.trained.weights, nets[-1])
    for state, games, sessions in found.states[:3]:
        same(train(pipeline(average=0.75), saved=state), found, games, sessions)


def test_the_seed_decides(whole: Reported) -> None:
    assert not np.array_equal(train(pipeline(6, generations=1)).sessions[0].numbers, whole.sessions[0].numbers)


def test_a_checkpoint_of_another_training_is_refused(whole: Reported) -> None:
    with pytest.raises(GameforgeError, match="checkpoint does not match this training"):
        train(pipeline(evaluator=PolicyMlp(hidden=24, second=0)), saved=whole.states[0][0])
    state = whole.states[0][0]
    shorter = {name: array[:-1] if name == "shares 0" else array for name, array in state.arrays.items()}
    with pytest.raises(GameforgeError, match="different lengths"):
        train(pipeline(), saved=attrs.evolve(state, arrays=shorter))


def test_searches_leave_improved_policies_and_values() -> None:
    """The policy of the few positions of a small pile is sure of the winning move, and the values know the winner."""
    given = pipeline(game=gf.Game(Pile(stones=5)))
    parts = given.parts()
    site = LocalSite(given, parts)
    weights = parts.initial_weights(np.random.default_rng(1))
    how = SelfPlay(searcher=SEARCHER, weights=weights, by_visits=False, scale=1.0, random_plies=0, begin=7)
    found = play(site, how, 0, 20).examples
    assert found.counts.sum() == len(found.moves) == len(found.shares)
    places = np.cumsum(found.counts) - found.counts
    assert np.add.reduceat(found.shares, places) == pytest.approx(1)
    for i, (stones, _) in enumerate(found.states.tolist()):
        mine = slice(places[i], places[i] + found.counts[i])
        best = found.moves[mine][found.shares[mine].argmax()]
        if stones % 4:
            assert best == stones % 4
            assert found.values[i] > 0.9
        else:
            assert found.values[i] < -0.9


def test_games_depend_on_their_numbers_alone() -> None:
    given = pipeline()
    parts = given.parts()
    weights = parts.initial_weights(np.random.default_rng(1))
    how = SelfPlay(searcher=SEARCHER, weights=weights, by_visits=False, scale=1.0, random_plies=4, begin=7)
    play_some = functools.partial(play, LocalSite(given, parts), how)
    whole, parted = play_some(0, 10).examples, [play_some(0, 4).examples, play_some(4, 6).examples]
    for name, array in attrs.asdict(Examples.joined(parted), recurse=False).items():
        np.testing.assert_array_equal(array, getattr(whole, name))


def test_it_learns_by_puct_with_a_gate() -> None:
    """The search of AlphaZero: the policy learns the visits, and no number of workers or resumption changes the bits.

    A gate that no net passes leaves the initial one in self-play.
    """
    given = pipeline(search="puct", gate=0.5, gate_games=12, generations=2)
    whole = train(given)
    assert whole.sessions[-1].numbers["policy_loss"] < whole.sessions[0].numbers["policy_loss"]
    assert all(0 <= progress.numbers["gate_score"] <= 1 for progress in whole.sessions)
    assert [step.done for step in whole.steps if step.units == "games of the gate"] == [0, 12] * 2
    same(train(given, workers=3), whole)
    same(train(given, saved=whole.states[0][0]), whole, *whole.states[0][1:])
    closed = train(pipeline(search="puct", gate=1.0, gate_games=12, generations=1))
    assert np.array_equal(closed.trained.weights, closed.trained.initial_weights)


def test_shares_of_visits_are_kept_for_puct() -> None:
    """A move that wins for certain has all of them, and the temperature makes the games differ."""
    given = pipeline()
    parts = given.parts()
    weights = parts.initial_weights(np.random.default_rng(1))
    searcher = Gumbel(search="puct").self_play_searcher
    how = SelfPlay(searcher=searcher, weights=weights, by_visits=True, scale=1.0, random_plies=0, begin=7)
    found = play(LocalSite(given, parts), how, 0, 20)
    examples, end = found.examples, 0
    for state, n, value in zip(examples.states.tolist(), examples.counts.tolist(), examples.values, strict=True):
        shares, end = examples.shares[end : end + n], end + n
        assert shares.sum() == pytest.approx(1)
        if state[0] <= 3:  # one move takes all
            assert shares.max() == value == 1
    assert len({tuple(state) for state in examples.states.tolist()}) > 20


def test_moves_turn_with_their_positions() -> None:
    """The images of legal moves are those of the image of the position, and each keeps its share."""
    game = gf.game("othello")
    state = next(
        state
        for moves, _ in game.random_game(np.random.default_rng(3))
        if len(moves) == 9
        for state in [functools.reduce(game.play, moves, game.rules.initial())]
    )
    legal, number = game.legal(state), 40
    shares = np.arange(1, len(legal) + 1, dtype=np.float32)
    examples = Examples(
        states=np.array([state] * number, np.uint64),
        values=np.zeros(number, np.float32),
        results=np.zeros(number, np.float32),
        counts=np.full(number, len(legal)),
        moves=np.array(legal * number, np.uint64),
        shares=np.tile(shares, number),
    )
    turn(examples, game, np.random.default_rng(1))
    assert game.symmetries is not None
    images = {game.symmetries.state_image(state, i): i for i in range(game.symmetries.count)}
    for i, found in enumerate(map(tuple, examples.states.tolist())):
        expected = [game.symmetries.move_image(state, move, images[found]) for move in legal]
        assert examples.moves[i * len(legal) : (i + 1) * len(legal)].tolist() == expected
        assert sorted(expected) == sorted(game.legal(found))
    assert len({tuple(found) for found in examples.states.tolist()}) == len(images) == 8


def test_a_loss_that_is_not_a_number_ends_the_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence, after the generations before it were reported and kept."""
    monkeypatch.setattr(Fit, "step", lambda fit, chosen, number, rate, decay: np.full(3, np.nan))
    with pytest.raises(GameforgeError, match="the loss is not a number in generation 1; lower the rate"):
        train(pipeline())


class OneHot:
    """A net in NumPy for a pile: a score and three logits for each number of stones."""

    @staticmethod
    def rows(states: Any) -> Any:
        return np.eye(22)[np.asarray(states)[:, 0].astype(int)]

    def __call__(self, weights: Any, states: Any) -> Any:
        x = self.rows(states)
        return np.tanh(x @ weights["score"]), x @ weights["logits"]

    def slope(self, weights: Any, states: Any, scores: Any, logits: Any) -> Any:
        x = self.rows(states)
        return {"score": x.T @ (scores * (1 - np.tanh(x @ weights["score"]) ** 2)), "logits": x.T @ logits}

    @staticmethod
    def draw(rng: np.random.Generator) -> Any:
        return {"score": np.zeros(22), "logits": rng.normal(size=(22, 3))}

    @property
    def evaluator(self) -> Any:
        return gf.batch_evaluator(self, takes="states", policy=True, weights=self.draw, slope=self.slope)


NET = OneHot().evaluator
PLUGIN = f"""
from gameforge import Component, hookimpl

@hookimpl
def gameforge_components():
    toys = ("rules", "pile", "gameforge.testing.toy:Pile"), ("evaluator", "one-hot", "{__name__}:NET")
    return [Component(*toy, "a toy") for toy in toys]
"""


def of_python(evaluator: Any = None, **changes: Any) -> gf.Pipeline:
    few = Spec("puct", {"simulations": 4, "reuse": False})
    small: dict[str, Any] = {"generations": 3, "games": 40, "rate": 0.1, "searcher": few}
    return pipeline(evaluator=evaluator or OneHot().evaluator, **(small | changes))


@pytest.fixture(scope="module")
def in_python() -> Reported:
    return train(of_python())


class TestANetInPython:
    def test_it_learns(self, in_python: Reported) -> None:
        first, *_, last = (progress.numbers for progress in in_python.sessions)
        assert last["policy_loss"] < first["policy_loss"]
        assert last["value_loss"] < first["value_loss"]

    def test_neither_workers_nor_resuming_change_bits(self, in_python: Reported) -> None:
        same(train(of_python(), workers=3), in_python)
        same(train(of_python(), saved=in_python.states[0][0]), in_python, *in_python.states[0][1:])

    def test_workers_of_dask(self, tmp_path: Path) -> None:
        """They build the net by its name and play its games; the fit stays here."""
        distributed = pytest.importorskip("distributed", reason="the extra `distributed` is not installed")
        file = tmp_path / "piles.py"
        file.write_text(PLUGIN)
        given = of_python("one-hot", game="pile:stones=21", registry=Registry(load([file])), generations=2)
        with (
            distributed.LocalCluster(1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
            distributed.Client(cluster) as client,
        ):
            same(train(given, executor=client.get_executor()), train(of_python(generations=2)))

    def test_games_share_its_calls(self, in_python: Reported) -> None:
        given = OneHot().evaluator
        train(of_python(given, generations=1))
        assert given.cost.states / given.cost.calls > 8

    def test_the_contract_finds_a_wrong_slope(self) -> None:
        class Wrong(OneHot):
            def slope(self, *given: Any) -> Any:
                return {name: 1.2 * array for name, array in super().slope(*given).items()}

        assert not check("evaluator", OneHot().evaluator, game=PILE.rules).named("failed")
        assert check("evaluator", Wrong().evaluator, game=PILE.rules).named("failed") == (
            "slope is that of score and logits",
        )

    def test_a_gate_between_two_of_its_nets(self) -> None:
        found = train(of_python(generations=1, gate=0.5, gate_games=12, search="puct"))
        assert 0 <= found.sessions[0].numbers["gate_score"] <= 1

    def test_weights_have_names(self, in_python: Reported) -> None:
        net = OneHot().evaluator
        arrays = net.arrays_of(in_python.trained.weights)
        assert {name: array.shape for name, array in arrays.items()} == {"logits": (22, 3), "score": (22,)}
        assert np.array_equal(net.vector_of(arrays), in_python.trained.weights)

    def test_a_loss_that_is_not_a_number_keeps_finished_generations(self) -> None:
        class Bad(OneHot):
            factor = 1.0

            def slope(self, *given: Any) -> Any:
                return {name: array * self.factor for name, array in super().slope(*given).items()}

        finished, net = [], Bad()

        def spoil(progress: Progress) -> None:
            finished.append(progress.session)
            net.factor = np.nan

        with pytest.raises(GameforgeError, match="the loss is not a number in generation 2; lower the rate"):
            train(of_python(net.evaluator), listen=spoil)
        assert finished == [1]

    def test_a_net_of_another_game_is_refused(self) -> None:
        class Other(OneHot):
            def __call__(self, weights: Any, states: Any) -> Any:
                scores, logits = super().__call__(weights, states)
                return scores, logits[:, :2]

        class Fewer(OneHot):
            def slope(self, *given: Any) -> Any:
                return {"score": super().slope(*given)["score"]}

        with pytest.raises(GameforgeError, match=r"returned logits of the shape \(1, 2\); they must be"):
            train(of_python(Other().evaluator))
        with pytest.raises(GameforgeError, match=r"got the arrays score \(22,\); its weights are arrays logits 22x3"):
            train(of_python(Fewer().evaluator))
        with pytest.raises(GameforgeError, match="needs weights, slope and policy=True together"):
            gf.batch_evaluator(OneHot(), weights=OneHot.draw)

    def test_a_batch_that_does_not_fit_into_memory_is_told_before_the_first_game(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Large(OneHot):
            def slope(self, weights: Any, states: Any, scores: Any, logits: Any) -> Any:
                np.ones((len(states), 20_000))  # 160 kB a position
                return super().slope(weights, states, scores, logits)

        if memory_of(lambda: None) is None:
            pytest.skip("this system does not count the memory of a process")
        monkeypatch.setattr("gameforge.memory.available_memory", lambda: 10**9)
        monkeypatch.setattr(Training, "_play", lambda self: pytest.fail("a game was played"))
        with pytest.raises(GameforgeError, match=r"^learner gumbel: batch = 100000: a step of this net needs 1\d"):
            train(of_python(Large().evaluator, batch=100_000))


def test_a_window_that_does_not_fit_into_memory_is_told_after_the_first_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gameforge.memory.available_memory", lambda: 10**9)
    given = pipeline(generations=3000, window=1000, games=100_000)
    with pytest.raises(GameforgeError, match=r"^learner gumbel: a window of 1,000 generations of 100,000 games needs"):
        train(given)


def test_what_cannot_be_trained_is_refused() -> None:
    with pytest.raises(GameforgeError, match="Linear has no policy to train; choose an evaluator with one"):
        train(gf.Pipeline(game=PILE, searcher="puct", evaluator=Linear(), features=Remainders(), learner=Gumbel()))
    with pytest.raises(GameforgeError, match="searcher random counts no visits; choose puct or uct"):
        train(pipeline(searcher=Spec("random")))
    with pytest.raises(GameforgeError, match=r"learner gumbel: .*simulations"):
        train(pipeline(searcher=Spec("puct", {"simulations": 0})))
