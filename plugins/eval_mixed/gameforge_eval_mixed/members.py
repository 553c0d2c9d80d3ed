"""The members of a vote or a mixed evaluator: saved and trained players, evaluators by name, and their scores.

The evaluators may be of different kinds. So each is called from Python through the addresses of its functions, which
takes some microseconds per position, a hundred times as long as a small net takes by itself.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs

from gameforge import (
    GENERATIONS,
    GameforgeError,
    Player,
    Registry,
    batch_functions,
    folder_with_level,
    load_players_at,
    parse_trained,
    rules_text,
    same_rules,
)
from gameforge.interfaces import HEURISTIC_LIMIT, BatchEvaluator, Evaluator, FeatureMap, Rules, Spec, composed
from gameforge.kernel import CompiledEvaluator, Function, compiled_evaluator, failures_of, raise_failure
from gameforge.storage import PLAYER_FORMAT

Folders = Path | tuple[Path, ...]
"""One or more folders, each of which is a saved player, a run or a folder of saved players.

The name of a trained player, optionally with a level, stands for its folder.
"""


def given(instance: Any, attribute: "attrs.Attribute[Any]", value: Folders) -> None:
    """Validate that at least one folder is named."""
    if value == ():
        raise GameforgeError(
            f"'{attribute.name}' must name a run, a saved player, a trained player or a list of them (got {value!r})"
        )


def members(folders: Folders, registry: Registry, rules: Rules) -> tuple[Player, ...]:
    """Load the members, in order.

    Raises GameforgeError if a folder has no players, if a trained player does not have the level that is named, or if a
    player has other rules.
    """
    named = [_named(one, registry, rules) for one in ((folders,) if isinstance(folders, Path) else folders)]
    players = load_players_at(((found, level) for folder, level in named for found in _saved_in(folder)), registry)
    for player in players:
        if not same_rules(player.game.rules, rules):
            raise GameforgeError(
                f"players: {player.name} plays {rules_text(player.game.rules)}, not {rules_text(rules)}"
            )
    return tuple(players)


def _named(path: Path, registry: Registry, rules: Rules) -> tuple[Path, int | None]:
    """Return the folder and the level of a trained player, if this is the name of one and no path."""
    text = str(path)
    if path.exists() or not registry.has("player", text.partition(":")[0], rules.name):
        return path, None
    name, level = parse_trained(text)
    return folder_with_level(name, rules.name, level, registry), level


def _saved_in(folder: Path) -> Iterable[Path]:
    """Folders of players: a saved player itself, a run's `generations` or else its player, or any subfolders."""
    if (folder / PLAYER_FORMAT.file).is_file():
        return [folder]
    for place in (folder / GENERATIONS, folder):
        found = sorted(path.parent for path in place.glob(f"*/{PLAYER_FORMAT.file}"))
        if found:
            return found
    raise GameforgeError(
        f"players: {folder} holds no saved players; name a run, a saved player, a folder of them or a trained player"
    )


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


Scores = Callable[[Any, Any], float]
"""Called with a state and workspace; returns the score for the side to move, clipped to inside (-1, 1)."""


@attrs.frozen
class Scorers:
    """The scores of several evaluators."""

    scores: tuple[Scores, ...]
    scratch: int
    """Number of float32 elements of workspace that any of them needs."""


def scorers(evaluators: Sequence[CompiledEvaluator]) -> Scorers:
    """The scores of these evaluators."""
    return Scorers(tuple(map(_score_of, evaluators)), max(len(evaluator.inputs) for evaluator in evaluators))


def evaluator_of(player: Player, component: str) -> CompiledEvaluator:
    """The evaluator of a player, with its weights. Raises GameforgeError, for `component`, if it has none."""
    if player.parts.net is None:
        raise GameforgeError(f"evaluator {component}: {player.name} has no evaluator")
    return player.parts.evaluation_with(player.weights)


def _score_of(evaluator: CompiledEvaluator) -> Scores:
    """`static_score` (gameforge.kernel.evaluate) for callers in Python; writes features to the caller's workspace."""
    compiled = isinstance(evaluator.forward, Function)
    functions: tuple[Any, ...] = (evaluator.features, evaluator.forward, evaluator.evaluate)
    failures = failures_of(functions)
    features, forward, evaluate = (function.python if compiled else function for function in functions)
    features_data, data, weights = (
        block.ctypes.data if compiled else block
        for block in (evaluator.features_data, evaluator.data, evaluator.weights)
    )

    def score(s: Any, x: Any) -> float:
        if evaluator.is_net:
            features(features_data, s, x)
            found = float(evaluator.sign) * float(forward(data, weights, x))
        else:
            found = float(evaluate(data, weights, s, x))
        raise_failure(failures)  # else a member that failed would score 0
        return min(max(found, -HEURISTIC_LIMIT), HEURISTIC_LIMIT)

    return score
