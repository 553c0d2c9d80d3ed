"""Parameters of the learner `cascade`."""

import math
from pathlib import Path

import attrs

from gameforge import GameforgeError
from gameforge.interfaces import kinds, near
from gameforge_eval_cascade.activations import ACTIVATIONS
from gameforge_eval_cascade.candidates import Algorithm
from gameforge_eval_cascade.descent import Limits, Rule, Steps
from gameforge_eval_cascade.outputs import CandidateError, OutputError

STEEPNESSES = (0.25, 0.5, 0.75, 1.0)
_MOST_CANDIDATES = 4096


def _functions(
    instance: "CascadeSettings", attribute: "attrs.Attribute[tuple[str, ...]]", value: tuple[str, ...]
) -> None:
    if not value:
        raise GameforgeError(f"'{attribute.name}' must be one or more of {', '.join(ACTIVATIONS)}")
    for name in value:
        if name not in ACTIVATIONS:
            raise GameforgeError(
                f"'{attribute.name}': unknown activation function {name!r}{near(name, ACTIVATIONS)}; "
                f"choose among {', '.join(ACTIVATIONS)}"
            )


def _steepnesses(
    instance: "CascadeSettings", attribute: "attrs.Attribute[tuple[float, ...]]", value: tuple[float, ...]
) -> None:
    if not value or not all(math.isfinite(one) and one > 0 for one in value):
        raise GameforgeError(f"'{attribute.name}' must be one or more numbers above 0 (got {value!r})")


def _affordable(instance: "CascadeSettings", attribute: "attrs.Attribute[int]", value: int) -> None:
    if instance.candidates > _MOST_CANDIDATES:
        raise GameforgeError(
            f"activations x steepnesses x groups = {instance.candidates} candidates; at most {_MOST_CANDIDATES} allowed"
        )


_epochs = kinds.count(1, 1_000_000)
_still = kinds.count(0, 1_000_000)


@attrs.frozen(kw_only=True)
class CascadeSettings:
    """Parameters of cascade training; the defaults are those of FANN ([Nissen2007])."""

    examples: Path
    """Folder of examples with a test part."""
    algorithm: Algorithm = "cascade2"
    """Objective of the candidates. cascade2: reduction of the output's error. correlation: covariance with it."""
    rule: Rule = "irprop-"
    """How weights change: with or without taking a step back when the error grows."""
    activations: tuple[str, ...] = attrs.field(default=ACTIVATIONS, validator=_functions)
    """Activation functions of the candidates."""
    steepnesses: tuple[float, ...] = attrs.field(default=STEEPNESSES, validator=_steepnesses)
    """Steepnesses of each activation function among the candidates."""
    groups: int = attrs.field(default=2, validator=[kinds.count(1, 256), _affordable])
    """Candidates of each function and steepness, with different initial weights."""
    output_error: OutputError = "tanh"
    """Error function for training the output: FANN's tanh error function, or linear."""
    candidate_error: CandidateError = "difference"
    """Errors on which candidates are trained: half the difference of target and output, or FANN's, those of the
    output's own training."""
    multiplier: float = attrs.field(default=0.4, validator=kinds.positive())
    """Factor of a new unit's weight to the output."""
    output_epochs: int = attrs.field(default=150, validator=_epochs)
    """Maximum number of epochs. The next three: minimum number, epochs without a significant change that end the
    training, and share of the gain from which a change is significant."""
    output_least: int = attrs.field(default=50, validator=_still)
    """Minimum number of epochs of the output."""
    output_patience: int = attrs.field(default=12, validator=_epochs)
    """Epochs without a significant change that end the training of the output."""
    output_change: float = attrs.field(default=0.01, validator=kinds.between(0, 1))
    """Share of the gain so far from which a change of the output's error is significant."""
    candidate_epochs: int = attrs.field(default=150, validator=_epochs)
    """Maximum number of epochs of the candidates."""
    candidate_least: int = attrs.field(default=50, validator=_still)
    """Minimum number of epochs of the candidates."""
    candidate_patience: int = attrs.field(default=12, validator=_epochs)
    """Epochs without a significant change that end the training of the candidates."""
    candidate_change: float = attrs.field(default=0.01, validator=kinds.between(0, 1))
    """Share of the gain so far from which a change of the best candidate is significant."""
    increase: float = attrs.field(default=1.2, validator=kinds.between(1, 100))
    """Factor of a growing step; this and the next four are parameters of iRprop."""
    decrease: float = attrs.field(default=0.5, validator=kinds.positive(1))
    """Factor of a shrinking step."""
    first_step: float = attrs.field(default=0.1, validator=kinds.positive())
    """Initial size of a step."""
    least_step: float = attrs.field(default=0.0, validator=kinds.not_negative)
    """Minimum size of a step."""
    most_step: float = attrs.field(default=50.0, validator=kinds.positive())
    """Maximum size of a step."""

    @property
    def candidates(self) -> int:
        """Candidates in the pool."""
        return len(self.activations) * len(self.steepnesses) * self.groups

    @property
    def steps(self) -> Steps:
        return Steps(
            self.rule, self.increase, self.decrease, first=self.first_step, least=self.least_step, most=self.most_step
        )

    @property
    def output_limits(self) -> Limits:
        return Limits(self.output_epochs, self.output_least, self.output_patience, self.output_change)

    @property
    def candidate_limits(self) -> Limits:
        return Limits(self.candidate_epochs, self.candidate_least, self.candidate_patience, self.candidate_change)
