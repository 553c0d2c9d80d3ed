"""The block of an opening book: how often a move is drawn."""

import numpy as np
import pytest
import toy_site

import gameforge as gf
from gameforge.kernel.assembly import book_block


@pytest.mark.parametrize(("by_lines", "shares"), [(False, [1, 1]), (True, [3, 1])])
def test_a_move_has_one_entry_or_one_for_each_line(by_lines: bool, shares: list[int]) -> None:
    game = gf.game("shuttle", registry=toy_site.registry())
    position = game.position()
    first, second = position.codes[:2]
    replies = position.after(first).codes
    lines = [(first, replies[0]), (first, replies[0]), (first,), (second,)]
    block = book_block(game.compiled, game.rules.initial(), lines, by_lines)
    root = int(block[0])
    entries = block[root + 2 : root + 2 + 2 * int(block[root + 1])].reshape(-1, 2)
    moves, counts = np.unique(entries[:, 0], return_counts=True)
    assert dict(zip(moves.tolist(), counts.tolist(), strict=True)) == {first: shares[0], second: shares[1]}
    places = {int(place) for move, place in entries if move == first}
    assert len(places) == 1
    node = places.pop()
    assert int(block[node + 1]) == (2 if by_lines else 1)
    assert int(block[node + 2]) == replies[0]
