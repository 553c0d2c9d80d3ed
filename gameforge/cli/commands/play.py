"""`gameforge play`: play against any player in the terminal.

A session holds the position, the sides, the commands that a person can enter, and the file that keeps the games. The
opponent answers with moves, hints and the values that oracles know, and it accepts or declines a draw.
"""

import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import attrs
import typer

from gameforge.cli import options
from gameforge.cli.console import Console
from gameforge.cli.figures import score_text
from gameforge.cli.players import plan_for, require_limits, with_limits
from gameforge.cli.terminal import compilation_notice, converse, in_lines, require_input
from gameforge.config import parse_value
from gameforge.errors import GameforgeError, NotCovered, near
from gameforge.interfaces.evaluator import WON
from gameforge.interfaces.rules import Outcome
from gameforge.play.analysis import ask
from gameforge.play.game import Game, Move, Position
from gameforge.play.knowledge import OracleHandle
from gameforge.play.player import LIMITS, Player, score_unit
from gameforge.play.workshop import Workshop
from gameforge.records.game_records import game_writer, record_of
from gameforge.storage.files import write_atomically


def play(
    ctx: typer.Context,
    player: Annotated[
        str | None, typer.Argument(help=f"{options.PLAYER_HELP} Default: the default player of the game.")
    ] = None,
    game: Annotated[str | None, typer.Option(help=options.game_help("player", "position"))] = None,
    side: Annotated[str | None, typer.Option(help="Name of your side; default: the first mover.")] = None,
    fen: options.Fen = None,
    level: options.Level = None,
    depth: options.Depth = None,
    nodes: options.Nodes = None,
    simulations: options.Simulations = None,
    time: options.Time = None,
    oracle: options.Oracles = None,
    save: Annotated[Path | None, typer.Option(help="New file for the games; it is updated after every move.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Random seed of the player; without it, every game is different.")
    ] = None,
    name: Annotated[str, typer.Option(help="Your name in the saved games.")] = "you",
) -> None:
    """Play against a player. Enter a move, its number in the list, or a command; `help` lists the commands."""
    registry = ctx.obj.registry
    require_input("play")
    limits = {"depth": depth, "nodes": nodes, "simulations": simulations, "time": time}
    require_limits(**limits)
    console = Console(highlight=False, stderr=True)
    workshop = Workshop(registry, at_once=True)
    plan = plan_for(workshop, player, game, position=fen, level=level, oracles=oracle or ())
    with compilation_notice(console), console.preparation() as preparation:
        workshop = workshop.announcing(preparation)
        opponent = with_limits(workshop.build(plan), registry, **limits)
        drawn = secrets.randbits(63) if seed is None else seed
        opponent.reseed(drawn)
        oracles = workshop.verdict_oracles(plan, opponent, oracle or ())

        def limited(player: Player, settings: dict[str, str]) -> Player:
            unknown = [key for key in settings if key not in LIMITS]
            if unknown:
                raise GameforgeError(f"unknown limit {unknown[0]!r}; known: {', '.join(LIMITS)}")
            values: dict[str, Any] = {key: parse_value(value) for key, value in settings.items()}
            changed = with_limits(player, registry, **values)
            changed.reseed(drawn)
            return changed

        session = Session(
            opponent,
            opponent.game.position(fen),
            _side(opponent.game, side),
            name=name,
            oracles=oracles,
            save=save,
            limited=limited,
        )
        print(f"You play {opponent.game.rules.sides[session.side]} against {opponent.name}; `help` lists the commands.")
        try:
            session.show()
            converse(session, session.let_player_move)
        finally:
            if session.saved_in is not None:
                print(f"saved in {session.saved_in}")


def _side(game: Game, name: str | None) -> int:
    """Return the number of a side by its name or the first letters of its name, ignoring case."""
    sides = game.rules.sides
    if name is None:
        return 0
    fitting = [i for i, side in enumerate(sides) if name and side.lower().startswith(name.lower())]
    if len(fitting) != 1:
        raise GameforgeError(
            f"--side {name!r}: not a side of {game.rules.name}{near(name, sides)}; allowed: {' or '.join(sides)}"
        )
    return fitting[0]


HELP = """\
Enter a move in the game's notation, its number in the list, or a command:
  moves            list the legal moves
  board            show the board
  hint             show the move that the player would make
  oracle           show the exact value of the position
  undo             take back your last move
  draw             offer a draw; draws by the rules need no claim
  resign           give the game up
  swap             change sides
  go               let the player move for the side to move
  fen [POSITION]   show the position as text, or set up another position
  new              start a new game
  limit KEY=VALUE  limit the player's search: depth=6 time=2 nodes=100000
  save FILE        save all games in a file, and update it after every move
  help             show this text
  quit             leave"""
_OVER = "the game is over; `undo` continues it and `new` starts another (`help` lists the commands)"


class Session:
    """A person against a player; `take` executes a line of input.

    save: a file that always holds all games of the session up to the last move. limited: makes a player with other
    search limits. say: prints a line. Invalid input raises GameforgeError and changes nothing.
    """

    def __init__(
        self,
        player: Player,
        start: Position,
        side: int,
        *,
        name: str = "you",
        oracles: Sequence[OracleHandle] = (),
        save: Path | None = None,
        limited: Callable[[Player, dict[str, str]], Player],
        say: Callable[[str], None] = print,
    ) -> None:
        self.player = player
        self.position = start
        self.side = side
        self.over = False
        """The person has left."""
        self._ended_early: Outcome | None = None
        """How the game ended by resignation or an agreed draw; None if it did not."""
        self._name = name
        self._oracles = oracles
        self._limited = limited
        self._say = say
        self._waiting = False
        """The player was interrupted and waits for the command `go`."""
        self._file = SessionFile()
        self._commands: dict[str, Callable[[str], None]] = {
            "moves": lambda _: self._list_moves(),
            "board": lambda _: self.show(),
            "hint": lambda _: self._hint(),
            "oracle": lambda _: self._say(verdict_text(self._oracles, self.position)),
            "undo": lambda _: self._undo(),
            "draw": lambda _: self._offer_draw(),
            "resign": lambda _: self._resign(),
            "swap": lambda _: self._swap(),
            "go": lambda _: self._go(),
            "fen": self._fen,
            "new": lambda _: self._begin(self.game.position()),
            "limit": self._limit,
            "save": self._save,
            "help": lambda _: self._say(HELP),
            "quit": lambda _: self._leave(),
        }
        if save is not None:
            self._save(str(save))

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.position.game

    @property
    def saved_in(self) -> Path | None:
        """The file in which the games are saved, if any."""
        return self._file.path

    @property
    def prompt(self) -> str:
        """The prompt for the person's input."""
        if self.outcome is not None:
            return "the game is over> "
        return f"{self.game.rules.sides[self.position.turn]}> "

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, by the rules or before; None if it is not over."""
        return self._ended_early or self.position.outcome

    def let_player_move(self) -> None:
        """Let the player move as long as it is its turn."""
        while self.to_think:
            self.think()

    @property
    def to_think(self) -> bool:
        """Whether it is the player's turn."""
        return self.outcome is None and self.position.turn != self.side and not self._waiting

    def show(self) -> None:
        """Show the board, then the legal moves or the result of the game."""
        self._say("")
        self._say(str(self.position))
        outcome = self.outcome
        if outcome is not None:
            winner = "a draw" if outcome.winner is None else f"{self.game.rules.sides[outcome.winner]} wins"
            self._say(f"{winner}: {outcome.reason}")
        elif self.position.turn == self.side:
            self._list_moves()

    def think(self) -> None:
        """Let the player move. Ctrl-C interrupts it and lets the person enter a move instead."""
        try:
            move, why = player_move(self.player, self.position)
        except KeyboardInterrupt:
            self._waiting = True
            self._say("interrupted; enter `go` to let the player think again, or make a move for it")
            self._list_moves()
            return
        self._say(f"{self.game.rules.sides[self.position.turn]} plays {move}: {why}")
        self._move_to(self.position.play(move))

    def take(self, line: str) -> None:
        """Execute a line of input: a move, the number of a move in the list, or a command."""
        line = line.strip()
        if not line:
            return
        moves = self.position.legal_moves if self.outcome is None else []
        texts = [str(move) for move in moves]
        word, _, rest = line.partition(" ")
        if line in texts:
            self._move_to(self.position.play(moves[texts.index(line)]))
        elif word.lower() in self._commands:
            self._commands[word.lower()](rest.strip())
        elif self.outcome is not None:
            raise GameforgeError(f"{line!r}: {_OVER}")
        elif line.isascii() and line.isdigit():
            if not 1 <= int(line) <= len(moves):
                raise GameforgeError(f"{line} is not the number of a move; allowed: 1 to {len(moves)}")
            self._move_to(self.position.play(moves[int(line) - 1]))
        elif word.isalpha() and not any(text[:1].isalpha() for text in texts):
            raise GameforgeError(
                f"{word!r} is not a move or a command{near(word, self._commands)}; `help` lists the commands"
            )
        else:
            self._move_to(self.position.play(line))

    def _move_to(self, position: Position) -> None:
        self.position = position
        self._ended_early = None
        self._waiting = False
        self._file.write(self._text())
        if not self.to_think:
            self.show()

    def _begin(self, position: Position) -> None:
        if self.position.parent is not None or self._ended_early is not None:
            self._file.keep(self._text())
        self._move_to(position)

    def _list_moves(self) -> None:
        moves = [f"{i}) {move}" for i, move in enumerate(self.position.legal_moves, start=1)]
        self._say(in_lines(moves, "   "))

    def _hint(self) -> None:
        self._require_running()
        self._say(hint_text(self.player, self.position))

    def _undo(self) -> None:
        if self._ended_early is not None:  # the game continues where it was given up
            self._move_to(self.position)
            return
        earlier = self.position.parent
        while earlier is not None and earlier.turn != self.side:
            earlier = earlier.parent
        if earlier is None:
            raise GameforgeError("there is no move of yours to take back")
        self._move_to(earlier)

    def _resign(self) -> None:
        self._require_running()
        self._end(Outcome(1 - self.side, "resignation"))

    def _offer_draw(self) -> None:
        """Offer the player a draw. Draws that the rules allow to claim have ended the game by themselves."""
        self._require_running()
        accepted, why = answer_to_draw(self.player, self.position, 1 - self.side, self._oracles)
        if accepted:
            self._say(f"{self.player.name} accepts the draw: {why}")
            self._end(Outcome(None, "agreement"))
        else:
            self._say(f"{self.player.name} declines the draw: {why}")

    def _end(self, outcome: Outcome) -> None:
        self._ended_early = outcome
        self._file.write(self._text())
        self.show()

    def _swap(self) -> None:
        self.side = 1 - self.side
        self._waiting = False
        self._say(f"you now play {self.game.rules.sides[self.side]}")
        self._file.write(self._text())

    def _go(self) -> None:
        self._require_running()
        self._waiting = False
        if self.position.turn == self.side:
            self.think()

    def _fen(self, text: str) -> None:
        if text:
            self._begin(self.game.position(text))
        else:
            self._say(self.game.position_text(self.position.state))

    def _limit(self, text: str) -> None:
        parts = [part.partition("=") for part in text.split()]
        settings = {key: value for key, _, value in parts}
        if not all(all(part) for part in parts) or len(settings) != len(parts) or not parts:
            raise GameforgeError(f"limit {text!r}: must be KEY=VALUE, as in `limit depth=6`")
        self.player = self._limited(self.player, settings)
        self._say(f"you now play against {self.player.name}")

    def _save(self, text: str) -> None:
        if not text:
            raise GameforgeError("save: the name of a file is missing")
        self._file.choose(Path(text), self._text())

    def _text(self) -> str:
        names = (self._name, self.player.name) if self.side == 0 else (self.player.name, self._name)
        record = record_of(self.position, names, "gameforge play", time.strftime("%Y.%m.%d"))
        record = record if self._ended_early is None else attrs.evolve(record, outcome=self._ended_early)
        text = game_writer(self.game)(record)
        return text if text.endswith("\n") else f"{text}\n"

    def _leave(self) -> None:
        self.over = True

    def _require_running(self) -> None:
        if self.outcome is not None:
            raise GameforgeError(_OVER)


def player_move(player: Player, position: Position) -> tuple[Move, str]:
    """Return the player's move and the reason for it: the only move, a book move, or the search.

    Of a search, it states the score, the time, and which limit ended it.
    """
    known = _without_search(player, position)
    if known is not None:
        return known
    began = time.perf_counter()
    analysis = player.analyse(position)
    seconds = time.perf_counter() - began
    ended = f" (limit: {analysis.limit})" if analysis.limit else ""
    return analysis.move, f"{score_text(analysis.score, score_unit(player), position.state)}, {seconds:.1f} s{ended}"


def hint_text(player: Player, position: Position) -> str:
    """Return the move that the player would make, with the reason or with score and line."""
    known = _without_search(player, position)
    if known is not None:
        return f"{known[0]}: {known[1]}"
    analysis = player.analyse(position)
    line = " ".join(map(str, analysis.line))
    return f"{analysis.move}: {score_text(analysis.score, score_unit(player), position.state)}, {line}"


def verdict_text(oracles: Sequence[OracleHandle], position: Position) -> str:
    """Return the value of the position by the first oracle that knows it; if none does, the reason of each.

    Raises GameforgeError if there is no oracle.
    """
    if not oracles:
        raise GameforgeError("there is no oracle; choose one with --oracle NAME")
    side = position.game.rules.sides[position.turn]
    reasons = []
    for oracle in oracles:
        try:
            return f"{oracle.spec}: a {oracle.probe(position)} for {side}"
        except NotCovered as reason:
            reasons.append(str(reason))
    return "\n".join(reasons)


def _without_search(player: Player, position: Position) -> tuple[Move, str] | None:
    if len(position.codes) == 1:
        return position.legal_moves[0], "the only move"
    move = player.book_move(position)
    return None if move is None else (move, "book move")


EARLIEST_DRAW = 20
"""Number of plies that a game must have before a player accepts a draw without knowing that it is one."""
EVEN_SCORE = 0.02
"""A player accepts a draw if its plain score is at most this: less than a man, or 51 % of the points."""


def answer_to_draw(player: Player, position: Position, side: int, oracles: Sequence[OracleHandle]) -> tuple[bool, str]:
    """Return whether the player of this side accepts a draw in the position, and why.

    What an oracle knows decides; otherwise the player searches the position, in which either side may be to move.
    """
    known = ask(oracles, position)
    if known is not None:
        value = known.verdict.value
        wins = value == ("win" if position.turn == side else "loss")
        return not wins, f"{known.oracle} knows a win" if wins else f"by {known.oracle}"
    if len(position.moves_played) < EARLIEST_DRAW:
        return False, f"it is too early; draws are accepted after {EARLIEST_DRAW} plies"
    score = player.analyse(position).score
    own = score if position.turn == side else -score
    if own > EVEN_SCORE:
        return False, "the player has winning chances" if own < WON else "the player sees a win"
    return True, "the score is about even" if own >= -EVEN_SCORE else "the player is worse"


@attrs.define
class SessionFile:
    """A file that always holds all games of the session, up to the last move; without a path, nothing is written."""

    path: Path | None = None
    _earlier: list[str] = attrs.field(factory=list)

    def choose(self, path: Path, game: str) -> None:
        """Write all games to another file from now on. game: the text of the current game.

        Raises GameforgeError, and changes nothing, if the file exists or cannot be written.
        """
        if path.exists() and path != self.path:
            raise GameforgeError(f"{path} already exists; choose another file")
        before, self.path = self.path, path
        try:
            self.write(game)
        except GameforgeError:
            self.path = before
            raise

    def write(self, game: str) -> None:
        """Write the earlier games and the current one; GameforgeError if the file cannot be written."""
        if self.path is not None:
            write_atomically(self.path, "\n".join([*self._earlier, game]).encode())

    def keep(self, game: str) -> None:
        """Keep a game, which another one follows."""
        self._earlier.append(game)
