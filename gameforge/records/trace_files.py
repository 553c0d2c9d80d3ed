"""Files of games as lines of moves, for games without a format of their own.

Lines of three kinds are read, and all others skipped:

* GameForge writes a game as `EVENT: FIRST - SECOND; start POSITION; MOVES; RESULT`.
* A playthrough of OpenSpiel begins with `game: NAME`; a line `# Apply action "TEXT"` stands for each action, and
  `Returns() = [1, -1]` follows `IsTerminal() = True`.
* OpenSpiel's programs that play matches (mcts.py, AlphaZero) write `Returns: 1.0 -1.0 , Game actions: TEXT TEXT` for a
  game, or `Returns: 1.0 -1.0; Actions: TEXT TEXT`.

In all of them `_` stands for a space within a move, and OpenSpiel's texts of actions must be the game's texts of moves.
A pass that is the only legal move may be left out.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.capabilities import GameFiles
from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.interfaces.rules import Outcome, Rules
from gameforge.play.game import Game, Position
from gameforge.storage.game_lines import read_lines

_AFTER_NAMES = re.compile(
    r"(?P<start>[^;]*); (?P<moves>.*); (?P<result>[^;]+ wins|draw|not finished)(?: \((?P<reason>[^;]*)\))?"
)
_GAME, _ACTION = re.compile(r"game: (.+)"), re.compile(r'# Apply action "(.*)"')
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_RETURNS = re.compile(rf"Returns\(\) = \[{_NUMBER}, {_NUMBER}\]")
_TRACE = re.compile(rf".*Returns: {_NUMBER} {_NUMBER} ?[,;] (?:Game a|A)ctions: ?(.*)")
_PASS = "pass"


@attrs.frozen(kw_only=True)
class _Trace:
    """A game as a file has it."""

    line: int
    """Number of its first line, from 1."""
    words: list[str]
    """Its moves; one with spaces is several words."""
    game: str = ""
    """Its name in OpenSpiel; "" if the file has none."""
    returns: tuple[float, float] | None = None
    """What OpenSpiel's players 0 and 1 get; None if the game has no result."""
    ours: Mapping[str, str] | None = None
    """The parts of the line, if GameForge has written it."""


def _own_line(text: str) -> dict[str, str] | None:
    """Return the parts of a line that GameForge has written; None for any other.

    The names, which may be anything, are not for a regular expression: it would try all places where they may end.
    """
    head, start, tail = text.rpartition("; start ")
    event, colon, names = head.partition(": ")
    first, dash, second = names.rpartition(" - ")
    rest = _AFTER_NAMES.fullmatch(tail)
    if rest is None or not (start and colon and dash):
        return None
    return {"event": event, "first": first, "second": second, **rest.groupdict("")}


def _traces(lines: Iterable[str]) -> Iterator[_Trace]:
    """Find the games in the lines of a file."""
    running: _Trace | None = None
    over = False
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        if ours := _own_line(text):
            yield _Trace(line=number, words=ours["moves"].split(), ours=ours)
        elif game := _GAME.fullmatch(text):
            if running is not None:
                yield running
            running, over = _Trace(line=number, words=[], game=game[1].strip()), False
        elif running is not None and (action := _ACTION.fullmatch(text)):
            running.words.append("_".join(action[1].split()))
        elif text == "IsTerminal() = True":
            over = True
        elif running is not None and over and (got := _RETURNS.fullmatch(text)):
            running = attrs.evolve(running, returns=(float(got[1]), float(got[2])))
        elif trace := _TRACE.fullmatch(text):
            yield _Trace(line=number, words=trace[3].split(), returns=(float(trace[1]), float(trace[2])))
    if running is not None:
        yield running


def _word(move: str) -> str:
    """Return the text of a move without blanks, which separate moves."""
    return "_".join(move.split())


def plain_text(game: Game, record: GameRecord) -> str:
    """Return a game as one line: event and players, the initial position, the moves and the result.

    `TraceFiles` reads such lines.
    """
    texts, state = [], record.start
    for move in record.codes:
        texts.append(_word(game.move_text(state, move, game.legal(state))))
        state = game.play(state, move)
    result = "not finished"
    if record.finished:
        winner = record.outcome.winner
        result = f"{'draw' if winner is None else f'{game.rules.sides[winner]} wins'} ({record.reason})"
    event = record.tags(game.rules.sides).get("Event", "game")
    names = " - ".join(name or "?" for name in record.players)
    return f"{event}: {names}; start {game.position_text(record.start)}; {' '.join(texts)}; {result}"


@attrs.frozen
class TraceFiles(GameFiles):
    """The capability `files` of rules; `game_files` gives it to games whose rules offer none."""

    rules: Rules
    """The rules of the game."""
    is_named: Callable[[str], bool] = lambda name: True
    """Whether the game has this name in OpenSpiel, with parameters in brackets."""
    movers: tuple[int, int] = (0, 1)
    """OpenSpiel's numbers of the first and the second mover."""

    suffix = ".trace"
    """Ending of the names of such files."""

    def game_text(self, game: GameRecord) -> str:
        """Return a game as a line."""
        return f"{plain_text(self._game, game)}\n"

    @functools.cached_property
    def _game(self) -> Game:
        return Game(self.rules)  # not in the beginning, because a game asks its rules for their files

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[GameRecord]:
        """Yield the games of a file; parameters and errors as for `GameFiles.read_games`."""
        found = False
        for trace in _traces(read_lines(path, encoding)):
            found = True
            try:
                record = self._record(self._game, trace)
            except GameforgeError as error:
                if not tolerant:
                    raise GameforgeError(f"{path}, line {trace.line}: {error}") from None
                notice(f"left out: {path}, line {trace.line}: {error}")
                continue
            yield record
        if not found:
            raise GameforgeError(
                f"{path} has no games: no playthrough or match trace of OpenSpiel, and no line of ours"
            )

    def _record(self, game: Game, trace: _Trace) -> GameRecord:
        if trace.game and not self.is_named(trace.game):
            raise GameforgeError(f"a playthrough of {trace.game}, which is another game")
        last = _played(game.position(trace.ours["start"] if trace.ours else None), trace.words)
        given, known = self._result(trace), last.outcome
        if known is not None and given is not None and known.winner != given.winner:
            raise GameforgeError(f"the result is {self._winner(given)}, but by the rules {self._winner(known)}")
        return GameRecord(
            players=(trace.ours["first"], trace.ours["second"]) if trace.ours else ("", ""),
            start=last.start.state,
            moves=tuple(last.moves_played),
            outcome=known or given or Outcome.UNFINISHED,
            annotations=Annotations(tags={"Event": trace.ours["event"]} if trace.ours else {}),
        )

    def _winner(self, outcome: Outcome) -> str:
        return "a draw" if outcome.winner is None else f"a win of {self.rules.sides[outcome.winner]}"

    def _result(self, trace: _Trace) -> Outcome | None:
        """Return the result that the file states; None if it states none."""
        if trace.returns is not None:
            first, second = (trace.returns[number] for number in self.movers)
            return Outcome(None if first == second else int(first < second), "")
        if trace.ours is None or trace.ours["result"] == "not finished":
            return None
        winners = {"draw": None, **{f"{side} wins": i for i, side in enumerate(self.rules.sides)}}
        if trace.ours["result"] not in winners:
            raise GameforgeError(f"{trace.ours['result']!r} is not a result; expected {', '.join(winners)}")
        return Outcome(winners[trace.ours["result"]], trace.ours["reason"])


def game_files(game: Game) -> GameFiles:
    """Return the files of a game: in its own format, or as lines of moves."""
    return game.files or TraceFiles(game.rules)


def _played(position: Position, words: Sequence[str]) -> Position:
    """Play the moves from a position; GameforgeError for one that is not legal."""
    done = 0
    while done < len(words):
        played = len(position.moves_played)
        if position.outcome is not None:
            raise GameforgeError(
                f"{words[done]!r} follows move {played}, which ended the game: {position.outcome.reason}"
            )
        texts = {_word(str(move)): move.code for move in position.legal_moves}
        longest = 1 + max(text.count("_") for text in texts)
        for count in range(min(longest, len(words) - done), 0, -1):
            text = "_".join(words[done : done + count])
            if text in texts:
                position, done = position.after(texts[text]), done + count
                break
        else:
            if list(texts) != [_PASS]:
                legal = ", ".join(texts)
                raise GameforgeError(f"move {played + 1}: {words[done]!r} is not legal; legal: {legal}")
            position = position.after(texts[_PASS])
    return position
