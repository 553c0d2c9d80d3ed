"""Interface of learners: (parts of a pipeline, seed) -> trained weights or parameters.

A learner reports finished games and sessions through the callbacks of its task. A run passes them on as the events
`gameforge_game_finished` and `gameforge_checkpoint`.
"""

import math
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
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

Numbers = Mapping[str, Any]
"""Figures as JSON holds them, by name: numbers, texts, lists and mappings."""


@attrs.frozen(kw_only=True)
class Progress:
    """The progress of a training after a session (or whatever the learner's unit is)."""

    session: int
    """Number of the session, from 1."""
    sessions: int
    """Number of sessions of the whole training."""
    games: int
    """Number of training games finished so far."""
    total: int
    """Number of games of the whole training."""
    weights: "Floats | None" = None
    """The current weights; copy them to keep them. None: the evaluator has no weights."""
    features: FeatureMap | None = None
    """The net's feature map, if the learner selected features; None: the pipeline's feature map."""
    settings: Mapping[str, Any] = attrs.field(factory=dict)
    """Parameters that the learner has chosen so far, by keys such as `searcher.depth`."""
    numbers: Mapping[str, float | int | bool]
    """The learner's own figures of this session, for the metrics file, displays and plots.

    Plots draw `x deviation` as a band around `x`, and `test_x` as a dashed curve beside `train_x`. Figures that end in
    `score` are between 0 and 1, and others are never negative, except for `balance`, those that end in `elo`, tuned
    parameters, and those that the learner names (Signed).
    """
    kept: str = ""
    """Name under which the player with these weights is saved among the run's generations, at once; "": it is not."""
    over: str = "games"
    """The x axis of learning curves: `games`, or a key of `numbers` if the learner plays no games."""


@attrs.frozen(kw_only=True)
class Step:
    """How far a learner is with one step of a session, such as its games or its fit; displays show it."""

    session: int
    """Number of the session, from 1."""
    units: str
    """What the step consists of, such as "games of self-play"."""
    done: int
    """Number of units finished so far."""
    total: int
    """Number of units of the step, at most."""
    games: int
    """Number of training games finished so far, in this session and in those before it."""

    def __str__(self) -> str:
        return f"session {self.session}, {self.units}: {self.done:,} of {self.total:,}"


@attrs.frozen(kw_only=True)
class LearnerState:
    """Everything that a learner needs to resume as if it had not been interrupted."""

    arrays: "Mapping[str, NDArray[Any]]"
    """Arrays by name, such as weights and traces."""
    values: Mapping[str, Any]
    """Everything that is not an array, JSON-serialisable."""


Result = TypeVar("Result")


class Site(Protocol):
    """Where a piece of work runs: this process, or another one that has built the same pipeline."""

    @property
    def parts(self) -> "Parts":
        """The compiled parts of the pipeline in this process."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """The resolved pipeline, as in pipeline.toml."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters that `parts_with` can change, by keys such as `searcher.depth`."""
        ...

    def has(self, kind: str, name: str) -> bool:
        """Whether a plugin offers a component of this name for the pipeline's game."""
        ...

    def create(self, kind: str, spec: "Spec") -> Any:
        """Create another component for the pipeline's game."""
        ...

    def default_evaluator(self) -> "Spec | None":
        """Return the evaluator that the game names as its yardstick, else that of its default player, unless learners
        can set its weights; None if there is none.
        """
        ...

    def parts_with(self, settings: Mapping[str, Any]) -> "Parts":
        """Return the parts with other parameters of searcher, evaluator or oracles, by keys such as `searcher.depth`.

        Raises GameforgeError for an unknown parameter and for a value that a component rejects.
        """
        ...

    def check(self) -> None:
        """Raise an exception if the work has been cancelled; long work calls this regularly."""
        ...

    def at_once(self, games: Sequence[Callable[[], Result]]) -> list[Result]:
        """Call these functions, each of which plays games; return their results in order.

        They run at once, each in a thread, and share the calls of a batch evaluator. Raises what a function raises.
        """
        ...


class Work(Protocol):
    """Runs independent pieces of work in parallel, on this machine or on others."""

    @property
    def site(self) -> Site:
        """The site of this process."""
        ...

    @property
    def workers(self) -> int:
        """Approximate number of pieces that run at once."""
        ...

    def each(
        self, function: Callable[..., Result], arguments: Sequence[tuple[object, ...]]
    ) -> Generator[tuple[int, Result], None, None]:
        """Yield (i, function(site, *arguments[i])) in the order in which the calls finish.

        Any process must be able to import the function by its name; arguments and results are pickled. Passes on
        the function's exceptions, and raises GameforgeError if a worker is lost. Close the generator to cancel the
        rest.
        """
        ...

    def in_order(
        self, function: Callable[..., Result], arguments: Sequence[tuple[object, ...]]
    ) -> Generator[Result, None, None]:
        """Yield function(site, *arguments[i]) in the order of i, each as soon as all before it have finished.

        Errors, and what closing the generator does, are those of `each`.
        """
        ...


@attrs.frozen(kw_only=True)
class TrainingTask:
    """The input of a learner."""

    parts: "Parts"
    """The pipeline's components, ready to play."""
    seed: "np.random.SeedSequence"
    """The only source of random numbers."""
    game_finished: Callable[[GameRecord], None]
    """Call this after every game, in the order of the games."""
    session_finished: Callable[[Progress], None]
    """Call this after every session, with the progress so far."""
    step_advanced: Callable[[Step], None] = lambda step: None
    """Hears how far the learner is within a session; the learner calls `advance`."""
    checkpoint: Callable[[Callable[[], LearnerState]], None] = lambda state: None
    """The learner calls this wherever it could resume. Its argument is called only if a checkpoint is due."""
    saved: LearnerState | None = None
    """The state to resume from; None starts a new training."""
    check_game: Callable[[GameRecord], None] = lambda game: None
    """Replays a finished game of the saved state; raises GameforgeError if it contradicts the rules."""
    notice: Callable[[str], None] = lambda text: None
    """Shows a sentence to the user."""
    work: Work | None = None
    """Runs independent pieces of work; None: there are no workers."""

    def advance(self, *, session: int, units: str, done: int, total: int, games: int) -> None:
        """Report a step (the fields of Step). Call this when a step begins, and as it advances.

        Sessions that take seconds need no steps.
        """
        self.step_advanced(Step(session=session, units=units, done=done, total=total, games=games))


@attrs.frozen(kw_only=True, repr=False)
class Trained:
    """The result of a learner."""

    weights: "Floats | None" = None
    """None: there is no evaluator, or it has no weights."""
    initial_weights: "Floats | None" = None
    """The weights before the training; None: there is no evaluator, or it has no weights."""
    summary: Mapping[str, Any]
    """Figures of the whole training, as TOML values."""
    features: FeatureMap | None = None
    """The net's feature map, if the learner selected features; None: the pipeline's feature map."""
    settings: Mapping[str, Any] = attrs.field(factory=dict)
    """Parameters of searcher, evaluator or oracles that the learner chose, by keys such as `searcher.depth`."""
    generations: "Sequence[tuple[str, Floats]]" = ()
    """Names and weights of further nets that the training kept, such as clones, in chronological order."""
    generation_features: Sequence[FeatureMap] = ()
    """The feature map of each of these nets, if the learner selected features; empty: the pipeline's feature map."""

    def __repr__(self) -> str:
        weights = "no" if self.weights is None else len(self.weights)
        return f"<Trained: {weights} weights, {len(self.generations)} generations>"


class Learner(Protocol):
    """A learner component."""

    def train(self, task: TrainingTask) -> Trained:
        """Train the parts of the task; raises GameforgeError if they cannot be trained (no weights, ...)."""
        ...


@runtime_checkable
class Tuner(Protocol):
    """A learner that chooses parameters; it needs no evaluator with weights."""

    @property
    def tune(self) -> Mapping[str, Any]:
        """The range of each parameter, by keys such as `searcher.depth`."""
        ...


@attrs.frozen(kw_only=True)
class Panel:
    """A panel below the learning curves of a run."""

    draw: Callable[[Any], None]
    """Draws into matplotlib axes."""
    inches: float
    """Height of the panel."""


@attrs.frozen(kw_only=True)
class Illustration:
    """What a learner adds to the plot of a run."""

    panels: Sequence[Panel] = ()
    """Drawn below the curves, from top to bottom."""
    gaps: Mapping[str, str] = attrs.field(factory=dict)
    """Keys of `Progress.numbers` and their meanings: curves have a gap after each session with a true value."""


@runtime_checkable
class Illustrated(Protocol):
    """A learner that adds panels or gaps to the learning curves that `gameforge plot` draws."""

    def illustration(self, summary: Mapping[str, Any]) -> Illustration:
        """Return what to add. summary: `Trained.summary` as read from TOML; empty until the training has finished."""
        ...


@runtime_checkable
class Signed(Protocol):
    """A learner with figures that can be negative, so that intervals of their means over seeds do not end at 0."""

    @property
    def signed(self) -> Collection[str]:
        """Their keys in `Progress.numbers`."""
        ...


@runtime_checkable
class PlansGames(Protocol):
    """A learner that knows in advance how many games it plays."""

    @property
    def training_games(self) -> int:
        """Number of games of a whole training."""
        ...


@runtime_checkable
class MeasuresItself(Protocol):
    """A learner that plays a yardstick in the course of its training, so that the run does not.

    It reports the figures of `gameforge.arena.elo.elo_figures` with the name `yardstick`.
    """

    @property
    def yardstick(self) -> "Spec | None":
        """The evaluator of its opponent; None: that of the game."""
        ...

    @property
    def yardstick_games(self) -> int:
        """Number of games of each measurement; 0: it leaves them to the run."""
        ...


def finite_floats(array: "NDArray[Any]", shape: tuple[int, ...] | None = None) -> "NDArray[np.float32]":
    """A copy as float32; ValueError unless these are finite numbers of this shape, or of one dimension."""
    import numpy as np

    if array.dtype.kind not in "fiu":
        raise ValueError(f"expected numbers, got values of type {array.dtype}")
    if array.ndim != 1 if shape is None else array.shape != shape:
        expected = "one dimension" if shape is None else f"the shape {shape}"
        raise ValueError(f"expected {expected}, got the shape {array.shape}")
    with np.errstate(over="ignore"):  # what overflows becomes infinite, and is refused
        floats = np.array(array, np.float32)
    if not math.isfinite(float(np.abs(floats).max(initial=0))):
        raise ValueError("there are values that are not finite")
    return floats
