"""State of a growing net, and its conversion to and from checkpoints."""

import attrs
import numpy as np

from gameforge.errors import GameforgeError
from gameforge.interfaces.learner import LearnerState
from gameforge_eval_cascade.layout import Floats, Layout


@attrs.define(eq=False)
class TrainingState:
    """The net, and the output's weights and errors after each of its units."""

    form: Layout
    initial: Floats
    net: Floats
    outputs: list[Floats] = attrs.field(factory=list)
    """outputs[n]: weights of inputs, bias and n units."""
    train: list[float] = attrs.field(factory=list)
    """train[n]: MSE with n units."""
    test: list[float] = attrs.field(factory=list)

    @property
    def units(self) -> int:
        return self.form.units(self.net)

    @property
    def best(self) -> int:
        """Number of units of the net with the lowest test error; the smallest net on ties."""
        return int(np.argmin(self.test))

    def add(self, weights: Floats, code: int) -> None:
        """Add a hidden unit whose weight to the output is 0."""
        unit = self.units + 1
        self.form.weights(self.net)[: len(weights), unit] = weights
        self.net[0], self.net[unit] = unit, code

    def finished(self, output: Floats, train: float, test: float) -> None:
        """Record the output's weights and the errors for the current number of units."""
        self.form.weights(self.net)[: len(output), 0] = output
        self.outputs.append(output.copy())
        self.train.append(train)
        self.test.append(test)

    def copy(self, units: int) -> Floats:
        """The net as it was with this number of units."""
        net = np.zeros_like(self.net)
        rows = self.form.inputs + 1 + units
        net[0], net[1 : 1 + units] = units, self.net[1 : 1 + units]
        weights = self.form.weights(net)
        weights[:rows, 1 : 1 + units] = self.form.weights(self.net)[:rows, 1 : 1 + units]
        weights[:rows, 0] = self.outputs[units]
        return net

    def snapshot(self, examples: str) -> LearnerState:
        """A copy, for a checkpoint; `examples`: their digest."""
        outputs = np.zeros((len(self.outputs), self.form.rows), np.float32)
        for row, output in zip(outputs, self.outputs, strict=True):
            row[: len(output)] = output
        arrays = {"initial": self.initial.copy(), "net": self.net.copy(), "outputs": outputs}
        values = {"train": list(self.train), "test": list(self.test), "examples": examples}
        return LearnerState(arrays=arrays, values=values)

    @classmethod
    def restored(cls, saved: LearnerState, form: Layout, examples: str) -> "TrainingState":
        """Restore the state that `snapshot` saved; GameforgeError if it belongs to other examples or another net."""
        try:
            initial, net = (saved.floats(name, (form.length,)) for name in ("initial", "net"))
            train, test = (saved.value(name, list[float]) for name in ("train", "test"))
            outputs = saved.floats("outputs", (len(train), form.rows))
            digest = saved.value("examples", str)
        except ValueError as error:
            raise GameforgeError(f"learner cascade: the checkpoint does not match this network: {error}") from error
        if digest != examples:
            raise GameforgeError("learner cascade: the examples have changed since this training began")
        form.check(net)
        if not len(train) == len(test) == form.units(net) + 1:
            raise GameforgeError("learner cascade: the checkpoint is damaged: its lists differ in length")
        kept = [output[: form.inputs + 1 + units].copy() for units, output in enumerate(outputs)]
        return cls(form=form, initial=initial, net=net, outputs=kept, train=train, test=test)
