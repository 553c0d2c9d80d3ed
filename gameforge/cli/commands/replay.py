"""`gameforge replay`: step through a game in the terminal.

The game comes from a file in its own format, from a database, or from the folder of a run or match.
"""

import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from gameforge.arena.match_folder import MATCH_FORMAT, RECORDS
from gameforge.cli.analysed_games import numbered
from gameforge.cli.commands.board import diagram
from gameforge.cli.options import Encoding, Flipped, game_help
from gameforge.cli.players import game_for
from gameforge.cli.terminal import compilation_notice, converse, in_lines, require_input
from gameforge.config import Spec
from gameforge.config.outside import require_file
from gameforge.discovery.registry import Registry
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.games import GameRecord
from gameforge.play.display import counted
from gameforge.play.game import Game, Position
from gameforge.records.game_records import check_record, read_games, read_record
from gameforge.storage.stored import read_log
from gameforge.training.run_folder import RUN_FORMAT, pipeline_settings


def replay(
    ctx: typer.Context,
    file: Annotated[
        Path, typer.Argument(help="File of games in the game's own format, database, or folder of a run or of a match.")
    ],
    game: Annotated[str | None, typer.Option(help=game_help("file"))] = None,
    number: Annotated[int, typer.Option(min=1, help="Number of the game in the file, counted from 1.")] = 1,
    ply: Annotated[int, typer.Option(min=0, help="Show the position after this number of plies first.")] = 0,
    flipped: Flipped = False,
    encoding: Encoding = "utf-8",
) -> None:
    """Step through a game. Enter shows the next move, `back` the one before; `help` lists the commands."""
    require_input("replay")
    with compilation_notice():
        found, record = game_in(
            *(file, number, ctx.obj.registry, game, encoding), lambda text: print(text, file=sys.stderr)
        )
        if ply > len(record.codes):
            raise GameforgeError(f"--ply {ply}: the game ends after {counted(len(record.codes), 'ply', 'plies')}")
        stepping = Stepping(found, record, flipped=flipped)
    print(" - ".join(name or "?" for name in record.players))
    stepping.go_to(ply)
    converse(stepping)


HELP = """\
  next, or Enter   the next move
  back             the move before
  PLY              the position after this number of plies; 0 is the start
  first, last      the start, or the end of the game
  flip             see the board from the other side
  moves            the moves of the game
  help             this text
  quit             leave"""


class Stepping:
    """A game of which one position is shown; `take` executes a line of input.

    say: prints a line. Invalid input raises GameforgeError and changes nothing.
    """

    def __init__(
        self, game: Game, record: GameRecord, *, flipped: bool = False, say: Callable[[str], None] = print
    ) -> None:
        here = Position(game, record.start)
        self.positions = [here]
        for code in record.codes:
            here = here.after(code)
            self.positions.append(here)
        self.ply = 0
        self.over = False
        """The person has left."""
        self._record, self._flipped, self._say = record, flipped, say
        self._commands: dict[str, Callable[[], None]] = {
            "next": lambda: self.go_to(self.ply + 1),
            "back": lambda: self.go_to(self.ply - 1),
            "first": lambda: self.go_to(0),
            "last": lambda: self.go_to(len(record.codes)),
            "flip": self._flip,
            "moves": self._list_moves,
            "help": lambda: self._say(HELP),
            "quit": self._leave,
        }

    @property
    def prompt(self) -> str:
        return f"{self.ply} of {len(self._record.codes)}> "

    def take(self, line: str) -> None:
        """Execute a line: a command, its first letters, or the number of a ply."""
        word = line.strip().lower() or "next"
        if word.isascii() and word.isdigit():
            self.go_to(int(word))
            return
        fitting = [name for name in self._commands if name.startswith(word)]
        if not fitting:
            raise GameforgeError(f"{word!r} is not a command{near(word, self._commands)}; `help` lists the commands")
        self._commands[fitting[0]]()

    def go_to(self, ply: int) -> None:
        last = len(self._record.codes)
        if ply < 0:
            raise GameforgeError("this is the start of the game")
        if ply > last:
            raise GameforgeError(f"the game ends after {counted(last, 'ply', 'plies')}")
        self.ply = ply
        self.show()

    def show(self) -> None:
        """Show the board, the move that led to it, its comment, and the result at the end."""
        self._say("")
        self._say(diagram(self.positions[self.ply], flipped=self._flipped))
        if self.ply:
            self._say(self._numbered(self.ply - 1))
        comment = self._record.annotations.comments.get(self.ply)
        if comment:
            self._say(comment)
        if self.ply == len(self._record.codes):
            self._say(self._result())

    def _numbered(self, i: int) -> str:
        return f"{numbered(self.positions[0], i)} {self._move(i)}"

    def _move(self, i: int) -> str:
        move = self.positions[i + 1].last_move
        assert move is not None
        text = self.positions[i].game.move_text(self.positions[i].state, move, self.positions[i].codes)
        return text + self._record.annotations.marks.get(i, "")

    def _list_moves(self) -> None:
        """List the moves, with one number for both moves of a pair."""
        start, moves = self.positions[0], range(len(self._record.codes))
        begins_pair = [i == 0 or (i + start.turn) % 2 == 0 for i in moves]
        self._say(in_lines([self._numbered(i) if begins_pair[i] else self._move(i) for i in moves], " "))

    def _result(self) -> str:
        if not self._record.finished:
            return "not finished"
        winner = self._record.outcome.winner
        sides = self.positions[0].game.rules.sides
        result = "a draw" if winner is None else f"{sides[winner]} wins"
        return f"{result}: {self._record.reason}" if self._record.reason else result

    def _flip(self) -> None:
        flipped, self._flipped = self._flipped, not self._flipped
        try:
            self.show()
        except GameforgeError:
            self._flipped = flipped
            raise

    def _leave(self) -> None:
        self.over = True


def games_file(path: Path) -> Path:
    """Return the path of a file, or of the file of games in the folder of a run or match.

    Raises GameforgeError if there is no such file, or if the folder has none.
    """
    if not path.is_dir():
        require_file(path)
        return path
    found = sorted(file for file in path.glob("games.*") if file.suffix != ".jsonl")
    if len(found) == 1:
        return found[0]
    if (path / RECORDS).is_file():
        return path / RECORDS
    raise GameforgeError(f"{path} has no file of games that can be read (games.pdn, for example, or {RECORDS})")


def game_in(
    path: Path, number: int, registry: Registry, name: str | None, encoding: str, notice: Callable[[str], None]
) -> tuple[Game, GameRecord]:
    """Return the game with this number, counted from 1, of a file or folder, and the rules of the game.

    name: as given with --game; None takes the game of the folder, or infers it from the file. Raises GameforgeError if
    the file cannot be read or has fewer games, or if the game contradicts the rules.
    """
    file = games_file(path)
    game = game_for(registry, name or game_of_folder(file.parent if file.name == RECORDS else path), file=file)
    if file.name == RECORDS:
        records = iter(read_log(file, lambda stored: read_record(stored, game)))
    else:
        read = read_games(file, game, encoding=encoding, notice=notice, registry=registry)
        records = (record for _, record in read)
    first = list(islice(records, number))
    if not first:
        raise GameforgeError(f"{file} has no games that can be read")
    if len(first) < number:
        raise GameforgeError(f"--number {number}: {file} has only {counted(len(first), 'game')}")
    found = first[-1]
    if file.name == RECORDS:
        check_record(game, found)
    return game, found


def game_of_folder(folder: Path) -> str | None:
    """Return the game of the match or run in a folder; None if there is neither."""
    form = next((one for one in (MATCH_FORMAT, RUN_FORMAT) if one.path(folder).is_file()), None)
    if form is None:
        return None
    try:
        if form is RUN_FORMAT:
            return str(Spec.from_settings(pipeline_settings(folder)["game"], "game"))
        players: Any = MATCH_FORMAT.read(folder)["players"]
        return str(Spec.from_settings(players[0]["parts"]["game"], "game"))
    except (KeyError, IndexError, TypeError) as error:
        raise GameforgeError(f"{form.path(folder)} is damaged: it does not name the game") from error
