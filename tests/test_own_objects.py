"""Functions and objects of one's own as evaluators and searchers, and what happens if they fail."""

import logging
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gameforge as gf
from gameforge.cli.figures import score_text
from gameforge.errors import ComponentError
from gameforge.play.game import Move, Position
from gameforge.play.player import score_unit
from gameforge.testing import check

OTHELLO = gf.game("othello")


def mobility(position: Position) -> float:
    """Few moves are bad."""
    return len(position.codes) / 64


def discs(planes: Any) -> Any:
    """Own discs minus the opponent's."""
    return (planes[:, 0].sum((1, 2)) - planes[:, 1].sum((1, 2))) / 64


class Last:
    """Chooses the last legal move, and keeps the positions that it saw."""

    def __init__(self, as_text: bool = False) -> None:
        self.as_text = as_text
        self.seen: list[Position] = []

    def choose(self, position: Position) -> Move | str:
        self.seen.append(position)
        move = position.legal_moves[-1]
        return str(move) if self.as_text else move


class Constant:
    """Gives every position the same score."""

    def __init__(self, score: float) -> None:
        self.score = score

    def __call__(self, position: Position) -> float:
        return self.score


def player(evaluator: Any = mobility, searcher: Any = "minimax:depth=1", name: str = "own") -> gf.Player:
    return gf.player("othello", searcher=searcher, evaluator=evaluator, name=name)


class TestEvaluators:
    def test_a_function_of_a_position(self) -> None:
        """At depth 1, minimax returns the best negated score of a child."""
        start = OTHELLO.position()
        expected = max(-mobility(start.play(move)) for move in start.legal_moves)
        assert player().analyse(start).score == expected

    @pytest.mark.parametrize("searcher", ["minimax:depth=2", "alphabeta:depth=2", "uct:simulations=20"])
    def test_with_every_searcher(self, searcher: str) -> None:
        assert len(gf.match(player(searcher=searcher), "random", 2, seed=1, progress=False).games) == 2

    def test_positions_planes_and_states_give_the_same_scores(self) -> None:
        def of_positions(positions: Sequence[Position]) -> list[float]:
            assert all(isinstance(one, Position) for one in positions)
            return [discs_of(one) for one in positions]

        def of_states(states: Any) -> Any:
            assert states.dtype == np.uint64
            return [discs_of(Position(OTHELLO, tuple(map(int, state)))) for state in states]

        def discs_of(position: Position) -> float:
            text = position.fen
            own, other = ("X", "O") if text.endswith("X") else ("O", "X")
            return (text[:64].count(own) - text[:64].count(other)) / 64

        players = [
            player(gf.batch_evaluator(function, takes=takes), "alphabeta:depth=3")
            for function, takes in ((of_positions, "positions"), (discs, "planes"), (of_states, "states"))
        ]
        here = OTHELLO.position()
        for _ in range(6):
            first, *others = [one.analyse(here) for one in players]
            assert all((one.move, one.score, one.nodes) == (first.move, first.score, first.nodes) for one in others)
            here = here.play(first.move)

    @pytest.mark.parametrize("game", ["draughts", "othello", "morris"])
    def test_planes_hold_each_cell_once(self, game: str) -> None:
        found: list[Any] = []

        def score(planes: Any) -> Any:
            found.append(planes)
            return np.zeros(len(planes))

        with_cells = gf.game(game)
        cells = with_cells.cells
        assert cells is not None
        one = gf.player(game, searcher="minimax:depth=1", evaluator=gf.batch_evaluator(score, takes="planes"))
        one.choose(with_cells.position())
        planes = np.concatenate(found)
        codes = len(cells.codes)
        rows, columns = (max(place[axis] for place in cells.places) for axis in (0, 1))
        assert planes.shape[1:] == (codes + len(cells.numbers), rows + 1, columns + 1)
        assert planes.dtype == np.float32
        assert set(np.unique(planes[:, :codes])) <= {0.0, 1.0}
        assert planes[:, :codes].sum(1).max() == 1.0
        places = {(row, column) for _, row, column in np.argwhere(planes[:, :codes].sum(1) > 0)}
        assert places <= set(cells.places)

    def test_numbers_fill_their_channel(self) -> None:
        """The start of Othello: two discs each; numbers after the cells are the same everywhere."""
        [found] = OTHELLO.planes([OTHELLO.rules.initial()])
        assert found[:2].sum((1, 2)).tolist() == [2.0, 2.0]
        assert all(len(np.unique(channel)) == 1 for channel in found[2:])

    def test_the_settings_name_the_function(self) -> None:
        assert player().spec["evaluator"] == {"use": "mobility"}
        assert player(lambda position: 0.0).spec["evaluator"] == {"use": "lambda"}
        assert player(gf.batch_evaluator(discs, takes="planes")).spec["evaluator"] == {"use": "discs"}

    def test_a_net_of_jax(self) -> None:
        jax = pytest.importorskip("jax", reason="jax is not installed")
        sizes = set()

        def net(planes: Any) -> Any:
            sizes.add(planes.shape[0])  # while JAX traces the function, once for each shape
            return jax.numpy.tanh(planes[:, 0].sum((1, 2)) - planes[:, 1].sum((1, 2)))[:, None] / 2

        evaluator = gf.jax_evaluator(net)
        planes = np.random.default_rng(1).random((5, 3, 8, 8)).astype(np.float32)
        expected = np.tanh(planes[:, 0].sum((1, 2)) - planes[:, 1].sum((1, 2))) / 2
        assert np.allclose(evaluator.function(planes), expected, atol=1e-5)
        assert sizes == {8}
        both = gf.jax_evaluator(lambda planes: (net(planes), jax.numpy.zeros((len(planes), 65))), policy=True)
        scores, logits = both.function(planes)
        assert np.allclose(scores, expected, atol=1e-5)
        assert logits.shape == (5, 65)
        assert len(gf.match(player(evaluator), "random", 2, seed=1, progress=False).games) == 2
        with pytest.raises(gf.GameforgeError, match=r"^device = 'abacus': JAX cannot use it"):
            gf.jax_evaluator(net, device="abacus")

    def test_a_net_of_torch(self) -> None:
        torch = pytest.importorskip("torch", reason="torch is not installed")
        net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.LazyLinear(1), torch.nn.Tanh())
        net(torch.from_numpy(OTHELLO.planes([OTHELLO.rules.initial()])))
        evaluator = gf.torch_evaluator(net)

        class Both(torch.nn.Module):
            def forward(self, planes: Any) -> Any:
                return net(planes), torch.zeros((len(planes), 65))

        both = gf.torch_evaluator(Both(), policy=True)
        assert both.function(OTHELLO.planes([OTHELLO.rules.initial()] * 3))[1].shape == (3, 65)
        assert len(gf.match(player(evaluator), "random", 2, seed=1, progress=False).games) == 2
        with pytest.raises(gf.GameforgeError, match=r"^device = 'abacus': PyTorch cannot use it"):
            gf.torch_evaluator(net, device="abacus")

    @pytest.mark.parametrize("library", ["jax", "torch"])
    def test_a_net_that_learners_train(self, library: str) -> None:
        """Its answers and slopes are those of the formula, in a batch of any size; its player has the weights."""
        rng = np.random.default_rng(1)
        arrays = {"logits": rng.normal(size=(65, 512)) / 50, "score": rng.normal(size=(1, 512)) / 50}
        weights = {name: array.astype(np.float32) for name, array in arrays.items()}
        evaluator = jax_net(weights) if library == "jax" else torch_net(weights)
        with pytest.raises(gf.GameforgeError, match=rf"^{library}_evaluator: learners train scores and a policy; the"):
            jax_net(weights, policy=False) if library == "jax" else torch_net(weights, policy=False)
        here = OTHELLO.position()
        states = np.array([here.state, here.play(here.legal_moves[0]).state] * 3, np.uint64)
        batch, slopes = OTHELLO.planes(states), (rng.normal(size=6), rng.normal(size=(6, 65)))
        x = batch.reshape(6, -1)
        score = np.tanh(x @ weights["score"].T)[:, 0]
        found = evaluator.function(evaluator.place(weights), batch)
        assert np.allclose(found[0], score, atol=1e-5)
        assert np.allclose(found[1], x @ weights["logits"].T, atol=1e-5)
        gradient = evaluator.slope(evaluator.place(weights), batch, *slopes)
        assert np.allclose(gradient["score"], (slopes[0] * (1 - score**2))[None] @ x, atol=1e-4)
        assert np.allclose(gradient["logits"], slopes[1].T @ x, atol=1e-4)
        one = gf.player("othello", searcher="puct:simulations=4", evaluator=evaluator)
        assert np.array_equal(one.weights, evaluator.vector_of(weights))
        assert one.choose(here) in here.legal_moves

    @pytest.mark.parametrize("library", ["jax", "torch"])
    def test_threads_with_different_weights_do_not_disturb_each_other(self, library: str) -> None:
        """As in a match of two generations, or in self-play by two workers."""
        rng = np.random.default_rng(1)
        shapes = {"logits": (65, 512), "score": (1, 512)}
        several = [{name: rng.normal(size=of).astype(np.float32) for name, of in shapes.items()} for _ in range(4)]
        evaluator = jax_net(several[0]) if library == "jax" else torch_net(several[0])
        batch = np.repeat(OTHELLO.planes([OTHELLO.rules.initial()]), 64, axis=0)
        alone = [evaluator.function(evaluator.place(weights), batch)[1] for weights in several]
        start = threading.Barrier(len(several))

        def differing(i: int) -> int:
            start.wait()
            weights = evaluator.place(several[i])
            return sum(not np.array_equal(evaluator.function(weights, batch)[1], alone[i]) for _ in range(200))

        with ThreadPoolExecutor(len(several)) as pool:
            assert list(pool.map(differing, range(len(several)))) == [0] * len(several)

    def test_a_library_that_is_absent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, make in (("torch", gf.torch_evaluator), ("jax", gf.jax_evaluator)):
            monkeypatch.setitem(__import__("sys").modules, name, None)
            with pytest.raises(gf.GameforgeError, match=f"^{name}_evaluator: {name} is not installed; install it"):
                make(discs)


def jax_net(weights: Any, policy: bool = True) -> Any:
    jax = pytest.importorskip("jax", reason="jax is not installed")

    def net(weights: Any, planes: Any) -> Any:
        x = planes.reshape(len(planes), -1)
        return jax.numpy.tanh(x @ weights["score"].T), x @ weights["logits"].T

    return gf.jax_evaluator(net, weights=weights, policy=policy)


def torch_net(weights: Any, policy: bool = True) -> Any:
    torch = pytest.importorskip("torch", reason="torch is not installed")

    class Net(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.score, self.logits = (torch.nn.Parameter(torch.from_numpy(weights[name])) for name in NAMES)

        def forward(self, planes: Any) -> Any:
            x = planes.flatten(1)
            return torch.tanh(x @ self.score.T), x @ self.logits.T

    return gf.torch_evaluator(Net(), trainable=True, policy=policy)


NAMES = ("score", "logits")


class TestContract:
    """Objects of one's own are checked as other components are."""

    @pytest.mark.parametrize(
        ("kind", "component"),
        [("searcher", Last()), ("evaluator", mobility), ("evaluator", gf.batch_evaluator(discs, takes="planes"))],
    )
    def test_is_kept(self, kind: str, component: object) -> None:
        report = check(kind, component, game="othello")
        assert not report.named("failed"), str(report)
        assert report.made > 2


class TestSearchers:
    @pytest.mark.parametrize("as_text", [False, True])
    def test_an_object_with_choose(self, as_text: bool) -> None:
        start = OTHELLO.position()
        assert player(searcher=Last(as_text)).choose(start) == start.legal_moves[-1]

    @pytest.mark.parametrize("searcher", [Last(), "random"])
    def test_without_scores_none_are_shown(self, searcher: Any) -> None:
        unscored = player(searcher=searcher)
        found = unscored.analyse(OTHELLO.position())
        assert str(found).startswith(f"{found.move}: no score")
        assert score_text(found.score, score_unit(unscored)) == "no score"
        assert score_text(1.0, score_unit(unscored)) == "win"

    def test_it_sees_the_game_that_led_to_the_position(self) -> None:
        last = Last()
        result = gf.match(player(searcher=last), "random", 2, openings=2, seed=3, progress=False)
        games = {tuple(map(str, moves(one))) for one in result.games}
        assert last.seen
        for position in last.seen:
            assert position.outcome is None
            played = tuple(map(str, moves_of(position)))
            assert any(game[: len(played)] == played for game in games)
        assert max(len(position.moves_played) for position in last.seen) > 40

    def test_every_thread_has_its_own_games(self) -> None:
        one, other = (gf.match(player(searcher=Last()), "random", 8, seed=3, workers=n, progress=False) for n in (1, 3))
        assert one == other

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            ("zz", r"Silly: choose\(position\): 'zz' is not a move such as"),
            (3, r"Silly: choose\(position\) returned 3, which is neither a Move nor a move's text$"),
            (
                Move(OTHELLO.position(), 0),
                r"Silly: choose\(position\) returned Move\(.*, which is not a legal move of Position",
            ),
            (None, r"Silly: choose\(position\) returned None, which is neither a Move nor a move's text$"),
        ],
    )
    def test_what_is_not_a_move(self, answer: Any, message: str) -> None:
        class Silly:
            def choose(self, position: Position) -> Any:
                return answer

        with pytest.raises(gf.GameforgeError, match=message):
            gf.match(player(searcher=Silly()), "random", 2, progress=False)


def moves(record: Any) -> list[str]:
    """The moves of a record as texts."""
    return moves_of(Position(OTHELLO, record.start), [getattr(move, "code", move) for move in record.codes])


def moves_of(position: Position, codes: Sequence[int] | None = None) -> list[str]:
    """The moves that led to a position, or that follow it, as texts."""
    here, texts = (position.start, position.moves_played) if codes is None else (position, codes), []
    here, codes = here
    for code in codes:
        texts.append(str(Move(here, code)))
        here = here.after(code)
    return texts


class TestFailures:
    def test_a_crash_is_raised(self) -> None:
        with pytest.raises(ComponentError, match=r"<lambda> raised ZeroDivisionError: division by zero") as raised:
            gf.match(player(lambda position: 1 / 0), "random", 2, progress=False)
        assert isinstance(raised.value.__cause__, ZeroDivisionError)

    def test_an_error_of_gameforge_in_ones_own_function_is_named_after_it(self) -> None:
        with pytest.raises(gf.GameforgeError, match=r"^evaluator .*<lambda>: .*'nowhere'"):
            gf.match(player(lambda position: len(position.play("nowhere").legal_moves)), "random", 2, progress=False)

    @pytest.mark.parametrize(
        ("evaluator", "message"),
        [
            (lambda position: float("nan"), r"<lambda> returned the score nan; scores must be from -1 to 1"),
            (lambda position: None, r"<lambda> returned the score None; it must be a number from -1 to 1"),
            (lambda position: [0.5], r"<lambda> returned the score \[0\.5\]; it must be a number from -1 to 1"),
            (Constant(1.5), r"test_own_objects\.Constant returned the score 1\.5; scores must be from -1 to 1"),
            (lambda position: 1.5, r"<lambda> returned the score 1\.5; scores must be from -1 to 1"),
            (lambda position: "a", r"<lambda> returned the score 'a'; it must be a number from -1 to 1"),
            (gf.batch_evaluator(lambda positions: [0.0, 0.0, 0.0]), r"returned float64 of the shape \(3,\); it must"),
        ],
    )
    def test_wrong_scores_are_raised(self, evaluator: Any, message: str) -> None:
        with pytest.raises(gf.GameforgeError, match=message):
            gf.match(player(evaluator), "random", 2, progress=False)

    def test_forfeits_are_logged_once_for_each_reason(self, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.WARNING, "gameforge"):
            result = gf.match(player(lambda position: 1 / 0), "random", 4, on_error="forfeit", progress=False)
        assert result.forfeits == (4, 0)
        [record] = caplog.records
        assert record.getMessage() == "own raised an exception and lost a game"
        assert record.exc_info is not None
        assert record.exc_info[0] is ZeroDivisionError

    def test_another_word(self) -> None:
        with pytest.raises(gf.GameforgeError, match=r"^on_error = 'ignore': must be 'raise' or 'forfeit'$"):
            gf.match("random", "random", 2, game="othello", on_error="ignore", progress=False)  # type: ignore[arg-type]

    def test_a_crash_ends_a_training(self, tmp_path: Path) -> None:
        """A learner's games raise it, too, instead of counting as lost."""
        pipeline = gf.Pipeline(
            game="othello",
            searcher="uct:simulations=5,prior=10",
            evaluator=lambda position: 1 / 0,
            learner={"use": "cem", "iterations": 1, "samples": 2, "games": 2, "tune": {"searcher.cp": "0.2..2.0"}},
        )
        with pytest.raises(ComponentError, match="<lambda> raised ZeroDivisionError"):
            pipeline.run(tmp_path / "run", yardstick=None)

    def test_other_processes_cannot_build_an_object(self, tmp_path: Path) -> None:
        pipeline = gf.Pipeline(
            game="othello",
            searcher="uct:simulations=5,prior=10",
            evaluator=mobility,
            learner={"use": "cem", "iterations": 1, "samples": 2, "games": 2, "tune": {"searcher.cp": "0.2..2.0"}},
        )
        message = r"^executor: other processes cannot build the evaluator mobility, .* register it as a plugin, or omit"
        with ProcessPoolExecutor(1) as executor, pytest.raises(gf.GameforgeError, match=message):
            pipeline.run(tmp_path / "run", yardstick=None, executor=executor)


class TestWrongTypes:
    @pytest.mark.parametrize(
        ("action", "message"),
        [
            (
                lambda: gf.match(mobility, "random"),
                r"^player <function mobility .*>: must be a Player or a player's text",
            ),
            (lambda: OTHELLO.position().play(970), r"^move 970: must be a Move or its text; Position\.after takes"),
            (
                lambda: OTHELLO.position((1, 2)),
                r"^position \(1, 2\): must be text, as Position\.fen; Position\(game, st",
            ),
            (lambda: gf.player("runs/nope"), r"^player 'runs/nope': there is no such folder, nor a game of this name$"),
            (lambda: gf.player("othello", searcher=Last), r"^searcher: Last is a class; give an object of it, Last\("),
            (
                lambda: gf.player("othello", Last()),  # type: ignore[arg-type]
                r"^trained = <.*Last object .*>: must be a name; objects are given as searcher=\.\.\. or evaluator=",
            ),
            (lambda: player(Last), r"^evaluator: Last is a class; give an object of it, Last\(\.\.\.\)$"),
            (
                lambda: player(object()),
                r"^evaluator: object object is neither a function of a Position nor an object w",
            ),
            (
                lambda: player(searcher=object()),
                r"^searcher: builtins\.object object has neither choose\(position\) nor",
            ),
            (lambda: gf.batch_evaluator(3), r"^batch_evaluator: 3 is not a function$"),
            (lambda: gf.batch_evaluator(len, takes="x"), r"^takes = 'x': must be 'positions', 'planes' or 'states'$"),
            (
                lambda: gf.player("othello", "strong:level=3", level=2),
                r"^player 'strong:level=3' already names a level;",
            ),
        ],
    )
    def test_the_caller_is_told(self, action: Any, message: str) -> None:
        with pytest.raises(gf.GameforgeError, match=message):
            action()

    def test_a_level_in_the_name(self) -> None:
        assert (
            gf.player("othello", "strong:level=2").parts.searcher
            == gf.player("othello", "strong", level=2).parts.searcher
        )
