"""Stepping through a game: the current ply and the commands that a person can enter."""

from collections.abc import Callable

from gameforge.cli.shared.annotated import numbered
from gameforge.cli.shared.conversation import in_lines
from gameforge.cli.shared.figures_text import counted
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.games import GameRecord
from gameforge.play.game import Game, Position
from gameforge.play.picture import diagram

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
        for code in record.moves:
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
            "last": lambda: self.go_to(len(record.moves)),
            "flip": self._flip,
            "moves": self._list_moves,
            "help": lambda: self._say(HELP),
            "quit": self._leave,
        }

    @property
    def prompt(self) -> str:
        return f"{self.ply} of {len(self._record.moves)}> "

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
        """Show the position after this number of plies."""
        last = len(self._record.moves)
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
        if self.ply == len(self._record.moves):
            self._say(self._result())

    def _numbered(self, i: int) -> str:
        return f"{numbered(self.positions[0], i)} {self._move(i)}"

    def _move(self, i: int) -> str:
        """Return move i with its mark."""
        move = self.positions[i + 1].last_move
        assert move is not None
        text = self.positions[i].game.move_text(self.positions[i].state, move, self.positions[i].codes)
        return text + self._record.annotations.marks.get(i, "")

    def _list_moves(self) -> None:
        """List the moves, with one number for both moves of a pair."""
        start, moves = self.positions[0], range(len(self._record.moves))
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
