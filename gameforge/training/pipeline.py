"""Pipelines that can be trained: `gf.Pipeline(...).run("runs/a")`."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

from gameforge.interfaces.oracle import Announce, silent
from gameforge.play import pipeline as play
from gameforge.training.yardstick import DEFAULT_YARDSTICK, Yardstick

if TYPE_CHECKING:
    from gameforge.training.run import Run


class Pipeline(play.Pipeline):
    """A pipeline that can be trained:

    gf.Pipeline(game="mygame", learner="td:sessions=2", oracle="none").run("runs/a", seed=7)
    """

    def run(
        self,
        out: str | Path,
        *,
        seed: int | None = None,
        resume: bool = False,
        workers: int = 1,
        executor: Executor | None = None,
        yardstick: str | Yardstick | None = DEFAULT_YARDSTICK,
        announce: Announce = silent,
        subscribers: Sequence[object] = (),
        check: Callable[[], None] = lambda: None,
        progress: bool = True,
    ) -> "Run":
        """Train the pipeline and save everything in the folder `out`.

        * `seed`: overrides the pipeline's seed.
        * `resume`: resume the interrupted run of this pipeline in `out`; otherwise `out` must be new or empty.
        * `workers`: number of threads that prepare oracles and do the learner's independent work.
        * `executor`: does the learner's work instead of the threads. Results do not depend on workers or executor.
        * `yardstick`: measures the player in training by matches against a fixed opponent, which have no influence on
          the training; by default that of the game, and None: nothing does. As text, a player or an evaluator, which
          gets the search of the pipeline.
        * `announce`: receives the progress of preparing oracles.
        * `subscribers`: objects that implement event hooks such as `gameforge_checkpoint`.
        * `check`: called regularly while the run waits for work; an exception that it raises ends the run.
        * `progress`: show a progress bar if standard error is a terminal or a notebook.

        Raises GameforgeError if `out` cannot be written or holds something else.
        """
        from gameforge.training.events import training_bar
        from gameforge.training.train import train
        from gameforge.training.yardstick import yardstick_from_text

        with training_bar(self, progress) as bar:
            return train(
                self if seed is None else self.with_seed(seed),
                Path(out),
                resume=resume,
                workers=workers,
                executor=executor,
                yardstick=yardstick_from_text(yardstick, self) if isinstance(yardstick, str) else yardstick,
                announce=announce,
                subscribers=[*subscribers, *bar],
                check=check,
            )
