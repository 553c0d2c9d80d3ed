"""Interface of learners: (parts of a pipeline, seed) -> a better player.

A learner reports finished games and sessions through the task's callbacks; a run turns them into the events
`gameforge_game_finished` and `gameforge_checkpoint` of the hooks.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import attrs

from gameforge.config import strictly
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.weights import finite_floats

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.config import Spec
    from gameforge.play.parts import Parts

    Floats = NDArray[np.float32]


@attrs.frozen(kw_only=True)
class Progress:
    """The progress of a training after a session (or whatever the learner's unit is)."""

    session: int
    sessions: int
    games: int
    """Training games finished."""
    total: int
    """Training games of the whole training, finished or not."""
    weights: "Floats | None" = None
    """The current weights; copy them to keep them. None: the evaluator has none."""
    features: FeatureMap | None = None
    """What feeds the net, if the learner chose among the features; None: the pipeline's feature map."""
    settings: Mapping[str, Any] = attrs.field(factory=dict)
    """Parameters that the learner has chosen so far, by keys as `searcher.depth`."""
    numbers: Mapping[str, float | int | bool]
    """The learner's own figures of this session, for the metrics file, displays and plots.

    Plots draw `x deviation` as a band around `x`, and `test_x` as a dashed curve beside `train_x`.
    """
    over: str = "games"
    """The x axis of learning curves: the training games, or one of `numbers` if none are played."""


@attrs.frozen(kw_only=True)
class LearnerState:
    """Everything that a learner needs to resume as if it had not been interrupted."""

    arrays: "Mapping[str, NDArray[Any]]"
    values: Mapping[str, Any]
    """The rest, JSON-able."""

    def floats(self, name: str, shape: tuple[int, ...]) -> "Floats":
        """A copy of an array of weights; ValueError unless it is of finite numbers and has this shape."""
        if name not in self.arrays:
            raise ValueError(f"the array {name!r} is missing")
        try:
            return finite_floats(self.arrays[name], shape)
        except ValueError as error:
            raise ValueError(f"the array {name!r}: {error}") from error

    def value(self, name: str, kind: Any) -> Any:
        """A value, which is strictly of this type, as `list[int]`; ValueError if it is missing or of another type."""
        if name not in self.values:
            raise ValueError(f"the value {name!r} is missing")
        return strictly(self.values[name], kind, name)


Result = TypeVar("Result")


class Site(Protocol):
    """The place of a piece of work: this process, or another one that has built the same pipeline."""

    @property
    def parts(self) -> "Parts": ...
    @property
    def settings(self) -> Mapping[str, Any]:
        """The resolved pipeline, as pipeline.toml holds it."""
        ...

    def create(self, kind: str, spec: "Spec") -> Any:
        """Another component for the pipeline's game."""
        ...

    def parts_with(self, settings: Mapping[str, Any]) -> "Parts":
        """The parts with other parameters of searcher, evaluator or oracles, by keys as `searcher.depth`.

        Raises GameforgeError for an unknown parameter, and for values that a component refuses.
        """
        ...

    def check(self) -> None:
        """Call this now and then; raises if the work has been cancelled."""
        ...


class Work(Protocol):
    """Runs independent pieces of work, several at once, perhaps on other machines."""

    @property
    def site(self) -> Site:
        """The site of this process."""
        ...

    @property
    def workers(self) -> int:
        """About how many pieces run at once."""
        ...

    def each(
        self, function: Callable[..., Result], arguments: Sequence[tuple[Any, ...]]
    ) -> Generator[tuple[int, Result], None, None]:
        """(i, function(site, *arguments[i])) in the order in which they finish.

        The function must be importable by its name in any process; arguments and results are pickled. Raises
        what it raises, and GameforgeError if its worker is lost. Close the generator to cancel the rest.
        """
        ...


@attrs.frozen(kw_only=True)
class TrainingTask:
    """The input of a learner."""

    parts: "Parts"
    seed: "np.random.SeedSequence"
    game_finished: Callable[[GameRecord], None]
    session_finished: Callable[[Progress], None]
    checkpoint: Callable[[Callable[[], LearnerState]], None] = lambda state: None
    """Call this wherever the learner could resume; the state is only made if it is written."""
    saved: LearnerState | None = None
    """The state to resume from; None: begin."""
    notice: Callable[[str], None] = lambda text: None
    """Shows a sentence to the user."""
    work: Work | None = None
    """For learners with independent pieces of work; None: there are no workers."""


@attrs.frozen(kw_only=True)
class Trained:
    """The result of a learner."""

    weights: "Floats | None" = None
    """None: the evaluator has no weights, or there is none."""
    initial_weights: "Floats | None" = None
    summary: Mapping[str, Any]
    """Figures of the whole training, TOML-able."""
    features: FeatureMap | None = None
    """What feeds the net, if the learner chose among the features; None: the pipeline's feature map."""
    settings: Mapping[str, Any] = attrs.field(factory=dict)
    """Parameters of searcher, evaluator or oracles that the learner chose, by keys as `searcher.depth`."""
    generations: "Sequence[tuple[str, Floats]]" = ()
    """Names and weights of nets that the training kept beside the result, as its clones, in their order."""
    generation_features: Sequence[FeatureMap] = ()
    """What feeds each of these nets, if the learner chose among the features; empty: the pipeline's feature map."""


class Learner(Protocol):
    """A learner component."""

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError if it cannot train these parts (no weights, ...)."""
        ...


@runtime_checkable
class Tuner(Protocol):
    """A learner that chooses parameters: there need be no evaluator, or none with weights."""

    @property
    def tune(self) -> Mapping[str, Any]:
        """Ranges of the parameters, by keys as `searcher.depth`."""
        ...


@attrs.frozen(kw_only=True)
class Panel:
    """A picture below the learning curves of a run."""

    draw: Callable[[Any], None]
    """Draws into matplotlib's axes."""
    inches: float
    """Height of the panel."""


@attrs.frozen(kw_only=True)
class Illustration:
    """What a learner adds to the plot of a run."""

    panels: Sequence[Panel] = ()
    """Drawn below the curves, from top to bottom."""
    gaps: Mapping[str, str] = attrs.field(factory=dict)
    """By key of `Progress.numbers`: the curves have a gap after each session in which it is true. Values say why."""


@runtime_checkable
class Illustrated(Protocol):
    """A learner that adds to the learning curves which `gameforge plot` draws from the metrics of a run."""

    def illustration(self, summary: Mapping[str, Any]) -> Illustration:
        """summary: `Trained.summary`, as TOML holds it; empty until the training has finished."""
        ...


@runtime_checkable
class PlansGames(Protocol):
    """A learner that knows the length of a training."""

    @property
    def training_games(self) -> int:
        """Training games of a whole training."""
        ...
