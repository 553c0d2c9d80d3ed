"""TD(lambda) on the weights of a net, in the exact order of NeuroDraughts ([Lynch1997], section 2.4).

The rule sees only inputs, predictions and rewards; game_kernels.py plays the games. Gamma multiplies the new
prediction only; the trace decays with lambda alone (docs/readings.md, "Order of a TD update").
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces import NetFunctions
from gameforge.kernel import U0, CompiledEvaluator, FloatArray, Score, Words, at, inline
from gameforge_learn_td.settings import RuleSettings

_ZERO = np.float32(0)


class TDParameters(NamedTuple):
    """Settings of one net's training, and the state that the rule keeps between boards."""

    gamma: np.float64
    lambda_: np.float32
    momentum: np.float32
    sign_test: bool
    """Whether momentum is added only to steps of the same sign."""
    rates: FloatArray
    """Learning rate of each weight."""
    trace: FloatArray
    """Sum of lambda^age * gradient over the boards so far."""
    steps: FloatArray
    """The previous step of each weight, momentum included."""
    prediction: NDArray[np.float64]
    """prediction[0]: value of the last board under the present weights."""

    @classmethod
    def of(cls, settings: RuleSettings, net: NetFunctions) -> "TDParameters":
        """The parameters of one net's training, with empty traces."""
        rates = np.zeros(net.weights, np.float32)
        for group in net.groups:
            rates[group.start : group.stop] = settings.rate_of(group)
        return cls(
            gamma=np.float64(settings.gamma),
            lambda_=np.float32(settings.lambda_),
            momentum=np.float32(settings.momentum),
            sign_test=settings.sign_test,
            rates=rates,
            trace=np.zeros(net.weights, np.float32),
            steps=np.zeros(net.weights, np.float32),
            prediction=np.zeros(1, np.float64),
        )


@inline
def _predict(evaluator: CompiledEvaluator) -> Score:
    return evaluator.forward(at(evaluator.data, U0), at(evaluator.weights, U0), at(evaluator.inputs, U0))


@inline
def _add_gradient(evaluator: CompiledEvaluator, td: TDParameters) -> None:
    evaluator.backward(at(evaluator.data, U0), at(evaluator.weights, U0), at(evaluator.inputs, U0), at(td.trace, U0))


@inline
def _read(evaluator: CompiledEvaluator, s: Words) -> None:
    evaluator.features(at(evaluator.features_data, U0), s, at(evaluator.inputs, U0))


@inline
def _correct(evaluator: CompiledEvaluator, td: TDParameters, error: Score) -> None:
    """w += rate * error * trace, plus momentum if the step has the sign of the previous one."""
    weights, rates, trace, steps = at(evaluator.weights, U0), at(td.rates, U0), at(td.trace, U0), at(td.steps, U0)
    single = np.float32(error)
    for i in range(len(td.rates)):
        step = rates[i] * single * trace[i]
        previous = steps[i]
        if step * previous > _ZERO or not td.sign_test:
            step += td.momentum * previous
        steps[i] = step
        weights[i] += step


@inline
def first_board(evaluator: CompiledEvaluator, td: TDParameters, s: Words) -> None:
    """Start a game (InitTDTrain): clear traces and steps, and make the first prediction."""
    for i in range(len(td.trace)):
        td.trace[i] = _ZERO
        td.steps[i] = _ZERO
    _read(evaluator, s)
    td.prediction[0] = _predict(evaluator)
    _add_gradient(evaluator, td)


@inline
def next_board(evaluator: CompiledEvaluator, td: TDParameters, s: Words) -> None:
    """Train on the next board (TDTrain): correct the last prediction towards this one, then predict again."""
    _read(evaluator, s)
    _approach(evaluator, td, _predict(evaluator))


@inline
def next_known_board(evaluator: CompiledEvaluator, td: TDParameters, s: Words, value: Score) -> None:
    """Train on the next board as `next_board` does, with its known value in place of the net's prediction."""
    _read(evaluator, s)
    _approach(evaluator, td, value)


@inline
def _approach(evaluator: CompiledEvaluator, td: TDParameters, value: Score) -> None:
    """Correct the last prediction towards the value of the board that was read, and predict that board's value."""
    _correct(evaluator, td, td.gamma * value - td.prediction[0])
    td.prediction[0] = _predict(evaluator)
    trace = at(td.trace, U0)
    for i in range(len(td.trace)):
        trace[i] *= td.lambda_
    _add_gradient(evaluator, td)


@inline
def final_reward(evaluator: CompiledEvaluator, td: TDParameters, reward: Score) -> None:
    """Finish a game (TDFinal): correct the last prediction towards the reward."""
    _correct(evaluator, td, reward - td.prediction[0])
