"""All searchers, feature maps and trainable evaluators for draughts train together, and each choice matters."""

import contextlib
import itertools
import json
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

import gameforge as gf
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.learner import TrainingTask

GAME = "draughts"
FAST = {
    "minimax": "minimax:depth=2",
    "alphabeta": "alphabeta:depth=3",
    "uct": "uct:simulations=30,prior=2",
    "puct": "puct:simulations=30",
    "handicap": "handicap:searcher={use='minimax',depth=2}",
}
"""Settings that keep these games short and ask the evaluator; what is not named plays with its own."""
BLIND = ("random",)
"""Searchers that ask no evaluator."""
OF_OTHERS = ("vote", "engine", "ppo")
"""Searchers that are made of saved players or of another program, with evaluators of their own."""


def names(kind: str) -> list[str]:
    return default_registry().names(kind, GAME)


def pipeline(searcher: str = "minimax", features: str | None = "netfeaturemap", evaluator: str = "mlp") -> gf.Pipeline:
    return gf.Pipeline(
        game=GAME,
        searcher=FAST.get(searcher, searcher),
        features=features,
        evaluator=evaluator,
        learner="td:sessions=2,games=2",
        oracle="none",
    )


@attrs.frozen
class Result:
    """The result of a short training."""

    inputs: int
    initial: bytes
    weights: bytes
    games: tuple[tuple[int, ...], ...]


def trained(searcher: str = "minimax", features: str = "netfeaturemap", evaluator: str = "mlp") -> Result:
    pipe = pipeline(searcher, features, evaluator)
    parts = pipe.parts()
    games: list[GameRecord] = []
    finals: list[Any] = []
    task = TrainingTask(
        parts=parts,
        seed=np.random.SeedSequence(3),
        game_finished=games.append,
        session_finished=lambda progress: finals.append(progress.weights.copy()),
    )
    result = pipe.learner.train(task)
    net, _ = parts.trainable()
    moves = tuple(game.codes for game in games if game.phase == "training")
    return Result(net.features.inputs, result.initial_weights.tobytes(), finals[-1].tobytes(), moves)


def is_trainable(evaluator: str) -> bool:
    for features in ("netfeaturemap", None):
        with contextlib.suppress(GameforgeError):
            pipeline(features=features, evaluator=evaluator).parts().trainable()
            return True
    return False


def has_weights(evaluator: str) -> bool:
    with contextlib.suppress(GameforgeError):
        pipeline(features=None, evaluator=evaluator).parts().tunable()
        return True
    return is_trainable(evaluator)


@pytest.fixture(scope="module", params=[5, pytest.param(1, marks=pytest.mark.slow)])
def combinations(request: pytest.FixtureRequest) -> list[tuple[str, str, str]]:
    """All combinations, or every fifth one: with each part in some of them."""
    evaluators = [name for name in names("evaluator") if is_trainable(name)]
    assert "mlp" in evaluators
    searchers = [name for name in names("searcher") if name not in OF_OTHERS]
    chosen = list(itertools.product(searchers, names("features"), evaluators))[:: request.param]
    for place, parts in enumerate((searchers, names("features"), evaluators)):
        assert {combination[place] for combination in chosen} == {*parts}
    return chosen


def test_every_combination_trains_and_each_net_differently(combinations: list[tuple[str, str, str]]) -> None:
    results = {combination: trained(*combination) for combination in combinations}
    assert len(results) >= 3
    for combination, result in results.items():
        assert len(result.games) == 4, combination
        assert result.weights != result.initial, combination
        assert trained(*combination) == result, combination
    for one, other in itertools.combinations(results, 2):
        if one[1:] == other[1:]:
            continue  # searchers may agree on every move
        assert results[one].weights != results[other].weights, (one, other)
        if one[0] not in BLIND or other[0] not in BLIND:
            assert results[one].games != results[other].games, (one, other)


@pytest.mark.parametrize(
    ("features", "inputs"),
    [("netfeaturemap", 47), ("netfeaturemap:set=neurodraughts", 38), ("binarymap", 96), ("directmap", 32)],
)
def test_the_feature_map_decides_about_the_inputs(features: str, inputs: int) -> None:
    assert trained(features=features).inputs == inputs


@pytest.mark.parametrize(
    "change",
    [
        {"searcher": "minimax:depth=1"},
        {"features": "binarymap"},
        {"features": "netfeaturemap:set=neurodraughts"},
        {"evaluator": "mlp:hidden=8"},
        {"evaluator": "mlp:direct=true"},
    ],
    ids=str,
)
def test_one_other_part_makes_another_training(change: dict[str, str]) -> None:
    usual, other = trained(), trained(**change)
    assert usual.games != other.games
    assert usual.weights != other.weights


def test_another_searcher_starts_from_the_same_net() -> None:
    """The searchers differ only in the games, and therefore in the weights."""
    usual, other = trained(), trained(searcher="minimax:depth=3")
    assert usual.initial == other.initial
    assert usual.weights != other.weights


def test_what_cannot_be_trained_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    refused = [name for name in names("evaluator") if not has_weights(name)]
    assert "material" in refused
    for name in refused:
        with pytest.raises(GameforgeError) as error:
            pipeline(features=None, evaluator=name).run(tmp_path / name)
        assert "weights" in str(error.value) or "is missing" in str(error.value)  # as a parameter without a default
        assert "\n" not in str(error.value)
        assert not (tmp_path / name).exists()


def test_loop_draws_are_counted_apart(tmp_path: Path) -> None:
    """A strict repetition rule makes loops; the figures are those of the games."""
    table = {"game": {"use": GAME, "repetition": 2}, "searcher": "minimax:depth=1", "oracle": "none"}
    pipe = gf.Pipeline.from_settings(table | {"learner": "td:sessions=2,games=20"})
    run = pipe.run(tmp_path / "run", seed=1)
    lines = [json.loads(line) for line in (run.folder / "metrics.jsonl").read_text().splitlines()]
    assert run.trained is not None
    assert run.trained.summary["loops"] == sum(line["loops"] for line in lines) > 0
    assert all(0 <= line["loops"] <= line["draws"] for line in lines)
