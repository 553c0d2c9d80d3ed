"""The contract of capabilities of rules: texts of moves and positions, drawings, openings, files, cells, board."""

import functools
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import attrs
import numpy as np

from gameforge.discovery.loading import reason
from gameforge.errors import GameforgeError
from gameforge.interfaces.board import Board, Cells, Stroke
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import Outcome, State
from gameforge.kernel.assembly import block as data_block
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.play.bounds import block, intact
from gameforge.testing.contract import Broken, Skipped, checks_of, expect
from gameforge.testing.sampling import Sample, same_words
from gameforge.testing.uncompiled import plain

_GIBBERISH = "\N{SNOWMAN} not a text of any game"


def _offered(sample: Sample, name: str) -> Any:
    """Return a capability that the rules themselves offer; the core's substitutes are skipped."""
    if getattr(sample.rules, name, None) is None:
        raise Skipped(f"the rules offer no {name}")
    return getattr(sample.game, name)


def _check_rejected(parse: Callable[[], object], what: str) -> None:
    """Check that a meaningless text raises a GameforgeError with one line."""
    try:
        parse()
    except GameforgeError as error:
        expect("\n" not in str(error), f"{what} is rejected with a message of more than one line")
    else:
        raise Broken(f"{what} is accepted")


def position_texts_are_read_back(sample: Sample) -> int:
    positions = _offered(sample, "positions")
    for state in sample.states:
        text = positions.position_text(state)
        again = positions.parse_position(text)
        same = positions.position_text(again) == text and sample.key(again) == sample.key(state)
        expect(same, f"{text!r} is the text of {sample.text(state)}, but is read as {sample.text(again)}")
        expect(sample.legal(again) == sample.legal(state), f"{text!r} is read with different legal moves")
    _check_rejected(functools.partial(positions.parse_position, _GIBBERISH), f"the position {_GIBBERISH!r}")
    return len(sample.states)


def move_texts_are_read_back(sample: Sample) -> int:
    notation = _offered(sample, "notation")
    for state in sample.running:
        legal: Sequence[int] = sample.legal(state)
        for move in legal:
            text = notation.move_text(state, move, legal)
            again = notation.parse_move(state, text, legal)
            expect(again == move, f"{text!r} is move {move:#x} in {sample.text(state)}, but is read as {again:#x}")
        _check_rejected(functools.partial(notation.parse_move, state, _GIBBERISH, legal), f"the move {_GIBBERISH!r}")
    return len(sample.running)


def diagrams_are_drawn(sample: Sample) -> int:
    drawing = _offered(sample, "drawing")
    for state in sample.states:
        text = drawing.diagram(state)
        expect(isinstance(text, str) and text.strip() != "", f"the diagram of {sample.text(state)} is {text!r}")
    return len(sample.states)


def pictures_are_svg(sample: Sample) -> int:
    drawing = _offered(sample, "drawing")
    if drawing.svg(sample.rules.initial()) is None:
        raise Skipped("the rules draw no SVG pictures")
    for state in sample.states:
        root = ElementTree.fromstring(drawing.svg(state))
        is_svg = root.tag.rpartition("}")[2] == "svg"
        expect(is_svg, f"the picture of {sample.text(state)} is a <{root.tag}>, not <svg>")
    return len(sample.states)


def openings_are_legal(sample: Sample) -> int:
    openings = _offered(sample, "openings")
    cases = 0
    for name in openings.names:
        for opening in openings.get(name):
            state, where = opening.start, f"opening {opening.name!r} of {name}"
            for move in opening.moves:
                legal = sample.code(state) == 0 and move in sample.legal(state)
                expect(legal, f"{where}: move {move:#x} is not legal in {sample.text(state)}")
                state = sample.after(state, move)
            expect(sample.code(state) == 0, f"{where} ends in a finished game")
            cases += 1
    return cases


def _finished(sample: Sample) -> list[GameRecord]:
    """The random games of the sample that the rules ended."""
    found = []
    for line in sample.lines:
        end = line.states[-1]
        outcome = Outcome.of(sample.rules, sample.code(end), sample.rules.side_to_move(end))
        if outcome is not None:
            found.append(GameRecord(start=line.states[0], moves=line.moves, outcome=outcome))
    return found


def games_are_written(sample: Sample) -> int:
    files = _offered(sample, "files")
    expect(files.suffix.startswith("."), f"files.suffix is {files.suffix!r}: must begin with a dot")
    games = _finished(sample)
    for game in games:
        text = files.game_text(attrs.evolve(game, phase="contract", number=1, players=sample.rules.sides))
        expect(isinstance(text, str) and text.strip() != "", "a game is written as an empty text")
    return len(games)


def games_in_files_are_read_back(sample: Sample) -> int:
    files = _offered(sample, "files")
    games = _finished(sample)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"games{files.suffix}"
        path.write_text("".join(files.game_text(game) for game in games), encoding="utf-8")
        again = list(files.read_games(path)) if games else []
    expect(len(again) == len(games), f"{len(games)} games were written, but {len(again)} were read")
    for one, other in zip(games, again, strict=True):
        same = (one.start, one.codes, one.outcome.winner) == (other.start, other.codes, other.outcome.winner)
        expect(same, f"a game is read back with a different start, moves or winner: {files.game_text(one)!r}")
    return len(games)


_OTHER = 0x5AFE5AFE5AFE5AFE
_FEW = 30


class _Read:
    """Reads the cells of states as words: planes, then numbers."""

    def __init__(self, sample: Sample) -> None:
        if sample.game.cells is None:
            raise Skipped("the rules offer no cells")
        self.sample, self.cells = sample, sample.game.cells
        self.size = len(self.cells.codes) + len(self.cells.numbers)
        self._compiled = compiled_function("cells", self.cells.cells)

    def __call__(
        self, state: State, pattern: int = 0, function: Callable[..., object] | None = None
    ) -> tuple[int, ...]:
        words, planes = block(state), block([pattern] * self.size)
        call(function or self._compiled, data_block(self.cells.data), words, planes)
        where = self.sample.text(state)
        expect(same_words(words, state), f"cells changed the {where}")
        expect(intact(planes, self.size), f"cells wrote more than {self.size} words in {where}")
        return tuple(planes[: self.size].tolist())


def cells_hold_one_code_each(sample: Sample) -> int:
    """Check that each existing cell has at most one code, whatever the block held before."""
    read = _Read(sample)
    n, codes = len(read.cells.places), len(read.cells.codes)
    for state in sample.states:
        words, where = read(state), sample.text(state)
        seen = 0
        for plane in words[:codes]:
            expect(plane >> n == 0, f"cells wrote bits above the {n} cells in {where}")
            expect(seen & plane == 0, f"cells gave a cell two codes in {where}")
            seen |= plane
        same = read(state, _OTHER) == words
        expect(same, f"cells does not write every word, or not the same words each time, in {where}")
    return len(sample.states)


def cells_follow_the_symmetries(sample: Sample) -> int:
    """Check that each symmetry of the game acts on the cells as an image or not at all, and keeps the numbers."""
    read, symmetries = _Read(sample), sample.game.symmetries
    if symmetries is None:
        raise Skipped("the rules offer no symmetries")
    identity = tuple(range(len(read.cells.places)))
    images = {identity, *read.cells.images}
    together = {tuple(one[cell] for cell in other) for one in images for other in images}
    expect(together == images, "the composition of two images is not an image: images must form a group")
    states = sample.states[:_FEW]
    for i in range(symmetries.count):
        left = images
        for state in states:
            words, turned = read(state), read(symmetries.state_image(state, i))
            left = {image for image in left if _moved(read.cells, words, image) == turned}
        expect(bool(left), f"symmetry {i} of the game does not act on the cells as any image, or changes the numbers")
    return symmetries.count * len(states)


def images_preserve_the_game(sample: Sample) -> int:
    """Check near the start that positions which are images of each other have the same future, two plies on.

    It needs no symmetries of the rules: after two plies the same side sees the cells again.
    """
    read = _Read(sample)
    if not read.cells.images:
        raise Skipped("the cells have no images")
    future: dict[State, Counter[tuple[int, ...]]] = {}
    for state in _near_the_start(sample):
        future[state] = Counter(
            read(second) if sample.is_running(first) else (-1, sample.code(first))
            for first in _children(sample, state)
            for second in (_children(sample, first) if sample.is_running(first) else (first,))
        )
    seen = {(sample.rules.side_to_move(state), read(state)): state for state in future}
    cases = 0
    for k, image in enumerate(read.cells.images):
        for state, after in future.items():
            there = seen.get((sample.rules.side_to_move(state), _moved(read.cells, read(state), image)))
            if there is None:
                continue
            moved = {words if words[0] < 0 else _moved(read.cells, words, image): n for words, n in after.items()}
            one, other = sample.text(state), sample.text(there)
            expect(moved == dict(future[there]), f"images[{k}] maps {one} to {other}, but not the moves that follow")
            cases += 1
    return cases


_READS = 5000
"""Positions that the check of the images reads, at most."""


def _near_the_start(sample: Sample) -> list[State]:
    """Return the first states from the start on, as many as have `_READS` positions two plies later, or one."""
    found, reads, done = [sample.rules.initial()], 0, 0
    while done < len(found) and reads < _READS:
        children = _children(sample, found[done])
        reads += sum(len(sample.legal(child)) for child in children)
        done += 1
        found = list(dict.fromkeys([*found, *children]))
    return found[:done]


def _children(sample: Sample, state: State) -> list[State]:
    return [sample.after(state, move) for move in sample.legal(state)] if sample.is_running(state) else []


@functools.lru_cache(maxsize=10_000)
def _moved_plane(plane: int, image: tuple[int, ...]) -> int:
    return sum(1 << image[cell] for cell in range(len(image)) if plane >> cell & 1)


def _moved(cells: Cells, words: tuple[int, ...], image: tuple[int, ...]) -> tuple[int, ...]:
    codes = len(cells.codes)
    return (*(_moved_plane(plane, image) for plane in words[:codes]), *words[codes:])


def compiled_and_plain_cells_agree(sample: Sample) -> int:
    read = _Read(sample)
    function = plain(read.cells.cells, compiled=True)
    for state in sample.states[:_FEW]:
        try:
            same = read(state) == read(state, function=function)
        except OverflowError as error:
            raise Broken(f"{reason(error)}; a negative number is written as np.int64(number)") from error
        expect(same, f"cells as plain Python differs in {sample.text(state)}")
    return len(sample.states[:_FEW])


def indices_number_the_moves(sample: Sample) -> int:
    """Check that each legal move has an index, the same one each time, and that there are enough of them."""
    moves = sample.game.moves
    if moves is None:
        raise Skipped("the rules offer no moves")
    compiled, data = compiled_function("index", moves.index), data_block(moves.data)
    before = data.tobytes()
    for state in sample.running:
        legal, where = sample.legal(state), sample.text(state)
        n = len(set(legal))
        expect(n <= moves.size, f"there are {moves.size} indices for {n} legal moves in {where}")
        for move in legal:
            words = block(state)
            found = int(call(compiled, data, words, np.uint64(move)))
            expect(found < moves.size, f"the index of move {move:#x} is {found}, not below {moves.size}, in {where}")
            expect(same_words(words, state) and data.tobytes() == before, f"index changed its blocks in {where}")
            same = int(call(compiled, data, words, np.uint64(move))) == found
            expect(same, f"index is not the same each time for move {move:#x} in {where}")
    return len(sample.running)


def compiled_and_plain_indices_agree(sample: Sample) -> int:
    moves = sample.game.moves
    if moves is None:
        raise Skipped("the rules offer no moves")
    compiled, data = compiled_function("index", moves.index), data_block(moves.data)
    function = plain(moves.index, compiled=True)
    for state, move, _ in sample.steps():
        words = block(state)
        same = int(call(compiled, data, words, np.uint64(move))) == int(function(data, words, np.uint64(move)))
        expect(same, f"index as plain Python differs for move {move:#x} in {sample.text(state)}")
    return len(sample.steps())


def _board(sample: Sample) -> Board:
    if sample.game.board is None:
        raise Skipped("the rules offer no board")
    return sample.game.board


def pieces_stand_on_cells(sample: Sample) -> int:
    """Check that each piece has a cell of its own and an owner."""
    board = _board(sample)
    for state in sample.states:
        pieces, where = board.pieces(state), sample.text(state)
        cells = [piece.cell for piece in pieces]
        wrong = [cell for cell in cells if not 0 <= cell < len(board.places)]
        expect(not wrong, f"board.pieces has the cell {wrong[:1]}, which does not exist, in {where}")
        expect(len(set(cells)) == len(cells), f"board.pieces has two pieces on one cell in {where}")
        expect(
            all(piece.side in (0, 1, 2) for piece in pieces), f"board.pieces has a side other than 0 to 2 in {where}"
        )
        strokes = [] if board.strokes is None else list(board.strokes(state))
        for look, one, other, side in strokes:
            right = look in get_args(Stroke) and {one, other} <= set(range(len(board.places))) and side in (0, 1, 2)
            expect(right, f"board.strokes has {(look, one, other, side)!r} in {where}")
        if board.note is not None:
            note = board.note(state)
            texts = len(note) == 2 and all(isinstance(text, str) for text in note)
            expect(texts, f"board.note returned {note!r}, not two texts, in {where}")
    return len(sample.states)


def paths_lead_over_cells(sample: Sample) -> int:
    """Check that paths consist of existing cells, and that a piece which moves is the mover's own."""
    board = _board(sample)
    for state, move, child in sample.steps():
        where = f"move {move:#x} in {sample.text(state)}"
        path, mover = board.path(state, move), sample.rules.side_to_move(state)
        wrong = [cell for cell in path if not 0 <= cell < len(board.places)]
        expect(not wrong, f"board.path has the cell {wrong[:1]}, which does not exist, for {where}")
        before, after = ({piece.cell: piece.side for piece in board.pieces(each)} for each in (state, child))
        if before != after:
            expect(len(path) > 0, f"board.path is empty for {where}, but the pieces change")
            expect(before.get(path[0], mover) == mover, f"board.path begins with a piece of the other side for {where}")
    return len(sample.steps())


def pieces_can_be_arranged(sample: Sample) -> int:
    """Check that arranging the pieces of a state gives this state, and that kinds of pieces are known."""
    board = _board(sample)
    if board.arrange is None:
        raise Skipped("the board offers no arrange")
    for state in sample.states:
        pieces, turn, where = board.pieces(state), sample.rules.side_to_move(state), sample.text(state)
        unknown = [piece.kind for piece in pieces if piece.kind not in board.kinds]
        expect(not unknown, f"board.kinds lacks {unknown[:1]}, a kind of piece in {where}")
        again = board.arrange(state, pieces, turn)
        expect(again == state, f"board.arrange with the pieces of the state itself returned {again}, not {where}")
        fewer = board.pieces(board.arrange(state, pieces[1:], turn))
        expect(sorted(fewer) == sorted(pieces[1:]), f"board.arrange without a piece has other pieces, in {where}")
    return len(sample.states)


CHECKS = checks_of(__name__)
