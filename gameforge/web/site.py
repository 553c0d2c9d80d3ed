"""What all tabs share: the command line's part, what a page may name, games, players, and the threads of searches.

A page speaks for whoever has its cookie, so requests from the page have fewer rights than the command line: it may name
components and their parameters, but no programs, and only files below the folder of runs. What the server was started
with, `--player` and `--game`, is always allowed. What a file below that folder names is judged when it is created: it
starts no program either, unless the server's own command line named it (`Registry.for_pages`).
"""

import contextlib
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from gameforge.coaching.practice import Practice
from gameforge.config import Spec, split_parts
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import Unit
from gameforge.interfaces.oracle import Announce, silent
from gameforge.interfaces.rules import Rules, State
from gameforge.play.analysis import GameAnalysis, Judged
from gameforge.play.game import Game, Position, games, same_rules
from gameforge.play.knowledge import OracleHandle
from gameforge.play.player import Player, score_unit
from gameforge.play.player_plan import PART_KINDS, PlayerPlan, whole_path
from gameforge.play.saved_players import playing_settings
from gameforge.play.workshop import Workshop
from gameforge.records.database import GamesDb
from gameforge.records.openings import OpeningLines
from gameforge.storage.folder import is_busy, require_folder
from gameforge.web.databases import Databases
from gameforge.web.searches import PlayerPool, Searches


@attrs.frozen(kw_only=True)
class Backend:
    """The command line's own functions, so that the page plays and writes as the commands do; threads share them."""

    workshop: Workshop
    plan: Callable[[Workshop, str | None, str], PlayerPlan]
    """Plans the player that a text describes for a game; None: the game's default player."""
    limited: Callable[..., Player]
    """limited(player, registry, depth=6) has these limits; GameforgeError if its searcher does not know them."""
    limits: Callable[[Player, Registry], Sequence[str]]
    """The names of the limits that the player's searcher has."""
    score_text: Callable[[float, Unit, State], str]
    """Writes the score of a position."""
    mistake: Callable[[Unit], float]
    """Least loss of a move that is marked as a mistake, by scores of this unit."""
    mark: Callable[[Judged, float], str]
    """mark(judged, mistake): such as `?`, or ""."""
    remark: Callable[[GameAnalysis, int, Unit], str]
    """remark(analysis, i, unit): a comment on move i if it is marked."""
    loss: Callable[[Judged, Unit], str]
    """loss(judged, unit): such as `loses 1.02 men`, or ""."""
    answer_to_draw: Callable[[Player, Position, int, Sequence[OracleHandle]], tuple[bool, str]]
    """Whether the player of this side accepts a draw, and why."""

    @property
    def registry(self) -> Registry:
        return self.workshop.registry

    def with_limits(self, player: Player, limits: Mapping[str, float]) -> Player:
        """Return the player with limits as JSON has them: those of time in seconds, others whole."""
        whole = {name: limit if name == "time" else int(limit) for name, limit in limits.items()}
        return self.limited(player, self.registry, **whole)

    def score(self, score: float, player: Player, position: Position) -> str:
        """Write the score of a position in the unit of the player."""
        return self.score_text(score, score_unit(player), position.state)


@attrs.frozen(kw_only=True)
class Options:
    """The options of the command."""

    game: str | None = None
    """Name of the game that the page opens first; None: the one that the browser opened last, or `default_game`."""
    player: str = ""
    """The opponent that the page offers first; "": the default player of the game."""
    runs: Path | None = None
    """The folder whose runs and matches the page shows."""
    kept: Path | None = None
    """The folder for matches of the page that have none of their own; None: they are lost with the page."""
    practice: Path | None = None
    """The file with the exercises that the user practises; None: they are lost when the server ends."""
    databases: tuple[Path, ...] = ()
    """Databases and files of games, whose moves and games the analysis shows."""
    host: str = "127.0.0.1"
    """Address to bind to."""
    port: int = 8642
    """Port; 0: any free one."""
    opens: str = ""
    """The view that the page opens first, such as `watch/match/.`; "": playing."""
    allowed_hosts: tuple[str, ...] = ()
    """Names of this computer, besides the loopback ones, under which browsers may call it."""


@attrs.frozen
class Admission:
    """Decides which players, games and folders a page may name."""

    registry: Registry
    options: Options

    def located(self, text: str) -> str:
        """Return a player's text; a path (with a slash) from the folder of runs on, as the page shows it, as a whole.

        A path from the folder in which the server was started takes precedence.
        """
        root = self.options.runs
        below = root is not None and "/" in text and not os.path.exists(text) and os.path.exists(root / text)
        return str(root / text) if root is not None and below else text

    def require_player(self, text: str) -> None:
        """Raise GameforgeError if a player would start a program, or read a file outside the folder of runs."""
        if text == self.options.player:
            return
        if whole_path(text) is not None:
            self._require_path(text)
        else:
            self._require_parts(text)

    def require_game(self, text: str) -> None:
        """Raise GameforgeError if a parameter of a game is a file outside the folder of runs."""
        if text != self.options.game:
            self._require_spec(Spec.parse(text))

    def is_readable(self, path: Path) -> bool:
        """Return whether a path lies below the folder of runs, after following links."""
        if self.options.runs is None:
            return False
        try:
            return path.resolve().is_relative_to(self.options.runs.resolve())
        except (OSError, ValueError, RuntimeError):  # no path at all, or a circle of links
            return False

    def _require_parts(self, text: str) -> None:
        for part in split_parts(text):
            spec = self._component(part)
            if spec is not None:
                self._require_spec(spec)
            elif _is_path(part):
                self._require_path(part)

    def _component(self, text: str) -> Spec | None:
        """Parse a component; None if the text is none that can be a part of a player."""
        try:
            spec = Spec.parse(text)
        except GameforgeError:
            return None
        return spec if any(one.kind in PART_KINDS for one in self.registry.named(spec.use)) else None

    def _require_spec(self, spec: Spec) -> None:
        if any(one.runs_programs for one in self.registry.named(spec.use)):
            raise GameforgeError(
                f"a page may not use {spec.use!r}, because it starts programs; name the player with gameforge web "
                "--player"
            )
        for value in spec.params.values():
            self._require_value(value)

    def _require_value(self, value: object) -> None:
        """Check a parameter's value, which may name files, or components with parameters of their own."""
        match value:
            case str() if os.path.exists(value):
                self._require_path(value)
            case str():
                self._require_parts(value)
            case Mapping():
                for one in value.values():
                    self._require_value(one)
            case list():
                for one in value:
                    self._require_value(one)

    def _require_path(self, text: str) -> None:
        if text.startswith("~") or not self.is_readable(Path(text)):
            raise GameforgeError(
                f"{text!r} is not below a folder given at the start; start gameforge web with --runs FOLDER"
            )
        if not os.path.exists(text):
            raise GameforgeError(f"{text!r} does not exist")


def _is_path(text: str) -> bool:
    return "/" in text or os.sep in text or text.startswith("~") or os.path.exists(text)


_MATCHES = 32
"""Most matches of the page that are kept."""
_GAMES = 32
"""Most games, with different parameters, that are kept."""


def plain_game(name: str, registry: Registry) -> str:
    """Return the name of a game without its parameters if they are the defaults, else as it is."""
    spec = Spec.parse(name)
    rules: Rules = registry.create("rules", spec)
    return rules.name if same_rules(rules, registry.create("rules", Spec(rules.name))) else name


class Site:
    """The parts of the server that do not belong to one tab. Its methods may be called from several threads."""

    def __init__(self, backend: Backend, options: Options) -> None:
        """Raise GameforgeError if one of the databases cannot be opened."""
        pages = attrs.evolve(backend.workshop, registry=backend.registry.for_pages())
        self.backend = attrs.evolve(backend, workshop=pages)
        self.options = options
        self.admission = Admission(backend.registry, options)
        self.searches = Searches()
        self.practice = Practice(options.practice)
        self.databases = Databases(backend.registry)
        self.databases.name(options.databases)
        self._players = PlayerPool()
        self._games: dict[str, Game] = {}
        self._lines: dict[str, OpeningLines] = {}
        self._oracles: dict[tuple[str, str], list[OracleHandle]] = {}
        self._lock = threading.RLock()

    def game(self, name: str) -> Game:
        """Return the game with this name, which may have parameters; GameforgeError if there is none."""
        with self._lock:
            if name not in self._games:
                self.admission.require_game(name)
                found = Game(self.backend.registry.create("rules", Spec.parse(name)))
                if len(self._games) >= _GAMES:
                    self._games.pop(next(iter(self._games)))
                self._games[name] = found
            return self._games[name]

    def opening_lines(self, game: str) -> OpeningLines:
        """Return the opening lines that come with a game."""
        with self._lock:
            if game not in self._lines:
                if len(self._lines) >= _GAMES:
                    self._lines.pop(next(iter(self._lines)))
                self._lines[game] = OpeningLines(self.game(game))
            return self._lines[game]

    @contextlib.contextmanager
    def database(self, game: str) -> Iterator[GamesDb | None]:
        """Open the database of a game that was opened last, unless it is being read; yields None if there is none."""
        for one in self.databases.of(self.game(game)):
            try:
                found = None if one.reading or one.is_empty else one.database(self.game(game))
            except GameforgeError:  # its games have other moves
                continue
            if found is not None:
                with found:
                    yield found
                return
        yield None

    @contextlib.contextmanager
    def named_database(self, game: str) -> Iterator[GamesDb]:
        """Do the same; GameforgeError if there is none."""
        with self.database(game) as found:
            if found is None:
                raise GameforgeError(f"no database of {game} was named with gameforge web --games")
            yield found

    def trained(self, game: str) -> dict[str, list[tuple[float, float] | None]]:
        """Return the trained players that plugins bring for a game, and the measured Elo of each of their levels.

        Elo and half of its 95 % interval are over the level below.
        """
        registry, name = self.backend.registry, self.game(game).rules.name
        names = registry.names("player", name)
        levels = {each: playing_settings(registry.player_folder(each, name)).levels for each in names}
        return {each: [level.elo for level in found] for each, found in levels.items()}

    def default_game(self) -> str:
        """Return the game that the page opens first.

        Without one that was given, the first that has a trained player and need not be named; if there is none, the
        first. Raises GameforgeError if no game is installed.
        """
        if self.options.game is not None:
            return self.options.game
        names = games(self.backend.registry)
        if not names:
            raise GameforgeError("no game is installed")
        return min(names, key=lambda name: (not self.trained(name), self.game(name).defaults.named_only))

    def first_game(self, last: str | None) -> str:
        """Return the game for a page that has kept none: the last one of its browser, unless one was given."""
        if last is not None and self.options.game is None:
            with contextlib.suppress(GameforgeError):
                self.game(last)
                return last
        return self.default_game()

    def kept_match(self, name: str) -> Path | None:
        """Return the folder of a match that the page keeps under a name; the oldest others make room for it."""
        root = self.options.kept
        if root is None:
            return None
        require_folder(root, new=True)
        root.mkdir(parents=True, exist_ok=True)
        others = sorted((path for path in root.iterdir() if path.name != name), key=lambda path: path.stat().st_mtime)
        for path in others[: 1 - _MATCHES]:
            if not is_busy(path):
                shutil.rmtree(path, ignore_errors=True)
        return root / name

    @contextlib.contextmanager
    def player(
        self, text: str, game: str, limits: dict[str, float], announce: Announce = silent, *, waits: bool = False
    ) -> Iterator[Player]:
        """Lend a player with these limits to one search, or to one match.

        waits: wait until the oracles have been built that the player needs, so that a match can be repeated.
        """

        text = self.admission.located(text)

        def make() -> Player:
            self.admission.require_player(text)
            self.admission.require_game(game)
            workshop = attrs.evolve(self.backend.workshop.announcing(announce), at_once=not waits)
            player = workshop.build(self._plan(text, game))
            return self.backend.with_limits(player, limits) if limits else player

        with self._players.borrow((text, game, waits, *sorted(limits.items())), make) as player:
            yield player

    def oracles(self, player: Player, text: str, game: str, announce: Announce = silent) -> list[OracleHandle]:
        """Return the oracles for exact values beside this player."""
        text = self.admission.located(text)
        with self._lock:
            if (text, game) not in self._oracles:
                if len(self._oracles) >= _GAMES:
                    self._oracles.pop(next(iter(self._oracles)))
                self._oracles[text, game] = self.backend.workshop.verdict_oracles(self._plan(text, game), player)
            handles = self._oracles[text, game]
        for handle in handles:  # open them here, so that this request receives the progress
            handle.functions(self.game(game), announce)
        return handles

    def _plan(self, text: str, game: str) -> PlayerPlan:
        return self.backend.plan(self.backend.workshop, text or None, game)
