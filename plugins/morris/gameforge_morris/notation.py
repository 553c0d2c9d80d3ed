"""Moves, positions and games as text.

Moves: `d6` places a man, `d6-d7` moves one, and `xb4` after either removes the man on b4.

Positions: `W:Wd6,f4+7:Bb4,g7+7`, the side to move, then each side's men and, after `+`, those in its hand. The reader
accepts either order of the sides, spaces, and small or capital letters; a hand that is omitted is empty.

Files of games (`MorrisFiles`): each game is a line of moves, with comments, marks and the result, below its tags.

    [White "Ann"]
    [Black "Bob"]
    d6 f4 {the cross} d2 b4! f2xb4 (f2xf4 $6 b6) ... 1-0

With numbers of moves a game may take several lines, as in files that resemble PGN. The reader also accepts capitals,
typographic dashes, blanks around a dash or an x, nothing between two points, and the files of the site playOK, in which
points are numbers from 1 (a7) to 24 (g1) in reading order: `12`, `12-13`, `12-13x21`.

A result is `1-0` (White has won), `0-1`, `1/2-1/2`, or `*` for a game that is not finished. Without one after the moves
the tag Result counts. A game without a result is finished if the rules end it. The tag Position or FEN sets the first
position; the tag Reason says why the game ended. Lines that begin with `#` are ignored.
"""

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import attrs

from gameforge import Game, GameforgeError
from gameforge.interfaces import Annotations, GameFiles, GameRecord, Outcome, Rules, State, Variation, near
from gameforge.storage import game_lines
from gameforge_morris import movegen
from gameforge_morris.movegen import BLACK, NAMES, POINTS, SIDES, WHITE, hands, mask, men, state_of, to_move

_POINT = int(movegen.POINT_MASK)
_FROM, _REMOVED = int(movegen.FROM_SHIFT), int(movegen.REMOVED_SHIFT)
_TEXT = re.compile(r"(?:([a-g][1-7])\s*-\s*)?([a-g][1-7])(?:\s*x\s*([a-g][1-7]))?", re.IGNORECASE)


def parts(move: int) -> tuple[int, int, int]:
    """Return (from, to, removed) as numbers of points, with POINTS for none."""
    return move >> _FROM & _POINT, move & _POINT, move >> _REMOVED


def move_of(start: int, to: int, removed: int) -> int:
    """Return the word of a move, given by its `parts`."""
    return to | start << _FROM | removed << _REMOVED


def whole_text(move: int) -> str:
    """Return a move as text, with all its parts."""
    start, to, removed = parts(move)
    return (
        (f"{NAMES[start]}-" if start < POINTS else "") + NAMES[to] + (f"x{NAMES[removed]}" if removed < POINTS else "")
    )


def move_text(state: State, move: int, legal: Sequence[int]) -> str:
    return whole_text(move)


def parse_move(state: State, text: str, legal: Sequence[int]) -> int:
    """Return the legal move that `text` denotes; parts may be omitted.

    Raises GameforgeError, which lists the legal moves, if no legal move fits the text, or more than one.
    """
    where = position_text(state)
    if not legal:
        raise GameforgeError(f"{text!r} cannot be played in {where}: the game is over")
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise GameforgeError(f"{text!r} is not a move such as d6, d6-d7 or d6-d7xb4; legal here: {_listed(legal)}")
    given = [None if name is None else name.lower() for name in match.groups()]
    for name in given:
        if name is not None and name not in NAMES:
            raise GameforgeError(f"{text!r}: {name} is not a point of the board; points: {' '.join(NAMES)}")
    wanted = [None if name is None else NAMES.index(name) for name in given]
    meant = [move for move in legal if _fits(wanted, parts(move))]
    if not meant:
        raise GameforgeError(f"{text!r} is not legal in {where}; legal here: {_listed(legal)}")
    whole = [move for move in meant if parts(move) == tuple(POINTS if point is None else point for point in wanted)]
    if len(whole) == 1:  # in Lasker Morris `d6` places a man, even if one could move there
        return whole[0]
    if len(meant) > 1:
        raise GameforgeError(f"{text!r} may mean {_listed(meant)} in {where}; write one of them")
    return meant[0]


def _fits(wanted: Sequence[int | None], has: tuple[int, int, int]) -> bool:
    return all(want is None or want == point for want, point in zip(wanted, has, strict=True))


def _listed(moves: Sequence[int]) -> str:
    return ", ".join(map(whole_text, moves))


_LETTERS = {"W": WHITE, "B": BLACK}
_EXAMPLE = "a position looks like W:Wd6,f4+7:Bb4,g7+7"
_LIST = re.compile(r"([WB])([^+]*)(?:\+\s*([0-9]{1,3}))?\s*", re.IGNORECASE)


def position_text(state: State) -> str:
    """Return the position in one line, which `parse_position` reads."""
    parts = [SIDES[to_move(state)][0]]
    for side, word, hand in zip(SIDES, men(state), hands(state), strict=True):
        names = ",".join(name for bit, name in enumerate(NAMES) if word >> bit & 1)
        parts.append(f"{side[0]}{names}{f'+{hand}' if hand else ''}")
    return ":".join(parts)


@attrs.frozen
class MorrisPositions:
    """The capability `positions` of the rules."""

    men: int
    """Number of men of each side."""
    alternating: bool
    """Whether the sides take turns to place their men, before any man moves."""

    position_text = staticmethod(position_text)

    def parse_position(self, text: str) -> State:
        """Parse a position; GameforgeError if the text is not one, or if the position cannot occur."""

        def refuse(reason: str) -> NoReturn:
            raise GameforgeError(f"position {text.strip()!r}: {reason}")

        turn, *lists = (part.strip() for part in text.strip().split(":"))
        if turn.upper() not in _LETTERS:
            refuse(f"it must begin with the side to move, W: or B:, not with {turn!r} ({_EXAMPLE})")
        side = _LETTERS[turn.upper()]
        found: dict[int, tuple[int, int]] = {}
        for part in lists:
            match = _LIST.fullmatch(part)
            if match is None:
                refuse(f"{part!r} is not a list of men ({_EXAMPLE})")
            colour = _LETTERS[match[1].upper()]
            if colour in found:
                refuse(f"{SIDES[colour]}'s men are listed twice")
            word = 0
            for name in (entry.strip().lower() for entry in match[2].split(",") if match[2].strip()):
                if name not in NAMES:
                    refuse(f"{name!r} is not a point of the board{near(name, NAMES)}")
                if mask(name) & (word | sum(men for men, _ in found.values())):
                    refuse(f"two men stand on {name}")
                word |= mask(name)
            found[colour] = word, int(match[3] or 0)
        for colour, name in enumerate(SIDES):
            if colour not in found:
                refuse(f"{name}'s men are not listed ({_EXAMPLE})")
            word, hand = found[colour]
            total = word.bit_count() + hand
            if total > self.men:
                refuse(f"{name} has {total} men; a side has at most {self.men}")
            if colour != side and total < movegen.LEAST_MEN:
                refuse(f"{name} has {total} men and has lost, so {SIDES[side]} cannot be to move")
        (white, white_hand), (black, black_hand) = found[WHITE], found[BLACK]
        if self.alternating and (white_hand or black_hand) and black_hand - white_hand != side:
            more = "one man more than White" if side else "as many men as White"
            refuse(f"with {SIDES[side]} to move Black has {more} in hand, not {black_hand} against {white_hand}")
        left = white_hand + black_hand
        return state_of(white, black, left, side, found[side][1] - (left + 1) // 2)


_DASH = "[-\u2010-\u2015\u2212]"
_POINT_TEXT = "[a-g][1-7]"
_NUMBER = "(?:2[0-4]|1[0-9]|[1-9])"
_NUMBERED = sorted(NAMES, key=lambda name: (-int(name[1]), name[0]))
"""The points in the order in which playOK numbers them."""
_WORD = re.compile(
    rf"\{{(?P<comment>[^}}]*)\}}|(?P<result>1{_DASH}0|0{_DASH}1|1/2(?:{_DASH}1/2)?|½(?:{_DASH}½)?|0{_DASH}0|\*)(?=\s|$)"
    r"|\$(?P<glyph>[0-9]{1,9})|(?P<open>\()|(?P<close>\))"
    "|(?P<number>[0-9]{1,4})(?P<dots>[.]+)"
    rf"|(?P<move>{_POINT_TEXT}(?:\s*{_DASH}\s*{_POINT_TEXT}|{_POINT_TEXT})?(?:\s*[x\u00d7:]\s*{_POINT_TEXT})?"
    rf"|{_NUMBER}(?:{_DASH}{_NUMBER})?(?:x{_NUMBER})?(?![\w.]))(?P<mark>[!?]*)|\s+|(?P<bad>[^\s()]+)",
    re.IGNORECASE,
)
_FORMAT = game_lines.LineFormat(_WORD, in_pairs=True, settling=("position",))
_MOVE = re.compile(rf"({_POINT_TEXT})(?:[^a-gx\u00d7:]*({_POINT_TEXT}))?(?:[^a-g]*({_POINT_TEXT}))?", re.IGNORECASE)
_POSITION_TAG, _REASON_TAG, _RESULT_TAG = "Position", "Reason", "Result"
_BOTH_LOSE = "0-0"
"""A result for which records have no outcome; it is kept as the tag Result."""
_RESULTS = {"1-0": 0, "0-1": 1, "1/2-1/2": None}


@attrs.frozen
class MorrisFiles(GameFiles):
    """The capability `files` of the rules."""

    rules: Rules

    suffix = ".mor"

    def game_text(self, game: GameRecord) -> str:
        """Return the game as text, with an empty line at the end."""
        tags = {name: value for name, value in game.tags(SIDES).items() if name not in (_POSITION_TAG, _REASON_TAG)}
        if game.start != self.rules.initial():
            tags[_POSITION_TAG] = position_text(game.start)
        if game.reason:
            tags[_REASON_TAG] = game.reason
        lines = [game_lines.tag_text(name, value) for name, value in tags.items()]
        return "\n".join([*lines, f"{_line_text(game, game.codes)} {_result(game)}".lstrip(), "", ""])

    def read_games(
        self, path: Path, *, tolerant: bool = False, encoding: str = "utf-8", notice: Callable[[str], None] = print
    ) -> Iterator[GameRecord]:
        game = Game(self.rules)
        lines = enumerate(game_lines.read_lines(path, encoding), 1)
        read = functools.partial(_read, game)
        return game_lines.read_games_by_line(path, lines, _FORMAT, read, tolerant=tolerant, notice=notice)


def _line_text(line: GameRecord | Variation, codes: Sequence[int]) -> str:
    """Return the moves of a game or of a variation, with what is said about them."""
    words = []
    for i, move in enumerate(("", *map(whole_text, codes))):
        mark, *notes = game_lines.notes_words(line, i, lambda other: _line_text(other, other.moves))
        words += [move + mark, *notes]
    return " ".join(filter(None, words))


def _result(game: GameRecord) -> str:
    if not game.finished:
        return "*"
    return next(text for text, winner in _RESULTS.items() if winner == game.outcome.winner)


def _read(game: Game, text: game_lines.GameText, tags: dict[str, str]) -> GameRecord:
    start = game.parse_position(tags.pop(_POSITION_TAG)) if _POSITION_TAG in tags else game.rules.initial()
    moves, annotations, state = _line(game, start, text)
    result, reason = _plain_result(text.result), tags.pop(_REASON_TAG, "")
    if result in ("", "*") and _plain_result(tags.get(_RESULT_TAG, "")) in _RESULTS:
        result = _plain_result(tags[_RESULT_TAG])
    if result == _BOTH_LOSE:
        tags[_RESULT_TAG] = result
    elif _plain_result(tags.get(_RESULT_TAG, "")) in ("*", result):
        tags.pop(_RESULT_TAG, None)
    return GameRecord(
        players=(tags.get(SIDES[0], ""), tags.get(SIDES[1], "")),
        start=start,
        moves=moves,
        outcome=_outcome(game, start, moves, state, result, reason),
        annotations=attrs.evolve(annotations, tags=tags),
    )


def _line(
    game: Game, start: State, text: game_lines.GameText, before: int = 0
) -> tuple[tuple[int, ...], Annotations, State]:
    """Return the moves of a line, what is said about them, and the last state; before: number of moves before it."""
    states, moves = [start], list[int]()
    for word in text.moves:
        try:
            move = parse_move(states[-1], _plain_move(word), game.legal(states[-1]))
        except GameforgeError as error:
            raise GameforgeError(f"move {before + len(moves) + 1}: {error}") from None
        moves.append(move)
        states.append(game.play(states[-1], move))
    variations = {}
    for i, others in text.variations.items():
        lines = ((*_line(game, states[i], other, before + i), other.after) for other in others)
        variations[i] = tuple(
            Variation(moves=moves, annotations=notes, after=" ".join(after)) for moves, notes, _, after in lines
        )
    glyphs = {i: tuple(found) for i, found in text.glyphs.items()}
    notes = Annotations(comments=text.comments, marks=text.marks, glyphs=glyphs, variations=variations)
    return tuple(moves), notes, states[-1]


def _plain_move(word: str) -> str:
    """Return a move as `parse_move` reads it; the third point, or the second after an x, is that of a removed man."""
    if word[0].isdecimal():
        return re.sub("[0-9]+", lambda number: _NUMBERED[int(number[0]) - 1], re.sub(_DASH, "-", word))
    match = _MOVE.fullmatch(word)
    if match is None:
        return word
    first, second, third = match.groups()
    return first + (f"-{second}" if second else "") + (f"x{third}" if third else "")


def _plain_result(text: str) -> str:
    plain = re.sub(_DASH, "-", text.strip()).replace("½", "1/2")
    return "1/2-1/2" if plain == "1/2" else plain


def _outcome(game: Game, start: State, moves: Sequence[int], last: State, result: str, reason: str) -> Outcome:
    """Determine the outcome: by the final position, else by the result, else by draws such as repetition."""
    side = game.rules.side_to_move(last)
    over = Outcome.of(game.rules, game.code(last, len(game.legal(last))), side)
    if over is not None and result in _RESULTS and _RESULTS[result] != over.winner:
        raise GameforgeError(f"the result is {result}, but {game.rules.sides[1 - side]} has won")
    if over is None and result in _RESULTS:
        return Outcome(_RESULTS[result], reason)
    if over is None and not result:
        over = Outcome.of(game.rules, game.code_after(start, moves), side)
    return over or Outcome.UNFINISHED
