"""The evaluator `cascade`, a net that the learner `cascade` builds unit by unit (compiled functions: net.py)."""

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge.config import Spec
from gameforge.config.validation import whole
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import EXPECTED_RESULT, NetFunctions, Unit, WeightGroup
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import Rules
from gameforge_eval_cascade.layout import Floats, Layout
from gameforge_eval_cascade.net import backward, forward

MOST = 1024
"""Hidden units."""
SPREAD = 0.1
"""Weights of a net without hidden units are uniform within +-SPREAD, as in FANN."""


def layout(net: NetFunctions) -> Layout:
    """Layout of a net that a `Cascade` created."""
    assert net.data is not None
    return Layout(net.features.inputs, int(net.data[3]))


@attrs.frozen(kw_only=True)
class Cascade:
    """A net whose weight vector holds its hidden units; the initial net has none, only weights to the output."""

    neurons: int | None = attrs.field(
        default=None, validator=attrs.validators.optional(whole(f"a whole number from 1 to {MOST}", 1, MOST))
    )
    """Maximum number of hidden units; None: the number of inputs."""
    features: Spec | None = None
    """The feature map; required."""

    def unit(self, rules: Rules) -> Unit:
        """The expected result, to which learners fit the weights."""
        return EXPECTED_RESULT

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> NetFunctions:
        """The compiled functions and layout of the net; raises GameforgeError without a feature map."""
        if features is None:
            raise GameforgeError(
                "evaluator cascade needs a feature map for its inputs", advice="name one", parameter="features"
            )
        form = Layout(features.inputs, self.neurons or min(features.inputs, MOST))
        hidden = form.matrix + (form.inputs + 1) * form.stride
        return NetFunctions(
            forward=forward,
            backward=backward,
            features=features,
            groups=(
                WeightGroup(0, hidden, "inputs", form.inputs),  # with the structure, which has no slopes
                WeightGroup(hidden, form.length, "hidden", form.room),
            ),
            scratch=3 * form.stride,
            data=np.array([form.inputs, form.stride, form.matrix, form.room], np.uint64),
        )

    def initial_weights(self, net: NetFunctions, rng: np.random.Generator) -> NDArray[np.float32]:
        """No hidden units; the output's weights are drawn."""
        form = layout(net)
        vector = np.zeros(form.length, np.float32)
        form.weights(vector)[: form.inputs + 1, 0] = rng.uniform(-SPREAD, SPREAD, form.inputs + 1)
        return vector

    def check_weights(self, net: NetFunctions, weights: Floats) -> None:
        """Raise GameforgeError if the vector is not a valid structure with weights of a cascade."""
        layout(net).check(weights)
