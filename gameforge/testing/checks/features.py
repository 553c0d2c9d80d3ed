"""The contract of feature maps."""

from collections.abc import Callable

import attrs
import numpy as np

from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.rules import State
from gameforge.kernel.assembly import block as data_block
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.kernel.types import FloatArray, WordArray
from gameforge.play.bounds import GUARD, block
from gameforge.testing.contract import Contract, Given, checks_of, expect
from gameforge.testing.sampling import Sample, same_words, sample_of
from gameforge.testing.uncompiled import plain

_FEW = 30


@attrs.frozen
class Map:
    """A feature map, and a sample of positions."""

    sample: Sample
    functions: FeatureFunctions
    function: Callable[..., object]
    data: WordArray

    def inputs(self, state: State, fill: float = 0.0) -> FloatArray:
        """Return the block of inputs with its guard, which was filled with `fill` before the call."""
        x = np.full(self.functions.inputs + GUARD, fill, np.float32)
        call(self.function, self.data, block(state), x)
        return x


def prepare(given: Given) -> Map:
    """Check the fields of FeatureFunctions."""
    functions = given.component.functions(given.played.rules)
    expect(isinstance(functions, FeatureFunctions), f"functions() returned {functions!r}, not FeatureFunctions")
    expect(functions.inputs >= 1, f"inputs is {functions.inputs}: must be 1 or more")
    viewpoint = functions.viewpoint
    expect(viewpoint in ("just moved", "to move"), f"viewpoint is {viewpoint!r}: must be 'just moved' or 'to move'")
    names = functions.names
    named = not names or (len(set(names)) == len(names) == functions.inputs)
    expect(named, f"names has {len(names)} entries ({len(set(names))} different) for {functions.inputs} inputs")
    function = compiled_function("features", functions.features, compiled=functions.compiled)
    return Map(sample_of(given.played, given.seed), functions, function, data_block(functions.data))


def every_input_is_written(features: Map) -> int:
    """Check that the inputs do not depend on the previous contents of the block."""
    n = features.functions.inputs
    for state in features.sample.states:
        one, other = features.inputs(state)[:n], features.inputs(state, 7.0)[:n]
        left = np.flatnonzero(~((one == other) | (np.isnan(one) & np.isnan(other))))
        where = f"in {features.sample.text(state)}"
        expect(len(left) == 0, f"input {left[:1]} depends on the previous contents of the block {where}")
    return len(features.sample.states)


def nothing_else_is_written(features: Map) -> int:
    n = features.functions.inputs
    for state in features.sample.states:
        beyond = features.inputs(state, 7.0)[n:]
        expect(bool((beyond == 7.0).all()), f"more than {n} inputs are written in {features.sample.text(state)}")
    return len(features.sample.states)


def the_state_is_not_changed(features: Map) -> int:
    for state in features.sample.states:
        words, data = block(state), features.data.copy()
        call(features.function, features.data, words, np.zeros(features.functions.inputs + GUARD, np.float32))
        unchanged = same_words(words, state) and bool((data == features.data).all())
        features.data[:] = data
        expect(unchanged, f"{features.sample.text(state)} or the feature map's data is changed")
    return len(features.sample.states)


def inputs_are_finite(features: Map) -> int:
    for state in features.sample.states:
        x = features.inputs(state)[: features.functions.inputs]
        bad = np.flatnonzero(~np.isfinite(x))
        expect(len(bad) == 0, f"input {bad[:1]} is {x[bad][:1]} in {features.sample.text(state)}")
    return len(features.sample.states)


def positions_have_different_inputs(features: Map) -> int:
    """Check that the inputs are not the same in all positions: a net could learn nothing from them."""
    n = features.functions.inputs
    seen = {features.inputs(state)[:n].tobytes() for state in features.sample.states}
    alike = f"all {len(features.sample.states)} positions of the sample have the same inputs"
    expect(len(seen) > 1 or len(features.sample.states) < 2, alike)
    return len(features.sample.states)


def compiled_and_plain_functions_agree(features: Map) -> int:
    function = plain(features.functions.features, features.functions.compiled)
    n, states = features.functions.inputs, features.sample.states[:_FEW]
    for state in states:
        x = np.zeros(n + GUARD, np.float32)
        function(features.data, np.array(state, np.uint64), x)
        same = np.array_equal(x[:n], features.inputs(state)[:n], equal_nan=True)
        expect(same, f"plain Python gives different inputs in {features.sample.text(state)}")
    return len(states)


CONTRACT = Contract(prepare, checks_of(__name__))
