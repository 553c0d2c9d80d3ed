"""What all tabs share: games, players, and the threads of searches."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from gameforge.config import Spec, parse_spec
from gameforge.errors import GameforgeError
from gameforge.interfaces.oracle import Announce, silent
from gameforge.interfaces.rules import Rules
from gameforge.play.complete_games import complete_names
from gameforge.play.game import Game, same_rules
from gameforge.play.oracle_handle import OracleHandle
from gameforge.play.player import Player
from gameforge.play.playing_settings import playing_settings
from gameforge.plugins.registry import Registry
from gameforge.web.admission import Admission
from gameforge.web.backend import Backend, Options
from gameforge.web.searches import PlayerPool, Searches

_GAMES = 32
"""Most games, with different parameters, that are kept."""


def plain_game(name: str, registry: Registry) -> str:
    """Return the name of a game without its parameters if they are the defaults, else as it is."""
    spec = parse_spec(name)
    rules: Rules = registry.create("rules", spec)
    return rules.name if same_rules(rules, registry.create("rules", Spec(rules.name))) else name


class Site:
    """The parts of the server that do not belong to one tab. Its methods may be called from several threads."""

    def __init__(self, backend: Backend, options: Options) -> None:
        self.backend = backend
        self.options = options
        self.admission = Admission(backend.registry, options)
        self.searches = Searches()
        self._players = PlayerPool()
        self._games: dict[str, Game] = {}
        self._oracles: dict[tuple[str, str], list[OracleHandle]] = {}
        self._lock = threading.RLock()

    def game(self, name: str) -> Game:
        """Return the game with this name, which may have parameters; GameforgeError if there is none."""
        with self._lock:
            if name not in self._games:
                self.admission.require_game(name)
                found = Game(self.backend.registry.create("rules", parse_spec(name)))
                if len(self._games) >= _GAMES:
                    self._games.pop(next(iter(self._games)))
                self._games[name] = found
            return self._games[name]

    def trained(self, game: str) -> dict[str, int]:
        """Return the trained players that plugins bring for a game, and how many levels each has."""
        registry, name = self.backend.registry, self.game(game).rules.name
        names = registry.names("player", name)
        return {each: len(playing_settings(registry.player_folder(each, name)).levels) for each in names}

    def default_game(self) -> str:
        """Return the game that the page opens first: the first that has a default player, if none was given.

        Raises GameforgeError if no game is installed.
        """
        if self.options.game is not None:
            return self.options.game
        names = complete_names(self.backend.registry)
        if not names:
            raise GameforgeError("no game is installed")
        return next((name for name in names if self.game(name).defaults.player), names[0])

    @contextmanager
    def player(self, text: str, game: str, limits: dict[str, float], announce: Announce = silent) -> Iterator[Player]:
        """Lend a player with these limits to one search."""

        def make() -> Player:
            self.admission.require_player(text)
            self.admission.require_game(game)
            player = self.backend.player(text, game, announce)
            return self.backend.limited(player, **limits) if limits else player

        with self._players.borrow((text, game, *sorted(limits.items())), make) as player:
            yield player

    def oracles(self, player: Player, text: str, game: str, announce: Announce = silent) -> list[OracleHandle]:
        """Return the oracles for exact values beside this player."""
        with self._lock:
            if (text, game) not in self._oracles:
                if len(self._oracles) >= _GAMES:
                    self._oracles.pop(next(iter(self._oracles)))
                self._oracles[text, game] = self.backend.oracles(player, text, silent)
            handles = self._oracles[text, game]
        for handle in handles:  # open them here, so that this request receives the progress
            handle.functions(self.game(game), announce)
        return handles
