"""The contract of books: legal lines from the initial position."""

from typing import Any

import attrs

from gameforge.discovery.registry import Registry
from gameforge.interfaces.games import Opening
from gameforge.interfaces.oracle import BookLines
from gameforge.play.game import Game
from gameforge.play.pipeline import FeaturesChoice
from gameforge.testing.contract import Check, Contract, expect
from gameforge.testing.sampling import Sample, sample_of
from gameforge.testing.toy import Pile


@attrs.frozen
class Read:
    """The lines of a book, and a sample of their game."""

    sample: Sample
    lines: tuple[Opening, ...]


def prepare(component: Any, game: Game | None, features: FeaturesChoice | None, registry: Registry, seed: int) -> Read:
    """Check that the book returns BookLines with at least one line."""
    game = game or Game(Pile())
    found = component.opening_lines(game.rules)
    expect(isinstance(found, BookLines), f"opening_lines() returned {found!r}, not BookLines")
    expect(len(found.lines) > 0, "the book has no lines")
    return Read(sample_of(game, seed), found.lines)


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


CONTRACT = Contract(prepare, tuple(map(Check.of, (lines_begin_at_the_initial_position, lines_are_legal))))
