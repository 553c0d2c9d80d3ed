"""The learner `cascade`: cascade-correlation and Cascade-2 (Fahlman and Lebiere 1990; Nissen 2007; sheet 04)."""

import math
from pathlib import Path
from typing import Any

import attrs

from gameforge.config.validation import number, whole
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.learner import Trained, TrainingTask
from gameforge_eval_cascade.activations import ACTIVATIONS
from gameforge_eval_cascade.candidates import Algorithm
from gameforge_eval_cascade.irprop import RULES, Rule, Steps
from gameforge_eval_cascade.outputs import OutputError
from gameforge_eval_cascade.patience import Limits

STEEPNESSES = (0.25, 0.5, 0.75, 1.0)
_MOST_CANDIDATES = 4096


def _functions(instance: Any, attribute: "attrs.Attribute[tuple[str, ...]]", value: tuple[str, ...]) -> None:
    if not value:
        raise GameforgeError(f"'{attribute.name}' must be one or several of {', '.join(ACTIVATIONS)}")
    for name in value:
        if name not in ACTIVATIONS:
            raise GameforgeError(
                f"'{attribute.name}': no such activation function {name!r}{near(name, ACTIVATIONS)}; "
                f"there are {', '.join(ACTIVATIONS)}"
            )


def _steepnesses(instance: "CascadeLearner", attribute: Any, value: tuple[float, ...]) -> None:
    if not value or not all(math.isfinite(one) and one > 0 for one in value):
        raise GameforgeError(f"'{attribute.name}' must be one or several numbers above 0: {value!r}")


def _affordable(instance: "CascadeLearner", attribute: Any, value: int) -> None:
    if instance.candidates > _MOST_CANDIDATES:
        raise GameforgeError(f"{instance.candidates} candidates; {_MOST_CANDIDATES} at most are trained at once")


_epochs: Any = whole("a whole number from 1 to 1000000", 1, 1_000_000)
_still: Any = whole("a whole number from 0 to 1000000", 0, 1_000_000)
_share: Any = number("a number from 0 to 1", 0, 1)
_positive: Any = number("a number above 0", 0, above=True)


@attrs.frozen(kw_only=True)
class CascadeLearner:
    """Adds hidden units to a net, one after the other, as many as there is room for.

    For each, a pool of candidates is trained on the net's errors, the best becomes a unit, frozen from then on, and
    the output's weights are trained again. The net with the lowest test error is returned. Defaults are FANN's.
    """

    examples: Path
    """The folder of examples that have a test part."""
    algorithm: Algorithm = attrs.field(default="cascade2", validator=attrs.validators.in_(("cascade2", "correlation")))
    """What candidates are trained for: what the output then lacks (cascade2), or covariance with its errors."""
    rule: Rule = attrs.field(default="irprop-", validator=attrs.validators.in_(RULES))
    activations: tuple[str, ...] = attrs.field(default=ACTIVATIONS, validator=_functions)
    """Functions of the candidates."""
    steepnesses: tuple[float, ...] = attrs.field(default=STEEPNESSES, validator=_steepnesses)
    groups: int = attrs.field(default=2, validator=[whole("a whole number from 1 to 256", 1, 256), _affordable])
    """Candidates of each function and steepness, differently drawn."""
    output_error: OutputError = attrs.field(default="tanh", validator=attrs.validators.in_(("tanh", "linear")))
    """How differences count in the training of the output: by FANN's tanh error function, or as they are."""
    multiplier: float = attrs.field(default=0.4, validator=_positive)
    """Of a new unit's weight to the output."""
    output_epochs: int = attrs.field(default=150, validator=_epochs)
    """At most; the next three: at least, how many without change end it, and what share is a change."""
    output_least: int = attrs.field(default=50, validator=_still)
    output_patience: int = attrs.field(default=12, validator=_epochs)
    output_change: float = attrs.field(default=0.01, validator=_share)
    candidate_epochs: int = attrs.field(default=150, validator=_epochs)
    candidate_least: int = attrs.field(default=50, validator=_still)
    candidate_patience: int = attrs.field(default=12, validator=_epochs)
    candidate_change: float = attrs.field(default=0.01, validator=_share)
    increase: float = attrs.field(default=1.2, validator=number("a number from 1 to 100", 1, 100))
    """Of a step, by iRprop; so are the next four."""
    decrease: float = attrs.field(default=0.5, validator=number("a number above 0, 1 at most", 0, 1, above=True))
    first_step: float = attrs.field(default=0.1, validator=_positive)
    least_step: float = attrs.field(default=0.0, validator=number("a number from 0 on", 0))
    most_step: float = attrs.field(default=50.0, validator=_positive)

    @property
    def candidates(self) -> int:
        """In the pool."""
        return len(self.activations) * len(self.steepnesses) * self.groups

    @property
    def steps(self) -> Steps:
        return Steps(
            rule=self.rule,
            increase=self.increase,
            decrease=self.decrease,
            first=self.first_step,
            least=self.least_step,
            most=self.most_step,
        )

    @property
    def output_limits(self) -> Limits:
        return Limits(
            most=self.output_epochs, least=self.output_least, patience=self.output_patience, change=self.output_change
        )

    @property
    def candidate_limits(self) -> Limits:
        return Limits(
            most=self.candidate_epochs,
            least=self.candidate_least,
            patience=self.candidate_patience,
            change=self.candidate_change,
        )

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError if the evaluator is no cascade, and for examples that cannot be learnt from."""
        from gameforge_eval_cascade.training import train

        return train(self, task)
