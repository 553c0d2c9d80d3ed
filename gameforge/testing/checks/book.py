"""The contract of books: legal lines from the initial position."""

import attrs

from gameforge.interfaces.games import Opening
from gameforge.interfaces.oracle import BookLines
from gameforge.testing.contract import Contract, Given, checks_of, expect
from gameforge.testing.sampling import Sample, sample_of


@attrs.frozen
class Read:
    """The lines of a book, and a sample of their game."""

    sample: Sample
    lines: tuple[Opening, ...]


def prepare(given: Given) -> Read:
    """Check that the book returns BookLines with at least one line."""
    found = given.component.opening_lines(given.played.rules)
    expect(isinstance(found, BookLines), f"opening_lines() returned {found!r}, not BookLines")
    expect(len(found.lines) > 0, "the book has no lines")
    return Read(sample_of(given.played, given.seed), found.lines)


def lines_begin_at_the_initial_position(book: Read) -> int:
    for line in book.lines:
        begins = line.start == book.sample.rules.initial()
        expect(begins, f"line {line.name!r} does not begin at the initial position")
    return len(book.lines)


def lines_are_legal(book: Read) -> int:
    sample = book.sample
    for line in book.lines:
        state = line.start
        for move in line.moves:
            legal = sample.code(state) == 0 and move in sample.legal(state)
            expect(legal, f"line {line.name!r}: move {move:#x} is not legal in {sample.text(state)}")
            state = sample.after(state, move)
    return len(book.lines)


CONTRACT = Contract(prepare, checks_of(__name__))
