"""An engine that speaks GTP, version 2."""

from collections.abc import Callable, Mapping

from gameforge.errors import GameforgeError
from gameforge.play.game import Game, Position
from gameforge_engines.client import Answer, Limits
from gameforge_engines.process import EngineProcess
from gameforge_engines.words import dialect_of

PROTOCOL = "gtp"


class GtpClient:
    """Replays the game to the engine if it differs from the one that the engine knows, and asks for a move."""

    farewell = "quit"

    def __init__(self, process: EngineProcess, game: Game) -> None:
        self._process = process
        self._game = game
        self._dialect = dialect_of(game, PROTOCOL)
        self._known: set[str] = set()
        self._told: list[int] | None = None
        """Moves of the game that the engine knows; None before the first."""
        self._seconds = 0.0
        self._limits: Limits | None = None

    def shake_hands(self, options: Mapping[str, str], seconds: float) -> None:
        if self._ask("protocol_version", seconds) != "2":
            raise self._process.failure("speaks a version of GTP other than 2")
        self._known = set(self._ask("list_commands", seconds).split())
        if "set_game" in self._known:
            self._ask(f"set_game {self._dialect.variant}", seconds)
        for name, value in options.items():
            self._ask(f"{name} {value}".strip(), seconds)

    def choose(self, position: Position, limits: Limits, seconds: float, check: Callable[[], None]) -> Answer:
        if position.start.state != self._game.rules.initial():
            raise self._process.failure(
                f"cannot play from {self._game.position_text(position.start.state)}: GTP has no command for positions"
            )
        moves = position.moves_played
        told = self._told
        if told is None or moves[: len(told)] != told:
            self._ask("clear_board", seconds)
            told = []
        here = position.start
        for i, code in enumerate(moves):
            word = self._word(here, code)
            if i >= len(told) and word != self._dialect.implied:
                self._ask(f"play {_colour(here)} {word}", seconds)
            here = here.after(code)
        if limits != self._limits and limits.seconds is not None and "time_settings" in self._known:
            self._ask(f"time_settings 0 {max(1, round(limits.seconds))} 1", seconds)
            self._limits = limits
        answer = self._ask(f"genmove {_colour(position)}", seconds, check)
        try:
            move = self._dialect.parse_move(position.state, answer, position.codes)
        except GameforgeError as error:
            self._told = None
            raise self._process.failure(f"made an illegal move: {error}") from error
        self._told = [*moves, move]
        return Answer(move=move)

    def _word(self, position: Position, code: int) -> str:
        return self._dialect.move_text(position.state, code, position.codes)

    def _ask(self, command: str, seconds: float, check: Callable[[], None] = lambda: None) -> str:
        """Send a command and return the answer; EngineFailed if the engine refuses it."""
        self._process.send(command)
        lines: list[str] = []
        while True:
            line = self._process.receive(seconds, check)
            if not lines and line[:1] not in ("=", "?"):
                if line:
                    raise self._process.failure(f"answered {command!r} with {line[:80]!r}, which is not GTP")
                continue
            if line == "" and lines:
                break
            lines.append(line)
        kind, text = lines[0][0], "\n".join([lines[0][1:].strip(), *lines[1:]]).strip()
        if kind == "?":
            self._told = None
            raise self._process.failure(f"refused {command!r}: {text}")
        return text


def _colour(position: Position) -> str:
    return "black" if position.turn == 0 else "white"
