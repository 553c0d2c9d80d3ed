"""`gameforge examples make`: making examples from files, matches or games, with a display of the progress."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from gameforge.cli.shared.compilation import compilation_notice
from gameforge.cli.shared.console import Console
from gameforge.cli.shared.figures_text import counted
from gameforge.cli.shared.paced import reported
from gameforge.cli.shared.preparation import Preparation
from gameforge.cli.shared.which_game import game_for
from gameforge.play.described_players import player_from_text
from gameforge.play.player import Player
from gameforge.plugins.registry import Registry
from gameforge.training.executors import executor

if TYPE_CHECKING:
    from gameforge_examples.making import Plan
    from gameforge_examples.selfplay import SelfplayPlan
    from gameforge_examples.writing import Progress


@attrs.frozen
class Making:
    """What all ways to make examples have in common."""

    registry: Registry
    out: Path
    """Folder of the examples."""
    game: str | None
    """The game as on the command line."""
    append: bool
    workers: int
    where: str
    """Name of the executor."""
    _console: Console = attrs.field(init=False, factory=lambda: Console(highlight=False, stderr=True))

    def from_files(self, files: Sequence[Path]) -> None:
        """Take examples from files of games."""
        from gameforge_examples.from_files import read_games_into

        with self._reported() as report:
            read_games_into(
                self.out,
                game_for(self.registry, self.game, file=files[0]),
                files,
                append=self.append,
                progress=lambda games, found: report(f"{counted(games, 'game')}, {counted(found, 'example')}"),
            )

    def from_matches(self, player: str, plan: "Plan") -> None:
        """Let a player play matches against itself, and keep every move that its search tries."""
        from gameforge_examples.making import make_examples

        self._play(make_examples, player, plan)

    def from_games(self, player: str, plan: "SelfplayPlan") -> None:
        """Let a player play games against itself, and keep their positions."""
        from gameforge_examples.selfplay import make_positions

        self._play(make_positions, player, plan)

    def _play(self, make: Callable[..., object], player: str, plan: "Plan | SelfplayPlan") -> None:
        """Let a player play what is planned; `make` is the function for this kind of plan."""
        with self._reported() as report, self._player(player) as (chosen, machines):
            make(
                self.out,
                chosen,
                plan,
                registry=self.registry,
                workers=self.workers,
                executor=machines,
                append=self.append,
                progress=_matches_done(report),
            )

    @contextlib.contextmanager
    def _reported(self) -> Iterator[Callable[[str], None]]:
        """Display states of the work; yields what is to be called with every new one.

        Adds to KeyboardInterrupt that the finished matches are kept and that the command can be resumed.
        """
        try:
            with compilation_notice(self._console), reported(self._console, "examples") as report:
                yield report
        except KeyboardInterrupt:
            if not self.out.exists():
                raise
            raise KeyboardInterrupt(f"{self.out} holds the finished matches; repeat the command to resume") from None

    @contextlib.contextmanager
    def _player(self, text: str) -> Iterator[tuple[Player, Executor | None]]:
        """Prepare a player, and the executor for its matches."""
        with Preparation(self._console) as preparation, executor(self.where) as machines:
            yield player_from_text(text, self.game, self.registry, preparation, self.workers), machines


def _matches_done(report: Callable[[str], None]) -> "Progress":
    return lambda done, total, folder: report(
        f"{done:,} of {counted(total, 'match', 'matches')}, {counted(folder.examples, 'example')}"
    )
