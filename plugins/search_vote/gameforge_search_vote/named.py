"""Evaluators that other evaluators name by their specification, such as `material` or `weighted:men=2`."""

import attrs

from gameforge.config import Spec
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import BatchEvaluator, Evaluator
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.oracle import composed
from gameforge.interfaces.rules import Rules
from gameforge.kernel.assembly import compiled_evaluator
from gameforge.kernel.context import CompiledEvaluator
from gameforge.play.parts import batch_functions


@attrs.frozen
class NamedEvaluator:
    """An evaluator and its feature map, if it takes one."""

    name: str
    evaluator: Evaluator | BatchEvaluator
    features: FeatureMap | None

    def compiled(self, rules: Rules) -> CompiledEvaluator:
        """The compiled evaluator. Raises GameforgeError if it has weights, which only a training can set."""
        if not isinstance(self.evaluator, Evaluator):
            return compiled_evaluator(batch_functions(self.evaluator, rules.functions().words))
        inputs = None if self.features is None else self.features.functions(rules)
        try:
            functions = self.evaluator.functions(rules, inputs)
        except GameforgeError as error:
            if error.parameter == "features":  # a net, which would need training even with a feature map
                raise self._untrained() from error
            raise
        if functions.vector is not None:
            raise self._untrained()
        return compiled_evaluator(functions)

    def _untrained(self) -> GameforgeError:
        return GameforgeError(
            f"evaluator {self.name} needs training before others can use it; name a saved player instead, as in "
            "ensemble:players=RUN/player"
        )


def named_evaluator(spec: Spec, registry: Registry, rules: Rules) -> NamedEvaluator:
    """Create the evaluator of a specification. Raises GameforgeError as the registry does."""
    evaluator = composed(registry.create("evaluator", spec, rules.name), registry, rules)
    choice = getattr(evaluator, "features", None)
    features = registry.create("features", choice, rules.name) if isinstance(choice, Spec) else None
    return NamedEvaluator(spec.use, evaluator, features)
