"""GTP, version 2 (Gunnar Farnebäck, 2002): the server, on standard input and output, and the client of an engine.

Colours are black for the first mover and white for the second. A game with a dialect for GTP is written in it, as is
Othello (`D3`, and no passes); other games use their own notation, so that a move may contain spaces. `set_game` and
`list_games` are the extensions of programs that play several games; `gameforge-options` and `gameforge-setoption NAME
VALUE` are our own.
"""

from collections.abc import Callable, Mapping

import gameforge as gf
from gameforge import Game, GameforgeError, Position
from gameforge_engines import protocols
from gameforge_engines.protocols import Answer, EngineDisagrees, EngineFailed, EngineUnusable, Limits, played
from gameforge_engines.server import Lines, Server, Thinker, clock_budget, number_from

_COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}


class GtpServer(Server):
    """Answers GTP commands until `quit`, or until the input ends."""

    protocol = "gtp"

    def __init__(self, thinker: Thinker, seconds: float | None = None, lines: Lines | None = None) -> None:
        super().__init__(thinker, seconds, lines)
        self._clock = [0.0, 0.0]
        """Main time and time per period, in seconds, from `time_settings`."""
        self._left: dict[int, tuple[float, int]] = {}
        """Seconds and moves left for each side, from `time_left`."""
        self._commands: dict[str, Callable[[list[str]], str | None]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: "GameForge",
            "version": lambda _: gf.__version__,
            "known_command": lambda words: str(bool(words) and words[0] in self._commands).lower(),
            "list_commands": lambda _: "\n".join(self._commands),
            "list_games": lambda _: self._dialect.variant,
            "set_game": self._set_game,
            "boardsize": self._board_size,
            "clear_board": lambda _: self._look_at(self._game.position()),
            "komi": lambda _: None,
            "play": self._play,
            "genmove": lambda words: self._generate(words, keep=True),
            "reg_genmove": lambda words: self._generate(words, keep=False),
            "undo": lambda _: self._undo(),
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "showboard": lambda _: f"\n{self._position}",
            "final_score": lambda _: self._final_score(),
            "gameforge-options": lambda _: "\n".join(
                f"{name} {value}" for name, value in self._thinker.options.values.items()
            ),
            "gameforge-setoption": self._set_option,
            "quit": lambda _: None,
        }

    def serve(self) -> None:
        for line in self._lines:
            words = line.partition("#")[0].split()
            number = words.pop(0) if words and words[0].isdecimal() else ""
            if not words:
                continue
            try:
                if words[0] not in self._commands:
                    raise GameforgeError("unknown command")
                answer = f"={number} {self._commands[words[0]](words[1:]) or ''}"
            except Exception as error:  # the engine must not die
                answer = f"?{number} {' '.join(str(error).split())}"
            self._lines.write(f"{answer.rstrip()}\n")
            if words[0] == "quit":
                return

    @property
    def _position(self) -> Position:
        return self._thinker.position

    def _set_game(self, words: list[str]) -> None:
        if " ".join(words).lower() != self._dialect.variant.lower():
            raise GameforgeError(f"unknown game; this engine plays {self._dialect.variant}")
        self._look_at(self._game.position())

    def _board_size(self, words: list[str]) -> None:
        cells = self._game.cells
        rows = 0 if cells is None else 1 + max(row for row, _ in cells.places)
        if rows and words != [str(rows)]:
            raise GameforgeError(f"unacceptable size; the board has {rows} rows")
        self._look_at(self._game.position())

    def _side(self, words: list[str]) -> None:
        """Raise GameforgeError unless the first word is the colour of the side to move."""
        side = _COLOURS.get(words[0].lower()) if words else None
        if side is None:
            raise GameforgeError("syntax error: expected black or white")
        position = self._position
        if side != position.turn and len(position.codes) == 1:
            move = position.codes[0]
            if self._dialect.move_text(position.state, move, [move]) == self._dialect.implied:
                self._look_at(position.after(move))
        if side != self._position.turn:
            raise GameforgeError(f"it is {'black' if self._position.turn == 0 else 'white'}'s turn")

    def _play(self, words: list[str]) -> None:
        self._side(words)
        self._look_at(played(self._dialect, self._position, " ".join(words[1:])))

    def _generate(self, words: list[str], keep: bool) -> str:
        self._side(words)
        found = self._thinker.choose(self._budget())
        text = self._text(found.move)
        if keep:
            self._look_at(self._position.after(found.move))
        return text

    def _budget(self) -> float | None:
        """Seconds for the next move; None for the player's own limits."""
        if self._position.turn in self._left:
            seconds, moves = self._left[self._position.turn]
            return clock_budget(seconds, moves=moves)
        if any(self._clock):
            return clock_budget(self._clock[0]) if self._clock[0] else self._clock[1]
        return self._seconds

    def _time_settings(self, words: list[str]) -> None:
        main, period, stones = (number_from(word) for word in (*words, "0", "0", "0")[:3])
        self._clock = [main, period / stones if stones else 0.0]
        self._left = {}

    def _time_left(self, words: list[str]) -> None:
        if len(words) != 3 or words[0].lower() not in _COLOURS:
            raise GameforgeError("syntax error: expected a colour, seconds and moves")
        self._left[_COLOURS[words[0].lower()]] = number_from(words[1]), max(0, int(number_from(words[2])))

    def _undo(self) -> None:
        if self._position.parent is None:
            raise GameforgeError("cannot undo")
        self._look_at(self._position.parent)

    def _final_score(self) -> str:
        outcome = self._position.outcome
        if outcome is None:
            raise GameforgeError("the game is not over")
        return "0" if outcome.winner is None else f"{'BW'[outcome.winner]}+"

    def _set_option(self, words: list[str]) -> None:
        if not words:
            raise GameforgeError("syntax error: expected an option, and its value")
        self._thinker.set_option(words[0], " ".join(words[1:]))


class GtpClient(protocols.Client):
    """Replays the game to the engine if it differs from the one that the engine knows, and asks for a move."""

    protocol = "gtp"

    def __init__(self, process: protocols.EngineProcess, game: Game) -> None:
        super().__init__(process, game)
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
            where = self._game.position_text(position.start.state)
            raise self._process.failed(
                EngineUnusable, f"cannot play from {where}: GTP has no command for positions; give openings as moves"
            )
        moves = position.moves_played
        told = self._told
        if told is None or moves[: len(told)] != told:
            self._ask("clear_board", seconds, refusal=EngineUnusable)
            told = []
        refusal = EngineDisagrees if told else EngineUnusable
        here = position.start
        for i, code in enumerate(moves):
            word = self._word(here, code)
            if i >= len(told) and word != self._dialect.implied:
                self._ask(f"play {_colour(here)} {word}", seconds, refusal=refusal)
            here = here.after(code)
        if limits != self._limits and limits.seconds is not None and "time_settings" in self._known:
            self._ask(f"time_settings 0 {max(1, round(limits.seconds))} 1", seconds)
            self._limits = limits
        answer = self._ask(f"genmove {_colour(position)}", seconds, check, EngineDisagrees)
        move = self._move(position, answer)
        self._told = [*moves, move]
        return Answer(move=move)

    def _word(self, position: Position, code: int) -> str:
        return self._dialect.move_text(position.state, code, position.codes)

    def _ask(
        self,
        command: str,
        seconds: float,
        check: Callable[[], None] = lambda: None,
        refusal: type[EngineDisagrees] | type[EngineFailed] | type[EngineUnusable] = EngineFailed,
    ) -> str:
        """Send a command and return the answer; refusal: raised if the engine refuses it."""
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
            raise self._process.failed(refusal, f"refused {command!r}: {text}")
        return text


def _colour(position: Position) -> str:
    return "black" if position.turn == 0 else "white"
