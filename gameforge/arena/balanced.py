"""Balanced openings: random lines that a player judges to be about even.

After a few random moves most games are decided: both games of a pair then go to the same side, and say nothing about
the players. Each line here depends only on the game, the judge, the seed and its own number, so that lines can be found
when a match needs them, by any thread. They are kept in the cache folder, in a file for each judge and seed.
"""

import hashlib
import importlib.metadata
import json
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import attrs

from gameforge.config import NONE, Spec, kinds, structure
from gameforge.errors import DISTRIBUTION, GameforgeError
from gameforge.interfaces.games import Opening
from gameforge.play.game import Game, Position
from gameforge.play.player import Player, limit_names

if TYPE_CHECKING:
    import numpy as np

BALANCED = "balanced"
"""The name of balanced openings, such as `balanced:8`."""
_ATTEMPTS = 1000
"""Largest number of random lines that are judged for one opening."""
_MEMORY = 1
"""Megabytes of the judge's transposition table, which is cleared for each line."""


@attrs.frozen(kw_only=True)
class Balance:
    """The parameters of balanced openings, as in `balanced:8,margin=0.05,player=strong`."""

    plies: int = attrs.field(default=8, validator=kinds.count(0, 1000))
    """Number of random plies; it may be given first, without its name."""
    player: str = ""
    """The judge, as written on the command line; "": the game's default player. It consults no oracles of its own."""
    margin: float = attrs.field(default=0.1, validator=kinds.number("from 0 to 1", 0, 1))
    """Largest distance of the judge's score from 0, on the plain scale from -1 to 1; of a judge that counts expected
    results, 0.1 means 45 to 55 percent of the points."""
    nodes: int = attrs.field(default=5000, validator=kinds.count(1, 10**9))
    """Nodes of each judgement, in place of the limits that a trained player brings."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `balanced`, `balanced:PLIES` or `balanced:PLIES,KEY=VALUE,...`; GameforgeError for anything else."""
        whole = re.sub(rf"^{BALANCED}:(\d+)(?=,|$)", rf"{BALANCED}:plies=\1", text)
        return structure(cls, Spec.parse(whole).params, f"openings {BALANCED}")

    def judge(self, game: Game) -> Player:
        """Build the judge; GameforgeError if none is named and the game has no default player."""
        from gameforge.play.workshop import Workshop  # slow to import, and openings are imported for help, too

        workshop = Workshop()
        text = self.player or workshop.registry.defaults(game.rules).player
        if not text:
            raise GameforgeError(
                f"openings {BALANCED!r}: {game.rules.name} has no default player to judge them; name one: "
                f"{BALANCED}:player=PLAYER"
            )
        plan = workshop.plan(text, game)
        player = workshop.build(plan if plan.oracle is not None else attrs.evolve(plan, oracle=NONE))
        own: Any = player.parts.searcher
        names = limit_names(type(own))
        if not player.own_limits or "nodes" not in names:
            return player
        memory = {"memory": _MEMORY} if "memory" in attrs.fields_dict(type(own)) else {}
        searcher = attrs.evolve(own, **(dict.fromkeys(names) | {"nodes": self.nodes} | memory))
        return Player(player.parts.with_searcher(searcher), player.weights, player.name, player.spec)


def cache_folder() -> Path:
    """Return the folder of lines that have been found; GAMEFORGE_CACHE (environment) moves it."""
    from gameforge.kernel.compile.cache import cache_root

    return cache_root().parent / "openings"


class BalancedLines:
    """Balanced openings, numbered from 0, found when they are asked for; several threads may ask."""

    def __init__(
        self, game: Game, balance: Balance, seed: int, draw: "Callable[[np.random.Generator], Opening]"
    ) -> None:
        """draw: draws a line of as many random plies as `balance` says."""
        self._game, self._balance, self._seed, self._draw = game, balance, seed, draw
        self._judge = balance.judge(game)
        self._lock = threading.Lock()
        identity = json.dumps(
            {
                "game": game.rules_text,
                "balance": attrs.asdict(balance),
                "judge": self._judge.spec,
                "weights": None
                if self._judge.weights is None
                else hashlib.sha256(self._judge.weights.tobytes()).hexdigest(),
                "seed": seed,
                "gameforge": importlib.metadata.version(DISTRIBUTION),
            }
        )
        self._file = cache_folder() / f"{game.rules.name}-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.jsonl"
        self._found = _read(self._file, balance.plies)

    def line(self, number: int) -> Opening:
        """Return a line. Raises GameforgeError if none of a thousand random lines is balanced."""
        with self._lock:
            moves = self._found.get(number)
            if moves is None or not _is_legal(self._game, moves):
                moves = self._found[number] = self._balanced(number)
                _append(self._file, number, moves)
        return Opening(f"balanced line {number + 1} of {self._balance.plies} plies", self._game.rules.initial(), moves)

    def _balanced(self, number: int) -> tuple[int, ...]:
        import numpy as np

        rng = np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=(number,)))
        for _ in range(_ATTEMPTS):
            moves = self._draw(rng).moves
            position = Position(self._game, self._game.rules.initial())
            for move in moves:
                position = position.after(move)
            self._judge.forget()
            if abs(self._judge.analyse(position).score) <= self._balance.margin:
                return moves
        raise GameforgeError(
            f"openings {BALANCED!r}: of {_ATTEMPTS} lines of {self._balance.plies} random plies, {self._judge.name} "
            f"judges none to be even within {self._balance.margin:g}; choose fewer plies or a larger margin"
        )


def _is_legal(game: Game, moves: Sequence[int]) -> bool:
    state = game.rules.initial()
    for move in moves:
        if move not in game.legal(state):
            return False
        state = game.play(state, move)
    return not game.code_after(game.rules.initial(), moves)


def _read(file: Path, plies: int) -> dict[int, tuple[int, ...]]:
    """Return the lines of a file of the cache by number; lines that are damaged or cut off are left out."""
    found = {}
    try:
        texts = file.read_bytes().splitlines()
    except OSError:
        return {}
    for text in texts:
        try:
            number, *moves = json.loads(text)
        except (ValueError, TypeError):
            continue
        if len(moves) == plies and all(type(word) is int and 0 <= word < 1 << 64 for word in (number, *moves)):
            found[number] = tuple(moves)
    return found


def _append(file: Path, number: int, moves: Sequence[int]) -> None:
    """Add a line to a file of the cache, by one write, since other processes may add lines, too.

    A cache that cannot be written is no error: the line is found again.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab", buffering=0) as written:
            written.write(json.dumps([number, *moves]).encode() + b"\n")
    except OSError:
        return
