"""Interface of learners: (parts of a pipeline, seed) -> a better player.

A learner tells what happens through the task's two callbacks; a run turns them into the events
`gameforge_game_finished` and `gameforge_checkpoint` of the hooks.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import attrs

from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.games import GameRecord

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gameforge.config import Spec
    from gameforge.play.parts import Parts

    Floats = NDArray[np.float32]


@attrs.frozen(kw_only=True)
class Progress:
    """Where a learner stands after a session (or whatever its unit is)."""

    session: int
    sessions: int
    games: int
    """Training games finished."""
    total: int
    """Training games of the whole training."""
    weights: "Floats | None" = None
    """The weights as they are now; copy them to keep them. None: the evaluator has none."""
    features: FeatureMap | None = None
    """What feeds the net, if the learner chose among the features; None: the pipeline's feature map."""
    settings: Mapping[str, Any] = attrs.field(factory=dict)
    """Parameters that the learner chose, as of now, by keys as `searcher.depth`."""
    numbers: Mapping[str, float | int | bool]
    """The learner's own figures of this session, for the metrics file and displays."""
    over: str = "games"
    """What its curves are drawn over: the training games, or one of `numbers` where none are played."""


@attrs.frozen(kw_only=True)
class LearnerState:
    """All that a learner needs to go on exactly as it would have gone on."""

    arrays: "Mapping[str, NDArray[Any]]"
    values: Mapping[str, Any]
    """The rest, JSON-able."""


Result = TypeVar("Result")


class Site(Protocol):
    """Where a piece of work is done: this process, or another one that has built the same pipeline."""

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

        Raises GameforgeError for what is no such parameter, and for values that a component refuses.
        """
        ...

    def check(self) -> None:
        """To be called now and then; raises if nobody waits for the work any more."""
        ...


class Work(Protocol):
    """Takes independent pieces of work and does several at once, perhaps on other machines."""

    @property
    def site(self) -> Site:
        """That of this process."""
        ...

    @property
    def workers(self) -> int:
        """So many pieces are done at once, about."""
        ...

    def each(
        self, function: Callable[..., Result], arguments: Sequence[tuple[Any, ...]]
    ) -> Generator[tuple[int, Result], None, None]:
        """(i, function(site, *arguments[i])) as they are finished.

        The function must be found by its name in any process; arguments and results are pickled. Raises
        what it raises, and GameforgeError if its worker is lost. Close the generator to end what goes on.
        """
        ...


@attrs.frozen(kw_only=True)
class TrainingTask:
    """What a learner is given."""

    parts: "Parts"
    seed: "np.random.SeedSequence"
    game_finished: Callable[[GameRecord], None]
    session_finished: Callable[[Progress], None]
    checkpoint: Callable[[Callable[[], LearnerState]], None] = lambda state: None
    """To be called wherever the learner could go on from; the state is only made when it is written."""
    saved: LearnerState | None = None
    """Where to go on; None: begin."""
    notice: Callable[[str], None] = lambda text: None
    """Tells people something, in a sentence."""
    work: Work | None = None
    """For learners that consist of independent trainings; None: there are no workers."""


@attrs.frozen(kw_only=True)
class Trained:
    """What a learner returns."""

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
    """Names and weights of what else the training kept, as its clones, from the first to the last."""
    generation_features: Sequence[FeatureMap] = ()
    """What feeds each of these nets, if the learner chose among the features; empty: the pipeline's feature map."""


class Learner(Protocol):
    """A learner component."""

    def train(self, task: TrainingTask) -> Trained:
        """Raises GameforgeError if the parts do not suit it (no weights to train, ...)."""
        ...


@runtime_checkable
class Tuner(Protocol):
    """A learner that chooses parameters: there need be no evaluator, or none with weights."""

    @property
    def tune(self) -> Mapping[str, Any]:
        """Which parameters, by keys as `searcher.depth`, and from where to where."""
        ...


@runtime_checkable
class PlansGames(Protocol):
    """A learner that knows how long it will take."""

    @property
    def training_games(self) -> int:
        """Training games of a whole training."""
        ...
