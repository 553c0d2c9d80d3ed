"""The convolutional net: its contract, its formula and slopes, what it learns, and its errors."""

import zlib
from typing import Any

import attrs
import numpy as np
import pytest
from conv_reference import Layers
from gameforge_eval_mlp.conv import Conv
from reported import same, train

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces import Cells, Spec
from gameforge.kernel import U1, U3
from gameforge.kernel.assembly import compiled_evaluator
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.kernel.types import Words
from gameforge.testing import check
from gameforge.testing.toy import Pile
from gameforge.testing.uncompiled import uncompiled

PLACES = tuple((r, c) for r in range(3) for c in range(5) if (r + c) % 4 != 1 or r == 2)


class Board(Pile):
    """The pile with its stones on a board of 3 x 5 places, three of which are not cells."""

    @property
    def cells(self) -> Cells:
        return attrs.evolve(super().cells, places=PLACES, names=())


MINUS_THREE = np.uint64(2**64 - 3)


def cells_and_numbers(data: Words, s: Words, planes: Words) -> None:
    planes[0], planes[1], planes[2] = (U1 << s[0]) - U1, s[0] & U3, MINUS_THREE


class Numbered(Board):
    """The same with two numbers."""

    @property
    def cells(self) -> Cells:
        return attrs.evolve(super().cells, cells=cells_and_numbers, numbers=("remainder", "minus three"))


def test_it_keeps_the_contract() -> None:
    """Among the rest: logits are finite, and the gradients of both heads are those of finite differences."""
    passed = check("evaluator", Conv(blocks=2, channels=16), game=gf.Game(Pile())).require().named("passed")
    assert {"slope is that of score and logits", "gradient is the slope of evaluate"} <= set(passed)


class Net:
    """A net with random weights for the board with five stones, and what it makes of it."""

    STATE = (5, 0)
    MOVES = (1, 2, 3)

    def __init__(self, net: Conv, game: gf.Game, compiled: bool) -> None:
        self.net, self.game = net, game
        component: Any = net
        if not compiled:
            component = uncompiled("gameforge_eval_mlp.conv").Conv(blocks=net.blocks, channels=net.channels)
        functions = component.functions(game.rules, None)
        drawn = np.random.default_rng(1).integers(-512, 513, functions.vector.length)  # the same on every machine
        self.weights = drawn.astype(np.float32) / 2048
        called = compiled_evaluator(functions, self.weights) if compiled else functions
        slope = compiled_function("slope", functions.slope) if compiled else functions.slope
        n, moves, state = np.uint64(3), np.array(self.MOVES, np.uint64), np.array(self.STATE, np.uint64)
        x, self.logits = np.full(functions.scratch, 7, np.float32), np.zeros(3)
        self.score = float(call(called.evaluate, called.data, self.weights, state, x))
        call(called.policy, called.data, self.weights, state, moves, n, x, self.logits)
        self.factors = np.array([0.7, -0.4, 0.9, 0.3], np.float32)
        self.slopes = np.zeros_like(self.weights)
        call(slope, called.data, self.weights, state, moves, n, x, self.factors, self.slopes)

    def formula(self, weights: Any, numbers: Any = np) -> tuple[Any, Any]:
        """Value and logits of the moves, by another library than numpy if it is given."""
        [planes] = self.game.planes([self.STATE])
        cells = self.game.cells
        assert cells is not None
        layers = Layers.of(self.net, weights, planes[0], len(cells.codes), len(cells.numbers), 3)
        return layers.scores(planes[:1], planes[1:, 0, 0], numbers)

    def total(self, weights: Any, numbers: Any = np) -> Any:
        """What the slopes are the gradient of."""
        value, logits = self.formula(weights, numbers)
        return self.factors[0] * value + self.factors[1:] @ logits


@pytest.fixture(scope="module")
def compiled() -> Net:
    return Net(Conv(blocks=2, channels=32), gf.Game(Board()), compiled=True)


@pytest.fixture(scope="module")
def plain() -> Net:
    return Net(Conv(blocks=1, channels=16), gf.Game(Numbered()), compiled=False)


@pytest.mark.parametrize("which", ["compiled", "plain"])
def test_heads_and_slopes_follow_the_formula(which: str, request: pytest.FixtureRequest) -> None:
    """Slopes are those of finite differences in float64, for weights of all parts of the vector."""
    net: Net = request.getfixturevalue(which)
    weights = net.weights.astype(np.float64)
    value, logits = net.formula(weights)
    assert net.score == pytest.approx(value, abs=1e-5)
    assert net.logits == pytest.approx(logits, abs=1e-4)
    ends = np.arange(60), np.arange(len(weights) - 150, len(weights))
    chosen = np.concatenate([*ends, np.random.default_rng(2).integers(len(weights), size=150)])
    for i in chosen:
        up, down = (weights + step * (np.arange(len(weights)) == i) for step in (1e-6, -1e-6))
        assert net.slopes[i] == pytest.approx((net.total(up) - net.total(down)) / 2e-6, abs=1e-4, rel=1e-4)


def test_the_bits_are_the_same_on_every_machine(compiled: Net) -> None:
    """Those of the value, the logits and all slopes."""
    assert zlib.crc32(np.array([compiled.score, *compiled.logits]).tobytes()) == 648718074
    assert zlib.crc32(compiled.slopes.tobytes()) == 2754476057


def test_slopes_are_those_of_jax(compiled: Net) -> None:
    """Of all weights."""
    jax = pytest.importorskip("jax", reason="jax is not installed")
    gradient = jax.grad(lambda weights: net.total(weights, jax.numpy))
    net = compiled
    np.testing.assert_allclose(net.slopes, np.asarray(gradient(jax.numpy.asarray(net.weights))), atol=1e-4, rtol=1e-3)


def pipeline(**changes: Any) -> gf.Pipeline:
    settings: dict[str, Any] = {"generations": 3, "games": 40, "batch": 32, "random_plies": 4, "rate": 0.01} | changes
    return gf.Pipeline(
        game=gf.Game(Pile()),
        searcher="puct:simulations=16,select=gumbel",
        evaluator=Conv(blocks=1, channels=16),
        learner=Spec("gumbel", settings),
        features="none",
        oracle="none",
        seed=5,
    )


def test_it_learns_the_same_for_any_number_of_workers() -> None:
    one = train(pipeline())
    assert one.sessions[-1].numbers["policy_loss"] < one.sessions[0].numbers["policy_loss"]
    same(train(pipeline(), workers=2), one)


def test_wrong_settings_are_named() -> None:
    with pytest.raises(GameforgeError, match="conv: pile offers no cells; policy-mlp needs none"):
        Conv().functions(type("Bare", (Pile,), {"cells": None})(), None)
    far = attrs.evolve(Pile().cells, places=((0, 0), (99, 99), *((0, n) for n in range(1, 11))), names=())
    with pytest.raises(GameforgeError, match="the board of pile has 100 x 100 places; at most 256 are allowed"):
        Conv().functions(type("Far", (Pile,), {"cells": far})(), None)
    with pytest.raises(GameforgeError, match=r"would have 75,5.* weights; at most 67,108,864 are allowed"):
        Conv(blocks=64, channels=256).functions(Pile(), None)
    with pytest.raises(GameforgeError, match=r"channels.*must be a multiple of 16"):
        gf.player("othello", searcher="puct:simulations=2", evaluator="conv:channels=40")
