"""Games of other programs: trees of properties (GGF and SGF), and the archive WTHOR.

GGF, in which the server GGS archives its games, and SGF (GM[2]) of Edax and Quarry:

    (;GM[Othello]PB[Ann]PW[Bob]TY[8]RE[+12.00]BO[8 -----...----- *]B[F5//2.4]W[D6/0.00]...;)
    (;FF[4]GM[2]SZ[8]PB[Ann]PW[Bob]AB[e4][d5]AW[d4][e5]PL[B];B[f5];W[d6]...)

A property is a name in capitals and values in brackets, in which a backslash protects the next character. Moves are `B`
and `W`. In GGF a move may be followed by an evaluation and by seconds, after slashes, which are kept as a comment;
`BO` is the size of the board, its squares row by row, and the side to move; `RE` is Black's lead in discs, less the
komi `KM`, and may say why the game ended; `TY` has an `a` if the side with fewer discs wins, which is refused. In SGF
`;` begins the next node, `(` a variation, `AB` and `AW` place discs, and `PL` is the side to move. All other properties
of the root are kept as tags. Text between games is ignored, since GGS writes the number of games of a match there.
Sources: Michael Buro's description of GGF at skatgame.net/mburo/ggsa/ggf, and that of SGF at red-bean.com/sgf.

WTHOR, the archive of the French Othello federation, has files of games (`.wtb`), of players and of tournaments. Each
file has a header of 16 bytes: its date (century, year, month, day), number of games (4 bytes, little-endian), number of
other records (2), year of the games (2), size of the board (8 or 0 for 8x8), kind of the file, depth of the theoretical
score, 0. Each game has 68 bytes: tournament, Black and White as numbers that refer to the other files (2 each), Black's
discs at the end (empty squares go to the winner), the most discs that Black could have reached from the theoretical
depth on, 60 moves as 10 * row + column, followed by 0. Passes are not stored. The names of players are in a file
`.jou`, 20 bytes each, and those of tournaments in a file `.trn`, 26 bytes each, padded with zeros. They are read from
the folder of the games.
"""

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray

from gameforge import Game, GameforgeError
from gameforge.interfaces import Annotations, GameRecord, Outcome, State, Variation
from gameforge.kernel import U0, U1, CompiledRules, IntegerArray, WordArray, at, kernel
from gameforge.storage import game_lines, stored
from gameforge_othello.movegen import (
    BLACK,
    NAMES,
    PASS,
    SIDES,
    SQUARES,
    START,
    WHITE,
    final_counts,
    state_of,
    winner_by,
)
from gameforge_othello.notation import MOVE, PASS_TEXT, Record, parse_diagram

_TOKEN = re.compile(r"([();])|([A-Za-z]+)\s*((?:\[(?:[^\]\\]|\\.)*\]\s*)+)|(\S)", re.DOTALL)
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
_BEGIN = re.compile(r"\s*(?:[0-9]+\s*)?\(\s*;\s*(?:FF\[[0-9]\]\s*)?GM\[")
_MOST_BYTES = 1 << 30
_LONGEST = 1 << 20
_DEEPEST = 100
_TAGS = {"PB": SIDES[BLACK], "PW": SIDES[WHITE], "DT": "Date", "PC": "Site", "EV": "Event", "RO": "Round"}
"""Properties that are tags by another name."""
_READ = {"GM", "BO", "AB", "AW", "PL", "SZ", "FF"}
"""Properties of the root that the position and the moves are made of."""
_MARKS = {"TE": "!", "BM": "?", "IT": "!?", "DO": "?!"}
_NUMBER = re.compile(r"[+-]?[0-9]{1,4}(?:\.[0-9]{1,4})?")
_RESULT = re.compile(r"([+-]?[0-9]{1,4}(?:\.[0-9]{1,4})?)(:[a-z]+)?|([BW])\+(.*)|(0|draw)", re.IGNORECASE)
_LETTERS = re.compile(r"([a-h])([a-h])", re.IGNORECASE)

Properties = list[tuple[str, list[str]]]


@attrs.define
class _Node:
    """Nodes up to a branching, and the lines that follow."""

    properties: Properties = attrs.field(factory=list)
    branches: "list[_Node]" = attrs.field(factory=list)


def is_tree(path: Path, encoding: str) -> bool:
    """Return whether a file begins like one of these formats; GameforgeError if it cannot be read."""
    for line in game_lines.read_lines(path, encoding):
        if line.strip():
            return re.match(r"\s*(?:[0-9]+\s*)?\(\s*(?:;|$)", line) is not None
    return False


def read_trees(
    game: Game, komi: int, path: Path, encoding: str, tolerant: bool, notice: Callable[[str], None]
) -> Iterator[GameRecord]:
    """Read the games of a file one by one; parameters and errors as for `GameFiles.read_games`."""
    for number, (line, text) in enumerate(_texts(path, encoding), 1):
        try:
            record = _Reader(game, komi).record(_parsed(text), number)
        except GameforgeError as error:
            if not tolerant:
                raise GameforgeError(f"{path}, game {number}, line {line}: {error}") from None
            notice(f"left out: {path}, game {number}, line {line}: {error}")
        else:
            yield record


def _texts(path: Path, encoding: str) -> Iterator[tuple[int, str]]:
    """Yield the text of each game, from its first parenthesis to the one that closes it, with its line's number."""
    parts: list[str] = []
    begin = size = depth = 0
    inside = False
    for number, line in enumerate(game_lines.read_lines(path, encoding), 1):
        if depth and _BEGIN.match(line):  # the game before it was never closed
            yield begin, "".join(parts)
            parts, size, depth, inside = [], 0, 0, False
        start = 0
        for found in re.finditer(r"\\.|[()\[\]]", line):
            sign = found[0]
            if sign in "[]" and depth:
                inside = sign == "["
            elif sign == "(" and not inside:
                if not depth:
                    begin, start = number, found.start()
                depth += 1
            elif sign == ")" and depth and not inside:
                depth -= 1
                if not depth:
                    yield begin, "".join(parts) + line[start : found.end()]
                    parts, size = [], 0
        if depth:
            parts.append(line[start:])
            size += len(line)
            if size > _LONGEST:
                raise GameforgeError(f"{path}, line {begin}: a game has more than {_LONGEST} characters")
    if depth:
        yield begin, "".join(parts)


def _parsed(text: str) -> _Node:
    root = _Node()
    path = [root]
    closed = False
    for token in _TOKEN.finditer(text, 1):
        if token[4] or closed:
            raise GameforgeError(f"{token[0][:40]!r} is neither a property nor anything else of GGF or SGF")
        if token[1] == "(":
            if len(path) > _DEEPEST:
                raise GameforgeError(f"variations are nested more than {_DEEPEST} deep")
            path[-1].branches.append(_Node())
            path.append(path[-1].branches[-1])
        elif token[1] == ")":
            closed = len(path) == 1
            path = path[:-1] or path
        elif token[2]:
            if path[-1].branches:
                raise GameforgeError(f"{token[2]} follows the variations; a node must precede them")
            values = [re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL) for value in _VALUE.findall(token[3])]
            path[-1].properties.append((token[2].upper(), values))
    if not closed:
        raise GameforgeError("the game is never closed")
    return root


@attrs.frozen
class _Reader:
    game: Game
    komi: int

    def record(self, root: _Node, number: int) -> GameRecord:
        first = next((i for i, (name, _) in enumerate(root.properties) if name in "BW"), len(root.properties))
        known = {name: values for name, values in root.properties[:first] if name not in _MARKS}
        kind = known.get("GM", [""])[0].strip().lower()
        if kind not in ("othello", "reversi", "2"):
            raise GameforgeError(f"another game (GM[{kind}]; Othello is GM[Othello] or GM[2])")
        if "a" in known.get("TY", [""])[0].lower():
            raise GameforgeError(f"another game (TY[{known['TY'][0]}]: the side with fewer discs wins)")
        moves, notes, last = self._line(root, self._start(known))
        tags = {_TAGS.get(name, name): "".join(values) for name, values in known.items() if name not in {*_READ, "C"}}
        outcome = self._outcome(last, tags.get("RE", ""), tags.get("KM", ""))
        if last.is_over or tags.get("RE") == "?":  # otherwise it may be a lead, and say why the game ended
            tags.pop("RE", None)
        return GameRecord(
            number=number,
            players=(tags.get(SIDES[BLACK], ""), tags.get(SIDES[WHITE], "")),
            start=self._start(known),
            moves=moves,
            outcome=outcome,
            annotations=attrs.evolve(notes, tags=tags),
        )

    def _start(self, known: dict[str, list[str]]) -> State:
        size = known.get("SZ", ["8"])[0]
        if "BO" in known:
            size, _, board = known["BO"][0].strip().partition(" ")
        if size.strip() != "8":
            raise GameforgeError(f"the board has {size}x{size} squares; only 8x8 is read")
        if "BO" in known:
            return parse_diagram(board)
        if "AB" not in known and "AW" not in known:
            return START
        black, white = (sum(1 << square for square in _squares(known.get(name, []))) for name in ("AB", "AW"))
        if black & white:
            raise GameforgeError(f"two discs stand on {NAMES[(black & white).bit_length() - 1]}")
        turn = known.get("PL", ["B"])[0].strip().lower()
        board = "".join("X" if black >> i & 1 else "O" if white >> i & 1 else "-" for i in range(SQUARES))
        parse_diagram(board)  # refuses what cannot be
        return state_of(black, white, WHITE if turn.startswith(("w", "2")) else BLACK)

    def _line(self, node: _Node, start: State) -> tuple[tuple[int, ...], Annotations, Record]:
        """Return the moves of the main line from a node on, what is said about them, and the replayed line."""
        line = Record(self.game, start, "")
        comments: dict[int, list[str]] = {}
        marks: dict[int, str] = {}
        variations: dict[int, tuple[Variation, ...]] = {}
        while True:
            for name, values in node.properties:
                done = len(line.moves)
                if name in ("B", "W"):
                    self._play(line, name, values[0], comments)
                elif name == "C":
                    comments.setdefault(done, []).extend(values)
                elif name in _MARKS and done:
                    marks[done - 1] = marks.get(done - 1, "") + _MARKS[name]
            if not node.branches:
                break
            done = len(line.moves)
            others = []
            for branch in node.branches[1:]:
                moves, notes, _ = self._line(branch, line.state)
                others += [Variation(moves=moves, annotations=notes)] if moves else []
            if others:
                variations[done] = tuple(others)
            node = node.branches[0]
        texts = {i: " ".join(" ".join(parts).split()) for i, parts in comments.items()}
        notes = Annotations(
            comments={i: text for i, text in texts.items() if text},
            marks=marks,
            variations={i: lines for i, lines in variations.items() if i < len(line.moves)},
        )
        return tuple(line.moves), notes, line

    def _play(self, line: Record, side: str, value: str, comments: dict[int, list[str]]) -> None:
        text, _, rest = value.strip().partition("/")
        letters = _LETTERS.fullmatch(text.strip())
        move = f"{letters[1]}{'abcdefgh'.index(letters[2].lower()) + 1}" if letters else text.strip() or PASS_TEXT
        if re.fullmatch(MOVE, move, re.IGNORECASE) is None and move.lower() != "pass":
            raise GameforgeError(f"move {len(line.moves) + 1}: {side}[{value[:20]}] is not a move such as {side}[F5]")
        line.add(move)
        mover = (self.game.rules.side_to_move(line.state) + 1) % 2
        if mover != (BLACK if side == "B" else WHITE):
            raise GameforgeError(f"move {len(line.moves)}: {side}[{value[:20]}] is played by the wrong side")
        if rest.strip("/ "):
            comments.setdefault(len(line.moves), []).append(rest.strip())

    def _outcome(self, line: Record, result: str, komi: str) -> Outcome:
        """Return the outcome of a line; result: the property RE; komi: the property KM, in discs for White."""
        found = _RESULT.fullmatch(result.strip())
        lead = float(found[1]) if found is not None and found[1] else None
        if line.is_over:
            counts = final_counts(line.state)
            over = Outcome(winner_by(*counts, self.komi), self.game.rules.reasons[0])
            stated = float(komi) if _NUMBER.fullmatch(komi.strip()) else 0.0
            if lead is None or (found and found[2]) or (self.komi and not stated):
                return over
            if lead != counts[0] - counts[1] - stated:
                raise GameforgeError(f"the result is {result}, but the game ends {counts[0]}-{counts[1]}")
            if _winner(lead) != over.winner:
                raise GameforgeError(f"the result is {result} with a komi of {komi}, which these rules do not have")
            return over
        if found is None:
            return Outcome.UNFINISHED
        if lead is not None:
            return Outcome(_winner(lead), "")
        if found[3]:
            return Outcome(BLACK if found[3].upper() == "B" else WHITE, "")
        return Outcome(None, "")


def _winner(lead: float) -> int | None:
    return None if lead == 0 else BLACK if lead > 0 else WHITE


def _squares(values: list[str]) -> list[int]:
    found = []
    for value in values:
        first, _, last = value.strip().lower().partition(":")
        for name in (first, last or first):
            if name not in NAMES:
                raise GameforgeError(f"{value!r} is not a square; squares: a1 to h8")
        columns, rows = (sorted((a, b)) for a, b in zip(first, last or first, strict=True))
        found += [NAMES.index(f"{chr(c)}{chr(r)}") for c in range(*_span(columns)) for r in range(*_span(rows))]
    return found


def _span(ends: list[str]) -> tuple[int, int]:
    return ord(ends[0]), ord(ends[1]) + 1


WTHOR_SUFFIX = ".wtb"
_HEADER = struct.Struct("<4BIHH4B")
_GAME = struct.Struct("<HHHBB60s")
_PLAYER, _TOURNAMENT = 20, 26
"""Bytes of a name."""
_MOVES = 60
"""Moves of a game, at most; there are fewer passes."""
_TOGETHER = 256
"""Number of games that are played in one call."""
_PASS = np.uint64(PASS)


def read_wthor(
    game: Game, komi: int, path: Path, tolerant: bool, notice: Callable[[str], None]
) -> Iterator[GameRecord]:
    """Read the games of a file; the score of each must be the stored one.

    Tags: Date (the year), Tournament, Black and White (names, or numbers without the files of names), Score and
    Theoretical (Black's discs). A game whose moves stop early counts as finished, too: its stored score decides who
    won. Raises GameforgeError if the file is not a WTHOR file of games on 8x8 squares, and for a bad game, or reports
    it by `notice` if `tolerant`.
    """
    data = _contents(path)
    *_, games, _, year, size, kind, _, _ = _HEADER.unpack_from(data)
    if size not in (0, 8) or kind not in (0, 1):
        raise GameforgeError(f"{path}: not a WTHOR file of games on 8x8 squares (size {size}, kind {kind})")
    if len(data) != _HEADER.size + games * _GAME.size:
        raise GameforgeError(
            f"{path}: {games} games take {_HEADER.size + games * _GAME.size} bytes, but the file has {len(data)}"
        )
    players, tournaments = (_names(path, *kind) for kind in ((".jou", _PLAYER), (".trn", _TOURNAMENT)))
    rows = list(_GAME.iter_unpack(data[_HEADER.size :]))
    played = (_played(game, [row[-1] for row in rows[i : i + _TOGETHER]]) for i in range(0, games, _TOGETHER))
    lines = zip(rows, chain.from_iterable(played), strict=True)
    for number, ((tournament, black, white, score, theoretical, moves), line) in enumerate(lines, 1):
        where = f"{path}, game {number}"
        try:
            named = tournaments(tournament), players(black), players(white)
            line = line or _line(game, moves, where)
            yield _read_game(game, komi, line, named, score, theoretical, year, where)
        except GameforgeError as error:
            if not tolerant:
                raise
            notice(f"left out: {error}")


def _contents(path: Path) -> bytes:
    try:
        data = stored.read_file(path, _MOST_BYTES)
    except OSError as error:
        raise GameforgeError(f"cannot read {path}: {error.strerror or error}") from None
    if len(data) < _HEADER.size:
        raise GameforgeError(f"{path}: {len(data)} bytes are too few for a WTHOR file, whose header has {_HEADER.size}")
    return data


def _names(games: Path, suffix: str, size: int) -> Callable[[int], str]:
    """Return the function that turns a number into a name; into its digits if the file of names lacks it.

    Raises GameforgeError if the folder has several such files, or a damaged one.
    """
    files = sorted(path for path in games.parent.iterdir() if path.suffix.lower() == suffix and path.is_file())
    if not files:
        return str
    if len(files) > 1:
        raise GameforgeError(f"{games}: {files[0].name} and {files[1].name} both name what its numbers mean")
    data = _contents(files[0])[_HEADER.size :]
    if len(data) % size:
        raise GameforgeError(f"{files[0]}: {len(data)} bytes after the header are no multiple of {size}")
    names = [data[i : i + size].split(b"\0")[0].decode("latin-1").strip() for i in range(0, len(data), size)]
    return lambda number: names[number] if number < len(names) and names[number] else str(number)


@attrs.frozen
class _Line:
    """The moves of a game, with passes, and the position after them."""

    moves: tuple[int, ...]
    end: State
    is_over: bool


def _line(game: Game, moves: bytes, where: str) -> _Line:
    """Play the moves of one game; GameforgeError at the first that is not legal."""
    record = Record(game, START, where)
    for code in moves.rstrip(b"\0"):
        row, column = divmod(code, 10)
        if not (1 <= row <= 8 and 1 <= column <= 8):
            raise GameforgeError(f"{where}, move {len(record.moves) + 1}: {code} is not a square; must be 11 to 88")
        record.add(NAMES[8 * row + column - 9])
    return _Line(tuple(record.moves), record.state, record.is_over)


def _played(game: Game, rows: Sequence[bytes]) -> list[_Line | None]:
    """Play the moves of many games; None for a game with one that is not legal."""
    rules, words = game.compiled, int(game.compiled.words)
    codes = np.frombuffer(b"".join(rows), np.uint8)
    moves, plies = np.zeros((len(rows), 2 * _MOVES), np.uint64), np.zeros(len(rows), np.int64)
    ends, left = np.tile(np.array(START, np.uint64), (len(rows), 1)), np.zeros(len(rows), np.int64)
    room, legal = np.zeros(words, np.uint64), np.zeros(int(rules.max_moves), np.uint64)
    _play_codes(rules, room, legal, codes, moves.reshape(-1), plies, ends.reshape(-1), left)
    return [
        None if n < 0 else _Line(tuple(line[:n]), tuple(end), not more)
        for line, n, end, more in zip(moves.tolist(), plies.tolist(), ends.tolist(), left.tolist(), strict=True)
    ]


@kernel
def _play_codes(
    rules: CompiledRules,
    room: WordArray,
    legal: WordArray,
    codes: NDArray[np.uint8],
    moves: WordArray,
    plies: IntegerArray,
    states: WordArray,
    left: IntegerArray,
) -> None:
    """Play games of at most _MOVES codes each from `states`, which become their last states; passes are inserted.

    plies[g]: number of moves of game g; -1 if one is not legal. left[g]: number of legal moves after the last.
    Workspace: room words, legal max_moves.
    """
    data, words = at(rules.data, U0), np.int64(rules.words)
    for g in range(len(plies)):
        state, first, count = at(states, rules.words * np.uint64(g)), 2 * _MOVES * g, 0
        n = rules.gen(data, state, at(legal, U0))
        ended = False
        for p in range(_MOVES * g, _MOVES * (g + 1)):
            code = np.int64(codes[p])
            ended = ended or code == 0
            if code == 0:
                continue
            row, column = code // 10, code % 10
            is_square = 1 <= row <= 8 and 1 <= column <= 8
            square = np.uint64(8 * row + column - 9 if is_square else 0)
            for _ in range(2):  # a pass that is not stored, and the move
                m = _PASS if n == U1 and legal[0] == _PASS else square
                known = False
                for i in range(n):
                    known = known or legal[i] == m
                if ended or not known or not is_square:
                    count = -1
                    break
                moves[first + count] = m
                rules.play(data, state, m, at(room, U0))
                for k in range(words):
                    states[words * g + k] = room[k]
                n = rules.gen(data, state, at(legal, U0))
                count += 1
                if m == square:
                    break
            if count < 0:
                break
        plies[g], left[g] = count, np.int64(n)


def _read_game(
    game: Game,
    komi: int,
    line: _Line,
    named: tuple[str, str, str],
    score: int,
    theoretical: int,
    year: int,
    where: str,
) -> GameRecord:
    tournament, black, white = named
    if score > SQUARES:
        raise GameforgeError(f"{where}: the stored score is {score}, but there are only {SQUARES} discs")
    counts = final_counts(line.end)
    if line.is_over and counts[0] != score:
        raise GameforgeError(f"{where}: Black's stored score is {score}, but the game ends {counts[0]}-{counts[1]}")
    tags = {
        "Date": str(year),
        "Tournament": tournament,
        "Black": black,
        "White": white,
        "Score": str(score),
        "Theoretical": str(theoretical),
    }
    reason = game.rules.reasons[0] if line.is_over else ""
    return GameRecord(
        players=(black, white),
        start=START,
        moves=line.moves,
        outcome=Outcome(winner_by(score, SQUARES - score, komi), reason),
        annotations=Annotations(tags=tags),
    )
