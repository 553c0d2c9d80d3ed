"""The parameters of the rule TD(lambda), for whatever learner uses it."""

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.interfaces.evaluator import NetFunctions
from gameforge_learn_td.td_rule import TDParameters

Floats = NDArray[np.float32]

at_least_0: Any = attrs.validators.ge(0)
at_least_1: Any = attrs.validators.ge(1)
share: Any = attrs.validators.and_(attrs.validators.ge(0), attrs.validators.le(1))
reward: Any = attrs.validators.and_(attrs.validators.ge(-1), attrs.validators.le(1))


@attrs.frozen(kw_only=True)
class RuleParameters:
    """Defaults are those of NeuroDraughts' parameter file (seed 004, section 9.1)."""

    lambda_: float = attrs.field(default=0.1, validator=share)
    gamma: float = attrs.field(default=0.98, validator=share)
    momentum: float = attrs.field(default=0.9, validator=share)
    """Share of a weight's previous step added to a step of the same sign."""
    rate1: float = attrs.field(default=0.0, validator=at_least_0)
    """Learning rate of the weights that leave inputs; 0 means 1 / inputs."""
    rate2: float = attrs.field(default=0.0, validator=at_least_0)
    """Learning rate of the weights that leave hidden units; 0 means 1 / hidden units."""

    def rates(self, net: NetFunctions) -> Floats:
        """Learning rate of each weight."""
        rates = np.zeros(net.weights, np.float32)
        for group in net.groups:
            given = self.rate1 if group.source == "inputs" else self.rate2
            rates[group.start : group.stop] = given or 1 / group.fan_in
        return rates

    def td_parameters(self, net: NetFunctions) -> TDParameters:
        """The training of one net by these parameters."""
        return TDParameters(
            gamma=np.float64(self.gamma),
            lambda_=np.float32(self.lambda_),
            momentum=np.float32(self.momentum),
            rates=self.rates(net),
            trace=np.zeros(net.weights, np.float32),
            steps=np.zeros(net.weights, np.float32),
            prediction=np.zeros(1, np.float64),
        )
