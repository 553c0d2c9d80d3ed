"""The contract of the capability `board` (gameforge.interfaces.board)."""

from gameforge.interfaces.board import Board
from gameforge.testing.contract import Check, Skipped, expect
from gameforge.testing.sampling import Sample


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
        expect(all(piece.side in (0, 1) for piece in pieces), f"board.pieces has a side other than 0 and 1 in {where}")
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


CHECKS = tuple(map(Check.of, (pieces_stand_on_cells, paths_lead_over_cells, pieces_can_be_arranged)))
