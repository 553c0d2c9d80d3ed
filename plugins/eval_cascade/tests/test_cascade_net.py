"""The net's value, its gradient, and vectors that are no nets."""

from typing import Any

import numpy as np
import pytest
from cascade_toys import FUNCTIONS, random_net, value
from gameforge_eval_cascade import cascade as net
from gameforge_eval_cascade.cascade import ACTIVATIONS, Cascade, Layout, activate, slope
from uncompiled import printed_uncompiled

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import NetFunctions
from gameforge.kernel import simd
from gameforge.kernel.bits import at
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.kernel.compile.jit import kernel
from gameforge.play.player import Player
from gameforge.play.saved_players import save_player
from gameforge.play.workshop import Workshop
from gameforge.testing.toy import Greedy, Pile, Remainders

_0 = np.uint64(0)
SIZES = [(1, 3, 0), (1, 1, 1), (4, 7, 7), (5, 8, 8), (12, 40, 9), (3, 31, 31), (128, 50, 50), (2, 70, 33)]


def settings(form: Layout) -> Any:
    return np.array([form.inputs, form.stride, form.matrix, form.room], np.uint64)


def inputs(form: Layout, x: Any) -> Any:
    block = np.full(form.inputs + 3 * form.stride + 8, 7, np.float32)
    block[: form.inputs] = x
    return block


@pytest.mark.parametrize(("count", "room", "units"), SIZES)
def test_value_is_that_of_the_formula(count: int, room: int, units: int) -> None:
    form, forward = Layout(count, room), compiled_function("forward", net.forward)
    for seed in range(5):
        vector = random_net(form, units, seed)
        form.check(vector)
        x = np.random.default_rng(seed).integers(0, 2, count).astype(np.float32)
        block = inputs(form, x)
        assert call(forward, settings(form), vector, block) == pytest.approx(value(form, vector, x), abs=2e-5)
        assert (block[:count] == x).all()
        assert (block[-8:] == 7).all()


@pytest.mark.parametrize(("count", "room", "units"), SIZES)
def test_gradient_is_that_of_finite_differences(count: int, room: int, units: int) -> None:
    """Of the formula in float64; places of no weight stay 0."""
    form = Layout(count, room)
    forward, backward = compiled_function("forward", net.forward), compiled_function("backward", net.backward)
    rng = np.random.default_rng(units)
    vector, x = random_net(form, units, 3, 0.3), rng.uniform(-1, 1, count).astype(np.float32)
    block, trace = inputs(form, x), np.zeros(form.length, np.float32)
    call(forward, settings(form), vector, block)
    call(backward, settings(form), vector, block, trace)
    weights = np.flatnonzero(vector[form.matrix :]) + form.matrix
    for place in rng.permutation(weights)[:60]:
        ends = []
        for step in (1e-5, -1e-5):
            moved = vector.astype(np.float64)
            moved[place] += step
            ends.append(value(form, moved, x))
        assert trace[place] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-4)
    elsewhere = np.ones(form.length, bool)
    elsewhere[weights] = False
    assert not trace[elsewhere].any()


@kernel
def functions(code: int, x: Any, y: Any, dy: Any) -> None:
    for i in range(_0, np.uint64(len(x)), np.uint64(8)):
        a = simd.load(at(x, _0), i)
        b = activate(code, a)
        simd.store(at(y, _0), i, b)
        simd.store(at(dy, _0), i, slope(code, a, b))


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation_functions_and_slopes(name: str) -> None:
    x = np.concatenate([np.linspace(-12, 12, 4000), np.linspace(-300, 300, 800)]).astype(np.float32)
    near = np.maximum(1, np.abs(x) / 12)  # a float32 of 300 is no more exact
    y, dy = np.zeros_like(x), np.zeros_like(x)
    functions(ACTIVATIONS.index(name), x, y, dy)
    exact, wide = FUNCTIONS[name], x.astype(np.float64)
    with np.errstate(over="ignore"):
        assert (np.abs(y - exact(wide)) < 2e-6 * near).all()
        differences = (exact(wide + 1e-5) - exact(wide - 1e-5)) / 2e-5
    kink = np.abs(wide) < 1e-4  # where the elliot functions have no second derivative
    assert (np.abs(dy - differences) < 2e-5 * near)[~kink].all()


BROKEN = [
    ((0, 2.5), "2.5 hidden units"),
    ((0, 9), "a whole number from 0 to 4"),
    ((0, np.nan), "nan hidden units"),
    ((2, 10), "hidden unit 2 of the net has the activation function 10, which must be 0 to 9"),
    ((5, np.inf), "not finite"),
]


@pytest.mark.parametrize(("change", "message"), BROKEN)
def test_what_is_no_net_is_refused_in_one_sentence(change: tuple[int, float], message: str) -> None:
    form = Layout(2, 4)
    vector = random_net(form, 3, 1)
    vector[change[0]] = change[1]
    with pytest.raises(GameforgeError, match=message) as error:
        form.check(vector)
    assert "\n" not in str(error.value)


def test_a_weight_from_a_later_unit_is_an_error() -> None:
    form = Layout(2, 4)
    vector = random_net(form, 3, 1)
    form.weights(vector)[2 + 1 + 2, 1 + 0] = 0.5
    with pytest.raises(GameforgeError, match="unit 1 of the net has a weight from unit 3; only earlier"):
        form.check(vector)
    vector = random_net(form, 3, 1)
    form.weights(vector)[2 + 1 + 1, 1 + 1] = 0.5
    with pytest.raises(GameforgeError, match="unit 2 of the net has a weight from unit 2; only earlier"):
        form.check(vector)
    vector = random_net(form, 3, 1)
    form.weights(vector)[0, 1 + 3] = 0.5
    with pytest.raises(GameforgeError, match="has 3 hidden units, but also nonzero weights of absent units"):
        form.check(vector)


def test_a_saved_player_comes_back_and_a_senseless_one_does_not(tmp_path: Any) -> None:
    pipeline = gf.Pipeline(
        game="othello", searcher="alphabeta:depth=1", evaluator="cascade:neurons=9", features="boardbits",
        learner="none", oracle="none",
    )  # fmt: skip
    parts = pipeline.parts()
    vector = random_net(Layout(128, 9), 6, 2)
    player = Player(parts, vector, "six", {k: v for k, v in pipeline.settings.items() if k not in ("seed", "learner")})
    save_player(tmp_path / "six", player)
    again = Workshop(pipeline.registry).load(tmp_path / "six")
    position = pipeline.game.position()
    assert again.analyse(position) == player.analyse(position)
    vector[1:7] = [3, 1, 2, 40, 5, 6]
    save_player(tmp_path / "bad", player)
    with pytest.raises(GameforgeError, match=r"bad: .*hidden unit 4 of the net has the activation function 40"):
        Workshop(pipeline.registry).load(tmp_path / "bad")


@pytest.mark.parametrize("neurons", ["0", "1025", "2.5"])
def test_wrong_parameters_are_refused(neurons: str) -> None:
    with pytest.raises(GameforgeError, match="neurons"):
        gf.player("othello", evaluator=f"cascade:neurons={neurons}", features="boardbits")


def test_without_a_feature_map_it_is_refused() -> None:
    with pytest.raises(
        GameforgeError, match=r"cascade needs a feature map for its inputs; name one with features=\.\.\.$"
    ):
        gf.player("othello", evaluator="cascade", features="none")


def test_room_for_as_many_units_as_there_are_inputs() -> None:
    made = Cascade().functions(Pile(), Remainders().functions(Pile()))
    assert isinstance(made, NetFunctions)
    assert made.weights == Layout(4, 4).length
    assert (Cascade().initial_weights(made, np.random.default_rng(1)) != 0).sum() == 5


def test_uncompiled_it_is_the_same() -> None:
    program = (
        "import numpy as np\n"
        "from cascade_toys import random_net, value\n"
        "from gameforge_eval_cascade import cascade as net\n"
        "from gameforge_eval_cascade.cascade import Layout\n"
        "form = Layout(3, 9); vector = random_net(form, 9, 1); x = np.zeros(3 + 3 * form.stride, np.float32)\n"
        "x[:3] = 1, 0, 1\n"
        "nd = np.array([3, form.stride, form.matrix, 9], np.uint64)\n"
        "assert abs(net.forward(nd, vector, x) - value(form, vector, x[:3])) < 2e-5\n"
        "trace = np.zeros(form.length, np.float32); net.backward(nd, vector, x, trace); assert trace.any()\n"
    )
    assert printed_uncompiled(program) == ""


def test_a_net_plays(tmp_path: Any) -> None:
    player = gf.player(
        gf.game(Pile()), searcher=Greedy(), evaluator=Cascade(), features=Remainders(), oracle="none", seed=3
    )
    assert player.analyse(player.game.position()).move in player.game.position().legal_moves
