"""Games as PDN text.

Tags, moves and FEN follow PDN 3.0. The text ends with the result, as in nearly all PDN files, and not with the
separator `*` of PDN 3.0. `1-0` is a win for the first mover, which is Black in all files of the English game (README,
"Results in PDN").
"""

from collections.abc import Iterator, Mapping

from gameforge.interfaces import GameRecord, State
from gameforge_draughts.pdn.draft import plain_comment
from gameforge_draughts.pdn.games import Line, Note, Notes, PdnGame, notes_of, result_text

_FIRST_TAGS = ("Event", "Site", "Date", "Round")
_PLAYERS = ("Black", "White")
_OWN_TAGS = ("Result", "GameType", "SetUp", "FEN")
_PLACED = _FIRST_TAGS + _PLAYERS + _OWN_TAGS
_LINE = 80
_UNKNOWN = {"Event": "?", "Black": "?", "White": "?"}


def game_text(game: GameRecord, kind: PdnGame) -> str:
    """Return a game as PDN; the tags Event, Black and White are always present, "?" if unknown.

    The reason for the game's end is the last comment.
    """
    return pdn_text(game, notes_of(game), _UNKNOWN | game.tags(kind.sides), kind)


def pdn_text(game: GameRecord, notes: Notes, tags: Mapping[str, str], kind: PdnGame) -> str:
    """Return a game as PDN: its tags, an empty line, and the moves in lines of at most 80 characters.

    Result, GameType and, unless the game began at the initial position, SetUp and FEN are generated, and override
    those of `tags`. `notes` are written in place of the comments and marks of the record.
    """
    result = result_text(game)
    header = {name: tags[name] for name in (*_FIRST_TAGS, *kind.sides) if name in tags}
    header |= {"Result": result, "GameType": kind.game_type}
    if game.start != kind.start:
        header |= {"SetUp": "1", "FEN": kind.position_text(game.start)}
    header |= {name: value for name, value in tags.items() if name not in _PLACED}
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in header.items()]
    body = " ".join([*_written(kind, Line(game.moves, notes), game.start, kind.rules.side_to_move(game.start)), result])
    return "\n".join([*lines, "", *_filled(body), ""])


def _filled(text: str) -> Iterator[str]:
    """Yield lines of at most _LINE characters, broken at spaces; only a longer word makes a longer line."""
    begin = 0
    while len(text) - begin > _LINE:
        end = text.rfind(" ", begin, begin + _LINE + 1)
        if end < 0:
            end = text.find(" ", begin + _LINE)
        if end < 0:
            break
        yield text[begin:end]
        begin = end + 1
    yield text[begin:]


def _escaped(value: str) -> str:
    if value.isprintable() and '"' not in value and "\\" not in value:  # nearly always
        return value
    return " ".join(value.splitlines()).replace("\\", "\\\\").replace('"', '\\"')


def _comment(text: str) -> str:
    return f"{{{plain_comment(text)}}}"


def _written(kind: PdnGame, line: Line, start: State, ply: int) -> list[str]:
    """Return moves with numbers and notes; the second mover's gets `1...` if it begins the line or follows a note."""
    texts = kind.line_texts(start, line.moves)
    words = [*map(_comment, line.notes.get(0, Note()).before)]
    begin, after_note = 0, True
    for i, note in sorted(line.notes.items()):
        words += _numbered(texts[begin : i + 1], ply + begin, after_note)
        if note.marks:
            words[-1] += note.marks
        words += [f"${nag}" for nag in note.nags]
        words += map(_comment, note.comments)
        for variation in note.variations:
            begins = kind.line_end(start, line.moves[:i])
            words.append(f"({' '.join(_written(kind, variation, begins, ply + i))})")
        begin, after_note = i + 1, bool(note.comments or note.variations)
    return words + _numbered(texts[begin:], ply + begin, after_note)


def _numbered(texts: list[str], ply: int, after_note: bool) -> list[str]:
    """Return moves, the first of them played at `ply`, with a number before each pair."""
    if not texts:
        return []
    if ply % 2:
        number = [f"{ply // 2 + 1}..."] if after_note else []
        return [*number, texts[0], *_numbered(texts[1:], ply + 1, after_note)]
    pairs = range(ply // 2 + 1, (ply + len(texts) + 1) // 2 + 1)
    words = [""] * (len(texts) + len(pairs))
    words[0::3] = [f"{pair}." for pair in pairs]
    words[1::3], words[2::3] = texts[0::2], texts[1::2]
    return words
